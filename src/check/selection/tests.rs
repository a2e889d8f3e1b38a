use super::*;
use crate::check::Library;
use crate::check::source_error::rendered;

fn library() -> Library {
    let check = |id: &str, keys: &str| {
        let text = format!("//! Does it.\n{keys}//!\n//! a MUST It holds\n");
        Check::from_source(id, Arc::new(NamedSource::new(id, Arc::from(text))))
    };
    Library::of(vec![
        check("client/tool-call-basic", "//! tags: tools\n//! revisions: ..2025-11-25\n"),
        check("client/session-echo", "//! tags: session, slow\n//! revisions: 2025-11-25\n"),
        check("client/auth/refresh", "//! tags: client, auth\n//! revisions: 2026-07-28\n"),
        check("host/audit", "//! tags: auth\n//! revisions: 2025-11-25..\n"),
        check(
            "server-failure",
            "//! cases: a maintenance page; a reset\n//! revisions: 2025-11-25\n",
        ),
        check("session", "//! tags: other\n//! revisions: 2025-11-25\n"),
        check("client/broken", "//! nonsense: 1\n"),
    ])
}

fn select(expressions: &[&str]) -> Result<Vec<String>, String> {
    let library = library();
    let expressions: Vec<String> = expressions.iter().map(|text| (*text).to_owned()).collect();
    let selection = Selection::parse(&expressions, &library).map_err(|error| rendered(&error))?;
    let is_selected = |entry: &&Result<Check, BrokenCheck>| match entry {
        Ok(check) => selection.matches(check),
        Err(broken) => selection.matches_broken(broken),
    };
    let ids = library.checks.iter().filter(is_selected);
    Ok(ids.map(|entry| crate::check::discovery::id_of(entry).to_owned()).collect())
}

#[track_caller]
fn assert_selects(expression: &str, expected: &[&str]) {
    assert_eq!(
        select(&[expression]).unwrap_or_else(|shown| panic!("{shown}")),
        expected,
        "{expression}"
    );
}

#[test]
fn words_are_ids_folders_tags_and_revisions() {
    assert_selects("client/tool-call-basic", &["client/tool-call-basic"]);
    assert_selects("client/auth", &["client/auth/refresh"]);
    assert_selects("host/", &["host/audit"]);
    assert_selects("tools", &["client/tool-call-basic"]);
    assert_selects("tag:auth", &["client/auth/refresh", "host/audit"]);
    assert_selects("2026-07-28", &["client/auth/refresh", "host/audit"]);
    assert_selects("revision:2025-03-26", &["client/tool-call-basic"]);
    assert_selects("refresh", &["client/auth/refresh"]);
    assert_selects("client/broken", &["client/broken"]);
}

#[test]
fn a_word_with_several_meanings_selects_them_all() {
    assert_selects("session", &["client/session-echo", "session"]);
    assert_selects(
        "client",
        &["client/auth/refresh", "client/broken", "client/session-echo", "client/tool-call-basic"],
    );
    assert_selects("tag:client", &["client/auth/refresh"]);
}

#[test]
fn patterns_stop_at_folders() {
    assert_selects("client/*", &["client/broken", "client/session-echo", "client/tool-call-basic"]);
    assert_selects("**/session-*", &["client/session-echo"]);
    assert_selects("{host,client}/a*", &["host/audit"]);
    assert_selects("**/*h", &["client/auth/refresh"]);
}

#[test]
fn the_path_of_a_file_selects_it() {
    assert_selects("checks/host/audit.rhai", &["host/audit"]);
    assert_selects("./checks/host/audit.rhai", &["host/audit"]);
    assert_selects("checks/host/", &["host/audit"]);
}

#[test]
fn operators_bind_in_their_order() {
    assert_selects("auth and not client", &["host/audit"]);
    assert_selects("tools or auth and host", &["client/tool-call-basic", "host/audit"]);
    assert_selects("(tools or auth) and host", &["host/audit"]);
    assert_selects("not(client or session)", &["host/audit", "server-failure"]);
    assert_eq!(select(&["tools", "host"]).unwrap(), ["client/tool-call-basic", "host/audit"]);
    assert_eq!(select(&[]).unwrap().len(), 7);
}

#[test]
fn one_case_can_be_selected() {
    let library = library();
    let check = library.get("server-failure").unwrap().as_ref().unwrap();
    let cases = |expression: &str| {
        let selection = Selection::parse(&[expression.to_owned()], &library).unwrap();
        let cases = check.header.cases.iter().filter(|case| selection.case_matches(check, case));
        cases.cloned().collect::<Vec<_>>()
    };
    assert_eq!(cases("server-failure"), ["a maintenance page", "a reset"]);
    assert_eq!(cases("server-failure[a reset]"), ["a reset"]);
    assert_eq!(cases("*[a reset] or host"), ["a reset"]);
    assert_eq!(cases("not server-failure[a reset]"), ["a maintenance page"]);
    assert_eq!(cases("host"), Vec::<String>::new());
}

#[test]
fn a_word_that_is_nothing_is_shown_under_its_expression() {
    assert_eq!(
        select(&["tools and client/tool-cal-basic"]).unwrap_err(),
        "\
selection::unknown

  × there is no check, folder, tag or revision `client/tool-cal-basic`
   ╭─[selection:1:11]
 1 │ tools and client/tool-cal-basic
   ·           ──────────┬──────────
   ·                     ╰── selects nothing
   ╰────
  help: did you mean `client/tool-call-basic`?
"
    );
}

#[test]
fn every_mistake_is_shown_with_its_help() {
    for (expression, parts) in [
        ("tool-cal-basic", &["did you mean `client/tool-call-basic`?"][..]),
        ("tag:tols", &["there is no tag `tols`", "did you mean `tools`?"]),
        ("revision:2025-11-26", &["did you mean `2025-11-25`?"]),
        ("2025-06-81", &["did you mean `2025-06-18`?"]),
        ("clinet/*", &["no check matches `clinet/*`"]),
        ("{a,b", &["is not a pattern"]),
        ("tools and", &["1:9", "expected a check", "quote an expression"]),
        ("and", &["expected a check", "quote an expression"]),
        ("", &["the selection is empty"]),
        ("tools host", &["1:7", "join both with `and` or `or`"]),
        ("(tools", &["this parenthesis is not closed"]),
        ("tools)", &["take the parenthesis away"]),
        ("tools and host", &["the selection matches no check"]),
        ("server-failure[a rest]", &["has no case `a rest`", "did you mean `a reset`?", "1:16"]),
        ("host/audit[x]", &["`host/audit` has no cases"]),
        ("server-failure[a", &["close it with `]`"]),
    ] {
        let shown = select(&[expression]).expect_err(expression);
        for part in parts {
            assert!(shown.contains(part), "{expression}: {part:?} is not in:\n{shown}");
        }
    }
    let deep = "(".repeat(100_000);
    assert!(select(&[&deep]).unwrap_err().contains("nested too deep"));
    assert!(select(&[&"not ".repeat(100_000)]).unwrap_err().contains("nested too deep"));
}

#[test]
fn names_of_options_are_checked() {
    let library = library();
    assert!(known_tag("tools", &library).is_ok());
    let error = known_tag("tols", &library).unwrap_err();
    assert!(rendered(&*error).contains("did you mean `tools`?"));
    assert_eq!(known_revision("2025-11-25").ok(), Some(Revision::V2025_11_25));
    assert!(rendered(&*known_revision("2025").unwrap_err()).contains("2025-11-25"));
    assert!(
        rendered(&*known_profile("x", &[]).unwrap_err()).contains("there is no profile at all")
    );
}

#[test]
fn a_damaged_expression_is_read_or_refused() {
    let library = library();
    let expression =
        "(tools or tag:auth) and not server-failure[a reset] or client/* and 2025-11-25";
    let inserts =
        ["", "(", ")", "[", "]", " ", "*", "{", "not ", "é", " or ", "\t", "/", ".", "\\"];
    let mut read = 0;
    for start in 0..=expression.len() {
        for length in 0..4 {
            for insert in inserts {
                let end = (start + length).min(expression.len());
                let text = format!("{}{insert}{}", &expression[..start], &expression[end..]);
                match Selection::parse(std::slice::from_ref(&text), &library) {
                    Ok(_) => read += 1,
                    Err(error) => {
                        let label = &error.problems()[0].labels.as_ref().unwrap()[0];
                        assert!(text.get(label.offset()..label.offset() + label.len()).is_some());
                    }
                }
            }
        }
    }
    assert!(read > 100, "{read}");
}

use std::sync::Arc;

use miette::NamedSource;

use super::*;
use crate::check::place::SourceText;
use crate::check::source_error::rendered;
use crate::check::{About, Level};
use Revision::{V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

const EXAMPLE: &str = "\
//! Calls one tool with two numbers and reads its result.
//!
//! revisions: 2025-03-26..2025-11-25
//! tags: tools
//! spec: server/tools#calling-tools
//! task: Call the tool add with a = 17 and b = 25.
//!
//! initialize-first  MUST         initialize comes before every other request, pings aside
//! handshake         MUST         The tool is called only after the handshake was confirmed
//! tool-call-args    MUST [task; sent]  add receives a = 17 and b = 25
//! accept-header     SHOULD [2025-06-18..; builtin; spec: MUST]  Each POST accepts JSON

fn serve(server) {}
";

fn source(text: &str) -> SourceText {
    Arc::new(NamedSource::new("checks/a.rhai", Arc::from(text)))
}

fn parse_ok(text: &str) -> Header {
    parse(&source(text)).unwrap_or_else(|error| panic!("{}", rendered(&error)))
}

/// The codes of all problems, without their common beginning.
fn codes(text: &str) -> Vec<String> {
    let error = parse(&source(text)).expect_err("the header has problems");
    let codes = error.problems().iter().filter_map(|problem| problem.code.clone());
    codes.map(|code| code.replace("header::", "")).collect()
}

/// The text under the first label of the only problem, and its help.
fn lone(text: &str) -> (String, String, String) {
    let error = parse(&source(text)).expect_err("the header has a problem");
    let [problem] = error.problems() else { panic!("{}", rendered(&error)) };
    let label = &problem.labels.as_ref().expect("a label")[0];
    let under = &text[label.offset()..label.offset() + label.len()];
    (problem.message.clone(), under.to_owned(), problem.help.clone().unwrap_or_default())
}

fn with(line: &str) -> String {
    format!("//! Title.\n//!\n{line}\n//!\n//! other MUST Something holds\n")
}

#[test]
fn wire_schema_is_reserved() {
    let text = "//! Declares it.\n//!\n//! wire-schema  MUST  Everything is valid\n";
    assert_eq!(codes(text), ["reserved-id"]);
    let header =
        parse_ok(&EXAMPLE.replace("//! tags: tools", "//! invalid: no list, at all; see there"));
    assert_eq!(header.invalid.as_deref(), Some("no list, at all; see there"));
}

#[test]
fn the_example_of_the_design() {
    let header = parse_ok(EXAMPLE);
    assert_eq!(header.title, "Calls one tool with two numbers and reads its result.");
    assert_eq!(header.description, "");
    assert_eq!(header.revisions, [V2025_03_26, V2025_06_18, V2025_11_25]);
    assert_eq!(header.tags, ["tools"]);
    assert_eq!(header.spec, ["server/tools#calling-tools"]);
    assert_eq!(header.task.as_deref(), Some("Call the tool add with a = 17 and b = 25."));
    let ids: Vec<&str> = header.checkpoints.iter().map(|point| point.id.as_str()).collect();
    assert_eq!(ids, ["initialize-first", "handshake", "tool-call-args", "accept-header"]);
    assert_eq!(
        header.checkpoints[3],
        Checkpoint {
            id: "accept-header".to_owned(),
            level: Level::Should,
            about: About::Protocol,
            builtin: true,
            sent: false,
            spec_level: Some(Level::Must),
            revisions: vec![V2025_06_18, V2025_11_25],
            sentence: "Each POST accepts JSON".to_owned(),
        }
    );
    assert_eq!(header.checkpoints[2].about, About::Task);
    assert!(header.checkpoints[2].sent);
    assert!(EXAMPLE[header.checkpoint_spans[1].clone()].starts_with("handshake  "));
    assert_eq!(header.checkpoints_at(V2025_03_26).count(), 3);
}

#[test]
fn line_ends_and_a_byte_order_mark_do_not_matter() {
    let windows = format!("\u{feff}{}", EXAMPLE.replace('\n', "\r\n"));
    let (plain, mut other) = (parse_ok(EXAMPLE), parse_ok(&windows));
    other.checkpoint_spans.clone_from(&plain.checkpoint_spans);
    assert_eq!(plain, other);
}

#[test]
fn prose_is_a_title_and_a_description() {
    let header = parse_ok(
        "// A licence.\n\n//! Reads e.g. a list, v1.2 of it,\n//! in pages. Then stops.\n//! - a point\n//!\n\
         //! Clients MUST read on.\n//!\n//! a MUST x\nlet y = 1;\n//! not of the header",
    );
    assert_eq!(header.title, "Reads e.g. a list, v1.2 of it, in pages.");
    assert_eq!(header.description, "Then stops.\n- a point\n\nClients MUST read on.");
}

#[test]
fn values_and_sentences_go_on_in_indented_lines() {
    let header = parse_ok(
        "//! T.\n//! tags: a,\n//!   b\n//! task: Call it\n//!    once: only.\n//!\n\
         //! a MUST One\n//!    sentence\n//! cases: a page; two\n//!   words",
    );
    assert_eq!(header.tags, ["a", "b"]);
    assert_eq!(header.task.as_deref(), Some("Call it once: only."));
    assert_eq!(header.checkpoints[0].sentence, "One sentence");
    assert_eq!(header.cases, ["a page", "two words"]);
}

#[test]
fn revisions_are_lists_and_ranges() {
    let revisions = |value: &str| parse_ok(&with(&format!("//! revisions: {value}"))).revisions;
    assert_eq!(revisions(".."), Revision::ALL);
    assert_eq!(revisions("2025-11-25.."), [V2025_11_25, V2026_07_28]);
    assert_eq!(revisions("..2025-06-18"), [V2025_03_26, V2025_06_18]);
    assert_eq!(revisions("2026-07-28, 2025-03-26"), [V2025_03_26, V2026_07_28]);
    assert_eq!(revisions("2025-11-25,\n//!   2026-07-28"), [V2025_11_25, V2026_07_28]);
    assert_eq!(parse_ok(&with("//!")).revisions, Revision::ALL);
}

#[test]
fn an_id_may_stand_again_for_other_revisions() {
    let header = parse_ok(
        "//! T.\n//! a MUST [..2025-06-18] Old\n//! a SHOULD [2025-11-25; 2026-07-28] New",
    );
    let sentence = |revision| {
        header.checkpoints_at(revision).map(|point| &*point.sentence).collect::<Vec<_>>()
    };
    assert_eq!(sentence(V2025_06_18), ["Old"]);
    assert_eq!(sentence(V2026_07_28), ["New"]);
}

#[test]
fn every_mistake_has_its_place_and_its_help() {
    let cases = [
        ("//! revision: ..", "revision", "did you mean `revisions`?"),
        ("//! Tags: a", "Tags", "did you mean `tags`?"),
        ("//! tags:", "", "leave the key out"),
        ("//! tags: a b", "a b", "tags have commas"),
        ("//! tags: a, , b", "", "take away the `,`"),
        ("//! tags: a, b, a", "a", "name it once"),
        ("//! needs: sesion", "sesion", "did you mean `session`?"),
        ("//! needs: json, event-stream", "event-stream", "leave out both"),
        ("//! cases: a [b]", "a [b]", "brackets select a case"),
        ("//! scenario: two words", "two words", "as conformance clients do"),
        ("//! revisions: 2025-11-26", "2025-11-26", "did you mean `2025-11-25`"),
        ("//! revisions: ..2025-06-81", "2025-06-81", "did you mean `2025-06-18`"),
        (
            "//! revisions: 2025-11-25..2025-06-18",
            "2025-11-25..2025-06-18",
            "write the older revision first: `2025-06-18..2025-11-25`",
        ),
        ("//! a MUTS The tool", "MUTS", "did you mean `MUST`?"),
        ("//! a-b must The tool", "must", "did you mean `MUST`?"),
        ("//! a Should The tool", "Should", "did you mean `SHOULD`?"),
        ("//! a REQUIRED The tool", "REQUIRED", "the levels are MUST"),
        ("//! a_b MUST The tool", "a_b", "written like `tool-call-args`"),
        ("//! a--b MUST The tool", "a--b", "written like `tool-call-args`"),
        ("//! a MUST", "", "say in one sentence"),
        ("//! a MUST [task]", "", "say in one sentence"),
        ("//! a MUST [task The tool", "[", "close the marks"),
        ("//! a MUST [tsak] The tool", "tsak", "did you mean `task`?"),
        ("//! a MUST [task; task] The tool", "task", "name it once"),
        ("//! a MUST [goal] The tool", "goal", "the marks are"),
        ("//! a MUST[spec: must] The tool", "must", "did you mean `spec: MUST`?"),
        ("//! a MUST [2025-06-19] The tool", "2025-06-19", "did you mean `2025-06-18`"),
        ("//! other SHOULD [2025-06-18] Again", "other", "revisions that do not overlap"),
    ];
    for (line, under, help) in cases {
        let (message, actual_under, actual_help) = lone(&with(line));
        assert_eq!(actual_under, under, "{line}: {message}");
        assert!(actual_help.contains(help), "{line}: {message}: {actual_help}");
    }
}

#[test]
fn below_the_first_key_nothing_is_taken_for_prose() {
    let text = |line: &str| format!("//! T.\n//! tags: a\n//! b MUST x\n{line}\n");
    for (line, code) in [
        ("//! c must The tool", "unknown-level"),
        ("//! c The tool", "missing-level"),
        ("//! Clients do it.", "unreadable-line"),
        ("//! c", "unreadable-line"),
        ("//! Clients MUST do it.", "bad-id"),
        ("//!   c MUST The tool", "ambiguous-line"),
        ("\n//! c MUST The tool", "second-block"),
        ("//! tags: c", "repeated-key"),
        ("//! b MUST y", "duplicate-checkpoint"),
    ] {
        assert_eq!(codes(&text(line)), [code], "{line}");
    }
}

#[test]
fn a_checkpoint_stays_within_the_check() {
    let text = |mark: &str| format!("//! T.\n//! revisions: ..2025-11-25\n//! a MUST [{mark}] x");
    assert_eq!(parse_ok(&text("2025-11-25..")).checkpoints[0].revisions, [V2025_11_25]);
    assert_eq!(codes(&text("2026-07-28")), ["revision-outside"]);
    assert_eq!(codes(&text("2025-11-25..2026-07-28")), ["revision-outside"]);
}

#[test]
fn what_is_not_there_is_missed() {
    assert_eq!(codes(""), ["missing"]);
    assert_eq!(codes("fn serve() {}\n//! T.\n"), ["missing"]);
    assert_eq!(codes("//! T."), ["no-checkpoint"]);
    assert_eq!(codes("//! a MUST x"), ["no-title"]);
    assert_eq!(codes("//!\n//!\n"), ["no-title", "no-checkpoint"]);
}

#[test]
fn every_problem_is_shown_at_once() {
    let error = parse(&source(
        "//! Calls a tool.\n//!\n//! tgas: tools\n//! revisions: 2025-11-52\n//!\n\
         //! handshake  MUTS  The tool is called\n",
    ))
    .unwrap_err();
    assert_eq!(
        rendered(&error).trim_start(),
        "\
× the header of `checks/a.rhai` has 3 problems

Error: header::unknown-key

  × `tgas` is not a key of a header
   ╭─[checks/a.rhai:3:5]
 2 │ //!
 3 │ //! tgas: tools
   ·     ──┬─
   ·       ╰── unknown key
 4 │ //! revisions: 2025-11-52
   ╰────
  help: did you mean `tags`?

Error: header::unknown-revision

  × `2025-11-52` is not a known revision
   ╭─[checks/a.rhai:4:16]
 3 │ //! tgas: tools
 4 │ //! revisions: 2025-11-52
   ·                ─────┬────
   ·                     ╰── expected a revision or a range
 5 │ //!
   ╰────
  help: did you mean `2025-11-25`?

Error: header::unknown-level

  × `MUTS` is not a level
   ╭─[checks/a.rhai:6:16]
 5 │ //!
 6 │ //! handshake  MUTS  The tool is called
   ·                ──┬─
   ·                  ╰── expected MUST, SHOULD, MAY or INTEROP
   ╰────
  help: did you mean `MUST`? A level is in capitals
"
    );
}

/// Damages a text in every place in turn, and in pairs of places.
fn damaged(text: &str) -> impl Iterator<Item = String> {
    let inserts = [
        "",
        "\n",
        "\r",
        "\t",
        " ",
        ":",
        "[",
        "]",
        ";",
        ",",
        "..",
        "//!",
        "MUST",
        "é",
        "\u{feff}",
        "//! a MUST b\n",
    ];
    let ends: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
    let mut state = 1_u64;
    let mut random = move |bound: usize| {
        // A linear congruential generator: the same damage in every run.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    (0..6000).map(move |round| {
        let at = if round < ends.len() { round } else { random(ends.len()) };
        let until = (at + random(6)).min(ends.len() - 1);
        let middle = inserts[random(inserts.len())];
        let once = format!("{}{middle}{}", &text[..ends[at]], &text[ends[until]..]);
        if round % 3 > 0 {
            return once;
        }
        let mut lines: Vec<&str> = once.split_inclusive('\n').collect();
        let line = lines[random(lines.len())];
        match round % 2 {
            0 => lines.insert(random(lines.len()), line),
            _ => drop(lines.remove(random(lines.len()))),
        }
        lines.concat()
    })
}

#[test]
fn a_damaged_header_is_read_or_refused_at_a_place_within_it() {
    let (mut read, mut refused) = (0, 0);
    for text in damaged(EXAMPLE) {
        match parse(&source(&text)) {
            Ok(header) => {
                read += 1;
                assert!(!header.title.is_empty() && !header.revisions.is_empty(), "{text}");
                assert_eq!(header.checkpoints.len(), header.checkpoint_spans.len());
                for (point, span) in header.checkpoints.iter().zip(&header.checkpoint_spans) {
                    assert!(text[span.clone()].starts_with(&point.id), "{text}");
                    assert!(!point.sentence.is_empty(), "{text}");
                }
            }
            Err(error) => {
                refused += 1;
                assert!(!error.problems().is_empty());
                for label in
                    error.problems().iter().flat_map(|problem| problem.labels.iter().flatten())
                {
                    let (start, end) = (label.offset(), label.offset() + label.len());
                    assert!(text.get(start..end).is_some(), "{text}");
                }
                if refused % 50 == 0 {
                    assert!(rendered(&error).contains("header::"));
                }
            }
        }
    }
    assert!(read > 1000 && refused > 1000, "{read} read, {refused} refused");
}

#[test]
fn only_a_check_of_a_server_names_one() {
    let text = |name: &str| format!("//! T.\n//! server: {name}\n//! a MUST x\n");
    assert_eq!(parse_ok(&text("protected")).server.as_deref(), Some("protected"));
    assert_eq!(codes(&text("Not a name")), ["bad-server"]);
    for function in ["fn serve(server) {}", "fn operate(host) {}"] {
        assert_eq!(codes(&(text("protected") + function)), ["needless-server"]);
    }
}

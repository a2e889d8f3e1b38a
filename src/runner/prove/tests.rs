//! The rules of a proof, over checks and faults that are written for it.

mod playing;

use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::check::discovery::SupportScript;
use crate::check::{Check, Side, WIRE_SCHEMA};

/// A check of a client with the claims `1` to `claims`, each about one call: it
/// was made with its own number.
fn check(claims: usize) -> String {
    let mut header =
        String::from("//! Calls a tool.\n//!\n//! revisions: 2025-06-18..2025-11-25\n//!\n");
    let mut judge = String::new();
    for claim in 1..=claims {
        header += &format!("//! claim-{claim}  MUST  It is made\n");
        judge += &format!(
            "seen.equal(\"claim-{claim}\", seen.calls(\"t{claim}\")[0].arguments.n, {claim});\n"
        );
    }
    header += "//! weak  SHOULD  It accepts JSON\n";
    format!(
        "{header}\nfn serve(server) {{ for n in 1..={claims} {{ \
         server.tool(`t${{n}}`, #{{ n: \"integer\" }}, |args| args.n); }} }}\n\
         fn drive(client) {{ for n in 1..={claims} {{ client.call_tool(`t${{n}}`, #{{ n: n }}); }} }}\n\
         fn judge(seen) {{ {judge} seen.every(\"weak\", seen.posts, |post| \
         post.header(\"accept\").contains(\"json\")); }}"
    )
}

/// A fault that changes the argument of the call of this tool.
fn breaking(tool: &str) -> String {
    format!(
        "//! Changes one argument.\nfn request(request) {{ \
         if request.member(\"/params/name\") == \"{tool}\" {{ request.put(\"/params/arguments/n\", 0); }} }}"
    )
}

const EVERYTHING: &str = "//! Changes every argument.\nfn request(request) { \
     if request.method == \"tools/call\" { request.put(\"/params/arguments/n\", 0); } }";

fn source(name: &str, text: &str) -> crate::check::SourceText {
    Arc::new(miette::NamedSource::new(name, text.into()))
}

/// A proof of the checks' own claims; `wire-schema`, which they share, has tests
/// of its own.
fn prove_these(checks: &[(&str, &str)], faults: &[(&str, &str)], jobs: usize) -> Proof {
    let mut proof = prove_all(checks, faults, jobs);
    proof.claims.retain(|claim| claim.checkpoint.id != WIRE_SCHEMA);
    proof.findings.retain(|finding| finding.checkpoint.as_deref() != Some(WIRE_SCHEMA));
    proof
}

fn prove_all(checks: &[(&str, &str)], faults: &[(&str, &str)], jobs: usize) -> Proof {
    prove_with(checks, faults, jobs, Effort::Played)
}

fn prove_with(
    checks: &[(&str, &str)],
    faults: &[(&str, &str)],
    jobs: usize,
    effort: Effort,
) -> Proof {
    let checks = checks.iter().map(|(id, text)| Check::from_source(id, source(id, text)));
    let mut library = Library::of(checks.collect());
    library.support.faults = faults
        .iter()
        .map(|(name, text)| SupportScript { name: (*name).to_owned(), source: source(name, text) })
        .collect();
    let profiles = crate::profile::embedded().expect("the embedded profiles can be read");
    let settings = Settings { jobs, ..Settings::new(Subject::Embedded) };
    prove(&library, &profiles, &settings, effort, |_, _| {})
}

fn found(proof: &Proof) -> Vec<(FindingKind, String)> {
    let findings = proof.findings.iter();
    findings.map(|finding| (finding.kind, finding.message.clone())).collect()
}

#[test]
fn a_claim_is_proven_by_a_fault_that_turns_it_red() {
    let check = check(4);
    let all = ["t1", "t2", "t3", "t4"].map(breaking);
    let faults: Vec<(&str, &str)> =
        ["a", "b", "c", "d"].into_iter().zip(all.iter().map(String::as_str)).collect();
    let proof = prove_these(&[("c/one", &check)], &faults, 1);
    assert_eq!(found(&proof), []);
    assert!(proof.holds());
    assert_eq!(proof.claims.len(), 4);
    assert_eq!(proof.claims[2].killed_by, ["c"]);
    let fault = &proof.faults[1];
    assert_eq!((fault.kills, fault.reach, fault.weaker, fault.counts), (1, 4, 0, true));
    // Four of the five profiles have a revision of the check.
    assert_eq!((fault.executions, fault.fired), (4, 4));
    assert_eq!(proof.executions, 4 * 5);
}

#[test]
fn wire_schema_is_proven_once_for_each_side() {
    let client = check(1);
    let server = "//! Pings.\n//!\n//! revisions: 2025-06-18\n//!\n//! pong  MUST  It is answered\n\
         fn drive(client) { client.ping() }\n\
         fn judge(seen) { seen.check(\"pong\", seen.requests.of(\"ping\")[0].response != ()); }";
    let checks = [("c/client", &*client), ("c/other", &*client), ("s/server", server)];
    let invalid = "//! Names no tool.\nfn request(request) { \
         if request.method == \"tools/call\" { request.put(\"/params/name\", 7); } }";
    let proof = prove_all(&checks, &[("names-no-tool", invalid)], 1);
    let shared: Vec<_> =
        proof.claims.iter().filter(|claim| claim.checkpoint.id == WIRE_SCHEMA).collect();
    let about: Vec<_> = shared.iter().map(|claim| (&*claim.check, claim.standing)).collect();
    assert_eq!(
        about,
        [
            ("every check of a client", Standing::Proven),
            ("every check of a server", Standing::Survived),
        ]
    );
    assert_eq!(shared[0].killed_by, ["names-no-tool"]);
    let survivor = "no fault turns the checkpoint `wire-schema` of every check of a server red";
    assert!(found(&proof).contains(&(FindingKind::Survivor, survivor.to_owned())));
    // It says nothing of how small a fault is.
    assert_eq!(proof.faults[0].reach, 2);

    // Faults that send what is valid prove nothing of it.
    let proof = prove_all(&checks, &[("a", &breaking("t1"))], 1);
    let claim = proof.claims.iter().find(|claim| claim.checkpoint.id == WIRE_SCHEMA);
    assert_eq!(claim.map(|claim| claim.standing), Some(Standing::Survived));
    assert!(!proof.holds());
}

#[test]
fn wire_schema_that_does_not_hold_to_begin_with_is_an_error() {
    let check = check(1).replace(
        "client.call_tool(`t${n}`",
        "client.set_logging_level(`loud`); client.call_tool(`t${n}`",
    );
    let check = check.replace(
        "serve(server) {",
        "serve(server) { server.initialize(#{ capabilities: #{ logging: #{}, tools: #{} } });",
    );
    let proof = prove_all(&[("c/one", &check)], &[("a", &breaking("t1"))], 1);
    let message = "the checkpoint `wire-schema` of `c/one` does not hold to begin with: fail \
                   without any fault";
    assert!(
        found(&proof).contains(&(FindingKind::DoesNotHold, message.to_owned())),
        "{:?}",
        found(&proof)
    );
}

#[test]
fn what_survives_is_named() {
    let check = check(4);
    let faults = [("a", &*breaking("t1")), ("b", &*breaking("t2")), ("c", &*breaking("t3"))];
    let proof = prove_these(&[("c/one", &check)], &faults, 2);
    assert!(!proof.holds() && !proof.is_broken());
    assert_eq!(proof.claims[3].standing, Standing::Survived);
    let expected = "no fault turns the checkpoint `claim-4` of `c/one` red".to_owned();
    assert_eq!(found(&proof), [(FindingKind::Survivor, expected)]);
    assert!(proof.findings[0].place.is_some());
}

#[test]
fn a_fault_that_kills_too_much_does_not_count() {
    let check = check(4);
    let proof = prove_these(&[("c/one", &check)], &[("all", EVERYTHING)], 1);
    assert_eq!(proof.count(Standing::Survived), 4);
    let fault = &proof.faults[0];
    assert_eq!((fault.kills, fault.reach, fault.counts), (4, 4, false));
    assert!(proof.findings[0].help.contains("all"), "{}", proof.findings[0].help);
    assert_eq!(proof.findings[4].kind, FindingKind::LargeFault);
    // A quarter is not too much.
    let proof = prove_these(&[("c/one", &check)], &[("a", &breaking("t1"))], 1);
    assert!(proof.faults[0].counts);
}

#[test]
fn silence_is_no_kill_unless_something_must_be_sent() {
    let silent = "//! Makes one call less.\nfn request(request) { \
         if request.member(\"/params/name\") == \"t1\" { return drop(); } }";
    let check = check(4);
    let proof = prove_these(&[("c/one", &check)], &[("silent", silent)], 1);
    assert_eq!(proof.count(Standing::Proven), 0);
    assert!(found(&proof).iter().any(|(kind, _)| *kind == FindingKind::HarmlessFault));

    let marked = check.replace("claim-1  MUST  ", "claim-1  MUST [sent]  ");
    let proof = prove_these(&[("c/one", &marked)], &[("silent", silent)], 1);
    assert_eq!(proof.claims[0].killed_by, ["silent"]);
    assert_eq!(proof.count(Standing::Survived), 3);
}

#[test]
fn an_error_is_no_kill_and_the_check_that_breaks_is_named() {
    let fragile = check(4).replace(
        "fn judge(seen) {",
        "fn judge(seen) { if seen.calls(\"t1\")[0].arguments.n == 0 { throw \"no\"; }",
    );
    let proof = prove_these(&[("c/one", &fragile)], &[("a", &breaking("t1"))], 1);
    assert_eq!(proof.count(Standing::Survived), 4);
    let expected = "the check `c/one` breaks under the fault `a`".to_owned();
    assert!(found(&proof).contains(&(FindingKind::BreaksUnderFault, expected)));
}

#[test]
fn a_weaker_checkpoint_makes_a_fault_useful_and_proves_nothing() {
    let check = check(4);
    let weak =
        "//! Accepts anything.\nfn request(request) { request.set_header(\"accept\", \"*/*\"); }";
    let proof = prove_these(&[("c/one", &check)], &[("weak", weak)], 1);
    assert_eq!((proof.faults[0].kills, proof.faults[0].weaker), (0, 1));
    assert!(found(&proof).iter().all(|(kind, _)| *kind == FindingKind::Survivor));
}

#[test]
fn faults_that_are_broken_idle_or_harmless_are_named() {
    let check = check(4);
    let faults = [
        ("broken", "//! Breaks.\nfn request(request) { request.status = 7; }"),
        (
            "harmless",
            "//! Adds a field.\nfn request(request) { request.set_header(\"x-a\", \"b\"); }",
        ),
        ("idle", "//! Does nothing.\nfn request(request) { }"),
        ("unreadable", "fn request(request) { }"),
        ("unwritten", "//! Is no script.\nfn request(request) {"),
    ];
    let proof = prove_these(&[("c/one", &check)], &faults, 1);
    let about: Vec<(FindingKind, &str)> = proof
        .findings
        .iter()
        .filter_map(|finding| Some((finding.kind, finding.fault.as_deref()?)))
        .collect();
    assert_eq!(
        about,
        [
            (FindingKind::BrokenFault, "broken"),
            (FindingKind::BrokenFault, "unreadable"),
            (FindingKind::BrokenFault, "unwritten"),
            (FindingKind::IdleFault, "idle"),
            (FindingKind::HarmlessFault, "harmless"),
        ]
    );
    assert!(proof.is_broken());
}

#[test]
fn a_claim_that_does_not_hold_without_a_fault_is_an_error() {
    let check = check(2).replace(".arguments.n, 2)", ".arguments.n, 3)");
    let proof = prove_these(&[("c/one", &check)], &[("a", &breaking("t1"))], 1);
    assert_eq!(proof.claims[1].standing, Standing::DoesNotHold);
    let expected = "the checkpoint `claim-2` of `c/one` does not hold to begin with: fail without \
                    any fault";
    assert_eq!(proof.findings[0].message, expected);
    assert!(!proof.holds());
}

#[test]
fn a_broken_check_is_an_error_and_stops_no_other() {
    let (good, bad) = (check(4), check(4).replace("fn judge(seen)", "fn other(seen)"));
    let checks = [("c/bad", &*bad), ("c/good", &*good), ("c/headless", "fn judge(seen) {}")];
    let proof = prove_these(&checks, &[("a", &breaking("t1"))], 1);
    assert_eq!(found(&proof)[0].0, FindingKind::BrokenCheck);
    assert_eq!(found(&proof)[1].0, FindingKind::BrokenCheck);
    assert_eq!(proof.count(Standing::NotRun), 4);
    assert_eq!(proof.count(Standing::Proven), 1);
    assert!(proof.is_broken());
}

#[test]
fn a_fault_stays_on_its_side_and_at_its_revisions() {
    let client = check(4);
    let server = "//! Pings.\n//!\n//! revisions: 2025-06-18\n//!\n//! pong  MUST  It is answered\n\
         fn drive(client) { client.ping() }\n\
         fn judge(seen) { seen.equal(\"pong\", seen.requests.of(\"ping\")[0].response.result, #{}); }";
    let faults = [
        (
            "late",
            "//! Comes late.\n//! revisions: 2025-11-25\nfn request(request) { request.set_header(\"a\", \"b\"); }",
        ),
        ("server", "//! Answers more.\nfn response(response) { response.put(\"/result/a\", 1); }"),
    ];
    let proof = prove_these(&[("c/client", &client), ("s/server", server)], &faults, 1);
    let late = &proof.faults[0];
    assert_eq!((late.executions, late.reach), (3, 4));
    let other = &proof.faults[1];
    assert_eq!((other.side, other.executions, other.reach), (Side::Server, 1, 1));
    assert_eq!((other.kills, other.counts), (1, false));
}

#[test]
fn lines_with_their_own_revisions_are_claims_of_their_own() {
    let check = check(4).replace(
        "//! claim-1  MUST  It is made",
        "//! claim-1  MUST [2025-06-18]  It is made\n//! claim-1  MUST [2025-11-25]  It is made",
    );
    let fault = breaking("t1").replace("\nfn", "\n//! revisions: 2025-11-25\nfn");
    let proof = prove_these(&[("c/one", &check)], &[("a", &fault)], 1);
    let standing: Vec<Standing> = proof.claims.iter().take(2).map(|claim| claim.standing).collect();
    assert_eq!(standing, [Standing::Survived, Standing::Proven]);
    assert_eq!(proof.faults[0].reach, 4);
}

#[test]
fn a_fault_between_the_result_and_the_judge_counts_too() {
    let check = check(4)
        .replace("//! weak  SHOULD  It accepts JSON\n", "//! result  MUST [builtin]  It returns\n")
        .replace("fn judge(seen) {", "fn judge(seen) { seen.check(\"result\", seen.result); ")
        .replace(
            "seen.every(\"weak\", seen.posts, |post| post.header(\"accept\").contains(\"json\"));",
            "",
        )
        .replace("#{ n: n }); }", "#{ n: n }); } true");
    let fault = "//! Denies it.\nfn seen(seen) { seen.result = false; }";
    let proof = prove_these(&[("c/one", &check)], &[("denies", fault)], 1);
    assert_eq!(proof.claims[4].killed_by, ["denies"]);
    assert_eq!(proof.faults[0].fired, 4);
}

#[test]
fn the_same_input_gives_the_same_proof() {
    let check = check(4);
    let checks: Vec<(String, &str)> =
        (0..6).map(|number| (format!("c/{number}"), &*check)).collect();
    let checks: Vec<(&str, &str)> = checks.iter().map(|(id, text)| (id.as_str(), *text)).collect();
    let faults = [("a", &*breaking("t1")), ("b", &*breaking("t3")), ("c", EVERYTHING)];
    let prove = |jobs| {
        let proof = Proof { elapsed: Duration::ZERO, ..prove_these(&checks, &faults, jobs) };
        format!("{proof:?}")
    };
    let first = prove(1);
    assert_eq!(prove(3), first);
    assert!(first.contains("killed_by: []"), "{first}");
}

#[test]
fn an_interrupted_proof_proves_nothing() {
    let check = check(4);
    let library = Library::of(vec![Check::from_source("c/one", source("c/one", &check))]);
    let profiles = crate::profile::embedded().expect("the embedded profiles can be read");
    let settings = Settings::new(Subject::Embedded);
    settings.interrupt.cancel();
    let proof = prove(&library, &profiles, &settings, Effort::Played, |_, _| {});
    assert!(proof.interrupted && !proof.holds());
}

#[test]
fn progress_ends_with_everything_done() {
    let check = check(4);
    let mut library = Library::of(vec![Check::from_source("c/one", source("c/one", &check))]);
    library.support.faults.clear();
    let profiles = crate::profile::embedded().expect("the embedded profiles can be read");
    let mut reported = Vec::new();
    let settings = Settings::new(Subject::Embedded);
    prove(&library, &profiles, &settings, Effort::Played, |done, total| {
        reported.push((done, total))
    });
    assert_eq!(reported, [(0, 4), (4, 4)]);
}

#[test]
fn a_handler_or_a_drive_that_cannot_go_on_leaves_it_to_the_judge() {
    let handler = check(4).replace("|args| args.n", "|args| args.n * args.n");
    let drive = check(4).replace(
        "drive(client) {",
        "drive(client) { let first = \
         client.call_tool(\"t1\", #{ n: 1 }); client.call_tool(first.value.content[0].text);",
    );
    let faults = [
        (
            "handler",
            "//! Sends no number.\nfn request(request) { \
             if request.member(\"/params/name\") == \"t1\" { request.put(\"/params/arguments/n\", #{}); } }",
        ),
        (
            "drive",
            "//! Returns nothing.\nfn request(request) { \
             if request.member(\"/params/name\") == \"t1\" { request.put(\"/params\", #{}); } }",
        ),
    ];
    let proof = prove_these(&[("c/drive", &drive), ("c/handler", &handler)], &faults, 1);
    let broken: Vec<_> = found(&proof)
        .into_iter()
        .filter(|(kind, _)| *kind == FindingKind::BreaksUnderFault)
        .collect();
    assert_eq!(broken, []);
    assert_eq!(proof.claims[4].killed_by, ["handler"]);
}

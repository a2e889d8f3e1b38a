//! Faults that are played in the place of an execution.

use super::*;

#[test]
fn what_changes_nothing_is_played_and_comes_to_the_same_as_its_execution() {
    let check = check(4);
    let faults = [
        ("breaks-one", &*breaking("t1")),
        ("breaks-none", &*breaking("t9")),
        (
            "counts",
            "//! Changes the fourth call.\nfn request(request, memory) { \
             if request.method != \"tools/call\" { return; } \
             if memory.calls == () { memory.calls = 0; } memory.calls += 1; \
             if memory.calls == 4 { request.put(\"/params/arguments/n\", 0); } }",
        ),
        (
            "counts-further",
            "//! Would change the fifth.\nfn request(request, memory) { \
             if request.method != \"tools/call\" { return; } \
             if memory.calls == () { memory.calls = 0; } memory.calls += 1; \
             if memory.calls == 5 { request.put(\"/params/arguments/n\", 0); } }",
        ),
        ("sees-nothing", "//! Sees nothing.\nfn seen(seen) {}"),
        ("fails", "//! Fails.\nfn request(request) { request.status = 7; }"),
    ];
    let played = prove_with(&[("c/one", &check)], &faults, 1, Effort::Played);
    let exhaustive = prove_with(&[("c/one", &check)], &faults, 1, Effort::Exhaustive);
    assert_eq!(found(&played), found(&exhaustive));
    let kills = |proof: &Proof| -> Vec<_> {
        let claims = proof.claims.iter();
        claims.map(|claim| (claim.standing, claim.killed_by.clone())).collect()
    };
    assert_eq!(kills(&played), kills(&exhaustive));
    let counts = |proof: &Proof| -> Vec<_> {
        let faults = proof.faults.iter();
        faults.map(|fault| (fault.name.clone(), fault.executions, fault.played)).collect()
    };
    let expected = |name: &str, executions, played| (name.to_owned(), executions, played);
    // Four profiles.
    assert_eq!(
        counts(&played),
        [
            expected("breaks-one", 4, 0),
            expected("breaks-none", 0, 4),
            expected("counts", 4, 0),
            expected("counts-further", 0, 4),
            expected("sees-nothing", 0, 4),
            expected("fails", 4, 0),
        ]
    );
    assert_eq!((played.executions, played.played), (16, 12));
    assert_eq!((exhaustive.executions, exhaustive.played), (28, 0));
}

/// Holds playing against executing, fault by fault, over a part of the shipped suite.
#[test]
fn playing_comes_to_the_same_as_executing_in_the_shipped_suite() {
    let mut library = Library::embedded();
    let mut at = 0;
    library.checks.retain(|_| {
        at += 1;
        at % 20 == 1
    });
    let profiles = crate::profile::embedded().expect("the embedded profiles can be read");
    let settings = Settings::new(Subject::Embedded);
    let proof = prove(&library, &profiles, &settings, Effort::Exhaustive, |_, _| {});
    let differs = proof.findings.iter().filter(|one| one.kind == FindingKind::ContradictsPlay);
    assert_eq!(differs.map(ToString::to_string).collect::<Vec<_>>(), [""; 0]);
    assert!(proof.executions > 1000);
}

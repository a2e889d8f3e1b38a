//! The double tells the truth: for every shipped check and profile the loopback
//! subject comes to the same verdicts as the embedded one, and its wire, recorded
//! at the double, is the same but for hop header fields and with origins written
//! by name.

use mcp_checks::check::Library;
use mcp_checks::profile;
use mcp_checks::runner::Counts;
use mcp_checks::runner::matrix::{DOUBLE, SOCKET, Wire, environments, run};
use mcp_checks::runner::plan::Choice;

#[test]
fn a_real_socket_carries_the_same_bytes() {
    let library = Library::embedded();
    let profiles = profile::embedded().expect("the shipped profiles are valid");
    let matrix = run(&library, &profiles, &Choice::default(), environments(None), |_, _| {});
    let (double, socket) = (matrix.counts(DOUBLE), matrix.counts(SOCKET));
    assert!(double.ran > 500, "the suite ran");
    assert_eq!(double, socket, "the same executions came to the same");
    let Counts { ran, skipped, .. } = double;
    assert_eq!(double, Counts { ran, skipped, ..Counts::default() }, "all held");
    let differing: Vec<_> = matrix.findings.iter().filter(|finding| finding.fails).collect();
    assert!(differing.is_empty(), "embedded and loopback differ:\n{differing:#?}");
    let same = matrix.rows.iter().filter(|row| row.wire == Wire::Same).count();
    assert_eq!(same, double.ran, "every wire was compared");
}

//! Diagnostics of long sources.

use miette::{GraphicalReportHandler, GraphicalTheme, MietteDiagnostic, NamedSource, Report};

use super::*;

fn shown(diagnostic: &dyn Diagnostic, redactor: &Redactor) -> String {
    let mut shown = String::new();
    GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
        .with_width(100)
        .render_report(&mut shown, &Clipped::new(diagnostic, None, redactor))
        .expect("it can be shown");
    shown
}

fn report(text: &str, span: Range<usize>) -> Report {
    let label = LabeledSpan::new_with_span(Some("here".to_owned()), span);
    let problem = MietteDiagnostic::new("wrong").with_label(label);
    Report::from(problem).with_source_code(NamedSource::new("a.toml", text.to_owned()))
}

#[test]
fn what_is_short_is_shown_as_it_is() {
    let report = report("one\ntwo = 2\nthree", 4..7);
    let mut whole = String::new();
    GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
        .with_width(100)
        .render_report(&mut whole, &*report)
        .expect("it can be shown");
    assert_eq!(shown(&*report, &Redactor::default()), whole);
}

#[test]
fn of_a_long_line_what_is_around_a_label_is_shown() {
    let long = "é".repeat(500_000);
    let text = format!("{long}\nkey = {long}WRONG{long}\n{long}");
    let at = text.find("WRONG").expect("it is there");
    let shown = shown(&*report(&text, at..at + 5), &Redactor::default());
    assert!(shown.len() < 3_000, "{} bytes", shown.len());
    // The column is that of the whole line, in bytes as everywhere.
    assert!(shown.contains("[a.toml:2:1000007]"), "{shown}");
    assert!(shown.contains("key = é") && shown.contains("é…é") && shown.contains("éWRONGé"));
    let mark = shown.lines().find(|line| line.contains("──┬──")).expect("the label is there");
    let line = shown.lines().find(|line| line.contains("WRONG")).expect("the line is there");
    let column = |text: &str, what: &str| text[..text.find(what).unwrap()].chars().count();
    assert_eq!(column(mark, "──┬──"), column(line, "WRONG"));
}

#[test]
fn a_label_over_many_lines_and_a_long_message_are_cut() {
    let text = "line\n".repeat(100_000);
    let report = report(&text, 0..text.len()).wrap_err("x".repeat(1_000_000));
    let shown = shown(&*report, &Redactor::default());
    assert!(shown.len() < 5_000, "{} bytes", shown.len());
}

#[test]
fn no_half_of_a_credential_is_shown() {
    let secret = "s".repeat(50_000);
    let text = format!("token {} {secret}", "x".repeat(1000));
    let place = text.len() - 20_000;
    let redactor = Redactor::new([&secret]);
    let report = report(&text, place..place + 1);
    assert!(!shown(&*report, &redactor).contains("ss"));
}

#[test]
fn related_problems_point_into_the_source_of_all() {
    use crate::check::{SourceText, header};
    let text = format!("//! A.\n//!\n//! a MAST {}\n//! b  MAST c\n", "x".repeat(900_000));
    let source: SourceText =
        std::sync::Arc::new(NamedSource::new("a.rhai", std::sync::Arc::from(text.as_str())));
    let error = header::parse(&source).expect_err("two levels are wrong");
    let shown = shown(&error, &Redactor::default());
    assert!(shown.len() < 5_000, "{} bytes", shown.len());
    assert!(shown.contains("[a.rhai:3:") && shown.contains("[a.rhai:4:"), "{shown}");
}

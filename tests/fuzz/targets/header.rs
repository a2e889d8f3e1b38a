//! Headers of checks and of faults.

use std::hash::DefaultHasher;

use mcp_checks::check::discovery::embedded_files;
use mcp_checks::check::header::{parse, parse_fault};
use mcp_checks::check::{CheckKind, SourceError};

use super::{are_well_told, source};
use crate::engine::{Target, about, note};

pub const TARGET: Target = Target {
    name: "header",
    seeds: || {
        let scripts = embedded_files().filter(|(path, _)| path.ends_with(".rhai"));
        scripts.map(|(_, text)| text[..text.len().min(2_000)].to_vec()).collect()
    },
    words: &[
        "//! ",
        "//!\n",
        "// ",
        "tags: ",
        "spec: ",
        "revisions: ",
        "2025-11-25..2026-07-28",
        "..",
        "needs: ",
        "task: ",
        "cases: a; b\n",
        "scenario: ",
        "server: ",
        "invalid: ",
        "side: client\n",
        "called  MUST  It is called",
        " SHOULD ",
        " INTEROP [sent] ",
        "[builtin; 2026-07-28]",
        "[spec: MAY]",
        ", ",
        "; ",
        ". ",
        "fn serve(server) {}\n",
        "fn operate(host) {}\n",
    ],
    read,
};

fn codes(error: &SourceError) -> Vec<Option<String>> {
    error.problems().iter().map(|problem| problem.code.clone()).collect()
}

fn read(input: &[u8], hasher: &mut DefaultHasher) {
    let text = String::from_utf8_lossy(input);
    note(hasher, CheckKind::of(&text));
    let header = parse(&source(&text));
    match &header {
        Ok(header) => {
            note(hasher, (about(header.checkpoints.len()), about(header.revisions.len())));
            note(hasher, (about(header.tags.len()), about(header.spec.len()), &header.task));
            note(hasher, (about(header.cases.len()), about(header.needs.len())));
            assert!(!header.title.is_empty() && !header.revisions.is_empty());
            assert!(!header.checkpoints.is_empty());
            assert_eq!(header.checkpoints.len(), header.checkpoint_spans.len());
            for (checkpoint, span) in header.checkpoints.iter().zip(&header.checkpoint_spans) {
                assert!(text[span.clone()].starts_with(&checkpoint.id));
            }
        }
        Err(error) => are_well_told(error, &text, hasher),
    }
    match parse_fault(&source(&text)) {
        Ok(fault) => assert!(!fault.description.is_empty()),
        Err(error) => are_well_told(&error, &text, hasher),
    }
    // Lines that end as on Windows say the same.
    if !text.contains('\r') {
        let other = parse(&source(&text.replace('\n', "\r\n")));
        match (&header, &other) {
            (Ok(header), Ok(other)) => {
                assert_eq!(header.title, other.title);
                assert_eq!(header.checkpoints, other.checkpoints);
                assert_eq!(header.tags, other.tags);
                assert_eq!(header.cases, other.cases);
            }
            (Err(error), Err(other)) => assert_eq!(codes(error), codes(other)),
            _ => panic!("{header:?} is {other:?} with other ends of lines"),
        }
    }
}

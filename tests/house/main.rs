//! What holds of the sources as a whole: the direction of imports, no circles, files
//! that can be read at once.

mod circles;
mod files;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The modules from the bottom to the top; those of one row may use each
/// other.
const HOUSE: [&[&str]; 8] = [
    &["wire"],
    &["mcp"],
    &["check", "profile"],
    &["host"],
    &["script"],
    &["snapshot"],
    &["runner"],
    &["report", "cli"],
];

/// Reports are read by the command line, never the other way round.
const FORBIDDEN_BESIDES: [(&str, &str); 1] = [("report", "cli")];

fn rank(module: &str) -> Option<usize> {
    HOUSE.iter().position(|row| row.contains(&module))
}

/// The modules that a source text names as `crate::MODULE`.
fn imports(text: &str) -> impl Iterator<Item = String> + '_ {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.match_indices("crate::").map(move |(at, _)| &line[at + 7..]))
        .map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
}

fn arrows_against(root: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    for entry in walkdir::WalkDir::new(root).sort_by_file_name() {
        let entry = entry.expect("the sources can be read");
        let path = entry.path();
        if path.extension().is_none_or(|ending| ending != "rs") {
            continue;
        }
        let inside = path.strip_prefix(root).expect("it is below the root");
        let first = inside.components().next().expect("it has a name").as_os_str();
        let module = first.to_string_lossy().trim_end_matches(".rs").to_owned();
        let Some(from) = rank(&module) else { continue };
        let text = std::fs::read_to_string(path).expect("a source is UTF-8");
        for imported in imports(&text) {
            let Some(to) = rank(&imported) else { continue };
            let forbidden = FORBIDDEN_BESIDES.contains(&(module.as_str(), imported.as_str()));
            if to > from || forbidden {
                wrong.push(format!("{} uses crate::{imported}", inside.display()));
            }
        }
    }
    wrong
}

#[test]
fn imports_run_one_way() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    assert_eq!(arrows_against(&sources), Vec::<String>::new());
}

#[test]
fn every_module_has_its_place() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut unplaced = BTreeMap::new();
    for entry in std::fs::read_dir(sources).expect("the sources are there") {
        let name = entry.expect("an entry can be read").file_name();
        let module = name.to_string_lossy().trim_end_matches(".rs").to_owned();
        if !["main", "lib"].contains(&module.as_str()) && rank(&module).is_none() {
            unplaced.insert(module, ());
        }
    }
    assert!(unplaced.is_empty(), "give these a row in HOUSE: {unplaced:?}");
}

#[test]
fn a_wrong_arrow_is_found() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let wire = folder.path().join("wire");
    std::fs::create_dir(&wire).expect("a folder can be made");
    std::fs::write(wire.join("http.rs"), "use crate::runner::Event;\n").expect("it can be written");
    std::fs::write(folder.path().join("report.rs"), "use crate::{cli};\nuse crate::cli::run;\n")
        .expect("it can be written");
    assert_eq!(
        arrows_against(folder.path()),
        ["report.rs uses crate::cli", "wire/http.rs uses crate::runner"]
    );
}

#[test]
fn main_stays_short() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/main.rs");
    let lines = std::fs::read_to_string(path).expect("it can be read").lines().count();
    assert!(lines < 50, "src/main.rs has {lines} lines");
}

/// The sources of one side of `mcp`, without its tests: a test of the client may play
/// a scripted server.
fn side(own: &str) -> Vec<(PathBuf, String)> {
    let mcp = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/mcp");
    let folder = walkdir::WalkDir::new(mcp.join(own)).into_iter();
    let paths = folder.map(|entry| entry.expect("the sources can be read").into_path());
    let paths = paths.chain([mcp.join(own).with_extension("rs")]);
    let is_test = |path: &Path| {
        path.strip_prefix(&mcp).is_ok_and(|inside| tree::is_test(&inside.to_string_lossy()))
    };
    let sources = paths.filter(|path| path.is_file() && !is_test(path));
    let read = |path: &PathBuf| std::fs::read_to_string(path).expect("a source is UTF-8");
    sources.map(|path| (path.clone(), read(&path))).collect()
}

/// What the double sends must not be made by what it tests.
#[test]
fn client_and_double_use_nothing_of_each_other() {
    for (own, other) in [("server", "client"), ("client", "server")] {
        for (path, text) in side(own) {
            for way in [format!("mcp::{other}"), format!("super::{other}::")] {
                assert!(!text.contains(&way), "{} uses {way}", path.display());
            }
        }
    }
}

/// The types that a source text defines.
fn defined(text: &str) -> impl Iterator<Item = &str> {
    let after = |line: &'_ str| {
        let line = line.trim_start();
        let line = line.strip_prefix("pub(super) ").or(line.strip_prefix("pub ")).unwrap_or(line);
        ["struct ", "enum "].iter().find_map(|word| line.strip_prefix(word).map(str::len))
    };
    text.lines().filter_map(move |line| after(line).map(|rest| name(&line[line.len() - rest..])))
}

fn name(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// The types that a source text gives methods of their own.
fn extended(text: &str) -> impl Iterator<Item = &str> {
    let blocks = text.lines().filter(|line| line.starts_with("impl") && !line.contains(" for "));
    blocks.map(|line| match line.strip_prefix("impl<") {
        Some(generic) => name(generic.split_once("> ").map_or("", |(_, rest)| rest)),
        None => name(line.trim_start_matches("impl ")),
    })
}

/// A method of the client on a type that the double has too would be a way around
/// the paths.
#[test]
fn client_and_double_give_methods_to_nothing_but_their_own() {
    for own in ["server", "client"] {
        let texts: Vec<String> = side(own).into_iter().map(|(_, text)| text).collect();
        let own_types: BTreeSet<&str> = texts.iter().flat_map(|text| defined(text)).collect();
        assert!(own_types.len() > 10, "the types are found: {own_types:?}");
        let others = texts.iter().flat_map(|text| extended(text));
        let others: Vec<&str> = others.filter(|of| !own_types.contains(of)).collect();
        assert!(others.is_empty(), "mcp/{own} gives methods to {others:?}");
    }
}

/// Names that lead nowhere by RFC 2606 and RFC 6761, and this machine itself.
fn is_reserved(host: &str) -> bool {
    let name = host.split(':').next().unwrap_or_default();
    let reserved = [".test", ".invalid", ".example", "localhost"];
    let examples = ["example.com", "example.org", "example.net"];
    !name.contains('.')
        || name == "127.0.0.1"
        || reserved.iter().any(|end| name.ends_with(end))
        || examples.iter().any(|end| name == *end || name.ends_with(&format!(".{end}")))
}

#[test]
fn what_is_tested_with_names_no_real_address() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Identifiers of schemas and grants are addresses in form alone.
    let identifiers = ["json-schema.org", "modelcontextprotocol.io"];
    let mut wrong = Vec::new();
    for folder in ["checks", "profiles", "snapshots"] {
        for entry in walkdir::WalkDir::new(root.join(folder)).sort_by_file_name() {
            let entry = entry.expect("the files can be read");
            if !entry.file_type().is_file() {
                continue;
            }
            let text = std::fs::read_to_string(entry.path()).expect("a fixture is UTF-8");
            for (at, scheme) in text.match_indices("https://").chain(text.match_indices("http://"))
            {
                let rest = text[at + scheme.len()..].chars();
                let host: String =
                    rest.take_while(|c| c.is_alphanumeric() || ".-:".contains(*c)).collect();
                let host = host.trim_end_matches(['.', ':']);
                if !is_reserved(host) && !identifiers.contains(&host) {
                    wrong.push(format!("{}: {host}", entry.path().display()));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

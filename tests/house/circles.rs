//! No file uses another that leads back to it: what two of them need of each other
//! stands in a third.

use std::collections::BTreeSet;
use std::path::Path;

use crate::tree;

/// Circles that stay, each by its files, or by the folder that all of them are in,
/// and why.
const NATURAL: [(&[&str], &str); 2] = [
    (
        &["mcp/schema/judgement.rs", "mcp/schema/nearest.rs"],
        "a JSON value is judged by its parts, and judging tells which of several types is nearest",
    ),
    (
        &["script/client/answer.rs", "script/observation.rs", "script/value.rs"],
        "a value of a script is written as JSON by its parts, and messages and answers are such",
    ),
];

/// Each circle below `root` as the arrows that it is made of.
fn told(root: &Path) -> Vec<(BTreeSet<String>, String)> {
    let tree = tree::read(root);
    let arrows = tree::arrows(&tree);
    let circles = tree::circles(&arrows).into_iter().map(|circle| {
        let mut lines = String::new();
        for file in &circle {
            for (used, names) in arrows[file].iter().filter(|(used, _)| circle.contains(*used)) {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                lines += &format!("{file} uses {} of {used}\n", names.join(", "));
            }
        }
        (circle.into_iter().map(str::to_owned).collect(), lines)
    });
    circles.collect()
}

fn is_of(circle: &BTreeSet<String>, files: &[&str]) -> bool {
    let is_in = |file: &str, allowed: &str| {
        file == allowed || allowed.ends_with('/') && file.starts_with(allowed)
    };
    circle.iter().all(|file| files.iter().any(|allowed| is_in(file, allowed)))
}

#[test]
fn no_file_leads_back_to_itself() {
    let circles = told(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let is_natural = |circle: &BTreeSet<String>| NATURAL.iter().any(|(all, _)| is_of(circle, all));
    let wrong = circles.iter().filter(|(circle, _)| !is_natural(circle));
    let wrong: Vec<&str> = wrong.map(|(_, lines)| lines.as_str()).collect();
    assert!(wrong.is_empty(), "these files lead back to themselves:\n\n{}", wrong.join("\n"));
    let is_needed = |files: &[&str]| circles.iter().any(|(circle, _)| is_of(circle, files));
    for (files, _) in NATURAL {
        assert!(is_needed(files), "there is no circle between {files:?} any more");
    }
}

/// The circles of sources with these names and texts.
fn planted(files: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("a folder can be made");
        std::fs::write(path, text).expect("it can be written");
    }
    told(folder.path()).into_iter().map(|(_, lines)| lines).collect()
}

#[test]
fn a_circle_between_neighbours_is_found() {
    let files = [
        ("wire.rs", "pub mod http;\nmod request;\npub use self::request::{Head, validate};\n"),
        ("wire/http.rs", "use super::Head;\npub struct Request(Head);\n"),
        ("wire/request.rs", "pub struct Head;\nfn of(r: &crate::wire::http::Request) {}\n"),
    ];
    assert_eq!(
        planted(&files),
        ["wire/http.rs uses Head of wire/request.rs\n\
          wire/request.rs uses crate::wire::http::Request of wire/http.rs\n"]
    );
}

#[test]
fn a_circle_of_three_and_one_between_a_file_and_what_is_below_it_are_two() {
    let files = [
        ("a.rs", "mod below;\npub fn f() { below::g() }\n"),
        ("a/below.rs", "use super::f as up;\npub fn g() { up() }\n"),
        ("b.rs", "use crate::{c::{self, C as Other}};\npub struct B(Other);\n"),
        ("c.rs", "pub struct C(Box<super::d::D>);\n"),
        ("d.rs", "use crate::b::*;\npub enum D { One(B) }\n"),
    ];
    assert_eq!(
        planted(&files),
        [
            "a.rs uses below::g of a/below.rs\na/below.rs uses up of a.rs\n",
            "b.rs uses Other of c.rs\nc.rs uses super::d::D of d.rs\nd.rs uses B of b.rs\n",
        ]
    );
}

#[test]
fn a_method_that_another_file_gives_to_a_type_leads_there() {
    let files = [
        ("client.rs", "mod pages;\npub struct Client;\nfn f(c: &Client) { c.walk() }\n"),
        (
            "client/pages.rs",
            "use super::Client;\nimpl<'a> Client {\n    pub fn walk(&self) {}\n}\n",
        ),
    ];
    assert_eq!(
        planted(&files),
        ["client.rs uses .walk() of client/pages.rs\nclient/pages.rs uses Client of client.rs\n"]
    );
}

#[test]
fn what_is_handed_on_what_is_said_and_what_is_tested_lead_nowhere() {
    let files = [
        ("a.rs", "mod b;\npub use self::b::B;\npub struct A;\n"),
        ("a/b.rs", "use super::A;\npub struct B(A);\n"),
        (
            "c.rs",
            "// crate::d::D\nconst C: &str = \"crate::d::D\";\n/// [`crate::d::D`]\nfn f() {}\n",
        ),
        ("d.rs", "pub struct D;\nfn f() { crate::c::f() }\n"),
        (
            "e.rs",
            "pub struct E;\n#[cfg(test)]\nmod tests {\n    use crate::g::G;\n    fn f() -> G { G }\n}\n",
        ),
        ("e/tests.rs", "use crate::g::G;\nfn f(_: G, _: crate::e::E) {}\n"),
        ("g.rs", "pub struct G(crate::e::E);\n"),
    ];
    assert_eq!(planted(&files), Vec::<String>::new());
}

use super::*;

#[test]
fn signatures_say_what_their_functions_take() {
    assert_eq!(DECLARED.mistakes, Vec::<String>::new());
}

#[test]
fn everything_is_called_in_one_way_alone() {
    let mut known = std::collections::BTreeSet::new();
    for group in groups() {
        for signature in group.entries.iter().flat_map(|entry| &entry.signatures) {
            assert!(known.insert((group.name, signature)), "{}: {signature}", group.name);
        }
    }
}

#[test]
fn every_entry_has_its_sentence() {
    for entry in groups().iter().flat_map(|group| &group.entries) {
        assert!(entry.sentence.ends_with('.'), "{:?}", entry.signatures);
        assert!(entry.sentence.len() > 12, "{:?}", entry.signatures);
    }
}

#[test]
fn definitions_name_every_signature() {
    let text = definitions();
    let wanted = [
        "fn tool(server: Server, name: String, schema: Map, handler: Fn) -> ();",
        "fn get url(server: Server) -> String;",
        "fn set body(message: HttpMessage, value: String) -> ();",
        "fn index$get$(list: List, index: int) -> ?;",
        "op ==(List, Array) -> bool;",
        "fn silence() -> Action;",
    ];
    for line in wanted {
        assert!(text.lines().any(|found| found == line), "{line}");
    }
}

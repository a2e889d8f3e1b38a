//! The modules of the sources: what each file defines, what it brings into scope,
//! and which paths its code names. Read from the text, without the tests in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// One file, by its place among the modules.
#[derive(Default)]
pub struct Module {
    /// Its path below the sources.
    pub file: String,
    /// The items that it defines at its top.
    defined: BTreeSet<String>,
    /// What a name in it stands for.
    aliases: BTreeMap<String, Vec<String>>,
    /// What it brings in whole.
    globs: Vec<Vec<String>>,
    /// The paths in its code, names alone among them.
    paths: BTreeSet<Vec<String>>,
    /// The methods that it gives to types, by the path of the type.
    methods: BTreeSet<(Vec<String>, String)>,
    /// The methods that its code calls.
    calls: BTreeSet<String>,
}

/// All modules, by their paths from the root: `["mcp", "client"]`.
pub type Tree = BTreeMap<Vec<String>, Module>;

/// Whether a file holds tests and nothing else.
pub fn is_test(inside: &str) -> bool {
    inside.trim_end_matches(".rs").split(['/', '\\']).any(|part| part == "tests")
}

/// Reads every source below `root` that is no test.
pub fn read(root: &Path) -> Tree {
    let mut tree = Tree::new();
    for entry in walkdir::WalkDir::new(root).sort_by_file_name() {
        let entry = entry.expect("the sources can be read");
        let path = entry.path();
        if path.extension().is_none_or(|ending| ending != "rs") {
            continue;
        }
        let inside = path.strip_prefix(root).expect("it is below the root");
        let inside = inside.to_str().expect("a name is UTF-8").replace('\\', "/");
        if is_test(&inside) {
            continue;
        }
        let place = inside.trim_end_matches(".rs").split('/').map(str::to_owned);
        let mut place: Vec<String> = place.collect();
        if place.last().is_some_and(|last| last == "lib") {
            place.pop();
        }
        let text = std::fs::read_to_string(path).expect("a source is UTF-8");
        tree.insert(place, module(inside, &tokens(&text)));
    }
    tree
}

/// Names, `::`, and single characters; no comments, no texts, no lifetimes.
fn tokens(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let at = |index: usize| chars.get(index).copied().unwrap_or('\0');
    let mut tokens = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let c = at(i);
        if c == '/' && at(i + 1) == '/' {
            while i < chars.len() && at(i) != '\n' {
                i += 1;
            }
        } else if c == '"' {
            i += 1;
            while i < chars.len() && at(i) != '"' {
                i += if at(i) == '\\' { 2 } else { 1 };
            }
            i += 1;
            tokens.push("\"".to_owned());
        } else if c == 'r' && (at(i + 1) == '"' || (at(i + 1) == '#' && "#\"".contains(at(i + 2))))
        {
            let hashes = (i + 1..).take_while(|&index| at(index) == '#').count();
            i += hashes + 2;
            let end: Vec<char> = std::iter::once('"').chain(vec!['#'; hashes]).collect();
            while i < chars.len() && !chars[i..].starts_with(&end) {
                i += 1;
            }
            i += end.len();
            tokens.push("\"".to_owned());
        } else if c == '\'' {
            // A character, or a lifetime.
            if at(i + 1) == '\\' {
                i += 3;
                while i < chars.len() && at(i) != '\'' {
                    i += 1;
                }
                i += 1;
            } else if at(i + 2) == '\'' {
                i += 3;
            } else {
                i += 1;
                while at(i).is_alphanumeric() || at(i) == '_' {
                    i += 1;
                }
            }
        } else if c.is_alphanumeric() || c == '_' {
            let start = i;
            while at(i).is_alphanumeric() || at(i) == '_' {
                i += 1;
            }
            tokens.push(chars[start..i].iter().collect());
        } else if c == ':' && at(i + 1) == ':' {
            tokens.push("::".to_owned());
            i += 2;
        } else {
            if !c.is_whitespace() {
                tokens.push(c.to_string());
            }
            i += 1;
        }
    }
    tokens
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Where the item that begins at `at` ends: behind its `;` or its braces.
fn behind_item(tokens: &[String], mut at: usize) -> usize {
    let mut depth = 0;
    while at < tokens.len() {
        match tokens[at].as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => {
                depth -= 1;
                if depth == 0 && tokens[at] == "}" {
                    return at + 1;
                }
            }
            ";" if depth == 0 => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at
}

fn module(file: String, tokens: &[String]) -> Module {
    let mut module = Module { file, ..Module::default() };
    let (mut depth, mut i) = (0usize, 0usize);
    // The type whose methods stand here, and the depth at which its block began.
    let mut block: Option<(Vec<String>, usize)> = None;
    let word = |index: usize| tokens.get(index).map_or("", String::as_str);
    while i < tokens.len() {
        match word(i) {
            "#" if tokens[i..]
                .starts_with(&["#", "[", "cfg", "(", "test", ")", "]"].map(str::to_owned)) =>
            {
                i = behind_item(tokens, i + 7);
                continue;
            }
            "use" => i = uses(tokens, i + 1, &mut Vec::new(), &mut module),
            "impl" if depth == 0 => {
                block = implemented(tokens, i + 1).map(|of| (of, depth));
            }
            "struct" | "enum" | "trait" | "type" | "fn" | "const" | "static" | "union" => {
                let name = word(i + 1);
                let name = if name == "mut" { word(i + 2) } else { name };
                if depth == 0 && is_name(name) {
                    module.defined.insert(name.to_owned());
                } else if let ("fn", Some((of, at))) = (word(i), &block)
                    && depth == at + 1
                {
                    module.methods.insert((of.clone(), name.to_owned()));
                }
                // A name that is made here is not one that is used here.
                if is_name(name) && name != "fn" {
                    i += 2;
                    continue;
                }
            }
            // Whose name a module has is no use of it.
            "mod" => i += 1,
            "macro_rules" => {
                module.defined.insert(word(i + 2).to_owned());
            }
            "{" => depth += 1,
            "}" => {
                depth = depth.saturating_sub(1);
                if block.as_ref().is_some_and(|(_, at)| *at == depth) {
                    block = None;
                }
            }
            "." if is_name(word(i + 1)) => {
                if ["(", "::"].contains(&word(i + 2)) {
                    module.calls.insert(word(i + 1).to_owned());
                }
                i += 2;
                continue;
            }
            name if is_name(name) => {
                let mut path = vec![name.to_owned()];
                while word(i + 1) == "::" && is_name(word(i + 2)) {
                    path.push(word(i + 2).to_owned());
                    i += 2;
                }
                module.paths.insert(path);
            }
            _ => {}
        }
        i += 1;
    }
    module
}

/// The type whose own methods the block behind `impl` holds; `None` if they are a
/// trait's.
fn implemented(tokens: &[String], mut at: usize) -> Option<Vec<String>> {
    let mut angle = 0i32;
    let mut path = Vec::new();
    while at < tokens.len() && tokens[at] != "{" {
        match tokens[at].as_str() {
            "<" => angle += 1,
            ">" => angle -= 1,
            "for" if angle == 0 => return None,
            "where" => break,
            name if angle == 0 && is_name(name) => path.push(name.to_owned()),
            _ => {}
        }
        at += 1;
    }
    Some(path)
}

/// Reads what stands behind `use`, or behind a `{` or `,` in it.
fn uses(tokens: &[String], mut at: usize, before: &mut Vec<String>, module: &mut Module) -> usize {
    let from = before.len();
    loop {
        let token = tokens.get(at).map_or(";", String::as_str);
        match token {
            "::" => {}
            "*" => module.globs.push(before.clone()),
            "{" => loop {
                at = uses(tokens, at + 1, &mut before.clone(), module);
                if tokens.get(at).is_none_or(|token| token != ",") {
                    break;
                }
            },
            "as" => {
                at += 1;
                module.aliases.insert(tokens[at].clone(), before.clone());
                before.truncate(from);
                before.clear();
            }
            "," | "}" | ";" => return alias(before, from, at, tokens, module),
            name => before.push(name.to_owned()),
        }
        at += 1;
    }
}

fn alias(
    before: &mut [String],
    from: usize,
    at: usize,
    tokens: &[String],
    module: &mut Module,
) -> usize {
    let is_whole = at > 0 && is_name(&tokens[at - 1]);
    if is_whole && before.len() > from {
        let mut path = before.to_vec();
        if path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        if let Some(name) = path.last().cloned() {
            module.aliases.insert(name, path);
        }
    }
    at
}

/// The module that defines what `path` names in the module at `place`.
fn resolve<'t>(tree: &'t Tree, place: &[String], path: &[String], depth: usize) -> Option<&'t str> {
    let (first, rest) = path.split_first()?;
    if depth > 20 {
        return None;
    }
    match first.as_str() {
        "crate" => return inside(tree, &[], rest, depth),
        "self" => return inside(tree, place, rest, depth),
        "super" => return inside(tree, place.split_last()?.1, rest, depth),
        _ => {}
    }
    inside(tree, place, path, depth)
}

fn inside<'t>(tree: &'t Tree, place: &[String], path: &[String], depth: usize) -> Option<&'t str> {
    let (first, rest) = path.split_first()?;
    if first == "super" {
        return inside(tree, place.split_last()?.1, rest, depth);
    }
    let child: Vec<String> = place.iter().chain([first]).cloned().collect();
    if !rest.is_empty() && tree.contains_key(&child) {
        return inside(tree, &child, rest, depth);
    }
    let module = tree.get(place)?;
    if module.defined.contains(first) {
        return Some(&module.file);
    }
    if let Some(meant) = module.aliases.get(first) {
        if meant.first() == Some(first) && meant.len() == 1 {
            return None;
        }
        let meant: Vec<String> = meant.iter().chain(rest).cloned().collect();
        return resolve(tree, place, &meant, depth + 1);
    }
    module.globs.iter().find_map(|glob| {
        let meant: Vec<String> = glob.iter().chain(path).cloned().collect();
        resolve(tree, place, &meant, depth + 1)
    })
}

/// The files that a file uses, each with the names by which it does.
pub type Arrows<'t> = BTreeMap<&'t str, BTreeMap<&'t str, BTreeSet<String>>>;

/// The files that each file uses: those that define what its code names, and those
/// that give a type, which it names or defines, a method that it calls.
pub fn arrows(tree: &Tree) -> Arrows<'_> {
    let mut given: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut homes: BTreeMap<&str, &str> = BTreeMap::new();
    for (place, module) in tree {
        for (of, name) in &module.methods {
            given.entry(name).or_default().insert(&module.file);
            if let Some(home) = resolve(tree, place, of, 0).filter(|home| *home != module.file) {
                homes.insert(name, home);
            }
        }
    }
    let mut arrows = Arrows::new();
    for (place, module) in tree {
        let used = arrows.entry(&module.file).or_default();
        for path in &module.paths {
            if let Some(home) = resolve(tree, place, path, 0) {
                used.entry(home).or_default().insert(path.join("::"));
            }
        }
        for name in &module.calls {
            let Some(home) = homes.get(name.as_str()) else { continue };
            // Others have methods of such names too.
            let is_known = used.contains_key(home) || *home == module.file;
            let files = &given[name.as_str()];
            if let (true, 1, Some(only)) = (is_known, files.len(), files.first()) {
                used.entry(only).or_default().insert(format!(".{name}()"));
            }
        }
        used.remove(module.file.as_str());
    }
    arrows
}

/// The sets of files each of which leads to each other.
pub fn circles<'t>(arrows: &Arrows<'t>) -> Vec<BTreeSet<&'t str>> {
    let reached = |from: &str| {
        let after = |file: &str| arrows.get(file).into_iter().flat_map(|used| used.keys().copied());
        let mut seen = BTreeSet::new();
        let mut open: Vec<&str> = after(from).collect();
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                open.extend(after(next));
            }
        }
        seen
    };
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        arrows.keys().map(|&file| (file, reached(file))).collect();
    let mut found = BTreeSet::new();
    for (file, others) in reached.iter().filter(|(file, others)| others.contains(*file)) {
        let circle = others.iter().filter(|other| reached[*other].contains(file));
        found.insert(circle.copied().collect());
    }
    found.into_iter().collect()
}

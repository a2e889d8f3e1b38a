//! `mcp-checks api`: what a script can reach, with a sentence on each.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use miette::miette;

use super::exit::Exit;
use super::output::{print, say};
use super::terminal::{Stream, When, has_colour};
use crate::check::Library;
use crate::check::discovery::SupportScript;
use crate::report::Paint;
use crate::script::blocking::WAIT_LIMIT;
use crate::script::engine::{
    CALL_DEPTH_LIMIT, ITEM_LIMIT, MEMORY_LIMIT, OPERATION_LIMIT, STRING_LIMIT,
};
use crate::script::reference::{Group, definitions, groups};

/// What `api` takes.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  mcp-checks api
  mcp-checks api seen
  mcp-checks api --definitions .rhai
  mcp-checks api --markdown > script-api.md")]
pub struct Arguments {
    /// Only what has this word in its heading or its name.
    #[arg(value_name = "WORD", conflicts_with_all = ["definitions", "markdown"])]
    word: Option<String>,
    /// Write definitions (`mcp-checks.d.rhai`) for editors into this folder.
    #[arg(long, value_name = "FOLDER", conflicts_with = "markdown")]
    definitions: Option<PathBuf>,
    /// Print it as Markdown.
    #[arg(long)]
    markdown: bool,
}

/// Prints the API, or writes its definitions.
///
/// # Errors
/// A diagnostic if nothing has the word, or the definitions cannot be written.
pub fn run(arguments: &Arguments, colour: When) -> miette::Result<Exit> {
    if let Some(folder) = &arguments.definitions {
        write_definitions(folder)?;
    } else if arguments.markdown {
        print(&markdown())?;
    } else {
        let paint = Paint(has_colour(colour, Stream::Output));
        print(&human(arguments.word.as_deref(), paint)?)?;
    }
    Ok(Exit::AllHeld)
}

fn write_definitions(folder: &Path) -> miette::Result<()> {
    let path = folder.join("mcp-checks.d.rhai");
    fs::create_dir_all(folder).and_then(|()| fs::write(&path, definitions())).map_err(|error| {
        miette!(
            code = "api::definitions",
            help = "look whether the folder may be written to",
            "`{}` cannot be written: {error}",
            path.display()
        )
    })?;
    print(&format!("{}\n", path.display()))?;
    say("An editor with a language server for Rhai reads it.");
    Ok(())
}

fn human(word: Option<&str>, paint: Paint) -> miette::Result<String> {
    let mut text = String::new();
    for group in groups() {
        let is_wanted = |name: &str| word.is_none_or(|word| name.contains(word));
        let whole = is_wanted(group.name);
        let entries = group.entries.iter().filter(|entry| {
            whole || entry.signatures.iter().any(|signature| is_wanted(name_of(signature)))
        });
        let entries: Vec<_> = entries.collect();
        if entries.is_empty() {
            continue;
        }
        let _ = writeln!(text, "{}  {}\n", paint.bold(group.name), group.sentence);
        for entry in entries {
            for signature in &entry.signatures {
                let _ = writeln!(text, "  {}", paint.green(&spelt(group, signature)));
            }
            let _ = writeln!(text, "      {}", entry.sentence);
        }
        text.push('\n');
    }
    if word.is_none() {
        let _ = writeln!(text, "{}\n", paint.bold("support code"));
        for (signature, sentence) in support() {
            let _ = writeln!(text, "  {}\n      {sentence}", paint.green(&signature));
        }
        let _ = writeln!(text, "\n{}  {LIMITS_SENTENCE}\n", paint.bold("limits"));
        for (what, limit) in limits() {
            let _ = writeln!(text, "  {limit:<12} {what}");
        }
        let _ = writeln!(text, "\n{REACH}");
    }
    if text.is_empty() {
        let names = groups().iter().map(|group| group.name).collect::<Vec<_>>().join(", ");
        return Err(miette!(
            code = "api::word",
            help = format!("the headings are {names}"),
            "a script can reach nothing that is called `{}`",
            word.unwrap_or_default()
        ));
    }
    Ok(text)
}

/// The page `docs/script-api.md`.
fn markdown() -> String {
    let mut text = String::from(
        "# What a script can reach\n\n<!-- Printed by `mcp-checks api --markdown`. -->\n",
    );
    for group in groups() {
        let _ = write!(text, "\n## {}\n\n{}\n\n", capitalized(group.name), group.sentence);
        for entry in &group.entries {
            let spelt = entry.signatures.iter().map(|signature| spelt(group, signature));
            let spelt: Vec<String> = spelt.map(|signature| format!("`{signature}`")).collect();
            let _ = writeln!(text, "- {}<br>{}", spelt.join("<br>"), entry.sentence);
        }
    }
    let _ = write!(text, "\n## Support code\n\n{SUPPORT_SENTENCE}\n\n");
    for (signature, sentence) in support() {
        let _ = writeln!(text, "- `{signature}`<br>{sentence}");
    }
    let _ = write!(text, "\n## Limits\n\n{LIMITS_SENTENCE}\n\n| limit | of |\n|---:|---|\n");
    for (what, limit) in limits() {
        let _ = writeln!(text, "| {limit} | {what} |");
    }
    let _ = writeln!(text, "\n{REACH}");
    text
}

const SUPPORT_SENTENCE: &str =
    "The scripts in `_lib` are there for every script, as modules of their names.";

const LIMITS_SENTENCE: &str = "A script that goes beyond one of them is broken.";

const REACH: &str = "Beside these there is what Rhai itself has for strings, numbers, arrays, maps, \
                     blobs and functions (https://rhai.rs/book). A script cannot reach files, the \
                     network, the environment, the clock, `eval` or `print`.";

fn limits() -> [(&'static str, String); 6] {
    [
        ("operations in one call of a function of the script", OPERATION_LIMIT.to_string()),
        ("waits for the client or the host in one execution", WAIT_LIMIT.to_string()),
        ("functions that call each other", CALL_DEPTH_LIMIT.to_string()),
        ("bytes in a string or a blob", STRING_LIMIT.to_string()),
        ("items in an array or a map", ITEM_LIMIT.to_string()),
        ("bytes of memory in one call of a function of the script", MEMORY_LIMIT.to_string()),
    ]
}

/// A signature with the value it is called on.
fn spelt(group: &Group, signature: &str) -> String {
    match group.receiver {
        None => signature.to_owned(),
        Some((_, name)) if signature.starts_with('[') => format!("{name}{signature}"),
        Some((_, name)) => format!("{name}.{signature}"),
    }
}

fn name_of(signature: &str) -> &str {
    signature.split(['(', ':', ' ']).next().unwrap_or(signature)
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The functions of the built-in support scripts, each with the comment before
/// it.
fn support() -> Vec<(String, String)> {
    let library = Library::embedded();
    library.support.libraries.iter().flat_map(functions).collect()
}

fn functions(script: &SupportScript) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut comment: Vec<&str> = Vec::new();
    for line in script.source.inner().lines() {
        if let Some(words) = line.strip_prefix("//") {
            comment.push(words.trim());
            continue;
        }
        if let Some(definition) = line.strip_prefix("fn ") {
            let signature = definition.trim_end().trim_end_matches('{').trim_end();
            found.push((format!("{}::{signature}", script.name), comment.join(" ")));
        }
        comment.clear();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/script-api.md");
        let page = fs::read_to_string(path).unwrap();
        let hint = "write it anew: mcp-checks api --markdown > docs/script-api.md";
        assert!(page == markdown(), "docs/script-api.md is not what the program prints; {hint}");
    }

    #[test]
    fn a_word_narrows_what_is_printed() {
        let text = human(Some("call_tool"), Paint(false)).unwrap();
        assert!(text.contains("client.call_tool(name: string, arguments: map) -> Answer"));
        assert!(!text.contains("server.tool("), "{text}");
        assert!(human(Some("no such thing"), Paint(false)).is_err());
    }
}

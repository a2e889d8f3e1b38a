//! The key lines of a header, read one by one into [`Keys`].

use std::collections::HashMap;
use std::ops::Range;

use super::Header;
use super::checkpoint_line::is_id;
use super::piece::Piece;
use super::revisions;
use crate::check::kind::CheckKind;
use crate::check::nearest::did_you_mean;
use crate::check::need::Need;
use crate::check::source_error::{Problem, problem};
use crate::mcp::Revision;

const KEYS: [&str; 9] =
    ["revisions", "tags", "spec", "task", "needs", "cases", "scenario", "server", "invalid"];

/// What the key lines said so far.
#[derive(Default)]
pub struct Keys {
    /// The header's part that comes from keys; `revisions` is empty if they
    /// were left out or could not be read.
    pub header: Header,
    seen: HashMap<String, Range<usize>>,
}

impl Keys {
    /// Reads one key line.
    pub fn read(&mut self, key: Piece<'_>, value: Piece<'_>, problems: &mut Vec<Problem>) {
        if !KEYS.contains(&key.text) {
            problems.push(unknown_key(key));
            return;
        }
        if let Some(first) = self.seen.insert(key.text.to_owned(), key.span()) {
            problems.push(
                problem(
                    "header::repeated-key",
                    format!("the key `{}` stands twice", key.text),
                    key.span(),
                    "again",
                )
                .and_label(first, "first here")
                .with_help(
                    "put both values into one; a value goes on in lines that are indented deeper",
                ),
            );
            return;
        }
        if value.text.is_empty() {
            let end = key.span().end + 1;
            problems.push(
                problem(
                    "header::empty-value",
                    format!("the key `{}` has no value", key.text),
                    end..end,
                    "expected a value",
                )
                .with_help("leave the key out if there is nothing to say"),
            );
            return;
        }
        match key.text {
            "revisions" => self.revisions(value, problems),
            "tags" => self.tags(value, problems),
            "spec" => self.header.spec = words(value, "section", problems),
            "task" => self.header.task = Some(value.flat()),
            "needs" => self.needs(value, problems),
            "cases" => self.cases(value, problems),
            "server" => self.server(value, problems),
            "invalid" => self.header.invalid = Some(value.flat()),
            _ => self.scenario(value, problems),
        }
    }

    fn revisions(&mut self, value: Piece<'_>, problems: &mut Vec<Problem>) {
        let before = problems.len();
        let mut listed: Vec<Revision> = Vec::new();
        for item in value.split(',') {
            match revisions::read(item, &Revision::ALL) {
                Ok(revisions) => listed.extend(revisions),
                Err(problem) => problems.push(problem),
            }
        }
        listed.sort();
        listed.dedup();
        if problems.len() == before {
            self.header.revisions = listed;
        }
    }

    fn tags(&mut self, value: Piece<'_>, problems: &mut Vec<Problem>) {
        for tag in items(value, ',', "tag", problems) {
            if !is_id(tag.text) {
                problems.push(
                    problem(
                        "header::bad-tag",
                        format!("`{}` is no tag", tag.flat()),
                        tag.span(),
                        "expected lower-case words with hyphens between them",
                    )
                    .with_help("tags have commas between them: `tags: tools, sessions`"),
                );
            }
            self.header.tags.push(tag.text.to_owned());
        }
    }

    fn needs(&mut self, value: Piece<'_>, problems: &mut Vec<Problem>) {
        for item in items(value, ',', "need", problems) {
            let need: Need = match item.text.parse() {
                Ok(need) => need,
                Err(_) => {
                    let known = Need::ALL.map(Need::as_str);
                    let help = did_you_mean(item.text, known)
                        .unwrap_or_else(|| format!("the needs are {}", known.join(", ")));
                    problems.push(
                        problem(
                            "header::unknown-need",
                            format!("`{}` is not a known need", item.flat()),
                            item.span(),
                            "expected a need",
                        )
                        .with_help(help),
                    );
                    continue;
                }
            };
            if self.header.needs.contains(&need.opposite()) {
                problems.push(
                    problem(
                        "header::opposite-needs",
                        format!("no profile can be both `{}` and `{need}`", need.opposite()),
                        item.span(),
                        "rules out a need before it",
                    )
                    .with_help("leave out both if the check runs on either kind of profile"),
                );
            }
            self.header.needs.push(need);
        }
    }

    fn cases(&mut self, value: Piece<'_>, problems: &mut Vec<Problem>) {
        for case in items(value, ';', "case", problems) {
            if case.text.contains(['[', ']']) {
                problems.push(
                    problem(
                        "header::bad-case",
                        "the name of a case holds a bracket",
                        case.span(),
                        "expected a phrase without `[` and `]`",
                    )
                    .with_help("brackets select a case: `check[a case]`"),
                );
            }
            self.header.cases.push(case.flat());
        }
    }

    fn server(&mut self, value: Piece<'_>, problems: &mut Vec<Problem>) {
        if !is_id(value.text) {
            problems.push(
                problem(
                    "header::bad-server",
                    "a server is named by one word",
                    value.span(),
                    "expected lower-case words with hyphens between them",
                )
                .with_help("name a script of `_servers`: `server: protected`"),
            );
        }
        self.header.server = Some(value.flat());
    }

    /// Only a check of a server runs against a server of `_servers`.
    pub fn refuse_server_of(&self, kind: CheckKind, problems: &mut Vec<Problem>) {
        if kind == CheckKind::Server || self.header.server.is_none() {
            return;
        }
        let Some(key) = self.seen.get("server") else { return };
        problems.push(
            problem(
                "header::needless-server",
                format!("a check of a {} names no server", kind.as_str()),
                key.clone(),
                "only a check without `serve` and `operate` has this key",
            )
            .with_help("leave the key out: `serve` says what the server does"),
        );
    }

    fn scenario(&mut self, value: Piece<'_>, problems: &mut Vec<Problem>) {
        if value.text.contains(char::is_whitespace) {
            problems.push(
                problem(
                    "header::bad-scenario",
                    "a scenario is one word",
                    value.span(),
                    "expected one word",
                )
                .with_help("name it as conformance clients do: `scenario: tools_call`"),
            );
        }
        self.header.scenario = Some(value.flat());
    }
}

fn unknown_key(key: Piece<'_>) -> Problem {
    let help = did_you_mean(key.text, KEYS).unwrap_or_else(|| {
        format!(
            "the keys are {}; if this is prose, break the line elsewhere: a word and a colon at \
             the beginning of a line make a key",
            KEYS.join(", ")
        )
    });
    problem(
        "header::unknown-key",
        format!("`{}` is not a key of a header", key.text),
        key.span(),
        "unknown key",
    )
    .with_help(help)
}

/// The items of a list; one that is empty or stands twice is reported and left
/// out.
fn items<'a>(
    value: Piece<'a>,
    separator: char,
    what: &str,
    problems: &mut Vec<Problem>,
) -> Vec<Piece<'a>> {
    let mut items: Vec<Piece<'a>> = Vec::new();
    let mut names = std::collections::HashSet::new();
    for item in value.split(separator) {
        if item.text.is_empty() {
            problems.push(
                problem(
                    "header::empty-item",
                    format!("a {what} is empty"),
                    item.span(),
                    format!("expected a {what}"),
                )
                .with_help(format!("take away the `{separator}` that has nothing beside it")),
            );
        } else if !names.insert(item.flat()) {
            problems.push(
                problem(
                    "header::repeated-item",
                    format!("the {what} `{}` stands twice", item.flat()),
                    item.span(),
                    "again",
                )
                .with_help("name it once"),
            );
        } else {
            items.push(item);
        }
    }
    items
}

/// The items of a list of single words.
fn words(value: Piece<'_>, what: &str, problems: &mut Vec<Problem>) -> Vec<String> {
    let items = items(value, ',', what, problems);
    for item in &items {
        if item.text.contains(char::is_whitespace) {
            problems.push(
                problem(
                    "header::bad-item",
                    format!("a {what} is one word"),
                    item.span(),
                    format!("expected one {what}"),
                )
                .with_help("put commas between them"),
            );
        }
    }
    items.into_iter().map(|item| item.text.to_owned()).collect()
}

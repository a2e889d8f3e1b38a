//! Values of a file, read from its tree: [`Values`], which gathers what is wrong.

use std::ops::Range;

use chrono::NaiveDate;

use super::yaml::{Kind, Node};
use crate::check::nearest::{alternatives, did_you_mean};
use crate::check::source_error::{Problem, problem};

/// Reads values and gathers what is wrong with them.
#[derive(Debug)]
pub(super) struct Values<'a> {
    pub(super) text: &'a str,
    pub(super) problems: Vec<Problem>,
}

/// A text of the file and where it stands.
pub(super) type Placed<'a> = (&'a str, Range<usize>);

impl<'a> Values<'a> {
    /// A day: `2027-03-01`.
    pub(super) fn date(&mut self, node: &'a Node) -> Option<NaiveDate> {
        let (text, span) = self.text(node, "until")?;
        let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok();
        // The reader of dates takes 2027-3-1 as well.
        let date = date.filter(|date| date.to_string() == text);
        if date.is_none() {
            let message = format!("`{text}` is not a day");
            let found = problem("expected::date", message, span, "expected a day of the calendar");
            self.problems.push(found.with_help("write year, month and day, as in `2027-03-01`"));
        }
        date
    }

    /// What there is of a value, cut at the end of its first line: a label over
    /// many lines says less.
    pub(super) fn span(&self, node: &Node) -> Range<usize> {
        let written = &self.text[node.span.clone()];
        let first = written.lines().next().map_or(0, str::len);
        node.span.start..node.span.start + first
    }

    /// Says that a value is of another type than it should be.
    pub(super) fn unexpected(&mut self, node: &Node, name: &str, expected: &str, help: &str) {
        // A key is quoted, a phrase is not.
        let name = if name.contains(' ') { name.to_owned() } else { format!("`{name}`") };
        let code = match node.kind {
            Kind::Alias => "expected::alias",
            _ => "expected::unexpected",
        };
        let message = format!("{name} is {}", node.what());
        let help = match node.kind {
            Kind::Alias => "aliases are not followed in this file: write the value itself",
            _ => help,
        };
        let label = format!("expected {expected}");
        self.problems.push(problem(code, message, self.span(node), label).with_help(help));
    }

    /// The pairs of a mapping, with their keys as texts.
    pub(super) fn pairs(
        &mut self,
        node: &'a Node,
        name: &str,
        help: &str,
    ) -> Vec<(Placed<'a>, &'a Node)> {
        let Kind::Mapping { pairs, .. } = &node.kind else {
            self.unexpected(node, name, "a mapping", help);
            return Vec::new();
        };
        let mut named = Vec::new();
        for (key, value) in pairs {
            match &key.kind {
                Kind::Scalar { text, .. } if !key.is_null() => {
                    named.push(((text.as_str(), key.span.clone()), value));
                }
                _ => self.unexpected(key, name, "a name before the colon", help),
            }
        }
        named
    }

    /// The items of a list.
    pub(super) fn items(&mut self, node: &'a Node, name: &str, help: &str) -> &'a [Node] {
        match &node.kind {
            Kind::List { items, .. } => items,
            _ => {
                self.unexpected(node, name, "a list", help);
                &[]
            }
        }
    }

    /// A text that is not empty.
    pub(super) fn text(&mut self, node: &'a Node, name: &str) -> Option<Placed<'a>> {
        let help = "write it behind the colon, in quotes if it holds `: ` or ` #`";
        match &node.kind {
            Kind::Scalar { text, .. } if !text.trim().is_empty() && !node.is_null() => {
                Some((text, node.span.clone()))
            }
            Kind::Scalar { .. } => {
                let message = format!("`{name}` is empty");
                let label = "expected a text";
                let found = problem("expected::unexpected", message, self.span(node), label);
                self.problems.push(found.with_help(help));
                None
            }
            _ => {
                self.unexpected(node, name, "a text", help);
                None
            }
        }
    }

    /// A text, or a list of texts.
    pub(super) fn texts(&mut self, node: &'a Node, name: &str) -> Vec<Placed<'a>> {
        match &node.kind {
            Kind::List { items, .. } if items.is_empty() => {
                let help = "name one, or take the key away to mean every one";
                self.unexpected(node, name, "at least one name", help);
                Vec::new()
            }
            Kind::List { items, .. } => {
                items.iter().filter_map(|item| self.text(item, name)).collect()
            }
            _ => self.text(node, name).into_iter().collect(),
        }
    }

    /// `true` or `false`.
    pub(super) fn flag(&mut self, node: &'a Node, name: &str) -> bool {
        match &node.kind {
            Kind::Scalar { text, is_plain: true } if text == "true" => true,
            Kind::Scalar { text, is_plain: true } if text == "false" => false,
            _ => {
                let help = format!("write `{name}: true`, or leave the key out");
                self.unexpected(node, name, "`true` or `false`", &help);
                false
            }
        }
    }

    /// Says that a mapping does not have this key.
    pub(super) fn unknown_key(&mut self, (key, span): Placed<'a>, what: &str, known: &[&str]) {
        let help = did_you_mean(key, known.iter().copied())
            .unwrap_or_else(|| format!("{what} has {}", alternatives(known.iter().copied())));
        let message = format!("{what} has no key `{key}`");
        self.problems
            .push(problem("expected::unknown-key", message, span, "not known").with_help(help));
    }
}

//! The language of selections, evaluated while it is read.

use std::ops::Range;

use super::universe::{Set, Universe};
use crate::check::nearest::did_you_mean;
use crate::check::source_error::{Problem, problem};
use crate::mcp::Revision;

/// How deep parentheses and `not` may be nested.
const DEPTH: usize = 64;

/// Reads an expression and finds what it selects.
///
/// # Errors
///
/// A place that cannot be read, or a word that selects nothing.
pub fn evaluate(expression: &str, universe: &Universe<'_>) -> Result<Set, Problem> {
    let tokens = tokens(expression)?;
    if tokens.is_empty() {
        return Err(problem("selection::empty", "the selection is empty", 0..0, "").with_help(
            "name a check, a folder, a tag or a revision, or give no selection at all",
        ));
    }
    let mut parser = Parser { universe, tokens, next: 0, end: expression.len() };
    let set = parser.either(0)?;
    match parser.peek() {
        None => Ok(set),
        Some(token) => {
            let help = match token.text {
                ")" => "take the parenthesis away, or open one before it",
                _ => "join both with `and` or `or`, or give them as two arguments",
            };
            Err(unexpected(token.span(), "expected `and`, `or` or the end").with_help(help))
        }
    }
}

#[derive(Clone, Copy)]
struct Token<'a> {
    text: &'a str,
    start: usize,
}

impl Token<'_> {
    fn span(self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// Words end at white space and parentheses, which brackets protect.
fn tokens(expression: &str) -> Result<Vec<Token<'_>>, Problem> {
    let mut tokens = Vec::new();
    let mut rest = expression;
    loop {
        rest = rest.trim_start();
        let start = expression.len() - rest.len();
        if rest.is_empty() {
            return Ok(tokens);
        }
        let length = if rest.starts_with(['(', ')']) {
            1
        } else {
            let stop = |letter: char| letter.is_whitespace() || "()[".contains(letter);
            match rest.find(stop) {
                None => rest.len(),
                Some(end) if !rest[end..].starts_with('[') => end,
                Some(open) => match rest[open..].find(']') {
                    Some(close) => open + close + 1,
                    None => {
                        let span = start + open..start + open + 1;
                        return Err(problem(
                            "selection::open-bracket",
                            "the name of the case does not end",
                            span,
                            "opened here",
                        )
                        .with_help("close it with `]`: `check[a case]`"));
                    }
                },
            }
        };
        tokens.push(Token { text: &rest[..length], start });
        rest = &rest[length..];
    }
}

struct Parser<'a> {
    universe: &'a Universe<'a>,
    tokens: Vec<Token<'a>>,
    next: usize,
    end: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.next).copied()
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.text == text);
        self.next += usize::from(found);
        found
    }

    fn either(&mut self, depth: usize) -> Result<Set, Problem> {
        let mut set = self.both(depth)?;
        while self.take("or") {
            let other = self.both(depth)?;
            set.iter_mut().zip(other).for_each(|(one, other)| *one |= other);
        }
        Ok(set)
    }

    fn both(&mut self, depth: usize) -> Result<Set, Problem> {
        let mut set = self.one(depth)?;
        while self.take("and") {
            let other = self.one(depth)?;
            set.iter_mut().zip(other).for_each(|(one, other)| *one &= other);
        }
        Ok(set)
    }

    fn one(&mut self, depth: usize) -> Result<Set, Problem> {
        let Some(token) = self.peek() else {
            return Err(unexpected(self.end..self.end, "expected a check, a tag or a revision")
                .with_help("quote an expression that has spaces: it is one argument"));
        };
        if depth > DEPTH {
            return Err(unexpected(token.span(), "nested too deep here")
                .with_help(format!("nest at most {DEPTH} parentheses and `not`s")));
        }
        self.next += 1;
        match token.text {
            "not" => {
                let mut set = self.one(depth + 1)?;
                set.iter_mut().for_each(|member| *member = !*member);
                Ok(set)
            }
            "(" => {
                let set = self.either(depth + 1)?;
                if self.take(")") {
                    return Ok(set);
                }
                Err(unexpected(token.span(), "this parenthesis is not closed")
                    .with_help("close it with `)`"))
            }
            ")" | "and" | "or" => {
                Err(unexpected(token.span(), "expected a check, a tag or a revision")
                    .with_help("quote an expression that has spaces: it is one argument"))
            }
            _ => self.word(token),
        }
    }

    /// What a word selects, of which one case if brackets follow it.
    fn word(&self, token: Token<'a>) -> Result<Set, Problem> {
        let Some((name, case)) = token.text.split_once('[') else {
            return self.name(token);
        };
        let mut set = self.name(Token { text: name, start: token.start })?;
        let case = Token {
            text: case.strip_suffix(']').unwrap_or(case),
            start: token.start + name.len() + 1,
        };
        let cases = self.universe.cases_of(&set);
        if !cases.contains(&case.text.trim()) {
            let help = did_you_mean(case.text, cases.iter().copied()).unwrap_or_else(|| {
                if cases.is_empty() {
                    format!("`{name}` has no cases")
                } else {
                    format!("the cases are: {}", cases.join("; "))
                }
            });
            return Err(problem(
                "selection::unknown-case",
                format!("`{name}` has no case `{}`", case.text),
                case.span(),
                "expected the name of a case",
            )
            .with_help(help));
        }
        let of_case = self.universe.case(case.text.trim());
        set.iter_mut().zip(of_case).for_each(|(one, other)| *one &= other);
        Ok(set)
    }

    fn name(&self, token: Token<'a>) -> Result<Set, Problem> {
        let universe = self.universe;
        if let Some(tag) = token.text.strip_prefix("tag:") {
            return universe.tagged(tag).ok_or_else(|| unknown("tag", tag, token, universe.tags()));
        }
        if let Some(name) = token.text.strip_prefix("revision:") {
            let known = Revision::ALL.map(Revision::as_str);
            return match name.parse() {
                Ok(revision) => Ok(universe.running_at(revision)),
                Err(_) => Err(unknown("revision", name, token, known)),
            };
        }
        if token.text.contains(['*', '?', '{']) {
            return self.pattern(token);
        }
        let meanings = [
            universe.at(token.text),
            universe.tagged(token.text),
            token.text.parse().ok().map(|revision| universe.running_at(revision)),
        ];
        let union = meanings.into_iter().flatten().reduce(|mut union, meaning| {
            union.iter_mut().zip(meaning).for_each(|(one, other)| *one |= other);
            union
        });
        union
            .or_else(|| universe.ending(token.text))
            .or_else(|| universe.file(token.text))
            .ok_or_else(|| {
                unknown("check, folder, tag or revision", token.text, token, universe.words())
            })
    }

    fn pattern(&self, token: Token<'a>) -> Result<Set, Problem> {
        let wrong = |message: String, help: &str| {
            problem("selection::pattern", message, token.span(), "a pattern over ids")
                .with_help(help)
        };
        match self.universe.matching(token.text) {
            Ok(Some(set)) => Ok(set),
            Ok(None) => Err(wrong(
                format!("no check matches `{}`", token.text),
                "`*` and `?` stop at `/`; `**/` stands for folders: `**/session-*`",
            )),
            Err(error) => Err(wrong(
                format!("`{}` is not a pattern: {}", token.text, error.kind()),
                "`*` and `?` stand for letters up to `/`, `**` for folders, `{a,b}` for either",
            )),
        }
    }
}

fn unexpected(span: Range<usize>, label: &str) -> Problem {
    problem("selection::syntax", "the selection cannot be read", span, label)
}

fn unknown<'a>(
    what: &str,
    name: &str,
    token: Token<'_>,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Problem {
    problem(
        "selection::unknown",
        format!("there is no {what} `{name}`"),
        token.span(),
        "selects nothing",
    )
    .with_help(did_you_mean(name, candidates).unwrap_or_else(|| {
        "`mcp-checks list` shows every check with its tags and revisions".to_owned()
    }))
}

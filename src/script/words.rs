//! How the words of a script are read. The main type is [`Words`].
//!
//! - What Rhai keeps for itself can be the key of a map (`#{ default: 1 }`) and the
//!   property after a dot (`x.debug`). Elsewhere it stays what it is: no function of
//!   that name becomes available.
//! - A function that a script defines gets a [mark](MARK) behind its name, wherever
//!   the script calls it by its name alone. So it never stands in the place of one of
//!   the API that is called on a value, neither here nor in support code; and a
//!   name that the API gets later breaks no script.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use rhai::{LexError, Token, is_valid_identifier};

/// Words of Rhai that reach out of a check, or that only confuse in one.
pub(super) const WITHHELD: [&str; 8] =
    ["eval", "print", "debug", "sleep", "timestamp", "import", "export", "exit"];

/// The functions that the runner calls; they keep their names.
pub(super) const ENTRY_POINTS: [&str; 7] =
    ["serve", "drive", "judge", "operate", "request", "response", "seen"];

/// What stands behind the name of a function of the script's own.
const MARK: &str = "__own";

/// Names as their author wrote them.
pub(super) fn without_mark(text: &str) -> String {
    text.replace(MARK, "")
}

/// Words that Rhai calls as methods itself, whatever they are called on.
const METHODS: [&str; 4] = ["call", "curry", "is_shared", "type_of"];

/// What was read of a script so far, as far as it says what a word can mean. A
/// clone is another handle.
#[derive(Clone, Default)]
pub(super) struct Words(Arc<Mutex<Reading>>);

#[derive(Default)]
struct Reading {
    /// The functions that the script defines.
    own: BTreeSet<String>,
    /// What is open, the innermost last: whether it is a map.
    open: Vec<bool>,
    next: Next,
}

/// What the next word can mean.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Next {
    #[default]
    Anything,
    Key,
    Property,
    /// A name of a module, after `::`.
    Member,
}

impl Words {
    /// Begins with another script, which defines the functions `own`.
    pub(super) fn begin<'a>(&self, own: impl Iterator<Item = &'a str>) {
        let own = own.filter(|name| !ENTRY_POINTS.contains(name)).map(str::to_owned).collect();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) =
            Reading { own, ..Reading::default() };
    }

    /// What the next token of the script is read as.
    pub(super) fn read(&self, token: Token) -> Token {
        let mut reading = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let token = match reading.next {
            Next::Anything => reading.marked(token),
            Next::Member => token,
            Next::Key => as_name(token),
            Next::Property => match &token {
                Token::Reserved(word) if METHODS.contains(&word.as_str()) => token,
                _ => as_name(token),
            },
        };
        reading.next = Next::Anything;
        match token {
            Token::MapStart => {
                reading.open.push(true);
                reading.next = Next::Key;
            }
            Token::LeftBrace | Token::LeftParen | Token::LeftBracket | Token::QuestionBracket => {
                reading.open.push(false);
            }
            Token::RightBrace | Token::RightParen | Token::RightBracket => {
                reading.open.pop();
            }
            Token::Comma if reading.open.last() == Some(&true) => reading.next = Next::Key,
            Token::Period | Token::Elvis => reading.next = Next::Property,
            Token::DoubleColon => reading.next = Next::Member,
            _ => {}
        }
        token
    }
}

impl Reading {
    /// The name of a function of the script with its mark; any other token as it is.
    fn marked(&self, token: Token) -> Token {
        match token {
            Token::Identifier(name) if self.own.contains(name.as_str()) => {
                Token::Identifier(Box::new(format!("{name}{MARK}").into()))
            }
            token => token,
        }
    }
}

/// A word as a name, whatever Rhai keeps it for; any other token as it is.
fn as_name(token: Token) -> Token {
    let word = match &token {
        Token::Reserved(word) if is_valid_identifier(word) => word.to_string(),
        Token::LexError(error) => match &**error {
            LexError::ImproperSymbol(word, _) if WITHHELD.contains(&word.as_str()) => word.clone(),
            _ => return token,
        },
        keyword if keyword.is_literal() && is_valid_identifier(keyword.literal_syntax()) => {
            keyword.literal_syntax().to_owned()
        }
        _ => return token,
    };
    Token::Identifier(Box::new(word.into()))
}

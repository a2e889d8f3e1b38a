//! A [`Piece`]: a slice of a script that knows where it stands.

use std::ops::Range;

/// A slice of a script that knows where it stands. A piece of several lines
/// holds the `//!` of all but the first of them.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// The text as it stands.
    pub text: &'a str,
    /// The byte at which it begins.
    pub start: usize,
}

impl<'a> Piece<'a> {
    /// The bytes that it takes.
    pub fn span(self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// The part of it at these bytes, counted from its own beginning.
    pub fn slice(self, range: Range<usize>) -> Piece<'a> {
        Piece { text: &self.text[range.clone()], start: self.start + range.start }
    }

    /// The part of it from this byte on, counted from its own beginning.
    pub fn from(self, start: usize) -> Piece<'a> {
        self.slice(start..self.text.len())
    }

    /// Without white space, and without line beginnings, at both ends.
    pub fn trim(self) -> Piece<'a> {
        let mut piece = self;
        loop {
            let start = piece.text.len() - piece.text.trim_start().len();
            let end = piece.text.trim_end().len().max(start);
            piece = piece.slice(start..end);
            // A `//!` begins a line only if white space stood before it here.
            let at_line_start = start > 0 || piece.start > self.start;
            if at_line_start && piece.text.starts_with("//!") {
                piece = piece.from(3);
            } else if piece.text.ends_with("\n//!") {
                piece = piece.slice(0..piece.text.len() - 3);
            } else {
                return piece;
            }
        }
    }

    /// Its parts between `separator`s, trimmed.
    pub fn split(self, separator: char) -> impl Iterator<Item = Piece<'a>> {
        let mut start = 0;
        self.text.split(separator).map(move |part| {
            let piece = self.slice(start..start + part.len()).trim();
            start += part.len() + separator.len_utf8();
            piece
        })
    }

    /// Its first word, which ends before white space or a character for which
    /// `stop` holds, and the trimmed rest.
    pub fn split_word(self, stop: impl Fn(char) -> bool) -> (Piece<'a>, Piece<'a>) {
        let piece = self.trim();
        let end = piece
            .text
            .find(|character: char| character.is_whitespace() || stop(character))
            .unwrap_or(piece.text.len());
        (piece.slice(0..end), piece.from(end).trim())
    }

    /// Its lines, trimmed and without `//!`.
    pub fn flat_lines(self) -> Vec<&'a str> {
        let lines = self.text.lines().map(str::trim).enumerate();
        lines
            .map(|(index, line)| match line.strip_prefix("//!") {
                Some(rest) if index > 0 => rest.trim(),
                _ => line,
            })
            .collect()
    }

    /// Its words as one line.
    pub fn flat(self) -> String {
        let lines = self.flat_lines();
        lines.iter().flat_map(|line| line.split_whitespace()).collect::<Vec<_>>().join(" ")
    }
}

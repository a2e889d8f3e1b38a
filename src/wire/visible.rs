//! What a reader or a tool would lose, made visible: [`escape`], [`visible`].

use std::fmt::Write as _;

/// How many characters of a name that a far side chose are shown.
pub const NAME_LIMIT: usize = 120;

/// `bytes` with everything visible that a reader or a tool would lose, as the
/// documentation of [`super::text`] says. Newlines stay.
pub fn escape(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        escape_line(&mut out, line);
    }
    out
}

/// What is said to a person, with everything visible that a terminal would obey and a
/// reader not see, such as in the name of a file. Lines, and colours, which are our own,
/// stay.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let colour = colour_length(rest);
        if colour > 0 {
            out.push_str(&rest[..colour]);
            rest = &rest[colour..];
            continue;
        }
        let (one, after) = rest.split_at(character.len_utf8());
        if character == '\n' || !is_lost(character) {
            out.push(character);
        } else {
            escape_bytes(&mut out, one.as_bytes());
        }
        rest = after;
    }
    out
}

/// How long the sequence is that sets a colour (`ESC [ … m`) at the beginning of a text;
/// 0 if there is none.
fn colour_length(text: &str) -> usize {
    let Some(parameters) = text.strip_prefix("\x1b[") else { return 0 };
    let end = parameters.find(|letter: char| !(letter.is_ascii_digit() || letter == ';'));
    match end {
        Some(end) if parameters[end..].starts_with('m') => "\x1b[".len() + end + 1,
        _ => 0,
    }
}

/// A name that a far side chose, for one line of a terminal: written as
/// [`escape`] does, newlines as well, and cut after [`NAME_LIMIT`] characters.
pub fn escape_name(name: &str) -> String {
    escape(cut_name(name).as_bytes()).replace('\n', "\\x0a")
}

/// A name that a far side chose, cut after [`NAME_LIMIT`] characters.
pub fn cut_name(name: &str) -> String {
    match name.char_indices().nth(NAME_LIMIT) {
        Some((cut, _)) => format!("{}…", &name[..cut]),
        None => name.to_owned(),
    }
}

fn escape_line(out: &mut String, line: &[u8]) {
    let (line, ending) = match line {
        [rest @ .., b'\r'] => (rest, "\\r"),
        [rest @ .., b'\\', b'r'] => (rest, "\\x5cr"),
        [rest @ .., b' '] => (rest, "\\x20"),
        _ => (line, ""),
    };
    if line.iter().all(|byte| matches!(byte, b' '..=b'~') && *byte != b'\\') {
        out.push_str(&String::from_utf8_lossy(line));
        out.push_str(ending);
        return;
    }
    let mut rest = line;
    for chunk in line.utf8_chunks() {
        for character in chunk.valid().chars() {
            rest = &rest[character.len_utf8()..];
            let is_escape = character == '\\' && rest.first() == Some(&b'x');
            if is_escape || is_lost(character) {
                escape_bytes(out, character.encode_utf8(&mut [0; 4]).as_bytes());
            } else {
                out.push(character);
            }
        }
        rest = &rest[chunk.invalid().len()..];
        escape_bytes(out, chunk.invalid());
    }
    out.push_str(ending);
}

fn escape_bytes(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        let _ = write!(out, "\\x{byte:02x}");
    }
}

/// Whether a reader cannot see the character, or takes it for another.
pub(crate) fn is_lost(character: char) -> bool {
    character.is_control()
        || character != ' ' && character.is_whitespace()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
        // Unicode's noncharacters, which XML cannot hold.
        || u32::from(character) & 0xfffe == 0xfffe
}

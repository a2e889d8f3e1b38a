//! What a diagnostic shows of a profile's text: [`masked`].

use std::sync::Arc;

use miette::NamedSource;

use crate::check::SourceText;

/// Keys whose values a diagnostic shows. Every other value may be a secret: that
/// of a misspelt `secret`, say, or of a key that does not exist.
const SHOWN: [&str; 12] = [
    "data-class",
    "framing",
    "identifier",
    "lacks",
    "optional",
    "required",
    "requires-approval",
    "revision",
    "session",
    "url",
    "versions",
    "zone",
];

/// The text of a profile in which everything that may be a secret is written as
/// `*`, byte by byte, so that every place stays where it is. The text need not
/// be TOML: what is not a heading or the line of a key is masked whole.
pub(super) fn masked(source: &SourceText) -> SourceText {
    let text: &str = source.inner();
    let mut lines = Vec::new();
    // What such a string has in its lines can look like anything.
    let mut is_in_string = false;
    for line in text.split('\n') {
        let readable = if is_in_string { 0 } else { readable(line) };
        is_in_string |= line.contains("\"\"\"") || line.contains("'''");
        let (shown, hidden) = line.split_at(readable);
        let shown = match shown.trim_start().starts_with("url") {
            true => mask_address(shown),
            false => shown.to_owned(),
        };
        lines.push(format!("{shown}{}", mask(hidden)));
    }
    Arc::new(NamedSource::new(source.name(), Arc::from(lines.join("\n"))))
}

/// How many bytes of a line hold no secret.
fn readable(line: &str) -> usize {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let heading = line.trim().trim_start_matches('[').trim_end_matches(']');
    if line.trim().starts_with('[') && heading.chars().all(is_word) {
        return line.len();
    }
    let Some((before, _)) = line.split_once('=') else { return 0 };
    let key = before.trim();
    if key.is_empty() || !key.chars().all(is_word) {
        return 0;
    }
    if SHOWN.contains(&key) && !line.contains("secret") {
        return line.find(" #").unwrap_or(line.len());
    }
    before.len() + 1
}

/// The line of an address without its user information and its query.
fn mask_address(line: &str) -> String {
    let value = line.find(['"', '\'']).map_or(line.len(), |at| at + 1);
    let start = line[value..].find("://").map_or(value, |at| value + at + 3);
    let user = line.rfind('@').filter(|end| *end >= start).unwrap_or(start);
    let query = line[user..].find('?').map_or(line.len(), |at| user + at + 1);
    [&line[..start], &mask(&line[start..user]), &line[user..query], &mask(&line[query..])].concat()
}

fn mask(text: &str) -> String {
    let is_kept = |byte: u8| byte.is_ascii_whitespace() || b"\"'[]{},=#".contains(&byte);
    text.bytes().map(|byte| if is_kept(byte) { char::from(byte) } else { '*' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let source = Arc::new(NamedSource::new("a.toml", Arc::from(text)));
        let masked = masked(&source);
        let masked: &str = masked.inner();
        assert_eq!(masked.len(), text.len());
        masked.to_owned()
    }

    #[test]
    fn what_may_be_a_secret_is_masked() {
        for (text, expected) in [
            ("revision = \"2025-11-25\" # b\n[server]", "revision = \"2025-11-25\" # *\n[server]"),
            ("secret = [\"hush\", 'hé']", "secret = [\"****\", '***']"),
            ("secrets = [\n  \"a=b\",\n]", "secrets = [\n  \"*=*\",\n]"),
            ("secret = hush\nno toml", "secret = ****\n** ****"),
            ("# secret = \"a\"", "# ****** = \"*\""),
            ("\"secret\" = \"a\"", "\"******\" = \"*\""),
            ("operator = { secret = \"a\" }", "operator = { ****** = \"*\" }"),
            (
                "token = \"\"\"\nzone = a\"\"\"\nzone = \"b\"",
                "token = \"\"\"\n**** = *\"\"\"\n**** = \"*\"",
            ),
            ("url = \"http://a:b@c.test/d?e=f\"", "url = \"http://***@c.test/d?*=*\""),
            ("url = \"a:b@c.test/d\"", "url = \"***@c.test/d\""),
            ("url = \"http://c.test/mcp\"\r", "url = \"http://c.test/mcp\"\r"),
            ("url = 7", "url = 7"),
        ] {
            assert_eq!(shown(text), expected);
        }
    }
}

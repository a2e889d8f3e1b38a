//! Types in the words of this project's documents: a message names none of Rust's.

use rhai::Dynamic;

/// What a type is called in messages, from the name that Rhai has for it:
/// `integer`, `string`, `list`, `seen`.
pub(super) fn type_word(name: &str) -> String {
    let name = name.trim().trim_start_matches("&mut ");
    if name.starts_with("&str |") || name == "&str" {
        return "string".to_owned();
    }
    match name.rsplit("::").next().unwrap_or(name).trim_end_matches('>') {
        "i64" => "integer".to_owned(),
        "f64" => "float".to_owned(),
        "bool" => "boolean".to_owned(),
        "char" => "character".to_owned(),
        "()" => "()".to_owned(),
        "String" | "ImmutableString" | "string" => "string".to_owned(),
        "Fn" | "FnPtr" | "Closure" => "function".to_owned(),
        "Dynamic" | "?" => "value".to_owned(),
        "OriginHandle" => "origin".to_owned(),
        "SeenExchange" => "exchange".to_owned(),
        "ScriptAction" => "action".to_owned(),
        "StreamItem" => "stream item".to_owned(),
        "PendingCall" => "call in the background".to_owned(),
        "Pending" => "operation in the background".to_owned(),
        "HttpMessage" => "HTTP message".to_owned(),
        "Range<i64" | "RangeInclusive<i64" | "range" | "range=" => "range".to_owned(),
        other => other.to_lowercase(),
    }
}

/// The same with an article, as it stands in a sentence: `an integer`, `a list`;
/// what there is one of has none: `seen`, `server`.
pub(super) fn a(word: &str) -> String {
    match word {
        "seen" | "server" | "client" | "host" | "()" | "absent" => format!("`{word}`"),
        _ if word.starts_with(['a', 'e', 'i', 'o', 'u']) || word.starts_with("HTTP") => {
            format!("an {word}")
        }
        _ => format!("a {word}"),
    }
}

/// What a value is, in words: `an integer`.
pub(super) fn what(value: &Dynamic) -> String {
    a(&type_word(value.type_name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_type_of_rust_is_named() {
        let words = [
            ("i64", "an integer"),
            ("&str | ImmutableString | String", "a string"),
            ("mcp_checks::script::seen::Seen", "`seen`"),
            ("alloc::sync::Arc<mcp_checks::script::value::List>", "a list"),
            ("mcp_checks::script::server::OriginHandle", "an origin"),
            ("Fn", "a function"),
            ("()", "`()`"),
            ("HttpMessage", "an HTTP message"),
        ];
        for (name, word) in words {
            assert_eq!(a(&type_word(name)), word);
        }
    }
}

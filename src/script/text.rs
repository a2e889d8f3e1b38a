//! What scripts do with texts, where Rhai's own would make the whole outcome before it
//! looks how large that is: `replace`, `split` and their like.

use rhai::{Array, Dynamic, EvalAltResult, Position};

use super::api::{Evaluated, Replacements, Text};
use super::limits::{ITEM_LIMIT, STRING_LIMIT};

/// Puts them in the place of Rhai's own.
pub(super) fn replace(replacements: &mut Replacements<'_>) {
    replacements
        .method("replace", |text: &mut Text, (old, new): (Text, Text)| {
            replaced(text, text.matches(old.as_str()).count(), &new, |text| {
                text.replace(old.as_str(), &new)
            })
        })
        .method("replace", |text: &mut Text, (old, new): (char, Text)| {
            replaced(text, text.matches(old).count(), &new, |text| text.replace(old, &new))
        })
        .function("to_chars", |text: Text| pieces(text.chars().map(Dynamic::from)))
        .function("split", |text: Text| split(&text, text.split_whitespace()))
        .function("split", |(text, at): (Text, Text)| split(&text, text.split(at.as_str())))
        .function("split", |(text, at): (Text, char)| split(&text, text.split(at)))
        .function("split", |(text, at, segments): (Text, Text, i64)| {
            split(&text, text.splitn(count(segments), at.as_str()))
        })
        .function("split", |(text, at, segments): (Text, char, i64)| {
            split(&text, text.splitn(count(segments), at))
        })
        .function("split_rev", |(text, at): (Text, Text)| split(&text, text.rsplit(at.as_str())))
        .function("split_rev", |(text, at): (Text, char)| split(&text, text.rsplit(at)))
        .function("split_rev", |(text, at, segments): (Text, Text, i64)| {
            split(&text, text.rsplitn(count(segments), at.as_str()))
        })
        .function("split_rev", |(text, at, segments): (Text, char, i64)| {
            split(&text, text.rsplitn(count(segments), at))
        });
}

/// Nothing has one piece, which is empty: so Rhai has it.
fn split<'a>(text: &'a str, parts: impl Iterator<Item = &'a str>) -> Evaluated<Array> {
    if text.is_empty() { Ok(vec![piece(text)]) } else { pieces(parts.map(piece)) }
}

/// As Rhai has it: at least one segment.
fn count(segments: i64) -> usize {
    usize::try_from(segments.max(1)).unwrap_or(usize::MAX)
}

fn piece(text: &str) -> Dynamic {
    text.into()
}

/// An array of what comes, if that is not too much.
fn pieces(mut all: impl Iterator<Item = Dynamic>) -> Evaluated<Array> {
    let array: Array = all.by_ref().take(ITEM_LIMIT).collect();
    match all.next() {
        None => Ok(array),
        Some(_) => Err(too_large("size of array")),
    }
}

/// Replaces something that stands `count` times in `text`, if the outcome is not
/// too long.
fn replaced(
    text: &mut Text,
    count: usize,
    new: &str,
    change: impl FnOnce(&str) -> String,
) -> Evaluated<()> {
    if count.saturating_mul(new.len()) > STRING_LIMIT {
        return Err(too_large("length of string"));
    }
    *text = change(text).into();
    Ok(())
}

fn too_large(what: &str) -> Box<EvalAltResult> {
    EvalAltResult::ErrorDataTooLarge(what.to_owned(), Position::NONE).into()
}

#[cfg(test)]
mod tests {
    use rhai::Engine;

    use super::*;
    use crate::script::api::Api;

    #[test]
    fn it_is_as_rhai_has_it() {
        let rhai = Engine::new();
        let mut api = Api::default();
        replace(&mut api.replacements());
        let mut ours = Engine::new();
        ours.register_global_module(api.module.into());
        for text in ["", " ", "a", "a,b,,c", " a  b ", "é,ü", ",", ",,"] {
            for call in [
                "to_chars()",
                "split()",
                "split(\",\")",
                "split(',')",
                "split(\"\")",
                "split(\",\", 2)",
                "split(',', 2)",
                "split(\",\", 0)",
                "split(',', -1)",
                "split_rev(\",\")",
                "split_rev(',')",
                "split_rev(\",\", 2)",
                "split_rev(',', 2)",
                "split(1)",
                "replace(\",\", \"x\")",
            ] {
                let script =
                    format!("let text = {text:?}; let made = text.{call}; `${{text}} ${{made}}`");
                let [one, other] = [&rhai, &ours].map(|engine| engine.eval::<String>(&script));
                assert_eq!(one.unwrap(), other.unwrap(), "{script}");
            }
        }
    }
}

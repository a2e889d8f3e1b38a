//! What scripts do with texts, where Rhai's own would make the whole outcome before it
//! looks how large that is: `replace`, `split` and their like.

use rhai::{Array, Dynamic, Engine, EvalAltResult, ImmutableString, Position};

use super::engine::{ITEM_LIMIT, STRING_LIMIT};

type Evaluated<T> = Result<T, Box<EvalAltResult>>;

/// Registers them in the place of Rhai's own.
pub(super) fn register(engine: &mut Engine) {
    engine
        .register_fn("replace", |text: &mut ImmutableString, old: &str, new: &str| {
            replace(text, text.matches(old).count(), new, |text| text.replace(old, new))
        })
        .register_fn("replace", |text: &mut ImmutableString, old: char, new: &str| {
            replace(text, text.matches(old).count(), new, |text| text.replace(old, new))
        })
        .register_fn("to_chars", |text: &str| pieces(text.chars().map(Dynamic::from)))
        .register_fn("split", |text: &str| split(text, text.split_whitespace()))
        .register_fn("split", |text: &str, at: &str| split(text, text.split(at)))
        .register_fn("split", |text: &str, at: char| split(text, text.split(at)))
        .register_fn("split", |text: &str, at: &str, segments: i64| {
            split(text, text.splitn(count(segments), at))
        })
        .register_fn("split", |text: &str, at: char, segments: i64| {
            split(text, text.splitn(count(segments), at))
        })
        .register_fn("split_rev", |text: &str, at: &str| split(text, text.rsplit(at)))
        .register_fn("split_rev", |text: &str, at: char| split(text, text.rsplit(at)))
        .register_fn("split_rev", |text: &str, at: &str, segments: i64| {
            split(text, text.rsplitn(count(segments), at))
        })
        .register_fn("split_rev", |text: &str, at: char, segments: i64| {
            split(text, text.rsplitn(count(segments), at))
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
    Dynamic::from(ImmutableString::from(text))
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
fn replace(
    text: &mut ImmutableString,
    count: usize,
    new: &str,
    replaced: impl FnOnce(&str) -> String,
) -> Evaluated<()> {
    if count.saturating_mul(new.len()) > STRING_LIMIT {
        return Err(too_large("length of string"));
    }
    *text = replaced(text).into();
    Ok(())
}

fn too_large(what: &str) -> Box<EvalAltResult> {
    EvalAltResult::ErrorDataTooLarge(what.to_owned(), Position::NONE).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_as_rhai_has_it() {
        let rhai = Engine::new();
        let mut ours = Engine::new();
        register(&mut ours);
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

//! What a judge was deciding when it ended: [`checkpoints`].

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::error::{Frame, call_end};

/// A call that decides the checkpoint which its first argument names.
static DECISION: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"\.\s*(?:check|equal|every|none|some|goal|skip)\s*\(\s*"([^"\n]+)""#;
    Regex::new(pattern).expect("the pattern is in order")
});

/// The checkpoints whose decision a statement was in when it ended, or would have
/// come to later; `frames` are the calls that it was in, the outermost first, and
/// `next` is where the next statement begins, if it is come to.
///
/// A claim that is decided twice is not held by the first decision alone.
pub(super) fn checkpoints(frames: &[Frame], next: Option<usize>) -> BTreeSet<String> {
    let Some((main, begun)) = frames.first() else { return BTreeSet::new() };
    let mut ids = BTreeSet::new();
    for (source, ended) in frames {
        let text = source.inner();
        let end = match next {
            // The statement itself, and a closure in it.
            Some(next) if source.name() == main.name() && (*begun..next).contains(ended) => next,
            None if source.name() == main.name() => text.len(),
            _ => text[*ended..].find("\nfn ").map_or(text.len(), |length| ended + length),
        };
        let left = decisions(text).filter(|(_, span)| span.end > *ended && span.start < end);
        ids.extend(left.map(|(id, _)| id.to_owned()));
    }
    ids
}

/// The decisions in a text: the checkpoint and where the call stands.
fn decisions(text: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    DECISION.captures_iter(text).filter_map(|found| {
        let (whole, id) = (found.get(0)?, found.get(1)?);
        // `call_end` wants the name, not the dot before it.
        Some((id.as_str(), whole.start()..call_end(text, whole.start() + 1)))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn interrupted(frames: &[(&str, &str)], next: Option<&str>) -> Vec<String> {
        let place = |text: &str, of: &str| text.find(of).expect("it stands there");
        let next = next.map(|next| place(frames[0].0, next));
        let frames: Vec<Frame> = frames
            .iter()
            .map(|(text, at)| {
                let name = text.lines().next().unwrap_or_default();
                let source = Arc::new(miette::NamedSource::new(name, Arc::from(*text)));
                (source, place(text, at))
            })
            .collect();
        checkpoints(&frames, next).into_iter().collect()
    }

    const JUDGE: &str = r#"fn judge(seen) {
    seen.check("before", true);
    seen.every("around", seen.requests, |request|
        if HERE { true } else { false });
    seen.equal(
        "after", 1, 1);
}"#;

    #[test]
    fn what_was_being_decided_and_what_comes_later() {
        assert_eq!(interrupted(&[(JUDGE, "HERE")], None), ["after", "around"]);
        assert_eq!(interrupted(&[(JUDGE, "HERE")], Some("seen.equal")), ["around"]);
    }

    #[test]
    fn a_closure_belongs_to_its_statement() {
        let frames = [(JUDGE, "seen.every"), (JUDGE, "HERE")];
        assert_eq!(interrupted(&frames, Some("seen.equal")), ["around"]);
    }

    #[test]
    fn what_a_library_was_deciding() {
        let library = r#"fn shared(seen) { seen.check("shared", HERE); seen.check("rest", 1); }
fn another(seen) { seen.check("another", 1); }"#;
        let main = r#"fn judge(seen) { wire::shared(seen); seen.check("own", true); }"#;
        let frames = [(main, "shared("), (library, "HERE")];
        assert_eq!(interrupted(&frames, None), ["own", "rest", "shared"]);
        assert_eq!(interrupted(&frames, Some("seen.check")), ["rest", "shared"]);
    }

    #[test]
    fn without_a_place_nothing_is_known() {
        assert_eq!(interrupted(&[], None), Vec::<String>::new());
    }
}

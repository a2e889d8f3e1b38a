//! The near names of a misspelt one: [`nearest`].

use std::collections::BTreeSet;

/// How many near names are worth showing.
const SHOWN: usize = 3;

/// The names among `candidates` that `word` was probably meant to be: those that
/// are equally near and nearer than all others, in order, at most three.
///
/// Near is what a slip in about every third letter makes of a name, in any
/// letter case. Of a name with folders, `client/tool-call`, the last part may be
/// near instead of the whole. Without such names those that contain the word
/// are near.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let word = word.to_lowercase();
    let length = word.chars().count();
    let bound = (length / 3).max(1);
    let mut near: Vec<(usize, &str)> = Vec::new();
    for candidate in candidates.into_iter().collect::<BTreeSet<_>>() {
        let lower = candidate.to_lowercase();
        let last = lower.rsplit('/').next().unwrap_or(&lower);
        let distance = [lower.as_str(), last]
            .into_iter()
            // A length that differs by more than the bound cannot be near.
            .filter(|name| name.chars().count().abs_diff(length) <= bound)
            .map(|name| strsim::damerau_levenshtein(&word, name))
            .min();
        match distance {
            Some(distance) if distance <= bound && distance < length => {
                near.push((distance, candidate))
            }
            _ if length >= 3 && lower.contains(&word) => near.push((bound + 1, candidate)),
            _ => {}
        }
    }
    let nearest = near.iter().map(|(distance, _)| *distance).min();
    near.retain(|(distance, _)| Some(*distance) == nearest);
    near.into_iter().take(SHOWN).map(|(_, name)| name).collect()
}

/// The question that offers near names: ``did you mean `a`, `b` or `c`?``.
/// `None` if there is none to offer.
pub fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let near = nearest(word, candidates);
    (!near.is_empty()).then(|| format!("did you mean {}?", alternatives(near)))
}

/// Names as alternatives: `` `a`, `b` or `c` ``.
pub fn alternatives<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match quoted.pop() {
        None => String::new(),
        Some(last) if quoted.is_empty() => last,
        Some(last) => format!("{} or {last}", quoted.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_comes_first() {
        assert_eq!(nearest("tgas", ["tags", "tag", "task", "spec"]), ["tags"]);
        assert_eq!(nearest("2025-11-26", ["2025-11-25", "2025-03-26"]), ["2025-11-25"]);
        assert_eq!(nearest("MUTS", ["MUST", "SHOULD", "MAY", "INTEROP"]), ["MUST"]);
        assert_eq!(nearest("must", ["MUST", "SHOULD"]), ["MUST"]);
        assert!(nearest("anything", ["else"]).is_empty());
        assert!(nearest("", ["MUST", "="]).is_empty());
        assert!(nearest("a", ["b"]).is_empty());
    }

    #[test]
    fn the_last_part_of_an_id_may_be_near() {
        let ids = ["client/tool-call-basic", "client/session-echo", "server/session-end"];
        assert_eq!(nearest("tool-cal-basic", ids), ["client/tool-call-basic"]);
        assert_eq!(nearest("session", ids), ["client/session-echo", "server/session-end"]);
    }

    #[test]
    fn the_question_lists_alternatives() {
        assert_eq!(did_you_mean("ab", ["bb", "aa"]).unwrap(), "did you mean `aa` or `bb`?");
        assert_eq!(did_you_mean("zz", ["abc"]), None);
    }
}

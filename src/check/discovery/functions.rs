//! The names of the functions that a script defines, found without compiling it.

/// The names that follow `fn` in a script and stand before a parenthesis, apart
/// from those in comments and strings. What stands in the interpolations of a
/// string counts as part of the string.
pub fn names(script: &str) -> impl Iterator<Item = &str> {
    let mut words = words(script).peekable();
    std::iter::from_fn(move || {
        loop {
            let word = words.next()?;
            if word != "fn" {
                continue;
            }
            if let Some(name) = words.next_if(|name| is_name(name))
                && words.peek() == Some(&"(")
            {
                return Some(name);
            }
        }
    })
}

fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// The words and signs of a script, without comments and strings.
fn words(script: &str) -> impl Iterator<Item = &str> {
    let mut rest = script;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start();
            let first = rest.chars().next()?;
            let length = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                block_comment(rest)
            } else if matches!(first, '"' | '`' | '\'') {
                quoted(rest, first)
            } else if first == '#' && rest.trim_start_matches('#').starts_with('"') {
                raw_string(rest)
            } else {
                let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
                let length = match rest.find(|letter| !is_word(letter)) {
                    // All of them at once: looked through from each, many take long.
                    Some(0) if first == '#' => rest.len() - rest.trim_start_matches('#').len(),
                    Some(0) => first.len_utf8(),
                    Some(end) => end,
                    None => rest.len(),
                };
                let word = &rest[..length];
                rest = &rest[length..];
                return Some(word);
            };
            rest = &rest[length..];
        }
    })
}

/// The length of the block comment at the beginning; such comments nest.
fn block_comment(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut offset = 0;
    while let Some(found) = text[offset..].find(['*', '/']) {
        let at = &text[offset + found..];
        if at.starts_with("/*") {
            depth += 1;
        } else if at.starts_with("*/") {
            depth -= 1;
        } else {
            offset += found + 1;
            continue;
        }
        offset += found + 2;
        if depth == 0 {
            return offset;
        }
    }
    text.len()
}

/// The length of the string at the beginning, up to its closing `quote`.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (offset, letter) in text.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if letter == '\\' && quote != '`' {
            escaped = true;
        } else if letter == quote {
            return offset + letter.len_utf8();
        }
    }
    text.len()
}

/// The length of the string at the beginning that stands between `#"` and `"#`,
/// with as many `#` on either side.
fn raw_string(text: &str) -> usize {
    let hashes = text.len() - text.trim_start_matches('#').len();
    let end = format!("\"{}", &text[..hashes]);
    let start = hashes + 1;
    text[start..].find(&end).map_or(text.len(), |offset| start + offset + end.len())
}

#[cfg(test)]
mod tests {
    use super::names;

    #[track_caller]
    fn assert_names(script: &str, expected: &[&str]) {
        assert_eq!(names(script).collect::<Vec<_>>(), expected, "{script}");
    }

    #[test]
    fn finds_what_is_defined() {
        assert_names(
            "//! T.\nfn serve(server) { }\nprivate fn drive (c){}\nfn\n judge(seen){}",
            &["serve", "drive", "judge"],
        );
        assert_names("let fnx = 1; serve(1); call(fn_serve(2))", &[]);
    }

    #[test]
    fn passes_over_comments_and_strings() {
        assert_names("// fn a(\n/* fn b( /* fn c( */ fn d( */ fn e() {}", &["e"]);
        assert_names(r##"let s = "fn a( \" fn b("; let c = '"'; fn f() {}"##, &["f"]);
        assert_names("let s = `fn a(\n ${x}`; fn g() {}", &["g"]);
        assert_names(r###"let s = ##"fn a( "# fn b("##; let m = #{ x: 1 }; fn h() {}"###, &["h"]);
    }

    #[test]
    fn what_does_not_end_ends_with_the_script() {
        for script in ["/* fn a(", "\"fn a(", "'", "`fn a(", "#\"fn a(", "fn", "fn a", "/", "*/é"]
        {
            assert_names(script, &[]);
        }
    }
}

//! Where an error of a script happened, and what stands around it: [`Site`].

use super::call_end;

/// Where it happened: a text, and the offset in it, in bytes.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    pub(super) text: &'a str,
    pub(super) at: Option<usize>,
}

impl<'a> Site<'a> {
    /// The first call of the function `name` with a closure that captures the
    /// variable that it is called on, and that variable.
    pub(super) fn capture(&self, name: &str) -> Option<(Site<'a>, &'a str)> {
        let call = format!(".{name}(");
        self.text.match_indices(&call).find_map(|(at, _)| {
            let site = Site { text: self.text, at: Some(at + 1) };
            let root = site.receiver()?;
            let arguments = &self.text[at + call.len()..call_end(self.text, at + 1)];
            let (_, closure) = arguments.split_once('|')?;
            words(closure).any(|word| word == root).then_some((site, root))
        })
    }

    /// Whether the name there stands behind a dot.
    pub(super) fn is_method(&self) -> bool {
        self.before().is_some_and(|before| before.ends_with('.'))
    }

    fn before(&self) -> Option<&'a str> {
        self.text.get(..self.at?).map(str::trim_end)
    }

    /// The variable at the beginning of the chain before the name: `seen` in
    /// `seen.posts.all(…)`.
    fn receiver(&self) -> Option<&'a str> {
        let mut before = self.before()?.strip_suffix('.')?.trim_end();
        loop {
            before = without_brackets(before)?;
            let start = before
                .char_indices()
                .rev()
                .take_while(|(_, letter)| letter.is_alphanumeric() || *letter == '_')
                .last()?
                .0;
            let rest = before[..start].trim_end();
            match rest.strip_suffix('.') {
                Some(rest) => before = rest.trim_end(),
                None => return Some(&before[start..]),
            }
        }
    }

    /// The function around the place: its name, its parameters and its text up to
    /// the place.
    fn function(&self) -> Option<(&'a str, &'a str, &'a str)> {
        let before = self.text.get(..self.at?)?;
        let start =
            before.rfind("\nfn ").map(|at| at + 1).or(before.starts_with("fn ").then_some(0))?;
        let (name, rest) = before[start + "fn ".len()..].split_once('(')?;
        let (parameters, body) = rest.split_once(')')?;
        Some((name, parameters, body))
    }

    /// Whether a variable is the server that `serve` is given.
    pub(super) fn is_server(&self, name: &str) -> bool {
        self.function().is_some_and(|(function, parameters, _)| {
            function == "serve" && parameters.split(',').next().map(str::trim) == Some(name)
        })
    }

    /// The parameters of the function around the place, and its variables.
    pub(super) fn variables(&self) -> Vec<String> {
        let Some((_, parameters, body)) = self.function() else { return Vec::new() };
        let declared = body.split("let ").skip(1).filter_map(|rest| words(rest).next());
        let parameters = parameters.split(',').map(str::trim);
        let all = parameters.chain(declared).filter(|name| !name.is_empty());
        all.map(str::to_owned).collect()
    }
}

/// The words of a text, and what is empty between two signs.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

/// A text without the brackets at its end, and what stands between them.
fn without_brackets(text: &str) -> Option<&str> {
    let mut text = text;
    while text.ends_with([')', ']']) {
        let mut depth = 0_usize;
        let start = text.char_indices().rev().find_map(|(at, letter)| {
            match letter {
                ')' | ']' => depth += 1,
                '(' | '[' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(at)
        })?;
        text = text[..start].trim_end();
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_at_the_beginning_of_a_chain_is_found() {
        let receiver = |text: &str| {
            let at = text.find("all(");
            Site { text, at }.receiver().map(str::to_owned)
        };
        assert_eq!(receiver("seen.posts.all(|p| 1)").as_deref(), Some("seen"));
        assert_eq!(receiver("x = a.b(c.d(1)[2], 3)[0].all(|p| 1)").as_deref(), Some("a"));
        assert_eq!(receiver("  seen\n  .posts\n  .all(|p| 1)").as_deref(), Some("seen"));
        assert_eq!(receiver("all(seen)"), None);
        assert_eq!(receiver("[1, 2].all(|x| 1)"), None);
        assert_eq!(receiver(").all(|x| 1)"), None);
    }
}

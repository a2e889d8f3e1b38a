//! The grammar of `WWW-Authenticate` (RFC 9110, sections 11.2 and 11.6.1):
//! [`Challenge`].

use ::http::HeaderMap;
use ::http::header::WWW_AUTHENTICATE;

/// One challenge: a scheme, and either parameters or a token68.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Challenge {
    /// The scheme, as it was written.
    pub scheme: String,
    /// Names, in lower case, and values, unquoted, in their order.
    pub parameters: Vec<(String, String)>,
    /// What stands in place of parameters.
    pub token: Option<String>,
}

impl Challenge {
    /// Whether the scheme is `scheme`, in any case.
    pub fn is(&self, scheme: &str) -> bool {
        self.scheme.eq_ignore_ascii_case(scheme)
    }

    /// The value of the first parameter by this name.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// Every challenge of a response, over all its `WWW-Authenticate` fields. What
/// comes after a mistake in a field is left out.
pub fn challenges(headers: &HeaderMap) -> Vec<Challenge> {
    let fields = headers.get_all(WWW_AUTHENTICATE).into_iter();
    fields.flat_map(|value| challenges_in(&String::from_utf8_lossy(value.as_bytes()))).collect()
}

/// Every challenge of one field, up to the first mistake.
pub fn challenges_in(field: &str) -> Vec<Challenge> {
    let mut all = Vec::new();
    Parser { rest: field }.field(&mut all);
    all
}

/// The scopes that a 403 asks for, if that is why it was refused
/// (basic/authorization, "Runtime Insufficient Scope Errors"); `None` if it is
/// not.
pub fn insufficient_scope(headers: &HeaderMap) -> Option<Vec<String>> {
    let all = challenges(headers);
    let asks = |challenge: &&Challenge| {
        challenge.is("Bearer") && challenge.parameter("error") == Some("insufficient_scope")
    };
    let scope = all.iter().find(asks)?.parameter("scope")?;
    Some(scope.split_ascii_whitespace().map(str::to_owned).collect())
}

struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    /// A list of challenges. A comma separates both challenges and parameters:
    /// what follows one is a parameter if it has an equals sign and a value.
    fn field(&mut self, all: &mut Vec<Challenge>) {
        loop {
            self.skip(|character| matches!(character, ' ' | '\t' | ','));
            if self.rest.is_empty() {
                return;
            }
            if !all.is_empty()
                && let Some(parameter) = self.parameter()
            {
                if let Some(current) = all.last_mut() {
                    current.parameters.push(parameter);
                }
            } else if let Some(challenge) = self.challenge() {
                all.push(challenge);
            } else {
                return;
            }
            self.skip(is_space);
            if !self.rest.is_empty() && !self.rest.starts_with(',') {
                return;
            }
        }
    }

    /// A scheme, and the token68 or the first parameter after it.
    fn challenge(&mut self) -> Option<Challenge> {
        let mut challenge = Challenge { scheme: self.token()?.to_owned(), ..Challenge::default() };
        if self.rest.starts_with(' ') {
            self.skip(is_space);
            if let Some(parameter) = self.parameter() {
                challenge.parameters.push(parameter);
            } else {
                challenge.token = self.token68();
            }
        }
        Some(challenge)
    }

    /// `name = value`; takes nothing if there is none.
    fn parameter(&mut self) -> Option<(String, String)> {
        let before = self.rest;
        let parameter = self.try_parameter();
        if parameter.is_none() {
            self.rest = before;
        }
        parameter
    }

    fn try_parameter(&mut self) -> Option<(String, String)> {
        let name = self.token()?.to_ascii_lowercase();
        self.skip(is_space);
        self.rest = self.rest.strip_prefix('=')?;
        self.skip(is_space);
        let value = match self.rest.strip_prefix('"') {
            Some(quoted) => {
                self.rest = quoted;
                self.quoted()?
            }
            None => self.token()?.to_owned(),
        };
        Some((name, value))
    }

    /// The rest of a quoted string; a backslash takes the next character as it
    /// is.
    fn quoted(&mut self) -> Option<String> {
        let mut value = String::new();
        let mut characters = self.rest.char_indices();
        while let Some((index, character)) = characters.next() {
            match character {
                '"' => {
                    self.rest = &self.rest[index + 1..];
                    return Some(value);
                }
                '\\' => value.push(characters.next()?.1),
                other => value.push(other),
            }
        }
        None
    }

    fn token68(&mut self) -> Option<String> {
        let body =
            |character: char| character.is_ascii_alphanumeric() || "-._~+/".contains(character);
        let text = self.take(body);
        let padding = self.take(|character| character == '=');
        (!text.is_empty()).then(|| format!("{text}{padding}"))
    }

    fn token(&mut self) -> Option<&'a str> {
        let token = self.take(|character| {
            character.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(character)
        });
        (!token.is_empty()).then_some(token)
    }

    fn take(&mut self, of: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|character| !of(character)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn skip(&mut self, of: impl Fn(char) -> bool) {
        self.take(of);
    }
}

fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(fields: &[&str]) -> Vec<Challenge> {
        let mut headers = HeaderMap::new();
        for field in fields {
            headers.append(WWW_AUTHENTICATE, field.parse().unwrap());
        }
        challenges(&headers)
    }

    fn challenge(scheme: &str, parameters: &[(&str, &str)], token: Option<&str>) -> Challenge {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Challenge {
            scheme: scheme.into(),
            parameters: parameters.iter().map(own).collect(),
            token: token.map(str::to_owned),
        }
    }

    #[test]
    fn several_challenges_stand_in_one_field_and_in_several() {
        let all = read(&[
            r#"Negotiate, Basic realm="a, b", Bearer scope="x y" , Resource_Metadata = "u""#,
            "Digest abc+/==",
        ]);
        assert_eq!(
            all,
            [
                challenge("Negotiate", &[], None),
                challenge("Basic", &[("realm", "a, b")], None),
                challenge("Bearer", &[("scope", "x y"), ("resource_metadata", "u")], None),
                challenge("Digest", &[], Some("abc+/==")),
            ]
        );
        assert!(all[2].is("bEARER"));
        assert_eq!(all[2].parameter("SCOPE"), Some("x y"));
    }

    #[test]
    fn quoted_strings_have_escapes_and_tokens_have_no_quotes() {
        let all = read(&[r#"Bearer realm="say \"hi\\\"", error=invalid_token"#]);
        let parameters = [("realm", r#"say "hi\""#), ("error", "invalid_token")];
        assert_eq!(all, [challenge("Bearer", &parameters, None)]);
    }

    #[test]
    fn a_token68_is_told_from_a_parameter() {
        assert_eq!(read(&["Negotiate YWI="]), [challenge("Negotiate", &[], Some("YWI="))]);
        assert_eq!(
            read(&["Negotiate YWI=, Bearer a=b"]),
            [challenge("Negotiate", &[], Some("YWI=")), challenge("Bearer", &[("a", "b")], None)]
        );
    }

    #[test]
    fn what_comes_after_a_mistake_is_left_out() {
        assert_eq!(read(&[r#"Bearer a="b", c="open"#]).len(), 2);
        assert_eq!(read(&[r#"Bearer a="b", c="open"#])[0].parameter("a"), Some("b"));
        assert_eq!(read(&["", ",,", "=", "\"x\""]), []);
        assert_eq!(read(&["Bearer a=b c=d"]), [challenge("Bearer", &[("a", "b")], None)]);
    }
}

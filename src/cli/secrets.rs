//! What is secret of what the command line and the profiles say: [`learn`].

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, Uri};
use percent_encoding::percent_decode_str;

use super::output;
use crate::profile::Profile;
use crate::wire::redact::{Redactor, SCHEMES};

/// The least length of a part of a header field or of an address that may be
/// secret: shorter ones are words of every text.
const SHORTEST: usize = 6;

/// A redactor of what `profiles` list as secret, and of what may be secret in
/// `headers`, in `url` and in the profiles' own addresses. From now on nothing
/// that is said shows these either.
pub fn learn(headers: &HeaderMap, url: Option<&Uri>, profiles: &[Profile]) -> Redactor {
    let listed = profiles.iter().flat_map(|profile| profile.secrets.iter().cloned());
    let sent = headers.values().filter_map(|value| value.to_str().ok()).flat_map(of_header);
    let urls = profiles.iter().filter_map(|profile| profile.url.as_ref()).chain(url);
    let redactor = Redactor::new(listed.chain(sent).chain(urls.flat_map(of_url)));
    output::say_nothing_of(&redactor);
    redactor
}

/// The words of a header field's value, and the values of its parameters or
/// cookies; of what is in base64, as Basic authentication has it, the user and
/// the password.
fn of_header(value: &str) -> Vec<String> {
    let words = value.split([' ', '\t', ';', ',']);
    let mut secrets = Vec::new();
    for word in words.map(|word| word.trim_matches('"')) {
        if SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme)) {
            continue;
        }
        secrets.push(word.to_owned());
        secrets.extend(word.split_once('=').map(|(_, value)| value.trim_matches('"').to_owned()));
        let decoded = STANDARD.decode(word).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        if let Some((user, password)) = decoded.as_deref().and_then(|pair| pair.split_once(':')) {
            secrets.extend([user.to_owned(), password.to_owned()]);
        }
    }
    secrets.retain(|secret| secret.len() >= SHORTEST);
    secrets
}

/// The user, the password, and the values of the query.
fn of_url(url: &Uri) -> Vec<String> {
    let authority = url.authority().map_or("", |authority| authority.as_str());
    let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
    let query = url.query().unwrap_or_default().split('&');
    let values = query.map(|member| member.split_once('=').map_or(member, |(_, value)| value));
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let mut secrets: Vec<String> = user.split(':').chain(values).map(decoded).collect();
    secrets.retain(|secret| secret.len() >= SHORTEST);
    secrets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_secret_of_a_header_field_and_of_an_address() {
        assert_eq!(of_header("Bearer abcdef"), ["abcdef"]);
        assert_eq!(of_header("a=bcdefg; short=x"), ["a=bcdefg", "bcdefg", "short=x"]);
        let basic = "YWRhbG92ZTpwYXNzd29yZA==";
        assert_eq!(of_header(&format!("Basic {basic}")), [basic, "adalove", "password"]);
        let url = "https://adalove:pass%40word@a.test/mcp?key=k3y-of-ada&x=1".parse().unwrap();
        assert_eq!(of_url(&url), ["adalove", "pass@word", "k3y-of-ada"]);
        assert_eq!(of_url(&"http://127.0.0.1:1/mcp".parse().unwrap()), Vec::<String>::new());
    }
}

//! Keys in text form (PEM, RFC 7468), as programs print them: [`blocks`].

use std::ops::Range;

use memchr::memmem;

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";
const DASHES: &[u8] = b"-----";
/// How long the label of a block may be, such as `ENCRYPTED PRIVATE KEY`.
const LONGEST_LABEL: usize = 64;

/// What stands between the first and the last line of each private key, however its
/// lines are written; to the end of the text if the last line is not there.
pub(super) fn blocks(text: &[u8]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut from = 0;
    while let Some(found) = memmem::find(&text[from..], BEGIN) {
        let label = from + found + BEGIN.len();
        from = label;
        let near = &text[label..text.len().min(label + LONGEST_LABEL)];
        let Some(length) = memmem::find(near, DASHES) else { continue };
        if memmem::find(&near[..length], b"PRIVATE KEY").is_none() {
            continue;
        }
        let start = label + length + DASHES.len();
        let end = memmem::find(&text[start..], END).map_or(text.len(), |length| start + length);
        if text[start..end].iter().any(u8::is_ascii_alphanumeric) {
            ranges.push(start..end);
        }
        from = end;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use crate::wire::redact::Redactor;

    #[test]
    fn a_private_key_is_taken_out_and_a_certificate_stays() {
        let redactor = Redactor::default();
        let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nwfake\n-----END RSA PRIVATE \
                   KEY-----";
        let shown = redactor.redact(&format!("before {key} after"));
        assert_eq!(
            shown,
            "before -----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY----- after"
        );
        assert_eq!(redactor.redact(&shown), shown);
        let cut = "-----BEGIN PRIVATE KEY-----\\nMIIEpAIBAAKCAQEA";
        assert_eq!(redactor.redact(cut), "-----BEGIN PRIVATE KEY-----[redacted]");
        let certificate = "-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----";
        assert_eq!(redactor.redact(certificate), certificate);
    }
}

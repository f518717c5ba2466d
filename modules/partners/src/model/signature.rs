//! Signatures of partner requests and of webhooks.
//!
//! A request signature covers seven lines: `v1`, the method, the path, the canonical query, the SHA-256 of the body,
//! the timestamp and the nonce. Nothing that decides what the request does can be changed without breaking it.

use std::fmt::Write as _;

use agio_core::hex;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};

/// Prefix of a signature; another scheme would have another one.
pub const SCHEME: &str = "v1=";

#[derive(Clone, Copy, Debug)]
pub struct CanonicalRequest<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub query: &'a str,
    pub body: &'a [u8],
    /// Unix time in seconds, as sent in the header.
    pub timestamp: &'a str,
    pub nonce: &'a str,
}

impl CanonicalRequest<'_> {
    pub fn canonical(&self) -> String {
        let body = hex::encode(Sha256::digest(self.body));
        let Self { method, path, query, timestamp, nonce, .. } = self;
        format!("v1\n{method}\n{path}\n{}\n{body}\n{timestamp}\n{nonce}", canonical_query(query))
    }

    /// Constant time, wherever the signature differs.
    pub fn is_signed(&self, secret: &[u8], header: &str) -> bool {
        let given = digest_in(header);
        // A malformed header is compared as well, so that timing reveals nothing.
        let is_one = given.is_some();
        let is_right = keyed(secret, self.canonical().as_bytes()).verify_slice(&given.unwrap_or_default()).is_ok();
        is_one && is_right
    }

    pub fn signed(&self, secret: &[u8]) -> String {
        format!("{SCHEME}{}", hex::encode(keyed(secret, self.canonical().as_bytes()).finalize().into_bytes()))
    }
}

/// What a header says the signature is; `None` if it has no such form.
pub fn digest_in(header: &str) -> Option<[u8; 32]> {
    header.strip_prefix(SCHEME).and_then(hex::decode::<32>)
}

/// Signs `v1`, the timestamp, the event id, the attempt and the body.
pub fn of_webhook(secret: &[u8], timestamp: i64, event: &str, attempt: i64, body: &str) -> String {
    let signed = format!("v1\n{timestamp}\n{event}\n{attempt}\n{body}");
    format!("{SCHEME}{}", hex::encode(keyed(secret, signed.as_bytes()).finalize().into_bytes()))
}

/// Decodes names and values, re-encodes them in one way, and sorts them.
pub fn canonical_query(query: &str) -> String {
    let pair = |part: &str| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        (encoded(&decoded(name)), encoded(&decoded(value)))
    };
    let mut pairs: Vec<(String, String)> = query.split('&').filter(|part| !part.is_empty()).map(pair).collect();
    pairs.sort();
    pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}

/// Percent-decodes; an invalid escape stands for itself.
pub(crate) fn decoded(text: &str) -> Vec<u8> {
    let mut rest = text.as_bytes();
    let mut bytes = Vec::with_capacity(rest.len());
    while let [first, tail @ ..] = rest {
        let escaped = || std::str::from_utf8(tail.get(..2)?).ok().filter(|two| two.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match (first, escaped()) {
            (b'%', Some(two)) => {
                bytes.push(u8::from_str_radix(two, 16).expect("two hexadecimal digits are a byte"));
                rest = &tail[2..];
                continue;
            }
            (b'+', _) => bytes.push(b' '),
            (byte, _) => bytes.push(*byte),
        }
        rest = tail;
    }
    bytes
}

/// Encodes every byte except letters, digits and `-._~` as `%XX`.
fn encoded(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len()), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) {
            text.push(char::from(*byte));
        } else {
            write!(text, "%{byte:02X}").expect("writing to a string does not fail");
        }
        text
    })
}

fn keyed(secret: &[u8], text: &[u8]) -> Hmac<Sha256> {
    Hmac::<Sha256>::new_from_slice(secret).expect("any bytes are a key").chain_update(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CALL: CanonicalRequest<'_> = CanonicalRequest {
        method: "POST",
        path: "/api/partner/v1/quotes/",
        query: "",
        body: br#"{"from":"BTC","to":"SBERRUB","fromSumma":"0.015"}"#,
        timestamp: "1711627200",
        nonce: "5f0c1d2e3a4b59687706a5b4",
    };

    #[test]
    fn the_published_example_is_signed_as_published() {
        let body = "a88bb60659cd90442a0b0df4c91215b21f9c4389d37db7d1e395288eaf1123f9";
        let canonical = format!("v1\nPOST\n/api/partner/v1/quotes/\n\n{body}\n1711627200\n5f0c1d2e3a4b59687706a5b4");
        assert_eq!(CALL.canonical(), canonical);
        let signature = "v1=dd2111b66fa9ecf54d2ac49edbe91c235f3547583a23328318d090c28bba4396";
        assert_eq!(CALL.signed(b"secret"), signature);
        assert!(CALL.is_signed(b"secret", &CALL.signed(b"secret")));
    }

    #[test]
    fn queries_are_canonicalised() {
        assert_eq!(canonical_query("size=5&page=2"), "page=2&size=5");
        assert_eq!(canonical_query("reference=order%2d7&a"), "a=&reference=order-7");
        assert_eq!(canonical_query("q=a+b&q=%D0%B9"), "q=%D0%B9&q=a%20b");
        assert_eq!(canonical_query("q=100%&r=%zz"), "q=100%25&r=%25zz");
        assert_eq!(canonical_query(""), "");
    }

    #[test]
    fn other_forms_of_a_signature_are_refused() {
        let signed = CALL.signed(b"secret");
        for other in
            [signed.to_uppercase(), signed.replace("v1=", ""), format!("{signed} "), signed[..60].to_owned(), String::new()]
        {
            assert!(!CALL.is_signed(b"secret", &other), "{other}");
        }
    }

    #[test]
    fn every_part_of_a_request_is_signed() {
        let signed = CALL.signed(b"secret");
        let others = [
            CanonicalRequest { method: "GET", ..CALL },
            CanonicalRequest { path: "/api/partner/v1/claims/", ..CALL },
            CanonicalRequest { query: "a=1", ..CALL },
            CanonicalRequest { body: b"{}", ..CALL },
            CanonicalRequest { timestamp: "1711627201", ..CALL },
            CanonicalRequest { nonce: "5f0c1d2e3a4b59687706a5b5", ..CALL },
        ];
        for other in others {
            assert!(!other.is_signed(b"secret", &signed), "{other:?}");
        }
        assert!(!CALL.is_signed(b"secret2", &signed));
    }

    proptest! {
        #[test]
        fn canonicalisation_is_idempotent(query in "[a-zA-Z0-9%&=+ й._~-]{0,40}") {
            let once = canonical_query(&query);
            prop_assert_eq!(canonical_query(&once), once);
        }

        #[test]
        fn other_signatures_are_refused(header in "v1=[0-9a-f]{64}") {
            prop_assume!(header != CALL.signed(b"secret"));
            prop_assert!(!CALL.is_signed(b"secret", &header));
        }
    }
}

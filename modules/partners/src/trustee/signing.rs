//! Trustee signatures: HMAC-SHA512 over the fields of a flat object and the timestamp.
//!
//! Fields are sorted by name; names and values are concatenated in lower case; empty, zero, false, null and nested
//! values are skipped; `timestamp` and the Unix time in milliseconds end the text. Trustee specifies this in
//! JavaScript, so numbers are written as JavaScript writes them.

use agio_core::hex;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Map, Value};
use sha2::Sha512;

use super::number::Digits;

/// `None` if a number cannot be represented in JavaScript.
pub fn signed_text(object: &Map<String, Value>, timestamp: &str) -> Option<String> {
    let mut fields: Vec<_> = object.iter().collect();
    fields.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
    let mut text = String::new();
    for (name, value) in fields {
        if let Some(value) = scalar_text(value)? {
            text.push_str(&name.to_lowercase());
            text.push_str(&value.to_lowercase());
        }
    }
    text.push_str("timestamp");
    text.push_str(timestamp);
    Some(text)
}

/// The signed text of a value; the inner `None` means that it is skipped.
#[expect(clippy::option_option, reason = "what cannot be signed is not what need not be")]
fn scalar_text(value: &Value) -> Option<Option<String>> {
    Some(match value {
        Value::Null | Value::Array(_) | Value::Object(_) | Value::Bool(false) => None,
        Value::Bool(true) => Some("true".to_owned()),
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        Value::Number(number) => {
            let read = Digits::of(&number.to_string())?.nearest_f64()?;
            (!read.is_zero()).then(|| read.js_text())
        }
    })
}

/// Whether JavaScript represents every number exactly. The signature covers the parsed value; further digits would
/// be unsigned.
pub fn is_exact(object: &Map<String, Value>) -> bool {
    object.values().all(|value| match value {
        Value::Number(number) => Digits::of(&number.to_string()).is_some_and(|read| read.nearest_f64() == Some(read)),
        _ => true,
    })
}

pub fn signature(secret: &[u8], object: &Map<String, Value>, timestamp: &str) -> Option<String> {
    signed_text(object, timestamp).map(|text| hex::encode(keyed(secret, &text).finalize().into_bytes()))
}

/// Constant time, wherever the signature differs.
pub fn is_signed(secret: &[u8], object: &Map<String, Value>, timestamp: &str, given: &str) -> bool {
    let given = hex::decode::<64>(given);
    let text = signed_text(object, timestamp);
    // A malformed signature is compared as well, so that timing reveals nothing.
    let is_one = given.is_some() && text.is_some();
    let is_right = keyed(secret, &text.unwrap_or_default()).verify_slice(&given.unwrap_or([0; 64])).is_ok();
    is_one && is_right
}

fn keyed(secret: &[u8], text: &str) -> Hmac<Sha512> {
    Hmac::<Sha512>::new_from_slice(secret).expect("any bytes are a key").chain_update(text)
}

#[cfg(test)]
mod tests {
    use agio_core::texts::Locale;

    use super::*;

    fn object(text: &str) -> Map<String, Value> {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn the_signed_text_follows_the_specification() {
        let text = |json: &str| signed_text(&object(json), "1623850218201").unwrap();
        assert_eq!(
            text(r#"{"from":"CARDRUB","to":"BTC","fromAmount":6500}"#),
            "fromcardrubfromamount6500tobtctimestamp1623850218201"
        );
        // Values that are falsy in JavaScript and nested values are not signed.
        assert_eq!(text(r#"{"a":"","b":0,"c":-0.0,"d":false,"e":null,"f":[1],"g":{"h":1},"i":"0"}"#), "i0timestamp1623850218201");
        // Names are sorted before they are lower-cased.
        assert_eq!(text(r#"{"b":1,"B":2,"a":true}"#), "b2atrueb1timestamp1623850218201");
        assert_eq!(text(r#"{"fromAmount":0.10,"x":1e-7,"y":1.0,"z":5E21}"#), "fromamount0.1x1e-7y1z5e+21timestamp1623850218201");
    }

    #[test]
    fn inexact_numbers_are_detected() {
        assert!(is_exact(&object(r#"{"a":0.1,"b":1e-7,"c":"0.10000000000000000001","d":12345678.12345678}"#)));
        for json in [r#"{"a":0.10000000000000000001}"#, r#"{"a":9007199254740993}"#, r#"{"a":1e999}"#] {
            assert!(!is_exact(&object(json)), "{json}");
        }
        assert_eq!(signed_text(&object(r#"{"a":1e999}"#), "1"), None);
    }

    #[test]
    fn the_published_example_is_signed_as_published() {
        let order = object(r#"{"from":"BTC","to":"SBERRUB","fromAmount":0.015}"#);
        let signed = signature(b"secret", &order, "1711627200000").unwrap();
        for locale in [Locale::Ru, Locale::En] {
            let guide = crate::guide(locale);
            assert!(guide.contains(&signed_text(&order, "1711627200000").unwrap()) && guide.contains(&signed));
        }
    }

    /// Computed independently in JavaScript.
    #[test]
    fn signatures_match_javascript() {
        let order = object(r#"{"from":"CARDRUB","to":"BTC","fromAmount":6500}"#);
        let expected = "fd47206eae06f8623de444a59214386739d40b643b7ecdbccc730ca453e6fe7f\
            4bc330a2ce18f6ef250dcb411f1c7fa3a29bcbec56252c8578bca76afb212721";
        assert_eq!(signature(b"UvdvS3KF7zTFKdbGzDoIDgz7P4XDSQSBWv25crzu", &order, "1623850218201").as_deref(), Some(expected));
        let order = object(
            r#"{"from":"BTC","to":"SBERRUB","fromNetwork":"BTC","toNetwork":null,"fromAmount":5e-7,"toAmount":98123.45,
                "rateType":"FIXED","toMemo":"","extraFromFee":0,"toPaymentDetails":"2200000000000004"}"#,
        );
        let expected = "9f37d11411aecd9d21cf964682c080c23c2b1454d9d7ac0918d1d1295859a764\
            53b20d701cb58f302744eb1b19ecb2d03488dbacb4d0a9e2e9a7fc13864013fe";
        assert_eq!(signature(b"agio-secret", &order, "1711627200000").as_deref(), Some(expected));
    }

    #[test]
    fn a_signature_covers_object_time_and_secret() {
        let (order, timestamp) = (object(r#"{"id":"QCqQF7U2BTebKL3Z"}"#), "1624454742270");
        let good = signature(b"secret", &order, timestamp).unwrap();
        assert!(is_signed(b"secret", &order, timestamp, &good));
        assert!(!is_signed(b"secret2", &order, timestamp, &good));
        assert!(!is_signed(b"secret", &order, "1624454742271", &good));
        assert!(!is_signed(b"secret", &object(r#"{"id":"QCqQF7U2BTebKL3Y"}"#), timestamp, &good));
        for other in [good.to_uppercase(), format!("{good} "), good[..126].to_owned(), String::new()] {
            assert!(!is_signed(b"secret", &order, timestamp, &other), "{other}");
        }
    }
}

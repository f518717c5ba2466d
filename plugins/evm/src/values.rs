//! Values of EVM networks as JSON-RPC writes them.

use std::fmt;

pub use agio_plugin_sdk::amounts::{amount, units};
use serde_json::Value;
use sha3::{Digest as _, Keccak256};

/// Decimals of the native coin.
pub const NATIVE_DECIMALS: u32 = 18;

/// An address of 20 bytes. It is written with the checksum of EIP-55.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EvmAddress(pub [u8; 20]);

impl EvmAddress {
    /// Reads an address. Mixed case must fit the checksum; one case has none.
    pub fn parse(text: &str) -> Option<Self> {
        let address = Self(bytes(text)?.try_into().ok()?);
        let digits = text.get(2..)?;
        let is_mixed =
            digits.bytes().any(|byte| byte.is_ascii_uppercase()) && digits.bytes().any(|byte| byte.is_ascii_lowercase());
        (!is_mixed || address.to_string() == text).then_some(address)
    }

    /// The address in the last 20 bytes of a 32-byte word, as in a log.
    pub fn of_word(word: &str) -> Option<Self> {
        let word: [u8; 32] = bytes(word)?.try_into().ok()?;
        let (padding, address) = word.split_first_chunk::<12>()?;
        (*padding == [0; 12]).then(|| address.try_into().ok().map(Self)).flatten()
    }

    /// As a 32-byte word.
    pub fn word(self) -> String {
        format!("0x{:0>64}", hex(&self.0).split_off(2))
    }

    pub fn lower_case(self) -> String {
        hex(&self.0)
    }
}

impl fmt::Debug for EvmAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl fmt::Display for EvmAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = hex(&self.0).split_off(2);
        let digest = keccak(digits.as_bytes());
        formatter.write_str("0x")?;
        for (place, digit) in digits.chars().enumerate() {
            let nibble = digest[place / 2] >> (4 * (1 - place % 2)) & 15;
            write!(formatter, "{}", if nibble > 7 { digit.to_ascii_uppercase() } else { digit })?;
        }
        Ok(())
    }
}

pub fn keccak(data: &[u8]) -> [u8; 32] {
    Keccak256::digest(data).into()
}

pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 + 2 * bytes.len());
    text.push_str("0x");
    for byte in bytes {
        for nibble in [byte >> 4, byte & 15] {
            text.push(char::from_digit(nibble.into(), 16).unwrap_or_default());
        }
    }
    text
}

/// The bytes of `0x...`.
pub fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x")?.as_bytes();
    let digit = |byte: &u8| u8::try_from(char::from(*byte).to_digit(16)?).ok();
    let (pairs, rest) = digits.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect()
}

/// A hash of 32 bytes, in lower case.
pub fn hash(value: &Value) -> Option<String> {
    let text = value.as_str()?;
    (bytes(text)?.len() == 32).then(|| text.to_ascii_lowercase())
}

/// A number of at most 256 bits. What exceeds 128 bits becomes the largest number of 128 bits.
pub fn number(value: &Value) -> Option<u128> {
    let digits = value.as_str()?.strip_prefix("0x")?;
    if digits.is_empty() || digits.len() > 64 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let significant = digits.trim_start_matches('0');
    Some(if significant.is_empty() { 0 } else { u128::from_str_radix(significant, 16).unwrap_or(u128::MAX) })
}

/// A block number, nonce or another small number.
pub fn small(value: &Value) -> Option<u64> {
    u64::try_from(number(value)?).ok()
}

/// A number as JSON-RPC takes it.
pub fn quantity(number: impl Into<u128>) -> String {
    format!("{:#x}", number.into())
}

#[cfg(test)]
mod tests {
    use agio_plugin_sdk::Decimal;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn checksums_are_those_of_eip_55() {
        for text in [
            "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
            "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
            "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
            "0x52908400098527886E0F7030069857D2E4169EE7",
            "0xde709f2102306220921060314715629080e2fb77",
        ] {
            let address = EvmAddress::parse(text).unwrap();
            assert_eq!(address.to_string(), text);
            assert_eq!(EvmAddress::parse(&text.to_lowercase()), Some(address));
            assert_eq!(EvmAddress::of_word(&address.word()), Some(address));
        }
        for text in [
            "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeA",
            "0xя5aAeb6053F3E94C9b9A09f33669435E7Ef1BeA",
            "",
        ] {
            assert_eq!(EvmAddress::parse(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_beyond_bounds_are_the_largest_or_none() {
        assert_eq!(number(&json!("0x0")), Some(0));
        assert_eq!(number(&json!(format!("0x{:0>64}", "ff"))), Some(255));
        assert_eq!(number(&json!(format!("0x{}", "f".repeat(64)))), Some(u128::MAX));
        for value in [json!("0x"), json!(format!("0x{}", "0".repeat(65))), json!("12"), json!(12), json!("0x-1"), json!(null)] {
            assert_eq!(number(&value), None, "{value}");
        }
        assert_eq!(small(&json!("0x10000000000000000")), None);
        assert_eq!(amount(u128::MAX, 18).to_string(), "340282366920938463463.37460743");
        assert_eq!(amount(u128::MAX, 0), Decimal::MAX);
    }

    proptest! {
        #[test]
        fn amounts_keep_their_units(units_in in 1_u128..1 << 90, decimals in 0_u32..=28) {
            let read = amount(units_in, decimals);
            prop_assert_eq!(units(read, decimals), Some(units_in));
        }

        #[test]
        fn what_is_written_can_be_read(data in proptest::collection::vec(any::<u8>(), 0..64), any_number: u128) {
            prop_assert_eq!(bytes(&hex(&data)), Some(data));
            prop_assert_eq!(number(&json!(quantity(any_number))), Some(any_number));
        }
    }
}

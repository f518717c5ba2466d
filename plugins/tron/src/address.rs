//! Addresses: the twenty bytes that an account of Ethereum has, after the byte 0x41.

use agio_plugin_evm::values::{EvmAddress, bytes, hex};

/// The first byte of every address.
pub const PREFIX: u8 = 0x41;

/// As people write it: base58 with a checksum.
pub fn encode(address: EvmAddress) -> String {
    bs58::encode(prefixed(address)).with_check().into_string()
}

/// Reads what [`encode`] writes.
pub fn decode(text: &str) -> Option<EvmAddress> {
    of_bytes(&bs58::decode(text).with_check(None).into_vec().ok()?)
}

/// As nodes write it: 42 hexadecimal digits.
pub fn to_hex(address: EvmAddress) -> String {
    hex(&prefixed(address)).split_off(2)
}

/// Reads what [`to_hex`] writes.
pub fn of_hex(digits: &str) -> Option<EvmAddress> {
    of_bytes(&bytes(&format!("0x{digits}"))?)
}

/// As transactions contain it.
pub fn prefixed(address: EvmAddress) -> [u8; 21] {
    let mut bytes = [PREFIX; 21];
    bytes[1..].copy_from_slice(&address.0);
    bytes
}

fn of_bytes(bytes: &[u8]) -> Option<EvmAddress> {
    let (prefix, address) = bytes.split_first()?;
    (*prefix == PREFIX).then_some(EvmAddress(address.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use agio_plugin_evm::keys::{DepositChain, address_of, signing_key};
    use proptest::prelude::*;

    use super::*;

    /// The first addresses of the phrase "abandon … about" at `m/44'/195'/0'/0`, as TronLink, Ledger and others show them.
    const XPUB: &str =
        "xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd";
    const PHRASE: &str = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";
    const FIRST: &str = "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH";

    #[test]
    fn known_addresses_are_read_and_written() {
        let usdt = decode("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t").unwrap();
        assert_eq!(to_hex(usdt), "41a614f803b6fd780986a42c78ec9c7f77e6ded13c");
        assert_eq!(of_hex("41a614f803b6fd780986a42c78ec9c7f77e6ded13c"), Some(usdt));
        assert_eq!(encode(usdt), "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t");
        assert_eq!(encode(address_of(signing_key(PHRASE, 195).unwrap().verifying_key())), FIRST);
        for text in [
            "",
            "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u",
            "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
            "41a614f803b6fd780986a42c78ec9c7f77e6ded13c",
            "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t ",
        ] {
            assert_eq!(decode(text), None, "{text}");
        }
        for digits in ["", "a614f803b6fd780986a42c78ec9c7f77e6ded13c", "42a614f803b6fd780986a42c78ec9c7f77e6ded13c", "41a6"] {
            assert_eq!(of_hex(digits), None, "{digits}");
        }
    }

    #[test]
    fn an_extended_public_key_has_the_addresses_of_the_phrase() {
        let chain = DepositChain::parse(XPUB).unwrap();
        let addresses: Vec<_> = (0..3).map(|index| encode(chain.address(index).unwrap())).collect();
        assert_eq!(addresses, [FIRST, "TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK", "TYJPRrdB5APNeRs4R7fYZSwW3TcrTKw2gx"]);
    }

    proptest! {
        #[test]
        fn every_address_is_read_as_it_was_written(bytes: [u8; 20]) {
            let address = EvmAddress(bytes);
            prop_assert!(encode(address).starts_with('T') && encode(address).len() == 34);
            prop_assert_eq!(decode(&encode(address)), Some(address));
            prop_assert_eq!(of_hex(&to_hex(address)), Some(address));
        }

        #[test]
        fn a_typing_error_is_no_address(bytes: [u8; 20], place in 0_usize..34, letter in "[1-9A-HJ-NP-Za-km-z]") {
            let text = encode(EvmAddress(bytes));
            let mut other = text.clone();
            other.replace_range(place..=place, &letter);
            prop_assume!(other != text);
            prop_assert_eq!(decode(&other), None);
        }

        #[test]
        fn no_text_breaks_the_reader(text in ".{0,60}") {
            let _ = (decode(&text), of_hex(&text));
        }
    }
}

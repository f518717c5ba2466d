//! Bitcoin Cash addresses: CashAddr, with its 40-bit checksum over the prefix and the data.

use std::ops::RangeInclusive;

use crate::{
    kind::RequisiteKind,
    utxo,
    validation::{CheckResult, RequisiteRefusal, ValidRequisite},
};

const ALPHABET: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const MAINNET: &str = "bitcoincash";
const TESTNETS: [&str; 2] = ["bchtest", "bchreg"];

/// Longest address without prefix: 64 bytes of hash, a version byte and the checksum, in groups of five bits.
const LONGEST: usize = 112;

/// Checks a CashAddr address, with or without its prefix. The normal form has the prefix and is in lower case.
///
/// The older base58 form is the same text as a Bitcoin address. It is refused: nothing in it tells which of the two coins the customer's wallet is for.
pub(crate) fn check(value: &str) -> CheckResult {
    if utxo::BITCOIN.check(value).is_ok_and(|bitcoin| !bitcoin.value.starts_with("bc1")) {
        return Err(RequisiteRefusal::of("ambiguous", RequisiteKind::Btc));
    }
    let (data, symbols) = checked(value, MAINNET, &TESTNETS, 14..=LONGEST)?;
    refuse_unknown_version(&symbols)?;
    ValidRequisite::plain(format!("{MAINNET}:{data}"))
}

/// The data of a main network's address and its groups of five bits, of which there have to be so many. The prefix may be left out.
pub(crate) fn checked(
    value: &str,
    main_network: &str,
    testnets: &[&str],
    length: RangeInclusive<usize>,
) -> Result<(String, Vec<u8>), RequisiteRefusal> {
    if value.bytes().any(|b| b.is_ascii_lowercase()) && value.bytes().any(|b| b.is_ascii_uppercase()) {
        return Err(RequisiteRefusal::new("mixed_case"));
    }
    let lower = value.to_ascii_lowercase();
    let (prefix, data) = lower.split_once(':').unwrap_or(("", &lower));
    let symbols = symbols_of(data, length)?;
    let holds_for = |candidate: &str| (prefix.is_empty() || prefix == candidate) && checksum(candidate, &symbols) == 0;
    if testnets.iter().any(|testnet| holds_for(testnet)) {
        return Err(RequisiteRefusal::new("testnet"));
    }
    if !holds_for(main_network) {
        return Err(RequisiteRefusal::new("bad_checksum"));
    }
    Ok((data.to_owned(), symbols))
}

/// Groups of five bits of a text, which has to be this long.
fn symbols_of(data: &str, length: RangeInclusive<usize>) -> Result<Vec<u8>, RequisiteRefusal> {
    if !length.contains(&data.len()) {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    data.bytes().map(|byte| symbol_of(byte).ok_or(RequisiteRefusal::new("bad_characters"))).collect()
}

fn symbol_of(byte: u8) -> Option<u8> {
    ALPHABET.iter().position(|&b| b == byte).and_then(|index| u8::try_from(index).ok())
}

/// Checksum of prefix and data with its own eight symbols: zero when they agree.
fn checksum(prefix: &str, symbols: &[u8]) -> u64 {
    const GENERATORS: [u64; 5] = [0x98_f2bc_8e61, 0x79_b76d_99e2, 0xf3_3e5f_b3c4, 0xae_2eab_e2a8, 0x1e_4f43_e470];
    let prefix_symbols = prefix.bytes().map(|byte| byte & 0x1f);
    let all = prefix_symbols.chain(std::iter::once(0)).chain(symbols.iter().copied());
    let remainder = all.fold(1u64, |state, symbol| {
        let top = state >> 35;
        let shifted = ((state & 0x07_ffff_ffff) << 5) ^ u64::from(symbol);
        GENERATORS.iter().enumerate().filter(|(bit, _)| top >> bit & 1 == 1).fold(shifted, |sum, (_, generator)| sum ^ generator)
    });
    remainder ^ 1
}

/// The version byte says what the hash is of and how long it is: a key hash or a script hash, 20 bytes; a script hash may also have 32.
fn refuse_unknown_version(symbols: &[u8]) -> Result<(), RequisiteRefusal> {
    let payload = &symbols[..symbols.len() - 8];
    let version = payload.iter().take(2).fold(0u16, |bits, &symbol| bits << 5 | u16::from(symbol)) >> 2;
    let hash_bits = (payload.len() * 5).saturating_sub(8);
    let (hash_length, padding_length) = (hash_bits / 8, hash_bits % 8);
    let padding = payload.last().map_or(0, |last| last & ((1 << padding_length.min(5)) - 1));
    if padding_length > 4 || padding != 0 {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    match (version, hash_length) {
        (0b0000_0000 | 0b0000_1000, 20) | (0b0000_1011, 32) => Ok(()),
        _ => Err(RequisiteRefusal::new("unsupported_version")),
    }
}

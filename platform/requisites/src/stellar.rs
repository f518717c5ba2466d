//! Stellar: strkey accounts (SEP-23) and memos.

use crc::{CRC_16_XMODEM, Crc};

use crate::{
    payees, text,
    validation::{CheckResult, RequisiteRefusal, ValidRequisite},
};

const CRC: Crc<u16> = Crc::<u16>::new(&CRC_16_XMODEM);
const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

const ACCOUNT: u8 = 6 << 3;
const SECRET_SEED: u8 = 18 << 3;
const CONTRACT: u8 = 2 << 3;

/// Characters of a strkey over 32 bytes: 35 bytes in base32 without padding. A muxed account has 69.
const LENGTH: usize = 56;
const MUXED_LENGTH: usize = 69;

/// Longest text memo, in bytes of UTF-8.
const LONGEST_MEMO: usize = 28;

/// Checks a `G…` account. Muxed `M…` accounts are refused: few wallets send to them, so the memo is asked for separately.
pub(crate) fn check(value: &str) -> CheckResult {
    if value.len() == MUXED_LENGTH && value.starts_with('M') {
        return Err(RequisiteRefusal::new("unsupported_version"));
    }
    match version_of(value)? {
        ACCOUNT => {
            payees::refuse(payees::XLM, value)?;
            ValidRequisite::plain(value)
        }
        CONTRACT => Err(RequisiteRefusal::new("contract_address")),
        SECRET_SEED => Err(RequisiteRefusal::new("secret_key")),
        _ => Err(RequisiteRefusal::new("unsupported_version")),
    }
}

/// Whether the text is a secret seed `S…`.
pub(crate) fn is_secret_seed(value: &str) -> bool {
    version_of(value).is_ok_and(|version| version == SECRET_SEED)
}

/// Checks a memo: a text of at most 28 bytes; one of digits alone is sent as an id, which has 64 bits.
pub(crate) fn check_memo(value: &str) -> CheckResult {
    if value.bytes().all(|b| b.is_ascii_digit()) && value.parse::<u64>().is_err() {
        return Err(RequisiteRefusal::new("out_of_range"));
    }
    if value.len() > LONGEST_MEMO {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    text::check_memo(value)
}

/// Version byte of a strkey whose checksum is right.
fn version_of(value: &str) -> Result<u8, RequisiteRefusal> {
    if value.len() != LENGTH {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    let symbols: Option<Vec<u64>> = value.bytes().map(symbol_of).collect();
    let symbols = symbols.ok_or(RequisiteRefusal::new("bad_characters"))?;
    let five_bytes = |eight: &[u64]| {
        let [_, _, _, bytes @ ..] = eight.iter().fold(0, |bits, symbol| bits << 5 | symbol).to_be_bytes();
        bytes
    };
    let bytes: Vec<u8> = symbols.chunks(8).flat_map(five_bytes).collect();
    let (body, stated) = bytes.split_at(33);
    if CRC.checksum(body).to_le_bytes() != stated {
        return Err(RequisiteRefusal::new("bad_checksum"));
    }
    Ok(body[0])
}

fn symbol_of(byte: u8) -> Option<u64> {
    ALPHABET.iter().position(|&b| b == byte).and_then(|index| u64::try_from(index).ok())
}

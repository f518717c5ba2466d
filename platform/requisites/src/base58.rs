//! Base58 and base58check, in Bitcoin's alphabet and in the XRP Ledger's.

use bs58::{Alphabet, decode::Error};

use crate::validation::RequisiteRefusal;

/// Longest base58 text decoded, in characters. Decoding takes time quadratic in the length.
const LONGEST: usize = 128;

/// Bytes of a base58 text without checksum.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, RequisiteRefusal> {
    bounded(text)?;
    bs58::decode(text).into_vec().map_err(refusal)
}

/// Version and payload of a base58check text, without its four checksum bytes. At least one byte.
pub(crate) fn decode_check(text: &str) -> Result<Vec<u8>, RequisiteRefusal> {
    decode_check_in(Alphabet::BITCOIN, text)
}

/// The same in the alphabet of the XRP Ledger.
pub(crate) fn decode_check_xrp(text: &str) -> Result<Vec<u8>, RequisiteRefusal> {
    decode_check_in(Alphabet::RIPPLE, text)
}

fn decode_check_in(alphabet: &Alphabet, text: &str) -> Result<Vec<u8>, RequisiteRefusal> {
    bounded(text)?;
    let bytes = bs58::decode(text).with_alphabet(alphabet).with_check(None).into_vec().map_err(refusal)?;
    if bytes.is_empty() { Err(RequisiteRefusal::new("bad_length")) } else { Ok(bytes) }
}

fn bounded(text: &str) -> Result<(), RequisiteRefusal> {
    if text.len() > LONGEST { Err(RequisiteRefusal::new("bad_length")) } else { Ok(()) }
}

fn refusal(error: Error) -> RequisiteRefusal {
    RequisiteRefusal::new(match error {
        Error::InvalidCharacter { .. } | Error::NonAsciiCharacter { .. } => "bad_characters",
        Error::InvalidChecksum { .. } => "bad_checksum",
        _ => "bad_length",
    })
}

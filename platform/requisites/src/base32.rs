//! Base32 of RFC 4648 without padding.

use crate::validation::RequisiteRefusal;

const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Bytes of a text in capitals. Bits of the last character that belong to no byte have to be zero, or two texts would be one address.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, RequisiteRefusal> {
    let mut bytes = Vec::with_capacity(text.len() * 5 / 8);
    let (mut bits, mut count) = (0u32, 0);
    for symbol in text.bytes() {
        bits = bits << 5 | symbol_of(symbol)?;
        count += 5;
        if count >= 8 {
            count -= 8;
            let [.., byte] = (bits >> count).to_be_bytes();
            bytes.push(byte);
            bits &= (1 << count) - 1;
        }
    }
    if bits == 0 { Ok(bytes) } else { Err(RequisiteRefusal::new("bad_checksum")) }
}

fn symbol_of(byte: u8) -> Result<u32, RequisiteRefusal> {
    let index = ALPHABET.iter().position(|&symbol| symbol == byte).and_then(|index| u32::try_from(index).ok());
    index.ok_or(RequisiteRefusal::new("bad_characters"))
}

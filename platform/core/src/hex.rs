//! Hexadecimal text of digests, secrets and signatures, in lower case.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

#[must_use]
pub fn encode(bytes: impl AsRef<[u8]>) -> String {
    let bytes = bytes.as_ref();
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.extend([byte >> 4, byte & 15].map(|digit| char::from(DIGITS[usize::from(digit)])));
    }
    text
}

/// The `N` bytes of a text that [`encode`] wrote. Upper case is refused, so that there is one spelling.
#[must_use]
pub fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    decode_all(text)?.try_into().ok()
}

/// The same for any number of bytes.
#[must_use]
pub fn decode_all(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| DIGITS.iter().position(|digit| *digit == byte).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return None };
    pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_has_one_spelling() {
        assert_eq!(encode([0x00, 0x0f, 0xa5, 0xff]), "000fa5ff");
        assert_eq!(decode("000fa5ff"), Some([0x00, 0x0f, 0xa5, 0xff]));
        for byte in 0..=u8::MAX {
            assert_eq!(decode(&encode([byte])), Some([byte]));
        }
        for wrong in ["000FA5FF", "000fa5f", "000fa5ff00", "000fa5fg", "+00fa5ff", "", "жжжж"] {
            assert_eq!(decode::<4>(wrong), None, "{wrong}");
        }
    }
}

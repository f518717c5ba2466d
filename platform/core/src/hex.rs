//! Bytes in hexadecimal, as digests, secrets and signatures are written: two figures or small letters each.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// The bytes as text.
#[must_use]
pub fn encode(bytes: impl AsRef<[u8]>) -> String {
    let bytes = bytes.as_ref();
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.extend([byte >> 4, byte & 15].map(|digit| char::from(DIGITS[usize::from(digit)])));
    }
    text
}

/// The `N` bytes in the text, if it is what [`encode`] makes of so many; capitals are none of it, so that bytes are written in one way.
#[must_use]
pub fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |letter: u8| DIGITS.iter().position(|digit| *digit == letter).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return None };
    let pairs: &[[u8; 2]; N] = pairs.try_into().ok()?;
    let mut bytes = [0; N];
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_in_one_way() {
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

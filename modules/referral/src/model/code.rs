//! The code in a referrer's link.

/// What codes are made of: nothing that is taken for something else when it is read aloud or typed from paper.
const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/// How long a code is: with 40 bits nobody finds others' codes by trying.
const LENGTH: usize = 8;

/// The code of eight random bytes; each letter is as likely as any other.
#[must_use]
pub fn code_of(random: [u8; LENGTH]) -> String {
    random.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect()
}

/// A code as it is stored, however it was typed; nothing where it cannot be one.
#[must_use]
pub fn normal_code(typed: &str) -> Option<String> {
    let typed = typed.trim();
    let code = typed.to_ascii_uppercase();
    (code.len() == LENGTH && code.bytes().all(|byte| ALPHABET.contains(&byte))).then_some(code)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_code_reads_as_itself(random: [u8; LENGTH]) {
            let code = code_of(random);
            prop_assert_eq!(normal_code(&format!(" {}\n", code.to_lowercase())), Some(code));
        }

        #[test]
        fn whatever_is_typed_is_read(typed: String) {
            let _ = normal_code(&typed);
        }
    }

    #[test]
    fn what_cannot_be_a_code_is_none() {
        for typed in ["", "ABCDEFG", "ABCDEFGHJ", "ABCDEFG0", "ABCDEFGI", "АBCDEFGH"] {
            assert_eq!(normal_code(typed), None, "{typed}");
        }
    }
}

//! Referral codes.

/// Without characters that are easily confused.
const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/// 40 bits, so codes cannot be guessed.
const LENGTH: usize = 8;

/// Every character is equally likely.
pub fn code_of(random: [u8; LENGTH]) -> String {
    random.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect()
}

/// Normalises user input; `None` if it cannot be a code.
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
        fn codes_round_trip(random: [u8; LENGTH]) {
            let code = code_of(random);
            prop_assert_eq!(normal_code(&format!(" {}\n", code.to_lowercase())), Some(code));
        }

        #[test]
        fn any_input_is_accepted_without_panic(typed: String) {
            let _ = normal_code(&typed);
        }
    }

    #[test]
    fn invalid_codes_are_refused() {
        for typed in ["", "ABCDEFG", "ABCDEFGHJ", "ABCDEFG0", "ABCDEFGI", "АBCDEFGH"] {
            assert_eq!(normal_code(typed), None, "{typed}");
        }
    }
}

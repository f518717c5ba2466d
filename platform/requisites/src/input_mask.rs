//! Input masks: the form in which free text is typed and stored.

/// Longest input mask, in characters.
pub const INPUT_MASK_MAX: usize = 60;

/// What stands for what in a mask.
const DIGIT: char = '#';
const LETTER: char = '@';
const EITHER: char = '*';

/// The form of a value: `#` stands for a digit, `@` for a Latin letter, `*` for either, and every other character for
/// itself. `openapi/vectors/masks.json` lists what it makes of what is typed; the site formats by the same vectors.
#[derive(Clone, Debug)]
pub struct InputMask(String);

impl InputMask {
    /// # Errors
    /// `mask_invalid` if it has nothing to fill in, a control character, or space at an end; `mask_too_long`.
    pub fn new(mask: &str) -> Result<Self, &'static str> {
        if mask.chars().count() > INPUT_MASK_MAX {
            return Err("mask_too_long");
        }
        let is_form = mask.contains([DIGIT, LETTER, EITHER]) && mask == mask.trim() && !mask.contains(char::is_control);
        if is_form { Ok(Self(mask.to_owned())) } else { Err("mask_invalid") }
    }

    /// What was typed in the form of the mask. Separators may be typed or left out. `None` if it does not fill the mask.
    pub fn fill(&self, typed: &str) -> Option<String> {
        let mut filled = String::with_capacity(self.0.len());
        let mut rest = typed.chars().filter(|sign| !sign.is_whitespace()).peekable();
        for place in self.0.chars() {
            let fits = |sign: &char| match place {
                DIGIT => sign.is_ascii_digit(),
                LETTER => sign.is_ascii_alphabetic(),
                EITHER => sign.is_ascii_alphanumeric(),
                _ => *sign == place,
            };
            let is_blank = matches!(place, DIGIT | LETTER | EITHER);
            if is_blank || place.is_alphanumeric() {
                while rest.next_if(|sign| !sign.is_alphanumeric()).is_some() {}
            }
            let sign = rest.next_if(fits);
            filled.push(if is_blank { sign? } else { place });
        }
        rest.all(|sign| !sign.is_alphanumeric()).then_some(filled)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Vector {
        mask: String,
        typed: String,
        /// Absent where the mask is not filled.
        filled: Option<String>,
    }

    #[test]
    fn masks_make_of_what_is_typed_what_the_vectors_list() {
        let vectors: Vec<Vector> = serde_json::from_str(include_str!("../../../openapi/vectors/masks.json")).expect("a list");
        for Vector { mask, typed, filled } in vectors {
            let made = InputMask::new(&mask).expect("a mask").fill(&typed);
            assert_eq!(made, filled, "{typed:?} in {mask:?}");
        }
    }

    #[test]
    fn a_mask_has_something_to_fill_in() {
        let long = "#".repeat(INPUT_MASK_MAX + 1);
        for (mask, refusal) in [
            ("", "mask_invalid"),
            ("+7 (9", "mask_invalid"),
            (" ##", "mask_invalid"),
            ("#\t#", "mask_invalid"),
            (&long, "mask_too_long"),
        ] {
            assert_eq!(InputMask::new(mask).err(), Some(refusal), "{mask:?}");
        }
    }

    proptest! {
        /// Stored values are read again when a claim is repeated.
        #[test]
        fn a_filled_mask_fills_the_mask_as_it_is(mask in "[#@*A7 ./()-]{0,12}#[#@*A7 ./()-]{0,11}#", typed in "[a-c0-9 .-]{0,30}") {
            if let Some(filled) = InputMask::new(mask.trim()).expect("it has a digit").fill(&typed) {
                prop_assert_eq!(InputMask::new(mask.trim()).unwrap().fill(&filled), Some(filled));
            }
        }
    }
}

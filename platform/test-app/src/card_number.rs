//! Valid card numbers.

/// A valid Mir card number. Seeds below 10^10 give different numbers.
pub fn card_number(seed: u64) -> String {
    let digits = format!("22000{:010}", seed % 10_000_000_000);
    let double = |digit: u32| digit * 2 / 10 + digit * 2 % 10;
    let values = digits.bytes().rev().map(|digit| u32::from(digit - b'0')).enumerate();
    let sum: u32 = values.map(|(index, digit)| if index % 2 == 0 { double(digit) } else { digit }).sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}

/// The card number of a customer: the same one for the same text, such as an email address.
pub fn card_number_of(owner: &str) -> String {
    card_number(owner.bytes().fold(7, |seed, byte| (seed * 131 + u64::from(byte)) % 1_000_000_000))
}

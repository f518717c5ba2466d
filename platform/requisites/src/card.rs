//! Payment card numbers: scheme by first digits, length and Luhn checksum.

use crate::validation::{CheckResult, RequisiteRefusal, ValidRequisite};

/// First digits from and to (of equal length), and the lengths of whole numbers that begin so.
type Range = (&'static str, &'static str, &'static [usize]);

/// Ranges of the schemes met where rubles, tenge, soms, hryvnias, drams, euros and dollars are exchanged.
const RANGES: [Range; 26] = [
    // Mir.
    ("2200", "2204", &[16, 17, 18, 19]),
    // Mastercard.
    ("51", "55", &[16]),
    ("2221", "2720", &[16]),
    // Visa.
    ("4", "4", &[13, 16, 19]),
    // American Express.
    ("34", "34", &[15]),
    ("37", "37", &[15]),
    // Diners Club.
    ("300", "305", &[14, 16]),
    ("3095", "3095", &[14, 16]),
    ("36", "36", &[14, 16]),
    ("38", "39", &[14, 16]),
    // JCB.
    ("3528", "3589", &[16, 17, 18, 19]),
    // Discover.
    ("6011", "6011", &[16, 17, 18, 19]),
    ("644", "649", &[16, 17, 18, 19]),
    ("65", "65", &[16, 17, 18, 19]),
    // UnionPay.
    ("62", "62", &[16, 17, 18, 19]),
    ("81", "81", &[16, 17, 18, 19]),
    // Maestro.
    ("50", "50", &[13, 14, 15, 16, 17, 18, 19]),
    ("56", "58", &[13, 14, 15, 16, 17, 18, 19]),
    ("63", "63", &[13, 14, 15, 16, 17, 18, 19]),
    ("67", "67", &[13, 14, 15, 16, 17, 18, 19]),
    // Uzcard, Humo, Belkart, ArCa, Elcart, Troy.
    ("8600", "8600", &[16]),
    ("9860", "9860", &[16]),
    ("9112", "9112", &[16]),
    ("9051", "9051", &[16]),
    ("9417", "9417", &[16]),
    ("9792", "9792", &[16]),
];

/// Checks a card number. The normal form is digits alone.
pub(crate) fn check(value: &str) -> CheckResult {
    if !value.bytes().all(|b| b.is_ascii_digit()) {
        return Err(RequisiteRefusal::new("bad_characters"));
    }
    if !(13..=19).contains(&value.len()) {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    let (_, _, lengths) = RANGES.iter().find(|range| begins_in(value, range)).ok_or(RequisiteRefusal::new("unknown_card"))?;
    if !lengths.contains(&value.len()) {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    if luhn_holds(value) { ValidRequisite::plain(value) } else { Err(RequisiteRefusal::new("card_checksum")) }
}

fn begins_in(value: &str, (from, to, _): &Range) -> bool {
    let beginning = &value[..from.len()];
    (*from..=*to).contains(&beginning)
}

/// From the right, every second digit counts double (its own digits added); the sum is divisible by ten.
fn luhn_holds(value: &str) -> bool {
    let digits = value.bytes().rev().map(|b| u32::from(b - b'0'));
    let sum: u32 =
        digits.enumerate().map(|(index, digit)| if index % 2 == 1 { digit * 2 / 10 + digit * 2 % 10 } else { digit }).sum();
    sum.is_multiple_of(10)
}

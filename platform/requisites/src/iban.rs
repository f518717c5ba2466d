//! International bank account numbers, ISO 13616.

use crate::validation::{CheckResult, RequisiteRefusal, ValidRequisite};

/// Country code and what follows the check digits, in the SWIFT registry's notation: `4a14n` is four letters and fourteen digits, `c` is either.
#[rustfmt::skip]
const STRUCTURES: [(&str, &str); 89] = [
    ("AD", "8n12c"), ("AE", "19n"), ("AL", "8n16c"), ("AT", "16n"), ("AZ", "4a20c"), ("BA", "16n"),
    ("BE", "12n"), ("BG", "4a6n8c"), ("BH", "4a14c"), ("BI", "23n"), ("BR", "23n1a1c"), ("BY", "4c4n16c"),
    ("CH", "5n12c"), ("CR", "18n"), ("CY", "8n16c"), ("CZ", "20n"), ("DE", "18n"), ("DJ", "23n"),
    ("DK", "14n"), ("DO", "4c20n"), ("EE", "16n"), ("EG", "25n"), ("ES", "20n"), ("FI", "14n"),
    ("FK", "2a12n"), ("FO", "14n"), ("FR", "10n11c2n"), ("GB", "4a14n"), ("GE", "2a16n"), ("GI", "4a15c"),
    ("GL", "14n"), ("GR", "7n16c"), ("GT", "24c"), ("HN", "4a20n"), ("HR", "17n"), ("HU", "24n"),
    ("IE", "4a14n"), ("IL", "19n"), ("IQ", "4a15n"), ("IS", "22n"), ("IT", "1a10n12c"), ("JO", "4a4n18c"),
    ("KW", "4a22c"), ("KZ", "3n13c"), ("LB", "4n20c"), ("LC", "4a24c"), ("LI", "5n12c"), ("LT", "16n"),
    ("LU", "3n13c"), ("LV", "4a13c"), ("LY", "21n"), ("MC", "10n11c2n"), ("MD", "20c"), ("ME", "18n"),
    ("MK", "3n10c2n"), ("MN", "16n"), ("MR", "23n"), ("MT", "4a5n18c"), ("MU", "4a19n3a"), ("NI", "4a20n"),
    ("NL", "4a10n"), ("NO", "11n"), ("OM", "3n16c"), ("PK", "4a16c"), ("PL", "24n"), ("PS", "4a21c"),
    ("PT", "21n"), ("QA", "4a21c"), ("RO", "4a16c"), ("RS", "18n"), ("RU", "14n15c"), ("SA", "2n18c"),
    ("SC", "4a20n3a"), ("SD", "14n"), ("SE", "20n"), ("SI", "15n"), ("SK", "20n"), ("SM", "1a10n12c"),
    ("SO", "19n"), ("ST", "21n"), ("SV", "4a20n"), ("TL", "19n"), ("TN", "20n"), ("TR", "6n16c"),
    ("UA", "6n19c"), ("VA", "18n"), ("VG", "4a16n"), ("XK", "16n"), ("YE", "4a4n18c"),
];

/// Checks country, length, structure and check digits. The normal form is in capitals without spaces.
///
/// The check digits see every slip between digits or between letters; one between a digit and a letter they miss once in 97, so the structure matters.
pub(crate) fn check(value: &str) -> CheckResult {
    let iban = value.to_ascii_uppercase();
    if !iban.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Err(RequisiteRefusal::new("bad_characters"));
    }
    let country = iban.get(..2).ok_or(RequisiteRefusal::new("bad_length"))?;
    let (_, structure) = STRUCTURES.iter().find(|(code, _)| *code == country).ok_or(RequisiteRefusal::new("unknown_country"))?;
    let classes: Vec<char> = classes_of(structure).collect();
    let digits_and_account = &iban[2..];
    if digits_and_account.len() != classes.len() {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    if !digits_and_account.chars().zip(classes).all(|(c, class)| fits(c, class)) {
        return Err(RequisiteRefusal::new("bad_characters"));
    }
    if remainder(&iban) == 1 { ValidRequisite::plain(iban) } else { Err(RequisiteRefusal::new("iban_checksum")) }
}

/// The class of every character after the country code: two check digits, then the structure spelled out.
fn classes_of(structure: &str) -> impl Iterator<Item = char> {
    let groups = structure.split_inclusive(|c: char| c.is_ascii_alphabetic());
    let spelled = groups.flat_map(|group| {
        let (count, class) = group.split_at(group.len() - 1);
        let count = count.parse().expect("a group of the registry's notation begins with a number");
        class.chars().cycle().take(count)
    });
    ['n', 'n'].into_iter().chain(spelled)
}

fn fits(c: char, class: char) -> bool {
    match class {
        'n' => c.is_ascii_digit(),
        'a' => c.is_ascii_uppercase(),
        _ => c.is_ascii_alphanumeric(),
    }
}

/// Remainder by 97 of the number that stands when the first four characters move to the end and letters become 10 to 35.
fn remainder(iban: &str) -> u32 {
    let moved = iban[4..].chars().chain(iban[..4].chars());
    moved.filter_map(|c| c.to_digit(36)).fold(0, |sum, digit| {
        let shift = if digit < 10 { 10 } else { 100 };
        (sum * shift + digit) % 97
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_structure_spells_out_to_a_length_the_standard_allows() {
        for (country, structure) in STRUCTURES {
            assert!((13..=32).contains(&classes_of(structure).count()), "{country} {structure}");
        }
    }
}

//! Display forms: masked, or grouped for reading.

use crate::kind::RequisiteKind;

const DOTS: &str = "••••";

/// Minimum number of hidden characters.
const HIDDEN_MIN: usize = 5;

/// Masks a value: `2202 •••• 4276`, `bc1q…3t4`, `+7 •••• 67`, `i••••@example.com`.
///
/// Works on any text, valid or not. At least five characters are hidden; shorter values are hidden completely.
pub fn mask(kind: RequisiteKind, value: &str) -> String {
    match kind {
        RequisiteKind::Card | RequisiteKind::Iban | RequisiteKind::AccountRu => ends(value, 4, 4, " •••• "),
        RequisiteKind::Phone => ends(value, 2, 2, " •••• "),
        RequisiteKind::Email => mask_email(value),
        RequisiteKind::Holder => value.split_whitespace().map(initial).collect::<Vec<_>>().join(" "),
        RequisiteKind::Memo | RequisiteKind::Tag | RequisiteKind::Text => ends(value, 0, 2, DOTS),
        _ => ends(value, 4, 3, "…"),
    }
}

/// The first and last characters with `between` in place of the rest, or nothing but dots.
fn ends(value: &str, first: usize, last: usize, between: &str) -> String {
    let characters: Vec<char> = value.chars().collect();
    if characters.len() < first + last + HIDDEN_MIN {
        return DOTS.to_owned();
    }
    let head: String = characters[..first].iter().collect();
    let tail: String = characters[characters.len() - last..].iter().collect();
    format!("{head}{between}{tail}")
}

fn mask_email(value: &str) -> String {
    match value.rsplit_once('@') {
        Some((local, domain)) => format!("{}@{domain}", initial(local)),
        None => DOTS.to_owned(),
    }
}

fn initial(word: &str) -> String {
    word.chars().next().map_or_else(String::new, |first| format!("{first}{DOTS}"))
}

/// Groups a value in normal form for reading: cards and IBANs in fours, `+7 999 123-45-67`, `40817 810 0 9991 0004312`. Other kinds stay as they are.
pub fn group_for_reading(kind: RequisiteKind, value: &str) -> String {
    match kind {
        RequisiteKind::Card | RequisiteKind::Iban => grouped(value, &[4; 9], " "),
        RequisiteKind::Phone if value.is_ascii() && value.starts_with("+7") && value.len() == 12 => {
            let (country_and_area, number) = value.split_at(5);
            format!("{} {}", grouped(country_and_area, &[2, 3], " "), grouped(number, &[3, 2, 2], "-"))
        }
        RequisiteKind::AccountRu => match value.split_once('/') {
            Some((account, bic)) => format!("{} / {bic}", grouped(account, &[5, 3, 1, 4, 7], " ")),
            None => grouped(value, &[5, 3, 1, 4, 7], " "),
        },
        _ => value.to_owned(),
    }
}

/// Splits the text into groups of the given sizes; the rest is the last group.
fn grouped(value: &str, sizes: &[usize], separator: &str) -> String {
    let mut rest = value.chars().peekable();
    let mut groups: Vec<String> = sizes.iter().map(|&size| rest.by_ref().take(size).collect()).collect();
    groups.push(rest.collect());
    groups.retain(|group| !group.is_empty());
    groups.join(separator)
}

//! Payeer accounts: a P and seven to twelve digits.
//!
//! Customers copy them with spaces, in small letters, or with the Cyrillic letter that looks like a P. All of that says which account is meant, and the
//! account is kept as Payeer writes it. There are no check digits: a slip in a digit is another account.

use agio_plugin::Plugin;
use agio_plugin::protocol::{Answer, Call, Checked, Kind, Limits, Manifest, Question, Refusal, Requisite, Step, Words};

/// The currencies that are sent to such accounts.
const CURRENCIES: [&str; 3] = ["PRUSD", "PREUR", "PRRUB"];

/// Letters people write for the P.
const LETTERS: [char; 4] = ['P', 'p', 'Р', 'р'];

/// Payeer.
#[derive(Default)]
pub struct Payeer;

#[cfg(feature = "library")]
agio_plugin::export!(Payeer);

impl Plugin for Payeer {
    fn manifest(&self) -> Manifest {
        Manifest {
            name: "payeer".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kind: Kind::Requisites,
            title: Words::new("Счета Payeer", "Payeer accounts"),
            about: Words::new("Проверяет номера счетов Payeer.", "Checks numbers of Payeer accounts."),
            hosts: Vec::new(),
            settings: Vec::new(),
            limits: Limits::default(),
            features: Vec::new(),
        }
    }

    fn handle(&self, question: &Question) -> Step {
        match &question.call {
            Call::Check(requisite) if CURRENCIES.contains(&requisite.currency.as_str()) => {
                Step::Done(Answer::Checked(checked(requisite)))
            }
            Call::Check(_) => Step::Refused(Refusal::never("not_mine", "the currency is not sent to Payeer accounts")),
            _ => Step::Refused(Refusal::never("not_asked", "this plugin does not answer such questions")),
        }
    }
}

fn checked(requisite: &Requisite) -> Checked {
    let bad = |ru, en| Checked::Bad { why: Words::new(ru, en) };
    let typed: String = requisite.value.chars().filter(|character| !character.is_whitespace()).collect();
    let Some(number) = typed.strip_prefix(LETTERS) else {
        return bad("Номер счёта Payeer начинается с буквы P.", "The number of a Payeer account begins with the letter P.");
    };
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return bad(
            "После буквы P в номере счёта Payeer только цифры.",
            "After the letter P, the number of a Payeer account has digits alone.",
        );
    }
    if !(7..=12).contains(&number.len()) {
        return bad(
            "В номере счёта Payeer от 7 до 12 цифр после буквы P.",
            "The number of a Payeer account has 7 to 12 digits after the letter P.",
        );
    }
    Checked::Good { canonical: format!("P{number}") }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn asked(currency: &str, value: &str) -> Step {
        let requisite = Requisite { currency: currency.to_owned(), field: "account".to_owned(), value: value.to_owned() };
        Payeer.handle(&Question {
            call: Call::Check(requisite),
            now: 0,
            settings: BTreeMap::new(),
            kept: BTreeMap::new(),
            memo: Default::default(),
            outcomes: Vec::new(),
        })
    }

    #[test]
    fn however_it_is_typed_it_is_one_account() {
        for typed in ["P1000000", "p1000000", " P 1000 000\u{a0}", "Р1000000", "р1000000"] {
            let good = Checked::Good { canonical: "P1000000".to_owned() };
            assert_eq!(asked("PRUSD", typed), Step::Done(Answer::Checked(good)), "{typed:?}");
        }
    }

    #[test]
    fn what_is_none_is_refused_in_both_languages() {
        for typed in ["", "P", "1000000", "P100000", "P1000000000000", "P10000a0", "PP1000000", "P-1000000", "P\u{661}000000"] {
            match asked("PRRUB", typed) {
                Step::Done(Answer::Checked(Checked::Bad { why })) => {
                    assert!(why.ru.contains("Payeer") && why.en.contains("Payeer"))
                }
                other => panic!("{typed:?}: {other:?}"),
            }
        }
        assert!(matches!(asked("BTC", "P1000000"), Step::Refused(refusal) if refusal.code == "not_mine"));
    }
}

//! A check of requisites: whether money can be sent to what a customer typed. It needs nothing done.

use agio_plugin::Plugin;
use agio_plugin::protocol::{Answer, Call, Checked, Kind, Manifest, Question, Refusal, Step, Words};

/// The plugin.
pub struct Example;

impl Plugin for Example {
    fn manifest(&self) -> Manifest {
        Manifest::new(
            "example",
            env!("CARGO_PKG_VERSION"),
            Kind::Requisites,
            Words::new("Пример", "Example"),
            Words::new("Проверяет номера счетов.", "Checks account numbers."),
        )
    }

    fn handle(&self, question: &Question) -> Step {
        match &question.call {
            Call::Check(requisite) => Step::Done(Answer::Checked(check(&requisite.value))),
            _ => Step::Refused(Refusal::never("not_mine", "this only checks requisites")),
        }
    }
}

/// An account has ten digits; blanks between them are the customer's own.
fn check(value: &str) -> Checked {
    let canonical: String = value.chars().filter(|sign| !sign.is_whitespace()).collect();
    if canonical.len() == 10 && canonical.bytes().all(|byte| byte.is_ascii_digit()) {
        Checked::Good { canonical }
    } else {
        Checked::Bad { why: Words::new("Номер счёта — десять цифр.", "An account number has ten digits.") }
    }
}

#[cfg(test)]
mod tests {
    use agio_plugin::harness::Harness;
    use agio_plugin::protocol::Requisite;

    use super::*;

    fn checked(value: &str) -> Checked {
        let requisite = Requisite { currency: "EXMP".to_owned(), field: "account".to_owned(), value: value.to_owned() };
        match Harness::new(Example).ask(Call::Check(requisite)) {
            Ok(Answer::Checked(checked)) => checked,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_account_has_ten_digits() {
        assert_eq!(checked(" 01234 56789"), Checked::Good { canonical: "0123456789".to_owned() });
        for value in ["", "012345678", "01234567890", "012345678x", "٠١٢٣٤٥٦٧٨٩"] {
            assert!(matches!(checked(value), Checked::Bad { .. }), "{value}");
        }
    }
}

//! Payeer accounts: a P and seven to twelve digits.
//!
//! Customers type them with spaces, in lower case, or with the Cyrillic letter that looks like a P. The account is still clear, and its normal
//! form is Payeer's own. There are no check digits, so a typo in a digit is another account.

use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    Call, CallError, CallResult, LocalizedText, Manifest, PluginKind, PluginLimits, PluginRequest, PluginResponse,
    RequisiteCheck, RequisiteInput,
};

/// The currencies that are sent to such accounts.
const CURRENCIES: [&str; 3] = ["PRUSD", "PREUR", "PRRUB"];

/// Letters people write for the P.
const LETTERS: [char; 4] = ['P', 'p', 'Р', 'р'];

#[derive(Default)]
pub struct Payeer;

#[cfg(feature = "library")]
agio_plugin_sdk::export!(Payeer);

impl Plugin for Payeer {
    fn manifest(&self) -> Manifest {
        Manifest {
            name: "payeer".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kind: PluginKind::Requisites,
            title: LocalizedText::new("Счета Payeer", "Payeer accounts"),
            about: LocalizedText::new("Проверяет номера счетов Payeer.", "Checks numbers of Payeer accounts."),
            hosts: Vec::new(),
            settings: Vec::new(),
            limits: PluginLimits::default(),
            features: Vec::new(),
        }
    }

    fn handle(&self, request: &PluginRequest) -> PluginResponse {
        match &request.call {
            Call::CheckRequisite(requisite) if CURRENCIES.contains(&requisite.currency.as_str()) => {
                PluginResponse::Done(CallResult::Checked(checked(requisite)))
            }
            Call::CheckRequisite(_) => {
                PluginResponse::Failed(CallError::permanent("not_mine", "the currency is not sent to Payeer accounts"))
            }
            _ => PluginResponse::Failed(CallError::permanent("not_asked", "this plugin does not support the call")),
        }
    }
}

fn checked(requisite: &RequisiteInput) -> RequisiteCheck {
    let bad = |ru, en| RequisiteCheck::Invalid { why: LocalizedText::new(ru, en) };
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
    RequisiteCheck::Valid { canonical: format!("P{number}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(currency: &str, value: &str) -> PluginResponse {
        let requisite = RequisiteInput { currency: currency.to_owned(), field: "account".to_owned(), value: value.to_owned() };
        Payeer.handle(&PluginRequest::of(Call::CheckRequisite(requisite)))
    }

    #[test]
    fn however_it_is_typed_it_is_one_account() {
        for typed in ["P1000000", "p1000000", " P 1000 000\u{a0}", "Р1000000", "р1000000"] {
            let good = RequisiteCheck::Valid { canonical: "P1000000".to_owned() };
            assert_eq!(check("PRUSD", typed), PluginResponse::Done(CallResult::Checked(good)), "{typed:?}");
        }
    }

    #[test]
    fn invalid_accounts_are_rejected_in_both_languages() {
        for typed in ["", "P", "1000000", "P100000", "P1000000000000", "P10000a0", "PP1000000", "P-1000000", "P\u{661}000000"] {
            match check("PRRUB", typed) {
                PluginResponse::Done(CallResult::Checked(RequisiteCheck::Invalid { why })) => {
                    assert!(why.ru.contains("Payeer") && why.en.contains("Payeer"))
                }
                other => panic!("{typed:?}: {other:?}"),
            }
        }
        assert!(matches!(check("BTC", "P1000000"), PluginResponse::Failed(refusal) if refusal.code == "not_mine"));
    }
}

//! A requisite check: validates what a customer typed. It needs no actions.

use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    Call, CallError, CallResult, LocalizedText, Manifest, PluginKind, PluginRequest, PluginResponse, RequisiteCheck,
};

pub struct Example;

impl Plugin for Example {
    fn manifest(&self) -> Manifest {
        Manifest::new(
            "example",
            env!("CARGO_PKG_VERSION"),
            PluginKind::Requisites,
            LocalizedText::new("Пример", "Example"),
            LocalizedText::new("Проверяет номера счетов.", "Checks account numbers."),
        )
    }

    fn handle(&self, request: &PluginRequest) -> PluginResponse {
        match &request.call {
            Call::CheckRequisite(requisite) => PluginResponse::Done(CallResult::Checked(check(&requisite.value))),
            _ => PluginResponse::Failed(CallError::permanent("not_mine", "this only checks requisites")),
        }
    }
}

/// An account has ten digits; blanks between them are the customer's own.
fn check(value: &str) -> RequisiteCheck {
    let canonical: String = value.chars().filter(|sign| !sign.is_whitespace()).collect();
    if canonical.len() == 10 && canonical.bytes().all(|byte| byte.is_ascii_digit()) {
        RequisiteCheck::Valid { canonical }
    } else {
        RequisiteCheck::Invalid {
            why: LocalizedText::new("Номер счёта — десять цифр.", "An account number has ten digits.")
        }
    }
}

#[cfg(test)]
mod tests {
    use agio_plugin_sdk::harness::Harness;
    use agio_plugin_sdk::protocol::RequisiteInput;

    use super::*;

    fn checked(value: &str) -> RequisiteCheck {
        let requisite = RequisiteInput { currency: "EXMP".to_owned(), field: "account".to_owned(), value: value.to_owned() };
        match Harness::new(Example).call(Call::CheckRequisite(requisite)) {
            Ok(CallResult::Checked(checked)) => checked,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_account_has_ten_digits() {
        assert_eq!(checked(" 01234 56789"), RequisiteCheck::Valid { canonical: "0123456789".to_owned() });
        for value in ["", "012345678", "01234567890", "012345678x", "٠١٢٣٤٥٦٧٨٩"] {
            assert!(matches!(checked(value), RequisiteCheck::Invalid { .. }), "{value}");
        }
    }
}

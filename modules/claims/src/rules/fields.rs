//! Validation of requisites against the fields of a currency.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use agio_contracts::{CurrencyInput, RequisiteValidation};
use agio_core::FieldError;
use agio_core::error::Params;
use agio_core::texts::Bilingual;
use agio_requisites::{RequisiteKind, RequisiteRefusal, check, check_memo};

use super::Requisite;

/// Values by the name of their field.
pub type RequisiteValues = BTreeMap<String, String>;

/// Validates values for fields. The result is in the order of the fields, each value in its
/// normal form; `path` is the path of the values in the body.
///
/// # Errors
/// An error per field: `required`, `unknown_field`, `wrong_format`, or the code of the requisite's check.
pub fn checked<'a>(
    path: &str,
    inputs: impl Iterator<Item = &'a CurrencyInput> + Clone,
    given: &RequisiteValues,
) -> Result<Vec<Requisite>, Vec<FieldError>> {
    let mut accepted = Vec::new();
    let mut refused = Vec::new();
    for name in given.keys().filter(|name| !inputs.clone().any(|input| input.name == **name)) {
        refused.push(FieldError { field: format!("{path}.{name}"), code: "unknown_field", params: Params::new() });
    }
    let address = inputs.clone().filter_map(kind).find(|kind| kind.is_address());
    for input in inputs {
        let field = format!("{path}.{}", input.name);
        let typed = given.get(&input.name).map_or("", String::as_str);
        let Some(kind) = kind(input) else { continue };
        if typed.trim().is_empty() {
            if input.required {
                refused.push(FieldError { field, code: "required", params: Params::new() });
            }
            continue;
        }
        match check_beside(kind, address, typed) {
            Ok(value) => match input.formed(value) {
                Some(value) => accepted.push(Requisite { name: input.name.clone(), label: input.label.clone(), kind, value }),
                None => refused.push(FieldError { field, code: "wrong_format", params: Params::new() }),
            },
            Err(refusal) => refused.push(explained(field, kind, refusal)),
        }
    }
    if refused.is_empty() { Ok(accepted) } else { Err(refused) }
}

/// Validates the fields of a currency that have a value, on either side.
///
/// # Errors
/// An error per field: `unknown_field`, `wrong_format`, or the code of the requisite's check.
pub fn checked_partial(path: &str, inputs: &[CurrencyInput], given: &RequisiteValues) -> Result<Vec<Requisite>, Vec<FieldError>> {
    let is_given = |input: &&CurrencyInput| given.get(&input.name).is_some_and(|typed| !typed.trim().is_empty());
    let given: RequisiteValues =
        given.iter().filter(|(_, typed)| !typed.trim().is_empty()).map(|(name, typed)| (name.clone(), typed.clone())).collect();
    checked(path, inputs.iter().filter(is_given), &given)
}

/// Applies the answer of a requisite validator. It can reject a requisite or rewrite its value; the new value must name
/// the same account and pass our own validation. `address` is the kind of the address beside it.
///
/// # Errors
/// `requisite_refused` with the reason.
pub fn apply_validation(
    path: &str,
    requisite: Requisite,
    address: Option<RequisiteKind>,
    validation: RequisiteValidation,
) -> Result<Requisite, FieldError> {
    match validation {
        RequisiteValidation::Invalid(why) => {
            let params = Params::new().with_text("why", why);
            Err(FieldError { field: format!("{path}.{}", requisite.name), code: "requisite_refused", params })
        }
        RequisiteValidation::Valid(written) => {
            let is_kept = is_one_account(&requisite.value, &written)
                && check_beside(requisite.kind, address, &written).is_ok_and(|accepted| accepted == written);
            Ok(if is_kept { Requisite { value: written, ..requisite } } else { requisite })
        }
    }
}

/// Whether two values name the same account: the same letters and digits. Before digits alone one letter may be added,
/// as the account prefix that was omitted or typed in another alphabet.
fn is_one_account(typed: &str, written: &str) -> bool {
    let signs = |text: &str| -> Vec<char> {
        text.chars().filter(char::is_ascii_alphanumeric).map(|sign| sign.to_ascii_lowercase()).collect()
    };
    let (typed, written) = (signs(typed), signs(written));
    let is_number = !typed.is_empty() && typed.iter().all(char::is_ascii_digit);
    written == typed
        || (is_number && written.len() == typed.len() + 1 && written[0].is_ascii_alphabetic() && written.ends_with(&typed))
}

/// Checks one value of a kind.
///
/// # Errors
/// What is wrong with it.
pub fn checked_value(field: &str, kind: RequisiteKind, typed: &str) -> Result<String, FieldError> {
    check(kind, typed).map(|accepted| accepted.value).map_err(|refusal| explained(field.to_owned(), kind, refusal))
}

/// Checks a memo or tag by the rules of the network of an address.
///
/// # Errors
/// What is wrong with it.
pub fn checked_memo(field: &str, address: RequisiteKind, typed: &str) -> Result<String, FieldError> {
    let checked = check_beside(RequisiteKind::Memo, Some(address), typed);
    checked.map_err(|refusal| explained(field.to_owned(), RequisiteKind::Memo, refusal))
}

/// The kind of an input; `None` for a kind without a validation, which is ignored.
fn kind(input: &CurrencyInput) -> Option<RequisiteKind> {
    Some(input.kind)
}

/// A memo is checked by the rules of the network of the address it goes with.
fn check_beside(kind: RequisiteKind, address: Option<RequisiteKind>, typed: &str) -> Result<String, RequisiteRefusal> {
    let accepted = match (kind, address) {
        (RequisiteKind::Memo, Some(address)) => check_memo(address, typed),
        _ => check(kind, typed),
    };
    accepted.map(|accepted| accepted.value)
}

fn explained(field: String, kind: RequisiteKind, refusal: RequisiteRefusal) -> FieldError {
    let mut params = Params::new().with_text("expected", kind_name(kind.name()));
    if let Some(other) = refusal.other {
        params = params.with_text("other", kind_name(other));
    }
    FieldError { field, code: refusal.code, params }
}

fn kind_name(kind: &str) -> Bilingual {
    static NAMES: LazyLock<[BTreeMap<String, String>; 2]> = LazyLock::new(|| {
        [agio_requisites::TEXTS_RU, agio_requisites::TEXTS_EN]
            .map(|json| serde_json::from_str(json).expect("the texts of requisites are a flat JSON object"))
    });
    let [ru, en] = NAMES.each_ref().map(|names| names.get(&format!("kind_{kind}")).cloned().unwrap_or_else(|| kind.to_owned()));
    Bilingual { ru, en }
}

#[cfg(test)]
mod tests {
    use agio_core::texts::Locale;

    use super::*;

    fn input(name: &str, kind: &str, required: bool) -> CurrencyInput {
        let label = Bilingual { ru: name.into(), en: name.into() };
        let kind = kind.parse().unwrap();
        CurrencyInput {
            name: name.into(),
            kind,
            label,
            required,
            give: true,
            receive: true,
            hint: None,
            pattern: None,
            mask: None,
        }
    }

    fn given(pairs: &[(&str, &str)]) -> RequisiteValues {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn values_are_kept_in_their_normal_form_and_in_the_order_asked() {
        let inputs = [input("holder", "holder", false), input("card", "card", true)];
        let values = given(&[("card", "4111 1111 1111 1111"), ("holder", " IVAN   PETROV ")]);
        let accepted = checked("toRequisites", inputs.iter(), &values).unwrap();
        let values: Vec<&str> = accepted.iter().map(|requisite| requisite.value.as_str()).collect();
        assert_eq!(values, ["IVAN PETROV", "4111111111111111"]);
    }

    #[test]
    fn every_field_says_what_is_wrong_with_it() {
        let inputs = [input("card", "card", true), input("phone", "phone", true)];
        let values = given(&[("card", "4111111111111112"), ("note", "hello")]);
        let refused = checked("toRequisites", inputs.iter(), &values).unwrap_err();
        let found: Vec<(&str, &str)> = refused.iter().map(|error| (error.field.as_str(), error.code)).collect();
        assert_eq!(
            found,
            [("toRequisites.note", "unknown_field"), ("toRequisites.card", "card_checksum"), ("toRequisites.phone", "required"),]
        );
    }

    #[test]
    fn the_whole_normal_form_matches_the_pattern() {
        let pattern = Some(r"\d{4}".to_owned());
        let inputs = [CurrencyInput { pattern, ..input("account", "text", true) }];
        for (typed, refused) in [(" 1234\u{200b} ", None), ("12345", Some("wrong_format")), ("a1234", Some("wrong_format"))] {
            let found = checked("toRequisites", inputs.iter(), &given(&[("account", typed)]));
            assert_eq!(found.err().map(|errors| errors[0].code), refused, "{typed}");
        }
    }

    #[test]
    fn a_value_is_kept_in_the_form_of_its_mask() {
        let [mask, pattern] = ["##-####", r"\d\d-[1-5]+"].map(|form| Some(form.to_owned()));
        let inputs = [CurrencyInput { mask, pattern, ..input("account", "text", true) }];
        let found = |typed| checked("toRequisites", inputs.iter(), &given(&[("account", typed)]));
        assert_eq!(found("12 3 451").unwrap()[0].value, "12-3451");
        for typed in ["123456", "12345", "1234512", "ab-3451"] {
            assert_eq!(found(typed).unwrap_err()[0].code, "wrong_format", "{typed}");
        }
    }

    #[test]
    fn a_memo_follows_the_rules_of_the_network_of_its_address() {
        for (address, value, memo, refused) in [
            ("eos", "binancecleos", "x".repeat(256), None),
            ("eos", "binancecleos", "x".repeat(257), Some("bad_length")),
            ("xlm", "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ", "x".repeat(29), Some("bad_length")),
        ] {
            let inputs = [input("address", address, true), input("memo", "memo", false)];
            let found = checked("toRequisites", inputs.iter(), &given(&[("address", value), ("memo", &memo)]));
            assert_eq!(found.err().map(|errors| errors[0].code), refused, "{address}");
        }
    }

    #[test]
    fn an_address_of_another_network_is_named() {
        let inputs = [input("address", "evm", true)];
        let values = given(&[("address", "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf")]);
        let refused = checked("toRequisites", inputs.iter(), &values).unwrap_err();
        assert_eq!(refused[0].code, "wrong_network");
        for (locale, name) in [(Locale::Ru, "адрес TRON"), (Locale::En, "a TRON address")] {
            assert_eq!(refused[0].params.in_language(locale)["other"], name);
        }
    }

    #[test]
    fn what_others_refuse_is_said_in_both_languages() {
        let requisite = Requisite {
            name: "account".into(),
            label: Bilingual { ru: String::new(), en: String::new() },
            kind: RequisiteKind::Text,
            value: "P1000000".into(),
        };
        let why = Bilingual { ru: "Счёт закрыт.".into(), en: "The account is closed.".into() };
        let refused = apply_validation("toRequisites", requisite, None, RequisiteValidation::Invalid(why.clone())).unwrap_err();
        assert_eq!((refused.field.as_str(), refused.code), ("toRequisites.account", "requisite_refused"));
        for locale in [Locale::Ru, Locale::En] {
            assert_eq!(refused.params.in_language(locale)["why"], why.get(locale));
        }
    }

    #[test]
    fn a_value_may_be_written_in_another_way_but_not_be_another_account() {
        for (typed, written, kept) in [
            ("p1000000", "P1000000", "P1000000"),
            ("P 1000 000", "P1000000", "P1000000"),
            ("\u{440}1000000", "P1000000", "P1000000"),
            ("P1000000", "P1000001", "P1000000"),
            ("P1000000", "P10000000", "P1000000"),
            ("P1000000", "11000000", "P1000000"),
            ("pay@agio.example", "thief@agio.example", "pay@agio.example"),
            ("pay@agio.example", "apay@agio.example", "pay@agio.example"),
            ("P1000000", "", "P1000000"),
        ] {
            let requisite = Requisite {
                name: "account".into(),
                label: Bilingual { ru: String::new(), en: String::new() },
                kind: RequisiteKind::Text,
                value: typed.into(),
            };
            let found = apply_validation("toRequisites", requisite, None, RequisiteValidation::Valid(written.into())).unwrap();
            assert_eq!(found.value, kept, "{typed} {written}");
        }
    }
}

//! Checking what a customer gave against what the currency asks for.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use agio_core::FieldError;
use agio_core::error::Params;
use agio_core::needs::{InputFacts, Opinion};
use agio_core::texts::Bilingual;
use agio_requisites::{Kind, Refusal, check, check_memo};

use super::Requisite;

/// Values by the name of their field.
pub type Given = BTreeMap<String, String>;

/// Checks what was given for the fields that are asked for. The result is in the order of the fields, each value in its
/// normal form; `path` is what the fields are under in the body.
///
/// # Errors
/// What is wrong with each field: `required`, `unknown_field`, or the code of the requisite's own check.
pub fn checked<'a>(
    path: &str,
    asked: impl Iterator<Item = &'a InputFacts> + Clone,
    given: &Given,
) -> Result<Vec<Requisite>, Vec<FieldError>> {
    let mut accepted = Vec::new();
    let mut refused = Vec::new();
    for name in given.keys().filter(|name| !asked.clone().any(|input| input.name == **name)) {
        refused.push(FieldError { field: format!("{path}.{name}"), code: "unknown_field", params: Params::new() });
    }
    let address = asked.clone().filter_map(kind).find(|kind| kind.is_address());
    for input in asked {
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
            Ok(value) => {
                accepted.push(Requisite { name: input.name.clone(), label: input.label.clone(), kind, value });
            }
            Err(refusal) => refused.push(explained(field, kind, refusal)),
        }
    }
    if refused.is_empty() { Ok(accepted) } else { Err(refused) }
}

/// Checks those fields of a currency that something is given for, whichever side asks for them.
///
/// # Errors
/// What is wrong with each field: `unknown_field`, or the code of the requisite's own check.
pub fn checked_partly(path: &str, inputs: &[InputFacts], given: &Given) -> Result<Vec<Requisite>, Vec<FieldError>> {
    let is_given = |input: &&InputFacts| given.get(&input.name).is_some_and(|typed| !typed.trim().is_empty());
    let given: Given =
        given.iter().filter(|(_, typed)| !typed.trim().is_empty()).map(|(name, typed)| (name.clone(), typed.clone())).collect();
    checked(path, inputs.iter().filter(is_given), &given)
}

/// What is kept of a requisite that somebody has an opinion on. They may say that money cannot be sent there, and how the value is
/// written; they may not make another account of it, and what the house's own rules refuse stays refused.
///
/// # Errors
/// `requisite_refused` with their reason.
pub fn with_opinion(path: &str, requisite: Requisite, opinion: Opinion) -> Result<Requisite, FieldError> {
    match opinion {
        Opinion::Wrong(why) => {
            let params = Params::new().with_words("why", why);
            Err(FieldError { field: format!("{path}.{}", requisite.name), code: "requisite_refused", params })
        }
        Opinion::Sound(written) => {
            let is_kept = is_one_account(&requisite.value, &written)
                && check(requisite.kind, &written).is_ok_and(|accepted| accepted.value == written);
            Ok(if is_kept { Requisite { value: written, ..requisite } } else { requisite })
        }
    }
}

/// Whether a value only is written in another way: no letter and no digit is lost, changed or added. Before digits alone a letter may come, as
/// the one that says whose account it is and was left out or typed in another alphabet.
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
pub fn checked_value(field: &str, kind: Kind, typed: &str) -> Result<String, FieldError> {
    check(kind, typed).map(|accepted| accepted.value).map_err(|refusal| explained(field.to_owned(), kind, refusal))
}

/// The kind of an input; an input of a kind we have no check for is not asked.
fn kind(input: &InputFacts) -> Option<Kind> {
    input.kind.parse().ok()
}

/// A memo is checked by the rules of the network of the address it goes with.
fn check_beside(kind: Kind, address: Option<Kind>, typed: &str) -> Result<String, Refusal> {
    let accepted = match (kind, address) {
        (Kind::Memo, Some(address)) => check_memo(address, typed),
        _ => check(kind, typed),
    };
    accepted.map(|accepted| accepted.value)
}

fn explained(field: String, kind: Kind, refusal: Refusal) -> FieldError {
    let mut params = Params::new().with_words("expected", kind_name(kind.name()));
    if let Some(other) = refusal.other {
        params = params.with_words("other", kind_name(other));
    }
    FieldError { field, code: refusal.code, params }
}

/// What a kind is called.
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

    fn input(name: &str, kind: &str, required: bool) -> InputFacts {
        let label = Bilingual { ru: name.into(), en: name.into() };
        InputFacts { name: name.into(), kind: kind.into(), label, required, send: true, receive: true }
    }

    fn given(pairs: &[(&str, &str)]) -> Given {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn values_are_kept_in_their_normal_form_and_in_the_order_asked() {
        let asked = [input("holder", "holder", false), input("card", "card", true)];
        let values = given(&[("card", "4111 1111 1111 1111"), ("holder", " IVAN   PETROV ")]);
        let accepted = checked("toRequisites", asked.iter(), &values).unwrap();
        let values: Vec<&str> = accepted.iter().map(|requisite| requisite.value.as_str()).collect();
        assert_eq!(values, ["IVAN PETROV", "4111111111111111"]);
    }

    #[test]
    fn every_field_says_what_is_wrong_with_it() {
        let asked = [input("card", "card", true), input("phone", "phone", true)];
        let values = given(&[("card", "4111111111111112"), ("note", "hello")]);
        let refused = checked("toRequisites", asked.iter(), &values).unwrap_err();
        let found: Vec<(&str, &str)> = refused.iter().map(|error| (error.field.as_str(), error.code)).collect();
        assert_eq!(
            found,
            [("toRequisites.note", "unknown_field"), ("toRequisites.card", "card_checksum"), ("toRequisites.phone", "required"),]
        );
    }

    #[test]
    fn an_address_of_another_network_is_named() {
        let asked = [input("address", "evm", true)];
        let values = given(&[("address", "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf")]);
        let refused = checked("toRequisites", asked.iter(), &values).unwrap_err();
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
            kind: Kind::Text,
            value: "P1000000".into(),
        };
        let why = Bilingual { ru: "Счёт закрыт.".into(), en: "The account is closed.".into() };
        let refused = with_opinion("toRequisites", requisite, Opinion::Wrong(why.clone())).unwrap_err();
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
                kind: Kind::Text,
                value: typed.into(),
            };
            let found = with_opinion("toRequisites", requisite, Opinion::Sound(written.into())).unwrap();
            assert_eq!(found.value, kept, "{typed} {written}");
        }
    }
}

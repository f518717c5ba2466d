//! Texts, masked and grouped values.

use std::collections::BTreeMap;

use agio_requisites::{REFUSAL_CODES, RequisiteKind, TEXTS_EN, TEXTS_RU, WARNING_CODES, group_for_reading, mask};

type Texts = BTreeMap<String, String>;

fn texts(json: &str) -> Texts {
    serde_json::from_str(json).expect("a flat object of texts")
}

fn placeholders(text: &str) -> Vec<&str> {
    ["{other}", "{expected}"].into_iter().filter(|name| text.contains(name)).collect()
}

#[test]
fn texts_exist_for_exactly_the_codes_and_kinds() {
    let kinds = RequisiteKind::ALL.iter().map(|kind| format!("kind_{kind}"));
    let codes = REFUSAL_CODES.iter().chain(&WARNING_CODES).map(ToString::to_string);
    let mut expected: Vec<String> = codes.chain(kinds).collect();
    expected.sort();
    for json in [TEXTS_RU, TEXTS_EN] {
        assert_eq!(texts(json).into_keys().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn both_languages_have_the_same_placeholders() {
    let english = texts(TEXTS_EN);
    for (key, russian) in texts(TEXTS_RU) {
        assert_eq!(placeholders(&russian), placeholders(&english[&key]), "{key}");
    }
}

#[test]
fn values_are_masked() {
    let shown = [
        (RequisiteKind::Card, "2202200000004276", "2202 •••• 4276"),
        (RequisiteKind::Btc, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "bc1q…3t4"),
        (RequisiteKind::Iban, "GB29NWBK60161331926819", "GB29 •••• 6819"),
        (RequisiteKind::Phone, "+79991234567", "+7 •••• 67"),
        (RequisiteKind::Email, "anna@example.com", "a••••@example.com"),
        (RequisiteKind::Holder, "ANNA PETROVA", "A•••• P••••"),
        (RequisiteKind::Memo, "104857331", "••••31"),
        (RequisiteKind::Tag, "12345", "••••"),
        (RequisiteKind::Card, "4276", "••••"),
        (RequisiteKind::Email, "anna", "••••"),
        (RequisiteKind::Tron, "", "••••"),
    ];
    for (kind, value, masked) in shown {
        assert_eq!(mask(kind, value), masked, "{kind} {value}");
    }
}

#[test]
fn long_numbers_are_grouped() {
    let shown = [
        (RequisiteKind::Card, "4111111111111111", "4111 1111 1111 1111"),
        (RequisiteKind::Card, "2202200000000000008", "2202 2000 0000 0000 008"),
        (RequisiteKind::Iban, "GB29NWBK60161331926819", "GB29 NWBK 6016 1331 9268 19"),
        (RequisiteKind::Phone, "+79991234567", "+7 999 123-45-67"),
        (RequisiteKind::Phone, "+380501234567", "+380501234567"),
        (RequisiteKind::AccountRu, "40817810500012345678/044525974", "40817 810 5 0001 2345678 / 044525974"),
        (RequisiteKind::Tron, "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf", "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf"),
    ];
    for (kind, value, grouped) in shown {
        assert_eq!(group_for_reading(kind, value), grouped, "{kind} {value}");
    }
}

#[test]
fn kinds_have_one_text_form() {
    for kind in RequisiteKind::ALL {
        assert_eq!(kind.to_string().parse(), Ok(kind));
        assert_eq!(serde_json::to_value(kind).expect("a kind is a string"), kind.name());
    }
    assert!("BTC".parse::<RequisiteKind>().is_err());
}

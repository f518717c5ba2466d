//! What customers read: the texts of the answers, masked and grouped values.

use std::collections::BTreeMap;

use agio_requisites::{Kind, REFUSAL_CODES, TEXTS_EN, TEXTS_RU, WARNING_CODES, group_for_reading, mask};

type Texts = BTreeMap<String, String>;

fn texts(json: &str) -> Texts {
    serde_json::from_str(json).expect("a flat object of texts")
}

fn placeholders(text: &str) -> Vec<&str> {
    ["{other}", "{expected}"].into_iter().filter(|name| text.contains(name)).collect()
}

#[test]
fn every_code_and_kind_has_a_text_in_both_languages_and_there_are_no_others() {
    let kinds = Kind::ALL.iter().map(|kind| format!("kind_{kind}"));
    let codes = REFUSAL_CODES.iter().chain(&WARNING_CODES).map(ToString::to_string);
    let mut expected: Vec<String> = codes.chain(kinds).collect();
    expected.sort();
    for json in [TEXTS_RU, TEXTS_EN] {
        assert_eq!(texts(json).into_keys().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn both_languages_name_the_same_things_in_a_text() {
    let english = texts(TEXTS_EN);
    for (key, russian) in texts(TEXTS_RU) {
        assert_eq!(placeholders(&russian), placeholders(&english[&key]), "{key}");
    }
}

#[test]
fn a_masked_value_shows_only_what_its_owner_knows_it_by() {
    let shown = [
        (Kind::Card, "2202200000004276", "2202 •••• 4276"),
        (Kind::Btc, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "bc1q…3t4"),
        (Kind::Iban, "GB29NWBK60161331926819", "GB29 •••• 6819"),
        (Kind::Phone, "+79991234567", "+7 •••• 67"),
        (Kind::Email, "anna@example.com", "a••••@example.com"),
        (Kind::Holder, "ANNA PETROVA", "A•••• P••••"),
        (Kind::Memo, "104857331", "••••31"),
        (Kind::Tag, "12345", "••••"),
        (Kind::Card, "4276", "••••"),
        (Kind::Email, "anna", "••••"),
        (Kind::Tron, "", "••••"),
    ];
    for (kind, value, masked) in shown {
        assert_eq!(mask(kind, value), masked, "{kind} {value}");
    }
}

#[test]
fn long_numbers_are_grouped_as_they_are_printed() {
    let shown = [
        (Kind::Card, "4111111111111111", "4111 1111 1111 1111"),
        (Kind::Card, "2202200000000000008", "2202 2000 0000 0000 008"),
        (Kind::Iban, "GB29NWBK60161331926819", "GB29 NWBK 6016 1331 9268 19"),
        (Kind::Phone, "+79991234567", "+7 999 123-45-67"),
        (Kind::Phone, "+380501234567", "+380501234567"),
        (Kind::AccountRu, "40817810500012345678/044525974", "40817 810 5 0001 2345678 / 044525974"),
        (Kind::Tron, "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf", "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf"),
    ];
    for (kind, value, grouped) in shown {
        assert_eq!(group_for_reading(kind, value), grouped, "{kind} {value}");
    }
}

#[test]
fn kinds_have_one_text_form_everywhere() {
    for kind in Kind::ALL {
        assert_eq!(kind.to_string().parse(), Ok(kind));
        assert_eq!(serde_json::to_value(kind).expect("a kind is a string"), kind.name());
    }
    assert!("BTC".parse::<Kind>().is_err());
}

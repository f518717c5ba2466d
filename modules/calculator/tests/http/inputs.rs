//! Inputs of currencies: hints, masks, patterns, and the order in which customers see them.

use agio_core::fetch_all;
use agio_test_app::{Engine, TestApp, TestClient, both_engines};
use serde_json::{Value, json};

use crate::{about, currency};

const ADMIN: &str = "/api/admin/v1";

fn account() -> Value {
    json!({
        "name": "account", "kind": "text", "label": { "ru": "Счёт", "en": "Account" }, "required": true, "send": false,
        "receive": true, "hint": { "ru": "10 цифр, как на карте", "en": "10 digits, as on the card" }, "pattern": r"[\d ]{12}",
        "mask": "### ### ####",
    })
}

async fn inputs(owner: &TestClient, code: &str) -> Vec<Value> {
    let currencies = owner.get(&format!("{ADMIN}/currencies")).await.ok();
    let found = currencies.as_array().unwrap().iter().find(|currency| currency["code"] == code);
    found.unwrap()["inputs"].as_array().unwrap().clone()
}

async fn customers_see_what_the_owner_says_of_inputs(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (owner, visitor) = (app.owner().await, app.visitor());
    let path = format!("{ADMIN}/currencies/{}", currency(&app, "SBERRUB").await);
    let before = inputs(&owner, "SBERRUB").await;
    let after: Vec<Value> = [account()].into_iter().chain(before.iter().rev().cloned()).collect();
    assert_eq!(owner.patch(&path, json!({ "inputs": after })).await.ok()["inputs"], json!(after));

    let pair = about(&app, "pair", "BTC", "SBERRUB").await;
    for (language, hint) in [("", "10 цифр, как на карте"), ("/en", "10 digits, as on the card")] {
        let shown = visitor.get(&format!("{language}{pair}")).await.ok()["structure"]["to"]["input"].clone();
        let names: Vec<&Value> = shown.as_array().unwrap().iter().map(|input| &input["name"]).collect();
        assert_eq!(names, ["account", "holder", "card"]);
        let form = |input: &Value| ["hint", "pattern", "mask"].map(|name| input[name].clone());
        assert_eq!(form(&shown[0]), [hint, r"[\d ]{12}", "### ### ####"].map(|text| json!(text)));
        assert_eq!(form(&shown[1]), [const { Value::Null }; 3]);
    }

    let table = format!("{ADMIN}/market/tables/currencies");
    let csv = owner.get(&table).await.text;
    owner.patch(&path, json!({ "inputs": before })).await.ok();
    let report = owner.post_raw(&table, "text/csv", csv.clone()).await.ok();
    let plan = report["plan"].as_str().unwrap_or_else(|| panic!("{report}"));
    owner.post_raw(&format!("{table}?plan={plan}"), "text/csv", csv).await.ok();
    assert_eq!(inputs(&owner, "SBERRUB").await, after);
}

/// What the former release stored and reads.
async fn inputs_without_hint_and_form_are_stored_as_before(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let path = format!("{ADMIN}/currencies/{}", currency(&app, "BTC").await);
    owner.patch(&path, json!({ "inputs": inputs(&owner, "BTC").await })).await.ok();
    let sql = "SELECT inputs FROM currency WHERE code = 'BTC'";
    let rows = fetch_all!(&mut app.server.platform.db.read().await.unwrap(), (String,), sql).unwrap();
    let stored: Vec<Value> = serde_json::from_str(&rows[0].0).unwrap();
    for input in stored {
        assert_eq!(crate::keys(&input), ["give", "kind", "label", "name", "receive", "required"]);
    }
}

async fn unusable_hints_and_forms_are_refused(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let path = format!("{ADMIN}/currencies/{}", currency(&app, "SBERRUB").await);
    let before = inputs(&owner, "SBERRUB").await;
    let long = "1".repeat(201);
    let cases = [
        ("hint", json!({ "ru": "10 цифр", "en": "" }), "hint.en", "required"),
        ("hint", json!({ "ru": "ц".repeat(121), "en": "10 digits" }), "hint.ru", "text_too_long"),
        ("pattern", json!(""), "pattern", "pattern_invalid"),
        ("pattern", json!(r"(\d{10}"), "pattern", "pattern_invalid"),
        ("pattern", json!(r"\d{10})|(.*"), "pattern", "pattern_invalid"),
        ("pattern", json!("(?=1)1"), "pattern", "pattern_invalid"),
        ("pattern", json!("a{1000}{1000}"), "pattern", "pattern_invalid"),
        ("pattern", json!("(a{1000}){1000}"), "pattern", "pattern_too_large"),
        ("pattern", json!(long), "pattern", "pattern_too_large"),
        ("mask", json!("only text"), "mask", "mask_invalid"),
        ("mask", json!("#".repeat(61)), "mask", "mask_too_long"),
        ("kind", json!("phone"), "pattern", "pattern_unfit"),
        ("kind", json!("phone"), "mask", "pattern_unfit"),
    ];
    let refused = async |input: Value, field: &str, code: &str| {
        let all: Vec<Value> = before.iter().cloned().chain([input]).collect();
        let problem = owner.patch(&path, json!({ "inputs": all })).await.refused(422, "validation_failed");
        let field = format!("inputs[{}].{field}", before.len());
        assert_eq!(problem["errors"][&field][0]["code"], code, "{all:?}: {problem}");
        let message = problem["errors"][&field][0]["message"].as_str().unwrap();
        assert!(!message.is_empty() && message != code, "{message}");
    };
    for (name, value, field, code) in cases {
        let mut input = account();
        input[name] = value;
        refused(input, field, code).await;
    }
    let mut without_hint = account();
    without_hint.as_object_mut().unwrap().remove("hint");
    refused(without_hint, "hint", "hint_required").await;
    assert_eq!(inputs(&owner, "SBERRUB").await, before);
}

both_engines!(
    customers_see_what_the_owner_says_of_inputs,
    inputs_without_hint_and_form_are_stored_as_before,
    unusable_hints_and_forms_are_refused,
);

//! Patterns of inputs: what customers enter has the form that the owner expects.

use agio_test_app::{Engine, TestApp, TestCustomer as Member, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{ADDRESS, Operator, TestCustomer, order};

const CURRENCIES: &str = "/api/admin/v1/currencies";
const REQUISITES: &str = "/api/v1/users/me/requisites/";

/// Asks those who receive a currency for a note of this form.
async fn ask_for_note(app: &TestApp, code: &str, pattern: &str) {
    let owner = app.owner().await;
    let currencies = owner.get(CURRENCIES).await.ok();
    let currency = currencies.as_array().unwrap().iter().find(|currency| currency["code"] == code).unwrap();
    let mut inputs = currency["inputs"].as_array().unwrap().clone();
    inputs.retain(|input| input["name"] != "note");
    inputs.push(json!({
        "name": "note", "kind": "text", "label": { "ru": "Код", "en": "Code" }, "required": false, "send": false,
        "receive": true, "hint": { "ru": "Как в договоре", "en": "As in the contract" }, "pattern": pattern,
    }));
    owner.patch(&format!("{CURRENCIES}/{}", currency["id"]), json!({ "inputs": inputs })).await.ok();
}

fn note(fields: &Value) -> &Value {
    &fields.as_array().unwrap().iter().find(|field| field["name"] == "note").unwrap()["value"]
}

async fn a_customer_enters_what_the_pattern_asks_for(engine: Engine) {
    let app = TestApp::start(engine).await;
    ask_for_note(&app, "SBERRUB", r"[A-ZА-Я]{2}\d{4}").await;
    let customer = app.visitor();
    let ordered = async |language: &str, note: &str| {
        let mut new = order(&app, "0.01", "anna@example.com");
        new["toRequisites"]["note"] = note.into();
        customer.post(&format!("{language}/api/v1/claim/"), new).await
    };
    for wrong in ["AB12345", "xAB1234", "AB123", "AB١٢٣٤", "ab1234"] {
        let refused = ordered("", wrong).await.refused(422, "validation_failed");
        assert_eq!(refused["errors"]["toRequisites.note"][0]["code"], "wrong_format", "{wrong}: {refused}");
    }
    for (language, word) in [("", "подсказкой"), ("/en", "hint")] {
        let refused = ordered(language, "AB123").await.refused(422, "validation_failed");
        let message = refused["errors"]["toRequisites.note"][0]["message"].as_str().unwrap();
        assert!(message.contains(word), "{message}");
    }
    let claim = ordered("", " AB1234\u{200b} ").await.ok();

    // A claim keeps what it was made with.
    ask_for_note(&app, "SBERRUB", r"\d{9}").await;
    let form = customer.get(&format!("/api/v1/claim/{}/form/", claim["id"].as_str().unwrap())).await.ok();
    assert_eq!(note(&form["to"]["requisites"]), "AB1234");
    ordered("", "AB1234").await.refused(422, "validation_failed");
}

async fn saved_details_and_refunds_have_the_form_too(engine: Engine) {
    let app = TestApp::start(engine).await;
    ask_for_note(&app, "BTC", r"\d{4}").await;
    let details = |note: &str| json!({ "address": ADDRESS, "note": note });

    let ivan = Member::registered(&app, "ivan@example.com").await;
    let currency = app.server.calculator.market().currency_named("BTC").unwrap().id();
    let save = async |note: &str| ivan.caller.post(REQUISITES, json!({ "currencyId": currency, "values": details(note) })).await;
    let refused = save("12345").await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["values.note"][0]["code"], "wrong_format", "{refused}");
    let saved = save("1234").await.ok();

    let operator = Operator::at(&app).await;
    let customer = TestCustomer::orders(&app, "0.01").await;
    customer.does("confirm").await.ok();
    customer.does("paid").await.ok();
    operator.does(&customer.id, "payment_received", json!({})).await;
    operator.does(&customer.id, "refund", json!({ "reason": "customer_asked" })).await;
    let refused = customer.says("refund", json!({ "requisites": details("12345") })).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["requisites.note"][0]["code"], "wrong_format", "{refused}");
    customer.says("refund", json!({ "requisites": details("1234") })).await.ok();

    ask_for_note(&app, "BTC", r"\d{9}").await;
    let open = ivan.caller.get(&format!("{REQUISITES}{}/", saved["id"].as_str().unwrap())).await.ok();
    assert_eq!(note(&open["fields"]), "1234");
    assert_eq!(note(&operator.sees(&customer.id).await["returned"]["destination"]), "1234");
}

both_engines!(a_customer_enters_what_the_pattern_asks_for, saved_details_and_refunds_have_the_form_too);

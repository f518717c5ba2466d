//! Terms of a direction: accepted before the payment, and kept as they were.

use agio_test_app::{Engine, TestApp, TestClient, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{Operator, TestCustomer, order};

fn terms(name: &str) -> Value {
    let text = |language: &str| json!({ "title": format!("{name} {language}"), "message": "<p>No <b>returns</b>.</p>" });
    json!({ "ru": text("ru"), "en": text("en") })
}

/// The address of BTC for a card in the console, and its revision.
fn pair(app: &TestApp) -> (String, i64) {
    let market = app.server.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let pair = &market.between(id("BTC"), id("SBERRUB")).unwrap().pair;
    (format!("/api/admin/v1/pairs/{}", pair.id), pair.revision)
}

/// Sets what its customers accept.
async fn set(app: &TestApp, owner: &TestClient, terms: Value) {
    let (path, revision) = pair(app);
    owner.patch(&path, json!({ "revision": revision, "customerTerms": terms })).await.ok();
}

async fn terms_are_accepted_before_the_payment(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let early = TestCustomer::orders(&app, "0.01").await;
    assert_eq!(early.look("form").await.ok()["customerTerms"], Value::Null);
    set(&app, &owner, terms("First")).await;

    let order = order(&app, "0.01", "anna@example.com");
    let shown = app.visitor().get(&format!("/en/api/v1/calculator/pair/{}/{}/", order["fromPs"], order["toPs"])).await.ok();
    let shown = &shown["customerTerms"];
    assert_eq!((&shown["title"], &shown["message"]), (&json!("First en"), &json!("<p>No <b>returns</b>.</p>")));

    // A claim made before has to accept them as well.
    for customer in [early, TestCustomer::orders(&app, "0.01").await] {
        let form = customer.look("form").await.ok();
        assert_eq!(form["customerTerms"]["id"], shown["id"], "both languages have one identifier");
        assert_eq!((&form["customerTerms"]["title"], &form["customerTerms"]["acceptedAt"]), (&json!("First ru"), &Value::Null));
        let refused = customer.says("confirm", json!({ "amlConsent": true })).await.refused(422, "validation_failed");
        assert_eq!(refused["errors"]["acceptedTerms"][0]["code"], "customer_terms_required");
        customer.says("confirm", json!({ "acceptedTerms": "0".repeat(64) })).await.refused(409, "customer_terms_changed");
        assert_eq!(customer.status().await, "created");
        customer.says("confirm", json!({ "acceptedTerms": shown["id"] })).await.ok();
        // A repeated call asks for nothing again.
        customer.does("confirm").await.ok();
        assert_eq!(customer.status().await, "awaiting_payment");
    }
}

async fn accepted_terms_stay_with_the_claim(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    set(&app, &owner, terms("First")).await;
    let [accepting, reading] = [TestCustomer::orders(&app, "0.01").await, TestCustomer::orders(&app, "0.01").await];
    let first = accepting.look("form").await.ok()["customerTerms"]["id"].clone();
    accepting.says("confirm", json!({ "acceptedTerms": first })).await.ok();

    set(&app, &owner, terms("Second")).await;
    // Who has read other terms than those in force has accepted neither.
    reading.says("confirm", json!({ "acceptedTerms": first })).await.refused(409, "customer_terms_changed");
    let second = reading.look("form").await.ok()["customerTerms"].clone();
    assert_eq!(second["title"], "Second ru");
    reading.says("confirm", json!({ "acceptedTerms": second["id"] })).await.ok();

    set(&app, &owner, Value::Null).await;
    let operator = Operator::at(&app).await;
    for (customer, title) in [(&accepting, "First ru"), (&reading, "Second ru")] {
        let kept = customer.look("form").await.ok()["customerTerms"].clone();
        assert_eq!(kept["title"], title);
        assert!(kept["acceptedAt"].is_string(), "{kept}");
        assert_eq!(operator.sees(&customer.id).await["customerTerms"], kept, "staff see what was accepted, and when");
    }
    let free = TestCustomer::orders(&app, "0.01").await;
    free.does("confirm").await.ok();
    assert_eq!(free.look("form").await.ok()["customerTerms"], Value::Null);
}

async fn terms_are_set_in_both_languages_without_scripts(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let (path, revision) = pair(&app);
    let mut one = terms("First");
    one["en"] = json!({ "title": "", "message": "x".repeat(4_001) });
    let change = |terms: &Value| json!({ "revision": revision, "customerTerms": terms });
    let refused = owner.patch(&path, change(&one)).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["customerTerms.en.title"][0]["code"], "required");
    assert_eq!(refused["errors"]["customerTerms.en.message"][0]["code"], "text_too_long");
    one["en"] = json!({ "title": "First", "message": "<p onclick=\"steal()\">Yes<script>steal()</script></p>" });
    let saved = owner.patch(&path, change(&one)).await.ok();
    assert_eq!(saved["customerTerms"]["en"]["message"], "<p>Yes</p>");
    assert_eq!(saved["notices"], json!({ "general": null, "from": null, "to": null }), "notices stay as they are");
}

both_engines! {
    terms_are_accepted_before_the_payment,
    accepted_terms_stay_with_the_claim,
    terms_are_set_in_both_languages_without_scripts,
}

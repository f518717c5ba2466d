//! Steps of a pair: amounts are exchanged in multiples.

use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::{about, currency, listed_pair, number};

const ADMIN: &str = "/api/admin/v1";

fn limits(give_step: Option<&str>, receive_step: Option<&str>) -> Value {
    let side = |step| json!({ "min": null, "max": null, "step": step });
    json!({ "from": side(give_step), "to": side(receive_step) })
}

/// The identifiers of a pair at a manual rate of 100, with limits.
async fn pair_with(app: &TestApp, limits: &Value) -> (i64, i64) {
    let owner = app.owner().await;
    let pair = listed_pair(app, &owner, "LTC", "SBERRUB").await;
    let change = json!({
        "revision": pair["revision"], "source": "manual", "manualRate": "6800.55", "spreadPercent": "0", "tiers": [],
        "fees": { "from": { "fixed": "0", "percent": "0" }, "to": { "fixed": "0", "percent": "0" } }, "limits": limits,
    });
    owner.patch(&format!("{ADMIN}/pairs/{}", pair["id"]), change).await.ok();
    (currency(app, "LTC").await, currency(app, "SBERRUB").await)
}

fn claim((give, receive): (i64, i64), from: &str, to: &str, quote: &Value) -> Value {
    json!({
        "email": "anna@mail.example", "fromPs": give, "toPs": receive, "fromSumma": from, "toSumma": to, "fromRequisites": {},
        "toRequisites": { "card": "2200000000000004", "holder": "IVAN PETROV" }, "quoteId": quote,
        "extras": { "termsVersion": "1", "amlConsent": true },
    })
}

async fn what_is_received_is_a_multiple_and_nothing_is_paid_for_a_part(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ends = pair_with(&app, &limits(None, Some("5000"))).await;
    let visitor = app.visitor();
    let pair = visitor.get(&about(&app, "pair", "LTC", "SBERRUB").await).await.ok();
    assert_eq!((&pair["from"]["step"], &pair["to"]["step"]), (&Value::Null, &json!("5000")));
    assert_eq!(pair["to"]["min"], "5000", "the least step");
    assert_eq!(number(&pair["to"]["max"]) % number(&json!("5000")), number(&json!("0")));
    let course = about(&app, "course", "LTC", "SBERRUB").await;
    for end in ["min", "max"] {
        let rate = visitor.get(&format!("{course}?fromSumma={}", pair["from"][end].as_str().unwrap())).await.ok();
        assert_eq!(rate["toSumma"], pair["to"][end], "both ends can be exchanged");
    }

    // 2 brings 13,601.10: ten thousand, which 1.4704 and a little brings already.
    let refused = visitor.get(&format!("{course}?fromSumma=2")).await.refused(422, "amount_not_multiple");
    let params = &refused["errors"]["fromSumma"][0]["params"];
    assert_eq!((&params["step"], &params["currency"]), (&json!("5000"), &json!("RUB")));
    let nearest = params["nearest"].as_str().unwrap();
    assert_eq!(visitor.get(&format!("{course}?fromSumma={nearest}")).await.ok()["toSumma"], "10000");

    let quote = &pair["quote"]["id"];
    visitor.post("/api/v1/claim/", claim(ends, "2", "10000", quote)).await.refused(422, "amount_not_multiple");
    visitor.post("/api/v1/claim/", claim(ends, "2", "13601.1", quote)).await.refused(409, "rate_changed");
    visitor.post("/api/v1/claim/", claim(ends, nearest, "10000", quote)).await.ok();
    app.assert_ledger_is_clean().await;
}

async fn what_is_given_is_a_multiple(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ends = pair_with(&app, &limits(Some("0.5"), None)).await;
    let visitor = app.visitor();
    let pair = visitor.get(&about(&app, "pair", "LTC", "SBERRUB").await).await.ok();
    assert_eq!((&pair["from"]["step"], &pair["from"]["min"], &pair["to"]["step"]), (&json!("0.5"), &json!("0.5"), &Value::Null));
    let quote = &pair["quote"]["id"];
    let refused = visitor.post("/api/v1/claim/", claim(ends, "1.2", "8160.66", quote)).await.refused(422, "amount_not_multiple");
    assert_eq!(refused["errors"]["fromSumma"][0]["params"]["nearest"], "1");
    visitor.post("/api/v1/claim/", claim(ends, "1.5", "10200.82", quote)).await.ok();
}

async fn a_step_is_positive_and_fits_its_currency(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let pair = listed_pair(&app, &owner, "LTC", "SBERRUB").await;
    for (step, code) in [("0", "step_not_positive"), ("-5", "amount_negative"), ("0.001", "too_many_digits")] {
        let change = json!({ "revision": pair["revision"], "limits": limits(None, Some(step)) });
        let refused = owner.patch(&format!("{ADMIN}/pairs/{}", pair["id"]), change).await.refused(422, "validation_failed");
        assert_eq!(refused["errors"]["limits.to.step"][0]["code"], code, "{step}");
    }
}

both_engines!(
    what_is_received_is_a_multiple_and_nothing_is_paid_for_a_part,
    what_is_given_is_a_multiple,
    a_step_is_positive_and_fits_its_currency,
);

//! Cash: in a city, and to nobody but who says the code.

use std::time::Duration;

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{Operator, TestCustomer, pair, reserve, units};

const PHONE: &str = "+79991234567";

fn order(app: &TestApp, from: &str, to: &str, send: &str) -> Value {
    let pair = pair(app, from, to, send);
    let requisites = |code: &str| match code {
        "CASHUSD" => json!({ "phone": PHONE }),
        _ => json!({ "address": crate::fixtures::ADDRESS }),
    };
    let give = if from == "CASHUSD" { requisites(from) } else { json!({}) };
    json!({
        "email": "anna@example.com", "fromPs": pair.from, "toPs": pair.to, "fromSumma": pair.send, "toSumma": pair.receive,
        "fromRequisites": give, "toRequisites": requisites(to), "city": "DUBAI",
        "extras": { "termsVersion": "1", "amlConsent": true },
    })
}

async fn orders(app: &TestApp, from: &str, to: &str, send: &str) -> TestCustomer {
    let caller = app.visitor();
    let made = caller.post("/api/v1/claim/", order(app, from, to, send)).await.ok();
    TestCustomer { caller, id: made["id"].as_str().unwrap().into(), number: made["publicId"].as_i64().unwrap() }
}

/// A claim for cash whose payment has arrived, and its operator.
async fn in_payout(app: &TestApp) -> (TestCustomer, Operator) {
    let customer = orders(app, "BTC", "CASHUSD", "0.05").await;
    customer.does("confirm").await.ok();
    customer.does("paid").await.ok();
    let operator = Operator::at(app).await;
    operator.does(&customer.id, "payment_received", json!({ "txId": format!("in-{}", customer.id) })).await;
    operator.does(&customer.id, "take", json!({})).await;
    (customer, operator)
}

async fn cash_has_a_city_of_its_direction(engine: Engine) {
    let app = TestApp::start(engine).await;
    let visitor = app.visitor();
    let whole = order(&app, "BTC", "CASHUSD", "0.05");
    let [from, to] = ["fromPs", "toPs"].map(|side| whole[side].as_i64().unwrap());
    let shown = visitor.get(&format!("/en/api/v1/calculator/pair/{from}/{to}/")).await.ok();
    let city = |code: &str, name: &str, place: Value| json!({ "code": code, "name": name, "place": place });
    let office = json!("1 Primernaya Street, daily from 10 am to 8 pm");
    assert_eq!(shown["cities"], json!([city("MSK", "Moscow", office.clone()), city("DUBAI", "Dubai", Value::Null)]));
    for (city, code) in [(Value::Null, "required"), (json!("SPB"), "city_unknown"), (json!("dubai"), "city_unknown")] {
        let mut order = whole.clone();
        match city {
            Value::Null => drop(order.as_object_mut().unwrap().remove("city")),
            city => order["city"] = city,
        }
        let refused = visitor.post("/api/v1/claim/", order).await.refused(422, "validation_failed");
        assert_eq!(refused["errors"]["city"][0]["code"], code);
    }
    // A direction may be limited to some of the cities of its cash.
    let owner = app.owner().await;
    let pair = format!("/api/admin/v1/pairs/{}", app.server.calculator.market().between(from, to).unwrap().pair.id);
    for (cities, field, refusal) in
        [(json!(["SPB"]), "cities[0]", "city_not_of_currency"), (json!(["MSK", "MSK"]), "cities[1]", "city_taken")]
    {
        let revision = app.server.calculator.market().between(from, to).unwrap().pair.revision;
        let limited = json!({ "revision": revision, "cities": cities });
        let refused = owner.patch(&pair, limited).await.refused(422, "validation_failed");
        assert_eq!(refused["errors"][field][0]["code"], refusal, "{refused}");
    }
    let limit = async |cities: Value| {
        let revision = app.server.calculator.market().between(from, to).unwrap().pair.revision;
        owner.patch(&pair, json!({ "revision": revision, "cities": cities })).await.ok()["cities"].clone()
    };
    assert_eq!(limit(json!(["MSK"])).await, json!(["MSK"]));
    let shown = visitor.get(&format!("/en/api/v1/calculator/pair/{from}/{to}/")).await.ok();
    assert_eq!(shown["cities"], json!([city("MSK", "Moscow", office)]));
    let refused = visitor.post("/api/v1/claim/", whole.clone()).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["city"][0]["code"], "city_unknown", "DUBAI is for other directions now");
    assert_eq!(limit(json!([])).await, json!([]));

    let mut card = crate::fixtures::order(&app, "0.01", "boris@example.com");
    card["city"] = json!("MSK");
    let refused = visitor.post("/api/v1/claim/", card).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["city"][0]["code"], "unknown_field");

    let customer = orders(&app, "BTC", "CASHUSD", "0.05").await;
    // What was agreed stays, whatever the owner changes.
    let only = json!({ "cities": [{ "code": "SPB", "name": { "ru": "Санкт-Петербург", "en": "Saint Petersburg" } }] });
    owner.patch(&format!("/api/admin/v1/currencies/{to}"), only).await.ok();
    let form = customer.look("form").await.ok();
    assert_eq!(form["city"], city("DUBAI", "Дубай", Value::Null));
    customer.does("confirm").await.ok();
    assert_eq!(Operator::at(&app).await.sees(&customer.id).await["city"]["code"], "DUBAI");
    let mail = app.emails_to("anna@example.com").await;
    assert!(mail.iter().any(|mail| mail.text.contains("Дубай, место и время по договорённости")), "{}", mail[0].text);
}

async fn a_currency_of_cash_has_cities(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let market = app.server.calculator.market();
    let path = |code: &str| format!("/api/admin/v1/currencies/{}", market.currency_named(code).unwrap().id());
    let name = json!({ "ru": "Дубай", "en": "Dubai" });
    let dubai = json!({ "code": "DUBAI", "name": name });
    for (code, cities, field, refusal) in [
        ("CASHUSD", json!([]), "cities", "city_required"),
        ("BTC", json!([dubai]), "cities", "city_unfit"),
        ("CASHUSD", json!([dubai, dubai]), "cities[1].code", "city_taken"),
        ("CASHUSD", json!([{ "code": "dubai", "name": name }]), "cities[0].code", "not_capitals"),
        ("CASHUSD", json!([{ "code": "DUBAI", "name": { "ru": "", "en": "Dubai" } }]), "cities[0].name.ru", "required"),
        (
            "CASHUSD",
            json!([{ "code": "DUBAI", "name": name, "place": { "ru": "Офис", "en": "" } }]),
            "cities[0].place.en",
            "required",
        ),
    ] {
        let refused = owner.patch(&path(code), json!({ "cities": cities })).await.refused(422, "validation_failed");
        assert_eq!(refused["errors"][field][0]["code"], refusal, "{refused}");
    }
    let known = owner.get("/api/admin/v1/catalogue/cities").await.ok();
    assert!(known.as_array().unwrap().contains(&dubai));
    // Cash for cash needs a city that both have.
    let (rub, usd) = (market.currency_named("CASHRUB").unwrap().id(), market.currency_named("CASHUSD").unwrap().id());
    let set = json!({ "source": "market", "enabled": true });
    let pairs = json!({ "giveIds": [rub], "receiveIds": [usd], "set": set, "dryRun": false });
    owner.post("/api/admin/v1/pairs", pairs).await.ok();
    let pair = format!("/api/v1/calculator/pair/{rub}/{usd}/");
    let cities = app.visitor().get(&pair).await.ok()["cities"].clone();
    assert_eq!((cities.as_array().unwrap().len(), &cities[0]["code"]), (1, &json!("MSK")));
    owner.patch(&path("CASHUSD"), json!({ "cities": [dubai] })).await.ok();
    app.visitor().get(&pair).await.refused(404, "pair_unavailable");
}

async fn cash_is_handed_to_who_says_the_code(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (customer, operator) = in_payout(&app).await;
    let code = customer.look("status").await.ok()["meetingCode"].as_str().unwrap().to_owned();
    assert_eq!(code.chars().filter(char::is_ascii_digit).count(), 9);
    let elsewhere = customer.on_another_device(&app).look("status").await.ok();
    assert_eq!(elsewhere["meetingCode"], Value::Null, "the link alone collects nothing");
    let seen = operator.sees(&customer.id).await;
    assert!(!seen.to_string().contains(&code), "staff learn the code from the customer alone");
    let step = seen["transitions"].as_array().unwrap().iter().find(|step| step["action"] == "payout_sent").unwrap();
    assert_eq!(step["needs"], json!(["meetingCode"]));

    let other = orders(&app, "BTC", "CASHUSD", "0.06").await;
    other.does("confirm").await.ok();
    assert_eq!(other.look("status").await.ok()["meetingCode"], Value::Null, "there is nothing to collect yet");
    let refused =
        operator.tries(&customer.id, "payout_sent", json!({ "txId": "order-1" })).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["meetingCode"][0]["code"], "required");
    let wrong = if code == "111 111 111" { "222222222" } else { "111111111" };
    let refused = operator.tries(&customer.id, "payout_sent", json!({ "meetingCode": wrong })).await;
    assert_eq!(refused.refused(422, "validation_failed")["errors"]["meetingCode"][0]["code"], "meeting_code_wrong");
    assert_eq!(customer.status().await, "processing");

    operator.does(&customer.id, "payout_sent", json!({ "meetingCode": code.replace(' ', "") })).await;
    assert_eq!(operator.does(&customer.id, "complete", json!({})).await["status"], "completed");
    assert_eq!(customer.look("status").await.ok()["meetingCode"], Value::Null);
    app.assert_ledger_is_clean().await;
}

/// The approval of a large payout hands out nothing: the customer's code comes after it.
async fn an_approval_is_no_code(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (customer, operator) = in_payout(&app).await;
    let owner = app.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "approvals.two_person": true, "approvals.payout_limit": 100 })).await.ok();
    app.advance_clock(Duration::from_secs(1));
    let proposed = operator.tries(&customer.id, "payout_sent", json!({ "txId": "order-1" })).await;
    assert_eq!(proposed.status, 202);
    let cashier = app.staff(Role::Cashier).await;
    let path = format!("/api/admin/v1/approvals/{}/approve", proposed.json()["id"].as_str().unwrap());
    cashier.post_empty(&path).await.ok();
    assert_eq!(customer.status().await, "processing");
    let code = customer.look("status").await.ok()["meetingCode"].clone();
    operator.tries(&customer.id, "payout_sent", json!({ "meetingCode": "000000000" })).await.refused(422, "validation_failed");
    operator.does(&customer.id, "payout_sent", json!({ "meetingCode": code })).await;
}

async fn cash_is_handed_in_at_the_place_of_the_city(engine: Engine) {
    let app = TestApp::start(engine).await;
    let before = reserve(&app, "BTC").await;
    let customer = orders(&app, "CASHUSD", "BTC", "2000").await;
    customer.does("confirm").await.ok();
    let payment = customer.look("requisite").await.ok();
    assert_eq!(payment["value"], "Дубай, место и время по договорённости, мы с вами свяжемся");
    assert_eq!(payment["kind"], "text");
    let english = customer.caller.get(&format!("/en/api/v1/claim/{}/requisite/", customer.id)).await.ok();
    assert_eq!(english["value"], "Dubai, place and time by agreement, we will contact you");
    let operator = Operator::at(&app).await;
    let seen = operator.does(&customer.id, "payment_seen", json!({})).await;
    let received = seen["transitions"].as_array().unwrap().iter().find(|row| row["action"] == "payment_received").unwrap();
    assert_eq!(received["needs"], json!([]), "cash has no transaction");
    operator.does(&customer.id, "payment_received", json!({})).await;
    let receive = customer.look("form").await.ok()["to"]["amount"].clone();
    operator.pays_out(&customer.id).await;
    assert_eq!(reserve(&app, "BTC").await.0, before.0 - units(&receive, 8));
    app.assert_ledger_is_clean().await;
}

/// Cash is neither sent to payment details nor delivered by a network.
async fn emails_speak_of_cash_as_cash(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customer = orders(&app, "CASHUSD", "BTC", "2000").await;
    customer.does("confirm").await.ok();
    let mail = app.emails_to("anna@example.com").await.pop().unwrap();
    assert_eq!(mail.kind, "claim_cash_awaited");
    assert!(mail.text.contains("Принесите ровно") && mail.text.contains("Дубай"), "{}", mail.text);
    assert!(!mail.text.contains("Реквизиты"), "{}", mail.text);

    let (customer, operator) = in_payout(&app).await;
    let code = customer.look("status").await.ok()["meetingCode"].clone();
    operator.does(&customer.id, "payout_sent", json!({ "meetingCode": code })).await;
    app.advance_and_run_jobs(Duration::from_secs(61)).await;
    let mail = app.emails_to("anna@example.com").await.pop().unwrap();
    assert_eq!(mail.kind, "claim_cash_handed_over");
    assert!(mail.text.contains("Мы выдали вам"), "{}", mail.text);
}

async fn a_report_does_not_shorten_the_time_to_bring_cash(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.reported_minutes": "10" })).await.ok();
    let customer = orders(&app, "CASHUSD", "BTC", "2000").await;
    customer.does("confirm").await.ok();
    let said = customer.does("paid").await.ok();
    assert_eq!(said["claimEndsAt"], said["termsEnd"]);
    let minutes = customer.look("form").await.ok()["hold"].as_u64().unwrap();
    app.advance_and_run_jobs(Duration::from_secs(minutes * 60 - 60)).await;
    assert_eq!(customer.status().await, "payment_claimed");
    app.advance_and_run_jobs(Duration::from_secs(120)).await;
    assert_eq!(customer.status().await, "expired");
}

/// A refund of cash is cash as well.
async fn cash_is_refunded_to_who_says_the_code(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customer = orders(&app, "CASHUSD", "BTC", "2000").await;
    customer.does("confirm").await.ok();
    let operator = Operator::at(&app).await;
    operator.does(&customer.id, "payment_seen", json!({})).await;
    operator.does(&customer.id, "payment_received", json!({})).await;
    operator.does(&customer.id, "refund", json!({ "reason": "customer_asked" })).await;
    customer.says("refund", json!({ "requisites": { "phone": PHONE } })).await.ok();
    let code = customer.look("status").await.ok()["meetingCode"].clone();
    operator.tries(&customer.id, "refund_sent", json!({ "txId": "back-1" })).await.refused(422, "validation_failed");
    operator.does(&customer.id, "refund_sent", json!({ "meetingCode": code })).await;
    assert_eq!(operator.does(&customer.id, "refund_done", json!({})).await["status"], "refunded");
    app.assert_ledger_is_clean().await;
}

/// Staff who know the code of a payout cannot say that it came back and keep the refund.
async fn the_code_of_a_payout_collects_no_refund(engine: Engine) {
    let app = TestApp::start(engine).await;
    let id = |code: &str| app.server.calculator.market().currency_named(code).unwrap().id();
    let opened = json!({ "source": "market", "enabled": true });
    let pairs = json!({ "giveIds": [id("CASHRUB")], "receiveIds": [id("CASHUSD")], "set": opened, "dryRun": false });
    app.owner().await.post("/api/admin/v1/pairs", pairs).await.ok();
    let pair = pair(&app, "CASHRUB", "CASHUSD", "100000");
    let order = json!({
        "email": "anna@example.com", "fromPs": pair.from, "toPs": pair.to, "fromSumma": pair.send, "toSumma": pair.receive,
        "fromRequisites": { "phone": PHONE }, "toRequisites": { "phone": PHONE }, "city": "MSK",
        "extras": { "termsVersion": "1", "amlConsent": true },
    });
    let caller = app.visitor();
    let made = caller.post("/api/v1/claim/", order).await.ok();
    let customer = TestCustomer { caller, id: made["id"].as_str().unwrap().into(), number: made["publicId"].as_i64().unwrap() };
    let code = async || customer.look("status").await.ok()["meetingCode"].clone();
    customer.does("confirm").await.ok();
    customer.does("paid").await.ok();
    let operator = Operator::at(&app).await;
    for step in ["payment_received", "take"] {
        operator.does(&customer.id, step, json!({})).await;
    }
    let of_payout = code().await;
    operator.does(&customer.id, "payout_sent", json!({ "meetingCode": of_payout })).await;
    operator.does(&customer.id, "complete", json!({})).await;
    operator.does(&customer.id, "payout_returned", json!({ "reason": "other" })).await;
    customer.says("refund", json!({ "requisites": { "phone": PHONE } })).await.ok();
    let refused = operator.tries(&customer.id, "refund_sent", json!({ "meetingCode": of_payout })).await;
    assert_eq!(refused.refused(422, "validation_failed")["errors"]["meetingCode"][0]["code"], "meeting_code_wrong");
    operator.does(&customer.id, "refund_sent", json!({ "meetingCode": code().await })).await;
    app.assert_ledger_is_clean().await;
}

both_engines! {
    cash_has_a_city_of_its_direction,
    a_currency_of_cash_has_cities,
    cash_is_handed_to_who_says_the_code,
    an_approval_is_no_code,
    cash_is_handed_in_at_the_place_of_the_city,
    emails_speak_of_cash_as_cash,
    a_report_does_not_shorten_the_time_to_bring_cash,
    cash_is_refunded_to_who_says_the_code,
    the_code_of_a_payout_collects_no_refund,
}

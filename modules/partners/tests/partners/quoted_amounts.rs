//! The quoted amount is paid, to the last digit, in every direction.

use std::collections::HashMap;

use agio_claims::model::Action;
use agio_core::fetch_one;
use agio_core::money::value_of;
use agio_test_app::{Engine, TestApp, both_engines};
use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::fixtures::{Partner, WAY, app, operator_does};

both_engines!(every_direction_pays_the_quoted_amount);

const SITE: &str = "/en/api/v1";

fn number(value: &Value) -> Decimal {
    match value {
        Value::String(text) => text.parse().unwrap(),
        other => other.to_string().parse().unwrap_or_else(|_| panic!("{other} is no number")),
    }
}

/// A valid value for each kind of payment detail, from the shared vectors.
fn requisites() -> HashMap<String, String> {
    let vectors: Value = serde_json::from_str(include_str!("../../../../openapi/vectors/requisites.json")).unwrap();
    let mut found = HashMap::from([("text".to_owned(), "Moscow".to_owned())]);
    for vector in vectors["vectors"].as_array().unwrap() {
        let text = |name: &str| vector[name].as_str().map(str::to_owned);
        if vector["valid"] == true && vector.get("policy").is_none() && vector.get("ambiguous_with").is_none() {
            found.entry(text("kind").unwrap()).or_insert_with(|| text("accepted").or(text("value")).unwrap());
        }
    }
    found
}

/// The documented formula: (give - fee) x tier rate - fee, rounded down.
fn received(send: Decimal, fees: (Decimal, Decimal), tiers: &Value, digits: u32) -> Decimal {
    let tier = tiers.as_array().unwrap().iter().rfind(|tier| number(&tier["min"]) <= send).unwrap();
    ((send - fees.0) * number(&tier["course"]) - fees.1).round_dp_with_strategy(digits, RoundingStrategy::ToZero)
}

fn fees_of(value: &Value) -> (Decimal, Decimal) {
    (number(&value["from"]["fixed"]), number(&value["to"]["fixed"]))
}

/// Customers who receive USDT on TRON bear a network fee of 1.2 from now on.
async fn charge_network_fee(app: &TestApp) {
    let owner = app.owner().await;
    let receive = app.server.calculator.market().currency_named("USDTTRC20").unwrap().id();
    owner.patch(&format!("/api/admin/v1/currencies/{receive}"), json!({ "networkFee": "1.2" })).await.ok();
    let pairs = owner.get("/api/admin/v1/pairs").await.ok();
    let ids: Vec<_> =
        pairs.as_array().unwrap().iter().filter(|pair| pair["receiveId"] == receive).map(|pair| &pair["id"]).collect();
    let change = json!({ "ids": ids, "set": { "networkFeePayer": "customer" }, "dryRun": false });
    owner.post("/api/admin/v1/pairs/bulk", change).await.ok();
}

async fn every_direction_pays_the_quoted_amount(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    let values = requisites();
    charge_network_fee(&app).await;
    let market = app.server.calculator.market();
    let table = app.visitor().get("/api/v1/calculator/rates/").await.ok();
    let feed = app.visitor().get("/export/rates.json").await.ok();
    let (mut view, mut with_fees, mut floating, mut paid, mut in_table) = (0, 0, 0, 0, 0);
    for (place, pair) in market.pairs.iter().enumerate() {
        let (from, to) = (&pair.give.facts, &pair.receive.facts);
        if pair.state(app.server.calculator.free(to.id)).name() != "ok" {
            continue;
        }
        let visitor = app.visitor().from_address(&format!("10.8.{}.{}", place / 200, 1 + place % 200));
        let shown = visitor.get(&format!("{SITE}/calculator/pair/{}/{}/", from.id, to.id)).await.ok();
        // More than the minimum, so that fixed fees weigh differently than at the limits.
        let (min_amount, max) = (number(&shown["from"]["min"]), number(&shown["from"]["max"]));
        let wanted =
            (min_amount * Decimal::new(137, 2)).round_dp_with_strategy(pair.give.round_digits, RoundingStrategy::AwayFromZero);
        let send = wanted.min(max).normalize();
        let fees = fees_of(&shown["fees"]);
        let receive = received(send, fees, &shown["tiers"], pair.receive.round_digits).normalize();
        let effective = (receive / send).round_sf_with_strategy(12, RoundingStrategy::ToZero).unwrap().normalize();
        let about = format!("{} > {} for {send}", from.code, to.code);

        let rate_response = visitor.get(&format!("{SITE}/calculator/course/{}/{}/?fromSumma={send}", from.id, to.id)).await.ok();
        assert_eq!((number(&rate_response["toSumma"]), number(&rate_response["effectiveRate"])), (receive, effective), "{about}");
        assert_eq!(rate_response["fees"], shown["fees"], "{about}");
        if fees == (Decimal::ZERO, Decimal::ZERO) {
            let gross = send * number(&rate_response["course"]);
            assert!(gross - receive < Decimal::new(1, pair.receive.round_digits), "without fees the course is net: {about}");
        } else {
            with_fees += 1;
        }

        let request = json!({ "from": from.code, "to": to.code, "fromSumma": send.to_string() });
        let quote = partner.post("/api/partner/v1/quotes/", &request).await.ok();
        assert_eq!((number(&quote["toSumma"]), number(&quote["effectiveRate"])), (receive, effective), "{about}");
        assert_eq!((number(&quote["fees"]["from"]), number(&quote["fees"]["to"])), fees, "{about}");
        assert_eq!(quote["fees"]["network"], shown["fees"]["network"], "{about}");
        assert_eq!(quote["course"], rate_response["course"], "{about}");
        assert_eq!(quote["floating"].is_null(), shown["floating"].is_null(), "{about}");
        if shown["floating"].is_object() {
            floating += 1;
            for name in ["confirmations", "minutes", "deviationPercent"] {
                assert_eq!(quote["floating"][name], shown["floating"][name], "{about}: {name}");
            }
            assert!(shown["floating"]["source"].as_str().is_some_and(|source| !source.is_empty()), "{about}");
        }

        if let Some(row) = table.as_array().unwrap().iter().find(|row| row["from"] == from.id && row["to"] == to.id) {
            in_table += 1;
            assert_eq!(
                received(send, fees_of(&row["fees"]), &row["tiers"], pair.receive.round_digits).normalize(),
                receive,
                "{about}"
            );
            assert_eq!((&row["course"], &row["verification"]), (&shown["course"], &shown["verification"]), "{about}");
        }

        let code = |entry: &&Value| entry["from"] == from.code.as_str() && entry["to"] == to.code.as_str();
        if let Some(entry) = feed["rates"].as_array().unwrap().iter().find(code) {
            let step = entry["steps"].as_array().into_iter().flatten().rfind(|step| number(&step["in_min_amount"]) <= send);
            let rate = step.unwrap_or(entry);
            let (feed_rate, site) = (number(&rate["out"]) / number(&rate["in"]), number(&rate_response["course"]));
            assert!(
                feed_rate <= site * Decimal::new(1_000_000_000_001, 12) && feed_rate >= site * Decimal::new(99_999_999, 8),
                "{about}"
            );
            assert_eq!((number(&entry["in_min_fee"]), number(&entry["out_min_fee"])), fees, "{about}");
            let minutes = entry.get("floating_minutes");
            assert_eq!(minutes, shown["floating"].get("minutes"), "{about}");
        } else {
            panic!("{about} is in no feed");
        }

        let request = |side: &Value, is_sent: bool| -> Value {
            let inputs = side["input"].as_array().unwrap().iter();
            let wanted = inputs.filter(|input| {
                let is_asked = input[if is_sent { "send" } else { "receive" }] == true;
                is_asked && (input["required"] == true || is_sent && input["kind"] == "card")
            });
            wanted
                .map(|input| {
                    let kind = input["kind"].as_str().unwrap();
                    let value = values.get(kind).unwrap_or_else(|| panic!("no value for {kind}"));
                    (input["name"].as_str().unwrap().to_owned(), json!(value))
                })
                .collect::<serde_json::Map<_, _>>()
                .into()
        };
        let mut order = json!({
            "email": format!("ivan{place}@example.com"), "fromPs": from.id, "toPs": to.id, "fromSumma": send.to_string(),
            "toSumma": receive.to_string(), "quoteId": shown["quote"]["id"],
            "fromRequisites": request(&shown["structure"]["from"], true), "toRequisites": request(&shown["structure"]["to"], false),
            "extras": { "termsVersion": "1", "amlConsent": true, "ownFunds": true },
        });
        if let Some(city) = shown["cities"].get(0) {
            order["city"] = city["code"].clone();
        }
        let created = visitor.post("/api/v1/claim/", order).await.ok();
        let claim = created["id"].as_str().unwrap();
        let form = visitor.get(&format!("{SITE}/claim/{claim}/form/")).await.ok();
        assert_eq!((number(&form["from"]["amount"]), number(&form["to"]["amount"])), (send, receive), "{about}");
        assert_eq!((number(&form["effectiveRate"]), &form["course"]), (effective, &rate_response["course"]), "{about}");
        assert_eq!((fees_of(&form["fees"]), &form["fees"]["network"]), (fees, &shown["fees"]["network"]), "{about}");
        assert_eq!(form["floating"], shown["floating"].is_object(), "{about}");
        view += 1;
        if created["status"] == "created" {
            paid += usize::from(is_paid_out(&app, &visitor, claim, (to.id, receive, to.scale), &about).await);
        }
    }
    println!("{view} directions, {with_fees} with fixed fees, {floating} floating, {in_table} in the table, {paid} paid out");
    assert!(view > 100 && with_fees > 50 && floating > 0 && in_table > 5 && paid > 80);
    app.assert_ledger_is_clean().await;
}

/// Completes a claim and compares the payout with the quote; false if it cannot be paid now.
async fn is_paid_out(
    app: &TestApp,
    visitor: &agio_test_app::TestClient,
    claim: &str,
    (currency, receive, scale): (i64, Decimal, u32),
    about: &str,
) -> bool {
    let confirmed = visitor.post_empty(&format!("/api/v1/claim/{claim}/confirm/")).await;
    if confirmed.status.as_u16() == 409 {
        confirmed.refused(409, "requisites_unavailable");
        return false;
    }
    confirmed.ok();
    operator_does(app, claim, Action::PaymentSeen).await;
    for action in WAY {
        operator_does(app, claim, action).await;
    }
    let external = format!("external:{currency}");
    let id: Uuid = claim.parse().unwrap();
    let mut tx = app.server.platform.db.read().await.unwrap();
    let sum = "SELECT CAST(SUM(amount) AS BIGINT) FROM ledger_transfer WHERE about = $1 AND credit = $2";
    let (left,): (i64,) = fetch_one!(&mut tx, (i64,), sum, id, &external).unwrap();
    assert_eq!(value_of(left, scale), receive, "{about}");
    true
}

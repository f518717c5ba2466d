//! The rate shown is the rate paid: every direction, everywhere it is told, to the last digit.

use std::collections::HashMap;

use agio_claims::model::Action;
use agio_core::{Amount, fetch_one};
use agio_testkit::{Engine, House, both_engines};
use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::people::{Partner, WAY, house, operator_does};

both_engines!(every_direction_says_one_number);

const SITE: &str = "/en/api/v1";

fn number(value: &Value) -> Decimal {
    match value {
        Value::String(text) => text.parse().unwrap(),
        other => other.to_string().parse().unwrap_or_else(|_| panic!("{other} is no number")),
    }
}

/// For each kind of requisite a value that is taken, from the shared vectors.
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

/// What the documented formula gives: (send - fee) x course of its tier - fee, cut.
fn received(send: Decimal, fees: (Decimal, Decimal), tiers: &Value, digits: u32) -> Decimal {
    let tier = tiers.as_array().unwrap().iter().rfind(|tier| number(&tier["min"]) <= send).unwrap();
    ((send - fees.0) * number(&tier["course"]) - fees.1).round_dp_with_strategy(digits, RoundingStrategy::ToZero)
}

fn fees_of(value: &Value) -> (Decimal, Decimal) {
    (number(&value["from"]["fixed"]), number(&value["to"]["fixed"]))
}

async fn every_direction_says_one_number(engine: Engine) {
    let house = house(engine).await;
    let partner = Partner::of(&house, "").await;
    let values = requisites();
    let market = house.app.calculator.market();
    let table = house.customer().get("/api/v1/calculator/rates/").await.ok();
    let feed = house.customer().get("/export/rates.json").await.ok();
    let (mut seen, mut with_fees, mut floating, mut paid, mut in_table) = (0, 0, 0, 0, 0);
    for (place, pair) in market.pairs.iter().enumerate() {
        let (from, to) = (&pair.from.facts, &pair.to.facts);
        if pair.state(house.app.calculator.free(to.id)).name() != "ok" {
            continue;
        }
        let visitor = house.customer().from_address(&format!("10.8.{}.{}", place / 200, 1 + place % 200));
        let shown = visitor.get(&format!("{SITE}/calculator/pair/{}/{}/", from.id, to.id)).await.ok();
        // More than the least, so that what is fixed weighs another share of it than where limits were made.
        let (least, most) = (number(&shown["from"]["min"]), number(&shown["from"]["max"]));
        let wanted =
            (least * Decimal::new(137, 2)).round_dp_with_strategy(pair.from.round_digits, RoundingStrategy::AwayFromZero);
        let send = wanted.min(most).normalize();
        let fees = fees_of(&shown["fees"]);
        let receive = received(send, fees, &shown["tiers"], pair.to.round_digits).normalize();
        let effective = (receive / send).round_sf_with_strategy(12, RoundingStrategy::ToZero).unwrap().normalize();
        let about = format!("{} > {} for {send}", from.code, to.code);

        let course = visitor.get(&format!("{SITE}/calculator/course/{}/{}/?fromSumma={send}", from.id, to.id)).await.ok();
        assert_eq!((number(&course["toSumma"]), number(&course["effectiveRate"])), (receive, effective), "{about}");
        assert_eq!(course["fees"], shown["fees"], "{about}");
        if fees == (Decimal::ZERO, Decimal::ZERO) {
            let gross = send * number(&course["course"]);
            assert!(gross - receive < Decimal::new(1, pair.to.round_digits), "without fees the course is net: {about}");
        } else {
            with_fees += 1;
        }

        let wish = json!({ "from": from.code, "to": to.code, "fromSumma": send.to_string() });
        let quote = partner.post("/api/partner/v1/quotes/", &wish).await.ok();
        assert_eq!((number(&quote["toSumma"]), number(&quote["effectiveRate"])), (receive, effective), "{about}");
        assert_eq!((number(&quote["fees"]["from"]), number(&quote["fees"]["to"])), fees, "{about}");
        assert_eq!(quote["course"], course["course"], "{about}");
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
                received(send, fees_of(&row["fees"]), &row["tiers"], pair.to.round_digits).normalize(),
                receive,
                "{about}"
            );
            assert_eq!((&row["course"], &row["verification"]), (&shown["course"], &shown["verification"]), "{about}");
        }

        let code = |entry: &&Value| entry["from"] == from.code.as_str() && entry["to"] == to.code.as_str();
        if let Some(entry) = feed["rates"].as_array().unwrap().iter().find(code) {
            let step = entry["steps"].as_array().into_iter().flatten().rfind(|step| number(&step["in_min_amount"]) <= send);
            let rate = step.unwrap_or(entry);
            let (told, site) = (number(&rate["out"]) / number(&rate["in"]), number(&course["course"]));
            assert!(told <= site * Decimal::new(1_000_000_000_001, 12) && told >= site * Decimal::new(99_999_999, 8), "{about}");
            assert_eq!((number(&entry["in_min_fee"]), number(&entry["out_min_fee"])), fees, "{about}");
            let minutes = entry.get("floating_minutes");
            assert_eq!(minutes, shown["floating"].get("minutes"), "{about}");
        } else {
            assert!(from.kind == "cash" || to.kind == "cash", "{about} is in no feed");
        }

        let asked = |side: &Value, is_sent: bool| -> Value {
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
        let order = json!({
            "email": format!("ivan{place}@example.com"), "fromPs": from.id, "toPs": to.id, "fromSumma": send.to_string(),
            "toSumma": receive.to_string(), "quoteId": shown["quote"]["id"],
            "fromRequisites": asked(&shown["structure"]["from"], true), "toRequisites": asked(&shown["structure"]["to"], false),
            "extras": { "termsVersion": "1", "amlConsent": true, "ownFunds": true },
        });
        let made = visitor.post("/api/v1/claim/", order).await.ok();
        let claim = made["id"].as_str().unwrap();
        let form = visitor.get(&format!("{SITE}/claim/{claim}/form/")).await.ok();
        assert_eq!((number(&form["from"]["amount"]), number(&form["to"]["amount"])), (send, receive), "{about}");
        assert_eq!((number(&form["effectiveRate"]), &form["course"]), (effective, &course["course"]), "{about}");
        assert_eq!(fees_of(&form["fees"]), fees, "{about}");
        assert_eq!(form["floating"], shown["floating"].is_object(), "{about}");
        seen += 1;
        if made["status"] == "created" {
            paid += usize::from(is_paid_out(&house, &visitor, claim, (to.id, receive, to.scale), &about).await);
        }
    }
    println!("{seen} directions, {with_fees} with fixed fees, {floating} floating, {in_table} in the table, {paid} paid out");
    assert!(seen > 100 && with_fees > 50 && floating > 0 && in_table > 5 && paid > 80);
    house.books_are_clean().await;
}

/// Goes with a claim to its end and holds what left against what was promised; false where there is nowhere to pay now.
async fn is_paid_out(
    house: &House,
    visitor: &agio_testkit::Caller,
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
    operator_does(house, claim, Action::PaymentSeen).await;
    for action in WAY {
        operator_does(house, claim, action).await;
    }
    let external = format!("external:{currency}");
    let id: Uuid = claim.parse().unwrap();
    let mut tx = house.app.platform.db.read().await.unwrap();
    let sum = "SELECT CAST(SUM(amount) AS BIGINT) FROM ledger_transfer WHERE about = $1 AND credit = $2";
    let (left,): (i64,) = fetch_one!(&mut tx, (i64,), sum, id, &external).unwrap();
    assert_eq!(Amount::of_units(left, scale).value().normalize(), receive, "{about}");
    true
}

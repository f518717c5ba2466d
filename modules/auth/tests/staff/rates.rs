//! Large changes of rates, and wider tolerances, ask for a fresh second factor, small changes do not.

use agio_core::identity::Role;
use agio_testkit::{Answer, Caller, Engine, House, both_engines};
use serde_json::{Value, json};

const DESK: &str = "/api/admin/v1";

/// A pair as the console lists it.
async fn pair(house: &House, editor: &Caller, from: &str, to: &str) -> Value {
    let market = house.app.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let pairs = editor.get(&format!("{DESK}/pairs")).await.ok();
    let found = pairs.as_array().unwrap().iter().find(|pair| pair["fromId"] == id(from) && pair["toId"] == id(to));
    found.unwrap_or_else(|| panic!("{from} to {to}")).clone()
}

/// Sets what passes for a payment late, and by how much.
async fn tolerates(house: &House, editor: &Caller, late: &str, amount: &str) -> Answer {
    let pair = pair(house, editor, "BTC", "SBERRUB").await;
    let tolerance = json!({ "latePercent": late, "amountFixed": amount, "amountPercent": null });
    let change = json!({ "revision": pair["revision"], "tolerance": tolerance });
    editor.patch(&format!("{DESK}/pairs/{}", pair["id"]), change).await
}

async fn what_lets_more_pass_for_a_payment_asks_for_one(engine: Engine) {
    let house = House::open(engine).await;
    let editor = house.staff_unconfirmed(Role::Editor).await;
    // A rule of its own may be wider than the house's, which is somewhere else.
    tolerates(&house, &editor, "1", "0.001").await.refused(403, "fresh_second_factor_needed");
    editor.post(&format!("{DESK}/me/confirm"), json!({ "password": "correct horse battery" })).await.ok();
    tolerates(&house, &editor, "1", "0.001").await.ok();

    let editor = house.staff_unconfirmed(Role::Editor).await;
    tolerates(&house, &editor, "1.1", "0.001").await.refused(403, "fresh_second_factor_needed");
    tolerates(&house, &editor, "1", "0.0011").await.refused(403, "fresh_second_factor_needed");
    tolerates(&house, &editor, "0.9", "0.0009").await.ok();
}

async fn a_change_that_moves_the_rate_far_asks_for_one(engine: Engine) {
    let house = House::open(engine).await;
    let editor = house.staff_unconfirmed(Role::Editor).await;
    let changes = async |fields: Value| {
        let pair = pair(&house, &editor, "USDTTRC20", "CASHUSD").await;
        let mut change = fields;
        change["revision"] = pair["revision"].clone();
        editor.patch(&format!("{DESK}/pairs/{}", pair["id"]), change).await
    };
    // The rate by hand is 0.985.
    changes(json!({ "manualRate": "1.02" })).await.ok();
    changes(json!({ "manualRate": "1.08" })).await.refused(403, "fresh_second_factor_needed");
    changes(json!({ "manualRate": "0.9" })).await.refused(403, "fresh_second_factor_needed");
    changes(json!({ "spreadPercent": "10" })).await.refused(403, "fresh_second_factor_needed");
    changes(json!({ "spreadPercent": "3" })).await.ok();
    changes(json!({ "enabled": false, "position": 1 })).await.refused(400, "malformed_body");
    changes(json!({ "enabled": false })).await.ok();
    // Nobody is asked for a code in vain.
    let operator = house.staff_unconfirmed(Role::Operator).await;
    let by_hand = pair(&house, &editor, "USDTTRC20", "CASHUSD").await;
    let far = json!({ "revision": by_hand["revision"], "manualRate": "2" });
    operator.patch(&format!("{DESK}/pairs/{}", by_hand["id"]), far).await.refused(403, "forbidden");

    let btc = pair(&house, &editor, "BTC", "SBERRUB").await;
    let many = async |spread: &str| {
        let body = json!({ "ids": [by_hand["id"], btc["id"]], "set": { "spreadPercent": spread } });
        editor.post(&format!("{DESK}/pairs/bulk"), body).await
    };
    many("25").await.refused(403, "fresh_second_factor_needed");
    many("3.5").await.ok();
    editor
        .put(&format!("{DESK}/settings"), json!({ "rates.large_change_percent": 90 }))
        .await
        .refused(403, "fresh_second_factor_needed");
    editor.put(&format!("{DESK}/settings"), json!({ "rates.quote_seconds": 90 })).await.ok();

    editor.post(&format!("{DESK}/me/confirm"), json!({ "password": "correct horse battery" })).await.ok();
    many("25").await.ok();
    editor.put(&format!("{DESK}/settings"), json!({ "rates.large_change_percent": 90 })).await.ok();
    changes(json!({ "manualRate": "0.9" })).await.ok();
}

both_engines!(a_change_that_moves_the_rate_far_asks_for_one, what_lets_more_pass_for_a_payment_asks_for_one);

//! What was exchanged, and the income from it.

use std::collections::BTreeMap;
use std::time::Duration;

use agio_core::fetch_all;
use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{ADDRESS, Operator, TestCustomer, pair, units};
use crate::limits::changes_pair;

const TURNOVER: &str = "/api/admin/v1/turnover";
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Somebody new who gives roubles for bitcoin and says that they have paid.
pub async fn reports_roubles(app: &TestApp, send: &str) -> TestCustomer {
    let pair = pair(app, "SBERRUB", "BTC", send);
    let order = json!({
        "email": "roubles@example.com", "fromPs": pair.from, "toPs": pair.to, "fromSumma": pair.send, "toSumma": pair.receive,
        "fromRequisites": { "holder": "IVAN PETROV" }, "toRequisites": { "address": ADDRESS },
        "extras": { "termsVersion": "1", "amlConsent": true },
    });
    let caller = app.visitor();
    let made = caller.post("/api/v1/claim/", order).await.ok();
    let customer = TestCustomer { caller, id: made["id"].as_str().unwrap().into(), number: made["publicId"].as_i64().unwrap() };
    for step in ["confirm", "paid"] {
        customer.does(step).await.ok();
    }
    customer
}

/// The income of the ledger in a currency, in units: the spread and the fees.
async fn booked(app: &TestApp, code: &str) -> (i64, i64) {
    let id = app.server.calculator.market().currency_named(code).unwrap().id();
    let mut tx = app.server.platform.db.read().await.unwrap();
    let rows = fetch_all!(&mut tx, (String, i64), "SELECT name, balance FROM ledger_account").unwrap();
    let balances: BTreeMap<_, _> = rows.into_iter().collect();
    (balances[&format!("income_spread:{id}")], balances[&format!("income_fee:{id}")])
}

fn row<'r>(report: &'r Value, list: &str, key: &str, code: &str) -> &'r Value {
    report[list].as_array().unwrap().iter().find(|row| row[key] == code).unwrap_or_else(|| panic!("{code}: {report}"))
}

async fn turnover_and_income_are_those_of_the_ledger(engine: Engine) {
    let app = TestApp::start(engine).await;
    changes_pair(
        &app,
        json!({ "fees": { "from": { "fixed": "0.0001", "percent": "0" }, "to": { "fixed": "10", "percent": "0" } } }),
    )
    .await;
    let operator = Operator::at(&app).await;
    let empty = operator.0.get(TURNOVER).await.ok();
    assert_eq!((&empty["from"], &empty["to"]), (&json!("2024-03-01"), &json!("2024-03-31")), "the current month");
    assert_eq!((&empty["directions"], &empty["currencies"]), (&json!([]), &json!([])));

    let bitcoin = TestCustomer::reports(&app, "0.01").await;
    operator.completes(&bitcoin.id).await;
    let roubles = reports_roubles(&app, "50000").await;
    operator.completes(&roubles.id).await;
    let refunded = TestCustomer::reports(&app, "0.02").await;
    operator.does(&refunded.id, "payment_received", json!({})).await;
    operator.does(&refunded.id, "refund", json!({ "reason": "customer_asked" })).await;
    refunded.says("refund", json!({ "requisites": { "address": ADDRESS } })).await.ok();
    operator.does(&refunded.id, "refund_sent", json!({ "txId": "back" })).await;
    operator.does(&refunded.id, "refund_done", json!({})).await;
    let (spread_rub, fees_rub) = booked(&app, "SBERRUB").await;
    let (spread_btc, fees_btc) = booked(&app, "BTC").await;
    let received_by = async |customer: &TestCustomer| {
        app.server.claims.claim(customer.id.parse().unwrap()).await.unwrap().receive.amount.units()
    };
    let (paid_rub, paid_btc) = (received_by(&bitcoin).await, received_by(&roubles).await);

    app.advance_and_run_jobs(DAY).await;
    let operator = Operator::at(&app).await;
    let later = TestCustomer::reports(&app, "0.03").await;
    operator.completes(&later.id).await;

    let day = operator.0.get(&format!("{TURNOVER}?from=2024-03-28&to=2024-03-28")).await.ok();
    assert_eq!(day["directions"].as_array().unwrap().len(), 2, "{day}");
    let sold = row(&day, "directions", "from", "BTC");
    assert_eq!((&sold["to"], &sold["claims"], &sold["given"]), (&json!("SBERRUB"), &json!(1), &json!("0.01")));
    assert_eq!((units(&sold["received"], 2), units(&sold["spread"], 2)), (paid_rub, spread_rub));
    assert_eq!((&sold["giveFee"], &sold["receiveFee"]), (&json!("0.0001"), &json!("10")));
    let bought = row(&day, "directions", "from", "SBERRUB");
    assert_eq!((&bought["claims"], &bought["given"]), (&json!(1), &json!("50000")));
    assert_eq!((units(&bought["received"], 8), units(&bought["spread"], 8)), (paid_btc, spread_btc));
    for (code, scale, income, given, received) in
        [("SBERRUB", 2, (spread_rub, fees_rub), 5_000_000, paid_rub), ("BTC", 8, (spread_btc, fees_btc), 1_000_000, paid_btc)]
    {
        let total = row(&day, "currencies", "currency", code);
        let of = |name: &str| units(&total[name], scale);
        assert_eq!((of("spread"), of("fees"), of("income")), (income.0, income.1, income.0 + income.1), "{total}");
        assert_eq!((of("given"), of("received")), (given, received), "{total}");
    }
    let today = operator.0.get(&format!("{TURNOVER}/today")).await.ok();
    assert_eq!((&today["day"], &today["timeZone"]), (&json!("2024-03-29"), &json!("UTC")));
    assert_eq!([&today["created"], &today["exchanged"], &today["completed"]], [1, 1, 1], "{today}");
    assert_eq!((&today["waiting"], &today["waitingSince"]), (&json!(0), &Value::Null));
    assert!(today["given"]["ticker"].is_string() && today["income"]["amount"].is_string(), "{today}");
    let waits = TestCustomer::reports(&app, "0.01").await;
    let today = operator.0.get(&format!("{TURNOVER}/today")).await.ok();
    assert_eq!([&today["created"], &today["exchanged"], &today["waiting"]], [2, 1, 1], "{today}");
    let ours = operator.0.get("/api/admin/v1/claims?group=ours").await.ok();
    assert_eq!((&ours["items"][0]["id"], &ours["items"][0]["updatedAt"]), (&json!(waits.id), &today["waitingSince"]));
    let month = operator.0.get(TURNOVER).await.ok();
    let sold = row(&month, "directions", "from", "BTC");
    assert_eq!((&sold["claims"], &sold["given"]), (&json!(2), &json!("0.04")));
    let all = booked(&app, "SBERRUB").await;
    assert_eq!(units(&row(&month, "currencies", "currency", "SBERRUB")["income"], 2), all.0 + all.1);

    let csv = operator.0.get(&format!("{TURNOVER}/csv?from=2024-03-28&to=2024-03-28")).await.text;
    assert!(csv.starts_with("\u{feff}Отдаётся;Получается;Заявок;Отдано;"), "{csv}");
    assert!(csv.contains("\nBTC;SBERRUB;1;0,01;") && csv.contains(";0,0001;10\r\n"), "{csv}");
    assert!(csv.contains("\nSBERRUB;BTC;1;50000;") && csv.contains("\nBTC;0,01;"), "{csv}");
    let english = operator.0.get(&format!("/en{TURNOVER}/csv?from=2024-03-28&to=2024-03-28")).await.text;
    assert!(english.contains("\nBTC,SBERRUB,1,0.01,"), "{english}");
    app.assert_ledger_is_clean().await;
}

async fn a_payout_that_came_back_is_taken_off(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = TestCustomer::reports(&app, "0.01").await;
    operator.completes(&customer.id).await;
    app.advance_and_run_jobs(DAY).await;
    let operator = Operator::at(&app).await;
    let kept = operator.0.get(TURNOVER).await.ok()["directions"][0].clone();
    operator.does(&customer.id, "payout_returned", json!({ "reason": "payout_returned" })).await;
    let of_day = async |day: &str| operator.0.get(&format!("{TURNOVER}?from={day}&to={day}")).await.ok();
    assert_eq!(of_day("2024-03-28").await["directions"][0], kept, "a day that is over stays as it was");
    let back = of_day("2024-03-29").await["directions"][0].clone();
    assert_eq!((&back["claims"], &back["given"]), (&json!(-1), &json!("-0.01")));
    let month = operator.0.get(TURNOVER).await.ok();
    for name in ["given", "received", "spread", "giveFee", "receiveFee"] {
        assert_eq!(month["directions"][0][name], "0", "{month}");
    }
}

async fn days_are_those_of_the_exchange_and_other_people_see_none(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let mut shown = owner.get("/api/admin/v1/brand").await.ok();
    shown["brand"]["workWeek"]["timeZone"] = "Pacific/Kiritimati".into();
    owner.put("/api/admin/v1/brand", json!({ "revision": shown["revision"], "brand": shown["brand"] })).await.ok();
    let customer = TestCustomer::reports(&app, "0.01").await;
    Operator::at(&app).await.completes(&customer.id).await;
    let of_day = async |day: &str| owner.get(&format!("{TURNOVER}?from={day}&to={day}")).await.ok();
    assert_eq!(of_day("2024-03-28").await["directions"], json!([]));
    let day = of_day("2024-03-29").await;
    assert_eq!((&day["directions"][0]["claims"], &day["timeZone"]), (&json!(1), &json!("Pacific/Kiritimati")));

    for query in ["from=2024-03-32", "from=2024-03-02&to=2024-03-01", "from=2023-03-01&to=2024-03-01"] {
        owner.get(&format!("{TURNOVER}?{query}")).await.refused(422, "validation_failed");
        owner.get(&format!("{TURNOVER}/csv?{query}")).await.refused(422, "validation_failed");
    }
    app.staff(Role::Auditor).await.get(TURNOVER).await.ok();
    for path in [TURNOVER.to_owned(), format!("{TURNOVER}/csv"), format!("{TURNOVER}/today")] {
        app.visitor().get(&path).await.refused(401, "token_not_valid");
        customer.caller.get(&path).await.refused(401, "token_not_valid");
    }
}

both_engines!(
    turnover_and_income_are_those_of_the_ledger,
    a_payout_that_came_back_is_taken_off,
    days_are_those_of_the_exchange_and_other_people_see_none,
);

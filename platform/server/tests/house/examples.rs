//! The examples of the published documents are real answers, recorded on this walk through the house.
//!
//! `AGIO_WRITE_EXAMPLES=1` writes `openapi/examples.json`; without it the walk proves that every operation has an example and that
//! each still has the shape of what is answered.

mod accounts;
mod approvals;
mod content;
mod contest;
mod customers;
mod discounts;
mod monitors;
pub mod partners;
mod payments;
mod plugins;
mod rates;
mod referral;
mod staff;
pub mod trustee;
mod verification;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use agio_core::execute;
use agio_core::needs::{Asked, Quotes as _};
use agio_testkit::{Caller, Engine, House};
use reqwest::Method;
use serde_json::{Map, Value, json};

/// The smallest PNG there is: one pixel.
pub const RECEIPT: &[u8] = include_bytes!("receipt.png");

/// How much of a list an example shows.
const SHOWN_OF_A_LIST: usize = 2;

/// What is asked and answered, by the operation's id.
#[derive(Default)]
pub struct Recorder(BTreeMap<&'static str, Value>);

impl Recorder {
    async fn call(&mut self, caller: &Caller, operation: &'static str, method: Method, path: &str, body: Option<Value>) -> Value {
        let request = caller.request(method, path).header("accept-language", "en");
        let request = match &body {
            Some(body) => request.json(body),
            None => request,
        };
        let answer = caller.send(request).await.ok();
        let mut told = Map::new();
        told.extend(body.map(|body| ("request".to_owned(), body)));
        told.extend((!answer.is_null()).then(|| ("answer".to_owned(), shortened(answer.clone()))));
        self.0.insert(operation, Value::Object(told));
        answer
    }

    async fn get(&mut self, caller: &Caller, operation: &'static str, path: &str) -> Value {
        self.call(caller, operation, Method::GET, path, None).await
    }

    async fn post(&mut self, caller: &Caller, operation: &'static str, path: &str, body: Value) -> Value {
        self.call(caller, operation, Method::POST, path, Some(body)).await
    }

    async fn post_empty(&mut self, caller: &Caller, operation: &'static str, path: &str) -> Value {
        self.call(caller, operation, Method::POST, path, None).await
    }
}

/// The same value with its lists cut short: nobody reads a hundred pairs in an example.
fn shortened(value: Value) -> Value {
    match value {
        Value::Array(list) => list.into_iter().take(SHOWN_OF_A_LIST).map(shortened).collect(),
        Value::Object(object) => object.into_iter().map(|(key, inner)| (key, shortened(inner))).collect(),
        plain => plain,
    }
}

/// The keys and types of a value.
fn shape(value: &Value) -> Value {
    match value {
        Value::Null => Value::Null,
        Value::Bool(_) => "boolean".into(),
        Value::Number(_) => "number".into(),
        Value::String(_) => "string".into(),
        Value::Array(list) => list.iter().map(shape).collect(),
        Value::Object(object) => object.iter().map(|(key, inner)| (key.clone(), shape(inner))).collect(),
    }
}

/// A number that an answer carries as text.
fn number(value: &Value) -> rust_decimal::Decimal {
    value.as_str().unwrap().parse().unwrap()
}

/// An order of bitcoin for roubles at the terms of this moment.
pub fn order(house: &House, send: &str) -> Value {
    let market = house.app.calculator.market();
    let id = |code: &str| market.currency_named(code).expect("the demonstration has it").id();
    let asked = Asked::plainly(id("BTC"), id("SBERRUB"), send.parse().unwrap());
    let receive = house.app.calculator.agree(&asked).unwrap().receive.to_string();
    json!({
        "email": "ivan@example.com", "fromPs": asked.from, "toPs": asked.to, "fromSumma": send, "toSumma": receive,
        "fromRequisites": {}, "toRequisites": { "card": "2200000000000004", "holder": "IVAN PETROV" },
        "extras": { "termsVersion": "1", "amlConsent": true, "ownFunds": true },
    })
}

async fn visit_the_calculator(house: &House, recorder: &mut Recorder) {
    let visitor = house.customer();
    let order = order(house, "0.015");
    let (from, to) = (&order["fromPs"], &order["toPs"]);
    recorder.get(&visitor, "quoteKey", "/.well-known/agio-quote-key.json").await;
    recorder.get(&visitor, "calculatorDirections", "/api/v1/calculator/").await;
    recorder.get(&visitor, "calculatorSendable", "/api/v1/calculator/from/").await;
    recorder.get(&visitor, "calculatorReceivable", &format!("/api/v1/calculator/from/{from}/")).await;
    recorder.get(&visitor, "calculatorPair", &format!("/api/v1/calculator/pair/{from}/{to}/")).await;
    recorder.get(&visitor, "calculatorCourse", &format!("/api/v1/calculator/course/{from}/{to}/")).await;
    recorder.get(&visitor, "calculatorRates", "/api/v1/calculator/rates/").await;
    recorder.get(&visitor, "calculatorReserves", "/api/v1/calculator/reserves/").await;
    recorder.get(&visitor, "calculatorSettings", "/api/v1/calculator/settings/?cur_from=BTC&cur_to=SBERRUB").await;
    recorder.get(&visitor, "calculatorTech", "/api/v1/calculator/tech/").await;
    recorder.get(&visitor, "checkCaptcha", "/api/v1/claim/captchacheck").await;
}

/// A claim from the order to the payment; gives its identifier.
async fn leave_a_claim(house: &House, recorder: &mut Recorder) -> String {
    let customer = house.customer();
    let made = recorder.post(&customer, "createClaim", "/api/v1/claim/", order(house, "0.015")).await;
    let id = made["id"].as_str().unwrap().to_owned();
    let path = |call: &str| format!("/api/v1/claim/{id}/{call}/");
    recorder.get(&customer, "getClaimForm", &path("form")).await;
    recorder.post_empty(&customer, "confirmClaim", &path("confirm")).await;
    recorder.get(&customer, "getClaimRequisite", &path("requisite")).await;
    let receipt = customer.upload(&path("bill"), "receipt.png", RECEIPT.to_vec()).await.ok();
    recorder.0.insert("uploadClaimReceipt", json!({ "answer": receipt }));
    recorder.post_empty(&customer, "claimIsPaid", &path("paid")).await;
    recorder.get(&customer, "getClaimStatus", &path("status")).await;
    id
}

/// What a customer answers when another amount came than was agreed, and what one does who thinks better of it.
async fn change_ones_mind(house: &House, operator: &Caller, recorder: &mut Recorder) {
    let customer = house.customer();
    let path = |id: &Value, call: &str| format!("/api/v1/claim/{}/{call}/", id.as_str().unwrap());
    let mut short_of_it = Vec::new();
    for send in ["0.016", "0.017", "0.0175"] {
        let id = customer.post("/api/v1/claim/", order(house, send)).await.ok()["id"].clone();
        customer.post_empty(&path(&id, "confirm")).await.ok();
        let claim = format!("/api/admin/v1/claims/{}", id.as_str().unwrap());
        let seen = json!({ "action": "payment_seen", "txId": format!("example-{send}") });
        for mut step in [seen, json!({ "action": "amount_mismatch", "amount": "0.0155" })] {
            step["revision"] = operator.get(&claim).await.ok()["revision"].clone();
            operator.post(&format!("{claim}/transitions"), step).await.ok();
        }
        short_of_it.push(id);
    }
    let claim = |id: &Value| format!("/api/admin/v1/claims/{}", id.as_str().unwrap());
    recorder.get(operator, "previewRecalculation", &format!("{}/recalculation", claim(&short_of_it[0]))).await;
    let returned = claim(&short_of_it[2]);
    let revision = operator.get(&returned).await.ok()["revision"].clone();
    let refund = json!({ "action": "refund", "revision": revision, "reason": "customer_asked" });
    let revision = operator.post(&format!("{returned}/transitions"), refund).await.ok()["revision"].clone();
    let destination = json!({
        "revision": revision, "requisites": { "address": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" }, "note": "They told us by mail.",
    });
    recorder.post(operator, "setRefundDestination", &format!("{returned}/refund-destination"), destination).await;
    let offer = customer.get(&path(&short_of_it[0], "status")).await.ok()["offer"].clone();
    let accepted = json!({ "fromSumma": offer["fromSumma"], "toSumma": offer["toSumma"] });
    recorder.post(&customer, "acceptClaimOffer", &path(&short_of_it[0], "accept"), accepted).await;
    let back = json!({ "requisites": { "address": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" } });
    recorder.post(&customer, "refundClaim", &path(&short_of_it[1], "refund"), back).await;
    let other = customer.post("/api/v1/claim/", order(house, "0.018")).await.ok()["id"].clone();
    recorder.post_empty(&customer, "cancelClaim", &path(&other, "cancel")).await;
}

async fn work_the_claim(house: &House, operator: &Caller, id: &str, recorder: &mut Recorder) {
    let path = format!("/api/admin/v1/claims/{id}");
    recorder.get(operator, "listClaims", "/api/admin/v1/claims?group=ours").await;
    recorder.post_empty(operator, "lockClaim", &format!("{path}/lock")).await;
    let note = json!({ "text": "The bank's statement shows the payment." });
    recorder.post(operator, "noteClaim", &format!("{path}/notes"), note).await;
    let seen = recorder.get(operator, "getClaim", &path).await;
    let step = json!({ "action": "payment_received", "revision": seen["revision"], "txId": "4a5e1e4baab89f3a32518a88c31bc87f" });
    recorder.post(operator, "moveClaim", &format!("{path}/transitions"), step).await;
    recorder.post_empty(operator, "unlockClaim", &format!("{path}/unlock")).await;
    recorder.get(operator, "dashboard", "/api/admin/v1/dashboard").await;
    assert!(house.app.platform.db.is_writable());
}

async fn keep_the_market(house: &House, owner: &Caller, recorder: &mut Recorder) {
    recorder.get(owner, "staffMe", "/api/admin/v1/auth/me").await;
    let currencies = recorder.get(owner, "listCurrencies", "/api/admin/v1/currencies").await;
    let currency = format!("/api/admin/v1/currencies/{}", currencies[0]["id"]);
    recorder.call(owner, "changeCurrency", Method::PATCH, &currency, Some(json!({ "position": 3, "receive": true }))).await;
    let pairs = recorder.get(owner, "listPairs", "/api/admin/v1/pairs").await;
    let pair = format!("/api/admin/v1/pairs/{}", pairs[0]["id"]);
    let change = json!({ "revision": pairs[0]["revision"], "spreadPercent": "1.25" });
    recorder.post(owner, "previewPair", &format!("{pair}/preview"), change.clone()).await;
    recorder.call(owner, "changePair", Method::PATCH, &pair, Some(change)).await;
    let bulk = json!({ "ids": [pairs[0]["id"], pairs[1]["id"]], "set": { "spreadPercent": "1.5" } });
    recorder.post(owner, "changePairs", "/api/admin/v1/pairs/bulk", bulk).await;
    recorder.get(owner, "listRates", "/api/admin/v1/rates").await;
    recorder.get(owner, "listReserves", "/api/admin/v1/reserves").await;
    let movements = format!("/api/admin/v1/reserves/{}/movements", currencies[0]["id"]);
    let deposit = json!({ "amount": "0.5", "reason": "deposit", "note": "Bought at the market" });
    // Later than the opening deposit, so that it is the newer one.
    house.wait(Duration::from_secs(1));
    recorder.post(owner, "moveReserve", &movements, deposit).await;
    recorder.get(owner, "listReserveMovements", &movements).await;
}

async fn keep_the_house(owner: &Caller, recorder: &mut Recorder) {
    let pool = recorder.get(owner, "listRequisites", "/api/admin/v1/requisites").await;
    let new =
        json!({ "currencyId": pool[0]["currencyId"], "value": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "dailyLimit": "2" });
    let added = recorder.post(owner, "addRequisite", "/api/admin/v1/requisites", new).await;
    let path = format!("/api/admin/v1/requisites/{}", added["id"].as_str().unwrap());
    recorder.call(owner, "changeRequisite", Method::PATCH, &path, Some(json!({ "enabled": false }))).await;
    recorder.get(owner, "listQuoteKeys", "/api/admin/v1/quote-keys").await;
    recorder.call(owner, "rotateQuoteKey", Method::POST, "/api/admin/v1/quote-keys/rotate", None).await;
    recorder.get(owner, "listSettings", "/api/admin/v1/settings").await;
    let change = json!({ "claims.confirm_minutes": "20" });
    recorder.call(owner, "changeSettings", Method::PUT, "/api/admin/v1/settings", Some(change)).await;
    let pause = json!({ "on": true, "time": "2024-03-28T13:30:00Z" });
    recorder.call(owner, "setTechnicalMode", Method::PUT, "/api/admin/v1/tech", Some(pause)).await;
    recorder.get(owner, "getTechnicalMode", "/api/admin/v1/tech").await;
}

/// A mail and a notice that were refused for good, sent again.
async fn look_after_the_mail(house: &House, owner: &Caller, recorder: &mut Recorder) {
    let refused = "UPDATE outbox SET state = 'dead', attempts = 1, fault = '550 5.1.1 no such user', settled_at = created_at WHERE id = (SELECT MIN(id) FROM outbox)";
    house.app.platform.db.write(move |tx| Box::pin(async move { execute!(tx, refused) })).await.unwrap();
    let dead = recorder.get(owner, "listMail", "/api/admin/v1/mail?state=dead").await;
    let path = format!("/api/admin/v1/mail/{}", dead["items"][0]["id"]);
    recorder.get(owner, "getMail", &path).await;
    recorder.post_empty(owner, "resendMail", &format!("{path}/resend")).await;
    let lost = r#"INSERT INTO outbox (channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, leased_until, fault, created_at, settled_at)
        SELECT 'notice', 'telegram', 'alert_mail', 'alert', 'alert_mail',
            '{"key":"alert-alert_mail-1711627200000000","event":"alert_mail","text":"Letters that could not be delivered: 1","url":"https://agio.example/admin/mail"}',
            'dead', 1, created_at, 0, 'Forbidden: bot was kicked from the group chat', created_at, created_at
        FROM outbox WHERE id = (SELECT MIN(id) FROM outbox)"#;
    house.app.platform.db.write(move |tx| Box::pin(async move { execute!(tx, lost) })).await.unwrap();
    let lost = recorder.get(owner, "listNotices", "/api/admin/v1/notices").await;
    recorder.post_empty(owner, "resendNotice", &format!("/api/admin/v1/notices/{}/resend", lost["items"][0]["id"])).await;
    recorder.get(owner, "listAuditActions", "/api/admin/v1/audit/actions").await;
    recorder.get(owner, "listAudit", "/api/admin/v1/audit?aboutKind=setting&aboutId=claims.confirm_minutes").await;
}

async fn sign_in(house: &House, recorder: &mut Recorder) {
    let caller = house.customer();
    house.owner().await;
    let login = json!({ "email": "owner@agio.example", "password": "correct horse battery" });
    recorder.post(&caller, "staffLogin", "/api/admin/v1/auth/login", login).await;
    recorder.post_empty(&caller, "staffRefresh", "/api/admin/v1/auth/refresh").await;
    recorder.post_empty(&caller, "staffLogout", "/api/admin/v1/auth/logout").await;
}

/// The operations of a document whose answer is JSON, or that take JSON.
fn operations(document: &Value) -> BTreeSet<String> {
    let speaks_json = |part: &Value| !part["content"]["application/json"].is_null();
    let paths = document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    let operations = paths.filter(|operation| operation["operationId"].is_string()).filter(|operation| {
        let responses = operation["responses"].as_object().unwrap();
        speaks_json(&operation["requestBody"])
            || responses.iter().any(|(status, response)| status.starts_with('2') && speaks_json(response))
    });
    operations.map(|operation| operation["operationId"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_has_a_true_example() {
    let house = House::open(Engine::Sqlite).await;
    let mut recorder = Recorder::default();
    let (owner, operator) = (house.owner().await, house.operator().await);
    visit_the_calculator(&house, &mut recorder).await;
    let claim = leave_a_claim(&house, &mut recorder).await;
    change_ones_mind(&house, &operator, &mut recorder).await;
    work_the_claim(&house, &operator, &claim, &mut recorder).await;
    keep_the_market(&house, &owner, &mut recorder).await;
    sign_in(&house, &mut recorder).await;
    accounts::have_an_account(&house, &operator, &mut recorder).await;
    discounts::give_discounts(&house, &owner, &mut recorder).await;
    referral::bring_others(&house, &owner, &operator, &mut recorder).await;
    partners::exchange_for_others(&house, &owner, &mut recorder).await;
    partners::ask_for_access(&house, &owner, &mut recorder).await;
    trustee::trade_by_contract(&house, &owner, &mut recorder).await;
    customers::look_after_them(&house, &operator, &mut recorder).await;
    keep_the_house(&owner, &mut recorder).await;
    content::keep_the_texts(&house, &owner, &mut recorder).await;
    plugins::be_set(&owner, &mut recorder).await;
    monitors::be_listed(&house, &owner, &mut recorder).await;
    rates::be_explained(&mut recorder).await;
    staff::work_here(&house, &owner, &mut recorder).await;
    look_after_the_mail(&house, &owner, &mut recorder).await;
    approvals::decide_together(&house, &owner, &mut recorder).await;
    contest::draw(&house, &mut recorder).await;
    payments::pay_by_plugins(&mut recorder).await;

    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../openapi/examples.json");
    let recorded = serde_json::to_value(recorder.0).unwrap();
    if std::env::var_os("AGIO_WRITE_EXAMPLES").is_some() {
        std::fs::write(&file, format!("{}\n", serde_json::to_string_pretty(&recorded).unwrap())).unwrap();
    }
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    for operation in house.app.documents().files().into_iter().flat_map(|(_, document)| operations(document)) {
        assert!(recorded.get(&operation).is_some(), "the walk does not come by {operation}");
        assert_eq!(shape(&recorded[&operation]), shape(&kept[&operation]), "the example of {operation} is old: run `make gen`");
    }
}

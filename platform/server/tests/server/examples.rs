//! The examples of the published documents are recorded responses.
//!
//! `AGIO_WRITE_EXAMPLES=1` writes `openapi/examples.json`; otherwise the test checks that every operation has an
//! example and that each has the shape of the response.

mod accounts;
mod approvals;
mod chats;
mod content;
mod contest;
mod customers;
mod discounts;
mod feeds;
pub mod partners;
mod payments;
mod plugins;
mod rates;
mod referral;
mod reviews;
mod staff;
pub mod trustee;
mod verification;
mod waitlist;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use agio_contracts::{QuoteProvider as _, QuoteRequest};
use agio_core::execute;
use agio_test_app::{Engine, TestApp, TestClient};
use reqwest::Method;
use serde_json::{Map, Value, json};
use tokio::sync::Mutex;

/// A PNG of one pixel.
pub const RECEIPT: &[u8] = include_bytes!("receipt.png");

/// The maximum length of a list in an example.
const SHOWN_OF_A_LIST: usize = 2;

/// Requests and responses by operation id.
#[derive(Default)]
pub struct Recorder(BTreeMap<&'static str, Value>);

impl Recorder {
    async fn call(
        &mut self,
        caller: &TestClient,
        operation: &'static str,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Value {
        let request = caller.request(method, path).header("accept-language", "en");
        let request = match &body {
            Some(body) => request.json(body),
            None => request,
        };
        let answer = caller.send(request).await.ok();
        let mut example = Map::new();
        example.extend(body.map(|body| ("request".to_owned(), body)));
        example.extend((!answer.is_null()).then(|| ("answer".to_owned(), shortened(answer.clone()))));
        self.0.insert(operation, Value::Object(example));
        answer
    }

    async fn get(&mut self, caller: &TestClient, operation: &'static str, path: &str) -> Value {
        self.call(caller, operation, Method::GET, path, None).await
    }

    async fn post(&mut self, caller: &TestClient, operation: &'static str, path: &str, body: Value) -> Value {
        self.call(caller, operation, Method::POST, path, Some(body)).await
    }

    async fn post_empty(&mut self, caller: &TestClient, operation: &'static str, path: &str) -> Value {
        self.call(caller, operation, Method::POST, path, None).await
    }
}

/// Shortens all lists.
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

fn number(value: &Value) -> rust_decimal::Decimal {
    value.as_str().unwrap().parse().unwrap()
}

/// An order of BTC for roubles at the current rate.
pub fn order(app: &TestApp, send: &str) -> Value {
    let market = app.server.calculator.market();
    let id = |code: &str| market.currency_named(code).expect("the demonstration has it").id();
    let query = QuoteRequest::anonymous(id("BTC"), id("SBERRUB"), send.parse().unwrap());
    let receive = app.server.calculator.agree(&query).unwrap().receive.to_string();
    json!({
        "email": "ivan@example.com", "fromPs": query.from, "toPs": query.to, "fromSumma": send, "toSumma": receive,
        "fromRequisites": {}, "toRequisites": { "card": "2200000000000004", "holder": "IVAN PETROV" },
        "extras": { "termsVersion": "1", "amlConsent": true, "ownFunds": true },
    })
}

/// What a browser sends to subscribe.
pub fn push_subscription() -> Value {
    json!({
        "endpoint": "https://push.example/wpush/v2/gAAAAABl",
        "keys": {
            "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "auth": "BTBZMqHH6r4Tts7J_aSIgg",
        },
    })
}

async fn use_the_calculator(app: &TestApp, recorder: &mut Recorder) {
    let visitor = app.visitor();
    let order = order(app, "0.015");
    let (from, to) = (&order["fromPs"], &order["toPs"]);
    recorder.get(&visitor, "getQuoteKey", "/.well-known/agio-quote-key.json").await;
    recorder.get(&visitor, "listDirections", "/api/v1/calculator/").await;
    recorder.get(&visitor, "listSendableCurrencies", "/api/v1/calculator/from/").await;
    recorder.get(&visitor, "listReceivableCurrencies", &format!("/api/v1/calculator/from/{from}/")).await;
    recorder.get(&visitor, "getPair", &format!("/api/v1/calculator/pair/{from}/{to}/")).await;
    recorder.get(&visitor, "getPairRate", &format!("/api/v1/calculator/course/{from}/{to}/")).await;
    recorder.get(&visitor, "listRates", "/api/v1/calculator/rates/").await;
    recorder.get(&visitor, "listAvailableReserves", "/api/v1/calculator/reserves/").await;
    recorder.get(&visitor, "listPairOpenings", "/api/v1/calculator/openings/").await;
    recorder.get(&visitor, "getSiteSettings", "/api/v1/calculator/settings/?cur_from=BTC&cur_to=SBERRUB").await;
    recorder.get(&visitor, "getTechnicalModeStatus", "/api/v1/calculator/tech/").await;
    recorder.get(&visitor, "checkCaptcha", "/api/v1/claim/captchacheck").await;
    recorder.get(&visitor, "getPaymentAvailability", &format!("/api/v1/claim/availability?currencyId={from}")).await;
}

/// A claim from the order to the payment. Returns its id.
async fn create_a_claim(app: &TestApp, recorder: &mut Recorder) -> String {
    let customer = app.visitor();
    let created = recorder.post(&customer, "createClaim", "/api/v1/claim/", order(app, "0.015")).await;
    let id = created["id"].as_str().unwrap().to_owned();
    let path = |call: &str| format!("/api/v1/claim/{id}/{call}/");
    recorder.get(&customer, "getClaimForm", &path("form")).await;
    recorder.post_empty(&customer, "confirmClaim", &path("confirm")).await;
    recorder.get(&customer, "getClaimPaymentDetails", &path("requisite")).await;
    let receipt = customer.upload(&path("bill"), "receipt.png", RECEIPT.to_vec()).await.ok();
    recorder.0.insert("uploadClaimReceipt", json!({ "answer": receipt }));
    recorder.post_empty(&customer, "reportClaimPayment", &path("paid")).await;
    recorder.get(&customer, "getClaimStatus", &path("status")).await;
    recorder.get(&customer, "getPushKey", "/api/v1/push/key/").await;
    let subscription = recorder.post(&customer, "createClaimPushSubscription", &path("push"), push_subscription()).await;
    let subscription = format!("{}{}/", path("push"), subscription["id"].as_str().unwrap());
    recorder.get(&customer, "getClaimPushSubscription", &subscription).await;
    id
}

/// A claim for which 0.0155 BTC came.
async fn different_amount(customer: &TestClient, operator: &TestClient, order: Value) -> Value {
    let tx_id = format!("example-{}", order["fromSumma"].as_str().unwrap());
    let id = customer.post("/api/v1/claim/", order).await.ok()["id"].clone();
    customer.post_empty(&format!("/api/v1/claim/{}/confirm/", id.as_str().unwrap())).await.ok();
    let claim = format!("/api/admin/v1/claims/{}", id.as_str().unwrap());
    let payment = json!({ "action": "payment_seen", "txId": tx_id });
    for mut step in [payment, json!({ "action": "amount_mismatch", "amount": "0.0155" })] {
        step["revision"] = operator.get(&claim).await.ok()["revision"].clone();
        operator.post(&format!("{claim}/transitions"), step).await.ok();
    }
    id
}

/// A customer's choices after an amount mismatch, and a cancelled claim.
async fn cancel_a_claim(app: &TestApp, operator: &TestClient, recorder: &mut Recorder) {
    let customer = app.visitor();
    let path = |id: &Value, call: &str| format!("/api/v1/claim/{}/{call}/", id.as_str().unwrap());
    let mut different = Vec::new();
    for send in ["0.016", "0.017", "0.0175"] {
        different.push(different_amount(&customer, operator, order(app, send)).await);
    }
    let claim = |id: &Value| format!("/api/admin/v1/claims/{}", id.as_str().unwrap());
    recorder.get(operator, "previewClaimRecalculation", &format!("{}/recalculation", claim(&different[0]))).await;
    let returned = claim(&different[2]);
    let revision = operator.get(&returned).await.ok()["revision"].clone();
    let refund = json!({ "action": "refund", "revision": revision, "reason": "customer_asked" });
    let revision = operator.post(&format!("{returned}/transitions"), refund).await.ok()["revision"].clone();
    let destination = json!({
        "revision": revision, "requisites": { "address": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" }, "note": "Received by email.",
    });
    recorder.post(operator, "setClaimRefundDestination", &format!("{returned}/refund-destination"), destination).await;
    let offer = customer.get(&path(&different[0], "status")).await.ok()["offer"].clone();
    let accepted = json!({ "fromSumma": offer["fromSumma"], "toSumma": offer["toSumma"] });
    recorder.post(&customer, "acceptClaimOffer", &path(&different[0], "accept"), accepted).await;
    let back = json!({ "requisites": { "address": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" } });
    recorder.post(&customer, "requestClaimRefund", &path(&different[1], "refund"), back.clone()).await;
    // Another customer: this one would need a captcha by now.
    let (generous, mut more) = (app.visitor().from_address("203.0.113.40"), order(app, "0.013"));
    more["email"] = "generous@example.com".into();
    let id = different_amount(&generous, operator, more).await;
    let agreed = generous.get(&path(&id, "status")).await.ok()["surplus"]["offer"].clone();
    let rest = json!({ "fromSumma": agreed["fromSumma"], "toSumma": agreed["toSumma"], "requisites": back["requisites"] });
    recorder.post(&generous, "returnClaimSurplus", &path(&id, "surplus"), rest).await;
    let other = customer.post("/api/v1/claim/", order(app, "0.018")).await.ok()["id"].clone();
    recorder.post_empty(&customer, "cancelClaim", &path(&other, "cancel")).await;
}

async fn process_the_claim(app: &TestApp, operator: &TestClient, id: &str, recorder: &mut Recorder) {
    let path = format!("/api/admin/v1/claims/{id}");
    recorder.get(operator, "listClaims", "/api/admin/v1/claims?group=ours").await;
    recorder.post_empty(operator, "lockClaim", &format!("{path}/lock")).await;
    let note = json!({ "text": "The bank's statement shows the payment." });
    recorder.post(operator, "addClaimNote", &format!("{path}/notes"), note).await;
    let claim = recorder.get(operator, "getClaim", &path).await;
    let step = json!({ "action": "payment_received", "revision": claim["revision"], "txId": "4a5e1e4baab89f3a32518a88c31bc87f" });
    recorder.post(operator, "transitionClaim", &format!("{path}/transitions"), step).await;
    recorder.post_empty(operator, "unlockClaim", &format!("{path}/unlock")).await;
    recorder.get(operator, "getDashboard", "/api/admin/v1/dashboard").await;
    recorder.get(operator, "getSetup", "/api/admin/v1/setup").await;
    assert!(app.server.platform.db.is_writable());
}

async fn set_up_the_brand(owner: &TestClient, recorder: &mut Recorder) {
    let current = recorder.get(owner, "getBrand", "/api/admin/v1/brand").await;
    let update = json!({ "revision": current["revision"], "brand": crate::brand::brand() });
    recorder.call(owner, "updateBrand", Method::PUT, "/api/admin/v1/brand", Some(update)).await;
    let uploaded = crate::brand::upload_logo(owner).await.ok();
    recorder.0.insert("uploadBrandPicture", json!({ "answer": uploaded }));
    let uploaded = crate::brand::upload_currency_icon(owner, 200).await.ok();
    recorder.0.insert("uploadCurrencyIcon", json!({ "answer": uploaded }));
    recorder.call(owner, "deleteBrandPicture", Method::DELETE, "/api/admin/v1/brand/pictures/logo", None).await;
}

async fn manage_the_market(app: &TestApp, owner: &TestClient, recorder: &mut Recorder) {
    recorder.get(owner, "getMyStaffAccount", "/api/admin/v1/auth/me").await;
    let currencies = recorder.get(owner, "listCurrencies", "/api/admin/v1/currencies").await;
    let currency = format!("/api/admin/v1/currencies/{}", currencies[0]["id"]);
    recorder.call(owner, "updateCurrency", Method::PATCH, &currency, Some(json!({ "position": 3, "receive": true }))).await;
    recorder.get(owner, "listCatalogue", "/api/admin/v1/catalogue").await;
    recorder.get(owner, "listCatalogueCities", "/api/admin/v1/catalogue/cities").await;
    let pairs = recorder.get(owner, "listPairs", "/api/admin/v1/pairs").await;
    let pair = format!("/api/admin/v1/pairs/{}", pairs[0]["id"]);
    let change = json!({ "revision": pairs[0]["revision"], "spreadPercent": "1.25" });
    recorder.post(owner, "previewPairUpdate", &format!("{pair}/preview"), change.clone()).await;
    recorder.call(owner, "updatePair", Method::PATCH, &pair, Some(change)).await;
    let bulk = json!({ "ids": [pairs[0]["id"], pairs[1]["id"]], "set": { "spreadPercent": "1.5" } });
    recorder.post(owner, "updatePairs", "/api/admin/v1/pairs/bulk", bulk).await;
    let table = owner.post_raw("/api/admin/v1/market/tables/pairs", "text/csv", "give,receive,hold\r\nBTC,SBERRUB,15\r\n").await;
    recorder.0.insert("applyMarketTable", json!({ "answer": table.ok() }));
    recorder.get(owner, "listRateObservations", "/api/admin/v1/rates").await;
    recorder.get(owner, "listReserves", "/api/admin/v1/reserves").await;
    let movements = format!("/api/admin/v1/reserves/{}/movements", currencies[0]["id"]);
    let deposit = json!({ "amount": "0.5", "reason": "deposit", "note": "Bought at the market" });
    // Newer than the opening deposit.
    app.advance_clock(Duration::from_secs(1));
    recorder.post(owner, "createReserveMovement", &movements, deposit).await;
    recorder.get(owner, "listReserveMovements", &movements).await;

    let text = json!({ "ru": "Dash", "en": "Dash" });
    let label = json!({ "ru": "Адрес кошелька Dash", "en": "Dash wallet address" });
    let input = json!({ "name": "address", "kind": "dash", "label": label, "required": true, "send": false, "receive": true });
    let new = json!({
        "code": "DASH", "ticker": "DASH", "name": text, "network": text, "kind": "crypto", "icon": "dash", "scale": 8,
        "roundCalculator": 8, "inputs": [input], "send": true, "receive": true,
    });
    let dash = recorder.post(owner, "createCurrency", "/api/admin/v1/currencies", new).await["id"].clone();
    let set = json!({ "source": "manual", "manualRate": "0.00045", "spreadPercent": "2" });
    let pairs = json!({ "giveIds": [dash], "receiveIds": [currencies[0]["id"]], "set": set });
    recorder.post(owner, "createPairs", "/api/admin/v1/pairs", pairs).await;
    let path = format!("/api/admin/v1/currencies/{dash}");
    recorder.post_empty(owner, "archiveCurrency", &format!("{path}/archive")).await;
    recorder.post_empty(owner, "unarchiveCurrency", &format!("{path}/unarchive")).await;
    // The other examples show the market without it.
    owner.post_empty(&format!("{path}/archive")).await.ok();
}

async fn manage_the_system(owner: &TestClient, recorder: &mut Recorder) {
    let pool = recorder.get(owner, "listRequisites", "/api/admin/v1/requisites").await;
    let new =
        json!({ "currencyId": pool[0]["currencyId"], "value": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "dailyLimit": "2" });
    let added = recorder.post(owner, "createRequisite", "/api/admin/v1/requisites", new).await;
    let path = format!("/api/admin/v1/requisites/{}", added["id"].as_str().unwrap());
    recorder.call(owner, "updateRequisite", Method::PATCH, &path, Some(json!({ "enabled": false }))).await;
    let lines =
        json!({ "currencyId": pool[0]["currencyId"], "text": "bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l", "dryRun": true });
    recorder.post(owner, "importRequisites", "/api/admin/v1/requisites/import", lines).await;
    let pool_path = format!("/api/admin/v1/requisite-pools/{}", pool[0]["currencyId"]);
    recorder.call(owner, "updateRequisitePool", Method::PUT, &pool_path, Some(json!({ "rotation": "least_used" }))).await;
    recorder.get(owner, "listRequisitePools", "/api/admin/v1/requisite-pools").await;
    let path = format!("/api/admin/v1/requisites/{}", pool[0]["id"].as_str().unwrap());
    recorder.get(owner, "listRequisiteClaims", &format!("{path}/statement")).await;
    recorder.get(owner, "getRequisiteTotals", &format!("{path}/totals")).await;
    recorder.get(owner, "listQuoteKeys", "/api/admin/v1/quote-keys").await;
    recorder.call(owner, "rotateQuoteKey", Method::POST, "/api/admin/v1/quote-keys/rotate", None).await;
    recorder.get(owner, "listSettings", "/api/admin/v1/settings").await;
    let change = json!({ "claims.confirm_minutes": "20" });
    recorder.call(owner, "updateSettings", Method::PUT, "/api/admin/v1/settings", Some(change)).await;
    let pause = json!({ "on": true, "time": "2024-03-28T13:30:00Z" });
    recorder.call(owner, "updateTechnicalMode", Method::PUT, "/api/admin/v1/tech", Some(pause)).await;
    recorder.get(owner, "getTechnicalMode", "/api/admin/v1/tech").await;
}

/// Resends an undeliverable email and staff alert.
async fn manage_emails(app: &TestApp, owner: &TestClient, recorder: &mut Recorder) {
    let refused = "UPDATE outbox SET state = 'dead', attempts = 1, fault = '550 5.1.1 no such user', settled_at = created_at WHERE id = (SELECT MIN(id) FROM outbox)";
    app.server.platform.db.write(move |tx| Box::pin(async move { execute!(tx, refused) })).await.unwrap();
    let dead = recorder.get(owner, "listEmails", "/api/admin/v1/mail?state=dead").await;
    let path = format!("/api/admin/v1/mail/{}", dead["items"][0]["id"]);
    recorder.get(owner, "getEmail", &path).await;
    recorder.post_empty(owner, "resendEmail", &format!("{path}/resend")).await;
    recorder.post_empty(owner, "sendQueuedEmails", "/api/admin/v1/mail/send-queued").await;
    let lost = r#"INSERT INTO outbox (channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, leased_until, fault, created_at, settled_at)
        SELECT 'notice', 'telegram', 'alert_mail', 'alert', 'alert_mail',
            '{"key":"alert-alert_mail-1711627200000000","event":"alert_mail","text":"Undeliverable emails: 1","url":"https://agio.example/admin/mail"}',
            'dead', 1, created_at, 0, 'Forbidden: bot was kicked from the group chat', created_at, created_at
        FROM outbox WHERE id = (SELECT MIN(id) FROM outbox)"#;
    app.server.platform.db.write(move |tx| Box::pin(async move { execute!(tx, lost) })).await.unwrap();
    let lost = recorder.get(owner, "listStaffAlerts", "/api/admin/v1/staff-alerts").await;
    recorder
        .post_empty(owner, "resendStaffAlert", &format!("/api/admin/v1/staff-alerts/{}/resend", lost["items"][0]["id"]))
        .await;
    recorder.get(owner, "listAuditActions", "/api/admin/v1/audit/actions").await;
    recorder.get(owner, "listAuditEntries", "/api/admin/v1/audit?aboutKind=setting&aboutId=claims.confirm_minutes").await;
}

async fn sign_in(app: &TestApp, recorder: &mut Recorder) {
    let caller = app.visitor();
    app.owner().await;
    let login = json!({ "email": "owner@agio.example", "password": "correct horse battery" });
    recorder.post(&caller, "staffSignIn", "/api/admin/v1/auth/login", login).await;
    recorder.post_empty(&caller, "refreshStaffSession", "/api/admin/v1/auth/refresh").await;
    recorder.post_empty(&caller, "staffSignOut", "/api/admin/v1/auth/logout").await;
}

/// The operations with a JSON request or response.
fn operations(document: &Value) -> BTreeSet<String> {
    let speaks_json = |part: &Value| !part["content"]["application/json"].is_null();
    let paths = ["paths", "webhooks"].into_iter().filter_map(|part| document[part].as_object()).flat_map(Map::values);
    let operations = paths.flat_map(|path| path.as_object().unwrap().values());
    let operations = operations.filter(|operation| operation["operationId"].is_string()).filter(|operation| {
        let responses = operation["responses"].as_object().unwrap();
        speaks_json(&operation["requestBody"])
            || responses.iter().any(|(status, response)| status.starts_with('2') && speaks_json(response))
    });
    operations.map(|operation| operation["operationId"].as_str().unwrap().to_owned()).collect()
}

/// The plugins of the examples have one price for the whole process.
static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());

/// Calls every operation and returns its request and response by operation id.
pub async fn record_every_operation(app: &TestApp) -> Value {
    let _alone = ONE_AT_A_TIME.lock().await;
    let mut recorder = Recorder::default();
    let (owner, operator) = (app.owner().await, app.operator().await);
    use_the_calculator(app, &mut recorder).await;
    let claim = create_a_claim(app, &mut recorder).await;
    cancel_a_claim(app, &operator, &mut recorder).await;
    process_the_claim(app, &operator, &claim, &mut recorder).await;
    manage_the_market(app, &owner, &mut recorder).await;
    set_up_the_brand(&owner, &mut recorder).await;
    sign_in(app, &mut recorder).await;
    accounts::manage_an_account(app, &operator, &mut recorder).await;
    discounts::manage_discounts(app, &owner, &mut recorder).await;
    referral::refer_customers(app, &owner, &operator, &mut recorder).await;
    partners::use_the_partner_api(app, &owner, &mut recorder).await;
    partners::request_access(app, &owner, &mut recorder).await;
    trustee::exchange_with_trustee(app, &owner, &mut recorder).await;
    customers::manage_customers(app, &operator, &mut recorder).await;
    reviews::review_an_exchange(app, &owner, &mut recorder).await;
    recorder.get(&owner, "getTurnover", "/api/admin/v1/turnover").await;
    recorder.get(&owner, "getTodaysTotals", "/api/admin/v1/turnover/today").await;
    waitlist::wait_for_a_rate(app, &owner, &mut recorder).await;
    manage_the_system(&owner, &mut recorder).await;
    content::manage_content(app, &owner, &mut recorder).await;
    plugins::configure_plugins(&owner, &mut recorder).await;
    feeds::publish_feeds(app, &owner, &mut recorder).await;
    rates::explain_rates(&mut recorder).await;
    staff::manage_staff(app, &owner, &mut recorder).await;
    manage_emails(app, &owner, &mut recorder).await;
    approvals::decide_approvals(app, &owner, &mut recorder).await;
    contest::draw(app, &mut recorder).await;
    payments::make_automatic_payments(&mut recorder).await;
    chats::start_chats(&mut recorder).await;
    serde_json::to_value(recorder.0).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_has_a_current_example() {
    let app = TestApp::start(Engine::Sqlite).await;
    let recorded = record_every_operation(&app).await;
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../openapi/examples.json");
    if std::env::var_os("AGIO_WRITE_EXAMPLES").is_some() {
        std::fs::write(&file, format!("{}\n", serde_json::to_string_pretty(&recorded).unwrap())).unwrap();
    }
    let stored: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    for operation in app.server.generate_documents().files().into_iter().flat_map(|(_, document)| operations(document)) {
        assert!(recorded.get(&operation).is_some(), "no example of {operation} is recorded");
        assert_eq!(
            shape(&recorded[&operation]),
            shape(&stored[&operation]),
            "the example of {operation} is outdated: run `make gen`"
        );
    }
}

//! A partner with keys and their requests.

use agio_core::Timestamp;
use agio_core::outbox::{self, OutboxState};
use agio_partners::model::signature::CanonicalRequest;
use agio_test_app::{TestApp, TestClient, TestCustomer};
use reqwest::{Method, RequestBuilder};
use serde_json::{Map, Value, json};

use super::{Recorder, shortened};

const CLAIMS: &str = "/api/partner/v1/claims/";

/// A signed partner request.
pub fn signed(
    caller: &TestClient,
    key: &Value,
    now: Timestamp,
    nonce: &str,
    method: Method,
    path: &str,
    body: String,
) -> RequestBuilder {
    let timestamp = now.as_seconds().to_string();
    let (plain, query) = path.split_once('?').unwrap_or((path, ""));
    let call =
        CanonicalRequest { method: method.as_str(), path: plain, query, body: body.as_bytes(), timestamp: &timestamp, nonce };
    let signature = call.signed(key["secret"].as_str().unwrap().as_bytes());
    let headers = [
        ("content-type", "application/json"),
        ("x-agio-key", key["key"]["name"].as_str().unwrap()),
        ("x-agio-timestamp", &timestamp),
        ("x-agio-nonce", nonce),
        ("x-agio-signature", &signature),
    ];
    headers.into_iter().fold(caller.request(method, path), |request, (name, value)| request.header(name, value)).body(body)
}

/// A client that records its requests.
struct PartnerClient<'h> {
    app: &'h TestApp,
    key: Value,
    calls: u32,
}

impl PartnerClient<'_> {
    async fn call(
        &mut self,
        recorder: &mut Recorder,
        operation: &'static str,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Value {
        self.calls += 1;
        let content = body.as_ref().map(Value::to_string).unwrap_or_default();
        let nonce = format!("example-{:08}", self.calls);
        let caller = self.app.visitor();
        let request = signed(&caller, &self.key, self.app.now(), &nonce, method, path, content);
        let request = request.header("idempotency-key", nonce);
        let answer = caller.send(request).await.ok();
        let mut example = Map::new();
        example.extend(body.map(|body| ("request".to_owned(), body)));
        example.insert("answer".to_owned(), shortened(answer.clone()));
        recorder.0.insert(operation, Value::Object(example));
        answer
    }

    async fn get(&mut self, recorder: &mut Recorder, operation: &'static str, path: &str) -> Value {
        self.call(recorder, operation, Method::GET, path, None).await
    }

    async fn post(&mut self, recorder: &mut Recorder, operation: &'static str, path: &str, body: Value) -> Value {
        self.call(recorder, operation, Method::POST, path, Some(body)).await
    }

    /// An order at a new quote.
    async fn order(&mut self, recorder: &mut Recorder, send: &str, reference: &str) -> Value {
        let withdrawal = json!({ "from": "BTC", "to": "SBERRUB", "fromSumma": send });
        let quote = self.post(recorder, "createPartnerQuote", "/en/api/partner/v1/quotes/", withdrawal).await;
        json!({
            "from": "BTC", "to": "SBERRUB", "fromSumma": send, "toSumma": quote["toSumma"], "quoteId": quote["id"],
            "email": "ivan@example.com", "fromRequisites": {}, "toRequisites": { "card": "2200000000000004", "holder": "IVAN PETROV" },
            "reference": reference, "language": "en", "amlConsent": true,
        })
    }
}

/// What staff do for a partner, and what the partner does with it.
pub async fn use_the_partner_api(app: &TestApp, owner: &TestClient, recorder: &mut Recorder) {
    let new = json!({ "name": "Wallet", "email": "dev@wallet.example", "callbackUrl": "https://wallet.example/agio" });
    let created = recorder.post(owner, "createPartner", "/api/admin/v1/partners", new).await;
    let path = format!("/api/admin/v1/partners/{}", created["partner"]["id"].as_str().unwrap());
    let order = |sandbox: bool| json!({ "title": "Server", "sandbox": sandbox, "scopes": ["read", "quote", "claim"], "networks": [], "perMinute": 600 });
    let sandbox = recorder.post(owner, "createPartnerKey", &format!("{path}/keys"), order(true)).await;
    let live = recorder.post(owner, "createPartnerKey", &format!("{path}/keys"), order(false)).await;
    let mut client = PartnerClient { app, key: live.clone(), calls: 0 };
    let sandbox_client = PartnerClient { app, key: sandbox.clone(), calls: 1_000 };
    let change = json!({
        "revision": created["partner"]["revision"], "email": "api@wallet.example", "commissionKind": "amount", "commissionPercent": "0.5",
    });
    recorder.call(owner, "updatePartner", Method::PATCH, &path, Some(change)).await;
    let claim = exchange(&mut client, recorder).await;
    complete(owner, &claim).await;
    record_webhook(app, recorder).await;
    let payout = json!({ "currency": "BTC", "amount": "0.0001", "txId": "4a5e1e4baab89f3a32518a88c31bc87f" });
    recorder.post(owner, "createPartnerPayout", &format!("{path}/payouts"), payout).await;
    client.get(recorder, "getPartnerStatistics", "/api/partner/v1/statistics/").await;
    advance_sandbox_claims(sandbox_client, recorder).await;
    recorder.get(owner, "listPartners", "/api/admin/v1/partners").await;
    recorder.get(owner, "getPartner", &path).await;
    recorder.get(owner, "listPartnerWebhookDeliveries", &format!("{path}/webhook-deliveries")).await;
    recorder.post_empty(owner, "rotatePartnerWebhookSecret", &format!("{path}/secret")).await;
    let revoke = format!("{path}/keys/{}/revoke", sandbox["key"]["id"].as_str().unwrap());
    recorder.post_empty(owner, "revokePartnerKey", &revoke).await;
}

/// Records the newest webhook as it is stored for delivery.
async fn record_webhook(app: &TestApp, recorder: &mut Recorder) {
    let mut tx = app.server.platform.db.read().await.unwrap();
    let page = outbox::messages(&mut tx, agio_partners::CHANNEL, OutboxState::Queued, None, 1).await.unwrap();
    let webhook: Value = serde_json::from_str(&page.rows[0].payload).unwrap();
    let body: Value = serde_json::from_str(webhook["body"].as_str().unwrap()).unwrap();
    recorder.0.insert("claimStatusChanged", json!({ "request": body }));
}

/// A customer asks for access to exchange for others, and keeps it.
pub async fn request_access(app: &TestApp, owner: &TestClient, recorder: &mut Recorder) {
    const MINE: &str = "/en/api/v1/users/me/partner/";
    let anna = TestCustomer::registered(app, "shop@example.com").await;
    let anna = &anna.caller;
    let site = json!({
        "name": "Shop", "site": "https://shop.example", "email": "dev@shop.example", "callbackUrl": "https://shop.example/agio",
    });
    recorder.post(anna, "requestPartnerAccess", MINE, site).await;
    let applicant = owner.get("/api/admin/v1/partners").await.ok();
    let applicant = applicant.as_array().unwrap().iter().find(|row| row["customerEmail"] == "shop@example.com").unwrap();
    let path = format!("/api/admin/v1/partners/{}", applicant["id"].as_str().unwrap());
    let decision = json!({ "decision": "approve", "revision": applicant["revision"] });
    recorder.post(owner, "decidePartnerAccess", &format!("{path}/decision"), decision).await;
    let key = json!({
        "title": "Server", "sandbox": false, "scopes": ["read", "quote", "claim"], "networks": ["192.0.2.0/24"],
        "password": TestCustomer::PASSWORD,
    });
    let created = recorder.post(anna, "createMyPartnerKey", &format!("{MINE}keys/"), key).await;
    let change =
        json!({ "email": "api@shop.example", "callbackUrl": "https://shop.example/agio", "password": TestCustomer::PASSWORD });
    recorder.call(anna, "updateMyPartnerAccess", Method::PATCH, MINE, Some(change)).await;
    recorder
        .post(anna, "rotateMyPartnerWebhookSecret", &format!("{MINE}secret/"), json!({ "password": TestCustomer::PASSWORD }))
        .await;
    recorder.get(anna, "getMyPartnerAccess", MINE).await;
    recorder.get(anna, "listMyPartnerWebhookDeliveries", &format!("{MINE}webhook-deliveries/")).await;
    let revoke = format!("{MINE}keys/{}/revoke/", created["key"]["id"].as_str().unwrap());
    recorder.post_empty(anna, "revokeMyPartnerKey", &revoke).await;
}

async fn exchange(client: &mut PartnerClient<'_>, recorder: &mut Recorder) -> String {
    recorder.get(&client.app.visitor(), "getPartnerTime", "/api/partner/v1/time/").await;
    client.get(recorder, "getCurrentPartnerKey", "/api/partner/v1/key/").await;
    client.get(recorder, "listPartnerCurrencies", "/en/api/partner/v1/currencies/").await;
    client.get(recorder, "listPartnerPairs", "/api/partner/v1/pairs/?from=BTC").await;
    let order = client.order(recorder, "0.021", "order-1").await;
    let claim = client.post(recorder, "createPartnerClaim", "/en/api/partner/v1/claims/", order).await;
    let path = format!("/en{CLAIMS}{}/", claim["id"].as_str().unwrap());
    client.get(recorder, "getPartnerClaim", &path).await;
    client.call(recorder, "reportPartnerClaimPayment", Method::POST, &format!("{path}paid/"), None).await;
    let order = client.order(recorder, "0.022", "order-2").await;
    let other = client.post(recorder, "createPartnerClaim", "/en/api/partner/v1/claims/", order).await;
    let path = format!("/en{CLAIMS}{}/cancel/", other["id"].as_str().unwrap());
    client.call(recorder, "cancelPartnerClaim", Method::POST, &path, None).await;
    client.get(recorder, "listPartnerClaims", &format!("/en{CLAIMS}?page=1&size=20")).await;
    claim["id"].as_str().unwrap().to_owned()
}

/// The transitions of staff.
async fn complete(operator: &TestClient, claim: &str) {
    let path = format!("/api/admin/v1/claims/{claim}");
    for (action, tx) in [("payment_received", Some("in-1")), ("take", None), ("payout_sent", Some("out-1")), ("complete", None)] {
        let revision = operator.get(&path).await.ok()["revision"].clone();
        let mut step = json!({ "action": action, "revision": revision });
        if let Some(tx) = tx {
            step["txId"] = tx.into();
        }
        operator.post(&format!("{path}/transitions"), step).await.ok();
    }
}

/// Three sandbox claims with an amount mismatch.
async fn advance_sandbox_claims(mut client: PartnerClient<'_>, recorder: &mut Recorder) {
    let mut mismatched = Vec::new();
    for reference in ["sandbox-claim-1", "sandbox-claim-2", "sandbox-claim-3"] {
        let order = client.order(recorder, "0.021", reference).await;
        let stored = recorder.0.remove("createPartnerClaim");
        let claim = client.post(recorder, "createPartnerClaim", "/en/api/partner/v1/claims/", order).await;
        recorder.0.extend(stored.map(|stored| ("createPartnerClaim", stored)));
        let path = format!("/en/api/partner/v1/sandbox/claims/{}/advance/", claim["id"].as_str().unwrap());
        for to in ["payment_seen", "amount_mismatch"] {
            client.post(recorder, "advanceSandboxClaim", &path, json!({ "to": to })).await;
        }
        mismatched.push(format!("/en{CLAIMS}{}/", claim["id"].as_str().unwrap()));
    }
    let mut terms = json!({ "fromSumma": "0.02", "toSumma": "131000" });
    client.post(recorder, "acceptPartnerOffer", &format!("{}accept/", mismatched[0]), terms.clone()).await;
    let back = json!({ "requisites": { "address": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" } });
    client.post(recorder, "requestPartnerRefund", &format!("{}refund/", mismatched[1]), back.clone()).await;
    terms["requisites"] = back["requisites"].clone();
    client.post(recorder, "returnPartnerSurplus", &format!("{}surplus/", mismatched[2]), terms).await;
}

//! A partner who is given keys, and what they call with them.

use agio_core::Timestamp;
use agio_partners::model::signature::Call;
use agio_testkit::{Caller, Customer, House};
use reqwest::{Method, RequestBuilder};
use serde_json::{Map, Value, json};

use super::{Recorder, shortened};

const CLAIMS: &str = "/api/partner/v1/claims/";

/// A request of a partner's programme with the key it was given.
pub fn signed(
    caller: &Caller,
    key: &Value,
    now: Timestamp,
    nonce: &str,
    method: Method,
    path: &str,
    body: String,
) -> RequestBuilder {
    let timestamp = now.as_seconds().to_string();
    let (plain, query) = path.split_once('?').unwrap_or((path, ""));
    let call = Call { method: method.as_str(), path: plain, query, body: body.as_bytes(), timestamp: &timestamp, nonce };
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

/// A partner's programme that records what it does.
struct Programme<'h> {
    house: &'h House,
    key: Value,
    calls: u32,
}

impl Programme<'_> {
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
        let caller = self.house.customer();
        let request = signed(&caller, &self.key, self.house.now(), &nonce, method, path, content);
        let request = request.header("idempotency-key", nonce);
        let answer = caller.send(request).await.ok();
        let mut told = Map::new();
        told.extend(body.map(|body| ("request".to_owned(), body)));
        told.insert("answer".to_owned(), shortened(answer.clone()));
        recorder.0.insert(operation, Value::Object(told));
        answer
    }

    async fn get(&mut self, recorder: &mut Recorder, operation: &'static str, path: &str) -> Value {
        self.call(recorder, operation, Method::GET, path, None).await
    }

    async fn post(&mut self, recorder: &mut Recorder, operation: &'static str, path: &str, body: Value) -> Value {
        self.call(recorder, operation, Method::POST, path, Some(body)).await
    }

    /// An order at the quote of this moment.
    async fn order(&mut self, recorder: &mut Recorder, send: &str, reference: &str) -> Value {
        let wish = json!({ "from": "BTC", "to": "SBERRUB", "fromSumma": send });
        let quote = self.post(recorder, "partnerQuote", "/en/api/partner/v1/quotes/", wish).await;
        json!({
            "from": "BTC", "to": "SBERRUB", "fromSumma": send, "toSumma": quote["toSumma"], "quoteId": quote["id"],
            "email": "ivan@example.com", "fromRequisites": {}, "toRequisites": { "card": "2200000000000004", "holder": "IVAN PETROV" },
            "reference": reference, "language": "en", "amlConsent": true,
        })
    }
}

/// What staff do for a partner, and what the partner does with it.
pub async fn exchange_for_others(house: &House, owner: &Caller, recorder: &mut Recorder) {
    let new = json!({ "name": "Wallet", "email": "dev@wallet.example", "callbackUrl": "https://wallet.example/agio" });
    let made = recorder.post(owner, "addPartner", "/api/admin/v1/partners", new).await;
    let path = format!("/api/admin/v1/partners/{}", made["partner"]["id"].as_str().unwrap());
    let order = |sandbox: bool| json!({ "title": "Server", "sandbox": sandbox, "scopes": ["read", "quote", "claim"], "networks": [], "perMinute": 600 });
    let sandbox = recorder.post(owner, "addPartnerKey", &format!("{path}/keys"), order(true)).await;
    let live = recorder.post(owner, "addPartnerKey", &format!("{path}/keys"), order(false)).await;
    let mut programme = Programme { house, key: live.clone(), calls: 0 };
    let rehearsing = Programme { house, key: sandbox.clone(), calls: 1_000 };
    let change = json!({
        "revision": made["partner"]["revision"], "email": "api@wallet.example", "commissionKind": "amount", "commissionPercent": "0.5",
    });
    recorder.call(owner, "changePartner", Method::PATCH, &path, Some(change)).await;
    let claim = exchange(&mut programme, recorder).await;
    complete(owner, &claim).await;
    let payout = json!({ "currency": "BTC", "amount": "0.0001", "txId": "4a5e1e4baab89f3a32518a88c31bc87f" });
    recorder.post(owner, "payPartner", &format!("{path}/payouts"), payout).await;
    programme.get(recorder, "partnerStatistics", "/api/partner/v1/statistics/").await;
    rehearse(rehearsing, recorder).await;
    recorder.get(owner, "listPartners", "/api/admin/v1/partners").await;
    recorder.get(owner, "getPartner", &path).await;
    recorder.get(owner, "listPartnerNews", &format!("{path}/news")).await;
    recorder.post_empty(owner, "changePartnerSecret", &format!("{path}/secret")).await;
    let revoke = format!("{path}/keys/{}/revoke", sandbox["key"]["id"].as_str().unwrap());
    recorder.post_empty(owner, "revokePartnerKey", &revoke).await;
}

/// A customer asks for access to exchange for others, and keeps it.
pub async fn ask_for_access(house: &House, owner: &Caller, recorder: &mut Recorder) {
    const MINE: &str = "/en/api/v1/users/me/partner/";
    let anna = Customer::at(house, "shop@example.com").await;
    let anna = &anna.caller;
    let site = json!({
        "name": "Shop", "site": "https://shop.example", "email": "dev@shop.example", "callbackUrl": "https://shop.example/agio",
    });
    recorder.post(anna, "askForPartnerAccess", MINE, site).await;
    let asked = owner.get("/api/admin/v1/partners").await.ok();
    let asked = asked.as_array().unwrap().iter().find(|row| row["customerEmail"] == "shop@example.com").unwrap();
    let path = format!("/api/admin/v1/partners/{}", asked["id"].as_str().unwrap());
    let decision = json!({ "decision": "approve", "revision": asked["revision"] });
    recorder.post(owner, "decidePartner", &format!("{path}/decision"), decision).await;
    let key = json!({
        "title": "Server", "sandbox": false, "scopes": ["read", "quote", "claim"], "networks": ["192.0.2.0/24"],
        "password": Customer::PASSWORD,
    });
    let made = recorder.post(anna, "addMyPartnerKey", &format!("{MINE}keys/"), key).await;
    let change =
        json!({ "email": "api@shop.example", "callbackUrl": "https://shop.example/agio", "password": Customer::PASSWORD });
    recorder.call(anna, "changeMyPartnerAccess", Method::PATCH, MINE, Some(change)).await;
    recorder.post(anna, "changeMyPartnerSecret", &format!("{MINE}secret/"), json!({ "password": Customer::PASSWORD })).await;
    recorder.get(anna, "getMyPartnerAccess", MINE).await;
    recorder.get(anna, "listMyPartnerNews", &format!("{MINE}news/")).await;
    let revoke = format!("{MINE}keys/{}/revoke/", made["key"]["id"].as_str().unwrap());
    recorder.post_empty(anna, "revokeMyPartnerKey", &revoke).await;
}

async fn exchange(programme: &mut Programme<'_>, recorder: &mut Recorder) -> String {
    recorder.get(&programme.house.customer(), "partnerTime", "/api/partner/v1/time/").await;
    programme.get(recorder, "partnerKey", "/api/partner/v1/key/").await;
    programme.get(recorder, "partnerCurrencies", "/en/api/partner/v1/currencies/").await;
    programme.get(recorder, "partnerPairs", "/api/partner/v1/pairs/?from=BTC").await;
    let order = programme.order(recorder, "0.021", "order-1").await;
    let claim = programme.post(recorder, "partnerMakeClaim", "/en/api/partner/v1/claims/", order).await;
    let path = format!("/en{CLAIMS}{}/", claim["id"].as_str().unwrap());
    programme.get(recorder, "partnerClaim", &path).await;
    programme.call(recorder, "partnerClaimIsPaid", Method::POST, &format!("{path}paid/"), None).await;
    let order = programme.order(recorder, "0.022", "order-2").await;
    let other = programme.post(recorder, "partnerMakeClaim", "/en/api/partner/v1/claims/", order).await;
    let path = format!("/en{CLAIMS}{}/cancel/", other["id"].as_str().unwrap());
    programme.call(recorder, "partnerCancelClaim", Method::POST, &path, None).await;
    programme.get(recorder, "partnerClaims", &format!("/en{CLAIMS}?page=1&size=20")).await;
    claim["id"].as_str().unwrap().to_owned()
}

/// The house does its part of a claim.
async fn complete(operator: &Caller, claim: &str) {
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

/// Two rehearsed claims for which another amount comes than was agreed.
async fn rehearse(mut programme: Programme<'_>, recorder: &mut Recorder) {
    let mut mismatched = Vec::new();
    for reference in ["rehearsal-1", "rehearsal-2"] {
        let order = programme.order(recorder, "0.021", reference).await;
        let kept = recorder.0.remove("partnerMakeClaim");
        let claim = programme.post(recorder, "partnerMakeClaim", "/en/api/partner/v1/claims/", order).await;
        recorder.0.extend(kept.map(|kept| ("partnerMakeClaim", kept)));
        let path = format!("/en/api/partner/v1/sandbox/claims/{}/advance/", claim["id"].as_str().unwrap());
        for to in ["payment_seen", "amount_mismatch"] {
            programme.post(recorder, "partnerAdvanceClaim", &path, json!({ "to": to })).await;
        }
        mismatched.push(format!("/en{CLAIMS}{}/", claim["id"].as_str().unwrap()));
    }
    let terms = json!({ "fromSumma": "0.02", "toSumma": "131000" });
    programme.post(recorder, "partnerAcceptOffer", &format!("{}accept/", mismatched[0]), terms).await;
    let back = json!({ "requisites": { "address": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" } });
    programme.post(recorder, "partnerRefundClaim", &format!("{}refund/", mismatched[1]), back).await;
}

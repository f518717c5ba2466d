//! A wallet that uses the Trustee API.

use agio_partners::trustee::signing::signature;
use agio_test_app::{TestApp, TestClient};
use reqwest::{Method, RequestBuilder};
use serde_json::{Map, Value, json};

use super::Recorder;

const ROOT: &str = "/en/api/partner/v1/trustee";

/// A signed request. The timestamp is in milliseconds since 1970.
pub fn signed(request: RequestBuilder, key: &Value, millis: i64, fields: &Map<String, Value>) -> RequestBuilder {
    let timestamp = millis.to_string();
    let signature = signature(key["secret"].as_str().unwrap().as_bytes(), fields, &timestamp).unwrap();
    let name = key["key"]["name"].as_str().unwrap();
    let headers = [("trustee-public-key", name), ("trustee-timestamp", &timestamp), ("trustee-signature", &signature)];
    headers.into_iter().fold(request, |request, (name, value)| request.header(name, value))
}

/// A client that records its requests.
struct Wallet<'h> {
    app: &'h TestApp,
    key: Value,
    calls: i64,
}

impl Wallet<'_> {
    /// Signs the body, or the query parameters.
    async fn call(
        &mut self,
        recorder: &mut Recorder,
        operation: &'static str,
        method: Method,
        below: &str,
        fields: Value,
    ) -> Value {
        self.calls += 1;
        let millis = self.app.now().0 / 1_000 + self.calls;
        let caller = self.app.visitor();
        let request = match fields["id"].as_str().filter(|_| method == Method::GET) {
            Some(id) => caller.request(method.clone(), &format!("{ROOT}{below}?id={id}")),
            None => caller.request(method.clone(), &format!("{ROOT}{below}")).json(&fields),
        };
        let answer = caller.send(signed(request, &self.key, millis, fields.as_object().unwrap())).await.ok();
        let mut example = Map::from_iter([("answer".to_owned(), answer.clone())]);
        example.extend((method != Method::GET).then(|| ("request".to_owned(), fields)));
        recorder.0.insert(operation, Value::Object(example));
        answer
    }
}

/// An order from its estimate to its cancellation.
pub async fn exchange_with_trustee(app: &TestApp, owner: &TestClient, recorder: &mut Recorder) {
    let new = json!({ "name": "Mobile wallet", "email": "dev@mobile.example", "callbackUrl": "" });
    let created = owner.post("/api/admin/v1/partners", new).await.ok();
    let keys = format!("/api/admin/v1/partners/{}/keys", created["partner"]["id"].as_str().unwrap());
    let key = json!({ "title": "Server", "sandbox": false, "scopes": ["trustee"], "networks": [], "perMinute": 600 });
    let mut wallet = Wallet { app, key: owner.post(&keys, key).await.ok(), calls: 0 };
    let ask = json!({ "from": "BTC", "to": "SBERRUB", "fromNetwork": "BTC", "fromAmount": 0.021, "rateType": "FIXED" });
    let estimate = wallet.call(recorder, "estimateTrusteeAmount", Method::POST, "/estimate/", ask).await;
    let order = json!({
        "from": "BTC", "to": "SBERRUB", "fromNetwork": "BTC", "fromAmount": 0.021, "toAmount": estimate["toAmount"],
        "rateType": "FIXED", "rateId": estimate["rateId"], "toPaymentDetails": "2200000000000004", "toMemo": "IVAN PETROV",
        "userId": "4MkQ4RTk", "redirectUrl": "https://wallet.example/orders",
    });
    let order = wallet.call(recorder, "createTrusteeOrder", Method::POST, "/orders/", order).await;
    let name = json!({ "id": order["id"] });
    wallet.call(recorder, "getTrusteeOrder", Method::GET, "/orders/", name.clone()).await;
    wallet.call(recorder, "cancelTrusteeOrder", Method::POST, "/orders/cancel/", name).await;
}

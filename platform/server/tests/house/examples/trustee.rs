//! A wallet that speaks Trustee's contract, and what it calls.

use agio_partners::trustee::signing::signature;
use agio_testkit::{Caller, House};
use reqwest::{Method, RequestBuilder};
use serde_json::{Map, Value, json};

use super::Recorder;

const ROOT: &str = "/en/api/partner/v1/trustee";

/// A request with a signature over what it says, at this moment in milliseconds since 1970.
pub fn signed(request: RequestBuilder, key: &Value, moment: i64, said: &Map<String, Value>) -> RequestBuilder {
    let timestamp = moment.to_string();
    let signature = signature(key["secret"].as_str().unwrap().as_bytes(), said, &timestamp).unwrap();
    let name = key["key"]["name"].as_str().unwrap();
    let headers = [("trustee-public-key", name), ("trustee-timestamp", &timestamp), ("trustee-signature", &signature)];
    headers.into_iter().fold(request, |request, (name, value)| request.header(name, value))
}

/// The wallet's programme, which records what it does.
struct Wallet<'h> {
    house: &'h House,
    key: Value,
    calls: i64,
}

impl Wallet<'_> {
    /// Calls with what is signed: the body, or the parameters of the query.
    async fn call(
        &mut self,
        recorder: &mut Recorder,
        operation: &'static str,
        method: Method,
        below: &str,
        said: Value,
    ) -> Value {
        self.calls += 1;
        let moment = self.house.now().0 / 1_000 + self.calls;
        let caller = self.house.customer();
        let request = match said["id"].as_str().filter(|_| method == Method::GET) {
            Some(id) => caller.request(method.clone(), &format!("{ROOT}{below}?id={id}")),
            None => caller.request(method.clone(), &format!("{ROOT}{below}")).json(&said),
        };
        let answer = caller.send(signed(request, &self.key, moment, said.as_object().unwrap())).await.ok();
        let mut told = Map::from_iter([("answer".to_owned(), answer.clone())]);
        told.extend((method != Method::GET).then(|| ("request".to_owned(), said)));
        recorder.0.insert(operation, Value::Object(told));
        answer
    }
}

/// An order from its estimate until it is given up.
pub async fn trade_by_contract(house: &House, owner: &Caller, recorder: &mut Recorder) {
    let new = json!({ "name": "Mobile wallet", "email": "dev@mobile.example", "callbackUrl": "" });
    let made = owner.post("/api/admin/v1/partners", new).await.ok();
    let keys = format!("/api/admin/v1/partners/{}/keys", made["partner"]["id"].as_str().unwrap());
    let key = json!({ "title": "Server", "sandbox": false, "scopes": ["trustee"], "networks": [], "perMinute": 600 });
    let mut wallet = Wallet { house, key: owner.post(&keys, key).await.ok(), calls: 0 };
    let ask = json!({ "from": "BTC", "to": "SBERRUB", "fromNetwork": "BTC", "fromAmount": 0.021, "rateType": "FIXED" });
    let estimate = wallet.call(recorder, "trusteeEstimate", Method::POST, "/estimate/", ask).await;
    let order = json!({
        "from": "BTC", "to": "SBERRUB", "fromNetwork": "BTC", "fromAmount": 0.021, "toAmount": estimate["toAmount"],
        "rateType": "FIXED", "rateId": estimate["rateId"], "toPaymentDetails": "2200000000000004", "toMemo": "IVAN PETROV",
        "userId": "4MkQ4RTk", "redirectUrl": "https://wallet.example/orders",
    });
    let order = wallet.call(recorder, "trusteeCreateOrder", Method::POST, "/orders/", order).await;
    let name = json!({ "id": order["id"] });
    wallet.call(recorder, "trusteeCheckOrder", Method::GET, "/orders/", name.clone()).await;
    wallet.call(recorder, "trusteeCancelOrder", Method::POST, "/orders/cancel/", name).await;
}

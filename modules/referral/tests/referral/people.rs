//! Those who bring others, those who come, and the desk.

use std::time::Duration;

use agio_core::needs::{Asked, Quotes as _};
use agio_testkit::{Answer, Caller, Customer as Member, House};
use rust_decimal::Decimal;
use serde_json::{Value, json};

pub const TRON: &str = "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf";

/// Longer than the holding time.
pub const HELD: Duration = Duration::from_secs(73 * 3_600);

/// A card of one's own for each mailbox, as people have.
pub fn card_of(email: &str) -> String {
    let number = email.bytes().fold(7_u64, |number, byte| (number * 131 + u64::from(byte)) % 1_000_000_000);
    let digits = format!("220000{number:09}");
    let sum: u32 = digits
        .bytes()
        .rev()
        .map(|digit| u32::from(digit - b'0'))
        .zip([2, 1].into_iter().cycle())
        .map(|(digit, weight)| (digit * weight) / 10 + (digit * weight) % 10)
        .sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}

/// A number in an answer.
pub fn number(value: &Value) -> Decimal {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).parse().unwrap()
}

pub fn id_of(house: &House, code: &str) -> i64 {
    house.app.calculator.market().currency_named(code).unwrap().id()
}

/// Somebody with a link.
pub struct Referrer {
    pub member: Member,
    pub code: String,
}

impl Referrer {
    pub async fn at(house: &House, email: &str) -> Self {
        let member = Member::at(house, email).await;
        let code = member.caller.get("/api/v1/users/me/refferal/").await.ok()["code"].as_str().unwrap().to_owned();
        Self { member, code }
    }

    /// What they are shown; whoever was away for long signs in again.
    pub async fn sees(&self) -> Value {
        let path = "/api/v1/users/me/refferal/";
        let answer = self.member.caller.get(path).await;
        if answer.status.as_u16() != 401 {
            return answer.ok();
        }
        let login = json!({ "email": self.member.email, "password": self.member.password });
        let session = self.member.caller.post("/front-api/auth/login/", login).await.ok();
        self.member.caller.clone().with_token(session["accessToken"].as_str().unwrap()).get(path).await.ok()
    }

    pub async fn asks_for(&self, house: &House, amount: &str) -> Answer {
        self.member.caller.post("/api/v1/users/me/refferal/withdrawal/", order(house, amount)).await
    }
}

/// A withdrawal over the network of the balance.
pub fn order(house: &House, amount: &str) -> Value {
    json!({ "amount": amount, "currencyId": id_of(house, "USDTTRC20"), "requisites": { "address": TRON } })
}

/// Makes referrers get five percent of what is sent, to be asked for at once.
pub async fn pays_at_once(house: &House) {
    let owner = house.owner().await;
    let programmes = owner.get("/api/admin/v1/referral/programmes").await.ok();
    let path = format!("/api/admin/v1/referral/programmes/{}", programmes[0]["id"].as_str().unwrap());
    let terms = json!({
        "name": "Standard", "kind": "amount", "tiers": [{ "from": "0", "percent": "5" }], "accrualMin": "0.01", "holdHours": 0,
        "withdrawalMin": "10",
    });
    owner.put(&path, json!({ "revision": programmes[0]["revision"], "terms": terms })).await.ok();
}

/// Somebody who exchanges 0.01 BTC for roubles, with a code or without.
pub async fn orders(house: &House, caller: &Caller, email: &str, code: Option<&str>) -> String {
    orders_to(house, caller, email, code, &card_of(email)).await
}

/// The same, paid out to a card.
pub async fn orders_to(house: &House, caller: &Caller, email: &str, code: Option<&str>, card: &str) -> String {
    let (from, to) = (id_of(house, "BTC"), id_of(house, "SBERRUB"));
    let asked = Asked::plainly(from, to, "0.01".parse().unwrap());
    let receive = house.app.calculator.agree(&asked).unwrap().receive.to_string();
    let mut order = json!({
        "email": email, "fromPs": from, "toPs": to, "fromSumma": "0.01", "toSumma": receive,
        "fromRequisites": {}, "toRequisites": { "card": card, "holder": "IVAN PETROV" },
        "extras": { "termsVersion": "1", "amlConsent": true },
    });
    if let Some(code) = code {
        order["refferal"] = code.into();
    }
    let made = caller.post("/api/v1/claim/", order).await.ok();
    let id = made["id"].as_str().unwrap().to_owned();
    for step in ["confirm", "paid"] {
        caller.post_empty(&format!("/api/v1/claim/{id}/{step}/")).await.ok();
    }
    id
}

/// The same as somebody new at an address of their own.
pub async fn comes(house: &House, email: &str, code: Option<&str>) -> String {
    orders(house, &Member::comes(house, email).caller, email, code).await
}

/// The desk of an operator.
pub struct Desk(pub Caller);

impl Desk {
    pub async fn operator(house: &House) -> Self {
        Self(house.operator().await)
    }

    pub async fn moves(&self, claim: &str, action: &str, mut said: Value) {
        let path = format!("/api/admin/v1/claims/{claim}");
        said["action"] = action.into();
        said["revision"] = self.0.get(&path).await.ok()["revision"].clone();
        self.0.post(&format!("{path}/transitions"), said).await.ok();
    }

    pub async fn completes(&self, claim: &str) {
        self.moves(claim, "payment_received", json!({ "txId": format!("in-{claim}") })).await;
        self.moves(claim, "take", json!({})).await;
        self.moves(claim, "payout_sent", json!({ "txId": format!("out-{claim}") })).await;
        self.moves(claim, "complete", json!({})).await;
    }

    /// Says that the payout came back.
    pub async fn undoes(&self, claim: &str) {
        self.moves(claim, "payout_returned", json!({ "reason": "payout_returned" })).await;
    }

    /// What waits for a decision.
    pub async fn open_accruals(&self) -> Vec<Value> {
        let page = self.0.get("/api/admin/v1/referral/accruals").await.ok();
        page["items"].as_array().unwrap().clone()
    }

    pub async fn decides(&self, accrual: &Value, decision: Value) -> Answer {
        self.0.post(&format!("/api/admin/v1/referral/accruals/{}/decision", accrual["id"].as_str().unwrap()), decision).await
    }

    pub async fn withdrawal(&self, id: &Value) -> Value {
        self.0.get(&format!("/api/admin/v1/referral/withdrawals/{}", id.as_str().unwrap())).await.ok()
    }

    /// A step with a withdrawal as it is now.
    pub async fn steps(&self, id: &Value, action: &str, mut said: Value) -> Answer {
        said["action"] = action.into();
        said["revision"] = self.withdrawal(id).await["revision"].clone();
        self.0.post(&format!("/api/admin/v1/referral/withdrawals/{}/steps", id.as_str().unwrap()), said).await
    }
}

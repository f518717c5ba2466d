//! A customer whose card is to be verified, and an operator who looks at it.

use std::time::Duration;

use agio_core::identity::Role;
use agio_core::needs::{Asked, Quotes as _};
use agio_testkit::{Answer, Caller, House};
use serde_json::{Value, json};

pub const CARD: &str = "2200000000000004";
/// The same order made once more within this time is the same click.
pub const DOUBLE_CLICK: Duration = Duration::from_secs(6);

pub const OTHER_CARD: &str = "2202203636004279";
const ADDRESS: &str = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";

/// Has what customers send roubles for verified, as the owner sets it.
pub async fn asks_for(house: &House, proof: &str) {
    let owner = house.owner().await;
    let market = house.app.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let pair = market.between(id("SBERRUB"), id("BTC")).unwrap();
    let change = json!({ "revision": pair.pair.revision, "verification": proof });
    owner.patch(&format!("/api/admin/v1/pairs/{}", pair.pair.id), change).await.ok();
}

/// An order of bitcoin for roubles from a card; none where no card is asked for.
pub fn order(house: &House, email: &str, card: Option<&str>) -> Value {
    let market = house.app.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let asked = Asked::plainly(id("SBERRUB"), id("BTC"), "50000".parse().unwrap());
    let receive = house.app.calculator.agree(&asked).unwrap().receive.to_string();
    let mut from = json!({ "holder": "IVAN PETROV" });
    if let Some(card) = card {
        from["card"] = card.into();
    }
    json!({
        "email": email, "fromPs": asked.from, "toPs": asked.to, "fromSumma": "50000", "toSumma": receive,
        "fromRequisites": from, "toRequisites": { "address": ADDRESS },
        "extras": { "termsVersion": "1", "amlConsent": true },
    })
}

/// A claim somebody made.
pub struct Claim {
    pub caller: Caller,
    pub id: String,
}

impl Claim {
    /// A guest's claim, paid from a card.
    pub async fn of(house: &House, email: &str, card: &str) -> Self {
        Self::made_by(house.customer(), house, email, Some(card)).await
    }

    pub async fn made_by(caller: Caller, house: &House, email: &str, card: Option<&str>) -> Self {
        let made = caller.post("/api/v1/claim/", order(house, email, card)).await.ok();
        Self { caller, id: made["id"].as_str().unwrap().to_owned() }
    }

    pub async fn confirm(&self) -> Value {
        self.caller.post_empty(&format!("/api/v1/claim/{}/confirm/", self.id)).await.ok()
    }

    pub async fn status(&self) -> Value {
        self.caller.get(&format!("/api/v1/claim/{}/status/", self.id)).await.ok()
    }

    pub async fn form(&self) -> Value {
        self.caller.get(&format!("/api/v1/claim/{}/form/", self.id)).await.ok()
    }

    /// Confirms the claim and gives the verification it waits for.
    pub async fn asked(&self) -> String {
        let status = self.confirm().await;
        assert_eq!(status["status"], "verification", "{status}");
        status["verification"].as_str().unwrap().to_owned()
    }
}

pub fn page(id: &str) -> String {
    format!("/api/v1/verify/{id}/")
}

/// Sends a photo for a verification.
pub async fn sends(caller: &Caller, id: &str, shade: u8) -> Answer {
    caller.upload(&format!("/api/v1/verify/{id}/photos/"), "card.jpg", photo(shade)).await
}

/// A small JPEG with a remark behind it, as a camera leaves one.
pub fn photo(shade: u8) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let drawn = image::RgbImage::from_pixel(8, 8, image::Rgb([shade, 90, 10]));
    image::DynamicImage::ImageRgb8(drawn).write_to(&mut bytes, image::ImageFormat::Jpeg).unwrap();
    let mut bytes = bytes.into_inner();
    bytes.extend_from_slice(b"GPS 55.7558 37.6173");
    bytes
}

/// Somebody at the console.
pub struct Desk(pub Caller);

impl Desk {
    pub async fn operator(house: &House) -> Self {
        Self(house.staff(Role::Operator).await)
    }

    pub async fn sees(&self, id: &str) -> Value {
        self.0.get(&format!("/api/admin/v1/verifications/{id}")).await.ok()
    }

    pub async fn list(&self, tab: &str) -> Vec<String> {
        let page = self.0.get(&format!("/api/admin/v1/verifications?tab={tab}")).await.ok();
        page["items"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    }

    /// Decides on what they see now.
    pub async fn tries(&self, id: &str, decision: &str, more: Value) -> Answer {
        let revision = self.sees(id).await["revision"].clone();
        self.decides_on(id, &revision, decision, more).await
    }

    pub async fn decides_on(&self, id: &str, revision: &Value, decision: &str, more: Value) -> Answer {
        let mut verdict = more;
        verdict["decision"] = decision.into();
        verdict["revision"] = revision.clone();
        self.0.post(&format!("/api/admin/v1/verifications/{id}/decision"), verdict).await
    }

    pub async fn accepts(&self, id: &str) {
        self.tries(id, "accept", json!({})).await.ok();
    }
}

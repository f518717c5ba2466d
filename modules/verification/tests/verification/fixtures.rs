//! Claims that require verification, and operators.

use std::time::Duration;

use agio_contracts::{QuoteProvider as _, QuoteRequest};
use agio_core::identity::Role;
use agio_test_app::{TestApp, TestClient, TestResponse};
use serde_json::{Value, json};

pub const CARD: &str = "2200000000000004";
/// Within this time an identical claim counts as a double click.
pub const DOUBLE_CLICK: Duration = Duration::from_secs(6);

pub const OTHER_CARD: &str = "2202203636004279";
const ADDRESS: &str = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";

/// Makes the rouble direction require a verification.
pub async fn require_verification(app: &TestApp, subject: &str) {
    let owner = app.owner().await;
    let market = app.server.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let pair = market.between(id("SBERRUB"), id("BTC")).unwrap();
    let change = json!({ "revision": pair.pair.revision, "verification": subject });
    owner.patch(&format!("/api/admin/v1/pairs/{}", pair.pair.id), change).await.ok();
}

/// A claim of bitcoin for roubles, paid by card if one is given.
pub fn claim_body(app: &TestApp, email: &str, card: Option<&str>) -> Value {
    let market = app.server.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let asked = QuoteRequest::anonymous(id("SBERRUB"), id("BTC"), "50000".parse().unwrap());
    let receive = app.server.calculator.agree(&asked).unwrap().receive.to_string();
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

pub struct Claim {
    pub caller: TestClient,
    pub id: String,
}

impl Claim {
    /// A guest's claim, paid from a card.
    pub async fn create_as_guest(app: &TestApp, email: &str, card: &str) -> Self {
        Self::create_by(app.visitor(), app, email, Some(card)).await
    }

    pub async fn create_by(caller: TestClient, app: &TestApp, email: &str, card: Option<&str>) -> Self {
        let made = caller.post("/api/v1/claim/", claim_body(app, email, card)).await.ok();
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

    /// Confirms the claim and returns the verification it waits for.
    pub async fn request_verification(&self) -> String {
        let status = self.confirm().await;
        assert_eq!(status["status"], "verification", "{status}");
        status["verification"].as_str().unwrap().to_owned()
    }
}

pub fn verification_path(id: &str) -> String {
    format!("/api/v1/verify/{id}/")
}

pub async fn upload_photo(caller: &TestClient, id: &str, shade: u8) -> TestResponse {
    caller.upload(&format!("/api/v1/verify/{id}/photos/"), "card.jpg", jpeg(shade)).await
}

/// A small JPEG with a comment, as from a camera.
pub fn jpeg(shade: u8) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let drawn = image::RgbImage::from_pixel(8, 8, image::Rgb([shade, 90, 10]));
    image::DynamicImage::ImageRgb8(drawn).write_to(&mut bytes, image::ImageFormat::Jpeg).unwrap();
    let mut bytes = bytes.into_inner();
    bytes.extend_from_slice(b"GPS 55.7558 37.6173");
    bytes
}

/// An operator at the console.
pub struct Operator(pub TestClient);

impl Operator {
    pub async fn new(app: &TestApp) -> Self {
        Self(app.staff(Role::Operator).await)
    }

    pub async fn verification(&self, id: &str) -> Value {
        self.0.get(&format!("/api/admin/v1/verifications/{id}")).await.ok()
    }

    pub async fn list(&self, tab: &str) -> Vec<String> {
        let page = self.0.get(&format!("/api/admin/v1/verifications?tab={tab}")).await.ok();
        page["items"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    }

    /// Decides at the current revision.
    pub async fn try_decision(&self, id: &str, decision: &str, more: Value) -> TestResponse {
        let revision = self.verification(id).await["revision"].clone();
        self.decide_at_revision(id, &revision, decision, more).await
    }

    pub async fn decide_at_revision(&self, id: &str, revision: &Value, decision: &str, more: Value) -> TestResponse {
        let mut verdict = more;
        verdict["decision"] = decision.into();
        verdict["revision"] = revision.clone();
        self.0.post(&format!("/api/admin/v1/verifications/{id}/decision"), verdict).await
    }

    pub async fn accept(&self, id: &str) {
        self.try_decision(id, "accept", json!({})).await.ok();
    }
}

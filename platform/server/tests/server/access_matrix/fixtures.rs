//! The server of the access matrix and its data.

use std::sync::atomic::{AtomicU32, Ordering};

use agio_core::identity::Role;
use agio_core::texts::Locale;
use agio_test_app::{Engine, SecondFactor, TestApp, TestClient, TestCustomer, TestResponse};
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use super::row::{Body, Call, CallerKind, Expected};
use crate::examples;

/// Private data of the owner.
const OWNERS: &str = "anna@example.com";

pub struct Fixtures {
    pub app: TestApp,
    /// A node that requires a second factor.
    _strict: TestApp,
    guest: TestClient,
    pub anna: TestCustomer,
    pub boris: TestCustomer,
    nina: TestCustomer,
    ivan: TestCustomer,
    staff: Vec<TestClient>,
    unconfirmed: TestClient,
    without_second_factor: TestClient,
    /// Anna's confirmed claim with a receipt.
    pub claim: String,
    /// Her claim with a received payment.
    pub paid: String,
    /// Her claim with too small a payment.
    pub short: String,
    /// A claim for which more was paid, and the choice to have the rest returned.
    pub overpaid: String,
    pub surplus_choice: Value,
    /// Her completed exchange.
    pub completed: String,
    /// A verification of her account and one of its photos.
    pub verification: String,
    pub photo: String,
    /// A staff member whom owners manage.
    pub vera: String,
    /// An owner whose approval requests others decide.
    pub proposer: TestClient,
    /// A requisite for roubles.
    pub requisite: String,
    /// Where the gateway of the exchange may call.
    pub callback: String,
    created: AtomicU32,
}

/// Enables a payment gateway and returns the path of its callbacks.
async fn configure_gateway(app: &TestApp) -> String {
    let settings = json!({ "url": "https://gateway.example", "secret": "a-secret-of-the-gateway" });
    let update = json!({ "revision": 0, "enabled": true, "settings": settings });
    let gateway = app.owner().await.patch("/api/admin/v1/plugins/payments-http", update).await.ok();
    let url = gateway["callbackUrl"].as_str().expect("it has callbacks");
    url[url.find("/hooks/").expect("it is below the site")..].to_owned()
}

impl Fixtures {
    pub async fn create(engine: Engine) -> Self {
        let app = TestApp::start(engine).await;
        // Each row that needs a claim creates one.
        let unguarded = json!({ "claims.captcha_after": "100000" });
        app.owner().await.put("/api/admin/v1/settings", unguarded).await.ok();
        let callback = configure_gateway(&app).await;
        let strict = app.another_node_with(|config| config.staff.second_factor = SecondFactor::Required).await;
        let mut staff = Vec::new();
        for role in Role::ALL {
            staff.push(app.staff(role).await);
        }
        let unconfirmed = app.staff_named("unconfirmed", Role::Owner).await;
        let without_second_factor = strict.staff_named("new-staff", Role::Owner).await;
        let mut nina = TestCustomer::sign_up(&app, "nina@example.com").await;
        nina.sign_in().await.ok();
        let fixtures = Self {
            anna: TestCustomer::registered(&app, OWNERS).await,
            boris: TestCustomer::registered(&app, "boris@example.com").await,
            ivan: TestCustomer::registered(&app, "ivan.banned@example.com").await,
            guest: app.visitor(),
            nina,
            staff,
            unconfirmed,
            without_second_factor,
            claim: String::new(),
            paid: String::new(),
            short: String::new(),
            overpaid: String::new(),
            surplus_choice: Value::Null,
            completed: String::new(),
            verification: String::new(),
            photo: String::new(),
            vera: String::new(),
            proposer: app.staff_named("proposer", Role::Owner).await,
            requisite: String::new(),
            callback,
            created: AtomicU32::new(1),
            _strict: strict,
            app,
        };
        fixtures.add_data().await
    }

    async fn add_data(mut self) -> Self {
        self.claim = self.make_claim(OWNERS).await;
        self.anna.caller.post_empty(&format!("/api/v1/claim/{}/confirm/", self.claim)).await.ok();
        self.anna
            .caller
            .upload(&format!("/api/v1/claim/{}/bill/", self.claim), "receipt.png", examples::RECEIPT.to_vec())
            .await
            .ok();
        self.paid = self.confirmed_claim().await;
        self.anna.caller.post_empty(&format!("/api/v1/claim/{}/paid/", self.paid)).await.ok();
        self.step(&self.paid, json!({ "action": "payment_received", "txId": "paid" })).await;
        self.short = self.confirmed_claim().await;
        self.step(&self.short, json!({ "action": "payment_seen", "txId": "short" })).await;
        self.step(&self.short, json!({ "action": "amount_mismatch", "amount": "0.004" })).await;
        self.overpaid = self.confirmed_claim().await;
        self.step(&self.overpaid, json!({ "action": "payment_seen", "txId": "overpaid" })).await;
        self.step(&self.overpaid, json!({ "action": "amount_mismatch", "amount": "0.0075" })).await;
        let status = self.anna.caller.get(&format!("/api/v1/claim/{}/status/", self.overpaid)).await.ok();
        let offer = &status["surplus"]["offer"];
        let requisites = json!({ "address": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" });
        self.surplus_choice = json!({ "fromSumma": offer["fromSumma"], "toSumma": offer["toSumma"], "requisites": requisites });
        self.completed = self.completed_claim().await;
        self.publish_review().await;
        let query = self.owner().post("/api/admin/v1/verifications", json!({ "email": OWNERS })).await.ok();
        self.verification = text(&query["id"]);
        for photo in ["passport.png", "selfie.png"] {
            let path = format!("/api/v1/verify/{}/photos/", self.verification);
            let sent = self.anna.caller.upload(&path, photo, examples::RECEIPT.to_vec()).await.ok();
            self.photo = text(&sent["photos"][0]["id"]);
        }
        self.app.staff_named("vera", Role::Editor).await;
        let staff_list = self.owner().get("/api/admin/v1/staff").await.ok();
        let vera = staff_list["items"].as_array().unwrap().iter().find(|row| row["name"] == "vera").unwrap();
        self.vera = text(&vera["id"]);
        self.proposer.post("/api/admin/v1/me/confirm", json!({ "password": TestApp::PASSWORD })).await.ok();
        let roubles = json!(self.currency("SBERRUB"));
        let requisites = self.owner().get("/api/admin/v1/requisites").await.ok();
        let requisite = requisites.as_array().unwrap().iter().find(|row| row["currencyId"] == roubles).unwrap();
        self.requisite = text(&requisite["id"]);
        self.ban_ivan().await;
        self
    }

    async fn ban_ivan(&self) {
        let path = self.path_of(&self.ivan.email, "ban").await;
        self.caller(CallerKind::Staff(Role::Operator))
            .post(&path, json!({ "reason": "Paid from cards of other people." }))
            .await
            .ok();
    }

    async fn path_of(&self, email: &str, call: &str) -> String {
        let found = self.owner().get(&format!("/api/admin/v1/customers?q={email}")).await.ok();
        format!("/api/admin/v1/customers/{}/{call}", text(&found["items"][0]["id"]))
    }

    /// The path for a new customer.
    pub async fn path_of_somebody(&self, call: &str) -> String {
        let email = self.email();
        let visitor = self.app.visitor().from_address(&self.address());
        visitor.post("/api/v1/users/signup/", json!({ "email": email, "password": TestCustomer::PASSWORD })).await.ok();
        self.app.run_auth_requests().await;
        self.path_of(&email, call).await
    }

    /// Creates claims with different amounts: an equal one would count as a repeated click.
    async fn make_claim(&self, email: &str) -> String {
        let mut order = examples::order(&self.app, &format!("0.005{:03}", self.number()));
        order["email"] = email.into();
        let from = self.anna.caller.clone().from_address(&self.address());
        text(&from.post("/api/v1/claim/", order).await.ok()["id"])
    }

    pub async fn new_claim(&self) -> String {
        let email = self.email();
        self.make_claim(&email).await
    }

    pub async fn confirmed_claim(&self) -> String {
        let claim = self.new_claim().await;
        self.anna.caller.post_empty(&format!("/api/v1/claim/{claim}/confirm/")).await.ok();
        claim
    }

    async fn completed_claim(&self) -> String {
        let claim = self.confirmed_claim().await;
        self.anna.caller.post_empty(&format!("/api/v1/claim/{claim}/paid/")).await.ok();
        for action in ["payment_received", "take", "payout_sent", "complete"] {
            let paid = matches!(action, "payment_received" | "payout_sent");
            self.step(&claim, if paid { json!({ "action": action, "txId": claim }) } else { json!({ "action": action }) }).await;
        }
        claim
    }

    async fn publish_review(&self) {
        let review = json!({ "rating": 5, "text": "Quick" });
        let claim = self.completed_claim().await;
        self.anna.caller.put(&format!("/api/v1/claim/{claim}/review/"), review).await.ok();
        let review = self.owner().get("/api/admin/v1/reviews").await.ok()["items"][0].clone();
        let decision = json!({ "revision": review["revision"], "decision": "publish" });
        self.owner().post(&format!("/api/admin/v1/reviews/{}/decision", text(&review["id"])), decision).await.ok();
    }

    /// A transition by an owner.
    pub async fn step(&self, claim: &str, mut step: Value) {
        let path = format!("/api/admin/v1/claims/{claim}");
        step["revision"] = self.owner().get(&path).await.ok()["revision"].clone();
        self.owner().post(&format!("{path}/transitions"), step).await.ok();
    }

    pub fn owner(&self) -> &TestClient {
        &self.staff[0]
    }

    pub fn currency(&self, code: &str) -> i64 {
        self.app.server.calculator.market().currency_named(code).expect("the demonstration has it").id()
    }

    /// A unique number.
    pub fn number(&self) -> u32 {
        self.created.fetch_add(1, Ordering::Relaxed)
    }

    pub fn email(&self) -> String {
        format!("somebody{}@example.com", self.number())
    }

    /// A unique IP address.
    pub fn address(&self) -> String {
        let [_, a, b, c] = self.number().to_be_bytes();
        format!("10.{a}.{b}.{c}")
    }

    pub fn caller(&self, kind: CallerKind) -> &TestClient {
        match kind {
            CallerKind::Guest => &self.guest,
            CallerKind::Owner => &self.anna.caller,
            CallerKind::Other => &self.boris.caller,
            CallerKind::Inactive => &self.nina.caller,
            CallerKind::Banned => &self.ivan.caller,
            CallerKind::Staff(role) => &self.staff[Role::ALL.iter().position(|known| *known == role).unwrap()],
            CallerKind::Unconfirmed => &self.unconfirmed,
            CallerKind::WithoutSecondFactor => &self.without_second_factor,
        }
    }

    /// The credentials of a caller; guests use wrong ones.
    pub fn credentials(&self, kind: CallerKind) -> Value {
        let (email, password) = match kind {
            CallerKind::Guest => (OWNERS.to_owned(), "wrong horse battery"),
            CallerKind::Owner => (self.anna.email.clone(), TestCustomer::PASSWORD),
            CallerKind::Other => (self.boris.email.clone(), TestCustomer::PASSWORD),
            CallerKind::Inactive => (self.nina.email.clone(), TestCustomer::PASSWORD),
            CallerKind::Banned => (self.ivan.email.clone(), TestCustomer::PASSWORD),
            CallerKind::Staff(role) => (format!("{role}@agio.example"), TestApp::PASSWORD),
            CallerKind::Unconfirmed => ("unconfirmed@agio.example".to_owned(), TestApp::PASSWORD),
            CallerKind::WithoutSecondFactor => ("new-staff@agio.example".to_owned(), TestApp::PASSWORD),
        };
        json!({ "email": email, "password": password })
    }

    /// The secret of the link in the newest email.
    pub async fn secret_of(&self, email: &str) -> String {
        let mail = self.app.emails_to(email).await.pop().expect("an email was sent");
        let link = mail.text.lines().find_map(|line| line.split_once('#')).expect("it has a link").1;
        link.split('=').nth(1).and_then(|rest| rest.split_whitespace().next()).expect("the link has a secret").to_owned()
    }

    pub async fn send(&self, kind: CallerKind, call: Call) -> TestResponse {
        let caller = self.caller_of(kind, &call);
        self.send_by(caller, call, Locale::En).await
    }

    pub async fn send_in(&self, locale: Locale, kind: CallerKind, mut call: Call) -> TestResponse {
        let is_by_path = call.path.starts_with("/api/v1/") || call.path.starts_with("/front-api/");
        if locale == Locale::En && is_by_path {
            call.path = format!("/en{}", call.path);
        }
        let caller = self.caller_of(kind, &call);
        self.send_by(caller, call, locale).await
    }

    /// Sends a request that races with another, so that its problem codes depend on chance.
    pub async fn send_racing(&self, root: &str, kind: CallerKind, call: Call) -> TestResponse {
        let caller = self.caller_of(kind, &call).at_node(root).without_problem_code_check();
        self.send_by(caller, call, Locale::En).await
    }

    /// Every request has a unique address, so that callers do not share rate limits.
    fn caller_of(&self, kind: CallerKind, call: &Call) -> TestClient {
        call.by.as_ref().unwrap_or_else(|| self.caller(kind)).clone().from_address(&self.address())
    }

    async fn send_by(&self, caller: TestClient, call: Call, locale: Locale) -> TestResponse {
        if call.method == Method::GET && is_a_stream(&call.path) {
            return first_event(&caller, &call.path, locale).await;
        }
        let request = caller.request(call.method, &call.path).header("accept-language", locale.to_string());
        let request = match call.body {
            Body::None => request,
            Body::Json(body) => request.json(&body),
            Body::Csv(table) => request.header("content-type", "text/csv").body(table),
            Body::File(bytes) => request.multipart(Form::new().part("file", Part::bytes(bytes).file_name("receipt.png"))),
        };
        caller.send(request).await
    }

    /// Compares a response with the expected outcome.
    pub fn is_as_expected(&self, expected: Expected, answer: &TestResponse) -> Result<(), String> {
        let (status, code) = match expected {
            Expected::Done | Expected::Unmasked | Expected::Masked => {
                let is_shown = answer.text.contains(OWNERS);
                return match (answer.status.is_success(), expected) {
                    (true, Expected::Masked) if is_shown => Err(format!("it shows what is the owner's: {}", answer.text)),
                    (true, Expected::Unmasked) if !is_shown => {
                        Err(format!("it does not show what is the owner's: {}", answer.text))
                    }
                    (true, _) => Ok(()),
                    (false, _) => Err(format!("expected a success, not {} {}", answer.status, answer.text)),
                };
            }
            Expected::NoToken => (401, "token_not_valid"),
            Expected::Forbidden(_) => (403, "forbidden"),
            Expected::Refused(status, code) => (status, code),
        };
        let problem = if answer.text.is_empty() { Value::Null } else { serde_json::from_str(&answer.text).unwrap_or_default() };
        if answer.status.as_u16() != status || problem["code"] != code {
            return Err(format!("expected {status} {code}, not {} {}", answer.status, answer.text));
        }
        match expected {
            Expected::Forbidden(permission) if !answer.text.contains(permission) => {
                Err(format!("{permission} is not named: {}", answer.text))
            }
            _ => Ok(()),
        }
    }
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

fn is_a_stream(path: &str) -> bool {
    path.ends_with("/events/") || path.ends_with("/live")
}

/// The first event of a stream, or the error.
async fn first_event(caller: &TestClient, path: &str, locale: Locale) -> TestResponse {
    let mut following = caller.open_stream(path).await;
    if !following.status.is_success() {
        return caller.send(caller.request(Method::GET, path).header("accept-language", locale.to_string())).await;
    }
    let event = following.next_event().await.expect("a stream begins with an event");
    TestResponse { status: following.status, headers: following.headers.clone(), text: event.1.to_string() }
}

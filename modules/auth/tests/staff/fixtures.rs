//! Staff members and what they do in many tests.

use std::time::Duration;

use agio_core::identity::Role;
use agio_core::texts::Locale;

use agio_test_app::{Database, Engine, ReceivedEmail, SecondFactor, TestApp, TestClient, TestResponse};
use serde_json::{Value, json};
use totp_rs::{Builder, Secret, Totp};

/// How long a code is shown.
pub const PERIOD: Duration = Duration::from_secs(30);

/// The password staff choose.
pub const PASSWORD: &str = "correct horse battery staple";

/// A wrong password.
pub const WRONG: &str = "wrong horse battery staple";

/// An app that requires a second factor, as in production.
pub async fn app_with_required_second_factor(engine: Engine) -> TestApp {
    TestApp::start_with(Database::with_market(engine).await, |config| config.staff.second_factor = SecondFactor::Required).await
}

/// A member of staff at a browser.
pub struct StaffMember {
    pub caller: TestClient,
    pub email: String,
    pub password: String,
    pub id: String,
    pub authenticator: Option<Authenticator>,
    /// Recovery codes.
    pub codes: Vec<String>,
}

/// An authenticator app.
#[derive(Clone)]
pub struct Authenticator(Totp);

impl Authenticator {
    /// From the response of the setup.
    pub fn from_setup(begun: &Value) -> Self {
        let secret = Secret::try_from_base32(begun["secret"].as_str().unwrap()).unwrap();
        assert!(begun["url"].as_str().unwrap().starts_with("otpauth://totp/Agio:"), "{begun}");
        Self(Builder::new().with_secret(secret).with_account_name("anna").build().unwrap())
    }

    /// The code it shows now.
    pub fn code(&self, app: &TestApp) -> String {
        self.0.generate(app.now().as_seconds().unsigned_abs()).to_string()
    }
}

impl StaffMember {
    /// Accepted an invitation of the command line and set up a second factor.
    pub async fn with_second_factor(app: &TestApp, email: &str, role: Role) -> Self {
        let mut staff = Self::invited_by_cli(app, email, role).await;
        staff.set_up_second_factor(app).await;
        staff
    }

    /// Accepted an invitation of the command line.
    pub async fn invited_by_cli(app: &TestApp, email: &str, role: Role) -> Self {
        let link = app.server.auth.invite_from_cli(email, role, Locale::En).await.unwrap();
        let (_, token) = link.split_once("/admin/welcome#token=").unwrap();
        Self::accept(app, email, token).await
    }

    /// Accepts an invitation.
    pub async fn accept(app: &TestApp, email: &str, token: &str) -> Self {
        let caller = TestClient::at(&app.console);
        let session = caller.post("/api/admin/v1/auth/invitation/accept", acceptance(token)).await.ok();
        Self {
            caller: caller.with_token(session["accessToken"].as_str().unwrap()),
            email: email.to_owned(),
            password: PASSWORD.to_owned(),
            id: session["user"]["id"].as_str().unwrap().to_owned(),
            authenticator: None,
            codes: Vec::new(),
        }
    }

    /// Sets up a second factor and advances to the next code.
    pub async fn set_up_second_factor(&mut self, app: &TestApp) {
        let begun = self.post("/me/second-factor", json!({ "password": self.password })).await.ok();
        let authenticator = Authenticator::from_setup(&begun);
        let code = authenticator.code(app);
        let halves = format!("{} {}", &code[..3], &code[3..]);
        let confirmed = self.post("/me/second-factor/confirm", json!({ "code": halves })).await.ok();
        self.codes = serde_json::from_value(confirmed["recoveryCodes"].clone()).unwrap();
        self.authenticator = Some(authenticator);
        app.advance_clock(PERIOD);
    }

    /// The code their app shows now.
    pub fn code(&self, app: &TestApp) -> String {
        self.authenticator.as_ref().unwrap().code(app)
    }

    /// Signs in with password and code, in the browser they have, and goes on with the token.
    pub async fn sign_in(&mut self, app: &TestApp) -> TestResponse {
        let otp = self.authenticator.as_ref().map(|authenticator| authenticator.code(app));
        let answer = try_sign_in(&self.caller, &self.email, &self.password, otp.as_deref()).await;
        app.advance_clock(PERIOD);
        if let Some(token) = answer.json()["accessToken"].as_str() {
            self.caller = self.caller.clone().with_token(token);
        }
        answer
    }

    /// The same staff member in another browser at another address, signed out.
    pub fn at_another_address(&self, app: &TestApp, address: &str) -> Self {
        Self {
            caller: TestClient::at(&app.console).from_address(address),
            email: self.email.clone(),
            password: self.password.clone(),
            id: self.id.clone(),
            authenticator: self.authenticator.clone(),
            codes: self.codes.clone(),
        }
    }

    /// Confirms the session with a code and advances to the next one.
    pub async fn confirm(&self, app: &TestApp) {
        self.post("/me/confirm", json!({ "code": self.code(app) })).await.ok();
        app.advance_clock(PERIOD);
    }

    pub async fn get(&self, path: &str) -> TestResponse {
        self.caller.get(&format!("/api/admin/v1{path}")).await
    }

    pub async fn post(&self, path: &str, body: Value) -> TestResponse {
        self.caller.post(&format!("/api/admin/v1{path}"), body).await
    }

    pub async fn put(&self, path: &str, body: Value) -> TestResponse {
        self.caller.put(&format!("/api/admin/v1{path}"), body).await
    }

    pub async fn delete(&self, path: &str) -> TestResponse {
        self.caller.delete(&format!("/api/admin/v1{path}")).await
    }

    /// The account as its owner sees it.
    pub async fn me(&self) -> TestResponse {
        self.get("/auth/me").await
    }

    /// The newest mail of a kind.
    pub async fn newest_email(&self, app: &TestApp, kind: &str) -> ReceivedEmail {
        newest_email_to(app, &self.email, kind).await
    }
}

/// A staff member who has signed in and confirmed the session.
pub async fn confirmed(app: &TestApp, email: &str, role: Role) -> StaffMember {
    let mut staff = StaffMember::with_second_factor(app, email, role).await;
    staff.sign_in(app).await.ok();
    staff.confirm(app).await;
    staff
}

/// Acceptance of an invitation with a valid name and password.
pub fn acceptance(token: &str) -> Value {
    json!({ "token": token, "name": "Anna Kotova", "password": PASSWORD })
}

/// Tries to sign in.
pub async fn try_sign_in(caller: &TestClient, email: &str, password: &str, otp: Option<&str>) -> TestResponse {
    let mut login = json!({ "email": email, "password": password });
    if let Some(otp) = otp {
        login["otp"] = otp.into();
    }
    caller.post("/api/admin/v1/auth/login", login).await
}

/// The newest mail of a kind to an address.
pub async fn newest_email_to(app: &TestApp, email: &str, kind: &str) -> ReceivedEmail {
    let mails = app.emails_to(email).await;
    let kinds: Vec<_> = mails.iter().map(|mail| mail.kind.clone()).collect();
    mails.into_iter().rev().find(|mail| mail.kind == kind).unwrap_or_else(|| panic!("no {kind} among {kinds:?}"))
}

/// The secret of the link in the newest mail of a kind.
pub async fn link_token(app: &TestApp, email: &str, kind: &str) -> String {
    let mail = newest_email_to(app, email, kind).await;
    let link = mail.text.lines().find_map(|line| line.split_once("#token="));
    link.unwrap_or_else(|| panic!("no link in {}", mail.text)).1.to_owned()
}

/// What the audit log says was done to an account, in order.
pub async fn audit_actions(app: &TestApp, id: &str) -> Vec<String> {
    let sql = "SELECT action FROM audit WHERE about_id = $1 ORDER BY at, chain, number";
    let mut tx = app.server.platform.db.read().await.unwrap();
    let rows = agio_core::fetch_all!(&mut tx, (String,), sql, id).unwrap();
    rows.into_iter().map(|(action,)| action).collect()
}

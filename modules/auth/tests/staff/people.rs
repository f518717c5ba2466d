//! What members of staff do again and again.

use std::time::Duration;

use agio_core::identity::Role;
use agio_core::texts::Locale;

use agio_testkit::{Answer, Caller, Database, Engine, House, Mailed, SecondFactor};
use serde_json::{Value, json};
use totp_rs::{Builder, Secret, Totp};

/// How long a code is shown.
pub const PERIOD: Duration = Duration::from_secs(30);

/// The password staff choose.
pub const PASSWORD: &str = "correct horse battery staple";

/// A password nobody has.
pub const WRONG: &str = "wrong horse battery staple";

/// A house where everybody needs a second factor, as in service.
pub async fn strict(engine: Engine) -> House {
    House::open_on(Database::furnished(engine).await, |config| config.staff.second_factor = SecondFactor::Required).await
}

/// A member of staff at a browser.
pub struct Colleague {
    pub caller: Caller,
    pub email: String,
    pub password: String,
    pub id: String,
    pub app: Option<App>,
    /// Recovery codes.
    pub codes: Vec<String>,
}

/// An authenticator app.
#[derive(Clone)]
pub struct App(Totp);

impl App {
    /// An app that was told a secret.
    pub fn told(begun: &Value) -> Self {
        let secret = Secret::try_from_base32(begun["secret"].as_str().unwrap()).unwrap();
        assert!(begun["url"].as_str().unwrap().starts_with("otpauth://totp/Agio:"), "{begun}");
        Self(Builder::new().with_secret(secret).with_account_name("anna").build().unwrap())
    }

    /// The code it shows now.
    pub fn code(&self, house: &House) -> String {
        self.0.generate(house.now().as_seconds().unsigned_abs()).to_string()
    }
}

impl Colleague {
    /// Somebody who took an invitation of the command line, and set up a second factor.
    pub async fn comes(house: &House, email: &str, role: Role) -> Self {
        let mut colleague = Self::joins(house, email, role).await;
        colleague.sets_up(house).await;
        colleague
    }

    /// Somebody who took an invitation of the command line.
    pub async fn joins(house: &House, email: &str, role: Role) -> Self {
        let link = house.app.auth.invite_by_house(email, role, Locale::En).await.unwrap();
        let (_, token) = link.split_once("/admin/welcome#token=").unwrap();
        Self::takes(house, email, token).await
    }

    /// Somebody who takes an invitation.
    pub async fn takes(house: &House, email: &str, token: &str) -> Self {
        let caller = Caller::at(&house.console);
        let session = caller.post("/api/admin/v1/auth/invitation/accept", joining(token)).await.ok();
        Self {
            caller: caller.with_token(session["accessToken"].as_str().unwrap()),
            email: email.to_owned(),
            password: PASSWORD.to_owned(),
            id: session["user"]["id"].as_str().unwrap().to_owned(),
            app: None,
            codes: Vec::new(),
        }
    }

    /// Sets a second factor up; the next code is another one.
    pub async fn sets_up(&mut self, house: &House) {
        let begun = self.post("/me/second-factor", json!({ "password": self.password })).await.ok();
        let app = App::told(&begun);
        let code = app.code(house);
        let halves = format!("{} {}", &code[..3], &code[3..]);
        let confirmed = self.post("/me/second-factor/confirm", json!({ "code": halves })).await.ok();
        self.codes = serde_json::from_value(confirmed["recoveryCodes"].clone()).unwrap();
        self.app = Some(app);
        house.wait(PERIOD);
    }

    /// The code their app shows now.
    pub fn code(&self, house: &House) -> String {
        self.app.as_ref().unwrap().code(house)
    }

    /// Signs in with password and code, in the browser they have, and goes on with the token.
    pub async fn signs_in(&mut self, house: &House) -> Answer {
        let otp = self.app.as_ref().map(|app| app.code(house));
        let answer = tries(&self.caller, &self.email, &self.password, otp.as_deref()).await;
        house.wait(PERIOD);
        if let Some(token) = answer.json()["accessToken"].as_str() {
            self.caller = self.caller.clone().with_token(token);
        }
        answer
    }

    /// The same colleague at another browser and address, not signed in.
    pub fn elsewhere(&self, house: &House, address: &str) -> Self {
        Self {
            caller: Caller::at(&house.console).from_address(address),
            email: self.email.clone(),
            password: self.password.clone(),
            id: self.id.clone(),
            app: self.app.clone(),
            codes: self.codes.clone(),
        }
    }

    /// Confirms with a code that it is they; the next code is another one.
    pub async fn confirms(&self, house: &House) {
        self.post("/me/confirm", json!({ "code": self.code(house) })).await.ok();
        house.wait(PERIOD);
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.caller.get(&format!("/api/admin/v1{path}")).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.caller.post(&format!("/api/admin/v1{path}"), body).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.caller.put(&format!("/api/admin/v1{path}"), body).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.caller.delete(&format!("/api/admin/v1{path}")).await
    }

    /// The account as its owner sees it.
    pub async fn me(&self) -> Answer {
        self.get("/auth/me").await
    }

    /// The newest mail of a kind.
    pub async fn mail(&self, house: &House, kind: &str) -> Mailed {
        mail(house, &self.email, kind).await
    }
}

/// Takes an invitation with a good name and password.
pub fn joining(token: &str) -> Value {
    json!({ "token": token, "name": "Anna Kotova", "password": PASSWORD })
}

/// Tries to sign in.
pub async fn tries(caller: &Caller, email: &str, password: &str, otp: Option<&str>) -> Answer {
    let mut login = json!({ "email": email, "password": password });
    if let Some(otp) = otp {
        login["otp"] = otp.into();
    }
    caller.post("/api/admin/v1/auth/login", login).await
}

/// The newest mail of a kind to an address.
pub async fn mail(house: &House, email: &str, kind: &str) -> Mailed {
    let mails = house.mail_to(email).await;
    let kinds: Vec<_> = mails.iter().map(|mail| mail.kind.clone()).collect();
    mails.into_iter().rev().find(|mail| mail.kind == kind).unwrap_or_else(|| panic!("no {kind} among {kinds:?}"))
}

/// The secret of the link in the newest mail of a kind.
pub async fn token(house: &House, email: &str, kind: &str) -> String {
    let mail = mail(house, email, kind).await;
    let link = mail.text.lines().find_map(|line| line.split_once("#token="));
    link.unwrap_or_else(|| panic!("no link in {}", mail.text)).1.to_owned()
}

/// What the audit log says was done to an account, in order.
pub async fn deeds(house: &House, id: &str) -> Vec<String> {
    let sql = "SELECT action FROM audit WHERE about_id = $1 ORDER BY at, chain, number";
    let mut tx = house.app.platform.db.read().await.unwrap();
    let rows = agio_core::fetch_all!(&mut tx, (String,), sql, id).unwrap();
    rows.into_iter().map(|(action,)| action).collect()
}

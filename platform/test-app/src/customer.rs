//! Registered customers.

use serde_json::{Value, json};

use crate::{ReceivedEmail, TestApp, TestClient, TestResponse};

/// A customer with their own browser and IP address.
pub struct TestCustomer {
    pub caller: TestClient,
    pub email: String,
    pub password: String,
}

impl TestCustomer {
    pub const PASSWORD: &str = "correct horse battery";

    /// A customer who has signed up, activated the account and signed in.
    pub async fn registered(app: &TestApp, email: &str) -> Self {
        let mut customer = Self::sign_up(app, email).await;
        customer.sign_in().await.ok();
        customer.activate(app).await;
        customer
    }

    /// A customer who has signed up but not activated the account.
    pub async fn sign_up(app: &TestApp, email: &str) -> Self {
        let customer = Self::new(app, email);
        let new = json!({ "email": email, "password": customer.password });
        customer.caller.post("/api/v1/users/signup/", new).await.ok();
        app.run_auth_requests().await;
        customer
    }

    /// A customer who has not signed up yet.
    pub fn new(app: &TestApp, email: &str) -> Self {
        let caller = app.visitor().from_address(&ip_address_of(email));
        Self { caller, email: email.to_owned(), password: Self::PASSWORD.to_owned() }
    }

    /// Follows the activation link of the newest email that has one, and signs in for it if they have not.
    pub async fn activate(&self, app: &TestApp) {
        let path = format!("/api/v1/users/activate/{}/", self.token(app, "account_activation").await);
        let answer = self.caller.post(&path, json!({})).await;
        if answer.status == 401 {
            let login = json!({ "email": self.email, "password": self.password });
            let session = self.caller.post("/front-api/auth/login/", login).await.ok();
            let caller = self.caller.clone().with_token(session["accessToken"].as_str().expect("an access token"));
            caller.post(&path, json!({})).await.ok();
        } else {
            answer.ok();
        }
    }

    /// Signs in and keeps the token.
    pub async fn sign_in(&mut self) -> TestResponse {
        let login = json!({ "email": self.email, "password": self.password });
        self.sign_in_with(login).await
    }

    /// Signs in with this body and keeps the token.
    pub async fn sign_in_with(&mut self, login: Value) -> TestResponse {
        let answer = self.caller.post("/front-api/auth/login/", login).await;
        self.keep_token(answer)
    }

    /// Refreshes the session and keeps the new token.
    pub async fn refresh(&mut self) -> TestResponse {
        let answer = self.caller.get("/front-api/auth/refresh/").await;
        self.keep_token(answer)
    }

    /// Keeps the access token of a successful response.
    fn keep_token(&mut self, answer: TestResponse) -> TestResponse {
        if answer.status.is_success()
            && let Some(token) = answer.json()["accessToken"].as_str()
        {
            self.caller = self.caller.clone().with_token(token);
        }
        answer
    }

    pub async fn me(&self) -> TestResponse {
        self.caller.get("/api/v1/users/me/").await
    }

    pub async fn newest_email(&self, app: &TestApp, kind: &str) -> ReceivedEmail {
        let mails = app.emails_to(&self.email).await;
        let kinds: Vec<_> = mails.iter().map(|mail| mail.kind.clone()).collect();
        mails.into_iter().rev().find(|mail| mail.kind == kind).unwrap_or_else(|| panic!("no {kind} among {kinds:?}"))
    }

    /// The token in the link of the newest email of a kind.
    pub async fn token(&self, app: &TestApp, kind: &str) -> String {
        let mail = self.newest_email(app, kind).await;
        let link = mail.text.lines().find(|line| ["/#", "#token=", "#email=", "#undo="].iter().any(|part| line.contains(part)));
        let token = link.and_then(|link| link.rsplit('=').next());
        token.unwrap_or_else(|| panic!("no link in {}", mail.text)).to_owned()
    }
}

/// An IP address derived from the email address, so that customers do not share rate limits.
fn ip_address_of(email: &str) -> String {
    let [a, b, c] = email.bytes().fold([7_u8, 31, 113], |[a, b, c], byte| {
        [a.wrapping_mul(31).wrapping_add(byte), b.wrapping_mul(17).wrapping_add(byte ^ a), c.wrapping_add(byte).rotate_left(3)]
    });
    format!("10.{a}.{b}.{c}")
}

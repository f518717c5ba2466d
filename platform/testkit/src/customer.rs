//! Customers with an account.

use serde_json::{Value, json};

use crate::{Answer, Caller, House, Mailed};

/// A customer with an account, in a browser and at an address of their own.
pub struct Customer {
    /// Their browser.
    pub caller: Caller,
    /// Their address, which is their account.
    pub email: String,
    /// Their password.
    pub password: String,
}

impl Customer {
    /// The password customers choose.
    pub const PASSWORD: &str = "correct horse battery";

    /// A customer who has signed up, followed the link in the mail and signed in.
    ///
    /// # Panics
    /// One of these fails.
    pub async fn at(house: &House, email: &str) -> Self {
        let mut customer = Self::signs_up(house, email).await;
        customer.activates(house).await;
        customer.signs_in().await.ok();
        customer
    }

    /// A customer who has signed up and whose account was made, and no more.
    ///
    /// # Panics
    /// It fails.
    pub async fn signs_up(house: &House, email: &str) -> Self {
        let customer = Self::comes(house, email);
        let new = json!({ "email": email, "password": customer.password });
        customer.caller.post("/api/v1/users/signup/", new).await.ok();
        house.answers_requests().await;
        customer
    }

    /// Somebody who has not signed up yet.
    #[must_use]
    pub fn comes(house: &House, email: &str) -> Self {
        let caller = house.customer().from_address(&address_of(email));
        Self { caller, email: email.to_owned(), password: Self::PASSWORD.to_owned() }
    }

    /// Follows the activation link of the newest mail that has one.
    ///
    /// # Panics
    /// There is no such mail, or the link is refused.
    pub async fn activates(&self, house: &House) {
        let token = self.token(house, "account_activation").await;
        self.caller.post(&format!("/api/v1/users/activate/{token}/"), json!({})).await.ok();
    }

    /// Signs in and goes on with the token.
    pub async fn signs_in(&mut self) -> Answer {
        let login = json!({ "email": self.email, "password": self.password });
        self.signs_in_with(login).await
    }

    /// Signs in with this body and goes on with the token.
    pub async fn signs_in_with(&mut self, login: Value) -> Answer {
        let answer = self.caller.post("/front-api/auth/login/", login).await;
        self.takes(answer)
    }

    /// Refreshes the session and goes on with the new token.
    pub async fn refreshes(&mut self) -> Answer {
        let answer = self.caller.get("/front-api/auth/refresh/").await;
        self.takes(answer)
    }

    /// Goes on with the token of an answer, if it has one.
    fn takes(&mut self, answer: Answer) -> Answer {
        if answer.status.is_success()
            && let Some(token) = answer.json()["accessToken"].as_str()
        {
            self.caller = self.caller.clone().with_token(token);
        }
        answer
    }

    /// The account as its owner sees it.
    pub async fn me(&self) -> Answer {
        self.caller.get("/api/v1/users/me/").await
    }

    /// The newest mail of a kind.
    ///
    /// # Panics
    /// There is none.
    pub async fn mail(&self, house: &House, kind: &str) -> Mailed {
        let mails = house.mail_to(&self.email).await;
        let kinds: Vec<_> = mails.iter().map(|mail| mail.kind.clone()).collect();
        mails.into_iter().rev().find(|mail| mail.kind == kind).unwrap_or_else(|| panic!("no {kind} among {kinds:?}"))
    }

    /// The token in the link of the newest mail of a kind.
    ///
    /// # Panics
    /// There is none.
    pub async fn token(&self, house: &House, kind: &str) -> String {
        let mail = self.mail(house, kind).await;
        let link = mail.text.lines().find(|line| line.contains("/#") || line.contains("#token="));
        let token = link.and_then(|link| link.rsplit('=').next());
        token.unwrap_or_else(|| panic!("no link in {}", mail.text)).to_owned()
    }
}

/// An address for whoever has this e-mail address: another one for each, so that they do not share what is counted by address.
fn address_of(email: &str) -> String {
    let [a, b, c] = email.bytes().fold([7_u8, 31, 113], |[a, b, c], byte| {
        [a.wrapping_mul(31).wrapping_add(byte), b.wrapping_mul(17).wrapping_add(byte ^ a), c.wrapping_add(byte).rotate_left(3)]
    });
    format!("10.{a}.{b}.{c}")
}

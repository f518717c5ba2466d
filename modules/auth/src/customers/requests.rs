//! Letters that anybody may ask for, for any address.
//!
//! The call only stores what was asked for, whatever the address, and answers; a job that runs every second looks whether there is
//! such an account and writes the letter. So neither the answer nor its time tells whether there is one.

use std::sync::Arc;

use agio_core::identity::Actor;
use agio_core::{Result, Timestamp, Tx};

use super::gates::Call;
use super::note;
use super::sign_up::checked_email;
use super::store::{self, Purpose, RequestRow};
use crate::auth::{Auth, Client};

impl Auth {
    /// Asks for a letter to an address: with a link to set a new password, or another activation link.
    ///
    /// # Errors
    /// 422 `bad_email`; 429 `too_many_attempts`; 422 for the captcha.
    pub(crate) async fn ask_for_letter(&self, purpose: Purpose, email: &str, answer: Option<&str>, client: Client) -> Result<()> {
        let email = checked_email(email)?;
        let call = match purpose {
            Purpose::Activation => Call::Reactivate,
            Purpose::Restore => Call::Restore,
        };
        self.admit(call, &email, None, answer, &client).await?;
        let (id, now) = (self.platform.random.uuid(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (email, address) = (email.clone(), client.address.to_string());
                Box::pin(async move { store::insert_request(tx, id, purpose, &email, &address, now).await })
            })
            .await
    }

    /// Writes the letters that were asked for.
    pub(crate) async fn answer_requests(self: &Arc<Self>) -> Result<()> {
        loop {
            let waiting = store::requests(&mut self.platform.db.read().await?).await?;
            if waiting.is_empty() {
                return Ok(());
            }
            for request in waiting {
                let (this, now) = (self.clone(), self.platform.clock.now());
                self.platform
                    .db
                    .write(move |tx| {
                        let (this, request) = (this.clone(), request.clone());
                        Box::pin(async move { this.answer_request(tx, &request, now).await })
                    })
                    .await?;
            }
        }
    }

    async fn answer_request(&self, tx: &mut Tx, request: &RequestRow, now: Timestamp) -> Result<()> {
        if !store::take_request(tx, request.id).await? {
            return Ok(());
        }
        let found = store::by_email(tx, &request.email).await?.filter(|customer| customer.banned_at.is_none());
        let Some(customer) = found else { return Ok(()) };
        let action = match request.purpose() {
            Purpose::Activation if customer.activated_at.is_some() => return Ok(()),
            Purpose::Activation => {
                self.mail_activation(tx, &customer, now).await?;
                "customer.activation_asked"
            }
            Purpose::Restore => {
                self.mail_restore(tx, "password_restore", &customer, now).await?;
                "customer.restore_asked"
            }
        };
        let by = request.address.parse().map_or_else(|_| Actor::house("auth.requests"), Actor::guest);
        note(tx, &by, action, &customer.id.to_string(), now).await
    }
}

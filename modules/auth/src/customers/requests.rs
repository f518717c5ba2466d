//! What anybody may ask for, for any address: an account, and letters with links.
//!
//! The call only stores what was asked for, whatever the address, and answers; a job that runs every second looks whether there is
//! such an account and does what is to be done. So neither the answer nor its time tells whether there is one.
//!
//! A request that fails is put off, for longer each time, and given up after some tries; the others do not wait for it. Owners are told of
//! those that were given up.

use std::sync::Arc;
use std::time::Duration;

use agio_core::identity::Actor;
use agio_core::{Error, Kind, Result, Timestamp, Tx};

use super::gates::Call;
use super::note;
use super::sign_up::checked_email;
use super::store::{self, DueRequest, Purpose, Request, Wish};
use crate::auth::{Auth, Client};

/// The pause after the first failure; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_secs(15);

/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(60 * 60);

/// After how many tries a request is given up: with the pauses above, after somewhat over two hours. Whoever waited so long for a letter has
/// asked again.
const TRIES_MAX: i64 = 10;

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
        self.keep_request(Wish::Letter(purpose), email, &client).await
    }

    /// Stores a wish for the job; the same work for every address.
    pub(super) async fn keep_request(&self, wish: Wish, email: String, client: &Client) -> Result<()> {
        let created_at = self.platform.clock.now();
        // Identifiers of one moment grow: wishes are answered in the order they came.
        let id = self.platform.random.uuid_at(created_at);
        let request = Arc::new(Request { id, wish, email, address: client.address.to_string(), created_at });
        self.platform
            .db
            .write(move |tx| {
                let request = request.clone();
                Box::pin(async move { store::insert_request(tx, &request).await })
            })
            .await
    }

    /// Does what was asked for.
    ///
    /// # Errors
    /// The database cannot be used now. That is no fault of any request, so it costs none of them a try.
    pub(crate) async fn answer_requests(self: &Arc<Self>) -> Result<()> {
        loop {
            let now = self.platform.clock.now();
            let due = store::due_requests(&mut self.platform.db.read().await?, now).await?;
            if due.is_empty() {
                return Ok(());
            }
            for due in due.into_iter().map(Arc::new) {
                match self.try_request(&due, now).await {
                    Ok(()) => {}
                    Err(failed) if failed.kind() == Kind::Unavailable => return Err(failed),
                    Err(failed) => self.put_off(&due, &failed, now).await?,
                }
            }
        }
    }

    /// How many requests were given up after a moment.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn requests_given_up_since(&self, since: Timestamp) -> Result<i64> {
        store::requests_given_up(&mut self.platform.db.read().await?, since).await
    }

    async fn try_request(self: &Arc<Self>, due: &Arc<DueRequest>, now: Timestamp) -> Result<()> {
        let (this, due) = (self.clone(), due.clone());
        self.platform
            .db
            .write(move |tx| {
                let (this, due) = (this.clone(), due.clone());
                Box::pin(async move { this.answer_request(tx, &due, now).await })
            })
            .await
    }

    /// Writes down that a request failed: when it is tried again, or that it is not.
    async fn put_off(&self, due: &Arc<DueRequest>, failed: &Error, now: Timestamp) -> Result<()> {
        let (due, request, tries) = (due.clone(), due.id, due.tries + 1);
        let next_at = (tries < TRIES_MAX).then(|| now.plus(pause_after(tries)));
        // Causes quote what they met, and whose address it is must not be read in a log.
        let fault = failed.to_string().replace(&due.email, "(address)");
        if next_at.is_some() {
            tracing::warn!(%request, tries, fault, "a request could not be answered and is put off");
        } else {
            tracing::error!(%request, tries, fault, "a request could not be answered and is given up");
        }
        self.platform
            .db
            .write(move |tx| {
                let due = due.clone();
                Box::pin(async move {
                    match next_at {
                        Some(next_at) => store::put_off_request(tx, &due, next_at).await,
                        None => store::give_up_request(tx, &due, now).await,
                    }
                })
            })
            .await
    }

    async fn answer_request(&self, tx: &mut Tx, due: &DueRequest, now: Timestamp) -> Result<()> {
        let Some(request) = store::take_request(tx, due).await? else { return Ok(()) };
        let by = request.address.parse().map_or_else(|_| Actor::house("auth.requests"), Actor::guest);
        match &request.wish {
            Wish::Letter(purpose) => self.answer_letter(tx, *purpose, &request, &by, now).await,
            Wish::SignUp(new) => self.answer_sign_up(tx, &request, new, by, now).await,
        }
    }

    async fn answer_letter(&self, tx: &mut Tx, purpose: Purpose, request: &Request, by: &Actor, now: Timestamp) -> Result<()> {
        let found = store::by_email(tx, &request.email).await?.filter(|customer| customer.banned_at.is_none());
        let Some(customer) = found else { return Ok(()) };
        let action = match purpose {
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
        note(tx, by, action, &customer.id.to_string(), now).await
    }
}

/// How long to wait after this many tries.
fn pause_after(tries: i64) -> Duration {
    let doublings = u32::try_from(tries.saturating_sub(1)).unwrap_or(u32::MAX).min(16);
    FIRST_PAUSE.saturating_mul(1 << doublings).min(LONGEST_PAUSE)
}

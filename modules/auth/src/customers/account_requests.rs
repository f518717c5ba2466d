//! Unauthenticated requests for an address: sign-ups and e-mails with links.
//!
//! The endpoint only stores the request; a job processes it within a second. So neither the response nor its timing
//! reveals whether an account exists. A failing request is retried with backoff and given up in the end; others do not
//! wait for it. Owners are alerted about requests that were given up.

use std::sync::Arc;
use std::time::Duration;

use agio_core::identity::Actor;
use agio_core::{Error, ErrorKind, Result, Timestamp, Tx};

use super::CaptchaAction;
use super::store::{self, AccountRequest, AccountRequestKind, DueAccountRequest};
use crate::accounts::{checked_email, record, store as accounts};
use crate::audience::Audience;
use crate::auth::{Auth, ClientInfo};

/// Delay after the first failure; doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_secs(15);

const LONGEST_PAUSE: Duration = Duration::from_secs(60 * 60);

/// With the delays above, a request is given up after somewhat over two hours.
const TRIES_MAX: i64 = 10;

impl Auth {
    /// Requests an e-mail with a password reset or activation link.
    ///
    /// # Errors
    /// 422 `bad_email`; 429 `too_many_attempts`; 422 for the captcha.
    pub(crate) async fn request_email(
        self: &Arc<Self>,
        kind: AccountRequestKind,
        email: &str,
        answer: Option<&str>,
        client: ClientInfo,
    ) -> Result<()> {
        let email = checked_email(email)?;
        let action = match kind {
            AccountRequestKind::Activation => CaptchaAction::Reactivate,
            AccountRequestKind::PasswordReset => CaptchaAction::Restore,
            AccountRequestKind::SignUp => CaptchaAction::SignUp,
        };
        self.admit(action, &email, None, answer, &client).await?;
        self.store_request(self.new_request(kind, email, &client)).await
    }

    pub(super) fn new_request(&self, kind: AccountRequestKind, email: String, client: &ClientInfo) -> AccountRequest {
        let created_at = self.platform.clock.now();
        // Ids are ordered, so requests are processed in order.
        let id = self.platform.random.uuid_at(created_at);
        let address = client.address.to_string();
        AccountRequest { id, kind, email, address, created_at, password_hash: None, locale: None, referral: None }
    }

    /// Stores a request for the job; the same work for every address.
    pub(super) async fn store_request(self: &Arc<Self>, request: AccountRequest) -> Result<()> {
        self.transaction(request, |_, tx, request, _| Box::pin(async move { store::insert_request(tx, &request).await })).await
    }

    /// Processes due requests.
    pub(crate) async fn process_requests(self: &Arc<Self>) -> Result<()> {
        loop {
            let now = self.platform.clock.now();
            let due = store::due_requests(&mut self.platform.db.read().await?, now).await?;
            if due.is_empty() {
                return Ok(());
            }
            for due in due {
                let processed = self.transaction(due.clone(), |this, tx, due, now| {
                    Box::pin(async move { this.process_request(tx, &due, now).await })
                });
                match processed.await {
                    Ok(()) => {}
                    Err(failed) if failed.kind() == ErrorKind::Unavailable => return Err(failed),
                    Err(failed) => self.postpone(due, &failed).await?,
                }
            }
        }
    }

    /// Number of requests given up after `since`.
    pub async fn failed_requests_since(&self, since: Timestamp) -> Result<i64> {
        store::failed_requests(&mut self.platform.db.read().await?, since).await
    }

    /// Schedules the next attempt or gives the request up.
    async fn postpone(self: &Arc<Self>, due: DueAccountRequest, failed: &Error) -> Result<()> {
        let (request, tries) = (due.id, due.tries + 1);
        // E-mail addresses must not appear in logs.
        let fault = failed.to_string().replace(&due.email, "(address)");
        if tries < TRIES_MAX {
            tracing::warn!(%request, tries, fault, "a request could not be answered and is put off");
        } else {
            tracing::error!(%request, tries, fault, "a request could not be answered and is given up");
        }
        self.transaction(due, move |_, tx, due, now| {
            Box::pin(async move {
                if tries < TRIES_MAX {
                    store::postpone_request(tx, &due, now.plus(pause_after(tries))).await
                } else {
                    store::fail_request(tx, &due, now).await
                }
            })
        })
        .await
    }

    async fn process_request(&self, tx: &mut Tx, due: &DueAccountRequest, now: Timestamp) -> Result<()> {
        let Some(request) = store::take_request(tx, due).await? else { return Ok(()) };
        let by = request.address.parse().map_or_else(|_| Actor::system("auth.requests"), Actor::guest);
        if request.kind == AccountRequestKind::SignUp {
            return self.process_sign_up(tx, &request, by, now).await;
        }
        let found = accounts::by_email(tx, Audience::Customers, &request.email).await?;
        let Some(account) = found.filter(|account| !account.blocked) else { return Ok(()) };
        if request.kind == AccountRequestKind::PasswordReset {
            self.mail_password_reset(tx, "password_restore", &account, now).await?;
            return record(tx, account.reference(), &by, "restore_asked", now).await;
        }
        if account.is_activated() {
            return Ok(());
        }
        self.mail_activation(tx, &account, now).await?;
        record(tx, account.reference(), &by, "activation_asked", now).await
    }
}

fn pause_after(tries: i64) -> Duration {
    let doublings = u32::try_from(tries.saturating_sub(1)).unwrap_or(u32::MAX).min(16);
    FIRST_PAUSE.saturating_mul(1 << doublings).min(LONGEST_PAUSE)
}

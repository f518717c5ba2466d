//! Attempt limits of accounts.
//!
//! An attacker can exhaust the limit of an account without locking out its owner: sessions continue, and known browsers
//! have their own counters. So has each session, which ends with its attempts. Those of customers' sign-ins, with
//! captchas, are in [`crate::customers`].

use std::sync::Arc;

use agio_core::networks::limit_key;
use agio_core::{Error, Result};

use super::{AccountRecord, record};
use crate::attempts::{self, AttemptCounter, AttemptLimit, HOUR, MINUTE, RetryAfter, SECOND, limit, times};
use crate::audience::{AccountRef, Audience, Caller};
use crate::auth::{Auth, ClientInfo};
use crate::customers::owner_counters;

/// Passwords for a staff account from unknown browsers.
const STAFF_SIGN_IN_ACCOUNT: AttemptLimit = limit("staff.sign_in.account", 10, times(2, SECOND), MINUTE, times(5, MINUTE));
/// Passwords of staff from a network.
const STAFF_SIGN_IN_NETWORK: AttemptLimit =
    limit("staff.sign_in.address", 20, times(2, SECOND), times(15, MINUTE), times(5, MINUTE));
/// Passwords for a staff account from a known browser.
const STAFF_SIGN_IN_DEVICE: AttemptLimit =
    limit("staff.sign_in.device", 10, times(2, SECOND), times(5, MINUTE), times(5, MINUTE));

/// Codes at sign-in from a known browser.
const CODE_DEVICE: AttemptLimit = limit("code.device", 5, times(30, SECOND), HOUR, HOUR);
/// Codes for an account at sign-in from a network.
const CODE_NETWORK: AttemptLimit = limit("code.network", 5, times(30, SECOND), HOUR, HOUR);
/// Codes for a staff account at sign-in from unknown browsers.
const STAFF_CODE: AttemptLimit = limit("staff.code", 5, times(30, SECOND), HOUR, HOUR);
/// Codes for a customer's account at sign-in from unknown browsers: a hundred a day, and its owner waits for minutes.
const CODE: AttemptLimit = limit("code", 10, times(30, SECOND), times(15, MINUTE), HOUR);

/// Codes from a session.
const OWN_CODE: AttemptLimit = limit("own_code", 5, HOUR, HOUR, HOUR);
/// Current passwords from a session.
const OWN_PASSWORD: AttemptLimit = limit("own_password", 5, HOUR, HOUR, HOUR);

/// Counters of a password at a sign-in of staff. `device` is the digest of a known browser.
pub fn staff_sign_in(email: &str, device: Option<&str>, client: &ClientInfo) -> Vec<AttemptCounter> {
    match device {
        Some(device) => vec![STAFF_SIGN_IN_DEVICE.counter(&format!("{email} {device}"))],
        None => {
            let network = limit_key(client.address).to_string();
            vec![STAFF_SIGN_IN_ACCOUNT.counter(email), STAFF_SIGN_IN_NETWORK.counter(&network)]
        }
    }
}

/// Counters of a code at sign-in. `device` is the digest of a known browser.
pub fn sign_in_code(account: AccountRef, device: Option<&str>, client: &ClientInfo) -> Vec<AttemptCounter> {
    let AccountRef { audience, id } = account;
    match device {
        Some(device) => vec![CODE_DEVICE.counter(&format!("{id} {device}"))],
        None => vec![
            CODE_NETWORK.counter(&format!("{id} {}", limit_key(client.address))),
            audience.choose(&STAFF_CODE, &CODE).counter(&id.to_string()),
        ],
    }
}

/// Counters of an account that anybody can exhaust.
pub fn public_counters(account: &AccountRecord) -> Vec<AttemptCounter> {
    match account.audience() {
        Audience::Staff => {
            vec![STAFF_SIGN_IN_ACCOUNT.counter(&account.email), STAFF_CODE.counter(&account.id.to_string())]
        }
        Audience::Customers => owner_counters(&account.email),
    }
}

impl Auth {
    /// Counts an attempt, and returns its counters for a refund.
    ///
    /// # Errors
    /// 429 `too_many_attempts` with the delay.
    pub(crate) async fn count_attempt(&self, counters: Vec<AttemptCounter>) -> Result<Vec<AttemptCounter>> {
        attempts::record(&self.platform.db, &counters, self.platform.clock.now()).await?.map_err(RetryAfter::error)?;
        Ok(counters)
    }

    /// Takes back what was counted for a right password in a request that fails otherwise: this is not guessing.
    pub(crate) async fn refund_attempts(self: &Arc<Self>, counters: Vec<AttemptCounter>) -> Result<()> {
        self.transaction(counters, |_, tx, counters, _| Box::pin(async move { attempts::refund(tx, &counters).await })).await
    }

    /// Counts a code of a signed-in caller.
    ///
    /// # Errors
    /// As [`count_own`](Self::count_own).
    pub(crate) async fn count_own_code(self: &Arc<Self>, caller: &Caller) -> Result<Vec<AttemptCounter>> {
        self.count_own(caller, &OWN_CODE).await
    }

    /// Counts a current password of a signed-in caller.
    ///
    /// # Errors
    /// As [`count_own`](Self::count_own).
    pub(crate) async fn count_own_password(self: &Arc<Self>, caller: &Caller) -> Result<Vec<AttemptCounter>> {
        self.count_own(caller, &OWN_PASSWORD).await
    }

    /// Attempts are counted per session, and a session that has used them up ends: a stolen one must not keep the owner
    /// from confirming another.
    ///
    /// # Errors
    /// 401 `token_not_valid`.
    async fn count_own(self: &Arc<Self>, caller: &Caller, limit: &'static AttemptLimit) -> Result<Vec<AttemptCounter>> {
        match self.count_attempt(vec![limit.counter(&caller.session.to_string())]).await {
            Err(error) if error.code() == "too_many_attempts" => {}
            counted => return counted,
        }
        self.transaction(caller.clone(), |this, tx, caller, now| {
            Box::pin(async move {
                if !this.sessions.end(tx, caller.session, caller.account, now).await? {
                    return Ok(());
                }
                record(tx, caller.account, &caller.actor, "session_ended_after_failures", now).await
            })
        })
        .await?;
        Err(Error::token_not_valid())
    }
}

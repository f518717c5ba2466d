//! Attempt limits of accounts.
//!
//! An attacker can exhaust the limit of an account without locking out its owner: sessions continue, and known browsers
//! have their own counters. So has each session of staff, which ends with its attempts. Those of customers'
//! sign-ins, with captchas, are in [`crate::customers`].

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

/// Codes of staff at sign-in.
const STAFF_CODE: AttemptLimit = limit("staff.code", 5, times(30, SECOND), HOUR, HOUR);
/// Codes of staff at sign-in from a known browser.
const STAFF_CODE_DEVICE: AttemptLimit = limit("staff.code.device", 5, times(30, SECOND), HOUR, HOUR);
/// Codes from a session of staff.
const STAFF_OWN_CODE: AttemptLimit = limit("staff.confirm", 5, HOUR, HOUR, HOUR);
/// Codes of customers, at sign-in and later.
const CODE: AttemptLimit = limit("code", 5, times(30, SECOND), HOUR, HOUR);

/// Current passwords from a session of staff.
const STAFF_OWN_PASSWORD: AttemptLimit = limit("staff.password", 5, HOUR, HOUR, HOUR);
/// Current passwords from signed-in customers.
const OWN_PASSWORD: AttemptLimit = limit("password", 5, times(10, SECOND), times(15, MINUTE), times(15, MINUTE));

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

/// Counter of a code at sign-in. `device` is the digest of a known browser.
pub fn sign_in_code(account: AccountRef, device: Option<&str>) -> AttemptCounter {
    match (account.audience, device) {
        (Audience::Staff, Some(device)) => STAFF_CODE_DEVICE.counter(&format!("{} {device}", account.id)),
        (Audience::Staff, None) => STAFF_CODE.counter(&account.id.to_string()),
        (Audience::Customers, _) => CODE.counter(&account.id.to_string()),
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

    /// Counts a code of a signed-in caller.
    ///
    /// # Errors
    /// As [`count_own`](Self::count_own).
    pub(crate) async fn count_own_code(self: &Arc<Self>, caller: &Caller) -> Result<Vec<AttemptCounter>> {
        self.count_own(caller, caller.account.audience.choose(&STAFF_OWN_CODE, &CODE)).await
    }

    /// Counts a current password of a signed-in caller.
    ///
    /// # Errors
    /// As [`count_own`](Self::count_own).
    pub(crate) async fn count_own_password(self: &Arc<Self>, caller: &Caller) -> Result<Vec<AttemptCounter>> {
        self.count_own(caller, caller.account.audience.choose(&STAFF_OWN_PASSWORD, &OWN_PASSWORD)).await
    }

    /// Attempts of staff are counted per session, and a session that has used them up ends: a stolen one must not keep
    /// its owner from confirming another.
    ///
    /// # Errors
    /// Customers: 429 `too_many_attempts` with the delay. Staff: 401 `token_not_valid`.
    async fn count_own(self: &Arc<Self>, caller: &Caller, limit: &'static AttemptLimit) -> Result<Vec<AttemptCounter>> {
        let is_staff = caller.account.audience == Audience::Staff;
        let subject = if is_staff { caller.session } else { caller.account.id };
        let counted = self.count_attempt(vec![limit.counter(&subject.to_string())]).await;
        if !(is_staff && counted.as_ref().is_err_and(|error| error.code() == "too_many_attempts")) {
            return counted;
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

//! How often staff's secrets may be tried.
//!
//! A stranger can make the gate of an account slow, but not for its owner: a browser the account was used from before has a gate of
//! its own, and so has whoever is signed in.

use std::time::Duration;

use agio_core::Result;
use agio_core::networks::limit_key;
use uuid::Uuid;

use crate::attempts::{self, Gate, Rule};
use crate::auth::{Auth, Client};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);

const fn rule(name: &'static str, free: i64, first_pause: Duration, longest_pause: Duration, forgets_one_in: Duration) -> Rule {
    Rule { name, free, first_pause, longest_pause, forgets_one_in }
}

/// Passwords tried for one account by strangers.
const SIGN_IN_ACCOUNT: Rule = rule("staff.sign_in.account", 10, SECOND.saturating_mul(2), MINUTE, MINUTE.saturating_mul(5));
/// Passwords tried from one household.
const SIGN_IN_ADDRESS: Rule =
    rule("staff.sign_in.address", 20, SECOND.saturating_mul(2), MINUTE.saturating_mul(15), MINUTE.saturating_mul(5));
/// Passwords tried in a browser the account was used from before.
const SIGN_IN_DEVICE: Rule =
    rule("staff.sign_in.device", 10, SECOND.saturating_mul(2), MINUTE.saturating_mul(5), MINUTE.saturating_mul(5));

/// Codes tried at a sign-in by somebody who knows the password.
const CODE: Rule = rule("staff.code", 5, SECOND.saturating_mul(30), HOUR, HOUR);
/// The same, in a browser the account was used from before.
const CODE_DEVICE: Rule = rule("staff.code.device", 5, SECOND.saturating_mul(30), HOUR, HOUR);
/// Codes tried by somebody who is signed in.
const CONFIRM: Rule = rule("staff.confirm", 5, SECOND.saturating_mul(30), HOUR, HOUR);
/// Present passwords tried by somebody who is signed in.
const PASSWORD: Rule = rule("staff.password", 5, SECOND.saturating_mul(10), MINUTE.saturating_mul(15), MINUTE.saturating_mul(15));

/// A secret that somebody who is signed in shows once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secret {
    /// The password.
    Password,
    /// A code of the second factor.
    Code,
}

/// Where a sign-in is counted. `device` is the mark of a browser the account was used from before.
pub fn sign_in(email: &str, device: Option<&str>, client: &Client) -> Vec<Gate> {
    match device {
        Some(device) => vec![SIGN_IN_DEVICE.gate(&format!("{email} {device}"))],
        None => vec![SIGN_IN_ACCOUNT.gate(email), SIGN_IN_ADDRESS.gate(&limit_key(client.address).to_string())],
    }
}

/// Where the code of a sign-in is counted.
pub fn code(staff: Uuid, device: Option<&str>) -> Gate {
    match device {
        Some(device) => CODE_DEVICE.gate(&format!("{staff} {device}")),
        None => CODE.gate(&staff.to_string()),
    }
}

/// The gates strangers can close before an account.
pub fn of_strangers(email: &str, staff: Uuid) -> Vec<Gate> {
    vec![SIGN_IN_ACCOUNT.gate(email), CODE.gate(&staff.to_string())]
}

impl Auth {
    /// Counts an attempt at these gates.
    ///
    /// # Errors
    /// 429 `too_many_attempts` with the wait.
    pub(crate) async fn admit_staff(&self, gates: &[Gate]) -> Result<()> {
        attempts::pass(&self.platform.db, gates, self.platform.clock.now()).await?.map_err(attempts::Closed::error)
    }

    /// Counts a try at a secret of a member of staff who is signed in.
    ///
    /// # Errors
    /// 429 `too_many_attempts` with the wait.
    pub(crate) async fn admit_colleague(&self, secret: Secret, staff: Uuid) -> Result<Vec<Gate>> {
        let rule = match secret {
            Secret::Password => &PASSWORD,
            Secret::Code => &CONFIRM,
        };
        let gates = vec![rule.gate(&staff.to_string())];
        self.admit_staff(&gates).await?;
        Ok(gates)
    }
}

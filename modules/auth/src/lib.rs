//! Authentication and accounts of customers and staff.
//!
//! Both sign in with e-mail and password, plus a code of an authenticator app if they enabled it. They get a
//! short-lived access token (a JWT) and a refresh token in a cookie that only the sign-in endpoints see. What both do with
//! their [`accounts`] is the same code; [`audience`] tells the differences. Only staff are invited and administered
//! ([`staff`]), and only customers sign up ([`customers`]). Below are [`passwords`], [`tokens`] and their signing
//! [`keys`], [`sessions`], the [`second_factor`], and the limits on [`attempts`].

mod accounts;
mod api;
mod attempts;
mod audience;
mod auth;
mod customers;
mod jobs;
mod keys;
mod passwords;
mod second_factor;
mod secrets;
mod sessions;
mod staff;
mod tokens;

use std::sync::Arc;

use agio_core::module::{Declarations, Job, Module};
use agio_core::settings::Setting;
use agio_core::texts::Dictionary;

pub use auth::Auth;
pub use customers::CustomerData;
pub use customers::admin::{CUSTOMERS_BAN, CUSTOMERS_READ};
pub use customers::api::customer_api;
pub use passwords::PasswordCost;
pub use staff::api::staff_api;
pub use staff::{ConsoleSettings, NewStaff, STAFF_MANAGE, STAFF_READ, StaffChangeApproval};

pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Requires a captcha for every sign-up and e-mail request, not only after many attempts.
const CAPTCHA_SIGN_UP: &str = "auth.captcha_sign_up";

const SETTINGS: &[Setting] = &[Setting::switch(CAPTCHA_SIGN_UP, "false")];

impl Module for Auth {
    fn declarations(&self) -> Declarations {
        Declarations {
            permissions: &[STAFF_READ, STAFF_MANAGE, CUSTOMERS_READ, CUSTOMERS_BAN],
            settings: SETTINGS,
            statements: auth::statements(),
            sealed_columns: const {
                &[
                    agio_core::sealed_column!("token_key", "id": Text, "sealed", |vault, id, sealed| vault.reseal(&keys::purpose(id), sealed)),
                    agio_core::sealed_column!("second_factor", "account_id": Uuid, "sealed", |vault, id, sealed| {
                        vault.reseal(&second_factor::purpose(id), sealed)
                    }),
                ]
            },
            retention: jobs::RETENTION,
        }
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        jobs::all(&self)
    }
}

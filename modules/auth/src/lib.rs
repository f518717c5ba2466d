//! Accounts: who is calling, and how they show it.
//!
//! Customers and staff sign in with e-mail and password, and with a code of an authenticator app where they have turned that on. They get
//! a short-lived access token (a JWT) and a refresh token in a cookie only the sign-in calls see. What both need lies side by side here:
//! [`passwords`], [`tokens`] and the [`keys`] they are made with, [`sessions`], the [`second_factor`], and the [`attempts`] that may be
//! made at guessing. What is only for one of them is in [`staff`] and [`customers`].

mod api;
mod attempts;
mod auth;
mod customers;
mod jobs;
mod keys;
mod letters;
mod passwords;
mod second_factor;
mod secrets;
mod sessions;
mod staff;
mod tokens;

use std::sync::Arc;

use agio_core::identity::Permission;
use agio_core::module::{Job, Module};
use agio_core::settings::Setting;
use agio_core::texts::Dictionary;

pub use auth::Auth;
pub use customers::api::customer_calls;
pub use customers::desk::{CUSTOMERS_BAN, CUSTOMERS_READ};
pub use staff::api::staff_calls;
pub use staff::{Console, NewStaff, STAFF_MANAGE, STAFF_READ};

/// This module's texts.
pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// The setting that asks for a captcha at sign-up and where letters are asked for, also of those who have not tried often.
const CAPTCHA_SIGN_UP: &str = "auth.captcha_sign_up";

const SETTINGS: &[Setting] = &[Setting::switch(CAPTCHA_SIGN_UP, "false")];

impl Module for Auth {
    fn name(&self) -> &'static str {
        "auth"
    }

    fn permissions(&self) -> &'static [Permission] {
        &[STAFF_READ, STAFF_MANAGE, CUSTOMERS_READ, CUSTOMERS_BAN]
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn statements(&self) -> &'static [(&'static str, &'static str)] {
        auth::statements()
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        jobs::all(&self)
    }
}

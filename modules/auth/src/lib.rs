//! Signing in: who works here, and the tokens by which the console knows them.
//!
//! Staff sign in with e-mail and password and get a short-lived access token (a JWT) and a refresh token in a cookie only
//! the sign-in calls see. Each use replaces the refresh token; a replaced one shown again ends the session, because
//! two parties hold it. Access tokens name their session, so ending a session acts at once.

mod api;
mod model;
mod service;
mod store;
mod tokens;

use std::sync::Arc;
use std::time::Duration;

use agio_core::module::{Job, Module};
use agio_core::texts::Dictionary;

pub use api::StaffSignIn;
pub use service::{Auth, NewStaff};
pub use store::STATEMENTS;

/// This module's texts.
pub const DICTIONARY: Dictionary = agio_core::dictionary!();

impl Module for Auth {
    fn name(&self) -> &'static str {
        "auth"
    }

    fn statements(&self) -> &'static [(&'static str, &'static str)] {
        STATEMENTS
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        // Sessions that other nodes opened or ended become known here.
        vec![Job::new("auth.sessions", Duration::from_secs(5), &self, |auth| {
            Box::pin(async move { auth.load().await })
        })]
    }
}

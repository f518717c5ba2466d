//! The calls customers' pages make about their account.

mod account;
pub mod bodies;
mod cookies;
mod second_factor;
mod sign_in;
mod sign_up;

use std::sync::Arc;

use poem_openapi::{OpenApi, Tags};

use crate::auth::Auth;

/// Groups of the published document.
#[derive(Tags)]
enum Tag {
    /// Signing in, staying signed in, signing out.
    #[oai(rename = "Sign-in")]
    SignIn,
    /// Making an account and getting back into it.
    #[oai(rename = "Sign-up")]
    SignUp,
    /// One's own account: password, sessions, second factor.
    Account,
}

/// The customers' calls, for the site at this address.
pub fn customer_calls(auth: &Arc<Auth>, site: &str) -> impl OpenApi + use<> {
    (
        sign_in::SignInApi::new(auth.clone(), site),
        sign_up::SignUpApi::new(auth.clone()),
        account::AccountApi::new(auth.clone()),
        second_factor::SecondFactorApi::new(auth.clone()),
    )
}

//! Account endpoints for customers.

mod account;
mod bodies;
mod data;
mod second_factor;
mod sign_in;
mod sign_up;

use poem_openapi::{OpenApi, Tags};

use crate::api::SignInContext;
use crate::audience::Audience;
use crate::customers::CustomerData;

#[derive(Tags)]
enum Tag {
    /// Sign-in, refresh and sign-out.
    #[oai(rename = "Sign-in")]
    SignIn,
    /// Sign-up, activation and password reset.
    #[oai(rename = "Sign-up")]
    SignUp,
    /// The customer's own account: password, sessions, second factor.
    Account,
}

/// The customers' account endpoints. `site` is the site's base URL.
pub fn customer_api(data: &CustomerData, site: &str) -> impl OpenApi + use<> {
    let context = SignInContext::new(&data.auth, Audience::Customers, site);
    (
        sign_in::SignInApi(context.clone()),
        sign_up::SignUpApi(context.clone()),
        account::AccountApi(context.clone()),
        second_factor::SecondFactorApi(context.clone()),
        data::CustomerDataApi { context, data: data.clone() },
    )
}

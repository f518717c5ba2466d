//! The console's calls about who works here.

mod bodies;
mod colleagues;
mod cookies;
mod customers;
mod links;
mod own;
mod second_factor;
mod sign_in;

use std::sync::Arc;

use agio_core::identity::Permission;
use agio_core::texts::Texts;
use poem_openapi::{OpenApi, Tags};

use crate::auth::Auth;

/// Groups of the published document.
#[derive(Tags)]
enum Tag {
    /// Signing in to the console.
    #[oai(rename = "Sign-in")]
    SignIn,
    /// One's own account: confirming, password, second factor, sessions.
    #[oai(rename = "My account")]
    Own,
    /// Who works here.
    Staff,
    /// Customers' accounts.
    Customers,
}

/// What the calls stand on.
#[derive(Clone)]
struct Calls {
    auth: Arc<Auth>,
    /// Those of all rooms.
    permissions: Arc<Vec<Permission>>,
    /// Of all rooms.
    texts: Arc<Texts>,
    /// The address staff know the console's host under.
    site: String,
}

/// The calls, with the permissions and the texts of all rooms.
pub fn staff_calls(auth: &Arc<Auth>, permissions: Vec<Permission>, texts: &Arc<Texts>) -> impl OpenApi + use<> {
    let site = auth.console.url.clone();
    let calls = Calls { auth: auth.clone(), permissions: Arc::new(permissions), texts: texts.clone(), site };
    (
        sign_in::StaffSignInApi(calls.clone()),
        links::StaffLinkApi(calls.clone()),
        own::StaffOwnApi(calls.clone()),
        second_factor::StaffFactorApi(calls.clone()),
        colleagues::ColleagueDesk(calls.clone()),
        customers::CustomerDesk(calls),
    )
}

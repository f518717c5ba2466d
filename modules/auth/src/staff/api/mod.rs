//! Account and staff endpoints of the console.

mod account;
mod admin;
mod bodies;
mod customers_admin;
mod links;
mod second_factor;
mod sign_in;

use std::sync::Arc;

use agio_core::identity::Permission;
use agio_core::texts::Texts;
use poem_openapi::{OpenApi, Tags};

use crate::api::SignInContext;
use crate::audience::Audience;
use crate::auth::Auth;

#[derive(Tags)]
enum Tag {
    /// Sign-in to the console.
    #[oai(rename = "Sign-in")]
    SignIn,
    /// The caller's own account: confirmation, password, second factor, sessions.
    #[oai(rename = "My account")]
    Own,
    /// Staff, roles and invitations.
    Staff,
    /// Customers' accounts.
    Customers,
}

#[derive(Clone)]
struct ApiContext {
    sign_in: SignInContext,
    /// Of all modules.
    permissions: Arc<Vec<Permission>>,
    /// Of all modules.
    texts: Arc<Texts>,
}

impl ApiContext {
    fn auth(&self) -> &Arc<Auth> {
        &self.sign_in.auth
    }
}

/// The endpoints; `permissions` and `texts` are those of all modules.
pub fn staff_api(auth: &Arc<Auth>, permissions: Vec<Permission>, texts: &Arc<Texts>) -> impl OpenApi + use<> {
    let sign_in = SignInContext::new(auth, Audience::Staff, &auth.console.url);
    let context = ApiContext { sign_in, permissions: Arc::new(permissions), texts: texts.clone() };
    (
        sign_in::StaffSignInApi(context.clone()),
        links::StaffLinkApi(context.clone()),
        account::StaffAccountApi(context.clone()),
        second_factor::StaffSecondFactorApi(context.clone()),
        admin::StaffAdminApi(context.clone()),
        customers_admin::CustomerAdminApi(context),
    )
}

//! Bodies of the console's calls about who works here.

use agio_core::identity::Role;
use agio_core::texts::Locale;
use agio_http::{Moment, Null};
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::sessions::SessionRow;
use crate::staff::sign_in::StaffSignIn;

/// What somebody signs in to the console with.
#[derive(Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct AuthCredentials {
    /// The address the account is under.
    email: String,
    /// The password.
    password: String,
    /// A code of the authenticator app or a recovery code, where the account needs one.
    otp: Option<String>,
}

impl Example for AuthCredentials {
    fn example() -> Self {
        Self { email: "operator@agio.example".into(), password: "correct horse battery".into(), otp: None }
    }
}

impl From<AuthCredentials> for StaffSignIn {
    fn from(given: AuthCredentials) -> Self {
        Self { email: given.email, password: given.password, otp: given.otp }
    }
}

/// A member of staff and what they may do.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct AuthStaff {
    /// Identifier.
    pub id: Uuid,
    /// E-mail address.
    pub email: String,
    /// The name colleagues see.
    pub name: String,
    /// The role.
    pub role: String,
    /// Names of what they may do now; none while a second factor has to be set up first.
    pub permissions: Vec<String>,
    /// The language of their letters: `ru` or `en`.
    pub language: String,
    /// Whether signing in needs a code of an authenticator app.
    pub second_factor: bool,
    /// Whether the installation asks everybody for one.
    pub second_factor_required: bool,
    /// Whether one has to be set up before anything else.
    pub setup_needed: bool,
    /// How many recovery codes are left.
    pub recovery_codes: i64,
    /// Until when what asks for a fresh second factor may be done in this session.
    pub fresh_until: Null<Moment>,
}

/// An access token and whose it is.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct AuthSession {
    /// Send it as `Authorization: Bearer`.
    pub access_token: String,
    /// Seconds until it ends; refresh before.
    pub expires_in: u64,
    /// Who signed in.
    pub user: AuthStaff,
}

/// The secret of a mailed link.
#[derive(Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthLink {
    /// What follows `#token=` in the link.
    pub token: String,
}

/// Whom an invitation is for.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct AuthInvited {
    /// The address the account will be under.
    pub email: String,
    /// The role it will have.
    pub role: String,
    /// Until when the link is good.
    pub expires_at: Moment,
}

/// An invitation that is taken.
#[derive(Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthJoin {
    /// What follows `#token=` in the link.
    pub token: String,
    /// The name colleagues will see.
    pub name: String,
    /// 15 to 128 characters, not a common password and not built of the address or the site's name.
    pub password: String,
}

/// A new password by a mailed link.
#[derive(Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthStaffRestore {
    /// What follows `#token=` in the link.
    pub token: String,
    /// 15 to 128 characters, not a common password and not built of the address or the site's name.
    pub password: String,
}

/// What a session is confirmed by.
#[derive(Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthConfirmation {
    /// A code of the authenticator app or a recovery code.
    pub code: Option<String>,
    /// The password, for an account without a second factor.
    pub password: Option<String>,
}

/// That a session was confirmed.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct AuthConfirmed {
    /// Until when what asks for a fresh second factor may be done.
    pub fresh_until: Moment,
}

/// What a second factor is begun with.
#[derive(Default, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthBegin {
    /// The present password; not needed while nothing else may be done.
    pub password: Option<String>,
}

/// A sign-in of a colleague that holds.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct AuthStaffSession {
    /// Identifier.
    id: Uuid,
    /// Whether it is the one this call is made in.
    current: bool,
    /// When somebody signed in.
    created_at: Moment,
    /// When it was last refreshed: that is every ten minutes while the console is open.
    last_used_at: Moment,
    /// The address the sign-in came from.
    address: String,
    /// What the browser calls itself.
    agent: String,
}

impl AuthStaffSession {
    /// A session in the list of the one with this identifier.
    pub fn of(session: SessionRow, current: Uuid) -> Self {
        Self {
            id: session.id,
            current: session.id == current,
            created_at: session.created_at.into(),
            last_used_at: session.refreshed_at.into(),
            address: session.address,
            agent: session.agent,
        }
    }
}

/// The roles.
#[derive(Clone, Copy, Deserialize, Enum, Serialize)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
pub enum AuthRole {
    /// Everything, staff and roles included.
    Owner,
    /// Works the claims.
    Operator,
    /// Moves reserves and pays out.
    Cashier,
    /// Keeps texts, rates and settings.
    Editor,
    /// Reads everything and changes nothing.
    Auditor,
}

impl From<AuthRole> for Role {
    fn from(role: AuthRole) -> Self {
        match role {
            AuthRole::Owner => Self::Owner,
            AuthRole::Operator => Self::Operator,
            AuthRole::Cashier => Self::Cashier,
            AuthRole::Editor => Self::Editor,
            AuthRole::Auditor => Self::Auditor,
        }
    }
}

/// The languages of letters.
#[derive(Clone, Copy, Deserialize, Enum, Serialize)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
pub enum AuthLanguage {
    /// Russian.
    Ru,
    /// English.
    En,
}

impl From<AuthLanguage> for Locale {
    fn from(language: AuthLanguage) -> Self {
        match language {
            AuthLanguage::Ru => Self::Ru,
            AuthLanguage::En => Self::En,
        }
    }
}

/// Another role.
#[derive(Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthRoleChange {
    /// The role from now on.
    pub role: AuthRole,
}

/// Who is invited.
#[derive(Deserialize, Object, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthInvite {
    /// The address the letter goes to and the account will be under.
    pub email: String,
    /// The role the account will have.
    pub role: AuthRole,
    /// The language of the letter.
    pub language: AuthLanguage,
}

/// An invitation nobody took yet.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct AuthInvitation {
    /// Identifier.
    pub id: Uuid,
    /// The address the letter went to.
    pub email: String,
    /// The role the account will have.
    pub role: String,
    /// The language of the letter.
    pub language: String,
    /// Who invited; null for the command line.
    pub invited_by: Null<String>,
    /// When.
    pub created_at: Moment,
    /// Until when the link is good.
    pub expires_at: Moment,
    /// Whether it is too old.
    pub expired: bool,
}

/// Somebody who works or worked here.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct AuthColleague {
    /// Identifier.
    pub id: Uuid,
    /// E-mail address.
    pub email: String,
    /// The name colleagues see.
    pub name: String,
    /// The role.
    pub role: String,
    /// The language of their letters: `ru` or `en`.
    pub language: String,
    /// Whether they are shut out.
    pub disabled: bool,
    /// Whether signing in needs a code of an authenticator app.
    pub second_factor: bool,
    /// Since when they work here.
    pub created_at: Moment,
    /// When they were last here; null if never, or long ago.
    pub seen_at: Null<Moment>,
    /// Whether it is the caller.
    pub own: bool,
}

/// Who works here.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct AuthColleagues {
    /// Everybody, those who are shut out last.
    pub items: Vec<AuthColleague>,
    /// Invitations nobody took yet, the newest first.
    pub invitations: Vec<AuthInvitation>,
}

/// Something staff may be allowed to do.
#[derive(Serialize, Object)]
pub struct AuthPermission {
    /// Its name, as calls name it when they refuse.
    pub name: String,
    /// The same in words.
    pub title: String,
}

/// A role and what it may do.
#[derive(Serialize, Object)]
pub struct AuthRoleView {
    /// Its name.
    pub name: String,
    /// The same in words.
    pub title: String,
    /// What it is for, in a sentence.
    pub about: String,
    /// What it may do.
    pub permissions: Vec<AuthPermission>,
}

//! Bodies of the customers' calls.

use agio_core::error::Params;
use agio_core::texts::{Locale, Texts};
use agio_http::{Dec, Moment};
use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::customers::sign_in::SignIn;
use crate::customers::sign_up::SignUp;
use crate::customers::{CustomerSignedIn, Profile};
use crate::sessions::SessionRow;
use crate::tokens::ACCESS_LIFE;

/// What a customer signs in with.
#[derive(Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct AuthLogin {
    /// The address the account is under.
    email: String,
    /// The password.
    password: String,
    /// The answer to a captcha, where one is asked for.
    recaptcha: Option<String>,
    /// A code of the authenticator app or a recovery code, where the account needs one.
    otp: Option<String>,
}

impl Example for AuthLogin {
    fn example() -> Self {
        Self { email: "ivan@example.com".into(), password: "correct horse battery".into(), recaptcha: None, otp: None }
    }
}

impl From<AuthLogin> for SignIn {
    fn from(login: AuthLogin) -> Self {
        Self { email: login.email, password: login.password, captcha: login.recaptcha, otp: login.otp }
    }
}

/// What somebody signs up with.
#[derive(Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct AuthSignUp {
    /// The e-mail address of the account.
    email: String,
    /// 10 to 128 characters, not a common password and not built of the address or the site's name.
    password: String,
    /// The answer to a captcha, where one is asked for.
    recaptcha: Option<String>,
    /// The referrer's code.
    refferal: Option<String>,
}

impl Example for AuthSignUp {
    fn example() -> Self {
        Self { email: "ivan@example.com".into(), password: "correct horse battery".into(), recaptcha: None, refferal: None }
    }
}

impl From<AuthSignUp> for SignUp {
    fn from(new: AuthSignUp) -> Self {
        Self { email: new.email, password: new.password, captcha: new.recaptcha, referral: new.refferal }
    }
}

/// Whose password is to be restored.
#[derive(Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthRestore {
    /// The address of the account.
    pub email: String,
    /// The answer to a captcha, where one is asked for.
    pub recaptcha: Option<String>,
}

/// The new password.
#[derive(Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthNewPassword {
    /// 10 to 128 characters, not a common password and not built of the address or the site's name.
    pub password: String,
}

/// Whose activation link is to be sent once more.
#[derive(Default, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthReactivate {
    /// The address of the account; that of the caller where it is left out.
    pub email: Option<String>,
    /// The answer to a captcha, where one is asked for.
    pub recaptcha: Option<String>,
}

/// Nothing.
#[derive(Default, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields)]
pub struct AuthNothing {}

/// The present password and the one to come.
#[derive(Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthPasswordChange {
    /// The present password.
    pub old_password: String,
    /// 10 to 128 characters, not a common password and not built of the address or the site's name.
    pub new_password: String,
}

/// The password, once more.
#[derive(Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthPassword {
    /// The present password.
    pub password: String,
}

/// The first code of an authenticator app.
#[derive(Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthCode {
    /// Six digits.
    pub code: String,
}

/// Both factors, once more.
#[derive(Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthBothFactors {
    /// The present password.
    pub password: String,
    /// A code of the authenticator app, or a recovery code.
    pub code: String,
}

/// A customer's account.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct AuthCustomer {
    /// Identifier.
    id: Uuid,
    /// E-mail address.
    email: String,
    /// Whether the address was shown to be theirs.
    activated: bool,
    /// The language of their letters: `ru` or `en`.
    language: String,
    /// When they signed up.
    created_at: Moment,
    /// Percent of bonus in their rates.
    bonus: Dec,
    /// Whether signing in needs a code of an authenticator app.
    totp: bool,
    /// How many recovery codes are left.
    recovery_codes: i64,
}

impl From<Profile> for AuthCustomer {
    fn from(profile: Profile) -> Self {
        let Profile { customer, second_factor, recovery_codes, bonus } = profile;
        Self {
            id: customer.id,
            language: customer.locale().to_string(),
            activated: customer.activated_at.is_some(),
            created_at: customer.created_at.into(),
            email: customer.email,
            bonus: Dec(bonus),
            totp: second_factor,
            recovery_codes,
        }
    }
}

/// An access token and whose it is.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct AuthCustomerSession {
    /// Send it as `Authorization: Bearer`.
    access_token: String,
    /// Seconds until it ends; refresh before.
    expires_in: u64,
    /// Who signed in.
    user: AuthCustomer,
}

impl From<CustomerSignedIn> for AuthCustomerSession {
    fn from(signed_in: CustomerSignedIn) -> Self {
        Self { access_token: signed_in.tokens.access, expires_in: ACCESS_LIFE.as_secs(), user: signed_in.profile.into() }
    }
}

/// A sign-in that holds.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct AuthSignedIn {
    /// Identifier.
    id: Uuid,
    /// Whether it is the one this call is made in.
    current: bool,
    /// When somebody signed in.
    created_at: Moment,
    /// When it was last refreshed: that is every ten minutes while a page is open.
    last_used_at: Moment,
    /// The address the sign-in came from.
    address: String,
    /// What the browser calls itself.
    agent: String,
}

impl AuthSignedIn {
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

/// Something to tell the customer.
#[derive(Serialize, Object)]
pub struct AuthNotification {
    /// The title.
    title: String,
    /// The text.
    message: String,
}

/// Done, and something to tell the customer.
#[derive(Serialize, Object)]
pub struct AuthNotice {
    /// What to tell.
    notification: AuthNotification,
}

impl AuthNotice {
    /// The notification whose message is the text `notification.WHAT`.
    pub fn of(texts: &Texts, what: &str, locale: Locale) -> Self {
        let text = |key: &str| texts.get(locale, key, &Params::new());
        Self {
            notification: AuthNotification { title: text("notification.title"), message: text(&format!("notification.{what}")) },
        }
    }
}

/// What an authenticator app is told.
#[derive(Serialize, Object)]
pub struct AuthTotpSecret {
    /// The secret in base32, for typing.
    pub secret: String,
    /// The same as an `otpauth` address, for a QR code.
    pub url: String,
}

/// Recovery codes, shown this once.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct AuthRecoveryCodes {
    /// Each signs in once in place of the app's code.
    pub recovery_codes: Vec<String>,
}

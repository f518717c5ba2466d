//! Request and response bodies of the customers' account endpoints.

use agio_contracts::ReauthenticationRequest;
use agio_core::error::Params;
use agio_core::texts::{Locale, Texts};
use agio_http::{ApiEnum, DateTime, Dec, body};
use poem_openapi::types::{Any, Example};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::accounts::Credentials;
use crate::customers::account::CustomerProfile;
use crate::customers::sign_up::SignUp;

/// Credentials of a customer.
#[body(request, example)]
pub struct SignInRequest {
    /// E-mail address of the account.
    email: String,
    /// The password.
    password: String,
    /// Captcha solution, if one is required.
    recaptcha: Option<String>,
    /// Code of the authenticator app or a recovery code, if the account needs one.
    otp: Option<String>,
    /// The IANA name of the customer's time zone, such as `Europe/Moscow`. E-mails about the account give times in it.
    pub time_zone: Option<String>,
}

impl Example for SignInRequest {
    fn example() -> Self {
        Self {
            email: "ivan@example.com".into(),
            password: "correct horse battery".into(),
            recaptcha: None,
            otp: None,
            time_zone: None,
        }
    }
}

impl From<SignInRequest> for Credentials {
    fn from(request: SignInRequest) -> Self {
        Self { email: request.email, password: request.password, captcha: request.recaptcha, otp: request.otp }
    }
}

/// A new account.
#[body(request, example)]
pub struct SignUpRequest {
    /// E-mail address of the account.
    email: String,
    /// 10 to 128 characters; not a common password and not derived from the address or the site's name.
    password: String,
    /// Captcha solution, if one is required.
    recaptcha: Option<String>,
    /// Referral code.
    refferal: Option<String>,
}

impl Example for SignUpRequest {
    fn example() -> Self {
        Self { email: "ivan@example.com".into(), password: "correct horse battery".into(), recaptcha: None, refferal: None }
    }
}

impl From<SignUpRequest> for SignUp {
    fn from(new: SignUpRequest) -> Self {
        Self { email: new.email, password: new.password, captcha: new.recaptcha, referral: new.refferal }
    }
}

/// A request for a password reset link.
#[body(request)]
pub struct PasswordResetRequest {
    /// E-mail address of the account.
    pub email: String,
    /// Captcha solution, if one is required.
    pub recaptcha: Option<String>,
}

/// A new password.
#[body(request)]
pub struct NewPasswordRequest {
    /// 10 to 128 characters; not a common password and not derived from the address or the site's name.
    pub password: String,
}

/// A request for another activation link.
#[body(request)]
#[derive(Default)]
pub struct ResendActivationRequest {
    /// E-mail address of the account; defaults to that of the signed-in customer.
    pub email: Option<String>,
    /// Captcha solution, if one is required.
    pub recaptcha: Option<String>,
}

/// An empty body.
#[body(request)]
#[derive(Default)]
pub struct EmptyRequest {}

/// Password and code as confirmation.
#[body(request)]
pub struct PasswordAndCodeRequest {
    /// The current password.
    pub password: String,
    /// Code of the authenticator app or a recovery code.
    pub code: String,
}

/// The password, and a code if the account has a second factor, as confirmation.
#[body(request)]
pub struct AccountConfirmationRequest {
    /// The current password.
    password: String,
    /// Code of the authenticator app or a recovery code, if the account needs one.
    code: Option<String>,
}

impl From<AccountConfirmationRequest> for ReauthenticationRequest {
    fn from(request: AccountConfirmationRequest) -> Self {
        Self { password: request.password, code: request.code }
    }
}

/// A new e-mail address.
#[body(request)]
pub struct ChangeEmailRequest {
    /// The new address.
    pub email: String,
    /// The current password.
    pub password: String,
    /// Code of the authenticator app or a recovery code, if the account needs one.
    pub code: Option<String>,
}

/// Everything that is kept about a customer.
#[body(response)]
pub struct CustomerDataExport {
    /// Parts by name: `account`, `sessions`, `claims` and others. Parts and fields may be added.
    pub data: Any<Map<String, Value>>,
}

/// A customer's account.
#[body(response)]
pub struct CustomerProfileView {
    id: Uuid,
    /// E-mail address.
    email: String,
    /// Whether the e-mail address is confirmed.
    activated: bool,
    /// Language of e-mails to the customer.
    language: ApiEnum<Locale>,
    /// Time of the sign-up.
    created_at: DateTime,
    /// Bonus in the customer's rates, percent.
    bonus: Dec,
    /// Whether signing in needs a code of an authenticator app.
    totp: bool,
    /// Number of unused recovery codes.
    recovery_codes: i64,
}

impl From<CustomerProfile> for CustomerProfileView {
    fn from(profile: CustomerProfile) -> Self {
        let CustomerProfile { account, second_factor, bonus } = profile;
        Self {
            id: account.id,
            activated: account.is_activated(),
            language: account.locale.into(),
            created_at: account.created_at.into(),
            email: account.email,
            bonus: Dec(bonus),
            totp: second_factor.enabled,
            recovery_codes: second_factor.recovery_codes,
        }
    }
}

/// An access token and its customer.
#[body(response)]
pub struct SignInResponse {
    /// Send it as `Authorization: Bearer`.
    pub access_token: String,
    /// Seconds until the token expires; refresh before that.
    pub expires_in: u64,
    /// The signed-in customer.
    pub user: CustomerProfileView,
}

/// A message to show to the customer.
#[body(response)]
pub struct NotificationText {
    title: String,
    message: String,
}

/// Success, with a message for the customer.
#[body(response)]
pub struct NotificationResponse {
    notification: NotificationText,
}

impl NotificationResponse {
    /// `what` is the key below `notification.` in the dictionary.
    pub fn of(texts: &Texts, what: &str, locale: Locale) -> Self {
        let text = |key: &str| texts.get(locale, key, &Params::new());
        Self {
            notification: NotificationText { title: text("notification.title"), message: text(&format!("notification.{what}")) },
        }
    }
}

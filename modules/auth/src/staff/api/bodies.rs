//! Request and response bodies of the staff endpoints.

use agio_core::identity::Role;
use agio_core::texts::Locale;
use agio_http::{ApiEnum, DateTime, Nullable, body};
use poem_openapi::types::Example;
use uuid::Uuid;

use crate::accounts::Credentials;

/// Credentials of a staff member.
#[body(request, example)]
pub struct StaffSignInRequest {
    /// E-mail address of the account.
    email: String,
    /// The password.
    password: String,
    /// Code of the authenticator app or a recovery code, if the account needs one.
    otp: Option<String>,
}

impl Example for StaffSignInRequest {
    fn example() -> Self {
        Self { email: "operator@agio.example".into(), password: "correct horse battery".into(), otp: None }
    }
}

impl From<StaffSignInRequest> for Credentials {
    fn from(request: StaffSignInRequest) -> Self {
        Self { email: request.email, password: request.password, captcha: None, otp: request.otp }
    }
}

/// A staff member with their permissions.
#[body(response)]
pub struct StaffProfileView {
    pub id: Uuid,
    /// E-mail address.
    pub email: String,
    /// Display name.
    pub name: String,
    pub role: ApiEnum<Role>,
    /// Names of the current permissions; empty until a required second factor is set up.
    pub permissions: Vec<String>,
    /// Language of e-mails.
    pub language: ApiEnum<Locale>,
    /// Whether signing in needs a code of an authenticator app.
    pub second_factor: bool,
    /// Whether the installation requires a second factor.
    pub second_factor_required: bool,
    /// Whether it has to be set up before anything else.
    pub setup_needed: bool,
    /// Number of unused recovery codes.
    pub recovery_codes: i64,
    /// Until when the second factor counts as fresh in this session.
    pub fresh_until: Nullable<DateTime>,
}

/// An access token and its staff member.
#[body(response)]
pub struct StaffSignInResponse {
    /// Send it as `Authorization: Bearer`.
    pub access_token: String,
    /// Seconds until the token expires; refresh before that.
    pub expires_in: u64,
    /// The signed-in staff member.
    pub user: StaffProfileView,
}

/// The token of an invitation link.
#[body(request)]
pub struct InvitationTokenRequest {
    /// The part after `#token=` in the link.
    pub token: String,
}

/// A pending invitation.
#[body(response)]
pub struct InvitationSummary {
    /// E-mail address of the future account.
    pub email: String,
    /// Role of the future account.
    pub role: ApiEnum<Role>,
    /// When the link expires.
    pub expires_at: DateTime,
}

/// Acceptance of an invitation.
#[body(request)]
pub struct AcceptInvitationRequest {
    /// The part after `#token=` in the link.
    pub token: String,
    /// Display name.
    pub name: String,
    /// 15 to 128 characters; not a common password and not derived from the address or the site's name.
    pub password: String,
}

/// A password reset by an e-mailed link.
#[body(request)]
pub struct ResetStaffPasswordRequest {
    /// The part after `#token=` in the link.
    pub token: String,
    /// 15 to 128 characters; not a common password and not derived from the address or the site's name.
    pub password: String,
}

/// Confirmation of a session.
#[body(request)]
pub struct ConfirmSessionRequest {
    /// Code of the authenticator app or a recovery code.
    pub code: Option<String>,
    /// The password, for an account without a second factor.
    pub password: Option<String>,
}

/// A confirmed session.
#[body(response)]
pub struct SessionConfirmationView {
    /// Until when the second factor counts as fresh.
    pub fresh_until: DateTime,
}

/// Start of the second factor setup.
#[body(request)]
#[derive(Default)]
pub struct BeginTotpRequest {
    /// The current password; not needed while the setup is required.
    pub password: Option<String>,
}

/// A role change.
#[body(request)]
pub struct UpdateRoleRequest {
    pub role: ApiEnum<Role>,
}

/// A new invitation.
#[body(shared)]
pub struct InviteStaffRequest {
    /// E-mail address of the invitation and the account.
    pub email: String,
    /// Role of the account.
    pub role: ApiEnum<Role>,
    /// Language of the e-mail.
    pub language: ApiEnum<Locale>,
}

/// A pending invitation.
#[body(response)]
pub struct InvitationView {
    pub id: Uuid,
    /// E-mail address of the invitation.
    pub email: String,
    /// Role of the account.
    pub role: ApiEnum<Role>,
    /// Language of the e-mail.
    pub language: ApiEnum<Locale>,
    /// Name of the inviting staff member; null for the command line.
    pub invited_by: Nullable<String>,
    pub created_at: DateTime,
    /// When the link expires.
    pub expires_at: DateTime,
    pub expired: bool,
}

/// A current or former staff member.
#[body(response)]
pub struct StaffSummary {
    pub id: Uuid,
    /// E-mail address.
    pub email: String,
    /// Display name.
    pub name: String,
    pub role: ApiEnum<Role>,
    /// Language of e-mails.
    pub language: ApiEnum<Locale>,
    /// Whether the account is disabled.
    pub disabled: bool,
    /// Whether signing in needs a code of an authenticator app.
    pub second_factor: bool,
    pub created_at: DateTime,
    /// Last activity; null if never or long ago.
    pub seen_at: Nullable<DateTime>,
    /// Whether this is the caller.
    pub own: bool,
}

/// Staff and pending invitations.
#[body(response)]
pub struct StaffList {
    /// All staff, disabled accounts last.
    pub items: Vec<StaffSummary>,
    /// Pending invitations, newest first.
    pub invitations: Vec<InvitationView>,
}

/// A permission.
#[body(response)]
pub struct PermissionView {
    /// Name as used in error responses.
    pub name: String,
    /// Display name.
    pub title: String,
}

/// A role with its permissions.
#[body(response)]
pub struct RoleDetails {
    pub name: ApiEnum<Role>,
    /// Display name.
    pub title: String,
    /// What the role is for, in one sentence.
    pub about: String,
    pub permissions: Vec<PermissionView>,
}

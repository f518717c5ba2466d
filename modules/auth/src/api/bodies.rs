//! Bodies of the account endpoints of customers and staff.

use agio_http::{DateTime, body};
use uuid::Uuid;

use crate::second_factor::TotpSecret;
use crate::sessions::SessionRow;

/// A password change.
#[body(request)]
pub struct ChangePasswordRequest {
    /// The current password.
    pub old_password: String,
    /// 10 to 128 characters; not a common password and not derived from the address or the site's name.
    pub new_password: String,
}

/// The current password as confirmation.
#[body(request)]
pub struct PasswordConfirmationRequest {
    /// The current password.
    pub password: String,
}

/// A code of an authenticator app.
#[body(request)]
pub struct TotpCodeRequest {
    /// Six digits.
    pub code: String,
}

/// An active session.
#[body(response)]
pub struct SessionView {
    id: Uuid,
    /// Whether it is the session of this request.
    current: bool,
    /// Time of the sign-in.
    created_at: DateTime,
    /// Last refresh; every ten minutes while a page is open.
    last_used_at: DateTime,
    /// IP address of the sign-in.
    address: String,
    /// The browser's user agent.
    agent: String,
}

impl SessionView {
    /// `current` is the session of the request.
    pub fn list(sessions: Vec<SessionRow>, current: Uuid) -> Vec<Self> {
        let show = |session: SessionRow| Self {
            id: session.id,
            current: session.id == current,
            created_at: session.created_at.into(),
            last_used_at: session.refreshed_at.into(),
            address: session.address,
            agent: session.agent,
        };
        sessions.into_iter().map(show).collect()
    }
}

/// Secret for an authenticator app.
#[body(response)]
pub struct TotpSecretView {
    /// The secret in base32, for manual entry.
    pub secret: String,
    /// The same as an `otpauth` URL, for a QR code.
    pub url: String,
}

impl From<TotpSecret> for TotpSecretView {
    fn from(TotpSecret { secret, url }: TotpSecret) -> Self {
        Self { secret, url }
    }
}

/// Recovery codes, shown only once.
#[body(response)]
pub struct RecoveryCodesView {
    /// Each replaces a code of the app once.
    pub recovery_codes: Vec<String>,
}

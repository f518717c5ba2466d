//! Staff as other modules need to know them.

use agio_core::BoxFuture;
use agio_core::error::Result;
use agio_core::identity::{Staff, StaffSession};
use agio_core::texts::Locale;
use uuid::Uuid;

/// Authenticates staff. The database is read only where memory alone would refuse them.
pub trait StaffTokens: Send + Sync {
    /// The holder of an access token.
    ///
    /// # Errors
    /// 401 `token_not_valid`; 403 `second_factor_setup_needed` for staff who have to set up a second factor first.
    fn staff<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<StaffSession>>;

    /// The same, also for staff who have to set up a second factor: for the calls by which they do.
    ///
    /// # Errors
    /// 401 `token_not_valid`.
    fn staff_in_setup<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<StaffSession>>;
}

/// Finds staff by their ids.
pub trait StaffLookup: Send + Sync {
    /// The name shown to other staff; `None` for an unknown id.
    fn name(&self, id: Uuid) -> BoxFuture<'_, Result<Option<String>>>;
}

/// Lists the e-mail addresses of staff.
pub trait StaffEmails: Send + Sync {
    /// The staff members who can sign in.
    fn addresses(&self) -> BoxFuture<'_, Result<Vec<StaffEmail>>>;
}

/// A staff member and their e-mail address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaffEmail {
    pub staff: Staff,
    pub email: String,
    /// The language of their e-mails.
    pub locale: Locale,
}

//! SQL of customers.

use agio_core::error::Constraint;
use agio_core::texts::Locale;
use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional};
use uuid::Uuid;

use crate::accounts::AccountRecord;
use crate::sessions::SessionRow;

agio_core::statements! {
    INSERT_CUSTOMER = "INSERT INTO customer (id, email, password_hash, locale, referral, created_at) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (email) DO NOTHING";
    ACTIVATE_CUSTOMER = "UPDATE customer SET activated_at = $2 WHERE id = $1 AND activated_at IS NULL RETURNING referral";
    IS_ACTIVATED = "SELECT COUNT(*) FROM customer WHERE id = $1 AND activated_at IS NOT NULL";
    /// Frees the address; the old account can no longer sign in.
    ABANDON_CUSTOMER = "UPDATE customer SET email = $2, banned_at = COALESCE(banned_at, $3) WHERE id = $1 AND activated_at IS NULL";
    /// An account for the owner of the address, with nothing of another account but its language and its ban, which has
    /// a reason.
    REPLACE_CUSTOMER = "INSERT INTO customer (id, email, password_hash, locale, activated_at, banned_at, ban_reason, created_at)
        SELECT $2, $3, $4, locale, $5, CASE WHEN ban_reason IS NOT NULL THEN banned_at END, ban_reason, $5 FROM customer WHERE id = $1";
    SET_CUSTOMER_EMAIL = "UPDATE customer SET email = $2 WHERE id = $1";
    /// Keeps the row for its sessions, which other nodes know, with nothing of the customer.
    ERASE_CUSTOMER = "UPDATE customer SET email = $2, password_hash = $3, referral = NULL, time_zone = NULL, activated_at = NULL, banned_at = $4 WHERE id = $1";
    ERASE_SESSIONS = "UPDATE account_session SET address = '', agent = '' WHERE customer_id = $1";
    DELETE_DEVICES_OF = "DELETE FROM known_device WHERE account_id = $1";
    DELETE_EVERY_LINK_OF = "DELETE FROM account_link WHERE account_id = $1";
    DELETE_REQUESTS_OF = "DELETE FROM customer_request WHERE email = $1";
    EVERY_SESSION_OF = "SELECT id, generation, address, agent, created_at, refreshed_at, expires_at, ended_at FROM account_session
        WHERE customer_id = $1 ORDER BY created_at DESC, id";
    EMAILS_OF = "SELECT kind, created_at, settled_at FROM outbox WHERE channel = 'mail' AND recipient = $1 ORDER BY id DESC";

    BAN_CUSTOMER = "UPDATE customer SET banned_at = $2, ban_reason = $3 WHERE id = $1 AND banned_at IS NULL";
    UNBAN_CUSTOMER = "UPDATE customer SET banned_at = NULL, ban_reason = NULL WHERE id = $1 AND banned_at IS NOT NULL";

    INSERT_REQUEST = "INSERT INTO customer_request (id, kind, email, address, created_at, password_hash, locale, referral)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    DUE_REQUESTS = "SELECT id, email, tries FROM customer_request WHERE given_up_at IS NULL AND next_at <= $1 ORDER BY created_at, id LIMIT 100";
    TAKE_REQUEST = "DELETE FROM customer_request WHERE id = $1 AND tries = $2 AND given_up_at IS NULL
        RETURNING id, kind, email, address, created_at, password_hash, locale, referral";
    POSTPONE_REQUEST = "UPDATE customer_request SET tries = tries + 1, next_at = $3 WHERE id = $1 AND tries = $2 AND given_up_at IS NULL";
    /// Drops the password hash, which is not needed any more.
    FAIL_REQUEST = "UPDATE customer_request SET tries = tries + 1, given_up_at = $3, password_hash = CASE kind WHEN 'sign_up' THEN '' END
        WHERE id = $1 AND tries = $2 AND given_up_at IS NULL";
    FAILED_REQUESTS = "SELECT COUNT(*) FROM customer_request WHERE given_up_at > $1";
}

agio_core::named! {
    AccountRequestKind {
        /// An e-mail with an activation link.
        Activation = "activation",
        /// An e-mail with a password reset link.
        PasswordReset = "password_reset",
        /// A new account.
        SignUp = "sign_up",
    }
}

/// An unauthenticated request for an e-mail address.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct AccountRequest {
    pub id: Uuid,
    pub kind: AccountRequestKind,
    pub email: String,
    /// IP address of the client.
    pub address: String,
    pub created_at: Timestamp,
    /// The rest is of sign-ups only.
    pub password_hash: Option<String>,
    pub locale: Option<Locale>,
    pub referral: Option<String>,
}

/// A request to process. Contains only what is needed to try it, so that a malformed request does not block others.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct DueAccountRequest {
    pub id: Uuid,
    pub email: String,
    /// Number of attempts so far.
    pub tries: i64,
}

/// Creates the account of a sign-up; false if the address already has one.
pub async fn insert(tx: &mut Tx, id: Uuid, request: &AccountRequest) -> Result<bool> {
    let AccountRequest { email, password_hash, locale, referral, created_at, .. } = request;
    Ok(execute!(tx, INSERT_CUSTOMER, id, email, password_hash, *locale, referral, *created_at)? == 1)
}

/// Activates an account and returns its referral code; `None` if it was active.
pub async fn activate(tx: &mut Tx, id: Uuid, now: Timestamp) -> Result<Option<Option<String>>> {
    Ok(fetch_optional!(tx, (Option<String>,), ACTIVATE_CUSTOMER, id, now)?.map(|(referral,)| referral))
}

pub async fn is_activated(tx: &mut Tx, id: Uuid) -> Result<bool> {
    Ok(fetch_one!(tx, (i64,), IS_ACTIVATED, id)?.0 == 1)
}

/// Frees the address of an account that was never activated. Its data stays with it, and nobody can access it.
pub async fn abandon(tx: &mut Tx, id: Uuid, now: Timestamp) -> Result<()> {
    // .invalid never resolves.
    execute!(tx, ABANDON_CUSTOMER, id, format!("{id}@abandoned.invalid"), now).map(drop)
}

/// An account for the owner of the address of an abandoned one.
pub async fn insert_replacement(tx: &mut Tx, old: &AccountRecord, id: Uuid, hash: &str, now: Timestamp) -> Result<()> {
    execute!(tx, REPLACE_CUSTOMER, old.id, id, &old.email, hash, now).map(drop)
}

/// # Errors
/// 409 `email_taken` if another account got the address meanwhile.
pub async fn set_email(tx: &mut Tx, id: Uuid, email: &str) -> Result<()> {
    execute!(tx, SET_CUSTOMER_EMAIL, id, email).map(drop).map_err(|refused| match refused.constraint() {
        Some(Constraint::Unique) => email_taken(),
        _ => refused,
    })
}

pub fn email_taken() -> Error {
    Error::conflict("email_taken")
}

/// Erases an account. `placeholder` replaces its address, and nobody knows a password of `hash`.
pub async fn erase(tx: &mut Tx, account: &AccountRecord, placeholder: &str, hash: &str, now: Timestamp) -> Result<()> {
    execute!(tx, ERASE_CUSTOMER, account.id, placeholder, hash, now)?;
    execute!(tx, ERASE_SESSIONS, account.id)?;
    execute!(tx, DELETE_DEVICES_OF, account.id)?;
    execute!(tx, DELETE_EVERY_LINK_OF, account.id)?;
    execute!(tx, DELETE_REQUESTS_OF, &account.email).map(drop)
}

/// Also those that have ended, newest first.
pub async fn every_session(tx: &mut Tx, id: Uuid) -> Result<Vec<SessionRow>> {
    fetch_all!(tx, SessionRow, EVERY_SESSION_OF, id)
}

/// An e-mail sent lately.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct SentEmailRow {
    pub kind: String,
    pub created_at: Timestamp,
    /// When the mail server took it.
    pub settled_at: Option<Timestamp>,
}

/// E-mails to an address, newest first.
pub async fn emails_to(tx: &mut Tx, email: &str) -> Result<Vec<SentEmailRow>> {
    fetch_all!(tx, SentEmailRow, EMAILS_OF, email)
}

/// False if it is banned or missing.
pub async fn ban(tx: &mut Tx, id: Uuid, reason: &str, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, BAN_CUSTOMER, id, now, reason)? == 1)
}

/// False if it is not banned or missing.
pub async fn unban(tx: &mut Tx, id: Uuid) -> Result<bool> {
    Ok(execute!(tx, UNBAN_CUSTOMER, id)? == 1)
}

pub async fn insert_request(tx: &mut Tx, request: &AccountRequest) -> Result<()> {
    let AccountRequest { id, kind, email, address, created_at, password_hash, locale, referral } = request;
    execute!(tx, INSERT_REQUEST, *id, *kind, email, address, *created_at, password_hash, *locale, referral).map(drop)
}

/// Due requests in order.
pub async fn due_requests(tx: &mut Tx, now: Timestamp) -> Result<Vec<DueAccountRequest>> {
    fetch_all!(tx, DueAccountRequest, DUE_REQUESTS, now)
}

/// Removes a request to process it; `None` if another node was first.
pub async fn take_request(tx: &mut Tx, due: &DueAccountRequest) -> Result<Option<AccountRequest>> {
    fetch_optional!(tx, AccountRequest, TAKE_REQUEST, due.id, due.tries)
}

/// Schedules the next attempt, unless another node was first.
pub async fn postpone_request(tx: &mut Tx, due: &DueAccountRequest, next_at: Timestamp) -> Result<()> {
    execute!(tx, POSTPONE_REQUEST, due.id, due.tries, next_at).map(drop)
}

/// Gives a request up, unless another node was first.
pub async fn fail_request(tx: &mut Tx, due: &DueAccountRequest, now: Timestamp) -> Result<()> {
    execute!(tx, FAIL_REQUEST, due.id, due.tries, now).map(drop)
}

pub async fn failed_requests(tx: &mut Tx, since: Timestamp) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), FAILED_REQUESTS, since)?.0)
}

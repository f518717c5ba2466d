//! SQL of accounts, e-mailed links and known devices.

use agio_core::identity::{Role, Staff};
use agio_core::texts::Locale;
use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all, fetch_optional};
use uuid::Uuid;

use super::AccountRecord;
use crate::audience::{AccountRef, Audience};
use crate::sessions::SessionHolder;

macro_rules! staff {
    ($which:literal) => {
        concat!(
            "SELECT staff.id, staff.email, staff.name, staff.role, staff.locale, staff.password_hash, staff.disabled AS blocked,
                staff.created_at
            FROM staff ",
            $which
        )
    };
}

macro_rules! customer {
    ($which:literal) => {
        concat!(
            "SELECT customer.id, customer.email, customer.locale, customer.time_zone, customer.password_hash,
                customer.banned_at IS NOT NULL AS blocked, customer.activated_at, customer.created_at
            FROM customer ",
            $which
        )
    };
}

agio_core::statements! {
    STAFF_BY_EMAIL = staff!("WHERE staff.email = $1");
    CUSTOMER_BY_EMAIL = customer!("WHERE customer.email = $1");
    STAFF_BY_ID = staff!("WHERE staff.id = $1");
    CUSTOMER_BY_ID = customer!("WHERE customer.id = $1");
    STAFF_BY_SESSION = staff!("JOIN account_session session ON session.staff_id = staff.id WHERE session.id = $1");
    CUSTOMER_BY_SESSION = customer!("JOIN account_session session ON session.customer_id = customer.id WHERE session.id = $1");
    LOCK_STAFF = "UPDATE staff SET email = email WHERE id = $1";
    LOCK_CUSTOMER = "UPDATE customer SET email = email WHERE id = $1";
    /// Locks an account as it was when its password was checked; nothing if it changed since or is blocked.
    CONFIRM_STAFF = "UPDATE staff SET locale = $3, password_hash = $4 WHERE id = $1 AND password_hash = $2 AND NOT disabled";
    CONFIRM_CUSTOMER = "UPDATE customer SET locale = $3, password_hash = $4 WHERE id = $1 AND password_hash = $2 AND banned_at IS NULL";
    SET_CUSTOMER_TIME_ZONE = "UPDATE customer SET time_zone = $2 WHERE id = $1";
    SET_STAFF_PASSWORD = "UPDATE staff SET password_hash = $2 WHERE id = $1";
    SET_CUSTOMER_PASSWORD = "UPDATE customer SET password_hash = $2 WHERE id = $1";

    PUT_LINK = "INSERT INTO account_link (account_id, purpose, digest, expires_at, email) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (account_id, purpose)
            DO UPDATE SET digest = excluded.digest, expires_at = excluded.expires_at, email = excluded.email";
    LINK = "SELECT account_id, email, expires_at FROM account_link WHERE digest = $1 AND purpose = $2 AND expires_at > $3";
    LINK_OF = "SELECT account_id, email, expires_at FROM account_link WHERE account_id = $1 AND purpose = $2 AND expires_at > $3";
    USE_LINK = "DELETE FROM account_link WHERE digest = $1 AND purpose = $2 AND expires_at > $3 RETURNING account_id, email, expires_at";
    DELETE_LINKS_OF = "DELETE FROM account_link WHERE account_id = $1 AND purpose <> 'email_undo'";

    IS_KNOWN_STAFF_DEVICE = "SELECT staff.id FROM known_device device JOIN staff ON staff.id = device.account_id
        WHERE staff.email = $1 AND device.digest = $2";
    IS_KNOWN_CUSTOMER_DEVICE = "SELECT customer.id FROM known_device device JOIN customer ON customer.id = device.account_id
        WHERE customer.email = $1 AND device.digest = $2";
    KNOWN_DEVICES = "SELECT digest FROM known_device WHERE account_id = $1";
    PUT_DEVICE = "INSERT INTO known_device (account_id, digest, used_at) VALUES ($1, $2, $3)
        ON CONFLICT (account_id, digest) DO UPDATE SET used_at = excluded.used_at";
    DELETE_SURPLUS_DEVICES = "DELETE FROM known_device WHERE account_id = $1 AND digest NOT IN (SELECT digest FROM known_device
        WHERE account_id = $1 ORDER BY used_at DESC, digest LIMIT $2)";
}

/// Known browsers and networks per account.
const DEVICES_MAX: i64 = 50;

agio_core::named! {
    /// Purpose of an e-mailed link.
    LinkPurpose {
        Activation = "activation",
        PasswordReset = "password_reset",
        StaffPasswordReset = "staff_password_reset",
        /// Confirms a customer's new address; the link's address is the new one.
        EmailChange = "email_change",
        /// Takes a customer's account back after a change that somebody else requested; the link's address is the one
        /// to go back to.
        EmailUndo = "email_undo",
    }
}

/// A valid e-mailed link.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Link {
    pub account_id: Uuid,
    email: Option<String>,
    pub expires_at: Timestamp,
}

impl Link {
    /// The address of a link about one.
    ///
    /// # Errors
    /// An internal error for other links.
    pub fn email(&self) -> Result<&str> {
        self.email.as_deref().ok_or_else(|| Error::internal("a link about an address has none"))
    }
}

#[derive(sqlx::FromRow)]
struct AccountRow {
    id: Uuid,
    email: String,
    /// Of staff.
    #[sqlx(default)]
    name: Option<String>,
    /// Of staff.
    #[sqlx(default)]
    role: Option<Role>,
    locale: Locale,
    /// Of customers.
    #[sqlx(default)]
    time_zone: Option<String>,
    password_hash: String,
    blocked: bool,
    /// Of customers.
    #[sqlx(default)]
    activated_at: Option<Timestamp>,
    created_at: Timestamp,
}

impl From<AccountRow> for AccountRecord {
    fn from(row: AccountRow) -> Self {
        let AccountRow { id, email, name, role, locale, time_zone, password_hash, blocked, activated_at, created_at } = row;
        let holder = match (name, role) {
            (Some(name), Some(role)) => SessionHolder::Staff(Staff { id, name, role, address: None }),
            _ => SessionHolder::Customer { id, email: email.clone(), activated: activated_at.is_some() },
        };
        Self { id, email, password_hash, locale, time_zone, blocked, created_at, holder }
    }
}

pub async fn by_email(tx: &mut Tx, audience: Audience, email: &str) -> Result<Option<AccountRecord>> {
    let sql = audience.choose(STAFF_BY_EMAIL, CUSTOMER_BY_EMAIL);
    Ok(fetch_optional!(tx, AccountRow, sql, email)?.map(AccountRecord::from))
}

pub async fn by_id(tx: &mut Tx, account: AccountRef) -> Result<Option<AccountRecord>> {
    let sql = account.audience.choose(STAFF_BY_ID, CUSTOMER_BY_ID);
    Ok(fetch_optional!(tx, AccountRow, sql, account.id)?.map(AccountRecord::from))
}

pub async fn by_session(tx: &mut Tx, audience: Audience, session: Uuid) -> Result<Option<AccountRecord>> {
    let sql = audience.choose(STAFF_BY_SESSION, CUSTOMER_BY_SESSION);
    Ok(fetch_optional!(tx, AccountRow, sql, session)?.map(AccountRecord::from))
}

/// Locks an account until the transaction ends.
pub async fn lock(tx: &mut Tx, account: AccountRef) -> Result<Option<AccountRecord>> {
    execute!(tx, account.audience.choose(LOCK_STAFF, LOCK_CUSTOMER), account.id)?;
    by_id(tx, account).await
}

/// Locks an account whose password was verified: false if the password changed or the account was blocked since. Stores
/// language and hash.
pub async fn confirm_password(tx: &mut Tx, account: &AccountRecord, locale: Locale, hash: &str) -> Result<bool> {
    let sql = account.audience().choose(CONFIRM_STAFF, CONFIRM_CUSTOMER);
    Ok(execute!(tx, sql, account.id, &account.password_hash, locale, hash)? == 1)
}

pub async fn set_time_zone(tx: &mut Tx, customer: Uuid, zone: &str) -> Result<()> {
    execute!(tx, SET_CUSTOMER_TIME_ZONE, customer, zone).map(drop)
}

pub async fn set_password_hash(tx: &mut Tx, account: AccountRef, hash: &str) -> Result<()> {
    execute!(tx, account.audience.choose(SET_STAFF_PASSWORD, SET_CUSTOMER_PASSWORD), account.id, hash).map(drop)
}

/// Replaces an older link of the same purpose.
pub async fn put_link(
    tx: &mut Tx,
    account: Uuid,
    (purpose, email): (LinkPurpose, Option<&str>),
    digest: &str,
    expires_at: Timestamp,
) -> Result<()> {
    execute!(tx, PUT_LINK, account, purpose, digest, expires_at, email).map(drop)
}

/// A valid link.
pub async fn link(tx: &mut Tx, digest: &str, purpose: LinkPurpose, now: Timestamp) -> Result<Option<Link>> {
    fetch_optional!(tx, Link, LINK, digest, purpose, now)
}

/// An account's valid link.
pub async fn link_of(tx: &mut Tx, account: Uuid, purpose: LinkPurpose, now: Timestamp) -> Result<Option<Link>> {
    fetch_optional!(tx, Link, LINK_OF, account, purpose, now)
}

/// Invalidates a link and returns it.
pub async fn use_link(tx: &mut Tx, digest: &str, purpose: LinkPurpose, now: Timestamp) -> Result<Option<Link>> {
    fetch_optional!(tx, Link, USE_LINK, digest, purpose, now)
}

/// But the link that takes the account back: a thief who changes the address may change the password next.
pub async fn delete_links_of(tx: &mut Tx, account: Uuid) -> Result<()> {
    execute!(tx, DELETE_LINKS_OF, account).map(drop)
}

/// Whether the account was used from there before. Takes as long for unknown addresses.
pub async fn is_known_device(tx: &mut Tx, audience: Audience, email: &str, digest: &str) -> Result<bool> {
    let sql = audience.choose(IS_KNOWN_STAFF_DEVICE, IS_KNOWN_CUSTOMER_DEVICE);
    Ok(fetch_optional!(tx, (Uuid,), sql, email, digest)?.is_some())
}

/// Digests of known browsers and networks.
pub async fn known_devices(tx: &mut Tx, account: Uuid) -> Result<Vec<String>> {
    Ok(fetch_all!(tx, (String,), KNOWN_DEVICES, account)?.into_iter().map(|(digest,)| digest).collect())
}

pub async fn put_devices(tx: &mut Tx, account: Uuid, digests: &[String], now: Timestamp) -> Result<()> {
    for digest in digests {
        execute!(tx, PUT_DEVICE, account, digest, now)?;
    }
    execute!(tx, DELETE_SURPLUS_DEVICES, account, DEVICES_MAX).map(drop)
}

//! Customers in SQL.

use agio_core::texts::Locale;
use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional};
use uuid::Uuid;

use crate::sessions::Holder;

agio_core::statements! {
    CUSTOMER_BY_EMAIL = "SELECT id, email, password_hash, locale, activated_at, banned_at, created_at FROM customer WHERE email = $1";
    CUSTOMER_BY_ID = "SELECT id, email, password_hash, locale, activated_at, banned_at, created_at FROM customer WHERE id = $1";
    CUSTOMER_BY_SESSION = "SELECT customer.id, customer.email, customer.password_hash, customer.locale, customer.activated_at, customer.banned_at,
            customer.created_at
        FROM account_session session JOIN customer ON customer.id = session.customer_id WHERE session.id = $1";
    INSERT_CUSTOMER = "INSERT INTO customer (id, email, password_hash, locale, referral, created_at) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (email) DO NOTHING";
    /// Locks the account as it was when its password was checked; nothing if it changed since or is banned.
    ENTER_CUSTOMER = "UPDATE customer SET locale = $3, password_hash = $4 WHERE id = $1 AND password_hash = $2 AND banned_at IS NULL";
    ACTIVATE_CUSTOMER = "UPDATE customer SET activated_at = COALESCE(activated_at, $2) WHERE id = $1";
    SET_CUSTOMER_PASSWORD = "UPDATE customer SET password_hash = $2 WHERE id = $1";
    BAN_CUSTOMER = "UPDATE customer SET banned_at = $2, ban_reason = $3 WHERE id = $1 AND banned_at IS NULL";
    UNBAN_CUSTOMER = "UPDATE customer SET banned_at = NULL, ban_reason = NULL WHERE id = $1 AND banned_at IS NOT NULL";

    PUT_LINK = "INSERT INTO customer_token (customer_id, purpose, digest, expires_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (customer_id, purpose) DO UPDATE SET digest = excluded.digest, expires_at = excluded.expires_at";
    LINK = "SELECT customer_id FROM customer_token WHERE digest = $1 AND purpose = $2 AND expires_at > $3";
    USE_LINK = "DELETE FROM customer_token WHERE digest = $1 AND purpose = $2 AND expires_at > $3 RETURNING customer_id";
    FORGET_LINKS_OF = "DELETE FROM customer_token WHERE customer_id = $1";
    FORGET_LINKS = "DELETE FROM customer_token WHERE expires_at < $1";

    INSERT_REQUEST = "INSERT INTO customer_request (id, purpose, email, address, created_at) VALUES ($1, $2, $3, $4, $5)";
    REQUESTS = "SELECT id, purpose, email, address FROM customer_request ORDER BY created_at, id LIMIT 100";
    TAKE_REQUEST = "DELETE FROM customer_request WHERE id = $1";

    IS_FAMILIAR = "SELECT COUNT(*) FROM customer_familiar familiar JOIN customer ON customer.id = familiar.customer_id
        WHERE customer.email = $1 AND familiar.mark = $2";
    FAMILIAR_MARKS = "SELECT mark FROM customer_familiar WHERE customer_id = $1";
    PUT_MARK = "INSERT INTO customer_familiar (customer_id, mark, seen_at) VALUES ($1, $2, $3)
        ON CONFLICT (customer_id, mark) DO UPDATE SET seen_at = excluded.seen_at";
    FORGET_SURPLUS_MARKS = "DELETE FROM customer_familiar WHERE customer_id = $1 AND mark NOT IN (SELECT mark FROM customer_familiar
        WHERE customer_id = $1 ORDER BY seen_at DESC, mark LIMIT $2)";
    FORGET_MARKS = "DELETE FROM customer_familiar WHERE seen_at < $1";
}

/// How many browsers and addresses of an account are remembered.
const MARKS_MAX: i64 = 50;

/// A customer as stored.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct CustomerRow {
    pub id: Uuid,
    pub email: String,
    pub password_hash: String,
    locale: String,
    pub activated_at: Option<Timestamp>,
    pub banned_at: Option<Timestamp>,
    pub created_at: Timestamp,
}

impl CustomerRow {
    /// The language of their letters.
    pub fn locale(&self) -> Locale {
        self.locale.parse().unwrap_or_default()
    }

    /// What sessions know of them.
    pub fn holder(&self) -> Holder {
        Holder::Customer { id: self.id, email: self.email.clone(), activated: self.activated_at.is_some() }
    }
}

/// Somebody who signs up.
#[derive(Clone, Debug)]
pub struct NewCustomer {
    pub id: Uuid,
    pub email: String,
    pub password_hash: String,
    pub locale: Locale,
    pub referral: Option<String>,
}

/// What a mailed link is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Showing that the address is theirs.
    Activation,
    /// Setting a new password.
    Restore,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Self::Activation => "activation",
            Self::Restore => "restore",
        }
    }
}

/// A letter somebody asked for.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct RequestRow {
    pub id: Uuid,
    purpose: String,
    pub email: String,
    pub address: String,
}

impl RequestRow {
    /// What is asked for.
    pub fn purpose(&self) -> Purpose {
        if self.purpose == Purpose::Activation.name() { Purpose::Activation } else { Purpose::Restore }
    }
}

pub async fn by_email(tx: &mut Tx, email: &str) -> Result<Option<CustomerRow>> {
    fetch_optional!(tx, CustomerRow, CUSTOMER_BY_EMAIL, email)
}

/// The account of a session or link, which must be there.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<CustomerRow> {
    fetch_optional!(tx, CustomerRow, CUSTOMER_BY_ID, id)?.ok_or_else(Error::token_not_valid)
}

pub async fn by_session(tx: &mut Tx, session: Uuid) -> Result<Option<CustomerRow>> {
    fetch_optional!(tx, CustomerRow, CUSTOMER_BY_SESSION, session)
}

/// Makes an account; false if the address has one.
pub async fn insert(tx: &mut Tx, new: &NewCustomer, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, INSERT_CUSTOMER, new.id, &new.email, &new.password_hash, new.locale.to_string(), &new.referral, now)? == 1)
}

/// Lets an account in whose password was found right: false if it was changed or banned since. Notes language and renewed hash.
pub async fn enter(tx: &mut Tx, customer: &CustomerRow, locale: Locale, hash: &str) -> Result<bool> {
    Ok(execute!(tx, ENTER_CUSTOMER, customer.id, &customer.password_hash, locale.to_string(), hash)? == 1)
}

pub async fn activate(tx: &mut Tx, id: Uuid, now: Timestamp) -> Result<()> {
    execute!(tx, ACTIVATE_CUSTOMER, id, now).map(drop)
}

pub async fn set_password_hash(tx: &mut Tx, id: Uuid, hash: &str) -> Result<()> {
    execute!(tx, SET_CUSTOMER_PASSWORD, id, hash).map(drop)
}

/// Bans an account; false if it is banned, or not there.
pub async fn ban(tx: &mut Tx, id: Uuid, reason: &str, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, BAN_CUSTOMER, id, now, reason)? == 1)
}

/// Takes a ban back; false if the account is not banned, or not there.
pub async fn unban(tx: &mut Tx, id: Uuid) -> Result<bool> {
    Ok(execute!(tx, UNBAN_CUSTOMER, id)? == 1)
}

/// Puts a link in the place of an older one of its kind.
pub async fn put_link(tx: &mut Tx, customer: Uuid, purpose: Purpose, digest: &str, expires_at: Timestamp) -> Result<()> {
    execute!(tx, PUT_LINK, customer, purpose.name(), digest, expires_at).map(drop)
}

/// Whose link it is, if it is still good.
pub async fn link(tx: &mut Tx, digest: &str, purpose: Purpose, now: Timestamp) -> Result<Option<Uuid>> {
    let row = fetch_optional!(tx, (Uuid,), LINK, digest, purpose.name(), now)?;
    Ok(row.map(|(id,)| id))
}

/// The same, and it is good no more.
pub async fn use_link(tx: &mut Tx, digest: &str, purpose: Purpose, now: Timestamp) -> Result<Option<Uuid>> {
    let row = fetch_optional!(tx, (Uuid,), USE_LINK, digest, purpose.name(), now)?;
    Ok(row.map(|(id,)| id))
}

pub async fn forget_links_of(tx: &mut Tx, customer: Uuid) -> Result<()> {
    execute!(tx, FORGET_LINKS_OF, customer).map(drop)
}

pub async fn insert_request(tx: &mut Tx, id: Uuid, purpose: Purpose, email: &str, address: &str, now: Timestamp) -> Result<()> {
    execute!(tx, INSERT_REQUEST, id, purpose.name(), email, address, now).map(drop)
}

pub async fn requests(tx: &mut Tx) -> Result<Vec<RequestRow>> {
    fetch_all!(tx, RequestRow, REQUESTS)
}

/// Takes a request in hand; false if another node was first.
pub async fn take_request(tx: &mut Tx, id: Uuid) -> Result<bool> {
    Ok(execute!(tx, TAKE_REQUEST, id)? == 1)
}

/// Whether the account of an address was used from there before. Takes as long for an address without an account.
pub async fn is_familiar(tx: &mut Tx, email: &str, mark: &str) -> Result<bool> {
    let (count,) = fetch_one!(tx, (i64,), IS_FAMILIAR, email, mark)?;
    Ok(count > 0)
}

/// Where an account was used from.
pub async fn familiar(tx: &mut Tx, customer: Uuid) -> Result<Vec<String>> {
    let rows = fetch_all!(tx, (String,), FAMILIAR_MARKS, customer)?;
    Ok(rows.into_iter().map(|(mark,)| mark).collect())
}

pub async fn remember(tx: &mut Tx, customer: Uuid, marks: &[String], now: Timestamp) -> Result<()> {
    for mark in marks {
        execute!(tx, PUT_MARK, customer, mark, now)?;
    }
    execute!(tx, FORGET_SURPLUS_MARKS, customer, MARKS_MAX).map(drop)
}

pub async fn forget_links(tx: &mut Tx, now: Timestamp) -> Result<()> {
    execute!(tx, FORGET_LINKS, now).map(drop)
}

pub async fn forget_marks(tx: &mut Tx, before: Timestamp) -> Result<()> {
    execute!(tx, FORGET_MARKS, before).map(drop)
}

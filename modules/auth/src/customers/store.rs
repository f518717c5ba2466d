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
    ACTIVATE_CUSTOMER = "UPDATE customer SET activated_at = $2 WHERE id = $1 AND activated_at IS NULL RETURNING referral";
    IS_ACTIVATED = "SELECT COUNT(*) FROM customer WHERE id = $1 AND activated_at IS NOT NULL";
    /// The address is free then, and whoever signed up with it signs in no more.
    ABANDON_CUSTOMER = "UPDATE customer SET email = $2, banned_at = COALESCE(banned_at, $3) WHERE id = $1 AND activated_at IS NULL";
    /// An account for the owner of the address, with nothing of another account but its language and whether it was banned.
    REPLACE_CUSTOMER = "INSERT INTO customer (id, email, password_hash, locale, activated_at, banned_at, ban_reason, created_at)
        SELECT $2, $3, $4, locale, $5, $6, ban_reason, $5 FROM customer WHERE id = $1";
    SET_CUSTOMER_PASSWORD = "UPDATE customer SET password_hash = $2 WHERE id = $1";
    BAN_CUSTOMER = "UPDATE customer SET banned_at = $2, ban_reason = $3 WHERE id = $1 AND banned_at IS NULL";
    UNBAN_CUSTOMER = "UPDATE customer SET banned_at = NULL, ban_reason = NULL WHERE id = $1 AND banned_at IS NOT NULL";

    PUT_LINK = "INSERT INTO customer_token (customer_id, purpose, digest, expires_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (customer_id, purpose) DO UPDATE SET digest = excluded.digest, expires_at = excluded.expires_at";
    LINK = "SELECT customer_id FROM customer_token WHERE digest = $1 AND purpose = $2 AND expires_at > $3";
    USE_LINK = "DELETE FROM customer_token WHERE digest = $1 AND purpose = $2 AND expires_at > $3 RETURNING customer_id";
    FORGET_LINKS_OF = "DELETE FROM customer_token WHERE customer_id = $1";
    FORGET_LINKS = "DELETE FROM customer_token WHERE expires_at < $1";

    INSERT_REQUEST = "INSERT INTO customer_request (id, purpose, email, address, created_at, password_hash, locale, referral)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    DUE_REQUESTS = "SELECT id, email, tries FROM customer_request WHERE given_up_at IS NULL AND next_at <= $1 ORDER BY created_at, id LIMIT 100";
    TAKE_REQUEST = "DELETE FROM customer_request WHERE id = $1 AND tries = $2 AND given_up_at IS NULL
        RETURNING id, purpose, email, address, created_at, password_hash, locale, referral";
    PUT_OFF_REQUEST = "UPDATE customer_request SET tries = tries + 1, next_at = $3 WHERE id = $1 AND tries = $2 AND given_up_at IS NULL";
    /// The hash of a password nobody will sign in with is not kept.
    GIVE_UP_REQUEST = "UPDATE customer_request SET tries = tries + 1, given_up_at = $3, password_hash = CASE purpose WHEN 'sign_up' THEN '' END
        WHERE id = $1 AND tries = $2 AND given_up_at IS NULL";
    REQUESTS_GIVEN_UP = "SELECT COUNT(*) FROM customer_request WHERE given_up_at > $1";
    FORGET_REQUESTS = "DELETE FROM customer_request WHERE given_up_at < $1";

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

/// What is asked for an e-mail address by somebody who may be anybody.
#[derive(Clone, Debug)]
pub enum Wish {
    /// A letter with a link.
    Letter(Purpose),
    /// An account.
    SignUp(SignUpWish),
}

/// The account somebody asks for.
#[derive(Clone, Debug)]
pub struct SignUpWish {
    pub password_hash: String,
    pub locale: Locale,
    pub referral: Option<String>,
}

/// A wish and who has it.
#[derive(Clone, Debug)]
pub struct Request {
    pub id: Uuid,
    pub wish: Wish,
    pub email: String,
    /// The address of the network it came from.
    pub address: String,
    pub created_at: Timestamp,
}

/// A wish that waits to be tried, and no more of it than it takes to try it: what is wrong with one is then no obstacle to reading others.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct DueRequest {
    pub id: Uuid,
    pub email: String,
    /// How often it was tried already.
    pub tries: i64,
}

#[derive(sqlx::FromRow)]
struct RequestRow {
    id: Uuid,
    purpose: String,
    email: String,
    address: String,
    created_at: Timestamp,
    password_hash: Option<String>,
    locale: Option<String>,
    referral: Option<String>,
}

impl From<RequestRow> for Request {
    fn from(row: RequestRow) -> Self {
        let wish = match row.password_hash {
            Some(password_hash) => {
                let locale = row.locale.and_then(|locale| locale.parse().ok()).unwrap_or_default();
                Wish::SignUp(SignUpWish { password_hash, locale, referral: row.referral })
            }
            None if row.purpose == Purpose::Activation.name() => Wish::Letter(Purpose::Activation),
            None => Wish::Letter(Purpose::Restore),
        };
        Self { id: row.id, wish, email: row.email, address: row.address, created_at: row.created_at }
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
pub async fn insert(tx: &mut Tx, id: Uuid, request: &Request, new: &SignUpWish) -> Result<bool> {
    let Request { email, created_at, .. } = request;
    let SignUpWish { password_hash, locale, referral } = new;
    Ok(execute!(tx, INSERT_CUSTOMER, id, email, password_hash, locale.to_string(), referral, *created_at)? == 1)
}

/// Lets an account in whose password was found right: false if it was changed or banned since. Notes language and renewed hash.
pub async fn enter(tx: &mut Tx, customer: &CustomerRow, locale: Locale, hash: &str) -> Result<bool> {
    Ok(execute!(tx, ENTER_CUSTOMER, customer.id, &customer.password_hash, locale.to_string(), hash)? == 1)
}

/// Notes that an address was confirmed, and gives the code named at the sign-up; nothing if it was confirmed before.
pub async fn activate(tx: &mut Tx, id: Uuid, now: Timestamp) -> Result<Option<Option<String>>> {
    Ok(fetch_optional!(tx, (Option<String>,), ACTIVATE_CUSTOMER, id, now)?.map(|(referral,)| referral))
}

pub async fn is_activated(tx: &mut Tx, id: Uuid) -> Result<bool> {
    Ok(fetch_one!(tx, (i64,), IS_ACTIVATED, id)?.0 == 1)
}

/// Puts a new account in the place of one whose address nobody ever confirmed. What the old one had stays with it, out of everybody's reach.
pub async fn replace(tx: &mut Tx, old: &CustomerRow, id: Uuid, hash: &str, now: Timestamp) -> Result<()> {
    // Nothing is ever delivered below .invalid.
    execute!(tx, ABANDON_CUSTOMER, old.id, format!("{}@abandoned.invalid", old.id), now)?;
    execute!(tx, REPLACE_CUSTOMER, old.id, id, &old.email, hash, now, old.banned_at).map(drop)
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

pub async fn insert_request(tx: &mut Tx, request: &Request) -> Result<()> {
    let Request { id, wish, email, address, created_at } = request;
    let (purpose, new) = match wish {
        Wish::Letter(purpose) => (purpose.name(), None),
        Wish::SignUp(new) => ("sign_up", Some(new)),
    };
    let hash = new.map(|new| &new.password_hash);
    let (locale, referral) = (new.map(|new| new.locale.to_string()), new.and_then(|new| new.referral.as_ref()));
    execute!(tx, INSERT_REQUEST, *id, purpose, email, address, *created_at, hash, locale, referral).map(drop)
}

/// The requests that are to be tried now, in the order they came.
pub async fn due_requests(tx: &mut Tx, now: Timestamp) -> Result<Vec<DueRequest>> {
    fetch_all!(tx, DueRequest, DUE_REQUESTS, now)
}

/// Takes a request in hand; nothing if another node was first.
pub async fn take_request(tx: &mut Tx, due: &DueRequest) -> Result<Option<Request>> {
    Ok(fetch_optional!(tx, RequestRow, TAKE_REQUEST, due.id, due.tries)?.map(Request::from))
}

/// Notes that a request failed and when it is tried again; changes nothing if another node was first.
pub async fn put_off_request(tx: &mut Tx, due: &DueRequest, next_at: Timestamp) -> Result<()> {
    execute!(tx, PUT_OFF_REQUEST, due.id, due.tries, next_at).map(drop)
}

/// Notes that a request failed and is not tried again; changes nothing if another node was first.
pub async fn give_up_request(tx: &mut Tx, due: &DueRequest, now: Timestamp) -> Result<()> {
    execute!(tx, GIVE_UP_REQUEST, due.id, due.tries, now).map(drop)
}

/// How many requests were given up after a moment.
pub async fn requests_given_up(tx: &mut Tx, since: Timestamp) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), REQUESTS_GIVEN_UP, since)?.0)
}

/// Forgets requests that were given up before a moment.
pub async fn forget_requests(tx: &mut Tx, before: Timestamp) -> Result<()> {
    execute!(tx, FORGET_REQUESTS, before).map(drop)
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

//! Staff in SQL.

use agio_core::identity::{Role, Staff};
use agio_core::texts::Locale;
use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_optional};
use uuid::Uuid;

agio_core::statements! {
    STAFF_BY_EMAIL = "SELECT id, name, email, role, locale, password_hash, disabled FROM staff WHERE email = $1";
    STAFF_BY_ID = "SELECT id, name, email, role, locale, password_hash, disabled FROM staff WHERE id = $1";
    STAFF_BY_SESSION = "SELECT staff.id, staff.name, staff.email, staff.role, staff.locale, staff.password_hash, staff.disabled
        FROM account_session session JOIN staff ON staff.id = session.staff_id WHERE session.id = $1";
    INSERT_STAFF = "INSERT INTO staff (id, email, name, role, locale, password_hash, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)";
    SET_STAFF_PASSWORD = "UPDATE staff SET password_hash = $2 WHERE id = $1";
    /// Locks an account as it was when its password was checked; nothing if it changed since or is disabled.
    ENTER_STAFF = "UPDATE staff SET locale = $3, password_hash = $4 WHERE id = $1 AND password_hash = $2 AND NOT disabled";
    /// Locks an account until the transaction ends.
    LOCK_STAFF = "UPDATE staff SET email = email WHERE id = $1 RETURNING id, name, email, role, locale, password_hash, disabled";
    /// Locks every owner who may sign in, so that two of them cannot undo each other at one moment.
    LOCK_OWNERS = "UPDATE staff SET role = role WHERE role = 'owner' AND NOT disabled RETURNING id";
    SET_STAFF_ROLE = "UPDATE staff SET role = $2 WHERE id = $1";
    DISABLE_STAFF = "UPDATE staff SET disabled = $2 WHERE id = $1";
    ALL_STAFF = "SELECT staff.id, staff.name, staff.email, staff.role, staff.locale, staff.disabled, staff.created_at,
            factor.confirmed_at AS second_factor_at,
            (SELECT MAX(session.refreshed_at) FROM account_session session WHERE session.staff_id = staff.id) AS seen_at
        FROM staff LEFT JOIN second_factor factor ON factor.account_id = staff.id
        ORDER BY staff.disabled, staff.name, staff.id LIMIT $1";

    PUT_RESTORE = "INSERT INTO staff_restore (staff_id, digest, expires_at) VALUES ($1, $2, $3)
        ON CONFLICT (staff_id) DO UPDATE SET digest = excluded.digest, expires_at = excluded.expires_at";
    RESTORE = "SELECT staff_id FROM staff_restore WHERE digest = $1 AND expires_at > $2";
    USE_RESTORE = "DELETE FROM staff_restore WHERE digest = $1 AND expires_at > $2 RETURNING staff_id";
    FORGET_RESTORE_OF = "DELETE FROM staff_restore WHERE staff_id = $1";
    FORGET_RESTORES = "DELETE FROM staff_restore WHERE expires_at < $1";

    STAFF_MARKS = "SELECT mark FROM staff_familiar WHERE staff_id = $1";
    IS_STAFF_MARK = "SELECT staff.id FROM staff_familiar familiar JOIN staff ON staff.id = familiar.staff_id
        WHERE staff.email = $1 AND familiar.mark = $2";
    PUT_STAFF_MARK = "INSERT INTO staff_familiar (staff_id, mark, seen_at) VALUES ($1, $2, $3)
        ON CONFLICT (staff_id, mark) DO UPDATE SET seen_at = excluded.seen_at";
    FORGET_STAFF_MARKS = "DELETE FROM staff_familiar WHERE seen_at < $1";
}

/// How many members of staff are listed: more than an exchange has.
const STAFF_MAX: i64 = 1_000;

/// A member of staff as stored.
#[derive(Clone, sqlx::FromRow)]
pub struct StaffRow {
    pub id: Uuid,
    pub name: String,
    pub email: String,
    pub role: Role,
    locale: String,
    pub password_hash: String,
    pub disabled: bool,
}

impl StaffRow {
    /// What other rooms know of them.
    pub fn staff(&self) -> Staff {
        Staff { id: self.id, name: self.name.clone(), role: self.role, address: None }
    }

    /// The language of their letters.
    pub fn locale(&self) -> Locale {
        self.locale.parse().unwrap_or_default()
    }
}

/// Somebody who begins to work here.
#[derive(Clone, Debug)]
pub struct Joining {
    pub id: Uuid,
    pub email: String,
    pub name: String,
    pub role: Role,
    pub locale: Locale,
    pub password_hash: String,
}

/// A member of staff in the list of colleagues.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Colleague {
    pub id: Uuid,
    pub name: String,
    pub email: String,
    pub role: Role,
    pub locale: String,
    pub disabled: bool,
    pub created_at: Timestamp,
    /// Since when they have a second factor.
    pub second_factor_at: Option<Timestamp>,
    /// When one of their sessions was last refreshed.
    pub seen_at: Option<Timestamp>,
}

pub async fn by_email(tx: &mut Tx, email: &str) -> Result<Option<StaffRow>> {
    fetch_optional!(tx, StaffRow, STAFF_BY_EMAIL, email)
}

pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<StaffRow>> {
    fetch_optional!(tx, StaffRow, STAFF_BY_ID, id)
}

/// Whose session it is.
pub async fn by_session(tx: &mut Tx, session: Uuid) -> Result<Option<StaffRow>> {
    fetch_optional!(tx, StaffRow, STAFF_BY_SESSION, session)
}

pub async fn insert(tx: &mut Tx, new: &Joining, now: Timestamp) -> Result<()> {
    execute!(tx, INSERT_STAFF, new.id, &new.email, &new.name, new.role, new.locale.to_string(), &new.password_hash, now).map(drop)
}

pub async fn set_password_hash(tx: &mut Tx, id: Uuid, hash: &str) -> Result<()> {
    execute!(tx, SET_STAFF_PASSWORD, id, hash).map(drop)
}

/// Lets somebody in whose password was found right: false if it was changed since or they are disabled. Notes language and renewed
/// hash.
pub async fn enter(tx: &mut Tx, staff: &StaffRow, locale: Locale, hash: &str) -> Result<bool> {
    Ok(execute!(tx, ENTER_STAFF, staff.id, &staff.password_hash, locale.to_string(), hash)? == 1)
}

/// An account, locked until the transaction ends.
pub async fn lock(tx: &mut Tx, id: Uuid) -> Result<Option<StaffRow>> {
    fetch_optional!(tx, StaffRow, LOCK_STAFF, id)
}

/// The owners who may sign in, locked until the transaction ends.
pub async fn lock_owners(tx: &mut Tx) -> Result<Vec<Uuid>> {
    Ok(fetch_all!(tx, (Uuid,), LOCK_OWNERS)?.into_iter().map(|(id,)| id).collect())
}

pub async fn set_role(tx: &mut Tx, id: Uuid, role: Role) -> Result<()> {
    execute!(tx, SET_STAFF_ROLE, id, role).map(drop)
}

pub async fn disable(tx: &mut Tx, id: Uuid, disabled: bool) -> Result<()> {
    execute!(tx, DISABLE_STAFF, id, disabled).map(drop)
}

/// Everybody who works or worked here.
pub async fn all(tx: &mut Tx) -> Result<Vec<Colleague>> {
    fetch_all!(tx, Colleague, ALL_STAFF, STAFF_MAX)
}

/// Puts a link to set a new password in the place of an older one.
pub async fn put_restore(tx: &mut Tx, id: Uuid, digest: &str, expires_at: Timestamp) -> Result<()> {
    execute!(tx, PUT_RESTORE, id, digest, expires_at).map(drop)
}

/// Whose link it is, if it is still good.
pub async fn restore(tx: &mut Tx, digest: &str, now: Timestamp) -> Result<Option<Uuid>> {
    Ok(fetch_optional!(tx, (Uuid,), RESTORE, digest, now)?.map(|(id,)| id))
}

/// The same, and it is good no more.
pub async fn use_restore(tx: &mut Tx, digest: &str, now: Timestamp) -> Result<Option<Uuid>> {
    Ok(fetch_optional!(tx, (Uuid,), USE_RESTORE, digest, now)?.map(|(id,)| id))
}

pub async fn forget_restore_of(tx: &mut Tx, id: Uuid) -> Result<()> {
    execute!(tx, FORGET_RESTORE_OF, id).map(drop)
}

pub async fn forget_restores(tx: &mut Tx, now: Timestamp) -> Result<()> {
    execute!(tx, FORGET_RESTORES, now).map(drop)
}

/// Where an account was used from.
pub async fn marks(tx: &mut Tx, id: Uuid) -> Result<Vec<String>> {
    Ok(fetch_all!(tx, (String,), STAFF_MARKS, id)?.into_iter().map(|(mark,)| mark).collect())
}

/// Whether the account of an address was used from there before. Takes as long for an address without an account.
pub async fn is_mark(tx: &mut Tx, email: &str, mark: &str) -> Result<bool> {
    Ok(fetch_optional!(tx, (Uuid,), IS_STAFF_MARK, email, mark)?.is_some())
}

pub async fn remember(tx: &mut Tx, id: Uuid, marks: &[String], now: Timestamp) -> Result<()> {
    for mark in marks {
        execute!(tx, PUT_STAFF_MARK, id, mark, now)?;
    }
    Ok(())
}

pub async fn forget_marks(tx: &mut Tx, before: Timestamp) -> Result<()> {
    execute!(tx, FORGET_STAFF_MARKS, before).map(drop)
}

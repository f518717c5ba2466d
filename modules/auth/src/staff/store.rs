//! SQL of staff.

use agio_core::identity::Role;
use agio_core::texts::Locale;
use agio_core::{Result, Timestamp, Tx, execute, fetch_all};
use uuid::Uuid;

agio_core::statements! {
    INSERT_STAFF = "INSERT INTO staff (id, email, name, role, locale, password_hash, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)";
    /// Locks every owner who may sign in, so that two of them cannot disable each other at the same time.
    LOCK_OWNERS = "UPDATE staff SET role = role WHERE role = 'owner' AND NOT disabled RETURNING id";
    SET_STAFF_ROLE = "UPDATE staff SET role = $2 WHERE id = $1";
    DISABLE_STAFF = "UPDATE staff SET disabled = $2 WHERE id = $1";
    ALL_STAFF = "SELECT staff.id, staff.name, staff.email, staff.role, staff.locale, staff.disabled, staff.created_at,
            factor.confirmed_at AS second_factor_at,
            (SELECT MAX(session.refreshed_at) FROM account_session session WHERE session.staff_id = staff.id) AS seen_at
        FROM staff LEFT JOIN second_factor factor ON factor.account_id = staff.id
        ORDER BY staff.disabled, staff.name, staff.id LIMIT $1";
    ANY_STAFF = "SELECT id FROM staff LIMIT 1";
    STAFF_ADDRESSES = "SELECT id, name, email, role, locale FROM staff WHERE NOT disabled ORDER BY email";
}

/// Maximum number of listed staff.
const STAFF_MAX: i64 = 1_000;

/// Id, name, e-mail address, role and language.
pub type StaffAddressRow = (Uuid, String, String, Role, Locale);

#[derive(Clone, Debug)]
pub struct NewStaffRow {
    pub id: Uuid,
    pub email: String,
    pub name: String,
    pub role: Role,
    pub locale: Locale,
    pub password_hash: String,
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct StaffListRow {
    pub id: Uuid,
    pub name: String,
    pub email: String,
    pub role: Role,
    pub locale: Locale,
    pub disabled: bool,
    pub created_at: Timestamp,
    /// When the second factor was enabled.
    pub second_factor_at: Option<Timestamp>,
    /// Last refresh of any session.
    pub seen_at: Option<Timestamp>,
}

pub async fn insert(tx: &mut Tx, new: &NewStaffRow, now: Timestamp) -> Result<()> {
    execute!(tx, INSERT_STAFF, new.id, &new.email, &new.name, new.role, new.locale, &new.password_hash, now).map(drop)
}

/// Locks the enabled owners until the transaction ends.
pub async fn lock_owners(tx: &mut Tx) -> Result<Vec<Uuid>> {
    Ok(fetch_all!(tx, (Uuid,), LOCK_OWNERS)?.into_iter().map(|(id,)| id).collect())
}

pub async fn set_role(tx: &mut Tx, id: Uuid, role: Role) -> Result<()> {
    execute!(tx, SET_STAFF_ROLE, id, role).map(drop)
}

pub async fn disable(tx: &mut Tx, id: Uuid, disabled: bool) -> Result<()> {
    execute!(tx, DISABLE_STAFF, id, disabled).map(drop)
}

pub async fn all(tx: &mut Tx) -> Result<Vec<StaffListRow>> {
    fetch_all!(tx, StaffListRow, ALL_STAFF, STAFF_MAX)
}

//! Staff in SQL.

use agio_core::identity::{Role, Staff};
use agio_core::{Result, Timestamp, Tx, execute, fetch_optional};
use uuid::Uuid;

agio_core::statements! {
    STAFF_BY_EMAIL = "SELECT id, name, email, role, password_hash, disabled FROM staff WHERE email = $1";
    STAFF_BY_ID = "SELECT id, name, email, role, password_hash, disabled FROM staff WHERE id = $1";
    STAFF_BY_SESSION = "SELECT staff.id, staff.name, staff.email, staff.role, staff.password_hash, staff.disabled
        FROM account_session session JOIN staff ON staff.id = session.staff_id WHERE session.id = $1";
    INSERT_STAFF = "INSERT INTO staff (id, email, name, role, password_hash, created_at) VALUES ($1, $2, $3, $4, $5, $6)";
    SET_STAFF_PASSWORD = "UPDATE staff SET password_hash = $2 WHERE id = $1";
}

/// A member of staff as stored.
#[derive(Clone, sqlx::FromRow)]
pub struct StaffRow {
    pub id: Uuid,
    pub name: String,
    pub email: String,
    pub role: Role,
    pub password_hash: String,
    pub disabled: bool,
}

impl StaffRow {
    /// What other rooms know of them.
    pub fn staff(&self) -> Staff {
        Staff { id: self.id, name: self.name.clone(), role: self.role, address: None }
    }
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

pub async fn insert(tx: &mut Tx, staff: &StaffRow, now: Timestamp) -> Result<()> {
    execute!(tx, INSERT_STAFF, staff.id, &staff.email, &staff.name, staff.role, &staff.password_hash, now).map(drop)
}

pub async fn set_password_hash(tx: &mut Tx, id: Uuid, hash: &str) -> Result<()> {
    execute!(tx, SET_STAFF_PASSWORD, id, hash).map(drop)
}

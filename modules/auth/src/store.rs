//! Staff and sessions in SQL.

use agio_core::identity::Role;
use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_optional};
use uuid::Uuid;

agio_core::statements! {
    STAFF_BY_EMAIL = "SELECT id, name, email, role, password_hash, disabled FROM staff WHERE email = $1";
    STAFF_BY_ID = "SELECT id, name, email, role, password_hash, disabled FROM staff WHERE id = $1";
    INSERT_STAFF = "INSERT INTO staff (id, email, name, role, password_hash, created_at) VALUES ($1, $2, $3, $4, $5, $6)";
    INSERT_SESSION = "INSERT INTO staff_session (id, staff_id, refresh_digest, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)";
    SESSION_BY_DIGEST = "SELECT id, staff_id, refresh_digest, replaced_at, expires_at, ended_at FROM staff_session
        WHERE refresh_digest = $1 OR replaced_digest = $1";
    REPLACE_REFRESH = "UPDATE staff_session SET refresh_digest = $2, replaced_digest = refresh_digest, replaced_at = $3
        WHERE id = $1 AND refresh_digest = $4 AND ended_at IS NULL";
    END_SESSION = "UPDATE staff_session SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL";
    LIVE_SESSIONS = "SELECT session.id, session.expires_at, staff.id, staff.name, staff.role
        FROM staff_session session JOIN staff ON staff.id = session.staff_id
        WHERE session.ended_at IS NULL AND session.expires_at > $1 AND NOT staff.disabled";
    TOKEN_KEY = "SELECT id, secret FROM token_key ORDER BY created_at DESC LIMIT 1";
    INSERT_TOKEN_KEY = "INSERT INTO token_key (id, secret, created_at) VALUES ($1, $2, $3)";
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

/// A session as stored.
#[derive(sqlx::FromRow)]
pub struct SessionRow {
    pub id: Uuid,
    pub staff_id: Uuid,
    pub refresh_digest: String,
    pub replaced_at: Option<Timestamp>,
    pub expires_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

pub async fn staff_by_email(tx: &mut Tx, email: &str) -> Result<Option<StaffRow>> {
    fetch_optional!(tx, StaffRow, STAFF_BY_EMAIL, email)
}

pub async fn staff_by_id(tx: &mut Tx, id: Uuid) -> Result<Option<StaffRow>> {
    fetch_optional!(tx, StaffRow, STAFF_BY_ID, id)
}

pub async fn insert_staff(tx: &mut Tx, staff: &StaffRow, now: Timestamp) -> Result<()> {
    execute!(tx, INSERT_STAFF, staff.id, &staff.email, &staff.name, staff.role, &staff.password_hash, now).map(drop)
}

pub async fn insert_session(tx: &mut Tx, id: Uuid, staff: Uuid, digest: &str, now: Timestamp, until: Timestamp) -> Result<()> {
    execute!(tx, INSERT_SESSION, id, staff, digest, now, until).map(drop)
}

pub async fn session_by_digest(tx: &mut Tx, digest: &str) -> Result<Option<SessionRow>> {
    fetch_optional!(tx, SessionRow, SESSION_BY_DIGEST, digest)
}

/// Puts a new refresh token in the place of the present one; false if another request was first.
pub async fn replace_refresh(tx: &mut Tx, session: &SessionRow, digest: &str, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, REPLACE_REFRESH, session.id, digest, now, &session.refresh_digest)? == 1)
}

pub async fn end_session(tx: &mut Tx, id: Uuid, now: Timestamp) -> Result<()> {
    execute!(tx, END_SESSION, id, now).map(drop)
}

/// Sessions that are good now: session, its end, and whose it is.
pub async fn live_sessions(tx: &mut Tx, now: Timestamp) -> Result<Vec<(Uuid, Timestamp, Uuid, String, Role)>> {
    fetch_all!(tx, (Uuid, Timestamp, Uuid, String, Role), LIVE_SESSIONS, now)
}

pub async fn token_key(tx: &mut Tx) -> Result<Option<(String, Vec<u8>)>> {
    fetch_optional!(tx, (String, Vec<u8>), TOKEN_KEY)
}

pub async fn insert_token_key(tx: &mut Tx, id: &str, secret: &[u8], now: Timestamp) -> Result<()> {
    execute!(tx, INSERT_TOKEN_KEY, id, secret, now).map(drop)
}

//! SQL of sessions.

use agio_core::identity::{Role, Staff};
use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_optional};
use uuid::Uuid;

use super::{NewSession, SessionHolder, SessionStatus};
use crate::audience::AccountRef;
use crate::tokens::RefreshTokenPayload;

macro_rules! known {
    ($which:literal) => {
        concat!(
            "SELECT session.id, session.refreshed_at, session.ended_at, session.staff_id, session.customer_id,
                session.second_factor, session.confirmed_at, staff.name, staff.role, staff.disabled, customer.email, customer.activated_at, customer.banned_at
            FROM account_session session
            LEFT JOIN staff ON staff.id = session.staff_id
            LEFT JOIN customer ON customer.id = session.customer_id
            WHERE ",
            $which
        )
    };
}

agio_core::statements! {
    INSERT_SESSION = "INSERT INTO account_session (id, staff_id, customer_id, generation, address, agent, created_at, refreshed_at, expires_at, changed_at, second_factor)
        VALUES ($1, $2, $3, 0, $4, $5, $6, $6, $7, $6, $8)";
    SESSION = "SELECT id, generation, address, agent, created_at, refreshed_at, expires_at, ended_at FROM account_session WHERE id = $1";
    ADVANCE_SESSION = "UPDATE account_session SET generation = generation + 1, refreshed_at = $3, changed_at = $3
        WHERE id = $1 AND generation = $2 AND ended_at IS NULL AND expires_at > $3 AND refreshed_at > $4";
    SESSION_STATUS = "SELECT second_factor, confirmed_at FROM account_session WHERE id = $1";
    CONFIRM_SESSION = "UPDATE account_session SET confirmed_at = $5, second_factor = (second_factor OR $4), changed_at = $5
        WHERE id = $1 AND (staff_id = $2 OR customer_id = $3) AND ended_at IS NULL";
    INSERT_REPLACED = "INSERT INTO session_refresh (session_id, generation, used_at) VALUES ($1, $2, $3)";
    DELETE_REPLACED = "DELETE FROM session_refresh WHERE session_id = $1 AND used_at < $2";
    REPLACED_AT = "SELECT used_at FROM session_refresh WHERE session_id = $1 AND generation = $2";
    END_SESSION = "UPDATE account_session SET ended_at = $4, changed_at = $4
        WHERE id = $1 AND (staff_id = $2 OR customer_id = $3) AND ended_at IS NULL RETURNING id";
    END_SESSIONS = "UPDATE account_session SET ended_at = $4, changed_at = $4
        WHERE (staff_id = $1 OR customer_id = $2) AND ended_at IS NULL AND id <> $3 RETURNING id";
    END_SURPLUS_SESSIONS = "UPDATE account_session SET ended_at = $4, changed_at = $4
        WHERE (staff_id = $1 OR customer_id = $2) AND ended_at IS NULL AND id NOT IN (SELECT id FROM account_session
            WHERE (staff_id = $1 OR customer_id = $2) AND ended_at IS NULL ORDER BY refreshed_at DESC, created_at DESC, id LIMIT $3)
        RETURNING id";
    SESSIONS_OF = "SELECT id, generation, address, agent, created_at, refreshed_at, expires_at, ended_at FROM account_session
        WHERE (staff_id = $1 OR customer_id = $2) AND ended_at IS NULL ORDER BY refreshed_at DESC, created_at DESC, id";
    TOUCH_SESSIONS = "UPDATE account_session SET changed_at = $3 WHERE (staff_id = $1 OR customer_id = $2) AND ended_at IS NULL";
    CHANGED_SESSIONS = known!("session.changed_at > $1 AND session.refreshed_at > $2");
    FOUND_SESSION = known!("session.id = $1");
    OPEN_SESSION = "SELECT id FROM account_session WHERE id = $1 AND ended_at IS NULL AND expires_at > $2";
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct SessionRow {
    pub id: Uuid,
    /// Number of refreshes.
    pub generation: i64,
    /// IP address of the sign-in.
    pub address: String,
    /// User agent.
    pub agent: String,
    pub created_at: Timestamp,
    pub refreshed_at: Timestamp,
    pub expires_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

impl SessionRow {
    pub fn is_live(&self, idle_since: Timestamp, now: Timestamp) -> bool {
        self.ended_at.is_none() && now < self.expires_at && self.refreshed_at > idle_since
    }
}

#[derive(sqlx::FromRow)]
pub struct SessionHolderRow {
    pub id: Uuid,
    pub refreshed_at: Timestamp,
    ended_at: Option<Timestamp>,
    staff_id: Option<Uuid>,
    customer_id: Option<Uuid>,
    second_factor: bool,
    confirmed_at: Option<Timestamp>,
    name: Option<String>,
    role: Option<Role>,
    disabled: Option<bool>,
    email: Option<String>,
    activated_at: Option<Timestamp>,
    banned_at: Option<Timestamp>,
}

impl SessionHolderRow {
    pub fn status(&self) -> SessionStatus {
        SessionStatus { second_factor: self.second_factor, confirmed_at: self.confirmed_at }
    }

    /// `None` if the session has ended or the account is disabled or banned.
    pub fn holder(&self) -> Option<SessionHolder> {
        if self.ended_at.is_some() || self.disabled.unwrap_or(false) || self.banned_at.is_some() {
            return None;
        }
        if let (Some(id), Some(name), Some(role)) = (self.staff_id, &self.name, self.role) {
            return Some(SessionHolder::Staff(Staff { id, name: name.clone(), role, address: None }));
        }
        let (id, email) = (self.customer_id?, self.email.clone()?);
        Some(SessionHolder::Customer { id, email, activated: self.activated_at.is_some() })
    }
}

pub async fn is_open(tx: &mut Tx, id: Uuid, now: Timestamp) -> Result<bool> {
    Ok(fetch_optional!(tx, (Uuid,), OPEN_SESSION, id, now)?.is_some())
}

pub async fn insert(tx: &mut Tx, new: &NewSession, now: Timestamp, expires_at: Timestamp) -> Result<()> {
    let (staff, customer) = new.holder.account().columns();
    execute!(tx, INSERT_SESSION, new.id, staff, customer, &new.address, &new.agent, now, expires_at, new.second_factor).map(drop)
}

/// Status of a session; the default if there is none.
pub async fn status(tx: &mut Tx, id: Uuid) -> Result<SessionStatus> {
    let row = fetch_optional!(tx, (bool, Option<Timestamp>), SESSION_STATUS, id)?;
    Ok(row.map(|(second_factor, confirmed_at)| SessionStatus { second_factor, confirmed_at }).unwrap_or_default())
}

/// Records a confirmation; false if the session is another account's or has ended.
pub async fn confirm(tx: &mut Tx, id: Uuid, account: AccountRef, second_factor: bool, now: Timestamp) -> Result<bool> {
    let (staff, customer) = account.columns();
    Ok(execute!(tx, CONFIRM_SESSION, id, staff, customer, second_factor, now)? == 1)
}

pub async fn session(tx: &mut Tx, id: Uuid) -> Result<Option<SessionRow>> {
    fetch_optional!(tx, SessionRow, SESSION, id)
}

/// Advances the generation; false if the session is not live or not at this one.
pub async fn advance(tx: &mut Tx, payload: RefreshTokenPayload, idle_since: Timestamp, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, ADVANCE_SESSION, payload.session, payload.generation, now, idle_since)? == 1)
}

/// Records when a generation was replaced and deletes older records.
pub async fn replaced(tx: &mut Tx, payload: RefreshTokenPayload, now: Timestamp, settled_before: Timestamp) -> Result<()> {
    execute!(tx, DELETE_REPLACED, payload.session, settled_before)?;
    execute!(tx, INSERT_REPLACED, payload.session, payload.generation, now).map(drop)
}

pub async fn replaced_at(tx: &mut Tx, payload: RefreshTokenPayload) -> Result<Option<Timestamp>> {
    let row = fetch_optional!(tx, (Timestamp,), REPLACED_AT, payload.session, payload.generation)?;
    Ok(row.map(|(at,)| at))
}

pub async fn end(tx: &mut Tx, id: Uuid, account: AccountRef, now: Timestamp) -> Result<Vec<Uuid>> {
    let (staff, customer) = account.columns();
    Ok(ids(fetch_all!(tx, (Uuid,), END_SESSION, id, staff, customer, now)?))
}

pub async fn end_all(tx: &mut Tx, account: AccountRef, but: Option<Uuid>, now: Timestamp) -> Result<Vec<Uuid>> {
    let (staff, customer) = account.columns();
    Ok(ids(fetch_all!(tx, (Uuid,), END_SESSIONS, staff, customer, but.unwrap_or_default(), now)?))
}

pub async fn end_surplus(tx: &mut Tx, account: AccountRef, most: i64, now: Timestamp) -> Result<Vec<Uuid>> {
    let (staff, customer) = account.columns();
    Ok(ids(fetch_all!(tx, (Uuid,), END_SURPLUS_SESSIONS, staff, customer, most, now)?))
}

pub async fn list(tx: &mut Tx, account: AccountRef) -> Result<Vec<SessionRow>> {
    let (staff, customer) = account.columns();
    fetch_all!(tx, SessionRow, SESSIONS_OF, staff, customer)
}

pub async fn touch(tx: &mut Tx, account: AccountRef, now: Timestamp) -> Result<()> {
    let (staff, customer) = account.columns();
    execute!(tx, TOUCH_SESSIONS, staff, customer, now).map(drop)
}

pub async fn changed(tx: &mut Tx, since: Timestamp, usable_since: Timestamp) -> Result<Vec<SessionHolderRow>> {
    fetch_all!(tx, SessionHolderRow, CHANGED_SESSIONS, since, usable_since)
}

pub async fn with_holder(tx: &mut Tx, id: Uuid) -> Result<Option<SessionHolderRow>> {
    fetch_optional!(tx, SessionHolderRow, FOUND_SESSION, id)
}

fn ids(rows: Vec<(Uuid,)>) -> Vec<Uuid> {
    rows.into_iter().map(|(id,)| id).collect()
}

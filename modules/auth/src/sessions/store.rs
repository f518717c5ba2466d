//! Sessions in SQL.

use agio_core::identity::{Role, Staff};
use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_optional};
use uuid::Uuid;

use super::{Holder, NewSession, Standing};
use crate::tokens::Shown;

/// What is to be known of sessions and their holders.
macro_rules! known {
    ($which:literal) => {
        concat!(
            "SELECT session.id, session.refreshed_at, session.ended_at, session.staff_id, session.customer_id,
                session.proved, session.confirmed_at, staff.name, staff.role, staff.disabled, customer.email, customer.activated_at, customer.banned_at
            FROM account_session session
            LEFT JOIN staff ON staff.id = session.staff_id
            LEFT JOIN customer ON customer.id = session.customer_id
            WHERE ",
            $which
        )
    };
}

agio_core::statements! {
    INSERT_SESSION = "INSERT INTO account_session (id, staff_id, customer_id, generation, address, agent, created_at, refreshed_at, expires_at, changed_at, proved)
        VALUES ($1, $2, $3, 0, $4, $5, $6, $6, $7, $6, $8)";
    SESSION = "SELECT id, generation, address, agent, created_at, refreshed_at, expires_at, ended_at FROM account_session WHERE id = $1";
    ADVANCE_SESSION = "UPDATE account_session SET generation = generation + 1, refreshed_at = $3, changed_at = $3
        WHERE id = $1 AND generation = $2 AND ended_at IS NULL AND expires_at > $3 AND refreshed_at > $4";
    SESSION_STANDING = "SELECT proved, confirmed_at FROM account_session WHERE id = $1";
    CONFIRM_SESSION = "UPDATE account_session SET confirmed_at = $5, proved = (proved OR $4), changed_at = $5
        WHERE id = $1 AND (staff_id = $2 OR customer_id = $3) AND ended_at IS NULL";
    INSERT_REPLACED = "INSERT INTO session_refresh (session_id, generation, used_at) VALUES ($1, $2, $3)";
    FORGET_REPLACED = "DELETE FROM session_refresh WHERE session_id = $1 AND used_at < $2";
    REPLACED_AT = "SELECT used_at FROM session_refresh WHERE session_id = $1 AND generation = $2";
    END_SESSION = "UPDATE account_session SET ended_at = $2, changed_at = $2 WHERE id = $1 AND ended_at IS NULL RETURNING id";
    END_OWN_SESSION = "UPDATE account_session SET ended_at = $4, changed_at = $4
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
    FORGET_OLD_REPLACED = "DELETE FROM session_refresh WHERE session_id IN (SELECT id FROM account_session WHERE expires_at < $1 OR ended_at < $1)";
    FORGET_SESSIONS = "DELETE FROM account_session WHERE expires_at < $1 OR ended_at < $1";
}

/// Whose sessions are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Account {
    /// A member of staff's.
    Staff(Uuid),
    /// A customer's.
    Customer(Uuid),
}

impl Account {
    /// The two columns that say whose a session is.
    fn columns(self) -> (Option<Uuid>, Option<Uuid>) {
        match self {
            Self::Staff(id) => (Some(id), None),
            Self::Customer(id) => (None, Some(id)),
        }
    }
}

/// A session as stored.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct SessionRow {
    /// Identifier.
    pub id: Uuid,
    /// How often it was refreshed.
    pub generation: i64,
    /// Where the sign-in came from.
    pub address: String,
    /// What the browser calls itself.
    pub agent: String,
    /// When somebody signed in.
    pub created_at: Timestamp,
    /// When it was last refreshed.
    pub refreshed_at: Timestamp,
    /// When it ends at the latest.
    pub expires_at: Timestamp,
    /// When it was ended.
    pub ended_at: Option<Timestamp>,
}

impl SessionRow {
    /// Whether it may still be used.
    pub fn is_live(&self, idle_since: Timestamp, now: Timestamp) -> bool {
        self.ended_at.is_none() && now < self.expires_at && self.refreshed_at > idle_since
    }
}

/// A session with what is to be known of its holder.
#[derive(sqlx::FromRow)]
pub struct Changed {
    pub id: Uuid,
    pub refreshed_at: Timestamp,
    ended_at: Option<Timestamp>,
    staff_id: Option<Uuid>,
    customer_id: Option<Uuid>,
    proved: bool,
    confirmed_at: Option<Timestamp>,
    name: Option<String>,
    role: Option<Role>,
    disabled: Option<bool>,
    email: Option<String>,
    activated_at: Option<Timestamp>,
    banned_at: Option<Timestamp>,
}

impl Changed {
    /// What was shown in it.
    pub fn standing(&self) -> Standing {
        Standing { proved: self.proved, confirmed_at: self.confirmed_at }
    }

    /// Whose it is; nobody's if it has ended or its account is closed.
    pub fn holder(&self) -> Option<Holder> {
        if self.ended_at.is_some() || self.disabled.unwrap_or(false) || self.banned_at.is_some() {
            return None;
        }
        if let (Some(id), Some(name), Some(role)) = (self.staff_id, &self.name, self.role) {
            return Some(Holder::Staff(Staff { id, name: name.clone(), role, address: None }));
        }
        let (id, email) = (self.customer_id?, self.email.clone()?);
        Some(Holder::Customer { id, email, activated: self.activated_at.is_some() })
    }
}

pub async fn insert(tx: &mut Tx, new: &NewSession, now: Timestamp, expires_at: Timestamp) -> Result<()> {
    let (staff, customer) = new.holder.account().columns();
    execute!(tx, INSERT_SESSION, new.id, staff, customer, &new.address, &new.agent, now, expires_at, new.proved).map(drop)
}

/// What was shown in a session; nothing in one that is not there.
pub async fn standing(tx: &mut Tx, id: Uuid) -> Result<Standing> {
    let row = fetch_optional!(tx, (bool, Option<Timestamp>), SESSION_STANDING, id)?;
    Ok(row.map(|(proved, confirmed_at)| Standing { proved, confirmed_at }).unwrap_or_default())
}

/// Notes that a session was confirmed; false if it is not this account's or over.
pub async fn confirm(tx: &mut Tx, id: Uuid, account: Account, proved: bool, now: Timestamp) -> Result<bool> {
    let (staff, customer) = account.columns();
    Ok(execute!(tx, CONFIRM_SESSION, id, staff, customer, proved, now)? == 1)
}

pub async fn session(tx: &mut Tx, id: Uuid) -> Result<Option<SessionRow>> {
    fetch_optional!(tx, SessionRow, SESSION, id)
}

/// Goes on to the next generation; false if the session is not live or not at this one.
pub async fn advance(tx: &mut Tx, shown: Shown, idle_since: Timestamp, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, ADVANCE_SESSION, shown.session, shown.generation, now, idle_since)? == 1)
}

/// Remembers when a generation was replaced, for as long as that matters.
pub async fn replaced(tx: &mut Tx, shown: Shown, now: Timestamp, settled_before: Timestamp) -> Result<()> {
    execute!(tx, FORGET_REPLACED, shown.session, settled_before)?;
    execute!(tx, INSERT_REPLACED, shown.session, shown.generation, now).map(drop)
}

pub async fn replaced_at(tx: &mut Tx, shown: Shown) -> Result<Option<Timestamp>> {
    let row = fetch_optional!(tx, (Timestamp,), REPLACED_AT, shown.session, shown.generation)?;
    Ok(row.map(|(at,)| at))
}

pub async fn end(tx: &mut Tx, id: Uuid, now: Timestamp) -> Result<Vec<Uuid>> {
    Ok(ids(fetch_all!(tx, (Uuid,), END_SESSION, id, now)?))
}

pub async fn end_own(tx: &mut Tx, id: Uuid, account: Account, now: Timestamp) -> Result<Vec<Uuid>> {
    let (staff, customer) = account.columns();
    Ok(ids(fetch_all!(tx, (Uuid,), END_OWN_SESSION, id, staff, customer, now)?))
}

pub async fn end_all(tx: &mut Tx, account: Account, but: Option<Uuid>, now: Timestamp) -> Result<Vec<Uuid>> {
    let (staff, customer) = account.columns();
    Ok(ids(fetch_all!(tx, (Uuid,), END_SESSIONS, staff, customer, but.unwrap_or_default(), now)?))
}

pub async fn end_surplus(tx: &mut Tx, account: Account, most: i64, now: Timestamp) -> Result<Vec<Uuid>> {
    let (staff, customer) = account.columns();
    Ok(ids(fetch_all!(tx, (Uuid,), END_SURPLUS_SESSIONS, staff, customer, most, now)?))
}

pub async fn of(tx: &mut Tx, account: Account) -> Result<Vec<SessionRow>> {
    let (staff, customer) = account.columns();
    fetch_all!(tx, SessionRow, SESSIONS_OF, staff, customer)
}

pub async fn touch(tx: &mut Tx, account: Account, now: Timestamp) -> Result<()> {
    let (staff, customer) = account.columns();
    execute!(tx, TOUCH_SESSIONS, staff, customer, now).map(drop)
}

pub async fn changed(tx: &mut Tx, since: Timestamp, usable_since: Timestamp) -> Result<Vec<Changed>> {
    fetch_all!(tx, Changed, CHANGED_SESSIONS, since, usable_since)
}

/// A session as it is now.
pub async fn found(tx: &mut Tx, id: Uuid) -> Result<Option<Changed>> {
    fetch_optional!(tx, Changed, FOUND_SESSION, id)
}

pub async fn forget_before(tx: &mut Tx, before: Timestamp) -> Result<()> {
    execute!(tx, FORGET_OLD_REPLACED, before)?;
    execute!(tx, FORGET_SESSIONS, before).map(drop)
}

fn ids(rows: Vec<(Uuid,)>) -> Vec<Uuid> {
    rows.into_iter().map(|(id,)| id).collect()
}

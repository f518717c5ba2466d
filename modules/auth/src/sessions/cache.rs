//! Cache of the sessions whose access tokens may be valid.
//!
//! A session is cached for the lifetime of its last access token, so the size depends on the sessions in use.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use agio_core::events::{ChangeEvent, EventBus};
use agio_core::identity::Staff;
use agio_core::{Timestamp, Tx};
use uuid::Uuid;

use super::store::SessionHolderRow;
use super::{ACCESS_LIFE, GRACE, SessionStatus};
use crate::audience::AccountRef;

/// Overlap of reads: more than clock skew plus the length of a transaction.
const OVERLAP: Duration = Duration::from_secs(30);

/// Holder of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionHolder {
    Staff(Staff),
    Customer {
        id: Uuid,
        email: String,
        /// Whether the e-mail address is confirmed.
        activated: bool,
    },
}

impl SessionHolder {
    pub fn account(&self) -> AccountRef {
        match self {
            Self::Staff(staff) => AccountRef::staff(staff.id),
            Self::Customer { id, .. } => AccountRef::customer(*id),
        }
    }
}

enum CacheEntry {
    Active {
        holder: SessionHolder,
        status: SessionStatus,
        until: Timestamp,
    },
    /// Kept so that a stale read does not revive the session.
    Ended {
        remove_at: Timestamp,
    },
}

/// Clones share the content.
#[derive(Clone)]
pub struct SessionCache(Arc<CacheState>);

struct CacheState {
    events: EventBus,
    sessions: RwLock<HashMap<Uuid, CacheEntry>>,
    /// Time of the last read, in microseconds; zero before the first.
    read_until: AtomicI64,
}

impl SessionCache {
    pub fn new(events: &EventBus) -> Self {
        Self(Arc::new(CacheState { events: events.clone(), sessions: RwLock::default(), read_until: AtomicI64::new(0) }))
    }

    /// Changes after this time have to be read.
    pub fn read_until(&self) -> Timestamp {
        Timestamp(self.0.read_until.load(Ordering::Relaxed)).minus(OVERLAP)
    }

    /// Applies changes and drops expired entries.
    pub fn apply_changes(&self, rows: Vec<SessionHolderRow>, now: Timestamp) {
        self.update(rows, now);
        let mut sessions = self.0.sessions.write().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|_, entry| match entry {
            CacheEntry::Active { until, .. } => now < *until,
            CacheEntry::Ended { remove_at } => now < *remove_at,
        });
        self.0.read_until.store(now.0, Ordering::Relaxed);
    }

    /// Applies rows from the database.
    pub fn update(&self, rows: impl IntoIterator<Item = SessionHolderRow>, now: Timestamp) {
        let mut sessions = self.0.sessions.write().unwrap_or_else(PoisonError::into_inner);
        for row in rows {
            match row.holder() {
                Some(holder) => store(&mut sessions, row.id, holder, row.status(), row.refreshed_at),
                None => mark_ended(&mut sessions, row.id, now),
            }
        }
    }

    /// Holder and status of a live session.
    pub fn holder(&self, session: Uuid, now: Timestamp) -> Option<(SessionHolder, SessionStatus)> {
        match self.0.sessions.read().unwrap_or_else(PoisonError::into_inner).get(&session)? {
            CacheEntry::Active { holder, status, until } if now < *until => Some((holder.clone(), *status)),
            _ => None,
        }
    }

    /// Caches a session after the commit. Other nodes are notified of new ones.
    pub fn store_after_commit(
        &self,
        tx: &mut Tx,
        session: Uuid,
        (holder, status): (SessionHolder, SessionStatus),
        is_new: bool,
        now: Timestamp,
    ) {
        self.after(tx, is_new, move |sessions| store(sessions, session, holder, status, now));
    }

    /// Adds a confirmation after the commit.
    pub fn confirm_after_commit(&self, tx: &mut Tx, session: Uuid, confirmed: SessionStatus) {
        self.after(tx, true, move |sessions| {
            if let Some(CacheEntry::Active { status, .. }) = sessions.get_mut(&session) {
                *status = status.and(confirmed);
            }
        });
    }

    /// Removes ended sessions after the commit.
    pub fn remove_after_commit(&self, tx: &mut Tx, ended: Vec<Uuid>, now: Timestamp) {
        if !ended.is_empty() {
            self.after(tx, true, move |sessions| ended.into_iter().for_each(|session| mark_ended(sessions, session, now)));
        }
    }

    /// Replaces a changed holder after the commit.
    pub fn replace_holder_after_commit(&self, tx: &mut Tx, changed: SessionHolder) {
        self.after(tx, true, move |sessions| {
            for entry in sessions.values_mut() {
                if let CacheEntry::Active { holder, .. } = entry
                    && holder.account() == changed.account()
                {
                    holder.clone_from(&changed);
                }
            }
        });
    }

    fn after(&self, tx: &mut Tx, publishes: bool, change: impl FnOnce(&mut HashMap<Uuid, CacheEntry>) + Send + 'static) {
        let cache = self.clone();
        tx.after_commit(move || {
            change(&mut cache.0.sessions.write().unwrap_or_else(PoisonError::into_inner));
            if publishes {
                cache.0.events.publish(ChangeEvent::Sessions);
            }
        });
    }
}

fn store(
    sessions: &mut HashMap<Uuid, CacheEntry>,
    session: Uuid,
    holder: SessionHolder,
    status: SessionStatus,
    refreshed_at: Timestamp,
) {
    let until = refreshed_at.plus(ACCESS_LIFE + GRACE);
    // A read may be older than the cache: the status of a session only ever grows.
    let status = match sessions.get(&session) {
        Some(CacheEntry::Ended { .. }) => return,
        Some(CacheEntry::Active { until: known, .. }) if *known > until => return,
        Some(CacheEntry::Active { status: known, .. }) => status.and(*known),
        None => status,
    };
    sessions.insert(session, CacheEntry::Active { holder, status, until });
}

fn mark_ended(sessions: &mut HashMap<Uuid, CacheEntry>, session: Uuid, now: Timestamp) {
    sessions.insert(session, CacheEntry::Ended { remove_at: now.plus(ACCESS_LIFE + GRACE) });
}

//! The sessions whose access tokens may be good now.
//!
//! A session is here for as long as an access token of its last refresh lives, so what is kept grows with who is here now and not with
//! who ever signed in.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use agio_core::identity::Staff;
use agio_core::live::{Live, Notice};
use agio_core::{Timestamp, Tx};
use uuid::Uuid;

use super::store::{Account, Changed};
use super::{ACCESS_LIFE, GRACE, Standing};
use crate::tokens::Audience;

/// How far back changes are read again: more than the clocks of two nodes differ and a transaction lasts.
const OVERLAP: Duration = Duration::from_secs(30);

/// Whose a session is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A member of staff.
    Staff(Staff),
    /// A customer.
    Customer {
        /// Identifier of the account.
        id: Uuid,
        /// The e-mail address.
        email: String,
        /// Whether the address was shown to be theirs.
        activated: bool,
    },
}

impl Holder {
    /// Whom their tokens are for.
    pub fn audience(&self) -> Audience {
        match self {
            Self::Staff(_) => Audience::Console,
            Self::Customer { .. } => Audience::Site,
        }
    }

    /// Whose account it is.
    pub fn account(&self) -> Account {
        match self {
            Self::Staff(staff) => Account::Staff(staff.id),
            Self::Customer { id, .. } => Account::Customer(*id),
        }
    }
}

enum Entry {
    Live {
        holder: Holder,
        standing: Standing,
        until: Timestamp,
    },
    /// It has ended and never comes back, whatever somebody who looked a moment before still believes.
    Ended {
        forget_at: Timestamp,
    },
}

/// Clones share what is known.
#[derive(Clone)]
pub struct Memory(Arc<Inner>);

struct Inner {
    live: Live,
    sessions: RwLock<HashMap<Uuid, Entry>>,
    /// Up to when changes were read, in microseconds; zero before the first time.
    read_until: AtomicI64,
}

impl Memory {
    /// A memory that tells the other nodes when they have to look again.
    pub fn new(live: &Live) -> Self {
        Self(Arc::new(Inner { live: live.clone(), sessions: RwLock::default(), read_until: AtomicI64::new(0) }))
    }

    /// The moment after which changes have to be read.
    pub fn read_until(&self) -> Timestamp {
        Timestamp(self.0.read_until.load(Ordering::Relaxed)).minus(OVERLAP)
    }

    /// Takes in everything that changed, and forgets what is past.
    pub fn learn(&self, rows: Vec<Changed>, now: Timestamp) {
        self.hear(rows, now);
        let mut sessions = self.0.sessions.write().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|_, entry| match entry {
            Entry::Live { until, .. } => now < *until,
            Entry::Ended { forget_at } => now < *forget_at,
        });
        self.0.read_until.store(now.0, Ordering::Relaxed);
    }

    /// Takes in what the database says of sessions.
    pub fn hear(&self, rows: impl IntoIterator<Item = Changed>, now: Timestamp) {
        let mut sessions = self.0.sessions.write().unwrap_or_else(PoisonError::into_inner);
        for row in rows {
            match row.holder() {
                Some(holder) => know(&mut sessions, row.id, holder, row.standing(), row.refreshed_at),
                None => forget(&mut sessions, row.id, now),
            }
        }
    }

    /// Whose session this is, and how it stands, if it is live.
    pub fn holder(&self, session: Uuid, now: Timestamp) -> Option<(Holder, Standing)> {
        match self.0.sessions.read().unwrap_or_else(PoisonError::into_inner).get(&session)? {
            Entry::Live { holder, standing, until } if now < *until => Some((holder.clone(), *standing)),
            _ => None,
        }
    }

    /// Knows a session that is used now. Other nodes know it already, or are told that it is new.
    pub fn know_after(&self, tx: &mut Tx, session: Uuid, (holder, standing): (Holder, Standing), is_new: bool, now: Timestamp) {
        self.after(tx, is_new, move |sessions| know(sessions, session, holder, standing, now));
    }

    /// Notes what was shown in a session.
    pub fn stand_after(&self, tx: &mut Tx, session: Uuid, shown: Standing) {
        self.after(tx, true, move |sessions| {
            if let Some(Entry::Live { standing, .. }) = sessions.get_mut(&session) {
                *standing = standing.and(shown);
            }
        });
    }

    /// Forgets sessions that were ended.
    pub fn forget_after(&self, tx: &mut Tx, ended: Vec<Uuid>, now: Timestamp) {
        if !ended.is_empty() {
            self.after(tx, true, move |sessions| ended.into_iter().for_each(|session| forget(sessions, session, now)));
        }
    }

    /// Puts a changed account in place of what was known of it.
    pub fn change_after(&self, tx: &mut Tx, changed: Holder) {
        self.after(tx, true, move |sessions| {
            for entry in sessions.values_mut() {
                if let Entry::Live { holder, .. } = entry
                    && holder.account() == changed.account()
                {
                    holder.clone_from(&changed);
                }
            }
        });
    }

    fn after(&self, tx: &mut Tx, tell: bool, change: impl FnOnce(&mut HashMap<Uuid, Entry>) + Send + 'static) {
        let memory = self.clone();
        tx.after_commit(move || {
            change(&mut memory.0.sessions.write().unwrap_or_else(PoisonError::into_inner));
            if tell {
                memory.0.live.tell(Notice::Sessions);
            }
        });
    }
}

fn know(sessions: &mut HashMap<Uuid, Entry>, session: Uuid, holder: Holder, standing: Standing, refreshed_at: Timestamp) {
    let until = refreshed_at.plus(ACCESS_LIFE + GRACE);
    // What was read a moment before may be older than what is known: a session only gains in standing while it lasts.
    let standing = match sessions.get(&session) {
        Some(Entry::Ended { .. }) => return,
        Some(Entry::Live { until: known, .. }) if *known > until => return,
        Some(Entry::Live { standing: known, .. }) => standing.and(*known),
        None => standing,
    };
    sessions.insert(session, Entry::Live { holder, standing, until });
}

fn forget(sessions: &mut HashMap<Uuid, Entry>, session: Uuid, now: Timestamp) {
    sessions.insert(session, Entry::Ended { forget_at: now.plus(ACCESS_LIFE + GRACE) });
}

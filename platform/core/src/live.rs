//! Live notices: what has just become durable, told to whoever listens in this process.
//!
//! A notice says that something changed, never what it is now: listeners read the present state themselves, so a
//! lost or doubled notice does no harm.

use tokio::sync::broadcast;
use uuid::Uuid;

/// How many notices a slow listener may fall behind before it is told to read everything again.
const BACKLOG: usize = 1_024;

/// Something that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A claim was made or moved on.
    Claim(Uuid),
    /// The reserve of a currency changed.
    Reserve(i64),
    /// Currencies, pairs or rates changed.
    Market,
    /// Technical mode was switched.
    TechnicalMode(bool),
}

/// The notice board. Clones share it.
#[derive(Clone)]
pub struct Live(broadcast::Sender<Notice>);

impl Default for Live {
    fn default() -> Self {
        Self(broadcast::channel(BACKLOG).0)
    }
}

impl Live {
    /// Tells everybody who listens now.
    pub fn tell(&self, notice: Notice) {
        // Nobody listening is the usual case, not a failure.
        let _ = self.0.send(notice);
    }

    /// Listens from now on.
    #[must_use]
    pub fn listen(&self) -> broadcast::Receiver<Notice> {
        self.0.subscribe()
    }
}

//! Change events: what has just been committed, published within this process and to the other nodes.
//!
//! An event says that something changed, not what it is now. Subscribers read the current state themselves, so a lost
//! or repeated event does no harm.

use std::fmt;
use std::str::FromStr;

use tokio::sync::broadcast;
use uuid::Uuid;

/// How many events a slow subscriber may fall behind before it has to reload everything.
const BACKLOG: usize = 1_024;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeEvent {
    /// A claim was created or changed.
    Claim(Uuid),
    /// The reserve of a currency, by its id.
    Reserve(i64),
    /// Currencies, pairs or rates.
    Market,
    Settings,
    /// Technical mode was switched on or off.
    TechnicalMode(bool),
    /// Sessions, permissions or accounts.
    Sessions,
    Approvals,
    Content,
    /// Partners or their API keys.
    Partners,
    Plugins,
}

impl fmt::Display for ChangeEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Claim(id) => write!(f, "claim {id}"),
            Self::Reserve(currency) => write!(f, "reserve {currency}"),
            Self::Market => f.write_str("market"),
            Self::Settings => f.write_str("settings"),
            Self::TechnicalMode(on) => write!(f, "technical_mode {on}"),
            Self::Sessions => f.write_str("sessions"),
            Self::Approvals => f.write_str("approvals"),
            Self::Content => f.write_str("content"),
            Self::Partners => f.write_str("partners"),
            Self::Plugins => f.write_str("plugins"),
        }
    }
}

impl FromStr for ChangeEvent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || format!("{text:?} is not a change event");
        let (kind, of) = text.split_once(' ').unwrap_or((text, ""));
        Ok(match kind {
            "claim" => Self::Claim(of.parse().map_err(|_| unknown())?),
            "reserve" => Self::Reserve(of.parse().map_err(|_| unknown())?),
            "market" => Self::Market,
            "settings" => Self::Settings,
            "technical_mode" => Self::TechnicalMode(of.parse().map_err(|_| unknown())?),
            "sessions" => Self::Sessions,
            "approvals" => Self::Approvals,
            "content" => Self::Content,
            "partners" => Self::Partners,
            "plugins" => Self::Plugins,
            _ => return Err(unknown()),
        })
    }
}

/// Publishes changes to the subscribers of this process. Clones share it.
#[derive(Clone)]
pub struct EventBus {
    /// Every event, wherever it comes from.
    all: broadcast::Sender<ChangeEvent>,
    /// Events of this process, to be passed on to the other nodes.
    local: broadcast::Sender<ChangeEvent>,
}

impl Default for EventBus {
    fn default() -> Self {
        Self { all: broadcast::channel(BACKLOG).0, local: broadcast::channel(BACKLOG).0 }
    }
}

impl EventBus {
    /// Publishes an event to this process and to the other nodes.
    pub fn publish(&self, event: ChangeEvent) {
        // No subscribers is the usual case, not a failure.
        let _ = self.local.send(event);
        self.publish_remote(event);
    }

    /// Publishes an event received from another node to this process only.
    pub fn publish_remote(&self, event: ChangeEvent) {
        let _ = self.all.send(event);
    }

    /// Subscribes to every event from now on.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<ChangeEvent> {
        self.all.subscribe()
    }

    /// Subscribes to the events of this process.
    #[must_use]
    pub fn subscribe_to_local(&self) -> broadcast::Receiver<ChangeEvent> {
        self.local.subscribe()
    }
}

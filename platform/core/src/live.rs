//! Live notices: what has just become durable, told to whoever listens in this process, and from there to the other nodes.
//!
//! A notice says that something changed, never what it is now: listeners read the present state themselves, so a
//! lost or doubled notice does no harm.

use std::fmt;
use std::str::FromStr;

use tokio::sync::broadcast;
use uuid::Uuid;

/// How many notices a slow listener may fall behind before it is told to read everything again.
const BACKLOG: usize = 1_024;

/// Something that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Notice {
    /// A claim was made or moved on.
    Claim(Uuid),
    /// The reserve of a currency changed.
    Reserve(i64),
    /// Currencies, pairs or rates changed.
    Market,
    /// Settings changed.
    Settings,
    /// Technical mode was switched.
    TechnicalMode(bool),
    /// Somebody's sessions, rights or account changed.
    Sessions,
    /// Something was proposed or decided.
    Approvals,
    /// A page's text was published.
    Content,
    /// A partner or a partner's key was made, changed or revoked.
    Partners,
    /// A plugin was switched or set.
    Plugins,
}

impl fmt::Display for Notice {
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

impl FromStr for Notice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || format!("{text:?} is no notice");
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

/// The notice board. Clones share it.
#[derive(Clone)]
pub struct Live {
    /// Everything.
    all: broadcast::Sender<Notice>,
    /// What happened in this process, for those who tell the other nodes.
    own: broadcast::Sender<Notice>,
}

impl Default for Live {
    fn default() -> Self {
        Self { all: broadcast::channel(BACKLOG).0, own: broadcast::channel(BACKLOG).0 }
    }
}

impl Live {
    /// Tells everybody who listens now, in this process and on other nodes.
    pub fn tell(&self, notice: Notice) {
        // Nobody listening is the usual case, not a failure.
        let _ = self.own.send(notice);
        self.pass_on(notice);
    }

    /// Tells everybody in this process what was heard from another node.
    pub fn pass_on(&self, notice: Notice) {
        let _ = self.all.send(notice);
    }

    /// Listens from now on.
    #[must_use]
    pub fn listen(&self) -> broadcast::Receiver<Notice> {
        self.all.subscribe()
    }

    /// Listens to what happens in this process alone.
    #[must_use]
    pub fn listen_to_own(&self) -> broadcast::Receiver<Notice> {
        self.own.subscribe()
    }
}

//! What every module is given.

use std::sync::Arc;

use crate::background::BackgroundExecutor;
use crate::clock::Clock;
use crate::db::Db;
use crate::events::EventBus;
use crate::outbox::Outbox;
use crate::random::Random;
use crate::settings::Settings;
use crate::vault::Vault;

/// Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Platform {
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    pub random: Arc<dyn Random>,
    pub settings: Settings,
    pub events: EventBus,
    pub outbox: Outbox,
    /// Encryption of small secrets.
    pub vault: Vault,
    pub background: BackgroundExecutor,
}

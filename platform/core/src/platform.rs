//! What every module is given when it is made.

use std::sync::Arc;

use crate::aside::Aside;
use crate::clock::Clock;
use crate::db::Db;
use crate::live::Live;
use crate::outbox::Outbox;
use crate::random::Random;
use crate::settings::Settings;
use crate::vault::Vault;

/// The ground a module stands on. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Platform {
    /// The database.
    pub db: Db,
    /// The present.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub random: Arc<dyn Random>,
    /// What the operator has set.
    pub settings: Settings,
    /// Live notices.
    pub live: Live,
    /// Where what leaves the house waits.
    pub outbox: Outbox,
    /// Sealing of small secrets.
    pub vault: Vault,
    /// Where long work is done that nobody waits for.
    pub aside: Aside,
}

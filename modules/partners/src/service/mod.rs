//! The use cases: one function, one transaction.

mod admission;
mod desk;
mod keyring;
mod keys;
mod orders;
mod rehearsals;
mod telling;
mod usage;
mod webhooks;

use std::sync::Arc;
use std::time::Duration;

use agio_core::needs::{PartnerClaims, PartnerOffers};
use agio_core::{Platform, Result};

use crate::store;

pub use admission::{Admission, PartnerCaller, SignedCall};
pub use desk::{PartnerChange, PartnerMade, PartnerWhole, PartnerWish};
pub use keyring::Keyring;
pub use keys::KeyWish;
pub use orders::{NewOrder, RateType};
pub use usage::Usage;
pub use webhooks::{News, Webhooks};

/// How long a nonce is remembered after its call would not be taken any more: nodes' clocks differ a little.
const NONCE_KEPT: Duration = Duration::from_secs(60);

/// How long a rehearsal is kept after its last step.
const REHEARSAL_KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The partners' office.
pub struct Partners {
    pub(crate) platform: Platform,
    pub(crate) keyring: Keyring,
    pub(crate) webhooks: Arc<Webhooks>,
    pub(crate) offers: Arc<dyn PartnerOffers>,
    pub(crate) claims: Arc<dyn PartnerClaims>,
    allows_private: bool,
    usage: usage::Meter,
    /// What unknown keys are measured against, so that they cannot be told from known ones.
    decoy: [u8; 32],
}

impl Partners {
    /// The office, with who tells partners, what is offered, and the claims; and whether partners may be called inside the house's own
    /// network.
    #[must_use]
    pub fn new(
        platform: &Platform,
        webhooks: Arc<Webhooks>,
        offers: Arc<dyn PartnerOffers>,
        claims: Arc<dyn PartnerClaims>,
        allows_private: bool,
    ) -> Arc<Self> {
        let mut decoy = [0; 32];
        platform.random.fill(&mut decoy);
        Arc::new(Self {
            platform: platform.clone(),
            keyring: webhooks.keyring().clone(),
            webhooks,
            offers,
            claims,
            allows_private,
            usage: usage::Meter::default(),
            decoy,
        })
    }

    /// Reads partners and keys anew.
    ///
    /// # Errors
    /// The database cannot be read, or a secret not be opened.
    pub async fn load(&self) -> Result<()> {
        self.keyring.load(&self.platform).await
    }

    /// Forgets nonces whose calls would not be taken any more.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn forget_nonces(&self) -> Result<()> {
        let before = self.platform.clock.now().minus(NONCE_KEPT);
        self.platform.db.write(move |tx| Box::pin(async move { store::forget_nonces(tx, before).await.map(drop) })).await
    }

    /// Forgets old rehearsals.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn forget_rehearsals(&self) -> Result<()> {
        let before = self.platform.clock.now().minus(REHEARSAL_KEPT);
        self.platform.db.write(move |tx| Box::pin(async move { store::forget_rehearsals(tx, before).await.map(drop) })).await
    }
}

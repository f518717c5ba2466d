//! The use cases: one function, one transaction.

mod admission;
mod commissions;
mod deciding;
mod desk;
pub(crate) mod keyring;
mod keys;
mod letters;
mod orders;
mod own;
mod payout;
mod rehearsals;
mod telling;
mod usage;
mod webhooks;

use std::sync::Arc;
use std::time::Duration;

use agio_approvals::Approvals;
use agio_core::needs::{Offers, OwnerProof, PartnerClaims, PartnerOffers, Worths};
use agio_core::{Platform, Result};
use agio_mail::Mailroom;
use arc_swap::ArcSwapOption;

use crate::store::{self, accounts};
use crate::trustee::{self, RateList};

pub(crate) use admission::WINDOW_SECONDS;
pub use admission::{Admission, PartnerCaller, SignedCall};
pub use commissions::{Commissions, Earnings};
pub use deciding::Decision;
pub use desk::{PartnerChange, PartnerMade, PartnerWhole, PartnerWish};
pub use keyring::Keyring;
pub use keys::KeyWish;
pub use orders::{NewOrder, RateType};
pub use own::{Access, AccessWish, OWN_PER_MINUTE};
pub use payout::{AgreedCommission, Payout};
pub use usage::Usage;
pub use webhooks::{News, Webhooks};

/// How long a nonce is remembered after its call would not be taken any more: nodes' clocks differ a little.
const NONCE_KEPT: Duration = Duration::from_secs(60);

/// For how many minutes and days it is remembered how often keys were used.
const MINUTES_KEPT: i64 = 10;
const DAYS_KEPT: i64 = 370;

/// How long a rehearsal is kept after its last step.
const REHEARSAL_KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// What the partners' office needs of other rooms.
pub struct Needs {
    /// What is offered.
    pub offers: Arc<dyn PartnerOffers>,
    /// The same as lists of it are made from.
    pub directions: Arc<dyn Offers>,
    /// The claims.
    pub claims: Arc<dyn PartnerClaims>,
    /// Whose account is whose.
    pub owners: Arc<dyn OwnerProof>,
    /// What money is worth.
    pub worths: Arc<dyn Worths>,
    /// What two people decide.
    pub approvals: Approvals,
    /// Who writes letters.
    pub mailroom: Mailroom,
    /// Where the site is, without a slash at the end.
    pub site: String,
}

/// The partners' office.
pub struct Partners {
    pub(crate) platform: Platform,
    pub(crate) keyring: Keyring,
    pub(crate) webhooks: Arc<Webhooks>,
    pub(crate) offers: Arc<dyn PartnerOffers>,
    pub(crate) directions: Arc<dyn Offers>,
    /// What wallets are offered, as it was written last.
    pub(crate) trustee_list: ArcSwapOption<RateList>,
    pub(crate) site: String,
    pub(crate) claims: Arc<dyn PartnerClaims>,
    pub(crate) commissions: Arc<Commissions>,
    pub(crate) approvals: Approvals,
    owners: Arc<dyn OwnerProof>,
    worths: Arc<dyn Worths>,
    letters: letters::Letters,
    allows_private: bool,
    usage: usage::Meter,
    /// What unknown keys are measured against, so that they cannot be told from known ones.
    pub(crate) decoy: [u8; 32],
}

impl Partners {
    /// The office, with who tells partners and what they earn; and whether partners may be called inside the house's own network.
    #[must_use]
    pub fn new(
        platform: &Platform,
        webhooks: Arc<Webhooks>,
        commissions: Arc<Commissions>,
        needs: Needs,
        allows_private: bool,
    ) -> Arc<Self> {
        let mut decoy = [0; 32];
        platform.random.fill(&mut decoy);
        Arc::new(Self {
            platform: platform.clone(),
            keyring: webhooks.keyring().clone(),
            webhooks,
            commissions,
            offers: needs.offers,
            directions: needs.directions,
            trustee_list: ArcSwapOption::empty(),
            site: needs.site,
            claims: needs.claims,
            approvals: needs.approvals,
            owners: needs.owners,
            worths: needs.worths,
            letters: letters::Letters(needs.mailroom),
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

    /// How many customers wait for the staff's word about their access.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn requested(&self) -> Result<i64> {
        accounts::requested(&mut self.platform.db.read().await?).await
    }

    /// Forgets nonces whose calls would not be taken any more, and how often keys were used long ago.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn forget_nonces(&self) -> Result<()> {
        let now = self.platform.clock.now();
        let before = now.minus(NONCE_KEPT);
        let (minute, day) = (usage::minute_of(now) - MINUTES_KEPT, usage::day_of(now) - DAYS_KEPT);
        self.platform
            .db
            .write(move |tx| {
                Box::pin(async move {
                    store::forget_nonces(tx, before).await?;
                    store::usage::forget(tx, minute, day).await
                })
            })
            .await
    }

    /// Forgets old rehearsals.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn forget_rehearsals(&self) -> Result<()> {
        let before = self.platform.clock.now().minus(REHEARSAL_KEPT);
        self.platform
            .db
            .write(move |tx| {
                Box::pin(async move {
                    store::forget_rehearsals(tx, before).await?;
                    trustee::store::forget(tx, before).await.map(drop)
                })
            })
            .await
    }
}

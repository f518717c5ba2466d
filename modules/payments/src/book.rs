//! What claims ask of the payments, in their own transactions.

use std::collections::HashMap;
use std::sync::Arc;

use agio_core::needs::{AutomaticPayments, Counted, PayTo, PaymentHandling, PaymentHandlings, RefundWay, SeenPayment};
use agio_core::{BoxFuture, Error, Platform, Result, Tx};
use arc_swap::ArcSwap;
use uuid::Uuid;

use crate::model::AttemptKind;
use crate::store::{addresses, attempts, movements, routes};

/// How often an address is looked for: under a race for one a statement may come back empty although another is ready.
const LOOKS: usize = 10;

/// The book in which claims find their addresses. Claims hold it; the payments work with it.
pub struct PaymentBook {
    platform: Platform,
    handling: ArcSwap<HashMap<i64, PaymentHandling>>,
}

impl PaymentBook {
    /// The book.
    #[must_use]
    pub fn new(platform: &Platform) -> Arc<Self> {
        Arc::new(Self { platform: platform.clone(), handling: ArcSwap::default() })
    }

    /// Reads how payments are handled.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn load(&self) -> Result<()> {
        let routes = routes::all(&mut self.platform.db.read().await?).await?;
        let handling = routes.iter().map(|route| {
            let confirmations = route.enabled.then(|| u32::try_from(route.confirmations).unwrap_or(u32::MAX));
            let automatic_payout = route.auto_payout.then_some(route.claim_limit);
            (route.currency_id, PaymentHandling { confirmations, automatic_payout })
        });
        self.handling.store(Arc::new(handling.collect()));
        Ok(())
    }

    async fn address_for(&self, tx: &mut Tx, currency: i64, claim: Uuid) -> Result<Option<PayTo>> {
        if !routes::is_enabled(tx, currency).await? {
            return Ok(None);
        }
        let now = self.platform.clock.now();
        for _ in 0..LOOKS {
            if let Some((address, memo)) = addresses::take(tx, currency, claim, now).await? {
                addresses::watch(tx, claim).await?;
                return Ok(Some(PayTo { address, memo: Some(memo).filter(|memo| !memo.is_empty()) }));
            }
        }
        Err(Error::conflict("requisites_unavailable"))
    }

    /// Takes back what was not asked for yet.
    ///
    /// # Errors
    /// The database cannot be written.
    pub(crate) async fn cancel_queued(&self, tx: &mut Tx, claim: Uuid) -> Result<()> {
        for (currency, kind, day, units) in attempts::cancel_queued(tx, claim, self.platform.clock.now()).await? {
            if kind == AttemptKind::Payout {
                routes::unspend(tx, currency, day, units).await?;
            }
        }
        Ok(())
    }

    async fn make_way(&self, tx: &mut Tx, claim: Uuid) -> Result<()> {
        // The order matters: what is queued cannot be asked for any more once this is done, what is being asked for is seen after it.
        self.cancel_queued(tx, claim).await?;
        if attempts::is_under_way(tx, claim).await? {
            return Err(Error::conflict("payout_under_way"));
        }
        Ok(())
    }
}

impl PaymentHandlings for PaymentBook {
    fn handling(&self, currency: i64) -> PaymentHandling {
        self.handling.load().get(&currency).copied().unwrap_or_default()
    }
}

impl AutomaticPayments for PaymentBook {
    fn give_address<'a>(&'a self, tx: &'a mut Tx, currency: i64, claim: Uuid) -> BoxFuture<'a, Result<Option<PayTo>>> {
        Box::pin(async move { self.address_for(tx, currency, claim).await })
    }

    fn before_staff<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { self.make_way(tx, claim).await })
    }

    fn refund_way<'a>(&'a self, tx: &'a mut Tx, currency: i64, claim: Uuid) -> BoxFuture<'a, Result<Option<RefundWay>>> {
        Box::pin(async move {
            let Some(route) = routes::of(tx, currency).await? else { return Ok(None) };
            let is_under_way = attempts::is_refunding(tx, claim).await?;
            Ok(Some(RefundWay { driver: route.driver, is_under_way }))
        })
    }

    fn moved<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { addresses::changed(tx, claim).await })
    }

    fn seen<'a>(&'a self, tx: &'a mut Tx, claim: Uuid, due: i64) -> BoxFuture<'a, Result<Option<SeenPayment>>> {
        Box::pin(async move { movements::seen(tx, claim, due).await })
    }

    fn counted(&self, claim: Uuid) -> BoxFuture<'_, Result<Option<Counted>>> {
        Box::pin(async move {
            let found = movements::confirmations(&mut self.platform.db.read().await?, claim).await?;
            let number = |count: i64| u32::try_from(count).unwrap_or(u32::MAX);
            Ok(found.map(|(fewest, needed)| Counted { confirmations: number(fewest), required: number(needed) }))
        })
    }
}

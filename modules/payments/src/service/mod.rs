//! The use cases: one function, one transaction. Plugins are asked between transactions.

mod attaching;
mod filling;
mod looking;
mod paying;
mod reconciliation;
mod routes;
mod screening;
mod sealing;
mod sending;
mod settling;
mod watching;

use std::sync::{Arc, Mutex};

use agio_approvals::Approvals;
use agio_core::needs::{CurrencyFacts, MovesClaims, Quotes};
use agio_core::{Error, Platform, Result, Timestamp};
use agio_ledger::Ledger;
use agio_plugin_host::Plugins;

use crate::PaymentBook;
use crate::store::reconciliation::SentDifference;
use crate::store::routes::Route;

pub use routes::{AgreedRoute, RouteChange};

/// The payments.
pub struct Payments {
    pub(crate) platform: Platform,
    book: Arc<PaymentBook>,
    claims: Arc<dyn MovesClaims>,
    quotes: Arc<dyn Quotes>,
    plugins: Arc<dyn Plugins>,
    approvals: Approvals,
    ledger: Ledger,
    /// What the last comparison of what left with the books found.
    differences: Mutex<Arc<[SentDifference]>>,
}

impl Payments {
    /// The payments, with the book that claims know, the claims they move, and the plugins they ask.
    #[must_use]
    pub fn new(
        platform: &Platform,
        book: Arc<PaymentBook>,
        claims: Arc<dyn MovesClaims>,
        quotes: Arc<dyn Quotes>,
        plugins: Arc<dyn Plugins>,
        approvals: Approvals,
        ledger: Ledger,
    ) -> Arc<Self> {
        Arc::new(Self {
            platform: platform.clone(),
            book,
            claims,
            quotes,
            plugins,
            approvals,
            ledger,
            differences: Mutex::default(),
        })
    }

    /// A currency that has a route.
    ///
    /// # Errors
    /// 422 `currency_unknown`.
    pub(crate) fn currency(&self, id: i64) -> Result<Arc<CurrencyFacts>> {
        let unknown = || Error::unprocessable("validation_failed").at("currencyId", "currency_unknown");
        self.quotes.currency(id).ok_or_else(unknown)
    }

    /// The plugins that watch networks and pay on them, or judge where money comes from.
    pub(crate) fn plugins(&self, kind: agio_plugin::protocol::Kind) -> Vec<Arc<agio_plugin::protocol::Manifest>> {
        self.plugins.of(kind)
    }

    pub(crate) async fn routes(&self) -> Result<Vec<Route>> {
        crate::store::routes::all(&mut self.platform.db.read().await?).await
    }

    /// Reads how payments are handled, for those who tell customers.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn load(&self) -> Result<()> {
        self.book.load().await
    }

    /// How much staff should look at since a moment: money nobody waits for, and tries to send that nobody could settle.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn troubles_since(&self, since: Timestamp) -> Result<i64> {
        let mut tx = self.platform.db.read().await?;
        let came = crate::store::movements::troubles_since(&mut tx, since).await?;
        Ok(came + crate::store::attempts::unsettled_since(&mut tx, since).await?)
    }
}

/// The number of the calendar day in UTC, counted from 1970-01-01.
fn day_of(moment: Timestamp) -> i64 {
    moment.as_seconds().div_euclid(24 * 60 * 60)
}

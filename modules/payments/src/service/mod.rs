//! The use cases: one function, one transaction. Plugins are called between transactions.

mod address_pool;
mod balances;
mod callbacks;
mod capabilities;
mod invoices;
mod market_part;
mod network_watch;
mod payment_attachment;
mod payment_detection;
mod payout_sending;
mod payouts;
mod reconciliation;
mod routes;
mod screening;
mod settlement;

use std::sync::{Arc, Mutex};

use agio_approvals::Approvals;
use agio_contracts::{ClaimTransitions, CurrencyInfo, PaymentHandlingProvider as _, QuoteProvider};
use agio_core::{Error, Platform, Result, Timestamp};
use agio_ledger::Ledger;
use agio_plugin_runtime::PluginRegistry;
use arc_swap::ArcSwap;

use crate::PaymentRouting;
use crate::store::reconciliation::SentDifference;
use crate::store::routes::Route;

use balances::Balances;
use callbacks::Callbacks;
pub use payouts::PayoutsOpeningApproval;
pub use routes::{PaymentRouteApproval, RouteChange};

pub struct Payments {
    pub(crate) platform: Platform,
    routing: Arc<PaymentRouting>,
    claims: Arc<dyn ClaimTransitions>,
    quotes: Arc<dyn QuoteProvider>,
    plugins: Arc<dyn PluginRegistry>,
    approvals: Approvals,
    ledger: Ledger,
    /// The address of the public site, without a slash at its end.
    site: String,
    /// The result of the last reconciliation.
    differences: Mutex<Arc<[SentDifference]>>,
    pub(crate) callbacks: Callbacks,
    balances: ArcSwap<Balances>,
}

impl Payments {
    pub fn new(
        platform: &Platform,
        routing: Arc<PaymentRouting>,
        claims: Arc<dyn ClaimTransitions>,
        quotes: Arc<dyn QuoteProvider>,
        approvals: Approvals,
        ledger: Ledger,
        site: String,
    ) -> Arc<Self> {
        Arc::new(Self {
            platform: platform.clone(),
            plugins: routing.plugins.clone(),
            routing,
            claims,
            quotes,
            approvals,
            ledger,
            site,
            differences: Mutex::default(),
            callbacks: Callbacks::default(),
            balances: ArcSwap::default(),
        })
    }

    /// Whether customers pay in a currency to addresses of a payment driver.
    pub fn gives_addresses(&self, currency: i64) -> bool {
        self.routing.handling(currency).confirmations.is_some()
    }

    /// A currency that has a route.
    ///
    /// # Errors
    /// 422 `currency_unknown`.
    pub(crate) fn currency(&self, id: i64) -> Result<Arc<CurrencyInfo>> {
        let unknown = || Error::unprocessable("validation_failed").at("currencyId", "currency_unknown");
        self.quotes.by_id(id).ok_or_else(unknown)
    }

    pub(crate) fn plugins(&self, kind: agio_plugin_sdk::protocol::PluginKind) -> Vec<Arc<agio_plugin_sdk::protocol::Manifest>> {
        self.plugins.list(kind)
    }

    pub(crate) async fn routes(&self) -> Result<Vec<Route>> {
        crate::store::routes::all(&mut self.platform.db.read().await?).await
    }

    /// Reloads the routes that are shown to customers.
    pub async fn load(&self) -> Result<()> {
        self.routing.load().await
    }

    /// The number of issues for staff since a time: incoming payments and unsettled attempts.
    pub async fn count_issues_since(&self, since: Timestamp) -> Result<i64> {
        let mut tx = self.platform.db.read().await?;
        let payments = crate::store::movements::count_issues_since(&mut tx, since).await?;
        Ok(payments + crate::store::attempts::count_unsettled_since(&mut tx, since).await?)
    }
}

/// The day in UTC, in days since 1970-01-01.
fn day_of(moment: Timestamp) -> i64 {
    moment.as_seconds().div_euclid(24 * 60 * 60)
}

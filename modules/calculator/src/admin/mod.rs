//! The console's calls about the market: currencies, pairs, reserves, rates, settings and technical mode.

mod currencies;
mod far;
mod pairs;
mod quote_keys;
mod reserves;
mod settings;
mod views;

use std::collections::HashMap;
use std::sync::Arc;

use agio_core::needs::StaffNames;
use agio_core::texts::Texts;
use poem::endpoint::BoxEndpoint;
use poem::http::Method;
use poem_openapi::registry::{MetaApi, Registry};
use poem_openapi::{OpenApi, Tags};

use crate::Calculator;
pub use far::FarPairChange;

use currencies::CurrencyDesk;
use pairs::PairDesk;
use quote_keys::QuoteKeyDesk;
use reserves::ReserveDesk;
use settings::SettingsDesk;

#[derive(Tags)]
enum Tag {
    /// Currencies, pairs and rates.
    Market,
    /// Reserves and their movements.
    Reserves,
    /// Settings and technical mode.
    Settings,
}

/// The desks of the market, as one.
type Desks = (CurrencyDesk, PairDesk, ReserveDesk, QuoteKeyDesk, SettingsDesk);

/// The console's calls about the market.
pub struct MarketDesk(Desks);

impl MarketDesk {
    /// The desk of this calculator. `texts` are those of the whole house, for the titles of settings; `names` knows who
    /// changed them.
    #[must_use]
    pub fn new(calculator: Arc<Calculator>, texts: Arc<Texts>, names: Arc<dyn StaffNames>) -> Self {
        Self((
            CurrencyDesk(calculator.clone()),
            PairDesk(calculator.clone()),
            ReserveDesk(calculator.clone()),
            QuoteKeyDesk(calculator.clone()),
            SettingsDesk { calculator, texts, names },
        ))
    }
}

impl OpenApi for MarketDesk {
    fn meta() -> Vec<MetaApi> {
        Desks::meta()
    }

    fn register(registry: &mut Registry) {
        Desks::register(registry);
    }

    fn add_routes(self, routes: &mut HashMap<String, HashMap<Method, BoxEndpoint<'static>>>) {
        self.0.add_routes(routes);
    }
}

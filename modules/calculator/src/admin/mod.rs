//! Admin API of the market: currencies, pairs, reserves, rates, settings and technical mode.

mod catalogue;
mod currencies;
mod market_tables;
mod pair_approval;
mod pairs;
mod quote_keys;
mod reserves;
mod settings;
mod views;

use std::collections::HashMap;
use std::sync::Arc;

use agio_contracts::StaffLookup;
use agio_core::texts::Texts;
use poem::endpoint::BoxEndpoint;
use poem::http::Method;
use poem_openapi::registry::{MetaApi, Registry};
use poem_openapi::{OpenApi, Tags};

use crate::Calculator;
pub use pair_approval::ApprovedPairUpdate;

use catalogue::CatalogueAdminApi;
use currencies::CurrenciesAdminApi;
use market_tables::MarketTablesAdminApi;
use pairs::PairsAdminApi;
use quote_keys::QuoteKeysAdminApi;
use reserves::ReservesAdminApi;
use settings::SettingsAdminApi;

#[derive(Tags)]
enum Tag {
    /// Currencies, pairs and rates.
    Market,
    /// Reserves and their movements.
    Reserves,
    /// Settings and technical mode.
    Settings,
}

type MarketAdminApis = (
    CurrenciesAdminApi,
    CatalogueAdminApi,
    PairsAdminApi,
    ReservesAdminApi,
    QuoteKeysAdminApi,
    SettingsAdminApi,
    MarketTablesAdminApi,
);

pub struct MarketAdminApi(MarketAdminApis);

impl MarketAdminApi {
    /// `texts` are the texts of all modules; they hold the titles of settings.
    pub fn new(calculator: Arc<Calculator>, texts: Arc<Texts>, names: Arc<dyn StaffLookup>) -> Self {
        Self((
            CurrenciesAdminApi(calculator.clone()),
            CatalogueAdminApi(calculator.clone()),
            PairsAdminApi(calculator.clone()),
            ReservesAdminApi(calculator.clone()),
            QuoteKeysAdminApi(calculator.clone()),
            SettingsAdminApi { calculator: calculator.clone(), texts: texts.clone(), names },
            MarketTablesAdminApi { calculator, texts },
        ))
    }
}

impl OpenApi for MarketAdminApi {
    fn meta() -> Vec<MetaApi> {
        MarketAdminApis::meta()
    }

    fn register(registry: &mut Registry) {
        MarketAdminApis::register(registry);
    }

    fn add_routes(self, routes: &mut HashMap<String, HashMap<Method, BoxEndpoint<'static>>>) {
        self.0.add_routes(routes);
    }
}

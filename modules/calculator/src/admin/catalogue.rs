//! The catalogue of assets and rails.

use std::sync::Arc;

use agio_contracts::CurrencyKind;
use agio_http::{ApiEnum, ApiResult, JsonResponse, StaffAuth, body};
use poem_openapi::OpenApi;

use super::Tag;
use super::currencies::CurrencyInputField;
use super::views::LocalizedName;
use crate::catalogue::{CatalogueCity, CatalogueCurrency, catalogue, cities};
use crate::market::Market;
use crate::{Calculator, MARKET_READ};

/// A currency that can be added, with everything that does not depend on the exchange.
#[body(response)]
#[derive(Debug)]
struct CatalogueEntry {
    /// Code on exchange aggregators, such as `USDTTRC20`.
    code: String,
    /// Asset ticker.
    ticker: String,
    /// Name in both languages.
    name: LocalizedName,
    /// Network or payment system.
    network: LocalizedName,
    /// Kind of currency.
    kind: ApiEnum<CurrencyKind>,
    /// Icon name.
    icon: String,
    /// Decimals stored.
    scale: u32,
    /// Decimals usually shown to customers.
    round_calculator: u32,
    /// Fields that customers fill in.
    inputs: Vec<CurrencyInputField>,
    /// Whether a currency with this code exists.
    taken: bool,
    /// Other words to find it by, in lower case.
    aliases: Vec<String>,
}

/// A city in which cash can change hands.
#[body(response)]
#[derive(Debug)]
struct CatalogueCityEntry {
    /// Code on exchange aggregators, such as `DUBAI`.
    code: String,
    /// Name in both languages.
    name: LocalizedName,
}

impl CatalogueEntry {
    fn new(currency: &CatalogueCurrency, market: &Market) -> Self {
        Self {
            code: currency.code.clone(),
            ticker: currency.ticker.clone(),
            name: (&currency.name).into(),
            network: (&currency.network).into(),
            kind: currency.kind.into(),
            icon: currency.icon.clone(),
            scale: currency.scale,
            round_calculator: currency.round_digits,
            inputs: currency.inputs.iter().map(Into::into).collect(),
            taken: market.currency_named(&currency.code).is_some(),
            aliases: currency.aliases.clone(),
        }
    }
}

pub(super) struct CatalogueAdminApi(pub(super) Arc<Calculator>);

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Market")]
impl CatalogueAdminApi {
    /// List the catalogue
    ///
    /// Known assets and payment systems, to add a currency from. Needs `market.read`.
    #[oai(path = "/catalogue", method = "get", operation_id = "listCatalogue")]
    async fn list_catalogue(&self, auth: StaffAuth) -> ApiResult<JsonResponse<Vec<CatalogueEntry>>> {
        auth.require(MARKET_READ)?;
        let market = self.0.market();
        Ok(JsonResponse(catalogue().iter().map(|currency| CatalogueEntry::new(currency, &market)).collect()))
    }

    /// List known cities
    ///
    /// Cities with their codes on exchange aggregators, to add to a currency of cash. Needs `market.read`.
    #[oai(path = "/catalogue/cities", method = "get", operation_id = "listCatalogueCities")]
    async fn list_cities(&self, auth: StaffAuth) -> ApiResult<JsonResponse<Vec<CatalogueCityEntry>>> {
        auth.require(MARKET_READ)?;
        let entry = |city: &CatalogueCity| CatalogueCityEntry { code: city.code.clone(), name: (&city.name).into() };
        Ok(JsonResponse(cities().iter().map(entry).collect()))
    }
}

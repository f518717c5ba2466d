//! Currencies and observed rates.

use std::sync::Arc;

use agio_contracts::{CurrencyInput, CurrencyKind};
use agio_core::Error;
use agio_core::texts::Locale;
use agio_http::{ApiEnum, ApiResult, DateTime, Dec, JsonBody, JsonResponse, Nullable, StaffAuth, Visitor};
use agio_requisites::RequisiteKind;
use poem_openapi::param::Path;
use poem_openapi::types::Example;
use poem_openapi::{Object, OpenApi};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::Tag;
use super::views::LocalizedName;
use crate::market::{Currency, CurrencyChange};
use crate::{Calculator, MARKET_EDIT, MARKET_READ, RATES_READ};

/// A currency with its settings.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct CurrencyDetails {
    /// Unique identifier.
    id: i64,
    /// Code on exchange aggregators, such as `USDTTRC20`.
    code: String,
    /// Asset ticker.
    ticker: String,
    /// Name in both languages.
    name: LocalizedName,
    /// Network or payment system, in the request's language.
    network: String,
    /// Kind of currency.
    kind: ApiEnum<CurrencyKind>,
    /// Icon name.
    icon: String,
    /// Decimals stored. Cannot be changed.
    scale: u32,
    /// Decimals shown to customers and accepted from them.
    round_calculator: u32,
    /// Whether customers can give this currency.
    send: bool,
    /// Whether customers can receive this currency.
    receive: bool,
    /// Position in lists, ascending.
    position: i64,
    /// Fields that customers fill in.
    inputs: Vec<CurrencyInputField>,
    /// Available reserve.
    reserve: Dec,
    /// The console warns when the reserve falls below this amount.
    reserve_floor: Dec,
    /// Revision, incremented on every change.
    revision: i64,
    /// Time of the last change.
    updated_at: DateTime,
}

/// A field that customers fill in.
#[derive(Debug, Serialize, Object)]
struct CurrencyInputField {
    /// Key of the field in a claim request.
    name: String,
    /// Requisite type that validates the value.
    kind: ApiEnum<RequisiteKind>,
    /// Label.
    label: LocalizedName,
    /// Whether the field is required.
    required: bool,
    /// Whether the field is shown when the customer gives the currency.
    send: bool,
    /// Whether the field is shown when the customer receives the currency.
    receive: bool,
}

/// Changes to a currency. Omitted fields stay unchanged.
#[derive(Debug, Deserialize, Serialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, skip_serializing_if_is_none, example)]
struct UpdateCurrencyRequest {
    /// The revision you edited. The update fails if the currency changed since.
    revision: Option<i64>,
    /// Name in both languages.
    name: Option<LocalizedName>,
    /// Icon name.
    icon: Option<String>,
    /// Decimals shown to customers and accepted from them, at most the scale.
    round_calculator: Option<u32>,
    /// Whether customers can give this currency.
    send: Option<bool>,
    /// Whether customers can receive this currency.
    receive: Option<bool>,
    /// Position in lists, ascending.
    position: Option<i64>,
    /// The console warns when the reserve falls below this amount.
    reserve_floor: Option<Dec>,
}

impl Example for UpdateCurrencyRequest {
    fn example() -> Self {
        Self {
            revision: Some(1),
            name: Some(LocalizedName { ru: "Биткоин".to_owned(), en: "Bitcoin".to_owned() }),
            icon: None,
            round_calculator: Some(8),
            send: Some(true),
            receive: Some(false),
            position: None,
            reserve_floor: Some(Dec(Decimal::new(5, 1))),
        }
    }
}

/// Observed rates used for pricing.
#[derive(Debug, Serialize, Object)]
struct ObservedRates {
    /// The fixed day whose rates are used. Null when current rates are used.
    day: Nullable<String>,
    /// Rate sources.
    sources: Vec<ObservedSource>,
    /// The latest observation of each source and currency pair.
    observations: Vec<RateObservation>,
}

/// A rate source.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct ObservedSource {
    /// Name.
    source: String,
    /// Time of its latest price.
    observed_at: DateTime,
    /// When its latest price was imported.
    imported_at: DateTime,
    /// Number of prices.
    count: i64,
    /// Whether the prices are recent enough to use.
    fresh: bool,
}

/// A price of one base unit in the quote asset.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct RateObservation {
    /// Rate source.
    source: String,
    /// Base asset.
    base: String,
    /// Quote asset.
    quote: String,
    /// Bid price.
    bid: Dec,
    /// Ask price.
    ask: Dec,
    /// Time of the observation.
    observed_at: DateTime,
}

pub(super) struct CurrenciesAdminApi(pub(super) Arc<Calculator>);

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Market")]
impl CurrenciesAdminApi {
    /// List currencies
    ///
    /// All currencies, hidden ones included, in list order. Needs `market.read`.
    #[oai(path = "/currencies", method = "get", operation_id = "listCurrencies")]
    async fn list_currencies(&self, auth: StaffAuth, visitor: Visitor) -> ApiResult<JsonResponse<Vec<CurrencyDetails>>> {
        auth.require(MARKET_READ)?;
        Ok(JsonResponse(self.0.market().currencies.iter().map(|currency| self.view(currency, visitor.locale)).collect()))
    }

    /// Update a currency
    ///
    /// Omitted fields stay unchanged. The scale cannot be changed. Needs `market.edit`.
    #[oai(path = "/currencies/:id", method = "patch", operation_id = "updateCurrency")]
    async fn update_currency(
        &self,
        auth: StaffAuth,
        visitor: Visitor,
        id: Path<i64>,
        change: JsonBody<UpdateCurrencyRequest>,
    ) -> ApiResult<JsonResponse<CurrencyDetails>> {
        let staff = auth.require(MARKET_EDIT)?;
        let change = change.0;
        let revision = change.revision;
        self.0.update_currency(id.0, revision, change.into(), &staff).await?;
        let market = self.0.market();
        let currency = market.currency(id.0).ok_or_else(|| Error::not_found("currency_unknown"))?;
        Ok(JsonResponse(self.view(currency, visitor.locale)))
    }

    /// List rate observations
    ///
    /// The latest prices of every rate source and whether they are recent enough. Needs `rates.read`.
    #[oai(path = "/rates", method = "get", operation_id = "listRateObservations")]
    async fn list_observations(&self, auth: StaffAuth) -> ApiResult<JsonResponse<ObservedRates>> {
        auth.require(RATES_READ)?;
        let market = self.0.market();
        let source = |rates: crate::service::SourceRates| ObservedSource {
            source: rates.source,
            observed_at: DateTime(rates.observed_at),
            imported_at: DateTime(rates.imported_at),
            count: rates.count as i64,
            fresh: rates.is_fresh,
        };
        let observation = |observation: &crate::market::DatedObservation| RateObservation {
            source: observation.row.source.clone(),
            base: observation.row.base.clone(),
            quote: observation.row.quote.clone(),
            bid: Dec(observation.row.bid.0),
            ask: Dec(observation.row.ask.0),
            observed_at: DateTime(observation.row.observed_at),
        };
        Ok(JsonResponse(ObservedRates {
            day: Nullable(market.fixed_day().map(|day| day.to_string())),
            sources: market.sources().into_iter().map(source).collect(),
            observations: market.observations().iter().map(observation).collect(),
        }))
    }
}

impl CurrenciesAdminApi {
    fn view(&self, currency: &Currency, locale: Locale) -> CurrencyDetails {
        let facts = &currency.facts;
        let input = |input: &CurrencyInput| CurrencyInputField {
            name: input.name.clone(),
            kind: input.kind.into(),
            label: (&input.label).into(),
            required: input.required,
            send: input.give,
            receive: input.receive,
        };
        CurrencyDetails {
            id: facts.id,
            code: facts.code.clone(),
            ticker: facts.ticker.clone(),
            name: (&facts.name).into(),
            network: facts.network.get(locale).to_owned(),
            kind: facts.kind.into(),
            icon: facts.icon.clone(),
            scale: facts.scale,
            round_calculator: currency.round_digits,
            send: currency.can_give,
            receive: currency.can_receive,
            position: currency.position,
            inputs: facts.inputs.iter().map(input).collect(),
            reserve: Dec(currency.free(self.0.free(facts.id))),
            reserve_floor: Dec(currency.amount(currency.reserve_floor).value()),
            revision: currency.revision,
            updated_at: DateTime(currency.updated_at),
        }
    }
}

impl From<UpdateCurrencyRequest> for CurrencyChange {
    fn from(change: UpdateCurrencyRequest) -> Self {
        Self {
            name: change.name.map(Into::into),
            icon: change.icon,
            round_digits: change.round_calculator,
            can_give: change.send,
            can_receive: change.receive,
            position: change.position,
            reserve_floor: change.reserve_floor.map(|floor| floor.0),
        }
    }
}

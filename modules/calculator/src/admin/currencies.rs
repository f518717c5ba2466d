//! Currencies, and what the sources of rates said.

use std::sync::Arc;

use agio_core::Error;
use agio_core::needs::InputFacts;
use agio_core::texts::Locale;
use agio_http::{Answer, Dec, Input, Moment, Null, Outcome, StaffAuth, Visitor};
use poem_openapi::param::Path;
use poem_openapi::types::Example;
use poem_openapi::{Object, OpenApi};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::Tag;
use super::views::MarketText;
use crate::api::CalculatorKind;
use crate::market::{Currency, CurrencyChange};
use crate::{Calculator, MARKET_EDIT, MARKET_READ, RATES_READ};

/// A currency as staff see it.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct MarketCurrency {
    /// Identifier.
    id: i64,
    /// The monitors' code.
    code: String,
    /// The asset.
    ticker: String,
    /// Name in both languages.
    name: MarketText,
    /// Network or payment system, in the language of the call.
    network: String,
    /// What it is.
    kind: CalculatorKind,
    /// Name of its icon.
    icon: String,
    /// Decimals it is kept in; for life.
    scale: u32,
    /// Decimals customers see and type.
    round_calculator: u32,
    /// Whether customers may send it.
    send: bool,
    /// Whether customers may receive it.
    receive: bool,
    /// Its place in lists.
    position: i64,
    /// What customers are asked for.
    inputs: Vec<MarketInput>,
    /// What is free of its reserve.
    reserve: Dec,
    /// The reserve below which the console warns.
    reserve_floor: Dec,
    /// How often it was changed.
    revision: i64,
    /// When it was changed last.
    updated_at: Moment,
}

/// One thing customers are asked for.
#[derive(Debug, Serialize, Object)]
struct MarketInput {
    /// The key it is sent under.
    name: String,
    /// How it is checked: a name of a requisite kind.
    kind: String,
    /// What the field is called.
    label: MarketText,
    /// Whether it must be given.
    required: bool,
    /// Whether it is asked when the currency is sent.
    send: bool,
    /// Whether it is asked when the currency is received.
    receive: bool,
}

/// What is changed of a currency; a field left out stays as it is.
#[derive(Debug, Deserialize, Serialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, skip_serializing_if_is_none, example)]
struct MarketCurrencyChange {
    /// The revision that was edited; the change is refused when somebody else changed the currency since.
    revision: Option<i64>,
    /// Name in both languages.
    name: Option<MarketText>,
    /// Name of its icon.
    icon: Option<String>,
    /// Decimals customers see and type, at most the scale.
    round_calculator: Option<u32>,
    /// Whether customers may send it.
    send: Option<bool>,
    /// Whether customers may receive it.
    receive: Option<bool>,
    /// Its place in lists.
    position: Option<i64>,
    /// The reserve below which the console warns.
    reserve_floor: Option<Dec>,
}

impl Example for MarketCurrencyChange {
    fn example() -> Self {
        Self {
            revision: Some(1),
            name: Some(MarketText { ru: "Биткоин".to_owned(), en: "Bitcoin".to_owned() }),
            icon: None,
            round_calculator: Some(8),
            send: Some(true),
            receive: Some(false),
            position: None,
            reserve_floor: Some(Dec(Decimal::new(5, 1))),
        }
    }
}

/// What pairs are priced with.
#[derive(Debug, Serialize, Object)]
struct MarketRates {
    /// The day whose rates are used, where the present ones are not.
    day: Null<String>,
    /// The sources.
    sources: Vec<MarketRateSource>,
    /// The newest of what each source said.
    observations: Vec<MarketObservation>,
}

/// A source of rates.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct MarketRateSource {
    /// Its name.
    source: String,
    /// When the newest of its prices held.
    observed_at: Moment,
    /// When the newest of its prices came in.
    imported_at: Moment,
    /// How many prices of it there are.
    count: i64,
    /// Whether they are recent enough to price with.
    fresh: bool,
}

/// What a source said a unit of the base is worth in the quote.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct MarketObservation {
    /// Who said it.
    source: String,
    /// The asset that is priced.
    base: String,
    /// The asset it is priced in.
    quote: String,
    /// What is paid for one.
    bid: Dec,
    /// What one costs.
    ask: Dec,
    /// When that was so.
    observed_at: Moment,
}

pub(super) struct CurrencyDesk(pub(super) Arc<Calculator>);

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Market")]
impl CurrencyDesk {
    /// Currencies
    ///
    /// All of them, hidden ones included, in the order of lists. Needs `market.read`.
    #[oai(path = "/currencies", method = "get", operation_id = "listCurrencies")]
    async fn currencies(&self, auth: StaffAuth, visitor: Visitor) -> Outcome<Answer<Vec<MarketCurrency>>> {
        auth.may(MARKET_READ)?;
        Ok(Answer(self.0.market().currencies.iter().map(|currency| self.view(currency, visitor.locale)).collect()))
    }

    /// Change a currency
    ///
    /// Fields left out stay as they are. The scale is for life. Needs `market.edit`.
    #[oai(path = "/currencies/:id", method = "patch", operation_id = "changeCurrency")]
    async fn change(
        &self,
        auth: StaffAuth,
        visitor: Visitor,
        id: Path<i64>,
        change: Input<MarketCurrencyChange>,
    ) -> Outcome<Answer<MarketCurrency>> {
        let staff = auth.may(MARKET_EDIT)?;
        let change = change.0;
        let revision = change.revision;
        self.0.change_currency(id.0, revision, change.into(), &staff).await?;
        let market = self.0.market();
        let currency = market.currency(id.0).ok_or_else(|| Error::not_found("currency_unknown"))?;
        Ok(Answer(self.view(currency, visitor.locale)))
    }

    /// Rates
    ///
    /// What the sources said last and whether it is recent enough. Needs `rates.read`.
    #[oai(path = "/rates", method = "get", operation_id = "listRates")]
    async fn rates(&self, auth: StaffAuth) -> Outcome<Answer<MarketRates>> {
        auth.may(RATES_READ)?;
        let market = self.0.market();
        let source = |seen: crate::service::SourceSeen| MarketRateSource {
            source: seen.source,
            observed_at: Moment(seen.observed_at),
            imported_at: Moment(seen.imported_at),
            count: seen.count as i64,
            fresh: seen.is_fresh,
        };
        let observation = |seen: &crate::market::Sighting| MarketObservation {
            source: seen.row.source.clone(),
            base: seen.row.base.clone(),
            quote: seen.row.quote.clone(),
            bid: Dec(seen.row.bid.0),
            ask: Dec(seen.row.ask.0),
            observed_at: Moment(seen.row.observed_at),
        };
        Ok(Answer(MarketRates {
            day: Null(market.fixed_day().map(|day| day.to_string())),
            sources: market.sources().into_iter().map(source).collect(),
            observations: market.sightings().iter().map(observation).collect(),
        }))
    }
}

impl CurrencyDesk {
    fn view(&self, currency: &Currency, locale: Locale) -> MarketCurrency {
        let facts = &currency.facts;
        let input = |input: &InputFacts| MarketInput {
            name: input.name.clone(),
            kind: input.kind.clone(),
            label: (&input.label).into(),
            required: input.required,
            send: input.send,
            receive: input.receive,
        };
        MarketCurrency {
            id: facts.id,
            code: facts.code.clone(),
            ticker: facts.ticker.clone(),
            name: (&facts.name).into(),
            network: facts.network.get(locale).to_owned(),
            kind: CalculatorKind::of(facts),
            icon: facts.icon.clone(),
            scale: facts.scale,
            round_calculator: currency.round_digits,
            send: currency.send,
            receive: currency.receive,
            position: currency.position,
            inputs: facts.inputs.iter().map(input).collect(),
            reserve: Dec(currency.free(self.0.free(facts.id))),
            reserve_floor: Dec(currency.amount(currency.reserve_floor).value()),
            revision: currency.revision,
            updated_at: Moment(currency.updated_at),
        }
    }
}

impl From<MarketCurrencyChange> for CurrencyChange {
    fn from(change: MarketCurrencyChange) -> Self {
        Self {
            name: change.name.map(Into::into),
            icon: change.icon,
            round_digits: change.round_calculator,
            send: change.send,
            receive: change.receive,
            position: change.position,
            reserve_floor: change.reserve_floor.map(|floor| floor.0),
        }
    }
}

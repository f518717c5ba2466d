//! Currencies and observed rates.

use std::sync::Arc;

use agio_contracts::{CashCity, CurrencyInput, CurrencyKind};
use agio_core::Error;
use agio_core::identity::Staff;
use agio_core::texts::{Bilingual, Locale};
use agio_http::{ApiEnum, ApiResult, DateTime, Dec, IdempotencyKey, JsonBody, JsonResponse, Nullable, StaffAuth, Visitor, body};
use agio_requisites::RequisiteKind;
use poem_openapi::OpenApi;
use poem_openapi::param::{Header, Path};
use poem_openapi::types::Example;
use rust_decimal::Decimal;

use super::Tag;
use super::views::{LocalizedName, present};
use crate::market::{Currency, CurrencyChange, NewCurrency};
use crate::{Calculator, MARKET_EDIT, MARKET_READ, RATES_READ};

/// A currency with its settings.
#[body(response)]
#[derive(Debug)]
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
    /// Network or payment system, in both languages.
    network_name: LocalizedName,
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
    /// Whether the currency is archived: offered nowhere, whatever `send` and `receive` say.
    archived: bool,
    /// Position in lists, ascending.
    position: i64,
    /// Fields that customers fill in.
    inputs: Vec<CurrencyInputField>,
    /// Where cash changes hands, in the order shown to customers; empty unless the currency is cash.
    cities: Vec<CashCityField>,
    /// The page of a transaction in a block explorer of one's own, with `{tx}` for its id. Null for the usual explorer of
    /// the network.
    explorer: Nullable<String>,
    /// Available reserve.
    reserve: Dec,
    /// The console warns when the reserve falls below this amount.
    reserve_floor: Dec,
    /// What one payout costs on the network.
    network_fee: Dec,
    /// Revision, incremented on every change.
    revision: i64,
    /// Time of the last change.
    updated_at: DateTime,
}

/// A field that customers fill in.
#[body(shared, skip_serializing_if_is_none)]
#[derive(Clone, Debug)]
pub(super) struct CurrencyInputField {
    /// Key of the field in a claim request: letters, digits and underscores, starting with a lower-case letter, unique
    /// within the currency.
    name: String,
    /// Requisite type that validates the value. Addresses are for crypto; cards, accounts and IBANs are not for crypto
    /// and cash.
    kind: ApiEnum<RequisiteKind>,
    /// Label.
    label: LocalizedName,
    /// Whether the field is required.
    required: bool,
    /// Whether the field is shown when the customer gives the currency.
    send: bool,
    /// Whether the field is shown when the customer receives the currency.
    receive: bool,
    /// An example or advice shown at the field, at most 120 characters. Omitted: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<LocalizedName>,
    /// Regular expression that the whole value has to match, at most 200 characters, as in JavaScript with the flag `u`,
    /// without look-around and back references. For the types `text` and `memo`, with a hint. Omitted: any text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    /// The form in which the value is typed and stored, at most 60 characters: `#` is a digit, `@` a Latin letter, `*`
    /// either, and other characters stand for themselves. For the types `text` and `memo`, with a hint. Omitted: as it is typed.
    #[serde(skip_serializing_if = "Option::is_none")]
    mask: Option<String>,
}

impl From<&CurrencyInput> for CurrencyInputField {
    fn from(input: &CurrencyInput) -> Self {
        Self {
            name: input.name.clone(),
            kind: input.kind.into(),
            label: (&input.label).into(),
            required: input.required,
            send: input.give,
            receive: input.receive,
            hint: input.hint.as_ref().map(Into::into),
            pattern: input.pattern.clone(),
            mask: input.mask.clone(),
        }
    }
}

impl From<CurrencyInputField> for CurrencyInput {
    fn from(field: CurrencyInputField) -> Self {
        Self {
            name: field.name,
            kind: field.kind.0,
            label: field.label.into(),
            required: field.required,
            give: field.send,
            receive: field.receive,
            hint: field.hint.map(Into::into),
            pattern: field.pattern,
            mask: field.mask,
        }
    }
}

/// A city in which cash changes hands.
#[body(shared, skip_serializing_if_is_none)]
#[derive(Clone, Debug)]
pub(super) struct CashCityField {
    /// Code on exchange aggregators, such as `DUBAI`: 2 to 12 capital letters and digits, with at least one letter, unique
    /// within the currency.
    code: String,
    /// Name in both languages.
    name: LocalizedName,
    /// The office and its hours, at most 300 characters. Omitted: agreed with each customer.
    place: Option<LocalizedName>,
}

impl From<&CashCity> for CashCityField {
    fn from(city: &CashCity) -> Self {
        let place = Some(&city.place).filter(|place| **place != Bilingual::default());
        Self { code: city.code.clone(), name: (&city.name).into(), place: place.map(Into::into) }
    }
}

impl From<CashCityField> for CashCity {
    fn from(field: CashCityField) -> Self {
        Self { code: field.code, name: field.name.into(), place: field.place.map(Into::into).unwrap_or_default() }
    }
}

/// A currency to create.
#[body(shared, skip_serializing_if_is_none, example)]
#[derive(Debug)]
struct NewCurrencyRequest {
    /// Code on exchange aggregators, such as `USDTTRC20`: 2 to 20 capital letters and digits, with at least one letter.
    code: String,
    /// Asset ticker: 2 to 10 capital letters and digits, with at least one letter. Rates are those of the asset.
    ticker: String,
    /// Name in both languages.
    name: LocalizedName,
    /// Network or payment system, in both languages.
    network: LocalizedName,
    /// Kind of currency. Cannot be changed later.
    kind: ApiEnum<CurrencyKind>,
    /// Icon name: lower-case letters, digits and hyphens. An unknown icon is drawn by kind.
    icon: String,
    /// Decimals stored, 0 to 8. Cannot be changed later.
    scale: u32,
    /// Decimals shown to customers and accepted from them, at most the scale.
    round_calculator: u32,
    /// Position in lists, ascending. Omitted: last.
    position: Option<i64>,
    /// Fields that customers fill in, at most 10. Unless the currency is cash, a required one on the receive side says
    /// where money is sent.
    inputs: Vec<CurrencyInputField>,
    /// Where cash changes hands: at least one city for cash, at most 100; none for other kinds.
    cities: Option<Vec<CashCityField>>,
    /// The HTTPS address of a transaction's page in a block explorer of one's own, with `{tx}` for its id. Omitted or null:
    /// the usual explorer of the network.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    explorer: Option<Nullable<String>>,
    /// The console warns when the reserve falls below this amount. Omitted: 0.
    reserve_floor: Option<Dec>,
    /// What one payout costs on the network. Each pair says who bears it. Omitted: 0.
    network_fee: Option<Dec>,
    /// Whether customers can give this currency.
    send: bool,
    /// Whether customers can receive this currency.
    receive: bool,
}

impl Example for NewCurrencyRequest {
    fn example() -> Self {
        let text = |ru: &str, en: &str| LocalizedName { ru: ru.to_owned(), en: en.to_owned() };
        Self {
            code: "DASH".to_owned(),
            ticker: "DASH".to_owned(),
            name: text("Dash", "Dash"),
            network: text("Dash", "Dash"),
            kind: CurrencyKind::Crypto.into(),
            icon: "dash".to_owned(),
            scale: 8,
            round_calculator: 8,
            position: None,
            inputs: vec![CurrencyInputField {
                name: "address".to_owned(),
                kind: RequisiteKind::Dash.into(),
                label: text("Адрес кошелька Dash", "Dash wallet address"),
                required: true,
                send: false,
                receive: true,
                hint: None,
                pattern: None,
                mask: None,
            }],
            cities: None,
            explorer: None,
            reserve_floor: None,
            network_fee: None,
            send: true,
            receive: true,
        }
    }
}

/// Changes to a currency. Omitted fields stay unchanged.
#[body(shared, skip_serializing_if_is_none, example)]
#[derive(Debug, Default)]
struct UpdateCurrencyRequest {
    /// The revision you edited. The update fails if the currency changed since.
    revision: Option<i64>,
    /// Code on exchange aggregators. Feeds and partners use the new one at once.
    code: Option<String>,
    /// Asset ticker. Only while no pair has the currency.
    ticker: Option<String>,
    /// Name in both languages.
    name: Option<LocalizedName>,
    /// Network or payment system, in both languages.
    network: Option<LocalizedName>,
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
    /// Fields that customers fill in, replaced as a whole. Open claims keep what was filled in. The kind of the address
    /// can be changed only while no pair has the currency.
    inputs: Option<Vec<CurrencyInputField>>,
    /// Where cash changes hands, replaced as a whole. Open claims keep their city.
    cities: Option<Vec<CashCityField>>,
    /// The HTTPS address of a transaction's page in a block explorer of one's own, with `{tx}` for its id. Null for the
    /// usual explorer of the network.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    explorer: Option<Nullable<String>>,
    /// The console warns when the reserve falls below this amount.
    reserve_floor: Option<Dec>,
    /// What one payout costs on the network. Each pair says who bears it. Open claims keep their terms.
    network_fee: Option<Dec>,
}

impl Example for UpdateCurrencyRequest {
    fn example() -> Self {
        Self {
            revision: Some(1),
            name: Some(LocalizedName { ru: "Биткоин".to_owned(), en: "Bitcoin".to_owned() }),
            round_calculator: Some(8),
            send: Some(true),
            receive: Some(false),
            reserve_floor: Some(Dec(Decimal::new(5, 1))),
            network_fee: Some(Dec(Decimal::new(1, 4))),
            ..Self::default()
        }
    }
}

/// Observed rates used for pricing.
#[body(response)]
#[derive(Debug)]
struct ObservedRates {
    /// The fixed day whose rates are used. Null when current rates are used.
    day: Nullable<String>,
    /// Rate sources.
    sources: Vec<ObservedSource>,
    /// The latest observation of each source and currency pair.
    observations: Vec<RateObservation>,
}

/// A rate source.
#[body(response)]
#[derive(Debug)]
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
#[body(response)]
#[derive(Debug)]
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
    /// All currencies in list order, hidden ones included, archived ones last. Needs `market.read`.
    #[oai(path = "/currencies", method = "get", operation_id = "listCurrencies")]
    async fn list_currencies(&self, auth: StaffAuth, visitor: Visitor) -> ApiResult<JsonResponse<Vec<CurrencyDetails>>> {
        auth.require(MARKET_READ)?;
        Ok(JsonResponse(self.0.market().currencies.iter().map(|currency| self.view(currency, visitor.locale)).collect()))
    }

    /// Create a currency
    ///
    /// It is offered once pairs have it. Needs `market.edit` and a fresh second factor. 409 `currency_code_taken` if a
    /// currency has the code, archived or not.
    #[oai(path = "/currencies", method = "post", operation_id = "createCurrency")]
    async fn create_currency(
        &self,
        auth: StaffAuth,
        visitor: Visitor,
        #[oai(name = "Idempotency-Key")] key: Header<Option<String>>,
        new: JsonBody<NewCurrencyRequest>,
    ) -> ApiResult<JsonResponse<CurrencyDetails>> {
        let staff = auth.require(MARKET_EDIT)?;
        auth.require_fresh()?;
        let key = IdempotencyKey::check(key.0)?.for_body(format!("currency:{}", staff.id), &new.0)?;
        let id = self.0.create_currency(new.0.into(), &staff, key).await?;
        self.details(id, visitor.locale)
    }

    /// Archive a currency
    ///
    /// It and its pairs are offered nowhere. Open claims go on; reports and the ledger keep it; its code stays taken.
    /// Needs `market.edit`.
    #[oai(path = "/currencies/:id/archive", method = "post", operation_id = "archiveCurrency")]
    async fn archive_currency(
        &self,
        auth: StaffAuth,
        visitor: Visitor,
        id: Path<i64>,
    ) -> ApiResult<JsonResponse<CurrencyDetails>> {
        self.set_archived(&auth, visitor.locale, id.0, true).await
    }

    /// Unarchive a currency
    ///
    /// Its enabled pairs are offered again. Needs `market.edit`. Also needs a fresh second factor if the rate of one is
    /// further from the market than the setting `rates.large_change_percent` or cannot be compared with it; 409
    /// `approval_one_by_one` if it is beyond the limit for one person.
    #[oai(path = "/currencies/:id/unarchive", method = "post", operation_id = "unarchiveCurrency")]
    async fn unarchive_currency(
        &self,
        auth: StaffAuth,
        visitor: Visitor,
        id: Path<i64>,
    ) -> ApiResult<JsonResponse<CurrencyDetails>> {
        self.set_archived(&auth, visitor.locale, id.0, false).await
    }

    /// Update a currency
    ///
    /// Omitted fields stay unchanged. Kind and scale cannot be changed. Needs `market.edit`, and a fresh second factor
    /// to change cities, inputs or the block explorer. To offer pairs again that are far from the market, it needs what
    /// unarchiving needs. 409 `currency_code_taken` if another currency has the code; 409 `currency_in_use` for a
    /// change that needs a currency without pairs.
    #[oai(path = "/currencies/:id", method = "patch", operation_id = "updateCurrency")]
    async fn update_currency(
        &self,
        auth: StaffAuth,
        visitor: Visitor,
        id: Path<i64>,
        change: JsonBody<UpdateCurrencyRequest>,
    ) -> ApiResult<JsonResponse<CurrencyDetails>> {
        let staff = auth.require(MARKET_EDIT)?;
        let revision = change.0.revision;
        self.update(&auth, &staff, id.0, revision, change.0.into()).await?;
        self.details(id.0, visitor.locale)
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
    async fn set_archived(
        &self,
        auth: &StaffAuth,
        locale: Locale,
        id: i64,
        archived: bool,
    ) -> ApiResult<JsonResponse<CurrencyDetails>> {
        let staff = auth.require(MARKET_EDIT)?;
        let change = CurrencyChange { archived: Some(archived), ..CurrencyChange::default() };
        self.update(auth, &staff, id, None, change).await?;
        self.details(id, locale)
    }

    async fn update(
        &self,
        auth: &StaffAuth,
        staff: &Staff,
        id: i64,
        revision: Option<i64>,
        change: CurrencyChange,
    ) -> ApiResult<()> {
        if self.0.is_large_currency_change(id, &change)? {
            auth.require_fresh()?;
        }
        Ok(self.0.update_currency(id, revision, change, staff).await?)
    }

    fn details(&self, id: i64, locale: Locale) -> ApiResult<JsonResponse<CurrencyDetails>> {
        let market = self.0.market();
        let currency = market.currency(id).ok_or_else(|| Error::not_found("currency_unknown"))?;
        Ok(JsonResponse(self.view(currency, locale)))
    }

    fn view(&self, currency: &Currency, locale: Locale) -> CurrencyDetails {
        let facts = &currency.facts;
        CurrencyDetails {
            id: facts.id,
            code: facts.code.clone(),
            ticker: facts.ticker.clone(),
            name: (&facts.name).into(),
            network: facts.network.get(locale).to_owned(),
            network_name: (&facts.network).into(),
            kind: facts.kind.into(),
            icon: facts.icon.clone(),
            scale: facts.scale,
            round_calculator: currency.round_digits,
            send: currency.can_give,
            receive: currency.can_receive,
            archived: currency.archived,
            position: currency.position,
            inputs: facts.inputs.iter().map(Into::into).collect(),
            cities: facts.cities.iter().map(Into::into).collect(),
            explorer: Nullable(facts.explorer.clone()),
            reserve: Dec(currency.free(self.0.free(facts.id))),
            reserve_floor: Dec(currency.amount(currency.reserve_floor).value()),
            network_fee: Dec(currency.amount(currency.network_fee).value()),
            revision: currency.revision,
            updated_at: DateTime(currency.updated_at),
        }
    }
}

impl From<UpdateCurrencyRequest> for CurrencyChange {
    fn from(change: UpdateCurrencyRequest) -> Self {
        Self {
            code: change.code,
            ticker: change.ticker,
            network: change.network.map(Into::into),
            inputs: change.inputs.map(|inputs| inputs.into_iter().map(Into::into).collect()),
            cities: change.cities.map(|cities| cities.into_iter().map(Into::into).collect()),
            explorer: change.explorer.map(|explorer| explorer.0),
            name: change.name.map(Into::into),
            icon: change.icon,
            round_digits: change.round_calculator,
            can_give: change.send,
            can_receive: change.receive,
            position: change.position,
            reserve_floor: change.reserve_floor.map(|floor| floor.0),
            network_fee: change.network_fee.map(|fee| fee.0),
            archived: None,
        }
    }
}

impl From<NewCurrencyRequest> for NewCurrency {
    fn from(new: NewCurrencyRequest) -> Self {
        Self {
            kind: new.kind.0,
            scale: new.scale,
            properties: CurrencyChange {
                code: Some(new.code),
                ticker: Some(new.ticker),
                network: Some(new.network.into()),
                inputs: Some(new.inputs.into_iter().map(Into::into).collect()),
                cities: new.cities.map(|cities| cities.into_iter().map(Into::into).collect()),
                explorer: new.explorer.map(|explorer| explorer.0),
                name: Some(new.name.into()),
                icon: Some(new.icon),
                round_digits: Some(new.round_calculator),
                can_give: Some(new.send),
                can_receive: Some(new.receive),
                position: new.position,
                reserve_floor: new.reserve_floor.map(|floor| floor.0),
                network_fee: new.network_fee.map(|fee| fee.0),
                archived: None,
            },
        }
    }
}

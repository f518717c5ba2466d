//! Public API of the calculator.

mod bonus;
mod pair_details;
mod response_cache;
mod responses;

use std::sync::Arc;
use std::time::Duration;

use agio_contracts::{BonusCustomer, BonusProvider, MessengerProvider, OfferedBonus, guest_digest};
use agio_core::ratio::effective_rate;
use agio_core::texts::Locale;
use agio_core::{Error, Platform, Result};
use agio_http::{ApiResult, DateTime, Dec, JsonResponse, Nullable, PreparedBody, PreparedResponse, Visitor, parse_decimal};
use poem_openapi::param::{Path, Query};
use poem_openapi::{OpenApi, Tags};

use pair_details::{DirectionList, Offer, PairDetails};
use response_cache::{ResponseCache, unavailable};
pub use responses::QuoteKeyView;
use responses::{
    DefaultPair, MessengerView, PairOpening, PairRate, QuoteKeySet, RateSummary, ReserveView, SiteSettings, SupportChat,
    TechnicalModeResponse, TechnicalModeStatus,
};

use crate::market::MarketPair;
use crate::{Calculator, model::quote, settings};

/// More nobody reads.
const OPENINGS_MAX: usize = 50;

/// How long the data of the home page is served. Much shorter than the lifetime of its quote.
const HOME_DATA_SLOT: Duration = Duration::from_secs(15);

#[derive(Tags)]
enum Tag {
    /// Currencies, rates, limits and quotes.
    Calculator,
}

/// Public API of the calculator.
pub struct CalculatorApi {
    calculator: Arc<Calculator>,
    bonuses: Arc<dyn BonusProvider>,
    messengers: Arc<dyn MessengerProvider>,
    cache: ResponseCache,
}

impl CalculatorApi {
    pub fn new(calculator: Arc<Calculator>, bonuses: Arc<dyn BonusProvider>, messengers: Arc<dyn MessengerProvider>) -> Self {
        Self { cache: ResponseCache::new(calculator.clone()), calculator, bonuses, messengers }
    }

    /// The visitor's bonus. `None` if the cached standard response applies.
    async fn bonus_of(&self, visitor: &Visitor, promo: Option<&str>) -> Result<Option<OfferedBonus>> {
        let promo = promo.map(str::trim).filter(|code| !code.is_empty());
        if visitor.customer.is_none() && promo.is_none() {
            return Ok(None);
        }
        let browser = visitor.guest.as_deref().map(guest_digest);
        let person =
            BonusCustomer { customer: visitor.customer.as_ref(), browser: browser.as_deref(), ..BonusCustomer::default() };
        let offered = self.bonuses.offer_bonus(person, promo).await?;
        Ok(Some(offered).filter(|offered| offered.promo.is_some() || !offered.bonus.parts.is_empty()))
    }

    fn free(&self) -> impl Fn(i64) -> i64 + '_ {
        |currency| self.calculator.free(currency)
    }

    fn site_settings(&self, from: Option<&str>, to: Option<&str>, locale: Locale) -> SiteSettings {
        let market = self.calculator.market();
        let default_pair = market.default_pair(from, to, self.free());
        let set = &self.calculator.platform.settings;
        SiteSettings {
            exchange_attributes: DefaultPair {
                from_currency_id: Nullable(default_pair.map(|(from, _)| from)),
                to_currency_id: Nullable(default_pair.map(|(_, to)| to)),
            },
            contest: set.is_on(settings::CONTEST),
            captcha_login: set.is_on(settings::CAPTCHA_LOGIN),
            use_public_id: set.is_on(settings::USE_PUBLIC_ID),
            support_email: set.text(settings::SUPPORT_EMAIL),
            site_name: set.text(settings::SITE_NAME),
            chat: Nullable(settings::chat_origin(set).map(|_| SupportChat {
                url: set.text(settings::CHAT_URL),
                title: set.text(settings::CHAT_TITLE),
                on_claims: set.is_on(settings::CHAT_ON_CLAIMS),
            })),
            contacts_on_claims: set.is_on(settings::CONTACTS_ON_CLAIMS),
            browser_notifications: set.is_on(settings::BROWSER_NOTIFICATIONS),
            messengers: self.messengers.messengers().into_iter().map(|messenger| MessengerView::of(messenger, locale)).collect(),
            rates_of: Nullable(market.fixed_day().map(|day| day.to_string())),
            terms_version: self.calculator.terms.terms_version(),
        }
    }

    /// The responses that the home page begins with, in one document, so that it shows its default pair without a
    /// request. `None` while nothing can be exchanged.
    pub fn home_data(&self, locale: Locale) -> Option<String> {
        let market = self.calculator.market();
        let (from, to) = market.default_pair(None, None, self.free())?;
        let text = |body: Arc<PreparedBody>| String::from_utf8(body.plain().to_vec()).ok();
        let json = |ids: &[i64]| serde_json::to_string(ids).ok();
        Some(format!(
            "{{\"directions\":{},\"giveable\":{},\"receivable\":{},\"settings\":{},\"pair\":{},\"rates\":{},\"reserves\":{},\
             \"openings\":{}}}",
            text(self.cache.directions(locale))?,
            json(&market.giveable(self.free()))?,
            json(&market.receivable(from, self.free()))?,
            serde_json::to_string(&self.site_settings(None, None, locale)).ok()?,
            text(self.cache.pair(from, to, locale).ok()?)?,
            text(self.cache.table())?,
            text(self.cache.reserves())?,
            serde_json::to_string(&self.openings()).ok()?,
        ))
    }

    /// The pairs that are closed now, the next to open first.
    fn openings(&self) -> Vec<PairOpening> {
        let market = self.calculator.market();
        let opening = |pair: &Arc<MarketPair>| {
            let (from, to) = (pair.pair.give_id, pair.pair.receive_id);
            Some(PairOpening { from, to, opens_at: DateTime(pair.opens_at()?) })
        };
        let mut openings: Vec<PairOpening> = market.pairs.iter().filter_map(opening).collect();
        openings.sort_by_key(|opening| opening.opens_at.0);
        openings.truncate(OPENINGS_MAX);
        openings
    }

    /// Changes when [`CalculatorApi::home_data`] has to be read again, although the market may be the same: quotes expire.
    pub fn home_data_slot(&self) -> i64 {
        self.calculator.platform.clock.now().0.div_euclid(HOME_DATA_SLOT.as_micros() as i64)
    }
}

#[OpenApi(prefix_path = "/api/v1/calculator", tag = "Tag::Calculator")]
impl CalculatorApi {
    /// List currencies
    ///
    /// Currencies that customers can give or receive, in list order.
    #[oai(path = "/", method = "get", operation_id = "listDirections")]
    async fn list_directions(&self, visitor: Visitor) -> ApiResult<PreparedResponse<DirectionList>> {
        Ok(PreparedResponse::new(self.cache.directions(visitor.locale)))
    }

    /// List currencies to give
    ///
    /// Identifiers in list order. Only currencies that can be exchanged for another one now.
    #[oai(path = "/from", method = "get", operation_id = "listSendableCurrencies")]
    async fn list_giveable(&self) -> ApiResult<PreparedResponse<Vec<i64>>> {
        Ok(PreparedResponse::of(&self.calculator.market().giveable(self.free())))
    }

    /// List currencies to receive
    ///
    /// Identifiers in list order. Only currencies with a known rate and a reserve above the minimum.
    #[oai(path = "/from/:id", method = "get", operation_id = "listReceivableCurrencies")]
    async fn list_receivable(&self, id: Path<i64>) -> ApiResult<PreparedResponse<Vec<i64>>> {
        let market = self.calculator.market();
        if market.currency(id.0).is_none() {
            return Err(Error::not_found("currency_unknown").into());
        }
        Ok(PreparedResponse::of(&market.receivable(id.0, self.free())))
    }

    /// Get a pair with a signed quote
    ///
    /// The quote holds these terms until it expires. Create a claim with its id to use them. With an access token the
    /// rate includes the account's bonus, with `promo` that of the promo code; such a quote is valid only for that
    /// account and that code.
    #[oai(path = "/pair/:from/:to", method = "get", operation_id = "getPair")]
    async fn get_pair(
        &self,
        from: Path<i64>,
        to: Path<i64>,
        /// Promo code, case-insensitive. An unusable code is ignored; `promo` in the response says why.
        promo: Query<Option<String>>,
        visitor: Visitor,
    ) -> ApiResult<PreparedResponse<PairDetails>> {
        let (from, to, locale) = (from.0, to.0, visitor.locale);
        Ok(PreparedResponse::new(match self.bonus_of(&visitor, promo.0.as_deref()).await? {
            None => self.cache.pair(from, to, locale)?,
            Some(offered) => self.cache.pair_for(from, to, &offered, locale)?,
        }))
    }

    /// Get the rate of a pair
    ///
    /// Includes the bonus of the account and the promo code. With `fromSumma`, also returns the amount received and
    /// the effective rate; 422 `amount_below_min` or `amount_above_max` outside the limits, and `amount_not_multiple` where
    /// amounts have a step.
    #[oai(path = "/course/:from/:to", method = "get", operation_id = "getPairRate")]
    async fn get_rate(
        &self,
        from: Path<i64>,
        to: Path<i64>,
        /// Promo code, case-insensitive. An unusable code is ignored.
        promo: Query<Option<String>>,
        /// Amount to give.
        #[oai(name = "fromSumma")]
        give: Query<Option<String>>,
        visitor: Visitor,
    ) -> ApiResult<JsonResponse<PairRate>> {
        let bonus = self.bonus_of(&visitor, promo.0.as_deref()).await?.unwrap_or_default().bonus;
        let market = self.calculator.market();
        let pair = self.calculator.find_pair(&market, from.0, to.0)?;
        let offer =
            Offer::with_bonus(&self.calculator, &market, pair, self.calculator.free(to.0), &bonus).ok_or_else(unavailable)?;
        let terms = &offer.bonus_rate.rate.terms;
        let fees = pair.fees(terms.parts()).into();
        let Some(give) = give.0 else {
            let rate = Dec(terms.parts().rate);
            return Ok(JsonResponse(PairRate { course: rate, fees, to_summa: Nullable(None), effective_rate: Nullable(None) }));
        };
        let not_an_amount = || Error::unprocessable("validation_failed").at("fromSumma", "not_an_amount");
        let give = parse_decimal(&give).ok_or_else(not_an_amount)?;
        let (rate, receive) = offer.at(give)?;
        Ok(JsonResponse(PairRate {
            course: Dec(rate),
            fees,
            to_summa: Nullable(Some(Dec(receive))),
            effective_rate: Nullable(effective_rate(give, receive).map(Dec)),
        }))
    }

    /// List closed pairs
    ///
    /// Pairs that their working hours close now, with the next opening, the next one first. At most 50.
    #[oai(path = "/openings", method = "get", operation_id = "listPairOpenings")]
    async fn list_openings(&self) -> ApiResult<PreparedResponse<Vec<PairOpening>>> {
        Ok(PreparedResponse::of(&self.openings()))
    }

    /// List available reserves
    ///
    /// The amount of each visible currency that can be paid out.
    #[oai(path = "/reserves", method = "get", operation_id = "listAvailableReserves")]
    async fn list_reserves(&self) -> ApiResult<PreparedResponse<Vec<ReserveView>>> {
        Ok(PreparedResponse::new(self.cache.reserves()))
    }

    /// Get site settings
    ///
    /// The default pair follows `cur_from` and `cur_to`: codes in any case or identifiers. Unknown, hidden or
    /// unavailable currencies are replaced by the first available ones.
    #[oai(path = "/settings", method = "get", operation_id = "getSiteSettings")]
    async fn get_settings(
        &self,
        visitor: Visitor,
        cur_from: Query<Option<String>>,
        cur_to: Query<Option<String>>,
    ) -> ApiResult<PreparedResponse<SiteSettings>> {
        Ok(PreparedResponse::of(&self.site_settings(cur_from.0.as_deref(), cur_to.0.as_deref(), visitor.locale)))
    }

    /// Get technical mode status
    ///
    /// Every open page polls this every 10 seconds.
    #[oai(path = "/tech", method = "get", operation_id = "getTechnicalModeStatus")]
    async fn get_technical_mode(&self) -> ApiResult<PreparedResponse<TechnicalModeResponse>> {
        let Platform { settings, db, .. } = &self.calculator.platform;
        let (on, until) = settings::technical_mode(settings);
        let technical_mode = TechnicalModeStatus { on, time: Nullable(until.map(DateTime)) };
        let claims_paused = !db.is_writable() || !self.calculator.ledger.is_clean();
        Ok(PreparedResponse::of(&TechnicalModeResponse { technical_mode, claims_paused }))
    }

    /// List rates
    ///
    /// A few pairs for the home page.
    #[oai(path = "/rates", method = "get", operation_id = "listRates")]
    async fn list_rates(&self) -> ApiResult<PreparedResponse<Vec<RateSummary>>> {
        Ok(PreparedResponse::new(self.cache.table()))
    }
}

/// Publishes the quote signing keys.
pub struct QuoteKeyApi(pub Arc<Calculator>);

#[OpenApi(tag = "Tag::Calculator")]
impl QuoteKeyApi {
    /// Get the quote signing key
    ///
    /// Use it to verify that a quote was signed here. Keys rotate: if a quote does not match `publicKey`, try the
    /// others in `keys`.
    #[oai(path = "/.well-known/agio-quote-key.json", method = "get", operation_id = "getQuoteKey")]
    async fn get_quote_key(&self) -> ApiResult<JsonResponse<QuoteKeySet>> {
        let (keys, now) = (self.0.quote_keys(), self.0.platform.clock.now());
        Ok(JsonResponse(QuoteKeySet {
            algorithm: "Ed25519".to_owned(),
            public_key: keys.signing(now).public_key(),
            keys: keys.published(now).map(QuoteKeyView::from).collect(),
            format: quote::FORMAT.to_owned(),
        }))
    }
}

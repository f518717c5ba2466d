//! The public calls of the calculator.

mod answers;
mod bonus;
mod ready;
mod small;

use std::sync::Arc;

use agio_core::needs::{Bonuses, Offered, Person, guest_digest};
use agio_core::ratio::effective_rate;
use agio_core::{Error, Result};
use agio_http::{Answer, Dec, Moment, Null, Outcome, Ready, Visitor, parse_decimal};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use poem_openapi::param::{Path, Query};
use poem_openapi::{OpenApi, Tags};

pub use answers::CalculatorKind;
use answers::{CalculatorDirections, CalculatorFees, CalculatorPair, Offer};
use ready::{Shelf, json, unavailable};
use small::{
    CalculatorChat, CalculatorCourse, CalculatorExchangeAttributes, CalculatorKnownKey, CalculatorQuoteKey, CalculatorRate,
    CalculatorReserve, CalculatorSettings, CalculatorTech, CalculatorTechnicalMode,
};

use crate::{Calculator, QuoteKey, model::quote, settings};

#[derive(Tags)]
enum Tag {
    /// Currencies, rates, limits and quotes.
    Calculator,
}

/// The calculator's public calls.
pub struct CalculatorApi {
    calculator: Arc<Calculator>,
    bonuses: Arc<dyn Bonuses>,
    shelf: Shelf,
}

impl CalculatorApi {
    /// The calls of this calculator, and what customers get on top of its rates.
    #[must_use]
    pub fn new(calculator: Arc<Calculator>, bonuses: Arc<dyn Bonuses>) -> Self {
        Self { shelf: Shelf::new(calculator.clone()), calculator, bonuses }
    }

    /// What this visitor gets on top of the rates; nothing where that is what everybody gets, which is ready and needs no looking up.
    async fn bonus_of(&self, visitor: &Visitor, promo: Option<&str>) -> Result<Option<Offered>> {
        let promo = promo.map(str::trim).filter(|code| !code.is_empty());
        if visitor.customer.is_none() && promo.is_none() {
            return Ok(None);
        }
        let browser = visitor.guest.as_deref().map(guest_digest);
        let person = Person { customer: visitor.customer.as_ref(), browser: browser.as_deref(), ..Person::default() };
        let offered = self.bonuses.offered(person, promo).await?;
        Ok(Some(offered).filter(|offered| offered.promo.is_some() || !offered.bonus.parts.is_empty()))
    }

    fn free(&self) -> impl Fn(i64) -> i64 + '_ {
        |currency| self.calculator.free(currency)
    }
}

#[OpenApi(prefix_path = "/api/v1/calculator", tag = "Tag::Calculator")]
impl CalculatorApi {
    /// Currencies
    ///
    /// Every currency that can be sent or received, in the order of lists.
    #[oai(path = "/", method = "get", operation_id = "calculatorDirections")]
    async fn directions(&self, visitor: Visitor) -> Outcome<Ready<CalculatorDirections>> {
        Ok(Ready::new(self.shelf.directions(visitor.locale)))
    }

    /// Currencies that can be sent
    ///
    /// Identifiers, in the order of lists. Only those that can be exchanged for something now.
    #[oai(path = "/from", method = "get", operation_id = "calculatorSendable")]
    async fn sendable(&self) -> Outcome<Answer<Vec<i64>>> {
        Ok(Answer(self.calculator.market().sendable(self.free())))
    }

    /// Currencies that can be received for one
    ///
    /// Identifiers, in the order of lists. Only those whose rate is known and whose reserve is enough for the minimum.
    #[oai(path = "/from/:id", method = "get", operation_id = "calculatorReceivable")]
    async fn receivable(&self, id: Path<i64>) -> Outcome<Answer<Vec<i64>>> {
        let market = self.calculator.market();
        if market.currency(id.0).is_none() {
            return Err(Error::not_found("currency_unknown").into());
        }
        Ok(Answer(market.receivable(id.0, self.free())))
    }

    /// A pair: rate, limits, what is asked for, and a signed quote
    ///
    /// The quote holds these terms until it expires; make a claim with its id to get them. With an access token the course has the
    /// account's bonus inside, with `promo` that of the code; such a quote holds for that account and with that code alone.
    #[oai(path = "/pair/:from/:to", method = "get", operation_id = "calculatorPair")]
    async fn pair(
        &self,
        from: Path<i64>,
        to: Path<i64>,
        /// A promo code in any case. One that cannot be used changes nothing; `promo` of the answer says why.
        promo: Query<Option<String>>,
        visitor: Visitor,
    ) -> Outcome<Ready<CalculatorPair>> {
        let (from, to, locale) = (from.0, to.0, visitor.locale);
        Ok(Ready::new(match self.bonus_of(&visitor, promo.0.as_deref()).await? {
            None => self.shelf.pair(from, to, locale)?,
            Some(offered) => self.shelf.pair_for(from, to, &offered, locale)?,
        }))
    }

    /// The course of a pair
    ///
    /// With the bonus of the account and of the promo code, as the pair has it. With `fromSumma`, what is received for it and the effective
    /// rate; 422 `amount_below_min`, `amount_above_max` outside the limits.
    #[oai(path = "/course/:from/:to", method = "get", operation_id = "calculatorCourse")]
    async fn course(
        &self,
        from: Path<i64>,
        to: Path<i64>,
        /// A promo code in any case; one that cannot be used changes nothing.
        promo: Query<Option<String>>,
        /// How much is sent.
        #[oai(name = "fromSumma")]
        send: Query<Option<String>>,
        visitor: Visitor,
    ) -> Outcome<Answer<CalculatorCourse>> {
        let bonus = self.bonus_of(&visitor, promo.0.as_deref()).await?.unwrap_or_default().bonus;
        let market = self.calculator.market();
        let pair = self.calculator.offered(&market, from.0, to.0)?;
        let offer =
            Offer::with_bonus(&self.calculator, &market, pair, self.calculator.free(to.0), &bonus).ok_or_else(unavailable)?;
        let terms = &offer.lifted.rate.terms;
        let fees = CalculatorFees::of(pair);
        let Some(send) = send.0 else {
            let course = Dec(terms.parts().course);
            return Ok(Answer(CalculatorCourse { course, fees, to_summa: Null(None), effective_rate: Null(None) }));
        };
        let not_an_amount = || Error::unprocessable("validation_failed").at("fromSumma", "not_an_amount");
        let send = parse_decimal(&send).ok_or_else(not_an_amount)?;
        let (course, receive) = offer.at(send)?;
        Ok(Answer(CalculatorCourse {
            course: Dec(course),
            fees,
            to_summa: Null(Some(Dec(receive))),
            effective_rate: Null(effective_rate(send, receive).map(Dec)),
        }))
    }

    /// Reserves
    ///
    /// What may be paid out of every currency customers see.
    #[oai(path = "/reserves", method = "get", operation_id = "calculatorReserves")]
    async fn reserves(&self) -> Outcome<Answer<Vec<CalculatorReserve>>> {
        let market = self.calculator.market();
        let visible = market.currencies.iter().filter(|currency| currency.is_visible());
        let reserve = |currency: &Arc<crate::market::Currency>| {
            let available = self.calculator.ledger.reserves().available(currency.id());
            CalculatorReserve {
                id: currency.id(),
                amount: Dec(currency.free(available.units)),
                updated_at: Moment(available.changed_at.unwrap_or(currency.updated_at)),
            }
        };
        Ok(Answer(visible.map(reserve).collect()))
    }

    /// Settings of the site
    ///
    /// The pair a visitor starts with follows `cur_from` and `cur_to`, codes in any case or identifiers; what is unknown, hidden
    /// or cannot be exchanged gives way to the first that can.
    #[oai(path = "/settings", method = "get", operation_id = "calculatorSettings")]
    async fn settings(
        &self,
        cur_from: Query<Option<String>>,
        cur_to: Query<Option<String>>,
    ) -> Outcome<Answer<CalculatorSettings>> {
        let market = self.calculator.market();
        let opening = market.opening(cur_from.0.as_deref(), cur_to.0.as_deref(), self.free());
        let set = &self.calculator.platform.settings;
        Ok(Answer(CalculatorSettings {
            exchange_attributes: CalculatorExchangeAttributes {
                from_currency_id: Null(opening.map(|(from, _)| from)),
                to_currency_id: Null(opening.map(|(_, to)| to)),
            },
            contest: set.is_on(settings::CONTEST),
            captcha_login: set.is_on(settings::CAPTCHA_LOGIN),
            use_public_id: set.is_on(settings::USE_PUBLIC_ID),
            support_email: set.text(settings::SUPPORT_EMAIL),
            site_name: set.text(settings::SITE_NAME),
            chat: Null(settings::chat_origin(set).map(|_| CalculatorChat {
                url: set.text(settings::CHAT_URL),
                title: set.text(settings::CHAT_TITLE),
                on_claims: set.is_on(settings::CHAT_ON_CLAIMS),
            })),
            rates_of: Null(market.fixed_day().map(|day| day.to_string())),
            terms_version: self.calculator.terms.terms_version(),
        }))
    }

    /// Technical mode
    ///
    /// Asked every 10 seconds by every page that is open.
    #[oai(path = "/tech", method = "get", operation_id = "calculatorTech")]
    async fn tech(&self) -> Outcome<Ready<CalculatorTech>> {
        let (on, until) = settings::technical_mode(&self.calculator.platform.settings);
        let technical_mode = CalculatorTechnicalMode { on, time: Null(until.map(Moment)) };
        Ok(Ready::new(json(&CalculatorTech { technical_mode })))
    }

    /// The table of rates
    ///
    /// A few pairs for the home page.
    #[oai(path = "/rates", method = "get", operation_id = "calculatorRates")]
    async fn rates(&self) -> Outcome<Ready<Vec<CalculatorRate>>> {
        Ok(Ready::new(self.shelf.table()))
    }
}

/// Where the key of quotes is published.
pub struct QuoteKeyApi(Arc<Calculator>);

impl QuoteKeyApi {
    /// The key of this calculator.
    #[must_use]
    pub fn new(calculator: Arc<Calculator>) -> Self {
        Self(calculator)
    }
}

#[OpenApi(tag = "Tag::Calculator")]
impl QuoteKeyApi {
    /// The key of quotes
    ///
    /// With it anybody can check that a quote was signed here. Keys are replaced: a quote that does not fit `publicKey` is checked with the
    /// others of `keys`.
    #[oai(path = "/.well-known/agio-quote-key.json", method = "get", operation_id = "quoteKey")]
    async fn quote_key(&self) -> Outcome<Answer<CalculatorQuoteKey>> {
        let (keys, now) = (self.0.quote_keys(), self.0.platform.clock.now());
        let encoded = |key: &QuoteKey| STANDARD.encode(key.verifying().to_bytes());
        let known = keys.published(now).map(|key| CalculatorKnownKey {
            id: key.id.clone(),
            public_key: encoded(key),
            signs_from: Moment(key.signs_from),
            ends_at: Null(key.ends_at.map(Moment)),
        });
        Ok(Answer(CalculatorQuoteKey {
            algorithm: "Ed25519".to_owned(),
            public_key: encoded(keys.signing(now)),
            keys: known.collect(),
            format: quote::FORMAT.to_owned(),
        }))
    }
}

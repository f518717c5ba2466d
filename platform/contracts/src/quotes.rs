//! Quotes: the terms of an exchange.

use std::sync::Arc;

use agio_core::clock::Timestamp;
use agio_core::error::Result;
use agio_core::money::Amount;
use rust_decimal::Decimal;
use uuid::Uuid;

use super::{AgreedTerms, Bonus, CashCity, CurrencyInfo, CurrencyLookup, CustomerTerms, VerificationSubject};

/// A request for the terms of an exchange.
#[derive(Clone, Debug, Default)]
pub struct QuoteRequest {
    /// The given currency.
    pub from: i64,
    /// The received currency.
    pub to: i64,
    /// The given amount.
    pub give: Decimal,
    /// The received amount the customer was shown. With it, the amounts have to be multiples of the pair's steps.
    pub receive: Option<Decimal>,
    /// The signed quote they were shown.
    pub quote: Option<String>,
    /// The bonus on top of the rate.
    pub bonus: Bonus,
    /// The account: a quote with a customer's own bonus is valid for them alone.
    pub customer: Option<Uuid>,
    /// Units of the received currency that are already held for this customer and so are free for these terms.
    pub held_units: i64,
    /// Whether the amount has been paid: then the limits of new exchanges do not apply, only the reserve does.
    pub is_paid: bool,
}

impl QuoteRequest {
    /// A request without an account or a signed quote.
    pub fn anonymous(from: i64, to: i64, give: Decimal) -> Self {
        Self { from, to, give, ..Self::default() }
    }
}

/// Terms of an exchange that both sides agree on.
#[derive(Clone, Debug)]
pub struct AgreedQuote {
    /// The given currency.
    pub from: Arc<CurrencyInfo>,
    /// The received currency.
    pub to: Arc<CurrencyInfo>,
    /// The given amount.
    pub give: Amount,
    /// The received amount.
    pub receive: Amount,
    /// The value of the given amount at the market rate, in the received currency, rounded down. The difference to
    /// `receive` is income.
    pub market_value: Amount,
    /// Units received for one unit given in this amount's tier, spread and bonus included, without fixed fees.
    pub rate: Decimal,
    /// Percent of bonus included in the rate.
    pub bonus: Decimal,
    /// The promo code that adds to the bonus; `None` if the pair's bounds leave no margin for it.
    pub promo: Option<String>,
    /// [`AgreedTerms`] as JSON, stored with the claim.
    pub terms: String,
    /// How long the rate is held, in minutes from the quote.
    pub hold_minutes: i64,
    /// When the quote with these terms was issued; `None` for current terms.
    pub quoted_at: Option<Timestamp>,
    /// Whether the payment fixes the rate.
    pub floating: bool,
}

/// What another amount yields at agreed terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecalculatedTerms {
    pub receive: Amount,
    /// Units received for one unit given in this amount's tier, without fixed fees.
    pub rate: Decimal,
}

/// Agrees on the terms of exchanges.
pub trait QuoteProvider: CurrencyLookup {
    /// The terms of an exchange: those of the signed quote if it is valid, else the current ones.
    ///
    /// # Errors
    /// 404 `pair_unavailable`; 422 `amount_below_min` or `amount_above_max` with the bound; 409 `rate_changed` with the
    /// new numbers when the customer was shown others; 422 `amount_not_multiple` with the nearest amount when they were
    /// shown an amount between the pair's steps.
    fn agree(&self, request: &QuoteRequest) -> Result<AgreedQuote>;

    /// What another amount yields at agreed terms, within the current limits of the pair.
    ///
    /// # Errors
    /// 404 `pair_unavailable`; 422 `amount_below_min` or `amount_above_max` with the bound; `internal` for invalid
    /// terms.
    fn recalculate(&self, terms: &AgreedTerms, request: &QuoteRequest) -> Result<RecalculatedTerms>;

    /// What a pair requires to be verified before the payment. If it is the card, its number is given with the claim.
    fn required_verification(&self, from: i64, to: i64) -> Option<VerificationSubject>;

    /// The terms that customers of a pair accept before they pay.
    fn customer_terms(&self, from: i64, to: i64) -> Option<CustomerTerms>;

    /// Where cash of a pair changes hands; empty without cash. `None` for an unknown pair.
    fn cities(&self, from: i64, to: i64) -> Option<Vec<CashCity>>;

    /// For how many minutes a payment may be reported as sent without being detected; `None` if the pair has no rule of
    /// its own.
    fn reported_minutes(&self, from: i64, to: i64) -> Option<i64>;
}

/// Tells which version of the terms of service is in force.
pub trait TermsVersionProvider: Send + Sync {
    /// The published version, stored with the customer's consent.
    fn terms_version(&self) -> String;
}

//! What partners can offer their customers, and quotes for it.

use std::sync::Arc;
use std::time::Duration;

use agio_core::clock::Timestamp;
use agio_core::error::Result;
use rust_decimal::Decimal;

use super::{CurrencyInfo, CurrencyLookup, CustomerTerms, FloatingTerms, NetworkFee, VerificationSubject};

/// A currency that customers can see.
#[derive(Clone, Debug)]
pub struct OfferedCurrency {
    pub facts: Arc<CurrencyInfo>,
    /// Decimals of amounts in requests and responses.
    pub digits: u32,
    /// Whether it can be given.
    pub can_give: bool,
    /// Whether it can be received.
    pub can_receive: bool,
    /// The free reserve.
    pub reserve: Decimal,
}

/// A pair that can be exchanged now.
#[derive(Clone, Debug)]
pub struct OfferedPair {
    /// The given currency.
    pub from: Arc<CurrencyInfo>,
    /// The received currency.
    pub to: Arc<CurrencyInfo>,
    /// Units received for one unit given, below the first tier.
    pub rate: Decimal,
    /// The least and the greatest given amount.
    pub give: (Decimal, Decimal),
    /// The least and the greatest received amount.
    pub receive: (Decimal, Decimal),
    /// What given and received amounts are multiples of; `None` for the last digit of their currency.
    pub steps: (Option<Decimal>, Option<Decimal>),
    /// The free reserve of the received currency.
    pub reserve: Decimal,
    /// The fixed fees, taken from the given and from the received amount. Percentage fees are included in the rate.
    pub fees: (Decimal, Decimal),
    /// The part of the fee on the received amount that is the network fee. `None` where payouts cost nothing.
    pub network_fee: Option<NetworkFee>,
    /// How the payment fixes the rate; `None` where the rate is fixed with the claim.
    pub floating: Option<FloatingTerms>,
    /// How long the rate is held for a claim, in minutes.
    pub hold_minutes: i64,
    /// What customers must have verified before they pay.
    pub verification: Option<VerificationSubject>,
    /// What customers accept before they pay.
    pub customer_terms: Option<CustomerTerms>,
    /// Codes of the cities in which cash changes hands; empty without cash.
    pub cities: Vec<String>,
}

/// The amount a quote is requested for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotedSide {
    /// The exact given amount.
    Give(Decimal),
    /// The least received amount.
    Receive(Decimal),
}

/// A signed quote for an amount.
#[derive(Clone, Debug)]
pub struct AmountQuote {
    /// The signed quote to create a claim with.
    pub token: String,
    pub give: Decimal,
    pub receive: Decimal,
    /// The pair as it is offered now.
    pub pair: OfferedPair,
    pub expires_at: Timestamp,
}

/// Lists currencies and pairs for partners and quotes amounts.
pub trait PartnerOffers: CurrencyLookup {
    /// The currencies customers can see, in list order.
    fn currencies(&self) -> Vec<OfferedCurrency>;

    /// The pairs that can be exchanged now, in the order of their currencies.
    fn pairs(&self) -> Vec<OfferedPair>;

    /// Terms for an amount on either side, valid as long as other quotes and at least `at_least`.
    ///
    /// # Errors
    /// 404 `pair_unavailable`; 422 `amount_below_min` or `amount_above_max` with the bound, `amount_not_multiple` with the
    /// step and the nearest amount, `too_many_digits`.
    fn quote(&self, from: i64, to: i64, side: QuotedSide, at_least: Duration) -> Result<AmountQuote>;
}

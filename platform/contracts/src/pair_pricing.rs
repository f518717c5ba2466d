//! Pricing of pairs by the rates module's decisions.

use std::collections::BTreeSet;

use agio_core::BoxFuture;
use agio_core::clock::Timestamp;
use agio_core::db::Tx;
use agio_core::error::Result;
use rust_decimal::Decimal;

use super::{RateDecision, SuspensionReason};

/// A price from a live source: units of the quote asset for one of the base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedPrice {
    /// Name of the source.
    pub source: String,
    pub base: String,
    pub quote: String,
    /// What the source buys the base at.
    pub bid: Decimal,
    /// What it sells the base at.
    pub ask: Decimal,
    /// The time of the price; midnight for the price of a whole day.
    pub observed_at: Timestamp,
}

/// A pair as it is priced under a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PricedPair {
    pub id: i64,
    /// The codes of its currencies.
    pub codes: (String, String),
    pub enabled: bool,
    /// Whether its rate follows the sources.
    pub is_market: bool,
    /// Units received for one given, without spread and fees; `None` if there is no rate.
    pub market: Option<Decimal>,
    /// The asset pairs its rate is computed over, in order.
    pub path: Vec<(String, String)>,
    /// The asset pair on its path that the sources do not agree on.
    pub blocked: Option<(String, String)>,
    /// Whether every price on its path is recent enough.
    pub is_fresh: bool,
    /// The operator's spread, in percent.
    pub spread_percent: Decimal,
    /// The percentage fees on the given and on the received side.
    pub fee_percents: (Decimal, Decimal),
    /// The free reserve of the received currency.
    pub free: Decimal,
    /// Units a customer receives for one given, without fixed fees.
    pub rate: Option<Decimal>,
    /// The tickers of its currencies.
    pub tickers: (String, String),
    /// What the sources say it is worth, also if its rate does not follow them. `None` if they are silent or too old.
    pub reference: Option<Decimal>,
    pub costs: PairCosts,
}

/// What an exchange of a pair costs beside its rate, and which amounts it may have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairCosts {
    /// The fixed fee on the give side, in the give currency.
    pub give_fee: Decimal,
    /// The fixed fee on the receive side, in the receive currency. The network fee is part of it if the customer bears it.
    pub receive_fee: Decimal,
    /// What the network takes for a payout, in the receive currency, also if the customer bears it.
    pub network_fee: Decimal,
    /// The tiers of the rate, ascending.
    pub tiers: Vec<RateTier>,
    /// The configured least and greatest give amount.
    pub give_limits: (Option<Decimal>, Option<Decimal>),
    /// The least receive amount: the configured one, at least one step or last digit.
    pub min_receive: Decimal,
    /// Decimals of the receive currency.
    pub receive_digits: u32,
    /// The smallest and the largest exchange that is possible now, all fees and roundings included. `None` if nothing can
    /// be exchanged.
    pub exchanges: Option<(ExchangeAmounts, ExchangeAmounts)>,
}

/// From this give amount the rate changes by some percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateTier {
    pub min_give: Decimal,
    /// Percent added to the rate; may be negative.
    pub added_percent: Decimal,
}

/// What a customer gives and receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExchangeAmounts {
    pub give: Decimal,
    pub receive: Decimal,
}

/// The latest imported price of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedPrice {
    pub price: ObservedPrice,
    /// Whether it is recent enough.
    pub is_fresh: bool,
    /// Until when; `None` if it does not expire.
    pub good_until: Option<Timestamp>,
}

/// The market price of one asset in another, over any number of asset pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarketPrice {
    /// What one unit of the base sells at and what it costs; `None` if there is no price.
    pub sides: Option<(Decimal, Decimal)>,
    /// The asset pairs it is computed over, in order.
    pub path: Vec<(String, String)>,
    /// The asset pair on its path that the sources do not agree on.
    pub blocked: Option<(String, String)>,
    /// Whether every price on its path is recent enough.
    pub is_fresh: bool,
    pub sources: Vec<String>,
    /// The time of its oldest price; `None` where nothing is priced.
    pub observed_at: Option<Timestamp>,
    /// Until when it may be used; `None` if its prices do not expire.
    pub good_until: Option<Timestamp>,
}

/// A pair as customers would see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairOffer {
    pub priced: PricedPair,
    /// A usual exchange, all fees and roundings included. `None` if nothing can be exchanged.
    pub sample: Option<ExchangeAmounts>,
}

/// Prices pairs and applies rate decisions.
pub trait PairPricing: Send + Sync {
    /// The tickers that rates are computed over.
    fn assets(&self) -> BTreeSet<String>;

    /// Whether live prices count: they do not while rates are fixed to a day.
    fn is_live(&self) -> bool;

    /// Every pair as it would be under a decision, without storing anything. Takes as long as pricing every pair.
    fn price_pairs(&self, decision: &RateDecision) -> Vec<PricedPair>;

    /// A pair as it is priced now; `None` if it is unknown.
    fn priced_pair(&self, pair: i64) -> Option<PricedPair>;

    /// A pair as it would be under a decision; `None` if it is unknown.
    fn preview_pair(&self, decision: &RateDecision, pair: i64) -> Option<PairOffer>;

    /// Market prices of assets, base and quote, under a decision.
    fn market_prices(&self, decision: &RateDecision, assets: &[(String, String)]) -> Vec<MarketPrice>;

    /// The latest imported price of each source and asset pair.
    fn imported_prices(&self) -> Vec<ImportedPrice>;

    /// Pairs suspended because a round trip over them gains, the longest suspended first. They resume when it no longer
    /// does.
    fn suspended(&self) -> Vec<(i64, SuspensionReason)>;

    /// Stores prices of live sources. They are not used until a decision says so.
    fn store_source_quotes<'a>(&'a self, tx: &'a mut Tx, prices: &'a [ObservedPrice]) -> BoxFuture<'a, Result<()>>;

    /// Replaces the stored decision. It takes effect after the commit, with [`PairPricing::refresh`].
    fn apply_decision<'a>(&'a self, tx: &'a mut Tx, decision: &'a RateDecision) -> BoxFuture<'a, Result<()>>;

    /// Prices every pair by the stored decision.
    fn refresh(&self) -> BoxFuture<'_, Result<()>>;

    /// Keeps one price an hour of the live prices before `before`. Returns how many were deleted.
    fn prune_source_quotes(&self, before: Timestamp) -> BoxFuture<'_, Result<()>>;
}

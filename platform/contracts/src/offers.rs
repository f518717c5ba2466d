//! The exchange directions on offer, as the site publishes them.

use std::net::IpAddr;

use rust_decimal::Decimal;

use super::{CurrencyInfo, CurrencyKind, VerificationSubject};

/// Everything the offered directions depend on: equal versions mean equal directions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OffersVersion {
    /// Counts the changes of currencies, pairs and rates.
    pub market: u64,
    /// The free reserve of each currency in units, rounded down to a few digits so that not every claim changes it.
    pub reserves: Vec<(i64, i64)>,
    /// Currencies with automatic payouts, each with the greatest automatic payout in units.
    pub automatic: Vec<(i64, i64)>,
    /// Whether nothing is offered now, as in technical mode.
    pub closed: bool,
}

/// How a floating rate is fixed: by the payment, at the rate of that time, without a limit on its change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatingTerms {
    /// The confirmation of the payment that fixes the rate; `None` where staff confirm payments.
    pub confirmations: Option<u32>,
    /// Minutes until the payment is due.
    pub minutes: i64,
    /// By how many percent the rate is above (or, if negative, below) the rate of its source.
    pub deviation_percent: Decimal,
}

/// One side of an offered direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedSide {
    /// The currency.
    pub id: i64,
    /// Its code: `USDTTRC20`.
    pub code: String,
    /// The asset: `USDT`.
    pub ticker: String,
    pub kind: CurrencyKind,
    /// The least amount of this side.
    pub min: Decimal,
    /// The greatest amount of this side, limited by the reserve as well.
    pub max: Decimal,
}

/// A direction that everyone can exchange in, as the site shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedDirection {
    /// The given side.
    pub from: OfferedSide,
    /// The received side.
    pub to: OfferedSide,
    /// Rates by least given amount, ascending from zero: units received for one unit given, percentage fees included.
    pub rates: Vec<(Decimal, Decimal)>,
    /// The fixed fee on the given side.
    pub give_fee: Decimal,
    /// The fixed fee on the received side.
    pub receive_fee: Decimal,
    /// The free reserve of the received currency, rounded down.
    pub reserve: Decimal,
    /// Minutes until the payment that fixes a floating rate is due; `None` where the rate is fixed with the claim.
    pub floating: Option<i64>,
    /// Whether staff send every payout.
    pub manual: bool,
    /// What customers must have verified before they pay.
    pub verification: Option<VerificationSubject>,
    /// Whether customers have to accept terms before they pay.
    pub has_terms: bool,
    /// Units received for one unit given at the sources' rate, without spread and fees; `None` where it is unknown.
    pub market: Option<Decimal>,
    /// The codes of the cities in which cash changes hands; empty without cash.
    pub cities: Vec<String>,
}

/// Lists the directions on offer.
pub trait OfferProvider: Send + Sync {
    /// The current version. Cheap: it is read for every request of a feed.
    fn stamp(&self) -> OffersVersion;

    /// Every offered direction with the reserves of this version, in list order; none if the version is closed.
    fn directions(&self, stamp: &OffersVersion) -> Vec<OfferedDirection>;

    /// One direction on offer now, as in [`directions`](Self::directions).
    fn direction(&self, give: i64, receive: i64) -> Option<OfferedDirection>;

    /// Whether staff offer a direction, also one that cannot be exchanged now.
    fn is_listed(&self, give: i64, receive: i64) -> bool;

    /// Every currency in list order, hidden ones included.
    fn currencies(&self) -> Vec<CurrencyInfo>;
}

/// Network addresses of known robots, which are not rate-limited on feeds.
pub trait CrawlerAllowlist: Send + Sync {
    fn allows(&self, address: IpAddr) -> bool;
}

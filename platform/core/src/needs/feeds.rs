//! Knowing what is offered, for those who publish it to monitors of exchange rates.

use std::net::IpAddr;

use rust_decimal::Decimal;

use super::{CurrencyFacts, Proof};

/// What the offered directions follow from: while it is the same, so are they.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferStamp {
    /// Counts the changes of the market: currencies, pairs, rates.
    pub market: u64,
    /// What is free of each currency in units of its scale, rounded down to a few digits so that not every claim changes it.
    pub reserves: Vec<(i64, i64)>,
    /// Currencies that are paid out without staff, each with the greatest such payout in units.
    pub automatic: Vec<(i64, i64)>,
    /// Whether nothing is offered now, as in technical mode.
    pub closed: bool,
}

/// How a floating rate is fixed: by the payment, at the rate of that moment, with no bound on how far that has moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatingTerms {
    /// The confirmation of the payment by which it is fixed; nothing where staff confirm payments.
    pub confirmations: Option<u32>,
    /// The payment is due within so many minutes.
    pub minutes: i64,
    /// By how many percent the rate is above, or if less than nothing below, that of its source.
    pub deviation_percent: Decimal,
}

/// One side of a direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectionSide {
    /// The currency.
    pub id: i64,
    /// Its code: `USDTTRC20`.
    pub code: String,
    /// The asset: `USDT`.
    pub ticker: String,
    /// `crypto`, `bank`, `ewallet` or `cash`.
    pub kind: String,
    /// The least amount of this side.
    pub min: Decimal,
    /// The greatest amount of this side; the reserve is minded.
    pub max: Decimal,
}

/// An exchange that is offered to everybody, as the site shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Direction {
    /// What is sent.
    pub from: DirectionSide,
    /// What is received.
    pub to: DirectionSide,
    /// From which sent amount on which course holds, ascending, the first from zero: units received for one unit sent, percents inside.
    pub courses: Vec<(Decimal, Decimal)>,
    /// The fixed fee on the sent side.
    pub fee_from: Decimal,
    /// The fixed fee on the received side.
    pub fee_to: Decimal,
    /// What is free of the received currency, rounded down.
    pub reserve: Decimal,
    /// Within how many minutes the payment is due that fixes the rate; nothing where the rate is fixed with the claim.
    pub floating: Option<i64>,
    /// Whether staff send every payout.
    pub manual: bool,
    /// What customers have verified before they pay.
    pub proof: Option<Proof>,
    /// Units received for one unit sent by what the sources say, without anything of the house; nothing where they do not say.
    pub market: Option<Decimal>,
}

/// Knowing what is offered.
pub trait Offers: Send + Sync {
    /// What the directions follow from now. Cheap: it is asked for each time a feed is.
    fn stamp(&self) -> OfferStamp;

    /// Every offered direction with these reserves, in the order of lists; none where the stamp says that nothing is offered.
    fn directions(&self, stamp: &OfferStamp) -> Vec<Direction>;

    /// Every currency, hidden ones included, in the order of lists.
    fn currencies(&self) -> Vec<CurrencyFacts>;
}

/// Knowing robots that are let through.
pub trait Robots: Send + Sync {
    /// Whether calls from this address for what is made for robots are not counted.
    fn lets_through(&self, address: IpAddr) -> bool;
}

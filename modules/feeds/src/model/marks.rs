//! Marks: what aggregators show beside a rate.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use agio_contracts::{CurrencyKind, OfferedDirection, VerificationSubject};
use serde::{Deserialize, Serialize};

agio_core::named! {
    /// A mark beside a rate. `manual` and `floating` are derived from the direction and cannot be set.
    FeedMark {
        /// Payouts are manual.
        Manual = "manual",
        Juridical = "juridical",
        /// Identity verification may be required.
        Verifying = "verifying",
        /// Card verification may be required.
        CardVerify = "cardverify",
        /// The rate is fixed when the payment arrives.
        Floating = "floating",
        OtherIn = "otherin",
        OtherOut = "otherout",
        Reg = "reg",
        Card2Card = "card2card",
        Delivery = "delivery",
        Hold = "hold",
        Delay = "delay",
    }
}

impl FeedMark {
    pub fn is_settable(self) -> bool {
        !matches!(self, Self::Floating | Self::Manual)
    }
}

/// Marks in their order of declaration; stored separated by commas.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedMarks(pub BTreeSet<FeedMark>);

impl fmt::Display for FeedMarks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(|mark| mark.name()).collect::<Vec<_>>().join(","))
    }
}

impl FromStr for FeedMarks {
    type Err = Infallible;

    /// Drops unknown and derived marks.
    fn from_str(list: &str) -> Result<Self, Infallible> {
        let marks = list.split(',').filter_map(|mark| mark.trim().parse::<FeedMark>().ok());
        Ok(Self(marks.filter(|mark| mark.is_settable()).collect()))
    }
}

agio_core::text_column!(FeedMarks);

/// Marks derived from the direction.
pub fn inherent(direction: &OfferedDirection) -> BTreeSet<FeedMark> {
    let verification = match direction.verification {
        Some(VerificationSubject::Card) => Some(FeedMark::CardVerify),
        Some(VerificationSubject::Identity) => Some(FeedMark::Verifying),
        None => None,
    };
    let manual = direction.manual.then_some(FeedMark::Manual);
    let floating = direction.floating.map(|_| FeedMark::Floating);
    [manual, verification, floating].into_iter().flatten().collect()
}

/// A mark that does not apply to the direction.
pub fn inapplicable(marks: &BTreeSet<FeedMark>, direction: &OfferedDirection) -> Option<FeedMark> {
    let (from, to) = (direction.from.kind, direction.to.kind);
    let fits = |mark: FeedMark| match mark {
        FeedMark::Juridical => to == CurrencyKind::Bank,
        FeedMark::Card2Card => from == CurrencyKind::Bank,
        FeedMark::Delivery => from == CurrencyKind::Cash || to == CurrencyKind::Cash,
        FeedMark::Floating => direction.floating.is_some(),
        _ => true,
    };
    marks.iter().copied().find(|mark| !fits(*mark))
}

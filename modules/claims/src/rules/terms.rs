//! The terms kept with a claim, read back. The calculator writes them; what a claim does not find there it does without.

use agio_core::Amount;
use agio_core::needs::Bonus;
use agio_core::texts::{Bilingual, Locale};
use rust_decimal::Decimal;
use serde::Deserialize;

use super::Claim;

/// The fees, and how the rate came about.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Terms {
    /// The fees on either side.
    pub fees: FeesOfBothSides,
    /// How the rate came about, in a line.
    pub explanation: Words,
    /// The day the rates are of, where that is not today.
    pub rates_of: Option<String>,
    /// What the customer gets on top of the rate, before the pair bounds it.
    pub bonus: Bonus,
}

/// The fees on either side.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct FeesOfBothSides {
    /// On the sent side.
    pub from: Fee,
    /// On the received side.
    pub to: Fee,
}

/// The fee on one side, in decimal text.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Fee {
    fixed: String,
    percent: String,
}

impl Fee {
    /// The part that is the same for every amount, in the side's currency.
    #[must_use]
    pub fn fixed(&self) -> Decimal {
        self.fixed.parse().unwrap_or_default()
    }

    /// Percent of the amount, inside the course already.
    #[must_use]
    pub fn percent(&self) -> Decimal {
        self.percent.parse().unwrap_or_default()
    }
}

/// Words in one language or in both.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Words {
    /// The same in both.
    One(String),
    /// In each.
    Both(Bilingual),
}

impl Default for Words {
    fn default() -> Self {
        Self::One(String::new())
    }
}

impl Words {
    /// The words in one language.
    #[must_use]
    pub fn get(&self, locale: Locale) -> &str {
        match self {
            Self::One(text) => text,
            Self::Both(text) => text.get(locale),
        }
    }
}

impl Terms {
    /// The terms of a claim.
    #[must_use]
    pub fn of(claim: &Claim) -> Self {
        serde_json::from_str(&claim.terms).unwrap_or_default()
    }
}

/// The fixed fees of a claim in units of the two currencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fees {
    /// In units of the sent currency, at most what is sent.
    pub sent: i64,
    /// In units of the received currency.
    pub received: i64,
}

impl Fees {
    /// The fixed fees of a claim; a fee that is no exact amount of its currency counts as none.
    #[must_use]
    pub fn of(claim: &Claim) -> Self {
        let fees = Terms::of(claim).fees;
        let units = |fee: Decimal, of: Amount| Amount::exact(fee, of.scale()).map_or(0, Amount::units).max(0);
        Self {
            sent: units(fees.from.fixed(), claim.send()).min(claim.send_units),
            received: units(fees.to.fixed(), claim.receive()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::claim::tests::claim;

    #[test]
    fn terms_read_in_either_form_of_words() {
        let mut claim = claim();
        claim.terms = r#"{"explanation":{"ru":"рынок","en":"market"},"ratesOf":"2024-03-28","tiers":[]}"#.into();
        let terms = Terms::of(&claim);
        assert_eq!((terms.explanation.get(Locale::En), terms.rates_of.as_deref()), ("market", Some("2024-03-28")));
        claim.terms = r#"{"explanation":"manual rate"}"#.into();
        assert_eq!(Terms::of(&claim).explanation.get(Locale::Ru), "manual rate");
    }
}

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
    /// How far a payment may be from these terms.
    pub tolerance: Tolerance,
}

/// How far a payment may be from what was agreed on, as the direction had it then, in decimal text; nothing where the rule of the house holds.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Tolerance {
    late_percent: Option<String>,
    amount_fixed: Option<String>,
    amount_percent: Option<String>,
}

/// No tolerance is more than this part of what was agreed on, whatever is set.
const TOLERATED_PART: i128 = 10;

impl Tolerance {
    /// By how many percent the course may have moved when the payment comes late.
    #[must_use]
    pub fn late_percent(&self) -> Option<Decimal> {
        self.late_percent.as_deref()?.parse().ok()
    }

    /// How much less or more than `send` may come, in its units: the fixed part and the percent together, rounded down.
    #[must_use]
    pub fn amount(&self, send: Amount) -> Option<i64> {
        if self.amount_fixed.is_none() && self.amount_percent.is_none() {
            return None;
        }
        let read = |text: &Option<String>| text.as_deref().and_then(|text| text.parse::<Decimal>().ok()).unwrap_or_default();
        let fixed = Amount::exact(read(&self.amount_fixed), send.scale()).map_or(0, Amount::units);
        let (percent, agreed) = (read(&self.amount_percent), i128::from(send.units()));
        let hundred = 10_i128.pow(percent.scale()) * 100;
        let part = agreed.checked_mul(percent.mantissa()).map_or(0, |product| product.div_euclid(hundred));
        let both = (i128::from(fixed) + part).clamp(0, agreed / TOLERATED_PART);
        i64::try_from(both).ok()
    }
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
    fn a_tolerance_is_both_its_parts_rounded_down_and_a_tenth_at_most() {
        let tolerated = |tolerance: &str, units| {
            let mut claim = claim();
            claim.terms = format!(r#"{{"tolerance":{tolerance}}}"#);
            Terms::of(&claim).tolerance.amount(Amount::of_units(units, 8))
        };
        let both = r#"{"latePercent":null,"amountFixed":"0.00000005","amountPercent":"1.5"}"#;
        assert_eq!(tolerated(both, 1_000), Some(20));
        assert_eq!(tolerated(both, 1_060), Some(20), "15.9 units are 15");
        assert_eq!(tolerated(both, 40), Some(4));
        assert_eq!(tolerated(r#"{"amountPercent":"10"}"#, i64::MAX), Some(i64::MAX / 10));
        assert_eq!(tolerated(r#"{"amountFixed":"0"}"#, 1_000), Some(0), "nothing is a rule, too");
        assert_eq!(tolerated(r#"{"latePercent":"1"}"#, 1_000), None);
        assert_eq!(tolerated("{}", 1_000), None);
    }

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

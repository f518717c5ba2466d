//! Pure rules of tiers and promo codes.

use agio_contracts::{PromoCodeRefusal, ReferenceValue};
use agio_core::money::units_of;
use agio_core::money::value_of;
use agio_core::{Error, FieldError, Result, Timestamp, named};
use rust_decimal::Decimal;

/// Volume is counted in millionths of the base currency.
pub const VOLUME_SCALE: u32 = 6;
pub const TIERS_MAX: usize = 20;
/// Maximum bonus of a tier or a code, in basis points.
pub const PERCENT_MAX_BPS: i64 = 5_000;

const CODE_LENGTHS: std::ops::RangeInclusive<usize> = 3..=32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VolumeTier {
    /// Minimum volume, in units of [`VOLUME_SCALE`].
    pub min_units: i64,
    /// In basis points.
    pub percent_bps: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TierPosition {
    /// In basis points.
    pub percent_bps: i64,
    pub next: Option<VolumeTier>,
}

/// `tiers` ascend.
pub fn position(tiers: &[VolumeTier], volume: i64) -> TierPosition {
    let reached = tiers.iter().take_while(|tier| tier.min_units <= volume).count();
    let percent_bps = reached.checked_sub(1).map_or(0, |last| tiers[last].percent_bps);
    TierPosition { percent_bps, next: tiers.get(reached).copied() }
}

/// Basis points as a percentage.
pub fn percent(percent_bps: i64) -> Decimal {
    Decimal::new(percent_bps, 2).normalize()
}

pub fn volume(units: i64) -> Decimal {
    value_of(units, VOLUME_SCALE)
}

/// A reference value in units of volume, rounded down. `None` on overflow.
pub fn reference_value_units(value: &ReferenceValue) -> Option<i64> {
    units_of(value.amount.trunc_with_scale(VOLUME_SCALE), VOLUME_SCALE).ok()
}

/// Parses a percentage into basis points.
///
/// # Errors
/// Must be above 0, at most 50, with at most two decimals.
pub fn parse_percent(field: String, percent: Decimal) -> Result<i64, FieldError> {
    let units = units_of(percent, 2).ok().filter(|units| (1..=PERCENT_MAX_BPS).contains(units));
    units.ok_or_else(|| FieldError::new(field, "discount_percent_invalid").with("max", self::percent(PERCENT_MAX_BPS)))
}

/// Parses an amount of the base currency into units of volume.
///
/// # Errors
/// Must be above zero, with at most six decimals.
pub fn parse_amount(field: String, amount: Decimal) -> Result<i64, FieldError> {
    let units = units_of(amount, VOLUME_SCALE).ok().filter(|units| *units > 0);
    units.ok_or_else(|| FieldError::new(field, "discount_amount_invalid"))
}

/// Parses tiers of minimum volume and percentage.
///
/// # Errors
/// 422 `validation_failed` with every invalid field: both columns must ascend.
pub fn parse_tiers(typed: &[(Decimal, Decimal)]) -> Result<Vec<VolumeTier>> {
    if typed.len() > TIERS_MAX {
        return Err(Error::unprocessable("validation_failed").with("max", TIERS_MAX).at("tiers", "too_many_tiers"));
    }
    let (mut tiers, mut wrong): (Vec<VolumeTier>, Vec<FieldError>) = (Vec::new(), Vec::new());
    for (row, (min, percent)) in typed.iter().enumerate() {
        let read = (parse_amount(format!("tiers.{row}.min"), *min), parse_percent(format!("tiers.{row}.percent"), *percent));
        let (min_units, percent_bps) = match read {
            (Ok(min_units), Ok(percent_bps)) => (min_units, percent_bps),
            (min, percent) => {
                wrong.extend(min.err().into_iter().chain(percent.err()));
                continue;
            }
        };
        if tiers.last().is_some_and(|last| last.min_units >= min_units || last.percent_bps >= percent_bps) {
            wrong.push(FieldError::new(format!("tiers.{row}"), "discount_tiers_not_ascending"));
        }
        tiers.push(VolumeTier { min_units, percent_bps });
    }
    if wrong.is_empty() { Ok(tiers) } else { Err(Error::invalid(wrong)) }
}

/// `None` if the text cannot be a promo code.
pub fn normalize_code(typed: &str) -> Option<String> {
    let code = typed.trim().to_ascii_uppercase();
    let plain = code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_'));
    (plain && CODE_LENGTHS.contains(&code.len())).then_some(code)
}

named! {
    /// State of a promo code.
    PromoCodeState {
        /// Starts in the future.
        Planned = "planned",
        /// Available.
        Active = "active",
        /// The usage limit is reached.
        UsedUp = "used_up",
        /// Expired.
        Over = "over",
        /// Stopped by staff.
        Stopped = "stopped",
    }
}

#[derive(Clone, Copy, Debug)]
pub struct PromoCodeLimits {
    pub starts_at: Timestamp,
    pub ends_at: Option<Timestamp>,
    pub stopped_at: Option<Timestamp>,
    pub uses_max: Option<i64>,
    pub per_customer: Option<i64>,
}

impl PromoCodeLimits {
    /// Why a code cannot be used after this many uses in total and by the customer. A code that has not started
    /// counts as unknown.
    pub fn refusal(&self, uses: i64, uses_of_customer: i64, now: Timestamp) -> Option<PromoCodeRefusal> {
        if now < self.starts_at {
            return Some(PromoCodeRefusal::Unknown);
        }
        if self.stopped_at.is_some() || self.ends_at.is_some_and(|end| now >= end) {
            return Some(PromoCodeRefusal::Expired);
        }
        let over = |max: Option<i64>, used: i64| max.is_some_and(|max| used >= max);
        (over(self.uses_max, uses) || over(self.per_customer, uses_of_customer)).then_some(PromoCodeRefusal::UsedUp)
    }

    pub fn state(&self, uses: i64, now: Timestamp) -> PromoCodeState {
        match self.refusal(uses, 0, now) {
            None => PromoCodeState::Active,
            Some(PromoCodeRefusal::Unknown) => PromoCodeState::Planned,
            Some(PromoCodeRefusal::UsedUp) => PromoCodeState::UsedUp,
            Some(PromoCodeRefusal::Expired) if self.stopped_at.is_some() => PromoCodeState::Stopped,
            Some(PromoCodeRefusal::Expired) => PromoCodeState::Over,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    fn table(rows: &[(i64, i64)]) -> Vec<VolumeTier> {
        rows.iter().map(|(min_units, percent_bps)| VolumeTier { min_units: *min_units, percent_bps: *percent_bps }).collect()
    }

    #[test]
    fn a_tier_starts_at_its_minimum() {
        let tiers = table(&[(1_000, 10), (5_000, 25)]);
        let gives = |volume| (position(&tiers, volume).percent_bps, position(&tiers, volume).next.map(|tier| tier.min_units));
        assert_eq!(gives(0), (0, Some(1_000)));
        assert_eq!(gives(999), (0, Some(1_000)));
        assert_eq!(gives(1_000), (10, Some(5_000)));
        assert_eq!(gives(4_999), (10, Some(5_000)));
        assert_eq!(gives(5_000), (25, None));
        assert_eq!(gives(i64::MAX), (25, None));
        assert_eq!(position(&[], 7), TierPosition::default());
    }

    #[test]
    fn more_volume_never_gives_less() {
        let tiers = table(&[(3, 1), (5, 4), (8, 9), (13, 16)]);
        let gives: Vec<i64> = (0..20).map(|volume| position(&tiers, volume).percent_bps).collect();
        assert!(gives.is_sorted(), "{gives:?}");
    }

    #[test]
    fn a_table_ascends_in_both_columns() {
        let typed = |rows: &[(&str, &str)]| {
            let rows: Vec<_> = rows.iter().map(|(min, percent)| (number(min), number(percent))).collect();
            parse_tiers(&rows).map_err(|error| error.fields().iter().map(|field| field.field.clone()).collect::<Vec<_>>())
        };
        assert_eq!(typed(&[("1000", "0.1"), ("5000.5", "0.25")]), Ok(table(&[(1_000_000_000, 10), (5_000_500_000, 25)])));
        assert_eq!(typed(&[]), Ok(Vec::new()));
        assert_eq!(typed(&[("1000", "0.2"), ("1000", "0.3")]), Err(vec!["tiers.1".into()]));
        assert_eq!(typed(&[("1000", "0.2"), ("2000", "0.2")]), Err(vec!["tiers.1".into()]));
        assert_eq!(
            typed(&[("0", "0.2"), ("-1", "51")]),
            Err(vec!["tiers.0.min".into(), "tiers.1.min".into(), "tiers.1.percent".into()])
        );
        assert_eq!(typed(&[("0.0000001", "0.001")]), Err(vec!["tiers.0.min".into(), "tiers.0.percent".into()]));
        assert_eq!(typed(&[("1", "1"); TIERS_MAX + 1]), Err(vec!["tiers".into()]));
    }

    #[test]
    fn codes_are_case_insensitive_and_invalid_text_is_rejected() {
        assert_eq!(normalize_code(" spring-24 ").as_deref(), Some("SPRING-24"));
        for typed in ["", "ab", "весна", "a b c", "spring%", &"x".repeat(33), "a\0bc"] {
            assert_eq!(normalize_code(typed), None, "{typed:?}");
        }
    }

    #[test]
    fn a_code_is_rejected_for_its_first_reason() {
        let open = PromoCodeLimits {
            starts_at: Timestamp(10),
            ends_at: Some(Timestamp(20)),
            stopped_at: None,
            uses_max: Some(2),
            per_customer: Some(1),
        };
        assert_eq!(open.refusal(0, 0, Timestamp(9)), Some(PromoCodeRefusal::Unknown));
        assert_eq!(open.refusal(1, 0, Timestamp(10)), None);
        assert_eq!(open.refusal(1, 0, Timestamp(19)), None);
        assert_eq!(open.refusal(0, 0, Timestamp(20)), Some(PromoCodeRefusal::Expired));
        assert_eq!(open.refusal(2, 0, Timestamp(15)), Some(PromoCodeRefusal::UsedUp));
        assert_eq!(open.refusal(1, 1, Timestamp(15)), Some(PromoCodeRefusal::UsedUp));
        let stopped = PromoCodeLimits { stopped_at: Some(Timestamp(12)), ..open };
        assert_eq!(stopped.refusal(0, 0, Timestamp(15)), Some(PromoCodeRefusal::Expired));
        let unbounded = PromoCodeLimits { ends_at: None, uses_max: None, per_customer: None, ..open };
        assert_eq!(unbounded.refusal(i64::MAX, i64::MAX, Timestamp(i64::MAX)), None);
    }

    #[test]
    fn a_reference_value_is_rounded_down_and_never_overflows() {
        let value = |amount| ReferenceValue { amount: number(amount), ticker: "USDT".into() };
        assert_eq!(reference_value_units(&value("1.0000009")), Some(1_000_000));
        assert_eq!(reference_value_units(&value("0")), Some(0));
        assert_eq!(reference_value_units(&value("79228162514264337593543950335")), None);
        assert_eq!(volume(1_500_000).to_string(), "1.5");
    }
}

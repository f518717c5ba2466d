//! Tiers and promo codes: what they give, and to whom. Pure.

use agio_core::needs::Worth;
use agio_core::{Amount, Error, FieldError, Result, Timestamp};
use rust_decimal::Decimal;

/// Decimals volume is counted in: millionths of the base currency.
pub const VOLUME_SCALE: u32 = 6;
/// The most tiers a table has.
pub const TIERS_MAX: usize = 20;
/// The most percent a tier or a code adds, in hundredths.
pub const PERCENT_MAX_E2: i64 = 5_000;

/// The shortest and the longest promo code.
const CODE_LENGTHS: std::ops::RangeInclusive<usize> = 3..=32;

/// A step of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tier {
    /// The volume it begins with, in units of [`VOLUME_SCALE`].
    pub min_units: i64,
    /// What it adds, in hundredths of a percent.
    pub percent_e2: i64,
}

/// Where a volume stands in a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// What it gives, in hundredths of a percent.
    pub percent_e2: i64,
    /// The next step, if there is one.
    pub next: Option<Tier>,
}

/// Where a volume stands in a table of ascending tiers.
pub fn place(tiers: &[Tier], volume: i64) -> Place {
    let reached = tiers.iter().take_while(|tier| tier.min_units <= volume).count();
    let percent_e2 = reached.checked_sub(1).map_or(0, |last| tiers[last].percent_e2);
    Place { percent_e2, next: tiers.get(reached).copied() }
}

/// Hundredths of a percent as a percent.
pub fn percent(percent_e2: i64) -> Decimal {
    Decimal::new(percent_e2, 2).normalize()
}

/// A volume as a number.
pub fn volume(units: i64) -> Decimal {
    Amount::of_units(units, VOLUME_SCALE).value()
}

/// A worth in units of volume, rounded down; nothing where it is too great to be true.
pub fn worth_units(worth: &Worth) -> Option<i64> {
    Amount::exact(worth.amount.trunc_with_scale(VOLUME_SCALE), VOLUME_SCALE).ok().map(Amount::units)
}

/// A percent an operator typed, in hundredths.
///
/// # Errors
/// The field with what is wrong: it has to be above zero, at most 50, with two decimals at most.
pub fn read_percent(field: String, percent: Decimal) -> Result<i64, FieldError> {
    let units = Amount::exact(percent, 2).ok().map(Amount::units).filter(|units| (1..=PERCENT_MAX_E2).contains(units));
    units.ok_or_else(|| FieldError {
        field,
        code: "discount_percent_invalid",
        params: [("max", self::percent(PERCENT_MAX_E2).to_string())].into(),
    })
}

/// An amount of the base currency an operator typed, in units of volume.
///
/// # Errors
/// The field with what is wrong: it has to be above zero, with six decimals at most.
pub fn read_amount(field: String, amount: Decimal) -> Result<i64, FieldError> {
    let units = Amount::exact(amount, VOLUME_SCALE).ok().map(Amount::units).filter(|units| *units > 0);
    units.ok_or_else(|| FieldError { field, code: "discount_amount_invalid", params: [].into() })
}

/// The table an operator typed, as pairs of least volume and percent.
///
/// # Errors
/// 422 `validation_failed` with each field that is wrong: both columns have to ascend.
pub fn read_tiers(typed: &[(Decimal, Decimal)]) -> Result<Vec<Tier>> {
    if typed.len() > TIERS_MAX {
        return Err(Error::unprocessable("validation_failed").with("max", TIERS_MAX).at("tiers", "too_many_tiers"));
    }
    let (mut tiers, mut wrong): (Vec<Tier>, Vec<FieldError>) = (Vec::new(), Vec::new());
    for (row, (min, percent)) in typed.iter().enumerate() {
        let read = (read_amount(format!("tiers.{row}.min"), *min), read_percent(format!("tiers.{row}.percent"), *percent));
        let (min_units, percent_e2) = match read {
            (Ok(min_units), Ok(percent_e2)) => (min_units, percent_e2),
            (min, percent) => {
                wrong.extend(min.err().into_iter().chain(percent.err()));
                continue;
            }
        };
        if tiers.last().is_some_and(|last| last.min_units >= min_units || last.percent_e2 >= percent_e2) {
            wrong.push(FieldError { field: format!("tiers.{row}"), code: "discount_tiers_not_ascending", params: [].into() });
        }
        tiers.push(Tier { min_units, percent_e2 });
    }
    if wrong.is_empty() { Ok(tiers) } else { Err(Error::invalid(wrong)) }
}

/// A promo code in its normal form; nothing when no code can look so.
pub fn normal_code(typed: &str) -> Option<String> {
    let code = typed.trim().to_ascii_uppercase();
    let plain = code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_'));
    (plain && CODE_LENGTHS.contains(&code.len())).then_some(code)
}

/// What bounds the use of a promo code.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// From when on.
    pub starts_at: Timestamp,
    /// Until when.
    pub ends_at: Option<Timestamp>,
    /// When an operator stopped it.
    pub stopped_at: Option<Timestamp>,
    /// How often in all.
    pub uses_max: Option<i64>,
    /// How often by one customer.
    pub per_customer: Option<i64>,
}

impl Bounds {
    /// Why a code may not be used now that was used so often in all and by this customer, if it may not. Of one whose time has not come,
    /// nothing is known yet.
    pub fn refusal(&self, uses: i64, uses_of_customer: i64, now: Timestamp) -> Option<&'static str> {
        if now < self.starts_at {
            return Some("promo_unknown");
        }
        if self.stopped_at.is_some() || self.ends_at.is_some_and(|end| now >= end) {
            return Some("promo_expired");
        }
        let over = |most: Option<i64>, used: i64| most.is_some_and(|most| used >= most);
        (over(self.uses_max, uses) || over(self.per_customer, uses_of_customer)).then_some("promo_used_up")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    fn table(rows: &[(i64, i64)]) -> Vec<Tier> {
        rows.iter().map(|(min_units, percent_e2)| Tier { min_units: *min_units, percent_e2: *percent_e2 }).collect()
    }

    #[test]
    fn a_tier_begins_with_its_very_amount() {
        let tiers = table(&[(1_000, 10), (5_000, 25)]);
        let gives = |volume| (place(&tiers, volume).percent_e2, place(&tiers, volume).next.map(|tier| tier.min_units));
        assert_eq!(gives(0), (0, Some(1_000)));
        assert_eq!(gives(999), (0, Some(1_000)));
        assert_eq!(gives(1_000), (10, Some(5_000)));
        assert_eq!(gives(4_999), (10, Some(5_000)));
        assert_eq!(gives(5_000), (25, None));
        assert_eq!(gives(i64::MAX), (25, None));
        assert_eq!(place(&[], 7), Place::default());
    }

    #[test]
    fn more_volume_never_gives_less() {
        let tiers = table(&[(3, 1), (5, 4), (8, 9), (13, 16)]);
        let gives: Vec<i64> = (0..20).map(|volume| place(&tiers, volume).percent_e2).collect();
        assert!(gives.is_sorted(), "{gives:?}");
    }

    #[test]
    fn a_table_ascends_in_both_columns() {
        let typed = |rows: &[(&str, &str)]| {
            let rows: Vec<_> = rows.iter().map(|(min, percent)| (number(min), number(percent))).collect();
            read_tiers(&rows).map_err(|error| error.fields().iter().map(|field| field.field.clone()).collect::<Vec<_>>())
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
    fn a_code_is_the_same_in_any_case_and_nothing_else_is_a_code() {
        assert_eq!(normal_code(" spring-24 ").as_deref(), Some("SPRING-24"));
        for typed in ["", "ab", "весна", "a b c", "spring%", &"x".repeat(33), "a\0bc"] {
            assert_eq!(normal_code(typed), None, "{typed:?}");
        }
    }

    #[test]
    fn a_code_is_refused_for_its_first_reason() {
        let open = Bounds {
            starts_at: Timestamp(10),
            ends_at: Some(Timestamp(20)),
            stopped_at: None,
            uses_max: Some(2),
            per_customer: Some(1),
        };
        assert_eq!(open.refusal(0, 0, Timestamp(9)), Some("promo_unknown"));
        assert_eq!(open.refusal(1, 0, Timestamp(10)), None);
        assert_eq!(open.refusal(1, 0, Timestamp(19)), None);
        assert_eq!(open.refusal(0, 0, Timestamp(20)), Some("promo_expired"));
        assert_eq!(open.refusal(2, 0, Timestamp(15)), Some("promo_used_up"));
        assert_eq!(open.refusal(1, 1, Timestamp(15)), Some("promo_used_up"));
        let stopped = Bounds { stopped_at: Some(Timestamp(12)), ..open };
        assert_eq!(stopped.refusal(0, 0, Timestamp(15)), Some("promo_expired"));
        let unbounded = Bounds { ends_at: None, uses_max: None, per_customer: None, ..open };
        assert_eq!(unbounded.refusal(i64::MAX, i64::MAX, Timestamp(i64::MAX)), None);
    }

    #[test]
    fn a_worth_is_rounded_down_and_never_wraps() {
        let worth = |amount| Worth { amount: number(amount), ticker: "USDT".into() };
        assert_eq!(worth_units(&worth("1.0000009")), Some(1_000_000));
        assert_eq!(worth_units(&worth("0")), Some(0));
        assert_eq!(worth_units(&worth("79228162514264337593543950335")), None);
        assert_eq!(volume(1_500_000).to_string(), "1.5");
    }
}

//! How far rules may take a rate by themselves, and whether that is further than one person decides.

use rust_decimal::Decimal;

use super::rules::Rules;

/// The margins, in percent, that a pair may come to under its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The least.
    pub least: Decimal,
    /// The greatest.
    pub most: Decimal,
}

impl Reach {
    fn holds(self, margin: Decimal) -> bool {
        (self.least..=self.most).contains(&margin)
    }
}

impl Rules {
    /// The margins a pair with this spread may come to. Whatever is added to its course keeps within the bounds; without rules that add anything
    /// it is the spread.
    #[must_use]
    pub fn reach(&self, spread: Decimal) -> Reach {
        match self.bounds.filter(|_| self.adjusts()) {
            Some(bounds) => Reach { least: bounds.floor, most: bounds.ceiling },
            None => Reach { least: spread, most: spread },
        }
    }
}

/// Whether a change of rules lets the course go where it could not go before, by more than so many percent from where it is. `margin` is the
/// present one.
#[must_use]
pub fn goes_far(margin: Decimal, before: Reach, after: Reach, percent: Decimal) -> bool {
    let is_far = |to: Decimal| {
        // A course is what the margin leaves of the market's rate.
        let left = (Decimal::ONE_HUNDRED - margin).abs();
        (to - margin).abs() * Decimal::ONE_HUNDRED > percent * left
    };
    [after.least, after.most].into_iter().any(|to| !before.holds(to) && is_far(to))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reach(least: i64, most: i64) -> Reach {
        Reach { least: Decimal::new(least, 2), most: Decimal::new(most, 2) }
    }

    #[test]
    fn a_course_that_may_move_further_than_the_bound_goes_far() {
        let (two, five) = (Decimal::TWO, Decimal::from(5));
        let spread = reach(200, 200);
        assert!(!goes_far(two, spread, reach(50, 400), five));
        // From 98 % of the market's rate 5 % are 4.9 points.
        assert!(!goes_far(two, spread, reach(-290, 690), five));
        assert!(goes_far(two, spread, reach(-291, 690), five) && goes_far(two, spread, reach(-290, 691), five));
    }

    #[test]
    fn what_was_agreed_on_before_is_not_asked_again() {
        let five = Decimal::from(5);
        let wide = reach(-500, 2_000);
        assert!(
            !goes_far(Decimal::TWO, wide, reach(-500, 2_000), five) && !goes_far(Decimal::TWO, wide, reach(-400, 1_500), five)
        );
        assert!(goes_far(Decimal::TWO, wide, reach(-500, 2_001), five));
        // To take rules away moves the course back to the spread.
        assert!(goes_far(Decimal::from(20), reach(1_000, 2_000), reach(200, 200), five));
    }

    proptest! {
        #[test]
        fn at_a_bound_of_nothing_every_new_margin_goes_far(
            margin in -5_000_i64..9_000, least in -5_000_i64..9_000, width in 0_i64..5_000, more in 1_i64..500,
        ) {
            let before = reach(least, least + width);
            let after = reach(least - more, least + width);
            prop_assert_eq!(goes_far(Decimal::new(margin, 2), before, after, Decimal::ZERO), margin != least - more);
            prop_assert!(!goes_far(Decimal::new(margin, 2), before, before, Decimal::ZERO));
        }
    }
}

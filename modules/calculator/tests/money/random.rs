//! Random but repeatable terms and amounts, spread over sizes rather than over values.

use agio_calculator::model::engine::{Terms, TermsParts, Tier};
use agio_calculator::model::limits::{SetLimits, SetRange};
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use rust_decimal::Decimal;

/// A source of random numbers that gives the same ones in every run.
pub struct Dice(ChaCha8Rng);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Any number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0.next_u64() % end
    }

    pub fn digits(&mut self) -> u32 {
        self.below(9) as u32
    }

    pub fn chance(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }

    /// A number of one to `digits` digits, never zero.
    fn whole(&mut self, digits: u32) -> i128 {
        let length = 1 + self.below(u64::from(digits)) as u32;
        1 + i128::from(self.below(10_u64.pow(length)))
    }

    /// An amount with at most `digits` decimals, below 10^`size`.
    pub fn amount(&mut self, digits: u32, size: u32) -> Decimal {
        let units = self.whole(digits + size) - 1;
        Decimal::from_i128_with_scale(units, digits).normalize()
    }

    /// A course from about 10^-12 to 10^10, of up to `digits` significant digits.
    pub fn course(&mut self, digits: u32) -> Decimal {
        let mantissa = self.whole(digits).min(10_i128.pow(digits) - 1);
        let length = mantissa.ilog10();
        // The place of the first digit, from 10^10 down to 10^-12.
        let place = self.below(23) as i32 - 12;
        let scale = length as i32 - place;
        if scale >= 0 {
            Decimal::from_i128_with_scale(mantissa, (scale as u32).min(24)).normalize()
        } else {
            Decimal::from_i128_with_scale(mantissa * 10_i128.pow(scale.unsigned_abs()), 0)
        }
    }

    /// A course within some per cent of another.
    fn course_near(&mut self, course: Decimal, better_only: bool) -> Decimal {
        let per_mille = if better_only { 1000 + self.below(50) } else { 900 + self.below(200) };
        let near = course * Decimal::from_i128_with_scale(i128::from(per_mille), 3);
        let near = near.round_sf(12).expect("a course has a first digit").normalize();
        if near.scale() > 24 || near.is_zero() { course } else { near }
    }

    pub fn terms(&mut self) -> Terms {
        let course = self.course(16);
        let better_only = self.chance(2);
        self.terms_at(course, better_only)
    }

    /// Terms whose tiers only get better: more sent is never less received.
    pub fn monotone_terms(&mut self) -> Terms {
        let course = self.course(16);
        self.terms_at(course, true)
    }

    fn terms_at(&mut self, course: Decimal, better_only: bool) -> Terms {
        let (digits_from, digits_to) = (self.digits(), self.digits());
        let mut tiers: Vec<Tier> = Vec::new();
        for _ in 0..self.below(4) {
            let least = tiers.last().map_or(Decimal::ZERO, |tier| tier.min_send);
            let min_send = least + self.amount(digits_from, 5);
            if min_send == least && !tiers.is_empty() {
                continue;
            }
            let before = tiers.last().map_or(course, |tier| tier.course);
            let course = self.course_near(before, better_only);
            let course = if better_only { course.max(before) } else { course };
            tiers.push(Tier { min_send, course });
        }
        let fee = |dice: &mut Self, digits| match dice.chance(2) {
            true => Decimal::ZERO,
            false => dice.amount(digits, 3),
        };
        Terms::new(TermsParts {
            course,
            tiers,
            fee_from: fee(self, digits_from),
            fee_to: fee(self, digits_to),
            digits_from,
            digits_to,
        })
        .expect("generated terms are within bounds")
    }

    pub fn limits(&mut self, terms: &Terms) -> SetLimits {
        let parts = terms.parts();
        SetLimits { from: self.range(parts.digits_from), to: self.range(parts.digits_to) }
    }

    fn range(&mut self, digits: u32) -> SetRange {
        let min = self.chance(2).then(|| self.amount(digits, 3));
        let max = self.chance(2).then(|| self.amount(digits, 9));
        SetRange { min, max }
    }
}

//! Random but repeatable terms and amounts, spread over sizes rather than over values.

use agio_calculator::model::engine::{Terms, TermsParts, Tier};
use agio_calculator::model::limits::{ConfiguredLimits, ConfiguredRange};
use rand::rngs::ChaCha8Rng;
use rand::{Rng as _, SeedableRng as _};
use rust_decimal::Decimal;

/// A reproducible random number generator.
pub struct NumberGenerator(ChaCha8Rng);

impl NumberGenerator {
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

    /// A rate from about 10^-12 to 10^10, of up to `digits` significant digits.
    pub fn rate(&mut self, digits: u32) -> Decimal {
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

    /// A rate within a few percent of another.
    fn rate_near(&mut self, rate: Decimal, better_only: bool) -> Decimal {
        let per_mille = if better_only { 1000 + self.below(50) } else { 900 + self.below(200) };
        let near = rate * Decimal::from_i128_with_scale(i128::from(per_mille), 3);
        let near = near.round_sf(12).expect("a rate has a first digit").normalize();
        if near.scale() > 24 || near.is_zero() { rate } else { near }
    }

    pub fn terms(&mut self) -> Terms {
        let rate = self.rate(16);
        let better_only = self.chance(2);
        self.terms_at(rate, better_only)
    }

    /// Terms with improving tiers: a larger amount never brings less.
    pub fn monotone_terms(&mut self) -> Terms {
        let rate = self.rate(16);
        self.terms_at(rate, true)
    }

    fn terms_at(&mut self, rate: Decimal, better_only: bool) -> Terms {
        let (give_digits, receive_digits) = (self.digits(), self.digits());
        let mut tiers: Vec<Tier> = Vec::new();
        for _ in 0..self.below(4) {
            let least = tiers.last().map_or(Decimal::ZERO, |tier| tier.min_give);
            let min_give = least + self.amount(give_digits, 5);
            if min_give == least && !tiers.is_empty() {
                continue;
            }
            let before = tiers.last().map_or(rate, |tier| tier.rate);
            let rate = self.rate_near(before, better_only);
            let rate = if better_only { rate.max(before) } else { rate };
            tiers.push(Tier { min_give, rate });
        }
        let fee = |dice: &mut Self, digits| match dice.chance(2) {
            true => Decimal::ZERO,
            false => dice.amount(digits, 3),
        };
        Terms::new(TermsParts {
            rate,
            tiers,
            give_fee: fee(self, give_digits),
            receive_fee: fee(self, receive_digits),
            network_fee: None,
            give_digits,
            receive_digits,
            give_step: None,
            receive_step: None,
        })
        .expect("generated terms are within bounds")
    }

    /// Terms with a step on one side or both, of up to a million last digits.
    pub fn stepped_terms(&mut self) -> Terms {
        let parts = self.terms().parts().clone();
        let on_give = self.chance(2);
        let give_step = on_give.then(|| self.step(parts.give_digits));
        let receive_step = (!on_give || self.chance(3)).then(|| self.step(parts.receive_digits));
        Terms::new(TermsParts { give_step, receive_step, ..parts }).expect("generated terms are within bounds")
    }

    fn step(&mut self, digits: u32) -> Decimal {
        let first = [1, 2, 3, 5, 25][self.below(5) as usize];
        let zeros = self.below(5) as u32;
        Decimal::from_i128_with_scale(first * 10_i128.pow(zeros), digits).normalize()
    }

    pub fn limits(&mut self, terms: &Terms) -> ConfiguredLimits {
        let parts = terms.parts();
        ConfiguredLimits { give: self.range(parts.give_digits), receive: self.range(parts.receive_digits) }
    }

    fn range(&mut self, digits: u32) -> ConfiguredRange {
        let min = self.chance(2).then(|| self.amount(digits, 3));
        let max = self.chance(2).then(|| self.amount(digits, 9));
        ConfiguredRange { min, max, step: None }
    }
}

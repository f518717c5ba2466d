//! SQL of discounts.

pub mod promo_codes;
pub mod tiers;
pub mod volumes;

use std::sync::LazyLock;

pub fn statements() -> &'static [(&'static str, &'static str)] {
    static ALL: LazyLock<Vec<(&str, &str)>> =
        LazyLock::new(|| [promo_codes::STATEMENTS, tiers::STATEMENTS, volumes::STATEMENTS].concat());
    &ALL
}

//! Discounts in SQL.

pub mod promos;
pub mod tiers;
pub mod volumes;

use std::sync::LazyLock;

/// Every statement of the module.
pub fn statements() -> &'static [(&'static str, &'static str)] {
    static ALL: LazyLock<Vec<(&str, &str)>> =
        LazyLock::new(|| [promos::STATEMENTS, tiers::STATEMENTS, volumes::STATEMENTS].concat());
    &ALL
}

//! Payments in SQL: one file for each table.

pub mod addresses;
pub mod attempts;
pub mod invoices;
pub mod movements;
pub mod reconciliation;
pub mod routes;

use std::sync::LazyLock;

/// Every statement of the module, with its name.
pub fn statements() -> &'static [(&'static str, &'static str)] {
    static ALL: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
        [
            addresses::STATEMENTS,
            attempts::STATEMENTS,
            invoices::STATEMENTS,
            movements::STATEMENTS,
            reconciliation::STATEMENTS,
            routes::STATEMENTS,
        ]
        .concat()
    });
    &ALL
}

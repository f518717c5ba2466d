//! Claims in SQL: one file for each table or question.

pub mod claims;
pub mod desk;
pub mod history;
pub mod partners;
pub mod receipts;
pub mod requisites;
pub mod saved;
pub mod searches;

use std::sync::LazyLock;

/// Every statement of the module, with its name.
pub fn statements() -> &'static [(&'static str, &'static str)] {
    static ALL: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
        [
            claims::STATEMENTS,
            desk::STATEMENTS,
            history::STATEMENTS,
            partners::STATEMENTS,
            receipts::STATEMENTS,
            requisites::STATEMENTS,
            saved::STATEMENTS,
            searches::STATEMENTS,
        ]
        .concat()
    });
    &ALL
}

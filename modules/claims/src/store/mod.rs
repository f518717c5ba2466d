//! Claims in SQL: one file for each table or question.

/// Claims with their terms, of which this is true and in this order.
macro_rules! whole {
    ($condition:literal) => {
        concat!("SELECT claim.*, terms FROM claim JOIN claim_terms USING (terms_id) WHERE ", $condition)
    };
}

pub mod claims;
pub mod desk;
pub mod history;
pub mod partners;
pub mod paying;
pub mod receipts;
pub mod requisites;
pub mod saved;
pub mod sealing;
pub mod searches;
pub mod terms;

use std::sync::LazyLock;

/// Every statement of the module, with its name.
pub fn statements() -> &'static [(&'static str, &'static str)] {
    static ALL: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
        [
            claims::STATEMENTS,
            desk::STATEMENTS,
            history::STATEMENTS,
            partners::STATEMENTS,
            paying::STATEMENTS,
            receipts::STATEMENTS,
            requisites::STATEMENTS,
            saved::STATEMENTS,
            sealing::STATEMENTS,
            searches::STATEMENTS,
            terms::STATEMENTS,
        ]
        .concat()
    });
    &ALL
}

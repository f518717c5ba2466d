//! Claims in SQL: one file for each table or question.

/// Claims with their terms, by a condition and order.
macro_rules! whole {
    ($condition:literal) => {
        concat!("SELECT claim.*, terms FROM claim JOIN claim_terms USING (terms_id) WHERE ", $condition)
    };
}

pub mod accepted_terms;
pub mod claims;
pub mod history;
pub mod partners;
pub mod payments;
pub mod queue;
pub mod receipts;
pub mod requisites;
pub mod saved_requisites;
pub mod searches;
pub mod terms;
pub mod turnover;

use std::sync::LazyLock;

/// Every statement of the module, with its name.
pub fn statements() -> &'static [(&'static str, &'static str)] {
    static ALL: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
        [
            accepted_terms::STATEMENTS,
            claims::STATEMENTS,
            queue::STATEMENTS,
            history::STATEMENTS,
            partners::STATEMENTS,
            payments::STATEMENTS,
            receipts::STATEMENTS,
            requisites::STATEMENTS,
            saved_requisites::STATEMENTS,
            searches::STATEMENTS,
            terms::STATEMENTS,
            turnover::STATEMENTS,
        ]
        .concat()
    });
    &ALL
}

//! SQL.

pub mod commissions;
pub mod plans;
pub mod referrers;
pub mod visits;
pub mod withdrawals;

use std::sync::LazyLock;

use agio_core::Timestamp;
use uuid::Uuid;

/// Keyset cursor: creation time and id of the last row.
pub type PageCursor = (Timestamp, Uuid);

pub fn statements() -> &'static [(&'static str, &'static str)] {
    static ALL: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
        [plans::STATEMENTS, referrers::STATEMENTS, visits::STATEMENTS, commissions::STATEMENTS, withdrawals::STATEMENTS].concat()
    });
    &ALL
}

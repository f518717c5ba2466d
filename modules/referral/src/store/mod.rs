//! The referral programme in SQL.

pub mod accruals;
pub mod programmes;
pub mod referrers;
pub mod visits;
pub mod withdrawals;

use std::sync::LazyLock;

use agio_core::Timestamp;
use uuid::Uuid;

/// A place in a console list: the moment and identifier of the last row seen.
pub type Place = (Timestamp, Uuid);

/// Every statement of the module.
pub fn statements() -> &'static [(&'static str, &'static str)] {
    static ALL: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
        [programmes::STATEMENTS, referrers::STATEMENTS, visits::STATEMENTS, accruals::STATEMENTS, withdrawals::STATEMENTS]
            .concat()
    });
    &ALL
}

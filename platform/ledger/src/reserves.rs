//! Free reserves in memory, for calls that cannot query the database each time.
//!
//! They follow every commit of this process and are reloaded from the ledger regularly, which brings in changes by
//! other nodes. They only inform: the database itself ensures that a reserve never goes below zero.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use agio_core::{Db, Result, Timestamp, fetch_all};
use arc_swap::ArcSwap;

use crate::store;

/// The free reserve of one currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AvailableReserve {
    pub units: i64,
    /// `None` while it never changed.
    pub changed_at: Option<Timestamp>,
}

#[derive(Default)]
struct Cell {
    units: AtomicI64,
    changed_at: AtomicI64,
}

/// The free reserves of all currencies. Clones share the memory.
#[derive(Clone, Default)]
pub struct Reserves(Arc<Cells>);

#[derive(Default)]
struct Cells {
    by_currency: ArcSwap<HashMap<i64, Arc<Cell>>>,
    version: AtomicU64,
}

impl Reserves {
    /// The free reserve of a currency; zero for an unknown one.
    pub fn available(&self, currency: i64) -> AvailableReserve {
        let cells = self.0.by_currency.load();
        let Some(cell) = cells.get(&currency) else { return AvailableReserve::default() };
        let changed_at = cell.changed_at.load(Ordering::Acquire);
        AvailableReserve {
            units: cell.units.load(Ordering::Acquire),
            changed_at: (changed_at > 0).then_some(Timestamp(changed_at)),
        }
    }

    /// Changes with any reserve. Read it before the reserves, which are then never older.
    pub fn version(&self) -> u64 {
        self.0.version.load(Ordering::Acquire)
    }

    /// Reloads all reserves from the ledger.
    pub async fn load(&self, db: &Db) -> Result<()> {
        let mut tx = db.read().await?;
        for (currency, units, changed_at) in fetch_all!(&mut tx, (i64, i64, i64), store::RESERVES)? {
            let cell = self.cell(currency);
            let is_later = cell.changed_at.fetch_max(changed_at, Ordering::AcqRel) < changed_at;
            if cell.units.swap(units, Ordering::AcqRel) != units || is_later {
                self.0.version.fetch_add(1, Ordering::AcqRel);
            }
        }
        Ok(())
    }

    pub(crate) fn change(&self, currency: i64, by: i64, at: Timestamp) {
        let cell = self.cell(currency);
        cell.units.fetch_add(by, Ordering::AcqRel);
        cell.changed_at.fetch_max(at.0, Ordering::AcqRel);
        self.0.version.fetch_add(1, Ordering::AcqRel);
    }

    fn cell(&self, currency: i64) -> Arc<Cell> {
        if let Some(cell) = self.0.by_currency.load().get(&currency) {
            return cell.clone();
        }
        self.0.by_currency.rcu(|cells| {
            let mut cells = HashMap::clone(cells);
            cells.entry(currency).or_default();
            cells
        });
        self.0.by_currency.load()[&currency].clone()
    }
}

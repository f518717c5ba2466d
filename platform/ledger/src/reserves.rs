//! The free reserves in memory, for the calls that cannot ask the database each time.
//!
//! Memory follows every commit of this process and is read anew from the books now and then, which brings in what
//! other nodes did. It only informs: that a reserve never goes below zero is the database's own check.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use agio_core::{Db, Result, Timestamp, fetch_all};
use arc_swap::ArcSwap;

use crate::store;

/// What is free in one currency's reserve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Available {
    /// How much, in units of the currency's scale.
    pub units: i64,
    /// When it last changed; nothing while it never did.
    pub changed_at: Option<Timestamp>,
}

#[derive(Default)]
struct Cell {
    units: AtomicI64,
    changed_at: AtomicI64,
}

/// The free reserves of all currencies. Clones share the memory.
#[derive(Clone, Default)]
pub struct Reserves(Arc<ArcSwap<HashMap<i64, Arc<Cell>>>>);

impl Reserves {
    /// What is free of a currency; nothing of an unknown one.
    #[must_use]
    pub fn available(&self, currency: i64) -> Available {
        let cells = self.0.load();
        let Some(cell) = cells.get(&currency) else { return Available::default() };
        let changed_at = cell.changed_at.load(Ordering::Acquire);
        Available { units: cell.units.load(Ordering::Acquire), changed_at: (changed_at > 0).then_some(Timestamp(changed_at)) }
    }

    /// Reads all reserves from the books.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn load(&self, db: &Db) -> Result<()> {
        let mut tx = db.read().await?;
        for (currency, units, changed_at) in fetch_all!(&mut tx, (i64, i64, i64), store::RESERVES)? {
            let cell = self.cell(currency);
            cell.units.store(units, Ordering::Release);
            cell.changed_at.fetch_max(changed_at, Ordering::AcqRel);
        }
        Ok(())
    }

    pub(crate) fn change(&self, currency: i64, by: i64, at: Timestamp) {
        let cell = self.cell(currency);
        cell.units.fetch_add(by, Ordering::AcqRel);
        cell.changed_at.fetch_max(at.0, Ordering::AcqRel);
    }

    fn cell(&self, currency: i64) -> Arc<Cell> {
        if let Some(cell) = self.0.load().get(&currency) {
            return cell.clone();
        }
        self.0.rcu(|cells| {
            let mut cells = HashMap::clone(cells);
            cells.entry(currency).or_default();
            cells
        });
        self.0.load()[&currency].clone()
    }
}

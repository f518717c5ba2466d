//! Which claims got a requisite.

use agio_core::Result;
use agio_core::keyset::KeysetPage;
use uuid::Uuid;

use super::Claims;
use crate::rules::requisite_pool::RequisiteRow;
use crate::store::requisites::{self, RequisiteUseRow, UseKey};

/// How many days and months are summed up.
const DAYS: i64 = 31;
const MONTHS: i64 = 12;

/// What the claims of a requisite pay: day or month, amount in units and number of claims; the newest first.
#[derive(Clone, Debug)]
pub struct RequisiteSums {
    /// Days since 1970-01-01.
    pub days: Vec<(i64, i64, i64)>,
    /// Months since the year 0.
    pub months: Vec<(i64, i64, i64)>,
}

impl Claims {
    /// A page of the claims that got a requisite, the newest first.
    ///
    /// # Errors
    /// 404 `requisite_not_found`.
    pub async fn requisite_statement(
        &self,
        id: Uuid,
        after: Option<UseKey>,
        size: i64,
    ) -> Result<(RequisiteRow, KeysetPage<RequisiteUseRow, UseKey>)> {
        let row = self.requisite(id).await?;
        let page = requisites::uses(&mut self.platform.db.read().await?, id, after, size).await?;
        Ok((row, page))
    }

    /// What the claims of a requisite pay by day and month.
    ///
    /// # Errors
    /// 404 `requisite_not_found`.
    pub async fn requisite_totals(&self, id: Uuid) -> Result<(RequisiteRow, RequisiteSums)> {
        let row = self.requisite(id).await?;
        let mut tx = self.platform.db.read().await?;
        let days = requisites::uses_by_day(&mut tx, id, DAYS).await?;
        Ok((row, RequisiteSums { days, months: requisites::uses_by_month(&mut tx, id, MONTHS).await? }))
    }
}

//! Start and end of contest periods.

use std::sync::Arc;

use agio_core::identity::Actor;
use agio_core::{Result, Timestamp, Tx, hex};
use serde_json::json;

use super::{Contests, record_audit};
use crate::model::ContestState;
use crate::model::draw::{Entrant, digest_of};
use crate::store::{self, ContestRow};

const ACTOR: &str = "contest.periods";

const BATCH_SIZE: i64 = 5_000;

impl Contests {
    /// Starts due contests and closes finished ones.
    pub async fn advance_periods(self: &Arc<Self>) -> Result<()> {
        let now = self.platform.clock.now();
        let due = store::due(&mut self.platform.db.read().await?, now).await?;
        for row in due {
            let id = row.id;
            let work = self.platform.db.write(move |tx| {
                Box::pin(async move {
                    // Read again: another node may have been first.
                    match store::one(tx, id).await? {
                        Some(row) if row.state.is_open() && row.ends_at <= now => close(tx, row, now).await,
                        Some(row) if row.state == ContestState::Planned && row.starts_at <= now => begin(tx, row, now).await,
                        _ => Ok(()),
                    }
                })
            });
            work.await?;
        }
        Ok(())
    }
}

async fn begin(tx: &mut Tx, mut row: ContestRow, now: Timestamp) -> Result<()> {
    (row.state, row.updated_at) = (ContestState::Running, now);
    if !store::update(tx, &mut row).await? {
        return Ok(());
    }
    record_audit(tx, &Actor::system(ACTOR), "begun", row.id, (None, None), now).await
}

/// Makes the list of entries final. Later reversals only mark entries as void.
async fn close(tx: &mut Tx, mut row: ContestRow, now: Timestamp) -> Result<()> {
    if !store::lock_ended(tx, row.id, now).await? {
        return Ok(());
    }
    let lines = lines(tx, &row).await?;
    row.entrants_digest = Some(hex::encode(digest_of(lines.iter().map(String::as_str))));
    let (count, digest) = (lines.len(), row.entrants_digest.clone());
    row.entrants = Some(lines.join("\n"));
    (row.state, row.closed_at, row.updated_at) = (ContestState::Closed, Some(now), now);
    if !store::update(tx, &mut row).await? {
        return Ok(());
    }
    let after = json!({ "entries": count, "entrantsSha256": digest });
    record_audit(tx, &Actor::system(ACTOR), "closed", row.id, (None, Some(after)), now).await
}

/// By claim number.
async fn lines(tx: &mut Tx, row: &ContestRow) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    let mut after = i64::MIN;
    loop {
        let page = store::entries(tx, row.id, after, BATCH_SIZE).await?;
        let Some(last) = page.last() else { return Ok(lines) };
        after = last.claim_number;
        let taking_part = page.into_iter().filter(|entry| entry.voided_at.is_none());
        lines.extend(taking_part.map(|entry| {
            let weight = entry.weight.unsigned_abs();
            Entrant { entry: entry.claim_number, name: entry.name, person: entry.person, weight }.line()
        }));
    }
}

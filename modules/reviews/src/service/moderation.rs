//! Staff publish, reject and answer reviews.

use std::sync::Arc;

use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::{Actor, Staff};
use agio_core::keyset::KeysetPage;
use agio_core::{Error, Result, Timestamp, Tx};
use serde_json::json;
use uuid::Uuid;

use super::Reviews;
use crate::model::{REASON_MAX, REPLY_MAX, ReviewState, block_error, trimmed};
use crate::store::{self, ReviewRow, ReviewTotal};

/// A step of staff.
#[derive(Clone, Debug)]
pub enum ReviewModeration {
    Publish,
    /// With the reason that the customer sees.
    Reject(String),
    /// The public answer; empty for none.
    Reply(String),
}

impl Reviews {
    /// Newest first.
    pub async fn list(
        &self,
        state: ReviewState,
        before: Option<(Timestamp, Uuid)>,
        size: u32,
    ) -> Result<KeysetPage<ReviewRow, (Timestamp, Uuid)>> {
        let before = before.unwrap_or((Timestamp(i64::MAX), Uuid::max()));
        let rows = store::list(&mut self.platform.db.read().await?, state, before, i64::from(size) + 1).await?;
        Ok(KeysetPage::of(rows, size as usize, |row| (row.written_at.unwrap_or(Timestamp(0)), row.id)))
    }

    /// Number and sum of the ratings of the written reviews in each state.
    pub async fn totals(&self) -> Result<Vec<(ReviewState, ReviewTotal)>> {
        store::totals(&mut self.platform.db.read().await?).await
    }

    /// Carries out a step over the revision that was shown.
    ///
    /// # Errors
    /// 422 with the field; 404 `review_not_found`; 409 `review_changed`, `review_not_published` for an answer to
    /// another one.
    pub async fn moderate(self: &Arc<Self>, id: Uuid, revision: i64, step: ReviewModeration, staff: Staff) -> Result<ReviewRow> {
        let step = checked(step)?;
        let now = self.platform.clock.now();
        let work = Arc::new((step, staff));
        let changed = self.platform.db.write(move |tx| {
            let work = work.clone();
            Box::pin(async move { moderate(tx, (id, revision), &work.0, &work.1, now).await })
        });
        let row = changed.await?;
        self.show_changes().await?;
        Ok(row)
    }
}

async fn moderate(
    tx: &mut Tx,
    (id, revision): (Uuid, i64),
    step: &ReviewModeration,
    staff: &Staff,
    now: Timestamp,
) -> Result<ReviewRow> {
    let mut row = store::by_id(tx, id).await?.ok_or_else(not_found)?;
    if row.revision != revision {
        return Err(Error::conflict("review_changed"));
    }
    let shown = |row: &ReviewRow| json!({ "state": row.state, "reason": row.reason, "reply": row.reply });
    let before = shown(&row);
    let action = match step {
        ReviewModeration::Publish => {
            (row.state, row.reason) = (ReviewState::Published, String::new());
            "review.published"
        }
        ReviewModeration::Reject(reason) => {
            (row.state, row.reason) = (ReviewState::Rejected, reason.clone());
            "review.rejected"
        }
        ReviewModeration::Reply(_) if row.state != ReviewState::Published => {
            return Err(Error::conflict("review_not_published"));
        }
        ReviewModeration::Reply(reply) => {
            row.reply.clone_from(reply);
            "review.replied"
        }
    };
    row.moderated_by.clone_from(&staff.name);
    row.moderated_at = Some(now);
    if !store::moderate(tx, &row).await? {
        return Err(Error::conflict("review_changed"));
    }
    let (by, after) = (&Actor::from(staff), Some(shown(&row)));
    let entry = NewAuditEntry { by, action, about: "review", id: id.to_string(), before: Some(before), after };
    audit::record(tx, entry, now).await?;
    store::by_id(tx, id).await?.ok_or_else(not_found)
}

fn checked(step: ReviewModeration) -> Result<ReviewModeration> {
    let (step, wrong) = match step {
        ReviewModeration::Publish => (step, None),
        ReviewModeration::Reject(reason) => {
            let reason = trimmed(&reason);
            let wrong = block_error("reason", &reason, REASON_MAX);
            (ReviewModeration::Reject(reason), wrong)
        }
        ReviewModeration::Reply(reply) => {
            let reply = trimmed(&reply);
            let wrong = block_error("reply", &reply, REPLY_MAX).filter(|_| !reply.is_empty());
            (ReviewModeration::Reply(reply), wrong)
        }
    };
    match wrong {
        Some(wrong) => Err(Error::invalid(vec![wrong])),
        None => Ok(step),
    }
}

fn not_found() -> Error {
    Error::not_found("review_not_found")
}

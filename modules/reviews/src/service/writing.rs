//! Customers write reviews.

use std::sync::Arc;

use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::Actor;
use agio_core::texts::Locale;
use agio_core::{Error, ErrorKind, Result, Timestamp, Tx};
use serde_json::{Value, json};
use uuid::Uuid;

use super::Reviews;
use crate::model::{ReviewState, ReviewText};
use crate::store::{self, ReviewRow};

/// Changes of one review. The link of a claim is all it takes to change its review, and each change is audited.
const CHANGES_MAX: i64 = 20;

/// A review as its customer sends it.
#[derive(Clone, Debug)]
pub struct NewReview {
    pub claim: Uuid,
    pub review: ReviewText,
    pub locale: Locale,
}

impl Reviews {
    /// The review of a claim, written or not.
    ///
    /// # Errors
    /// 404 `review_not_open` unless the exchange is completed.
    pub async fn of_claim(&self, claim: Uuid) -> Result<ReviewRow> {
        store::by_claim(&mut self.platform.db.read().await?, claim).await?.ok_or_else(not_open)
    }

    /// Stores what a customer writes. The same review again changes nothing.
    ///
    /// # Errors
    /// 422 with the fields; 404 `review_not_open`; 409 `review_moderated` once staff have decided, `review_changed`;
    /// 429 `too_many_review_changes`.
    pub async fn write(self: &Arc<Self>, new: NewReview, by: Actor) -> Result<ReviewRow> {
        let review = new.review.checked().map_err(Error::invalid)?;
        let (this, now) = (self.clone(), self.platform.clock.now());
        let work = Arc::new((review, by));
        self.platform
            .db
            .write(move |tx| {
                let (this, work) = (this.clone(), work.clone());
                Box::pin(async move { this.write_in(tx, new.claim, (&work.0, new.locale), &work.1, now).await })
            })
            .await
    }

    async fn write_in(
        &self,
        tx: &mut Tx,
        claim: Uuid,
        (review, locale): (&ReviewText, Locale),
        by: &Actor,
        now: Timestamp,
    ) -> Result<ReviewRow> {
        let row = store::by_claim(tx, claim).await?.ok_or_else(not_open)?;
        match row.state {
            ReviewState::Published | ReviewState::Rejected => return Err(Error::conflict("review_moderated")),
            ReviewState::Pending if row.text() == *review => return Ok(row),
            ReviewState::Unwritten | ReviewState::Pending => {}
        }
        if row.revision > CHANGES_MAX {
            return Err(Error::new(ErrorKind::TooManyRequests, "too_many_review_changes"));
        }
        if !store::write(tx, &row, review, locale, now).await? {
            return Err(Error::conflict("review_changed"));
        }
        let before = (row.state == ReviewState::Pending).then(|| summary(&row.text()));
        let (id, after) = (row.id.to_string(), Some(summary(review)));
        audit::record(tx, NewAuditEntry { by, action: "review.written", about: "review", id, before, after }, now).await?;
        store::by_claim(tx, claim).await?.ok_or_else(not_open)
    }
}

/// For the audit log, which keeps no words of customers.
fn summary(review: &ReviewText) -> Value {
    json!({ "rating": review.rating, "characters": review.text.chars().count() })
}

fn not_open() -> Error {
    Error::not_found("review_not_open")
}

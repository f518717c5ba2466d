//! What this module keeps about a customer.

use agio_contracts::ClaimReviews;
use agio_core::{BoxFuture, Result, Tx};
use serde_json::{Value, json};
use uuid::Uuid;

use super::Reviews;
use crate::store;

impl ClaimReviews for Reviews {
    fn export<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<Option<Value>>> {
        Box::pin(async move {
            Ok(store::written(tx, claim).await?.map(|review| {
                json!({
                    "state": review.state,
                    "rating": review.rating,
                    "text": review.body,
                    "name": review.name,
                    "language": review.locale,
                    "writtenAt": review.written_at,
                    "reply": review.reply,
                    "reason": review.reason,
                })
            }))
        })
    }

    fn erase<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<()>> {
        Box::pin(store::erase_unshown(tx, claim))
    }
}

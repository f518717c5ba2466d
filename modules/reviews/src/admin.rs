//! Console endpoints.

use std::sync::Arc;

use agio_core::texts::Locale;
use agio_core::{Error, Timestamp};
use agio_http::{ApiEnum, ApiResult, Cursor, DateTime, JsonBody, JsonResponse, Nullable, StaffAuth, body};
use poem_openapi::param::{Path, Query};
use poem_openapi::types::Example;
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::model::{ReviewDecision, ReviewState};
use crate::service::{ReviewModeration, Reviews};
use crate::store::{ReviewRow, ReviewTotal};
use crate::{REVIEWS_MODERATE, REVIEWS_READ};

#[derive(Tags)]
enum Tag {
    /// Reviews by customers.
    Reviews,
}

pub struct ReviewsAdminApi(pub Arc<Reviews>);

/// A review.
#[body(response)]
struct ReviewDetails {
    id: Uuid,
    /// Incremented by every change.
    revision: i64,
    state: ApiEnum<ReviewState>,
    claim_id: Uuid,
    claim_number: i64,
    /// Ticker of the given currency.
    give: String,
    /// Ticker of the received currency.
    receive: String,
    /// When the exchange was completed.
    exchanged_at: DateTime,
    /// From 1 to 5.
    rating: i64,
    /// Plain text.
    text: String,
    /// The name shown with it; empty for none.
    name: String,
    /// The language of the page it was written on.
    locale: ApiEnum<Locale>,
    written_at: Nullable<DateTime>,
    /// The public answer; empty for none.
    reply: String,
    /// Why it was rejected; empty otherwise.
    reason: String,
    /// Name of the staff member who acted last; empty for none.
    moderated_by: String,
    moderated_at: Nullable<DateTime>,
}

impl From<ReviewRow> for ReviewDetails {
    fn from(row: ReviewRow) -> Self {
        Self {
            id: row.id,
            revision: row.revision,
            state: ApiEnum(row.state),
            claim_id: row.claim_id,
            claim_number: row.claim_number,
            give: row.give,
            receive: row.receive,
            exchanged_at: row.exchanged_at.into(),
            rating: row.rating,
            text: row.body,
            name: row.name,
            locale: ApiEnum(row.locale),
            written_at: row.written_at.map(DateTime).into(),
            reply: row.reply,
            reason: row.reason,
            moderated_by: row.moderated_by,
            moderated_at: row.moderated_at.map(DateTime).into(),
        }
    }
}

/// Number of reviews in each state.
#[body(response)]
struct ReviewCounts {
    pending: i64,
    published: i64,
    rejected: i64,
}

/// A page of reviews.
#[body(response)]
struct ReviewList {
    items: Vec<ReviewDetails>,
    /// Pass as `cursor` to get the next page; null on the last page.
    next_cursor: Nullable<Cursor<(Timestamp, Uuid)>>,
    counts: ReviewCounts,
}

/// A decision about a review.
#[body(request, example)]
struct DecideReviewRequest {
    /// The revision that was shown.
    revision: i64,
    decision: ApiEnum<ReviewDecision>,
    /// Required to reject; the customer sees it. Up to 300 characters.
    reason: Option<String>,
}

impl Example for DecideReviewRequest {
    fn example() -> Self {
        Self { revision: 2, decision: ApiEnum(ReviewDecision::Publish), reason: None }
    }
}

/// A public answer.
#[body(request, example)]
struct ReplyToReviewRequest {
    /// The revision that was shown.
    revision: i64,
    /// Up to 1000 characters of plain text; empty for none.
    reply: String,
}

impl Example for ReplyToReviewRequest {
    fn example() -> Self {
        Self { revision: 3, reply: "Thank you!".into() }
    }
}

#[OpenApi(prefix_path = "/api/admin/v1/reviews", tag = "Tag::Reviews")]
impl ReviewsAdminApi {
    /// List reviews
    ///
    /// Of one state, newest first, with the counts of all. Needs `reviews.read`.
    #[oai(path = "/", method = "get", operation_id = "listReviews")]
    async fn list(
        &self,
        staff: StaffAuth,
        /// `pending`, `published` or `rejected`; `pending` by default.
        state: Query<Option<ApiEnum<ReviewState>>>,
        /// `nextCursor` of the previous page.
        cursor: Query<Option<Cursor<(Timestamp, Uuid)>>>,
        /// Page size.
        #[oai(default = "agio_http::page_size::<50>", validator(minimum(value = "1"), maximum(value = "100")))]
        size: Query<u32>,
    ) -> ApiResult<JsonResponse<ReviewList>> {
        staff.require(REVIEWS_READ)?;
        let state = state.0.map_or(ReviewState::Pending, |state| state.0);
        let page = self.0.list(state, cursor.0.map(|cursor| cursor.0), size.0).await?;
        let totals = self.0.totals().await?;
        let count = |of| totals.iter().find(|(state, _)| *state == of).map_or(0, |(_, ReviewTotal { count, .. })| *count);
        Ok(JsonResponse(ReviewList {
            items: page.rows.into_iter().map(Into::into).collect(),
            next_cursor: page.next.map(Cursor).into(),
            counts: ReviewCounts {
                pending: count(ReviewState::Pending),
                published: count(ReviewState::Published),
                rejected: count(ReviewState::Rejected),
            },
        }))
    }

    /// Publish or reject a review
    ///
    /// Also one that was decided before. 409 `review_changed` if it changed since it was shown. Needs
    /// `reviews.moderate`.
    #[oai(path = "/:id/decision", method = "post", operation_id = "decideReview")]
    async fn decide(
        &self,
        staff: StaffAuth,
        id: Path<Uuid>,
        input: JsonBody<DecideReviewRequest>,
    ) -> ApiResult<JsonResponse<ReviewDetails>> {
        let by = staff.require(REVIEWS_MODERATE)?;
        let DecideReviewRequest { revision, decision, reason } = input.0;
        let step = match (decision.0, reason) {
            (ReviewDecision::Reject, reason) => ReviewModeration::Reject(reason.unwrap_or_default()),
            (ReviewDecision::Publish, None) => ReviewModeration::Publish,
            (ReviewDecision::Publish, Some(_)) => {
                return Err(Error::unprocessable("validation_failed").at("reason", "review_reason_unused").into());
            }
        };
        Ok(JsonResponse(self.0.moderate(id.0, revision, step, by).await?.into()))
    }

    /// Answer a review
    ///
    /// The site shows the answer beneath the review; an empty one removes it. 409 `review_not_published` for another
    /// review. Needs `reviews.moderate` and a fresh second factor: it is a text of the exchange, which customers believe.
    #[oai(path = "/:id/reply", method = "put", operation_id = "replyToReview")]
    async fn reply(
        &self,
        staff: StaffAuth,
        id: Path<Uuid>,
        input: JsonBody<ReplyToReviewRequest>,
    ) -> ApiResult<JsonResponse<ReviewDetails>> {
        let by = staff.require(REVIEWS_MODERATE)?;
        staff.require_fresh()?;
        let ReplyToReviewRequest { revision, reply } = input.0;
        Ok(JsonResponse(self.0.moderate(id.0, revision, ReviewModeration::Reply(reply), by).await?.into()))
    }
}

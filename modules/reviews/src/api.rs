//! Public endpoints.

use std::sync::Arc;

use agio_core::identity::Actor;
use agio_http::{ApiEnum, ApiResult, JsonBody, JsonResponse, Nullable, Visitor, body};
use poem_openapi::param::Path;
use poem_openapi::types::Example;
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::model::{ReviewState, ReviewText};
use crate::service::{NewReview, Reviews};
use crate::store::ReviewRow;

#[derive(Tags)]
enum Tag {
    /// Reviews of completed exchanges.
    Reviews,
}

pub struct ReviewsApi(pub Arc<Reviews>);

/// The review of a claim.
#[body(response)]
struct ClaimReview {
    state: ApiEnum<ReviewState>,
    /// From 1 to 5; null while unwritten.
    rating: Nullable<i64>,
    /// Plain text.
    text: String,
    /// The name shown with it; empty for none.
    name: String,
    /// The public answer of the exchange; empty for none.
    reply: String,
    /// Why it was rejected; empty otherwise.
    reason: String,
}

impl From<ReviewRow> for ClaimReview {
    fn from(row: ReviewRow) -> Self {
        Self {
            state: ApiEnum(row.state),
            rating: Some(row.rating).filter(|rating| *rating > 0).into(),
            text: row.body,
            name: row.name,
            reply: row.reply,
            reason: row.reason,
        }
    }
}

/// What a customer writes.
#[body(request, example)]
struct WriteReviewRequest {
    /// From 1 to 5.
    rating: i64,
    /// Up to 2000 characters of plain text.
    text: String,
    /// The name shown with it, up to 40 characters. None by default.
    name: Option<String>,
}

impl Example for WriteReviewRequest {
    fn example() -> Self {
        Self { rating: 5, text: "Quick and polite.".into(), name: Some("Anna".into()) }
    }
}

#[OpenApi(prefix_path = "/api/v1/claim", tag = "Tag::Reviews")]
impl ReviewsApi {
    /// Get the review of a claim
    ///
    /// 404 `review_not_open` unless the exchange is completed.
    #[oai(path = "/:id/review", method = "get", operation_id = "getClaimReview")]
    async fn get(&self, id: Path<Uuid>) -> ApiResult<JsonResponse<ClaimReview>> {
        Ok(JsonResponse(self.0.of_claim(id.0).await?.into()))
    }

    /// Write the review of a claim
    ///
    /// One review for each completed exchange. It may be changed until staff publish or reject it: 409
    /// `review_moderated` after that. The site shows it with the direction and the month of the exchange.
    #[oai(path = "/:id/review", method = "put", operation_id = "writeClaimReview")]
    async fn write(
        &self,
        visitor: Visitor,
        id: Path<Uuid>,
        input: JsonBody<WriteReviewRequest>,
    ) -> ApiResult<JsonResponse<ClaimReview>> {
        let WriteReviewRequest { rating, text, name } = input.0;
        let by = visitor.customer.as_ref().map_or_else(|| Actor::guest(visitor.address), Actor::from);
        let review = ReviewText { rating, text, name: name.unwrap_or_default() };
        let new = NewReview { claim: id.0, review, locale: visitor.locale };
        Ok(JsonResponse(self.0.write(new, by).await?.into()))
    }
}

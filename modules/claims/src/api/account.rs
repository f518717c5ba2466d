//! A customer's own claims.

use std::sync::Arc;

use agio_contracts::ClaimState;
use agio_core::Amount;
use agio_http::{ApiEnum, ApiResult, CustomerAuth, DateTime, Dec, JsonResponse, body};
use poem_openapi::OpenApi;
use poem_openapi::param::Query;
use uuid::Uuid;

use super::Tag;
use crate::Claims;
use crate::rules::Claim;

fn default_page() -> u32 {
    1
}

/// The API of a customer's own claims.
pub struct AccountClaimsApi(pub Arc<Claims>);

/// The summary of a customer's claim.
#[body(response)]
struct CustomerClaimSummary {
    /// Identifier.
    id: Uuid,
    /// The short claim number, for people.
    public_id: i64,
    /// The claim's state.
    status: ApiEnum<ClaimState>,
    /// The give side.
    from: CustomerClaimSide,
    /// The receive side.
    to: CustomerClaimSide,
    /// When it was created.
    created_at: DateTime,
}

/// One side of a claim.
#[body(response)]
struct CustomerClaimSide {
    /// The currency.
    code: String,
    /// The amount.
    amount: Dec,
}

/// A page of the customer's claims, the newest first.
#[body(response)]
struct CustomerClaimPage {
    /// The claims.
    items: Vec<CustomerClaimSummary>,
    /// The page number, from 1.
    page: u32,
    /// The page size.
    size: u32,
    /// The total number of claims.
    total: i64,
}

impl CustomerClaimSummary {
    fn of(claim: &Claim) -> Self {
        let side = |code: &str, amount: Amount| CustomerClaimSide { code: code.to_owned(), amount: Dec(amount.value()) };
        Self {
            id: claim.id,
            public_id: claim.public_id,
            status: claim.state.into(),
            from: side(&claim.give.code, claim.give.amount),
            to: side(&claim.receive.code, claim.receive.amount),
            created_at: claim.created_at.into(),
        }
    }
}

#[OpenApi(prefix_path = "/api/v1/users/me", tag = "Tag::Claims")]
impl AccountClaimsApi {
    /// List my claims
    ///
    /// Claims created in the account and, once its e-mail address is confirmed, all claims created with that address.
    #[oai(path = "/claims", method = "get", operation_id = "listMyClaims")]
    async fn mine(
        &self,
        customer: CustomerAuth,
        /// The page number, from 1.
        #[oai(default = "default_page", validator(minimum(value = "1")))]
        page: Query<u32>,
        /// Rows of a page.
        #[oai(default = "agio_http::page_size::<20>", validator(minimum(value = "1"), maximum(value = "100")))]
        size: Query<u32>,
    ) -> ApiResult<JsonResponse<CustomerClaimPage>> {
        let (page, size) = (page.0, size.0);
        let (claims, total) =
            self.0.list_customer_claims(&customer.0, i64::from(page - 1) * i64::from(size), i64::from(size)).await?;
        Ok(JsonResponse(CustomerClaimPage { items: claims.iter().map(CustomerClaimSummary::of).collect(), page, size, total }))
    }
}

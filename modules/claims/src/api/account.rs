//! A customer's claims, as their account shows them.

use std::sync::Arc;

use agio_core::{Amount, Error};
use agio_http::{Answer, CustomerAuth, Dec, Moment, Outcome};
use poem_openapi::param::Query;
use poem_openapi::{Object, OpenApi};
use serde::Serialize;
use uuid::Uuid;

use super::Tag;
use crate::Claims;
use crate::rules::Claim;

/// Rows of a page unless more or fewer are wanted, and the most there are.
const SIZE: u32 = 20;
const SIZE_MAX: u32 = 100;

/// The account's calls about claims.
pub struct AccountClaimsApi(Arc<Claims>);

impl AccountClaimsApi {
    /// Over the house's claims.
    #[must_use]
    pub fn new(claims: Arc<Claims>) -> Self {
        Self(claims)
    }
}

/// A claim in the customer's list.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct AccountClaim {
    /// Identifier.
    id: Uuid,
    /// The short number for talk.
    public_id: i64,
    /// Where it stands: the `status` of the claim itself.
    status: String,
    /// What is sent.
    from: AccountClaimSide,
    /// What is received.
    to: AccountClaimSide,
    /// When it was made.
    created_at: Moment,
}

/// One side of a claim in the customer's list.
#[derive(Serialize, Object)]
struct AccountClaimSide {
    /// The currency.
    code: String,
    /// How much.
    amount: Dec,
}

/// A page of the customer's claims, the newest first.
#[derive(Serialize, Object)]
struct AccountClaimPage {
    /// The claims.
    items: Vec<AccountClaim>,
    /// Which page this is, from 1.
    page: u32,
    /// How many a page has at most.
    size: u32,
    /// How many there are in all.
    total: i64,
}

impl AccountClaim {
    fn of(claim: &Claim) -> Self {
        let side = |code: &str, amount: Amount| AccountClaimSide { code: code.to_owned(), amount: Dec(amount.value()) };
        Self {
            id: claim.id,
            public_id: claim.public_id,
            status: claim.state.name().to_owned(),
            from: side(&claim.from_code, claim.send()),
            to: side(&claim.to_code, claim.receive()),
            created_at: claim.created_at.into(),
        }
    }
}

#[OpenApi(prefix_path = "/api/v1/users/me", tag = "Tag::Claims")]
impl AccountClaimsApi {
    /// My claims
    ///
    /// Those made in the account; and, once its e-mail address is confirmed, those made with the address, also before there was an
    /// account.
    #[oai(path = "/claims", method = "get", operation_id = "getMyClaims")]
    async fn mine(
        &self,
        customer: CustomerAuth,
        /// Which page, from 1.
        page: Query<Option<u32>>,
        /// Rows of a page, at most 100.
        size: Query<Option<u32>>,
    ) -> Outcome<Answer<AccountClaimPage>> {
        let (page, size) = (page.0.unwrap_or(1), size.0.unwrap_or(SIZE));
        let refused = |field: &str| Error::unprocessable("validation_failed").at(field, "malformed_parameter");
        if page == 0 {
            return Err(refused("page").into());
        }
        if !(1..=SIZE_MAX).contains(&size) {
            return Err(refused("size").into());
        }
        let (claims, total) = self.0.of_customer(&customer.0, i64::from(page - 1) * i64::from(size), i64::from(size)).await?;
        Ok(Answer(AccountClaimPage { items: claims.iter().map(AccountClaim::of).collect(), page, size, total }))
    }
}

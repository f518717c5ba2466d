//! Customer administration endpoints.

use agio_core::identity::Staff;
use agio_core::texts::Locale;
use agio_http::{ApiEnum, ApiResult, Cursor, DateTime, JsonBody, JsonResponse, Nullable, Page, StaffAuth, body};
use poem_openapi::OpenApi;
use poem_openapi::param::{Path, Query};
use poem_openapi::types::Example;
use uuid::Uuid;

use super::{ApiContext, Tag};
use crate::customers::admin::{CUSTOMERS_BAN, CUSTOMERS_READ, CustomerAdminRow, CustomerFilter, CustomerKey};

pub struct CustomerAdminApi(pub(super) ApiContext);

/// A customer's account.
#[body(response)]
struct CustomerSummary {
    id: Uuid,
    /// E-mail address.
    email: String,
    /// Language of e-mails to the customer.
    language: ApiEnum<Locale>,
    /// When the e-mail address was confirmed; null if it is not.
    activated_at: Nullable<DateTime>,
    /// Time of the sign-up.
    created_at: DateTime,
    /// Number of active sessions.
    sessions: i64,
    /// Whether signing in requires a code of the second factor.
    second_factor: bool,
    /// When the customer was banned; null if not banned.
    banned_at: Nullable<DateTime>,
    /// Reason of the ban.
    ban_reason: Nullable<String>,
}

/// Reason of a decision about a customer.
#[body(request, example)]
struct CustomerDecisionRequest {
    /// For the audit log and staff, at most 500 characters. Not shown to the customer.
    reason: String,
}

impl Example for CustomerDecisionRequest {
    fn example() -> Self {
        Self { reason: "Paid from other people's cards; see claim 100417.".into() }
    }
}

impl From<CustomerAdminRow> for CustomerSummary {
    fn from(row: CustomerAdminRow) -> Self {
        Self {
            id: row.id,
            email: row.email,
            language: row.locale.into(),
            activated_at: Nullable(row.activated_at.map(DateTime)),
            created_at: row.created_at.into(),
            sessions: row.sessions,
            second_factor: row.second_factors > 0,
            banned_at: Nullable(row.banned_at.map(DateTime)),
            ban_reason: Nullable(row.ban_reason),
        }
    }
}

#[OpenApi(prefix_path = "/api/admin/v1/customers", tag = "Tag::Customers")]
impl CustomerAdminApi {
    /// List customers
    ///
    /// Newest first. Needs `customers.read`.
    #[oai(path = "/", method = "get", operation_id = "listCustomers")]
    async fn list(
        &self,
        auth: StaffAuth,
        /// Part of the e-mail address.
        #[oai(validator(max_length = 254))]
        q: Query<Option<String>>,
        /// Only banned customers.
        banned: Query<Option<bool>>,
        /// `nextCursor` of the previous page.
        cursor: Query<Option<Cursor<CustomerKey>>>,
        /// Page size.
        #[oai(default = "agio_http::page_size::<50>", validator(minimum(value = "1"), maximum(value = "100")))]
        size: Query<u32>,
    ) -> ApiResult<JsonResponse<Page<CustomerSummary, CustomerKey>>> {
        auth.require(CUSTOMERS_READ)?;
        let filter = CustomerFilter {
            email: q.0.unwrap_or_default(),
            banned: banned.0.unwrap_or(false),
            after: cursor.0.map(|cursor| cursor.0),
            size: size.0 as usize,
        };
        let page = self.0.auth().list_customers(filter).await?;
        Ok(JsonResponse(Page::of(page, CustomerSummary::from)))
    }

    /// Ban a customer
    ///
    /// Revokes their sessions immediately and invalidates e-mailed links. Signing in with the correct password fails
    /// with 403 `account_banned`. Their claims stay available by link. Needs `customers.ban`.
    #[oai(path = "/:id/ban", method = "post", operation_id = "banCustomer")]
    async fn ban(
        &self,
        auth: StaffAuth,
        id: Path<Uuid>,
        input: JsonBody<CustomerDecisionRequest>,
    ) -> ApiResult<JsonResponse<CustomerSummary>> {
        self.set_ban(id.0, true, input.0, auth.require(CUSTOMERS_BAN)?).await
    }

    /// Unban a customer
    ///
    /// The customer has to sign in again. Needs `customers.ban`.
    #[oai(path = "/:id/unban", method = "post", operation_id = "unbanCustomer")]
    async fn unban(
        &self,
        auth: StaffAuth,
        id: Path<Uuid>,
        input: JsonBody<CustomerDecisionRequest>,
    ) -> ApiResult<JsonResponse<CustomerSummary>> {
        self.set_ban(id.0, false, input.0, auth.require(CUSTOMERS_BAN)?).await
    }

    /// Turn off a customer's second factor
    ///
    /// For a lost phone, or when somebody else set one up. Revokes the customer's sessions immediately and notifies them
    /// by e-mail; their password stays. 409 `totp_not_on` if there is none. Needs `customers.ban` and a fresh second factor.
    #[oai(path = "/:id/second-factor/reset", method = "post", operation_id = "resetCustomerSecondFactor")]
    async fn reset_second_factor(
        &self,
        auth: StaffAuth,
        id: Path<Uuid>,
        input: JsonBody<CustomerDecisionRequest>,
    ) -> ApiResult<JsonResponse<CustomerSummary>> {
        let by = auth.require(CUSTOMERS_BAN)?;
        auth.require_fresh()?;
        Ok(JsonResponse(self.0.auth().reset_customer_second_factor(id.0, &input.0.reason, by).await?.into()))
    }
}

impl CustomerAdminApi {
    async fn set_ban(
        &self,
        id: Uuid,
        banned: bool,
        input: CustomerDecisionRequest,
        by: Staff,
    ) -> ApiResult<JsonResponse<CustomerSummary>> {
        Ok(JsonResponse(self.0.auth().set_ban(id, banned, &input.reason, by).await?.into()))
    }
}

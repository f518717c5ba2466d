//! Admin API.

mod bodies;
mod promo_codes;

use std::sync::Arc;

use agio_contracts::CustomerLookup;
use agio_core::Timestamp;
use agio_http::{ApiResult, Created, Cursor, IdempotencyKey, JsonBody, JsonResponse, NoContent, Page, StaffAuth};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::{DISCOUNTS_EDIT, DISCOUNTS_READ, Discounts};

use bodies::{DiscountCustomerPage, DiscountSettings, UpdateDiscountTiersRequest};
use promo_codes::{CreatePromoCodeRequest, PromoCodeDetails, PromoCodeView};

#[derive(Tags)]
enum Tag {
    /// Discount tiers, promo codes and customer discounts.
    Discounts,
}

pub struct DiscountsAdminApi {
    discounts: Arc<Discounts>,
    customers: Arc<dyn CustomerLookup>,
}

impl DiscountsAdminApi {
    pub fn new(discounts: Arc<Discounts>, customers: Arc<dyn CustomerLookup>) -> Self {
        Self { discounts, customers }
    }

    async fn settings_response(&self) -> ApiResult<JsonResponse<DiscountSettings>> {
        let (table, waiting) = self.discounts.table().await?;
        Ok(JsonResponse(DiscountSettings::of(&self.discounts, table, waiting)))
    }
}

#[OpenApi(prefix_path = "/api/admin/v1/discounts", tag = "Tag::Discounts")]
impl DiscountsAdminApi {
    /// Get discount tiers
    ///
    /// Needs `discounts.read`.
    #[oai(path = "/", method = "get", operation_id = "getDiscountSettings")]
    async fn get_tiers(&self, staff: StaffAuth) -> ApiResult<JsonResponse<DiscountSettings>> {
        staff.require(DISCOUNTS_READ)?;
        self.settings_response().await
    }

    /// Update discount tiers
    ///
    /// Replaces all tiers. `revision` is the one you edited: 409 `discounts_changed` if they changed since. Needs
    /// `discounts.edit` and a fresh second factor.
    #[oai(path = "/tiers", method = "put", operation_id = "updateDiscountTiers")]
    async fn update_tiers(
        &self,
        staff: StaffAuth,
        input: JsonBody<UpdateDiscountTiersRequest>,
    ) -> ApiResult<JsonResponse<DiscountSettings>> {
        let by = staff.require(DISCOUNTS_EDIT)?;
        staff.require_fresh()?;
        self.discounts.update_tiers(input.0.into(), by).await?;
        self.settings_response().await
    }

    /// List customer discounts
    ///
    /// Accounts and guests' e-mail addresses by volume, largest first; or those with a given e-mail address. Needs
    /// `discounts.read`.
    #[oai(path = "/customers", method = "get", operation_id = "listDiscountCustomers")]
    async fn list_customers(
        &self,
        staff: StaffAuth,
        /// E-mail address, case-insensitive.
        email: Query<Option<String>>,
        /// `nextCursor` of the previous page.
        cursor: Query<Option<Cursor<(i64, String)>>>,
        /// Page size.
        #[oai(default = "agio_http::page_size::<50>", validator(minimum(value = "1"), maximum(value = "100")))]
        size: Query<u32>,
    ) -> ApiResult<JsonResponse<DiscountCustomerPage>> {
        staff.require(DISCOUNTS_READ)?;
        if let Some(email) = email.0.as_deref().map(str::trim).filter(|email| !email.is_empty()) {
            let account = self.customers.by_email(email).await?;
            let confirmed = account.as_ref().is_some_and(|facts| facts.activated);
            let (rows, mine) = self.discounts.find_by_email(email, account).await?;
            return Ok(JsonResponse(DiscountCustomerPage::found(rows, mine, confirmed)));
        }
        let before = cursor.0.map(|cursor| cursor.0);
        Ok(JsonResponse(DiscountCustomerPage::page(self.discounts.list_by_volume(before, size.0).await?)))
    }

    /// List promo codes
    ///
    /// Newest first. Needs `discounts.read`.
    #[oai(path = "/promos", method = "get", operation_id = "listPromoCodes")]
    async fn list_promo_codes(
        &self,
        staff: StaffAuth,
        /// `nextCursor` of the previous page.
        cursor: Query<Option<Cursor<(Timestamp, String)>>>,
        /// Page size.
        #[oai(default = "agio_http::page_size::<50>", validator(minimum(value = "1"), maximum(value = "100")))]
        size: Query<u32>,
    ) -> ApiResult<JsonResponse<Page<PromoCodeView, (Timestamp, String)>>> {
        staff.require(DISCOUNTS_READ)?;
        let page = self.discounts.list_promo_codes(cursor.0.map(|cursor| cursor.0), size.0).await?;
        let now = self.discounts.platform.clock.now();
        Ok(JsonResponse(Page::of(page, |row| PromoCodeView::of(row, now))))
    }

    /// Create a promo code
    ///
    /// 409 `promo_exists` if the code exists. Needs `discounts.edit` and a fresh second factor.
    #[oai(path = "/promos", method = "post", operation_id = "createPromoCode")]
    async fn create_promo_code(
        &self,
        staff: StaffAuth,
        input: JsonBody<CreatePromoCodeRequest>,
        #[oai(name = "Idempotency-Key")] key: Header<Option<String>>,
    ) -> ApiResult<Created<PromoCodeView>> {
        let key = IdempotencyKey::check(key.0)?.for_body("promo.add", &input.0)?;
        let by = staff.require(DISCOUNTS_EDIT)?;
        staff.require_fresh()?;
        let row = self.discounts.create_promo_code(input.0.into(), by, key).await?;
        Ok(Created { body: PromoCodeView::of(row, self.discounts.platform.clock.now()), cookie: None })
    }

    /// Get a promo code
    ///
    /// Includes the claims that used it, newest first. Needs `discounts.read`.
    #[oai(path = "/promos/:code", method = "get", operation_id = "getPromoCode")]
    async fn get_promo_code(
        &self,
        staff: StaffAuth,
        code: Path<String>,
        /// `nextCursor` of the previous page.
        cursor: Query<Option<Cursor<(Timestamp, Uuid)>>>,
        /// Page size.
        #[oai(default = "agio_http::page_size::<50>", validator(minimum(value = "1"), maximum(value = "100")))]
        size: Query<u32>,
    ) -> ApiResult<JsonResponse<PromoCodeDetails>> {
        staff.require(DISCOUNTS_READ)?;
        let (row, uses) = self.discounts.list_redemptions(&code.0, cursor.0.map(|cursor| cursor.0), size.0).await?;
        Ok(JsonResponse(PromoCodeDetails::of(row, uses, self.discounts.platform.clock.now())))
    }

    /// Stop a promo code
    ///
    /// The code can no longer be used; existing claims keep their bonus. Needs `discounts.edit`.
    #[oai(path = "/promos/:code/stop", method = "post", operation_id = "stopPromoCode")]
    async fn stop_promo_code(&self, staff: StaffAuth, code: Path<String>) -> ApiResult<NoContent> {
        let by = staff.require(DISCOUNTS_EDIT)?;
        self.discounts.stop_promo_code(&code.0, by).await?;
        Ok(NoContent)
    }
}

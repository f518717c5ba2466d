//! Admin API.

mod bodies;
mod commissions;
mod withdrawals;

use std::sync::Arc;

use agio_approvals::PendingApproval;
use agio_http::{
    Accepted, ApiEnum, ApiResult, Created, Cursor, Either, IdempotencyKey, JsonBody, JsonResponse, NoContent, Page, StaffAuth,
    Visitor,
};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::model::ReferralListTab;
use crate::store::PageCursor;
use crate::{REFERRAL_PAY, REFERRAL_READ, REFERRAL_REVIEW, REFERRAL_TERMS, Referral};

use bodies::{AssignReferralPlanRequest, ReferralPlanRequest, ReferralPlanView, ReferrerSummary, UpdateReferralPlanRequest};
use commissions::{ReferralCommissionPage, ReferralCommissionView, ReferrerDetails, ReviewReferralCommissionRequest};
use withdrawals::{ProcessReferralWithdrawalRequest, ReferralWithdrawalDetails, ReferralWithdrawalDetailsPage};

const SEARCH_MAX: usize = 200;

#[derive(Tags)]
enum AdminTag {
    /// Referral plans, referrers, commissions and withdrawals.
    Referral,
}

pub struct ReferralAdminApi(pub Arc<Referral>);

fn tab_of(tab: Option<ApiEnum<ReferralListTab>>) -> ReferralListTab {
    tab.map_or(ReferralListTab::Open, |tab| tab.0)
}

#[OpenApi(prefix_path = "/api/admin/v1/referral", tag = "AdminTag::Referral")]
impl ReferralAdminApi {
    /// List referral plans
    ///
    /// The default plan first. Requires `referral.read`.
    #[oai(path = "/plans", method = "get", operation_id = "listReferralPlans")]
    async fn plans(&self, staff: StaffAuth) -> ApiResult<JsonResponse<Vec<ReferralPlanView>>> {
        staff.require(REFERRAL_READ)?;
        Ok(JsonResponse(self.0.plans().await?.into_iter().map(ReferralPlanView::from).collect()))
    }

    /// Create a referral plan
    ///
    /// It can be assigned to referrers. Requires `referral.terms` and a recent second-factor check.
    #[oai(path = "/plans", method = "post", operation_id = "createReferralPlan")]
    async fn create_plan(
        &self,
        staff: StaffAuth,
        input: JsonBody<ReferralPlanRequest>,
        #[oai(name = "Idempotency-Key")] key: Header<Option<String>>,
    ) -> ApiResult<Created<ReferralPlanView>> {
        let by = staff.require(REFERRAL_TERMS)?;
        staff.require_fresh()?;
        let key = IdempotencyKey::check(key.0)?.for_body(format!("referral.plan:{}", by.id), &input.0)?;
        let id = self.0.create_plan(input.0.into(), by, key).await?;
        Ok(Created { body: self.0.plan(id).await?.into(), cookie: None })
    }

    /// Update a referral plan
    ///
    /// Earned commission does not change. 409 `referral_changed` if the revision is stale. Requires `referral.terms`
    /// and a recent second-factor check.
    #[oai(path = "/plans/:id", method = "put", operation_id = "updateReferralPlan")]
    async fn update_plan(
        &self,
        staff: StaffAuth,
        id: Path<Uuid>,
        input: JsonBody<UpdateReferralPlanRequest>,
    ) -> ApiResult<JsonResponse<ReferralPlanView>> {
        let by = staff.require(REFERRAL_TERMS)?;
        staff.require_fresh()?;
        let UpdateReferralPlanRequest { revision, terms } = input.0;
        Ok(JsonResponse(self.0.update_plan(id.0, revision, terms.into(), by).await?.into()))
    }

    /// List referrers
    ///
    /// Newest first, or those with this code or e-mail address. Requires `referral.read`.
    #[oai(path = "/referrers", method = "get", operation_id = "listReferrers")]
    async fn referrers(
        &self,
        staff: StaffAuth,
        /// Referral code or e-mail address to search for.
        q: Query<Option<String>>,
        /// `nextCursor` of the previous page.
        cursor: Query<Option<Cursor<PageCursor>>>,
        /// Page size.
        #[oai(default = "agio_http::page_size::<20>", validator(minimum(value = "1"), maximum(value = "50")))]
        size: Query<u32>,
    ) -> ApiResult<JsonResponse<Page<ReferrerSummary, PageCursor>>> {
        staff.require(REFERRAL_READ)?;
        let query: String = q.0.unwrap_or_default().chars().take(SEARCH_MAX).collect();
        let page = self.0.referrers(&query, cursor.0.map(|cursor| cursor.0), size.0).await?;
        Ok(JsonResponse(Page::of(page, ReferrerSummary::from)))
    }

    /// Get a referrer
    ///
    /// With totals, referred customers and recent commissions. Requires `referral.read`.
    #[oai(path = "/referrers/:id", method = "get", operation_id = "getReferrer")]
    async fn referrer(&self, staff: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> ApiResult<JsonResponse<ReferrerDetails>> {
        staff.require(REFERRAL_READ)?;
        Ok(JsonResponse(ReferrerDetails::of(&self.0, self.0.referrer_overview(id.0).await?, visitor.locale)?))
    }

    /// Assign a referral plan
    ///
    /// Null restores the default plan. Requires `referral.terms` and a recent second-factor check.
    #[oai(path = "/referrers/:id/plan", method = "put", operation_id = "assignReferralPlan")]
    async fn assign_plan(
        &self,
        staff: StaffAuth,
        id: Path<Uuid>,
        input: JsonBody<AssignReferralPlanRequest>,
    ) -> ApiResult<NoContent> {
        let by = staff.require(REFERRAL_TERMS)?;
        staff.require_fresh()?;
        self.0.assign_plan(id.0, input.0.plan_id.0, by).await?;
        Ok(NoContent)
    }

    /// List referral commissions
    ///
    /// `open` lists commissions that need a review, oldest first; `past` lists all, newest first. Requires
    /// `referral.read`.
    #[oai(path = "/commissions", method = "get", operation_id = "listReferralCommissions")]
    async fn commissions(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        /// `open` by default.
        tab: Query<Option<ApiEnum<ReferralListTab>>>,
        /// `nextCursor` of the previous page.
        cursor: Query<Option<Cursor<PageCursor>>>,
        /// Page size.
        #[oai(default = "agio_http::page_size::<20>", validator(minimum(value = "1"), maximum(value = "50")))]
        size: Query<u32>,
    ) -> ApiResult<JsonResponse<ReferralCommissionPage>> {
        staff.require(REFERRAL_READ)?;
        let page = self.0.commissions(tab_of(tab.0), cursor.0.map(|cursor| cursor.0), size.0).await?;
        Ok(JsonResponse(ReferralCommissionPage::of(&self.0, page, visitor.locale)?))
    }

    /// Review a referral commission
    ///
    /// Credits or refuses a commission that needs a review. A commission without an amount is valued at current
    /// rates. Requires `referral.review`; crediting also requires a recent second-factor check.
    #[oai(path = "/commissions/:id/decision", method = "post", operation_id = "reviewReferralCommission")]
    async fn review_commission(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: JsonBody<ReviewReferralCommissionRequest>,
        #[oai(name = "Idempotency-Key")] key: Header<Option<String>>,
    ) -> ApiResult<JsonResponse<ReferralCommissionView>> {
        let key = IdempotencyKey::check(key.0)?.for_body(format!("referral.decide:{}", id.0), &input.0)?;
        let by = staff.require(REFERRAL_REVIEW)?;
        if input.0.credits_money() {
            staff.require_fresh()?;
        }
        self.0.review_commission(id.0, input.0.by(by), key).await?;
        Ok(JsonResponse(ReferralCommissionView::of(&self.0, self.0.get_commission(id.0).await?, visitor.locale)?))
    }

    /// List referral withdrawals
    ///
    /// `open` lists withdrawals to process, oldest first; `past` lists finished ones, newest first. Requires
    /// `referral.read`.
    #[oai(path = "/withdrawals", method = "get", operation_id = "listReferralWithdrawals")]
    async fn withdrawals(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        /// `open` by default.
        tab: Query<Option<ApiEnum<ReferralListTab>>>,
        /// `nextCursor` of the previous page.
        cursor: Query<Option<Cursor<PageCursor>>>,
        /// Page size.
        #[oai(default = "agio_http::page_size::<20>", validator(minimum(value = "1"), maximum(value = "50")))]
        size: Query<u32>,
    ) -> ApiResult<JsonResponse<ReferralWithdrawalDetailsPage>> {
        staff.require(REFERRAL_READ)?;
        let page = self.0.withdrawals(tab_of(tab.0), cursor.0.map(|cursor| cursor.0), size.0).await?;
        Ok(JsonResponse(ReferralWithdrawalDetailsPage::of(page, &self.0.platform.vault, visitor.locale)?))
    }

    /// Get a referral withdrawal
    ///
    /// Requires `referral.read`.
    #[oai(path = "/withdrawals/:id", method = "get", operation_id = "getReferralWithdrawal")]
    async fn withdrawal(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
    ) -> ApiResult<JsonResponse<ReferralWithdrawalDetails>> {
        staff.require(REFERRAL_READ)?;
        Ok(JsonResponse(ReferralWithdrawalDetails::of(self.0.withdrawal(id.0).await?, &self.0.platform.vault, visitor.locale)?))
    }

    /// Process a referral withdrawal
    ///
    /// Approves it, records its payment or refuses it. 409 `referral_changed` if the revision is stale. Approving
    /// and paying require a recent second-factor check; while the referrer owes for reversed exchanges, both are
    /// refused with 409 `referral_in_debt`. Above the payout limit a second person must approve: the response is 202
    /// with the approval request. Requires `referral.pay`.
    #[oai(path = "/withdrawals/:id/steps", method = "post", operation_id = "processReferralWithdrawal")]
    async fn step(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: JsonBody<ProcessReferralWithdrawalRequest>,
        #[oai(name = "Idempotency-Key")] key: Header<Option<String>>,
    ) -> ApiResult<Either<JsonResponse<ReferralWithdrawalDetails>, PendingApproval>> {
        let key = IdempotencyKey::check(key.0)?.for_body(format!("referral.step:{}", id.0), &input.0)?;
        let by = staff.require(REFERRAL_PAY)?;
        if input.0.sends_money() {
            staff.require_fresh()?;
        }
        if let Some(approval) = self.0.process_withdrawal(id.0, input.0.by(by.clone()), key).await? {
            let row = self.0.approvals.get(&mut self.0.platform.db.read().await?, approval).await?;
            return Ok(Either::Right(Accepted(self.0.approvals.show(row, &by, visitor.locale))));
        }
        Ok(Either::Left(JsonResponse(ReferralWithdrawalDetails::of(
            self.0.withdrawal(id.0).await?,
            &self.0.platform.vault,
            visitor.locale,
        )?)))
    }
}

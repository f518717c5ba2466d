//! Admin API.

mod bodies;
mod payouts;

use std::sync::Arc;

use agio_approvals::PendingApproval;
use agio_core::identity::Actor;
use agio_core::outbox::OutboxState;
use agio_http::{
    Accepted, ApiEnum, ApiResult, Created, Cursor, Either, IdempotencyKey, JsonBody, JsonResponse, NoContent, Page, StaffAuth,
    Visitor,
};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::api::WebhookDelivery;
use crate::api::access_bodies::PartnerKeyDetails;
use crate::{PARTNERS_MANAGE, PARTNERS_PAY, PARTNERS_READ, Partners};

use bodies::{
    CreatePartnerKeyRequest, CreatePartnerRequest, CreatedPartnerKey, PartnerDetails, PartnerSummary, PartnerWithSecret,
    UpdatePartnerRequest,
};
use payouts::{CreatePartnerPayoutRequest, DecidePartnerRequest};

#[derive(Tags)]
enum AdminTag {
    /// Partners, their keys and webhook deliveries.
    Partners,
}

pub struct PartnerAdminApi(pub Arc<Partners>);

#[OpenApi(prefix_path = "/api/admin/v1/partners", tag = "AdminTag::Partners")]
impl PartnerAdminApi {
    /// List partners
    ///
    /// Newest first. Requires `partners.read`.
    #[oai(path = "/", method = "get", operation_id = "listPartners")]
    async fn list(&self, staff: StaffAuth) -> ApiResult<JsonResponse<Vec<PartnerSummary>>> {
        staff.require(PARTNERS_READ)?;
        Ok(JsonResponse(self.0.list_partners().await?.iter().map(PartnerSummary::of).collect()))
    }

    /// Create a partner
    ///
    /// Returns the webhook secret, which is not shown again. Requires `partners.manage` and a recent second-factor
    /// check.
    #[oai(path = "/", method = "post", operation_id = "createPartner")]
    async fn add(
        &self,
        staff: StaffAuth,
        input: JsonBody<CreatePartnerRequest>,
        #[oai(name = "Idempotency-Key")] key: Header<Option<String>>,
    ) -> ApiResult<Created<PartnerWithSecret>> {
        let by = staff.require(PARTNERS_MANAGE)?;
        staff.require_fresh()?;
        let key = IdempotencyKey::check(key.0)?.for_body(format!("partner.add:{}", by.id), &input.0)?;
        let created = self.0.create_partner(input.0.into(), Actor::from(&by), key).await?;
        Ok(Created { body: PartnerWithSecret::of(created), cookie: None })
    }

    /// Get a partner
    ///
    /// With keys, turnover, earnings and recent payouts. Requires `partners.read`.
    #[oai(path = "/:id", method = "get", operation_id = "getPartner")]
    async fn view(&self, staff: StaffAuth, id: Path<Uuid>) -> ApiResult<JsonResponse<PartnerDetails>> {
        staff.require(PARTNERS_READ)?;
        Ok(JsonResponse(PartnerDetails::of(self.0.overview(id.0).await?)))
    }

    /// Update a partner
    ///
    /// While a partner is suspended, none of their keys works. Requires `partners.manage` and a recent second-factor
    /// check.
    #[oai(path = "/:id", method = "patch", operation_id = "updatePartner")]
    async fn change(
        &self,
        staff: StaffAuth,
        id: Path<Uuid>,
        input: JsonBody<UpdatePartnerRequest>,
    ) -> ApiResult<JsonResponse<PartnerSummary>> {
        let by = staff.require(PARTNERS_MANAGE)?;
        staff.require_fresh()?;
        let revision = input.0.revision;
        Ok(JsonResponse(PartnerSummary::of(&self.0.update_partner(id.0, revision, input.0.into(), Actor::from(&by)).await?)))
    }

    /// Decide on a partner request
    ///
    /// The customer is notified by e-mail. 409 `partner_decided` if there is no open request. Requires
    /// `partners.manage` and a recent second-factor check.
    #[oai(path = "/:id/decision", method = "post", operation_id = "decidePartnerAccess")]
    async fn decide(
        &self,
        staff: StaffAuth,
        id: Path<Uuid>,
        input: JsonBody<DecidePartnerRequest>,
    ) -> ApiResult<JsonResponse<PartnerSummary>> {
        let by = staff.require(PARTNERS_MANAGE)?;
        staff.require_fresh()?;
        let revision = input.0.revision;
        let row = self.0.decide(id.0, revision, input.0.into(), Actor::from(&by)).await?;
        Ok(JsonResponse(PartnerSummary::of(&row)))
    }

    /// Record a partner payout
    ///
    /// Books a payout of the partner's balance from the reserve. Above the payout limit a second person must
    /// approve: the response is 202 with the approval request. Requires `partners.pay` and a recent second-factor
    /// check.
    #[oai(path = "/:id/payouts", method = "post", operation_id = "createPartnerPayout")]
    async fn pay(
        &self,
        staff: StaffAuth,
        id: Path<Uuid>,
        input: JsonBody<CreatePartnerPayoutRequest>,
        #[oai(name = "Idempotency-Key")] key: Header<Option<String>>,
        visitor: Visitor,
    ) -> ApiResult<Either<JsonResponse<PartnerDetails>, PendingApproval>> {
        let by = staff.require(PARTNERS_PAY)?;
        staff.require_fresh()?;
        let key = IdempotencyKey::check(key.0)?.for_body(format!("partner.pay:{}", id.0), &input.0)?;
        if let Some(approval) = self.0.pay(id.0, input.0.into(), by.clone(), key).await? {
            let row = self.0.approvals.get(&mut self.0.platform.db.read().await?, approval).await?;
            return Ok(Either::Right(Accepted(self.0.approvals.show(row, &by, visitor.locale))));
        }
        Ok(Either::Left(JsonResponse(PartnerDetails::of(self.0.overview(id.0).await?))))
    }

    /// Rotate a partner's webhook secret
    ///
    /// Takes effect at once. The new secret is not shown again. Requires `partners.manage` and a recent
    /// second-factor check.
    #[oai(path = "/:id/secret", method = "post", operation_id = "rotatePartnerWebhookSecret")]
    async fn secret(&self, staff: StaffAuth, id: Path<Uuid>) -> ApiResult<JsonResponse<PartnerWithSecret>> {
        let by = staff.require(PARTNERS_MANAGE)?;
        staff.require_fresh()?;
        Ok(JsonResponse(PartnerWithSecret::of(self.0.rotate_secret(id.0, Actor::from(&by)).await?)))
    }

    /// Create a key
    ///
    /// Returns the secret, which is not shown again. Requires `partners.manage` and a recent second-factor check.
    #[oai(path = "/:id/keys", method = "post", operation_id = "createPartnerKey")]
    async fn add_key(
        &self,
        staff: StaffAuth,
        id: Path<Uuid>,
        input: JsonBody<CreatePartnerKeyRequest>,
        #[oai(name = "Idempotency-Key")] key: Header<Option<String>>,
    ) -> ApiResult<Created<CreatedPartnerKey>> {
        let by = staff.require(PARTNERS_MANAGE)?;
        staff.require_fresh()?;
        let once = IdempotencyKey::check(key.0)?.for_body(format!("partner.key:{}", id.0), &input.0)?;
        let created = self.0.create_key(id.0, input.0.into(), Actor::from(&by), once).await?;
        Ok(Created { body: CreatedPartnerKey { key: PartnerKeyDetails::of(&created.row), secret: created.secret }, cookie: None })
    }

    /// Revoke a key
    ///
    /// Takes effect at once. Requires `partners.manage`.
    #[oai(path = "/:id/keys/:key/revoke", method = "post", operation_id = "revokePartnerKey")]
    async fn revoke_key(&self, staff: StaffAuth, id: Path<Uuid>, key: Path<Uuid>) -> ApiResult<JsonResponse<PartnerKeyDetails>> {
        let by = staff.require(PARTNERS_MANAGE)?;
        Ok(JsonResponse(PartnerKeyDetails::of(&self.0.revoke_key(id.0, key.0, Actor::from(&by)).await?)))
    }

    /// List a partner's webhook deliveries
    ///
    /// Newest first. Requires `partners.read`.
    #[oai(path = "/:id/webhook-deliveries", method = "get", operation_id = "listPartnerWebhookDeliveries")]
    async fn webhook_deliveries(
        &self,
        staff: StaffAuth,
        id: Path<Uuid>,
        state: Query<Option<ApiEnum<OutboxState>>>,
        /// `nextCursor` of the previous page.
        cursor: Query<Option<Cursor<i64>>>,
        /// Page size.
        #[oai(default = "agio_http::page_size::<50>", validator(minimum(value = "1"), maximum(value = "100")))]
        size: Query<u32>,
    ) -> ApiResult<JsonResponse<Page<WebhookDelivery, i64>>> {
        staff.require(PARTNERS_READ)?;
        let (state, before) = (state.0.map(|state| state.0), cursor.0.map(|cursor| cursor.0));
        Ok(JsonResponse(WebhookDelivery::page(self.0.webhook_deliveries(id.0, state, before, size.0).await?)?))
    }

    /// Redeliver a partner's webhook
    ///
    /// Retries a failed delivery, or sends a delivered event again with the same event id. 409 `message_waits` while
    /// it is still being retried. Requires `partners.manage`.
    #[oai(path = "/:id/webhook-deliveries/:message/resend", method = "post", operation_id = "redeliverPartnerWebhook")]
    async fn resend(&self, staff: StaffAuth, id: Path<Uuid>, message: Path<i64>) -> ApiResult<NoContent> {
        let by = staff.require(PARTNERS_MANAGE)?;
        self.0.redeliver_webhook(id.0, message.0, Actor::from(&by)).await?;
        Ok(NoContent)
    }
}

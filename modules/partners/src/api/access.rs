//! Partner access in the customer's account.

use std::sync::Arc;

use agio_core::Result;
use agio_core::outbox::OutboxState;
use agio_http::{
    ApiEnum, ApiResult, Created, Cursor, CustomerAuth, IdempotencyKey, JsonBody, JsonResponse, NoContent, Page, Visitor,
};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use super::access_bodies::{
    CreateKeyRequest, CreatedKey, PartnerAccessConfirmation, PartnerAccessRequest, PartnerAccessView, PartnerKeyView,
    UpdatePartnerAccessRequest, WebhookSecret,
};

use super::webhook_deliveries::WebhookDelivery;
use crate::Partners;

#[derive(Tags)]
enum AccessTag {
    /// Partner access of a customer account.
    PartnerAccess,
}

pub struct PartnerAccessApi(pub Arc<Partners>);

impl PartnerAccessApi {
    async fn view(&self, customer: &CustomerAuth) -> Result<PartnerAccessView> {
        Ok(PartnerAccessView::of(self.0.is_open(), self.0.own_access(&customer.0).await?))
    }
}

#[OpenApi(prefix_path = "/api/v1/users/me/partner", tag = "AccessTag::PartnerAccess")]
impl PartnerAccessApi {
    /// Get my partner access
    ///
    /// With keys, turnover and earnings.
    #[oai(path = "/", method = "get", operation_id = "getMyPartnerAccess")]
    async fn mine(&self, customer: CustomerAuth) -> ApiResult<JsonResponse<PartnerAccessView>> {
        Ok(JsonResponse(self.view(&customer).await?))
    }

    /// Request partner access
    ///
    /// Requires a confirmed e-mail address. Sandbox keys can be created at once; live keys need the approval of
    /// staff, who reply by e-mail. An open or declined request can be sent again with changes. 409
    /// `partner_is_approved`, `partner_suspended`, `partner_self_service_off`.
    #[oai(path = "/", method = "post", operation_id = "requestPartnerAccess")]
    async fn ask(
        &self,
        customer: CustomerAuth,
        visitor: Visitor,
        input: JsonBody<PartnerAccessRequest>,
    ) -> ApiResult<JsonResponse<PartnerAccessView>> {
        self.0.request_access(customer.0.clone(), input.0.into(), visitor.locale).await?;
        Ok(JsonResponse(self.view(&customer).await?))
    }

    /// Update my partner access
    ///
    /// Changes the contact and the webhook URL. Requires the password and, where enabled, a second-factor code.
    #[oai(path = "/", method = "patch", operation_id = "updateMyPartnerAccess")]
    async fn change(
        &self,
        customer: CustomerAuth,
        input: JsonBody<UpdatePartnerAccessRequest>,
    ) -> ApiResult<JsonResponse<PartnerAccessView>> {
        let (email, callback, confirmation) = input.0.parts();
        self.0.update_own(customer.0.clone(), email, callback, confirmation).await?;
        Ok(JsonResponse(self.view(&customer).await?))
    }

    /// Rotate my webhook secret
    ///
    /// Takes effect at once. The new secret is not shown again.
    #[oai(path = "/secret", method = "post", operation_id = "rotateMyPartnerWebhookSecret")]
    async fn secret(
        &self,
        customer: CustomerAuth,
        input: JsonBody<PartnerAccessConfirmation>,
    ) -> ApiResult<JsonResponse<WebhookSecret>> {
        let created = self.0.rotate_own_secret(customer.0, input.0.into()).await?;
        Ok(JsonResponse(WebhookSecret { secret: created.secret }))
    }

    /// Create a key
    ///
    /// Returns the secret, which is not shown again. A live key requires approved access, the password and, where
    /// enabled, a second-factor code. A repeated request with the same `Idempotency-Key` returns the same key,
    /// whatever code it carries.
    #[oai(path = "/keys", method = "post", operation_id = "createMyPartnerKey")]
    async fn add_key(
        &self,
        customer: CustomerAuth,
        input: JsonBody<CreateKeyRequest>,
        #[oai(name = "Idempotency-Key")] key: Header<Option<String>>,
    ) -> ApiResult<Created<CreatedKey>> {
        let (new, confirmation) = input.0.parts();
        // A second-factor code can be used once, so a repeated request has another one; it is left out of the
        // fingerprint.
        let once = IdempotencyKey::check(key.0)?
            .for_body(format!("partner.own_key:{}", customer.0.id), &(&new.title, new.sandbox, &new.scopes, &new.networks))?;
        let created = self.0.create_own_key(customer.0, new, confirmation, once).await?;
        Ok(Created { body: CreatedKey { key: PartnerKeyView::of(&created.row, &[]), secret: created.secret }, cookie: None })
    }

    /// Revoke my key
    ///
    /// Takes effect at once.
    #[oai(path = "/keys/:key/revoke", method = "post", operation_id = "revokeMyPartnerKey")]
    async fn revoke_key(&self, customer: CustomerAuth, key: Path<Uuid>) -> ApiResult<JsonResponse<PartnerKeyView>> {
        Ok(JsonResponse(PartnerKeyView::of(&self.0.revoke_own_key(customer.0, key.0).await?, &[])))
    }

    /// List my webhook deliveries
    ///
    /// Newest first.
    #[oai(path = "/webhook-deliveries", method = "get", operation_id = "listMyPartnerWebhookDeliveries")]
    async fn webhook_deliveries(
        &self,
        customer: CustomerAuth,
        state: Query<Option<ApiEnum<OutboxState>>>,
        /// `nextCursor` of the previous page.
        cursor: Query<Option<Cursor<i64>>>,
        /// Page size.
        #[oai(default = "agio_http::page_size::<20>", validator(minimum(value = "1"), maximum(value = "100")))]
        size: Query<u32>,
    ) -> ApiResult<JsonResponse<Page<WebhookDelivery, i64>>> {
        let (state, before) = (state.0.map(|state| state.0), cursor.0.map(|cursor| cursor.0));
        Ok(JsonResponse(WebhookDelivery::page(self.0.own_webhook_deliveries(&customer.0, state, before, size.0).await?)?))
    }

    /// Redeliver my webhook
    ///
    /// Retries a failed delivery, or sends a delivered event again with the same event id. 409 `message_waits` while
    /// it is still being retried.
    #[oai(path = "/webhook-deliveries/:message/resend", method = "post", operation_id = "redeliverMyPartnerWebhook")]
    async fn resend(&self, customer: CustomerAuth, message: Path<i64>) -> ApiResult<NoContent> {
        self.0.redeliver_own_webhook(customer.0, message.0).await?;
        Ok(NoContent)
    }
}

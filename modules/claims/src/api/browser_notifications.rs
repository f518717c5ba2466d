//! Notifications in the customer's browser, also with the site closed (web push).

use std::sync::Arc;

use agio_http::{ApiResult, Created, CustomerAuth, JsonBody, JsonResponse, NoContent, body};
use agio_push::NewPushSubscription;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use poem_openapi::types::Example;
use uuid::Uuid;

use super::Tag;
use crate::Claims;

pub struct BrowserNotificationsApi(pub Arc<Claims>);

/// What a browser needs to subscribe.
#[body(response)]
struct PushKey {
    /// The server's public key, base64url: the `applicationServerKey`.
    key: String,
}

/// A subscription as the browser's `PushSubscription.toJSON()` gives it.
#[body(request, example)]
struct CreatePushSubscriptionRequest {
    /// The HTTPS address at the push service.
    endpoint: String,
    keys: PushSubscriptionKeys,
}

/// The browser's keys.
#[body(request)]
struct PushSubscriptionKeys {
    /// The public key of the curve P-256, uncompressed, base64url.
    p256dh: String,
    /// The authentication secret of 16 bytes, base64url.
    auth: String,
}

/// A stored subscription.
#[body(response)]
struct PushSubscriptionView {
    /// Identifier, for unsubscribing.
    id: Uuid,
}

impl Example for CreatePushSubscriptionRequest {
    fn example() -> Self {
        Self {
            endpoint: "https://push.example/wpush/v2/gAAAAABl".into(),
            keys: PushSubscriptionKeys {
                p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4".into(),
                auth: "BTBZMqHH6r4Tts7J_aSIgg".into(),
            },
        }
    }
}

impl From<CreatePushSubscriptionRequest> for NewPushSubscription {
    fn from(request: CreatePushSubscriptionRequest) -> Self {
        let CreatePushSubscriptionRequest { endpoint, keys: PushSubscriptionKeys { p256dh, auth } } = request;
        Self { endpoint, p256dh, auth }
    }
}

#[OpenApi(prefix_path = "/api/v1", tag = "Tag::Claims")]
impl BrowserNotificationsApi {
    /// Get the push key
    ///
    /// The key stays the same, so that subscriptions last.
    #[oai(path = "/push/key", method = "get", operation_id = "getPushKey")]
    async fn key(&self) -> ApiResult<JsonResponse<PushKey>> {
        Ok(JsonResponse(PushKey { key: self.0.push_key().await? }))
    }

    /// Subscribe a browser to a claim
    ///
    /// The browser is notified of what the customer is e-mailed about, in the language of the claim: the subject of the
    /// e-mail, without amounts or payment details. A browser that is subscribed already gets the same id. At most five
    /// browsers per claim. The subscription ends 30 days after its last notification, or when the push service says so.
    #[oai(path = "/claim/:id/push", method = "post", operation_id = "createClaimPushSubscription")]
    async fn subscribe_to_claim(
        &self,
        id: Path<Uuid>,
        input: JsonBody<CreatePushSubscriptionRequest>,
    ) -> ApiResult<Created<PushSubscriptionView>> {
        let id = self.0.subscribe_to_claim(id.0, input.0.into()).await?;
        Ok(Created { body: PushSubscriptionView { id }, cookie: None })
    }

    /// Get a browser's subscription to a claim
    ///
    /// 404 `push_subscription_not_found` once it has ended.
    #[oai(path = "/claim/:id/push/:subscription", method = "get", operation_id = "getClaimPushSubscription")]
    async fn find_of_claim(&self, id: Path<Uuid>, subscription: Path<Uuid>) -> ApiResult<JsonResponse<PushSubscriptionView>> {
        self.0.find_claim_subscription(id.0, subscription.0).await?;
        Ok(JsonResponse(PushSubscriptionView { id: subscription.0 }))
    }

    /// Unsubscribe a browser from a claim
    #[oai(path = "/claim/:id/push/:subscription", method = "delete", operation_id = "deleteClaimPushSubscription")]
    async fn unsubscribe_from_claim(&self, id: Path<Uuid>, subscription: Path<Uuid>) -> ApiResult<NoContent> {
        self.0.unsubscribe_from_claim(id.0, subscription.0).await?;
        Ok(NoContent)
    }

    /// Subscribe a browser to my claims
    ///
    /// As for one claim, for all claims that are created in the account. It ends with the session of the access token.
    #[oai(path = "/users/me/push", method = "post", operation_id = "createMyPushSubscription")]
    async fn subscribe_to_account(
        &self,
        customer: CustomerAuth,
        input: JsonBody<CreatePushSubscriptionRequest>,
    ) -> ApiResult<Created<PushSubscriptionView>> {
        let id = self.0.subscribe_to_account(&customer.0, input.0.into()).await?;
        Ok(Created { body: PushSubscriptionView { id }, cookie: None })
    }

    /// Get a browser's subscription to my claims
    ///
    /// 404 `push_subscription_not_found` once it has ended, and for one of another session.
    #[oai(path = "/users/me/push/:subscription", method = "get", operation_id = "getMyPushSubscription")]
    async fn find_of_account(
        &self,
        customer: CustomerAuth,
        subscription: Path<Uuid>,
    ) -> ApiResult<JsonResponse<PushSubscriptionView>> {
        self.0.find_account_subscription(&customer.0, subscription.0).await?;
        Ok(JsonResponse(PushSubscriptionView { id: subscription.0 }))
    }

    /// Unsubscribe a browser from my claims
    #[oai(path = "/users/me/push/:subscription", method = "delete", operation_id = "deleteMyPushSubscription")]
    async fn unsubscribe_from_account(&self, customer: CustomerAuth, subscription: Path<Uuid>) -> ApiResult<NoContent> {
        self.0.unsubscribe_from_account(&customer.0, subscription.0).await?;
        Ok(NoContent)
    }
}

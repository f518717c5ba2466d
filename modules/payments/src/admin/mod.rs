//! The staff API.

mod bodies;

use std::sync::Arc;

use agio_approvals::{Approvals, ChangeOutcome};
use agio_core::identity::{Actor, Permission};
use agio_http::{Accepted, ApiResult, Either, JsonBody, JsonResponse, NoContent, Nullable, StaffAuth, Visitor};
use poem_openapi::param::Path;
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::{PAYMENTS_CHANGE, PAYMENTS_READ, PAYMENTS_SETTLE, Payments};

use bodies::{
    AttachPaymentRequest, OpenPayoutsResponse, PaymentAttemptView, PaymentMovementView, PaymentRouteList, RetryPayoutRequest,
    SendRefundResponse, SetPaymentRouteRequest, SetRouteResponse,
};

/// The permission of the claims module to send refunds.
const REFUND: Permission = Permission("claims.refund");

#[derive(Tags)]
enum ConsoleTag {
    /// Automatic payments.
    Payments,
}

/// The staff API of payments.
pub struct PaymentsAdminApi {
    payments: Arc<Payments>,
    approvals: Arc<Approvals>,
}

impl PaymentsAdminApi {
    pub fn new(payments: Arc<Payments>, approvals: Arc<Approvals>) -> Self {
        Self { payments, approvals }
    }
}

#[OpenApi(prefix_path = "/api/admin/v1/payments", tag = "ConsoleTag::Payments")]
impl PaymentsAdminApi {
    /// List payment routes
    ///
    /// With the available plugins. Requires `payments.read`.
    #[oai(path = "/", method = "get", operation_id = "listPaymentRoutes")]
    async fn routes(&self, staff: StaffAuth) -> ApiResult<JsonResponse<PaymentRouteList>> {
        staff.require(PAYMENTS_READ)?;
        Ok(JsonResponse(PaymentRouteList::of(&self.payments).await?))
    }

    /// Set a payment route
    ///
    /// `revision` is the one that was read, 0 for a currency without a route: 409 `route_changed` if it is outdated.
    /// 422 at `enabled`, `autoPayout` or `claimLimit` if the driver says that it cannot do it.
    /// With two-person approval it creates an approval request, 202, unless the change only restricts. Requires
    /// `payments.change` and a fresh second factor.
    #[oai(path = "/routes/:currency", method = "put", operation_id = "setPaymentRoute")]
    async fn set_route(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        /// The currency.
        currency: Path<i64>,
        input: JsonBody<SetPaymentRouteRequest>,
    ) -> ApiResult<SetRouteResponse> {
        let by = staff.require(PAYMENTS_CHANGE)?;
        staff.require_fresh()?;
        match self.payments.set_route(currency.0, input.0.into(), by.clone()).await? {
            ChangeOutcome::Applied(_) => Ok(Either::Left(JsonResponse(PaymentRouteList::of(&self.payments).await?))),
            ChangeOutcome::PendingApproval(row) => Ok(Either::Right(Accepted(self.approvals.show(*row, &by, visitor.locale)))),
        }
    }

    /// Close payouts
    ///
    /// No driver is told to send anything until they are opened. Attempts that were begun are followed to their end.
    /// Requires `payments.change`.
    #[oai(path = "/payouts/close", method = "post", operation_id = "closePayouts")]
    async fn close_payouts(&self, staff: StaffAuth) -> ApiResult<NoContent> {
        let by = staff.require(PAYMENTS_CHANGE)?;
        self.payments.close_payouts(true, &Actor::from(&by)).await?;
        Ok(NoContent)
    }

    /// Open payouts
    ///
    /// After a restore: once wallets and banks were compared with the claims. 409 `payouts_open` if they are open. With
    /// two-person approval it creates an approval request, 202. Requires `payments.change` and a fresh second factor.
    #[oai(path = "/payouts/open", method = "post", operation_id = "openPayouts")]
    async fn open_payouts(&self, staff: StaffAuth, visitor: Visitor) -> ApiResult<OpenPayoutsResponse> {
        let by = staff.require(PAYMENTS_CHANGE)?;
        staff.require_fresh()?;
        match self.payments.open_payouts(by.clone()).await? {
            ChangeOutcome::Applied(()) => Ok(Either::Left(NoContent)),
            ChangeOutcome::PendingApproval(row) => Ok(Either::Right(Accepted(self.approvals.show(*row, &by, visitor.locale)))),
        }
    }

    /// List payment attempts
    ///
    /// Unsettled attempts first, then those that failed or came back, then the newest; at most 100 of each. Requires
    /// `payments.read`.
    #[oai(path = "/attempts", method = "get", operation_id = "listPaymentAttempts")]
    async fn attempts(&self, staff: StaffAuth) -> ApiResult<JsonResponse<Vec<PaymentAttemptView>>> {
        staff.require(PAYMENTS_READ)?;
        let attempts = self.payments.attempts().await?;
        let views = attempts.into_iter().map(|attempt| PaymentAttemptView::of(&self.payments, attempt));
        Ok(JsonResponse(views.collect::<agio_core::Result<_>>()?))
    }

    /// Check a payment attempt
    ///
    /// Queries the driver for the outcome; it never sends again. 409 `attempt_too_young` while the request to send may
    /// be in progress. Requires `claims.payments`.
    #[oai(path = "/attempts/:id/check", method = "post", operation_id = "checkPaymentAttempt")]
    async fn check(&self, staff: StaffAuth, id: Path<String>) -> ApiResult<JsonResponse<PaymentAttemptView>> {
        staff.require(PAYMENTS_SETTLE)?;
        let attempt = self.payments.check_attempt(&id.0).await?;
        Ok(JsonResponse(PaymentAttemptView::of(&self.payments, attempt)?))
    }

    /// Retry a payout
    ///
    /// Only for an attempt that certainly did not leave, or that came back. The limits of the route apply. Requires
    /// `claims.payments` and a fresh second factor.
    #[oai(path = "/attempts/:id/retry", method = "post", operation_id = "retryPaymentAttempt")]
    async fn retry(&self, staff: StaffAuth, id: Path<String>, input: JsonBody<RetryPayoutRequest>) -> ApiResult<NoContent> {
        let by = staff.require(PAYMENTS_SETTLE)?;
        staff.require_fresh()?;
        self.payments.retry_failed_payout(id.0, by, input.0.note).await?;
        Ok(NoContent)
    }

    /// List incoming payments with issues
    ///
    /// Payments to an address no claim waits on, for a claim that is already paid, or that disappeared. The newest
    /// first, at most 100. Requires `payments.read`.
    #[oai(path = "/movements", method = "get", operation_id = "listPaymentMovements")]
    async fn movements(&self, staff: StaffAuth) -> ApiResult<JsonResponse<Vec<PaymentMovementView>>> {
        staff.require(PAYMENTS_READ)?;
        let movements = self.payments.list_unresolved_movements().await?;
        Ok(JsonResponse(movements.into_iter().filter_map(|movement| PaymentMovementView::of(&self.payments, movement)).collect()))
    }

    /// Attach a payment to a claim
    ///
    /// Requires `claims.payments` and a fresh second factor.
    #[oai(path = "/movements/:id/attach", method = "post", operation_id = "attachPaymentMovement")]
    async fn attach(&self, staff: StaffAuth, id: Path<i64>, input: JsonBody<AttachPaymentRequest>) -> ApiResult<NoContent> {
        let by = staff.require(PAYMENTS_SETTLE)?;
        staff.require_fresh()?;
        self.payments.attach(id.0, input.0.claim, by).await?;
        Ok(NoContent)
    }

    /// Mark an incoming payment as resolved
    ///
    /// Removes it from the list. Requires `claims.payments`.
    #[oai(path = "/movements/:id/resolve", method = "post", operation_id = "resolvePaymentMovement")]
    async fn resolve(&self, staff: StaffAuth, id: Path<i64>) -> ApiResult<NoContent> {
        self.payments.resolve(id.0, staff.require(PAYMENTS_SETTLE)?).await?;
        Ok(NoContent)
    }

    /// Send a refund through its driver
    ///
    /// Above the refund limit it needs two-person approval: then `approval` is set; call again once it is approved.
    /// 409 `driver_sends_no_refunds` if the driver says so. Requires `claims.refund` and a fresh second factor.
    #[oai(path = "/claims/:id/refund", method = "post", operation_id = "sendClaimRefund")]
    async fn refund(&self, staff: StaffAuth, id: Path<Uuid>) -> ApiResult<JsonResponse<SendRefundResponse>> {
        let by = staff.require(REFUND)?;
        staff.require_fresh()?;
        Ok(JsonResponse(SendRefundResponse { approval: Nullable(self.payments.refund(id.0, by).await?) }))
    }
}

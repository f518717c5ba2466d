//! The calls the console makes.

mod bodies;

use std::sync::Arc;

use agio_approvals::Approvals;
use agio_core::identity::Permission;
use agio_http::{Accepted, Answer, Done, Either, Input, Null, Outcome, StaffAuth, Visitor};
use poem_openapi::param::Path;
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::{PAYMENTS_CHANGE, PAYMENTS_READ, PAYMENTS_SETTLE, Payments};

use bodies::{
    DeskAttempt, DeskAttemptRetry, DeskMovement, DeskMovementClaim, DeskPayments, DeskRefundAsked, DeskRouteChange, DeskRouteSet,
};

/// Returning payments, as the claims' room names it.
const REFUND: Permission = Permission("claims.refund");

#[derive(Tags)]
enum ConsoleTag {
    /// Automatic payments.
    Payments,
}

/// The console's calls.
pub struct PaymentsDesk {
    payments: Arc<Payments>,
    approvals: Arc<Approvals>,
}

impl PaymentsDesk {
    /// The calls.
    #[must_use]
    pub fn new(payments: Arc<Payments>, approvals: Arc<Approvals>) -> Self {
        Self { payments, approvals }
    }
}

#[OpenApi(prefix_path = "/api/admin/v1/payments", tag = "ConsoleTag::Payments")]
impl PaymentsDesk {
    /// How currencies are watched and paid
    ///
    /// With the plugins there are. Needs `payments.read`.
    #[oai(path = "/", method = "get", operation_id = "getPayments")]
    async fn routes(&self, staff: StaffAuth) -> Outcome<Answer<DeskPayments>> {
        staff.may(PAYMENTS_READ)?;
        Ok(Answer(DeskPayments::of(&self.payments).await?))
    }

    /// Set how a currency is watched and paid
    ///
    /// `revision` is the one that was seen, 0 for a currency without a route: 409 `route_changed` when a colleague was faster. Where two people
    /// decide, a colleague agrees first: 202; what only takes something away holds at once. Needs `payments.change` and a fresh second factor.
    #[oai(path = "/routes/:currency", method = "put", operation_id = "setPaymentRoute")]
    async fn set_route(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        /// The currency.
        currency: Path<i64>,
        input: Input<DeskRouteChange>,
    ) -> Outcome<DeskRouteSet> {
        let by = staff.may(PAYMENTS_CHANGE)?;
        staff.require_fresh()?;
        match self.payments.set_route(currency.0, input.0.into(), by.clone()).await? {
            agio_approvals::Done::Now(_) => Ok(Either::This(Answer(DeskPayments::of(&self.payments).await?))),
            agio_approvals::Done::Proposed(row) => Ok(Either::That(Accepted(self.approvals.show(*row, &by, visitor.locale)))),
        }
    }

    /// Tries to send money
    ///
    /// Those that are not settled come first, then those that did not leave or came back, then the newest; 100 of each at most. Needs
    /// `payments.read`.
    #[oai(path = "/attempts", method = "get", operation_id = "listPaymentAttempts")]
    async fn attempts(&self, staff: StaffAuth) -> Outcome<Answer<Vec<DeskAttempt>>> {
        staff.may(PAYMENTS_READ)?;
        let attempts = self.payments.attempts().await?;
        let shown: agio_core::Result<_> = attempts.into_iter().map(|attempt| DeskAttempt::of(&self.payments, attempt)).collect();
        Ok(Answer(shown?))
    }

    /// Ask the driver what became of a try
    ///
    /// It is never asked to send again. 409 `attempt_too_young` while the request to send may be on its way. Needs `claims.payments`.
    #[oai(path = "/attempts/:id/ask", method = "post", operation_id = "askPaymentAttempt")]
    async fn ask(&self, staff: StaffAuth, id: Path<String>) -> Outcome<Answer<DeskAttempt>> {
        staff.may(PAYMENTS_SETTLE)?;
        let attempt = self.payments.ask_again(&id.0).await?;
        Ok(Answer(DeskAttempt::of(&self.payments, attempt)?))
    }

    /// Send a payout once more
    ///
    /// Only one of which it is certain that it did not leave, or that came back. It goes within the limits of its route. Needs `claims.payments` and a
    /// fresh second factor.
    #[oai(path = "/attempts/:id/retry", method = "post", operation_id = "retryPaymentAttempt")]
    async fn retry(&self, staff: StaffAuth, id: Path<String>, input: Input<DeskAttemptRetry>) -> Outcome<Done> {
        let by = staff.may(PAYMENTS_SETTLE)?;
        staff.require_fresh()?;
        self.payments.send_again(id.0, by, input.0.note).await?;
        Ok(Done)
    }

    /// Money that somebody should look at
    ///
    /// It came to an address where nobody waits, came for a claim that needs no more, or disappeared. The newest come first, 100 at most. Needs
    /// `payments.read`.
    #[oai(path = "/movements", method = "get", operation_id = "listPaymentMovements")]
    async fn movements(&self, staff: StaffAuth) -> Outcome<Answer<Vec<DeskMovement>>> {
        staff.may(PAYMENTS_READ)?;
        let movements = self.payments.troubled().await?;
        Ok(Answer(movements.into_iter().map(|movement| DeskMovement::of(&self.payments, movement)).collect()))
    }

    /// Give money that nobody waits for to a claim
    ///
    /// Needs `claims.payments` and a fresh second factor.
    #[oai(path = "/movements/:id/attach", method = "post", operation_id = "attachPaymentMovement")]
    async fn attach(&self, staff: StaffAuth, id: Path<i64>, input: Input<DeskMovementClaim>) -> Outcome<Done> {
        let by = staff.may(PAYMENTS_SETTLE)?;
        staff.require_fresh()?;
        self.payments.attach(id.0, input.0.claim, by).await?;
        Ok(Done)
    }

    /// Note that money was looked at
    ///
    /// It leaves the list. Needs `claims.payments`.
    #[oai(path = "/movements/:id/settle", method = "post", operation_id = "settlePaymentMovement")]
    async fn settle(&self, staff: StaffAuth, id: Path<i64>) -> Outcome<Done> {
        self.payments.settle(id.0, staff.may(PAYMENTS_SETTLE)?).await?;
        Ok(Done)
    }

    /// Return a claim's payment through its driver
    ///
    /// Above the limit of refunds a colleague agrees first: then `proposal` is set, and the call is made once more when they have. Needs `claims.refund` and
    /// a fresh second factor.
    #[oai(path = "/claims/:id/refund", method = "post", operation_id = "refundThroughDriver")]
    async fn refund(&self, staff: StaffAuth, id: Path<Uuid>) -> Outcome<Answer<DeskRefundAsked>> {
        let by = staff.may(REFUND)?;
        staff.require_fresh()?;
        Ok(Answer(DeskRefundAsked { proposal: Null(self.payments.refund(id.0, by).await?) }))
    }
}

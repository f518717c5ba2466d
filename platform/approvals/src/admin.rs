//! Approval requests in the admin API.

use agio_core::Timestamp;
use agio_core::identity::Staff;
use agio_core::keyset::KeysetPage;
use agio_core::texts::Locale;
use agio_http::{ApiResult, Cursor, JsonBody, JsonResponse, Nullable, StaffAuth, Visitor, body};
use poem_openapi::param::{Path, Query};
use poem_openapi::types::Example;
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::{APPROVALS_READ, ApprovalDecisions, ApprovalRequestView, ApprovalRow, store};

const PAGE_SIZE: usize = 50;

#[derive(Tags)]
enum Tag {
    /// Changes that need a second person.
    Approvals,
}

pub struct ApprovalsAdminApi(pub ApprovalDecisions);

/// A page of approval requests, newest first.
#[body(response)]
struct ApprovalRequestPage {
    items: Vec<ApprovalRequestView>,
    /// Number of requests that wait for a decision.
    waiting: i64,
    /// Pass as `cursor` to get the next page; null on the last page.
    next_cursor: Nullable<Cursor<(Timestamp, Uuid)>>,
}

/// Rejection of an approval request.
#[body(request, example)]
struct RejectApprovalRequest {
    /// Reason, shown to the author. At most 500 characters.
    reason: String,
}

impl Example for RejectApprovalRequest {
    fn example() -> Self {
        Self { reason: "The address is not the one in our cold wallet's list.".into() }
    }
}

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Approvals")]
impl ApprovalsAdminApi {
    /// List approval requests
    ///
    /// Newest first. Needs `approvals.read`.
    #[oai(path = "/approvals", method = "get", operation_id = "listApprovalRequests")]
    async fn list(
        &self,
        auth: StaffAuth,
        visitor: Visitor,
        /// True for decided requests, false or absent for those that wait.
        decided: Query<Option<bool>>,
        /// `nextCursor` of the previous page.
        cursor: Query<Option<Cursor<(Timestamp, Uuid)>>>,
    ) -> ApiResult<JsonResponse<ApprovalRequestPage>> {
        let staff = auth.require(APPROVALS_READ)?;
        let after = cursor.0.map_or((Timestamp(i64::MAX), Uuid::max()), |cursor| cursor.0);
        let mut tx = self.0.approvals.platform.db.read().await?;
        let rows = store::list(&mut tx, !decided.0.unwrap_or(false), after, PAGE_SIZE as i64 + 1).await?;
        let waiting = store::count_waiting(&mut tx).await?;
        let page = KeysetPage::of(rows, PAGE_SIZE, |row| (row.proposed_at, row.id));
        let next_cursor = page.next.map(Cursor).into();
        let items = page.rows.into_iter().map(|row| self.show(row, &staff, visitor.locale)).collect();
        Ok(JsonResponse(ApprovalRequestPage { items, waiting, next_cursor }))
    }

    /// Approve a request
    ///
    /// Makes the change at once. Needs the permission for this kind of change and a recent second factor. Nobody can
    /// approve their own request.
    #[oai(path = "/approvals/:id/approve", method = "post", operation_id = "approveApprovalRequest")]
    async fn approve(&self, auth: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> ApiResult<JsonResponse<ApprovalRequestView>> {
        let staff = auth.require(APPROVALS_READ)?;
        auth.require_fresh()?;
        let row = self.0.approve(id.0, staff.clone()).await?;
        Ok(JsonResponse(self.show(row, &staff, visitor.locale)))
    }

    /// Reject a request
    ///
    /// Nothing changes. Needs the permission for this kind of change.
    #[oai(path = "/approvals/:id/reject", method = "post", operation_id = "rejectApprovalRequest")]
    async fn reject(
        &self,
        auth: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: JsonBody<RejectApprovalRequest>,
    ) -> ApiResult<JsonResponse<ApprovalRequestView>> {
        let staff = auth.require(APPROVALS_READ)?;
        let row = self.0.reject(id.0, input.0.reason, staff.clone()).await?;
        Ok(JsonResponse(self.show(row, &staff, visitor.locale)))
    }

    /// Withdraw a request
    ///
    /// Only its author can.
    #[oai(path = "/approvals/:id/withdraw", method = "post", operation_id = "withdrawApprovalRequest")]
    async fn withdraw(&self, auth: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> ApiResult<JsonResponse<ApprovalRequestView>> {
        let staff = auth.require(APPROVALS_READ)?;
        let row = self.0.withdraw(id.0, staff.clone()).await?;
        Ok(JsonResponse(self.show(row, &staff, visitor.locale)))
    }
}

impl ApprovalsAdminApi {
    fn show(&self, row: ApprovalRow, staff: &Staff, locale: Locale) -> ApprovalRequestView {
        self.0.approvals.show(row, staff, locale)
    }
}

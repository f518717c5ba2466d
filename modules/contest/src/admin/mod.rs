//! Admin API.

mod bodies;
mod requests;

use std::sync::Arc;

use agio_approvals::{ChangeOutcome, PendingApproval};
use agio_http::{Accepted, ApiResult, Created, Cursor, Either, IdempotencyKey, JsonBody, JsonResponse, Page, StaffAuth, Visitor};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::{CONTEST_EDIT, CONTEST_PAY, CONTEST_READ, Contests};

use bodies::{ContestDetails, ContestEntry, ContestList};
use requests::{CancelContestRequest, ContestPlanRequest, DrawContestRequest, PayContestPrizeRequest, UpdateContestRequest};

const LISTED_MAX: i64 = 50;

#[derive(Tags)]
enum AdminTag {
    /// Contests and their draws.
    Contests,
}

pub struct ContestAdminApi {
    contests: Arc<Contests>,
    approvals: Arc<agio_approvals::Approvals>,
}

impl ContestAdminApi {
    pub fn new(contests: Arc<Contests>, approvals: Arc<agio_approvals::Approvals>) -> Self {
        Self { contests, approvals }
    }

    async fn shown(&self, id: Uuid) -> ApiResult<ContestDetails> {
        Ok(ContestDetails::of(&self.contests, self.contests.one(id).await?)?)
    }
}

#[OpenApi(prefix_path = "/api/admin/v1/contests", tag = "AdminTag::Contests")]
impl ContestAdminApi {
    /// List contests
    ///
    /// Newest first. Requires `contest.read`.
    #[oai(path = "/", method = "get", operation_id = "listContests")]
    async fn list(&self, staff: StaffAuth) -> ApiResult<JsonResponse<ContestList>> {
        staff.require(CONTEST_READ)?;
        let all = self.contests.newest(LISTED_MAX).await?;
        let items =
            all.into_iter().map(|contest| ContestDetails::of(&self.contests, contest)).collect::<agio_core::Result<_>>()?;
        Ok(JsonResponse(ContestList { items, shown: self.contests.are_shown(), base: self.contests.base() }))
    }

    /// Create a contest
    ///
    /// Creates its secret and publishes the commitment. Requires `contest.edit`.
    #[oai(path = "/", method = "post", operation_id = "createContest")]
    async fn create(
        &self,
        staff: StaffAuth,
        input: JsonBody<ContestPlanRequest>,
        #[oai(name = "Idempotency-Key")] key: Header<Option<String>>,
    ) -> ApiResult<Created<ContestDetails>> {
        let by = staff.require(CONTEST_EDIT)?;
        let key = IdempotencyKey::check(key.0)?.for_body(format!("contest.plan:{}", by.id), &input.0)?;
        let id = self.contests.create_contest(input.0.into(), by, key).await?;
        Ok(Created { body: self.shown(id).await?, cookie: None })
    }

    /// Update a contest
    ///
    /// Possible until its period begins. Requires `contest.edit`.
    #[oai(path = "/:id", method = "put", operation_id = "updateContest")]
    async fn update(
        &self,
        staff: StaffAuth,
        id: Path<Uuid>,
        input: JsonBody<UpdateContestRequest>,
    ) -> ApiResult<JsonResponse<ContestDetails>> {
        let by = staff.require(CONTEST_EDIT)?;
        self.contests.update_contest(id.0, input.0.revision, input.0.plan.into(), by).await?;
        Ok(JsonResponse(self.shown(id.0).await?))
    }

    /// Cancel a contest
    ///
    /// Possible until it is closed. Requires `contest.edit` and a recent second-factor check.
    #[oai(path = "/:id/cancel", method = "post", operation_id = "cancelContest")]
    async fn cancel(
        &self,
        staff: StaffAuth,
        id: Path<Uuid>,
        input: JsonBody<CancelContestRequest>,
    ) -> ApiResult<JsonResponse<ContestDetails>> {
        let by = staff.require(CONTEST_EDIT)?;
        staff.require_fresh()?;
        self.contests.cancel_contest(id.0, input.0.revision, by).await?;
        Ok(JsonResponse(self.shown(id.0).await?))
    }

    /// List contest entries
    ///
    /// By claim number, including void entries. Requires `contest.read`.
    #[oai(path = "/:id/entries", method = "get", operation_id = "listContestEntries")]
    async fn entries(
        &self,
        staff: StaffAuth,
        id: Path<Uuid>,
        /// `nextCursor` of the previous page.
        cursor: Query<Option<Cursor<i64>>>,
        /// Page size.
        #[oai(default = "agio_http::page_size::<50>", validator(minimum(value = "1"), maximum(value = "100")))]
        size: Query<u32>,
    ) -> ApiResult<JsonResponse<Page<ContestEntry, i64>>> {
        staff.require(CONTEST_READ)?;
        let after = cursor.0.map_or(i64::MIN, |cursor| cursor.0);
        Ok(JsonResponse(Page::of(self.contests.entries(id.0, after, size.0).await?, ContestEntry::from)))
    }

    /// Draw a contest
    ///
    /// Uses the public randomness exactly as published. A second person must always approve: the response is 202.
    /// The draw reveals the secret, e-mails the winners and books their prizes. It cannot be repeated. Requires
    /// `contest.edit` and a recent second-factor check.
    #[oai(path = "/:id/draw", method = "post", operation_id = "drawContest")]
    async fn draw(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: JsonBody<DrawContestRequest>,
        #[oai(name = "Idempotency-Key")] key: Header<Option<String>>,
    ) -> ApiResult<PendingApproval> {
        let by = staff.require(CONTEST_EDIT)?;
        staff.require_fresh()?;
        let key = IdempotencyKey::check(key.0)?.for_body(format!("contest.draw:{}", id.0), &input.0)?;
        let proposed = self.contests.draw(id.0, input.0.into(), by.clone(), key).await?;
        Ok(Accepted(self.approvals.show(proposed, &by, visitor.locale)))
    }

    /// Record a prize payment
    ///
    /// Books it from the reserve. Above the payout limit a second person must approve: 202. Requires `contest.pay`
    /// and a recent second-factor check.
    #[oai(path = "/:id/prizes/:place/pay", method = "post", operation_id = "payContestPrize")]
    async fn pay(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        /// Place, from 1.
        place: Path<i64>,
        input: JsonBody<PayContestPrizeRequest>,
        #[oai(name = "Idempotency-Key")] key: Header<Option<String>>,
    ) -> ApiResult<Either<JsonResponse<ContestDetails>, PendingApproval>> {
        let by = staff.require(CONTEST_PAY)?;
        staff.require_fresh()?;
        let key = IdempotencyKey::check(key.0)?.for_body(format!("contest.pay:{}/{}", id.0, place.0), &input.0)?;
        match self.contests.pay(id.0, place.0, input.0.note, by.clone(), key).await? {
            ChangeOutcome::Applied(()) => Ok(Either::Left(JsonResponse(self.shown(id.0).await?))),
            ChangeOutcome::PendingApproval(row) => Ok(Either::Right(Accepted(self.approvals.show(*row, &by, visitor.locale)))),
        }
    }
}

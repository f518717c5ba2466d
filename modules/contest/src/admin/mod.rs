//! The calls the console makes.

mod bodies;
mod inputs;

use std::sync::Arc;

use agio_approvals::{Done, Proposed};
use agio_core::Error;
use agio_http::{Accepted, Answer, Created, Either, IdempotencyKey, Input, Outcome, StaffAuth, Visitor};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::{CONTEST_EDIT, CONTEST_PAY, CONTEST_READ, Contests};

use bodies::{DeskContest, DeskContestEntries, DeskContests};
use inputs::{DeskContestChange, DeskContestDrawing, DeskContestPayment, DeskContestPlan, DeskContestSeen};

/// Rows of a page unless more or fewer are wanted, and the most there are.
const SIZE: u32 = 50;
const SIZE_MAX: u32 = 100;

/// How many contests are listed.
const LISTED_MAX: i64 = 50;

#[derive(Tags)]
enum ConsoleTag {
    /// Contests and their draws.
    Contests,
}

/// The console's calls.
pub struct ContestDesk {
    contests: Arc<Contests>,
    approvals: Arc<agio_approvals::Approvals>,
}

impl ContestDesk {
    /// The calls; `approvals` says what waits for a second person.
    #[must_use]
    pub fn new(contests: Arc<Contests>, approvals: Arc<agio_approvals::Approvals>) -> Self {
        Self { contests, approvals }
    }

    async fn shown(&self, id: Uuid) -> Outcome<DeskContest> {
        Ok(DeskContest::of(&self.contests, self.contests.one(id).await?)?)
    }
}

#[OpenApi(prefix_path = "/api/admin/v1/contests", tag = "ConsoleTag::Contests")]
impl ContestDesk {
    /// List contests
    ///
    /// The newest first. Needs `contest.read`.
    #[oai(path = "/", method = "get", operation_id = "listContests")]
    async fn list(&self, staff: StaffAuth) -> Outcome<Answer<DeskContests>> {
        staff.may(CONTEST_READ)?;
        let all = self.contests.newest(LISTED_MAX).await?;
        let items = all.into_iter().map(|seen| DeskContest::of(&self.contests, seen)).collect::<agio_core::Result<_>>()?;
        Ok(Answer(DeskContests { items, shown: self.contests.are_shown(), base: self.contests.base() }))
    }

    /// Plan a contest
    ///
    /// Its secret is made now and its digest is public at once. Needs `contest.edit`.
    #[oai(path = "/", method = "post", operation_id = "planContest")]
    async fn plan(
        &self,
        staff: StaffAuth,
        input: Input<DeskContestPlan>,
        /// Any text of 8 to 255 visible ASCII characters, made anew for each contest.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> Outcome<Created<DeskContest>> {
        let by = staff.may(CONTEST_EDIT)?;
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content(format!("contest.plan:{}", by.id), &content);
        let id = self.contests.plan(input.0.into(), by, key).await?;
        Ok(Created { body: self.shown(id).await?, cookie: None })
    }

    /// Plan a contest anew
    ///
    /// Until its period begins. `revision` is the one that was seen. Needs `contest.edit`.
    #[oai(path = "/:id", method = "put", operation_id = "replanContest")]
    async fn replan(&self, staff: StaffAuth, id: Path<Uuid>, input: Input<DeskContestChange>) -> Outcome<Answer<DeskContest>> {
        let by = staff.may(CONTEST_EDIT)?;
        self.contests.replan(id.0, input.0.revision, input.0.plan.into(), by).await?;
        Ok(Answer(self.shown(id.0).await?))
    }

    /// Call a contest off
    ///
    /// Before its list is fixed. Needs `contest.edit` and a fresh second factor.
    #[oai(path = "/:id/cancel", method = "post", operation_id = "cancelContest")]
    async fn cancel(&self, staff: StaffAuth, id: Path<Uuid>, input: Input<DeskContestSeen>) -> Outcome<Answer<DeskContest>> {
        let by = staff.may(CONTEST_EDIT)?;
        staff.require_fresh()?;
        self.contests.cancel(id.0, input.0.revision, by).await?;
        Ok(Answer(self.shown(id.0).await?))
    }

    /// Entries
    ///
    /// By the numbers of their claims, void ones included. Needs `contest.read`.
    #[oai(path = "/:id/entries", method = "get", operation_id = "listContestEntries")]
    async fn entries(
        &self,
        staff: StaffAuth,
        id: Path<Uuid>,
        /// `nextCursor` of the page before.
        cursor: Query<Option<i64>>,
        /// Rows of a page, at most 100.
        size: Query<Option<u32>>,
    ) -> Outcome<Answer<DeskContestEntries>> {
        staff.may(CONTEST_READ)?;
        let size = size.0.unwrap_or(SIZE);
        if !(1..=SIZE_MAX).contains(&size) {
            return Err(Error::unprocessable("validation_failed").at("size", "malformed_parameter").into());
        }
        let after = cursor.0.unwrap_or(i64::MIN);
        let rows = self.contests.entries(id.0, after, i64::from(size) + 1).await?;
        Ok(Answer(DeskContestEntries::of(rows, size)))
    }

    /// Draw
    ///
    /// With the public value as its source shows it. A second person always agrees first: 202. Then the secret is revealed, the winners are
    /// told, and their prizes are owed in the books. It cannot be done again. Needs `contest.edit` and a fresh second factor.
    #[oai(path = "/:id/draw", method = "post", operation_id = "drawContest")]
    async fn draw(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: Input<DeskContestDrawing>,
        /// Any text of 8 to 255 visible ASCII characters, made anew for each draw.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> Outcome<Proposed> {
        let by = staff.may(CONTEST_EDIT)?;
        staff.require_fresh()?;
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content(format!("contest.draw:{}", id.0), &content);
        let proposed = self.contests.draw(id.0, input.0.into(), by.clone(), key).await?;
        Ok(Accepted(self.approvals.show(proposed, &by, visitor.locale)))
    }

    /// Note that a prize was paid
    ///
    /// It leaves the reserve. Above the limit of payouts a second person agrees first: 202. Needs `contest.pay` and a fresh second factor.
    #[oai(path = "/:id/prizes/:place/pay", method = "post", operation_id = "payContestPrize")]
    async fn pay(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        /// The place, from 1.
        place: Path<i64>,
        input: Input<DeskContestPayment>,
        /// Any text of 8 to 255 visible ASCII characters, made anew for each payment.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> Outcome<Either<Answer<DeskContest>, Proposed>> {
        let by = staff.may(CONTEST_PAY)?;
        staff.require_fresh()?;
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content(format!("contest.pay:{}/{}", id.0, place.0), &content);
        match self.contests.pay(id.0, place.0, input.0.note, by.clone(), key).await? {
            Done::Now(()) => Ok(Either::This(Answer(self.shown(id.0).await?))),
            Done::Proposed(row) => Ok(Either::That(Accepted(self.approvals.show(*row, &by, visitor.locale)))),
        }
    }
}

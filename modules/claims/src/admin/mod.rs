//! The calls the operators' desk makes.

mod bodies;
mod claim;
mod events;
mod list;
mod recalculation;
mod requisites;

use std::sync::Arc;

use agio_approvals::{Done, Proposed};
use agio_core::Error;
use agio_core::identity::Staff;
use agio_files::api::PrivateFile;
use agio_http::{Accepted, Answer, Created, Either, IdempotencyKey, Input, Outcome, StaffAuth, Visitor};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::api::LiveEvents;
use crate::model::Action;
use crate::{CLAIMS_PROCESS, CLAIMS_READ, CLAIMS_REFUND, Claims, REQUISITES_CHANGE, REQUISITES_READ, Staffed};

use bodies::{DeskNote, DeskQuery, DeskRefundDestination, DeskTransition};
use claim::DeskClaim;
use events::DeskEvent;
use list::DeskPage;
use recalculation::DeskRecalculation;
use requisites::{DeskRequisite, DeskRequisiteChange, NewDeskRequisite};

#[derive(Tags)]
enum Tag {
    /// Claims as operators work them.
    Desk,
    /// The requisites customers pay to.
    Requisites,
}

/// The desk's calls.
pub struct ClaimsDesk {
    claims: Arc<Claims>,
}

impl ClaimsDesk {
    /// The calls.
    #[must_use]
    pub fn new(claims: Arc<Claims>) -> Self {
        Self { claims }
    }

    async fn shown(&self, id: Uuid, staff: &Staff, visitor: &Visitor) -> Outcome<Answer<DeskClaim>> {
        let whole = self.claims.whole(id).await?;
        Ok(Answer(DeskClaim::of(&self.claims, whole, staff, visitor.locale)))
    }
}

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Desk")]
impl ClaimsDesk {
    /// List claims
    ///
    /// A page of a tab with the counts of all tabs. Open tabs come by due time, the closed one by its end; `sort=created` gives
    /// the newest first. `q` finds a claim by its number, e-mail address, transaction or requisite, whatever the tab.
    #[oai(path = "/claims", method = "get", operation_id = "listClaims")]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the address")]
    async fn list(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        /// `open`, `ours`, `customer`, `network`, `disputed`, `refunds` or `closed`.
        group: Query<Option<String>>,
        /// Only claims in this state.
        status: Query<Option<String>>,
        /// What to find.
        q: Query<Option<String>>,
        /// `nextCursor` of the page before.
        cursor: Query<Option<String>>,
        /// Rows of a page, at most 100.
        size: Query<Option<u32>>,
        /// `due` or `created`.
        sort: Query<Option<String>>,
    ) -> Outcome<Answer<DeskPage>> {
        staff.may(CLAIMS_READ)?;
        let query = DeskQuery { group: group.0, status: status.0, q: q.0, cursor: cursor.0, size: size.0, sort: sort.0 };
        let page = self.claims.page(&query.read()?).await?;
        Ok(Answer(DeskPage::of(&self.claims, page, visitor.locale)))
    }

    /// A claim with everything about it
    #[oai(path = "/claims/:id", method = "get", operation_id = "getClaim")]
    async fn view(&self, staff: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> Outcome<Answer<DeskClaim>> {
        self.shown(id.0, &staff.may(CLAIMS_READ)?, &visitor).await
    }

    /// Move a claim on
    ///
    /// By one of its `transitions`, with what that one needs. `revision` is the one the operator saw: 409 `claim_changed` when
    /// somebody was faster, 409 `claim_locked` when a colleague has the claim in hand. What sends money out needs a fresh second factor. A
    /// payout or refund above the limit of the four-eyes rule is proposed instead: 202. Once a colleague agrees, the step is made by the
    /// same call; where it named the transaction it is made with the agreement. Another amount than the agreed one is taken for it
    /// (`payment_received`) by two people's word alone.
    #[oai(path = "/claims/:id/transitions", method = "post", operation_id = "moveClaim")]
    async fn transit(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: Input<DeskTransition>,
        /// Any text of 8 to 255 visible ASCII characters, made anew for each step.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> Outcome<Either<Answer<DeskClaim>, Proposed>> {
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content(format!("claim.move:{}", id.0), &content);
        let (action, revision, said) = input.0.read()?;
        let by = staff.may(if returns_money(action) { CLAIMS_REFUND } else { CLAIMS_PROCESS })?;
        if sends_money(action) {
            staff.require_fresh()?;
        }
        let step = Staffed { staff: by.clone(), action, revision, said };
        if let Some(proposal) = self.claims.transit(id.0, step, key).await? {
            let row = self.claims.approvals.proposal(&mut self.claims.platform.db.read().await?, proposal).await?;
            return Ok(Either::That(Accepted(self.claims.approvals.show(row, &by, visitor.locale))));
        }
        Ok(Either::This(self.shown(id.0, &by, &visitor).await?))
    }

    /// Preview the exchange of another amount
    ///
    /// What the amount that came would bring: at the claim's own terms while they hold or the rate has barely moved, else at those of this
    /// moment. The step `recalculate` carries the amounts shown here. Below the minimum, above the maximum or beyond the reserve it is refused.
    #[oai(path = "/claims/:id/recalculation", method = "get", operation_id = "previewRecalculation")]
    async fn recalculation(&self, staff: StaffAuth, id: Path<Uuid>) -> Outcome<Answer<DeskRecalculation>> {
        staff.may(CLAIMS_READ)?;
        Ok(Answer(DeskRecalculation::of(&self.claims.recalculation(id.0).await?)?))
    }

    /// Set where a refund goes
    ///
    /// As the customer told staff, for a payment that is to be returned. It takes the place of what was known before; what a colleague
    /// agreed to before does not hold for it. Needs `claims.refund` and a fresh second factor.
    #[oai(path = "/claims/:id/refund-destination", method = "post", operation_id = "setRefundDestination")]
    async fn refund_destination(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: Input<DeskRefundDestination>,
    ) -> Outcome<Answer<DeskClaim>> {
        let by = staff.may(CLAIMS_REFUND)?;
        staff.require_fresh()?;
        let DeskRefundDestination { revision, requisites, note } = input.0;
        self.claims.set_refund_destination(id.0, revision, requisites, note, by.clone()).await?;
        self.shown(id.0, &by, &visitor).await
    }

    /// Take a claim in hand
    ///
    /// A claim in a colleague's hand is taken over, and that is written down.
    #[oai(path = "/claims/:id/lock", method = "post", operation_id = "lockClaim")]
    async fn lock(&self, staff: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> Outcome<Answer<DeskClaim>> {
        let staff = staff.may(CLAIMS_PROCESS)?;
        self.claims.lock(id.0, staff.clone()).await?;
        self.shown(id.0, &staff, &visitor).await
    }

    /// Put a claim back on the desk
    #[oai(path = "/claims/:id/unlock", method = "post", operation_id = "unlockClaim")]
    async fn unlock(&self, staff: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> Outcome<Answer<DeskClaim>> {
        let staff = staff.may(CLAIMS_PROCESS)?;
        self.claims.unlock(id.0, staff.clone()).await?;
        self.shown(id.0, &staff, &visitor).await
    }

    /// Write a remark for the staff
    #[oai(path = "/claims/:id/notes", method = "post", operation_id = "noteClaim")]
    async fn note(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: Input<DeskNote>,
    ) -> Outcome<Answer<DeskClaim>> {
        let staff = staff.may(CLAIMS_PROCESS)?;
        self.claims.note(id.0, staff.clone(), &input.0.text).await?;
        self.shown(id.0, &staff, &visitor).await
    }

    /// Download a receipt
    ///
    /// Always as an attachment: what a stranger sent is not opened on the console's own address.
    #[oai(path = "/claims/:id/receipts/:receipt", method = "get", operation_id = "getReceipt")]
    async fn receipt(&self, staff: StaffAuth, id: Path<Uuid>, receipt: Path<Uuid>) -> Outcome<PrivateFile> {
        staff.may(CLAIMS_READ)?;
        let (receipt, bytes) = self.claims.receipt(id.0, receipt.0).await?;
        Ok(PrivateFile { name: receipt.name, media_type: receipt.media_type, bytes })
    }

    /// What changes, live
    ///
    /// Server-sent events: `claim` {id}, `reserve` {currencyId}, `market` {}, `tech` {on}; `all` {} asks to read everything anew.
    #[oai(path = "/live", method = "get", operation_id = "followHouse")]
    async fn live(&self, staff: StaffAuth) -> Outcome<LiveEvents<DeskEvent>> {
        staff.may(CLAIMS_READ)?;
        Ok(events::follow(&self.claims.platform.live))
    }

    /// List the requisites customers pay to
    #[oai(path = "/requisites", method = "get", operation_id = "listRequisites", tag = "Tag::Requisites")]
    async fn requisites(&self, staff: StaffAuth) -> Outcome<Answer<Vec<DeskRequisite>>> {
        staff.may(REQUISITES_READ)?;
        let rows = self.claims.requisites().await?;
        Ok(Answer(rows.into_iter().map(|row| DeskRequisite::of(&self.claims, row)).collect()))
    }

    /// Add a requisite
    ///
    /// Needs `reserves.requisites` and a fresh second factor. While the four-eyes rule holds it is proposed: 202.
    #[oai(path = "/requisites", method = "post", operation_id = "addRequisite", tag = "Tag::Requisites")]
    async fn add_requisite(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        input: Input<NewDeskRequisite>,
    ) -> Outcome<Either<Created<DeskRequisite>, Proposed>> {
        let by = staff.may(REQUISITES_CHANGE)?;
        staff.require_fresh()?;
        Ok(match self.claims.add_requisite(input.0.into(), by.clone()).await? {
            Done::Now(row) => Either::This(Created { body: DeskRequisite::of(&self.claims, row), cookie: None }),
            Done::Proposed(row) => Either::That(Accepted(self.claims.approvals.show(*row, &by, visitor.locale))),
        })
    }

    /// Change a requisite
    ///
    /// Claims that were given it keep what they were given. Needs `reserves.requisites` and a fresh second factor. While the four-eyes rule
    /// holds a change is proposed, 202, unless it only takes the requisite out of use or lowers its limit: that is done at once.
    #[oai(path = "/requisites/:id", method = "patch", operation_id = "changeRequisite", tag = "Tag::Requisites")]
    async fn change_requisite(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: Input<DeskRequisiteChange>,
    ) -> Outcome<Either<Answer<DeskRequisite>, Proposed>> {
        let by = staff.may(REQUISITES_CHANGE)?;
        staff.require_fresh()?;
        Ok(match self.claims.change_requisite(id.0, input.0.into(), by.clone()).await? {
            Done::Now(row) => Either::This(Answer(DeskRequisite::of(&self.claims, row))),
            Done::Proposed(row) => Either::That(Accepted(self.claims.approvals.show(*row, &by, visitor.locale))),
        })
    }
}

/// Whether an action decides that money goes back.
fn returns_money(action: Action) -> bool {
    matches!(action, Action::Refund | Action::RefundSent | Action::RefundDone | Action::RefundBounced | Action::PayoutReturned)
}

/// Whether an action says that money leaves the house, or decides that it will go back.
fn sends_money(action: Action) -> bool {
    matches!(action, Action::PayoutSent | Action::PayoutReturned | Action::Refund | Action::RefundSent)
}

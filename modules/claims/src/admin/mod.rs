//! The staff API.

mod bodies;
mod claim;
mod events;
mod export;
mod queue;
mod recalculation;
mod requisite_statement;
mod requisites;
mod turnover;

use std::sync::Arc;

use agio_approvals::PendingApproval;
use agio_contracts::ClaimState;
use agio_core::Error;
use agio_core::identity::{Actor, Staff};
use agio_files::api::PrivateFile;
use agio_http::csv_file::CsvFile;
use agio_http::{Accepted, ApiEnum, ApiResult, Cursor, Either, IdempotencyKey, JsonBody, JsonResponse, StaffAuth, Visitor};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::api::LiveEvents;
use crate::model::Action;
use crate::rules::queue::{QueueGroup, QueueSort};
use crate::service::QueueQuery;
use crate::store::queue::{QueueFilter, QueueKey};
use crate::{CLAIMS_PROCESS, CLAIMS_READ, CLAIMS_REFUND, Claims, StaffTransition};

use bodies::{AddNoteRequest, SetRefundDestinationRequest, TransitionRequest};
use claim::ClaimDetails;
use events::ConsoleEvent;
use queue::ClaimPage;
use recalculation::RecalculationView;
pub use requisites::RequisitesAdminApi;
pub use turnover::TurnoverAdminApi;

/// The longest text to search for; the rest is ignored.
const SEARCH_LENGTH_MAX: usize = 200;

/// Claims of a download that are in memory at a time.
const EXPORTED_AT_ONCE: i64 = 200;

fn searched(text: Option<String>) -> String {
    text.unwrap_or_default().chars().take(SEARCH_LENGTH_MAX).collect()
}

#[derive(Tags)]
enum Tag {
    /// Claims and their queue.
    Claims,
}

/// The staff API of claims.
pub struct ClaimsAdminApi {
    claims: Arc<Claims>,
}

impl ClaimsAdminApi {
    pub fn new(claims: Arc<Claims>) -> Self {
        Self { claims }
    }

    async fn shown(&self, id: Uuid, staff: &Staff, visitor: &Visitor) -> ApiResult<JsonResponse<ClaimDetails>> {
        let whole = self.claims.full_claim(id).await?;
        Ok(JsonResponse(ClaimDetails::of(&self.claims, whole, staff, visitor.locale)))
    }

    fn filter(
        &self,
        (group, state): (Option<ApiEnum<QueueGroup>>, Option<ApiEnum<ClaimState>>),
        (give, receive): (Option<i64>, Option<i64>),
        holder: Option<Uuid>,
        overdue: Option<bool>,
    ) -> QueueFilter {
        QueueFilter {
            tab: group.and_then(|group| group.0.tab()),
            state: state.map(|state| state.0),
            give,
            receive,
            holder,
            due_before: overdue.unwrap_or(false).then(|| self.claims.platform.clock.now()),
        }
    }

    /// The staff member who locks or unlocks a claim. Ending a lock that keeps money from leaving by itself sends it.
    async fn require_lock_access(&self, id: Uuid, staff: &StaffAuth) -> ApiResult<Staff> {
        let by = staff.require(CLAIMS_PROCESS)?;
        if self.claims.keeps_payment(id).await? {
            staff.require_fresh()?;
        }
        Ok(by)
    }
}

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Claims")]
impl ClaimsAdminApi {
    /// List claims
    ///
    /// A page of a tab, with the counts of all tabs. Open claims are sorted by due time, closed ones by the time they
    /// ended; `sort=created` returns the newest first. `status`, `from`, `to`, `mine` and `overdue` narrow it. `q` finds a
    /// claim by its number, e-mail address, transaction, requisite or a link with one, in all tabs; open claims and those
    /// that ended last also by an amount, or by the last four to twelve characters of a requisite or transaction.
    /// `transaction` finds the claims that record exactly this one, in all tabs.
    #[oai(path = "/claims", method = "get", operation_id = "listClaims")]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the address")]
    async fn list(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        /// Default: `open`.
        group: Query<Option<ApiEnum<QueueGroup>>>,
        /// Only claims in this state.
        status: Query<Option<ApiEnum<ClaimState>>>,
        /// Only claims that give this currency.
        from: Query<Option<i64>>,
        /// Only claims that receive this currency.
        to: Query<Option<i64>>,
        /// Only claims that the caller has locked.
        mine: Query<Option<bool>>,
        /// Only claims whose next action is overdue; all closed ones are.
        overdue: Query<Option<bool>>,
        /// A claim number, e-mail address, transaction, requisite, link or amount.
        q: Query<Option<String>>,
        /// A transaction or bank reference of a payment, payout or refund, in any spelling.
        transaction: Query<Option<String>>,
        /// `nextCursor` of the previous page.
        cursor: Query<Option<Cursor<QueueKey>>>,
        /// Rows of a page.
        #[oai(default = "agio_http::page_size::<50>", validator(minimum(value = "1"), maximum(value = "100")))]
        size: Query<u32>,
        /// Default: `due`.
        sort: Query<Option<ApiEnum<QueueSort>>>,
    ) -> ApiResult<JsonResponse<ClaimPage>> {
        let by = staff.require(CLAIMS_READ)?;
        let query = QueueQuery {
            filter: self.filter((group.0, status.0), (from.0, to.0), mine.0.unwrap_or(false).then_some(by.id), overdue.0),
            search: searched(q.0),
            transaction: transaction.0.unwrap_or_default(),
            after: cursor.0.map(|cursor| cursor.0),
            size: size.0.into(),
            sort: sort.0.map_or(QueueSort::Due, |sort| sort.0),
        };
        let page = self.claims.list_queue(&query).await?;
        Ok(JsonResponse(ClaimPage::of(&self.claims, page, visitor.locale)))
    }

    /// Download claims
    ///
    /// Everything that the same filters list, or that `q` finds on its first page, as CSV for spreadsheets in UTF-8, the
    /// newest first. In Russian with semicolons and decimal commas. Audited. Needs `claims.read`.
    #[oai(path = "/claims/csv", method = "get", operation_id = "downloadClaims")]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the address")]
    async fn download(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        /// Default: `open`.
        group: Query<Option<ApiEnum<QueueGroup>>>,
        /// Only claims in this state.
        status: Query<Option<ApiEnum<ClaimState>>>,
        /// Only claims that give this currency.
        from: Query<Option<i64>>,
        /// Only claims that receive this currency.
        to: Query<Option<i64>>,
        /// Only claims that the caller has locked.
        mine: Query<Option<bool>>,
        /// Only claims whose next action is overdue; all closed ones are.
        overdue: Query<Option<bool>>,
        /// A claim number, e-mail address, transaction, requisite, link or amount.
        q: Query<Option<String>>,
    ) -> ApiResult<CsvFile> {
        let by = staff.require(CLAIMS_READ)?;
        let query = QueueQuery {
            filter: self.filter((group.0, status.0), (from.0, to.0), mine.0.unwrap_or(false).then_some(by.id), overdue.0),
            search: searched(q.0),
            transaction: String::new(),
            after: None,
            size: EXPORTED_AT_ONCE,
            // Numbers do not change: while pages are read, no claim moves to one that was.
            sort: QueueSort::Created,
        };
        let pages = self.claims.export_queue(query, &Actor::from(&by)).await?;
        Ok(export::claims_csv(&self.claims, visitor.locale, pages))
    }

    /// Get a claim
    ///
    /// Needs `claims.read`.
    #[oai(path = "/claims/:id", method = "get", operation_id = "getClaim")]
    async fn view(&self, staff: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> ApiResult<JsonResponse<ClaimDetails>> {
        self.shown(id.0, &staff.require(CLAIMS_READ)?, &visitor).await
    }

    /// Move a claim to another state
    ///
    /// By one of its `transitions`, with the fields that one requires. `revision` is the one the operator saw: 409
    /// `claim_changed` if it is outdated, 409 `claim_locked` if a staff member has locked the claim. Sending money
    /// requires a fresh second factor, and so does entering an amount, or what leads to an automatic payout. A payout or
    /// refund above the two-person approval limit creates an approval request instead: 202. Once it is approved, call this
    /// again; if the request named the transaction, the approval itself makes the transition. With two-person approval
    /// the release of a hold for an AML check, and the rejection of a claim on hold, wait for an approval as well. Taking a
    /// different amount for the agreed one (`payment_received`) always does. These are made by the approval.
    #[oai(path = "/claims/:id/transitions", method = "post", operation_id = "transitionClaim")]
    async fn apply_transition(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: JsonBody<TransitionRequest>,
        /// 8 to 255 visible ASCII characters, unique per request.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> ApiResult<Either<JsonResponse<ClaimDetails>, PendingApproval>> {
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content(format!("claim.move:{}", id.0), &content);
        let (action, revision, input) = input.0.read();
        let by = staff.require(if returns_money(action) { CLAIMS_REFUND } else { CLAIMS_PROCESS })?;
        let needs_fresh = sends_money(action) || input.amount.is_some();
        if needs_fresh || (establishes_payment(action) && self.claims.is_paid_out_automatically(id.0).await?) {
            staff.require_fresh()?;
        }
        let step = StaffTransition { staff: by.clone(), action, revision, input };
        if let Some(approval) = self.claims.apply_transition(id.0, step, key).await? {
            let row = self.claims.approvals.get(&mut self.claims.platform.db.read().await?, approval).await?;
            return Ok(Either::Right(Accepted(self.claims.approvals.show(row, &by, visitor.locale))));
        }
        Ok(Either::Left(self.shown(id.0, &by, &visitor).await?))
    }

    /// Preview a recalculation
    ///
    /// What the amount that arrived is exchanged for: at the claim's own terms while they are valid or the rate has
    /// barely moved, otherwise at current terms. The transition `recalculate` carries the amounts shown here. Refused
    /// below the minimum, above the maximum or beyond the reserve.
    #[oai(path = "/claims/:id/recalculation", method = "get", operation_id = "previewClaimRecalculation")]
    async fn recalculation(&self, staff: StaffAuth, id: Path<Uuid>) -> ApiResult<JsonResponse<RecalculationView>> {
        staff.require(CLAIMS_READ)?;
        Ok(JsonResponse(RecalculationView::of(&self.claims.recalculation(id.0).await?)?))
    }

    /// Set the refund destination
    ///
    /// For a pending refund, as the customer told staff. Replaces the previous destination and invalidates earlier
    /// approvals. Requires `claims.refund` and a fresh second factor.
    #[oai(path = "/claims/:id/refund-destination", method = "post", operation_id = "setClaimRefundDestination")]
    async fn refund_destination(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: JsonBody<SetRefundDestinationRequest>,
    ) -> ApiResult<JsonResponse<ClaimDetails>> {
        let by = staff.require(CLAIMS_REFUND)?;
        staff.require_fresh()?;
        let SetRefundDestinationRequest { revision, requisites, note } = input.0;
        self.claims.set_refund_destination(id.0, revision, requisites, note, by.clone()).await?;
        self.shown(id.0, &by, &visitor).await
    }

    /// Lock a claim
    ///
    /// Takes the claim over if a staff member has locked it; the audit log records that. Needs a fresh second factor then
    /// if the claim's money leaves automatically once it is unlocked. With `ifFree` nothing is taken over: 409
    /// `claim_locked`.
    #[oai(path = "/claims/:id/lock", method = "post", operation_id = "lockClaim")]
    async fn lock(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        /// Only if no other staff member has locked it.
        #[oai(name = "ifFree")]
        if_free: Query<Option<bool>>,
    ) -> ApiResult<JsonResponse<ClaimDetails>> {
        let if_free = if_free.0.unwrap_or(false);
        let staff = if if_free { staff.require(CLAIMS_PROCESS)? } else { self.require_lock_access(id.0, &staff).await? };
        self.claims.lock(id.0, staff.clone(), if_free).await?;
        self.shown(id.0, &staff, &visitor).await
    }

    /// Unlock a claim
    ///
    /// Needs `claims.process`, and a fresh second factor if the claim's money leaves automatically then.
    #[oai(path = "/claims/:id/unlock", method = "post", operation_id = "unlockClaim")]
    async fn unlock(&self, staff: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> ApiResult<JsonResponse<ClaimDetails>> {
        let staff = self.require_lock_access(id.0, &staff).await?;
        self.claims.unlock(id.0, staff.clone()).await?;
        self.shown(id.0, &staff, &visitor).await
    }

    /// Add a note to a claim
    ///
    /// Only staff see notes. Needs `claims.process`.
    #[oai(path = "/claims/:id/notes", method = "post", operation_id = "addClaimNote")]
    async fn note(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: JsonBody<AddNoteRequest>,
    ) -> ApiResult<JsonResponse<ClaimDetails>> {
        let staff = staff.require(CLAIMS_PROCESS)?;
        self.claims.add_note(id.0, staff.clone(), &input.0.text).await?;
        self.shown(id.0, &staff, &visitor).await
    }

    /// Download a receipt
    ///
    /// Always sent as an attachment, because customers upload these files.
    #[oai(path = "/claims/:id/receipts/:receipt", method = "get", operation_id = "getClaimReceipt")]
    async fn receipt(&self, staff: StaffAuth, id: Path<Uuid>, receipt: Path<Uuid>) -> ApiResult<PrivateFile> {
        staff.require(CLAIMS_READ)?;
        let (receipt, bytes) = self.claims.receipt(id.0, receipt.0).await?;
        Ok(PrivateFile { name: receipt.name, media_type: receipt.media_type, bytes })
    }

    /// Stream changes
    ///
    /// Server-sent events: `claim` {id}, `reserve` {currencyId}, `market` {}, `tech` {on}; after `all` {} reload
    /// everything.
    #[oai(path = "/live", method = "get", operation_id = "streamChanges")]
    async fn live(&self, staff: StaffAuth) -> ApiResult<LiveEvents<ConsoleEvent>> {
        staff.require(CLAIMS_READ)?;
        Ok(events::follow(&self.claims.platform.events))
    }
}

/// Whether an action belongs to a refund.
fn returns_money(action: Action) -> bool {
    matches!(action, Action::Refund | Action::RefundSent | Action::RefundDone | Action::RefundBounced | Action::PayoutReturned)
}

/// Whether an action may bring a claim to where its payout is due.
fn establishes_payment(action: Action) -> bool {
    matches!(
        action,
        Action::PaymentReceived | Action::AmountMismatch | Action::LatePayment | Action::Recalculate | Action::ReleaseHold
    )
}

/// Whether an action records that money leaves, or decides on a refund.
fn sends_money(action: Action) -> bool {
    matches!(action, Action::PayoutSent | Action::PayoutReturned | Action::Refund | Action::RefundSent)
}

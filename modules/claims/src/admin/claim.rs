//! A claim in full, for the console.

use agio_approvals::ApprovalRequestView;
use agio_contracts::{ClaimState, RefundRoute};
use agio_core::Result;
use agio_core::identity::Staff;
use agio_core::texts::Locale;
use agio_http::{ApiEnum, DateTime, Dec, ExchangeFees, Nullable, body};
use agio_ledger::LedgerTransferRow;
use poem_openapi::Enum;
use serde::Serialize;
use uuid::Uuid;

use super::queue::ClaimSummary;
use crate::Claims;
use crate::api::{ClaimCity, ClaimCustomerTerms, ClaimRate, ClaimReason, ClaimRequisite, rate};
use crate::model::{Action, Actor, Transition, TransitionField, allowed};
use crate::rules::Claim;
use crate::rules::queue::is_destructive;
use crate::rules::terms::agreed;
use crate::service::{ApprovalRequirement, FullClaim, SharedTransaction};
use crate::store::history::ClaimEvent;
use crate::store::receipts::Receipt;

/// The payment details the customer pays to.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimPaymentDetails {
    /// The card, account or address.
    value: String,
    /// The account holder.
    holder: Nullable<String>,
    /// The memo or tag.
    memo: Nullable<String>,
    /// The amount due.
    amount: Dec,
    /// The amount received so far.
    received: Dec,
    /// The assigned requisite.
    pool_id: Nullable<Uuid>,
}

/// A receipt.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ReceiptView {
    /// Identifier.
    id: Uuid,
    /// The name of the file.
    name: String,
    /// Its size in bytes.
    size: i64,
    /// Its media type.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    media_type: String,
    /// When it was uploaded.
    created_at: DateTime,
    /// The SHA-256 of the uploaded file.
    sha256: String,
    /// The number of another claim with the same file.
    repeat_of: Nullable<i64>,
}

impl From<Receipt> for ReceiptView {
    fn from(receipt: Receipt) -> Self {
        Self {
            id: receipt.id,
            name: receipt.name,
            size: receipt.size,
            media_type: receipt.media_type,
            created_at: DateTime(receipt.created_at),
            sha256: receipt.sha256,
            repeat_of: receipt.repeat_of.into(),
        }
    }
}

/// Who made a change.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimEventActor {
    kind: ApiEnum<Actor>,
    /// The name of the member of staff.
    name: Nullable<String>,
}

/// An event in a claim's history.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimEventView {
    /// The time.
    at: DateTime,
    /// Who made it.
    actor: ClaimEventActor,
    /// A transition action, or `note`, `lock`, `unlock`, `terms`, `receipt`, `agreed`, `refund_destination`,
    /// `proof_sent`, `proof_again` or `payment_missing`.
    action: String,
    /// The state before.
    from: Nullable<ApiEnum<ClaimState>>,
    /// The state after.
    to: Nullable<ApiEnum<ClaimState>>,
    /// The reason.
    reason: Nullable<String>,
    /// A note for the staff.
    note: Nullable<String>,
}

impl From<ClaimEvent> for ClaimEventView {
    fn from(event: ClaimEvent) -> Self {
        Self {
            at: DateTime(event.at),
            actor: ClaimEventActor { kind: event.actor.into(), name: event.actor_name.into() },
            action: event.action,
            from: event.from_state.map(ApiEnum).into(),
            to: event.to_state.map(ApiEnum).into(),
            reason: event.reason.into(),
            note: event.note.into(),
        }
    }
}

/// A ledger entry.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimLedgerEntry {
    /// The time.
    at: DateTime,
    /// The batch it belongs to.
    batch: Uuid,
    /// The debited account.
    debit: String,
    /// The credited account.
    credit: String,
    /// The code of the currency.
    currency: String,
    /// The amount.
    amount: Dec,
    /// The action that caused it.
    reason: String,
}

impl ClaimLedgerEntry {
    fn of(claim: &Claim, entry: LedgerTransferRow) -> Self {
        let is_sent = entry.currency_id == claim.give.currency_id();
        let amount = if is_sent { claim.give.of(entry.amount) } else { claim.receive.of(entry.amount) };
        let account = |name: &str| name.split(':').next().unwrap_or_default().to_owned();
        Self {
            at: DateTime(entry.created_at),
            batch: entry.batch_id,
            debit: account(&entry.debit),
            credit: account(&entry.credit),
            currency: if is_sent { claim.give.code.clone() } else { claim.receive.code.clone() },
            amount: Dec(amount.value()),
            reason: entry.reason,
        }
    }
}

/// A transition that is allowed now.
#[body(response)]
#[derive(Clone, Debug)]
pub struct AllowedTransition {
    action: ApiEnum<Action>,
    /// The state it leads to.
    to: ApiEnum<ClaimState>,
    /// The fields it requires.
    needs: Vec<ApiEnum<TransitionField>>,
    /// Whether it acts against the customer, so that the console asks for confirmation.
    danger: bool,
    /// Whether it is the usual next action.
    main: bool,
    /// Whether it needs a second person's approval: calling it creates an approval request.
    consent: bool,
}

impl AllowedTransition {
    fn of(claims: &Claims, claim: &Claim, row: &Transition, consents: &[ApprovalRequirement]) -> Self {
        let is_proposed = consents.iter().any(|consent| consent.is_due && consent.action == row.action);
        let usual = allowed(claim.state, Actor::Operator).next();
        Self {
            action: row.action.into(),
            to: row.destination(claim.stopped_in, claim.ledger_state()).unwrap_or(claim.state).into(),
            needs: claims.required_fields(claim, row, is_proposed).into_iter().map(ApiEnum).collect(),
            danger: is_destructive(row.action),
            main: usual == Some(row) && !is_destructive(row.action),
            consent: is_proposed,
        }
    }
}

/// A refund that a driver can send.
#[body(response)]
#[derive(Clone, Debug)]
pub struct DriverRefundView {
    /// The driver.
    driver: String,
    /// The destination address; null when the customer gave none and the refund is sent manually.
    address: Nullable<String>,
    /// The memo or tag that goes with it.
    memo: Nullable<String>,
    /// The exact amount.
    amount: Dec,
    /// Whether a refund has been requested already.
    under_way: bool,
}

impl DriverRefundView {
    fn of(claims: &Claims, claim: &Claim, way: RefundRoute) -> Result<Self> {
        let (to, memo) = claim.refund_to(&claims.platform.vault)?.map_or((None, None), |to| (Some(to.address), to.memo));
        Ok(Self {
            driver: way.driver,
            address: to.into(),
            memo: memo.into(),
            amount: Dec(claim.balances.held.value()),
            under_way: way.is_under_way,
        })
    }
}

/// The validity of the agreed terms.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimTermsView {
    /// When they end.
    end: DateTime,
    /// Whether they have ended.
    passed: bool,
    /// When the payment was first seen on its network, or made, as staff dated it; null while it is unknown.
    paid_at: Nullable<DateTime>,
    /// The change of the rate since it was agreed, in percent to two places; null when there is no current rate.
    moved_percent: Nullable<Dec>,
    /// Whether a late payment, made when it is dated or else now, keeps the agreed terms: it is at most two hours late
    /// and the move is small enough.
    within_tolerance: bool,
}

impl ClaimTermsView {
    fn of(claims: &Claims, claim: &Claim) -> Result<Option<Self>> {
        let (Some(end), now) = (claim.promised_until(), claims.platform.clock.now()) else { return Ok(None) };
        let moved = claims.rate_move(claim, claim.payment.paid_at.unwrap_or(now), now)?;
        Ok(Some(Self {
            end: DateTime(end),
            passed: now >= end,
            paid_at: claim.payment.paid_at.map(DateTime).into(),
            moved_percent: moved.map(|moved| Dec(moved.percent.round_dp(2))).into(),
            within_tolerance: moved.is_some_and(|moved| moved.is_tolerated),
        }))
    }
}

/// A refund: sent, pending, or what it would be now.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimRefundView {
    /// The amount the customer gets.
    amount: Dec,
    /// The fee kept for the refund.
    fee: Dec,
    /// The code of the currency.
    currency: String,
    /// The destination; empty while it is unknown.
    destination: Vec<ClaimRequisite>,
    /// Whether the destination is missing and must be set first.
    is_missing: bool,
    /// The refund transaction.
    tx: Nullable<String>,
}

impl ClaimRefundView {
    fn of(claims: &Claims, claim: &Claim, locale: Locale) -> Result<Option<Self>> {
        let is_missing = claim.lacks_destination(&claims.platform.vault)?;
        let tx = claim.references.tx_refund.clone().filter(|_| claim.state != ClaimState::RefundPending);
        Ok(claim.refund(&claims.platform.vault)?.map(|refund| Self {
            amount: Dec(refund.amount.value()),
            fee: Dec(refund.fee.value()),
            currency: claim.give.code.clone(),
            destination: ClaimRequisite::all(refund.to, locale, true),
            is_missing,
            tx: tx.into(),
        }))
    }
}

/// Another claim that records a transaction.
#[body(response)]
#[derive(Clone, Debug)]
pub struct SharingClaim {
    /// Identifier.
    id: Uuid,
    /// The short claim number, for people.
    public_id: i64,
}

/// A transaction of a claim that other claims record as well: one may pay several, or was named twice.
#[body(response)]
#[derive(Clone, Debug)]
pub struct SharedTransactionView {
    /// `txIn`, `txOut` or `txRefund` of the claim.
    tx_id: String,
    /// The others that record it as a payment, payout or refund in any currency, the first five.
    claims: Vec<SharingClaim>,
}

impl From<SharedTransaction> for SharedTransactionView {
    fn from(shared: SharedTransaction) -> Self {
        let claims = shared.claims.into_iter().map(|claim| SharingClaim { id: claim.id, public_id: claim.public_id });
        Self { tx_id: shared.tx_id, claims: claims.collect() }
    }
}

/// A part of a claim whose stored value cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Enum)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub enum UnreadableField {
    Terms,
    City,
    Course,
    Bonus,
    RequisitesIn,
    RequisitesOut,
    RequisitesRefund,
}

/// The value of a field; notes the field when it cannot be read.
fn read<T>(unreadable: &mut Vec<UnreadableField>, field: UnreadableField, read: Result<T>) -> Option<T> {
    read.inspect_err(|_| unreadable.push(field)).ok()
}

/// A claim in full.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimDetails {
    /// The claim's summary.
    #[serde(flatten)]
    #[oai(flatten)]
    row: ClaimSummary,
    /// The requisites of the give side.
    requisites_in: Vec<ClaimRequisite>,
    /// The payout requisites.
    requisites_out: Vec<ClaimRequisite>,
    /// The refund requisites.
    requisites_refund: Vec<ClaimRequisite>,
    /// The fields whose stored values cannot be read. They are empty or null here, and the claim is on hold.
    unreadable: Vec<UnreadableField>,
    /// The refund, or what it would be now; null when there is nothing to refund.
    returned: Nullable<ClaimRefundView>,
    /// What arrived beyond the agreed amount and is returned after the exchange; null when the customer did not choose it.
    surplus: Nullable<Dec>,
    /// Where cash changes hands; null without cash.
    city: Nullable<ClaimCity>,
    /// The payment details the customer pays to.
    payment: Nullable<ClaimPaymentDetails>,
    /// The verification it waits for, or its last one.
    verification: Nullable<Uuid>,
    /// The partner; null for a claim made on the site.
    partner_id: Nullable<Uuid>,
    /// The partner's reference.
    partner_reference: Nullable<String>,
    /// The receipts.
    receipts: Vec<ReceiptView>,
    /// The rate: units received for one unit given.
    course: Nullable<Dec>,
    /// The bonus included in the rate, in percent.
    bonus: Nullable<Dec>,
    /// The promo code the claim uses.
    promo: Nullable<String>,
    /// The fees.
    fees: Nullable<ExchangeFees>,
    /// The rate and its sources.
    rate: Nullable<ClaimRate>,
    /// Why it was put on hold or rejected.
    reason: Nullable<ClaimReason>,
    /// The time by which the customer gets an answer.
    answer_by: Nullable<DateTime>,
    /// When the current state times out.
    expires_at: Nullable<DateTime>,
    /// The validity of the agreed terms; null with a floating rate.
    terms: Nullable<ClaimTermsView>,
    /// Terms of the direction that the customer accepted, or has to accept with the confirmation. Null for none.
    customer_terms: Nullable<ClaimCustomerTerms>,
    /// The payment transaction.
    tx_in: Nullable<String>,
    /// The payout transaction.
    tx_out: Nullable<String>,
    /// The refund transaction.
    tx_refund: Nullable<String>,
    /// Those of these transactions that other claims record as well.
    shared_transactions: Vec<SharedTransactionView>,
    /// The history, the oldest event first.
    timeline: Vec<ClaimEventView>,
    /// The ledger entries, the oldest first.
    ledger: Vec<ClaimLedgerEntry>,
    /// The allowed transitions, the usual next one first.
    transitions: Vec<AllowedTransition>,
    /// The newest approval request for its next payment, or for the end of its hold, when that needs approval.
    consent: Nullable<ApprovalRequestView>,
    /// The refund its driver can send now; null when there is none, or it is sent manually.
    refund: Nullable<DriverRefundView>,
}

impl ClaimDetails {
    pub fn of(claims: &Claims, whole: FullClaim, staff: &Staff, locale: Locale) -> Self {
        let FullClaim { claim, shared_transactions, receipts, history, entries, transitions, consents, refund, customer_terms } =
            whole;
        let (vault, mut unreadable) = (&claims.platform.vault, Vec::new());
        let refund = read(
            &mut unreadable,
            UnreadableField::RequisitesRefund,
            refund.map(|way| DriverRefundView::of(claims, &claim, way)).transpose(),
        )
        .flatten();
        let returned =
            read(&mut unreadable, UnreadableField::RequisitesRefund, ClaimRefundView::of(claims, &claim, locale)).flatten();
        let mut shown = |field, requisites| {
            let requisites = read(&mut unreadable, field, requisites).unwrap_or_default();
            ClaimRequisite::all(requisites, locale, true)
        };
        let requisites_in = shown(UnreadableField::RequisitesIn, claim.give_requisites(vault));
        let requisites_out = shown(UnreadableField::RequisitesOut, claim.receive_requisites(vault));
        let requisites_refund =
            shown(UnreadableField::RequisitesRefund, claim.refund_requisites(vault).map(Option::unwrap_or_default));
        let course = read(&mut unreadable, UnreadableField::Course, claim.rate()).map(Dec);
        let bonus = read(&mut unreadable, UnreadableField::Bonus, claim.bonus()).map(Dec);
        let fees = read(&mut unreadable, UnreadableField::Terms, agreed(&claim).map(|terms| terms.fees.into()));
        let rate = read(&mut unreadable, UnreadableField::Terms, rate(claims, &claim, locale));
        let terms = read(&mut unreadable, UnreadableField::Terms, ClaimTermsView::of(claims, &claim)).flatten();
        let city = read(&mut unreadable, UnreadableField::City, ClaimCity::of(&claim, locale)).flatten();
        unreadable.dedup();
        let payment = claim.payment.value.clone().map(|value| ClaimPaymentDetails {
            value,
            holder: claim.payment.holder.clone().into(),
            memo: claim.payment.memo.clone().into(),
            amount: Dec(claim.give.amount.value()),
            received: Dec(claim.balances.received.value()),
            pool_id: claim.payment.requisite_id.into(),
        });
        Self {
            row: ClaimSummary::of(claims, &claim, locale),
            requisites_in,
            requisites_out,
            requisites_refund,
            unreadable,
            returned: returned.into(),
            surplus: Nullable(
                Some(claim.balances.surplus).filter(|surplus| surplus.units() > 0).map(|surplus| Dec(surplus.value())),
            ),
            city: city.into(),
            payment: payment.into(),
            refund: refund.into(),
            verification: claim.references.verification_id.into(),
            partner_id: claim.references.partner_id.into(),
            partner_reference: claim.references.partner_ref.clone().into(),
            receipts: receipts.into_iter().map(ReceiptView::from).collect(),
            course: course.into(),
            bonus: bonus.into(),
            promo: Nullable(claim.references.promo.clone()),
            fees: fees.into(),
            rate: rate.into(),
            reason: ClaimReason::of(claims, &claim, locale),
            answer_by: claim.progress.answer_by.map(DateTime).into(),
            expires_at: claim.progress.expires_at.map(DateTime).into(),
            terms: terms.into(),
            customer_terms: Nullable(customer_terms.as_ref().map(|terms| ClaimCustomerTerms::of(terms, locale))),
            tx_in: claim.references.tx_in.clone().into(),
            tx_out: claim.references.tx_out.clone().into(),
            tx_refund: claim.references.tx_refund.clone().into(),
            shared_transactions: shared_transactions.into_iter().map(SharedTransactionView::from).collect(),
            timeline: history.into_iter().map(ClaimEventView::from).collect(),
            ledger: entries.into_iter().map(|entry| ClaimLedgerEntry::of(&claim, entry)).collect(),
            transitions: transitions.into_iter().map(|row| AllowedTransition::of(claims, &claim, row, &consents)).collect(),
            consent: consents
                .into_iter()
                .find_map(|consent| consent.newest)
                .map(|newest| claims.approvals.show(newest, staff, locale))
                .into(),
        }
    }
}

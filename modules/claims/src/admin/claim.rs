//! A claim with everything about it, as the console is shown it.

use agio_approvals::Approval;
use agio_core::Result;
use agio_core::identity::Staff;
use agio_core::needs::RefundWay;
use agio_core::texts::Locale;
use agio_http::{Dec, Moment, Null};
use agio_ledger::EntryRow;
use poem_openapi::Object;
use serde::Serialize;
use uuid::Uuid;

use super::list::DeskClaimRow;
use crate::Claims;
use crate::api::{ClaimFees, ClaimRate, ClaimReason, ClaimRequisite, rate};
use crate::model::{Actor, State, Transition, allowed};
use crate::rules::Claim;
use crate::rules::desk::is_danger;
use crate::service::{Consent, Whole};
use crate::store::history::Event;
use crate::store::receipts::Receipt;

/// Where the customer pays.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskPayment {
    /// The card, account or address.
    value: String,
    /// Who holds it.
    holder: Null<String>,
    /// The memo or tag.
    memo: Null<String>,
    /// What is to come.
    amount: Dec,
    /// What has come so far.
    received: Dec,
    /// The requisite of the pool.
    pool_id: Null<Uuid>,
}

/// A receipt.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskReceipt {
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
    /// When it came.
    created_at: Moment,
    /// Digest of the file as it was sent.
    sha256: String,
    /// The number of another claim that has the same file.
    repeat_of: Null<i64>,
}

impl From<Receipt> for DeskReceipt {
    fn from(receipt: Receipt) -> Self {
        Self {
            id: receipt.id,
            name: receipt.name,
            size: receipt.size,
            media_type: receipt.media_type,
            created_at: Moment(receipt.created_at),
            sha256: receipt.sha256,
            repeat_of: receipt.repeat_of.into(),
        }
    }
}

/// Who made a step.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskActor {
    /// `customer`, `operator`, `timer`, `system` or `watcher`.
    kind: String,
    /// The name of the member of staff.
    name: Null<String>,
}

/// A step of the history.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskStep {
    /// When.
    at: Moment,
    /// Who.
    actor: DeskActor,
    /// What: an action, or `note`, `lock`, `unlock`, `terms`, `receipt`, `agreed`, `refund_destination`.
    action: String,
    /// The state before.
    from: Null<String>,
    /// The state after.
    to: Null<String>,
    /// Why.
    reason: Null<String>,
    /// A remark for the staff.
    note: Null<String>,
}

impl From<Event> for DeskStep {
    fn from(event: Event) -> Self {
        Self {
            at: Moment(event.at),
            actor: DeskActor { kind: event.actor.name().to_owned(), name: event.actor_name.into() },
            action: event.action,
            from: event.from_state.map(|state| state.name().to_owned()).into(),
            to: event.to_state.map(|state| state.name().to_owned()).into(),
            reason: event.reason.into(),
            note: event.note.into(),
        }
    }
}

/// An entry of the books.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskEntry {
    /// When.
    at: Moment,
    /// The batch it belongs to.
    batch: Uuid,
    /// The account it left.
    debit: String,
    /// The account it reached.
    credit: String,
    /// The code of the currency.
    currency: String,
    /// How much.
    amount: Dec,
    /// Why: the action that wrote it.
    reason: String,
}

impl DeskEntry {
    fn of(claim: &Claim, entry: EntryRow) -> Self {
        let is_sent = entry.currency_id == claim.from_id;
        let amount = if is_sent { claim.sent(entry.amount) } else { claim.received(entry.amount) };
        let account = |name: &str| name.split(':').next().unwrap_or_default().to_owned();
        Self {
            at: Moment(entry.created_at),
            batch: entry.batch_id,
            debit: account(&entry.debit),
            credit: account(&entry.credit),
            currency: if is_sent { claim.from_code.clone() } else { claim.to_code.clone() },
            amount: Dec(amount.value()),
            reason: entry.reason,
        }
    }
}

/// A step an operator may make now.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskMove {
    /// Its name.
    action: String,
    /// The state it leads to.
    to: String,
    /// What must be said with it: `reason`, `answerBy`, `txId`, `note`, `amount`, `terms`.
    needs: Vec<String>,
    /// Whether it takes something from the customer.
    danger: bool,
    /// Whether it is the usual next step.
    main: bool,
    /// Whether a colleague has to agree first: making the step proposes it.
    consent: bool,
}

impl DeskMove {
    fn of(claim: &Claim, row: &Transition, consent: Option<&Consent>) -> Self {
        let is_proposed = consent.is_some_and(|consent| consent.is_due && consent.action == row.action);
        let usual = allowed(claim.state, Actor::Operator).next();
        Self {
            action: row.action.name().to_owned(),
            to: row.destination(claim.stopped_in).map_or("", |state| state.name()).to_owned(),
            // What is to be said of a payment that has left is said once it may leave.
            needs: row.needs.iter().filter(|_| !is_proposed).map(|need| need.name().to_owned()).collect(),
            danger: is_danger(row.action),
            main: usual == Some(row) && !is_danger(row.action),
            consent: is_proposed,
        }
    }
}

/// A refund that a driver can send.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskRefund {
    /// The driver.
    driver: String,
    /// Where it goes; null where the customer gave no address: then it is sent by hand.
    address: Null<String>,
    /// The memo or tag that goes with it.
    memo: Null<String>,
    /// How much, exactly.
    amount: Dec,
    /// Whether it was asked for already.
    under_way: bool,
}

impl DeskRefund {
    fn of(claims: &Claims, claim: &Claim, way: RefundWay) -> Result<Self> {
        let (to, memo) = claim.refund_to(&claims.platform.vault)?.map_or((None, None), |to| (Some(to.address), to.memo));
        Ok(Self {
            driver: way.driver,
            address: to.into(),
            memo: memo.into(),
            amount: Dec(claim.sent(claim.in_units).value()),
            under_way: way.is_under_way,
        })
    }
}

/// The agreed terms in time.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskTerms {
    /// From when on they hold no longer.
    end: Moment,
    /// Whether that has passed.
    passed: bool,
    /// When the payment was first seen on its network, or made as staff dated it; null while nothing is known of it.
    paid_at: Null<Moment>,
    /// By how many percent the present rate is above the agreed one, negative if it is below, to two places; null where no rate can be had now.
    moved_percent: Null<Dec>,
    /// Whether that is within the tolerance by which a late payment is exchanged as agreed.
    within_tolerance: bool,
}

impl DeskTerms {
    fn of(claims: &Claims, claim: &Claim) -> Result<Option<Self>> {
        let (Some(end), now) = (claim.promised_until(), claims.platform.clock.now()) else { return Ok(None) };
        let moved = claims.rate_move(claim, now)?;
        Ok(Some(Self {
            end: Moment(end),
            passed: now >= end,
            paid_at: claim.paid_at.map(Moment).into(),
            moved_percent: moved.map(|moved| Dec(moved.percent.round_dp(2))).into(),
            within_tolerance: moved.is_some_and(|moved| moved.is_tolerated),
        }))
    }
}

/// What of the payment goes back, went back, or would if that were decided now.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskReturn {
    /// What the customer gets.
    amount: Dec,
    /// What is kept of the payment for sending it back.
    fee: Dec,
    /// The code of the currency.
    currency: String,
    /// Where it goes; empty while nobody said.
    destination: Vec<ClaimRequisite>,
    /// Whether it cannot be sent before somebody says where to.
    is_missing: bool,
    /// The transaction it left in.
    tx: Null<String>,
}

impl DeskReturn {
    fn of(claims: &Claims, claim: &Claim, locale: Locale) -> Result<Option<Self>> {
        let is_missing = claim.lacks_destination(&claims.platform.vault)?;
        let tx = claim.tx_refund.clone().filter(|_| claim.state != State::RefundPending);
        Ok(claim.refund(&claims.platform.vault)?.map(|refund| Self {
            amount: Dec(refund.amount.value()),
            fee: Dec(refund.fee.value()),
            currency: claim.from_code.clone(),
            destination: ClaimRequisite::all(refund.to, locale, true),
            is_missing,
            tx: tx.into(),
        }))
    }
}

/// What can be read of a claim; what cannot is named.
fn read<T>(unreadable: &mut Vec<&'static str>, name: &'static str, read: Result<T>) -> Option<T> {
    read.inspect_err(|_| unreadable.push(name)).ok()
}

/// A claim with everything about it.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskClaim {
    /// The claim in a line.
    #[serde(flatten)]
    #[oai(flatten)]
    row: DeskClaimRow,
    /// Requisites given for the sent side.
    requisites_in: Vec<ClaimRequisite>,
    /// Requisites to pay out to.
    requisites_out: Vec<ClaimRequisite>,
    /// Requisites to return the payment to.
    requisites_refund: Vec<ClaimRequisite>,
    /// What is stored with the claim and cannot be read, and is shown as nothing or as null: `terms`, `course`, `bonus`,
    /// `requisitesIn`, `requisitesOut`, `requisitesRefund`. Such a claim is stopped.
    unreadable: Vec<String>,
    /// What of the payment goes back, or would; null where there is nothing to return.
    returned: Null<DeskReturn>,
    /// Where the customer pays.
    payment: Null<DeskPayment>,
    /// The verification it waits for, or waited for last.
    verification: Null<Uuid>,
    /// The partner it was made through; null where the customer made it on the site.
    partner_id: Null<Uuid>,
    /// The partner's own name for it.
    partner_reference: Null<String>,
    /// The receipts.
    receipts: Vec<DeskReceipt>,
    /// Units received for one unit sent.
    course: Null<Dec>,
    /// Percent of bonus in the course; the rate's explanation says what it is given for.
    bonus: Null<Dec>,
    /// The promo code the claim uses; null without one.
    promo: Null<String>,
    /// The fees.
    fees: Null<ClaimFees>,
    /// The rate and where it comes from.
    rate: Null<ClaimRate>,
    /// Why it was stopped or refused.
    reason: Null<ClaimReason>,
    /// By when the customer has an answer.
    answer_by: Null<Moment>,
    /// When the present state ends by itself.
    expires_at: Null<Moment>,
    /// The agreed terms in time; null where the rate is that of the payment.
    terms: Null<DeskTerms>,
    /// The customer's payment.
    tx_in: Null<String>,
    /// The payout.
    tx_out: Null<String>,
    /// The returned payment.
    tx_refund: Null<String>,
    /// What happened, the oldest first.
    timeline: Vec<DeskStep>,
    /// The entries of the books, the oldest first.
    ledger: Vec<DeskEntry>,
    /// What may be done now, the usual next step first.
    transitions: Vec<DeskMove>,
    /// The newest proposal of its next payment, where a colleague has to agree to that.
    consent: Null<Approval>,
    /// The refund that its driver can send now; null where there is none to be sent, or only by hand.
    refund: Null<DeskRefund>,
}

impl DeskClaim {
    /// A claim as the console shows it.
    pub fn of(claims: &Claims, whole: Whole, staff: &Staff, locale: Locale) -> Self {
        let Whole { claim, receipts, history, entries, transitions, consent, refund } = whole;
        let (vault, mut unreadable) = (&claims.platform.vault, Vec::new());
        let refund = read(&mut unreadable, "requisitesRefund", refund.map(|way| DeskRefund::of(claims, &claim, way)).transpose())
            .flatten();
        let returned = read(&mut unreadable, "requisitesRefund", DeskReturn::of(claims, &claim, locale)).flatten();
        let mut shown = |name, requisites| {
            let requisites = read(&mut unreadable, name, requisites).unwrap_or_default();
            ClaimRequisite::all(requisites, locale, true)
        };
        let requisites_in = shown("requisitesIn", claim.from_requisites(vault));
        let requisites_out = shown("requisitesOut", claim.to_requisites(vault));
        let requisites_refund = shown("requisitesRefund", claim.refund_requisites(vault).map(Option::unwrap_or_default));
        let course = read(&mut unreadable, "course", claim.course()).map(Dec);
        let bonus = read(&mut unreadable, "bonus", claim.bonus()).map(Dec);
        let fees = read(&mut unreadable, "terms", ClaimFees::of(&claim));
        let rate = read(&mut unreadable, "terms", rate(claims, &claim, locale));
        let terms = read(&mut unreadable, "terms", DeskTerms::of(claims, &claim)).flatten();
        unreadable.dedup();
        let payment = claim.payment_value.clone().map(|value| DeskPayment {
            value,
            holder: claim.payment_holder.clone().into(),
            memo: claim.payment_memo.clone().into(),
            amount: Dec(claim.send().value()),
            received: Dec(claim.sent(claim.received_units).value()),
            pool_id: claim.requisite_id.into(),
        });
        Self {
            row: DeskClaimRow::of(claims, &claim, locale),
            requisites_in,
            requisites_out,
            requisites_refund,
            unreadable: unreadable.into_iter().map(str::to_owned).collect(),
            returned: returned.into(),
            payment: payment.into(),
            refund: refund.into(),
            verification: claim.verification_id.into(),
            partner_id: claim.partner_id.into(),
            partner_reference: claim.partner_ref.clone().into(),
            receipts: receipts.into_iter().map(DeskReceipt::from).collect(),
            course: course.into(),
            bonus: bonus.into(),
            promo: Null(claim.promo.clone()),
            fees: fees.into(),
            rate: rate.into(),
            reason: ClaimReason::of(claims, &claim, locale),
            answer_by: claim.answer_by.map(Moment).into(),
            expires_at: claim.expires_at.map(Moment).into(),
            terms: terms.into(),
            tx_in: claim.tx_in.clone().into(),
            tx_out: claim.tx_out.clone().into(),
            tx_refund: claim.tx_refund.clone().into(),
            timeline: history.into_iter().map(DeskStep::from).collect(),
            ledger: entries.into_iter().map(|entry| DeskEntry::of(&claim, entry)).collect(),
            transitions: transitions.into_iter().map(|row| DeskMove::of(&claim, row, consent.as_ref())).collect(),
            consent: consent.and_then(|consent| consent.newest).map(|newest| claims.approvals.show(newest, staff, locale)).into(),
        }
    }
}

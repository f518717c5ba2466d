//! Payment details and status of a claim.

use agio_contracts::{ClaimState, ConfirmationCount, CurrencyInfo, CustomerAction, PublicClaimStatus};
use agio_core::Result;
use agio_core::texts::Locale;
use agio_http::{ApiEnum, DateTime, Dec, Nullable, body};
use agio_requisites::RequisiteKind;
use uuid::Uuid;

use super::moment;
use crate::Claims;
use crate::rules::payment::{address_kind, explorer_link, memo_kind, shows_payment_details};
use crate::rules::refund::masked;
use crate::rules::{Claim, OfferedAmount};
use crate::service::ClaimTimeline;

/// The payment details the customer pays to.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimPaymentView {
    /// The card, account or address; with a page, the number of the invoice.
    value: String,
    /// The account holder.
    holder: Nullable<String>,
    /// The memo or tag. A payment without it is lost.
    memo: Nullable<String>,
    /// What the network calls it: `memo` or `tag`; null without one.
    memo_kind: Nullable<ApiEnum<RequisiteKind>>,
    /// The exact amount.
    amount: Dec,
    /// The code of the currency.
    currency: String,
    /// Its network or payment system.
    network: String,
    /// The kind of requisite.
    kind: ApiEnum<RequisiteKind>,
    /// The payment URI, for the QR code.
    payment_uri: String,
    /// The page of a bank or merchant on which the customer pays instead of making a transfer.
    page: Nullable<String>,
    /// Until when the payment must be detected to get the agreed rate; with a floating rate, until when the claim
    /// waits for it.
    expires_at: Nullable<DateTime>,
}

impl ClaimPaymentView {
    /// `None` while the customer must not pay.
    pub fn of(claims: &Claims, claim: &Claim, locale: Locale) -> Option<Self> {
        let value = claim.payment.value.clone().filter(|_| shows_payment_details(claim.state))?;
        let currency = claims.currency(claim.give.currency_id(), &claim.give.code);
        let kind = address_kind(&currency).unwrap_or(RequisiteKind::Text);
        // The stored place of cash is in the customer's language, and this answer may be in another.
        let place = |language| claims.meeting_place(claim, language).ok().flatten();
        let value = if place(claim.locale()).as_ref() == Some(&value) { place(locale).unwrap_or(value) } else { value };
        Some(Self {
            payment_uri: claim.payment_uri(&currency, &value),
            value,
            holder: claim.payment.holder.clone().into(),
            memo: claim.payment.memo.clone().into(),
            memo_kind: Nullable(claim.payment.memo.as_ref().map(|_| memo_kind(&currency).into())),
            amount: Dec(claim.give.amount.value()),
            currency: currency.code.clone(),
            network: currency.network.get(locale).to_owned(),
            kind: kind.into(),
            page: claim.payment.page.clone().into(),
            expires_at: moment(claim.pay_until()),
        })
    }
}

/// Why a claim was put on hold or rejected.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimReason {
    /// A stable code, or `other` for a free text.
    pub code: String,
    /// The reason, for people.
    pub text: String,
}

impl ClaimReason {
    /// The reason of a claim in a language.
    pub fn of(claims: &Claims, claim: &Claim, locale: Locale) -> Nullable<Self> {
        let reason = claim.progress.reason.as_ref().map(|reason| Self {
            code: if claims.is_reason_code(reason) { reason.clone() } else { "other".to_owned() },
            text: claims.reason_text(reason, locale),
        });
        reason.into()
    }
}

/// A transaction.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimTransaction {
    /// Its identifier on the network, or the bank's reference.
    id: String,
    /// The block explorer's page.
    url: Nullable<String>,
}

impl ClaimTransaction {
    fn of(currency: &CurrencyInfo, id: Option<&String>) -> Nullable<Self> {
        id.map(|id| Self::named(currency, id)).into()
    }

    fn named(currency: &CurrencyInfo, id: &str) -> Self {
        Self { id: id.to_owned(), url: explorer_link(currency, id).into() }
    }
}

/// New terms that the customer can accept.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimOffer {
    /// The amount that is exchanged: what arrived, or with a surplus the agreed amount.
    from_summa: Dec,
    /// The receive amount for it.
    to_summa: Dec,
    /// The rate: units received for one unit given.
    course: Dec,
    /// Until when the terms are valid. Later they are recalculated.
    expires_at: DateTime,
}

/// A refund.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimRefundStatus {
    /// The amount the customer gets, or would get with a refund.
    amount: Dec,
    /// The code of the currency.
    currency: String,
    /// The fee kept for the refund.
    fee: Dec,
    /// The masked destination; null while it is unknown.
    destination: Nullable<String>,
    /// The refund transaction.
    tx: Nullable<ClaimTransaction>,
}

impl ClaimOffer {
    fn of(claim: &Claim, amount: OfferedAmount) -> Result<Nullable<Self>> {
        let offer = claim.open_offer(amount)?.map(|(offer, rate)| Self {
            from_summa: Dec(claim.give.of(offer.give_units).value()),
            to_summa: Dec(claim.receive.of(offer.receive_units).value()),
            course: Dec(rate),
            expires_at: DateTime(offer.expires_at),
        });
        Ok(offer.into())
    }
}

/// What arrived beyond the agreed amount. It can be returned while the agreed amount is exchanged.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimSurplus {
    /// The amount the customer gets back.
    amount: Dec,
    /// The code of the currency.
    currency: String,
    /// The fee kept for sending it.
    fee: Dec,
    /// Whether sending it would cost more than it is worth. Then it is not offered.
    too_small: bool,
    /// The terms for the agreed amount; null once the customer has chosen, and while there are none.
    offer: Nullable<ClaimOffer>,
    /// The masked destination; null until the customer has chosen.
    destination: Nullable<String>,
}

impl ClaimSurplus {
    fn of(claims: &Claims, claim: &Claim) -> Result<Nullable<Self>> {
        let Some(surplus) = claims.surplus(claim)? else { return Ok(Nullable(None)) };
        let is_chosen = claim.balances.surplus.units() > 0;
        let destination = if is_chosen { masked(&claim.returns_to(&claims.platform.vault)?) } else { None };
        Ok(Nullable(Some(Self {
            amount: Dec(surplus.amount.value()),
            currency: claim.give.code.clone(),
            fee: Dec(surplus.fee.value()),
            too_small: surplus.is_too_small,
            offer: ClaimOffer::of(claim, OfferedAmount::Agreed)?,
            destination: destination.into(),
        })))
    }
}

/// A payout that has arrived in part.
#[body(response)]
#[derive(Clone, Debug)]
pub struct PartialPayout {
    /// The amount that has arrived.
    paid: Dec,
    /// The rest of the payout.
    left: Dec,
    /// The code of the currency.
    currency: String,
}

impl PartialPayout {
    pub fn of(claim: &Claim) -> Nullable<Self> {
        let shown = claim.paid_out().map(|(paid, left)| Self {
            paid: Dec(paid.value()),
            left: Dec(left.value()),
            currency: claim.receive.code.clone(),
        });
        shown.into()
    }
}

/// A transfer of a payout that was made in parts.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimPayoutPart {
    /// The amount that arrived with it, or the rest of the payout.
    amount: Dec,
    tx: ClaimTransaction,
    /// When it was sent.
    at: DateTime,
}

/// A state a claim entered.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimStep {
    status: ApiEnum<ClaimState>,
    /// When it entered the state.
    at: DateTime,
}

/// How long a step takes, measured on the completed claims of the direction.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimWaitingTime {
    /// When the step began.
    since: DateTime,
    /// Seconds within which half of the claims were done.
    median_seconds: u64,
    /// Seconds within which nine of ten claims were done.
    usual_seconds: u64,
}

/// The status of a claim.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimStatus {
    /// Identifier.
    id: Uuid,
    /// The short claim number, for people.
    public_id: i64,
    status: ApiEnum<ClaimState>,
    /// The same in the terms that exchange services share.
    public_status: ApiEnum<PublicClaimStatus>,
    /// Whether the state is final.
    is_final: bool,
    /// Why it was put on hold or rejected.
    reason: Nullable<ClaimReason>,
    /// The time by which the customer gets an answer.
    answer_by: Nullable<DateTime>,
    /// The confirmations of the payment, when the network counts them.
    confirmations: Nullable<u32>,
    /// The number of confirmations required.
    confirmations_required: Nullable<u32>,
    /// The amount received so far; null before the first payment.
    received: Nullable<Dec>,
    /// The payment transaction.
    tx_in: Nullable<ClaimTransaction>,
    /// The payout transaction.
    tx_out: Nullable<ClaimTransaction>,
    /// What the customer says to collect cash; null for anybody but the owner, and while there is nothing to collect.
    meeting_code: Nullable<String>,
    /// The part of the payout that has arrived; null unless only a part has.
    paid_out: Nullable<PartialPayout>,
    /// The transfers of a payout that was made in parts, the oldest first; empty for any other.
    payouts: Vec<ClaimPayoutPart>,
    /// The refund: sent, pending, or what the customer would get; null when there is none.
    refund: Nullable<ClaimRefundStatus>,
    /// The verification the claim waits for; null in every other state.
    verification: Nullable<Uuid>,
    /// What the customer can do now.
    actions: Vec<ApiEnum<CustomerAction>>,
    /// New terms that the customer can accept.
    offer: Nullable<ClaimOffer>,
    /// What arrived beyond the agreed amount: to be chosen about, or to be returned; null when there is none.
    surplus: Nullable<ClaimSurplus>,
    /// When it was last changed.
    updated_at: DateTime,
    /// When the current state times out.
    expires_at: Nullable<DateTime>,
    /// When the agreed rate ends. A payment first seen then or later is late. Null with a floating rate.
    terms_end: Nullable<DateTime>,
    /// In `payment_claimed`: when the claim expires without a transaction or a receipt; null when it does not expire.
    claim_ends_at: Nullable<DateTime>,
    /// In `payment_claimed`: whether the customer has been warned that the payment has not been found.
    payment_missing: bool,
    /// The states the claim entered, the oldest first, the present one last.
    steps: Vec<ClaimStep>,
    /// How long the present step takes in this direction; null where the customer does not wait, or too few claims
    /// were completed.
    waiting: Nullable<ClaimWaitingTime>,
}

impl ClaimStatus {
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn of(
        claims: &Claims,
        claim: &Claim,
        counted: Option<ConfirmationCount>,
        timeline: ClaimTimeline,
        locale: Locale,
        is_owner: bool,
    ) -> Result<Self> {
        let waiting = timeline.waiting.map(|(since, time)| ClaimWaitingTime {
            since: DateTime(since),
            median_seconds: time.median.as_secs(),
            usual_seconds: time.usual.as_secs(),
        });
        let steps = timeline.states.into_iter();
        let from = claims.currency(claim.give.currency_id(), &claim.give.code);
        let to = claims.currency(claim.receive.currency_id(), &claim.receive.code);
        let payouts = timeline.payouts.iter().map(|part| ClaimPayoutPart {
            amount: Dec(claim.receive.of(part.units).value()),
            tx: ClaimTransaction::named(&to, &part.tx_id),
            at: DateTime(part.sent_at),
        });
        let refund = claim.shown_refund(&claims.platform.vault)?.map(|refund| ClaimRefundStatus {
            amount: Dec(refund.amount.value()),
            currency: claim.give.code.clone(),
            fee: Dec(refund.fee.value()),
            destination: refund.masked().into(),
            // A returned refund is not the one that will be sent.
            tx: ClaimTransaction::of(
                &from,
                claim.references.tx_refund.as_ref().filter(|_| claim.state != ClaimState::RefundPending),
            ),
        });
        let reported_until = claim.progress.expires_at.filter(|_| claim.state == ClaimState::PaymentClaimed);
        Ok(Self {
            id: claim.id,
            public_id: claim.public_id,
            status: claim.state.into(),
            public_status: claim.public_status().into(),
            is_final: claim.state.is_final(),
            reason: ClaimReason::of(claims, claim, locale),
            answer_by: moment(claim.progress.answer_by),
            confirmations: Nullable(counted.map(|counted| counted.confirmations)),
            confirmations_required: Nullable(counted.map(|counted| counted.required)),
            received: Nullable((claim.balances.received.units() > 0).then(|| Dec(claim.balances.received.value()))),
            tx_in: ClaimTransaction::of(&from, claim.references.tx_in.as_ref()),
            tx_out: ClaimTransaction::of(&to, claim.references.tx_out.as_ref()),
            meeting_code: Nullable(claims.meeting_code(claim).filter(|_| is_owner)),
            paid_out: PartialPayout::of(claim),
            payouts: payouts.collect(),
            refund: refund.into(),
            verification: Nullable(claim.references.verification_id.filter(|_| claim.state == ClaimState::Verification)),
            actions: claims.actions(claim, is_owner)?.into_iter().map(ApiEnum).collect(),
            offer: ClaimOffer::of(claim, OfferedAmount::Received)?,
            surplus: ClaimSurplus::of(claims, claim)?,
            updated_at: DateTime(claim.updated_at),
            expires_at: moment(claim.progress.expires_at),
            terms_end: moment(claim.promised_until()),
            claim_ends_at: moment(reported_until),
            payment_missing: reported_until.is_some() && claim.progress.warn_at.is_none(),
            steps: steps.map(|step| ClaimStep { status: step.state.into(), at: DateTime(step.at) }).collect(),
            waiting: waiting.into(),
        })
    }
}

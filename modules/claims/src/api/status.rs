//! Where to pay and where a claim stands, as a page is shown it.

use agio_core::Result;
use agio_core::needs::{Counted, CurrencyFacts};
use agio_core::texts::Locale;
use agio_http::{Dec, Moment, Null};
use agio_requisites::Kind;
use poem_openapi::Object;
use serde::Serialize;
use uuid::Uuid;

use super::moment;
use crate::Claims;
use crate::model::{State, public_status};
use crate::rules::Claim;
use crate::rules::payment::{address_kind, explorer_link, is_payable, payment_uri};

/// Where the customer pays.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct ClaimPayment {
    /// The card, account or address.
    value: String,
    /// Who holds it.
    holder: Null<String>,
    /// The memo or tag without which the payment is lost.
    memo: Null<String>,
    /// The exact amount.
    amount: Dec,
    /// The code of the currency.
    currency: String,
    /// Its network or payment system.
    network: String,
    /// What the value is: a kind of requisite.
    kind: String,
    /// The text of the QR code.
    payment_uri: String,
    /// Until when the payment must be seen for the agreed rate; for a floating rate, until when it is waited for.
    expires_at: Null<Moment>,
}

impl ClaimPayment {
    /// Where the customer pays; nothing where they should not pay now.
    pub fn of(claims: &Claims, claim: &Claim, locale: Locale) -> Option<Self> {
        let value = claim.payment_value.clone().filter(|_| is_payable(claim.state))?;
        let currency = claims.currency(claim.from_id, &claim.from_code);
        let kind = address_kind(&currency).unwrap_or(Kind::Text);
        Some(Self {
            payment_uri: payment_uri(&currency, &value, claim.payment_memo.as_deref(), claim.send()),
            value,
            holder: claim.payment_holder.clone().into(),
            memo: claim.payment_memo.clone().into(),
            amount: Dec(claim.send().value()),
            currency: currency.code.clone(),
            network: currency.network.get(locale).to_owned(),
            kind: kind.name().to_owned(),
            expires_at: moment(claim.promised_until().or(claim.expires_at)),
        })
    }
}

/// Why a claim was stopped or refused.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct ClaimReason {
    /// A stable code, or `other`.
    pub code: String,
    /// The reason in words.
    pub text: String,
}

impl ClaimReason {
    /// The reason of a claim in a language.
    pub fn of(claims: &Claims, claim: &Claim, locale: Locale) -> Null<Self> {
        let reason = claim.reason.as_ref().map(|reason| Self {
            code: if claims.is_reason_code(reason) { reason.clone() } else { "other".to_owned() },
            text: claims.reason_text(reason, locale),
        });
        reason.into()
    }
}

/// A transaction.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct ClaimTransaction {
    /// Its identifier on the network, or the bank's reference.
    id: String,
    /// Where it can be looked up.
    url: Null<String>,
}

impl ClaimTransaction {
    fn of(currency: &CurrencyFacts, id: Option<&String>) -> Null<Self> {
        id.map(|id| Self { id: id.clone(), url: explorer_link(currency, id).into() }).into()
    }
}

/// New terms that wait for the customer's word.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct ClaimOffer {
    /// What came.
    from_summa: Dec,
    /// What is received for it.
    to_summa: Dec,
    /// Units received for one unit sent.
    course: Dec,
    /// Until when the terms hold; later they are made anew.
    expires_at: Moment,
}

/// Money that goes back, in the states in which it may or does.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct ClaimReturn {
    /// What the customer gets: while they still choose, what they would get.
    amount: Dec,
    /// The code of the currency.
    currency: String,
    /// What is kept of the payment for sending it back.
    fee: Dec,
    /// Where it goes, masked; null while nobody said.
    destination: Null<String>,
    /// The transaction it left in.
    tx: Null<ClaimTransaction>,
}

/// A payout of which a part alone has arrived.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct ClaimPaidOut {
    /// What has arrived.
    paid: Dec,
    /// What is left of the payout.
    left: Dec,
    /// The code of the currency.
    currency: String,
}

impl ClaimPaidOut {
    /// What a claim has paid out in part.
    pub fn of(claim: &Claim) -> Null<Self> {
        let shown = claim.paid_out().map(|(paid, left)| Self {
            paid: Dec(paid.value()),
            left: Dec(left.value()),
            currency: claim.to_code.clone(),
        });
        shown.into()
    }
}

/// Where a claim stands.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct ClaimStatus {
    /// Identifier.
    id: Uuid,
    /// The short number for talk.
    public_id: i64,
    /// `created`, `verification`, `awaiting_payment`, `payment_claimed`, `payment_seen`, `amount_mismatch`, `late_payment`,
    /// `on_hold`, `paid`, `processing`, `payout_sent`, `payout_error`, `payout_partial`, `refund_pending`, `refund_sent`,
    /// `completed`, `refunded`, `cancelled`, `expired` or `rejected`.
    status: String,
    /// The same in common words: `waiting`, `confirming`, `exchanging`, `sending`, `finished`, `hold`, `refunding`,
    /// `refunded`, `expired` or `failed`.
    public_status: String,
    /// Whether it has ended.
    is_final: bool,
    /// Why it was stopped or refused.
    reason: Null<ClaimReason>,
    /// By when there will be an answer.
    answer_by: Null<Moment>,
    /// Confirmations of the payment on its network, where they are counted.
    confirmations: Null<u32>,
    /// How many are needed.
    confirmations_required: Null<u32>,
    /// How much of the sent currency has come so far; null before anything did.
    received: Null<Dec>,
    /// The customer's payment.
    tx_in: Null<ClaimTransaction>,
    /// The payout.
    tx_out: Null<ClaimTransaction>,
    /// What of the payout has arrived, where a part alone has; null otherwise.
    paid_out: Null<ClaimPaidOut>,
    /// What goes back, went back, or would if the customer chose so; null where nothing does.
    refund: Null<ClaimReturn>,
    /// The verification it waits for; null in every other state.
    verification: Null<Uuid>,
    /// What the customer may do now: `confirm`, `paid`, `cancel`, `accept`, `refund`, `upload`, and `refund_to` where a payment is to be
    /// returned and nobody said where to: the answer goes by the call of `refund`.
    actions: Vec<String>,
    /// New terms that wait for the customer's word.
    offer: Null<ClaimOffer>,
    /// When it last changed.
    updated_at: Moment,
    /// When the present state ends by itself.
    expires_at: Null<Moment>,
    /// From when on the agreed rate holds no longer; a payment that is first seen then or later is late. Null where no rate was promised.
    terms_end: Null<Moment>,
    /// In `payment_claimed`, when the claim ends unless a transaction or a receipt is seen; null where no clock runs.
    claim_ends_at: Null<Moment>,
    /// In `payment_claimed`, whether the customer was told that nobody sees their payment.
    payment_missing: bool,
}

impl ClaimStatus {
    /// The status of a claim as somebody sees it.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn of(claims: &Claims, claim: &Claim, counted: Option<Counted>, locale: Locale, is_owner: bool) -> Result<Self> {
        let offer = claim.open_offer()?.map(|(offer, course)| ClaimOffer {
            from_summa: Dec(claim.sent(offer.send_units).value()),
            to_summa: Dec(claim.received(offer.receive_units).value()),
            course: Dec(course),
            expires_at: Moment(offer.expires_at),
        });
        let from = claims.currency(claim.from_id, &claim.from_code);
        let to = claims.currency(claim.to_id, &claim.to_code);
        let refund = claim.shown_refund(&claims.platform.vault)?.map(|refund| ClaimReturn {
            amount: Dec(refund.amount.value()),
            currency: claim.from_code.clone(),
            fee: Dec(refund.fee.value()),
            destination: refund.masked().into(),
            // A refund that came back is not the one that will leave.
            tx: ClaimTransaction::of(&from, claim.tx_refund.as_ref().filter(|_| claim.state != State::RefundPending)),
        });
        let reported_until = claim.expires_at.filter(|_| claim.state == State::PaymentClaimed);
        Ok(Self {
            id: claim.id,
            public_id: claim.public_id,
            status: claim.state.name().to_owned(),
            public_status: public_status(claim.state).name().to_owned(),
            is_final: claim.state.is_final(),
            reason: ClaimReason::of(claims, claim, locale),
            answer_by: moment(claim.answer_by),
            confirmations: Null(counted.map(|counted| counted.confirmations)),
            confirmations_required: Null(counted.map(|counted| counted.required)),
            received: Null((claim.received_units > 0).then(|| Dec(claim.sent(claim.received_units).value()))),
            tx_in: ClaimTransaction::of(&from, claim.tx_in.as_ref()),
            tx_out: ClaimTransaction::of(&to, claim.tx_out.as_ref()),
            paid_out: ClaimPaidOut::of(claim),
            refund: refund.into(),
            verification: Null(claim.verification_id.filter(|_| claim.state == State::Verification)),
            actions: claims.actions(claim, is_owner)?.into_iter().map(str::to_owned).collect(),
            offer: offer.into(),
            updated_at: Moment(claim.updated_at),
            expires_at: moment(claim.expires_at),
            terms_end: moment(claim.promised_until()),
            claim_ends_at: moment(reported_until),
            payment_missing: reported_until.is_some() && claim.warn_at.is_none(),
        })
    }
}

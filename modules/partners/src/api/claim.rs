//! A claim as partners are told of it: the same in answers and in news.

use agio_core::needs::{PartnerClaim, PartnerTransaction, Rehearsed, Standing};
use agio_core::texts::Locale;
use agio_core::{Amount, Timestamp};
use agio_http::{Dec, Moment, Null};
use poem_openapi::Object;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::bodies::PartnerRateType;

/// One side of a claim.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
pub(crate) struct PartnerClaimSide {
    /// The code of the currency.
    pub(crate) code: String,
    /// The asset.
    ticker: String,
    /// Its network or payment system.
    network: String,
    /// How much.
    pub(crate) amount: Dec,
}

/// Where the customer pays.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
pub(crate) struct PartnerClaimPayment {
    /// The card, account or address.
    pub(crate) value: String,
    /// What the value is: a kind of requisite.
    kind: String,
    /// Who holds it.
    holder: Null<String>,
    /// The memo or tag without which the payment is lost.
    pub(crate) memo: Null<String>,
    /// The text of the QR code.
    uri: String,
}

/// Why a claim was stopped or refused.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
struct PartnerClaimReason {
    /// A stable code, or `other`.
    code: String,
    /// The reason in words.
    text: String,
}

/// New terms that wait for the customer's word.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct PartnerClaimOffer {
    /// What came.
    from_summa: Dec,
    /// What is received for it.
    to_summa: Dec,
    /// Units received for one unit sent.
    course: Dec,
    /// Until when the terms hold.
    expires_at: Moment,
}

/// A transaction.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
pub(crate) struct PartnerClaimTransaction {
    /// Its identifier on the network, or the bank's reference.
    pub(crate) id: String,
    /// Where it can be looked up.
    url: Null<String>,
}

/// Money that goes back.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
struct PartnerClaimRefund {
    /// What the customer gets: while they still choose, what they would get.
    amount: Dec,
    /// The code of the currency.
    currency: String,
    /// What is kept of the payment for sending it back.
    fee: Dec,
    /// Where it goes, masked; null while nobody said.
    destination: Null<String>,
    /// The transaction it left in.
    tx: Null<PartnerClaimTransaction>,
}

/// A claim as it stands.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase", rename = "PartnerClaim")]
pub struct PartnerClaimBody {
    /// Identifier.
    id: Uuid,
    /// The short number for talk.
    public_id: i64,
    /// Your own name for it.
    reference: Null<String>,
    /// Whether it is a rehearsal that moves no money.
    sandbox: bool,
    /// Counts every change: of two tellings of a claim the one with the greater revision is newer.
    revision: i64,
    /// Where it stands, in the words common to exchange services: `waiting`, `confirming`, `exchanging`, `sending`, `finished`, `hold`,
    /// `refunding`, `refunded`, `expired` or `failed`.
    status: String,
    /// The same in the house's own words: `created`, `verification`, `awaiting_payment`, `payment_claimed`, `payment_seen`,
    /// `amount_mismatch`, `late_payment`, `on_hold`, `paid`, `processing`, `payout_sent`, `payout_error`, `payout_partial`,
    /// `refund_pending`, `refund_sent`, `completed`, `refunded`, `cancelled`, `expired` or `rejected`.
    pub(crate) state: String,
    /// Whether it has ended.
    is_final: bool,
    /// What is sent.
    pub(crate) from: PartnerClaimSide,
    /// What is received.
    pub(crate) to: PartnerClaimSide,
    /// Units received for one unit sent; fixed fees apart.
    pub(crate) course: Dec,
    /// When the rate is fixed.
    pub(crate) rate_type: PartnerRateType,
    /// How much of the sent currency has come so far; null before anything did.
    pub(crate) received: Null<Dec>,
    /// How much of the received currency has arrived, where a part alone has; null otherwise.
    #[serde(default)]
    pub(crate) paid_out: Null<Dec>,
    /// Where the customer pays; null where they should not pay now.
    pub(crate) payment: Null<PartnerClaimPayment>,
    /// Why it was stopped or refused.
    reason: Null<PartnerClaimReason>,
    /// By when there will be an answer.
    answer_by: Null<Moment>,
    /// The verification it waits for: the customer finds it on our site at `/verify/` and this identifier.
    verification: Null<Uuid>,
    /// New terms that wait for the customer's word.
    offer: Null<PartnerClaimOffer>,
    /// Which calls are possible now: `paid`, `cancel`, `accept`, `refund`; `refund_to` where a payment is to be returned and nobody said
    /// where to, by the call of `refund`.
    actions: Vec<String>,
    /// The customer's payment.
    pub(crate) tx_in: Null<PartnerClaimTransaction>,
    /// The payout.
    pub(crate) tx_out: Null<PartnerClaimTransaction>,
    /// The returned payment.
    tx_refund: Null<PartnerClaimTransaction>,
    /// What goes back, went back, or would if the customer chose so; null where nothing does.
    #[serde(default)]
    refund: Null<PartnerClaimRefund>,
    /// When it was made.
    created_at: Moment,
    /// When it last changed.
    updated_at: Moment,
    /// When the present state ends by itself.
    expires_at: Null<Moment>,
}

impl PartnerClaimBody {
    /// A claim, in a language.
    #[must_use]
    pub fn of(claim: &PartnerClaim, locale: Locale) -> Self {
        let side = |facts: &agio_core::needs::CurrencyFacts, amount: Amount| PartnerClaimSide {
            code: facts.code.clone(),
            ticker: facts.ticker.clone(),
            network: facts.network.get(locale).to_owned(),
            amount: Dec(amount.value()),
        };
        let transaction = |of: &Option<PartnerTransaction>| {
            Null(of.as_ref().map(|of| PartnerClaimTransaction { id: of.id.clone(), url: Null(of.url.clone()) }))
        };
        let payment = claim.payment.as_ref().map(|payment| PartnerClaimPayment {
            value: payment.value.clone(),
            kind: payment.kind.clone(),
            holder: Null(payment.holder.clone()),
            memo: Null(payment.memo.clone()),
            uri: payment.uri.clone(),
        });
        let reason = claim
            .reason
            .as_ref()
            .map(|(code, text)| PartnerClaimReason { code: code.clone(), text: text.get(locale).to_owned() });
        let offer = claim.offer.as_ref().map(|offer| PartnerClaimOffer {
            from_summa: Dec(offer.send.value()),
            to_summa: Dec(offer.receive.value()),
            course: Dec(offer.course),
            expires_at: Moment(offer.expires_at),
        });
        Self {
            id: claim.id,
            public_id: claim.number,
            reference: Null(claim.reference.clone()),
            sandbox: false,
            revision: claim.revision,
            status: claim.public_status.to_owned(),
            state: claim.state.to_owned(),
            is_final: claim.is_final,
            from: side(&claim.from, claim.send),
            to: side(&claim.to, claim.receive),
            course: Dec(claim.course),
            rate_type: PartnerRateType::of(claim.floating),
            received: Null(claim.received.map(|received| Dec(received.value()))),
            paid_out: Null(claim.paid_out.map(|arrived| Dec(arrived.value()))),
            payment: Null(payment),
            reason: Null(reason),
            answer_by: Null(claim.answer_by.map(Moment)),
            verification: Null(claim.verification),
            offer: Null(offer),
            actions: claim.actions.iter().map(|action| (*action).to_owned()).collect(),
            tx_in: transaction(&claim.tx_in),
            tx_out: transaction(&claim.tx_out),
            tx_refund: transaction(&claim.tx_refund),
            refund: Null(claim.refund.as_ref().map(|refund| PartnerClaimRefund {
                amount: Dec(refund.amount.value()),
                currency: claim.from.code.clone(),
                fee: Dec(refund.fee.value()),
                destination: Null(refund.destination.clone()),
                tx: transaction(&refund.tx),
            })),
            created_at: Moment(claim.created_at),
            updated_at: Moment(claim.updated_at),
            expires_at: Null(claim.expires_at.map(Moment)),
        }
    }

    /// Its identifier.
    #[must_use]
    pub fn id(&self) -> Uuid {
        self.id
    }

    /// The same as a rehearsal.
    #[must_use]
    pub fn rehearsed(mut self) -> Self {
        self.sandbox = true;
        self
    }

    /// Gives it its number.
    pub fn number_as(&mut self, number: i64) {
        self.public_id = number;
    }

    /// Has a rehearsal stand somewhere else. Deadlines are not rehearsed: a step is taken when it is asked for.
    pub fn stand(&mut self, at: &Rehearsed, standing: &Standing, revision: i64, now: Timestamp) {
        let is_paid_for =
            matches!(at.state.as_str(), "awaiting_payment" | "payment_claimed" | "payment_seen" | "amount_mismatch");
        self.state.clone_from(&at.state);
        standing.public_status.clone_into(&mut self.status);
        self.is_final = standing.is_final;
        self.actions = standing.actions.iter().map(|action| (*action).to_owned()).collect();
        self.revision = revision;
        self.updated_at = Moment(now);
        self.expires_at = Null(None);
        if !is_paid_for {
            self.payment = Null(None);
        }
    }
}

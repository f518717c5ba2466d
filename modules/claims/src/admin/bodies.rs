//! Requests of the staff API.

use std::collections::BTreeMap;

use agio_core::Timestamp;
use agio_http::{ApiEnum, DateTime, Dec, body};
use poem_openapi::types::Example;

use crate::TransitionInput;
use crate::model::Action;

/// A transition of a claim.
#[body(shared, example)]
#[derive(Clone, Debug)]
pub struct TransitionRequest {
    /// One of the claim's `transitions`.
    action: ApiEnum<Action>,
    /// The revision the operator saw.
    revision: i64,
    /// The reason: a code such as `aml_check`, or a text for the customer.
    reason: Option<String>,
    /// The time by which the customer gets an answer.
    answer_by: Option<DateTime>,
    /// The transaction's identifier, or the bank's reference.
    tx_id: Option<String>,
    /// The nine digits the customer says to collect cash, instead of `txId`. Spaces do not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    meeting_code: Option<String>,
    /// The total amount received, or paid out, so far.
    amount: Option<Dec>,
    /// A note for the staff.
    note: Option<String>,
    /// For `recalculate`: the previewed amounts.
    terms: Option<ShownAmounts>,
    /// The time of the payment, with `payment_received`, `payment_seen` and `amount_mismatch`. Default: now. After the
    /// end of the agreed terms the payment is late, and the claim moves to `late_payment`. A payment seen on a watched
    /// network keeps its detection time.
    paid_at: Option<DateTime>,
}

/// The amounts of a recalculation, as the operator saw them.
#[body(shared)]
#[derive(Clone, Debug)]
pub struct ShownAmounts {
    /// The amount that arrived.
    came: Dec,
    /// The receive amount for it.
    receive: Dec,
}

impl Example for TransitionRequest {
    fn example() -> Self {
        Self {
            action: ApiEnum(Action::Hold),
            revision: 4,
            reason: Some("aml_check".into()),
            answer_by: Some(DateTime(Timestamp(1_711_634_400_000_000))),
            tx_id: None,
            meeting_code: None,
            amount: None,
            note: Some("Asked for the origin of the coins.".into()),
            terms: None,
            paid_at: None,
        }
    }
}

impl TransitionRequest {
    /// The action, the revision the operator saw, and the other fields.
    pub fn read(self) -> (Action, i64, TransitionInput) {
        let filled = |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let input = TransitionInput {
            reason: filled(self.reason),
            answer_by: self.answer_by.map(|moment| moment.0),
            tx_id: filled(self.tx_id),
            meeting_code: filled(self.meeting_code),
            amount: self.amount.map(|amount| amount.0),
            note: filled(self.note),
            shown: self.terms.map(|terms| (terms.came.0.normalize(), terms.receive.0.normalize())),
            paid_at: self.paid_at.map(|moment| moment.0),
            ..TransitionInput::default()
        };
        (self.action.0, self.revision, input)
    }
}

/// A note for the staff.
#[body(request, example)]
#[derive(Clone, Debug)]
pub struct AddNoteRequest {
    /// The note, at most 2000 characters.
    pub text: String,
}

impl Example for AddNoteRequest {
    fn example() -> Self {
        Self { text: "Called the bank, the transfer is on its way.".into() }
    }
}

/// The refund destination the customer gave to staff.
#[body(request, example)]
#[derive(Clone)]
pub struct SetRefundDestinationRequest {
    /// The revision the operator saw.
    pub revision: i64,
    /// Requisites of the give currency, as customers enter them to receive it.
    pub requisites: BTreeMap<String, String>,
    /// How the customer gave it, for the staff; at most 2000 characters.
    pub note: String,
}

impl Example for SetRefundDestinationRequest {
    fn example() -> Self {
        let address = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";
        Self {
            revision: 7,
            requisites: BTreeMap::from([("address".into(), address.into())]),
            note: "Emailed from the claim's address on 28 March.".into(),
        }
    }
}

//! What of a claim's money goes back, and where to.

use agio_core::needs::PayTo;
use agio_core::{Amount, Result, Vault};
use agio_requisites::{Kind, mask};
use rust_decimal::Decimal;

use super::books::share;
use super::claim::Requisite;
use super::terms::unreadable;
use super::{Claim, Offer};
use crate::model::State;

/// The field of the sent side in which customers say where a refund goes.
const REFUND_FIELD: &str = "refundAddress";

/// A refund: what would go back, goes back or went back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refund {
    /// What the customer gets.
    pub amount: Amount,
    /// What is kept of the payment for sending it back. Nothing is: what the network takes is ours to bear.
    pub fee: Amount,
    /// Where it goes; empty while nobody said.
    pub to: Vec<Requisite>,
}

impl Refund {
    /// Where it goes, in a form that others may see; nothing while nobody said.
    #[must_use]
    pub fn masked(&self) -> Option<String> {
        let masked: Vec<_> = self.to.iter().map(|requisite| mask(requisite.kind, &requisite.value)).collect();
        (!masked.is_empty()).then(|| masked.join(", "))
    }
}

impl Claim {
    /// Where the payment goes back to: where the customer wanted it when they chose a refund, or else where they said when they made the claim.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn returns_to(&self, vault: &Vault) -> Result<Vec<Requisite>> {
        if let Some(chosen) = self.refund_requisites(vault)? {
            return Ok(chosen);
        }
        Ok(self.from_requisites(vault)?.into_iter().filter(|requisite| requisite.name == REFUND_FIELD).collect())
    }

    /// The address a refund goes to; nothing where there is none, and it has to be asked for.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn refund_to(&self, vault: &Vault) -> Result<Option<PayTo>> {
        Ok(addressed(&self.returns_to(vault)?))
    }

    /// Whether the payment is to be returned and nobody said where to.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn lacks_destination(&self, vault: &Vault) -> Result<bool> {
        Ok(self.state == State::RefundPending && self.returns_to(vault)?.is_empty())
    }

    /// What goes back, or would if that were decided now; nothing where there is nothing to return.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn refund(&self, vault: &Vault) -> Result<Option<Refund>> {
        let units = match self.state {
            State::RefundSent => self.refund_units,
            State::Refunded => self.returned_units,
            // The part of the payout that arrived is exchanged.
            State::PayoutPartial => self.in_units - share(self.in_units, self.paid_out_units, self.receive_units)?,
            State::PayoutSent => 0,
            _ => self.in_units,
        };
        if units == 0 {
            return Ok(None);
        }
        Ok(Some(Refund { amount: self.sent(units), fee: self.sent(0), to: self.returns_to(vault)? }))
    }

    /// The refund as the customer is shown it: what a choice of theirs would bring, and what became of it.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn shown_refund(&self, vault: &Vault) -> Result<Option<Refund>> {
        let is_shown = matches!(
            self.state,
            State::AmountMismatch | State::LatePayment | State::RefundPending | State::RefundSent | State::Refunded
        );
        if is_shown { self.refund(vault) } else { Ok(None) }
    }

    /// The offer the customer may accept now, with its course.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn open_offer(&self) -> Result<Option<(Offer, Decimal)>> {
        if !matches!(self.state, State::AmountMismatch | State::LatePayment) {
            return Ok(None);
        }
        let Some(offer) = self.offer()? else { return Ok(None) };
        let course = Decimal::from_str_exact(&offer.course).map_err(|why| unreadable(self, "offer", why))?;
        Ok(Some((offer, course)))
    }

    /// What of the payout has arrived and what is left of it, where only a part has.
    #[must_use]
    pub fn paid_out(&self) -> Option<(Amount, Amount)> {
        let is_part = self.paid_out_units > 0 && self.state != State::Completed;
        is_part.then(|| (self.received(self.paid_out_units), self.received(self.receive_units - self.paid_out_units)))
    }
}

/// The address among requisites, with its memo.
#[must_use]
pub fn addressed(requisites: &[Requisite]) -> Option<PayTo> {
    let beside = |kind: Kind| matches!(kind, Kind::Memo | Kind::Tag);
    let main = requisites.iter().find(|requisite| !beside(requisite.kind))?;
    let memo = requisites.iter().find(|requisite| beside(requisite.kind)).map(|requisite| requisite.value.clone());
    Some(PayTo { address: main.value.clone(), memo })
}

//! Refunds: amount and destination.

use agio_contracts::PaymentDestination;
use agio_core::{Amount, Result, Vault};
use agio_requisites::{RequisiteKind, mask};
use rust_decimal::Decimal;

use super::claim::Requisite;
use super::ledger_entries::share;
use super::terms::unreadable;
use super::{Claim, Offer, OfferedAmount};
use crate::model::{ClaimState, PublicClaimStatus, public_status};

/// The field of the give side for the refund destination.
const REFUND_FIELD: &str = "refundAddress";

/// The fields beside it. Without its memo a refund to an account at an exchange is lost.
const REFUND_MEMO_FIELDS: [&str; 2] = ["refundMemo", "refundTag"];

/// A refund: possible, pending or sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refund {
    /// The amount the customer gets.
    pub amount: Amount,
    /// The fee kept for the refund. Always zero: the exchange pays the network fee.
    pub fee: Amount,
    /// The destination; empty while it is unknown.
    pub to: Vec<Requisite>,
}

/// How many characters of either end of an address are shown, and up to which length an address is short.
const ADDRESS_END: usize = 6;
const ADDRESS_SHORT: usize = 20;

impl Refund {
    /// The masked destination; `None` while it is unknown.
    pub fn masked(&self) -> Option<String> {
        masked(&self.to)
    }
}

/// A masked destination; `None` while it is unknown.
pub fn masked(to: &[Requisite]) -> Option<String> {
    let masked: Vec<_> = to.iter().map(masked_part).collect();
    (!masked.is_empty()).then(|| masked.join(", "))
}

/// An address by as much of its ends as the site shows of the payout's, so that its owner can compare them.
fn masked_part(requisite: &Requisite) -> String {
    let characters: Vec<char> = requisite.value.chars().collect();
    if !requisite.kind.is_address() || characters.len() <= ADDRESS_SHORT {
        return mask(requisite.kind, &requisite.value);
    }
    let (head, rest) = characters.split_at(ADDRESS_END);
    let (_, tail) = rest.split_at(rest.len() - ADDRESS_END);
    format!("{}…{}", head.iter().collect::<String>(), tail.iter().collect::<String>())
}

fn is_of_refund(requisite: &Requisite) -> bool {
    requisite.name == REFUND_FIELD || REFUND_MEMO_FIELDS.contains(&requisite.name.as_str())
}

impl Claim {
    /// The refund destination: the one given with the refund, or else with the claim.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn returns_to(&self, vault: &Vault) -> Result<Vec<Requisite>> {
        if let Some(chosen) = self.refund_requisites(vault)? {
            return Ok(chosen);
        }
        let mut given = self.give_requisites(vault)?;
        given.retain(is_of_refund);
        // A memo leads nowhere without its address.
        let has_address = given.iter().any(|requisite| requisite.name == REFUND_FIELD);
        Ok(if has_address { given } else { Vec::new() })
    }

    /// What the customer gave about the account they pay from, without the refund destination.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn payer(&self, vault: &Vault) -> Result<Vec<Requisite>> {
        let mut given = self.give_requisites(vault)?;
        given.retain(|requisite| !is_of_refund(requisite));
        Ok(given)
    }

    /// The address a refund goes to; `None` when it is unknown.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn refund_to(&self, vault: &Vault) -> Result<Option<PaymentDestination>> {
        Ok(addressed(&self.returns_to(vault)?))
    }

    /// Whether a refund is due and its destination is unknown.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn lacks_destination(&self, vault: &Vault) -> Result<bool> {
        Ok(self.state == ClaimState::RefundPending && self.returns_to(vault)?.is_empty())
    }

    /// The refund, or what it would be now; `None` when there is nothing to refund.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn refund(&self, vault: &Vault) -> Result<Option<Refund>> {
        let held = self.balances.held;
        let amount = match self.state {
            ClaimState::RefundSent => self.balances.refund,
            // Of a completed exchange the surplus was returned.
            ClaimState::Refunded | ClaimState::Completed => self.balances.returned,
            // The part of the payout that has arrived is exchanged.
            ClaimState::PayoutPartial => {
                held.minus(share(self.balances.to_exchange()?, self.balances.paid_out, self.receive.amount)?)?
            }
            ClaimState::PayoutSent => self.give.zero(),
            _ => held,
        };
        if amount.units() == 0 {
            return Ok(None);
        }
        Ok(Some(Refund { amount, fee: self.give.zero(), to: self.returns_to(vault)? }))
    }

    /// What is returned beside the exchange: where a different amount arrived, what could be; `None` when nothing is.
    ///
    /// # Errors
    /// `internal` for different currencies.
    pub fn surplus(&self) -> Result<Option<Amount>> {
        match self.state {
            ClaimState::AmountMismatch => self.excess(),
            _ => Ok(Some(self.balances.surplus).filter(|surplus| surplus.units() > 0)),
        }
    }

    /// The public status. While a surplus is returned, the exchange is done and money is still on its way.
    pub fn public_status(&self) -> PublicClaimStatus {
        match public_status(self.state) {
            PublicClaimStatus::Refunding if self.balances.surplus.units() > 0 => PublicClaimStatus::Sending,
            status => status,
        }
    }

    /// The refund, in the states in which the customer sees it.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn shown_refund(&self, vault: &Vault) -> Result<Option<Refund>> {
        let is_shown = matches!(
            self.state,
            ClaimState::AmountMismatch
                | ClaimState::LatePayment
                | ClaimState::RefundPending
                | ClaimState::RefundSent
                | ClaimState::Refunded
                | ClaimState::Completed
        );
        if is_shown { self.refund(vault) } else { Ok(None) }
    }

    /// The offer for an amount that the customer can accept now, with its rate.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn open_offer(&self, amount: OfferedAmount) -> Result<Option<(Offer, Decimal)>> {
        if !matches!(self.state, ClaimState::AmountMismatch | ClaimState::LatePayment) {
            return Ok(None);
        }
        let Some(offer) = self.offer(amount)? else { return Ok(None) };
        let rate = Decimal::from_str_exact(&offer.rate).map_err(|why| unreadable(self, "offer", why))?;
        Ok(Some((offer, rate)))
    }

    /// The part of the payout that has arrived, and the rest; `None` unless only a part has.
    pub fn paid_out(&self) -> Option<(Amount, Amount)> {
        let paid_out = self.balances.paid_out;
        let is_exchanged = match self.state {
            ClaimState::Completed => true,
            // A surplus is returned once the whole payout has arrived.
            ClaimState::RefundPending | ClaimState::RefundSent => self.balances.surplus.units() > 0,
            _ => false,
        };
        let is_part = paid_out.units() > 0 && !is_exchanged;
        is_part.then(|| (paid_out, self.receive.of(self.receive.amount.units() - paid_out.units())))
    }
}

/// The address among requisites, with its memo.
pub fn addressed(requisites: &[Requisite]) -> Option<PaymentDestination> {
    let beside = |kind: RequisiteKind| matches!(kind, RequisiteKind::Memo | RequisiteKind::Tag);
    let main = requisites.iter().find(|requisite| !beside(requisite.kind))?;
    let memo = requisites.iter().find(|requisite| beside(requisite.kind)).map(|requisite| requisite.value.clone());
    Some(PaymentDestination { address: main.value.clone(), memo })
}

//! A payment of more than was agreed, exchanged as agreed: the rest is returned after the exchange.

use std::sync::Arc;

use agio_core::identity;
use agio_core::{Amount, Result};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::customer_actions::CustomerInput;
use super::{ClaimViewer, Claims};
use crate::SURPLUS_MIN;
use crate::model::{Action, Actor, ClaimState};
use crate::rules::fields::RequisiteValues;
use crate::rules::{Claim, OfferedAmount};

/// What arrived beyond the agreed amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surplus {
    /// The amount the customer gets back.
    pub amount: Amount,
    /// The fee kept for sending it. Always zero, as for refunds.
    pub fee: Amount,
    /// Whether sending it would cost more than it is worth. Then it is not offered.
    pub is_too_small: bool,
}

impl Claims {
    /// The surplus of a claim: one that could be returned, or that is going to be.
    ///
    /// # Errors
    /// `internal` for different currencies.
    pub fn surplus(&self, claim: &Claim) -> Result<Option<Surplus>> {
        let surplus = claim.surplus()?.map(|amount| Surplus {
            amount,
            fee: claim.give.zero(),
            is_too_small: claim.state == ClaimState::AmountMismatch && self.is_too_small(amount),
        });
        Ok(surplus)
    }

    /// Whether a transfer of an amount costs about what it is worth. Networks have a least amount, and the exchange pays
    /// the fee. An amount of unknown value may be worth it.
    fn is_too_small(&self, amount: Amount) -> bool {
        let least = Decimal::from(self.platform.settings.int(SURPLUS_MIN));
        let is_worthless = self.reference_values.reference_value(amount).is_some_and(|value| value.amount < least);
        is_worthless || amount.units() < self.payments.dust(amount.currency().id())
    }

    /// Exchanges the agreed amount, and returns the rest to these requisites. Only for the browser or account that
    /// created the claim.
    ///
    /// # Errors
    /// 403 `claim_owner_only`; as for [`return_surplus_to`](Self::return_surplus_to).
    pub async fn return_surplus(
        self: &Arc<Self>,
        id: Uuid,
        viewer: &ClaimViewer,
        shown: (Decimal, Decimal),
        given: RequisiteValues,
        by: &identity::Actor,
    ) -> Result<Claim> {
        self.return_surplus_to(self.own_claim(id, viewer).await?, shown, given, by).await
    }

    /// The same for the claim's owner. `shown` are the given and the received amount that they saw.
    ///
    /// # Errors
    /// 422 with the fields; 409 `no_offer`, `rate_changed` when other terms hold now, `balance_too_low`,
    /// `transition_not_allowed`, `claim_changed`.
    pub(super) async fn return_surplus_to(
        self: &Arc<Self>,
        claim: Claim,
        shown: (Decimal, Decimal),
        given: RequisiteValues,
        by: &identity::Actor,
    ) -> Result<Claim> {
        if claim.balances.surplus.units() > 0 {
            let destination = self.checked_destination(&claim, &given).await?;
            return self.require_destination(claim, Action::ReturnSurplus, &destination);
        }
        Self::row(&claim, Action::ReturnSurplus, Actor::Customer)?;
        let destination = self.checked_destination(&claim, &given).await?;
        let terms = Some((self.accepted_offer(&claim, OfferedAmount::Agreed, shown).await?, claim.revision));
        let input = CustomerInput { terms, refund_requisites: Some(destination.clone()), ..CustomerInput::default() };
        let claim = self.step(claim.id, (Action::ReturnSurplus, ClaimState::Paid), input, None, by).await?;
        self.require_destination(claim, Action::ReturnSurplus, &destination)
    }
}

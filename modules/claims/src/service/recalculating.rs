//! Another amount that came and does not pass for the agreed one: exchanged at terms of its own, or, by two people's word, as agreed.

use std::sync::Arc;

use agio_approvals::{Approvable, Fact, Proposal, Said as Shown, Stored, outdated};
use agio_core::identity::{Permission, Staff};
use agio_core::{BoxFuture, Error, Result, Tx};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::choices::rate_changed;
use super::moving::{Said, Who};
use super::{Claims, digest};
use crate::CLAIMS_PROCESS;
use crate::model::{Action, Actor, State, Transition};
use crate::rules::books::Income;
use crate::rules::terms::passes_for_agreed;
use crate::rules::{Claim, Offer};
use crate::store::claims;

/// The kind of proposals to pay as agreed for another amount.
pub(super) const OVERRIDE: &str = "claim_override";

/// What exchanging the amount that came would mean.
#[derive(Clone, Debug)]
pub struct Recalculation {
    /// The claim as it is.
    pub claim: Claim,
    /// The terms for what came.
    pub offer: Offer,
    /// Whether these are the agreed terms, and not those of this moment.
    pub at_agreed: bool,
    /// Whether what came passes for the agreed amount anyway.
    pub passes: bool,
    /// The claim as it would be.
    pub exchanged: Claim,
    /// What is earned by it.
    pub income: Income,
}

/// What a proposal keeps of the step.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Override {
    ground: String,
    role: String,
    note: Option<String>,
}

impl Claims {
    /// What exchanging the amount that came for a claim would mean now.
    ///
    /// # Errors
    /// 404 `claim_not_found`, `pair_unavailable`; 409 `transition_not_allowed`, `claim_unreadable`; 422 `amount_below_min`,
    /// `amount_above_max`.
    pub async fn recalculation(&self, id: Uuid) -> Result<Recalculation> {
        let claim = self.claim(id).await?;
        Self::row(&claim, Action::Recalculate, Actor::Operator)?;
        let now = self.platform.clock.now();
        let (offer, at_agreed) = self.recalculated(&claim, now)?;
        let mut exchanged = claim.clone();
        exchanged.take_terms(offer.clone(), now);
        Ok(Recalculation {
            passes: passes_for_agreed(&claim, claim.received_units)?,
            income: Income::of(&exchanged, exchanged.send_units, exchanged.receive_units)?,
            exchanged,
            claim,
            offer,
            at_agreed,
        })
    }

    /// Exchanges the amount that came, if it brings what the operator was shown.
    ///
    /// # Errors
    /// 409 `rate_changed` with the present numbers; as for any step.
    pub(super) async fn recalculate(
        self: &Arc<Self>,
        tx: &mut Tx,
        claim: Claim,
        row: &'static Transition,
        who: &Who,
        said: Said,
    ) -> Result<Claim> {
        let now = self.platform.clock.now();
        let (offer, at_agreed) = self.recalculated(&claim, now)?;
        let brings = (claim.sent(offer.send_units).value(), claim.received(offer.receive_units).value());
        if said.shown != Some(brings) {
            return Err(rate_changed(&claim, &offer));
        }
        let at = if at_agreed { claim.terms_at } else { now };
        self.advance(tx, claim, row, who, &Said { terms: Some((offer, at)), ..said }).await
    }

    /// Whether a step takes another amount for the agreed one, which two people have to answer for.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub(super) fn is_override(claim: &Claim, row: &Transition) -> Result<bool> {
        let takes_other = row.action == Action::PaymentReceived && claim.state == State::AmountMismatch;
        Ok(takes_other && !passes_for_agreed(claim, claim.received_units)?)
    }

    /// Proposes to pay out what was agreed on for the other amount that came.
    ///
    /// # Errors
    /// 409 `approval_waits`; 422 for words that are too long, or another amount than came.
    pub(super) async fn propose_override(&self, tx: &mut Tx, claim: &Claim, said: &Said, staff: &Staff) -> Result<Stored> {
        super::moving::are_short(said)?;
        let came = claim.sent(claim.received_units);
        if said.amount.is_some_and(|named| named.normalize() != came.value().normalize()) {
            return Err(Error::unprocessable("validation_failed").at("amount", "amount_differs"));
        }
        let unknown = || Shown::Text { text: "approval_value.unknown".into() };
        let brings = self.recalculated(claim, self.platform.clock.now());
        let brings = match brings {
            Ok((offer, _)) => format!("{} {}", claim.received(offer.receive_units), claim.to_code).into(),
            Err(refused) if refused.code() == "claim_unreadable" => return Err(refused),
            Err(_) => unknown(),
        };
        let mut shown = vec![
            Fact::new("claim", format!("№ {}", claim.public_id)),
            Fact::new("agreed", format!("{} {}", claim.send(), claim.from_code)),
            Fact::new("came", format!("{came} {}", claim.from_code)),
            Fact::new("payout", format!("{} {}", claim.receive(), claim.to_code)),
            Fact::new("recalculated", brings),
        ];
        shown.extend(said.note.clone().map(|note| Fact::new("note", note)));
        let step = Override { ground: ground(claim), role: staff.role.to_string(), note: said.note.clone() };
        let payload = serde_json::to_value(step).map_err(Error::internal)?;
        let proposal = Proposal { kind: OVERRIDE, about: ("claim", claim.id.to_string()), shown, payload };
        let proposed = self.approvals.propose(tx, proposal, staff).await?;
        self.tell(tx, claim.id);
        Ok(proposed)
    }

    /// Takes the amount that came for the agreed one, by the word of whoever proposed it and of the colleague who agreed.
    async fn agree_to_override(self: &Arc<Self>, tx: &mut Tx, proposal: &Stored, by: &Staff) -> Result<()> {
        let id = proposal.about_id.parse().map_err(Error::internal)?;
        let step: Override = proposal.read()?;
        let claim = claims::locked(tx, id).await?;
        if claim.state != State::AmountMismatch || ground(&claim) != step.ground {
            return Err(outdated());
        }
        let row = Self::row(&claim, Action::PaymentReceived, Actor::Operator)?;
        self.note_agreement(tx, &claim, by).await?;
        let role = step.role.parse().map_err(Error::internal)?;
        let proposer = Staff { id: proposal.proposed_by, name: proposal.proposed_name.clone(), role, address: None };
        let said = Said { note: step.note, overridden: true, ..Said::default() };
        self.advance(tx, claim, row, &Who::Staff(proposer), &said).await.map(drop)
    }
}

/// Stands for this very exchange: so much came for a claim at these terms.
fn ground(claim: &Claim) -> String {
    let parts = json!([OVERRIDE, claim.received_units, claim.send_units, claim.receive_units, claim.worth_units, claim.terms]);
    digest(&parts.to_string())
}

/// Payouts as agreed, for other amounts than were agreed on.
pub struct AgreedOverride(pub Arc<Claims>);

impl Approvable for AgreedOverride {
    fn kind(&self) -> &'static str {
        OVERRIDE
    }

    fn permission(&self) -> Permission {
        CLAIMS_PROCESS
    }

    fn carry_out<'t>(self: Arc<Self>, tx: &'t mut Tx, proposal: &'t Stored, approver: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { self.0.agree_to_override(tx, proposal, approver).await })
    }
}

//! Prize payments.

use std::sync::Arc;

use agio_approvals::{ApprovalFact, ApprovalHandler, ApprovalRequest, ApprovalRow, ChangeOutcome, outdated};
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Permission, Staff};
use agio_core::{BoxFuture, Error, Result, Timestamp, Tx};
use agio_ledger::{Account, TransferBatch};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::{Contests, not_found, record_audit};
use crate::CONTEST_PAY;
use crate::model::ContestState;
use crate::store::{self, WinnerRow};

const NOTE_MAX: usize = 500;

/// Kind of approval request.
const KIND: &str = "contest_prize";

/// Stored with the approval request.
#[derive(Serialize, Deserialize)]
struct PaymentPayload {
    contest: Uuid,
    place: i64,
    note: String,
}

/// Stored for repeated requests.
#[derive(Serialize, Deserialize)]
enum PaymentOutcome {
    Now,
    Proposed(Uuid),
}

impl Contests {
    /// Books a prize payment from the reserve; `note` is the payment reference. Above the payout limit a second
    /// person must approve.
    ///
    /// # Errors
    /// 404 `contest_not_found`, `prize_not_found`; 409 `prize_paid`, `prize_exchange_reversed`, `approval_waits`,
    /// `balance_too_low`; 422 `validation_failed`.
    pub async fn pay(
        self: &Arc<Self>,
        id: Uuid,
        place: i64,
        note: String,
        staff: Staff,
        key: Option<Key>,
    ) -> Result<ChangeOutcome<()>> {
        let note = note.trim().to_owned();
        let refused = |code| Error::unprocessable("validation_failed").at("note", code);
        if note.is_empty() {
            return Err(refused("required"));
        }
        if note.chars().count() > NOTE_MAX || note.chars().any(char::is_control) {
            return Err(refused("text_too_long").with("max", NOTE_MAX));
        }
        let (this, input, now) = (self.clone(), Arc::new((note, staff)), self.platform.clock.now());
        let paid = idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, input) = (this.clone(), input.clone());
            Box::pin(async move {
                let (note, staff) = (&input.0, &input.1);
                let winner = unpaid_winner(tx, id, place).await?;
                let approval = this.approval(id, &winner, note)?;
                if let Some(approval) = approval {
                    return Ok(PaymentOutcome::Proposed(this.approvals.propose(tx, approval, staff).await?.id));
                }
                this.carry_out_payment(tx, id, &winner, note, &Actor::from(staff), now).await?;
                Ok(PaymentOutcome::Now)
            })
        });
        match paid.await? {
            PaymentOutcome::Now => Ok(ChangeOutcome::Applied(())),
            PaymentOutcome::Proposed(approval) => {
                let mut tx = self.platform.db.read().await?;
                Ok(ChangeOutcome::PendingApproval(Box::new(self.approvals.get(&mut tx, approval).await?)))
            }
        }
    }

    /// The approval request, if one is required.
    fn approval(&self, id: Uuid, winner: &WinnerRow, note: &str) -> Result<Option<ApprovalRequest>> {
        let (amount, code) = self.prize_amount(winner.currency_id, winner.units)?;
        let value = self.reference_values.reference_value(amount);
        let Some(value_and_limit) = self.approvals.facts_above_payout_limit(value, []) else { return Ok(None) };
        let mut shown = vec![
            ApprovalFact::new("claim", format!("№ {}", winner.claim_number)),
            ApprovalFact::new("amount", format!("{amount} {code}")),
        ];
        shown.extend(value_and_limit);
        shown.extend([ApprovalFact::new("to", winner.email.clone()), ApprovalFact::new("note", note.to_owned())]);
        let input = PaymentPayload { contest: id, place: winner.place, note: note.to_owned() };
        let payload = serde_json::to_value(input).map_err(Error::internal)?;
        Ok(Some(ApprovalRequest { kind: KIND, about: ("contest", format!("{id}/{}", winner.place)), shown, payload }))
    }

    async fn carry_out_payment(
        &self,
        tx: &mut Tx,
        id: Uuid,
        winner: &WinnerRow,
        note: &str,
        by: &Actor,
        now: Timestamp,
    ) -> Result<()> {
        if !store::pay(tx, winner.id, now, &by.name, note).await? {
            return Err(Error::conflict("prize_paid"));
        }
        let (amount, _) = self.prize_amount(winner.currency_id, winner.units)?;
        let mut batch = TransferBatch::new(self.platform.random.uuid_at(now), "contest_paid", id, now)
            .with_transfer(Account::Prize(winner.id), Account::Exchange, amount)
            .with_transfer(Account::Reserve, Account::External, amount);
        (batch.actor, batch.note) = (Some(by.name.clone()), Some(note.to_owned()));
        self.ledger.post(tx, &batch).await?;
        if store::winners(tx, id).await?.iter().all(|winner| winner.paid_at.is_some()) {
            let mut row = store::one(tx, id).await?.ok_or_else(not_found)?;
            (row.state, row.updated_at) = (ContestState::Paid, now);
            if !store::update(tx, &mut row).await? {
                return Err(super::changed());
            }
        }
        let after = json!({ "place": winner.place, "note": note });
        record_audit(tx, by, "paid", id, (None, Some(after)), now).await
    }
}

/// A winner whose prize can be paid.
async fn unpaid_winner(tx: &mut Tx, id: Uuid, place: i64) -> Result<WinnerRow> {
    store::one(tx, id).await?.ok_or_else(not_found)?;
    let winner = store::winners(tx, id).await?.into_iter().find(|winner| winner.place == place);
    let winner = winner.ok_or_else(|| Error::not_found("prize_not_found"))?;
    if winner.paid_at.is_some() {
        return Err(Error::conflict("prize_paid"));
    }
    if winner.reversed_at.is_some() {
        return Err(Error::conflict("prize_exchange_reversed"));
    }
    Ok(winner)
}

/// Carries out approved payments.
pub struct ApprovedPrizePayment(pub Arc<Contests>);

impl ApprovalHandler for ApprovedPrizePayment {
    fn handles(&self) -> (&'static str, Permission) {
        (KIND, CONTEST_PAY)
    }

    fn execute<'t>(self: Arc<Self>, tx: &'t mut Tx, approval: &'t ApprovalRow, _: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            let input: PaymentPayload = approval.read()?;
            let winner = unpaid_winner(tx, input.contest, input.place).await.map_err(|_| outdated())?;
            let now = self.0.platform.clock.now();
            self.0.carry_out_payment(tx, input.contest, &winner, &input.note, &approval.proposer(), now).await
        })
    }
}

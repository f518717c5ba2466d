//! Paying prizes.

use std::sync::Arc;

use agio_approvals::{Approvable, Done, Fact, PAYOUT_LIMIT, Proposal, Said, Stored, outdated};
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Permission, Staff};
use agio_core::{BoxFuture, Error, Result, Timestamp, Tx};
use agio_ledger::{Account, Batch};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::{Contests, not_found, write_down};
use crate::CONTEST_PAY;
use crate::model::State;
use crate::store::{self, Winner};

/// The longest remark.
const NOTE_MAX: usize = 500;

/// The kind of proposals by which prizes above the limit are paid.
const KIND: &str = "contest_prize";

/// What a proposal keeps of a payment.
#[derive(Serialize, Deserialize)]
struct Kept {
    contest: Uuid,
    place: i64,
    note: String,
}

/// What paying did, as it is kept for a repeated request.
#[derive(Serialize, Deserialize)]
enum Paid {
    Now,
    Proposed(Uuid),
}

impl Contests {
    /// Notes that a prize was paid, and takes it from the reserve. `note` says where it went. Above the limit of payouts a colleague agrees first.
    ///
    /// # Errors
    /// 404 `contest_not_found`, `prize_not_found`; 409 `prize_paid`, `approval_waits`, `balance_too_low`; 422 `validation_failed`.
    pub async fn pay(self: &Arc<Self>, id: Uuid, place: i64, note: String, staff: Staff, key: Option<Key>) -> Result<Done<()>> {
        let note = note.trim().to_owned();
        let refused = |code| Error::unprocessable("validation_failed").at("note", code);
        if note.is_empty() {
            return Err(refused("required"));
        }
        if note.chars().count() > NOTE_MAX || note.chars().any(char::is_control) {
            return Err(refused("text_too_long").with("max", NOTE_MAX));
        }
        let (this, kept, now) = (self.clone(), Arc::new((note, staff)), self.platform.clock.now());
        let paid = idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, kept) = (this.clone(), kept.clone());
            Box::pin(async move {
                let (note, staff) = (&kept.0, &kept.1);
                let winner = owed(tx, id, place).await?;
                let proposal = this.proposal(id, &winner, note)?;
                if let Some(proposal) = proposal {
                    return Ok(Paid::Proposed(this.approvals.propose(tx, proposal, staff).await?.id));
                }
                this.pay_in(tx, id, &winner, note, &Actor::from(staff), now).await?;
                Ok(Paid::Now)
            })
        });
        match paid.await? {
            Paid::Now => Ok(Done::Now(())),
            Paid::Proposed(proposal) => {
                let mut tx = self.platform.db.read().await?;
                Ok(Done::Proposed(Box::new(self.approvals.proposal(&mut tx, proposal).await?)))
            }
        }
    }

    /// The proposal of a payment that one person may not make alone.
    fn proposal(&self, id: Uuid, winner: &Winner, note: &str) -> Result<Option<Proposal>> {
        if !self.approvals.are_on() {
            return Ok(None);
        }
        let (amount, code) = self.sum(winner.currency_id, winner.units)?;
        let limit = self.platform.settings.int(PAYOUT_LIMIT);
        let worth = self.worths.worth(winner.currency_id, amount);
        if worth.as_ref().is_some_and(|worth| worth.amount <= Decimal::from(limit)) {
            return Ok(None);
        }
        let said = match &worth {
            Some(worth) => Said::from(format!("{} {}", agio_core::money::plain(worth.amount.round_dp(2)), worth.ticker)),
            None => Said::Text { text: "approval_value.unknown".into() },
        };
        let shown = vec![
            Fact::new("claim", format!("№ {}", winner.claim_number)),
            Fact::new("amount", format!("{amount} {code}")),
            Fact::new("worth", said),
            Fact::new("limit", format!("{limit} {}", self.base())),
            Fact::new("to", winner.email.clone()),
            Fact::new("note", note.to_owned()),
        ];
        let kept = Kept { contest: id, place: winner.place, note: note.to_owned() };
        let payload = serde_json::to_value(kept).map_err(Error::internal)?;
        Ok(Some(Proposal { kind: KIND, about: ("contest", format!("{id}/{}", winner.place)), shown, payload }))
    }

    async fn pay_in(&self, tx: &mut Tx, id: Uuid, winner: &Winner, note: &str, by: &Actor, now: Timestamp) -> Result<()> {
        if !store::pay(tx, winner.id, now, &by.name, note).await? {
            return Err(Error::conflict("prize_paid"));
        }
        let (currency, units) = (winner.currency_id, winner.units);
        let mut batch = Batch::new(self.platform.random.uuid_at(now), "contest_paid", id, now)
            .moving(Account::Prize(winner.id), Account::Exchange, currency, units)
            .moving(Account::Reserve, Account::External, currency, units);
        (batch.actor, batch.note) = (Some(by.name.clone()), Some(note.to_owned()));
        self.ledger.post(tx, &batch).await?;
        if store::winners(tx, id).await?.iter().all(|winner| winner.paid_at.is_some()) {
            let mut row = store::one(tx, id).await?.ok_or_else(not_found)?;
            (row.state, row.updated_at) = (State::Paid, now);
            if !store::update(tx, &mut row).await? {
                return Err(super::changed());
            }
        }
        let after = json!({ "place": winner.place, "note": note });
        write_down(tx, by, "paid", id, (None, Some(after)), now).await
    }
}

/// A winner who waits for their prize.
async fn owed(tx: &mut Tx, id: Uuid, place: i64) -> Result<Winner> {
    store::one(tx, id).await?.ok_or_else(not_found)?;
    let winner = store::winners(tx, id).await?.into_iter().find(|winner| winner.place == place);
    let winner = winner.ok_or_else(|| Error::not_found("prize_not_found"))?;
    if winner.paid_at.is_some() {
        return Err(Error::conflict("prize_paid"));
    }
    Ok(winner)
}

/// Pays a prize that a colleague agreed to.
pub struct PrizePayment(pub Arc<Contests>);

impl Approvable for PrizePayment {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn permission(&self) -> Permission {
        CONTEST_PAY
    }

    fn carry_out<'t>(self: Arc<Self>, tx: &'t mut Tx, proposal: &'t Stored, _: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            let kept: Kept = proposal.read()?;
            let winner = owed(tx, kept.contest, kept.place).await.map_err(|_| outdated())?;
            let now = self.0.platform.clock.now();
            self.0.pay_in(tx, kept.contest, &winner, &kept.note, &proposal.proposer(), now).await
        })
    }
}

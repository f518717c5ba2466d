//! What staff decide.

use std::sync::Arc;

use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Staff};
use agio_core::needs::Proving;
use agio_core::{Error, Result, Timestamp, Tx};
use serde_json::json;
use uuid::Uuid;

use super::letters::letter;
use super::register::write_down;
use super::{Verification, found};
use crate::model::{Decision, OTHER, REASONS};
use crate::store::{self, Row};

/// The longest words of a reason.
const WORDS_MAX: usize = 500;

/// A decision of a member of staff.
#[derive(Clone, Debug)]
pub struct Decided {
    /// Who.
    pub staff: Staff,
    /// What.
    pub decision: Decision,
    /// The revision they saw.
    pub revision: i64,
    /// Why: a code.
    pub reason: Option<String>,
    /// The same in words for the customer, in Russian.
    pub words_ru: Option<String>,
    /// The same in English.
    pub words_en: Option<String>,
}

impl Verification {
    /// Decides a verification. A claim that waits for it goes on, ends or waits for other photos in the same transaction.
    ///
    /// # Errors
    /// 404 `verification_not_found`; 409 `verification_changed` when it is not the revision they saw, `verification_closed`; 422 for
    /// the reason; what the claim refuses.
    pub async fn decide(self: &Arc<Self>, id: Uuid, decided: Decided, key: Option<Key>) -> Result<()> {
        check(&decided)?;
        let (this, decided, now) = (self.clone(), Arc::new(decided), self.platform.clock.now());
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, decided) = (this.clone(), decided.clone());
            Box::pin(async move { this.carry_out(tx, id, &decided, now).await })
        })
        .await
    }

    async fn carry_out(&self, tx: &mut Tx, id: Uuid, decided: &Decided, now: Timestamp) -> Result<()> {
        let mut row = found(store::one(tx, id).await?)?;
        let before = row.state;
        if row.revision != decided.revision {
            return Err(Error::conflict("verification_changed"));
        }
        row.state = decided.decision.leads_to(before).ok_or_else(|| Error::conflict("verification_closed"))?;
        if decided.decision == Decision::Again {
            (row.round, row.sent_at) = (row.round + 1, None);
        }
        row.reason.clone_from(&decided.reason);
        row.words_ru.clone_from(&decided.words_ru);
        row.words_en.clone_from(&decided.words_en);
        (row.decided_by, row.decided_name) = (Some(decided.staff.id), Some(decided.staff.name.clone()));
        (row.decided_at, row.updated_at) = (Some(now), now);
        if !store::update(tx, &mut row).await? {
            return Err(Error::conflict("verification_changed"));
        }
        let until = self.tell_claim(tx, &row, decided).await?;
        if until != row.expires_at {
            row.expires_at = until;
            store::update(tx, &mut row).await?;
        }
        if decided.decision == Decision::Accept {
            self.register.remember(tx, &row, now).await?;
        }
        self.write_letter(tx, &row, decided.decision, now).await?;
        let words = row.words_ru.as_ref().or(row.words_en.as_ref()).map(|_| json!({ "ru": row.words_ru, "en": row.words_en }));
        let after = json!({ "state": row.state.name(), "reason": row.reason, "words": words });
        let change = (Some(json!({ "state": before.name() })), Some(after));
        write_down(tx, &Actor::from(&decided.staff), decided.decision.name(), id, change, now).await
    }

    /// Tells the claim that waits, if one does, and gives until when it waits for its customer now.
    async fn tell_claim(&self, tx: &mut Tx, row: &Row, decided: &Decided) -> Result<Option<Timestamp>> {
        let Some(claim) = row.claim_id else { return Ok(None) };
        let staff = decided.staff.clone();
        let what = match decided.decision {
            Decision::Accept => Proving::Accepted(staff),
            Decision::Again => Proving::AskedAgain(staff),
            Decision::Reject => Proving::Rejected(staff, self.reason(row).unwrap_or_default()),
        };
        self.claims.clone().hear(tx, claim, &what).await
    }

    async fn write_letter(&self, tx: &mut Tx, row: &Row, decision: Decision, now: Timestamp) -> Result<()> {
        let kind = match decision {
            Decision::Accept => "verification_accepted",
            Decision::Again => "verification_again",
            // The letter about the claim that is refused says why.
            Decision::Reject if row.claim_id.is_some() => return Ok(()),
            Decision::Reject => "verification_rejected",
        };
        let (to, letter) = letter(kind, row, self.reason(row).as_ref());
        self.mailroom.send(tx, &to, &letter, now).await
    }
}

/// Whether everything is said that the customer is to be told.
fn check(decided: &Decided) -> Result<()> {
    let refused = |field: &str, code| Error::unprocessable("validation_failed").at(field, code);
    for (field, words) in [("words.ru", &decided.words_ru), ("words.en", &decided.words_en)] {
        if words.as_ref().is_some_and(|words| words.chars().count() > WORDS_MAX) {
            return Err(refused(field, "text_too_long").with("max", WORDS_MAX));
        }
    }
    if !decided.decision.needs_reason() {
        return Ok(());
    }
    match decided.reason.as_deref() {
        None => Err(refused("reason", "required")),
        Some(code) if !REASONS.contains(&code) => Err(refused("reason", "reason_unknown")),
        Some(OTHER) if decided.words_ru.is_none() => Err(refused("words.ru", "required")),
        Some(OTHER) if decided.words_en.is_none() => Err(refused("words.en", "required")),
        Some(_) => Ok(()),
    }
}

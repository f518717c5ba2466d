//! What staff decide on what was earned: where it looks like the referrer's own exchange, or where nobody could tell how much it is.

use std::sync::Arc;

use agio_core::audit::{self, Entry};
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Staff};
use agio_core::{Error, Result, Timestamp, Tx};
use serde_json::json;
use uuid::Uuid;

use super::accruing::{Priced, changed};
use super::{Referral, refused, too_long, units as amount};
use crate::model::AccrualState;
use crate::store::accruals::{self, Accrual};
use crate::store::programmes;
use crate::store::referrers::{self, Referrer};

/// The longest words of a decision.
const WORDS_MAX: usize = 500;

/// A decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is the referrer's.
    Approve,
    /// It is not.
    Refuse,
}

/// A decision of a member of staff.
#[derive(Clone, Debug)]
pub struct Decided {
    /// Who.
    pub staff: Staff,
    /// What.
    pub verdict: Verdict,
    /// Why, for colleagues; needed for a refusal.
    pub words: Option<String>,
}

impl Referral {
    /// Decides on what was earned by an exchange. What had no price gets that of this moment.
    ///
    /// # Errors
    /// 404 `referral_accrual_not_found`; 409 `referral_accrual_closed` when nothing is to be decided, `referral_no_worth` when its worth
    /// still cannot be told; 422 for the words.
    pub async fn decide(self: &Arc<Self>, id: Uuid, decided: Decided, key: Option<Key>) -> Result<()> {
        let words = decided.words.as_deref().map(str::trim).unwrap_or_default();
        if words.is_empty() && decided.verdict == Verdict::Refuse {
            return Err(refused("words", "required"));
        }
        if words.chars().count() > WORDS_MAX {
            return Err(too_long("words", WORDS_MAX));
        }
        let (this, now) = (self.clone(), self.platform.clock.now());
        let decided = Arc::new(Decided { words: Some(words.to_owned()).filter(|words| !words.is_empty()), ..decided });
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, decided) = (this.clone(), decided.clone());
            Box::pin(async move { this.carry_out(tx, id, &decided, now).await })
        })
        .await
    }

    async fn carry_out(&self, tx: &mut Tx, id: Uuid, decided: &Decided, now: Timestamp) -> Result<()> {
        let not_found = || Error::not_found("referral_accrual_not_found");
        let seen = accruals::one(tx, id).await?.ok_or_else(not_found)?;
        let referrer = referrers::lock(tx, seen.referrer_id).await?.ok_or_else(not_found)?;
        let mut row = accruals::one(tx, id).await?.ok_or_else(not_found)?;
        let before = row.state;
        if !before.is_open() {
            return Err(Error::conflict("referral_accrual_closed"));
        }
        row.words.clone_from(&decided.words);
        (row.decided_by, row.decided_name) = (Some(decided.staff.id), Some(decided.staff.name.clone()));
        (row.decided_at, row.updated_at) = (Some(now), now);
        match decided.verdict {
            Verdict::Approve => self.take_as_theirs(tx, &mut row, &referrer, now).await?,
            Verdict::Refuse => {
                row.state = AccrualState::Refused;
                if let Some(currency) = row.currency_id {
                    self.book_refused(tx, row.id, referrer.customer_id, (currency, row.units), now).await?;
                }
            }
        }
        if !accruals::update(tx, before, &row).await? {
            return Err(changed());
        }
        let action = match decided.verdict {
            Verdict::Approve => "referral.approved",
            Verdict::Refuse => "referral.refused",
        };
        let after = json!({ "state": row.state, "amount": amount(row.units, row.scale).to_string(), "words": row.words });
        let entry = Entry {
            by: &Actor::from(&decided.staff),
            action,
            about: "referral_accrual",
            id: id.to_string(),
            before: Some(json!({ "state": before })),
            after: Some(after),
        };
        audit::record(tx, entry, now).await
    }

    async fn take_as_theirs(&self, tx: &mut Tx, row: &mut Accrual, referrer: &Referrer, now: Timestamp) -> Result<()> {
        if !row.is_counted {
            referrers::add_volume(tx, referrer.customer_id, row.volume).await?;
            row.is_counted = true;
        }
        if row.state == AccrualState::Review {
            row.state = AccrualState::Held;
            return Ok(());
        }
        let programme = programmes::holding(tx, referrer.programme_id).await?;
        let percent = row.percent.parse().map_err(Error::internal)?;
        let of = (row.of_currency, amount(row.of_units, row.of_scale));
        match self.price(&programme.terms, percent, of, referrer.currency_id) {
            Priced::Units(units, (currency, scale)) => {
                (row.state, row.reason, row.units) = (AccrualState::Held, None, units);
                (row.currency_id, row.scale) = (Some(currency), scale);
                row.available_at = row.available_at.max(now);
                self.book_pending(tx, referrer, row).await
            }
            Priced::Nothing(reason) => {
                (row.state, row.reason) = (AccrualState::Nothing, Some(reason.to_owned()));
                Ok(())
            }
            Priced::Unknown(_) => Err(Error::conflict("referral_no_worth")),
        }
    }
}

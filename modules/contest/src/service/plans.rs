//! Creating, updating and cancelling contests.

use std::sync::Arc;

use agio_core::decimal::StoredDecimal;
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Staff};
use agio_core::texts::Bilingual;
use agio_core::{Error, FieldError, Result, Timestamp, hex};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Contests, changed, check_revision, not_found, record_audit, secret_purpose};
use crate::model::ContestState;
use crate::model::draw::commitment;
use crate::store::{self, ContestRow, PrizeRow};

const TITLE_MAX: usize = 120;
const RULES_MAX: usize = 4_000;
const SOURCE_MAX: usize = 500;
const PRIZES_MAX: usize = 100;
const WEIGHT_MAX: i64 = 1_000;
/// Minimum time between the end of the period and the public randomness.
const MIN_PAUSE_MICROS: i64 = 10 * 60 * 1_000_000;

/// Listed by place.
#[derive(Clone, Copy, Debug)]
pub struct PlannedPrize {
    pub currency: i64,
    pub amount: Decimal,
}

#[derive(Clone, Debug)]
pub struct ContestPlan {
    pub title: Bilingual,
    pub rules: Bilingual,
    pub source: Bilingual,
    pub starts_at: Timestamp,
    pub ends_at: Timestamp,
    pub public_at: Timestamp,
    /// `None` if every exchange is one ticket.
    pub volume_per_ticket: Option<Decimal>,
    pub max_tickets: i64,
    pub prizes: Vec<PlannedPrize>,
}

impl Contests {
    /// Creates a contest and publishes the commitment to its secret.
    ///
    /// # Errors
    /// 422 `validation_failed`; 409 `contest_overlaps`.
    pub async fn create_contest(self: &Arc<Self>, plan: ContestPlan, staff: Staff, key: Option<Key>) -> Result<Uuid> {
        let now = self.platform.clock.now();
        let id = self.platform.random.uuid();
        let mut secret = [0; 32];
        self.platform.random.fill(&mut secret);
        let sealed = self.platform.vault.seal(&secret_purpose(id), &secret);
        let blank = blank(id, sealed, hex::encode(commitment(&secret)), now);
        let (row, prizes) = self.build_contest(&blank, plan)?;
        let input = Arc::new((row, prizes, Actor::from(&staff)));
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let input = input.clone();
            Box::pin(async move {
                let (row, prizes, by) = &*input;
                tx.lock("contest", "periods").await?;
                if store::overlaps(tx, row).await? {
                    return Err(Error::conflict("contest_overlaps"));
                }
                store::insert(tx, row, prizes).await?;
                record_audit(tx, by, "planned", id, (None, Some(audit_snapshot(row, prizes))), now).await?;
                Ok(id)
            })
        })
        .await
    }

    /// Possible until its period begins. The secret stays.
    ///
    /// # Errors
    /// 404 `contest_not_found`; 409 `contest_changed`, `contest_begun`, `contest_overlaps`; 422 `validation_failed`.
    pub async fn update_contest(self: &Arc<Self>, id: Uuid, revision: i64, plan: ContestPlan, staff: Staff) -> Result<()> {
        let (this, input, now) = (self.clone(), Arc::new((plan, Actor::from(&staff))), self.platform.clock.now());
        let work = self.platform.db.write(move |tx| {
            let (this, input) = (this.clone(), input.clone());
            Box::pin(async move {
                tx.lock("contest", "periods").await?;
                let before = store::one(tx, id).await?.ok_or_else(not_found)?;
                check_revision(&before, revision)?;
                if before.state != ContestState::Planned || before.starts_at <= now {
                    return Err(Error::conflict("contest_begun"));
                }
                let (mut after, prizes) =
                    this.build_contest(&ContestRow { updated_at: now, ..before.clone() }, input.0.clone())?;
                if store::overlaps(tx, &after).await? {
                    return Err(Error::conflict("contest_overlaps"));
                }
                let change =
                    (Some(audit_snapshot(&before, &store::prizes(tx, id).await?)), Some(audit_snapshot(&after, &prizes)));
                if !store::update(tx, &mut after).await? {
                    return Err(changed());
                }
                store::put_prizes(tx, id, &prizes).await?;
                record_audit(tx, &input.1, "changed", id, change, now).await
            })
        });
        work.await
    }

    /// Possible until it is closed.
    ///
    /// # Errors
    /// 404 `contest_not_found`; 409 `contest_changed`, `contest_not_open`.
    pub async fn cancel_contest(self: &Arc<Self>, id: Uuid, revision: i64, staff: Staff) -> Result<()> {
        let (by, now) = (Arc::new(Actor::from(&staff)), self.platform.clock.now());
        let work = self.platform.db.write(move |tx| {
            let by = by.clone();
            Box::pin(async move {
                let mut row = store::one(tx, id).await?.ok_or_else(not_found)?;
                check_revision(&row, revision)?;
                if !row.state.is_open() {
                    return Err(Error::conflict("contest_not_open"));
                }
                let before = json!({ "state": row.state.name() });
                (row.state, row.updated_at) = (ContestState::Cancelled, now);
                if !store::update(tx, &mut row).await? {
                    return Err(changed());
                }
                record_audit(tx, &by, "cancelled", id, (Some(before), None), now).await
            })
        });
        work.await
    }

    fn build_contest(&self, base: &ContestRow, plan: ContestPlan) -> Result<(ContestRow, Vec<PrizeRow>)> {
        let mut wrong = faults(&plan, self.platform.clock.now());
        let mut prizes = Vec::new();
        for (place, prize) in (1_i64..).zip(&plan.prizes) {
            match self.prize(place, *prize) {
                Ok(prize) => prizes.push(prize),
                Err(fault) => wrong.push(fault),
            }
        }
        if !wrong.is_empty() {
            return Err(Error::invalid(wrong));
        }
        let trimmed = |text: &str| text.trim().to_owned();
        let row = ContestRow {
            title_ru: trimmed(&plan.title.ru),
            title_en: trimmed(&plan.title.en),
            rules_ru: trimmed(&plan.rules.ru),
            rules_en: trimmed(&plan.rules.en),
            source_ru: trimmed(&plan.source.ru),
            source_en: trimmed(&plan.source.en),
            starts_at: plan.starts_at,
            ends_at: plan.ends_at,
            public_at: plan.public_at,
            volume_per_ticket: plan.volume_per_ticket.map(StoredDecimal),
            max_tickets: plan.max_tickets,
            ..base.clone()
        };
        Ok((row, prizes))
    }

    fn prize(&self, place: i64, prize: PlannedPrize) -> Result<PrizeRow, FieldError> {
        let field = |name: &str| format!("prizes[{}].{name}", place - 1);
        let facts = self.currency(prize.currency).ok_or_else(|| FieldError::new(field("currencyId"), "currency_unknown"))?;
        let amount = facts.exact(prize.amount);
        let amount = amount
            .map_err(|error| FieldError { params: error.params().clone(), ..FieldError::new(field("amount"), error.code()) })?;
        if amount.units() <= 0 {
            return Err(FieldError::new(field("amount"), "prize_not_positive"));
        }
        Ok(PrizeRow { place, currency_id: prize.currency, units: amount.units() })
    }
}

fn faults(plan: &ContestPlan, now: Timestamp) -> Vec<FieldError> {
    let mut wrong = Vec::new();
    let texts = [("title", &plan.title, TITLE_MAX), ("rules", &plan.rules, RULES_MAX), ("source", &plan.source, SOURCE_MAX)];
    for (name, text, max) in texts {
        for (language, text) in [("ru", &text.ru), ("en", &text.en)] {
            let is_control = |sign: char| sign.is_control() && !(name == "rules" && sign == '\n');
            if text.trim().is_empty() {
                wrong.push(FieldError::new(format!("{name}.{language}"), "required"));
            } else if text.chars().count() > max || text.chars().any(is_control) {
                wrong.push(FieldError::new(format!("{name}.{language}"), "text_too_long").with("max", max));
            }
        }
    }
    if plan.starts_at <= now {
        wrong.push(FieldError::new("startsAt", "contest_starts_in_the_past"));
    }
    if plan.ends_at <= plan.starts_at {
        wrong.push(FieldError::new("endsAt", "contest_ends_too_soon"));
    }
    if plan.public_at.0.saturating_sub(plan.ends_at.0) < MIN_PAUSE_MICROS {
        wrong.push(FieldError::new("publicAt", "contest_public_too_soon"));
    }
    if plan.volume_per_ticket.is_some_and(|each| each <= Decimal::ZERO || each > Decimal::from(1_000_000_000)) {
        wrong.push(range("volumePerTicket", "0.00000001", "1000000000"));
    }
    if !(1..=WEIGHT_MAX).contains(&plan.max_tickets) {
        wrong.push(range("maxTickets", 1, WEIGHT_MAX));
    }
    if !(1..=PRIZES_MAX).contains(&plan.prizes.len()) {
        wrong.push(range("prizes", 1, PRIZES_MAX));
    }
    wrong
}

fn range(field: &str, min: impl ToString, max: impl ToString) -> FieldError {
    FieldError::new(field, "value_out_of_range").with("min", min).with("max", max)
}

/// What the audit log records.
fn audit_snapshot(row: &ContestRow, prizes: &[PrizeRow]) -> Value {
    let prizes: Vec<_> = prizes.iter().map(|prize| json!([prize.currency_id, prize.units])).collect();
    json!({
        "title": row.title_ru, "startsAt": row.starts_at, "endsAt": row.ends_at, "publicAt": row.public_at, "volumePerTicket": row.volume_per_ticket,
        "maxTickets": row.max_tickets, "source": row.source_ru, "commitment": row.commitment, "prizes": prizes,
    })
}

/// An empty contest with a secret.
fn blank(id: Uuid, secret: String, commitment: String, now: Timestamp) -> ContestRow {
    ContestRow {
        id,
        state: ContestState::Planned,
        title_ru: String::new(),
        title_en: String::new(),
        rules_ru: String::new(),
        rules_en: String::new(),
        starts_at: now,
        ends_at: now,
        public_at: now,
        volume_per_ticket: None,
        max_tickets: 1,
        source_ru: String::new(),
        source_en: String::new(),
        commitment,
        secret,
        revealed: None,
        entrants: None,
        entrants_digest: None,
        public_value: None,
        public_reference: None,
        revision: 1,
        created_at: now,
        updated_at: now,
        closed_at: None,
        drawn_at: None,
    }
}

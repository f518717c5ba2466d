//! What staff plan: periods, prizes and rules.

use std::sync::Arc;

use agio_core::error::Params;
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Staff};
use agio_core::texts::Bilingual;
use agio_core::{Amount, Error, FieldError, Result, Timestamp, hex};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Contests, changed, is_seen, not_found, sealing, write_down};
use crate::model::State;
use crate::model::draw::commitment;
use crate::store::{self, Prize, Row};

const TITLE_MAX: usize = 120;
const RULES_MAX: usize = 4_000;
const SOURCE_MAX: usize = 500;
const PRIZES_MAX: usize = 100;
/// The greatest weight an operator may allow one exchange.
const WEIGHT_MAX: i64 = 1_000;
/// How long the list must be known before the public value may be taken.
const LEAST_PAUSE_MICROS: i64 = 10 * 60 * 1_000_000;

/// A prize that is planned; the first is for the first place.
#[derive(Clone, Copy, Debug)]
pub struct PlannedPrize {
    /// The currency.
    pub currency: i64,
    /// How much.
    pub amount: Decimal,
}

/// A contest as somebody plans it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What it is called.
    pub title: Bilingual,
    /// Its rules, in plain text.
    pub rules: Bilingual,
    /// The value that nobody controls.
    pub source: Bilingual,
    /// When its period begins.
    pub starts_at: Timestamp,
    /// When it ends; exchanges done then are no entries any more.
    pub ends_at: Timestamp,
    /// From when on the public value may be taken.
    pub public_at: Timestamp,
    /// For how much of the base currency an exchange is one ticket; nothing where each is one.
    pub per_worth: Option<Decimal>,
    /// How many tickets one exchange is at most.
    pub most_weight: i64,
    /// The prizes.
    pub prizes: Vec<PlannedPrize>,
}

impl Contests {
    /// Plans a contest; the digest of its secret is public from now on.
    ///
    /// # Errors
    /// 422 `validation_failed` with what is wrong; 409 `contest_overlaps`.
    pub async fn plan(self: &Arc<Self>, plan: Plan, staff: Staff, key: Option<Key>) -> Result<Uuid> {
        let now = self.platform.clock.now();
        let id = self.platform.random.uuid();
        let mut secret = [0; 32];
        self.platform.random.fill(&mut secret);
        let sealed = self.platform.vault.seal(&sealing(id), &secret);
        let blank = blank(id, sealed, hex::encode(commitment(&secret)), now);
        let (row, prizes) = self.planned(&blank, plan)?;
        let kept = Arc::new((row, prizes, Actor::from(&staff)));
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let kept = kept.clone();
            Box::pin(async move {
                let (row, prizes, by) = &*kept;
                tx.lock("contest", "periods").await?;
                if store::overlaps(tx, row).await? {
                    return Err(Error::conflict("contest_overlaps"));
                }
                store::insert(tx, row, prizes).await?;
                write_down(tx, by, "planned", id, (None, Some(told(row, prizes))), now).await?;
                Ok(id)
            })
        })
        .await
    }

    /// Plans a contest anew, as long as its period has not begun. Its secret stays.
    ///
    /// # Errors
    /// 404 `contest_not_found`; 409 `contest_changed`, `contest_begun`, `contest_overlaps`; 422 `validation_failed`.
    pub async fn replan(self: &Arc<Self>, id: Uuid, revision: i64, plan: Plan, staff: Staff) -> Result<()> {
        let (this, kept, now) = (self.clone(), Arc::new((plan, Actor::from(&staff))), self.platform.clock.now());
        let work = self.platform.db.write(move |tx| {
            let (this, kept) = (this.clone(), kept.clone());
            Box::pin(async move {
                tx.lock("contest", "periods").await?;
                let before = store::one(tx, id).await?.ok_or_else(not_found)?;
                is_seen(&before, revision)?;
                if before.state != State::Planned || before.starts_at <= now {
                    return Err(Error::conflict("contest_begun"));
                }
                let (mut after, prizes) = this.planned(&Row { updated_at: now, ..before.clone() }, kept.0.clone())?;
                if store::overlaps(tx, &after).await? {
                    return Err(Error::conflict("contest_overlaps"));
                }
                let change = (Some(told(&before, &store::prizes(tx, id).await?)), Some(told(&after, &prizes)));
                if !store::update(tx, &mut after).await? {
                    return Err(changed());
                }
                store::put_prizes(tx, id, &prizes).await?;
                write_down(tx, &kept.1, "changed", id, change, now).await
            })
        });
        work.await
    }

    /// Calls a contest off before its list is fixed.
    ///
    /// # Errors
    /// 404 `contest_not_found`; 409 `contest_changed`, `contest_not_open`.
    pub async fn cancel(self: &Arc<Self>, id: Uuid, revision: i64, staff: Staff) -> Result<()> {
        let (by, now) = (Arc::new(Actor::from(&staff)), self.platform.clock.now());
        let work = self.platform.db.write(move |tx| {
            let by = by.clone();
            Box::pin(async move {
                let mut row = store::one(tx, id).await?.ok_or_else(not_found)?;
                is_seen(&row, revision)?;
                if !row.state.is_open() {
                    return Err(Error::conflict("contest_not_open"));
                }
                let before = json!({ "state": row.state.name() });
                (row.state, row.updated_at) = (State::Cancelled, now);
                if !store::update(tx, &mut row).await? {
                    return Err(changed());
                }
                write_down(tx, &by, "cancelled", id, (Some(before), None), now).await
            })
        });
        work.await
    }

    /// A contest as it is planned, with its prizes.
    fn planned(&self, base: &Row, plan: Plan) -> Result<(Row, Vec<Prize>)> {
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
        let row = Row {
            title_ru: trimmed(&plan.title.ru),
            title_en: trimmed(&plan.title.en),
            rules_ru: trimmed(&plan.rules.ru),
            rules_en: trimmed(&plan.rules.en),
            source_ru: trimmed(&plan.source.ru),
            source_en: trimmed(&plan.source.en),
            starts_at: plan.starts_at,
            ends_at: plan.ends_at,
            public_at: plan.public_at,
            per_worth: plan.per_worth.map(agio_core::money::plain),
            most_weight: plan.most_weight,
            ..base.clone()
        };
        Ok((row, prizes))
    }

    fn prize(&self, place: i64, prize: PlannedPrize) -> Result<Prize, FieldError> {
        let field = |name: &str| format!("prizes[{}].{name}", place - 1);
        let facts = self.currency(prize.currency).ok_or_else(|| fault(field("currencyId"), "currency_unknown"))?;
        let amount = Amount::exact(prize.amount, facts.scale);
        let amount =
            amount.map_err(|error| FieldError { params: error.params().clone(), ..fault(field("amount"), error.code()) })?;
        if amount.units() <= 0 {
            return Err(fault(field("amount"), "prize_not_positive"));
        }
        Ok(Prize { place, currency_id: prize.currency, units: amount.units() })
    }
}

fn faults(plan: &Plan, now: Timestamp) -> Vec<FieldError> {
    let mut wrong = Vec::new();
    let texts = [("title", &plan.title, TITLE_MAX), ("rules", &plan.rules, RULES_MAX), ("source", &plan.source, SOURCE_MAX)];
    for (name, text, max) in texts {
        for (language, text) in [("ru", &text.ru), ("en", &text.en)] {
            let is_control = |sign: char| sign.is_control() && !(name == "rules" && sign == '\n');
            if text.trim().is_empty() {
                wrong.push(fault(format!("{name}.{language}"), "required"));
            } else if text.chars().count() > max || text.chars().any(is_control) {
                let params = [("max", max.to_string())].into();
                wrong.push(FieldError { params, ..fault(format!("{name}.{language}"), "text_too_long") });
            }
        }
    }
    if plan.starts_at <= now {
        wrong.push(fault("startsAt", "contest_starts_in_the_past"));
    }
    if plan.ends_at <= plan.starts_at {
        wrong.push(fault("endsAt", "contest_ends_too_soon"));
    }
    if plan.public_at.0.saturating_sub(plan.ends_at.0) < LEAST_PAUSE_MICROS {
        wrong.push(fault("publicAt", "contest_public_too_soon"));
    }
    if plan.per_worth.is_some_and(|each| each <= Decimal::ZERO || each > Decimal::from(1_000_000_000)) {
        wrong.push(range("perWorth", "0.00000001", "1000000000"));
    }
    if !(1..=WEIGHT_MAX).contains(&plan.most_weight) {
        wrong.push(range("mostWeight", 1, WEIGHT_MAX));
    }
    if !(1..=PRIZES_MAX).contains(&plan.prizes.len()) {
        wrong.push(range("prizes", 1, PRIZES_MAX));
    }
    wrong
}

fn range(field: &str, least: impl ToString, most: impl ToString) -> FieldError {
    let params = [("min", least.to_string()), ("max", most.to_string())].into();
    FieldError { params, ..fault(field, "value_out_of_range") }
}

fn fault(field: impl Into<String>, code: &'static str) -> FieldError {
    FieldError { field: field.into(), code, params: Params::new() }
}

/// What the audit log keeps of a plan.
fn told(row: &Row, prizes: &[Prize]) -> Value {
    let prizes: Vec<_> = prizes.iter().map(|prize| json!([prize.currency_id, prize.units])).collect();
    json!({
        "title": row.title_ru, "startsAt": row.starts_at, "endsAt": row.ends_at, "publicAt": row.public_at, "perWorth": row.per_worth,
        "mostWeight": row.most_weight, "source": row.source_ru, "commitment": row.commitment, "prizes": prizes,
    })
}

/// A contest of which nothing is planned but its secret.
fn blank(id: Uuid, secret: String, commitment: String, now: Timestamp) -> Row {
    Row {
        id,
        state: State::Planned,
        title_ru: String::new(),
        title_en: String::new(),
        rules_ru: String::new(),
        rules_en: String::new(),
        starts_at: now,
        ends_at: now,
        public_at: now,
        per_worth: None,
        most_weight: 1,
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

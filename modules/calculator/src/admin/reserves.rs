//! Reserves and their movements.

use std::sync::Arc;

use agio_core::{Error, Result, Timestamp};
use agio_http::{Answer, Dec, IdempotencyKey, Input, Moment, Null, Outcome, StaffAuth};
use agio_ledger::MovementRow;
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object, OpenApi};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Tag;
use crate::market::Currency;
use crate::service::{Moved, MovementReason, ReserveSeen};
use crate::{Calculator, RESERVES_MOVE, RESERVES_READ};

/// How many movements a page has.
const PAGE: usize = 50;

/// The reserve of a currency.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct ReserveRow {
    /// The currency.
    currency_id: i64,
    /// Its code.
    code: String,
    /// What is free.
    available: Dec,
    /// What is set aside for open claims.
    held: Dec,
    /// What is free should not fall below this.
    floor: Dec,
    /// When what is free last changed; null while it never did.
    updated_at: Null<Moment>,
}

/// A page of movements, newest first.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct ReserveMovements {
    /// The movements.
    items: Vec<ReserveMovement>,
    /// What the next page is asked for with; null on the last one.
    next_cursor: Null<String>,
}

/// A change of a reserve.
#[derive(Debug, Serialize, Object)]
struct ReserveMovement {
    /// When.
    at: Moment,
    /// By how much; less than zero was taken out or set aside.
    amount: Dec,
    /// Why: `deposit`, `withdrawal`, `correction`, or what a claim did.
    reason: String,
    /// What was noted.
    note: Null<String>,
    /// Who did it; null for the house itself.
    actor: Null<String>,
    /// The batch in the books.
    batch: Uuid,
}

/// Why a reserve is moved by hand.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
enum ReserveReason {
    /// Money was brought in: the amount is above zero.
    Deposit,
    /// Money was taken out: the amount is below zero.
    Withdrawal,
    /// The books did not agree with what is there; either way, with a note.
    Correction,
}

/// A movement to be posted.
#[derive(Debug, Deserialize, Serialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields, example)]
struct ReserveMove {
    /// By how much the reserve changes; less than zero takes out.
    amount: Dec,
    /// Why.
    reason: ReserveReason,
    /// What is to be remembered of it; a correction needs one.
    #[serde(default)]
    #[oai(default)]
    note: String,
}

impl Example for ReserveMove {
    fn example() -> Self {
        Self { amount: Dec(Decimal::new(5, 1)), reason: ReserveReason::Deposit, note: "From the cold wallet".to_owned() }
    }
}

pub(super) struct ReserveDesk(pub(super) Arc<Calculator>);

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Reserves")]
impl ReserveDesk {
    /// Reserves
    ///
    /// Of every currency, in the order of lists. Needs `reserves.read`.
    #[oai(path = "/reserves", method = "get", operation_id = "listReserves")]
    async fn reserves(&self, auth: StaffAuth) -> Outcome<Answer<Vec<ReserveRow>>> {
        auth.may(RESERVES_READ)?;
        let market = self.0.market();
        let currencies: Vec<&Currency> = market.currencies.iter().map(AsRef::as_ref).collect();
        let reserves = self.0.reserves_of(&currencies).await?;
        Ok(Answer(currencies.into_iter().zip(reserves).map(|(currency, reserve)| row(currency, &reserve)).collect()))
    }

    /// Movements of a reserve
    ///
    /// Newest first, 50 a page. Needs `reserves.read`.
    #[oai(path = "/reserves/:currencyId/movements", method = "get", operation_id = "listReserveMovements")]
    async fn movements(
        &self,
        auth: StaffAuth,
        #[oai(name = "currencyId")] currency_id: Path<i64>,
        cursor: Query<Option<String>>,
    ) -> Outcome<Answer<ReserveMovements>> {
        auth.may(RESERVES_READ)?;
        let market = self.0.market();
        let currency = market.currency(currency_id.0).ok_or_else(|| Error::not_found("currency_unknown"))?;
        let before = cursor.0.as_deref().map_or(Ok(Timestamp(i64::MAX)), read_cursor)?;
        let mut rows = self.0.movements(currency_id.0, before, PAGE as i64 + 1).await?;
        let next = (rows.len() > PAGE).then(|| {
            rows.truncate(PAGE);
            rows[PAGE - 1].created_at.0.to_string()
        });
        let items = rows.into_iter().map(|movement| movement_view(currency, movement)).collect();
        Ok(Answer(ReserveMovements { items, next_cursor: Null(next) }))
    }

    /// Move a reserve
    ///
    /// Posts a batch to the books: a deposit, a withdrawal or a correction. Needs `reserves.move`.
    #[oai(path = "/reserves/:currencyId/movements", method = "post", operation_id = "moveReserve")]
    async fn move_reserve(
        &self,
        auth: StaffAuth,
        #[oai(name = "currencyId")] currency_id: Path<i64>,
        #[oai(name = "Idempotency-Key")] key: Header<Option<String>>,
        body: Input<ReserveMove>,
    ) -> Outcome<Answer<ReserveRow>> {
        let staff = auth.may(RESERVES_MOVE)?;
        let content = serde_json::to_vec(&body.0).map_err(Error::internal)?;
        let scope = format!("reserve:{}:{}", currency_id.0, staff.id);
        let key = IdempotencyKey::check(key.0)?.for_content(scope, &content);
        let ReserveMove { amount, reason, note } = body.0;
        let moved = Moved { currency: currency_id.0, amount: amount.0, reason: reason.into(), note };
        self.0.move_reserve(moved, &staff, key).await?;
        let market = self.0.market();
        let currency = market.currency(currency_id.0).ok_or_else(|| Error::not_found("currency_unknown"))?;
        let reserves = self.0.reserves_of(&[currency]).await?;
        Ok(Answer(row(currency, &reserves[0])))
    }
}

fn read_cursor(cursor: &str) -> Result<Timestamp> {
    let malformed = || Error::unprocessable("validation_failed").at("cursor", "malformed_parameter");
    cursor.parse().map(Timestamp).map_err(|_| malformed())
}

fn row(currency: &Currency, reserve: &ReserveSeen) -> ReserveRow {
    ReserveRow {
        currency_id: currency.id(),
        code: currency.facts.code.clone(),
        available: Dec(reserve.available.value()),
        held: Dec(reserve.held.value()),
        floor: Dec(currency.amount(currency.reserve_floor).value()),
        updated_at: Null(reserve.changed_at.map(Moment)),
    }
}

fn movement_view(currency: &Currency, movement: MovementRow) -> ReserveMovement {
    ReserveMovement {
        at: Moment(movement.created_at),
        amount: Dec(currency.amount(movement.amount).value()),
        reason: movement.reason,
        note: Null(movement.note),
        actor: Null(movement.actor),
        batch: movement.batch_id,
    }
}

impl From<ReserveReason> for MovementReason {
    fn from(reason: ReserveReason) -> Self {
        match reason {
            ReserveReason::Deposit => Self::Deposit,
            ReserveReason::Withdrawal => Self::Withdrawal,
            ReserveReason::Correction => Self::Correction,
        }
    }
}

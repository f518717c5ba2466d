//! Reserves and their movements.

use std::sync::Arc;

use agio_core::Error;
use agio_http::{
    ApiEnum, ApiResult, Cursor, DateTime, Dec, IdempotencyKey, JsonBody, JsonResponse, Nullable, Page, StaffAuth, body,
};
use agio_ledger::{MovementKey, ReserveMovementRow};
use poem_openapi::OpenApi;
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::types::Example;
use rust_decimal::Decimal;
use uuid::Uuid;

use super::Tag;
use crate::market::Currency;
use crate::service::{ReserveBalance, ReserveMovementOrder, ReserveMovementReason};
use crate::{Calculator, RESERVES_MOVE, RESERVES_READ};

const PAGE: usize = 50;

/// The reserve of a currency.
#[body(response)]
#[derive(Debug)]
struct ReserveView {
    /// Currency.
    currency_id: i64,
    /// Currency code.
    code: String,
    /// Available amount.
    available: Dec,
    /// Amount held for open claims.
    held: Dec,
    /// The console warns when the available amount falls below this.
    floor: Dec,
    /// When the available amount last changed. Null if it never did.
    updated_at: Nullable<DateTime>,
}

/// A reserve movement.
#[body(response)]
#[derive(Debug)]
struct ReserveMovement {
    /// Time.
    at: DateTime,
    /// Amount. Negative if it reduces the available reserve.
    amount: Dec,
    /// Reason: `deposit`, `withdrawal`, `correction`, or the claim event.
    reason: String,
    /// Note.
    note: Nullable<String>,
    /// Who posted it. Null for the system.
    actor: Nullable<String>,
    /// Ledger batch.
    batch: Uuid,
}

/// A reserve movement to post.
#[body(shared, example)]
#[derive(Debug)]
struct CreateReserveMovementRequest {
    /// Change of the reserve. Negative withdraws.
    amount: Dec,
    /// Reason.
    reason: ApiEnum<ReserveMovementReason>,
    /// Note. Required for a correction.
    #[serde(default)]
    #[oai(default)]
    note: String,
}

impl Example for CreateReserveMovementRequest {
    fn example() -> Self {
        Self {
            amount: Dec(Decimal::new(5, 1)),
            reason: ReserveMovementReason::Deposit.into(),
            note: "From the cold wallet".to_owned(),
        }
    }
}

pub(super) struct ReservesAdminApi(pub(super) Arc<Calculator>);

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Reserves")]
impl ReservesAdminApi {
    /// List reserves
    ///
    /// Reserves of all currencies, in list order. Needs `reserves.read`.
    #[oai(path = "/reserves", method = "get", operation_id = "listReserves")]
    async fn list_reserves(&self, auth: StaffAuth) -> ApiResult<JsonResponse<Vec<ReserveView>>> {
        auth.require(RESERVES_READ)?;
        let market = self.0.market();
        let currencies: Vec<&Currency> = market.currencies.iter().map(AsRef::as_ref).collect();
        let reserves = self.0.reserves_of(&currencies).await?;
        Ok(JsonResponse(currencies.into_iter().zip(reserves).map(|(currency, reserve)| row(currency, &reserve)).collect()))
    }

    /// List reserve movements
    ///
    /// Newest first, 50 per page. Needs `reserves.read`.
    #[oai(path = "/reserves/:currencyId/movements", method = "get", operation_id = "listReserveMovements")]
    async fn list_movements(
        &self,
        auth: StaffAuth,
        #[oai(name = "currencyId")] currency_id: Path<i64>,
        cursor: Query<Option<Cursor<MovementKey>>>,
    ) -> ApiResult<JsonResponse<Page<ReserveMovement, MovementKey>>> {
        auth.require(RESERVES_READ)?;
        let market = self.0.market();
        let currency = market.currency(currency_id.0).ok_or_else(|| Error::not_found("currency_unknown"))?;
        let page = self.0.movements(currency_id.0, cursor.0.map(|cursor| cursor.0), PAGE).await?;
        Ok(JsonResponse(Page::of(page, |movement| movement_view(currency, movement))))
    }

    /// Create a reserve movement
    ///
    /// Posts a deposit, a withdrawal or a correction to the ledger. Needs `reserves.move` and a fresh second factor.
    #[oai(path = "/reserves/:currencyId/movements", method = "post", operation_id = "createReserveMovement")]
    async fn create_movement(
        &self,
        auth: StaffAuth,
        #[oai(name = "currencyId")] currency_id: Path<i64>,
        #[oai(name = "Idempotency-Key")] key: Header<Option<String>>,
        body: JsonBody<CreateReserveMovementRequest>,
    ) -> ApiResult<JsonResponse<ReserveView>> {
        let staff = auth.require(RESERVES_MOVE)?;
        auth.require_fresh()?;
        let content = serde_json::to_vec(&body.0).map_err(Error::internal)?;
        let scope = format!("reserve:{}:{}", currency_id.0, staff.id);
        let key = IdempotencyKey::check(key.0)?.for_content(scope, &content);
        let CreateReserveMovementRequest { amount, reason, note } = body.0;
        let moved = ReserveMovementOrder { currency: currency_id.0, amount: amount.0, reason: reason.0, note };
        self.0.move_reserve(moved, &staff, key).await?;
        let market = self.0.market();
        let currency = market.currency(currency_id.0).ok_or_else(|| Error::not_found("currency_unknown"))?;
        let reserves = self.0.reserves_of(&[currency]).await?;
        Ok(JsonResponse(row(currency, &reserves[0])))
    }
}

fn row(currency: &Currency, reserve: &ReserveBalance) -> ReserveView {
    ReserveView {
        currency_id: currency.id(),
        code: currency.facts.code.clone(),
        available: Dec(reserve.available.value()),
        held: Dec(reserve.held.value()),
        floor: Dec(currency.amount(currency.reserve_floor).value()),
        updated_at: Nullable(reserve.changed_at.map(DateTime)),
    }
}

fn movement_view(currency: &Currency, movement: ReserveMovementRow) -> ReserveMovement {
    ReserveMovement {
        at: DateTime(movement.created_at),
        amount: Dec(currency.amount(movement.amount).value()),
        reason: movement.reason,
        note: Nullable(movement.note),
        actor: Nullable(movement.actor),
        batch: movement.batch_id,
    }
}

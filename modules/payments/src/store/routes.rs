//! Payment routes.

use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_optional};
use serde::{Deserialize, Serialize};

agio_core::statements! {
    ROUTES = "SELECT * FROM payment_route ORDER BY currency_id";
    ROUTE = "SELECT * FROM payment_route WHERE currency_id = $1";
    ENABLED_DRIVER = "SELECT driver FROM payment_route WHERE currency_id = $1 AND enabled";
    INSERT_ROUTE = "INSERT INTO payment_route (currency_id, driver, enabled, confirmations, tolerance, dust, screening, auto_payout,
            claim_limit, day_limit, spent_day, spent_units, revision, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 0, 1, $11, $11)";
    /// Stores a changed route, if it has not changed since it was read. A new driver starts without the old one's
    /// cursor.
    UPDATE_ROUTE = "UPDATE payment_route SET driver = $3, enabled = $4, confirmations = $5, tolerance = $6, dust = $7, screening = $8,
            auto_payout = $9, claim_limit = $10, day_limit = $11, updated_at = $12, revision = $2 + 1,
            cursor = CASE WHEN driver = $3 THEN cursor ELSE NULL END, height = CASE WHEN driver = $3 THEN height ELSE NULL END
        WHERE currency_id = $1 AND revision = $2";
    /// Stores the driver's new cursor, if it is still where the poll began. A fault ends with it, unless a claim waits
    /// for an invoice that was refused.
    MOVE_CURSOR = "UPDATE payment_route SET cursor = $3, height = $4, polled_at = $5,
            fault = CASE WHEN EXISTS (SELECT 1 FROM payment_invoice invoice
                WHERE invoice.currency_id = payment_route.currency_id AND invoice.driver_calls > 0) THEN fault END,
            fault_at = CASE WHEN EXISTS (SELECT 1 FROM payment_invoice invoice
                WHERE invoice.currency_id = payment_route.currency_id AND invoice.driver_calls > 0) THEN fault_at END
        WHERE currency_id = $1 AND COALESCE(cursor, '') = $2";
    SET_ROUTE_FAULT = "UPDATE payment_route SET fault = $2, fault_at = $3 WHERE currency_id = $1";
    /// Counts a payout against the limits. The update locks the row, and the limits are checked on the locked row.
    SPEND = "UPDATE payment_route SET spent_day = $2, spent_units = CASE WHEN spent_day = $2 THEN spent_units ELSE 0 END + $3
        WHERE currency_id = $1 AND auto_payout AND $3 <= claim_limit
            AND CASE WHEN spent_day = $2 THEN spent_units ELSE 0 END + $3 <= day_limit";
    /// Releases what a payout that did not leave had counted against the limits.
    RELEASE_SPEND = "UPDATE payment_route SET spent_units = spent_units - $3
        WHERE currency_id = $1 AND spent_day = $2 AND spent_units >= $3";
}

/// The payment route of a currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::FromRow)]
pub struct Route {
    pub currency_id: i64,
    /// The plugin that watches the network and pays on it.
    pub driver: String,
    /// Whether claims get addresses of the driver.
    pub enabled: bool,
    /// The confirmations a payment needs.
    pub confirmations: i64,
    /// The tolerated difference from the agreed amount, in units.
    pub tolerance: i64,
    /// Smaller payments are ignored, in units.
    pub dust: i64,
    /// The plugin that screens payments.
    pub screening: Option<String>,
    /// Whether payouts are automatic.
    pub auto_payout: bool,
    /// The limit of one automatic payout, in units.
    pub claim_limit: i64,
    /// The daily limit of automatic payouts, in units.
    pub day_limit: i64,
    /// The day of the count, in days since 1970-01-01 UTC.
    pub spent_day: i64,
    /// The amount paid out on that day, in units.
    pub spent_units: i64,
    /// The driver's cursor.
    pub cursor: Option<String>,
    /// The height of the newest block.
    pub height: Option<i64>,
    /// When the driver last answered.
    pub polled_at: Option<Timestamp>,
    /// The driver's last error since then.
    pub fault: Option<String>,
    pub fault_at: Option<Timestamp>,
    /// Incremented by every change of staff.
    pub revision: i64,
    pub created_at: Timestamp,
    /// When staff changed it last.
    pub updated_at: Timestamp,
}

pub async fn all(tx: &mut Tx) -> Result<Vec<Route>> {
    fetch_all!(tx, Route, ROUTES)
}

pub async fn of(tx: &mut Tx, currency: i64) -> Result<Option<Route>> {
    fetch_optional!(tx, Route, ROUTE, currency)
}

/// The driver whose addresses claims of a currency get.
pub async fn enabled_driver(tx: &mut Tx, currency: i64) -> Result<Option<String>> {
    Ok(fetch_optional!(tx, (String,), ENABLED_DRIVER, currency)?.map(|(driver,)| driver))
}

pub async fn insert(tx: &mut Tx, route: &Route) -> Result<()> {
    let Route { currency_id, driver, enabled, confirmations, tolerance, dust, screening, .. } = route;
    let Route { auto_payout, claim_limit, day_limit, created_at, .. } = route;
    let screening = screening.as_deref();
    execute!(
        tx,
        INSERT_ROUTE,
        currency_id,
        driver,
        enabled,
        confirmations,
        tolerance,
        dust,
        screening,
        auto_payout,
        claim_limit,
        day_limit,
        created_at
    )
    .map(drop)
}

/// Stores a changed route; false when it has changed since it was read.
pub async fn update(tx: &mut Tx, route: &Route) -> Result<bool> {
    let Route { currency_id, revision, driver, enabled, confirmations, tolerance, dust, screening, .. } = route;
    let Route { auto_payout, claim_limit, day_limit, updated_at, .. } = route;
    let screening = screening.as_deref();
    let stored = execute!(
        tx,
        UPDATE_ROUTE,
        currency_id,
        revision,
        driver,
        enabled,
        confirmations,
        tolerance,
        dust,
        screening,
        auto_payout,
        claim_limit,
        day_limit,
        updated_at
    )?;
    Ok(stored == 1)
}

/// Stores the driver's new cursor; false when another node has moved it.
pub async fn move_cursor(tx: &mut Tx, route: &Route, cursor: &str, height: i64, now: Timestamp) -> Result<bool> {
    let before = route.cursor.as_deref().unwrap_or_default();
    Ok(execute!(tx, MOVE_CURSOR, route.currency_id, before, cursor, height, now)? == 1)
}

/// Records why a driver did not answer.
pub async fn set_fault(tx: &mut Tx, currency: i64, fault: &str, now: Timestamp) -> Result<()> {
    execute!(tx, SET_ROUTE_FAULT, currency, fault, now).map(drop)
}

/// Counts a payout; false when it is over a limit.
pub async fn spend(tx: &mut Tx, currency: i64, day: i64, units: i64) -> Result<bool> {
    Ok(execute!(tx, SPEND, currency, day, units)? == 1)
}

/// Releases what a payout counted against the limits.
pub async fn release_spend(tx: &mut Tx, currency: i64, day: i64, units: i64) -> Result<()> {
    execute!(tx, RELEASE_SPEND, currency, day, units).map(drop)
}

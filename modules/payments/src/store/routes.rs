//! How each currency is watched and paid.

use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_optional};
use serde::{Deserialize, Serialize};

agio_core::statements! {
    ROUTES = "SELECT * FROM payment_route ORDER BY currency_id";
    ROUTE = "SELECT * FROM payment_route WHERE currency_id = $1";
    ROUTE_IS_ENABLED = "SELECT enabled FROM payment_route WHERE currency_id = $1";
    INSERT_ROUTE = "INSERT INTO payment_route (currency_id, driver, enabled, confirmations, tolerance, dust, screening, auto_payout,
            claim_limit, day_limit, spent_day, spent_units, revision, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 0, 1, $11, $11)";
    /// Stores a changed route, if nobody else changed it since it was read. What one driver said means nothing to another.
    UPDATE_ROUTE = "UPDATE payment_route SET driver = $3, enabled = $4, confirmations = $5, tolerance = $6, dust = $7, screening = $8,
            auto_payout = $9, claim_limit = $10, day_limit = $11, updated_at = $12, revision = $2 + 1,
            seen_to = CASE WHEN driver = $3 THEN seen_to ELSE NULL END, height = CASE WHEN driver = $3 THEN height ELSE NULL END
        WHERE currency_id = $1 AND revision = $2";
    /// Moves the watch on, if it is still where the driver was asked from.
    MOVE_WATCH = "UPDATE payment_route SET seen_to = $3, height = $4, watched_at = $5, fault = NULL, fault_at = NULL
        WHERE currency_id = $1 AND COALESCE(seen_to, '') = $2";
    FAULT_OF_ROUTE = "UPDATE payment_route SET fault = $2, fault_at = $3 WHERE currency_id = $1";
    /// Counts a payout against the limits. The update locks the row, and the limits are checked on the locked row.
    SPEND = "UPDATE payment_route SET spent_day = $2, spent_units = CASE WHEN spent_day = $2 THEN spent_units ELSE 0 END + $3
        WHERE currency_id = $1 AND auto_payout AND $3 <= claim_limit
            AND CASE WHEN spent_day = $2 THEN spent_units ELSE 0 END + $3 <= day_limit";
    /// Gives back what a payout that did not leave had counted.
    UNSPEND = "UPDATE payment_route SET spent_units = spent_units - $3
        WHERE currency_id = $1 AND spent_day = $2 AND spent_units >= $3";
}

/// How a currency is watched and paid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::FromRow)]
pub struct Route {
    /// The currency.
    pub currency_id: i64,
    /// The plugin that watches the network and pays on it.
    pub driver: String,
    /// Whether customers are given its addresses.
    pub enabled: bool,
    /// Confirmations after which a payment is certain.
    pub confirmations: i64,
    /// A payment that differs by this many units at most is taken for the agreed one.
    pub tolerance: i64,
    /// What is less than this many units is not looked at.
    pub dust: i64,
    /// The plugin that judges where money comes from.
    pub screening: Option<String>,
    /// Whether payouts leave without staff.
    pub auto_payout: bool,
    /// The greatest such payout, in units.
    pub claim_limit: i64,
    /// How much of such payouts may leave on a day, in units.
    pub day_limit: i64,
    /// The day of the count, numbered from 1970-01-01 UTC.
    pub spent_day: i64,
    /// How much left on that day, in units.
    pub spent_units: i64,
    /// Where the watch stands.
    pub seen_to: Option<String>,
    /// The height of the newest block.
    pub height: Option<i64>,
    /// When the driver answered last.
    pub watched_at: Option<Timestamp>,
    /// Why it did not, if it did not.
    pub fault: Option<String>,
    /// When that was.
    pub fault_at: Option<Timestamp>,
    /// Counts the changes by staff.
    pub revision: i64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When staff changed it last.
    pub updated_at: Timestamp,
}

/// Every route.
pub async fn all(tx: &mut Tx) -> Result<Vec<Route>> {
    fetch_all!(tx, Route, ROUTES)
}

/// The route of a currency.
pub async fn of(tx: &mut Tx, currency: i64) -> Result<Option<Route>> {
    fetch_optional!(tx, Route, ROUTE, currency)
}

/// Whether customers are given addresses of a currency.
pub async fn is_enabled(tx: &mut Tx, currency: i64) -> Result<bool> {
    Ok(fetch_optional!(tx, (bool,), ROUTE_IS_ENABLED, currency)?.is_some_and(|(enabled,)| enabled))
}

/// Stores a new route.
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

/// Stores a changed route; false when somebody else changed it since it was read.
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

/// Moves a watch on; false when another node has.
pub async fn move_watch(tx: &mut Tx, from: &Route, seen_to: &str, height: i64, now: Timestamp) -> Result<bool> {
    let before = from.seen_to.as_deref().unwrap_or_default();
    Ok(execute!(tx, MOVE_WATCH, from.currency_id, before, seen_to, height, now)? == 1)
}

/// Notes why a driver did not answer.
pub async fn note_fault(tx: &mut Tx, currency: i64, fault: &str, now: Timestamp) -> Result<()> {
    execute!(tx, FAULT_OF_ROUTE, currency, fault, now).map(drop)
}

/// Counts a payout; false when it is over a limit.
pub async fn spend(tx: &mut Tx, currency: i64, day: i64, units: i64) -> Result<bool> {
    Ok(execute!(tx, SPEND, currency, day, units)? == 1)
}

/// Gives back what a payout counted.
pub async fn unspend(tx: &mut Tx, currency: i64, day: i64, units: i64) -> Result<()> {
    execute!(tx, UNSPEND, currency, day, units).map(drop)
}

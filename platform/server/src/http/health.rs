//! Liveness and readiness.

use std::time::Duration;

use agio_core::Db;
use agio_core::settings::Settings;
use agio_ledger::Ledger;
use poem::Response;
use poem::http::StatusCode;

/// How long the database may take to answer.
const DEADLINE: Duration = Duration::from_millis(400);

/// Checks nothing but the process, so that a slow database does not get it killed.
#[must_use]
pub fn live() -> Response {
    answer(&[("process", true)])
}

/// Checks that pages and open claims can be read. A balancer keeps the site with it while no claims are accepted.
pub async fn ready(db: &Db) -> Response {
    answer(&[("database", can_read(db).await)])
}

/// Checks that new claims are accepted: the database stores, the ledger has no differences, and the exchange is not in
/// technical mode.
pub async fn accepts_claims(db: &Db, ledger: &Ledger, settings: &Settings) -> Response {
    let (is_in_technical_mode, _) = agio_calculator::settings::technical_mode(settings);
    answer(&[
        ("database", can_read(db).await),
        ("writes", db.is_writable()),
        ("ledger", ledger.is_clean()),
        ("open", !is_in_technical_mode),
    ])
}

/// A balancer needs an answer even if the database gives none.
async fn can_read(db: &Db) -> bool {
    matches!(tokio::time::timeout(DEADLINE, db.read()).await, Ok(Ok(_)))
}

fn answer(checks: &[(&str, bool)]) -> Response {
    let status = if checks.iter().all(|(_, good)| *good) { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let checks: serde_json::Map<_, _> = checks.iter().map(|(name, good)| ((*name).to_owned(), (*good).into())).collect();
    Response::builder()
        .status(status)
        .content_type("application/json")
        .header("cache-control", "no-store")
        .body(serde_json::json!({ "ready": status == StatusCode::OK, "checks": checks }).to_string())
}

//! Liveness and readiness.

use agio_core::Db;
use agio_ledger::Ledger;
use poem::Response;
use poem::http::StatusCode;

/// Checks nothing but the process, so that a slow database does not get it killed.
#[must_use]
pub fn live() -> Response {
    answer(StatusCode::OK, &[("process", true)])
}

/// Checks that the database responds and accepts writes, and that the ledger has no differences.
pub async fn ready(db: &Db, ledger: &Ledger) -> Response {
    let checks = [("database", db.read().await.is_ok()), ("writes", db.is_writable()), ("ledger", ledger.is_clean())];
    let status = if checks.iter().all(|(_, good)| *good) { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    answer(status, &checks)
}

fn answer(status: StatusCode, checks: &[(&str, bool)]) -> Response {
    let checks: serde_json::Map<_, _> = checks.iter().map(|(name, good)| ((*name).to_owned(), (*good).into())).collect();
    Response::builder()
        .status(status)
        .content_type("application/json")
        .header("cache-control", "no-store")
        .body(serde_json::json!({ "ready": status == StatusCode::OK, "checks": checks }).to_string())
}

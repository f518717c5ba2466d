//! Liveness and readiness.

use std::time::{Duration, Instant};

use agio_core::Db;
use agio_core::settings::Settings;
use agio_ledger::Ledger;
use poem::Response;
use poem::http::StatusCode;
use tokio::sync::Mutex;

/// How long the database may take to answer.
const DEADLINE: Duration = Duration::from_millis(400);

/// How long its answer counts.
const FRESH: Duration = Duration::from_millis(250);

/// Checks nothing but the process, so that a slow database does not get it killed.
pub fn live() -> Response {
    answer(&[("process", true)])
}

/// Checks that pages and open claims can be read. A balancer keeps the site with it while no claims are accepted.
pub async fn ready(db: &Db, reads: &ReadCheck) -> Response {
    answer(&[("database", reads.can_read(db).await)])
}

/// Checks that new claims are accepted: the database stores, the ledger was checked since the start and has no differences,
/// and the exchange is not in technical mode.
pub async fn accepts_claims(db: &Db, reads: &ReadCheck, ledger: &Ledger, settings: &Settings) -> Response {
    let [writes, checked, clean, open] = known_checks(db, ledger, settings);
    answer(&[("database", reads.can_read(db).await), writes, checked, clean, open])
}

/// The checks that need no database.
pub fn known_checks(db: &Db, ledger: &Ledger, settings: &Settings) -> [(&'static str, bool); 4] {
    let (is_in_technical_mode, _) = agio_calculator::settings::technical_mode(settings);
    let last = ledger.last_check();
    [("writes", db.is_writable()), ("checked", last.at.is_some()), ("ledger", last.is_clean()), ("open", !is_in_technical_mode)]
}

/// Whether the database answers, and since when that is known. Any number of callers ask it once: they must not take
/// the connections of a database that hangs.
#[derive(Default)]
pub struct ReadCheck(Mutex<Option<(Instant, bool)>>);

impl ReadCheck {
    /// A balancer needs an answer even if the database gives none.
    async fn can_read(&self, db: &Db) -> bool {
        let mut last = self.0.lock().await;
        if let Some((at, good)) = *last
            && at.elapsed() < FRESH
        {
            return good;
        }
        let good = matches!(tokio::time::timeout(DEADLINE, db.read()).await, Ok(Ok(_)));
        *last = Some((Instant::now(), good));
        good
    }
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

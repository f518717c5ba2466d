//! Quotes while ten thousand pairs are repriced every second. A repricing swaps the whole market in memory, and
//! requests must not slow down.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::load::{self, Load};
use crate::report::Report;
use crate::server::AgioServer;
use crate::{CONNECTIONS, MEASUREMENT_TIME, ROUNDS, WARM_UP};

/// Adds so many currencies of each of two assets, and every pair between them.
pub fn grow(database: &Path, copies: u32) {
    let market = format!(
        "
    CREATE TEMP TABLE copy AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {copies}) SELECT i FROM n;
    INSERT INTO currency (id, code, ticker, network_ru, network_en, kind, name_ru, name_en, icon, scale, round_digits, can_give, can_receive,
            position, inputs, cities, reserve_floor, revision, updated_at)
        SELECT 1000 * id + i, code || i, ticker, network_ru, network_en, kind, name_ru, name_en, icon, scale, round_digits, can_give, can_receive,
            position, inputs, cities, reserve_floor, revision, updated_at
        FROM currency, copy WHERE code IN ('BTC', 'SBERRUB');
    INSERT INTO pair (id, give_id, receive_id, enabled, source, manual_rate, spread_percent, give_fee_fixed, give_fee_percent, receive_fee_fixed,
            receive_fee_percent, tiers, hold_minutes, floating, notices, revision, updated_at)
        SELECT 100000 + 100 * a.i + b.i, 1000 * give_id + a.i, 1000 * receive_id + b.i, enabled, source, manual_rate, spread_percent,
            give_fee_fixed, give_fee_percent, receive_fee_fixed, receive_fee_percent, tiers, hold_minutes, floating, notices, revision, updated_at
        FROM pair, copy a, copy b
        WHERE give_id = (SELECT id FROM currency WHERE code = 'BTC') AND receive_id = (SELECT id FROM currency WHERE code = 'SBERRUB');"
    );
    let connection = Connection::open(database).expect("the database opens");
    connection.execute_batch(&market).expect("the market grows");
}

/// How often the market is repriced; with live sources it is every five seconds.
const REPRICING_INTERVAL: Duration = Duration::from_secs(1);

/// The pace at which latency is measured.
const QUOTES_PER_SECOND: u32 = 200;
const PACED_DURATION: Duration = Duration::from_secs(10);

pub async fn measure(agio: &str, report: &mut Report) {
    let server = AgioServer::start_with(agio, |database| grow(database, 100)).await;
    let admin = AdminSession::sign_in(&server).await;
    let path = server.pair_path().await;
    let load = || Load { port: server.port, connections: CONNECTIONS, request: load::get_request(&path) };
    let (mut unchanged, mut repriced, mut swap_times) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        unchanged.push(load::run(load(), WARM_UP, MEASUREMENT_TIME).await);
        repriced.push(admin.reprice_during(load::run(load(), WARM_UP, MEASUREMENT_TIME), &mut swap_times).await);
    }
    report.add_rate("pair quotes while 10,000 pairs are repriced, vs. unchanged", &unchanged, &repriced, 0.8, None);

    let unchanged = load::run_paced(load(), QUOTES_PER_SECOND, PACED_DURATION).await;
    let repriced = admin.reprice_during(load::run_paced(load(), QUOTES_PER_SECOND, PACED_DURATION), &mut swap_times).await;
    let (limit, full) = (p99(&unchanged), p99(&repriced));
    report.add_figure("p99 of 200 quotes per second, repriced, vs. unchanged, us", Some(limit), full, "< 2.00");
    swap_times.sort_unstable();
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    report.add_figure("repricing of 10,000 pairs, median, ms", None, millis(swap_times[swap_times.len() / 2]), "");
    report.add_figure("repricing of 10,000 pairs, longest, ms", None, millis(swap_times[swap_times.len() - 1]), "");
}

fn p99(latencies: &[Duration]) -> f64 {
    latencies[latencies.len() * 99 / 100].as_secs_f64() * 1e6
}

/// A staff session that changes a pair, after the rate source has changed its quote.
pub struct AdminSession {
    port: u16,
    token: String,
    /// A pair that the load does not use.
    pair: i64,
    revision: Cell<i64>,
    database: Connection,
}

impl AdminSession {
    pub async fn sign_in(server: &AgioServer) -> Self {
        let database = Connection::open(server.database()).expect("the database opens");
        database.busy_timeout(Duration::from_secs(5)).expect("the database waits for its turn");
        let mut admin = Self { port: server.port, token: String::new(), pair: 100_101, revision: Cell::new(0), database };
        let login = json!({ "email": "owner@agio.example", "password": "agio-demo-owner" });
        let session = admin.call("POST", "/api/admin/v1/auth/login", &login).await;
        admin.token = session["accessToken"].as_str().expect("the demo owner signs in").to_owned();
        // To promise a rate for longer needs a confirmation of the last minutes.
        admin.call("POST", "/api/admin/v1/me/confirm", &json!({ "password": "agio-demo-owner" })).await;
        let pairs = admin.call("GET", "/api/admin/v1/pairs", &json!({})).await;
        let pair = pairs.as_array().expect("a list").iter().find(|pair| pair["id"] == admin.pair).expect("the pair");
        admin.revision.set(pair["revision"].as_i64().expect("a revision"));
        admin
    }

    pub async fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAuthorization: Bearer {}\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.token,
            body.len()
        );
        let (status, answer) = load::send(self.port, request.as_bytes()).await;
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&answer));
        serde_json::from_slice(&answer).expect("JSON")
    }

    /// Reprices the market repeatedly until `other` is done. A change returns when the new market is in place.
    async fn reprice_during<T>(&self, other: impl Future<Output = T>, swap_times: &mut Vec<Duration>) -> T {
        let is_over = Arc::new(AtomicBool::new(false));
        let pricing = async {
            let mut pace = tokio::time::interval(REPRICING_INTERVAL);
            let mut rate = String::new();
            while !is_over.load(Ordering::Relaxed) {
                pace.tick().await;
                let revision = self.revision.get();
                self.change_source_quote(revision % 2 == 0);
                let started = Instant::now();
                let change = json!({ "revision": revision, "hold": 30 + revision % 2 });
                let changed = self.call("PATCH", &format!("/api/admin/v1/pairs/{}", self.pair), &change).await;
                swap_times.push(started.elapsed());
                let before = std::mem::replace(&mut rate, changed["rate"].to_string());
                assert_ne!(rate, before, "the market was not repriced, so the result is invalid");
                self.revision.set(changed["revision"].as_i64().expect("a revision"));
            }
        };
        let other = async {
            let outcome = other.await;
            is_over.store(true, Ordering::Relaxed);
            outcome
        };
        tokio::join!(other, pricing).0
    }

    /// Changes the bid of the dollar: equal to the ask, or a little less.
    fn change_source_quote(&self, less: bool) {
        const OBSERVE: &str = "UPDATE observation SET bid = CASE WHEN ?1 THEN CAST(CAST(ask AS INTEGER) AS TEXT) ELSE ask END
            WHERE base = 'USD' AND quote = 'RUB'";
        let changed = self.database.execute(OBSERVE, [less]).expect("the database is writable");
        assert!(changed > 0, "no source quotes the dollar");
    }
}

//! Ten thousand pairs that are priced anew again and again while customers ask, because what the source says of a currency they all go over
//! has changed: one picture of the market is swapped for another, and whoever asks should not notice.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::house::House;
use crate::load::{self, Load, Measured};
use crate::{CONNECTIONS, MEASURED_FOR, ROUNDS, WARM_UP, median};

/// A hundred currencies more of either asset, and every pair of the one with the other.
const MARKET: &str = "
    CREATE TEMP TABLE copy AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT i FROM n;
    INSERT INTO currency (id, code, ticker, network_ru, network_en, kind, name_ru, name_en, icon, scale, round_digits, send, receive,
            position, inputs, reserve_floor, revision, updated_at)
        SELECT 1000 * id + i, code || i, ticker, network_ru, network_en, kind, name_ru, name_en, icon, scale, round_digits, send, receive,
            position, inputs, reserve_floor, revision, updated_at
        FROM currency, copy WHERE code IN ('BTC', 'SBERRUB');
    INSERT INTO pair (id, from_id, to_id, enabled, source, manual_rate, spread_percent, fee_from_fixed, fee_from_percent, fee_to_fixed,
            fee_to_percent, tiers, hold_minutes, floating, notices, revision, updated_at)
        SELECT 100000 + 100 * a.i + b.i, 1000 * from_id + a.i, 1000 * to_id + b.i, enabled, source, manual_rate, spread_percent,
            fee_from_fixed, fee_from_percent, fee_to_fixed, fee_to_percent, tiers, hold_minutes, floating, notices, revision, updated_at
        FROM pair, copy a, copy b
        WHERE from_id = (SELECT id FROM currency WHERE code = 'BTC') AND to_id = (SELECT id FROM currency WHERE code = 'SBERRUB');";

/// How often the market is priced anew; a house with live sources does it every five seconds.
const EVERY: Duration = Duration::from_secs(1);

/// How many quotes are asked in a second where it is looked at how long each takes.
const PACE: u32 = 200;
const PACED_FOR: Duration = Duration::from_secs(10);

/// The rows.
pub async fn measure(agio: &str) {
    let house = House::start_with(agio, furnish).await;
    let desk = Desk::enter(&house).await;
    let path = house.pair_path().await;
    let asking = || Load { port: house.port, connections: CONNECTIONS, request: load::get_request(&path) };
    let (mut still, mut swapped, mut swaps) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        still.push(load::run(asking(), WARM_UP, MEASURED_FOR).await);
        swapped.push(desk.while_pricing(load::run(asking(), WARM_UP, MEASURED_FOR), &mut swaps).await);
    }
    let failed: u64 = still.iter().chain(&swapped).map(|measured: &Measured| measured.failed).sum();
    assert_eq!(failed, 0, "{failed} answers were no success, so the row says nothing");
    let (limit, full) = (median(&still), median(&swapped));
    println!(
        "{:<58} {limit:>9.0} {full:>9.0} {:>7.2} {:>9.2}",
        "pair quote, per second, 10,000 pairs swapped each second",
        full / limit,
        0.8
    );

    let still = load::paced(asking(), PACE, PACED_FOR).await;
    let swapped = desk.while_pricing(load::paced(asking(), PACE, PACED_FOR), &mut swaps).await;
    let (limit, full) = (p99(&still), p99(&swapped));
    println!(
        "{:<58} {limit:>9.0} {full:>9.0} {:>7.2} {:>9}",
        "p99 of quotes, 200 a second, 10,000 pairs swapped, us",
        full / limit,
        "< 2"
    );
    swaps.sort_unstable();
    let (half, most) = (swaps[swaps.len() / 2], swaps[swaps.len() - 1]);
    println!(
        "{:<58} {:>9} {:>9}   {} swaps",
        "time of such a swap, half and most, ms",
        half.as_millis(),
        most.as_millis(),
        swaps.len()
    );
}

fn furnish(database: &Path) {
    let connection = Connection::open(database).expect("the database opens");
    connection.execute_batch(MARKET).expect("the market grows");
}

fn p99(took: &[Duration]) -> f64 {
    took[took.len() * 99 / 100].as_secs_f64() * 1e6
}

/// An editor at the console, and a source of rates that brings in something else before each of their changes.
struct Desk {
    port: u16,
    token: String,
    /// A pair that nobody asks for.
    pair: i64,
    revision: Cell<i64>,
    database: Connection,
}

impl Desk {
    async fn enter(house: &House) -> Self {
        let database = Connection::open(house.database()).expect("the database opens");
        database.busy_timeout(Duration::from_secs(5)).expect("the database waits for its turn");
        let mut desk = Self { port: house.port, token: String::new(), pair: 100_101, revision: Cell::new(0), database };
        let login = json!({ "email": "owner@agio.example", "password": "agio-demo-owner" });
        let session = desk.call("POST", "/api/admin/v1/auth/login", &login).await;
        desk.token = session["accessToken"].as_str().expect("the demonstration's owner signs in").to_owned();
        let pairs = desk.call("GET", "/api/admin/v1/pairs", &json!({})).await;
        let pair = pairs.as_array().expect("a list").iter().find(|pair| pair["id"] == desk.pair).expect("the pair");
        desk.revision.set(pair["revision"].as_i64().expect("a revision"));
        desk
    }

    async fn call(&self, method: &str, path: &str, body: &Value) -> Value {
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

    /// Has the market priced anew again and again until something else is done. Each change is answered when the new picture is there.
    async fn while_pricing<T>(&self, other: impl Future<Output = T>, swaps: &mut Vec<Duration>) -> T {
        let is_over = Arc::new(AtomicBool::new(false));
        let pricing = async {
            let mut pace = tokio::time::interval(EVERY);
            let mut course = String::new();
            while !is_over.load(Ordering::Relaxed) {
                pace.tick().await;
                let revision = self.revision.get();
                self.observe(revision % 2 == 0);
                let begun = Instant::now();
                let change = json!({ "revision": revision, "hold": 30 + revision % 2 });
                let changed = self.call("PATCH", &format!("/api/admin/v1/pairs/{}", self.pair), &change).await;
                swaps.push(begun.elapsed());
                let before = std::mem::replace(&mut course, changed["course"].to_string());
                assert_ne!(course, before, "nothing was priced anew, so the rows say nothing");
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

    /// Has the source buy dollars for what it sells them for, or for a little less.
    fn observe(&self, less: bool) {
        const OBSERVE: &str = "UPDATE observation SET bid = CASE WHEN ?1 THEN CAST(CAST(ask AS INTEGER) AS TEXT) ELSE ask END
            WHERE base = 'USD' AND quote = 'RUB'";
        let changed = self.database.execute(OBSERVE, [less]).expect("the source is heard");
        assert!(changed > 0, "no source says anything of dollars");
    }
}

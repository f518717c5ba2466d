//! What a large market costs: its pages and its sitemap with ten thousand directions, compared with a hundred, and the
//! preview of an edit of five thousand of them.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::load::{self, Load, Measurement};
use crate::refresh::{AdminSession, grow};
use crate::report::Report;
use crate::server::AgioServer;
use crate::{CONNECTIONS, MEASUREMENT_TIME, ROUNDS, WARM_UP};

/// Currencies on each side.
const SMALL: u32 = 10;
const LARGE: u32 = 100;

/// One in 1.3.
const LEAST_SHARE: f64 = 0.77;

type Request = Arc<dyn Fn(u64) -> Vec<u8> + Send + Sync>;

pub async fn measure(agio: &str, report: &mut Report) {
    let small = AgioServer::start_with(agio, |database| market(database, SMALL)).await;
    let large = AgioServer::start_with(agio, |database| market(database, LARGE)).await;
    for (operation, headers) in [
        ("pages of 10,000 directions, vs. those of 100", ""),
        ("the same pages compressed, vs. those of 100", "Accept-Encoding: gzip, br\r\n"),
    ] {
        compare(report, operation, (&small, pages(SMALL, headers)), (&large, pages(LARGE, headers))).await;
    }
    let sitemap = || load::get_request("/sitemap.xml");
    compare(report, "sitemaps of 10,000 directions, vs. that of 100", (&small, sitemap()), (&large, sitemap())).await;
    preview(&large, report).await;
}

/// The market has these directions alone.
fn market(database: &Path, side: u32) {
    grow(database, side);
    let connection = Connection::open(database).expect("the database opens");
    connection.execute("UPDATE pair SET enabled = FALSE WHERE id < 100000", []).expect("the database is writable");
}

/// Every page in turn, requested with these header lines.
fn pages(side: u32, headers: &'static str) -> Request {
    let side = u64::from(side);
    Arc::new(move |number| {
        let (give, receive) = (number % side + 1, number / side % side + 1);
        let path = format!("/exchange/btc{give}-to-sberrub{receive}/");
        format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}\r\n").into_bytes()
    })
}

async fn compare(
    report: &mut Report,
    operation: &str,
    (small, of_small): (&AgioServer, Request),
    (large, of_large): (&AgioServer, Request),
) {
    let (mut limit, mut full, before) = (Vec::new(), Vec::new(), large.processor_time());
    for _ in 0..ROUNDS {
        limit.push(requests(small, &of_small).await);
        full.push(requests(large, &of_large).await);
    }
    report.add_rate(operation, &limit, &full, LEAST_SHARE, Some(large.processor_time() - before));
}

async fn requests(server: &AgioServer, request: &Request) -> Measurement {
    load::run(Load { port: server.port, connections: CONNECTIONS, request: request.clone() }, WARM_UP, MEASUREMENT_TIME).await
}

async fn preview(server: &AgioServer, report: &mut Report) {
    let admin = AdminSession::sign_in(server).await;
    let pairs = admin.call("GET", "/api/admin/v1/pairs", &json!({})).await;
    let ids = pairs.as_array().expect("a list").iter().map(|pair| &pair["id"]).filter(|id| id.as_i64() >= Some(100_000));
    let edit = json!({ "ids": ids.take(5_000).collect::<Vec<&Value>>(), "set": { "spreadPercent": "1.1" }, "dryRun": true });
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let preview = admin.call("POST", "/api/admin/v1/pairs/bulk", &edit).await;
        times.push(started.elapsed());
        assert_eq!(preview["pairs"].as_array().map(Vec::len), Some(5_000));
    }
    times.sort_unstable();
    let time = times[ROUNDS / 2].as_secs_f64() * 1e3;
    report.add_figure("preview of an edit of 5,000 pairs, ms", None, time, "< 1000");
}

//! Nothing in the log, the traces or the metrics tells who does what, or opens a claim or an account.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex};

use agio_core::clock::{Clock as _, SystemClock};
use agio_core::{Timestamp, fetch_all};
use agio_server::config::{LogConfig, LogFormat};
use agio_server::logs::{self, LineLimit};
use agio_test_app::{Engine, TestApp};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider};
use serde_json::Value;
use tracing_subscriber::util::SubscriberInitExt as _;
use uuid::Uuid;

/// What the examples mark as private: names of properties, wherever they are.
const PRIVATE: [&str; 23] = [
    "accessToken",
    "account",
    "activationUrl",
    "address",
    "card",
    "claimId",
    "code",
    "email",
    "endpoint",
    "holder",
    "ip",
    "link",
    "memo",
    "p256dh",
    "password",
    "phone",
    "recoveryCodes",
    "refreshToken",
    "secret",
    "signature",
    "token",
    "txId",
    "value",
];

/// Shorter values may occur by chance.
const LENGTH_MIN: usize = 10;

/// What was written, until it is taken.
#[derive(Clone)]
struct Lines(Arc<Mutex<Option<Vec<u8>>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(lines) = &mut *self.0.lock().unwrap() {
            lines.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn collect(value: &Value, is_private: bool, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(all) => {
            for (key, value) in all {
                collect(value, PRIVATE.contains(&key.as_str()), found);
            }
        }
        Value::Array(all) => all.iter().for_each(|value| collect(value, is_private, found)),
        Value::String(text) if is_private && text.len() >= LENGTH_MIN => drop(found.insert(text.clone())),
        _ => {}
    }
}

/// A line without the id of its request: the servers of tests draw their ids from equal generators, so a request to one
/// may have the id of a claim of another.
fn without_request_id(line: &str) -> String {
    let mut parts = line.split("\"request_id\":\"");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |line, part| line + part.split_once('"').unwrap().1)
}

/// The log is that of the process, so it has lines of other tests as well.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_the_traces_and_the_metrics_name_nobody() {
    let lines = Lines(Arc::new(Mutex::new(Some(Vec::new()))));
    let out = lines.clone();
    let log = LogConfig { format: LogFormat::Json, filter: "info,agio=debug".to_owned(), slow_statement_ms: 0 };
    let spans = InMemorySpanExporter::default();
    let traces = SdkTracerProvider::builder().with_simple_exporter(spans.clone()).build();
    let subscriber = logs::subscriber(&log, move || out.clone(), Arc::new(LineLimit::default()), false, Some(&traces)).unwrap();
    subscriber.try_init().unwrap();
    let captured_from = SystemClock.now();
    let app = TestApp::start(Engine::Sqlite).await;
    let recorded = crate::examples::record_every_operation(&app).await;
    let mut private = BTreeSet::new();
    collect(&recorded, false, &mut private);
    let mut tx = app.server.platform.db.read().await.unwrap();
    let claims = fetch_all!(&mut tx, (Uuid, String), "SELECT id, email FROM claim").unwrap();
    private.extend(claims.into_iter().flat_map(|(id, email)| [id.to_string(), id.simple().to_string(), email]));
    let customers = fetch_all!(&mut tx, (String,), "SELECT email FROM customer").unwrap();
    private.extend(customers.into_iter().map(|(email,)| email));
    drop(tx);
    let metrics = app.server.metrics.scrape(&app.server, &[]).await;
    let text = String::from_utf8(lines.0.lock().unwrap().take().unwrap()).unwrap();
    assert!(private.len() > 60, "{private:?}");
    let mut spans = spans.get_finished_spans().unwrap();
    spans.iter_mut().for_each(|span| span.attributes.retain(|attribute| attribute.key.as_str() != "request_id"));
    let spans: Vec<_> = spans.iter().map(|span| format!("{} {:?} {:?}", span.name, span.attributes, span.events)).collect();
    for name in ["createClaim ", "transaction "] {
        assert!(spans.iter().any(|span| span.starts_with(name)), "no span is a {name}");
    }
    for line in text.lines() {
        // A field of this name takes the place of the message for most readers of JSON.
        assert!(line.matches("\"message\":").count() <= 1, "{line}");
        assert!(!line.contains("\"micros\":\""), "a number is text: {line}");
    }
    let (mut requests, mut leaks) = (0, Vec::new());
    for line in text.lines().chain(metrics.lines()).chain(spans.iter().map(String::as_str)) {
        let shown = without_request_id(line);
        leaks.extend(private.iter().filter(|value| shown.contains(*value)).map(|value| format!("{value} in {line}")));
        if line.contains("\"method\"") {
            requests += 1;
            let line: Value = serde_json::from_str(line).unwrap();
            let text = |name: &str| line[name].as_str().unwrap().to_owned();
            let began_at = Timestamp::parse(&text("timestamp")).unwrap().0 - line["micros"].as_i64().unwrap();
            // Of another test of this process.
            if began_at < captured_from.0 {
                continue;
            }
            assert_eq!(line["span"]["request_id"].as_str().map(str::len), Some(32), "{line}");
        }
    }
    assert!(leaks.is_empty(), "{} of {} lines: {:#?}", leaks.len(), text.lines().count(), &leaks[..leaks.len().min(20)]);
    assert!(requests > 200, "only {requests} requests were logged");
}

//! Metrics of a running server, the page that describes them, and alert rules in a real Prometheus.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use agio_core::{Db, execute};
use agio_test_app::{Database, Engine};
use serde_json::Value;
use tokio::process::{Child, Command};

const AGIO: &str = env!("CARGO_BIN_EXE_agio");
const SOURCE: &str = include_str!("../../src/metrics.rs");
const PAGE: &str = include_str!("../../../../docs/metrics.md");
const RUNBOOK: &str = include_str!("../../../../docs/runbook.md");
const RULES: &str = include_str!("../../../../config/prometheus/alerts.yml");
const RULE_TESTS: &str = include_str!("../../../../config/prometheus/alerts_test.yml");
const DASHBOARD: &str = include_str!("../../../../config/grafana/agio.json");

/// The names of metrics in a text, without the suffixes that counters and histograms add.
fn metrics_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let ours = words.filter(|word| (word.starts_with("agio_") && word.len() > 7) || word.starts_with("process_resident"));
    let plain = |word: &str| {
        let suffix = ["_total", "_bucket", "_sum", "_count"].into_iter().find_map(|suffix| word.strip_suffix(suffix));
        suffix.unwrap_or(word).to_owned()
    };
    ours.map(plain).collect()
}

/// The names that the source registers: its string literals.
fn registered() -> BTreeSet<String> {
    let literals = SOURCE.split('"').skip(1).step_by(2);
    literals.filter(|text| text.starts_with("agio_") || text.starts_with("process_")).map(str::to_owned).collect()
}

/// The first column of the page's table.
fn documented() -> BTreeSet<String> {
    let names = PAGE.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    names.map(|name| name.trim_end_matches("_total").to_owned()).collect()
}

fn alerts() -> BTreeSet<&'static str> {
    RULES.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")).collect()
}

#[test]
fn the_page_the_rules_and_the_dashboard_name_the_metrics_that_exist() {
    let registered = registered();
    assert!(registered.len() > 20, "{registered:?}");
    assert_eq!(documented(), registered);
    for (what, text) in [("a rule", RULES), ("the dashboard", DASHBOARD)] {
        let used = metrics_in(text);
        assert!(used.len() > 10, "{used:?}");
        let unknown: Vec<_> = used.difference(&registered).collect();
        assert!(unknown.is_empty(), "{what} names {unknown:?}");
    }
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    assert!(dashboard["panels"].as_array().unwrap().iter().all(|panel| panel["targets"][0]["expr"].is_string()));
}

#[tokio::test]
async fn each_rule_is_valid_tested_and_in_the_runbook() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/prometheus");
    for words in [["check", "rules", "--lint-fatal", "alerts.yml"].as_slice(), &["test", "rules", "alerts_test.yml"]] {
        let done = Command::new("promtool").args(words).current_dir(&folder).output().await.unwrap();
        assert!(done.status.success(), "{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    }
    let alerts = alerts();
    assert!(alerts.len() > 10);
    for alert in alerts {
        assert!(RULE_TESTS.contains(&format!("alertname: {alert}\n")), "{alert} has no test");
        assert!(RULES.contains(&format!("docs/runbook.md#{}\n", alert.to_lowercase())), "{alert} has no link");
        let (_, section) = RUNBOOK.split_once(&format!("\n## {alert}\n")).unwrap();
        let section = section.split("\n## ").next().unwrap();
        for part in ["Meaning: ", "Users see: ", "Look:\n\n```sh\n", "Cure: "] {
            assert!(section.contains(part), "{alert}: {part}");
        }
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn agio(database: &str) -> Command {
    let mut command = Command::new(AGIO);
    command.args(["--profile", "demo", "--set", "demo.sandbox_chain=", "--set", "sites.public=/nonexistent"]);
    command.args(["--set", "sites.console=/nonexistent", "--set", "mail.server=127.0.0.1:1"]);
    command.args(["--set", &format!("database.url={database}")]);
    command.env("AGIO__SECRETS__KEYS", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    command.stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    command
}

async fn serve(database: &str, public: u16, metrics: u16) -> Child {
    let listen = [format!("server.listen=127.0.0.1:{public}"), format!("metrics.listen=127.0.0.1:{metrics}")];
    let child = agio(database).args(["--set", &listen[0], "--set", &listen[1], "serve"]).spawn().unwrap();
    until("the server answers", async || text(&format!("http://127.0.0.1:{public}/health/live")).await.is_some()).await;
    child
}

async fn text(url: &str) -> Option<String> {
    reqwest::get(url).await.ok()?.error_for_status().ok()?.text().await.ok()
}

/// Waits until something is so.
async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let started = Instant::now();
    while !is_so().await {
        assert!(started.elapsed() < Duration::from_secs(60), "not so: {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Prometheus with our rules, except that they fire at once.
async fn prometheus(folder: &Path, target: u16) -> (Child, u16) {
    let eager: Vec<_> = RULES.lines().filter(|line| !line.trim().starts_with("for: ")).collect();
    std::fs::write(folder.join("alerts.yml"), eager.join("\n")).unwrap();
    let config = format!(
        "global: {{scrape_interval: 1s, evaluation_interval: 1s}}\nrule_files: [alerts.yml]\nscrape_configs:\n  \
        - job_name: agio\n    static_configs:\n      - targets: ['127.0.0.1:{target}']\n"
    );
    std::fs::write(folder.join("prometheus.yml"), config).unwrap();
    let port = free_port();
    let mut command = Command::new("prometheus");
    command.current_dir(folder).args(["--config.file=prometheus.yml", "--storage.tsdb.path=data"]);
    command.arg(format!("--web.listen-address=127.0.0.1:{port}"));
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true).spawn().unwrap();
    (child, port)
}

async fn firing(port: u16) -> BTreeSet<String> {
    let Some(text) = text(&format!("http://127.0.0.1:{port}/api/v1/alerts")).await else { return BTreeSet::new() };
    let answer: Value = serde_json::from_str(&text).unwrap();
    let alerts = answer["data"]["alerts"].as_array().unwrap().iter().filter(|alert| alert["state"] == "firing");
    alerts.map(|alert| alert["labels"]["alertname"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn alerts_fire_for_their_causes() {
    let (database, folder) = (Database::empty(Engine::Sqlite).await, tempfile::tempdir().unwrap());
    assert!(agio(&database.url).args(["seed", "bench"]).status().await.unwrap().success());
    let (public, metrics) = (free_port(), free_port());
    let mut server = serve(&database.url, public, metrics).await;
    let (_prometheus, port) = prometheus(folder.path(), metrics).await;
    let page = format!("http://127.0.0.1:{metrics}/metrics");
    let scraped = text(&page).await.unwrap();
    let types = scraped.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
    let undocumented: Vec<_> = types.filter(|name| !documented().contains(*name)).collect();
    assert!(undocumented.is_empty(), "{undocumented:?}");
    assert!(scraped.contains("agio_http_requests_total{operation=\"health\",status=\"ok\"}"), "{scraped}");
    assert!(scraped.contains("agio_health{check=\"database\"} 1.0"), "{scraped}");
    assert!(text(&format!("http://127.0.0.1:{public}/metrics")).await.is_none(), "the public listener has none");
    let expected = ["AgioAuditBroken", "AgioClaimsPaused", "AgioLedgerDifference", "AgioMailStuck", "AgioQueueStuck"];
    until("Prometheus evaluates", async || text(&format!("http://127.0.0.1:{port}/-/ready")).await.is_some()).await;
    assert!(firing(port).await.iter().all(|alert| !expected.contains(&alert.as_str())));
    server.kill().await.unwrap();
    until("it is down", async || firing(port).await.contains("AgioDown")).await;

    let db = Db::open(&database.url).await.unwrap();
    let causes = [
        "UPDATE ledger_account SET balance = balance + 1 WHERE name = (SELECT MIN(name) FROM ledger_account WHERE balance > 0)",
        "DROP TRIGGER audit_is_never_changed",
        "UPDATE audit SET actor_name = 'nobody' WHERE number = 1",
        "INSERT INTO outbox (channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, leased_until, created_at)
            VALUES ('mail', 'anna@example.com', 'claim_created', 'claim', '1', '{}', 'queued', 3, 9000000000000000, 0, 1),
                ('webhook', '1', 'claim_status_changed', 'partner', '1', '{}', 'queued', 3, 9000000000000000, 0, 1)",
    ];
    for cause in causes {
        db.write(move |tx| Box::pin(async move { execute!(tx, cause) })).await.unwrap();
    }
    db.close().await;
    let _server = serve(&database.url, public, metrics).await;
    until("each cause is an alert", async || {
        let found = firing(port).await;
        expected.iter().all(|alert| found.contains(*alert)) && !found.contains("AgioDown")
    })
    .await;
    let scraped = text(&page).await.unwrap();
    assert!(!scraped.contains("anna@example.com"), "{scraped}");
}

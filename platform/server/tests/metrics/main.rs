//! Metrics of a running server, the page that describes them, and alert rules in a real Prometheus.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

#[path = "../faults/cluster.rs"]
#[expect(dead_code, reason = "the tests of faults use more of it")]
mod cluster;
#[path = "../faults/volume.rs"]
#[expect(dead_code, reason = "the tests of faults use more of it")]
mod volume;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agio_core::{Db, execute};
use agio_test_app::{Database, Engine, TestClient, free_port, is_live};
use cluster::Cluster;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::process::{Child, Command};
use volume::Volume;

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

fn agio(database: &str) -> Command {
    configured(Command::new(AGIO), database)
}

fn configured(mut command: Command, database: &str) -> Command {
    command.args(["--profile", "demo", "--set", "demo.sandbox_chain=", "--set", "sites.public=/dev/null/none"]);
    command.args(["--set", "sites.console=/dev/null/none", "--set", "mail.server=127.0.0.1:1"]);
    command.args(["--set", &format!("database.url={database}")]);
    command.env("AGIO__SECRETS__KEYS", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    command.stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    command
}

async fn serve(database: &str, public: u16, metrics: u16) -> Child {
    start(agio(database), public, metrics).await
}

async fn start(mut command: Command, public: u16, metrics: u16) -> Child {
    let listen = [format!("server.listen=127.0.0.1:{public}"), format!("metrics.listen=127.0.0.1:{metrics}")];
    let child = command.args(["--set", &listen[0], "--set", &listen[1], "serve"]).spawn().unwrap();
    until("the server answers", async || is_live(public).await.is_ok()).await;
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

/// Prometheus with our rules, except that they fire at once, and that jobs and the market have less time. A scrape may take as long as
/// the interval, and takes two seconds while the database hangs.
async fn prometheus(folder: &Path, target: u16) -> (Child, u16) {
    let eager: Vec<_> = RULES.lines().filter(|line| !line.trim().starts_with("for: ")).collect();
    let eager = eager.join("\n");
    assert!(eager.contains("_seconds + 120") && eager.contains("market_age_seconds > 60"));
    let eager = eager.replace("_seconds + 120", "_seconds").replace("market_age_seconds > 60", "market_age_seconds > 20");
    std::fs::write(folder.join("alerts.yml"), eager).unwrap();
    let config = format!(
        "global: {{scrape_interval: 3s, evaluation_interval: 1s}}\nrule_files: [alerts.yml]\nscrape_configs:\n  \
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
    let backups = folder.path().join("backups");
    assert!(agio(&database.url).arg("backup").arg(&backups).status().await.unwrap().success());
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
    let expected = &BY_RECORDS[1..];
    until("Prometheus evaluates", async || text(&format!("http://127.0.0.1:{port}/-/ready")).await.is_some()).await;
    assert!(firing(port).await.iter().all(|alert| !expected.contains(&alert.as_str())));
    // An increase needs a value to begin from.
    let known = format!("http://127.0.0.1:{port}/api/v1/query?query=agio_outbox_undeliverable");
    until("it was read", async || text(&known).await.is_some_and(|found| found.contains("mail"))).await;
    server.kill().await.unwrap();
    until("it is down", async || firing(port).await.contains("AgioDown")).await;

    let db = Db::open(&database.url).await.unwrap();
    let causes = [
        "UPDATE ledger_account SET balance = balance + 1 WHERE name = (SELECT MIN(name) FROM ledger_account WHERE balance > 0)",
        "DROP TRIGGER audit_is_never_changed",
        "UPDATE audit SET actor_name = 'nobody' WHERE number = 1",
        "UPDATE setting SET value = '2024-01-01T00:00:00Z' WHERE name = 'backup.last_at'",
        "INSERT INTO outbox (channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, leased_until, created_at)
            VALUES ('mail', 'anna@example.com', 'claim_created', 'claim', '1', '{}', 'queued', 3, 9000000000000000, 0, 1),
                ('webhook', '1', 'claim_status_changed', 'partner', '1', '{}', 'queued', 3, 9000000000000000, 0, 1)",
        "INSERT INTO outbox (channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, leased_until, created_at,
                settled_at)
            WITH RECURSIVE refused(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM refused WHERE number < 20)
            SELECT 'mail', 'boris@example.com', 'claim_created', 'claim', '1', '{}', 'dead', 1, 0, 0, 1, 9000000000000000 FROM refused",
    ];
    for cause in causes {
        db.write(move |tx| Box::pin(async move { execute!(tx, cause) })).await.unwrap();
    }
    db.close().await;
    assert!(agio(&database.url).args(["payouts", "close"]).status().await.unwrap().success());
    // An entry that was verified before is read again by the check of each day.
    assert!(!agio(&database.url).args(["audit", "verify"]).status().await.unwrap().success());
    let _server = serve(&database.url, public, metrics).await;
    until("each cause is an alert", async || {
        let found = firing(port).await;
        expected.iter().all(|alert| found.contains(*alert)) && !found.contains("AgioDown")
    })
    .await;
    let scraped = text(&page).await.unwrap();
    assert!(!scraped.contains("anna@example.com"), "{scraped}");
    run_the_runbook(&database.url, public, metrics).await;
}

/// Alerts of the test above.
const BY_RECORDS: [&str; 9] = [
    "AgioDown",
    "AgioAuditBroken",
    "AgioBackupOld",
    "AgioClaimsPaused",
    "AgioLedgerDifference",
    "AgioMailRefused",
    "AgioMailStuck",
    "AgioPayoutsClosed",
    "AgioQueueStuck",
];

/// Alerts of the test below.
const BY_SURROUNDINGS: [&str; 10] = [
    "AgioClaimsOverdue",
    "AgioClockOff",
    "AgioDiskLow",
    "AgioPluginDown",
    "AgioRatesStale",
    "AgioDatabaseUnreachable",
    "AgioErrors",
    "AgioJobStalled",
    "AgioMarketStale",
    "AgioSlow",
];

#[test]
fn every_alert_is_fired_by_its_cause() {
    let fired: BTreeSet<_> = BY_RECORDS.into_iter().chain(BY_SURROUNDINGS).collect();
    assert_eq!(fired, alerts());
}

/// Commands of the runbook that belong to the system.
const OF_THE_SYSTEM: [&str; 5] = [
    "df -h",
    "du -xsh /var/lib/agio/*",
    "journalctl -u agio-backup -n 50",
    "systemctl status agio-backup.timer agio-backup.service",
    "timedatectl status",
];

/// Runs every command of the runbook against a server on other ports.
async fn run_the_runbook(database: &str, public: u16, metrics: u16) {
    let blocks = RUNBOOK.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap());
    let commands: BTreeSet<&str> = blocks.flat_map(str::lines).collect();
    assert!(commands.len() > 15, "{commands:?}");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for line in commands {
        if let Some(words) = line.strip_prefix("agio ") {
            // A check that finds something fails, and that is no other failure.
            let done = agio(database).args(words.split(' ')).stdout(Stdio::piped()).output().await.unwrap();
            assert!(matches!(done.status.code(), Some(0 | 1)) && !done.stdout.is_empty(), "{line}");
        } else if line.starts_with("curl ") {
            let line = line.replace(":8080", &format!(":{public}")).replace(":9464", &format!(":{metrics}"));
            let done = Command::new("sh").args(["-c", &line]).output().await.unwrap();
            assert!(matches!(done.status.code(), Some(0 | 1)) && done.stderr.is_empty(), "{line}: {done:?}");
        } else if let Some(search) = line.strip_prefix("journalctl -u agio ") {
            let Some((_, text)) = search.split_once("-g ") else { continue };
            let sources = ["--include=*.rs", "platform", "modules"];
            let mut grep = Command::new("grep");
            let found = grep.args(["-rqF", text.trim_matches('\'')]).args(sources).current_dir(&root).status().await.unwrap();
            assert!(found.success(), "no line of the log has {text}");
        } else {
            assert!(OF_THE_SYSTEM.contains(&line), "{line}");
        }
    }
}

/// How far the server's clock is ahead of PostgreSQL's, in seconds.
const AHEAD: i64 = 10;

/// The library that puts a clock ahead, for `LD_PRELOAD`.
async fn clock_library(folder: &Path) -> std::path::PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../public-web/e2e/clock-offset.c");
    let library = folder.join("clock.so");
    let compiled = Command::new("cc").args(["-shared", "-fPIC", "-O2", "-o"]).arg(&library).arg(source).status().await.unwrap();
    assert!(compiled.success());
    std::fs::write(folder.join("offset"), AHEAD.to_le_bytes()).unwrap();
    library
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn alerts_fire_for_what_fails_around_the_server() {
    let (cluster, volume, folder) = (Cluster::start().await, Volume::mount(24).await, tempfile::tempdir().unwrap());
    assert!(agio(&cluster.url).args(["seed", "bench"]).status().await.unwrap().success());

    // A library that is no plugin, a disk of its own for receipts, and a clock that is ahead.
    let (ghost, list) = (folder.path().join("ghost.so"), folder.path().join("plugins.toml"));
    std::fs::write(&ghost, "no library").unwrap();
    let digest: String = Sha256::digest("no library").iter().map(|byte| format!("{byte:02x}")).collect();
    std::fs::write(&list, format!("[plugins.allowed]\nghost = \"{digest}\"\n")).unwrap();
    let receipts = volume.database().trim_start_matches("sqlite:").replace("agio.db", "receipts");
    let mut command = configured(volume.command(AGIO), &cluster.url);
    command.args(["--set", &format!("files.receipts={receipts}"), "--set", &format!("plugins.list={}", list.display())]);
    command.args(["--set", &format!("plugins.folder={}", folder.path().display())]);
    command.env("LD_PRELOAD", clock_library(folder.path()).await).env("AGIO_CLOCK_OFFSET", folder.path().join("offset"));
    let (public, metrics) = (free_port(), free_port());
    let _server = start(command, public, metrics).await;
    let (_prometheus, port) = prometheus(folder.path(), metrics).await;

    let listen = format!("server.listen=127.0.0.1:{public}");
    let is_healthy = async || agio(&cluster.url).args(["--set", &listen, "health"]).status().await.unwrap().success();
    assert!(is_healthy().await);

    let visitor = TestClient::at(&format!("http://127.0.0.1:{public}"));
    let claim = new_claim(&visitor).await;
    let db = Db::open(&cluster.url).await.unwrap();
    let causes = [
        "UPDATE claim SET queue = 'ours', due_at = 1",
        "INSERT INTO rate_source (name, enabled, every_seconds, max_age_seconds, priority, cross_check, revision, updated_at, polled_at, prices)
            VALUES ('ghost', TRUE, 10, 60, 1, FALSE, 1, 1, 1, 0)",
    ];
    for cause in causes {
        db.write(move |tx| Box::pin(async move { execute!(tx, cause) })).await.unwrap();
    }
    db.close().await;
    volume.fill();
    until_firing(port, &BY_SURROUNDINGS[..5]).await;
    volume.free();

    cluster.signal("STOP").await;
    let path = format!("/api/v1/claim/{claim}/status/");
    let read = || async { assert_eq!(visitor.get(&path).await.status, 503) };
    let reading = async {
        loop {
            futures_util::future::join_all((0..8).map(|_| read())).await;
        }
    };
    tokio::select! {
        _ = reading => {}
        () = until_firing(port, &BY_SURROUNDINGS[5..]) => {}
    }
    assert!(!is_healthy().await, "nothing can be read");
    cluster.signal("CONT").await;
    until("the database is back", async || !firing(port).await.contains("AgioDatabaseUnreachable")).await;
}

async fn until_firing(port: u16, expected: &[&str]) {
    let started = Instant::now();
    loop {
        let found = firing(port).await;
        let missing: Vec<_> = expected.iter().filter(|alert| !found.contains(**alert)).collect();
        if missing.is_empty() {
            return;
        }
        assert!(started.elapsed() < Duration::from_secs(90), "not fired: {missing:?}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// The collector gets the server's requests and their transactions, also the last ones before it stops.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collector_gets_the_traces() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("traces.endpoint=http://{}/", listener.local_addr().unwrap());
    let collected = Arc::new(Mutex::new(Vec::new()));
    let bodies = collected.clone();
    let collector = poem::endpoint::make(move |request: poem::Request| {
        let bodies = bodies.clone();
        async move {
            assert_eq!(request.uri().path(), "/v1/traces");
            let body = request.into_body().into_vec().await?;
            bodies.lock().unwrap().extend(body);
            Ok::<_, poem::Error>(())
        }
    });
    let acceptor = poem::listener::TcpAcceptor::from_tokio(listener).unwrap();
    tokio::spawn(poem::Server::new_with_acceptor(acceptor).run(collector));
    let database = Database::empty(Engine::Sqlite).await;
    assert!(agio(&database.url).args(["seed", "bench"]).status().await.unwrap().success());
    let (public, metrics) = (free_port(), free_port());
    let mut command = agio(&database.url);
    command.args(["--set", &endpoint]);
    let mut server = start(command, public, metrics).await;
    let visitor = TestClient::at(&format!("http://127.0.0.1:{public}"));
    let claim = new_claim(&visitor).await;
    let id = server.id().unwrap().to_string();
    assert!(Command::new("kill").arg(&id).status().await.unwrap().success());
    assert!(server.wait().await.unwrap().success());
    let collected = collected.lock().unwrap();
    for name in ["createClaim", "transaction", "request_id", "service.name"] {
        assert!(contains(&collected, name.as_bytes()), "{name}");
    }
    for private in [&*claim, "anna@example.com"] {
        assert!(!contains(&collected, private.as_bytes()), "{private}");
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|found| found == part)
}

/// Creates a claim and returns its id.
async fn new_claim(visitor: &TestClient) -> String {
    let directions = visitor.get("/api/v1/calculator/").await.ok();
    let all = directions["directions"].as_array().unwrap();
    let id = |code: &str| all.iter().find(|direction| direction["code"] == code).unwrap()["id"].clone();
    let mut claim = json!({
        "email": "anna@example.com", "fromPs": id("BTC"), "toPs": id("SBERRUB"), "fromSumma": "0.001", "toSumma": "0",
        "fromRequisites": {}, "toRequisites": { "card": "2200000000000004", "holder": "IVAN IVANOV" },
    });
    let refused = visitor.post("/api/v1/claim/", claim.clone()).await.refused(409, "rate_changed");
    claim["toSumma"] = refused["params"]["toSumma"].clone();
    visitor.post("/api/v1/claim/", claim).await.ok()["id"].as_str().unwrap().to_owned()
}

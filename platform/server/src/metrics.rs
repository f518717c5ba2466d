//! Metrics for Prometheus, on a listener of their own.
//!
//! Requests and jobs are counted as they happen. Everything else is read when somebody scrapes, the database at most
//! every few seconds and for a limited time: a scrape is answered even if the database is not, then with its last values.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use agio_calculator::PairStatus;
use agio_core::db::Engine;
use agio_core::outbox::{self, OutboxState};
use agio_core::{Result, Timestamp, Tx, fetch_all, fetch_one};
use agio_plugin_admin::PluginState;
use poem::http::{Method, StatusCode, header};
use poem::{Endpoint, Request, Response};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use rustix::fs::statvfs;
use rustix::param::page_size;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::app::App;
use crate::backup;
use crate::config::Config;
use crate::http::health;

agio_core::statements! {
    QUEUED_MESSAGES = "SELECT channel, COUNT(*), MIN(created_at) FROM outbox WHERE state = 'queued' GROUP BY channel";
    DATABASE_TIME = "SELECT CAST(CURRENT_TIMESTAMP AS TEXT)";
}

/// How long reading the database may take at a scrape.
const DEADLINE: Duration = Duration::from_secs(2);

/// The minimum time between two readings of the database.
const PAUSE: Duration = Duration::from_secs(5);

/// Upper bounds of the durations of requests, in seconds.
const BUCKETS: [f64; 9] = [0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

const CHANNELS: [&str; 3] = [agio_mail::CHANNEL, agio_partners::CHANNEL, agio_staff_alerts::CHANNEL];

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

type Value = Gauge<f64, AtomicU64>;
type Values = Family<[(&'static str, String); 1], Value>;

/// The metrics of a server. Their names and meanings are in `docs/metrics.md`.
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    durations: Family<OperationLabel, Histogram, fn() -> Histogram>,
    jobs: JobMetrics,
    sampled: SampledMetrics,
    /// When the database was last read. Locked while it is read.
    read_at: Mutex<Option<Instant>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    operation: &'static str,
    status: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabel {
    operation: &'static str,
}

struct JobMetrics {
    interval: Values,
    last_success: Values,
    failures: Family<[(&'static str, String); 1], Counter>,
}

struct SampledMetrics {
    health: Values,
    pool_open: Value,
    pool_idle: Value,
    pool_max: Value,
    read_seconds: Value,
    queued: Values,
    oldest: Values,
    undeliverable: Values,
    claims: Values,
    overdue: Value,
    pairs: Values,
    market_age: Value,
    source_live: Values,
    source_age: Values,
    plugin_up: Values,
    plugin_restarts: Values,
    ledger_differences: Value,
    ledger_checked: Value,
    audit_faults: Value,
    audit_verified: Value,
    backup_made: Value,
    payouts_closed: Value,
    clock_offset: Values,
    disk_free: Values,
    disk_size: Values,
    memory: Value,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::default();
        let histogram: fn() -> Histogram = || Histogram::new(BUCKETS);
        let (requests, durations) = (Family::default(), Family::new_with_constructor(histogram));
        registry.register("agio_http_requests", "Answered requests", Family::clone(&requests));
        let about = "Time from the request to the head of its answer";
        registry.register("agio_http_request_duration_seconds", about, Family::clone(&durations));
        let failures = Family::default();
        registry.register("agio_job_failures", "Failed runs of a job", Family::clone(&failures));
        let jobs = JobMetrics {
            interval: values(&mut registry, "agio_job_interval_seconds", "The pause between two runs of a job"),
            last_success: values(
                &mut registry,
                "agio_job_last_success_timestamp_seconds",
                "The last successful run of a job, or the start",
            ),
            failures,
        };
        let sampled = SampledMetrics::register(&mut registry);
        Self { registry, requests, durations, jobs, sampled, read_at: Mutex::default() }
    }
}

impl SampledMetrics {
    fn register(registry: &mut Registry) -> Self {
        Self {
            health: values(registry, "agio_health", "Whether a check of /health/claims is good"),
            pool_open: value(registry, "agio_database_connections_open", "Open connections"),
            pool_idle: value(registry, "agio_database_connections_idle", "Open connections that nobody uses"),
            pool_max: value(registry, "agio_database_connections_max", "The maximum number of connections"),
            read_seconds: value(registry, "agio_database_read_seconds", "How long the last reading for metrics took"),
            queued: values(registry, "agio_outbox_queued", "Messages that wait for their delivery"),
            oldest: values(registry, "agio_outbox_oldest_age_seconds", "The age of the oldest waiting message"),
            undeliverable: values(registry, "agio_outbox_undeliverable", "Messages that were given up"),
            claims: values(registry, "agio_claims_open", "Open claims"),
            overdue: value(registry, "agio_claims_overdue", "Claims that have waited too long for staff"),
            pairs: values(registry, "agio_pairs", "Pairs of the market"),
            market_age: value(registry, "agio_market_age_seconds", "The time since the market was last read"),
            source_live: values(registry, "agio_rate_source_live", "Whether an enabled source has recent rates"),
            source_age: values(registry, "agio_rate_source_age_seconds", "The age of the latest rate of an enabled source"),
            plugin_up: values(registry, "agio_plugin_up", "Whether an enabled plugin can be called"),
            plugin_restarts: values(registry, "agio_plugin_restarts", "Restarts of a plugin's process since the start"),
            ledger_differences: value(registry, "agio_ledger_differences", "Differences that the last ledger check found"),
            ledger_checked: value(registry, "agio_ledger_checked_timestamp_seconds", "The last ledger check"),
            audit_faults: value(registry, "agio_audit_faults", "Faults that the last verification of the audit log found"),
            audit_verified: value(registry, "agio_audit_verified_timestamp_seconds", "The last verification of the audit log"),
            backup_made: value(registry, "agio_backup_timestamp_seconds", "The last backup"),
            payouts_closed: value(registry, "agio_payouts_closed", "Whether no driver is told to send anything"),
            clock_offset: values(registry, "agio_clock_offset_seconds", "How far this clock is ahead of another"),
            disk_free: values(registry, "agio_disk_free_bytes", "Free space where a folder is stored"),
            disk_size: values(registry, "agio_disk_size_bytes", "The size of the file system where a folder is stored"),
            memory: value(registry, "process_resident_memory_bytes", "Memory of the process"),
        }
    }
}

fn value(registry: &mut Registry, name: &str, about: &str) -> Value {
    let value = Value::default();
    registry.register(name, about, value.clone());
    value
}

fn values(registry: &mut Registry, name: &str, about: &str) -> Values {
    let values = Values::default();
    registry.register(name, about, values.clone());
    values
}

/// Replaces all values of a family.
fn replace(values: &Values, label: &'static str, all: impl IntoIterator<Item = (String, f64)>) {
    values.clear();
    for (name, value) in all {
        values.get_or_create(&[(label, name)]).set(value);
    }
}

fn number(found: bool) -> f64 {
    if found { 1.0 } else { 0.0 }
}

fn seconds(at: Timestamp) -> f64 {
    at.0 as f64 / 1e6
}

fn age(now: Timestamp, of: Timestamp) -> f64 {
    (seconds(now) - seconds(of)).max(0.0)
}

impl Metrics {
    /// Counts a request. `operation` is the id of an operation, or a part of the server: never a path.
    pub fn count_request(&self, operation: &'static str, status: StatusCode, took: Duration) {
        let status = match status.as_u16() {
            ..400 => "ok",
            400..500 => "refused",
            _ => "failed",
        };
        self.requests.get_or_create(&RequestLabels { operation, status }).inc();
        self.durations.get_or_create(&OperationLabel { operation }).observe(took.as_secs_f64());
    }

    /// A job that begins to run periodically.
    pub fn add_job(&self, name: &str, every: Duration, now: Timestamp) {
        let label = [("job_name", name.to_owned())];
        self.jobs.interval.get_or_create(&label).set(every.as_secs_f64());
        self.jobs.last_success.get_or_create(&label).set(seconds(now));
        drop(self.jobs.failures.get_or_create(&label));
    }

    pub fn count_job(&self, name: &str, succeeded: bool, now: Timestamp) {
        let label = [("job_name", name.to_owned())];
        if succeeded {
            self.jobs.last_success.get_or_create(&label).set(seconds(now));
        } else {
            self.jobs.failures.get_or_create(&label).inc();
        }
    }

    /// All metrics as OpenMetrics text.
    pub async fn scrape(&self, app: &App, folders: &[(&'static str, PathBuf)]) -> String {
        self.sample_process(folders);
        self.sample_memory(app);
        // Another scrape reads it already, or the database hangs: its last values are answered.
        if let Ok(mut read_at) = self.read_at.try_lock()
            && read_at.is_none_or(|at| at.elapsed() >= PAUSE)
        {
            let began = Instant::now();
            let read = tokio::time::timeout(DEADLINE, self.sample_database(app)).await;
            *read_at = Some(Instant::now());
            self.sampled.read_seconds.set(began.elapsed().as_secs_f64());
            self.sampled.health.get_or_create(&[("check", "database".to_owned())]).set(number(matches!(read, Ok(Ok(())))));
        }
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &self.registry).expect("text can be appended to");
        text
    }

    fn sample_process(&self, folders: &[(&'static str, PathBuf)]) {
        for (name, folder) in folders {
            // A folder that does not exist yet will be on the disk of the one above it.
            let Some(Ok(disk)) = folder.ancestors().find(|path| path.exists()).map(statvfs) else { continue };
            let label = [("folder", (*name).to_owned())];
            self.sampled.disk_free.get_or_create(&label).set((disk.f_bavail * disk.f_frsize) as f64);
            self.sampled.disk_size.get_or_create(&label).set((disk.f_blocks * disk.f_frsize) as f64);
        }
        let pages = std::fs::read_to_string("/proc/self/statm").ok();
        let resident = pages.as_deref().and_then(|pages| pages.split(' ').nth(1)?.parse::<usize>().ok());
        self.sampled.memory.set(resident.map_or(f64::NAN, |pages| (pages * page_size()) as f64));
    }

    /// What the process knows without asking the database.
    fn sample_memory(&self, app: &App) {
        let sampled = &self.sampled;
        for (check, good) in health::known_checks(&app.platform.db, &app.ledger, &app.platform.settings) {
            sampled.health.get_or_create(&[("check", check.to_owned())]).set(number(good));
        }
        let pool = app.platform.db.pool();
        sampled.pool_open.set(pool.open.into());
        sampled.pool_idle.set(pool.idle as f64);
        sampled.pool_max.set(pool.max.into());
        let market = app.calculator.market();
        let pairs = market.pairs.iter().map(|pair| pair.state(app.calculator.free(pair.pair.receive_id)).name());
        let mut counts = vec![(PairStatus::Ok.name(), 0.0)];
        for state in pairs {
            match counts.iter_mut().find(|(name, _)| *name == state) {
                Some((_, count)) => *count += 1.0,
                None => counts.push((state, 1.0)),
            }
        }
        replace(&sampled.pairs, "state", counts.into_iter().map(|(name, count)| (name.to_owned(), count)));
        sampled.market_age.set(age(app.platform.clock.now(), app.calculator.market_read_at()));
        let plugins = app.plugin_manager.entries();
        let enabled = plugins.iter().filter(|entry| !matches!(entry.state().0, PluginState::Off | PluginState::Unset));
        let up = enabled.map(|entry| (entry.name.clone(), number(entry.state().0 == PluginState::Ready)));
        replace(&sampled.plugin_up, "plugin", up);
        let restarts =
            plugins.iter().filter_map(|entry| Some((entry.name.clone(), entry.supervised()?.health().restarts as f64)));
        replace(&sampled.plugin_restarts, "plugin", restarts);
        let ledger = app.ledger.last_check();
        sampled.ledger_differences.set(ledger.differences.len() as f64);
        sampled.ledger_checked.set(ledger.at.map_or(0.0, seconds));
        let audit = app.last_audit_verification();
        sampled.audit_faults.set(audit.as_ref().map_or(0, |audit| audit.found.faults.len()) as f64);
        sampled.audit_verified.set(audit.map_or(0.0, |audit| seconds(audit.at)));
        sampled.backup_made.set(backup::last_made(&app.platform.settings).map_or(0.0, seconds));
        sampled.payouts_closed.set(number(app.payments.are_payouts_closed()));
    }

    async fn sample_database(&self, app: &App) -> Result<()> {
        let (sampled, now) = (&self.sampled, app.platform.clock.now());
        let mut tx = app.platform.db.read().await?;
        let queued = fetch_all!(&mut tx, (String, i64, Timestamp), QUEUED_MESSAGES)?;
        for channel in CHANNELS {
            let found = queued.iter().find(|(name, ..)| name == channel);
            let label = [("channel", channel.to_owned())];
            sampled.queued.get_or_create(&label).set(found.map_or(0.0, |(_, count, _)| *count as f64));
            sampled.oldest.get_or_create(&label).set(found.map_or(0.0, |(.., oldest)| age(now, *oldest)));
            let undeliverable = outbox::count(&mut tx, channel, OutboxState::Dead).await?;
            sampled.undeliverable.get_or_create(&label).set(undeliverable as f64);
        }
        if app.platform.db.engine() == Engine::Postgres {
            let offset = offset_of(&mut tx, app).await?;
            sampled.clock_offset.get_or_create(&[("to", "database".to_owned())]).set(offset);
        }
        // The next queries take their own connections.
        drop(tx);
        let claims = app.claims.open_counts().await?;
        sampled.overdue.set(claims.overdue as f64);
        let by_state = claims.by_state.iter().map(|(state, count)| (state.name().to_owned(), *count as f64));
        replace(&sampled.claims, "state", by_state);
        let sources: Vec<_> = app.rates.sources().await?.into_iter().filter(|source| source.set.enabled).collect();
        let live = sources.iter().map(|source| (source.set.name.clone(), number(source.is_live)));
        replace(&sampled.source_live, "source", live);
        let ages = sources.iter().filter_map(|source| Some((source.set.name.clone(), age(now, source.observed?.1))));
        replace(&sampled.source_age, "source", ages);
        Ok(())
    }
}

/// How far this clock is ahead of PostgreSQL's, in seconds.
async fn offset_of(tx: &mut Tx, app: &App) -> Result<f64> {
    let before = app.platform.clock.now();
    let (text,) = fetch_one!(tx, (String,), DATABASE_TIME)?;
    let after = app.platform.clock.now();
    let there = Timestamp::parse(&text.replacen(' ', "T", 1).replace("+00", "Z")).map_err(agio_core::Error::internal)?;
    Ok(f64::midpoint(seconds(before), seconds(after)) - seconds(there))
}

/// Answers `GET /metrics`.
pub struct MetricsEndpoint {
    app: App,
    folders: Arc<Vec<(&'static str, PathBuf)>>,
}

impl MetricsEndpoint {
    pub fn new(app: &App, config: &Config) -> Self {
        let mut folders = vec![("receipts", config.files.receipts.clone()), ("photos", config.files.photos.clone())];
        if let Some(path) = config.database.url.0.strip_prefix("sqlite:") {
            folders.push(("database", PathBuf::from(path.trim_start_matches("//"))));
        }
        Self { app: app.clone(), folders: Arc::new(folders) }
    }
}

impl Endpoint for MetricsEndpoint {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        Ok(match (request.uri().path(), request.method()) {
            ("/metrics", &Method::GET) => Response::builder()
                .content_type(OPENMETRICS)
                .header(header::CACHE_CONTROL, "no-store")
                .body(self.app.metrics.scrape(&self.app, &self.folders).await),
            ("/metrics", _) => Response::builder().status(StatusCode::METHOD_NOT_ALLOWED).header(header::ALLOW, "GET").finish(),
            _ => Response::builder().status(StatusCode::NOT_FOUND).finish(),
        })
    }
}

//! PostgreSQL: databases for measurements, and the limit for claims there, `pgbench` with a commit per claim.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The same rows as SQLite's limit writes.
const SCHEMA: &str = "
    CREATE TABLE account (name TEXT PRIMARY KEY, balance BIGINT NOT NULL CHECK (balance >= 0));
    CREATE TABLE claim (id UUID PRIMARY KEY, email TEXT NOT NULL, send BIGINT NOT NULL, receive BIGINT NOT NULL, terms TEXT NOT NULL);
    CREATE TABLE transfer (claim UUID NOT NULL, debit TEXT NOT NULL, credit TEXT NOT NULL, amount BIGINT NOT NULL);
    CREATE TABLE history (claim UUID NOT NULL, what TEXT NOT NULL);
    CREATE TABLE idempotency (key TEXT PRIMARY KEY, claim UUID NOT NULL);
    INSERT INTO account VALUES ('reserve', 9000000000000000), ('hold', 0);";

const CLAIM: &str = "\\set one random(0, 281474976710655)
\\set other random(0, 281474976710655)
\\set id :one * 32768 + mod(:other, 32768)
BEGIN;
INSERT INTO claim VALUES (CAST(lpad(to_hex(CAST(:id AS BIGINT)), 32, '0') AS UUID), 'somebody@example.com', 1500000, 9018517, 'terms');
INSERT INTO transfer VALUES (CAST(lpad(to_hex(CAST(:id AS BIGINT)), 32, '0') AS UUID), 'reserve', 'hold', 9018517);
INSERT INTO history VALUES (CAST(lpad(to_hex(CAST(:id AS BIGINT)), 32, '0') AS UUID), 'created');
INSERT INTO idempotency VALUES (md5(CAST(:id AS TEXT)), CAST(lpad(to_hex(CAST(:id AS BIGINT)), 32, '0') AS UUID));
UPDATE account SET balance = balance - 9018517 WHERE name = 'reserve';
UPDATE account SET balance = balance + 9018517 WHERE name = 'hold';
COMMIT;
";

/// A server whose user may create databases.
#[derive(Clone)]
pub struct Postgres {
    url: String,
}

impl Postgres {
    /// The server that `AGIO_BENCH_POSTGRES` names, if it does.
    pub fn from_environment() -> Option<Self> {
        std::env::var("AGIO_BENCH_POSTGRES").ok().filter(|url| !url.is_empty()).map(|url| Self { url })
    }

    /// Creates a database and returns its address.
    pub fn create_database(&self, name: &str) -> String {
        self.query("postgres", &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
        self.query("postgres", &format!("CREATE DATABASE {name}"));
        format!("{}/{name}", self.url)
    }

    fn query(&self, database: &str, sql: &str) -> String {
        let mut command = Command::new(tool("psql"));
        let psql = command.arg(format!("{}/{database}", self.url)).args(["-Atq", "-v", "ON_ERROR_STOP=1", "-c", sql]);
        let output = psql.stdin(Stdio::null()).output().expect("psql runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// The bytes of a database.
    pub fn size_of(&self, database: &str) -> u64 {
        self.query(database, "SELECT pg_database_size(current_database())").parse().expect("a number")
    }

    /// The CPU time of the server's processes so far, those that have ended included.
    pub fn processor_time(&self) -> Duration {
        let folder = self.query("postgres", "SHOW data_directory");
        let first_line = |file: PathBuf| std::fs::read_to_string(file).ok()?.lines().next().map(str::to_owned);
        let Some(postmaster) = first_line(PathBuf::from(folder).join("postmaster.pid")) else { return Duration::ZERO };
        let mut ticks = 0;
        for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
            let number = |place: usize| fields.get(place).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
            if entry.file_name().to_string_lossy() == postmaster {
                // Its own, and those of the processes that have ended.
                ticks += number(11) + number(12) + number(13) + number(14);
            } else if fields.get(1) == Some(&postmaster.as_str()) {
                ticks += number(11) + number(12);
            }
        }
        Duration::from_millis(ticks * 10)
    }

    /// The number of claims that `pgbench` writes per second with these connections, each claim in its own transaction.
    pub fn claims_per_second(&self, connections: usize, time: Duration) -> f64 {
        let url = self.create_database("agio_bench_limit");
        self.query("agio_bench_limit", SCHEMA);
        let script = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(script.path(), CLAIM).expect("a file is written");
        let output = Command::new(tool("pgbench"))
            .args(["-n", "-M", "prepared", "-j", "2", "-c", &connections.to_string(), "-T", &time.as_secs().to_string(), "-f"])
            .arg(script.path())
            .arg(&url)
            .output()
            .expect("pgbench runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let tps = text.lines().find_map(|line| line.strip_prefix("tps = ")).and_then(|rest| rest.split(' ').next());
        tps.and_then(|tps| tps.parse().ok()).unwrap_or_else(|| panic!("pgbench says no rate: {text}"))
    }
}

/// A program of PostgreSQL's. Debian keeps some of them outside the search path.
fn tool(name: &str) -> PathBuf {
    let installed = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    installed
        .map(|version| version.path().join("bin").join(name))
        .filter(|path| path.exists())
        .max()
        .unwrap_or_else(|| name.into())
}

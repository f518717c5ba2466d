//! The measured processes: Agio as it is served, on either engine, and a bare handler.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use poem::listener::TcpListener as PoemListener;
use poem::{Route, Server, get, handler, web::Data};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::load;

/// Agio with the demo market on a throw-away database, SQLite unless told otherwise.
pub struct AgioServer {
    pub port: u16,
    agio: String,
    settings: Vec<String>,
    process: Child,
    folder: TempDir,
}

impl AgioServer {
    /// Seeds the database, starts the server and waits until it responds.
    pub async fn start(agio: &str) -> Self {
        Self::start_with(agio, |_| {}).await
    }

    /// The same, but prepares the database before the server starts.
    pub async fn start_with(agio: &str, prepare: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir_in(".").expect("a folder on the same disk as the limit's");
        let file = folder.path().join("agio.db");
        Self::launch(agio, &format!("sqlite:{}", file.display()), folder, || prepare(&file)).await
    }

    /// The same on an empty PostgreSQL database.
    pub async fn start_on(agio: &str, url: &str) -> Self {
        Self::launch(agio, url, tempfile::tempdir_in(".").expect("a folder"), || {}).await
    }

    async fn launch(agio: &str, url: &str, folder: TempDir, prepare: impl FnOnce()) -> Self {
        let port = free_port();
        let settings = [
            format!("database.url={url}"),
            format!("server.listen=127.0.0.1:{port}"),
            format!("files.receipts={}", folder.path().join("receipts").display()),
            format!("sites.public={}", write_site(folder.path()).display()),
            "server.calls_per_minute=0".to_owned(),
            "log.filter=warn".to_owned(),
            "demo.sandbox_chain=".to_owned(),
        ];
        let settings: Vec<String> = settings.into_iter().flat_map(|setting| ["--set".to_owned(), setting]).collect();
        for seed in ["demo", "bench"] {
            let seeded = command(agio, &settings, &["seed", seed]).stdout(Stdio::null()).status().await.expect("agio runs");
            assert!(seeded.success(), "the market was not seeded");
        }
        prepare();
        Self::serve(agio, port, settings, folder).await
    }

    /// Starts another node on the same database.
    pub async fn start_node(&self) -> Self {
        let (port, mut settings) = (free_port(), self.settings.clone());
        settings.extend(["--set".to_owned(), format!("server.listen=127.0.0.1:{port}")]);
        Self::serve(&self.agio, port, settings, tempfile::tempdir_in(".").expect("a folder")).await
    }

    async fn serve(agio: &str, port: u16, settings: Vec<String>, folder: TempDir) -> Self {
        let process = command(agio, &settings, &["serve"]).spawn().expect("agio runs");
        wait_for(port).await;
        wait_until_open(port).await;
        Self { port, agio: agio.to_owned(), settings, process, folder }
    }

    /// Stops the server in order and starts it again. Returns how long the start takes until it answers requests, and
    /// until it accepts claims.
    pub async fn restart(&mut self) -> (Duration, Duration) {
        let id = self.process.id().expect("the server runs");
        let killed = Command::new("kill").arg(id.to_string()).status().await.expect("kill runs");
        assert!(killed.success());
        self.process.wait().await.expect("the server ends");
        let started = Instant::now();
        self.process = command(&self.agio, &self.settings, &["serve"]).spawn().expect("agio runs");
        wait_for(self.port).await;
        let serves = started.elapsed();
        wait_until_open(self.port).await;
        (serves, started.elapsed())
    }

    pub fn database(&self) -> PathBuf {
        self.folder.path().join("agio.db")
    }

    /// The proportional set size (PSS) of the process, in MiB.
    pub fn memory_mib(&self) -> f64 {
        let id = self.process.id().expect("the server runs");
        let rollup = std::fs::read_to_string(format!("/proc/{id}/smaps_rollup")).unwrap_or_default();
        let pss = rollup.lines().find_map(|line| line.strip_prefix("Pss:")).and_then(|rest| rest.split_whitespace().next());
        pss.and_then(|kib| kib.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1024.0
    }

    /// The CPU time of the process so far.
    pub fn processor_time(&self) -> Duration {
        let id = self.process.id().expect("the server runs");
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // After the name in brackets: the 12th and 13th fields are user and kernel ticks, 100 per second.
        let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        Duration::from_millis(ticks * 10)
    }

    /// The ids of BTC and SBERRUB.
    async fn currencies(&self) -> (Value, Value) {
        let directions: Value = serde_json::from_slice(&load::get(self.port, "/api/v1/calculator/").await).expect("JSON");
        let id = |code: &str| {
            let all = directions["directions"].as_array().expect("a list");
            all.iter().find(|direction| direction["code"] == code).expect("a demo currency")["id"].clone()
        };
        (id("BTC"), id("SBERRUB"))
    }

    /// The path of the pair BTC to SBERRUB.
    pub async fn pair_path(&self) -> String {
        let (from, to) = self.currencies().await;
        format!("/api/v1/calculator/pair/{from}/{to}/")
    }

    /// Requests that create a claim at the current rate, each for a new customer.
    pub async fn claim_request(&self) -> Arc<dyn Fn(u64) -> Vec<u8> + Send + Sync> {
        let (from, to) = self.currencies().await;
        // The server refuses a wrong amount and returns the right one.
        let (status, refusal) = load::send(self.port, &claim(&from, &to, "0", 0)).await;
        assert_eq!(status, 409, "{}", String::from_utf8_lossy(&refusal));
        let refusal: Value = serde_json::from_slice(&refusal).expect("JSON");
        let receive = refusal["params"]["toSumma"].as_str().expect("an amount").to_owned();
        let started = std::time::Instant::now();
        Arc::new(move |number| claim(&from, &to, &receive, started.elapsed().as_nanos() as u64 * 1_000 + number % 1_000))
    }
}

fn claim(from: &Value, to: &Value, receive: &str, number: u64) -> Vec<u8> {
    let body = json!({
        "email": format!("customer{number}@example.com"),
        "fromPs": from, "toPs": to, "fromSumma": "0.001", "toSumma": receive,
        "fromRequisites": {}, "toRequisites": { "card": "2200000000000004", "holder": "IVAN IVANOV" },
    })
    .to_string();
    format!(
        "POST /api/v1/claim/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nIdempotency-Key: {}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        load::random_key(),
        body.len()
    )
    .into_bytes()
}

/// The templates of the pages that the server fills from the market, as the build writes them but without its scripts.
fn write_site(folder: &Path) -> PathBuf {
    let site = folder.join("site");
    let direction = "<html><head><title>AGIO_SLOT_TITLE</title><meta name=\"description\" content=\"AGIO_SLOT_DESCRIPTION\"></head>\
                     <body>AGIO_SLOT_LEAD AGIO_SLOT_DETAILS</body></html>";
    let sitemap = "<?xml version=\"1.0\"?>\n<urlset>\n  <url><loc>https://origin.invalid/</loc></url>\n</urlset>\n";
    for (name, content) in [("exchange/AGIO_SLOT_SLUG/index.html", direction), ("sitemap.xml", sitemap)] {
        let file = site.join(name);
        std::fs::create_dir_all(file.parent().expect("a file is in a folder")).expect("a folder is made");
        std::fs::write(file, content).expect("a file is written");
    }
    site
}

fn command(agio: &str, settings: &[String], arguments: &[&str]) -> Command {
    let mut command = Command::new(agio);
    command.args(["--profile", "demo"]).args(settings).args(arguments).kill_on_drop(true);
    command
}

/// Waits until the server accepts claims.
async fn wait_until_open(port: u16) {
    while load::send(port, &load::get_request("/health/claims")(0)).await.0 != 200 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A server that returns fixed bytes.
pub struct BareServer {
    pub port: u16,
    _process: Child,
    _folder: TempDir,
}

impl BareServer {
    /// Serves these bytes from a separate process.
    pub async fn start(bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("answer.json");
        std::fs::write(&file, bytes).expect("a file is written");
        let port = free_port();
        let this = std::env::current_exe().expect("this program has a file");
        let process =
            Command::new(this).arg("bare").arg(port.to_string()).arg(&file).kill_on_drop(true).spawn().expect("it runs");
        wait_for(port).await;
        Self { port, _process: process, _folder: folder }
    }
}

#[handler]
fn respond(Data(answer): Data<&Arc<Vec<u8>>>) -> poem::Response {
    poem::Response::builder().content_type("application/json").body(answer.to_vec())
}

/// Serves the bytes of a file at every path.
pub async fn serve_bare(port: &str, file: &str) {
    use poem::EndpointExt as _;
    let answer = Arc::new(std::fs::read(file).expect("the file is there"));
    let routes = Route::new().at("/*path", get(respond)).data(answer);
    Server::new(PoemListener::bind(format!("127.0.0.1:{port}"))).run(routes).await.expect("the port is free");
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it has an address").port()
}

async fn wait_for(port: u16) {
    for _ in 0..6_000 {
        if TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("nothing listens on {port}");
}

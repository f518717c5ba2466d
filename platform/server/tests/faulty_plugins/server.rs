//! Agio as a separate process, with the demo market, staff and the sandbox network.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use agio_core::{Db, Timestamp, execute};
use agio_sandbox_chain::Service;
use agio_sandbox_chain::chain::Output;
use agio_test_app::{Database, Engine, TestClient, free_port, is_live};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::plugin_set::{self, FAULTS, KINDS};

const AGIO: &str = env!("CARGO_BIN_EXE_agio");
const PLUGINS: &str = "/api/admin/v1/plugins";

/// Currencies and amounts whose payments faulty plugins screen, one for each fault.
const SCREENED_CURRENCIES: [(&str, &str); 9] = [
    ("ETH", "0.4"),
    ("USDTTRC20", "1200"),
    ("USDTERC20", "1200"),
    ("USDCERC20", "1200"),
    ("LTC", "6"),
    ("TRX", "9000"),
    ("XMR", "6"),
    ("DOGE", "6000"),
    ("SOL", "6"),
];

/// Currencies with faulty drivers, one for each fault.
const DRIVEN_CURRENCIES: [&str; 9] =
    ["BTC", "SBERRUB", "TCSBRUB", "SBPRUB", "CARDUAH", "KSPBKZT", "SEPAEUR", "ADVCUSD", "CASHRUB"];

/// A server that may be stopped and started again.
pub struct AgioServer {
    pub port: u16,
    folder: TempDir,
    database: Database,
    network: Service,
    process: Option<Child>,
    owner: Option<TestClient>,
    currencies: BTreeMap<String, i64>,
}

impl AgioServer {
    /// Prepares the market, staff and plugins with these limits.
    pub async fn prepare(limits: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        let network = Service::start(7, 1_000_000_000_000, "127.0.0.1:0".parse().unwrap()).await.unwrap();
        let database = Database::empty(Engine::Sqlite).await;
        for name in ["plugins", "temporary"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let list = folder.path().join("plugins.toml");
        plugin_set::write_plugins(&folder.path().join("plugins"), &list);
        let origin = network.url.trim_end_matches('/');
        let settings = format!(
            "[server]\nlisten = \"127.0.0.1:{port}\"\ncalls_per_minute = 0\n[database]\nurl = {:?}\n[log]\nfilter = \"off\"\n\
             [sites]\npublic = \"/dev/null/none\"\nconsole = \"/dev/null/none\"\n[files]\nreceipts = {:?}\nphotos = {:?}\n\
             [plugins]\nfolder = {:?}\nlist = {list:?}\nprivate_origins = [\"{origin}\"]\n{limits}\n",
            &*database.url,
            folder.path().join("receipts"),
            folder.path().join("photos"),
            folder.path().join("plugins"),
        );
        std::fs::write(folder.path().join("agio.toml"), settings).unwrap();
        let server = Self { port, folder, database, network, process: None, owner: None, currencies: BTreeMap::new() };
        for seed in ["demo", "bench"] {
            assert!(server.agio(&["seed", seed]).stdout(Stdio::null()).status().await.unwrap().success());
        }
        server
    }

    fn agio(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(AGIO);
        command.args(["--profile", "demo", "--set", "demo.sandbox_chain=", "--config"]);
        command.arg(self.folder.path().join("agio.toml")).args(arguments);
        command.env("AGIO__SECRETS__KEYS", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
        command.env("TMPDIR", self.temporary()).kill_on_drop(true);
        command
    }

    fn temporary(&self) -> PathBuf {
        self.folder.path().join("temporary")
    }

    fn root(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Starts the process and waits until it responds and all plugins have started.
    pub async fn start(&mut self) {
        self.process = Some(self.agio(&["serve"]).spawn().unwrap());
        crate::until(Duration::from_secs(30), async || is_live(self.port).await).await;
        let caller = TestClient::at(&self.root());
        let login = json!({ "email": "owner@agio.example", "password": "agio-demo-owner" });
        let session = caller.post("/api/admin/v1/auth/login", login).await.ok();
        let owner = caller.with_token(session["accessToken"].as_str().unwrap());
        owner.post("/api/admin/v1/me/confirm", json!({ "password": "agio-demo-owner" })).await.ok();
        self.owner = Some(owner);
        let directions = TestClient::at(&self.root()).get("/api/v1/calculator/").await.ok();
        let all = directions["directions"].as_array().unwrap().iter();
        self.currencies = all.map(|one| (one["code"].as_str().unwrap().to_owned(), one["id"].as_i64().unwrap())).collect();
        crate::until(Duration::from_secs(30), async || {
            let unknown: Vec<_> = self.plugins().await.into_values().filter(|plugin| plugin["state"] == "starting").collect();
            if unknown.is_empty() { Ok(()) } else { Err(format!("{unknown:?}")) }
        })
        .await;
    }

    fn owner(&self) -> &TestClient {
        self.owner.as_ref().unwrap()
    }

    /// The path of a quote.
    pub async fn quote(&self) -> String {
        format!("/api/v1/calculator/pair/{}/{}/", self.currencies["BTC"], self.currencies["SBERRUB"])
    }

    /// The plugins of the admin API by name.
    pub async fn plugins(&self) -> BTreeMap<String, Value> {
        let found = self.owner().get(PLUGINS).await.ok();
        let all = found["items"].as_array().unwrap().iter();
        all.map(|plugin| (plugin["name"].as_str().unwrap().to_owned(), plugin.clone())).collect()
    }

    pub async fn plugin(&self, name: &str) -> Value {
        self.plugins().await[name].clone()
    }

    pub async fn update_plugin(&self, name: &str, enabled: bool, settings: Value) {
        let revision = self.plugin(name).await["revision"].clone();
        let change = json!({ "revision": revision, "enabled": enabled, "settings": settings });
        self.owner().patch(&format!("{PLUGINS}/{name}"), change).await.ok();
    }

    pub async fn revive_plugin(&self, name: &str) {
        self.owner().post_empty(&format!("{PLUGINS}/{name}/revive")).await.ok();
    }

    /// Enables all plugins and makes sure that each one is called.
    pub async fn enable_all_plugins(&self) {
        self.update_plugin("sandbox-chain", true, json!({ "url": self.network.url })).await;
        self.update_plugin(plugin_set::HEALTHY, true, json!({})).await;
        for (mode, _) in FAULTS {
            for kind in KINDS {
                self.update_plugin(&plugin_set::name(kind, mode), true, json!({})).await;
            }
            let source = json!({ "revision": 0, "enabled": true, "everySeconds": 2, "maxAgeSeconds": 60, "priority": 1, "crossCheck": true });
            self.owner().put(&format!("/api/admin/v1/rates/sources/{}", plugin_set::name("rates", mode)), source).await.ok();
        }
        for (place, (mode, _)) in FAULTS.iter().enumerate() {
            self.set_route(DRIVEN_CURRENCIES[place], &plugin_set::name("payments", mode), None).await;
            self.set_route(SCREENED_CURRENCIES[place].0, "sandbox-chain", Some(&plugin_set::name("screening", mode))).await;
        }
    }

    async fn set_route(&self, code: &str, driver: &str, screening: Option<&str>) {
        let mut route = json!({
            "revision": 0, "driver": driver, "enabled": true, "confirmations": 1, "dust": "0", "autoPayout": false, "claimLimit": "0",
            "dayLimit": "0",
        });
        if let Some(screening) = screening {
            route["screening"] = screening.into();
        }
        self.owner().put(&format!("/api/admin/v1/payments/routes/{}", self.currencies[code]), route).await.ok();
    }

    /// Pays a claim in each screened currency in two parts, so that screening runs twice.
    pub async fn receive_payments(&self) {
        for (code, send) in SCREENED_CURRENCIES {
            let mut address = String::new();
            crate::until(Duration::from_secs(60), async || {
                address = self.payment_address(code, send).await?;
                Ok(())
            })
            .await;
            self.network.chain(code, |chain| {
                for _ in 0..2 {
                    chain.pay(vec![Output { address: address.clone(), units: 1_000_000 }]);
                }
                chain.mine(2);
            });
        }
    }

    /// Creates and confirms a claim, and returns its payment address.
    async fn payment_address(&self, code: &str, send: &str) -> Result<String, String> {
        let (customer, id) = self.create_claim(code, send).await?;
        let path = format!("/api/v1/claim/{id}");
        let confirmed = customer.post(&format!("{path}/confirm/"), json!({})).await;
        if !confirmed.status.is_success() {
            return Err(confirmed.text);
        }
        let value = customer.get(&format!("{path}/requisite/")).await.ok()["value"].as_str().unwrap().to_owned();
        // Until the driver has addresses, customers get a requisite of the pool.
        if value.starts_with("sbx1") { Ok(value) } else { Err(format!("{code}: {value}")) }
    }

    async fn create_claim(&self, code: &str, send: &str) -> Result<(TestClient, String), String> {
        static KNOWN: AtomicU64 = AtomicU64::new(0);
        let customer = TestClient::at(&self.root());
        let order = |receive: &str| {
            json!({
                "email": format!("customer{}@example.com", KNOWN.fetch_add(1, Ordering::Relaxed)),
                "fromPs": self.currencies[code], "toPs": self.currencies["SBERRUB"], "fromSumma": send, "toSumma": receive,
                "fromRequisites": {}, "toRequisites": { "card": "2200000000000004", "holder": "IVAN IVANOV" },
                "extras": { "termsVersion": "1", "amlConsent": true },
            })
        };
        let terms = customer.post("/api/v1/claim/", order("0")).await;
        let receive = terms.json()["params"]["toSumma"].as_str().map(str::to_owned).ok_or(terms.text)?;
        let created = customer.post("/api/v1/claim/", order(&receive)).await;
        let id = created.json()["id"].as_str().map(str::to_owned).ok_or(created.text)?;
        Ok((customer, id))
    }

    /// Creates a claim, so that every requisite validator is called.
    pub async fn check_a_requisite(&self) {
        self.create_claim("BTC", "0.01").await.expect("no plugin keeps a customer from an exchange");
    }

    /// Adds an undelivered email, which staff are alerted to.
    pub async fn cause_a_staff_alert(&self) {
        let db = Db::open(&self.database.url).await.unwrap();
        let now = Timestamp::parse("2024-03-28T12:00:00Z").unwrap();
        let dead = "INSERT INTO outbox (channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, leased_until, fault, created_at, settled_at)
            VALUES ('mail', 'anna@example.com', 'claim_created', 'claim', '1', '{}', 'dead', 80, 0, 0, '550 no such user', $1, $1)";
        db.write(move |tx| Box::pin(async move { execute!(tx, dead, now) })).await.unwrap();
        db.close().await;
    }

    pub fn remove_from_allowed_list(&self, name: &str) {
        let list = self.folder.path().join("plugins.toml");
        let allowed = std::fs::read_to_string(&list).unwrap();
        let rest: Vec<_> = allowed.lines().filter(|line| !line.starts_with(&format!("{name} "))).collect();
        std::fs::write(&list, rest.join("\n")).unwrap();
    }

    /// The process ids of the plugins.
    pub fn children(&self) -> Vec<u64> {
        let app = self.process.as_ref().and_then(Child::id).unwrap();
        let is_child = |id: &u64| {
            let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            let after_name = stat.rsplit(')').next().unwrap_or_default().to_owned();
            after_name.split_whitespace().nth(1) == Some(app.to_string().as_str())
        };
        let all = std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
        all.filter(is_child).collect()
    }

    /// The number of temporary library copies.
    pub fn library_copies(&self) -> usize {
        let entries = std::fs::read_dir(self.temporary()).unwrap();
        entries.filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("agio-plugin-copy-")).count()
    }

    /// Kills the process.
    pub async fn kill(&mut self) {
        self.process.take().unwrap().kill().await.unwrap();
    }

    /// Stops the process with SIGTERM.
    pub async fn stop(&mut self) {
        let mut process = self.process.take().unwrap();
        let killed = Command::new("kill").arg(process.id().unwrap().to_string()).status().await;
        assert!(killed.unwrap().success() && process.wait().await.unwrap().success());
    }
}

pub fn kill(process: u64) {
    assert!(std::process::Command::new("kill").args(["-9", &process.to_string()]).status().unwrap().success());
}

/// Whether a process exists and is no zombie.
pub fn is_alive(process: u64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().next()).is_some_and(|state| state != "Z" && state != "X")
}

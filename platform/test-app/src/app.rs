//! The whole server, listening on a free port.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agio_auth::{NewStaff, PasswordCost};
use agio_core::clock::{Clock as _, ManualClock};
use agio_core::db::Engine;
use agio_core::events::EventBus;
use agio_core::identity::Role;
use agio_core::networks::Network;
use agio_core::outbox::Outbox;
use agio_core::random::SeededRandom;
use agio_core::settings::Settings;
use agio_core::{BackgroundExecutor, Db, Platform, Timestamp, Vault};
use agio_mail::EmailLogo;
use agio_plugin_runtime::{ActionExecutor, BuiltInPlugins, PluginRegistry, PrivateNetworkAccess};
use agio_server::app::App;
use agio_server::config::{Config, ConfigSources, SecondFactor};
use agio_server::connections::Listener;
use agio_server::http::listeners::ListenerEndpoint;
use agio_server::{demo, nodes};
use tokio::task::{JoinHandle, JoinSet};

use crate::{Database, TestClient};

/// The start time of every test: noon of the day of the demo's rates.
const START: &str = "2024-03-28T12:00:00Z";

/// The random seed of the demo market. No test app uses the same seed.
const MARKET_SEED: u64 = u64::MAX;

/// A running server on a throw-away database.
pub struct TestApp {
    /// The server itself, for tests that inspect its parts.
    pub server: App,
    /// The base URL of the site, without a trailing slash.
    pub root: String,
    /// The base URL of the console. It differs from `root` only if the configuration says so.
    pub console: String,
    clock: Arc<ManualClock>,
    serving: Vec<JoinHandle<()>>,
    nodes: JoinSet<()>,
    // Dropped last: the server must stop before the database is dropped.
    database: Arc<Database>,
    receipts: Arc<tempfile::TempDir>,
    config: Config,
    /// What modules call instead of the configured plugins.
    plugins: Option<Arc<dyn PluginRegistry>>,
}

/// An email that was sent.
#[derive(Clone, Debug)]
pub struct ReceivedEmail {
    /// The template: `claim_created`.
    pub kind: String,
    pub subject: String,
    pub text: String,
    pub html: String,
}

impl TestApp {
    /// The password of every staff member in tests.
    pub const PASSWORD: &str = "correct horse battery";

    /// Starts a server with the demo market and no claims.
    pub async fn start(engine: Engine) -> Self {
        Self::start_with(Database::with_market(engine).await, |_| {}).await
    }

    /// Starts a server on an empty database: no market and no staff.
    pub async fn start_empty(engine: Engine) -> Self {
        Self::start_empty_with(engine, |_| {}).await
    }

    /// Starts a server on an empty database with a changed configuration.
    pub async fn start_empty_with(engine: Engine, configure: impl FnOnce(&mut Config)) -> Self {
        let plugins = |executor| Some(Arc::new(BuiltInPlugins::new(executor)) as _);
        Self::launch_first(Database::empty(engine).await, configure, plugins).await
    }

    /// Starts a server on this database with a changed configuration.
    pub async fn start_with(database: Database, configure: impl FnOnce(&mut Config)) -> Self {
        Self::start_with_plugins(database, configure, BuiltInPlugins::new).await
    }

    /// Starts a server with these plugins. Their requests may go to this machine.
    pub async fn start_with_plugins(
        database: Database,
        configure: impl FnOnce(&mut Config),
        plugins: impl FnOnce(ActionExecutor) -> BuiltInPlugins,
    ) -> Self {
        let app = Self::launch_first(database, configure, |executor| Some(Arc::new(plugins(executor)))).await;
        app.with_market().await
    }

    /// Starts a server whose modules call the plugins that staff configure, as in production.
    pub async fn start_with_configured_plugins(database: Database, configure: impl FnOnce(&mut Config)) -> Self {
        Self::launch_first(database, configure, |_| None).await.with_market().await
    }

    async fn with_market(self) -> Self {
        if self.server.calculator.market().pairs.is_empty() {
            demo::seed_market(&self.server).await.expect("the demo market is valid");
        }
        self
    }

    /// Starts the first node on a database.
    async fn launch_first(
        database: Database,
        configure: impl FnOnce(&mut Config),
        plugins: impl FnOnce(ActionExecutor) -> Option<Arc<dyn PluginRegistry>>,
    ) -> Self {
        let receipts = Arc::new(tempfile::tempdir().expect("a temporary folder can be created"));
        let clock = Arc::new(ManualClock::at(Timestamp::parse(START).expect("a valid timestamp")));
        let plugins = plugins(action_executor(&clock));
        Self::launch(Arc::new(database), receipts, clock, 1, plugins, configure).await
    }

    /// Starts another node: a separate server in memory, on the same database and with the same clock.
    pub async fn another_node(&self) -> Self {
        self.another_node_with(|_| {}).await
    }

    /// Starts another node with a changed configuration.
    pub async fn another_node_with(&self, configure: impl FnOnce(&mut Config)) -> Self {
        // Each node has its own randomness, as in production.
        let seed = 1 + Arc::strong_count(&self.database) as u64;
        let changed = |config: &mut Config| {
            config.clone_from(&self.config);
            configure(config);
        };
        Self::launch(self.database.clone(), self.receipts.clone(), self.clock.clone(), seed, self.plugins.clone(), changed).await
    }

    async fn launch(
        database: Arc<Database>,
        receipts: Arc<tempfile::TempDir>,
        clock: Arc<ManualClock>,
        seed: u64,
        plugins: Option<Arc<dyn PluginRegistry>>,
        configure: impl FnOnce(&mut Config),
    ) -> Self {
        let mut config = test_config(receipts.path());
        configure(&mut config);
        if !database.has_schema {
            migrate(&database.url).await;
        }
        let server = assemble(&database.url, clock.clone(), seed, plugins.clone(), &config).await;
        let nodes = nodes::start(&server).await.expect("the nodes connect");
        let (public, own) = server.endpoints(&config).expect("the sites can be read");
        let (root, serving) = serve(public, &config).await;
        let mut app = Self {
            server,
            console: root.clone(),
            root,
            clock,
            serving: vec![serving],
            nodes,
            database,
            receipts,
            config,
            plugins,
        };
        if let Some(endpoint) = own {
            let (console, serving) = serve(endpoint, &app.config).await;
            app.console = console;
            app.serving.push(serving);
        }
        app
    }

    /// Ends what tells this node from other clients of its database, as if its process had ended.
    pub async fn leave_nodes(&mut self) {
        self.nodes.shutdown().await;
    }

    /// A visitor without an account.
    pub fn visitor(&self) -> TestClient {
        TestClient::at(&self.root)
    }

    /// A staff member who has signed in and confirmed the password just now.
    pub async fn staff(&self, role: Role) -> TestClient {
        let caller = self.staff_unconfirmed(role).await;
        caller.post("/api/admin/v1/me/confirm", serde_json::json!({ "password": Self::PASSWORD })).await.ok();
        caller
    }

    /// A staff member who has signed in.
    pub async fn staff_unconfirmed(&self, role: Role) -> TestClient {
        self.staff_named(&role.to_string(), role).await
    }

    /// A staff member who has signed in as `NAME@agio.example`.
    pub async fn staff_named(&self, name: &str, role: Role) -> TestClient {
        let email = format!("{name}@agio.example");
        if !self.server.auth.staff_exists(&email).await.expect("the database answers") {
            let new = NewStaff { email: email.clone(), name: name.to_owned(), role, password: Self::PASSWORD.into() };
            self.server.auth.add_staff(new).await.expect("staff can be added");
        }
        let caller = TestClient::at(&self.console);
        let login = serde_json::json!({ "email": email, "password": Self::PASSWORD });
        let session = caller.post("/api/admin/v1/auth/login", login).await.ok();
        caller.with_token(session["accessToken"].as_str().expect("an access token"))
    }

    pub async fn operator(&self) -> TestClient {
        self.staff(Role::Operator).await
    }

    pub async fn owner(&self) -> TestClient {
        self.staff(Role::Owner).await
    }

    /// Advances the clock and runs every job once.
    pub async fn advance_and_run_jobs(&self, by: Duration) {
        self.clock.advance(by);
        self.run_jobs(|_| true).await;
    }

    /// Advances the clock and runs the jobs of a module once, where the others matter to nobody: each takes its time.
    pub async fn advance_and_run_jobs_of(&self, module: &str, by: Duration) {
        self.clock.advance(by);
        self.run_jobs(|name| name.split('.').next() == Some(module)).await;
    }

    async fn run_jobs(&self, is_wanted: impl Fn(&str) -> bool) {
        for job in self.server.jobs().iter().filter(|job| is_wanted(job.name)) {
            (job.run)().await.unwrap_or_else(|error| panic!("the job {} fails: {error}", job.name));
        }
    }

    /// Runs the job that creates the requested accounts and queues their emails, and no other job.
    pub async fn run_auth_requests(&self) {
        self.run_jobs(|name| name == "auth.requests").await;
    }

    /// Advances the clock without running jobs.
    pub fn advance_clock(&self, by: Duration) {
        self.clock.advance(by);
    }

    /// The emails to an address, oldest first, with their secrets. Only if no mail server is configured.
    pub async fn emails_to(&self, email: &str) -> Vec<ReceivedEmail> {
        let mut stored = self.server.mailbox.list_newest(1_000_000).await.expect("the mailbox can be read");
        stored.reverse();
        stored.retain(|stored| stored.email.to.eq_ignore_ascii_case(email));
        let logo = EmailLogo::within(&self.server.brands.current());
        let read = stored.into_iter().map(|stored| {
            let content = stored.email.content(&self.server.platform.vault, logo.as_ref()).expect("the email can be decrypted");
            ReceivedEmail { kind: stored.kind, subject: stored.email.subject, text: content.text, html: content.html }
        });
        read.collect()
    }

    /// The current time of the server.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Asserts that the ledger adds up and that all payouts are booked.
    pub async fn assert_ledger_is_clean(&self) {
        let checked = self.server.check_ledger().await.expect("the ledger can be read");
        assert!(checked.is_clean(), "{:#?}", checked.differences);
        let sent = self.server.payments.reconcile().await.expect("payouts can be read");
        assert!(sent.is_empty(), "{sent:#?}");
    }

    /// Asserts that nobody changed the audit log, and returns its length.
    pub async fn assert_audit_chain_is_intact(&self) -> u64 {
        let found = self.server.verify_audit_chain().await.expect("the log can be read");
        assert!(found.faults.is_empty(), "{:#?}", found.faults);
        found.entries
    }

    /// Asserts that the database does not contain these payment details in plain text.
    pub async fn assert_not_stored_in_plain_text(&self, details: &[&str]) {
        for detail in details {
            let columns = self.database.columns_containing(detail).await;
            assert!(columns.is_empty(), "{detail} is in {columns:?}");
        }
    }

    pub fn database(&self) -> &Database {
        &self.database
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        self.serving.iter().for_each(JoinHandle::abort);
    }
}

/// The configuration of tests.
fn test_config(files: &Path) -> Config {
    let mut config = Config::read(&ConfigSources::default()).expect("the default configuration is whole");
    config.files.receipts = files.join("receipts");
    config.files.photos = files.join("photos");
    config.sites.public = Path::new("/dev/null/none").to_owned();
    config.sites.console = Path::new("/dev/null/none").to_owned();
    config.sites.help = Path::new("/dev/null/none").to_owned();
    config.server.calls_per_minute = 0;
    // Tests set the callers' addresses with `x-forwarded-for`.
    config.server.trusted_proxies = [Network::from(IpAddr::from([127, 0, 0, 1]))].into_iter().collect();
    // In most tests staff sign in with a password only.
    config.staff.second_factor = SecondFactor::Optional;
    config.password_cost = PasswordCost::LOWEST;
    // Emails are read from the mailbox, as if they had arrived.
    config.is_demo = true;
    config
}

/// Carries out the actions of plugins. Private addresses are allowed: test servers run on this machine.
fn action_executor(clock: &Arc<ManualClock>) -> ActionExecutor {
    ActionExecutor::new(clock.clone(), PrivateNetworkAccess::All).expect("TLS can be had")
}

/// Assembles and opens a server on a database.
async fn assemble(
    url: &str,
    clock: Arc<ManualClock>,
    seed: u64,
    plugins: Option<Arc<dyn PluginRegistry>>,
    config: &Config,
) -> App {
    let db = Db::open(url).await.expect("the database opens");
    let platform = Platform {
        db,
        clock,
        random: Arc::new(SeededRandom::new(seed)),
        settings: Settings::default(),
        events: EventBus::default(),
        outbox: Outbox::default(),
        vault: Vault::temporary(Arc::new(SeededRandom::new(2))),
        background: BackgroundExecutor::default(),
    };
    let app = App::assemble_with_plugins(platform, config, plugins).expect("the configuration is valid");
    app.open().await.expect("the server starts");
    app
}

async fn migrate(url: &str) {
    let db = Db::open(url).await.expect("the database opens");
    db.migrate().await.expect("the migrations run");
    db.close().await;
}

/// Migrates a database and adds the demo market.
pub async fn seed_market(url: &str) {
    let clock = Arc::new(ManualClock::at(Timestamp::parse(START).expect("a valid timestamp")));
    migrate(url).await;
    let no_plugins = Arc::new(BuiltInPlugins::new(action_executor(&clock)));
    let app = assemble(url, clock, MARKET_SEED, Some(no_plugins), &test_config(Path::new("/dev/null/none"))).await;
    demo::seed_market(&app).await.expect("the demo market is valid");
    app.platform.db.close().await;
}

async fn serve(endpoint: ListenerEndpoint, config: &Config) -> (String, JoinHandle<()>) {
    let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
    let listener = Listener::bind(any_port, config.connection_limits(None)).await.expect("a port is free");
    let root = format!("http://{}", listener.address().expect("it listens"));
    (root, tokio::spawn(listener.serve(endpoint, std::future::pending(), Duration::ZERO)))
}

//! The whole house, listening on a port of its own.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agio_auth::NewStaff;
use agio_core::clock::{Clock as _, ManualClock};
use agio_core::db::Engine;
use agio_core::identity::Role;
use agio_core::live::Live;
use agio_core::networks::Network;
use agio_core::outbox::Outbox;
use agio_core::random::SeededRandom;
use agio_core::settings::Settings;
use agio_core::{Aside, Db, Platform, Timestamp, Vault};
use agio_plugin_host::{BuiltIn, Hand, Plugins, Private};
use agio_server::app::App;
use agio_server::config::{Config, SecondFactor, Wanted};
use agio_server::connections::Listener;
use agio_server::http::doors::Door;
use agio_server::{demo, nodes};
use tokio::task::{JoinHandle, JoinSet};

use crate::{Caller, Database};

/// When every test begins: noon of the day the demonstration's rates are of.
const START: &str = "2024-03-28T12:00:00Z";

/// The seed of the randomness a market is made with: another one than any house has that comes to live with it.
const FURNISHING: u64 = u64::MAX;

/// The running house.
pub struct House {
    /// Its parts, for looking inside.
    pub app: App,
    /// Where it answers, without a slash at the end.
    pub root: String,
    /// Where the console answers: another address only in a house that is configured so.
    pub console: String,
    clock: Arc<ManualClock>,
    serving: Vec<JoinHandle<()>>,
    _nodes: JoinSet<()>,
    // Dropped last: what is served must be over before the database goes.
    database: Arc<Database>,
    receipts: Arc<tempfile::TempDir>,
    config: Config,
}

/// A mail somebody got.
#[derive(Clone, Debug)]
pub struct Mailed {
    /// What it is: `claim_created`.
    pub kind: String,
    /// Its subject.
    pub subject: String,
    /// Its words.
    pub text: String,
    /// The same as a page.
    pub html: String,
}

impl House {
    /// The password of every member of staff in tests.
    pub const PASSWORD: &str = "correct horse battery";

    /// The house with the demonstration's market and no claims.
    ///
    /// # Panics
    /// It does not start.
    pub async fn open(engine: Engine) -> Self {
        Self::open_on(Database::furnished(engine).await, |_| {}).await
    }

    /// The house on a given database, with a changed configuration.
    ///
    /// # Panics
    /// It does not start.
    pub async fn open_on(database: Database, configure: impl FnOnce(&mut Config)) -> Self {
        Self::open_asking(database, configure, BuiltIn::new).await
    }

    /// The house that asks these plugins, whose requests may lead to this machine.
    ///
    /// # Panics
    /// It does not start.
    pub async fn open_asking(
        database: Database,
        configure: impl FnOnce(&mut Config),
        plugins: impl FnOnce(Hand) -> BuiltIn,
    ) -> Self {
        let receipts = Arc::new(tempfile::tempdir().expect("a temporary folder can be made"));
        let clock = Arc::new(ManualClock::at(Timestamp::parse(START).expect("a moment")));
        let plugins = Arc::new(plugins(hand(&clock)));
        let house = Self::start(Arc::new(database), receipts, clock, 1, plugins, configure).await;
        if house.app.calculator.market().pairs.is_empty() {
            demo::seed_market(&house.app).await.expect("the demonstration's market is whole");
        }
        house
    }

    /// Another node of the same house: its own process as far as memory goes, the same database and the same clock.
    ///
    /// # Panics
    /// It does not start.
    pub async fn another_node(&self) -> Self {
        self.another_node_with(|_| {}).await
    }

    /// The same with a changed configuration.
    ///
    /// # Panics
    /// It does not start.
    pub async fn another_node_with(&self, configure: impl FnOnce(&mut Config)) -> Self {
        // Each node has randomness of its own, as real ones have.
        let seed = 1 + Arc::strong_count(&self.database) as u64;
        let changed = |config: &mut Config| {
            config.clone_from(&self.config);
            configure(config);
        };
        Self::start(self.database.clone(), self.receipts.clone(), self.clock.clone(), seed, self.app.plugins.clone(), changed)
            .await
    }

    async fn start(
        database: Arc<Database>,
        receipts: Arc<tempfile::TempDir>,
        clock: Arc<ManualClock>,
        seed: u64,
        plugins: Arc<dyn Plugins>,
        configure: impl FnOnce(&mut Config),
    ) -> Self {
        let mut config = plain_config(receipts.path());
        configure(&mut config);
        if !database.has_schema {
            migrate(&database.url).await;
        }
        let app = assembled(&database.url, clock.clone(), seed, plugins, &config).await;
        let nodes = nodes::start(&app).await.expect("the nodes can talk");
        let (public, own) = app.doors(&config).expect("the doors open");
        let (root, serving) = serve(public, &config).await;
        let mut house =
            Self { app, console: root.clone(), root, clock, serving: vec![serving], _nodes: nodes, database, receipts, config };
        if let Some(door) = own {
            let (console, serving) = serve(door, &house.config).await;
            house.console = console;
            house.serving.push(serving);
        }
        house
    }

    /// Somebody who has just come.
    #[must_use]
    pub fn customer(&self) -> Caller {
        Caller::at(&self.root)
    }

    /// A member of staff who has signed in, and confirmed a moment ago that it is they.
    ///
    /// # Panics
    /// Signing in fails.
    pub async fn staff(&self, role: Role) -> Caller {
        let caller = self.staff_unconfirmed(role).await;
        caller.post("/api/admin/v1/me/confirm", serde_json::json!({ "password": Self::PASSWORD })).await.ok();
        caller
    }

    /// A member of staff who has signed in.
    ///
    /// # Panics
    /// Signing in fails.
    pub async fn staff_unconfirmed(&self, role: Role) -> Caller {
        self.staff_named(&role.to_string(), role).await
    }

    /// The same, known by a name of their own: `NAME@agio.example`.
    ///
    /// # Panics
    /// Signing in fails.
    pub async fn staff_named(&self, name: &str, role: Role) -> Caller {
        let email = format!("{name}@agio.example");
        if !self.app.auth.knows(&email).await.expect("the database answers") {
            let new = NewStaff { email: email.clone(), name: name.to_owned(), role, password: Self::PASSWORD.into() };
            self.app.auth.add_staff(new).await.expect("staff can be added");
        }
        let caller = Caller::at(&self.console);
        let login = serde_json::json!({ "email": email, "password": Self::PASSWORD });
        let session = caller.post("/api/admin/v1/auth/login", login).await.ok();
        caller.with_token(session["accessToken"].as_str().expect("an access token"))
    }

    /// An operator who has signed in.
    pub async fn operator(&self) -> Caller {
        self.staff(Role::Operator).await
    }

    /// The owner, signed in.
    pub async fn owner(&self) -> Caller {
        self.staff(Role::Owner).await
    }

    /// Moves the clock and lets the house do what has come due.
    ///
    /// # Panics
    /// A job fails.
    pub async fn later(&self, by: Duration) {
        self.clock.advance(by);
        for job in self.app.jobs() {
            (job.run)().await.unwrap_or_else(|error| panic!("the job {} fails: {error}", job.name));
        }
    }

    /// Lets the house make the accounts and write the letters that were asked for, and nothing else.
    ///
    /// # Panics
    /// It fails.
    pub async fn answers_requests(&self) {
        let jobs = self.app.jobs();
        let job = jobs.iter().find(|job| job.name == "auth.requests").expect("the house answers requests");
        (job.run)().await.expect("requests are answered");
    }

    /// Moves the clock alone.
    pub fn wait(&self, by: Duration) {
        self.clock.advance(by);
    }

    /// The mails that came to an address, the oldest first, secrets included. For a house without a mail server.
    ///
    /// # Panics
    /// A mail cannot be read.
    pub async fn mail_to(&self, email: &str) -> Vec<Mailed> {
        let mut kept = self.app.mailbox.newest(i64::MAX).await.expect("the mailbox can be read");
        kept.reverse();
        kept.retain(|kept| kept.mail.to.eq_ignore_ascii_case(email));
        let read = kept.into_iter().map(|kept| {
            let content = kept.mail.content(&self.app.platform.vault).expect("the mail can be opened");
            Mailed { kind: kept.kind, subject: kept.mail.subject, text: content.text, html: content.html }
        });
        read.collect()
    }

    /// The present of the house.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Proves the books, and that what left is in them.
    ///
    /// # Panics
    /// They do not agree.
    pub async fn books_are_clean(&self) {
        let checked = self.app.check_books().await.expect("the books can be read");
        assert!(checked.is_clean(), "{:#?}", checked.differences);
        let sent = self.app.payments.reconcile().await.expect("what left can be read");
        assert!(sent.is_empty(), "{sent:#?}");
    }

    /// Proves the audit log.
    ///
    /// # Panics
    /// It is not what was written.
    pub async fn audit_is_whole(&self) -> u64 {
        let found = self.app.prove_audit().await.expect("the log can be read");
        assert!(found.faults.is_empty(), "{:#?}", found.faults);
        found.entries
    }

    /// Proves that whoever has the database alone does not learn these payment details.
    ///
    /// # Panics
    /// One of them stands in it in the open.
    pub async fn tells_nobody(&self, details: &[&str]) {
        for detail in details {
            let places = self.database.places_of(detail).await;
            assert!(places.is_empty(), "{detail} stands in {places:?}");
        }
    }

    /// The database, for tests of the storage itself.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.database
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.serving.iter().for_each(JoinHandle::abort);
    }
}

/// The configuration of houses in tests.
fn plain_config(files: &Path) -> Config {
    let mut config = Config::read(&Wanted::default()).expect("the default configuration is whole");
    config.files.receipts = files.join("receipts");
    config.files.photos = files.join("photos");
    config.sites.public = Path::new("/nonexistent").to_owned();
    config.sites.console = Path::new("/nonexistent").to_owned();
    config.server.calls_per_minute = 0;
    // Tests speak for callers at many addresses.
    config.server.trusted_proxies = [Network::from(IpAddr::from([127, 0, 0, 1]))].into_iter().collect();
    // Staff of most tests sign in with a password and get on with what the test is about.
    config.staff.second_factor = SecondFactor::Optional;
    config
}

/// Does for plugins what they need done, on this machine too: what they ask for in tests answers here.
fn hand(clock: &Arc<ManualClock>) -> Hand {
    Hand::new(clock.clone(), Private::Everything).expect("TLS can be had")
}

/// The parts of a house on a database, opened.
async fn assembled(url: &str, clock: Arc<ManualClock>, seed: u64, plugins: Arc<dyn Plugins>, config: &Config) -> App {
    let db = Db::open(url).await.expect("the database opens");
    let platform = Platform {
        db,
        clock,
        random: Arc::new(SeededRandom::new(seed)),
        settings: Settings::default(),
        live: Live::default(),
        outbox: Outbox::default(),
        vault: Vault::forgetful(Arc::new(SeededRandom::new(2))),
        aside: Aside::default(),
    };
    let app = App::assemble_asking(platform, config, Some(plugins)).expect("the configuration is good");
    app.open().await.expect("the house opens");
    app
}

/// Brings the schema of a database up to date.
async fn migrate(url: &str) {
    let db = Db::open(url).await.expect("the database opens");
    db.migrate().await.expect("the migrations run");
    db.close().await;
}

/// Puts the demonstration's market into a database, as it stands when tests begin, and leaves it.
pub async fn furnish(url: &str) {
    let clock = Arc::new(ManualClock::at(Timestamp::parse(START).expect("a moment")));
    migrate(url).await;
    let nobody = Arc::new(BuiltIn::new(hand(&clock)));
    let app = assembled(url, clock, FURNISHING, nobody, &plain_config(Path::new("/nonexistent"))).await;
    demo::seed_market(&app).await.expect("the demonstration's market is whole");
    app.platform.db.close().await;
}

async fn serve(door: Door, config: &Config) -> (String, JoinHandle<()>) {
    let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
    let listener = Listener::bind(any_port, config.connection_limits(None)).await.expect("a port is free");
    let root = format!("http://{}", listener.address().expect("it listens"));
    (root, tokio::spawn(listener.serve(door, std::future::pending(), Duration::ZERO)))
}

//! The composition root: which modules there are, and who answers whose needs.

use std::sync::Arc;
use std::time::Duration;

use agio_auth::{Auth, StaffSignIn};
use agio_calculator::{Calculator, CalculatorApi, MarketDesk, QuoteKeyApi};
use agio_claims::{Claims, ClaimsApi, ClaimsDesk};
use agio_core::live::Notice;
use agio_core::module::{Job, Module};
use agio_core::texts::{Dictionary, Texts};
use agio_core::{Platform, Result, audit, idempotency, outbox, settings};
use agio_ledger::{Checked, Ledger};
use poem::{EndpointExt as _, IntoEndpoint as _};
use poem_openapi::{LicenseObject, OpenApi, OpenApiService, ServerObject};

use crate::config::Config;
use crate::desk::{DESK_READ, Desk};
use crate::http::built_in;
use crate::http::docs::Docs;
use crate::http::edge::Edge;
use crate::http::limit::CallLimit;
use crate::http::site::{Policy, Shell, Site};
use crate::openapi;

/// How long an answer is kept for a repeated request.
const ANSWERS_KEPT: Duration = Duration::from_secs(48 * 60 * 60);

/// The assembled house.
#[derive(Clone)]
pub struct App {
    /// The ground.
    pub platform: Platform,
    /// The books.
    pub ledger: Ledger,
    /// Signing in.
    pub auth: Arc<Auth>,
    /// Rates and quotes.
    pub calculator: Arc<Calculator>,
    /// Claims.
    pub claims: Arc<Claims>,
    texts: Arc<Texts>,
    secure_cookies: bool,
}

impl App {
    /// Makes every module and gives each what it needs. Nothing is read yet.
    ///
    /// # Panics
    /// The modules' dictionaries or settings contradict each other: a fault of the program, found at any start.
    #[must_use]
    pub fn assemble(platform: Platform, config: &Config) -> Self {
        let ledger = Ledger::new(platform.live.clone());
        let auth = Auth::new(&platform);
        let calculator = Calculator::new(&platform, ledger.clone());
        let claims = Claims::new(&platform, ledger.clone(), calculator.clone(), config.files.receipts.clone());
        let secure_cookies = config.server.public_url.starts_with("https:");
        let mut app = Self { platform, ledger, auth, calculator, claims, texts: Arc::default(), secure_cookies };
        app.texts = Arc::new(app.merged_texts());
        app.platform.settings.declare(app.modules().iter().flat_map(|module| module.settings()).copied());
        app
    }

    /// The modules of the house.
    #[must_use]
    pub fn modules(&self) -> [Arc<dyn Module>; 3] {
        [self.auth.clone(), self.calculator.clone(), self.claims.clone()]
    }

    /// Reads what memory holds and proves the books.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn open(&self) -> Result<()> {
        self.refresh_all().await?;
        self.check_books().await.map(drop)
    }

    /// Reads anew what a notice tells of.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn refresh(&self, notice: Notice) -> Result<()> {
        match notice {
            Notice::Claim(_) => Ok(()),
            Notice::Reserve(_) => self.ledger.reserves().load(&self.platform.db).await,
            Notice::Market => self.calculator.load().await,
            Notice::Settings | Notice::TechnicalMode(_) => self.platform.settings.load(&self.platform.db).await,
            Notice::Sessions => self.auth.load().await,
        }
    }

    /// Reads anew everything that memory holds.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn refresh_all(&self) -> Result<()> {
        self.platform.settings.load(&self.platform.db).await?;
        self.ledger.reserves().load(&self.platform.db).await?;
        self.auth.load().await?;
        self.calculator.load().await
    }

    /// Proves the books and the claims against them. While something does not agree, no claim is taken.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn check_books(&self) -> Result<Checked> {
        let mut tx = self.platform.db.read().await?;
        let mut checked = self.ledger.check(&mut tx, self.platform.clock.now()).await?;
        checked.differences.extend(self.claims.audit(&mut tx).await?);
        self.ledger.remember_check(checked.clone());
        Ok(checked)
    }

    /// Everything that is done again and again.
    #[must_use]
    pub fn jobs(&self) -> Vec<Job> {
        let this = Arc::new(self.clone());
        let mut jobs: Vec<_> = self.modules().into_iter().flat_map(Module::jobs).collect();
        jobs.push(Job::new("ledger.check", Duration::from_secs(300), &this, |app| {
            Box::pin(async move { app.check_books().await.map(drop) })
        }));
        jobs.push(Job::new("ledger.reserves", Duration::from_secs(10), &this, |app| {
            Box::pin(async move { app.ledger.reserves().load(&app.platform.db).await })
        }));
        jobs.push(Job::new("platform.settings", Duration::from_secs(5), &this, |app| {
            Box::pin(async move { app.platform.settings.load(&app.platform.db).await })
        }));
        jobs.push(Job::new("platform.answers", Duration::from_secs(3600), &this, |app| {
            Box::pin(async move {
                let kept_since = app.platform.clock.now().minus(ANSWERS_KEPT);
                idempotency::forget_before(&app.platform.db, kept_since).await.map(drop)
            })
        }));
        jobs
    }

    /// Every text of the house.
    fn merged_texts(&self) -> Texts {
        let mut dictionaries = vec![agio_core::texts::DICTIONARY, agio_ledger::DICTIONARY];
        dictionaries.push(Dictionary { room: "agio-requisites", ru: agio_requisites::TEXTS_RU, en: agio_requisites::TEXTS_EN });
        dictionaries.extend(self.modules().iter().filter_map(|module| module.texts()));
        Texts::merge(&dictionaries).unwrap_or_else(|fault| panic!("the dictionaries do not fit each other: {fault}"))
    }

    /// Every SQL statement of the house, with its name.
    #[must_use]
    pub fn statements(&self) -> Vec<(&'static str, &'static str)> {
        let mut statements = [settings::STATEMENTS, idempotency::STATEMENTS, audit::STATEMENTS, outbox::STATEMENTS, agio_ledger::STATEMENTS].concat();
        statements.extend(self.modules().iter().flat_map(|module| module.statements()).copied());
        statements
    }

    fn public_api(&self) -> OpenApiService<impl OpenApi + use<>, ()> {
        let calculator = (CalculatorApi::new(self.calculator.clone()), QuoteKeyApi::new(self.calculator.clone()));
        let claims = ClaimsApi::new(self.claims.clone(), self.secure_cookies);
        service((calculator, claims), "Agio public API", PUBLIC_ABOUT)
    }

    fn console_api(&self) -> OpenApiService<impl OpenApi + use<>, ()> {
        let mut permissions = vec![DESK_READ];
        permissions.extend(self.modules().iter().flat_map(|module| module.permissions()).copied());
        let sign_in = StaffSignIn::new(self.auth.clone(), Arc::new(permissions), self.secure_cookies);
        let market = MarketDesk::new(self.calculator.clone(), self.texts.clone(), self.auth.clone());
        let claims = ClaimsDesk::new(self.claims.clone());
        service((sign_in, Desk::new(self.clone()), claims, market), "Agio console API", CONSOLE_ABOUT)
    }

    /// The published documents: public, console.
    #[must_use]
    pub fn documents(&self) -> (serde_json::Value, serde_json::Value) {
        let (public, console) = (self.public_api().spec(), self.console_api().spec());
        (openapi::public(&public, &self.texts), openapi::console(&console, &self.texts))
    }

    /// The outer door with everything behind it.
    ///
    /// # Errors
    /// A site cannot be read.
    pub fn door(&self, config: &Config) -> Result<Edge> {
        let (public, console) = self.documents();
        Ok(Edge {
            platform: self.platform.clone(),
            ledger: self.ledger.clone(),
            texts: self.texts.clone(),
            staff: self.auth.clone(),
            public_api: self.public_api().into_endpoint().boxed(),
            console_api: self.console_api().into_endpoint().boxed(),
            public_site: Site::open(&config.sites.public, &built_in::public, PUBLIC_SHELLS, Policy::Strict)?,
            console_site: Site::open(&config.sites.console, &built_in::console, CONSOLE_SHELLS, Policy::Nonce)?,
            docs: Docs::new(&public, &console),
            limit: CallLimit::new(config.server.calls_per_minute),
            trusted_proxies: config.server.trusted_proxies.clone(),
            https: self.secure_cookies,
        })
    }
}

/// Pages the public site makes in the browser, in both languages.
const PUBLIC_SHELLS: &[Shell] = &[
    Shell { prefix: "claim", shell: "app.html" },
    Shell { prefix: "en/claim", shell: "en/app.html" },
];

/// The console is one page.
const CONSOLE_SHELLS: &[Shell] = &[Shell { prefix: "", shell: "index.html" }];

const PUBLIC_ABOUT: &str = "Directions, rates, signed quotes and claims. Amounts, rates and percents are decimal strings; \
    times are RFC 3339 in UTC. Every path also answers under /en, which chooses the language of texts. Failures are RFC 9457 problem \
    documents with a stable code. POST calls that create something accept an Idempotency-Key.";

const CONSOLE_ABOUT: &str = "What the operator console calls. Sign in for a bearer token; every call names the permission it needs \
    when it is refused. The language of texts follows Accept-Language.";

fn service<T: OpenApi>(api: T, title: &str, about: &str) -> OpenApiService<T, ()> {
    OpenApiService::new(api, title, env!("CARGO_PKG_VERSION"))
        .description(about)
        .license(LicenseObject::new("MIT OR Apache-2.0").url("https://spdx.org/licenses/MIT.html"))
        .server(ServerObject::new("/"))
}

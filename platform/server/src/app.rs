//! The composition root: which modules there are, and who answers whose needs.

use std::sync::Arc;

use agio_approvals::{ApprovalDesk, Approvals, Decisions};
use agio_auth::{Auth, Console, customer_calls, staff_calls};
use agio_calculator::{Calculator, CalculatorApi, FarPairChange, MarketDesk, QuoteKeyApi, SettingsChange};
use agio_captcha::{Captcha, Provider, SiteVerify};
use agio_claims::{
    AccountClaimsApi, AddedRequisite, AgreedPayment, ChangedRequisite, Claims, ClaimsApi, ClaimsDesk, Outgoing, PayoutRules,
    SavedRequisitesApi,
};
use agio_content::{Content, ContentApi, ContentDesk};
use agio_contest::{ContestApi, ContestDesk, Contests, PrizePayment};
use agio_core::audit::Verified;
use agio_core::identity::Permission;
use agio_core::live::Notice;
use agio_core::module::{Job, Module};
use agio_core::outbox::Courier;
use agio_core::texts::{Dictionary, Texts};
use agio_core::{Platform, Result, Timestamp, audit, idempotency, outbox, settings};
use agio_discounts::{Discounts, DiscountsApi, DiscountsDesk};
use agio_files::Folder;
use agio_ledger::{Checked, Ledger};
use agio_mail::{Mailbox, Mailroom};
use agio_monitors::{ExportApi, MonitorDesk, Monitors};
use agio_partners::{Caller, PartnerApi, Partners, PartnersDesk, WebhookChannel, Webhooks};
use agio_referral::{AgreedWithdrawal, Bonds, Referral, ReferralApi, ReferralDesk};
use agio_verification::{Register, Verification, VerificationApi, VerificationDesk};
use arc_swap::ArcSwapOption;
use poem::{EndpointExt as _, IntoEndpoint as _};
use poem_openapi::{LicenseObject, OpenApi, OpenApiService, ServerObject};

use crate::alerts::{self, Alerts};
use crate::config::{Config, SecondFactor};
use crate::desk::audit::{AUDIT_READ, AuditDesk};
use crate::desk::mail::{MAIL_OPEN, MAIL_READ, MAIL_RESEND, MailDesk};
use crate::desk::{DESK_READ, Desk};
use crate::http::built_in;
use crate::http::docs::Docs;
use crate::http::doors::{Door, Leads};
use crate::http::edge::Edge;
use crate::http::filling;
use crate::http::limit::CallLimit;
use crate::http::site::{Policy, Shell, Site};
use crate::openapi::Documents;
use crate::{jobs, openapi, post};

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
    /// What a second person has to agree to.
    pub approvals: Arc<Approvals>,
    decisions: Decisions,
    alerts: Alerts,
    /// What customers get on top of the rate.
    pub discounts: Arc<Discounts>,
    /// What customers have verified.
    pub verification: Arc<Verification>,
    /// Texts of the pages, and what visitors write.
    pub content: Arc<Content>,
    /// Feeds for monitors of exchange rates.
    pub monitors: Arc<Monitors>,
    /// Contests.
    pub contests: Arc<Contests>,
    /// Who brings others, and what they earn.
    pub referral: Arc<Referral>,
    /// Partners.
    pub partners: Arc<Partners>,
    /// Captchas.
    pub captcha: Arc<Captcha>,
    /// Mail is written here.
    pub mailroom: Mailroom,
    /// Where mail stays while there is no mail server.
    pub mailbox: Mailbox,
    /// Carries what leaves the house.
    pub courier: Arc<Courier>,
    /// Whether there is no mail server.
    pub keeps_mail: bool,
    texts: Arc<Texts>,
    public_url: String,
    last_proof: Arc<ArcSwapOption<Proof>>,
    secure_cookies: bool,
}

/// A proof of the audit log.
#[derive(Debug)]
pub struct Proof {
    /// When it was made.
    pub at: Timestamp,
    /// What it found.
    pub found: Verified,
}

impl App {
    /// Makes every module and gives each what it needs. Nothing is read yet.
    ///
    /// # Errors
    /// The configuration of mail or of the captcha cannot be used.
    ///
    /// # Panics
    /// The modules' dictionaries or settings contradict each other: a fault of the program, found at any start.
    pub fn assemble(platform: Platform, config: &Config) -> Result<Self> {
        let texts = Arc::new(every_text());
        let ledger = Ledger::new(platform.live.clone());
        let keeps_mail = config.mail.server.is_empty();
        let mailroom = Mailroom::new(&platform, texts.clone(), &config.server.public_url, keeps_mail);
        let approvals = Approvals::new(&platform, texts.clone());
        let captcha = Captcha::new(&platform, captcha_provider(config)?);
        let content = Content::new(&platform, mailroom.clone(), captcha.clone());
        let calculator = Calculator::new(&platform, ledger.clone(), approvals.clone(), content.clone());
        let console =
            Console { url: config.console_url(), second_factor_required: config.staff.second_factor == SecondFactor::Required };
        let discounts = Discounts::new(&platform, calculator.clone());
        let auth = Auth::new(&platform, mailroom.clone(), captcha.clone(), console, discounts.clone(), Bonds::new(&platform));
        let referral = Referral::new(
            &platform,
            ledger.clone(),
            approvals.clone(),
            mailroom.clone(),
            agio_referral::Needs {
                worths: calculator.clone(),
                currencies: calculator.clone(),
                addresses: auth.clone(),
                requisites: Arc::new(PayoutRules),
            },
            &config.server.public_url,
        );
        let register = Register::new(&platform, mailroom.clone());
        let contests =
            Contests::new(&platform, ledger.clone(), approvals.clone(), calculator.clone(), calculator.clone(), mailroom.clone());
        let webhooks = Webhooks::new(&platform);
        let claims = Claims::new(
            &platform,
            ledger.clone(),
            approvals.clone(),
            captcha.clone(),
            mailroom.clone(),
            agio_claims::Needs {
                quotes: calculator.clone(),
                worths: calculator.clone(),
                bonuses: discounts.clone(),
                letters: auth.clone(),
                proofs: register.clone(),
                followers: vec![contests.clone(), discounts.clone(), referral.clone()],
                partners: webhooks.clone(),
            },
            Folder::at(config.files.receipts.clone()),
        );
        let verification = Verification::new(
            &platform,
            register,
            claims.clone(),
            auth.clone(),
            mailroom.clone(),
            Folder::at(config.files.photos.clone()),
        );
        let private = config.partners.private_callbacks;
        let telling = WebhookChannel::new(&platform, webhooks.keyring(), Caller::new(private)?);
        let partners = Partners::new(&platform, webhooks, calculator.clone(), claims.clone(), private);
        let decisions = Decisions::new(
            approvals.clone(),
            vec![
                Arc::new(AgreedPayment { claims: claims.clone(), way: Outgoing::Payout }),
                Arc::new(AgreedPayment { claims: claims.clone(), way: Outgoing::Refund }),
                Arc::new(AddedRequisite(claims.clone())),
                Arc::new(ChangedRequisite(claims.clone())),
                Arc::new(FarPairChange(calculator.clone())),
                Arc::new(SettingsChange(calculator.clone())),
                Arc::new(PrizePayment(contests.clone())),
                Arc::new(AgreedWithdrawal(referral.clone())),
            ],
        );
        let monitors = Monitors::new(&platform, calculator.clone());
        let approvals = Arc::new(approvals);
        let public_url = config.server.public_url.trim_end_matches('/').to_owned();
        let secure_cookies = public_url.starts_with("https:");
        let app = Self {
            alerts: Alerts::new(&platform, mailroom.clone(), approvals.clone(), auth.clone(), ledger.clone(), &public_url),
            courier: Courier::new(&platform, vec![post::channel(&platform, &config.mail)?, Arc::new(telling)]),
            mailbox: Mailbox::new(&platform),
            keeps_mail,
            platform,
            ledger,
            auth,
            calculator,
            claims,
            approvals,
            decisions,
            discounts,
            verification,
            content,
            monitors,
            contests,
            referral,
            partners,
            captcha,
            mailroom,
            texts,
            public_url,
            last_proof: Arc::default(),
            secure_cookies,
        };
        app.platform.settings.declare(app.modules().iter().flat_map(|module| module.settings()).copied());
        Ok(app)
    }

    /// The modules of the house.
    #[must_use]
    pub fn modules(&self) -> Vec<Arc<dyn Module>> {
        vec![
            self.approvals.clone(),
            self.captcha.clone(),
            self.auth.clone(),
            self.calculator.clone(),
            self.claims.clone(),
            self.discounts.clone(),
            self.verification.clone(),
            self.content.clone(),
            self.monitors.clone(),
            self.contests.clone(),
            self.referral.clone(),
            self.partners.clone(),
        ]
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
            Notice::Claim(_) | Notice::Approvals => Ok(()),
            Notice::Reserve(_) => self.ledger.reserves().load(&self.platform.db).await,
            Notice::Market => self.calculator.load().await,
            Notice::Settings | Notice::TechnicalMode(_) => self.platform.settings.load(&self.platform.db).await,
            Notice::Sessions => self.auth.load().await,
            Notice::Content => self.content.reload().await,
            Notice::Partners => self.partners.load().await,
        }
    }

    /// Reads anew everything that memory holds.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn refresh_all(&self) -> Result<()> {
        self.platform.settings.load(&self.platform.db).await?;
        self.ledger.reserves().load(&self.platform.db).await?;
        self.captcha.load().await?;
        self.auth.load().await?;
        self.content.load().await?;
        self.monitors.load().await?;
        self.partners.load().await?;
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
        checked.differences.extend(self.referral.audit(&mut tx).await?);
        self.ledger.remember_check(checked.clone());
        Ok(checked)
    }

    /// Proves the audit log and writes down where its chains end: kept with the log lines, outside the database, that shows
    /// later if somebody wrote the whole log anew.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn prove_audit(&self) -> Result<Verified> {
        let found = audit::verify(&mut self.platform.db.read().await?).await?;
        for fault in &found.faults {
            tracing::error!(fault, "the audit log is not what was written");
        }
        let begun = found.heads.iter().filter(|head| head.number > 0);
        let heads: Vec<_> = begun.map(|head| format!("{}:{}:{}", head.chain, head.number, head.digest)).collect();
        tracing::info!(entries = found.entries, heads = heads.join(" "), "the audit log was read");
        self.last_proof.store(Some(Arc::new(Proof { at: self.platform.clock.now(), found: found.clone() })));
        Ok(found)
    }

    /// The last proof of the audit log.
    #[must_use]
    pub fn last_proof(&self) -> Option<Arc<Proof>> {
        self.last_proof.load_full()
    }

    /// Everything that is done again and again.
    #[must_use]
    pub fn jobs(&self) -> Vec<Job> {
        let mut jobs: Vec<_> = self.modules().into_iter().flat_map(Module::jobs).collect();
        jobs.extend(jobs::of_the_house(&Arc::new(self.clone())));
        jobs
    }

    /// Tells staff of what they should know though nobody looks.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn alert(&self) -> Result<()> {
        self.alerts.run(self).await
    }

    /// Every SQL statement of the house, with its name.
    #[must_use]
    pub fn statements(&self) -> Vec<(&'static str, &'static str)> {
        let ground = [settings::STATEMENTS, idempotency::STATEMENTS, audit::STATEMENTS, outbox::STATEMENTS, alerts::STATEMENTS];
        let mut statements = [ground.concat(), agio_ledger::STATEMENTS.to_vec()].concat();
        statements.extend(self.modules().iter().flat_map(|module| module.statements()).copied());
        statements
    }

    fn public_api(&self) -> OpenApiService<impl OpenApi + use<>, ()> {
        let calculator =
            (CalculatorApi::new(self.calculator.clone(), self.discounts.clone()), QuoteKeyApi::new(self.calculator.clone()));
        let claims = (ClaimsApi::new(self.claims.clone(), self.secure_cookies), AccountClaimsApi::new(self.claims.clone()));
        let saved = SavedRequisitesApi::new(self.claims.clone());
        let verification = VerificationApi::new(self.verification.clone());
        let accounts = customer_calls(&self.auth, &self.public_url);
        let referral = ReferralApi::new(self.referral.clone());
        let discounts = DiscountsApi::new(self.discounts.clone());
        let content = ContentApi::new(self.content.clone());
        let growth = (ExportApi::new(self.monitors.clone()), ContestApi::new(self.contests.clone()));
        let calls = (calculator, claims, saved, verification, content, accounts, growth, discounts, referral);
        service(calls, "Agio public API", PUBLIC_ABOUT)
    }

    fn partner_api(&self) -> OpenApiService<impl OpenApi + use<>, ()> {
        service(PartnerApi::new(self.partners.clone()), "Agio partner API", PARTNER_ABOUT)
    }

    /// What staff may be allowed to do, in every room. Each has the text `permission.NAME`.
    #[must_use]
    pub fn permissions(&self) -> Vec<Permission> {
        let mut permissions = vec![DESK_READ, MAIL_READ, MAIL_RESEND, MAIL_OPEN, AUDIT_READ];
        permissions.extend(self.modules().iter().flat_map(|module| module.permissions()).copied());
        permissions
    }

    /// Every text of the house.
    #[must_use]
    pub fn texts(&self) -> &Texts {
        &self.texts
    }

    fn console_api(&self) -> OpenApiService<impl OpenApi + use<>, ()> {
        let staff = staff_calls(&self.auth, self.permissions(), &self.texts);
        let market = MarketDesk::new(self.calculator.clone(), self.texts.clone(), self.auth.clone());
        let claims = ClaimsDesk::new(self.claims.clone());
        let verification = VerificationDesk::new(self.verification.clone());
        let content = ContentDesk::new(self.content.clone());
        let discounts = DiscountsDesk::new(self.discounts.clone(), self.auth.clone());
        let referral = ReferralDesk::new(self.referral.clone());
        let approvals = ApprovalDesk::new(self.decisions.clone());
        let growth = (MonitorDesk::new(self.monitors.clone()), ContestDesk::new(self.contests.clone(), self.approvals.clone()));
        let house = (
            Desk::new(self.clone()),
            approvals,
            MailDesk(self.clone()),
            AuditDesk { app: self.clone(), texts: self.texts.clone() },
        );
        let partners = PartnersDesk::new(self.partners.clone());
        let calls = (staff, house, claims, verification, content, market, growth, discounts, referral, partners);
        service(calls, "Agio console API", CONSOLE_ABOUT)
    }

    /// The published documents.
    #[must_use]
    pub fn documents(&self) -> Documents {
        Documents {
            public: openapi::public(&self.public_api().spec(), &self.texts),
            console: openapi::console(&self.console_api().spec(), &self.texts),
            partner: openapi::partner(&self.partner_api().spec(), &self.texts),
        }
    }

    /// The outer doors with everything behind them: the public one, and the console's where it listens by itself.
    ///
    /// # Errors
    /// A site cannot be read.
    pub fn doors(&self, config: &Config) -> Result<(Door, Option<Door>)> {
        let edge = Arc::new(self.edge(config)?);
        Ok(match config.admin.listen {
            None => (Door::new(edge, Leads::Everywhere), None),
            Some(_) => (Door::new(edge.clone(), Leads::ToThePublic), Some(Door::new(edge, Leads::ToTheConsole))),
        })
    }

    fn edge(&self, config: &Config) -> Result<Edge> {
        let app = self.clone();
        Ok(Edge {
            platform: self.platform.clone(),
            ledger: self.ledger.clone(),
            texts: self.texts.clone(),
            staff: self.auth.clone(),
            customers: self.auth.clone(),
            presence: self.auth.clone(),
            public_api: self.public_api().into_endpoint().boxed(),
            console_api: self.console_api().into_endpoint().boxed(),
            public_site: Site::open(&config.sites.public, &built_in::public, PUBLIC_SHELLS, Policy::Strict)?
                .living_at(&self.public_url)?
                .filled_by(Arc::new(filling::Texts(self.content.clone()))),
            console_site: Site::open(&config.sites.console, &built_in::console, CONSOLE_SHELLS, Policy::Nonce)?,
            partners: self.partners.clone(),
            partner_api: self.partner_api().into_endpoint().boxed(),
            docs: Docs::new(move || app.documents()),
            limit: CallLimit::new(config.server.calls_per_minute),
            robots: self.monitors.clone(),
            trusted_proxies: config.server.trusted_proxies.clone(),
            https: self.secure_cookies,
        })
    }
}

/// Who tells people from programmes, if the operator has named somebody.
fn captcha_provider(config: &Config) -> Result<Option<Arc<dyn Provider>>> {
    let named = &config.captcha;
    if named.verify_url.is_empty() {
        return Ok(None);
    }
    let host = config.server.public_url.split_once("://").map_or("", |(_, host)| host);
    let host = host.split(['/', ':']).next().unwrap_or_default();
    let provider = SiteVerify::new(&named.verify_url, &named.site_key, &named.secret.0, host)?;
    Ok(Some(Arc::new(provider)))
}

/// The dictionaries of every room.
const DICTIONARIES: &[Dictionary] = &[
    agio_core::texts::DICTIONARY,
    agio_ledger::DICTIONARY,
    agio_mail::DICTIONARY,
    agio_captcha::DICTIONARY,
    agio_approvals::DICTIONARY,
    Dictionary { room: "agio-requisites", ru: agio_requisites::TEXTS_RU, en: agio_requisites::TEXTS_EN },
    agio_auth::DICTIONARY,
    agio_calculator::DICTIONARY,
    agio_claims::DICTIONARY,
    agio_core::dictionary!(),
    agio_discounts::DICTIONARY,
    agio_verification::DICTIONARY,
    agio_content::DICTIONARY,
    agio_monitors::DICTIONARY,
    agio_contest::DICTIONARY,
    agio_referral::DICTIONARY,
    agio_partners::DICTIONARY,
];

/// Every text of the house.
fn every_text() -> Texts {
    Texts::merge(DICTIONARIES).unwrap_or_else(|fault| panic!("the dictionaries do not fit each other: {fault}"))
}

/// Pages the public site makes in the browser, in both languages.
const PUBLIC_SHELLS: &[Shell] = &[
    Shell { prefix: "claim", shell: "app.html" },
    Shell { prefix: "en/claim", shell: "en/app.html" },
    Shell { prefix: "verify", shell: "app.html" },
    Shell { prefix: "en/verify", shell: "en/app.html" },
];

/// The console is one page.
const CONSOLE_SHELLS: &[Shell] = &[Shell { prefix: "", shell: "index.html" }];

const PUBLIC_ABOUT: &str = "Directions, rates, signed quotes and claims. Amounts, rates and percents are decimal strings; \
    times are RFC 3339 in UTC. Every path also answers under /en, which chooses the language of texts. Failures are RFC 9457 problem \
    documents with a stable code. POST calls that create something accept an Idempotency-Key.";

const PARTNER_ABOUT: &str = "Quotes, claims and their news for shops, wallets and other partners. Every call but the one for the time is \
    signed with a key; the guide says how, with examples. Amounts, rates and percents are decimal strings; times are RFC 3339 in UTC. \
    Failures are RFC 9457 problem documents with a stable code. Answers to signed calls tell how many are left in this minute: \
    RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset.";

const CONSOLE_ABOUT: &str = "What the operator console calls. Sign in for a bearer token; every call names the permission it needs \
    when it is refused. The language of texts follows Accept-Language.";

fn service<T: OpenApi>(api: T, title: &str, about: &str) -> OpenApiService<T, ()> {
    OpenApiService::new(api, title, env!("CARGO_PKG_VERSION"))
        .description(about)
        .license(LicenseObject::new("MIT OR Apache-2.0").url("https://spdx.org/licenses/MIT.html"))
        .server(ServerObject::new("/"))
}

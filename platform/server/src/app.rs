//! The composition root: which modules there are, and who answers whose needs.

mod calls;
mod entrance;

use std::sync::Arc;

use agio_approvals::{Approvals, Decisions};
use agio_auth::{Auth, Console};
use agio_calculator::{Calculator, FarPairChange, SettingsChange};
use agio_captcha::{Captcha, Provider, SiteVerify};
use agio_claims::{AddedRequisite, AgreedOverride, AgreedPayment, ChangedRequisite, Claims, Outgoing, PayoutRules};
use agio_content::Content;
use agio_contest::{AgreedDraw, Contests, PrizePayment};
use agio_core::audit::Verified;
use agio_core::identity::Permission;
use agio_core::live::Notice;
use agio_core::module::{Job, Module};
use agio_core::outbox::{Channel, Courier};
use agio_core::texts::{Dictionary, Texts};
use agio_core::{Platform, Result, Timestamp, audit, idempotency, outbox, sealing, settings};
use agio_discounts::Discounts;
use agio_files::{Folder, Uploads};
use agio_ledger::{Checked, Ledger};
use agio_mail::{Mailbox, Mailroom};
use agio_monitors::Monitors;
use agio_notices::Notices;
use agio_partners::{AgreedCommission, Caller, Commissions, Partners, WebhookChannel, Webhooks};
use agio_payments::{AgreedRoute, PaymentBook, Payments};
use agio_plugin_host::{Hand, Plugins, Private};
use agio_plugins::Shelf;
use agio_rates::{AgreedRules, Rates};
use agio_referral::{AgreedWithdrawal, Bonds, Referral};
use agio_verification::{Register, Verification};
use arc_swap::ArcSwapOption;

use crate::alerts::{self, Alerts};
use crate::config::{Config, SecondFactor};
use crate::desk::DESK_READ;
use crate::desk::audit::AUDIT_READ;
use crate::desk::mail::{MAIL_OPEN, MAIL_READ, MAIL_RESEND};
use crate::desk::notices::{NOTICES_READ, NOTICES_RESEND};
use crate::validators::Validators;
use crate::{jobs, plugins, post};

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
    /// The rate engine.
    pub rates: Arc<Rates>,
    /// Contests.
    pub contests: Arc<Contests>,
    /// Who brings others, and what they earn.
    pub referral: Arc<Referral>,
    /// Partners.
    pub partners: Arc<Partners>,
    /// What partners earn.
    pub commissions: Arc<Commissions>,
    /// Plugins, as staff see them.
    pub shelf: Arc<Shelf>,
    /// Whom the rooms ask.
    pub plugins: Arc<dyn Plugins>,
    /// Payments that plugins watch and make.
    pub payments: Arc<Payments>,
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
        Self::assemble_asking(platform, config, None)
    }

    /// The same, asking other plugins than those on the shelf, if any are given.
    ///
    /// # Errors
    /// The configuration of mail or of the captcha cannot be used.
    ///
    /// # Panics
    /// The modules' dictionaries or settings contradict each other: a fault of the program, found at any start.
    pub fn assemble_asking(platform: Platform, config: &Config, others: Option<Arc<dyn Plugins>>) -> Result<Self> {
        let hand = Hand::new(platform.clock.clone(), Private::Origins(config.private_origins()))?;
        let shelf = Shelf::new(&platform, hand, plugins::of_the_house(), plugins::libraries(&config.plugins)?);
        let plugins: Arc<dyn Plugins> = others.unwrap_or_else(|| shelf.clone());
        let texts = Arc::new(every_text());
        let ledger = Ledger::new(platform.live.clone());
        let keeps_mail = config.mail.server.is_empty();
        let mailroom = Mailroom::new(&platform, texts.clone(), &config.server.public_url, keeps_mail);
        let approvals = Approvals::new(&platform, texts.clone());
        let captcha = Captcha::new(&platform, captcha_provider(config)?);
        let content = Content::new(&platform, mailroom.clone(), captcha.clone());
        let payment_book = PaymentBook::new(&platform);
        let calculator_needs =
            agio_calculator::Needs { terms: content.clone(), files: plugins::rate_files(), payments: payment_book.clone() };
        let calculator = Calculator::new(&platform, ledger.clone(), approvals.clone(), calculator_needs);
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
        let commissions = Commissions::new(&platform, ledger.clone(), calculator.clone());
        let uploads = Uploads::new(config.files.uploads, config.files.uploads_per_address);
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
                addresses: auth.clone(),
                proofs: register.clone(),
                followers: vec![contests.clone(), discounts.clone(), referral.clone(), commissions.clone()],
                partners: webhooks.clone(),
                payments: payment_book.clone(),
                opinions: Arc::new(Validators(plugins.clone())),
            },
            Folder::at(config.files.receipts.clone(), uploads.clone()),
        );
        let verification = Verification::new(
            &platform,
            register,
            claims.clone(),
            auth.clone(),
            mailroom.clone(),
            Folder::at(config.files.photos.clone(), uploads),
        );
        let private = config.partners.private_callbacks;
        let telling = WebhookChannel::new(&platform, webhooks.keyring(), Caller::new(private)?);
        let partners = Partners::new(
            &platform,
            webhooks,
            commissions.clone(),
            agio_partners::Needs {
                offers: calculator.clone(),
                directions: calculator.clone(),
                claims: claims.clone(),
                owners: auth.clone(),
                worths: calculator.clone(),
                approvals: approvals.clone(),
                mailroom: mailroom.clone(),
                site: config.server.public_url.trim_end_matches('/').to_owned(),
            },
            private,
        );
        let payments = Payments::new(
            &platform,
            payment_book,
            claims.clone(),
            calculator.clone(),
            plugins.clone(),
            approvals.clone(),
            ledger.clone(),
        );
        let monitors = Monitors::new(&platform, calculator.clone());
        let rates = Rates::new(
            &platform,
            agio_rates::Needs {
                plugins: plugins.clone(),
                book: calculator.clone(),
                replays: calculator.clone(),
                claims: Arc::new(crate::explaining::Kept(claims.clone())),
                approvals: approvals.clone(),
            },
        );
        let decisions = Decisions::new(
            approvals.clone(),
            vec![
                Arc::new(AgreedPayment { claims: claims.clone(), way: Outgoing::Payout }),
                Arc::new(AgreedPayment { claims: claims.clone(), way: Outgoing::Refund }),
                Arc::new(AgreedOverride(claims.clone())),
                Arc::new(AddedRequisite(claims.clone())),
                Arc::new(ChangedRequisite(claims.clone())),
                Arc::new(FarPairChange(calculator.clone())),
                Arc::new(SettingsChange(calculator.clone())),
                Arc::new(PrizePayment(contests.clone())),
                Arc::new(AgreedDraw(contests.clone())),
                Arc::new(AgreedWithdrawal(referral.clone())),
                Arc::new(AgreedCommission(partners.clone())),
                Arc::new(AgreedRoute(payments.clone())),
                Arc::new(AgreedRules(rates.clone())),
            ],
        );
        let approvals = Arc::new(approvals);
        let public_url = config.server.public_url.trim_end_matches('/').to_owned();
        let secure_cookies = public_url.starts_with("https:");
        let notices = Notices::new(&platform, plugins.clone());
        let ways_out: Vec<Arc<dyn Channel>> = vec![post::channel(&platform, &config.mail)?, Arc::new(telling), notices.channel()];
        let app = Self {
            alerts: Alerts::new(
                &platform,
                (mailroom.clone(), notices),
                (texts.clone(), config.notices.language),
                approvals.clone(),
                auth.clone(),
                ledger.clone(),
                &public_url,
            ),
            courier: Courier::new(&platform, ways_out),
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
            rates,
            contests,
            referral,
            partners,
            commissions,
            shelf,
            plugins,
            payments,
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
            self.rates.clone(),
            self.contests.clone(),
            self.referral.clone(),
            self.partners.clone(),
            self.shelf.clone(),
            self.payments.clone(),
        ]
    }

    /// Seals what former versions stored in the open.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn seal(&self) -> Result<()> {
        for module in self.modules() {
            module.seal().await?;
        }
        Ok(())
    }

    /// Reads what memory holds and proves the books.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn open(&self) -> Result<()> {
        self.seal().await?;
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
            Notice::Plugins => self.shelf.load().await,
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
        self.shelf.look().await?;
        self.payments.load().await?;
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
        checked.differences.extend(self.commissions.audit(&mut tx).await?);
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
        // A notifier that is being started would not be told.
        self.shelf.settled().await;
        self.alerts.run(self).await
    }

    /// Every SQL statement of the house, with its name.
    #[must_use]
    pub fn statements(&self) -> Vec<(&'static str, &'static str)> {
        let ground = [
            settings::STATEMENTS,
            idempotency::STATEMENTS,
            audit::STATEMENTS,
            outbox::STATEMENTS,
            sealing::STATEMENTS,
            alerts::STATEMENTS,
        ];
        let mut statements = [ground.concat(), agio_ledger::STATEMENTS.to_vec(), agio_mail::STATEMENTS.to_vec()].concat();
        statements.extend(self.modules().iter().flat_map(|module| module.statements()).copied());
        statements
    }

    /// What staff may be allowed to do, in every room. Each has the text `permission.NAME`.
    #[must_use]
    pub fn permissions(&self) -> Vec<Permission> {
        let mut permissions = vec![DESK_READ, MAIL_READ, MAIL_RESEND, MAIL_OPEN, NOTICES_READ, NOTICES_RESEND, AUDIT_READ];
        permissions.extend(self.modules().iter().flat_map(|module| module.permissions()).copied());
        permissions
    }

    /// Every text of the house.
    #[must_use]
    pub fn texts(&self) -> &Texts {
        &self.texts
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
    let provider = SiteVerify::new(named.provider, &named.verify_url, &named.site_key, &named.secret.0, host)?;
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
    agio_rates::DICTIONARY,
    agio_contest::DICTIONARY,
    agio_referral::DICTIONARY,
    agio_partners::DICTIONARY,
    agio_plugins::DICTIONARY,
    agio_payments::DICTIONARY,
];

/// Every text of the house.
fn every_text() -> Texts {
    Texts::merge(DICTIONARIES).unwrap_or_else(|fault| panic!("the dictionaries do not fit each other: {fault}"))
}

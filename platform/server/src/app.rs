//! The composition root: creates the modules and connects them.

mod apis;
mod endpoints;

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use agio_approvals::{ApprovalDecisions, Approvals};
use agio_auth::{Auth, ConsoleSettings, CustomerData, StaffChangeApproval};
use agio_brand::{BrandFilesPart, BrandPart, Brands};
use agio_calculator::{ApprovedPairUpdate, ApprovedSettingsUpdate, Calculator, MarketParts};
use agio_captcha::{Captcha, CaptchaProvider, SiteVerifyProvider};
use agio_claims::{
    AmountOverrideApproval, Claims, HoldApproval, OutgoingKind, OutgoingPaymentApproval, PayoutRules, RequisiteCreationApproval,
    RequisiteImportApproval, RequisiteUpdateApproval,
};
use agio_content::Content;
use agio_contest::{ApprovedDraw, ApprovedPrizePayment, Contests};
use agio_core::audit::ChainVerification;
use agio_core::events::ChangeEvent;
use agio_core::full_check::CheckedSubject;
use agio_core::identity::Permission;
use agio_core::module::{Job, Module};
use agio_core::outbox::{OutboxChannel, OutboxWorker};
use agio_core::resealing::SealedColumn;
use agio_core::retention::RetentionRule;
use agio_core::texts::{Dictionary, Texts};
use agio_core::{Platform, Result, Timestamp, Tx, audit, full_check, idempotency, outbox, settings};
use agio_discounts::Discounts;
use agio_feeds::{AggregatorsPart, FeedDirectionsPart, Feeds};
use agio_files::{FileStore, UploadLimits};
use agio_ledger::{Ledger, LedgerCheck};
use agio_mail::{EmailDelivery, Mailbox, Mailer};
use agio_partners::{ApprovedCommissionPayout, Commissions, Partners, WebhookChannel, WebhookClient, Webhooks};
use agio_payments::{PaymentRouteApproval, PaymentRouting, Payments, PayoutsOpeningApproval};
use agio_plugin_admin::{PluginChangeApproval, PluginManager};
use agio_plugin_runtime::{ActionExecutor, PluginRegistry, PrivateNetworkAccess};
use agio_push::{Messengers, Push};
use agio_rates::{ApprovedRateRules, RateSourcesPart, Rates};
use agio_referral::{ApprovedWithdrawal, Referral, SignUpAttribution};
use agio_reviews::Reviews;
use agio_staff_alerts::StaffAlertSender;
use agio_verification::{Verification, VerificationRegistry};
use agio_waitlist::{Waitlist, WaitlistDependencies};
use arc_swap::ArcSwapOption;

use crate::admin::audit_log::AUDIT_READ;
use crate::admin::dashboard::DASHBOARD_READ;
use crate::admin::emails::{MAIL_OPEN, MAIL_READ, MAIL_RESEND};
use crate::admin::staff_alerts::{STAFF_ALERTS_READ, STAFF_ALERTS_RESEND};
use crate::backup::{self, LAST_BACKUP};
use crate::config::{Config, SecondFactor};
use crate::metrics::{self, Metrics};
use crate::requisite_validators::PluginRequisiteValidators;
use crate::staff_alerts::{self, StaffAlertJob};
use crate::{doctor, jobs, keys, mail_channel, plugins};

/// The assembled server.
#[derive(Clone)]
pub struct App {
    pub platform: Platform,
    pub ledger: Ledger,
    pub auth: Arc<Auth>,
    pub calculator: Arc<Calculator>,
    pub claims: Arc<Claims>,
    pub approvals: Arc<Approvals>,
    alerts: StaffAlertJob,
    pub discounts: Arc<Discounts>,
    pub verification: Arc<Verification>,
    pub content: Arc<Content>,
    pub reviews: Arc<Reviews>,
    pub waitlist: Arc<Waitlist>,
    pub feeds: Arc<Feeds>,
    pub rates: Arc<Rates>,
    pub contests: Arc<Contests>,
    pub referral: Arc<Referral>,
    pub partners: Arc<Partners>,
    pub commissions: Arc<Commissions>,
    /// The plugins with their settings.
    pub plugin_manager: Arc<PluginManager>,
    /// What modules call: the registry, or the plugins of a test.
    pub plugins: Arc<dyn PluginRegistry>,
    pub payments: Arc<Payments>,
    pub captcha: Arc<Captcha>,
    pub brands: Brands,
    /// Decodes the owner's pictures; it stores none.
    pub pictures: Arc<FileStore>,
    pub mailer: Mailer,
    /// Stores emails if no mail server is configured.
    pub mailbox: Mailbox,
    pub metrics: Arc<Metrics>,
    pub outbox_worker: Arc<OutboxWorker>,
    pub messengers: Arc<Messengers>,
    pub push: Arc<Push>,
    /// Delivers to push services, whose addresses anybody names, so that slow ones delay no emails.
    pub push_worker: Arc<OutboxWorker>,
    /// Whether no mail server is configured, so that emails stay in the mailbox.
    pub stores_mail_locally: bool,
    /// The nodes that serve the database, this one included.
    pub node_count: Arc<AtomicU32>,
    texts: Arc<Texts>,
    public_url: String,
    last_audit_verification: Arc<ArcSwapOption<AuditVerification>>,
    secure_cookies: bool,
}

/// A verification of the audit log.
#[derive(Debug)]
pub struct AuditVerification {
    pub at: Timestamp,
    pub found: ChainVerification,
}

impl App {
    /// Creates and connects all modules. Nothing is read yet.
    ///
    /// # Errors
    /// The configuration of mail or of the captcha cannot be used.
    ///
    /// # Panics
    /// If the dictionaries or settings of modules contradict each other.
    pub fn assemble(platform: Platform, config: &Config) -> Result<Self> {
        Self::assemble_with_plugins(platform, config, None)
    }

    /// The same with other plugins than those of the registry, if some are given.
    ///
    /// # Errors
    /// The configuration of mail or of the captcha cannot be used.
    ///
    /// # Panics
    /// If the dictionaries or settings of modules contradict each other.
    pub fn assemble_with_plugins(platform: Platform, config: &Config, others: Option<Arc<dyn PluginRegistry>>) -> Result<Self> {
        let executor = ActionExecutor::new(platform.clock.clone(), PrivateNetworkAccess::Origins(config.private_origins()))?;
        let public_url = config.server.public_url.trim_end_matches('/').to_owned();
        let texts = Arc::new(all_texts());
        let approvals = Approvals::new(&platform, texts.clone());
        let plugin_manager = PluginManager::new(
            &platform,
            approvals.clone(),
            executor,
            plugins::built_in_plugins(),
            plugins::libraries(&config.plugins)?,
            &config.server.public_url,
        );
        let plugins: Arc<dyn PluginRegistry> = others.unwrap_or_else(|| plugin_manager.clone());
        let ledger = Ledger::new(platform.events.clone());
        let stores_mail_locally = config.mail.server.is_empty();
        let brands = Brands::new(&platform);
        let delivery = match (stores_mail_locally, config.is_demo) {
            (false, _) => EmailDelivery::Smtp,
            (true, false) => EmailDelivery::Mailbox,
            (true, true) => EmailDelivery::Demo,
        };
        let mailer = Mailer::new(&platform, brands.clone(), texts.clone(), &config.server.public_url, delivery);
        let captcha = Captcha::new(&platform, captcha_provider(config)?);
        let content = Content::new(&platform, mailer.clone(), captcha.clone());
        let payment_book = PaymentRouting::new(&platform, plugins.clone());
        let calculator_needs = agio_calculator::CalculatorDependencies {
            terms: content.clone(),
            files: plugins::rate_files(),
            payments: payment_book.clone(),
        };
        let calculator = Calculator::new(&platform, ledger.clone(), approvals.clone(), calculator_needs);
        let console = ConsoleSettings {
            url: config.console_url(),
            second_factor_required: config.staff.second_factor == SecondFactor::Required,
        };
        let discounts = Discounts::new(&platform, calculator.clone());
        let reviews = Reviews::new(&platform, calculator.clone());
        let waitlist = Waitlist::new(
            &platform,
            WaitlistDependencies {
                offers: calculator.clone(),
                currencies: calculator.clone(),
                captcha: captcha.clone(),
                mailer: mailer.clone(),
                texts: texts.clone(),
            },
        );
        let auth = Auth::new(
            &platform,
            (mailer.clone(), approvals.clone()),
            captcha.clone(),
            console,
            discounts.clone(),
            SignUpAttribution::new(&platform),
            config.password_cost,
        );
        let referral = Referral::new(
            &platform,
            ledger.clone(),
            approvals.clone(),
            mailer.clone(),
            agio_referral::ReferralDependencies {
                reference_values: calculator.clone(),
                currencies: calculator.clone(),
                addresses: auth.clone(),
                requisites: Arc::new(PayoutRules),
                reauthentication: auth.clone(),
            },
            &config.server.public_url,
        );
        let messengers = Arc::new(Messengers::new(&platform, plugins.clone()));
        let push = Push::new(
            &platform,
            (brands.clone(), mailer.clone()),
            auth.clone(),
            messengers.clone(),
            &config.server.public_url,
            config.push.private_services,
        )?;
        let register = VerificationRegistry::new(&platform, mailer.clone(), push.clone());
        let contests =
            Contests::new(&platform, ledger.clone(), approvals.clone(), calculator.clone(), calculator.clone(), mailer.clone());
        let webhooks = Webhooks::new(&platform);
        let commissions = Commissions::new(&platform, ledger.clone(), calculator.clone());
        let uploads = UploadLimits::new(config.files.uploads, config.files.uploads_per_address);
        let claims = Claims::new(
            &platform,
            ledger.clone(),
            approvals.clone(),
            captcha.clone(),
            mailer.clone(),
            agio_claims::ClaimsDependencies {
                quotes: calculator.clone(),
                reference_values: calculator.clone(),
                bonuses: discounts.clone(),
                email_gate: auth.clone(),
                confirmed_emails: auth.clone(),
                verifications: register.clone(),
                reviews: reviews.clone(),
                push: push.clone(),
                claim_emails: vec![register.clone(), referral.clone(), discounts.clone()],
                exchange_listeners: vec![
                    contests.clone(),
                    discounts.clone(),
                    referral.clone(),
                    commissions.clone(),
                    reviews.clone(),
                ],
                partner_listener: webhooks.clone(),
                payments: payment_book.clone(),
                requisite_validator: Arc::new(PluginRequisiteValidators(plugins.clone())),
            },
            FileStore::at(config.files.receipts.clone(), uploads.clone()),
        );
        let pictures = Arc::new(FileStore::at(config.files.photos.clone(), uploads.clone()));
        let verification = Verification::new(
            &platform,
            register,
            claims.clone(),
            auth.clone(),
            mailer.clone(),
            FileStore::at(config.files.photos.clone(), uploads),
        );
        let private = config.partners.private_callbacks;
        let webhook_channel = WebhookChannel::new(&platform, webhooks.key_cache(), WebhookClient::new(private)?);
        let partners = Partners::new(
            &platform,
            webhooks,
            commissions.clone(),
            agio_partners::PartnerDependencies {
                offers: calculator.clone(),
                directions: calculator.clone(),
                claims: claims.clone(),
                reauthentication: auth.clone(),
                reference_values: calculator.clone(),
                approvals: approvals.clone(),
                mailer: mailer.clone(),
                site: public_url.clone(),
            },
            private,
        );
        let payments = Payments::new(
            &platform,
            payment_book,
            claims.clone(),
            calculator.clone(),
            approvals.clone(),
            ledger.clone(),
            public_url.clone(),
        );
        let feeds = Feeds::new(&platform, calculator.clone());
        let rates = Rates::new(
            &platform,
            agio_rates::RatesDependencies {
                plugins: plugins.clone(),
                pair_pricing: calculator.clone(),
                explainer: calculator.clone(),
                claims: Arc::new(crate::claim_terms::StoredClaimTerms(claims.clone())),
                approvals: approvals.clone(),
            },
        );
        let approvals = Arc::new(approvals);
        let secure_cookies = public_url.starts_with("https:");
        let staff_alerts = StaffAlertSender::new(&platform, plugins.clone());
        let outbox_channels: Vec<Arc<dyn OutboxChannel>> =
            vec![mail_channel::open(&platform, &brands, &config.mail)?, Arc::new(webhook_channel), staff_alerts.channel()];
        let app = Self {
            alerts: StaffAlertJob::new(
                &platform,
                (mailer.clone(), staff_alerts),
                (texts.clone(), config.notices.language),
                approvals.clone(),
                auth.clone(),
                ledger.clone(),
                &config.console_url(),
            ),
            outbox_worker: OutboxWorker::new(&platform, outbox_channels),
            push_worker: OutboxWorker::new(&platform, vec![push.channel()]),
            messengers,
            push,
            mailbox: Mailbox::new(&platform),
            metrics: Arc::default(),
            stores_mail_locally,
            platform,
            ledger,
            auth,
            calculator,
            claims,
            approvals,
            discounts,
            verification,
            content,
            reviews,
            waitlist,
            feeds,
            rates,
            contests,
            referral,
            partners,
            commissions,
            plugin_manager,
            plugins,
            payments,
            captcha,
            brands,
            pictures,
            mailer,
            node_count: Arc::new(AtomicU32::new(1)),
            texts,
            public_url,
            last_audit_verification: Arc::default(),
            secure_cookies,
        };
        let declared = app.modules().into_iter().flat_map(|module| module.declarations().settings.iter().copied());
        app.platform.settings.declare(declared.chain([LAST_BACKUP]));
        Ok(app)
    }

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
            self.reviews.clone(),
            self.waitlist.clone(),
            self.feeds.clone(),
            self.rates.clone(),
            self.contests.clone(),
            self.referral.clone(),
            self.partners.clone(),
            self.plugin_manager.clone(),
            self.payments.clone(),
        ]
    }

    /// The parts of the market file that modules other than the calculator keep.
    pub fn market_parts(&self) -> MarketParts {
        MarketParts(vec![
            Arc::new(BrandPart(self.brands.clone())),
            Arc::new(BrandFilesPart(self.brands.clone())),
            Arc::new(self.brands.clone()),
            Arc::new(RateSourcesPart(self.rates.clone())),
            self.rates.clone(),
            self.payments.clone(),
            self.claims.clone(),
            Arc::new(AggregatorsPart(self.feeds.clone())),
            Arc::new(FeedDirectionsPart(self.feeds.clone())),
        ])
    }

    /// What is done once a second person has approved it.
    fn approval_decisions(&self) -> ApprovalDecisions {
        ApprovalDecisions::new(
            (*self.approvals).clone(),
            vec![
                Arc::new(OutgoingPaymentApproval { claims: self.claims.clone(), way: OutgoingKind::Payout }),
                Arc::new(OutgoingPaymentApproval { claims: self.claims.clone(), way: OutgoingKind::Refund }),
                Arc::new(AmountOverrideApproval(self.claims.clone())),
                Arc::new(HoldApproval(self.claims.clone())),
                Arc::new(RequisiteCreationApproval(self.claims.clone())),
                Arc::new(RequisiteImportApproval(self.claims.clone())),
                Arc::new(RequisiteUpdateApproval(self.claims.clone())),
                Arc::new(ApprovedPairUpdate(self.calculator.clone())),
                Arc::new(ApprovedSettingsUpdate(self.calculator.clone())),
                Arc::new(ApprovedPrizePayment(self.contests.clone())),
                Arc::new(ApprovedDraw(self.contests.clone())),
                Arc::new(ApprovedWithdrawal(self.referral.clone())),
                Arc::new(ApprovedCommissionPayout(self.partners.clone())),
                Arc::new(PaymentRouteApproval(self.payments.clone())),
                Arc::new(PayoutsOpeningApproval(self.payments.clone())),
                Arc::new(ApprovedRateRules(self.rates.clone())),
                Arc::new(StaffChangeApproval(self.auth.clone())),
                Arc::new(PluginChangeApproval(self.plugin_manager.clone())),
            ],
        )
    }

    /// What modules keep of a customer, for the account's export and deletion.
    fn customer_data(&self) -> CustomerData {
        CustomerData::new(
            self.auth.clone(),
            vec![
                self.claims.clone(),
                self.verification.clone(),
                self.referral.clone(),
                self.discounts.clone(),
                self.contests.clone(),
                self.partners.clone(),
                self.content.clone(),
                self.waitlist.clone(),
            ],
        )
    }

    /// Loads the state kept in memory and checks what has come into the ledger since its checkpoint.
    pub async fn open(&self) -> Result<()> {
        self.refresh_all().await?;
        self.check_new_entries().await
    }

    /// Reloads the state that an event affects.
    pub async fn refresh(&self, notice: ChangeEvent) -> Result<()> {
        match notice {
            ChangeEvent::Claim(_) | ChangeEvent::Approvals => Ok(()),
            ChangeEvent::Reserve(_) => self.ledger.reserves().load(&self.platform.db).await,
            ChangeEvent::Market => {
                self.brands.load_icons().await?;
                self.calculator.load().await
            }
            ChangeEvent::TechnicalMode(_) => self.platform.settings.load(&self.platform.db).await,
            ChangeEvent::Settings => {
                self.platform.settings.load(&self.platform.db).await?;
                self.brands.load().await
            }
            ChangeEvent::Sessions => self.auth.load().await,
            ChangeEvent::Content => {
                self.content.reload().await?;
                self.reviews.load().await
            }
            ChangeEvent::Partners => self.partners.load().await,
            ChangeEvent::Plugins => self.plugin_manager.load().await,
        }
    }

    /// Reloads all state kept in memory.
    pub async fn refresh_all(&self) -> Result<()> {
        self.platform.settings.load(&self.platform.db).await?;
        self.brands.load().await?;
        self.ledger.reserves().load(&self.platform.db).await?;
        self.captcha.load().await?;
        self.auth.load().await?;
        self.content.load().await?;
        self.reviews.load().await?;
        self.feeds.load().await?;
        self.partners.load().await?;
        self.plugin_manager.refresh().await?;
        self.payments.load().await?;
        self.calculator.load().await
    }

    /// Checks what has come into the ledger since its checkpoint, and the claims against it. While there are differences,
    /// or before the first check, no claim is accepted.
    pub async fn check_new_entries(&self) -> Result<()> {
        let db = &self.platform.db;
        let since = self.ledger.checkpoint(&mut db.read().await?).await?;
        let mut tx = db.read_at_length().await?;
        let mut checked = self.ledger.check(&mut tx, self.platform.clock.now()).await?;
        self.add_commission_differences(&mut tx, &mut checked).await?;
        // The next queries take their own connections.
        drop(tx);
        checked.differences.extend(self.claims.audit_since(since).await?);
        self.ledger.record_check(checked);
        Ok(())
    }

    /// Checks all of the ledger, and all claims against it. It takes long, but holds nobody up.
    pub async fn check_ledger(&self) -> Result<LedgerCheck> {
        let (db, now) = (&self.platform.db, self.platform.clock.now());
        let mut found = self.ledger.check_before_checkpoint(db).await?;
        found.extend(self.claims.audit().await?);
        full_check::record(db, CheckedSubject::Ledger, now, found.len()).await?;
        let mut tx = db.read_at_length().await?;
        let mut checked = self.ledger.check(&mut tx, now).await?;
        self.add_commission_differences(&mut tx, &mut checked).await?;
        checked.differences.extend(found);
        self.ledger.record_check(checked.clone());
        Ok(checked)
    }

    async fn add_commission_differences(&self, tx: &mut Tx, checked: &mut LedgerCheck) -> Result<()> {
        checked.differences.extend(self.referral.audit(tx).await?);
        checked.differences.extend(self.commissions.audit(tx).await?);
        Ok(())
    }

    /// Verifies the whole audit log and logs the heads of its chains. The log is outside the database, so it reveals a
    /// rewrite of the whole audit log.
    pub async fn verify_audit_chain(&self) -> Result<ChainVerification> {
        let found = audit::verify(&self.platform.db).await?;
        full_check::record(&self.platform.db, CheckedSubject::Audit, self.platform.clock.now(), found.faults.len()).await?;
        self.record_audit_verification(found.clone());
        Ok(found)
    }

    /// Verifies what has come into the audit log since it was last verified.
    pub async fn verify_new_audit_entries(&self) -> Result<()> {
        self.record_audit_verification(audit::verify_new(&self.platform.db).await?);
        Ok(())
    }

    fn record_audit_verification(&self, found: ChainVerification) {
        for fault in &found.faults {
            tracing::error!(fault, "the audit log was changed");
        }
        let used_chains = found.heads.iter().filter(|head| head.number > 0);
        let heads: Vec<_> = used_chains.map(|head| format!("{}:{}:{}", head.chain, head.number, head.digest)).collect();
        tracing::info!(entries = found.entries, heads = heads.join(" "), "the audit log was verified");
        self.last_audit_verification.store(Some(Arc::new(AuditVerification { at: self.platform.clock.now(), found })));
    }

    pub fn last_audit_verification(&self) -> Option<Arc<AuditVerification>> {
        self.last_audit_verification.load_full()
    }

    /// The recurring jobs of the server and all modules.
    pub fn jobs(&self) -> Vec<Job> {
        let mut jobs: Vec<_> = self.modules().into_iter().flat_map(Module::jobs).collect();
        jobs.extend(jobs::platform_jobs(&Arc::new(self.clone())));
        jobs
    }

    /// What is deleted when, of the platform and all modules.
    pub fn retention(&self) -> Vec<RetentionRule> {
        let mut rules = vec![idempotency::RETENTION, agio_mail::RETENTION];
        rules.extend(agio_push::RETENTION.into_iter().chain(outbox::RETENTION));
        rules.extend(self.modules().iter().flat_map(|module| module.declarations().retention).copied());
        rules
    }

    /// Sends the alerts that are due.
    pub async fn send_staff_alerts(&self) -> Result<()> {
        // A notifier that is still starting would miss the alert.
        self.plugin_manager.wait_until_started().await;
        self.alerts.run(self).await
    }

    /// Every SQL statement with its name.
    pub fn statements(&self) -> Vec<(&'static str, &'static str)> {
        let platform = [
            settings::STATEMENTS,
            idempotency::STATEMENTS,
            audit::STATEMENTS,
            full_check::STATEMENTS,
            outbox::STATEMENTS,
            staff_alerts::STATEMENTS,
            metrics::STATEMENTS,
            keys::STATEMENTS,
            backup::STATEMENTS,
            doctor::STATEMENTS,
        ];
        let mut statements = [
            platform.concat(),
            agio_ledger::STATEMENTS.to_vec(),
            agio_mail::STATEMENTS.to_vec(),
            agio_push::STATEMENTS.to_vec(),
            agio_brand::STATEMENTS.to_vec(),
        ]
        .concat();
        statements.extend(self.modules().iter().flat_map(|module| module.declarations().statements).copied());
        statements.extend(self.retention().iter().map(|rule| (rule.name, rule.delete)));
        statements
            .extend(self.sealed_columns().iter().flat_map(|column| [(column.name, column.find), (column.name, column.replace)]));
        statements
    }

    /// Everything that is sealed in the database, but for responses to repeated requests, which are deleted after two days.
    pub fn sealed_columns(&self) -> Vec<SealedColumn> {
        let of_modules = self.modules().into_iter().flat_map(|module| module.declarations().sealed_columns.iter().copied());
        of_modules.chain(agio_mail::SEALED_COLUMNS.iter().chain(agio_push::SEALED_COLUMNS).copied()).collect()
    }

    /// The permissions of all modules. Each has the text `permission.NAME`.
    pub fn permissions(&self) -> Vec<Permission> {
        let mut permissions =
            vec![DASHBOARD_READ, MAIL_READ, MAIL_RESEND, MAIL_OPEN, STAFF_ALERTS_READ, STAFF_ALERTS_RESEND, AUDIT_READ];
        permissions.extend(self.modules().iter().flat_map(|module| module.declarations().permissions).copied());
        permissions
    }

    pub fn texts(&self) -> &Texts {
        &self.texts
    }
}

/// The captcha provider, if the operator has configured one.
fn captcha_provider(config: &Config) -> Result<Option<Arc<dyn CaptchaProvider>>> {
    let named = &config.captcha;
    if named.verify_url.is_empty() {
        return Ok(None);
    }
    let host = config.server.public_url.split_once("://").map_or("", |(_, host)| host);
    let host = host.split(['/', ':']).next().unwrap_or_default();
    let provider = SiteVerifyProvider::new(named.provider, &named.verify_url, &named.site_key, &named.secret.0, host)?;
    Ok(Some(Arc::new(provider)))
}

const DICTIONARIES: &[Dictionary] = &[
    agio_core::texts::DICTIONARY,
    agio_ledger::DICTIONARY,
    agio_mail::DICTIONARY,
    agio_push::DICTIONARY,
    agio_brand::DICTIONARY,
    agio_captcha::DICTIONARY,
    agio_approvals::DICTIONARY,
    Dictionary { crate_name: "agio-requisites", ru: agio_requisites::TEXTS_RU, en: agio_requisites::TEXTS_EN },
    agio_auth::DICTIONARY,
    agio_calculator::DICTIONARY,
    agio_claims::DICTIONARY,
    agio_core::dictionary!(),
    agio_discounts::DICTIONARY,
    agio_verification::DICTIONARY,
    agio_content::DICTIONARY,
    agio_reviews::DICTIONARY,
    agio_waitlist::DICTIONARY,
    agio_feeds::DICTIONARY,
    agio_rates::DICTIONARY,
    agio_contest::DICTIONARY,
    agio_referral::DICTIONARY,
    agio_partners::DICTIONARY,
    agio_plugin_admin::DICTIONARY,
    agio_payments::DICTIONARY,
];

pub fn all_texts() -> Texts {
    Texts::merge(DICTIONARIES).unwrap_or_else(|fault| panic!("the dictionaries contradict each other: {fault}"))
}

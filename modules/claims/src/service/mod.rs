//! The use cases: one function, one transaction.

mod audit_log;
mod bonus;
mod browser_notifications;
mod cash;
mod chats;
mod creation;
mod customer_actions;
mod customer_records;
mod customer_terms;
mod deadline;
mod emails;
mod exchange_listeners;
mod hold_approval;
mod late_payment;
mod market_part;
mod masking;
mod offers;
mod partners;
mod payment_approval;
mod payment_steps;
mod queue;
mod recalculation;
mod receipts;
mod reconciliation;
mod refund_destination;
mod request_deduplication;
mod requisite_approval;
mod requisite_assignment;
mod requisite_import;
mod requisite_pool;
mod requisite_statement;
mod requisite_validation;
pub(crate) mod saved_requisites;
mod search;
mod staff_actions;
mod step_times;
mod surplus;
mod terms_cache;
mod timers;
mod transition;
mod turnover;
mod unreadable_claims;
mod verification;

use std::sync::Arc;

use agio_approvals::Approvals;
use agio_captcha::Captcha;
use agio_contracts::{
    AutomaticPayments, BonusProvider, ClaimEmails, ClaimReviews, ClaimVerifications, ConfirmationCount, ConfirmedEmails,
    CurrencyInfo, EmailGate, ExchangeListener, PartnerClaimListener, QuoteProvider, ReferenceValueProvider, RequisiteValidator,
    guest_digest,
};
use agio_core::error::Params;
use agio_core::texts::{Bilingual, Dictionary, Locale, Texts};
use agio_core::{Platform, Result, hex};
use agio_files::FileStore;
use agio_ledger::Ledger;
use agio_mail::Mailer;
use agio_push::Push;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::REPORTED_MINUTES;
use crate::recent_claims::RecentClaims;
use crate::rules::Claim;
use crate::rules::queue::ClaimTimeouts;
use crate::store;

pub use creation::{CreatedClaim, NewClaim, Requester, TECHNICAL_MODE};
pub use customer_actions::CustomerConsents;
pub use customer_terms::ClaimedTerms;
pub use hold_approval::HoldApproval;
pub use payment_approval::{ApprovalRequirement, OutgoingKind, OutgoingPaymentApproval};
pub use queue::{ClaimsOverview, FullClaim, QueuePage, QueueQuery, SharedTransaction, UrgentClaim};
pub use recalculation::{AmountOverrideApproval, Recalculation};
pub use requisite_approval::{RequisiteCreationApproval, RequisiteUpdateApproval};
pub use requisite_assignment::PaymentAvailability;
pub use requisite_import::{ImportedRequisite, RequisiteImport, RequisiteImportApproval};
pub use requisite_pool::{NewRequisite, RequisiteChange, RequisitePool};
pub use requisite_statement::RequisiteSums;
pub use saved_requisites::SavedRequisites;
pub use staff_actions::StaffTransition;
pub use step_times::ClaimTimeline;
pub use transition::TransitionInput;
pub use turnover::{DayTotals, Turnover};

pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// The other modules that claims depend on.
pub struct ClaimsDependencies {
    pub quotes: Arc<dyn QuoteProvider>,
    /// The reference values of amounts.
    pub reference_values: Arc<dyn ReferenceValueProvider>,
    /// The bonuses of customers.
    pub bonuses: Arc<dyn BonusProvider>,
    /// Limits for requested e-mails.
    pub email_gate: Arc<dyn EmailGate>,
    /// The owners of e-mail addresses.
    pub confirmed_emails: Arc<dyn ConfirmedEmails>,
    /// The verifications of customers.
    pub verifications: Arc<dyn ClaimVerifications>,
    pub reviews: Arc<dyn ClaimReviews>,
    /// Notifications in customers' browsers.
    pub push: Arc<Push>,
    /// What names the addresses of customers besides their claims.
    pub claim_emails: Vec<Arc<dyn ClaimEmails>>,
    /// The listeners to completed exchanges.
    pub exchange_listeners: Vec<Arc<dyn ExchangeListener>>,
    /// The listener that notifies partners.
    pub partner_listener: Arc<dyn PartnerClaimListener>,
    pub payments: Arc<dyn AutomaticPayments>,
    /// The validators of requisites in other modules.
    pub requisite_validator: Arc<dyn RequisiteValidator>,
}

pub struct Claims {
    pub(crate) platform: Platform,
    ledger: Ledger,
    quotes: Arc<dyn QuoteProvider>,
    reference_values: Arc<dyn ReferenceValueProvider>,
    bonuses: Arc<dyn BonusProvider>,
    pub(crate) approvals: Approvals,
    mailer: Mailer,
    texts: Texts,
    captcha: Arc<Captcha>,
    email_gate: Arc<dyn EmailGate>,
    confirmed_emails: Arc<dyn ConfirmedEmails>,
    verifications: Arc<dyn ClaimVerifications>,
    reviews: Arc<dyn ClaimReviews>,
    pub(crate) push: Arc<Push>,
    claim_emails: Vec<Arc<dyn ClaimEmails>>,
    exchange_listeners: Vec<Arc<dyn ExchangeListener>>,
    partner_listener: Arc<dyn PartnerClaimListener>,
    pub(crate) payments: Arc<dyn AutomaticPayments>,
    requisite_validator: Arc<dyn RequisiteValidator>,
    recent_claims: RecentClaims,
    recent: request_deduplication::RecentRequests,
    kept_terms: terms_cache::TermsCache,
    unreadable: unreadable_claims::UnreadableClaims,
    measured_steps: step_times::MeasuredSteps,
    receipts: FileStore,
}

impl Claims {
    /// The receipts folder must not be served.
    pub fn new(
        platform: &Platform,
        ledger: Ledger,
        approvals: Approvals,
        captcha: Arc<Captcha>,
        mailer: Mailer,
        dependencies: ClaimsDependencies,
        receipts: FileStore,
    ) -> Arc<Self> {
        Arc::new(Self {
            platform: platform.clone(),
            ledger,
            quotes: dependencies.quotes,
            reference_values: dependencies.reference_values,
            bonuses: dependencies.bonuses,
            approvals,
            mailer,
            texts: Texts::merge(&[DICTIONARY]).expect("the module's dictionaries are whole, by test"),
            captcha,
            email_gate: dependencies.email_gate,
            confirmed_emails: dependencies.confirmed_emails,
            verifications: dependencies.verifications,
            reviews: dependencies.reviews,
            push: dependencies.push,
            claim_emails: dependencies.claim_emails,
            exchange_listeners: dependencies.exchange_listeners,
            partner_listener: dependencies.partner_listener,
            payments: dependencies.payments,
            requisite_validator: dependencies.requisite_validator,
            recent_claims: RecentClaims::default(),
            recent: request_deduplication::RecentRequests::default(),
            kept_terms: terms_cache::TermsCache::default(),
            unreadable: unreadable_claims::UnreadableClaims::default(),
            measured_steps: step_times::MeasuredSteps::default(),
            receipts,
        })
    }

    /// # Errors
    /// 404 `claim_not_found`.
    pub async fn claim(&self, id: Uuid) -> Result<Claim> {
        store::claims::claim(&mut self.platform.db.read().await?, id).await
    }

    /// Whether the payout of a claim leaves without staff as soon as it is paid.
    ///
    /// # Errors
    /// 404 `claim_not_found`.
    pub async fn is_paid_out_automatically(&self, id: Uuid) -> Result<bool> {
        Ok(self.payments.pays_out(self.claim(id).await?.receive.currency_id()))
    }

    /// Whether a lock keeps a payout or a surplus of a claim from leaving without staff.
    ///
    /// # Errors
    /// 404 `claim_not_found`.
    pub async fn keeps_payment(&self, id: Uuid) -> Result<bool> {
        let claim = self.claim(id).await?;
        let has_surplus = claim.balances.surplus.units() > 0;
        let leaves_by_itself = self.payments.pays_out(claim.receive.currency_id())
            || (has_surplus && self.payments.pays_out(claim.give.currency_id()));
        Ok(claim.progress.holder_id.is_some() && leaves_by_itself)
    }

    /// A currency of a claim. A deleted one is shown by its code.
    pub fn currency(&self, id: i64, code: &str) -> Arc<CurrencyInfo> {
        self.quotes.by_id(id).unwrap_or_else(|| {
            Arc::new(CurrencyInfo {
                id,
                code: code.to_owned(),
                ticker: code.to_owned(),
                network: Bilingual::default(),
                kind: agio_contracts::CurrencyKind::Crypto,
                name: Bilingual { ru: code.to_owned(), en: code.to_owned() },
                icon: String::new(),
                scale: 0,
                inputs: Vec::new(),
                cities: Vec::new(),
                explorer: None,
            })
        })
    }

    /// The confirmations of a claim's payment, if it is detected and its network counts them.
    pub async fn counted(&self, claim: &Claim) -> Result<Option<ConfirmationCount>> {
        if claim.references.tx_in.is_none() { Ok(None) } else { self.payments.counted(claim.id).await }
    }

    /// The text of a reason: that of a known code, or the reason itself.
    pub fn reason_text(&self, reason: &str, locale: Locale) -> String {
        let key = format!("claim_reason.{reason}");
        if self.texts.has(&key) { self.texts.get(locale, &key, &Params::new()) } else { reason.to_owned() }
    }

    pub(crate) fn text(&self, key: &str, locale: Locale) -> String {
        self.texts.get(locale, key, &Params::new())
    }

    /// Whether a reason is a known code.
    pub fn is_reason_code(&self, reason: &str) -> bool {
        self.texts.has(&format!("claim_reason.{reason}"))
    }

    fn timeouts(&self) -> ClaimTimeouts {
        let settings = &self.platform.settings;
        ClaimTimeouts {
            confirm_minutes: settings.int("claims.confirm_minutes"),
            verify_minutes: settings.int("claims.verify_minutes"),
            choice_hours: settings.int("claims.choice_hours"),
            answer_minutes: settings.int("claims.answer_minutes"),
            reported_minutes: settings.int(REPORTED_MINUTES),
        }
    }

    /// The timeouts in a claim's direction.
    fn timeouts_for(&self, claim: &Claim) -> ClaimTimeouts {
        let timeouts = self.timeouts();
        let own = self.quotes.reported_minutes(claim.give.currency_id(), claim.receive.currency_id());
        ClaimTimeouts { reported_minutes: own.unwrap_or(timeouts.reported_minutes), ..timeouts }
    }
}

#[derive(Clone, Debug, Default)]
pub struct ClaimViewer {
    /// The secret of their browser.
    pub guest: Option<String>,
    /// The account they are signed in to.
    pub customer: Option<Uuid>,
}

impl ClaimViewer {
    /// Whether this browser or account created the claim. An account with the same e-mail address does not own it: the
    /// address may have been mistyped and is unconfirmed.
    pub fn owns(&self, claim: &Claim) -> bool {
        self.guest.as_deref().is_some_and(|secret| guest_digest(secret) == claim.customer.guest_digest)
            || self.customer.is_some_and(|customer| claim.customer.account_id == Some(customer))
    }
}

/// The digest that identifies a payment.
pub(crate) fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

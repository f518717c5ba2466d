//! Use cases: one function, one transaction.

mod account;
mod admin;
mod attribution;
mod commission_review;
mod commissions;
mod customer_records;
mod emails;
mod ledger_entries;
mod plans;
mod reconciliation;
mod withdrawal_processing;
pub(crate) mod withdrawals;

use std::sync::Arc;
use std::time::Duration;

use agio_approvals::Approvals;
use agio_contracts::{
    ConfirmedEmails, CurrencyInfo, CurrencyLookup, PayoutRequisiteValidator, Reauthentication, ReferenceValueProvider,
};
use agio_core::error::Params;
use agio_core::money::value_of;
use agio_core::retention::RetentionRule;
use agio_core::texts::{Locale, Texts};
use agio_core::{Error, Platform, Timestamp, delete_rows};
use agio_ledger::Ledger;
use agio_mail::Mailer;
use rust_decimal::Decimal;

use crate::{CURRENCY, DICTIONARY};

pub use account::{Balance, ReferralDayStats, ReferralHistory, ReferralOverview};
pub use admin::{CommissionDetails, ReferralPage, ReferredCustomer, ReferrerOverview, ReferrerStats};
pub use attribution::SignUpAttribution;
pub use commission_review::CommissionReview;
pub use plans::NewReferralPlan;
pub use withdrawal_processing::{ApprovedWithdrawal, WithdrawalAction, WithdrawalTransition};
pub use withdrawals::NewWithdrawal;

const TRACE_RETENTION: Duration = Duration::from_secs(365 * 24 * 60 * 60);

pub const RETENTION: &[RetentionRule] = &[
    RetentionRule {
        name: "referral_trace",
        delete: delete_rows!("referral_trace", "referrer_id, digest", "seen_at < $1"),
        before: |_, now| now.minus(TRACE_RETENTION).0,
    },
    RetentionRule {
        name: "referral_visitor",
        delete: delete_rows!("referral_visitor", "day, digest, referrer_id", "day < $1"),
        before: |_, now| day_of(now),
    },
];

/// What this module needs from other modules.
pub struct ReferralDependencies {
    pub reference_values: Arc<dyn ReferenceValueProvider>,
    pub currencies: Arc<dyn CurrencyLookup>,
    pub addresses: Arc<dyn ConfirmedEmails>,
    pub requisites: Arc<dyn PayoutRequisiteValidator>,
    pub reauthentication: Arc<dyn Reauthentication>,
}

pub struct Referral {
    pub(crate) platform: Platform,
    ledger: Ledger,
    pub(crate) approvals: Approvals,
    mailer: Mailer,
    reference_values: Arc<dyn ReferenceValueProvider>,
    currencies: Arc<dyn CurrencyLookup>,
    addresses: Arc<dyn ConfirmedEmails>,
    requisites: Arc<dyn PayoutRequisiteValidator>,
    reauthentication: Arc<dyn Reauthentication>,
    texts: Texts,
    site: String,
}

impl Referral {
    /// `site` is the base URL of referral links.
    ///
    /// # Panics
    /// If the module's dictionaries are inconsistent.
    pub fn new(
        platform: &Platform,
        ledger: Ledger,
        approvals: Approvals,
        mailer: Mailer,
        dependencies: ReferralDependencies,
        site: &str,
    ) -> Arc<Self> {
        Arc::new(Self {
            platform: platform.clone(),
            ledger,
            approvals,
            mailer,
            reference_values: dependencies.reference_values,
            currencies: dependencies.currencies,
            addresses: dependencies.addresses,
            requisites: dependencies.requisites,
            reauthentication: dependencies.reauthentication,
            texts: Texts::merge(&[DICTIONARY]).expect("the module's dictionaries are valid, by test"),
            site: site.trim_end_matches('/').to_owned(),
        })
    }

    fn configured_currency(&self) -> Option<Arc<CurrencyInfo>> {
        self.currencies.by_code(&self.platform.settings.text(CURRENCY))
    }

    /// The referrer's balance currency, or the configured one if it is not fixed yet.
    pub(crate) fn currency_of(&self, own: Option<i64>) -> Option<Arc<CurrencyInfo>> {
        match own {
            Some(id) => self.currencies.by_id(id),
            None => self.configured_currency(),
        }
    }

    pub(crate) fn text(&self, key: &str, locale: Locale) -> String {
        self.texts.get(locale, key, &Params::new())
    }
}

/// Days since 1970-01-01 UTC.
fn day_of(time: Timestamp) -> i64 {
    time.as_seconds().div_euclid(24 * 60 * 60)
}

/// # Panics
/// The scale cannot have been stored.
pub(crate) fn units(units: i64, scale: i64) -> Decimal {
    value_of(units, u32::try_from(scale).expect("a scale is stored from a small number"))
}

pub(crate) fn refused(field: &str, code: &'static str) -> Error {
    Error::unprocessable("validation_failed").at(field, code)
}

fn too_long(field: &str, max: usize) -> Error {
    Error::unprocessable("validation_failed").with("max", max).at(field, "text_too_long")
}

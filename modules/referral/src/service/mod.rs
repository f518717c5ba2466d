//! The use cases: one function, one transaction.

mod account;
mod accruing;
mod audit;
mod bonds;
mod deciding;
mod desk;
mod letters;
mod moving;
mod payout;
mod programmes;
mod sealing;
mod withdrawing;

use std::sync::Arc;

use agio_approvals::Approvals;
use agio_core::error::Params;
use agio_core::needs::{ConfirmedAddresses, CurrencyFacts, CurrencyList, PayoutRequisites, Worths};
use agio_core::texts::{Locale, Texts};
use agio_core::{Amount, Error, Platform, Timestamp};
use agio_ledger::Ledger;
use agio_mail::Mailroom;

use crate::{CURRENCY, DICTIONARY};

pub use account::{Balance, Day, History, Standing};
pub use bonds::Bonds;
pub use deciding::{Decided, Verdict};
pub use desk::{DeskAccrual, DeskReferrer, Page, Person, Tab, WholeReferrer};
pub use payout::{AgreedWithdrawal, Step, Stepped};
pub use programmes::NewTerms;
pub use withdrawing::Asked;

/// What the referral programme needs of other rooms.
pub struct Needs {
    /// What money is worth.
    pub worths: Arc<dyn Worths>,
    /// The currencies.
    pub currencies: Arc<dyn CurrencyList>,
    /// Whose addresses are whose.
    pub addresses: Arc<dyn ConfirmedAddresses>,
    /// How requisites are checked.
    pub requisites: Arc<dyn PayoutRequisites>,
}

/// The referral programme.
pub struct Referral {
    pub(crate) platform: Platform,
    ledger: Ledger,
    pub(crate) approvals: Approvals,
    mailroom: Mailroom,
    worths: Arc<dyn Worths>,
    currencies: Arc<dyn CurrencyList>,
    addresses: Arc<dyn ConfirmedAddresses>,
    requisites: Arc<dyn PayoutRequisites>,
    texts: Texts,
    site: String,
}

impl Referral {
    /// The programme, for the site at this address.
    ///
    /// # Panics
    /// The module's dictionaries contradict each other: a fault of the program.
    #[must_use]
    pub fn new(
        platform: &Platform,
        ledger: Ledger,
        approvals: Approvals,
        mailroom: Mailroom,
        needs: Needs,
        site: &str,
    ) -> Arc<Self> {
        Arc::new(Self {
            platform: platform.clone(),
            ledger,
            approvals,
            mailroom,
            worths: needs.worths,
            currencies: needs.currencies,
            addresses: needs.addresses,
            requisites: needs.requisites,
            texts: Texts::merge(&[DICTIONARY]).expect("the module's dictionaries are whole, by test"),
            site: site.trim_end_matches('/').to_owned(),
        })
    }

    /// The currency balances are kept in, if the setting names one.
    fn configured_currency(&self) -> Option<Arc<CurrencyFacts>> {
        self.currencies.by_code(&self.platform.settings.text(CURRENCY))
    }

    /// The currency of a referrer's balance: theirs, else the one it would become.
    pub(crate) fn currency_of(&self, own: Option<i64>) -> Option<Arc<CurrencyFacts>> {
        match own {
            Some(id) => self.currencies.by_id(id),
            None => self.configured_currency(),
        }
    }

    /// What a code of this room says in a language.
    pub(crate) fn said(&self, key: &str, locale: Locale) -> String {
        self.texts.get(locale, key, &Params::new())
    }
}

/// The number of the calendar day in UTC, counted from 1970-01-01.
fn day_of(moment: Timestamp) -> i64 {
    moment.as_seconds().div_euclid(24 * 60 * 60)
}

/// Units of a stored scale as an amount.
pub(crate) fn units(units: i64, scale: i64) -> Amount {
    Amount::of_units(units, u32::try_from(scale).unwrap_or(0))
}

fn refused(field: &str, code: &'static str) -> Error {
    Error::unprocessable("validation_failed").at(field, code)
}

fn too_long(field: &str, most: usize) -> Error {
    Error::unprocessable("validation_failed").with("max", most).at(field, "text_too_long")
}

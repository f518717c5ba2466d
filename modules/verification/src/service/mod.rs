//! The use cases: one function, one transaction.

mod customer_records;
mod decision;
mod emails;
mod listing;
mod photos;
mod registry;
mod verification_request;

use std::sync::Arc;

use agio_contracts::{CustomerLookup, VerificationListener};
use agio_core::error::Params;
use agio_core::texts::{Bilingual, Locale, Texts};
use agio_core::{Error, Platform, Result};
use agio_files::FileStore;
use agio_mail::Mailer;

use crate::DICTIONARY;
use crate::model::{VerificationReasonCode, VerificationState};
use crate::store::VerificationRow;

pub use decision::StaffDecision;
pub use listing::{VerificationKey, VerificationQueuePage, VerificationRecord, VerificationViewer, VisibleVerification};
pub use registry::VerificationRegistry;

/// The verification service.
pub struct Verification {
    pub(crate) platform: Platform,
    registry: Arc<VerificationRegistry>,
    claims: Arc<dyn VerificationListener>,
    customers: Arc<dyn CustomerLookup>,
    mailer: Mailer,
    texts: Texts,
    photos: FileStore,
}

impl Verification {
    /// # Panics
    /// If the module's dictionaries contradict each other.
    pub fn new(
        platform: &Platform,
        registry: Arc<VerificationRegistry>,
        claims: Arc<dyn VerificationListener>,
        customers: Arc<dyn CustomerLookup>,
        mailer: Mailer,
        photos: FileStore,
    ) -> Arc<Self> {
        Arc::new(Self {
            platform: platform.clone(),
            registry,
            claims,
            customers,
            mailer,
            texts: Texts::merge(&[DICTIONARY]).expect("the module's dictionaries are complete, by test"),
            photos,
        })
    }

    /// A text of this module.
    pub fn text(&self, key: &str, locale: Locale) -> String {
        self.texts.get(locale, key, &Params::new())
    }

    /// Why a verification was rejected or other photos are needed: the message of staff, else the text of the code.
    pub fn reason(&self, row: &VerificationRow) -> Option<Bilingual> {
        let code = row.reason?;
        // Another photo is asked for only while it can be sent.
        let again = format!("verification_reason.{code}.again");
        let is_again = row.state != VerificationState::Rejected && self.texts.has(&again);
        let key = if is_again { again } else { format!("verification_reason.{code}") };
        let text = |message: &Option<String>, locale| match message {
            Some(message) => message.clone(),
            None if code == VerificationReasonCode::Other => String::new(),
            None => self.text(&key, locale),
        };
        Some(Bilingual { ru: text(&row.message_ru, Locale::Ru), en: text(&row.message_en, Locale::En) })
    }
}

fn not_found() -> Error {
    Error::not_found("verification_not_found")
}

fn found(row: Option<VerificationRow>) -> Result<VerificationRow> {
    row.ok_or_else(not_found)
}

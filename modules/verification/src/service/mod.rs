//! The use cases: one function, one transaction.

mod asking;
mod deciding;
mod letters;
mod photos;
mod register;
mod viewing;

use std::sync::Arc;

use agio_core::error::Params;
use agio_core::needs::{AwaitsProof, CustomerBook};
use agio_core::texts::{Bilingual, Locale, Texts};
use agio_core::{Error, Platform, Result};
use agio_files::Folder;
use agio_mail::Mailroom;

use crate::DICTIONARY;
use crate::model::OTHER;
use crate::store::Row;

pub use deciding::Decided;
pub use register::Register;
pub use viewing::{Page, Seen, Tab, Viewer, Whole};

/// The office that verifies.
pub struct Verification {
    pub(crate) platform: Platform,
    register: Arc<Register>,
    claims: Arc<dyn AwaitsProof>,
    customers: Arc<dyn CustomerBook>,
    mailroom: Mailroom,
    texts: Texts,
    photos: Folder,
}

impl Verification {
    /// The office, with the register of what is asked and verified, the claims that wait, and the folder of photos.
    ///
    /// # Panics
    /// The module's dictionaries contradict each other: a fault of the program.
    #[must_use]
    pub fn new(
        platform: &Platform,
        register: Arc<Register>,
        claims: Arc<dyn AwaitsProof>,
        customers: Arc<dyn CustomerBook>,
        mailroom: Mailroom,
        photos: Folder,
    ) -> Arc<Self> {
        Arc::new(Self {
            platform: platform.clone(),
            register,
            claims,
            customers,
            mailroom,
            texts: Texts::merge(&[DICTIONARY]).expect("the module's dictionaries are whole, by test"),
            photos,
        })
    }

    /// What a code of this room says in a language.
    #[must_use]
    pub fn said(&self, key: &str, locale: Locale) -> String {
        self.texts.get(locale, key, &Params::new())
    }

    /// Why a verification was rejected or asked again: the words of staff where they wrote some, else what the code says.
    #[must_use]
    pub fn reason(&self, row: &Row) -> Option<Bilingual> {
        let code = row.reason.as_deref()?;
        let said = |words: &Option<String>, locale| match words {
            Some(words) => words.clone(),
            None if code == OTHER => String::new(),
            None => self.said(&format!("verification_reason.{code}"), locale),
        };
        Some(Bilingual { ru: said(&row.words_ru, Locale::Ru), en: said(&row.words_en, Locale::En) })
    }
}

fn not_found() -> Error {
    Error::not_found("verification_not_found")
}

fn found(row: Option<Row>) -> Result<Row> {
    row.ok_or_else(not_found)
}

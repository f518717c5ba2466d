//! The use cases: one function, one transaction.

mod audit;
mod choices;
mod consent;
mod create;
mod customer;
mod desk;
mod letters;
mod moving;
mod operator;
mod pool;
mod pool_consent;
mod receipts;
mod recent;
mod timers;
mod trail;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use agio_approvals::Approvals;
use agio_captcha::Captcha;
use agio_core::needs::{CurrencyFacts, Quotes, Worths};
use agio_core::texts::{Bilingual, Dictionary, Locale, Texts};
use agio_core::{Platform, Result};
use agio_ledger::Ledger;
use agio_mail::Mailroom;
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::risk::Risk;
use crate::rules::Claim;
use crate::rules::desk::Patience;
use crate::store;

pub use consent::{AgreedPayment, Consent, Outgoing};
pub use create::{Made, NewClaim, Party, TECHNICAL_MODE};
pub use desk::{Asked, DeskRow, Overview, Page, Whole};
pub use moving::Said;
pub use operator::Staffed;
pub use pool::{NewRequisite, RequisiteChange};
pub use pool_consent::{AddedRequisite, ChangedRequisite};
pub use receipts::Uploaded;

/// The module's texts.
pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// How many pictures are unpacked at one time: each takes up to 100 MB while it is.
const PICTURES_AT_A_TIME: usize = 2;

/// The claims office.
pub struct Claims {
    pub(crate) platform: Platform,
    ledger: Ledger,
    quotes: Arc<dyn Quotes>,
    worths: Arc<dyn Worths>,
    pub(crate) approvals: Approvals,
    mailroom: Mailroom,
    texts: Texts,
    captcha: Arc<Captcha>,
    risk: Risk,
    recent: recent::Recent,
    receipts: PathBuf,
    pictures: Semaphore,
    secret: [u8; 32],
}

impl Claims {
    /// The office, with the folder in which receipts are kept. The folder must be outside everything that is served.
    #[must_use]
    pub fn new(
        platform: &Platform,
        ledger: Ledger,
        (quotes, worths): (Arc<dyn Quotes>, Arc<dyn Worths>),
        approvals: Approvals,
        captcha: Arc<Captcha>,
        mailroom: Mailroom,
        receipts: PathBuf,
    ) -> Arc<Self> {
        let mut secret = [0; 32];
        platform.random.fill(&mut secret);
        Arc::new(Self {
            platform: platform.clone(),
            ledger,
            quotes,
            worths,
            approvals,
            mailroom,
            texts: Texts::merge(&[DICTIONARY]).expect("the module's dictionaries are whole, by test"),
            captcha,
            risk: Risk::default(),
            recent: recent::Recent::default(),
            receipts,
            pictures: Semaphore::new(PICTURES_AT_A_TIME),
            secret,
        })
    }

    /// A claim by its identifier.
    ///
    /// # Errors
    /// 404 `claim_not_found`.
    pub async fn claim(&self, id: Uuid) -> Result<Claim> {
        store::claims::claim(&mut self.platform.db.read().await?, id).await
    }

    /// Whether the browser that shows this secret made the claim.
    #[must_use]
    pub fn is_owner(&self, claim: &Claim, guest: Option<&str>) -> bool {
        guest.is_some_and(|secret| digest(secret) == claim.guest_digest)
    }

    /// A currency of a claim. One that is gone altogether is shown by its code.
    #[must_use]
    pub fn currency(&self, id: i64, code: &str) -> CurrencyFacts {
        self.quotes.currency(id).unwrap_or_else(|| CurrencyFacts {
            id,
            code: code.to_owned(),
            ticker: code.to_owned(),
            network: Bilingual::default(),
            kind: "crypto".to_owned(),
            name: Bilingual { ru: code.to_owned(), en: code.to_owned() },
            icon: String::new(),
            scale: 0,
            inputs: Vec::new(),
        })
    }

    /// What a reason says to a customer: the text of a known code, else the words as they were written.
    #[must_use]
    pub fn reason_text(&self, reason: &str, locale: Locale) -> String {
        let key = format!("claim_reason.{reason}");
        if self.texts.has(&key) { self.texts.get(locale, &key, &BTreeMap::new()) } else { reason.to_owned() }
    }

    /// Whether a reason is a known code.
    #[must_use]
    pub fn is_reason_code(&self, reason: &str) -> bool {
        self.texts.has(&format!("claim_reason.{reason}"))
    }

    fn patience(&self) -> Patience {
        let settings = &self.platform.settings;
        Patience {
            confirm_minutes: settings.int("claims.confirm_minutes"),
            choice_hours: settings.int("claims.choice_hours"),
            answer_minutes: settings.int("claims.answer_minutes"),
        }
    }
}

/// A digest under which secrets and addresses are kept.
pub(crate) fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string does not fail");
        text
    })
}

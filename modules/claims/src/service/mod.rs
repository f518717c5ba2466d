//! The use cases: one function, one transaction.

mod audit;
mod bonus;
mod choices;
mod consent;
mod create;
mod customer;
mod deadline;
mod desk;
mod following;
mod kept_terms;
mod late;
mod letters;
mod moving;
mod operator;
mod opinions;
mod partners;
mod paying;
mod pool;
mod pool_consent;
mod proving;
mod readable;
mod recalculating;
mod receipts;
mod recent;
mod refund_destination;
mod saved;
mod sealing;
mod search;
mod timers;
mod trail;

use std::sync::Arc;

use agio_approvals::Approvals;
use agio_captcha::Captcha;
use agio_core::error::Params;
use agio_core::needs::{
    AutomaticPayments, Bonuses, ConfirmedAddresses, Counted, CurrencyFacts, FollowsExchanges, FollowsPartnerClaims, LetterGate,
    Opinions, Proofs, Quotes, Worths, guest_digest,
};
use agio_core::texts::{Bilingual, Dictionary, Locale, Texts};
use agio_core::{Platform, Result, hex};
use agio_files::Folder;
use agio_ledger::Ledger;
use agio_mail::Mailroom;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::REPORTED_MINUTES;
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
pub use recalculating::{AgreedOverride, Recalculation};
pub use saved::SavedRequisites;

/// The module's texts.
pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// What the office needs of other rooms.
pub struct Needs {
    /// Rates and quotes.
    pub quotes: Arc<dyn Quotes>,
    /// What money is worth.
    pub worths: Arc<dyn Worths>,
    /// What customers get on top of the rate.
    pub bonuses: Arc<dyn Bonuses>,
    /// How often letters may be asked for.
    pub letters: Arc<dyn LetterGate>,
    /// Whose e-mail addresses are.
    pub addresses: Arc<dyn ConfirmedAddresses>,
    /// What customers have verified.
    pub proofs: Arc<dyn Proofs>,
    /// Who acts when an exchange is done.
    pub followers: Vec<Arc<dyn FollowsExchanges>>,
    /// Who tells partners of their claims.
    pub partners: Arc<dyn FollowsPartnerClaims>,
    /// Who watches payments and makes them without staff.
    pub payments: Arc<dyn AutomaticPayments>,
    /// Who may know more of requisites than the house's rules do.
    pub opinions: Arc<dyn Opinions>,
}

/// The claims office.
pub struct Claims {
    pub(crate) platform: Platform,
    ledger: Ledger,
    quotes: Arc<dyn Quotes>,
    worths: Arc<dyn Worths>,
    bonuses: Arc<dyn Bonuses>,
    pub(crate) approvals: Approvals,
    mailroom: Mailroom,
    texts: Texts,
    captcha: Arc<Captcha>,
    letters: Arc<dyn LetterGate>,
    addresses: Arc<dyn ConfirmedAddresses>,
    proofs: Arc<dyn Proofs>,
    followers: Vec<Arc<dyn FollowsExchanges>>,
    partners: Arc<dyn FollowsPartnerClaims>,
    pub(crate) payments: Arc<dyn AutomaticPayments>,
    opinions: Arc<dyn Opinions>,
    risk: Risk,
    recent: recent::Recent,
    kept_terms: kept_terms::KeptTerms,
    unreadable: readable::Unreadable,
    receipts: Folder,
}

impl Claims {
    /// The office, with the folder in which receipts are kept. The folder must be outside everything that is served.
    #[must_use]
    pub fn new(
        platform: &Platform,
        ledger: Ledger,
        approvals: Approvals,
        captcha: Arc<Captcha>,
        mailroom: Mailroom,
        needs: Needs,
        receipts: Folder,
    ) -> Arc<Self> {
        Arc::new(Self {
            platform: platform.clone(),
            ledger,
            quotes: needs.quotes,
            worths: needs.worths,
            bonuses: needs.bonuses,
            approvals,
            mailroom,
            texts: Texts::merge(&[DICTIONARY]).expect("the module's dictionaries are whole, by test"),
            captcha,
            letters: needs.letters,
            addresses: needs.addresses,
            proofs: needs.proofs,
            followers: needs.followers,
            partners: needs.partners,
            payments: needs.payments,
            opinions: needs.opinions,
            risk: Risk::default(),
            recent: recent::Recent::default(),
            kept_terms: kept_terms::KeptTerms::default(),
            unreadable: readable::Unreadable::default(),
            receipts,
        })
    }

    /// A claim by its identifier.
    ///
    /// # Errors
    /// 404 `claim_not_found`.
    pub async fn claim(&self, id: Uuid) -> Result<Claim> {
        store::claims::claim(&mut self.platform.db.read().await?, id).await
    }

    /// A currency of a claim. One that is gone altogether is shown by its code.
    #[must_use]
    pub fn currency(&self, id: i64, code: &str) -> Arc<CurrencyFacts> {
        self.quotes.currency(id).unwrap_or_else(|| {
            Arc::new(CurrencyFacts {
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
        })
    }

    /// The confirmations of a claim's payment, where they are counted and the payment is on its way.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn counted(&self, claim: &Claim) -> Result<Option<Counted>> {
        if claim.tx_in.is_none() { Ok(None) } else { self.payments.counted(claim.id).await }
    }

    /// What a reason says to a customer: the text of a known code, else the words as they were written.
    #[must_use]
    pub fn reason_text(&self, reason: &str, locale: Locale) -> String {
        let key = format!("claim_reason.{reason}");
        if self.texts.has(&key) { self.texts.get(locale, &key, &Params::new()) } else { reason.to_owned() }
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
            verify_minutes: settings.int("claims.verify_minutes"),
            choice_hours: settings.int("claims.choice_hours"),
            answer_minutes: settings.int("claims.answer_minutes"),
            reported_minutes: settings.int(REPORTED_MINUTES),
        }
    }

    /// The same in a claim's direction.
    fn patience_of(&self, claim: &Claim) -> Patience {
        let patience = self.patience();
        let own = self.quotes.reported_minutes(claim.from_id, claim.to_id);
        Patience { reported_minutes: own.unwrap_or(patience.reported_minutes), ..patience }
    }
}

/// Somebody before a claim, by what they show of themselves.
#[derive(Clone, Debug, Default)]
pub struct Viewer {
    /// The secret of their browser.
    pub guest: Option<String>,
    /// The account they are signed in to.
    pub customer: Option<Uuid>,
}

impl Viewer {
    /// Whether the claim was made in this browser or in this account. An account that shares the claim's e-mail address alone does not
    /// own it: the address may have been mistyped, and nobody had to prove it.
    #[must_use]
    pub fn owns(&self, claim: &Claim) -> bool {
        self.guest.as_deref().is_some_and(|secret| guest_digest(secret) == claim.guest_digest)
            || self.customer.is_some_and(|customer| claim.customer_id == Some(customer))
    }
}

/// A digest under which a payment is known.
pub(crate) fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

//! What the console is shown of verifications, and what it sends.

use agio_core::Timestamp;
use agio_core::identity::Staff;
use agio_core::texts::Locale;
use agio_http::{Moment, Null};
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Verification;
use crate::api::{VerificationClaim, VerificationKind, VerificationReason, VerificationState, cause, claim_of};
use crate::model::{Decision, OTHER, REASONS};
use crate::service::{Decided, Page, Whole};
use crate::store::{Photo, Row};

/// What a member of staff decides.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
pub enum DeskVerificationDecision {
    /// It is taken as given.
    Accept,
    /// It is refused.
    Reject,
    /// The customer is to send other photos.
    Again,
}

impl From<DeskVerificationDecision> for Decision {
    fn from(decision: DeskVerificationDecision) -> Self {
        match decision {
            DeskVerificationDecision::Accept => Self::Accept,
            DeskVerificationDecision::Reject => Self::Reject,
            DeskVerificationDecision::Again => Self::Again,
        }
    }
}

impl From<Decision> for DeskVerificationDecision {
    fn from(decision: Decision) -> Self {
        match decision {
            Decision::Accept => Self::Accept,
            Decision::Reject => Self::Reject,
            Decision::Again => Self::Again,
        }
    }
}

/// A verification in a line.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskVerificationRow {
    /// Identifier.
    id: Uuid,
    /// What is verified.
    kind: VerificationKind,
    /// Where it stands.
    state: VerificationState,
    /// The claim that waits for it, or waited; null for an account's own.
    claim: Null<VerificationClaim>,
    /// The customer's e-mail address.
    email: String,
    /// The card, masked.
    card: Null<String>,
    /// When it was asked.
    created_at: Moment,
    /// When it last changed.
    updated_at: Moment,
}

/// A page of verifications.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskVerificationPage {
    /// The verifications.
    items: Vec<DeskVerificationRow>,
    /// What the next page is asked for with; null on the last.
    next_cursor: Null<String>,
    /// How many are for us to decide.
    sent: i64,
    /// How many wait for their customers.
    asked: i64,
}

/// A photo.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskVerificationPhoto {
    /// Identifier.
    id: Uuid,
    /// Which time of asking it answers, from 1.
    round: i64,
    /// The name of the file.
    name: String,
    /// Its media type.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    media_type: String,
    /// Its size in bytes.
    size: i64,
    /// When it came.
    created_at: Moment,
    /// When it is deleted.
    delete_after: Moment,
    /// Whether it is gone.
    deleted: bool,
    /// Whether the same file was sent for another verification.
    repeat: bool,
}

/// A reason staff may give.
#[derive(Serialize, Object)]
pub struct DeskVerificationReasonChoice {
    /// The code.
    code: String,
    /// What it tells the customer, in the console's language; empty where words must be written.
    text: String,
}

/// Words in both languages.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields)]
pub struct DeskVerificationWords {
    /// In Russian.
    ru: String,
    /// In English.
    en: String,
}

/// A verification with everything about it.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskVerification {
    /// Identifier.
    id: Uuid,
    /// What is verified.
    kind: VerificationKind,
    /// Where it stands.
    state: VerificationState,
    /// Why it was asked.
    cause: VerificationReason,
    /// The claim that waits for it, or waited; null for an account's own.
    claim: Null<VerificationClaim>,
    /// The account, where there is one.
    customer_id: Null<Uuid>,
    /// The customer's e-mail address.
    email: String,
    /// The card, masked.
    card: Null<String>,
    /// Which time of asking this is, from 1.
    round: i64,
    /// Every photo of every round.
    photos: Vec<DeskVerificationPhoto>,
    /// Why it was rejected, or asked again last.
    reason: Null<String>,
    /// What the customer is told of it.
    words: Null<DeskVerificationWords>,
    /// Who decided last.
    decided_by: Null<String>,
    /// When they did.
    decided_at: Null<Moment>,
    /// Until when the claim waits for the customer.
    expires_at: Null<Moment>,
    /// When it was asked.
    created_at: Moment,
    /// When it last changed.
    updated_at: Moment,
    /// Counts every change; a decision names the one that was seen.
    revision: i64,
    /// What can be decided now, the usual first.
    decisions: Vec<DeskVerificationDecision>,
    /// The reasons that can be given.
    reasons: Vec<DeskVerificationReasonChoice>,
}

/// A decision.
#[derive(Debug, Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, skip_serializing_if_is_none, example)]
pub struct DeskVerificationVerdict {
    /// What is decided.
    decision: DeskVerificationDecision,
    /// The revision that was seen.
    revision: i64,
    /// Why, as a code; needed for all but `accept`.
    reason: Option<String>,
    /// The same in words for the customer; needed for the code `other`.
    words: Option<DeskVerificationWords>,
}

impl Example for DeskVerificationVerdict {
    fn example() -> Self {
        Self { decision: DeskVerificationDecision::Again, revision: 2, reason: Some("unreadable".into()), words: None }
    }
}

/// Whose identity is to be verified.
#[derive(Debug, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields, example)]
pub struct DeskVerificationOrder {
    /// The e-mail address of the account.
    pub email: String,
}

impl Example for DeskVerificationOrder {
    fn example() -> Self {
        Self { email: "ivan@example.com".into() }
    }
}

impl From<Row> for DeskVerificationRow {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            kind: row.kind.into(),
            state: row.state.into(),
            claim: claim_of(&row),
            email: row.email,
            card: row.card_masked.into(),
            created_at: row.created_at.into(),
            updated_at: row.updated_at.into(),
        }
    }
}

impl From<Photo> for DeskVerificationPhoto {
    fn from(photo: Photo) -> Self {
        Self {
            id: photo.id,
            round: photo.round,
            name: photo.name,
            media_type: photo.media_type,
            size: photo.size,
            created_at: photo.created_at.into(),
            delete_after: photo.delete_after.into(),
            deleted: photo.deleted_at.is_some(),
            repeat: photo.is_repeat,
        }
    }
}

impl DeskVerificationPage {
    /// A page as the console shows it.
    pub fn of(page: Page) -> Self {
        let cursor = |(at, id): (Timestamp, Uuid)| format!("{}_{}", at.0, id.simple());
        Self {
            items: page.rows.into_iter().map(DeskVerificationRow::from).collect(),
            next_cursor: page.next.map(cursor).into(),
            sent: page.counts.0,
            asked: page.counts.1,
        }
    }
}

impl DeskVerification {
    /// A verification as the console shows it.
    pub fn of(verification: &Verification, whole: Whole, locale: Locale) -> Self {
        let Whole { row, photos } = whole;
        let choice = |code: &&str| DeskVerificationReasonChoice {
            code: (*code).to_owned(),
            text: if *code == OTHER { String::new() } else { verification.said(&format!("verification_reason.{code}"), locale) },
        };
        let decisions = Decision::ALL.into_iter().filter(|decision| decision.leads_to(row.state).is_some());
        Self {
            id: row.id,
            kind: row.kind.into(),
            state: row.state.into(),
            cause: cause(verification, &row, locale),
            claim: claim_of(&row),
            customer_id: row.customer_id.into(),
            card: row.card_masked.clone().into(),
            round: row.round,
            photos: photos.into_iter().map(DeskVerificationPhoto::from).collect(),
            words: verification.reason(&row).map(|words| DeskVerificationWords { ru: words.ru, en: words.en }).into(),
            decisions: decisions.map(DeskVerificationDecision::from).collect(),
            reasons: REASONS.iter().map(choice).collect(),
            email: row.email,
            reason: row.reason.into(),
            decided_by: row.decided_name.into(),
            decided_at: row.decided_at.map(Moment).into(),
            expires_at: row.expires_at.map(Moment).into(),
            created_at: row.created_at.into(),
            updated_at: row.updated_at.into(),
            revision: row.revision,
        }
    }
}

impl DeskVerificationVerdict {
    /// The decision in the name of somebody.
    pub fn by(self, staff: Staff) -> Decided {
        let written = |text: String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let (words_ru, words_en) = self.words.map(|words| (written(words.ru), written(words.en))).unwrap_or_default();
        Decided { staff, decision: self.decision.into(), revision: self.revision, reason: self.reason, words_ru, words_en }
    }
}

/// Where a page begins, as the page before said it.
pub fn read_cursor(text: &str) -> Option<(Timestamp, Uuid)> {
    let (at, id) = text.split_once('_')?;
    Some((Timestamp(at.parse().ok()?), id.parse().ok()?))
}

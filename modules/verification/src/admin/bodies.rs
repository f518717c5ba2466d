//! Request and response bodies of the console.

use agio_contracts::VerificationSubject;
use agio_core::identity::Staff;
use agio_core::texts::Locale;
use agio_http::{ApiEnum, Cursor, DateTime, Nullable, body};
use poem_openapi::types::Example;
use uuid::Uuid;

use crate::Verification;
use crate::api::{VerificationCauseView, VerificationClaim, cause, claim_of};
use crate::model::{VerificationDecision, VerificationReasonCode, VerificationState};
use crate::service::{StaffDecision, VerificationKey, VerificationQueuePage, VerificationRecord};
use crate::store::{PhotoRow, VerificationRow};

/// A verification in a list.
#[body(response)]
pub struct VerificationSummary {
    id: Uuid,
    kind: ApiEnum<VerificationSubject>,
    state: ApiEnum<VerificationState>,
    /// The claim it was requested for; null if it was requested for the account.
    claim: Nullable<VerificationClaim>,
    /// The customer's e-mail address.
    email: String,
    /// Masked card number.
    card: Nullable<String>,
    /// When it was requested.
    created_at: DateTime,
    updated_at: DateTime,
}

/// A page of verifications.
#[body(response)]
pub struct VerificationPage {
    items: Vec<VerificationSummary>,
    /// Pass as `cursor` to get the next page; null on the last page.
    next_cursor: Nullable<Cursor<VerificationKey>>,
    /// Number of verifications that wait for a decision.
    sent: i64,
    /// Number of verifications that wait for photos.
    asked: i64,
}

/// A photo.
#[body(response)]
pub struct VerificationPhotoDetails {
    id: Uuid,
    /// Round of photos, from 1.
    round: i64,
    /// File name.
    name: String,
    /// Media type.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    media_type: String,
    /// Size in bytes.
    size: i64,
    created_at: DateTime,
    /// When the file is deleted.
    delete_after: DateTime,
    /// Whether the file was deleted.
    deleted: bool,
    /// Whether the same file was sent for another verification.
    repeat: bool,
}

/// A reason that staff can give.
#[body(response)]
pub struct VerificationReasonOption {
    code: ApiEnum<VerificationReasonCode>,
    /// Text for the customer in the language of the console; empty if a message is required.
    text: String,
}

/// A message in both languages.
#[body(shared)]
#[derive(Clone, Debug)]
pub struct VerificationMessage {
    /// In Russian.
    ru: String,
    /// In English.
    en: String,
}

/// A verification with its photos and possible decisions.
#[body(response)]
pub struct VerificationDetails {
    id: Uuid,
    kind: ApiEnum<VerificationSubject>,
    state: ApiEnum<VerificationState>,
    /// Why it was requested.
    cause: VerificationCauseView,
    /// The claim it was requested for; null if it was requested for the account.
    claim: Nullable<VerificationClaim>,
    /// The account, if there is one.
    customer_id: Nullable<Uuid>,
    /// The customer's e-mail address.
    email: String,
    /// Masked card number.
    card: Nullable<String>,
    /// Current round of photos, from 1.
    round: i64,
    /// Photos of all rounds.
    photos: Vec<VerificationPhotoDetails>,
    /// Reason of the last rejection or request for other photos.
    reason: Nullable<ApiEnum<VerificationReasonCode>>,
    /// The reason as the customer reads it.
    message: Nullable<VerificationMessage>,
    /// Name of the staff member who decided last.
    decided_by: Nullable<String>,
    /// Time of the last decision.
    decided_at: Nullable<DateTime>,
    /// Until when the claim waits for the customer.
    expires_at: Nullable<DateTime>,
    /// When it was requested.
    created_at: DateTime,
    updated_at: DateTime,
    /// Incremented by every change; sent back with a decision.
    revision: i64,
    /// Possible decisions, the usual one first.
    decisions: Vec<ApiEnum<VerificationDecision>>,
    reasons: Vec<VerificationReasonOption>,
}

/// A decision.
#[body(shared, skip_serializing_if_is_none, example)]
#[derive(Debug)]
pub struct DecideVerificationRequest {
    decision: ApiEnum<VerificationDecision>,
    /// The revision the decision is based on.
    revision: i64,
    /// Reason code; required unless the decision is `accept`.
    reason: Option<ApiEnum<VerificationReasonCode>>,
    /// Message to the customer; required for the reason `other`.
    message: Option<VerificationMessage>,
}

impl Example for DecideVerificationRequest {
    fn example() -> Self {
        Self {
            decision: VerificationDecision::Again.into(),
            revision: 2,
            reason: Some(VerificationReasonCode::Unreadable.into()),
            message: None,
        }
    }
}

/// A request to verify the owner of an account.
#[body(request, example)]
#[derive(Debug)]
pub struct CreateVerificationRequest {
    /// E-mail address of the account.
    pub email: String,
}

impl Example for CreateVerificationRequest {
    fn example() -> Self {
        Self { email: "ivan@example.com".into() }
    }
}

impl From<VerificationRow> for VerificationSummary {
    fn from(row: VerificationRow) -> Self {
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

impl From<PhotoRow> for VerificationPhotoDetails {
    fn from(photo: PhotoRow) -> Self {
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

impl VerificationPage {
    pub fn of(page: VerificationQueuePage) -> Self {
        Self {
            items: page.rows.rows.into_iter().map(VerificationSummary::from).collect(),
            next_cursor: page.rows.next.map(Cursor).into(),
            sent: page.sent,
            asked: page.asked,
        }
    }
}

impl VerificationDetails {
    pub fn of(verification: &Verification, details: VerificationRecord, locale: Locale) -> Self {
        let VerificationRecord { row, photos } = details;
        let option = |reason: VerificationReasonCode| VerificationReasonOption {
            code: reason.into(),
            text: match reason {
                VerificationReasonCode::Other => String::new(),
                _ => verification.text(&format!("verification_reason.{reason}"), locale),
            },
        };
        let decisions = VerificationDecision::ALL.into_iter().filter(|decision| decision.leads_to(row.state).is_some());
        Self {
            id: row.id,
            kind: row.kind.into(),
            state: row.state.into(),
            cause: cause(verification, &row, locale),
            claim: claim_of(&row),
            customer_id: row.customer_id.into(),
            card: row.card_masked.clone().into(),
            round: row.round,
            photos: photos.into_iter().map(VerificationPhotoDetails::from).collect(),
            message: verification.reason(&row).map(|message| VerificationMessage { ru: message.ru, en: message.en }).into(),
            decisions: decisions.map(ApiEnum).collect(),
            reasons: VerificationReasonCode::ALL.map(option).into(),
            email: row.email,
            reason: row.reason.map(ApiEnum).into(),
            decided_by: row.decided_name.into(),
            decided_at: row.decided_at.map(DateTime).into(),
            expires_at: row.expires_at.map(DateTime).into(),
            created_at: row.created_at.into(),
            updated_at: row.updated_at.into(),
            revision: row.revision,
        }
    }
}

impl DecideVerificationRequest {
    pub fn by(self, staff: Staff) -> StaffDecision {
        let written = |text: String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let message = self.message.map(|message| (written(message.ru), written(message.en)));
        let (message_ru, message_en) = message.unwrap_or_default();
        let reason = self.reason.map(|reason| reason.0);
        StaffDecision { staff, decision: self.decision.0, revision: self.revision, reason, message_ru, message_en }
    }
}

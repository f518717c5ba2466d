//! The calls the console makes.

use std::sync::Arc;

use agio_core::texts::Locale;
use agio_core::{Error, Timestamp};
use agio_files::api::PrivateFile;
use agio_http::{Answer, Created, IdempotencyKey, Input, Moment, Null, Outcome, StaffAuth, Visitor};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object, OpenApi, Tags};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::api::{VerificationClaim, VerificationKind, VerificationReason, VerificationState, cause, claim_of};
use crate::model::{Decision, OTHER, REASONS};
use crate::service::{Decided, Page, Tab, Whole};
use crate::store::{Photo, Row};
use crate::{VERIFICATION_READ, VERIFY, Verification};

/// Rows of a page unless more or fewer are wanted, and the most there are.
const SIZE: u32 = 50;
const SIZE_MAX: u32 = 100;

#[derive(Tags)]
enum ConsoleTag {
    /// Photos of cards and documents, and what is decided on them.
    Verifications,
}

/// The console's calls.
pub struct VerificationDesk(Arc<Verification>);

impl VerificationDesk {
    /// The calls.
    #[must_use]
    pub fn new(verification: Arc<Verification>) -> Self {
        Self(verification)
    }

    async fn shown(&self, id: Uuid, visitor: &Visitor) -> Outcome<DeskVerification> {
        let whole = self.0.whole(id).await?;
        Ok(DeskVerification::of(&self.0, whole, visitor.locale))
    }
}

/// What a member of staff decides.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
enum DeskVerificationDecision {
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
struct DeskVerificationRow {
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
struct DeskVerificationPage {
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
struct DeskVerificationPhoto {
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
struct DeskVerificationReasonChoice {
    /// The code.
    code: String,
    /// What it tells the customer, in the console's language; empty where words must be written.
    text: String,
}

/// Words in both languages.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields)]
struct DeskVerificationWords {
    /// In Russian.
    ru: String,
    /// In English.
    en: String,
}

/// A verification with everything about it.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct DeskVerification {
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
struct DeskVerificationVerdict {
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
struct DeskVerificationOrder {
    /// The e-mail address of the account.
    email: String,
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
    fn of(page: Page) -> Self {
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
    fn of(verification: &Verification, whole: Whole, locale: Locale) -> Self {
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
    fn by(self, staff: agio_core::identity::Staff) -> Decided {
        let written = |text: String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let (words_ru, words_en) = self.words.map(|words| (written(words.ru), written(words.en))).unwrap_or_default();
        Decided { staff, decision: self.decision.into(), revision: self.revision, reason: self.reason, words_ru, words_en }
    }
}

#[OpenApi(prefix_path = "/api/admin/v1/verifications", tag = "ConsoleTag::Verifications")]
impl VerificationDesk {
    /// List verifications
    ///
    /// `sent` and `asked` by how long they have waited, `closed` the newest first. Needs `verification.read`.
    #[oai(path = "/", method = "get", operation_id = "listVerifications")]
    async fn list(
        &self,
        staff: StaffAuth,
        /// `sent` (for us to decide), `asked` (for their customers) or `closed`.
        tab: Query<Option<String>>,
        /// `nextCursor` of the page before.
        cursor: Query<Option<String>>,
        /// Rows of a page, at most 100.
        size: Query<Option<u32>>,
    ) -> Outcome<Answer<DeskVerificationPage>> {
        staff.may(VERIFICATION_READ)?;
        let refused = |field: &str| Error::unprocessable("validation_failed").at(field, "malformed_parameter");
        let tab = match tab.0.as_deref() {
            None | Some("sent") => Tab::Sent,
            Some("asked") => Tab::Asked,
            Some("closed") => Tab::Closed,
            Some(_) => return Err(refused("tab").into()),
        };
        let size = size.0.unwrap_or(SIZE);
        if !(1..=SIZE_MAX).contains(&size) {
            return Err(refused("size").into());
        }
        let after = cursor.0.map(|text| read_cursor(&text).ok_or_else(|| refused("cursor"))).transpose()?;
        Ok(Answer(DeskVerificationPage::of(self.0.page(tab, after, i64::from(size)).await?)))
    }

    /// Ask an account who its owner is
    ///
    /// Its owner gets a letter with the link. Needs `claims.verify`.
    #[oai(path = "/", method = "post", operation_id = "askVerification")]
    async fn ask(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        input: Input<DeskVerificationOrder>,
    ) -> Outcome<Created<DeskVerification>> {
        let id = self.0.ask_account(&input.0.email, staff.may(VERIFY)?).await?;
        Ok(Created { body: self.shown(id, &visitor).await?, cookie: None })
    }

    /// A verification with everything about it
    ///
    /// Its photos are looked at one by one. Needs `verification.read`.
    #[oai(path = "/:id", method = "get", operation_id = "getDeskVerification")]
    async fn view(&self, staff: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> Outcome<Answer<DeskVerification>> {
        staff.may(VERIFICATION_READ)?;
        Ok(Answer(self.shown(id.0, &visitor).await?))
    }

    /// Look at a photo
    ///
    /// Each look is written down in the audit log. Needs `claims.verify`.
    #[oai(path = "/:id/photos/:photo", method = "get", operation_id = "getVerificationPhoto")]
    async fn photo(&self, staff: StaffAuth, id: Path<Uuid>, photo: Path<Uuid>) -> Outcome<PrivateFile> {
        let (photo, bytes) = self.0.photo(id.0, photo.0, staff.may(VERIFY)?).await?;
        Ok(PrivateFile { name: photo.name, media_type: photo.media_type, bytes })
    }

    /// Decide
    ///
    /// A claim that waits goes on, ends, or waits for other photos. `revision` is the one that was seen: 409 `verification_changed` when
    /// a colleague was faster or the customer sent another photo. Needs `claims.verify`.
    #[oai(path = "/:id/decision", method = "post", operation_id = "decideVerification")]
    async fn decide(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: Input<DeskVerificationVerdict>,
        /// Any text of 8 to 255 visible ASCII characters, made anew for each decision.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> Outcome<Answer<DeskVerification>> {
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content(format!("verify.decide:{}", id.0), &content);
        let staff = staff.may(VERIFY)?;
        self.0.decide(id.0, input.0.by(staff), key).await?;
        Ok(Answer(self.shown(id.0, &visitor).await?))
    }
}

fn read_cursor(text: &str) -> Option<(Timestamp, Uuid)> {
    let (at, id) = text.split_once('_')?;
    Some((Timestamp(at.parse().ok()?), id.parse().ok()?))
}

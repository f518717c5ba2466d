//! The calls customers' pages make.

use std::sync::Arc;

use agio_core::identity::Actor;
use agio_core::needs::Proof;
use agio_core::texts::Locale;
use agio_files::api::FileUpload;
use agio_http::{Answer, Created, CustomerAuth, IdempotencyKey, Moment, Null, Outcome, Visitor};
use poem_openapi::param::{Header, Path};
use poem_openapi::{Enum, Object, OpenApi, Tags};
use serde::Serialize;
use uuid::Uuid;

use crate::Verification;
use crate::model::{self, OTHER, PHOTOS_MAX, photos_needed};
use crate::service::{Seen, Viewer};
use crate::store::{Photo, Row};

#[derive(Tags)]
enum Tag {
    /// Showing by photos that a card is one's own, or who one is.
    Verification,
}

/// The customers' calls.
pub struct VerificationApi(Arc<Verification>);

impl VerificationApi {
    /// The calls.
    #[must_use]
    pub fn new(verification: Arc<Verification>) -> Self {
        Self(verification)
    }

    async fn shown(&self, id: Uuid, visitor: &Visitor) -> Outcome<Answer<VerificationView>> {
        let seen = self.0.seen(id, &viewer(visitor)).await?;
        Ok(Answer(VerificationView::of(&self.0, seen, visitor.locale)))
    }
}

/// What is verified.
#[derive(Clone, Copy, Debug, Serialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
pub enum VerificationKind {
    /// That the card the customer pays with is theirs.
    Card,
    /// Who the customer is.
    Identity,
}

impl From<Proof> for VerificationKind {
    fn from(proof: Proof) -> Self {
        match proof {
            Proof::Card => Self::Card,
            Proof::Identity => Self::Identity,
        }
    }
}

/// Where a verification stands.
#[derive(Clone, Copy, Debug, Serialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
pub enum VerificationState {
    /// The customer is to send photos.
    Asked,
    /// Photos are here; staff look at them.
    Sent,
    /// Taken as given.
    Accepted,
    /// Refused.
    Rejected,
    /// Not needed any more.
    Ended,
}

impl From<model::State> for VerificationState {
    fn from(state: model::State) -> Self {
        match state {
            model::State::Asked => Self::Asked,
            model::State::Sent => Self::Sent,
            model::State::Accepted => Self::Accepted,
            model::State::Rejected => Self::Rejected,
            model::State::Ended => Self::Ended,
        }
    }
}

/// Why something is so.
#[derive(Clone, Debug, Serialize, Object)]
pub struct VerificationReason {
    /// A stable code, or `other`.
    pub code: String,
    /// The same in words.
    pub text: String,
}

/// A photo that was sent.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct VerificationPhoto {
    /// Identifier.
    id: Uuid,
    /// The name of the file; empty for anybody but the owner.
    name: String,
    /// Its size in bytes.
    size: i64,
    /// Its media type.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    media_type: String,
    /// When it came.
    created_at: Moment,
    /// When it is deleted.
    delete_after: Moment,
}

/// A verification as its customer sees it.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct VerificationView {
    /// Identifier.
    id: Uuid,
    /// What is verified.
    kind: VerificationKind,
    /// Where it stands.
    state: VerificationState,
    /// Why it is asked.
    cause: VerificationReason,
    /// The card, masked; null where it is not known, or a person is verified.
    card: Null<String>,
    /// The claim that waits for it, or waited; null for an account's own.
    claim: Null<VerificationClaim>,
    /// Why it was rejected, or why other photos are needed.
    reason: Null<VerificationReason>,
    /// The photos of the present round.
    photos: Vec<VerificationPhoto>,
    /// How many are needed.
    photos_needed: i64,
    /// How many are taken at most.
    photos_max: i64,
    /// For how many days photos are kept.
    photo_days: u32,
    /// Whether it is of the caller's own claim or account.
    owner: bool,
    /// Until when the claim waits for the photos; null while it is for the house to answer.
    expires_at: Null<Moment>,
    /// When it last changed.
    updated_at: Moment,
}

/// The claim of a verification.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct VerificationClaim {
    /// Identifier.
    pub id: Uuid,
    /// The short number for talk.
    pub public_id: i64,
}

/// A verification in the list of an account.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct AccountVerification {
    /// Identifier.
    id: Uuid,
    /// What is verified.
    kind: VerificationKind,
    /// Where it stands.
    state: VerificationState,
    /// The card, masked.
    card: Null<String>,
    /// When it was asked.
    created_at: Moment,
    /// When it was decided.
    decided_at: Null<Moment>,
}

/// The verifications of an account, the newest first.
#[derive(Serialize, Object)]
struct AccountVerifications {
    /// The verifications.
    items: Vec<AccountVerification>,
}

/// Why it is asked.
pub(crate) fn cause(verification: &Verification, row: &Row, locale: Locale) -> VerificationReason {
    let text = verification.said(&format!("verification_cause.{}.{}", row.cause, row.kind), locale);
    VerificationReason { code: row.cause.clone(), text }
}

/// The claim it was asked for.
pub(crate) fn claim_of(row: &Row) -> Null<VerificationClaim> {
    Null(row.claim_id.zip(row.claim_number).map(|(id, public_id)| VerificationClaim { id, public_id }))
}

impl VerificationView {
    fn of(verification: &Verification, seen: Seen, locale: Locale) -> Self {
        let Seen { row, photos, is_owner } = seen;
        let photo = |photo: Photo| VerificationPhoto {
            id: photo.id,
            name: if is_owner { photo.name } else { String::new() },
            size: photo.size,
            media_type: photo.media_type,
            created_at: photo.created_at.into(),
            delete_after: photo.delete_after.into(),
        };
        let reason = verification.reason(&row).map(|words| VerificationReason {
            code: row.reason.clone().unwrap_or_else(|| OTHER.to_owned()),
            text: words.get(locale).to_owned(),
        });
        Self {
            id: row.id,
            kind: row.kind.into(),
            state: row.state.into(),
            cause: cause(verification, &row, locale),
            card: row.card_masked.clone().into(),
            claim: claim_of(&row),
            reason: reason.into(),
            photos: photos.into_iter().map(photo).collect(),
            photos_needed: photos_needed(row.kind),
            photos_max: PHOTOS_MAX,
            photo_days: verification.photo_days(),
            owner: is_owner,
            expires_at: Null(row.expires_at.filter(|_| row.state == model::State::Asked).map(Moment)),
            updated_at: row.updated_at.into(),
        }
    }
}

impl From<Row> for AccountVerification {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            kind: row.kind.into(),
            state: row.state.into(),
            card: row.card_masked.into(),
            created_at: row.created_at.into(),
            decided_at: Null(row.decided_at.filter(|_| !row.state.is_open()).map(Moment)),
        }
    }
}

fn viewer(visitor: &Visitor) -> Viewer {
    Viewer { guest: visitor.guest.clone(), customer: visitor.customer.as_ref().map(|customer| customer.id) }
}

#[OpenApi(prefix_path = "/api/v1", tag = "Tag::Verification")]
impl VerificationApi {
    /// What is asked, and where it stands
    ///
    /// That of a claim is for whoever has its link, as the claim is; that of an account for its owner alone. Photos that were sent are shown to
    /// nobody here.
    #[oai(path = "/verify/:id", method = "get", operation_id = "getVerification")]
    async fn view(&self, visitor: Visitor, id: Path<Uuid>) -> Outcome<Answer<VerificationView>> {
        self.shown(id.0, &visitor).await
    }

    /// Send a photo
    ///
    /// JPEG, PNG or WebP up to 10 MB. It is redrawn without its metadata, private, and deleted after some time. With the last one that is
    /// needed the verification is for staff to decide; more may be sent until they do.
    #[oai(path = "/verify/:id/photos", method = "post", operation_id = "sendVerificationPhoto")]
    async fn send(
        &self,
        visitor: Visitor,
        id: Path<Uuid>,
        file: FileUpload,
        /// Any text of 8 to 255 visible ASCII characters, made anew for each file.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> Outcome<Created<VerificationView>> {
        let (key, scope) = (IdempotencyKey::check(key.0)?, format!("verify.photo:{}", id.0));
        let viewer = viewer(&visitor);
        self.0.expects_photo(id.0, &viewer, key.stored().map(|key| (&*scope, key))).await?;
        let file = file.receive(self.0.photos_folder()).await?;
        let key = key.for_content(scope, file.sha256.as_bytes());
        let by = visitor.customer.as_ref().map_or_else(|| Actor::guest(visitor.address), Actor::from);
        self.0.add_photo(id.0, &viewer, file, key, by).await?;
        let seen = self.0.seen(id.0, &viewer).await?;
        Ok(Created { body: VerificationView::of(&self.0, seen, visitor.locale), cookie: None })
    }

    /// My verifications
    ///
    /// Those asked of the account, and of claims made in it.
    #[oai(path = "/users/me/verifications", method = "get", operation_id = "getMyVerifications")]
    async fn mine(&self, customer: CustomerAuth) -> Outcome<Answer<AccountVerifications>> {
        let rows = self.0.of_customer(&customer.0).await?;
        Ok(Answer(AccountVerifications { items: rows.into_iter().map(AccountVerification::from).collect() }))
    }
}

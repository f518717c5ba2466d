//! Customer endpoints.

use std::sync::Arc;

use agio_contracts::VerificationSubject;
use agio_core::identity::Actor;
use agio_core::texts::Locale;
use agio_files::api::FileUpload;
use agio_http::{ApiEnum, ApiResult, Created, CustomerAuth, DateTime, IdempotencyKey, JsonResponse, Nullable, Visitor, body};
use poem_openapi::param::{Header, Path};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::Verification;
use crate::model::{PHOTOS_MAX, VerificationCause, VerificationReasonCode, VerificationState, photos_needed};
use crate::service::{VerificationViewer, VisibleVerification};
use crate::store::{PhotoRow, VerificationRow};

#[derive(Tags)]
enum Tag {
    /// Verification of cards and identity by photos.
    Verification,
}

pub struct VerificationApi(pub Arc<Verification>);

impl VerificationApi {
    async fn show(&self, id: Uuid, visitor: &Visitor) -> ApiResult<JsonResponse<VerificationView>> {
        let visible = self.0.find_visible(id, &viewer(visitor)).await?;
        Ok(JsonResponse(VerificationView::of(&self.0, visible, visitor.locale)))
    }
}

/// Why a verification is required.
#[body(response)]
#[derive(Clone, Debug)]
pub struct VerificationCauseView {
    pub code: ApiEnum<VerificationCause>,
    /// Text in the language of the request.
    pub text: String,
}

/// A reason.
#[body(response)]
#[derive(Clone, Debug)]
pub struct VerificationReasonView {
    pub code: ApiEnum<VerificationReasonCode>,
    /// Text in the language of the request.
    pub text: String,
}

/// A photo.
#[body(response)]
#[derive(Clone, Debug)]
struct VerificationPhotoView {
    id: Uuid,
    /// File name; empty unless the caller is the owner.
    name: String,
    /// Size in bytes.
    size: i64,
    /// Media type.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    media_type: String,
    created_at: DateTime,
    /// When the file is deleted.
    delete_after: DateTime,
}

/// A verification as the customer sees it.
#[body(response)]
struct VerificationView {
    id: Uuid,
    /// Subject of a verification.
    kind: ApiEnum<VerificationSubject>,
    state: ApiEnum<VerificationState>,
    /// Why it is required.
    cause: VerificationCauseView,
    /// Masked card number; null if unknown or if the identity is verified.
    card: Nullable<String>,
    /// The claim it was requested for; null if it was requested for the account.
    claim: Nullable<VerificationClaim>,
    /// Why it was rejected or other photos are needed.
    reason: Nullable<VerificationReasonView>,
    /// Photos of the current round.
    photos: Vec<VerificationPhotoView>,
    /// Number of photos required.
    photos_needed: i64,
    /// Maximum number of photos.
    photos_max: i64,
    /// Number of days photos are kept.
    photo_days: u32,
    /// Whether the claim or account belongs to the caller.
    owner: bool,
    /// Until when the claim waits for photos; null while a decision is pending.
    expires_at: Nullable<DateTime>,
    updated_at: DateTime,
}

/// The claim of a verification.
#[body(response)]
#[derive(Clone, Debug)]
pub struct VerificationClaim {
    pub id: Uuid,
    /// Number shown to the customer.
    pub public_id: i64,
}

/// A verification in the customer's list.
#[body(response)]
struct MyVerificationSummary {
    id: Uuid,
    /// Subject of a verification.
    kind: ApiEnum<VerificationSubject>,
    state: ApiEnum<VerificationState>,
    /// Masked card number.
    card: Nullable<String>,
    /// When it was requested.
    created_at: DateTime,
    /// Time of the decision.
    decided_at: Nullable<DateTime>,
}

/// The customer's verifications, newest first.
#[body(response)]
struct MyVerificationList {
    items: Vec<MyVerificationSummary>,
}

pub(crate) fn cause(verification: &Verification, row: &VerificationRow, locale: Locale) -> VerificationCauseView {
    let text = verification.text(&format!("verification_cause.{}.{}", row.cause, row.kind), locale);
    VerificationCauseView { code: row.cause.into(), text }
}

pub(crate) fn claim_of(row: &VerificationRow) -> Nullable<VerificationClaim> {
    Nullable(row.claim_id.zip(row.claim_number).map(|(id, public_id)| VerificationClaim { id, public_id }))
}

impl VerificationView {
    fn of(verification: &Verification, visible: VisibleVerification, locale: Locale) -> Self {
        let VisibleVerification { row, photos, is_owner } = visible;
        let photo = |photo: PhotoRow| VerificationPhotoView {
            id: photo.id,
            name: if is_owner { photo.name } else { String::new() },
            size: photo.size,
            media_type: photo.media_type,
            created_at: photo.created_at.into(),
            delete_after: photo.delete_after.into(),
        };
        let reason = verification
            .reason(&row)
            .zip(row.reason)
            .map(|(message, code)| VerificationReasonView { code: code.into(), text: message.get(locale).to_owned() });
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
            expires_at: Nullable(row.expires_at.filter(|_| row.state == VerificationState::Asked).map(DateTime)),
            updated_at: row.updated_at.into(),
        }
    }
}

impl From<VerificationRow> for MyVerificationSummary {
    fn from(row: VerificationRow) -> Self {
        Self {
            id: row.id,
            kind: row.kind.into(),
            state: row.state.into(),
            card: row.card_masked.into(),
            created_at: row.created_at.into(),
            decided_at: Nullable(row.decided_at.filter(|_| !row.state.is_open()).map(DateTime)),
        }
    }
}

fn viewer(visitor: &Visitor) -> VerificationViewer {
    VerificationViewer { guest: visitor.guest.clone(), customer: visitor.customer.as_ref().map(|customer| customer.id) }
}

#[OpenApi(prefix_path = "/api/v1", tag = "Tag::Verification")]
impl VerificationApi {
    /// Get a verification
    ///
    /// A claim's verification is available to anyone who has the link, like the claim; an account's only to its owner.
    /// The photos themselves are never returned.
    #[oai(path = "/verify/:id", method = "get", operation_id = "getVerification")]
    async fn view(&self, visitor: Visitor, id: Path<Uuid>) -> ApiResult<JsonResponse<VerificationView>> {
        self.show(id.0, &visitor).await
    }

    /// Upload a photo
    ///
    /// JPEG, PNG or WebP up to 10 MB. It is re-encoded without metadata, kept private, and deleted after some time.
    /// With the last required photo the verification waits for a decision; more can be uploaded until then.
    #[oai(path = "/verify/:id/photos", method = "post", operation_id = "uploadVerificationPhoto")]
    async fn upload(
        &self,
        visitor: Visitor,
        id: Path<Uuid>,
        file: FileUpload,
        /// 8 to 255 visible ASCII characters, unique for each file.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> ApiResult<Created<VerificationView>> {
        let (key, scope) = (IdempotencyKey::check(key.0)?, format!("verify.photo:{}", id.0));
        let viewer = viewer(&visitor);
        self.0.check_photo_expected(id.0, &viewer, key.stored().map(|key| (&*scope, key))).await?;
        let file = file.receive(self.0.photos_folder()).await?;
        let key = key.for_content(scope, file.sha256.as_bytes());
        let by = visitor.customer.as_ref().map_or_else(|| Actor::guest(visitor.address), Actor::from);
        self.0.add_photo(id.0, &viewer, file, key, by).await?;
        let visible = self.0.find_visible(id.0, &viewer).await?;
        Ok(Created { body: VerificationView::of(&self.0, visible, visitor.locale), cookie: None })
    }

    /// List my verifications
    ///
    /// Those requested for the account and for its claims.
    #[oai(path = "/users/me/verifications", method = "get", operation_id = "listMyVerifications")]
    async fn mine(&self, customer: CustomerAuth) -> ApiResult<JsonResponse<MyVerificationList>> {
        let rows = self.0.of_customer(&customer.0).await?;
        Ok(JsonResponse(MyVerificationList { items: rows.into_iter().map(MyVerificationSummary::from).collect() }))
    }
}

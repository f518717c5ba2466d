//! Console endpoints.

mod bodies;

use std::sync::Arc;

use agio_core::Error;
use agio_files::api::PrivateFile;
use agio_http::{ApiEnum, ApiResult, Created, Cursor, IdempotencyKey, JsonBody, JsonResponse, StaffAuth, Visitor};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::model::{VerificationDecision, VerificationQueue};
use crate::service::VerificationKey;
use crate::{VERIFICATION_READ, VERIFY, Verification};

use bodies::{CreateVerificationRequest, DecideVerificationRequest, VerificationDetails, VerificationPage};

#[derive(Tags)]
enum AdminTag {
    /// Photos of cards and documents, and decisions on them.
    Verifications,
}

pub struct VerificationAdminApi(pub Arc<Verification>);

impl VerificationAdminApi {
    async fn show(&self, id: Uuid, visitor: &Visitor) -> ApiResult<VerificationDetails> {
        let details = self.0.details(id).await?;
        Ok(VerificationDetails::of(&self.0, details, visitor.locale))
    }
}

#[OpenApi(prefix_path = "/api/admin/v1/verifications", tag = "AdminTag::Verifications")]
impl VerificationAdminApi {
    /// List verifications
    ///
    /// `sent` and `asked` oldest first, `closed` newest first. Needs `verification.read`.
    #[oai(path = "/", method = "get", operation_id = "listVerifications")]
    async fn list(
        &self,
        staff: StaffAuth,
        /// Waiting for a decision by default.
        tab: Query<Option<ApiEnum<VerificationQueue>>>,
        /// `nextCursor` of the previous page.
        cursor: Query<Option<Cursor<VerificationKey>>>,
        /// Page size.
        #[oai(default = "agio_http::page_size::<50>", validator(minimum(value = "1"), maximum(value = "100")))]
        size: Query<u32>,
    ) -> ApiResult<JsonResponse<VerificationPage>> {
        staff.require(VERIFICATION_READ)?;
        let queue = tab.0.map_or(VerificationQueue::Sent, |queue| queue.0);
        let page = self.0.page(queue, cursor.0.map(|cursor| cursor.0), size.0 as usize).await?;
        Ok(JsonResponse(VerificationPage::of(page)))
    }

    /// Request a verification
    ///
    /// Asks the owner of an account to verify their identity and e-mails them the link. Needs `claims.verify`.
    #[oai(path = "/", method = "post", operation_id = "createVerification")]
    async fn create(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        input: JsonBody<CreateVerificationRequest>,
    ) -> ApiResult<Created<VerificationDetails>> {
        let id = self.0.request_account_verification(&input.0.email, staff.require(VERIFY)?).await?;
        Ok(Created { body: self.show(id, &visitor).await?, cookie: None })
    }

    /// Get a verification
    ///
    /// Photos are fetched one by one. Needs `verification.read`.
    #[oai(path = "/:id", method = "get", operation_id = "getVerificationDetails")]
    async fn view(&self, staff: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> ApiResult<JsonResponse<VerificationDetails>> {
        staff.require(VERIFICATION_READ)?;
        Ok(JsonResponse(self.show(id.0, &visitor).await?))
    }

    /// Get a photo
    ///
    /// Every view is recorded in the audit log. Needs `claims.verify`.
    #[oai(path = "/:id/photos/:photo", method = "get", operation_id = "getVerificationPhoto")]
    async fn photo(&self, staff: StaffAuth, id: Path<Uuid>, photo: Path<Uuid>) -> ApiResult<PrivateFile> {
        let (photo, bytes) = self.0.photo(id.0, photo.0, staff.require(VERIFY)?).await?;
        Ok(PrivateFile { name: photo.name, media_type: photo.media_type, bytes })
    }

    /// Decide a verification
    ///
    /// The waiting claim continues, ends, or waits for other photos. `revision` is the one the decision is based on:
    /// 409 `verification_changed` if another staff member decided or the customer sent another photo. Needs
    /// `claims.verify`, and a fresh second factor to accept.
    #[oai(path = "/:id/decision", method = "post", operation_id = "decideVerification")]
    async fn decide(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: JsonBody<DecideVerificationRequest>,
        /// 8 to 255 visible ASCII characters, unique for each decision.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> ApiResult<JsonResponse<VerificationDetails>> {
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content(format!("verify.decide:{}", id.0), &content);
        let decision = input.0.by(staff.require(VERIFY)?);
        // It opens a claim, or the whole reserve, to the sender of the photos.
        if decision.decision == VerificationDecision::Accept {
            staff.require_fresh()?;
        }
        self.0.decide(id.0, decision, key).await?;
        Ok(JsonResponse(self.show(id.0, &visitor).await?))
    }
}

//! The calls the console makes.

mod bodies;

use std::sync::Arc;

use agio_core::Error;
use agio_files::api::PrivateFile;
use agio_http::{Answer, Created, IdempotencyKey, Input, Outcome, StaffAuth, Visitor};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::service::Tab;
use crate::{VERIFICATION_READ, VERIFY, Verification};

use bodies::{DeskVerification, DeskVerificationOrder, DeskVerificationPage, DeskVerificationVerdict, read_cursor};

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

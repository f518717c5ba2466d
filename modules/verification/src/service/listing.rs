//! Verifications as customers and staff see them.

use agio_contracts::guest_digest;
use agio_core::identity::{Actor, Customer, Staff};
use agio_core::keyset::KeysetPage;
use agio_core::{Error, Result, Timestamp};
use serde_json::json;
use uuid::Uuid;

use super::registry::record;
use super::{Verification, found, not_found};
use crate::model::{VerificationQueue, VerificationState};
use crate::store::{self, PhotoRow, VerificationRow};

/// Listed verifications per account.
const MY_VERIFICATIONS_MAX: i64 = 50;

/// The caller of a customer endpoint.
#[derive(Clone, Debug, Default)]
pub struct VerificationViewer {
    /// Secret of the browser.
    pub guest: Option<String>,
    pub customer: Option<Uuid>,
}

impl VerificationViewer {
    fn owns(&self, row: &VerificationRow) -> bool {
        let is_browser = self.guest.as_deref().is_some_and(|secret| guest_digest(secret) == row.guest_digest);
        is_browser || self.customer.is_some_and(|customer| row.customer_id == Some(customer))
    }
}

/// A verification as the customer sees it.
pub struct VisibleVerification {
    pub row: VerificationRow,
    /// Photos of the current round that are not deleted.
    pub photos: Vec<PhotoRow>,
    pub is_owner: bool,
}

/// A verification as staff see it.
pub struct VerificationRecord {
    pub row: VerificationRow,
    /// Photos of all rounds.
    pub photos: Vec<PhotoRow>,
}

/// Sort key of the queues: time of the last change and id.
pub type VerificationKey = (Timestamp, Uuid);

pub struct VerificationQueuePage {
    pub rows: KeysetPage<VerificationRow, VerificationKey>,
    /// Number of verifications that wait for a decision.
    pub sent: i64,
    /// Number of verifications that wait for photos.
    pub asked: i64,
}

impl Verification {
    /// A claim's verification is visible to anyone with the link, like the claim; an account's only to its owner.
    ///
    /// # Errors
    /// 404 `verification_not_found`.
    pub async fn find_visible(&self, id: Uuid, viewer: &VerificationViewer) -> Result<VisibleVerification> {
        let mut tx = self.platform.db.read().await?;
        let row = found(store::by_id(&mut tx, id).await?)?;
        let is_owner = viewer.owns(&row);
        if row.claim_id.is_none() && !is_owner {
            return Err(not_found());
        }
        let mut photos = store::photos(&mut tx, id).await?;
        photos.retain(|photo| photo.deleted_at.is_none() && photo.round == row.round);
        Ok(VisibleVerification { row, photos, is_owner })
    }

    /// Newest first.
    pub async fn of_customer(&self, customer: &Customer) -> Result<Vec<VerificationRow>> {
        store::of_customer(&mut self.platform.db.read().await?, customer.id, MY_VERIFICATIONS_MAX).await
    }

    /// A page of a queue. Open verifications oldest first, closed ones newest first.
    pub async fn page(
        &self,
        queue: VerificationQueue,
        after: Option<VerificationKey>,
        size: usize,
    ) -> Result<VerificationQueuePage> {
        let mut tx = self.platform.db.read().await?;
        let limit = size as i64 + 1;
        let first = after.unwrap_or((Timestamp(i64::MIN), Uuid::nil()));
        let rows = match queue {
            VerificationQueue::Sent => store::waiting(&mut tx, VerificationState::Sent, first, limit).await?,
            VerificationQueue::Asked => store::waiting(&mut tx, VerificationState::Asked, first, limit).await?,
            VerificationQueue::Closed => {
                store::closed(&mut tx, after.unwrap_or((Timestamp(i64::MAX), Uuid::max())), limit).await?
            }
        };
        let counts = store::counts(&mut tx).await?;
        let count = |state| counts.iter().find(|(other, _)| *other == state).map_or(0, |(_, count)| *count);
        Ok(VerificationQueuePage {
            rows: KeysetPage::of(rows, size, |row| (row.updated_at, row.id)),
            sent: count(VerificationState::Sent),
            asked: count(VerificationState::Asked),
        })
    }

    /// # Errors
    /// 404 `verification_not_found`.
    pub async fn details(&self, id: Uuid) -> Result<VerificationRecord> {
        let mut tx = self.platform.db.read().await?;
        let row = found(store::by_id(&mut tx, id).await?)?;
        Ok(VerificationRecord { photos: store::photos(&mut tx, id).await?, row })
    }

    /// A photo with its content. The view is audited first.
    ///
    /// # Errors
    /// 404 `photo_not_found`.
    pub async fn photo(&self, id: Uuid, photo: Uuid, staff: Staff) -> Result<(PhotoRow, Vec<u8>)> {
        let missing = || Error::not_found("photo_not_found");
        let photos = store::photos(&mut self.platform.db.read().await?, id).await?;
        let photo = photos.into_iter().find(|other| other.id == photo && other.deleted_at.is_none()).ok_or_else(missing)?;
        let bytes = self.photos.read(photo.id).await.map_err(|error| missing().caused_by(error))?;
        let (photo_id, now) = (photo.id, self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let by = Actor::from(&staff);
                Box::pin(async move {
                    let after = json!({ "photo": photo_id });
                    record(tx, &by, "photo_viewed", id, (None, Some(after)), now).await
                })
            })
            .await?;
        Ok((photo, bytes))
    }
}

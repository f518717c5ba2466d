//! Upload and deletion of photos.

use std::sync::Arc;
use std::time::Duration;

use agio_contracts::VerificationEvent;
use agio_core::idempotency::{self, Key};
use agio_core::identity::Actor;
use agio_core::{Error, ErrorKind, Result, Timestamp, Tx};
use agio_files::{FileRejection, FileStore, MediaType, PIXELS_MAX, UploadedFile, shown_name};
use serde_json::json;
use uuid::Uuid;

use super::registry::record;
use super::{Verification, VerificationViewer, found};
use crate::PHOTO_DAYS;
use crate::model::{PHOTOS_MAX, VerificationState, photos_needed};
use crate::store::{self, PhotoRow};

const ACCEPTED_MEDIA: &[MediaType] = &[MediaType::Jpeg, MediaType::Png, MediaType::Webp];

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Files deleted per run of the job.
const DELETIONS_PER_RUN: i64 = 500;

impl Verification {
    /// Checks, before the file is read, that another photo is accepted. A repeated key gets its response again.
    ///
    /// # Errors
    /// 404 `verification_not_found`; 409 `verification_closed`, `photos_full`.
    pub async fn check_photo_expected(&self, id: Uuid, viewer: &VerificationViewer, key: Option<(&str, &str)>) -> Result<()> {
        let round = self.open_round(id, viewer).await?;
        if store::photo_count(&mut self.platform.db.read().await?, id, round).await? < PHOTOS_MAX {
            return Ok(());
        }
        match key {
            Some((scope, key)) if idempotency::is_used(&self.platform.db, scope, key).await? => Ok(()),
            _ => Err(full()),
        }
    }

    pub fn photos_folder(&self) -> &FileStore {
        &self.photos
    }

    /// Current round of an open verification visible to the caller.
    async fn open_round(&self, id: Uuid, viewer: &VerificationViewer) -> Result<i64> {
        let visible = self.find_visible(id, viewer).await?;
        if visible.row.state.is_open() { Ok(visible.row.round) } else { Err(closed()) }
    }

    /// Stores a photo. With the last required one the verification waits for a decision.
    ///
    /// # Errors
    /// 404 `verification_not_found`; 409 `verification_closed`, `photos_full`; 415 `photo_type`; 422 `photo_broken`,
    /// `photo_too_many_pixels`; 503 `uploads_busy`.
    pub async fn add_photo(
        self: &Arc<Self>,
        id: Uuid,
        viewer: &VerificationViewer,
        file: UploadedFile,
        key: Option<Key>,
        by: Actor,
    ) -> Result<PhotoRow> {
        let round = self.open_round(id, viewer).await?;
        // Repeated requests and full rounds decode nothing.
        if let Some(key) = &key
            && let Some(photo) = idempotency::stored_response(&self.platform.db, key).await?
        {
            return Ok(photo);
        }
        if store::photo_count(&mut self.platform.db.read().await?, id, round).await? >= PHOTOS_MAX {
            return Err(full());
        }
        let (sha256, name) = (file.sha256.clone(), shown_name(&file.name, "photo"));
        let cleaned = self.photos.sanitize(UploadedFile { name: name.clone(), ..file }, ACCEPTED_MEDIA, refused).await?;
        let now = self.platform.clock.now();
        let photo = PhotoRow {
            id: self.platform.random.uuid(),
            verification_id: id,
            round,
            name,
            media_type: cleaned.media.name().to_owned(),
            size: i64::try_from(cleaned.bytes).map_err(Error::internal)?,
            sha256,
            created_at: now,
            delete_after: now.plus(DAY * self.photo_days()),
            deleted_at: None,
            is_repeat: false,
        };
        let file = photo.id;
        self.photos.save(file, cleaned).await?;
        let stored = self.store_photo_once(photo, key, by).await;
        // A file that was not recorded, or a repeated one, is not needed.
        if stored.as_ref().map_or(true, |stored| stored.id != file) {
            self.photos.delete(file).await?;
        }
        stored
    }

    /// Retention in days.
    pub fn photo_days(&self) -> u32 {
        u32::try_from(self.platform.settings.int(PHOTO_DAYS)).unwrap_or(1)
    }

    async fn store_photo_once(self: &Arc<Self>, photo: PhotoRow, key: Option<Key>, by: Actor) -> Result<PhotoRow> {
        let (this, now) = (self.clone(), photo.created_at);
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, photo, by) = (this.clone(), photo.clone(), by.clone());
            Box::pin(async move { this.store_photo(tx, photo, &by, now).await })
        })
        .await
    }

    async fn store_photo(&self, tx: &mut Tx, mut photo: PhotoRow, by: &Actor, now: Timestamp) -> Result<PhotoRow> {
        let id = photo.verification_id;
        photo.round = store::lock(tx, id, now).await?.ok_or_else(closed)?;
        let before = store::photo_count(tx, id, photo.round).await?;
        if before >= PHOTOS_MAX {
            return Err(full());
        }
        store::insert_photo(tx, &photo).await?;
        let mut row = found(store::by_id(tx, id).await?)?;
        if row.state == VerificationState::Asked && before + 1 >= photos_needed(row.kind) {
            (row.state, row.sent_at, row.updated_at) = (VerificationState::Sent, Some(now), now);
            if let Some(claim) = row.claim_id {
                row.expires_at = self.claims.clone().verification_changed(tx, claim, &VerificationEvent::Submitted).await?;
            }
            if !store::update(tx, &mut row).await? {
                return Err(Error::conflict("verification_changed"));
            }
        }
        let after = json!({ "photo": photo.id, "sha256": photo.sha256, "bytes": photo.size, "state": row.state.name() });
        record(tx, by, "photo", id, (None, Some(after)), now).await?;
        Ok(photo)
    }

    /// Deletes expired files and keeps their records.
    pub async fn delete_old_photos(&self) -> Result<()> {
        let now = self.platform.clock.now();
        let old = store::photos_to_delete(&mut self.platform.db.read().await?, now, DELETIONS_PER_RUN).await?;
        for (photo, verification) in old {
            self.photos.delete(photo).await?;
            self.platform
                .db
                .write(move |tx| {
                    Box::pin(async move {
                        if !store::mark_photo_deleted(tx, photo, now).await? {
                            return Ok(());
                        }
                        let by = Actor::system("verification.photos");
                        let before = Some(json!({ "photo": photo }));
                        record(tx, &by, "photo_deleted", verification, (before, None), now).await
                    })
                })
                .await?;
        }
        Ok(())
    }
}

fn full() -> Error {
    Error::conflict("photos_full").with("max", PHOTOS_MAX)
}

fn closed() -> Error {
    Error::conflict("verification_closed")
}

fn refused(refusal: FileRejection) -> Error {
    match refusal {
        FileRejection::UnsupportedType => Error::new(ErrorKind::UnsupportedMedia, "photo_type"),
        FileRejection::Broken | FileRejection::Timeout => Error::unprocessable("photo_broken"),
        FileRejection::TooManyPixels => Error::unprocessable("photo_too_many_pixels").with("max", PIXELS_MAX / 1_000_000),
    }
}

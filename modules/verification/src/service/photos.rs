//! Photos: taken from customers and deleted in time.

use std::sync::Arc;
use std::time::Duration;

use agio_core::idempotency::{self, Key};
use agio_core::identity::Actor;
use agio_core::needs::Proving;
use agio_core::{Error, Kind, Result, Timestamp, Tx};
use agio_files::{Folder, Media, PIXELS_MAX, Refusal, Uploaded, shown_name};
use serde_json::json;
use uuid::Uuid;

use super::register::write_down;
use super::{Verification, Viewer, found};
use crate::PHOTO_DAYS;
use crate::model::{PHOTOS_MAX, State, photos_needed};
use crate::store::{self, Photo};

/// The types of file a photo may be.
const TAKEN: &[Media] = &[Media::Jpeg, Media::Png, Media::Webp];

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// How many files are deleted in one run of the job; the rest waits for the next.
const AT_A_TIME: i64 = 500;

impl Verification {
    /// Whether a verification takes one more photo from this caller, asked before the file is read. A key that was used before may have
    /// its answer again.
    ///
    /// # Errors
    /// 404 `verification_not_found`; 409 `verification_closed`, `photos_full`.
    pub async fn expects_photo(&self, id: Uuid, viewer: &Viewer, key: Option<(&str, &str)>) -> Result<()> {
        let round = self.receiving(id, viewer).await?;
        if store::photo_count(&mut self.platform.db.read().await?, id, round).await? < PHOTOS_MAX {
            return Ok(());
        }
        match key {
            Some((scope, key)) if idempotency::is_used(&self.platform.db, scope, key).await? => Ok(()),
            _ => Err(full()),
        }
    }

    /// Where photos are received.
    #[must_use]
    pub fn photos_folder(&self) -> &Folder {
        &self.photos
    }

    /// The round of an open verification that this caller may see.
    async fn receiving(&self, id: Uuid, viewer: &Viewer) -> Result<i64> {
        let seen = self.seen(id, viewer).await?;
        if seen.row.state.is_open() { Ok(seen.row.round) } else { Err(closed()) }
    }

    /// Takes a photo. With the last one that is needed the verification is for staff to decide.
    ///
    /// # Errors
    /// 404 `verification_not_found`; 409 `verification_closed`, `photos_full`; 415 `photo_type`; 422 `photo_broken`,
    /// `photo_too_many_pixels`; 503 `uploads_busy`.
    pub async fn add_photo(
        self: &Arc<Self>,
        id: Uuid,
        viewer: &Viewer,
        file: Uploaded,
        key: Option<Key>,
        by: Actor,
    ) -> Result<Photo> {
        let round = self.receiving(id, viewer).await?;
        // Nothing is decoded for an answer that was given before, or for a round that has filled up meanwhile.
        if let Some(key) = &key
            && let Some(photo) = idempotency::stored(&self.platform.db, key).await?
        {
            return Ok(photo);
        }
        if store::photo_count(&mut self.platform.db.read().await?, id, round).await? >= PHOTOS_MAX {
            return Err(full());
        }
        let (sha256, name) = (file.sha256.clone(), shown_name(&file.name, "photo"));
        let cleaned = self.photos.clean(Uploaded { name: name.clone(), ..file }, TAKEN, refused).await?;
        let now = self.platform.clock.now();
        let photo = Photo {
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
        self.photos.keep(file, cleaned).await?;
        let kept = self.note_photo(photo, key, by).await;
        // The file of a photo that was not noted, or was noted before under the same key, belongs to nobody.
        if kept.as_ref().map_or(true, |kept| kept.id != file) {
            self.photos.delete(file).await?;
        }
        kept
    }

    /// For how many days photos are kept.
    #[must_use]
    pub fn photo_days(&self) -> u32 {
        u32::try_from(self.platform.settings.int(PHOTO_DAYS)).unwrap_or(1)
    }

    async fn note_photo(self: &Arc<Self>, photo: Photo, key: Option<Key>, by: Actor) -> Result<Photo> {
        let (this, now) = (self.clone(), photo.created_at);
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, photo, by) = (this.clone(), photo.clone(), by.clone());
            Box::pin(async move { this.store_photo(tx, photo, &by, now).await })
        })
        .await
    }

    async fn store_photo(&self, tx: &mut Tx, mut photo: Photo, by: &Actor, now: Timestamp) -> Result<Photo> {
        let id = photo.verification_id;
        photo.round = store::lock(tx, id, now).await?.ok_or_else(closed)?;
        let before = store::photo_count(tx, id, photo.round).await?;
        if before >= PHOTOS_MAX {
            return Err(full());
        }
        store::insert_photo(tx, &photo).await?;
        let mut row = found(store::one(tx, id).await?)?;
        if row.state == State::Asked && before + 1 >= photos_needed(row.kind) {
            (row.state, row.sent_at, row.updated_at) = (State::Sent, Some(now), now);
            if let Some(claim) = row.claim_id {
                row.expires_at = self.claims.clone().hear(tx, claim, &Proving::Sent).await?;
            }
            if !store::update(tx, &mut row).await? {
                return Err(Error::conflict("verification_changed"));
            }
        }
        let after = json!({ "photo": photo.id, "sha256": photo.sha256, "bytes": photo.size, "state": row.state.name() });
        write_down(tx, by, "photo", id, (None, Some(after)), now).await?;
        Ok(photo)
    }

    /// Deletes the photos whose time is over; that there was one stays known.
    ///
    /// # Errors
    /// The database or the folder cannot be used.
    pub async fn delete_old_photos(&self) -> Result<()> {
        let now = self.platform.clock.now();
        let old = store::photos_to_delete(&mut self.platform.db.read().await?, now, AT_A_TIME).await?;
        for (photo, verification) in old {
            self.photos.delete(photo).await?;
            self.platform
                .db
                .write(move |tx| {
                    Box::pin(async move {
                        if !store::photo_is_deleted(tx, photo, now).await? {
                            return Ok(());
                        }
                        let by = Actor::house("verification.photos");
                        let before = Some(json!({ "photo": photo }));
                        write_down(tx, &by, "photo_deleted", verification, (before, None), now).await
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

fn refused(refusal: Refusal) -> Error {
    match refusal {
        Refusal::Type => Error::new(Kind::UnsupportedMedia, "photo_type"),
        Refusal::Broken | Refusal::TooSlow => Error::unprocessable("photo_broken"),
        Refusal::TooManyPixels => Error::unprocessable("photo_too_many_pixels").with("max", PIXELS_MAX / 1_000_000),
    }
}

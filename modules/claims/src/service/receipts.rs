//! Receipts: taken from customers, shown to operators, deleted in time.

use std::sync::Arc;
use std::time::Duration;

use agio_core::idempotency::{self, Key};
use agio_core::identity;
use agio_core::{Error, Kind, Result};
use agio_files::{Folder, Media, PIXELS_MAX, Refusal, Uploaded, shown_name};
use serde_json::json;
use uuid::Uuid;

use super::Claims;
use super::trail::log_plain;
use crate::model::Actor;
use crate::rules::Claim;
use crate::rules::desk::takes_receipts;
use crate::store::claims;
use crate::store::history::{self, NewEvent};
use crate::store::receipts::{self, Receipt};

/// How many receipts a claim may have.
const RECEIPTS_MAX: i64 = 5;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The types of file a receipt may be.
const TAKEN: &[Media] = &[Media::Jpeg, Media::Png, Media::Webp, Media::Pdf];

impl Claims {
    /// Whether a claim takes one more receipt, asked before the file is read. A key that was used before may have its answer again.
    ///
    /// # Errors
    /// 404 `claim_not_found`; 409 `receipts_full`, `transition_not_allowed`.
    pub async fn expects_receipt(&self, id: Uuid, key: Option<(&str, &str)>) -> Result<()> {
        let claim = self.receiving(id).await?;
        let count = receipts::count(&mut self.platform.db.read().await?, claim.id).await?;
        if count < RECEIPTS_MAX {
            return Ok(());
        }
        match key {
            Some((scope, key)) if idempotency::is_used(&self.platform.db, scope, key).await? => Ok(()),
            _ => Err(full()),
        }
    }

    /// Where receipts are received.
    #[must_use]
    pub fn receipts_folder(&self) -> &Folder {
        &self.receipts
    }

    async fn receiving(&self, id: Uuid) -> Result<Claim> {
        let claim = self.claim(id).await?;
        if !takes_receipts(claim.state) {
            return Err(Error::conflict("transition_not_allowed").with("action", "upload").with("state", claim.state));
        }
        Ok(claim)
    }

    /// Takes a receipt. It moves nothing: only an operator establishes a payment.
    ///
    /// # Errors
    /// 415 `receipt_type`; 422 `receipt_broken`, `receipt_too_many_pixels`; 409 `receipts_full`, `transition_not_allowed`; 503
    /// `uploads_busy`.
    pub async fn add_receipt(
        self: &Arc<Self>,
        id: Uuid,
        file: Uploaded,
        key: Option<Key>,
        by: &identity::Actor,
    ) -> Result<Receipt> {
        let claim = self.receiving(id).await?;
        // Nothing is decoded for an answer that was given before, or for a claim that has filled up meanwhile.
        if let Some(key) = &key
            && let Some(receipt) = idempotency::stored(&self.platform.db, key).await?
        {
            return Ok(receipt);
        }
        if receipts::count(&mut self.platform.db.read().await?, claim.id).await? >= RECEIPTS_MAX {
            return Err(full());
        }
        let (sha256, name) = (file.sha256.clone(), shown_name(&file.name, "receipt"));
        let cleaned = self.receipts.clean(Uploaded { name: name.clone(), ..file }, TAKEN, refused).await?;
        let receipt = Receipt {
            id: self.platform.random.uuid(),
            name,
            media_type: cleaned.media.name().to_owned(),
            size: i64::try_from(cleaned.bytes).map_err(Error::internal)?,
            sha256,
            created_at: self.platform.clock.now(),
            repeat_of: None,
        };
        let file = receipt.id;
        self.receipts.keep(file, cleaned).await?;
        let kept = self.note_receipt((claim.id, claim.public_id), receipt, key, by.clone()).await;
        // The file of a receipt that was not noted, or was noted before under the same key, belongs to nobody.
        if kept.as_ref().map_or(true, |kept| kept.id != file) {
            self.receipts.delete(file).await?;
        }
        kept
    }

    async fn note_receipt(
        self: &Arc<Self>,
        (claim, number): (Uuid, i64),
        receipt: Receipt,
        key: Option<Key>,
        by: identity::Actor,
    ) -> Result<Receipt> {
        let (this, now) = (self.clone(), receipt.created_at);
        let days = u32::try_from(self.platform.settings.int("claims.receipt_days")).unwrap_or(0);
        let delete_after = now.plus(DAY * days);
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, receipt, by) = (this.clone(), receipt.clone(), by.clone());
            Box::pin(async move {
                // One after the other, so that they can be counted.
                claims::locked(tx, claim).await?;
                if !receipts::insert(tx, claim, &receipt, delete_after, RECEIPTS_MAX).await? {
                    return Err(full());
                }
                let event = NewEvent {
                    claim: number,
                    at: now,
                    actor: Actor::Customer,
                    staff: None,
                    action: "receipt",
                    from: None,
                    to: None,
                    revision: 0,
                    reason: None,
                    note: Some(&receipt.name),
                    batch: None,
                };
                history::insert(tx, &event).await?;
                this.hear_of_receipt(tx, claim, now).await?;
                let after = json!({ "receipt": receipt.id, "sha256": receipt.sha256, "bytes": receipt.size });
                log_plain(tx, &by, "receipt", number, (None, Some(after)), now).await?;
                this.tell(tx, claim);
                Ok(receipt)
            })
        })
        .await
    }

    /// The receipts of a claim, the oldest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn receipts_of(&self, claim: Uuid) -> Result<Vec<Receipt>> {
        receipts::of_claim(&mut self.platform.db.read().await?, claim).await
    }

    /// A receipt with its content.
    ///
    /// # Errors
    /// 404 `receipt_not_found`.
    pub async fn receipt(&self, claim: Uuid, id: Uuid) -> Result<(Receipt, Vec<u8>)> {
        let not_found = || Error::not_found("receipt_not_found");
        let found = receipts::receipt(&mut self.platform.db.read().await?, claim, id).await?;
        let receipt = found.ok_or_else(not_found)?;
        let bytes = self.receipts.read(id).await.map_err(|error| not_found().caused_by(error))?;
        Ok((receipt, bytes))
    }

    /// Deletes the files whose time is over; that there was one stays known.
    ///
    /// # Errors
    /// The database or the folder cannot be used.
    pub async fn delete_old_receipts(&self) -> Result<()> {
        let now = self.platform.clock.now();
        let old = receipts::to_delete(&mut self.platform.db.read().await?, now, 500).await?;
        for id in old {
            self.receipts.delete(id).await?;
            self.platform.db.write(move |tx| Box::pin(async move { receipts::is_deleted(tx, id, now).await })).await?;
        }
        Ok(())
    }
}

fn full() -> Error {
    Error::conflict("receipts_full").with("max", RECEIPTS_MAX)
}

fn refused(refusal: Refusal) -> Error {
    match refusal {
        Refusal::Type => Error::new(Kind::UnsupportedMedia, "receipt_type"),
        Refusal::Broken | Refusal::TooSlow => Error::unprocessable("receipt_broken"),
        Refusal::TooManyPixels => Error::unprocessable("receipt_too_many_pixels").with("max", PIXELS_MAX / 1_000_000),
    }
}

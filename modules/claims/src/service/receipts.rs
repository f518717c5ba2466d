//! Receipts: uploaded by customers, shown to operators, deleted after the retention period.

use std::sync::Arc;
use std::time::Duration;

use agio_core::idempotency::{self, Key};
use agio_core::identity;
use agio_core::{Error, ErrorKind, Result};
use agio_files::{FileRejection, FileStore, MediaType, PIXELS_MAX, UploadedFile, shown_name};
use serde_json::json;
use uuid::Uuid;

use super::Claims;
use super::audit_log::record_audit_entry;
use super::transition::not_allowed;
use crate::model::Actor;
use crate::rules::Claim;
use crate::rules::queue::takes_receipts;
use crate::store::claims;
use crate::store::history::{self, NewClaimEvent};
use crate::store::receipts::{self, Receipt};

const RECEIPTS_MAX: i64 = 5;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

const TAKEN: &[MediaType] = &[MediaType::Jpeg, MediaType::Png, MediaType::Webp, MediaType::Pdf];

impl Claims {
    /// Checks that a claim accepts another receipt, before the file is read. A repeated key is allowed, for its stored
    /// response.
    ///
    /// # Errors
    /// 404 `claim_not_found`; 409 `receipts_full`, `transition_not_allowed`.
    pub async fn check_receipt_allowed(&self, id: Uuid, key: Option<(&str, &str)>) -> Result<()> {
        let claim = self.claim_accepting_receipts(id).await?;
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
    pub fn receipts_folder(&self) -> &FileStore {
        &self.receipts
    }

    async fn claim_accepting_receipts(&self, id: Uuid) -> Result<Claim> {
        let claim = self.claim(id).await?;
        if !takes_receipts(claim.state) {
            return Err(not_allowed("upload", claim.state));
        }
        Ok(claim)
    }

    /// Adds a receipt. It makes no transition.
    ///
    /// # Errors
    /// 415 `receipt_type`; 422 `receipt_broken`, `receipt_too_many_pixels`; 409 `receipts_full`,
    /// `transition_not_allowed`; 503 `uploads_busy`.
    pub async fn add_receipt(
        self: &Arc<Self>,
        id: Uuid,
        file: UploadedFile,
        key: Option<Key>,
        by: &identity::Actor,
    ) -> Result<Receipt> {
        let claim = self.claim_accepting_receipts(id).await?;
        // Do not decode the file for a repeated request, or when the claim has too many receipts.
        if let Some(key) = &key
            && let Some(receipt) = idempotency::stored_response(&self.platform.db, key).await?
        {
            return Ok(receipt);
        }
        if receipts::count(&mut self.platform.db.read().await?, claim.id).await? >= RECEIPTS_MAX {
            return Err(full());
        }
        let (sha256, name) = (file.sha256.clone(), shown_name(&file.name, "receipt"));
        let cleaned = self.receipts.sanitize(UploadedFile { name: name.clone(), ..file }, TAKEN, refused).await?;
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
        self.receipts.save(file, cleaned).await?;
        let kept = self.insert_receipt((claim.id, claim.public_id), receipt, key, by.clone()).await;
        // Delete the file of a receipt that was not stored, or was stored before under the same key.
        if kept.as_ref().map_or(true, |kept| kept.id != file) {
            self.receipts.delete(file).await?;
        }
        kept
    }

    async fn insert_receipt(
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
                // Locked, so that the receipts can be counted.
                claims::locked(tx, claim).await?;
                if !receipts::insert(tx, claim, &receipt, delete_after, RECEIPTS_MAX).await? {
                    return Err(full());
                }
                let event = NewClaimEvent {
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
                    payout_tx: None,
                    paid_out: None,
                };
                history::insert(tx, &event).await?;
                this.stop_report_timeout(tx, claim, now).await?;
                let after = json!({ "receipt": receipt.id, "sha256": receipt.sha256, "bytes": receipt.size });
                record_audit_entry(tx, &by, "receipt", number, (None, Some(after)), now).await?;
                this.publish_change(tx, claim);
                Ok(receipt)
            })
        })
        .await
    }

    /// The receipts of a claim, the oldest first.
    pub async fn list_receipts(&self, claim: Uuid) -> Result<Vec<Receipt>> {
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

    /// Deletes the files after their retention period. The records stay.
    pub async fn delete_old_receipts(&self) -> Result<()> {
        let now = self.platform.clock.now();
        let old = receipts::to_delete(&mut self.platform.db.read().await?, now, 500).await?;
        for id in old {
            self.receipts.delete(id).await?;
            self.platform.db.write(move |tx| Box::pin(async move { receipts::mark_deleted(tx, id, now).await })).await?;
        }
        Ok(())
    }
}

fn full() -> Error {
    Error::conflict("receipts_full").with("max", RECEIPTS_MAX)
}

fn refused(refusal: FileRejection) -> Error {
    match refusal {
        FileRejection::UnsupportedType => Error::new(ErrorKind::UnsupportedMedia, "receipt_type"),
        FileRejection::Broken | FileRejection::Timeout => Error::unprocessable("receipt_broken"),
        FileRejection::TooManyPixels => Error::unprocessable("receipt_too_many_pixels").with("max", PIXELS_MAX / 1_000_000),
    }
}

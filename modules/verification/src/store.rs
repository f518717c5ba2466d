//! SQL of verifications.

use agio_contracts::VerificationSubject;
use agio_core::texts::Locale;
use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::model::{VerificationCause, VerificationReasonCode, VerificationState};

agio_core::statements! {
    INSERT_VERIFICATION = "INSERT INTO verification
        (id, kind, state, cause, claim_id, claim_number, customer_id, email, locale, guest_digest, card_digest, card_masked, round,
         expires_at, revision, created_at, updated_at)
        VALUES ($1, $2, 'asked', $3, $4, $5, $6, $7, $8, $9, $10, $11, 1, $12, 1, $13, $13)";
    VERIFICATION = "SELECT * FROM verification WHERE id = $1";
    /// Stores what may change, if nobody else changed it since it was read.
    UPDATE_VERIFICATION = "UPDATE verification SET state = $3, round = $4, reason = $5, message_ru = $6, message_en = $7, decided_by = $8,
            decided_name = $9, expires_at = $10, sent_at = $11, decided_at = $12, updated_at = $13, revision = $2 + 1
        WHERE id = $1 AND revision = $2";
    OPEN_VERIFICATIONS_OF_CLAIM = "SELECT * FROM verification WHERE claim_id = $1 AND state IN ('asked', 'sent')";
    OPEN_VERIFICATION_OF_ACCOUNT = "SELECT id FROM verification
        WHERE customer_id = $1 AND claim_id IS NULL AND kind = $2 AND state IN ('asked', 'sent')";
    VERIFICATIONS_OF_CUSTOMER = "SELECT * FROM verification WHERE customer_id = $1 ORDER BY created_at DESC, id LIMIT $2";
    EVERY_VERIFICATION_OF = "SELECT * FROM verification WHERE customer_id = $1 OR (email = $2 AND customer_id IS NULL)
        ORDER BY created_at DESC, id";
    CHANGE_EMAIL_OF_VERIFICATIONS = "UPDATE verification SET email = $3 WHERE email = $2 AND (customer_id = $1 OR customer_id IS NULL)";
    /// What was passed is forgotten with the account.
    FORGET_PASSED = "DELETE FROM passed_verification WHERE verification_id IN (SELECT id FROM verification
        WHERE customer_id = $1 OR (email = $2 AND customer_id IS NULL))";
    /// Claims made without the account still wait for their open verifications.
    ERASE_VERIFICATIONS = "UPDATE verification SET email = $3, state = CASE WHEN state IN ('asked', 'sent') THEN 'ended' ELSE state END
        WHERE customer_id = $1 OR (email = $2 AND customer_id IS NULL AND state NOT IN ('asked', 'sent'))";
    MASK_VERIFICATIONS = "UPDATE verification SET email = $2 WHERE claim_id = $1";
    VERIFICATIONS_WAITING = "SELECT * FROM verification WHERE state = $1 AND (updated_at, id) > ($2, $3)
        ORDER BY updated_at, id LIMIT $4";
    VERIFICATIONS_CLOSED = "SELECT * FROM verification WHERE state IN ('accepted', 'rejected', 'ended') AND (updated_at, id) < ($1, $2)
        ORDER BY updated_at DESC, id DESC LIMIT $3";
    OPEN_VERIFICATION_COUNTS = "SELECT state, COUNT(*) FROM verification WHERE state IN ('asked', 'sent') GROUP BY state";

    /// Locks a verification that takes photos and counts its revision up, so that photos are counted one after
    /// another and nobody decides without having seen all of them.
    LOCK_VERIFICATION = "UPDATE verification SET revision = revision + 1, updated_at = $2 WHERE id = $1 AND state IN ('asked', 'sent')
        RETURNING round";
    COUNT_PHOTOS = "SELECT COUNT(*) FROM verification_photo WHERE verification_id = $1 AND round = $2";
    INSERT_PHOTO = "INSERT INTO verification_photo (id, verification_id, round, name, media_type, size, sha256, created_at, delete_after)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    PHOTOS = "SELECT photo.id, photo.verification_id, photo.round, photo.name, photo.media_type, photo.size, photo.sha256,
            photo.created_at, photo.delete_after, photo.deleted_at,
            EXISTS (SELECT 1 FROM verification_photo other
                WHERE other.sha256 = photo.sha256 AND other.verification_id <> photo.verification_id) AS is_repeat
        FROM verification_photo photo WHERE photo.verification_id = $1 ORDER BY photo.round, photo.created_at, photo.id";
    PHOTOS_TO_DELETE = "SELECT id, verification_id FROM verification_photo WHERE delete_after <= $1 AND deleted_at IS NULL
        ORDER BY delete_after LIMIT $2";
    MARK_PHOTO_DELETED = "UPDATE verification_photo SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL";

    IS_VERIFIED = "SELECT COUNT(*) FROM passed_verification WHERE kind = $1 AND card_digest = $2 AND customer_digest = $3";
    INSERT_PASSED_VERIFICATION = "INSERT INTO passed_verification (kind, card_digest, customer_digest, verification_id, verified_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (kind, card_digest, customer_digest) DO NOTHING";
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct VerificationRow {
    pub id: Uuid,
    pub kind: VerificationSubject,
    pub state: VerificationState,
    pub cause: VerificationCause,
    pub claim_id: Option<Uuid>,
    pub claim_number: Option<i64>,
    pub customer_id: Option<Uuid>,
    pub email: String,
    pub locale: Locale,
    pub guest_digest: String,
    pub card_digest: Option<String>,
    pub card_masked: Option<String>,
    pub round: i64,
    pub reason: Option<VerificationReasonCode>,
    pub message_ru: Option<String>,
    pub message_en: Option<String>,
    pub decided_by: Option<Uuid>,
    pub decided_name: Option<String>,
    pub expires_at: Option<Timestamp>,
    pub revision: i64,
    pub created_at: Timestamp,
    pub sent_at: Option<Timestamp>,
    pub decided_at: Option<Timestamp>,
    pub updated_at: Timestamp,
}

/// A photo. Its file is named by the id.
#[derive(Clone, Debug, sqlx::FromRow, Serialize, Deserialize)]
pub struct PhotoRow {
    pub id: Uuid,
    pub verification_id: Uuid,
    pub round: i64,
    pub name: String,
    pub media_type: String,
    pub size: i64,
    pub sha256: String,
    pub created_at: Timestamp,
    pub delete_after: Timestamp,
    pub deleted_at: Option<Timestamp>,
    /// Whether the same file was sent for another verification.
    pub is_repeat: bool,
}

pub async fn insert(tx: &mut Tx, row: &VerificationRow) -> Result<()> {
    execute!(
        tx,
        INSERT_VERIFICATION,
        row.id,
        row.kind,
        row.cause,
        row.claim_id,
        row.claim_number,
        row.customer_id,
        &row.email,
        row.locale,
        &row.guest_digest,
        row.card_digest.as_deref(),
        row.card_masked.as_deref(),
        row.expires_at,
        row.created_at,
    )
    .map(drop)
}

pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<VerificationRow>> {
    fetch_optional!(tx, VerificationRow, VERIFICATION, id)
}

/// False if it was changed since it was read.
pub async fn update(tx: &mut Tx, row: &mut VerificationRow) -> Result<bool> {
    let stored = execute!(
        tx,
        UPDATE_VERIFICATION,
        row.id,
        row.revision,
        row.state,
        row.round,
        row.reason,
        row.message_ru.as_deref(),
        row.message_en.as_deref(),
        row.decided_by,
        row.decided_name.as_deref(),
        row.expires_at,
        row.sent_at,
        row.decided_at,
        row.updated_at,
    )?;
    row.revision += 1;
    Ok(stored == 1)
}

pub async fn open_of_claim(tx: &mut Tx, claim: Uuid) -> Result<Vec<VerificationRow>> {
    fetch_all!(tx, VerificationRow, OPEN_VERIFICATIONS_OF_CLAIM, claim)
}

/// Whether an account has an open verification of its own.
pub async fn is_open_for(tx: &mut Tx, customer: Uuid, kind: VerificationSubject) -> Result<bool> {
    Ok(fetch_optional!(tx, (Uuid,), OPEN_VERIFICATION_OF_ACCOUNT, customer, kind)?.is_some())
}

/// Newest first.
pub async fn of_customer(tx: &mut Tx, customer: Uuid, size: i64) -> Result<Vec<VerificationRow>> {
    fetch_all!(tx, VerificationRow, VERIFICATIONS_OF_CUSTOMER, customer, size)
}

/// A page of an open state, oldest first.
pub async fn waiting(tx: &mut Tx, state: VerificationState, after: (Timestamp, Uuid), size: i64) -> Result<Vec<VerificationRow>> {
    fetch_all!(tx, VerificationRow, VERIFICATIONS_WAITING, state, after.0, after.1, size)
}

/// A page of closed verifications, newest first.
pub async fn closed(tx: &mut Tx, before: (Timestamp, Uuid), size: i64) -> Result<Vec<VerificationRow>> {
    fetch_all!(tx, VerificationRow, VERIFICATIONS_CLOSED, before.0, before.1, size)
}

pub async fn counts(tx: &mut Tx) -> Result<Vec<(VerificationState, i64)>> {
    fetch_all!(tx, (VerificationState, i64), OPEN_VERIFICATION_COUNTS)
}

/// Locks a verification for another photo and returns its round; `None` if it is closed.
pub async fn lock(tx: &mut Tx, id: Uuid, now: Timestamp) -> Result<Option<i64>> {
    Ok(fetch_optional!(tx, (i64,), LOCK_VERIFICATION, id, now)?.map(|(round,)| round))
}

pub async fn photo_count(tx: &mut Tx, id: Uuid, round: i64) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), COUNT_PHOTOS, id, round)?.0)
}

pub async fn insert_photo(tx: &mut Tx, photo: &PhotoRow) -> Result<()> {
    let PhotoRow { id, verification_id, round, name, media_type, size, sha256, created_at, delete_after, .. } = photo;
    execute!(tx, INSERT_PHOTO, id, verification_id, round, name, media_type, size, sha256, created_at, delete_after).map(drop)
}

/// Oldest first.
pub async fn photos(tx: &mut Tx, id: Uuid) -> Result<Vec<PhotoRow>> {
    fetch_all!(tx, PhotoRow, PHOTOS, id)
}

/// Expired photos with their verifications.
pub async fn photos_to_delete(tx: &mut Tx, now: Timestamp, size: i64) -> Result<Vec<(Uuid, Uuid)>> {
    fetch_all!(tx, (Uuid, Uuid), PHOTOS_TO_DELETE, now, size)
}

/// False if it was marked before.
pub async fn mark_photo_deleted(tx: &mut Tx, id: Uuid, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, MARK_PHOTO_DELETED, id, now)? == 1)
}

pub async fn is_verified(tx: &mut Tx, kind: VerificationSubject, card_digest: &str, customer_digest: &str) -> Result<bool> {
    Ok(fetch_one!(tx, (i64,), IS_VERIFIED, kind, card_digest, customer_digest)?.0 > 0)
}

pub async fn insert_passed(
    tx: &mut Tx,
    row: &VerificationRow,
    card_digest: &str,
    customer_digest: &str,
    now: Timestamp,
) -> Result<()> {
    execute!(tx, INSERT_PASSED_VERIFICATION, row.kind, card_digest, customer_digest, row.id, now).map(drop)
}

/// Of an account, and of its address without one; newest first.
pub async fn every(tx: &mut Tx, account: Uuid, email: Option<&str>) -> Result<Vec<VerificationRow>> {
    fetch_all!(tx, VerificationRow, EVERY_VERIFICATION_OF, account, email)
}

pub async fn change_email(tx: &mut Tx, account: Uuid, from: &str, to: &str) -> Result<()> {
    execute!(tx, CHANGE_EMAIL_OF_VERIFICATIONS, account, from, to).map(drop)
}

/// Masks the address of a claim's verifications.
pub async fn mask_email(tx: &mut Tx, claim: Uuid, masked: &str) -> Result<()> {
    execute!(tx, MASK_VERIFICATIONS, claim, masked).map(drop)
}

/// Erases addresses, ends the account's open verifications and forgets what was passed.
pub async fn erase(tx: &mut Tx, account: Uuid, email: Option<&str>, placeholder: &str) -> Result<()> {
    execute!(tx, FORGET_PASSED, account, email)?;
    execute!(tx, ERASE_VERIFICATIONS, account, email, placeholder).map(drop)
}

//! Partners, their keys and rehearsals in SQL.

pub mod accounts;
pub mod commissions;
pub mod usage;

use std::sync::LazyLock;

use agio_core::error::Constraint;
use agio_core::outbox::Stored as Message;
use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional, write_one};
use uuid::Uuid;

use crate::model::commission::CommissionKind;
use crate::model::standing::PartnerStanding;

agio_core::statements! {
    PARTNERS = "SELECT * FROM partner ORDER BY created_at DESC, id";
    PARTNER = "SELECT * FROM partner WHERE id = $1";
    INSERT_PARTNER = "INSERT INTO partner (id, name, email, enabled, callback_url, webhook_secret, revision, created_at, updated_at,
            customer_id, customer_email, site, locale, standing)
        VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $7, $8, $9, $10, $11, $12)";
    /// Stores what may change, if nobody else changed it since it was read.
    UPDATE_PARTNER = "UPDATE partner SET name = $3, email = $4, enabled = $5, callback_url = $6, webhook_secret = $7, updated_at = $8,
            site = $9, locale = $10, standing = $11, reason = $12, commission_kind = $13, commission_percent = $14, revision = $2 + 1
        WHERE id = $1 AND revision = $2";

    KEYS = "SELECT * FROM partner_key WHERE revoked_at IS NULL";
    KEYS_OF_PARTNER = "SELECT * FROM partner_key WHERE partner_id = $1 ORDER BY created_at DESC, id";
    KEY_OF_PARTNER = "SELECT * FROM partner_key WHERE id = $1 AND partner_id = $2";
    COUNT_KEYS = "SELECT COUNT(*) FROM partner_key WHERE partner_id = $1 AND revoked_at IS NULL";
    INSERT_KEY = "INSERT INTO partner_key
        (id, partner_id, name, title, sandbox, scopes, networks, per_minute, secret, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    REVOKE_KEY = "UPDATE partner_key SET revoked_at = $3 WHERE id = $1 AND partner_id = $2 AND revoked_at IS NULL";

    /// Uses a nonce up, if the key is still good. A nonce that was used before, and a key that is not good, change nothing.
    USE_NONCE = "INSERT INTO partner_nonce (key_id, nonce, expires_at) SELECT $1, $2, $3
        WHERE EXISTS (SELECT 1 FROM partner_key own JOIN partner ON partner.id = own.partner_id
            WHERE own.id = $1 AND own.revoked_at IS NULL AND partner.enabled AND (own.sandbox OR partner.standing = 'approved'))
        ON CONFLICT (key_id, nonce) DO NOTHING";
    IS_GOOD_KEY = "SELECT COUNT(*) FROM partner_key own JOIN partner ON partner.id = own.partner_id
        WHERE own.id = $1 AND own.revoked_at IS NULL AND partner.enabled AND (own.sandbox OR partner.standing = 'approved')";
    FORGET_NONCES = "DELETE FROM partner_nonce WHERE expires_at < $1";

    NEXT_REHEARSAL = "SELECT COALESCE(MAX(number), 0) + 1 FROM partner_rehearsal WHERE partner_id = $1";
    REHEARSAL_BY_REF = "SELECT id FROM partner_rehearsal WHERE partner_id = $1 AND reference = $2";
    INSERT_REHEARSAL = "INSERT INTO partner_rehearsal
        (id, partner_id, number, reference, callback, position, claim, revision, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8, $8)";
    REHEARSAL = "SELECT * FROM partner_rehearsal WHERE id = $1 AND partner_id = $2";
    UPDATE_REHEARSAL = "UPDATE partner_rehearsal SET position = $3, claim = $4, updated_at = $5, revision = $2 + 1
        WHERE id = $1 AND revision = $2";
    REHEARSALS = "SELECT * FROM partner_rehearsal WHERE partner_id = $1 AND (reference = $2 OR $2 IS NULL) AND updated_at >= $3
        ORDER BY number DESC LIMIT $4 OFFSET $5";
    COUNT_REHEARSALS = "SELECT COUNT(*) FROM partner_rehearsal
        WHERE partner_id = $1 AND (reference = $2 OR $2 IS NULL) AND updated_at >= $3";
    FORGET_REHEARSALS = "DELETE FROM partner_rehearsal WHERE updated_at < $1";

    NEWS_OF_PARTNER = "SELECT id, channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, fault, created_at, settled_at
        FROM outbox WHERE about_kind = 'partner' AND about_id = $1 AND channel = 'webhook' AND (state = $2 OR $2 IS NULL) AND id < $3
        ORDER BY id DESC LIMIT $4";
}

/// Every statement of the module.
pub fn statements() -> &'static [(&'static str, &'static str)] {
    static ALL: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
        [STATEMENTS, accounts::STATEMENTS, commissions::STATEMENTS, usage::STATEMENTS, crate::trustee::store::STATEMENTS].concat()
    });
    &ALL
}

/// A partner as it is stored.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct PartnerRow {
    pub id: Uuid,
    pub name: String,
    pub email: String,
    pub enabled: bool,
    pub callback_url: String,
    pub webhook_secret: String,
    pub revision: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub customer_id: Option<Uuid>,
    pub customer_email: Option<String>,
    pub site: String,
    pub locale: String,
    pub standing: PartnerStanding,
    pub reason: Option<String>,
    pub commission_kind: CommissionKind,
    pub commission_percent: String,
}

/// A key as it is stored.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct KeyRow {
    pub id: Uuid,
    pub partner_id: Uuid,
    pub name: String,
    pub title: String,
    pub sandbox: bool,
    pub scopes: String,
    pub networks: String,
    pub per_minute: i64,
    pub secret: String,
    pub created_at: Timestamp,
    pub revoked_at: Option<Timestamp>,
}

/// A rehearsed claim as it is stored.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct RehearsalRow {
    pub id: Uuid,
    pub partner_id: Uuid,
    pub number: i64,
    pub reference: Option<String>,
    pub callback: Option<String>,
    pub position: String,
    pub claim: String,
    pub revision: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Every partner, the newest first.
pub async fn partners(tx: &mut Tx) -> Result<Vec<PartnerRow>> {
    fetch_all!(tx, PartnerRow, PARTNERS)
}

/// A partner.
///
/// # Errors
/// 404 `partner_not_found`.
pub async fn partner(tx: &mut Tx, id: Uuid) -> Result<PartnerRow> {
    fetch_optional!(tx, PartnerRow, PARTNER, id)?.ok_or_else(|| Error::not_found("partner_not_found"))
}

/// Stores a new partner.
pub async fn insert_partner(tx: &mut Tx, row: &PartnerRow) -> Result<()> {
    let PartnerRow { id, name, email, enabled, callback_url, webhook_secret, created_at, site, locale, .. } = row;
    let stored = write_one!(
        tx,
        INSERT_PARTNER,
        *id,
        name,
        email,
        *enabled,
        callback_url,
        webhook_secret,
        *created_at,
        row.customer_id,
        row.customer_email.as_deref(),
        site,
        locale,
        row.standing.to_string(),
    );
    stored.map_err(|refused| match refused.constraint() {
        // The account asked twice at a time.
        Some(Constraint::Unique) => Error::conflict("partner_changed"),
        _ => refused,
    })
}

/// Stores a changed partner.
///
/// # Errors
/// 409 `partner_changed` when somebody else changed it since it was read.
pub async fn update_partner(tx: &mut Tx, row: &PartnerRow) -> Result<()> {
    let PartnerRow { id, name, email, enabled, callback_url, webhook_secret, revision, updated_at, site, locale, .. } = row;
    let stored = execute!(
        tx,
        UPDATE_PARTNER,
        *id,
        *revision,
        name,
        email,
        *enabled,
        callback_url,
        webhook_secret,
        *updated_at,
        site,
        locale,
        row.standing.to_string(),
        row.reason.as_deref(),
        row.commission_kind.to_string(),
        &row.commission_percent,
    )?;
    if stored == 1 { Ok(()) } else { Err(Error::conflict("partner_changed")) }
}

/// Every key that is not revoked.
pub async fn keys(tx: &mut Tx) -> Result<Vec<KeyRow>> {
    fetch_all!(tx, KeyRow, KEYS)
}

/// The keys of a partner, the newest first, revoked ones included.
pub async fn keys_of(tx: &mut Tx, partner: Uuid) -> Result<Vec<KeyRow>> {
    fetch_all!(tx, KeyRow, KEYS_OF_PARTNER, partner)
}

/// A key of a partner.
///
/// # Errors
/// 404 `partner_key_not_found`.
pub async fn key_of(tx: &mut Tx, partner: Uuid, id: Uuid) -> Result<KeyRow> {
    fetch_optional!(tx, KeyRow, KEY_OF_PARTNER, id, partner)?.ok_or_else(|| Error::not_found("partner_key_not_found"))
}

/// How many keys of a partner are good.
pub async fn key_count(tx: &mut Tx, partner: Uuid) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), COUNT_KEYS, partner)?.0)
}

/// Stores a new key.
pub async fn insert_key(tx: &mut Tx, row: &KeyRow) -> Result<()> {
    let KeyRow { id, partner_id, name, title, sandbox, scopes, networks, per_minute, secret, created_at, .. } = row;
    write_one!(tx, INSERT_KEY, *id, *partner_id, name, title, *sandbox, scopes, networks, *per_minute, secret, *created_at)
}

/// Revokes a key; false when it was.
pub async fn revoke_key(tx: &mut Tx, partner: Uuid, id: Uuid, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, REVOKE_KEY, id, partner, now)? == 1)
}

/// Uses a nonce of a key up.
///
/// # Errors
/// One whose constraint is `Condition` when it was used before, or the key is not good any more.
pub async fn use_nonce(tx: &mut Tx, key: Uuid, nonce: &str, expires_at: Timestamp) -> Result<()> {
    write_one!(tx, USE_NONCE, key, nonce, expires_at)
}

/// Whether a key is good.
pub async fn is_good(tx: &mut Tx, key: Uuid) -> Result<bool> {
    Ok(fetch_one!(tx, (i64,), IS_GOOD_KEY, key)?.0 > 0)
}

/// Forgets nonces whose calls would not be taken any more.
pub async fn forget_nonces(tx: &mut Tx, before: Timestamp) -> Result<u64> {
    execute!(tx, FORGET_NONCES, before)
}

/// The next number of a partner's rehearsals.
pub async fn next_rehearsal(tx: &mut Tx, partner: Uuid) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), NEXT_REHEARSAL, partner)?.0)
}

/// Stores a new rehearsal.
///
/// # Errors
/// 409 `reference_taken` when another of the partner's has the name.
pub async fn insert_rehearsal(tx: &mut Tx, row: &RehearsalRow) -> Result<()> {
    if let Some(reference) = &row.reference
        && fetch_optional!(tx, (Uuid,), REHEARSAL_BY_REF, row.partner_id, reference)?.is_some()
    {
        return Err(Error::conflict("reference_taken"));
    }
    let RehearsalRow { id, partner_id, number, reference, callback, position, claim, created_at, .. } = row;
    let stored = write_one!(
        tx,
        INSERT_REHEARSAL,
        *id,
        *partner_id,
        *number,
        reference.as_deref(),
        callback.as_deref(),
        position,
        claim,
        *created_at,
    );
    stored.map_err(|refused| match refused.constraint() {
        // Two were made at a time; the second is told to come again.
        Some(Constraint::Unique) => Error::new(agio_core::Kind::Unavailable, "overloaded").retry_after(1),
        _ => refused,
    })
}

/// A rehearsal of a partner.
///
/// # Errors
/// 404 `claim_not_found`.
pub async fn rehearsal(tx: &mut Tx, partner: Uuid, id: Uuid) -> Result<RehearsalRow> {
    fetch_optional!(tx, RehearsalRow, REHEARSAL, id, partner)?.ok_or_else(|| Error::not_found("claim_not_found"))
}

/// Stores a rehearsal that moved.
///
/// # Errors
/// 409 `claim_changed` when it moved since it was read.
pub async fn update_rehearsal(tx: &mut Tx, row: &RehearsalRow) -> Result<()> {
    let stored = execute!(tx, UPDATE_REHEARSAL, row.id, row.revision, &row.position, &row.claim, row.updated_at)?;
    if stored == 1 { Ok(()) } else { Err(Error::conflict("claim_changed")) }
}

/// Rehearsals of a partner, the newest first, and how many there are in all.
pub async fn rehearsals(tx: &mut Tx, partner: Uuid, wanted: &agio_core::needs::WantedClaims) -> Result<(Vec<RehearsalRow>, i64)> {
    let (reference, since) = (wanted.reference.as_deref(), wanted.updated_since.unwrap_or(Timestamp(0)));
    let rows = fetch_all!(tx, RehearsalRow, REHEARSALS, partner, reference, since, wanted.size, wanted.from)?;
    Ok((rows, fetch_one!(tx, (i64,), COUNT_REHEARSALS, partner, reference, since)?.0))
}

/// Forgets rehearsals that have not moved since a moment.
pub async fn forget_rehearsals(tx: &mut Tx, before: Timestamp) -> Result<u64> {
    execute!(tx, FORGET_REHEARSALS, before)
}

/// News for a partner, the newest first.
pub async fn news(tx: &mut Tx, partner: Uuid, state: Option<&str>, before: i64, size: i64) -> Result<Vec<Message>> {
    fetch_all!(tx, Message, NEWS_OF_PARTNER, partner.to_string(), state, before, size)
}

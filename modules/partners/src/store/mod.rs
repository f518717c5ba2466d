//! Partners, keys and sandbox claims in SQL.

pub mod accounts;
pub mod commissions;
pub mod usage;

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use agio_core::error::Constraint;
use agio_core::networks::Network;
use agio_core::outbox::{OutboxMessage as Message, OutboxState};
use agio_core::texts::Locale;
use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional, write_one};
use uuid::Uuid;

use crate::model::commission::PartnerCommissionKind;
use crate::model::{KeyScope, PartnerAccessStatus};

agio_core::statements! {
    PARTNERS = "SELECT * FROM partner ORDER BY created_at DESC, id";
    PARTNER = "SELECT * FROM partner WHERE id = $1";
    INSERT_PARTNER = "INSERT INTO partner (id, name, email, enabled, callback_url, webhook_secret, revision, created_at, updated_at,
            customer_id, customer_email, site, locale, status)
        VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $7, $8, $9, $10, $11, $12)";
    /// Fails on a stale revision.
    UPDATE_PARTNER = "UPDATE partner SET name = $3, email = $4, enabled = $5, callback_url = $6, webhook_secret = $7, updated_at = $8,
            site = $9, locale = $10, status = $11, reason = $12, commission_kind = $13, commission_percent = $14, revision = $2 + 1
        WHERE id = $1 AND revision = $2";

    KEYS = "SELECT * FROM partner_key WHERE revoked_at IS NULL";
    KEYS_OF_PARTNER = "SELECT * FROM partner_key WHERE partner_id = $1 ORDER BY created_at DESC, id";
    KEY_OF_PARTNER = "SELECT * FROM partner_key WHERE id = $1 AND partner_id = $2";
    COUNT_KEYS = "SELECT COUNT(*) FROM partner_key WHERE partner_id = $1 AND revoked_at IS NULL";
    INSERT_KEY = "INSERT INTO partner_key
        (id, partner_id, name, title, sandbox, scopes, networks, per_minute, secret, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    REVOKE_KEY = "UPDATE partner_key SET revoked_at = $3 WHERE id = $1 AND partner_id = $2 AND revoked_at IS NULL";

    /// Inserts nothing if the nonce was used or the key is no longer valid.
    USE_NONCE = "INSERT INTO partner_nonce (key_id, nonce, expires_at) SELECT $1, $2, $3
        WHERE EXISTS (SELECT 1 FROM partner_key own JOIN partner ON partner.id = own.partner_id
            WHERE own.id = $1 AND own.revoked_at IS NULL AND partner.enabled AND (own.sandbox OR partner.status = 'approved'))
        ON CONFLICT (key_id, nonce) DO NOTHING";
    IS_GOOD_KEY = "SELECT COUNT(*) FROM partner_key own JOIN partner ON partner.id = own.partner_id
        WHERE own.id = $1 AND own.revoked_at IS NULL AND partner.enabled AND (own.sandbox OR partner.status = 'approved')";

    NEXT_SANDBOX_NUMBER = "SELECT COALESCE(MAX(number), 0) + 1 FROM partner_sandbox_claim WHERE partner_id = $1";
    SANDBOX_CLAIM_BY_REFERENCE = "SELECT id FROM partner_sandbox_claim WHERE partner_id = $1 AND reference = $2";
    INSERT_SANDBOX_CLAIM = "INSERT INTO partner_sandbox_claim
        (id, partner_id, number, reference, callback, position, claim, revision, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8, $8)";
    SANDBOX_CLAIM = "SELECT * FROM partner_sandbox_claim WHERE id = $1 AND partner_id = $2";
    UPDATE_SANDBOX_CLAIM = "UPDATE partner_sandbox_claim SET position = $3, claim = $4, updated_at = $5, revision = $2 + 1
        WHERE id = $1 AND revision = $2";
    SANDBOX_CLAIMS = "SELECT * FROM partner_sandbox_claim WHERE partner_id = $1 AND (reference = $2 OR $2 IS NULL) AND updated_at >= $3
        ORDER BY number DESC LIMIT $4 OFFSET $5";
    COUNT_SANDBOX_CLAIMS = "SELECT COUNT(*) FROM partner_sandbox_claim
        WHERE partner_id = $1 AND (reference = $2 OR $2 IS NULL) AND updated_at >= $3";

    WEBHOOK_DELIVERIES = "SELECT id, channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, fault, created_at, settled_at
        FROM outbox WHERE about_kind = 'partner' AND about_id = $1 AND channel = 'webhook' AND (state = $2 OR $2 IS NULL) AND id < $3
        ORDER BY id DESC LIMIT $4";
}

pub fn statements() -> &'static [(&'static str, &'static str)] {
    static ALL: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
        [STATEMENTS, accounts::STATEMENTS, commissions::STATEMENTS, usage::STATEMENTS, crate::trustee::store::STATEMENTS].concat()
    });
    &ALL
}

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
    pub locale: Locale,
    pub status: PartnerAccessStatus,
    pub reason: Option<String>,
    pub commission_kind: PartnerCommissionKind,
    pub commission_percent: String,
}

/// Values in one column, separated by spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpaceSeparated<T>(pub Vec<T>);

impl<T: fmt::Display> fmt::Display for SpaceSeparated<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(T::to_string).collect::<Vec<_>>().join(" "))
    }
}

impl<T: FromStr> FromStr for SpaceSeparated<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        text.split_whitespace().map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

agio_core::text_column!(SpaceSeparated<KeyScope>);
agio_core::text_column!(SpaceSeparated<Network>);

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct KeyRow {
    pub id: Uuid,
    pub partner_id: Uuid,
    pub name: String,
    pub title: String,
    pub sandbox: bool,
    pub scopes: SpaceSeparated<KeyScope>,
    /// Empty for any address.
    pub networks: SpaceSeparated<Network>,
    pub per_minute: i64,
    pub secret: String,
    pub created_at: Timestamp,
    pub revoked_at: Option<Timestamp>,
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct SandboxClaimRow {
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

pub async fn partners(tx: &mut Tx) -> Result<Vec<PartnerRow>> {
    fetch_all!(tx, PartnerRow, PARTNERS)
}

/// # Errors
/// 404 `partner_not_found`.
pub async fn partner(tx: &mut Tx, id: Uuid) -> Result<PartnerRow> {
    fetch_optional!(tx, PartnerRow, PARTNER, id)?.ok_or_else(|| Error::not_found("partner_not_found"))
}

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
        *locale,
        row.status,
    );
    stored.map_err(|refused| match refused.constraint() {
        // Two concurrent requests of one account.
        Some(Constraint::Unique) => Error::conflict("partner_changed"),
        _ => refused,
    })
}

/// # Errors
/// 409 `partner_changed` if the revision is stale.
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
        *locale,
        row.status,
        row.reason.as_deref(),
        row.commission_kind,
        &row.commission_percent,
    )?;
    if stored == 1 { Ok(()) } else { Err(Error::conflict("partner_changed")) }
}

pub async fn keys(tx: &mut Tx) -> Result<Vec<KeyRow>> {
    fetch_all!(tx, KeyRow, KEYS)
}

/// Newest first, including revoked keys.
pub async fn keys_of(tx: &mut Tx, partner: Uuid) -> Result<Vec<KeyRow>> {
    fetch_all!(tx, KeyRow, KEYS_OF_PARTNER, partner)
}

/// # Errors
/// 404 `partner_key_not_found`.
pub async fn key_of(tx: &mut Tx, partner: Uuid, id: Uuid) -> Result<KeyRow> {
    fetch_optional!(tx, KeyRow, KEY_OF_PARTNER, id, partner)?.ok_or_else(|| Error::not_found("partner_key_not_found"))
}

/// Keys that are not revoked.
pub async fn key_count(tx: &mut Tx, partner: Uuid) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), COUNT_KEYS, partner)?.0)
}

pub async fn insert_key(tx: &mut Tx, row: &KeyRow) -> Result<()> {
    let KeyRow { id, partner_id, name, title, sandbox, scopes, networks, per_minute, secret, created_at, .. } = row;
    let (scopes, networks) = (scopes.to_string(), networks.to_string());
    write_one!(tx, INSERT_KEY, *id, *partner_id, name, title, *sandbox, scopes, networks, *per_minute, secret, *created_at)
}

/// False if it was already revoked.
pub async fn revoke_key(tx: &mut Tx, partner: Uuid, id: Uuid, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, REVOKE_KEY, id, partner, now)? == 1)
}

/// # Errors
/// A `Condition` constraint if the nonce was used or the key is no longer valid.
pub async fn use_nonce(tx: &mut Tx, key: Uuid, nonce: &str, expires_at: Timestamp) -> Result<()> {
    write_one!(tx, USE_NONCE, key, nonce, expires_at)
}

pub async fn is_good(tx: &mut Tx, key: Uuid) -> Result<bool> {
    Ok(fetch_one!(tx, (i64,), IS_GOOD_KEY, key)?.0 > 0)
}

pub async fn next_sandbox_number(tx: &mut Tx, partner: Uuid) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), NEXT_SANDBOX_NUMBER, partner)?.0)
}

/// # Errors
/// 409 `reference_taken` if another claim of the partner has this reference.
pub async fn insert_sandbox_claim(tx: &mut Tx, row: &SandboxClaimRow) -> Result<()> {
    if let Some(reference) = &row.reference
        && fetch_optional!(tx, (Uuid,), SANDBOX_CLAIM_BY_REFERENCE, row.partner_id, reference)?.is_some()
    {
        return Err(Error::conflict("reference_taken"));
    }
    let SandboxClaimRow { id, partner_id, number, reference, callback, position, claim, created_at, .. } = row;
    let stored = write_one!(
        tx,
        INSERT_SANDBOX_CLAIM,
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
        // Two concurrent inserts; the second must retry.
        Some(Constraint::Unique) => Error::new(agio_core::ErrorKind::Unavailable, "overloaded").retry_after(1),
        _ => refused,
    })
}

/// # Errors
/// 404 `claim_not_found`.
pub async fn sandbox_claim(tx: &mut Tx, partner: Uuid, id: Uuid) -> Result<SandboxClaimRow> {
    fetch_optional!(tx, SandboxClaimRow, SANDBOX_CLAIM, id, partner)?.ok_or_else(|| Error::not_found("claim_not_found"))
}

/// # Errors
/// 409 `claim_changed` if the revision is stale.
pub async fn update_sandbox_claim(tx: &mut Tx, row: &SandboxClaimRow) -> Result<()> {
    let stored = execute!(tx, UPDATE_SANDBOX_CLAIM, row.id, row.revision, &row.position, &row.claim, row.updated_at)?;
    if stored == 1 { Ok(()) } else { Err(Error::conflict("claim_changed")) }
}

/// Newest first, with the total count.
pub async fn sandbox_claims(
    tx: &mut Tx,
    partner: Uuid,
    wanted: &agio_contracts::PartnerClaimQuery,
) -> Result<(Vec<SandboxClaimRow>, i64)> {
    let (reference, since) = (wanted.reference.as_deref(), wanted.updated_since.unwrap_or(Timestamp(0)));
    let rows = fetch_all!(tx, SandboxClaimRow, SANDBOX_CLAIMS, partner, reference, since, wanted.size, wanted.from)?;
    Ok((rows, fetch_one!(tx, (i64,), COUNT_SANDBOX_CLAIMS, partner, reference, since)?.0))
}

/// Newest first.
pub async fn webhook_deliveries(
    tx: &mut Tx,
    partner: Uuid,
    state: Option<OutboxState>,
    before: i64,
    size: i64,
) -> Result<Vec<Message>> {
    fetch_all!(tx, Message, WEBHOOK_DELIVERIES, partner.to_string(), state, before, size)
}

//! Partner keys.

use std::sync::Arc;

use agio_core::idempotency::Key as Once;
use agio_core::identity::{Actor, AuditActorKind};
use agio_core::networks::Network;
use agio_core::{Error, FieldError, Result, hex};
use serde_json::json;
use uuid::Uuid;

use super::Partners;
use super::admin::{NAME_MAX, notify_nodes, record_audit, text_error};
use super::key_cache::key_purpose;
use crate::model::KeyScope;
use crate::store::{self, KeyRow, SpaceSeparated};

const KEYS_MAX: i64 = 20;
const NETWORKS_MAX: usize = 32;
const PER_MINUTE_MAX: i64 = 6_000;

#[derive(Clone, Debug)]
pub struct NewPartnerKey {
    pub title: String,
    pub sandbox: bool,
    pub scopes: Vec<KeyScope>,
    /// Empty allows any address.
    pub networks: Vec<String>,
    pub per_minute: i64,
}

#[derive(Clone, Debug)]
pub struct PartnerKeyWithSecret {
    pub row: KeyRow,
    pub secret: String,
}

impl Partners {
    /// Repeating the request with the same idempotency key returns the same key and secret.
    ///
    /// # Errors
    /// 404 `partner_not_found`; 422 with field errors; 409 `too_many_keys`.
    pub async fn create_key(
        &self,
        partner: Uuid,
        new: NewPartnerKey,
        by: Actor,
        once: Option<Once>,
    ) -> Result<PartnerKeyWithSecret> {
        let (now, id) = (self.platform.clock.now(), self.platform.random.uuid());
        let (scopes, networks) = check_key(&new)?;
        let mut name = [0; 12];
        self.platform.random.fill(&mut name);
        let row = Arc::new(KeyRow {
            id,
            partner_id: partner,
            name: format!("agio_{}_{}", if new.sandbox { "test" } else { "live" }, hex::encode(name)),
            title: new.title.trim().to_owned(),
            sandbox: new.sandbox,
            scopes,
            networks,
            per_minute: new.per_minute,
            secret: self.sealed(&key_purpose(id)),
            created_at: now,
            revoked_at: None,
        });
        let emails = self.emails.clone();
        let id: Uuid = self
            .change(once, now, move |tx, platform| {
                let emails = emails.clone();
                let (row, by) = (row.clone(), by.clone());
                Box::pin(async move {
                    let partner = store::partner(tx, row.partner_id).await?;
                    // Serialised, so that the count is exact.
                    tx.lock("partner_key", &row.partner_id.to_string()).await?;
                    if store::key_count(tx, row.partner_id).await? >= KEYS_MAX {
                        return Err(Error::conflict("too_many_keys").with("max", KEYS_MAX));
                    }
                    store::insert_key(tx, &row).await?;
                    let KeyRow { name, title, sandbox, scopes, networks, per_minute, .. } = &*row;
                    let (scopes, networks) = (scopes.to_string(), networks.to_string());
                    let after = json!({ "key": name, "title": title, "sandbox": sandbox, "scopes": scopes, "networks": networks,
                    "perMinute": per_minute });
                    record_audit(tx, &by, "partner.key_created", row.partner_id, (None, Some(after)), now).await?;
                    if by.kind == AuditActorKind::Customer && !sandbox {
                        emails.send_key_created(tx, &partner, &row, now).await?;
                    }
                    notify_nodes(tx, platform);
                    Ok(row.id)
                })
            })
            .await?;
        let row = store::key_of(&mut self.platform.db.read().await?, partner, id).await?;
        Ok(PartnerKeyWithSecret { secret: self.opened(&key_purpose(id), &row.secret)?, row })
    }

    /// Revoking a revoked key changes nothing.
    ///
    /// # Errors
    /// 404 `partner_key_not_found`.
    pub async fn revoke_key(&self, partner: Uuid, id: Uuid, by: Actor) -> Result<KeyRow> {
        let now = self.platform.clock.now();
        self.change(None, now, move |tx, platform| {
            let by = by.clone();
            Box::pin(async move {
                let key = store::key_of(tx, partner, id).await?;
                if store::revoke_key(tx, partner, id, now).await? {
                    let before = json!({ "key": key.name, "title": key.title });
                    record_audit(tx, &by, "partner.key_revoked", partner, (Some(before), None), now).await?;
                    notify_nodes(tx, platform);
                }
                Ok(())
            })
        })
        .await?;
        store::key_of(&mut self.platform.db.read().await?, partner, id).await
    }
}

/// The valid scopes, each once, and networks.
pub(super) fn check_key(new: &NewPartnerKey) -> Result<(SpaceSeparated<KeyScope>, SpaceSeparated<Network>)> {
    let mut wrong = Vec::new();
    wrong.extend(text_error("title", new.title.trim(), NAME_MAX));
    let mut scopes = new.scopes.clone();
    scopes.sort();
    scopes.dedup();
    if scopes.is_empty() || scopes.len() != new.scopes.len() {
        wrong.push(FieldError::new("scopes", "scopes_invalid"));
    }
    let networks: Result<Vec<Network>, _> = new.networks.iter().map(|network| network.trim().parse()).collect();
    if new.networks.len() > NETWORKS_MAX || networks.is_err() {
        wrong.push(FieldError::new("networks", "network_invalid"));
    }
    if !(1..=PER_MINUTE_MAX).contains(&new.per_minute) {
        wrong.push(FieldError::new("perMinute", "per_minute_invalid").with("min", 1).with("max", PER_MINUTE_MAX));
    }
    match networks {
        Ok(networks) if wrong.is_empty() => Ok((SpaceSeparated(scopes), SpaceSeparated(networks))),
        _ => Err(Error::invalid(wrong)),
    }
}

//! Keys that staff give partners and take back.

use std::sync::Arc;

use agio_core::idempotency::Key as Once;
use agio_core::identity::{Actor, ActorKind};
use agio_core::networks::Network;
use agio_core::{Error, FieldError, Result, hex};
use serde_json::json;
use uuid::Uuid;

use super::Partners;
use super::desk::{NAME_MAX, bad_text, fault, log, tell};
use super::keyring::key_purpose;
use crate::model::scope::Scope;
use crate::store::{self, KeyRow};

/// The most good keys of a partner, and networks of a key.
const KEYS_MAX: i64 = 20;
const NETWORKS_MAX: usize = 32;
/// The most calls a minute a key may have.
const PER_MINUTE_MAX: i64 = 6_000;

/// A key as staff wish for one.
#[derive(Clone, Debug)]
pub struct KeyWish {
    /// What it is called.
    pub title: String,
    /// Whether its claims are rehearsals.
    pub sandbox: bool,
    /// What it may do.
    pub scopes: Vec<String>,
    /// From where; empty: from everywhere.
    pub networks: Vec<String>,
    /// Calls a minute.
    pub per_minute: i64,
}

/// A key that was made, with its secret.
#[derive(Clone, Debug)]
pub struct KeyMade {
    /// The key.
    pub row: KeyRow,
    /// What calls are signed with.
    pub secret: String,
}

impl Partners {
    /// Makes a key. The same request under the same key is answered with the same key and secret.
    ///
    /// # Errors
    /// 404 `partner_not_found`; 422 with the fields; 409 `too_many_keys`.
    pub async fn make_key(&self, partner: Uuid, wish: KeyWish, by: Actor, once: Option<Once>) -> Result<KeyMade> {
        let (now, id) = (self.platform.clock.now(), self.platform.random.uuid());
        let (scopes, networks) = check_key(&wish)?;
        let mut name = [0; 12];
        self.platform.random.fill(&mut name);
        let row = Arc::new(KeyRow {
            id,
            partner_id: partner,
            name: format!("agio_{}_{}", if wish.sandbox { "test" } else { "live" }, hex::encode(name)),
            title: wish.title.trim().to_owned(),
            sandbox: wish.sandbox,
            scopes,
            networks,
            per_minute: wish.per_minute,
            secret: self.sealed(&key_purpose(id)),
            created_at: now,
            revoked_at: None,
        });
        let letters = self.letters.clone();
        let id: Uuid = self
            .change(once, now, move |tx, platform| {
                let letters = letters.clone();
                let (row, by) = (row.clone(), by.clone());
                Box::pin(async move {
                    let partner = store::partner(tx, row.partner_id).await?;
                    // One after the other, so that they can be counted.
                    tx.lock("partner_key", &row.partner_id.to_string()).await?;
                    if store::key_count(tx, row.partner_id).await? >= KEYS_MAX {
                        return Err(Error::conflict("too_many_keys").with("max", KEYS_MAX));
                    }
                    store::insert_key(tx, &row).await?;
                    let KeyRow { name, title, sandbox, scopes, networks, per_minute, .. } = &*row;
                    let after = json!({ "key": name, "title": title, "sandbox": sandbox, "scopes": scopes, "networks": networks,
                    "perMinute": per_minute });
                    log(tx, &by, "partner.key_created", row.partner_id, (None, Some(after)), now).await?;
                    if by.kind == ActorKind::Customer && !sandbox {
                        letters.key_made(tx, &partner, &row, now).await?;
                    }
                    tell(tx, platform);
                    Ok(row.id)
                })
            })
            .await?;
        let row = store::key_of(&mut self.platform.db.read().await?, partner, id).await?;
        Ok(KeyMade { secret: self.opened(&key_purpose(id), &row.secret)?, row })
    }

    /// Revokes a key. It opens nothing from now on; revoking it again changes nothing.
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
                    log(tx, &by, "partner.key_revoked", partner, (Some(before), None), now).await?;
                    tell(tx, platform);
                }
                Ok(())
            })
        })
        .await?;
        store::key_of(&mut self.platform.db.read().await?, partner, id).await
    }
}

/// The scopes and networks of a key as they are stored.
pub(super) fn check_key(wish: &KeyWish) -> Result<(String, String)> {
    let mut wrong = Vec::new();
    wrong.extend(bad_text("title", wish.title.trim(), NAME_MAX));
    let scopes: Result<Vec<Scope>, _> = wish.scopes.iter().map(|scope| scope.parse()).collect();
    let mut scopes = scopes.unwrap_or_default();
    scopes.sort();
    scopes.dedup();
    if scopes.is_empty() || scopes.len() != wish.scopes.len() {
        wrong.push(fault("scopes", "scopes_invalid"));
    }
    let networks: Result<Vec<Network>, _> = wish.networks.iter().map(|network| network.trim().parse()).collect();
    if wish.networks.len() > NETWORKS_MAX || networks.is_err() {
        wrong.push(fault("networks", "network_invalid"));
    }
    if !(1..=PER_MINUTE_MAX).contains(&wish.per_minute) {
        let params = [("min", "1".to_owned()), ("max", PER_MINUTE_MAX.to_string())].into();
        wrong.push(FieldError { field: "perMinute".into(), code: "per_minute_invalid", params });
    }
    if !wrong.is_empty() {
        return Err(Error::invalid(wrong));
    }
    let networks: Vec<String> = networks.unwrap_or_default().iter().map(ToString::to_string).collect();
    let scopes: Vec<&str> = scopes.iter().map(|scope| scope.name()).collect();
    Ok((scopes.join(" "), networks.join(" ")))
}

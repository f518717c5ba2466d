//! Partners and their keys in memory, with decrypted secrets.

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;

use agio_core::networks::Network;
use agio_core::{Error, Platform, Result};
use arc_swap::ArcSwap;
use uuid::Uuid;

use crate::model::KeyScope;
use crate::model::PartnerAccessStatus;
use crate::store::{self, KeyRow, PartnerRow};

pub(crate) struct CachedPartner {
    pub id: Uuid,
    pub name: String,
    pub webhook_secret: Vec<u8>,
}

pub(crate) struct CachedKey {
    pub id: Uuid,
    pub partner: Arc<CachedPartner>,
    pub title: String,
    pub sandbox: bool,
    pub scopes: Vec<KeyScope>,
    pub networks: Vec<Network>,
    pub per_minute: u32,
    pub secret: Vec<u8>,
}

#[derive(Default)]
struct CachedKeys {
    keys: HashMap<String, Arc<CachedKey>>,
    partners: HashMap<Uuid, Arc<CachedPartner>>,
}

/// The valid keys. Clones share one cache.
#[derive(Clone, Default)]
pub struct KeyCache(Arc<ArcSwap<CachedKeys>>);

impl KeyCache {
    pub(crate) fn key(&self, name: &str) -> Option<Arc<CachedKey>> {
        self.0.load().keys.get(name).cloned()
    }

    pub(crate) fn partner(&self, id: Uuid) -> Option<Arc<CachedPartner>> {
        self.0.load().partners.get(&id).cloned()
    }

    pub(crate) async fn load(&self, platform: &Platform) -> Result<()> {
        let mut tx = platform.db.read().await?;
        let (partners, keys) = (store::partners(&mut tx).await?, store::keys(&mut tx).await?);
        let mut cache = CachedKeys::default();
        for row in &partners {
            cache.partners.insert(row.id, Arc::new(cached_partner(platform, row)?));
        }
        let statuses: HashMap<Uuid, PartnerAccessStatus> =
            partners.iter().filter(|row| row.enabled).map(|row| (row.id, row.status)).collect();
        let is_good = |row: &KeyRow| {
            statuses.get(&row.partner_id).is_some_and(|status| row.sandbox || *status == PartnerAccessStatus::Approved)
        };
        for row in keys.iter().filter(|row| is_good(row)) {
            if let Some(partner) = cache.partners.get(&row.partner_id) {
                let key = key(platform, row, partner.clone())?;
                cache.keys.insert(row.name.clone(), Arc::new(key));
            }
        }
        self.0.store(Arc::new(cache));
        Ok(())
    }
}

/// Encryption context of key secrets.
pub(crate) fn key_purpose(id: impl Display) -> String {
    format!("partner key {id}")
}

/// Encryption context of webhook secrets.
pub(crate) fn webhook_purpose(id: impl Display) -> String {
    format!("partner webhook {id}")
}

fn cached_partner(platform: &Platform, row: &PartnerRow) -> Result<CachedPartner> {
    let webhook_secret = platform.vault.open(&webhook_purpose(row.id), &row.webhook_secret)?;
    Ok(CachedPartner { id: row.id, name: row.name.clone(), webhook_secret })
}

fn key(platform: &Platform, row: &KeyRow, partner: Arc<CachedPartner>) -> Result<CachedKey> {
    Ok(CachedKey {
        id: row.id,
        partner,
        title: row.title.clone(),
        sandbox: row.sandbox,
        scopes: row.scopes.0.clone(),
        networks: row.networks.0.clone(),
        per_minute: u32::try_from(row.per_minute).map_err(Error::internal)?,
        secret: platform.vault.open(&key_purpose(row.id), &row.secret)?,
    })
}

//! Partners and their keys in memory, secrets opened: each call is measured against them.

use std::collections::HashMap;
use std::sync::Arc;

use agio_core::networks::Network;
use agio_core::{Error, Platform, Result};
use arc_swap::ArcSwap;
use uuid::Uuid;

use crate::model::scope::Scope;
use crate::model::standing::PartnerStanding;
use crate::store::{self, KeyRow, PartnerRow};

/// A partner as calls and news need it.
pub(crate) struct Held {
    pub id: Uuid,
    pub name: String,
    pub webhook_secret: Vec<u8>,
}

/// A key that is good.
pub(crate) struct Key {
    pub id: Uuid,
    pub partner: Arc<Held>,
    pub title: String,
    pub sandbox: bool,
    pub scopes: Vec<Scope>,
    pub networks: Vec<Network>,
    pub per_minute: u32,
    pub secret: Vec<u8>,
}

#[derive(Default)]
struct Ring {
    keys: HashMap<String, Arc<Key>>,
    partners: HashMap<Uuid, Arc<Held>>,
}

/// The keys that are good. Clones share them.
#[derive(Clone, Default)]
pub struct Keyring(Arc<ArcSwap<Ring>>);

impl Keyring {
    /// A key by its name.
    pub(crate) fn key(&self, name: &str) -> Option<Arc<Key>> {
        self.0.load().keys.get(name).cloned()
    }

    /// A partner.
    pub(crate) fn partner(&self, id: Uuid) -> Option<Arc<Held>> {
        self.0.load().partners.get(&id).cloned()
    }

    /// Reads everything anew.
    ///
    /// # Errors
    /// The database cannot be read, or a secret not be opened.
    pub(crate) async fn load(&self, platform: &Platform) -> Result<()> {
        let mut tx = platform.db.read().await?;
        let (partners, keys) = (store::partners(&mut tx).await?, store::keys(&mut tx).await?);
        let mut ring = Ring::default();
        for row in &partners {
            ring.partners.insert(row.id, Arc::new(held(platform, row)?));
        }
        let standings: HashMap<Uuid, PartnerStanding> =
            partners.iter().filter(|row| row.enabled).map(|row| (row.id, row.standing)).collect();
        let is_good = |row: &KeyRow| {
            standings.get(&row.partner_id).is_some_and(|standing| row.sandbox || *standing == PartnerStanding::Approved)
        };
        for row in keys.iter().filter(|row| is_good(row)) {
            if let Some(partner) = ring.partners.get(&row.partner_id) {
                let key = key(platform, row, partner.clone())?;
                ring.keys.insert(row.name.clone(), Arc::new(key));
            }
        }
        self.0.store(Arc::new(ring));
        Ok(())
    }
}

/// What the secret of a key is sealed for.
pub(super) fn key_purpose(id: Uuid) -> String {
    format!("partner key {id}")
}

/// What the secret of a partner's news is sealed for.
pub(super) fn webhook_purpose(id: Uuid) -> String {
    format!("partner webhook {id}")
}

fn held(platform: &Platform, row: &PartnerRow) -> Result<Held> {
    let webhook_secret = platform.vault.open(&webhook_purpose(row.id), &row.webhook_secret)?;
    Ok(Held { id: row.id, name: row.name.clone(), webhook_secret })
}

fn key(platform: &Platform, row: &KeyRow, partner: Arc<Held>) -> Result<Key> {
    Ok(Key {
        id: row.id,
        partner,
        title: row.title.clone(),
        sandbox: row.sandbox,
        scopes: words(&row.scopes)?,
        networks: words(&row.networks)?,
        per_minute: u32::try_from(row.per_minute).map_err(Error::internal)?,
        secret: platform.vault.open(&key_purpose(row.id), &row.secret)?,
    })
}

/// The words of a list with spaces.
pub(super) fn words<T: std::str::FromStr<Err = String>>(text: &str) -> Result<Vec<T>> {
    text.split_whitespace().map(|word| word.parse().map_err(Error::internal)).collect()
}

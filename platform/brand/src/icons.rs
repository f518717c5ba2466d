//! Icons of currencies that an owner uploads.
//!
//! An icon is named by its content. Currencies name it as they name a built-in one, so it goes wherever the name goes:
//! into the market file, tables and the public API.

use std::collections::{BTreeMap, BTreeSet};

use agio_contracts::{MarketOutline, MarketPart, MarketPartChange, PartEntries};
use agio_core::audit::{self, NewAuditEntry};
use agio_core::events::ChangeEvent;
use agio_core::identity::{Actor, Staff};
use agio_core::{BoxFuture, Error, FieldError, Result, Tx, hex};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::sync::Arc;

use crate::{Brands, store};

/// Maximum size of an icon, in bytes.
pub const ICON_BYTES_MAX: usize = 64 * 1024;
/// Every node keeps them in memory.
const ICONS_MAX: i64 = 1_000;
/// Built-in icons have other names.
const PREFIX: &str = "upload-";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Icons by name.
pub type CurrencyIcons = BTreeMap<String, Arc<[u8]>>;

/// The name of an icon. Different icons have different names.
fn name_of(content: &[u8]) -> String {
    format!("{PREFIX}{}", hex::encode(&Sha256::digest(content)[..8]))
}

impl Brands {
    /// An uploaded icon, a PNG.
    pub fn currency_icon(&self, name: &str) -> Option<Arc<[u8]>> {
        self.icons.load().get(name).cloned()
    }

    /// Loads the icons that this node does not know yet.
    pub async fn load_icons(&self) -> Result<()> {
        let mut tx = self.platform.db.read().await?;
        let known = self.icons.load_full();
        let names = store::icon_names(&mut tx).await?;
        let mut loaded = CurrencyIcons::new();
        for name in names.into_iter().filter(|name| !known.contains_key(name)) {
            if let Some(content) = store::icon(&mut tx, &name).await? {
                loaded.insert(name, content.into());
            }
        }
        if !loaded.is_empty() {
            self.icons.rcu(|icons| {
                icons.iter().chain(&loaded).map(|(name, icon)| (name.clone(), icon.clone())).collect::<CurrencyIcons>()
            });
        }
        Ok(())
    }

    /// Stores an icon, a PNG, and returns its name.
    ///
    /// # Errors
    /// 422 `picture_too_heavy` at `file`; 409 `too_many_icons`.
    pub async fn add_currency_icon(&self, content: Vec<u8>, staff: &Staff) -> Result<String> {
        if content.len() > ICON_BYTES_MAX {
            let error = Error::unprocessable("validation_failed").with("max", ICON_BYTES_MAX / 1024);
            return Err(error.at("file", "picture_too_heavy"));
        }
        let name = name_of(&content);
        let (platform, work) = (self.platform.clone(), Arc::new((name.clone(), content, Actor::from(staff))));
        let stored = self.platform.db.write(move |tx| {
            let (platform, work) = (platform.clone(), work.clone());
            Box::pin(async move {
                let (name, content, by) = &*work;
                tx.lock("currency_icon", "").await?;
                if store::insert_icon(tx, name, content).await? {
                    if store::count_icons(tx).await? > ICONS_MAX {
                        return Err(Error::conflict("too_many_icons"));
                    }
                    record(tx, by, name, content, platform.clock.now()).await?;
                }
                Ok(())
            })
        });
        stored.await?;
        self.load_icons().await?;
        self.platform.events.publish(ChangeEvent::Market);
        Ok(name)
    }
}

async fn record(tx: &mut Tx, by: &Actor, name: &str, content: &[u8], now: agio_core::Timestamp) -> Result<()> {
    let after = Some(json!({ "bytes": content.len() }));
    let entry =
        NewAuditEntry { by, action: "currency_icon.uploaded", about: "currency_icon", id: name.to_owned(), before: None, after };
    audit::record(tx, entry, now).await
}

/// An icon in the market file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct IconEntry {
    name: String,
    /// Base64.
    png: String,
}

impl IconEntry {
    /// The content, if the name is its own.
    fn content(&self) -> Option<Vec<u8>> {
        let content = STANDARD.decode(&self.png).ok()?;
        let is_png = content.starts_with(PNG) && content.len() <= ICON_BYTES_MAX;
        Some(content).filter(|content| is_png && name_of(content) == self.name)
    }
}

impl MarketPart for Brands {
    fn key(&self) -> &'static str {
        "icons"
    }

    /// The uploaded icons that currencies name.
    fn export<'t>(&'t self, tx: &'t mut Tx, market: &'t MarketOutline) -> BoxFuture<'t, Result<Vec<Value>>> {
        Box::pin(async move {
            let named: BTreeSet<_> = market.currencies.values().map(|currency| currency.info.icon.as_str()).collect();
            let mut entries = Vec::new();
            for name in named.into_iter().filter(|name| name.starts_with(PREFIX)) {
                if let Some(content) = store::icon(tx, name).await? {
                    entries.push(json!({ "name": name, "png": STANDARD.encode(content) }));
                }
            }
            Ok(entries)
        })
    }

    /// Icons are only added: other currencies or files may name them.
    fn plan<'t>(&'t self, tx: &'t mut Tx, file: PartEntries<'t>) -> BoxFuture<'t, Result<Vec<MarketPartChange>>> {
        Box::pin(async move {
            let known: BTreeSet<_> = store::icon_names(tx).await?.into_iter().collect();
            let (mut changes, mut wrong) = (Vec::new(), Vec::new());
            for (place, value) in file.entries.iter().enumerate() {
                let at = |path: &str, code| FieldError::new(format!("[{place}]{path}"), code);
                match IconEntry::deserialize(value) {
                    Err(error) => wrong.push(at("", "market_file_syntax").with("reason", error)),
                    Ok(entry) if entry.content().is_none() => wrong.push(at(".png", "market_icon_invalid")),
                    Ok(entry) if known.contains(&entry.name) => {}
                    Ok(entry) => changes.push(MarketPartChange {
                        subject: format!("icon {}", entry.name),
                        entry: Some(place),
                        before: None,
                        after: Some(json!({ "name": entry.name })),
                        stored: json!(entry),
                    }),
                }
            }
            if wrong.is_empty() { Ok(changes) } else { Err(Error::invalid(wrong)) }
        })
    }

    fn apply<'t>(&'t self, tx: &'t mut Tx, changes: &'t [MarketPartChange], by: &'t Actor) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            for change in changes {
                let entry = IconEntry::deserialize(&change.stored).map_err(Error::internal)?;
                let content = entry.content().ok_or_else(|| Error::internal("a planned icon is not readable"))?;
                if store::insert_icon(tx, &entry.name, &content).await? {
                    record(tx, by, &entry.name, &content, self.platform.clock.now()).await?;
                }
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_icon_in_a_file_has_the_name_of_its_content() {
        let content = [PNG, b"content"].concat();
        let entry = |name: &str, content: &[u8]| IconEntry { name: name.into(), png: STANDARD.encode(content) };
        assert_eq!(entry(&name_of(&content), &content).content().as_deref(), Some(content.as_slice()));
        assert!(entry("upload-0123456789abcdef", &content).content().is_none());
        assert!(entry(&name_of(b"<svg>"), b"<svg>").content().is_none());
        let large = [PNG, &vec![0; ICON_BYTES_MAX]].concat();
        assert!(entry(&name_of(&large), &large).content().is_none());
        assert!(IconEntry { name: name_of(&content), png: "?".into() }.content().is_none());
    }
}

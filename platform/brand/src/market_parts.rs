//! The brand and its pictures in the market file.

use std::collections::BTreeSet;

use agio_contracts::{MarketOutline, MarketPart, MarketPartChange, PartEntries, PlannedEntry, plan_entries};
use agio_core::audit;
use agio_core::identity::Actor;
use agio_core::{BoxFuture, Error, FieldError, Result, Tx};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{Brand, BrandFile, BrandFileKind, Brands, FILE_BYTES_MAX, record, store};

/// Contents and endings of the pictures that an upload makes.
const MEDIA: [(&str, &str, &[u8]); 2] = [("image/png", ".png", b"\x89PNG\r\n\x1a\n"), ("image/jpeg", ".jpg", b"\xff\xd8\xff")];
const FILE_NAME_MAX: usize = 40;

/// What differs from a new brand.
fn stated(brand: &Brand) -> Result<Value> {
    let object = |brand: &Brand| match serde_json::to_value(brand) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Ok(Map::new()),
        Err(error) => Err(Error::internal(error)),
    };
    let new = object(&Brand::default())?;
    Ok(Value::Object(object(brand)?.into_iter().filter(|(key, value)| new.get(key) != Some(value)).collect()))
}

/// Everything about the exchange but its name, its address and its languages, which are settings.
pub struct BrandPart(pub Brands);

impl MarketPart for BrandPart {
    fn key(&self) -> &'static str {
        "brand"
    }

    fn export<'t>(&'t self, tx: &'t mut Tx, _market: &'t MarketOutline) -> BoxFuture<'t, Result<Vec<Value>>> {
        Box::pin(async move {
            let (_, brand) = store::get(tx).await?;
            Ok(if brand == Brand::default() { Vec::new() } else { vec![stated(&brand)?] })
        })
    }

    /// A file without a brand leaves it as it is.
    fn plan<'t>(&'t self, tx: &'t mut Tx, file: PartEntries<'t>) -> BoxFuture<'t, Result<Vec<MarketPartChange>>> {
        Box::pin(async move {
            let (_, stored) = store::get(tx).await?;
            plan_entries(file.entries, |brand: Brand| {
                let brand = brand.trimmed();
                let wrong = brand.errors();
                if !wrong.is_empty() {
                    return Err(wrong);
                }
                let shown = |brand: &Brand| stated(brand).map_err(|error| vec![FieldError::new("", error.code())]);
                let (before, after) = (Some(shown(&stored)?), shown(&brand)?);
                Ok(vec![PlannedEntry { subject: "brand".to_owned(), before, after, stored: json!(brand) }])
            })
        })
    }

    fn apply<'t>(&'t self, tx: &'t mut Tx, changes: &'t [MarketPartChange], by: &'t Actor) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            for change in changes {
                let after = Brand::deserialize(&change.stored).map_err(Error::internal)?;
                let (revision, before) = store::get(tx).await?;
                if !store::update(tx, revision, &after).await? {
                    return Err(Error::conflict("brand_changed"));
                }
                record(tx, by, "brand.changed", audit::difference(&before, &after)?, &self.0.platform).await?;
            }
            Ok(())
        })
    }
}

/// A picture of the brand in the size it is served in.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BrandFileEntry {
    kind: BrandFileKind,
    name: String,
    /// Base64.
    content: String,
}

impl BrandFileEntry {
    /// The file, if its content is what its name says.
    fn file(&self) -> Option<BrandFile> {
        let content = STANDARD.decode(&self.content).ok().filter(|content| content.len() <= FILE_BYTES_MAX)?;
        let is_media = |(_, ending, head): &&(&str, &str, &[u8])| self.name.ends_with(ending) && content.starts_with(head);
        let (media_type, ..) = MEDIA.iter().find(is_media)?;
        let in_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
        let is_named =
            self.name.len() <= FILE_NAME_MAX && self.name.starts_with(self.kind.name()) && self.name.bytes().all(in_name);
        is_named.then(|| BrandFile::new(self.kind, &self.name, media_type, content))
    }
}

/// The uploaded pictures.
pub struct BrandFilesPart(pub Brands);

/// What people read of a picture.
fn shown(file: &BrandFile) -> Value {
    json!({ "kind": file.kind.name(), "digest": file.digest })
}

impl MarketPart for BrandFilesPart {
    fn key(&self) -> &'static str {
        "brandFiles"
    }

    fn export<'t>(&'t self, tx: &'t mut Tx, _market: &'t MarketOutline) -> BoxFuture<'t, Result<Vec<Value>>> {
        Box::pin(async move {
            let entry = |file: BrandFile| {
                let content = STANDARD.encode(&file.content);
                json!(BrandFileEntry { kind: file.kind, name: file.name, content })
            };
            Ok(store::files(tx).await?.into_iter().map(entry).collect())
        })
    }

    /// Pictures of a kind that the file does not list stay.
    fn plan<'t>(&'t self, tx: &'t mut Tx, file: PartEntries<'t>) -> BoxFuture<'t, Result<Vec<MarketPartChange>>> {
        Box::pin(async move {
            let stored = store::files(tx).await?;
            plan_entries(file.entries, |entry: BrandFileEntry| {
                let file = entry.file().ok_or_else(|| vec![FieldError::new("content", "market_picture_invalid")])?;
                let before = stored.iter().find(|known| known.name == file.name).map(shown);
                Ok(vec![PlannedEntry {
                    subject: format!("picture {}", file.name),
                    before,
                    after: shown(&file),
                    stored: json!(entry),
                }])
            })
        })
    }

    fn apply<'t>(&'t self, tx: &'t mut Tx, changes: &'t [MarketPartChange], by: &'t Actor) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            let mut new = Vec::with_capacity(changes.len());
            for change in changes {
                let entry = BrandFileEntry::deserialize(&change.stored).map_err(Error::internal)?;
                new.push(entry.file().ok_or_else(|| Error::internal("a planned picture is not readable"))?);
            }
            let kinds: BTreeSet<BrandFileKind> = new.iter().map(|file| file.kind).collect();
            for kind in kinds {
                let mut files: Vec<BrandFile> = store::files(tx).await?.into_iter().filter(|file| file.kind == kind).collect();
                files.retain(|file| !new.iter().any(|new| new.name == file.name));
                files.extend(new.iter().filter(|file| file.kind == kind).cloned());
                self.0.put_files(tx, kind, &files, by).await?;
            }
            Ok(())
        })
    }
}

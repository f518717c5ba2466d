//! The brand and its files in the database, so that every node serves the same.

use agio_core::{Error, Result, Tx, execute, fetch_all, fetch_one, fetch_optional};

use crate::{Brand, BrandFile, BrandFileKind};

agio_core::statements! {
    BRAND = "SELECT revision, content FROM brand WHERE id = 1";
    UPDATE_BRAND = "UPDATE brand SET revision = revision + 1, content = $1 WHERE id = 1 AND revision = $2";
    COUNT_BRAND_REVISION = "UPDATE brand SET revision = revision + 1 WHERE id = 1";
    BRAND_FILES = "SELECT kind, name, media_type, digest, content FROM brand_file ORDER BY name";
    DELETE_BRAND_FILES = "DELETE FROM brand_file WHERE kind = $1";
    INSERT_BRAND_FILE = "INSERT INTO brand_file (kind, name, media_type, digest, content) VALUES ($1, $2, $3, $4, $5)";
    ICON_NAMES = "SELECT name FROM currency_icon ORDER BY name";
    ICON = "SELECT content FROM currency_icon WHERE name = $1";
    COUNT_ICONS = "SELECT COUNT(*) FROM currency_icon";
    INSERT_ICON = "INSERT INTO currency_icon (name, content) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
}

/// The brand and its revision.
pub async fn get(tx: &mut Tx) -> Result<(i64, Brand)> {
    let (revision, content) = fetch_one!(tx, (i64, String), BRAND)?;
    Ok((revision, serde_json::from_str(&content).map_err(Error::internal)?))
}

/// Returns whether the revision was still the current one.
pub async fn update(tx: &mut Tx, revision: i64, brand: &Brand) -> Result<bool> {
    let content = serde_json::to_string(brand).map_err(Error::internal)?;
    Ok(execute!(tx, UPDATE_BRAND, content, revision)? == 1)
}

pub async fn count_revision(tx: &mut Tx) -> Result<()> {
    execute!(tx, COUNT_BRAND_REVISION).map(drop)
}

pub async fn files(tx: &mut Tx) -> Result<Vec<BrandFile>> {
    fetch_all!(tx, (String, String, String, String, Vec<u8>), BRAND_FILES)?
        .into_iter()
        .map(|(kind, name, media_type, digest, content)| {
            Ok(BrandFile { kind: kind.parse().map_err(Error::internal)?, name, media_type, digest, content: content.into() })
        })
        .collect()
}

/// Returns how many there were.
pub async fn delete_files(tx: &mut Tx, kind: BrandFileKind) -> Result<u64> {
    execute!(tx, DELETE_BRAND_FILES, kind.name())
}

pub async fn insert_file(tx: &mut Tx, file: &BrandFile) -> Result<()> {
    let BrandFile { kind, name, media_type, digest, content } = file;
    execute!(tx, INSERT_BRAND_FILE, kind.name(), name, media_type, digest, content.to_vec()).map(drop)
}

pub async fn icon_names(tx: &mut Tx) -> Result<Vec<String>> {
    Ok(fetch_all!(tx, (String,), ICON_NAMES)?.into_iter().map(|(name,)| name).collect())
}

pub async fn icon(tx: &mut Tx, name: &str) -> Result<Option<Vec<u8>>> {
    Ok(fetch_optional!(tx, (Vec<u8>,), ICON, name)?.map(|(content,)| content))
}

pub async fn count_icons(tx: &mut Tx) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), COUNT_ICONS)?.0)
}

/// False if it is stored already.
pub async fn insert_icon(tx: &mut Tx, name: &str, content: &[u8]) -> Result<bool> {
    Ok(execute!(tx, INSERT_ICON, name, content)? == 1)
}

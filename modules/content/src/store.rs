//! Texts and messages in SQL.

use agio_core::texts::Locale;
use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional};
use uuid::Uuid;

use crate::model::{Page, Text};

agio_core::statements! {
    /// The newest version of each page, in both languages.
    PRESENT_TEXTS = "SELECT version.page, version.version, version.published_at, text.locale, text.title, text.description, text.markdown
        FROM content_version version
        JOIN content_text text ON text.page = version.page AND text.version = version.version
        WHERE version.version = (SELECT MAX(other.version) FROM content_version other WHERE other.page = version.page)";
    INSERT_VERSION = "INSERT INTO content_version (page, version, note, changed, published_by, published_name, published_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    /// The first version of a page, if it has none; two nodes may start at the same moment.
    INSERT_FIRST_VERSION = "INSERT INTO content_version (page, version, note, changed, published_by, published_name, published_at)
        VALUES ($1, 1, '', 'ru en', NULL, '', $2) ON CONFLICT (page, version) DO NOTHING";
    INSERT_TEXT = "INSERT INTO content_text (page, version, locale, title, description, markdown) VALUES ($1, $2, $3, $4, $5, $6)";
    VERSION = "SELECT * FROM content_version WHERE page = $1 AND version = $2";
    VERSIONS = "SELECT * FROM content_version WHERE page = $1 AND version < $2 ORDER BY version DESC LIMIT $3";
    NEWEST_VERSIONS = "SELECT * FROM content_version version
        WHERE version = (SELECT MAX(other.version) FROM content_version other WHERE other.page = version.page)";
    TEXTS = "SELECT locale, title, description, markdown FROM content_text WHERE page = $1 AND version = $2";

    INSERT_MESSAGE = "INSERT INTO contact_message (id, name, email, message, locale, customer_id, household, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    MESSAGES_SINCE = "SELECT COUNT(*), MIN(created_at) FROM contact_message WHERE household = $1 AND created_at > $2";
    MESSAGES = "SELECT id, name, email, message, locale, customer_id, created_at FROM contact_message
        WHERE (created_at, id) < ($1, $2) ORDER BY created_at DESC, id DESC LIMIT $3";
    DELETE_OLD_MESSAGES = "DELETE FROM contact_message WHERE created_at < $1";
}

/// A text that is published now.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Present {
    pub page: Page,
    pub version: i64,
    pub published_at: Timestamp,
    locale: String,
    title: String,
    description: String,
    markdown: String,
}

/// What is known of a version besides its texts.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Version {
    pub page: Page,
    pub version: i64,
    pub note: String,
    pub changed: String,
    pub published_by: Option<Uuid>,
    pub published_name: String,
    pub published_at: Timestamp,
}

/// What a visitor wrote.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Message {
    pub id: Uuid,
    pub name: String,
    pub email: String,
    pub message: String,
    pub locale: String,
    pub customer_id: Option<Uuid>,
    pub created_at: Timestamp,
}

impl Present {
    /// Its language and its text.
    pub fn into_text(self) -> (Locale, Text) {
        let locale = self.locale.parse().unwrap_or_default();
        (locale, Text { title: self.title, description: self.description, markdown: self.markdown })
    }
}

/// The texts that are published now.
pub async fn present(tx: &mut Tx) -> Result<Vec<Present>> {
    fetch_all!(tx, Present, PRESENT_TEXTS)
}

/// Stores a page's first version; false when it has one.
pub async fn insert_first(tx: &mut Tx, page: Page, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, INSERT_FIRST_VERSION, page, now)? == 1)
}

/// Stores what is known of a new version.
pub async fn insert_version(tx: &mut Tx, version: &Version) -> Result<()> {
    let Version { page, version, note, changed, published_by, published_name, published_at } = version;
    execute!(tx, INSERT_VERSION, page, version, note, changed, published_by, published_name, published_at).map(drop)
}

/// Stores a text of a version.
pub async fn insert_text(tx: &mut Tx, page: Page, version: i64, locale: Locale, text: &Text) -> Result<()> {
    let Text { title, description, markdown } = text;
    execute!(tx, INSERT_TEXT, page, version, locale.to_string(), title, description, markdown).map(drop)
}

/// A version of a page.
pub async fn version(tx: &mut Tx, page: Page, version: i64) -> Result<Option<Version>> {
    fetch_optional!(tx, Version, VERSION, page, version)
}

/// Versions of a page before one, the newest first.
pub async fn versions(tx: &mut Tx, page: Page, before: i64, size: i64) -> Result<Vec<Version>> {
    fetch_all!(tx, Version, VERSIONS, page, before, size)
}

/// The newest version of each page.
pub async fn newest(tx: &mut Tx) -> Result<Vec<Version>> {
    fetch_all!(tx, Version, NEWEST_VERSIONS)
}

/// The texts of a version.
pub async fn texts(tx: &mut Tx, page: Page, version: i64) -> Result<Vec<(Locale, Text)>> {
    let rows = fetch_all!(tx, (String, String, String, String), TEXTS, page, version)?;
    let read = rows.into_iter().map(|(locale, title, description, markdown)| {
        (locale.parse().unwrap_or_default(), Text { title, description, markdown })
    });
    Ok(read.collect())
}

/// Stores what a visitor wrote.
pub async fn insert_message(tx: &mut Tx, row: &Message, household: &str) -> Result<()> {
    let Message { id, name, email, message, locale, customer_id, created_at } = row;
    execute!(tx, INSERT_MESSAGE, id, name, email, message, locale, customer_id, household, created_at).map(drop)
}

/// How many messages came from a household since a moment, and when the first of them did.
pub async fn messages_since(tx: &mut Tx, household: &str, since: Timestamp) -> Result<(i64, Option<Timestamp>)> {
    fetch_one!(tx, (i64, Option<Timestamp>), MESSAGES_SINCE, household, since)
}

/// A page of messages before a place, the newest first.
pub async fn messages(tx: &mut Tx, before: (Timestamp, Uuid), size: i64) -> Result<Vec<Message>> {
    fetch_all!(tx, Message, MESSAGES, before.0, before.1, size)
}

/// Deletes messages that came before a moment.
pub async fn delete_messages_before(tx: &mut Tx, moment: Timestamp) -> Result<()> {
    execute!(tx, DELETE_OLD_MESSAGES, moment).map(drop)
}

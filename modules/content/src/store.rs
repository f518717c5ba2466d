//! SQL of texts and messages.

use agio_core::texts::Locale;
use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional};
use uuid::Uuid;

use agio_core::identity::Staff;

use crate::model::{ContentPageName, NewsState, NewsTexts, PageText};

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

    INSERT_NEWS = "INSERT INTO news_post (id, slug, created_at) VALUES ($1, $2, $3)";
    INSERT_NEWS_VERSION = "INSERT INTO news_version (post_id, version, state, ru_title, ru_description, ru_markdown, en_title, en_description,
            en_markdown, saved_by, saved_name, saved_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    NEWS = "SELECT post.id, post.slug, post.created_at, version.version, version.state, version.ru_title, version.ru_description,
            version.ru_markdown, version.en_title, version.en_description, version.en_markdown, version.saved_name, version.saved_at,
            (SELECT MIN(shown.saved_at) FROM news_version shown WHERE shown.post_id = post.id AND shown.state = 'published') AS published_at
        FROM news_post post JOIN news_version version ON version.post_id = post.id
        WHERE version.version = (SELECT MAX(other.version) FROM news_version other WHERE other.post_id = post.id)
            AND (post.created_at, post.id) < ($1, $2)
        ORDER BY post.created_at DESC, post.id DESC LIMIT $3";
    NEWS_POST = "SELECT post.id, post.slug, post.created_at, version.version, version.state, version.ru_title, version.ru_description,
            version.ru_markdown, version.en_title, version.en_description, version.en_markdown, version.saved_name, version.saved_at,
            (SELECT MIN(shown.saved_at) FROM news_version shown WHERE shown.post_id = post.id AND shown.state = 'published') AS published_at
        FROM news_post post JOIN news_version version ON version.post_id = post.id
        WHERE version.version = (SELECT MAX(other.version) FROM news_version other WHERE other.post_id = post.id) AND post.id = $1";
    PUBLISHED_NEWS = "SELECT post.id, post.slug, post.created_at, version.version, version.state, version.ru_title, version.ru_description,
            version.ru_markdown, version.en_title, version.en_description, version.en_markdown, version.saved_name, version.saved_at,
            (SELECT MIN(shown.saved_at) FROM news_version shown WHERE shown.post_id = post.id AND shown.state = 'published') AS published_at
        FROM news_post post JOIN news_version version ON version.post_id = post.id
        WHERE version.version = (SELECT MAX(other.version) FROM news_version other WHERE other.post_id = post.id)
            AND version.state = 'published'
        ORDER BY published_at DESC, post.id DESC LIMIT $1";

    INSERT_MESSAGE = "INSERT INTO contact_message (id, name, email, message, locale, customer_id, network, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    MESSAGES_SINCE = "SELECT COUNT(*), MIN(created_at) FROM contact_message WHERE network = $1 AND created_at > $2";
    MESSAGES = "SELECT id, name, email, message, locale, customer_id, created_at FROM contact_message
        WHERE (created_at, id) < ($1, $2) ORDER BY created_at DESC, id DESC LIMIT $3";
    MESSAGES_OF_CUSTOMER = "SELECT id, name, email, message, locale, customer_id, created_at FROM contact_message
        WHERE customer_id = $1 OR email = $2 ORDER BY created_at DESC, id DESC";
    DELETE_MESSAGES_OF_CUSTOMER = "DELETE FROM contact_message WHERE customer_id = $1 OR email = $2";
}

/// A text of a current version.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct PublishedTextRow {
    pub page: ContentPageName,
    pub version: i64,
    pub published_at: Timestamp,
    locale: Locale,
    title: String,
    description: String,
    markdown: String,
}

/// A version without its texts.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ContentVersionRow {
    pub page: ContentPageName,
    pub version: i64,
    pub note: String,
    pub changed: String,
    pub published_by: Option<Uuid>,
    pub published_name: String,
    pub published_at: Timestamp,
}

/// A news post with its newest version.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct NewsRow {
    pub id: Uuid,
    pub slug: String,
    pub created_at: Timestamp,
    pub version: i64,
    pub state: NewsState,
    ru_title: String,
    ru_description: String,
    ru_markdown: String,
    en_title: String,
    en_description: String,
    en_markdown: String,
    /// Name of the staff member.
    pub saved_name: String,
    pub saved_at: Timestamp,
    /// Of the first publication.
    pub published_at: Option<Timestamp>,
}

impl NewsRow {
    pub fn texts(&self) -> NewsTexts {
        let text = |title: &String, description: &String, markdown: &String| PageText {
            title: title.clone(),
            description: description.clone(),
            markdown: markdown.clone(),
        };
        NewsTexts {
            ru: text(&self.ru_title, &self.ru_description, &self.ru_markdown),
            en: text(&self.en_title, &self.en_description, &self.en_markdown),
        }
    }
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ContactMessageRow {
    pub id: Uuid,
    pub name: String,
    pub email: String,
    pub message: String,
    pub locale: Locale,
    pub customer_id: Option<Uuid>,
    pub created_at: Timestamp,
}

impl PublishedTextRow {
    pub fn into_text(self) -> (Locale, PageText) {
        (self.locale, PageText { title: self.title, description: self.description, markdown: self.markdown })
    }
}

/// Texts of all current versions.
pub async fn published_texts(tx: &mut Tx) -> Result<Vec<PublishedTextRow>> {
    fetch_all!(tx, PublishedTextRow, PRESENT_TEXTS)
}

/// False if the page has a version.
pub async fn insert_first_version(tx: &mut Tx, page: ContentPageName, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, INSERT_FIRST_VERSION, page, now)? == 1)
}

pub async fn insert_version(tx: &mut Tx, version: &ContentVersionRow) -> Result<()> {
    let ContentVersionRow { page, version, note, changed, published_by, published_name, published_at } = version;
    execute!(tx, INSERT_VERSION, page, version, note, changed, published_by, published_name, published_at).map(drop)
}

pub async fn insert_text(tx: &mut Tx, page: ContentPageName, version: i64, locale: Locale, text: &PageText) -> Result<()> {
    let PageText { title, description, markdown } = text;
    execute!(tx, INSERT_TEXT, page, version, locale, title, description, markdown).map(drop)
}

pub async fn version(tx: &mut Tx, page: ContentPageName, version: i64) -> Result<Option<ContentVersionRow>> {
    fetch_optional!(tx, ContentVersionRow, VERSION, page, version)
}

/// Versions below `before`, newest first.
pub async fn versions(tx: &mut Tx, page: ContentPageName, before: i64, size: i64) -> Result<Vec<ContentVersionRow>> {
    fetch_all!(tx, ContentVersionRow, VERSIONS, page, before, size)
}

pub async fn newest(tx: &mut Tx) -> Result<Vec<ContentVersionRow>> {
    fetch_all!(tx, ContentVersionRow, NEWEST_VERSIONS)
}

pub async fn texts(tx: &mut Tx, page: ContentPageName, version: i64) -> Result<Vec<(Locale, PageText)>> {
    let rows = fetch_all!(tx, (Locale, String, String, String), TEXTS, page, version)?;
    let text = |(locale, title, description, markdown)| (locale, PageText { title, description, markdown });
    Ok(rows.into_iter().map(text).collect())
}

pub async fn insert_news(tx: &mut Tx, id: Uuid, slug: &str, now: Timestamp) -> Result<()> {
    execute!(tx, INSERT_NEWS, id, slug, now).map(drop)
}

pub async fn insert_news_version(
    tx: &mut Tx,
    id: Uuid,
    version: i64,
    (state, texts): (NewsState, &NewsTexts),
    staff: &Staff,
    now: Timestamp,
) -> Result<()> {
    let NewsTexts { ru, en } = texts;
    execute!(
        tx,
        INSERT_NEWS_VERSION,
        id,
        version,
        state,
        &ru.title,
        &ru.description,
        &ru.markdown,
        &en.title,
        &en.description,
        &en.markdown,
        staff.id,
        &staff.name,
        now
    )
    .map(drop)
}

/// Newest first.
pub async fn news(tx: &mut Tx, before: (Timestamp, Uuid), size: i64) -> Result<Vec<NewsRow>> {
    fetch_all!(tx, NewsRow, NEWS, before.0, before.1, size)
}

pub async fn news_post(tx: &mut Tx, id: Uuid) -> Result<Option<NewsRow>> {
    fetch_optional!(tx, NewsRow, NEWS_POST, id)
}

/// The posts that are published now, the newest publication first.
pub async fn published_news(tx: &mut Tx, size: i64) -> Result<Vec<NewsRow>> {
    fetch_all!(tx, NewsRow, PUBLISHED_NEWS, size)
}

pub async fn insert_message(tx: &mut Tx, row: &ContactMessageRow, network: &str) -> Result<()> {
    let ContactMessageRow { id, name, email, message, locale, customer_id, created_at } = row;
    execute!(tx, INSERT_MESSAGE, id, name, email, message, locale, customer_id, network, created_at).map(drop)
}

/// Number of messages from a network since then, and the time of the first.
pub async fn messages_since(tx: &mut Tx, network: &str, since: Timestamp) -> Result<(i64, Option<Timestamp>)> {
    fetch_one!(tx, (i64, Option<Timestamp>), MESSAGES_SINCE, network, since)
}

/// Newest first.
pub async fn messages(tx: &mut Tx, before: (Timestamp, Uuid), size: i64) -> Result<Vec<ContactMessageRow>> {
    fetch_all!(tx, ContactMessageRow, MESSAGES, before.0, before.1, size)
}

/// Messages of an account and from its address, newest first.
pub async fn messages_of_customer(tx: &mut Tx, account: Uuid, email: Option<&str>) -> Result<Vec<ContactMessageRow>> {
    fetch_all!(tx, ContactMessageRow, MESSAGES_OF_CUSTOMER, account, email)
}

pub async fn delete_messages_of_customer(tx: &mut Tx, account: Uuid, email: Option<&str>) -> Result<()> {
    execute!(tx, DELETE_MESSAGES_OF_CUSTOMER, account, email).map(drop)
}

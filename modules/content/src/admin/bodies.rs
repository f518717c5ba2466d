//! What the console is shown of texts, and what it sends.

use agio_core::texts::Locale;
use agio_core::{Error, Result, Timestamp};
use agio_http::{Moment, Null};
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::model::Text;
use crate::service::{Content, Draft, MessagePage, Shown, Whole};
use crate::store::{Message, Version};

/// A language.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
pub enum DeskContentLocale {
    /// Russian.
    Ru,
    /// English.
    En,
}

/// A text in one language, as it is written.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields)]
pub struct DeskContentText {
    /// The heading, up to 120 characters.
    title: String,
    /// What search engines show, up to 300 characters.
    description: String,
    /// The text in Markdown, up to 20000 characters. `{site}` and `{support}` are filled in.
    markdown: String,
}

/// A title in both languages.
#[derive(Clone, Debug, Serialize, Object)]
pub struct DeskContentTitle {
    /// In Russian.
    ru: String,
    /// In English.
    en: String,
}

/// What is known of a version.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskContentVersion {
    /// Its number, from 1.
    version: i64,
    /// What the editor said of it.
    note: String,
    /// The languages that differ from the version before.
    changed: Vec<DeskContentLocale>,
    /// Who published it; null for the text the house came with.
    published_by: Null<String>,
    /// When it was published.
    published_at: Moment,
}

/// A page in the list.
#[derive(Clone, Debug, Serialize, Object)]
pub struct DeskContentRow {
    /// The page.
    page: String,
    /// Its title.
    title: DeskContentTitle,
    /// Its newest version.
    newest: DeskContentVersion,
}

/// Every page.
#[derive(Debug, Serialize, Object)]
pub struct DeskContentList {
    /// The pages.
    items: Vec<DeskContentRow>,
}

/// A version of a page with its texts.
#[derive(Debug, Serialize, Object)]
pub struct DeskContent {
    /// The page.
    page: String,
    /// What is known of the version.
    version: DeskContentVersion,
    /// The Russian text.
    ru: DeskContentText,
    /// The English text.
    en: DeskContentText,
}

/// Versions of a page, the newest first.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskContentVersions {
    /// The versions.
    items: Vec<DeskContentVersion>,
    /// What the next page is asked for with; null on the last.
    next_cursor: Null<String>,
}

/// What is to be published.
#[derive(Debug, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields, example)]
pub struct DeskContentDraft {
    /// The version the texts were written over.
    over: i64,
    /// The Russian text, if it changed.
    ru: Option<DeskContentText>,
    /// The English text, if it changed.
    en: Option<DeskContentText>,
    /// What colleagues should know, up to 300 characters.
    note: String,
}

/// A text to be looked at.
#[derive(Debug, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields, example)]
pub struct DeskContentSample {
    /// Its language.
    locale: DeskContentLocale,
    /// The text.
    text: DeskContentText,
}

/// A text as the page will show it.
#[derive(Debug, Serialize, Object)]
pub struct DeskContentPreview {
    /// The heading: plain text.
    title: String,
    /// The description: plain text.
    description: String,
    /// The text: HTML that is safe to show.
    html: String,
}

/// What a visitor wrote.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskMessage {
    /// Identifier.
    id: Uuid,
    /// How the visitor wants to be called; may be empty.
    name: String,
    /// Where the answer goes.
    email: String,
    /// What it says.
    message: String,
    /// The language of the page it was written on.
    locale: DeskContentLocale,
    /// The account it was written in; null for a guest's.
    customer_id: Null<Uuid>,
    /// When it came.
    created_at: Moment,
}

/// Messages, the newest first.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskMessages {
    /// The messages.
    items: Vec<DeskMessage>,
    /// What the next page is asked for with; null on the last.
    next_cursor: Null<String>,
}

impl Example for DeskContentDraft {
    fn example() -> Self {
        Self { over: 1, ru: None, en: Some(text_example()), note: "Says how long refunds take".into() }
    }
}

impl Example for DeskContentSample {
    fn example() -> Self {
        Self { locale: DeskContentLocale::En, text: text_example() }
    }
}

fn text_example() -> DeskContentText {
    let description = "How an exchange goes, and what happens when something goes otherwise.";
    DeskContentText {
        title: "Exchange rules".into(),
        description: description.into(),
        markdown: "## 1. The claim\n\nA claim holds **one** exchange.\n".into(),
    }
}

impl From<DeskContentLocale> for Locale {
    fn from(locale: DeskContentLocale) -> Self {
        match locale {
            DeskContentLocale::Ru => Self::Ru,
            DeskContentLocale::En => Self::En,
        }
    }
}

impl From<Locale> for DeskContentLocale {
    fn from(locale: Locale) -> Self {
        match locale {
            Locale::Ru => Self::Ru,
            Locale::En => Self::En,
        }
    }
}

impl From<Text> for DeskContentText {
    fn from(text: Text) -> Self {
        Self { title: text.title, description: text.description, markdown: text.markdown }
    }
}

impl From<DeskContentText> for Text {
    fn from(text: DeskContentText) -> Self {
        Self { title: text.title, description: text.description, markdown: text.markdown }
    }
}

impl From<Version> for DeskContentVersion {
    fn from(row: Version) -> Self {
        let changed = row.changed.split(' ').filter_map(|name| name.parse::<Locale>().ok()).map(DeskContentLocale::from);
        Self {
            version: row.version,
            note: row.note,
            changed: changed.collect(),
            published_by: row.published_by.map(|_| row.published_name).into(),
            published_at: row.published_at.into(),
        }
    }
}

impl From<Whole> for DeskContent {
    fn from(whole: Whole) -> Self {
        Self { page: whole.version.page.to_string(), version: whole.version.into(), ru: whole.ru.into(), en: whole.en.into() }
    }
}

impl From<DeskContentDraft> for Draft {
    fn from(draft: DeskContentDraft) -> Self {
        Self { over: draft.over, ru: draft.ru.map(Text::from), en: draft.en.map(Text::from), note: draft.note }
    }
}

impl From<Shown> for DeskContentPreview {
    fn from(shown: Shown) -> Self {
        Self { title: shown.title, description: shown.description, html: shown.html }
    }
}

impl DeskContentSample {
    /// The language and the text, if it is within the bounds of what can be published. What is still empty may be looked at.
    pub fn read(self) -> Result<(Locale, Text)> {
        let (locale, text) = (Locale::from(self.locale), Text::from(self.text).tidied());
        let mut wrong = Vec::new();
        text.check(locale, &mut wrong);
        wrong.retain(|error| error.code != "required");
        if wrong.is_empty() { Ok((locale, text)) } else { Err(Error::invalid(wrong)) }
    }
}

impl DeskContentList {
    /// The pages as the console lists them.
    pub fn of(content: &Content, newest: Vec<Version>) -> Result<Self> {
        let row = |row: Version| {
            let title = |locale| content.shown(row.page, locale).map(|shown| shown.title.clone());
            let title = DeskContentTitle { ru: title(Locale::Ru)?, en: title(Locale::En)? };
            Ok(DeskContentRow { page: row.page.to_string(), title, newest: row.into() })
        };
        let mut newest = newest;
        newest.sort_by_key(|row| crate::model::Page::ALL.iter().position(|page| *page == row.page));
        Ok(Self { items: newest.into_iter().map(row).collect::<Result<_>>()? })
    }
}

impl DeskContentVersions {
    /// So many of these versions, and where the rest begins.
    pub fn of(mut rows: Vec<Version>, size: i64) -> Self {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let has_more = rows.len() > size;
        rows.truncate(size);
        let next = rows.last().filter(|_| has_more).map(|row| row.version.to_string());
        Self { items: rows.into_iter().map(DeskContentVersion::from).collect(), next_cursor: next.into() }
    }
}

impl From<MessagePage> for DeskMessages {
    fn from(page: MessagePage) -> Self {
        let cursor = |(at, id): (Timestamp, Uuid)| format!("{}_{}", at.0, id.simple());
        Self { items: page.rows.into_iter().map(DeskMessage::from).collect(), next_cursor: page.next.map(cursor).into() }
    }
}

impl From<Message> for DeskMessage {
    fn from(row: Message) -> Self {
        Self {
            id: row.id,
            name: row.name,
            email: row.email,
            message: row.message,
            locale: row.locale.parse::<Locale>().unwrap_or_default().into(),
            customer_id: row.customer_id.into(),
            created_at: row.created_at.into(),
        }
    }
}

/// Where a page begins, as the page before said it.
pub fn read_cursor(text: &str) -> Option<(Timestamp, Uuid)> {
    let (at, id) = text.split_once('_')?;
    Some((Timestamp(at.parse().ok()?), id.parse().ok()?))
}

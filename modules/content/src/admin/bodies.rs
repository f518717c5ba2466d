//! Request and response bodies of the console.

use agio_core::texts::Locale;
use agio_core::{Error, Result};
use agio_http::{ApiEnum, DateTime, Nullable, body};
use poem_openapi::types::Example;
use uuid::Uuid;

use crate::model::{ContentPageName, PageText};
use crate::service::{Content, PageDraft, PageVersion, RenderedPage};
use crate::store::{ContactMessageRow, ContentVersionRow};

/// Source text of a page in one language.
#[body(shared)]
#[derive(Clone, Debug)]
pub struct ContentMarkdown {
    /// Heading, up to 120 characters.
    title: String,
    /// Description for search engines, up to 300 characters.
    description: String,
    /// Markdown, up to 20000 characters. `{site}` and `{support}` are replaced.
    markdown: String,
}

/// A title in both languages.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ContentTitle {
    /// In Russian.
    pub ru: String,
    /// In English.
    pub en: String,
}

/// A version of a page, without its texts.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ContentVersionSummary {
    /// Version number, from 1.
    version: i64,
    /// The editor's note.
    note: String,
    /// Languages that differ from the previous version.
    changed: Vec<ApiEnum<Locale>>,
    /// Name of the publisher; null for the default text.
    published_by: Nullable<String>,
    published_at: DateTime,
}

/// A page with its latest version.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ContentPageSummary {
    page: ApiEnum<ContentPageName>,
    title: ContentTitle,
    /// The latest version.
    newest: ContentVersionSummary,
}

/// All pages.
#[body(response)]
#[derive(Debug)]
pub struct ContentPageList {
    items: Vec<ContentPageSummary>,
}

/// A version of a page with its texts.
#[body(response)]
#[derive(Debug)]
pub struct ContentVersionDetails {
    page: ApiEnum<ContentPageName>,
    version: ContentVersionSummary,
    /// The Russian text.
    ru: ContentMarkdown,
    /// The English text.
    en: ContentMarkdown,
}

/// A new version of a page.
#[body(shared, example)]
#[derive(Debug)]
pub struct PublishContentRequest {
    /// The version the texts are based on.
    over: i64,
    /// The Russian text, if it changed.
    ru: Option<ContentMarkdown>,
    /// The English text, if it changed.
    en: Option<ContentMarkdown>,
    /// Note for other editors, up to 300 characters.
    note: String,
}

/// A text to preview.
#[body(request, example)]
#[derive(Debug)]
pub struct PreviewContentRequest {
    locale: ApiEnum<Locale>,
    text: ContentMarkdown,
}

/// A rendered text.
#[body(response)]
#[derive(Debug)]
pub struct ContentPreview {
    /// Heading, plain text.
    pub title: String,
    /// Description, plain text.
    pub description: String,
    /// Sanitized HTML.
    pub html: String,
}

/// A message to support.
#[body(response)]
#[derive(Debug)]
pub struct ContactMessageView {
    id: Uuid,
    /// Name of the sender; may be empty.
    name: String,
    /// E-mail address for the reply.
    email: String,
    message: String,
    /// Language of the page it was sent from.
    locale: ApiEnum<Locale>,
    /// The sender's account; null for guests.
    customer_id: Nullable<Uuid>,
    created_at: DateTime,
}

impl Example for PublishContentRequest {
    fn example() -> Self {
        Self { over: 1, ru: None, en: Some(text_example()), note: "Says how long refunds take".into() }
    }
}

impl Example for PreviewContentRequest {
    fn example() -> Self {
        Self { locale: ApiEnum(Locale::En), text: text_example() }
    }
}

pub fn text_example() -> ContentMarkdown {
    let description = "How an exchange goes, and what happens when something goes otherwise.";
    ContentMarkdown {
        title: "Exchange rules".into(),
        description: description.into(),
        markdown: "## 1. The claim\n\nA claim holds **one** exchange.\n".into(),
    }
}

impl From<PageText> for ContentMarkdown {
    fn from(text: PageText) -> Self {
        Self { title: text.title, description: text.description, markdown: text.markdown }
    }
}

impl From<ContentMarkdown> for PageText {
    fn from(text: ContentMarkdown) -> Self {
        Self { title: text.title, description: text.description, markdown: text.markdown }
    }
}

impl From<ContentVersionRow> for ContentVersionSummary {
    fn from(row: ContentVersionRow) -> Self {
        let changed = row.changed.split(' ').filter_map(|name| name.parse::<Locale>().ok()).map(ApiEnum);
        Self {
            version: row.version,
            note: row.note,
            changed: changed.collect(),
            published_by: row.published_by.map(|_| row.published_name).into(),
            published_at: row.published_at.into(),
        }
    }
}

impl From<PageVersion> for ContentVersionDetails {
    fn from(page_version: PageVersion) -> Self {
        Self {
            page: ApiEnum(page_version.version.page),
            version: page_version.version.into(),
            ru: page_version.ru.into(),
            en: page_version.en.into(),
        }
    }
}

impl From<PublishContentRequest> for PageDraft {
    fn from(draft: PublishContentRequest) -> Self {
        Self { over: draft.over, ru: draft.ru.map(PageText::from), en: draft.en.map(PageText::from), note: draft.note }
    }
}

impl From<RenderedPage> for ContentPreview {
    fn from(rendered: RenderedPage) -> Self {
        Self { title: rendered.title, description: rendered.description, html: rendered.html }
    }
}

impl PreviewContentRequest {
    /// The text, checked like a publication except that fields may be empty.
    pub fn read(self) -> Result<(Locale, PageText)> {
        let (locale, text) = (self.locale.0, PageText::from(self.text).trimmed());
        let mut wrong = Vec::new();
        text.check(locale, &mut wrong);
        wrong.retain(|error| error.code != "required");
        if wrong.is_empty() { Ok((locale, text)) } else { Err(Error::invalid(wrong)) }
    }
}

impl ContentPageList {
    pub fn of(content: &Content, newest: Vec<ContentVersionRow>) -> Result<Self> {
        let row = |row: ContentVersionRow| {
            let title = |locale| content.rendered_page(row.page, locale).map(|rendered| rendered.title.clone());
            let title = ContentTitle { ru: title(Locale::Ru)?, en: title(Locale::En)? };
            Ok(ContentPageSummary { page: ApiEnum(row.page), title, newest: row.into() })
        };
        let mut newest = newest;
        newest.sort_by_key(|row| row.page);
        Ok(Self { items: newest.into_iter().map(row).collect::<Result<_>>()? })
    }
}

impl From<ContactMessageRow> for ContactMessageView {
    fn from(row: ContactMessageRow) -> Self {
        Self {
            id: row.id,
            name: row.name,
            email: row.email,
            message: row.message,
            locale: ApiEnum(row.locale),
            customer_id: row.customer_id.into(),
            created_at: row.created_at.into(),
        }
    }
}

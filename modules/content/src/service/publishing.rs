//! Publishing a text.

use std::sync::Arc;

use agio_core::audit::{self, Entry};
use agio_core::error::Constraint;
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Staff};
use agio_core::live::Notice;
use agio_core::texts::Locale;
use agio_core::{Error, Result, Timestamp, Tx};
use serde_json::{Value, json};

use super::Content;
use crate::model::{NOTE_MAX, Page, Text};
use crate::store::{self, Version};

/// What is to be published. A language without a text stays as it is.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The version it was written over.
    pub over: i64,
    /// The Russian text, if it changed.
    pub ru: Option<Text>,
    /// The English text, if it changed.
    pub en: Option<Text>,
    /// What colleagues should know.
    pub note: String,
}

/// A version with its texts.
#[derive(Clone, Debug)]
pub struct Whole {
    /// What is known of it.
    pub version: Version,
    /// The Russian text.
    pub ru: Text,
    /// The English text.
    pub en: Text,
}

impl Content {
    /// The newest version of every page.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn newest(&self) -> Result<Vec<Version>> {
        store::newest(&mut self.platform.db.read().await?).await
    }

    /// Versions of a page before one, the newest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn versions(&self, page: Page, before: i64, size: i64) -> Result<Vec<Version>> {
        store::versions(&mut self.platform.db.read().await?, page, before, size).await
    }

    /// A version with its texts; the newest where none is named.
    ///
    /// # Errors
    /// 404 `content_version_not_found`.
    pub async fn whole(&self, page: Page, version: Option<i64>) -> Result<Whole> {
        whole(&mut self.platform.db.read().await?, page, version).await
    }

    /// Publishes a new version and gives its number.
    ///
    /// # Errors
    /// 422 with the fields, `content_unchanged` when nothing differs; 409 `content_changed` when somebody published since the version
    /// it was written over.
    pub async fn publish(self: &Arc<Self>, page: Page, draft: Draft, staff: Staff, key: Option<Key>) -> Result<i64> {
        let draft = checked(draft)?;
        let (this, now) = (self.clone(), self.platform.clock.now());
        let work = Arc::new((draft, staff));
        let published = idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, work) = (this.clone(), work.clone());
            Box::pin(async move { this.carry_out(tx, page, &work.0, &work.1, now).await })
        });
        published.await.map_err(|error| match error.constraint() {
            // A colleague published in the same moment.
            Some(Constraint::Unique) => Error::conflict("content_changed"),
            _ => error,
        })
    }

    async fn carry_out(self: &Arc<Self>, tx: &mut Tx, page: Page, draft: &Draft, staff: &Staff, now: Timestamp) -> Result<i64> {
        let before = whole(tx, page, None).await?;
        if before.version.version != draft.over {
            return Err(Error::conflict("content_changed"));
        }
        let ru = draft.ru.clone().unwrap_or_else(|| before.ru.clone());
        let en = draft.en.clone().unwrap_or_else(|| before.en.clone());
        let changed: Vec<_> =
            [("ru", ru != before.ru), ("en", en != before.en)].into_iter().filter_map(|(name, is)| is.then_some(name)).collect();
        if changed.is_empty() {
            return Err(Error::unprocessable("content_unchanged"));
        }
        let version = Version {
            page,
            version: draft.over + 1,
            note: draft.note.clone(),
            changed: changed.join(" "),
            published_by: Some(staff.id),
            published_name: staff.name.clone(),
            published_at: now,
        };
        store::insert_version(tx, &version).await?;
        store::insert_text(tx, page, version.version, Locale::Ru, &ru).await?;
        store::insert_text(tx, page, version.version, Locale::En, &en).await?;
        let number = version.version;
        let after = json!({ "version": number, "changed": changed, "note": draft.note, "ru": summary(&ru), "en": summary(&en) });
        let was = json!({ "version": draft.over, "ru": summary(&before.ru), "en": summary(&before.en) });
        let (by, id) = (Actor::from(staff), page.to_string());
        let entry = Entry { by: &by, action: "content.published", about: "content", id, before: Some(was), after: Some(after) };
        audit::record(tx, entry, now).await?;
        let this = self.clone();
        tx.after_commit(move || {
            this.shelf.rcu(|shelf| shelf.publishing(page, number, now, ru.clone(), en.clone()));
            this.platform.live.tell(Notice::Content);
        });
        Ok(number)
    }
}

/// What the audit log says of a text; the text itself is kept with its version.
fn summary(text: &Text) -> Value {
    json!({ "title": text.title, "characters": text.markdown.chars().count() })
}

async fn whole(tx: &mut Tx, page: Page, version: Option<i64>) -> Result<Whole> {
    let not_found = || Error::not_found("content_version_not_found");
    let row = match version {
        Some(number) => store::version(tx, page, number).await?,
        None => store::versions(tx, page, i64::MAX, 1).await?.pop(),
    };
    let version = row.ok_or_else(not_found)?;
    let mut texts = store::texts(tx, page, version.version).await?;
    let mut take = |locale| {
        let at = texts.iter().position(|(of, _)| *of == locale)?;
        Some(texts.swap_remove(at).1)
    };
    let (ru, en) = take(Locale::Ru).zip(take(Locale::En)).ok_or_else(not_found)?;
    Ok(Whole { version, ru, en })
}

/// The draft without blanks around its texts, if they are within bounds.
fn checked(draft: Draft) -> Result<Draft> {
    let draft =
        Draft { ru: draft.ru.map(Text::tidied), en: draft.en.map(Text::tidied), note: draft.note.trim().to_owned(), ..draft };
    let mut wrong = Vec::new();
    for (locale, text) in [(Locale::Ru, &draft.ru), (Locale::En, &draft.en)] {
        if let Some(text) = text {
            text.check(locale, &mut wrong);
        }
    }
    if !wrong.is_empty() {
        return Err(Error::invalid(wrong));
    }
    let refused = |code| Err(Error::unprocessable("validation_failed").with("max", NOTE_MAX).at("note", code));
    match draft.note.chars().count() {
        0 => refused("required"),
        length if length > NOTE_MAX => refused("text_too_long"),
        _ if draft.note.chars().any(char::is_control) => refused("text_not_plain"),
        _ => Ok(draft),
    }
}

//! Publication of texts.

use std::sync::Arc;

use agio_core::audit::{self, NewAuditEntry};
use agio_core::error::Constraint;
use agio_core::events::ChangeEvent;
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Staff};
use agio_core::keyset::KeysetPage;
use agio_core::texts::Locale;
use agio_core::{Error, Result, Timestamp, Tx};
use serde_json::{Value, json};

use super::Content;
use crate::model::{ContentPageName, NOTE_MAX, PageText};
use crate::store::{self, ContentVersionRow};

/// A draft. A language without a text stays unchanged.
#[derive(Clone, Debug)]
pub struct PageDraft {
    /// The version it is based on.
    pub over: i64,
    pub ru: Option<PageText>,
    pub en: Option<PageText>,
    /// Note for other editors.
    pub note: String,
}

#[derive(Clone, Debug)]
pub struct PageVersion {
    pub version: ContentVersionRow,
    pub ru: PageText,
    pub en: PageText,
}

impl Content {
    /// The current version of every page.
    pub async fn newest(&self) -> Result<Vec<ContentVersionRow>> {
        store::newest(&mut self.platform.db.read().await?).await
    }

    /// Versions below `before`, newest first.
    pub async fn versions(&self, page: ContentPageName, before: i64, size: u32) -> Result<KeysetPage<ContentVersionRow, i64>> {
        let rows = store::versions(&mut self.platform.db.read().await?, page, before, i64::from(size) + 1).await?;
        Ok(KeysetPage::of(rows, size as usize, |row| row.version))
    }

    /// A version with its texts; the current one by default.
    ///
    /// # Errors
    /// 404 `content_version_not_found`.
    pub async fn page_version(&self, page: ContentPageName, version: Option<i64>) -> Result<PageVersion> {
        page_version(&mut self.platform.db.read().await?, page, version).await
    }

    /// Publishes a new version and returns its number.
    ///
    /// # Errors
    /// 422 with the fields, `content_unchanged` if nothing differs; 409 `content_changed` if the draft is not based on
    /// the current version.
    pub async fn publish(
        self: &Arc<Self>,
        page: ContentPageName,
        draft: PageDraft,
        staff: Staff,
        key: Option<Key>,
    ) -> Result<i64> {
        let draft = checked(draft)?;
        let (this, now) = (self.clone(), self.platform.clock.now());
        let work = Arc::new((draft, staff));
        let published = idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, work) = (this.clone(), work.clone());
            Box::pin(async move { this.publish_version(tx, page, &work.0, &work.1, now).await })
        });
        published.await.map_err(|error| match error.constraint() {
            // Somebody published concurrently.
            Some(Constraint::Unique) => Error::conflict("content_changed"),
            _ => error,
        })
    }

    async fn publish_version(
        self: &Arc<Self>,
        tx: &mut Tx,
        page: ContentPageName,
        draft: &PageDraft,
        staff: &Staff,
        now: Timestamp,
    ) -> Result<i64> {
        let before = page_version(tx, page, None).await?;
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
        let version = ContentVersionRow {
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
        let previous = json!({ "version": draft.over, "ru": summary(&before.ru), "en": summary(&before.en) });
        let (by, id) = (Actor::from(staff), page.to_string());
        let entry = NewAuditEntry {
            by: &by,
            action: "content.published",
            about: "content",
            id,
            before: Some(previous),
            after: Some(after),
        };
        audit::record(tx, entry, now).await?;
        let this = self.clone();
        tx.after_commit(move || {
            this.page_cache.rcu(|page_cache| page_cache.with_published(page, number, now, ru.clone(), en.clone()));
            this.platform.events.publish(ChangeEvent::Content);
        });
        Ok(number)
    }
}

/// Summary for the audit log; the version keeps the text.
fn summary(text: &PageText) -> Value {
    json!({ "title": text.title, "characters": text.markdown.chars().count() })
}

async fn page_version(tx: &mut Tx, page: ContentPageName, version: Option<i64>) -> Result<PageVersion> {
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
    Ok(PageVersion { version, ru, en })
}

/// Trims and validates a draft.
fn checked(draft: PageDraft) -> Result<PageDraft> {
    let draft = PageDraft {
        ru: draft.ru.map(PageText::trimmed),
        en: draft.en.map(PageText::trimmed),
        note: draft.note.trim().to_owned(),
        ..draft
    };
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

//! News posts: every saved text is a version that never changes, and the newest one counts.

use std::sync::Arc;

use agio_core::audit::{self, NewAuditEntry};
use agio_core::error::Constraint;
use agio_core::events::ChangeEvent;
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Staff};
use agio_core::keyset::KeysetPage;
use agio_core::texts::Locale;
use agio_core::{Error, FieldError, Result, Timestamp, Tx};
use serde_json::{Value, json};
use uuid::Uuid;

use super::Content;
use crate::model::{
    Layout, NewsArticle, NewsState, NewsTexts, PageText, Placeholders, PublishedNews, SLUG_MAX, format_date, is_slug, render,
};
use crate::store::{self, NewsRow};

/// Posts that the site shows.
const SHOWN_MAX: i64 = 500;

/// A post to save.
#[derive(Clone, Debug)]
pub struct NewsDraft {
    pub state: NewsState,
    pub texts: NewsTexts,
}

/// What the site shows, newest first, with the sources that it was rendered from.
#[derive(Debug, Default)]
pub struct NewsCache {
    /// Incremented with every change.
    number: u64,
    names: Placeholders,
    rows: Vec<NewsRow>,
    posts: Vec<PublishedNews>,
}

impl NewsCache {
    /// Changes whenever a post changes.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Newest first.
    pub fn posts(&self) -> &[PublishedNews] {
        &self.posts
    }

    pub fn find(&self, slug: &str) -> Option<&PublishedNews> {
        self.posts.iter().find(|post| post.slug == slug)
    }

    fn rebuilt(self: &Arc<Self>, names: Placeholders, rows: Vec<NewsRow>) -> Arc<Self> {
        if names == self.names && rows == self.rows {
            return self.clone();
        }
        let post = |row: &NewsRow| {
            let (texts, at) = (row.texts(), row.published_at.unwrap_or(row.saved_at));
            PublishedNews {
                slug: row.slug.clone(),
                published_at: at,
                updated_at: row.saved_at,
                ru: article(&texts.ru, Locale::Ru, at, &names),
                en: article(&texts.en, Locale::En, at, &names),
            }
        };
        let posts = rows.iter().map(post).collect();
        Arc::new(Self { number: self.number + 1, names, rows, posts })
    }
}

impl Content {
    /// The published posts. Rendered again if a placeholder changed.
    pub fn published_news(&self) -> Arc<NewsCache> {
        let (names, known) = (self.names(), self.news.load_full());
        if known.names == names {
            return known;
        }
        self.news.rcu(|news| news.rebuilt(names.clone(), news.rows.clone()));
        self.news.load_full()
    }

    /// Loads what the site shows.
    pub async fn load_news(&self) -> Result<()> {
        // One reads at a time, so that what was read last is shown.
        let _lock = self.news_lock.lock().await;
        let rows = store::published_news(&mut self.platform.db.read().await?, SHOWN_MAX).await?;
        let names = self.names();
        self.news.rcu(|news| news.rebuilt(names.clone(), rows.clone()));
        Ok(())
    }

    /// All posts, newest first.
    pub async fn list_news(
        &self,
        before: Option<(Timestamp, Uuid)>,
        size: u32,
    ) -> Result<KeysetPage<NewsRow, (Timestamp, Uuid)>> {
        let before = before.unwrap_or((Timestamp(i64::MAX), Uuid::max()));
        let rows = store::news(&mut self.platform.db.read().await?, before, i64::from(size) + 1).await?;
        Ok(KeysetPage::of(rows, size as usize, |row| (row.created_at, row.id)))
    }

    /// # Errors
    /// 404 `news_not_found`.
    pub async fn news_post(&self, id: Uuid) -> Result<NewsRow> {
        store::news_post(&mut self.platform.db.read().await?, id).await?.ok_or_else(not_found)
    }

    /// Creates a post and returns its id.
    ///
    /// # Errors
    /// 422 with the fields, `news_slug_taken` at `slug`.
    pub async fn create_news(&self, slug: String, draft: NewsDraft, staff: Staff, key: Option<Key>) -> Result<Uuid> {
        let mut wrong = Vec::new();
        if !is_slug(&slug) {
            wrong.push(FieldError::new("slug", "news_slug_invalid").with("max", SLUG_MAX));
        }
        let draft = checked(draft, wrong)?;
        let now = self.platform.clock.now();
        let work = Arc::new((self.platform.random.uuid_at(now), slug, draft, staff));
        let stored: Result<String> = idempotency::once(&self.platform.db, key, now, move |tx| {
            let work = work.clone();
            Box::pin(async move {
                let (id, slug, draft, staff) = &*work;
                store::insert_news(tx, *id, slug, now).await?;
                save(tx, (*id, slug.as_str()), 1, draft, staff, now).await?;
                Ok(id.to_string())
            })
        })
        .await;
        let id = stored.map_err(|error| match error.constraint() {
            Some(Constraint::Unique) => Error::unprocessable("validation_failed").at("slug", "news_slug_taken"),
            _ => error,
        })?;
        self.show_news().await?;
        id.parse().map_err(Error::internal)
    }

    /// Saves a post over the version that was shown; publishing and withdrawing it are saving it in that state.
    ///
    /// # Errors
    /// 404 `news_not_found`; 409 `news_changed`; 422 with the fields, `content_unchanged` if nothing differs.
    pub async fn save_news(&self, id: Uuid, over: i64, draft: NewsDraft, staff: Staff) -> Result<NewsRow> {
        let draft = checked(draft, Vec::new())?;
        let now = self.platform.clock.now();
        let work = Arc::new((draft, staff));
        let saved = self.platform.db.write(move |tx| {
            let work = work.clone();
            Box::pin(async move {
                let (draft, staff) = &*work;
                let row = store::news_post(tx, id).await?.ok_or_else(not_found)?;
                if row.version != over {
                    return Err(Error::conflict("news_changed"));
                }
                if row.state == draft.state && row.texts() == draft.texts {
                    return Err(Error::unprocessable("content_unchanged"));
                }
                save(tx, (id, row.slug.as_str()), over + 1, draft, staff, now).await?;
                store::news_post(tx, id).await?.ok_or_else(not_found)
            })
        });
        let row = saved.await.map_err(|error| match error.constraint() {
            // Somebody saved concurrently.
            Some(Constraint::Unique) => Error::conflict("news_changed"),
            _ => error,
        })?;
        self.show_news().await?;
        Ok(row)
    }

    /// A post as the site would show it.
    pub fn preview_news(&self, locale: Locale, text: &PageText) -> NewsArticle {
        article(text, locale, self.platform.clock.now(), &self.names())
    }

    async fn show_news(&self) -> Result<()> {
        self.load_news().await?;
        self.platform.events.publish(ChangeEvent::Content);
        Ok(())
    }
}

fn article(text: &PageText, locale: Locale, at: Timestamp, names: &Placeholders) -> NewsArticle {
    NewsArticle {
        title: names.fill_in(&text.title),
        description: names.fill_in(&text.description),
        html: render(&text.markdown, Layout::Article, locale, names),
        published_on: format_date(at, locale),
    }
}

async fn save(
    tx: &mut Tx,
    (id, slug): (Uuid, &str),
    version: i64,
    draft: &NewsDraft,
    staff: &Staff,
    now: Timestamp,
) -> Result<()> {
    store::insert_news_version(tx, id, version, (draft.state, &draft.texts), staff, now).await?;
    let after = json!({
        "slug": slug, "version": version, "state": draft.state,
        "ru": summary(&draft.texts.ru), "en": summary(&draft.texts.en),
    });
    let by = &Actor::from(staff);
    let entry = NewAuditEntry { by, action: "news.saved", about: "news", id: id.to_string(), before: None, after: Some(after) };
    audit::record(tx, entry, now).await
}

/// For the audit log; the version keeps the text.
fn summary(text: &PageText) -> Value {
    json!({ "title": text.title, "characters": text.markdown.chars().count() })
}

fn checked(draft: NewsDraft, mut wrong: Vec<FieldError>) -> Result<NewsDraft> {
    let draft = NewsDraft { texts: draft.texts.trimmed(), ..draft };
    draft.texts.check(&mut wrong);
    if wrong.is_empty() { Ok(draft) } else { Err(Error::invalid(wrong)) }
}

fn not_found() -> Error {
    Error::not_found("news_not_found")
}

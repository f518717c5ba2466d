//! The use cases: one function, one transaction.

mod customer_records;
mod messages;
mod news;
mod page_cache;
mod publication;

use std::sync::Arc;

use agio_captcha::Captcha;
use agio_contracts::TermsVersionProvider;
use agio_core::texts::Locale;
use agio_core::{Error, Platform, Result, Timestamp, Tx};
use agio_mail::Mailer;
use arc_swap::ArcSwap;
use tokio::sync::Mutex;

use crate::model::{ContentPageName, PageText, Placeholders, default_text, format_date, render};
use crate::store;

pub use messages::NewContactMessage;
pub use news::{NewsCache, NewsDraft};
pub use page_cache::{PageCache, RenderedPage};
pub use publication::{PageDraft, PageVersion};

const SITE_NAME: &str = "site.name";
const SUPPORT_EMAIL: &str = "site.support_email";

pub struct Content {
    pub(crate) platform: Platform,
    mailer: Mailer,
    captcha: Arc<Captcha>,
    page_cache: ArcSwap<PageCache>,
    news: ArcSwap<NewsCache>,
    news_lock: Mutex<()>,
}

impl Content {
    /// Empty. Call [`Content::load`] before serving.
    pub fn new(platform: &Platform, mailer: Mailer, captcha: Arc<Captcha>) -> Arc<Self> {
        Arc::new(Self {
            platform: platform.clone(),
            mailer,
            captcha,
            page_cache: ArcSwap::default(),
            news: ArcSwap::default(),
            news_lock: Mutex::default(),
        })
    }

    /// Stores default texts of pages without any, and loads the published texts.
    pub async fn load(&self) -> Result<()> {
        let now = self.platform.clock.now();
        let there: Vec<_> = store::newest(&mut self.platform.db.read().await?).await?;
        let missing: Vec<_> = ContentPageName::ALL.into_iter().filter(|page| there.iter().all(|row| row.page != *page)).collect();
        if !missing.is_empty() {
            self.platform.db.write(move |tx| Box::pin(store_default_texts(tx, missing.clone(), now))).await?;
        }
        self.reload().await
    }

    /// Loads the published texts and news.
    pub async fn reload(&self) -> Result<()> {
        self.load_news().await?;
        let rows = store::published_texts(&mut self.platform.db.read().await?).await?;
        self.page_cache.rcu(|page_cache| page_cache.with(rows.clone()));
        Ok(())
    }

    pub(crate) fn names(&self) -> Placeholders {
        let settings = &self.platform.settings;
        Placeholders { site: settings.text(SITE_NAME), support: settings.text(SUPPORT_EMAIL) }
    }

    /// Rendered pages. Rendered again if a text or placeholder changed.
    pub fn page_cache(&self) -> Arc<PageCache> {
        let names = self.names();
        let page_cache = self.page_cache.load_full();
        if page_cache.has_placeholders(&names) {
            return page_cache;
        }
        self.page_cache.rcu(|page_cache| page_cache.with_placeholders(&names));
        self.page_cache.load_full()
    }

    /// The current version of a page.
    ///
    /// # Errors
    /// `internal` before [`load`](Self::load).
    pub fn rendered_page(&self, page: ContentPageName, locale: Locale) -> Result<Arc<RenderedPage>> {
        self.page_cache().page(page, locale).ok_or_else(|| Error::internal("the texts were not loaded"))
    }

    /// A publicly readable version of a page.
    ///
    /// # Errors
    /// 404 `content_version_not_found`.
    pub async fn rendered_version(&self, page: ContentPageName, locale: Locale, version: i64) -> Result<Arc<RenderedPage>> {
        let present = self.rendered_page(page, locale)?;
        if present.version == version {
            return Ok(present);
        }
        let not_found = || Error::not_found("content_version_not_found");
        if !page.has_public_history() {
            return Err(not_found());
        }
        let mut tx = self.platform.db.read().await?;
        let row = store::version(&mut tx, page, version).await?.ok_or_else(not_found)?;
        let texts = store::texts(&mut tx, page, version).await?;
        let (_, text) = texts.into_iter().find(|(of, _)| *of == locale).ok_or_else(not_found)?;
        Ok(Arc::new(RenderedPage::of(page, locale, version, row.published_at, &text, &self.names())))
    }

    pub fn preview(&self, page: ContentPageName, locale: Locale, text: &PageText) -> RenderedPage {
        RenderedPage::of(page, locale, 0, self.platform.clock.now(), text, &self.names())
    }
}

/// Stores default texts. Another starting node may have been first.
async fn store_default_texts(tx: &mut Tx, pages: Vec<ContentPageName>, now: Timestamp) -> Result<()> {
    for page in pages {
        if store::insert_first_version(tx, page, now).await? {
            for locale in [Locale::Ru, Locale::En] {
                store::insert_text(tx, page, 1, locale, &default_text(page, locale)).await?;
            }
        }
    }
    Ok(())
}

impl TermsVersionProvider for Content {
    fn terms_version(&self) -> String {
        self.page_cache.load().version(ContentPageName::Rules).to_string()
    }
}

impl RenderedPage {
    fn of(
        page: ContentPageName,
        locale: Locale,
        version: i64,
        published_at: Timestamp,
        text: &PageText,
        names: &Placeholders,
    ) -> Self {
        Self {
            page,
            locale,
            version,
            published_at,
            published_on: format_date(published_at, locale),
            title: names.fill_in(&text.title),
            description: names.fill_in(&text.description),
            html: render(&text.markdown, page.layout(), locale, names),
        }
    }
}

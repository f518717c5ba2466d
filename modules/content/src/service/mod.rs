//! The use cases: one function, one transaction.

mod messages;
mod publishing;
mod shelf;

use std::sync::Arc;

use agio_captcha::Captcha;
use agio_core::needs::TermsVersion;
use agio_core::texts::Locale;
use agio_core::{Error, Platform, Result, Timestamp, Tx};
use agio_mail::Mailroom;
use arc_swap::ArcSwap;

use crate::model::{Names, Page, Text, day_in_words, default_text, render};
use crate::store;

pub use messages::{MessagePage, NewMessage};
pub use publishing::{Draft, Whole};
pub use shelf::{Shelf, Shown};

/// The name of the site, as it is set.
const SITE_NAME: &str = "site.name";
/// Where customers write to, as it is set.
const SUPPORT_EMAIL: &str = "site.support_email";

/// The writing room: what is published, and what visitors write.
pub struct Content {
    pub(crate) platform: Platform,
    mailroom: Mailroom,
    captcha: Arc<Captcha>,
    shelf: ArcSwap<Shelf>,
}

impl Content {
    /// The room with nothing in it. Call [`Content::load`] before serving.
    #[must_use]
    pub fn new(platform: &Platform, mailroom: Mailroom, captcha: Arc<Captcha>) -> Arc<Self> {
        Arc::new(Self { platform: platform.clone(), mailroom, captcha, shelf: ArcSwap::default() })
    }

    /// Stores the texts the house comes with where a page has none, and reads what is published.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn load(&self) -> Result<()> {
        let now = self.platform.clock.now();
        let there: Vec<_> = store::newest(&mut self.platform.db.read().await?).await?;
        let missing: Vec<_> = Page::ALL.into_iter().filter(|page| there.iter().all(|row| row.page != *page)).collect();
        if !missing.is_empty() {
            self.platform.db.write(move |tx| Box::pin(store_first(tx, missing.clone(), now))).await?;
        }
        self.reload().await
    }

    /// Reads what is published.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn reload(&self) -> Result<()> {
        let rows = store::present(&mut self.platform.db.read().await?).await?;
        self.shelf.rcu(|shelf| shelf.with(rows.clone()));
        Ok(())
    }

    /// What texts name.
    pub(crate) fn names(&self) -> Names {
        let settings = &self.platform.settings;
        Names { site: settings.text(SITE_NAME), support: settings.text(SUPPORT_EMAIL) }
    }

    /// What is published, as it is shown. It is made anew once when a text or a name in it has changed.
    #[must_use]
    pub fn shelf(&self) -> Arc<Shelf> {
        let names = self.names();
        let shelf = self.shelf.load_full();
        if shelf.is_of(&names) {
            return shelf;
        }
        self.shelf.rcu(|shelf| shelf.naming(&names));
        self.shelf.load_full()
    }

    /// What is published of a page in one language.
    ///
    /// # Errors
    /// `internal`: the room was not opened.
    pub fn shown(&self, page: Page, locale: Locale) -> Result<Arc<Shown>> {
        self.shelf().page(page, locale).ok_or_else(|| Error::internal("the texts were not loaded"))
    }

    /// A version of a page that anybody may read.
    ///
    /// # Errors
    /// 404 `content_version_not_found`.
    pub async fn shown_version(&self, page: Page, locale: Locale, version: i64) -> Result<Arc<Shown>> {
        let present = self.shown(page, locale)?;
        if present.version == version {
            return Ok(present);
        }
        let not_found = || Error::not_found("content_version_not_found");
        if !page.keeps_old_versions_public() {
            return Err(not_found());
        }
        let mut tx = self.platform.db.read().await?;
        let row = store::version(&mut tx, page, version).await?.ok_or_else(not_found)?;
        let texts = store::texts(&mut tx, page, version).await?;
        let (_, text) = texts.into_iter().find(|(of, _)| *of == locale).ok_or_else(not_found)?;
        Ok(Arc::new(Shown::of(page, locale, version, row.published_at, &text, &self.names())))
    }

    /// A text as the page will show it.
    #[must_use]
    pub fn preview(&self, page: Page, locale: Locale, text: &Text) -> Shown {
        Shown::of(page, locale, 0, self.platform.clock.now(), text, &self.names())
    }
}

/// Stores the texts the house comes with. Another node that starts at this moment may have been first.
async fn store_first(tx: &mut Tx, pages: Vec<Page>, now: Timestamp) -> Result<()> {
    for page in pages {
        if store::insert_first(tx, page, now).await? {
            for locale in [Locale::Ru, Locale::En] {
                store::insert_text(tx, page, 1, locale, &default_text(page, locale)).await?;
            }
        }
    }
    Ok(())
}

impl TermsVersion for Content {
    fn terms_version(&self) -> String {
        self.shelf.load().version(Page::Rules).to_string()
    }
}

impl Shown {
    fn of(page: Page, locale: Locale, version: i64, published_at: Timestamp, text: &Text, names: &Names) -> Self {
        Self {
            page,
            locale,
            version,
            published_at,
            published_on: day_in_words(published_at, locale),
            title: names.put_into(&text.title),
            description: names.put_into(&text.description),
            html: render(&text.markdown, page.form(), locale, names),
        }
    }
}

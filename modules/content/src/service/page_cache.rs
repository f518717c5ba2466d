//! Cache of rendered pages.

use std::collections::BTreeMap;
use std::sync::Arc;

use agio_core::Timestamp;
use agio_core::texts::Locale;

use crate::model::{ContentPageName, PageText, Placeholders};
use crate::store::PublishedTextRow;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedPage {
    pub page: ContentPageName,
    pub locale: Locale,
    /// From 1; 0 for a preview.
    pub version: i64,
    pub published_at: Timestamp,
    /// Date of publication in its language.
    pub published_on: String,
    /// Heading, plain text.
    pub title: String,
    /// Plain text.
    pub description: String,
    /// Sanitized HTML.
    pub html: String,
}

/// Source of a page in both languages.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SourcePage {
    version: i64,
    published_at: Timestamp,
    ru: PageText,
    en: PageText,
}

/// Rendered pages with their sources.
#[derive(Clone, Debug, Default)]
pub struct PageCache {
    /// Incremented with every change.
    number: u64,
    names: Placeholders,
    sources: BTreeMap<ContentPageName, SourcePage>,
    /// Russian and English.
    rendered: BTreeMap<ContentPageName, [Arc<RenderedPage>; 2]>,
}

impl PageCache {
    /// Changes whenever a rendered page changes.
    pub fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn has_placeholders(&self, names: &Placeholders) -> bool {
        self.names == *names
    }

    /// Current version of a page; 0 if unknown.
    pub(super) fn version(&self, page: ContentPageName) -> i64 {
        self.sources.get(&page).map_or(0, |sources| sources.version)
    }

    pub fn page(&self, page: ContentPageName, locale: Locale) -> Option<Arc<RenderedPage>> {
        let [ru, en] = self.rendered.get(&page)?;
        Some(match locale {
            Locale::Ru => ru.clone(),
            Locale::En => en.clone(),
        })
    }

    /// A copy with other placeholders.
    pub(super) fn with_placeholders(&self, names: &Placeholders) -> Self {
        self.rebuilt(names.clone(), self.sources.clone())
    }

    /// A copy with the texts that were read. Older versions are ignored: a newer one was published since the read.
    pub(super) fn with(&self, rows: Vec<PublishedTextRow>) -> Self {
        let mut sources = self.sources.clone();
        let mut read: BTreeMap<ContentPageName, (i64, Timestamp, BTreeMap<bool, PageText>)> = BTreeMap::new();
        for row in rows {
            let entry = read.entry(row.page).or_insert_with(|| (row.version, row.published_at, BTreeMap::new()));
            let (locale, text) = row.into_text();
            entry.2.insert(locale == Locale::En, text);
        }
        for (page, (version, published_at, mut texts)) in read {
            let is_newer = sources.get(&page).is_none_or(|known| known.version < version);
            if let (true, Some(ru), Some(en)) = (is_newer, texts.remove(&false), texts.remove(&true)) {
                sources.insert(page, SourcePage { version, published_at, ru, en });
            }
        }
        self.rebuilt(self.names.clone(), sources)
    }

    /// A copy with a new version.
    pub(super) fn with_published(
        &self,
        page: ContentPageName,
        version: i64,
        published_at: Timestamp,
        ru: PageText,
        en: PageText,
    ) -> Self {
        let mut sources = self.sources.clone();
        if self.version(page) < version {
            sources.insert(page, SourcePage { version, published_at, ru, en });
        }
        self.rebuilt(self.names.clone(), sources)
    }

    fn rebuilt(&self, names: Placeholders, sources: BTreeMap<ContentPageName, SourcePage>) -> Self {
        if names == self.names && sources == self.sources {
            return self.clone();
        }
        let finish = |(page, text): (&ContentPageName, &SourcePage)| {
            let one = |locale, source| Arc::new(RenderedPage::of(*page, locale, text.version, text.published_at, source, &names));
            (*page, [one(Locale::Ru, &text.ru), one(Locale::En, &text.en)])
        };
        let rendered = sources.iter().map(finish).collect();
        Self { number: self.number + 1, names, sources, rendered }
    }
}

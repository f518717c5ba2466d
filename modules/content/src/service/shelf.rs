//! What is published, finished, in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use agio_core::Timestamp;
use agio_core::texts::Locale;

use crate::model::{Names, Page, Text};
use crate::store::Present;

/// A text as a page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Of which page.
    pub page: Page,
    /// In which language.
    pub locale: Locale,
    /// Its version, from 1; 0 for what is not published yet.
    pub version: i64,
    /// When it was published.
    pub published_at: Timestamp,
    /// The same as a day in words.
    pub published_on: String,
    /// The heading: plain text.
    pub title: String,
    /// The description: plain text.
    pub description: String,
    /// The text: HTML that is safe to show.
    pub html: String,
}

/// A page in both languages, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Written {
    version: i64,
    published_at: Timestamp,
    ru: Text,
    en: Text,
}

/// What is published.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    /// Counted up whenever what is shown changes.
    number: u64,
    names: Names,
    written: BTreeMap<Page, Written>,
    /// In Russian and in English.
    shown: BTreeMap<Page, [Arc<Shown>; 2]>,
}

impl Shelf {
    /// Another number than before whenever what is shown has changed.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether it was made with these names.
    pub(super) fn is_of(&self, names: &Names) -> bool {
        self.names == *names
    }

    /// The version of a page that is published; 0 for one that is not here.
    pub(super) fn version(&self, page: Page) -> i64 {
        self.written.get(&page).map_or(0, |written| written.version)
    }

    /// A page in one language.
    #[must_use]
    pub fn page(&self, page: Page, locale: Locale) -> Option<Arc<Shown>> {
        let [ru, en] = self.shown.get(&page)?;
        Some(match locale {
            Locale::Ru => ru.clone(),
            Locale::En => en.clone(),
        })
    }

    /// The same shelf with the names as they are now.
    pub(super) fn naming(&self, names: &Names) -> Self {
        self.made(names.clone(), self.written.clone())
    }

    /// The same shelf with what was read. A page whose version is older than the one here is left as it is: a newer one was published
    /// since it was read.
    pub(super) fn with(&self, rows: Vec<Present>) -> Self {
        let mut written = self.written.clone();
        let mut read: BTreeMap<Page, (i64, Timestamp, BTreeMap<bool, Text>)> = BTreeMap::new();
        for row in rows {
            let entry = read.entry(row.page).or_insert_with(|| (row.version, row.published_at, BTreeMap::new()));
            let (locale, text) = row.into_text();
            entry.2.insert(locale == Locale::En, text);
        }
        for (page, (version, published_at, mut texts)) in read {
            let is_newer = written.get(&page).is_none_or(|known| known.version < version);
            if let (true, Some(ru), Some(en)) = (is_newer, texts.remove(&false), texts.remove(&true)) {
                written.insert(page, Written { version, published_at, ru, en });
            }
        }
        self.made(self.names.clone(), written)
    }

    /// The same shelf with what was just published.
    pub(super) fn publishing(&self, page: Page, version: i64, published_at: Timestamp, ru: Text, en: Text) -> Self {
        let mut written = self.written.clone();
        if self.version(page) < version {
            written.insert(page, Written { version, published_at, ru, en });
        }
        self.made(self.names.clone(), written)
    }

    fn made(&self, names: Names, written: BTreeMap<Page, Written>) -> Self {
        if names == self.names && written == self.written {
            return self.clone();
        }
        let finish = |(page, text): (&Page, &Written)| {
            let one = |locale, words| Arc::new(Shown::of(*page, locale, text.version, text.published_at, words, &names));
            (*page, [one(Locale::Ru, &text.ru), one(Locale::En, &text.en)])
        };
        let shown = written.iter().map(finish).collect();
        Self { number: self.number + 1, names, written, shown }
    }
}

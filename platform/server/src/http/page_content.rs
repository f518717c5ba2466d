//! Files of a built site whose content may change at run time.
//!
//! Such a file passes through all providers at its first request after a change, and is cached with its compressed copy.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use agio_content::{Content, ContentPageName, questions};
use agio_core::markup::{escape, inside_a_script};
use agio_core::texts::Locale;
use arc_swap::ArcSwapOption;
use hashlink::LruCache;

use super::page_template::{PageTemplate, SlotValues};
use super::site::Asset;

pub trait PageContentProvider: Send + Sync {
    /// Changes whenever the content of this file changes. Asked at each request, so it must be cheap.
    fn number(&self, name: &str) -> u64;

    /// The file with its content, or `None` if it stays as it is.
    fn fill(&self, name: &str, page: &str) -> Option<String>;
}

/// Addresses beyond the files of the build.
pub trait PageRoutes: Send + Sync {
    /// `path` is without a leading slash. `None` for a path of the build.
    fn find(&self, path: &str) -> Option<PageRoute>;

    /// The slots that [`PageRoutes::values`] fills.
    fn slots(&self) -> &'static [&'static str];

    /// The current values of a composed page.
    fn values(&self, name: &str) -> Option<SlotValues>;
}

pub enum PageRoute {
    /// A page of its own, which the providers fill from a file of the build.
    Page {
        name: String,
        template: String,
    },
    /// A page whose own values are put between pieces of a file of the build at each request. A large market has more of
    /// them than could be kept, and none is older than its market.
    Composed {
        name: String,
        template: String,
    },
    /// The path it moved to.
    Redirect(String),
    Missing,
}

/// Pages of routes whose content is kept. The others are filled at each request.
const ROUTED_PAGES: usize = 256;

/// Every slot begins with it.
pub(super) const SLOT_PREFIX: &str = "AGIO_SLOT_";

/// The slot of the page text. Pages without it have no published content.
const TEXT_SLOT: &str = "AGIO_SLOT_TEXT";

pub(super) struct FilledPages {
    /// In the order in which they fill a file.
    providers: Vec<Arc<dyn PageContentProvider>>,
    pages: HashMap<String, CachedPage>,
    /// Of pages of routes, by the name of the file.
    templates: Mutex<HashMap<String, Arc<CurrentTemplate>>>,
    /// Pages of routes that are not composed, the most recently requested ones.
    routed: Mutex<LruCache<String, Arc<CachedPage>>>,
}

/// A template with the content of the providers.
struct CurrentTemplate {
    numbers: Vec<u64>,
    template: PageTemplate,
}

/// A file as the build wrote it, and as it was last filled.
struct CachedPage {
    template: Arc<Asset>,
    filled: ArcSwapOption<FilledPage>,
    fill_lock: Mutex<()>,
}

struct FilledPage {
    /// One for each provider, from before the file was filled.
    numbers: Vec<u64>,
    asset: Arc<Asset>,
}

impl FilledPages {
    pub(super) fn new(providers: Vec<Arc<dyn PageContentProvider>>, files: &HashMap<String, Arc<Asset>>) -> Self {
        let templates = files.iter().filter(|(name, asset)| is_template(name, asset));
        let pages = templates.map(|(name, asset)| (name.clone(), CachedPage::new(asset.clone()))).collect();
        Self { providers, pages, templates: Mutex::default(), routed: Mutex::new(LruCache::new(ROUTED_PAGES)) }
    }

    /// The current content of this file, or `None` if it never changes.
    pub(super) fn page(&self, name: &str) -> Option<Arc<Asset>> {
        self.pages.get(name).map(|page| page.current(&self.providers, name))
    }

    /// The current content of a page that is filled from another file, or `None` if there is no such file.
    pub(super) fn routed_page(&self, name: &str, template: &str) -> Option<Arc<Asset>> {
        let page = {
            let mut routed = self.routed.lock().unwrap_or_else(PoisonError::into_inner);
            match routed.get(name) {
                Some(page) => page.clone(),
                None => {
                    let page = Arc::new(CachedPage::new(self.pages.get(template)?.template.clone()));
                    routed.insert(name.to_owned(), page.clone());
                    page
                }
            }
        };
        Some(page.current(&self.providers, name))
    }

    /// The current content of a page that is composed, or `None` if it is not there any more.
    pub(super) fn composed_page(&self, name: &str, template: &str, routes: &dyn PageRoutes) -> Option<Arc<Asset>> {
        let template = self.template(template, routes)?;
        Some(Arc::new(template.template.fill(&routes.values(name)?)))
    }

    /// The template with the current content that all its pages share.
    fn template(&self, name: &str, routes: &dyn PageRoutes) -> Option<Arc<CurrentTemplate>> {
        let numbers = || self.providers.iter().map(|provider| provider.number(name));
        let mut templates = self.templates.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(current) = templates.get(name).filter(|current| current.numbers.iter().copied().eq(numbers())) {
            return Some(current.clone());
        }
        let numbers = numbers().collect();
        let fill = |text: String| self.providers.iter().fold(text, |text, provider| provider.fill(name, &text).unwrap_or(text));
        let template = PageTemplate::new(&self.pages.get(name)?.template, routes.slots(), fill)?;
        let current = Arc::new(CurrentTemplate { numbers, template });
        templates.insert(name.to_owned(), current.clone());
        Some(current)
    }
}

/// Pages and the files that describe the site always pass through the providers, other texts only with a slot.
fn is_template(name: &str, asset: &Asset) -> bool {
    let describes_site = ["manifest.webmanifest", "robots.txt", "sitemap.xml"].contains(&name);
    asset.text().is_some_and(|text| asset.is_page() || describes_site || text.contains(SLOT_PREFIX))
}

impl CachedPage {
    fn new(template: Arc<Asset>) -> Self {
        Self { template, filled: ArcSwapOption::empty(), fill_lock: Mutex::new(()) }
    }

    fn current(&self, providers: &[Arc<dyn PageContentProvider>], name: &str) -> Arc<Asset> {
        let numbers = || providers.iter().map(|provider| provider.number(name));
        let current = || {
            let filled = self.filled.load();
            filled.as_ref().filter(|page| page.numbers.iter().copied().eq(numbers())).map(|page| page.asset.clone())
        };
        if let Some(asset) = current() {
            return asset;
        }
        let _lock = self.fill_lock.lock().unwrap_or_else(PoisonError::into_inner);
        current().unwrap_or_else(|| {
            let numbers = numbers().collect();
            let asset = self.fill(providers, name);
            self.filled.store(Some(Arc::new(FilledPage { numbers, asset: asset.clone() })));
            asset
        })
    }

    fn fill(&self, providers: &[Arc<dyn PageContentProvider>], name: &str) -> Arc<Asset> {
        let Some(built) = self.template.text() else { return self.template.clone() };
        let filled = providers
            .iter()
            .fold(None::<String>, |page, provider| provider.fill(name, page.as_deref().unwrap_or(built)).or(page));
        filled.map_or_else(|| self.template.clone(), |page| Arc::new(Asset::written(self.template.content_type(), page)))
    }
}

/// Structured data for search engines. It is data, not a script: the content security policy allows it.
pub(super) fn data_block(json: &str) -> String {
    format!("<script type=\"application/ld+json\">{}</script>", inside_a_script(json))
}

/// Replaces slots by their values. Values are not searched for slots, and unknown slots stay.
pub(super) fn fill_slots(page: &str, values: &[(&str, &str)]) -> String {
    let mut pieces = page.split(SLOT_PREFIX);
    let mut filled = String::with_capacity(page.len());
    filled.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (slot, rest) = split_slot(piece);
        match values.iter().find(|(name, _)| *name == slot) {
            Some((_, value)) => filled.push_str(value),
            None => filled.extend([SLOT_PREFIX, slot]),
        }
        filled.push_str(rest);
    }
    filled
}

/// The name of the slot whose prefix was cut off, and what follows it.
pub(super) fn split_slot(piece: &str) -> (&str, &str) {
    let end = piece.find(|character: char| !character.is_ascii_uppercase() && character != '_').unwrap_or(piece.len());
    piece.split_at(end)
}

/// The content that the operator publishes.
pub struct PublishedTexts {
    pub content: Arc<Content>,
    /// The origin of the site: `https://exchange.example`.
    pub origin: String,
}

impl PageContentProvider for PublishedTexts {
    fn number(&self, name: &str) -> u64 {
        content_page(name).map_or(0, |_| self.content.page_cache().number())
    }

    fn fill(&self, name: &str, page: &str) -> Option<String> {
        let (content_page, locale) = content_page(name).filter(|_| page.contains(TEXT_SLOT))?;
        let shown = self.content.page_cache().page(content_page, locale)?;
        let filled = fill_slots(
            page,
            &[
                ("TITLE", &escape(&shown.title)),
                ("DESCRIPTION", &escape(&shown.description)),
                ("VERSION", &shown.version.to_string()),
                ("UPDATED_AT", &shown.published_at.to_string()),
                ("UPDATED_ON", &escape(&shown.published_on)),
                ("TEXT", &shown.html),
            ],
        );
        Some(match questions(&shown.html, locale, &self.origin) {
            Some(data) => filled.replacen("</head>", &format!("{}</head>", data_block(&data)), 1),
            None => filled,
        })
    }
}

/// The page that staff edit which this file shows, and its language.
fn content_page(name: &str) -> Option<(ContentPageName, Locale)> {
    let path = name.strip_suffix("/index.html")?;
    let (locale, path) = path.strip_prefix("en/").map_or((Locale::Ru, path), |path| (Locale::En, path));
    Some((path.parse().ok()?, locale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_in_values_stay() {
        let page = "<title>AGIO_SLOT_TITLE</title>AGIO_SLOT_TEXT AGIO_SLOT_TEXT_2";
        let filled = fill_slots(page, &[("TITLE", "AGIO_SLOT_TEXT"), ("TEXT", "b")]);
        assert_eq!(filled, "<title>AGIO_SLOT_TEXT</title>b AGIO_SLOT_TEXT_2");
    }

    #[test]
    fn the_build_writes_the_same_slots() {
        let slots = include_str!("../../../../public-web/src/content/slots.ts");
        for slot in ["TITLE", "DESCRIPTION", "VERSION", "UPDATED_AT", "UPDATED_ON"] {
            assert!(slots.contains(&format!("'AGIO_SLOT_{slot}'")), "{slot}");
        }
        assert!(slots.contains(&format!("'{TEXT_SLOT}'")));
        let build = include_str!("../../../../public-web/scripts/build.mjs");
        assert!(build.contains(&format!("'{}'", super::super::site::ORIGIN_SLOT)));
    }
}

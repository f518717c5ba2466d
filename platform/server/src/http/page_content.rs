//! Pages of a built site whose content may change at run time.
//!
//! The build leaves slots in such pages. All of them are filled at the first request after a change, and cached.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use agio_content::{Content, ContentPageName, questions};
use agio_core::markup::escape;
use agio_core::texts::Locale;
use arc_swap::ArcSwap;

use super::site::Asset;

pub trait PageContentProvider: Send + Sync {
    /// Changes whenever the content of a page changes.
    fn number(&self) -> u64;

    /// The page of this file with its content, or `None` if there is none.
    fn fill(&self, name: &str, page: &str) -> Option<String>;
}

/// The slot of the page text. Pages without it are served as they are.
const TEXT_SLOT: &str = "AGIO_SLOT_TEXT";

pub(super) struct FilledPages {
    provider: Arc<dyn PageContentProvider>,
    templates: HashMap<String, Arc<Asset>>,
    filled: ArcSwap<FilledVersion>,
    fill_lock: Mutex<()>,
}

#[derive(Default)]
struct FilledVersion {
    /// `None` before the first request.
    number: Option<u64>,
    pages: HashMap<String, Arc<Asset>>,
}

impl FilledPages {
    pub(super) fn new(provider: Arc<dyn PageContentProvider>, files: &HashMap<String, Arc<Asset>>) -> Self {
        let is_template = |asset: &Asset| asset.text().is_some_and(|text| text.contains(TEXT_SLOT));
        let templates = files.iter().filter(|(_, asset)| is_template(asset));
        let templates = templates.map(|(name, asset)| (name.clone(), asset.clone())).collect();
        Self { provider, templates, filled: ArcSwap::default(), fill_lock: Mutex::new(()) }
    }

    /// The current page of this file, or `None` if it has no slots.
    pub(super) fn page(&self, name: &str) -> Option<Arc<Asset>> {
        if !self.templates.contains_key(name) {
            return None;
        }
        let number = self.provider.number();
        if self.filled.load().number != Some(number) {
            let _lock = self.fill_lock.lock().unwrap_or_else(PoisonError::into_inner);
            if self.filled.load().number != Some(number) {
                self.filled.store(Arc::new(self.fill(number)));
            }
        }
        self.filled.load().pages.get(name).cloned()
    }

    fn fill(&self, number: u64) -> FilledVersion {
        let fill = |(name, template): (&String, &Arc<Asset>)| {
            let page = self.provider.fill(name, template.text()?)?;
            match Asset::written(template.content_type(), page) {
                Ok(asset) => Some((name.clone(), Arc::new(asset))),
                Err(error) => {
                    tracing::error!(%error, name, "a page cannot be filled");
                    None
                }
            }
        };
        FilledVersion { number: Some(number), pages: self.templates.iter().filter_map(fill).collect() }
    }
}

/// The content that the operator publishes.
pub struct PublishedTexts {
    pub content: Arc<Content>,
    /// The origin of the site: `https://exchange.example`.
    pub origin: String,
}

impl PageContentProvider for PublishedTexts {
    fn number(&self) -> u64 {
        self.content.page_cache().number()
    }

    fn fill(&self, name: &str, page: &str) -> Option<String> {
        let path = name.strip_suffix("/index.html")?;
        let (locale, path) = path.strip_prefix("en/").map_or((Locale::Ru, path), |path| (Locale::En, path));
        let shown = self.content.page_cache().page(path.parse::<ContentPageName>().ok()?, locale)?;
        // The text is inserted last, so that slots in it are not replaced.
        let filled = page
            .replace("AGIO_SLOT_TITLE", &escape(&shown.title))
            .replace("AGIO_SLOT_DESCRIPTION", &escape(&shown.description))
            .replace("AGIO_SLOT_VERSION", &shown.version.to_string())
            .replace("AGIO_SLOT_UPDATED_AT", &shown.published_at.to_string())
            .replace("AGIO_SLOT_UPDATED_ON", &escape(&shown.published_on))
            .replace(TEXT_SLOT, &shown.html);
        Some(match questions(&shown.html, locale, &self.origin) {
            // Data, not a script: the content security policy allows it.
            Some(data) => filled.replacen("</head>", &format!("<script type=\"application/ld+json\">{data}</script></head>"), 1),
            None => filled,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

//! Pages of a built site whose words may change while the house runs.
//!
//! The build leaves a marked place in such a page. All of them are filled when the first request after a change comes, and kept.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use agio_content::{Content, Page, questions};
use agio_core::markup::escaped;
use agio_core::texts::Locale;
use arc_swap::ArcSwap;

use super::site::Asset;

/// Knows the words of pages.
pub trait Fills: Send + Sync {
    /// Another number than before whenever a word has changed.
    fn number(&self) -> u64;

    /// The page in the file of this name with the words in it; nothing for one it has none for.
    fn fill(&self, name: &str, page: &str) -> Option<String>;
}

/// What the build writes where the text of a page goes. Pages without it are as they are.
const TEXT_PLACE: &str = "AGIO_SLOT_TEXT";

/// The pages that are filled.
pub(super) struct Filling {
    fills: Arc<dyn Fills>,
    templates: HashMap<String, Arc<Asset>>,
    filled: ArcSwap<Filled>,
    /// One request at a time fills.
    turn: Mutex<()>,
}

#[derive(Default)]
struct Filled {
    /// Of which number; nothing before the first time.
    number: Option<u64>,
    pages: HashMap<String, Arc<Asset>>,
}

impl Filling {
    /// Finds the pages with a place for words among the files of a site.
    pub(super) fn new(fills: Arc<dyn Fills>, files: &HashMap<String, Arc<Asset>>) -> Self {
        let is_template = |asset: &Asset| asset.text().is_some_and(|text| text.contains(TEXT_PLACE));
        let templates = files.iter().filter(|(_, asset)| is_template(asset));
        let templates = templates.map(|(name, asset)| (name.clone(), asset.clone())).collect();
        Self { fills, templates, filled: ArcSwap::default(), turn: Mutex::new(()) }
    }

    /// The page in the file of this name, as it is now; nothing for a file that is not filled.
    pub(super) fn page(&self, name: &str) -> Option<Arc<Asset>> {
        if !self.templates.contains_key(name) {
            return None;
        }
        let number = self.fills.number();
        if self.filled.load().number != Some(number) {
            let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
            if self.filled.load().number != Some(number) {
                self.filled.store(Arc::new(self.fill(number)));
            }
        }
        self.filled.load().pages.get(name).cloned()
    }

    fn fill(&self, number: u64) -> Filled {
        let fill = |(name, template): (&String, &Arc<Asset>)| {
            let page = self.fills.fill(name, template.text()?)?;
            match Asset::written(template.content_type(), page) {
                Ok(asset) => Some((name.clone(), Arc::new(asset))),
                Err(error) => {
                    tracing::error!(%error, name, "a page cannot be filled");
                    None
                }
            }
        };
        Filled { number: Some(number), pages: self.templates.iter().filter_map(fill).collect() }
    }
}

/// The texts the operator publishes.
pub struct Texts {
    /// Where they are kept.
    pub content: Arc<Content>,
    /// Where the site lives, `https://exchange.example`.
    pub origin: String,
}

impl Fills for Texts {
    fn number(&self) -> u64 {
        self.content.shelf().number()
    }

    fn fill(&self, name: &str, page: &str) -> Option<String> {
        let path = name.strip_suffix("/index.html")?;
        let (locale, path) = path.strip_prefix("en/").map_or((Locale::Ru, path), |path| (Locale::En, path));
        let shown = self.content.shelf().page(path.parse::<Page>().ok()?, locale)?;
        // The text comes last: nothing in it is taken for a place.
        let filled = page
            .replace("AGIO_SLOT_TITLE", &escaped(&shown.title))
            .replace("AGIO_SLOT_DESCRIPTION", &escaped(&shown.description))
            .replace("AGIO_SLOT_VERSION", &shown.version.to_string())
            .replace("AGIO_SLOT_UPDATED_AT", &shown.published_at.to_string())
            .replace("AGIO_SLOT_UPDATED_ON", &escaped(&shown.published_on))
            .replace(TEXT_PLACE, &shown.html);
        Some(match questions(&shown.html, locale, &self.origin) {
            // Not a script that runs but data, which the rules against scripts in the page leave alone.
            Some(data) => filled.replacen("</head>", &format!("<script type=\"application/ld+json\">{data}</script></head>"), 1),
            None => filled,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_build_writes_the_places_that_are_filled_here() {
        let slots = include_str!("../../../../public-web/src/content/slots.ts");
        for place in ["TITLE", "DESCRIPTION", "VERSION", "UPDATED_AT", "UPDATED_ON"] {
            assert!(slots.contains(&format!("'AGIO_SLOT_{place}'")), "{place}");
        }
        assert!(slots.contains(&format!("'{TEXT_PLACE}'")));
        let build = include_str!("../../../../public-web/scripts/build.mjs");
        assert!(build.contains(&format!("'{}'", super::super::site::ORIGIN_PLACE)));
    }
}

//! Pages and their texts.

mod defaults;
mod markdown;
mod news;
mod structured_data;

use agio_core::error::Params;
use agio_core::texts::{Locale, fill};
use agio_core::{FieldError, Timestamp, named};
use serde::{Deserialize, Serialize};

pub use defaults::default_text;
pub use markdown::{Layout, render};
pub use news::{NewsArticle, NewsState, NewsTexts, PublishedNews, SLUG_MAX, is_slug};
pub use structured_data::questions;

/// In characters.
pub const TITLE_MAX: usize = 120;
/// In characters.
pub const DESCRIPTION_MAX: usize = 300;
/// In characters.
pub const MARKDOWN_MAX: usize = 20_000;
/// In characters.
pub const NOTE_MAX: usize = 300;

// In the order of the console.
named! {
    /// An information page.
    ContentPageName {
        Rules = "rules",
        Aml = "aml",
        Faq = "faq",
        Contacts = "contacts",
        Partners = "partners",
        Discounts = "discounts",
        Contest = "contest",
    }
}

impl ContentPageName {
    /// Whether old versions are public, because claims refer to them.
    pub const fn has_public_history(self) -> bool {
        matches!(self, Self::Rules | Self::Aml)
    }

    pub const fn layout(self) -> Layout {
        match self {
            Self::Faq => Layout::Questions,
            _ => Layout::Article,
        }
    }
}

/// Source text of a page in one language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageText {
    /// Heading, plain text.
    pub title: String,
    /// For search engines; plain text, may be empty.
    pub description: String,
    pub markdown: String,
}

/// Values of placeholders in texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placeholders {
    /// `{site}`: the name of the site.
    pub site: String,
    /// `{support}`: e-mail address of support.
    pub support: String,
}

impl Placeholders {
    pub fn fill_in(&self, text: &str) -> String {
        fill(text, &Params::from([("site", self.site.clone()), ("support", self.support.clone())]))
    }
}

impl PageText {
    /// Trims the text and normalizes line ends.
    #[must_use]
    pub fn trimmed(self) -> Self {
        Self {
            title: self.title.trim().to_owned(),
            description: self.description.trim().to_owned(),
            markdown: format!("{}\n", self.markdown.replace("\r\n", "\n").trim()),
        }
    }

    /// Appends validation errors.
    pub fn check(&self, locale: Locale, wrong: &mut Vec<FieldError>) {
        let line = |text: &str| !text.chars().any(char::is_control);
        let block = |text: &str| !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t'));
        for (name, text, max, is_plain) in [
            ("title", self.title.as_str(), TITLE_MAX, line(&self.title)),
            ("description", self.description.as_str(), DESCRIPTION_MAX, line(&self.description)),
            ("markdown", self.markdown.trim_end(), MARKDOWN_MAX, block(&self.markdown)),
        ] {
            let mut refuse = |code| wrong.push(FieldError::new(format!("{locale}.{name}"), code).with("max", max));
            if name != "description" && text.trim().is_empty() {
                refuse("required");
            } else if text.chars().count() > max {
                refuse("text_too_long");
            } else if !is_plain {
                refuse("text_not_plain");
            }
        }
    }
}

/// `28.03.2024` in Russian, `28 March 2024` in English.
pub fn format_date(time: Timestamp, locale: Locale) -> String {
    let date = time.date();
    match locale {
        Locale::Ru => format!("{:02}.{:02}.{}", date.day(), u8::from(date.month()), date.year()),
        Locale::En => format!("{} {} {}", date.day(), date.month(), date.year()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_found_by_its_name_alone() {
        for page in ContentPageName::ALL {
            assert_eq!(page.name().parse(), Ok(page));
        }
        assert!("RULES".parse::<ContentPageName>().is_err() && "".parse::<ContentPageName>().is_err());
    }

    #[test]
    fn every_error_of_a_text_is_reported() {
        let text = PageText { title: " ".into(), description: "a\u{7}b".into(), markdown: "x".repeat(MARKDOWN_MAX + 1) };
        let mut wrong = Vec::new();
        text.check(Locale::En, &mut wrong);
        let codes: Vec<_> = wrong.iter().map(|error| (error.field.as_str(), error.code)).collect();
        assert_eq!(codes, [("en.title", "required"), ("en.description", "text_not_plain"), ("en.markdown", "text_too_long")]);
    }
}

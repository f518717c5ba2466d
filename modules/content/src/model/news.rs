//! News posts.

use agio_core::texts::Locale;
use agio_core::{FieldError, Timestamp, named};

use super::PageText;

/// In characters.
pub const SLUG_MAX: usize = 60;

named! {
    /// The state of a news post.
    NewsState {
        /// Only staff see it: it is not published yet, or was withdrawn.
        Draft = "draft",
        Published = "published",
    }
}

/// The texts of a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewsTexts {
    pub ru: PageText,
    pub en: PageText,
}

impl NewsTexts {
    #[must_use]
    pub fn trimmed(self) -> Self {
        Self { ru: self.ru.trimmed(), en: self.en.trimmed() }
    }

    /// Appends validation errors.
    pub fn check(&self, wrong: &mut Vec<FieldError>) {
        self.ru.check(Locale::Ru, wrong);
        self.en.check(Locale::En, wrong);
    }

    pub fn get(&self, locale: Locale) -> &PageText {
        match locale {
            Locale::Ru => &self.ru,
            Locale::En => &self.en,
        }
    }
}

/// Lower-case words of letters and digits, joined by hyphens. At least one letter: a number is a page of the list.
pub fn is_slug(slug: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    slug.len() <= SLUG_MAX && slug.split('-').all(is_word) && slug.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// A published post in one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewsArticle {
    /// Heading, plain text.
    pub title: String,
    /// Plain text; may be empty.
    pub description: String,
    /// Sanitized HTML.
    pub html: String,
    /// Date of publication in its language.
    pub published_on: String,
}

/// A published post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedNews {
    pub slug: String,
    /// Of the first publication.
    pub published_at: Timestamp,
    pub updated_at: Timestamp,
    pub ru: NewsArticle,
    pub en: NewsArticle,
}

impl PublishedNews {
    pub fn get(&self, locale: Locale) -> &NewsArticle {
        match locale {
            Locale::Ru => &self.ru,
            Locale::En => &self.en,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_slug;

    #[test]
    fn a_slug_is_an_address_of_its_own() {
        for slug in ["new-year-2026", "a", "2x"] {
            assert!(is_slug(slug), "{slug}");
        }
        for other in ["", "2", "2026-01", "-a", "a-", "a--b", "A", "a_b", "a/b", "новость", "a.b", &"a".repeat(61)] {
            assert!(!is_slug(other), "{other}");
        }
    }
}

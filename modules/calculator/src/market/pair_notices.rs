//! Notices for customers of a pair and terms that they accept: title and message in both languages, with limited HTML.

use std::collections::HashSet;

use agio_contracts::CustomerTerms;
use agio_core::texts::{Bilingual, Locale};
use agio_core::{FieldError, hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::currency::check_text;

const TITLE_MAX: usize = 120;
const MESSAGE_MAX: usize = 4_000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoticeText {
    pub title: String,
    /// HTML with paragraphs, emphasis, lists and links only.
    pub message: String,
}

/// A notice in both languages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BilingualNotice {
    pub ru: NoticeText,
    pub en: NoticeText,
}

/// Notices of a pair and of its two sides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairNotices {
    pub general: Option<BilingualNotice>,
    pub from: Option<BilingualNotice>,
    pub to: Option<BilingualNotice>,
}

impl BilingualNotice {
    pub fn get(&self, locale: Locale) -> &NoticeText {
        match locale {
            Locale::Ru => &self.ru,
            Locale::En => &self.en,
        }
    }

    /// Removes all HTML that a page must not show.
    #[must_use]
    pub fn sanitised(mut self) -> Self {
        for text in [&mut self.ru, &mut self.en] {
            text.message = sanitise(&text.message);
        }
        self
    }

    /// As terms that customers accept.
    pub fn as_terms(&self) -> CustomerTerms {
        let texts = serde_json::to_vec(self).expect("a notice is plain data");
        let both = |of: fn(&NoticeText) -> &String| Bilingual { ru: of(&self.ru).clone(), en: of(&self.en).clone() };
        CustomerTerms {
            id: hex::encode(Sha256::digest(&texts)),
            title: both(|text| &text.title),
            message: both(|text| &text.message),
        }
    }

    pub(super) fn check(&self, wrong: &mut Vec<FieldError>, place: &str) {
        for (language, text) in [("ru", &self.ru), ("en", &self.en)] {
            check_text(wrong, &format!("{place}.{language}.title"), &text.title, TITLE_MAX);
            check_message(wrong, &format!("{place}.{language}.message"), &text.message);
        }
    }
}

impl PairNotices {
    /// Removes all HTML that a page must not show.
    #[must_use]
    pub fn sanitised(self) -> Self {
        let Self { general, from, to } = self;
        let [general, from, to] = [general, from, to].map(|notice| notice.map(BilingualNotice::sanitised));
        Self { general, from, to }
    }

    pub(super) fn check(&self, wrong: &mut Vec<FieldError>) {
        for (place, notice) in [("general", &self.general), ("from", &self.from), ("to", &self.to)] {
            if let Some(notice) = notice {
                notice.check(wrong, &format!("notices.{place}"));
            }
        }
    }
}

/// A message may have line breaks, unlike a title.
fn check_message(wrong: &mut Vec<FieldError>, field: &str, message: &str) {
    let on_one_line: String = message.chars().filter(|character| !matches!(character, '\n' | '\r' | '\t')).collect();
    check_text(wrong, field, &on_one_line, MESSAGE_MAX);
}

/// Keeps the allowed elements. Links must be https and send no referrer.
fn sanitise(html: &str) -> String {
    ammonia::Builder::empty()
        .add_tags(["p", "br", "b", "i", "strong", "em", "a", "ul", "ol", "li"])
        .add_tag_attributes("a", ["href"])
        .add_clean_content_tags(["script", "style"])
        .url_schemes(HashSet::from(["https"]))
        .url_relative(ammonia::UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer nofollow"))
        .clean(html)
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_keeps_emphasis_and_loses_scripts() {
        let cleaned = sanitise(
            r#"<p onclick="steal()">Send <b>only</b> in <a href="https://example.org/how">TRC20</a><script>steal()</script></p><img src=x onerror=steal()>"#,
        );
        assert_eq!(
            cleaned,
            r#"<p>Send <b>only</b> in <a href="https://example.org/how" rel="noopener noreferrer nofollow">TRC20</a></p>"#
        );
    }

    #[test]
    fn a_link_leads_to_https_or_nowhere() {
        for href in
            ["javascript:steal()", "http://example.org", "//example.org", "/admin", "data:text/html,x", "mailto:a@example.org"]
        {
            let cleaned = sanitise(&format!(r#"<a href="{href}">here</a>"#));
            assert!(!cleaned.contains("href"), "{href} was kept: {cleaned}");
        }
    }
}

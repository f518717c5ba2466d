//! Pages and their texts, as values.

mod defaults;
mod markdown;
mod structured;

use std::fmt;
use std::str::FromStr;

use agio_core::error::Params;
use agio_core::texts::{Locale, fill};
use agio_core::{FieldError, Timestamp, text_column};
use serde::{Deserialize, Serialize};

pub use defaults::default_text;
pub use markdown::{Form, render};
pub use structured::questions;

/// The longest title, in characters.
pub const TITLE_MAX: usize = 120;
/// The longest description, in characters.
pub const DESCRIPTION_MAX: usize = 300;
/// The longest text, in characters.
pub const MARKDOWN_MAX: usize = 20_000;
/// The longest note, in characters.
pub const NOTE_MAX: usize = 300;

/// A page whose text the operator writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Page {
    /// What is checked before and after a payment.
    Aml,
    /// Questions and answers.
    Faq,
    /// The rules customers agree to.
    Rules,
    /// Where to write.
    Contacts,
    /// For those who bring customers.
    Partners,
    /// How discounts grow.
    Discounts,
    /// The contest and its terms.
    Contest,
}

impl Page {
    /// Every page, in the order the console lists them.
    pub const ALL: [Self; 7] =
        [Self::Rules, Self::Aml, Self::Faq, Self::Contacts, Self::Partners, Self::Discounts, Self::Contest];

    /// The name it is stored under, which is also its address.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aml => "aml",
            Self::Faq => "faq",
            Self::Rules => "rules",
            Self::Contacts => "contacts",
            Self::Partners => "partners",
            Self::Discounts => "discounts",
            Self::Contest => "contest",
        }
    }

    /// Whether anybody may read the versions that hold no longer: claims refer to them.
    #[must_use]
    pub const fn keeps_old_versions_public(self) -> bool {
        matches!(self, Self::Rules | Self::Aml)
    }

    /// How its text is laid out.
    #[must_use]
    pub const fn form(self) -> Form {
        match self {
            Self::Faq => Form::Questions,
            _ => Form::Article,
        }
    }
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Page {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|page| page.name() == name).ok_or_else(|| format!("no page is {name:?}"))
    }
}

text_column!(Page);

/// The text of a page in one language, as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// The heading: plain text.
    pub title: String,
    /// What search engines show under it: plain text, may be empty.
    pub description: String,
    /// The text in Markdown.
    pub markdown: String,
}

/// What texts name in braces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// The site's name, `{site}`.
    pub site: String,
    /// Where customers write to, `{support}`.
    pub support: String,
}

impl Names {
    /// A plain text with the names in it.
    #[must_use]
    pub fn put_into(&self, text: &str) -> String {
        fill(text, &Params::from([("site", self.site.clone()), ("support", self.support.clone())]))
    }
}

impl Text {
    /// The same text without blanks around it and with one kind of line ends.
    #[must_use]
    pub fn tidied(self) -> Self {
        Self {
            title: self.title.trim().to_owned(),
            description: self.description.trim().to_owned(),
            markdown: format!("{}\n", self.markdown.replace("\r\n", "\n").trim()),
        }
    }

    /// Notes what is wrong with it.
    pub fn check(&self, locale: Locale, wrong: &mut Vec<FieldError>) {
        let line = |text: &str| !text.chars().any(char::is_control);
        let block = |text: &str| !text.chars().any(|letter| letter.is_control() && !matches!(letter, '\n' | '\t'));
        for (name, text, most, is_plain) in [
            ("title", self.title.as_str(), TITLE_MAX, line(&self.title)),
            ("description", self.description.as_str(), DESCRIPTION_MAX, line(&self.description)),
            ("markdown", self.markdown.trim_end(), MARKDOWN_MAX, block(&self.markdown)),
        ] {
            let mut refuse = |code| {
                let params = Params::from([("max", most.to_string())]);
                wrong.push(FieldError { field: format!("{locale}.{name}"), code, params });
            };
            if name != "description" && text.trim().is_empty() {
                refuse("required");
            } else if text.chars().count() > most {
                refuse("text_too_long");
            } else if !is_plain {
                refuse("text_not_plain");
            }
        }
    }
}

/// `28.03.2024` in Russian, `28 March 2024` in English.
#[must_use]
pub fn day_in_words(moment: Timestamp, locale: Locale) -> String {
    let date = moment.date();
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
        for page in Page::ALL {
            assert_eq!(page.name().parse(), Ok(page));
        }
        assert!("RULES".parse::<Page>().is_err() && "".parse::<Page>().is_err());
    }

    #[test]
    fn a_text_says_what_is_wrong_with_it() {
        let text = Text { title: " ".into(), description: "a\u{7}b".into(), markdown: "x".repeat(MARKDOWN_MAX + 1) };
        let mut wrong = Vec::new();
        text.check(Locale::En, &mut wrong);
        let codes: Vec<_> = wrong.iter().map(|error| (error.field.as_str(), error.code)).collect();
        assert_eq!(codes, [("en.title", "required"), ("en.description", "text_not_plain"), ("en.markdown", "text_too_long")]);
    }
}

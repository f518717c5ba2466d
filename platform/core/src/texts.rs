//! Texts in the two languages of the house.
//!
//! Each crate ships flat dictionaries `texts/ru.json` and `texts/en.json`; the composition root merges them. A text may
//! name parameters in braces: `Минимум {min} {currency}`.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Params, Values};

/// The languages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Locale {
    /// Russian, the default.
    #[default]
    Ru,
    /// English.
    En,
}

impl fmt::Display for Locale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ru => "ru",
            Self::En => "en",
        })
    }
}

impl FromStr for Locale {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "ru" => Ok(Self::Ru),
            "en" => Ok(Self::En),
            other => Err(format!("{other:?} is not a language of the house")),
        }
    }
}

/// A text in both languages, as data carries it (names, notices).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bilingual {
    /// In Russian.
    pub ru: String,
    /// In English.
    pub en: String,
}

impl Bilingual {
    /// The text in one language.
    #[must_use]
    pub fn get(&self, locale: Locale) -> &str {
        match locale {
            Locale::Ru => &self.ru,
            Locale::En => &self.en,
        }
    }
}

/// One crate's dictionaries, as JSON objects of key and text.
#[derive(Clone, Copy, Debug)]
pub struct Dictionary {
    /// The crate's name, for messages about a bad dictionary.
    pub room: &'static str,
    /// The Russian texts.
    pub ru: &'static str,
    /// The English texts.
    pub en: &'static str,
}

/// The dictionaries of the crate that calls it: `texts/ru.json` and `texts/en.json` beside its `src`.
#[macro_export]
macro_rules! dictionary {
    () => {
        $crate::texts::Dictionary {
            room: env!("CARGO_PKG_NAME"),
            ru: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/texts/ru.json")),
            en: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/texts/en.json")),
        }
    };
}

/// Core's own texts: the errors every room may return.
pub const DICTIONARY: Dictionary = crate::dictionary!();

/// All texts of the house.
#[derive(Debug, Default)]
pub struct Texts {
    ru: HashMap<String, String>,
    en: HashMap<String, String>,
}

impl Texts {
    /// Merges dictionaries.
    ///
    /// # Errors
    /// One is not a flat JSON object, its two languages differ in keys, or a key is in two rooms.
    pub fn merge(dictionaries: &[Dictionary]) -> Result<Self, String> {
        let mut texts = Self::default();
        for dictionary in dictionaries {
            let read = |json: &str| -> Result<HashMap<String, String>, String> {
                serde_json::from_str(json).map_err(|error| format!("{}: {error}", dictionary.room))
            };
            let (ru, en) = (read(dictionary.ru)?, read(dictionary.en)?);
            for key in ru.keys().chain(en.keys()) {
                if !ru.contains_key(key) || !en.contains_key(key) {
                    return Err(format!("{}: {key:?} is missing in one language", dictionary.room));
                }
                if texts.ru.contains_key(key) {
                    return Err(format!("{}: {key:?} is a text of another room already", dictionary.room));
                }
            }
            texts.ru.extend(ru);
            texts.en.extend(en);
        }
        Ok(texts)
    }

    /// Whether there is a text under this key.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.ru.contains_key(key)
    }

    /// Every text whose key begins so, by the rest of its key.
    #[must_use]
    pub fn below(&self, locale: Locale, prefix: &str) -> Vec<(String, String)> {
        let dictionary = match locale {
            Locale::Ru => &self.ru,
            Locale::En => &self.en,
        };
        let named = dictionary.iter().filter_map(|(key, text)| Some((key.strip_prefix(prefix)?.to_owned(), text.clone())));
        let mut named: Vec<_> = named.collect();
        named.sort();
        named
    }

    /// The text under `key` with its parameters filled in; the key itself where there is none, so that a gap shows.
    #[must_use]
    pub fn get(&self, locale: Locale, key: &str, params: &Params) -> String {
        let dictionary = match locale {
            Locale::Ru => &self.ru,
            Locale::En => &self.en,
        };
        let Some(template) = dictionary.get(key) else { return key.to_owned() };
        fill(template, &params.in_language(locale))
    }
}

/// A template with its parameters filled in. What a value says in braces is not a parameter.
#[must_use]
pub fn fill(template: &str, params: &Values) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let named = after.split_once('}').and_then(|(name, after)| Some((params.get(name)?, after)));
        match named {
            Some((value, after)) => {
                text.push_str(value);
                rest = after;
            }
            None => {
                text.push('{');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_never_a_template() {
        let params = Params::from([("a", "{b}".to_owned()), ("b", "x".to_owned())]);
        assert_eq!(fill("{a} {b} {c} { {a", &params), "{b} x {c} { {a");
    }
}

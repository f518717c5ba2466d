//! Texts in Russian and English.
//!
//! Each crate has flat dictionaries `texts/ru.json` and `texts/en.json`; the composition root merges them. A text may
//! contain parameters in braces: `Минимум {min} {currency}`.

use std::collections::HashMap;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::error::{Params, Values};
use crate::money::plain;

crate::named! {
    /// A language of the sites and of e-mails.
    Locale {
        /// Russian.
        Ru = "ru",
        /// English.
        En = "en",
    }
}

#[expect(clippy::derivable_impls, reason = "`named!` writes the derives")]
impl Default for Locale {
    fn default() -> Self {
        Self::Ru
    }
}

impl Locale {
    /// The language that an `Accept-Language` header prefers; `None` if it names neither.
    #[must_use]
    pub fn preferred(header: &str) -> Option<Self> {
        let ranges = header.split(',').filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            let language = parts.next()?.split('-').next()?.to_ascii_lowercase().parse::<Self>().ok()?;
            let weight = parts.find_map(|part| part.strip_prefix("q=")).map_or(Ok(Decimal::ONE), str::parse).ok()?;
            (weight > Decimal::ZERO).then_some((weight, language))
        });
        // Of equal weights the first counts.
        ranges.rev().max_by_key(|(weight, _)| *weight).map(|(_, language)| language)
    }
}

/// A text in both languages as part of data (names, messages).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Bilingual {
    pub ru: String,
    pub en: String,
}

impl Bilingual {
    #[must_use]
    pub fn get(&self, locale: Locale) -> &str {
        match locale {
            Locale::Ru => &self.ru,
            Locale::En => &self.en,
        }
    }
}

/// One crate's dictionaries as JSON objects of keys and texts.
#[derive(Clone, Copy, Debug)]
pub struct Dictionary {
    /// The crate's name, for error messages.
    pub crate_name: &'static str,
    pub ru: &'static str,
    pub en: &'static str,
}

/// The dictionaries of the calling crate: `texts/ru.json` and `texts/en.json` beside its `src`.
#[macro_export]
macro_rules! dictionary {
    () => {
        $crate::texts::Dictionary {
            crate_name: env!("CARGO_PKG_NAME"),
            ru: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/texts/ru.json")),
            en: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/texts/en.json")),
        }
    };
}

/// The core's own texts: errors that every module may return.
pub const DICTIONARY: Dictionary = crate::dictionary!();

/// Ends the name of a parameter that is an amount.
const AMOUNT: &str = ":amount";

/// All texts.
#[derive(Debug, Default)]
pub struct Texts {
    ru: HashMap<String, String>,
    en: HashMap<String, String>,
}

impl Texts {
    /// # Errors
    /// A dictionary is not a flat JSON object, its languages differ in keys, or two dictionaries share a key.
    pub fn merge(dictionaries: &[Dictionary]) -> Result<Self, String> {
        let mut texts = Self::default();
        for dictionary in dictionaries {
            let read = |json: &str| -> Result<HashMap<String, String>, String> {
                serde_json::from_str(json).map_err(|error| format!("{}: {error}", dictionary.crate_name))
            };
            let (ru, en) = (read(dictionary.ru)?, read(dictionary.en)?);
            for key in ru.keys().chain(en.keys()) {
                if !ru.contains_key(key) || !en.contains_key(key) {
                    return Err(format!("{}: {key:?} is missing in one language", dictionary.crate_name));
                }
                if texts.ru.contains_key(key) {
                    return Err(format!("{}: {key:?} is a text of another crate already", dictionary.crate_name));
                }
            }
            texts.ru.extend(ru);
            texts.en.extend(en);
        }
        Ok(texts)
    }

    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.ru.contains_key(key)
    }

    /// Texts whose keys begin with a prefix, by the rest of their keys.
    #[must_use]
    pub fn with_prefix(&self, locale: Locale, prefix: &str) -> Vec<(String, String)> {
        let named =
            self.dictionary(locale).iter().filter_map(|(key, text)| Some((key.strip_prefix(prefix)?.to_owned(), text.clone())));
        let mut named: Vec<_> = named.collect();
        named.sort();
        named
    }

    /// The text with its parameters filled in, those named like `{min:amount}` as amounts in the language's format. A
    /// missing text shows as its key.
    #[must_use]
    pub fn get(&self, locale: Locale, key: &str, params: &Params) -> String {
        let (template, values) = (self.label(locale, key), params.in_language(locale));
        if !template.contains(AMOUNT) {
            return fill(template, &values);
        }
        let written = |value: &String| match value.parse() {
            Ok(amount) => format_amount(amount, locale),
            Err(_) => value.clone(),
        };
        let amounts: HashMap<_, _> = values.iter().map(|(name, value)| (*name, written(value))).collect();
        let value = |name: &str| match name.strip_suffix(AMOUNT) {
            Some(name) => amounts.get(name).map(String::as_str),
            None => values.get(name).map(String::as_str),
        };
        let mut text = String::with_capacity(template.len());
        fill_with(template, value, |piece| text.push_str(piece));
        text
    }

    /// A text without parameters. A missing one shows as its key.
    #[must_use]
    pub fn label<'t>(&'t self, locale: Locale, key: &'t str) -> &'t str {
        self.dictionary(locale).get(key).map_or(key, String::as_str)
    }

    fn dictionary(&self, locale: Locale) -> &HashMap<String, String> {
        match locale {
            Locale::Ru => &self.ru,
            Locale::En => &self.en,
        }
    }
}

/// An amount in the language's format: `90\u{a0}000,04`, `90,000.04`.
#[must_use]
pub fn format_amount(amount: Decimal, locale: Locale) -> String {
    let (group, point) = match locale {
        Locale::Ru => ('\u{a0}', ','),
        Locale::En => (',', '.'),
    };
    let text = plain(amount);
    let (sign, text) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("−", rest));
    let (whole, part) = text.split_once('.').map_or((text, None), |(whole, part)| (whole, Some(part)));
    let mut written = sign.to_owned();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            written.push(group);
        }
        written.push(digit);
    }
    if let Some(part) = part {
        written.push(point);
        written.push_str(part);
    }
    written
}

/// Fills in the parameters of a template. Braces in values are not parameters.
#[must_use]
pub fn fill(template: &str, params: &Values) -> String {
    let mut text = String::with_capacity(template.len());
    fill_with(template, |name| params.get(name).map(String::as_str), |piece| text.push_str(piece));
    text
}

/// Writes a template piece by piece, with the values of its parameters. Braces in values are not parameters.
pub fn fill_with<'t>(template: &'t str, value: impl Fn(&str) -> Option<&'t str>, mut write: impl FnMut(&'t str)) {
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        write(before);
        let named = after.split_once('}').and_then(|(name, after)| Some((value(name)?, after)));
        let (piece, after) = named.unwrap_or(("{", after));
        write(piece);
        rest = after;
    }
    write(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preferred_language_is_that_of_the_greatest_weight() {
        for (header, language) in [
            ("", None),
            ("*", None),
            ("de;q=1, fr", None),
            ("en", Some(Locale::En)),
            ("EN-gb,en;q=0.9", Some(Locale::En)),
            ("en, ru", Some(Locale::En)),
            ("de, ru-RU;q=0.8, en;q=0.9", Some(Locale::En)),
            ("en;q=0.125,ru;q=0.25", Some(Locale::Ru)),
            ("en;q=0", None),
            ("en;q=x,;;,=,ru;q=", None),
        ] {
            assert_eq!(Locale::preferred(header), language, "{header}");
        }
    }

    #[test]
    fn values_are_not_templates() {
        let params = Params::from([("a", "{b}".to_owned()), ("b", "x".to_owned())]);
        assert_eq!(fill("{a} {b} {c} { {a", &params), "{b} x {c} { {a");
    }

    #[test]
    fn amounts_use_the_format_of_the_language() {
        let written = |text: &str, locale| format_amount(text.parse().unwrap(), locale);
        assert_eq!(written("90000.04", Locale::Ru), "90\u{a0}000,04");
        assert_eq!(written("90000.04", Locale::En), "90,000.04");
        assert_eq!(written("1234567", Locale::Ru), "1\u{a0}234\u{a0}567");
        assert_eq!(written("-1234567.5", Locale::En), "−1,234,567.5");
        assert_eq!(written("999", Locale::En), "999");
        assert_eq!(written("0.00000001", Locale::Ru), "0,00000001");
    }

    #[test]
    fn amounts_in_a_text_are_those_of_its_language() {
        let dictionary = r#"{ "max": "{max:amount} {unit}, {max}" }"#;
        let texts = Texts::merge(&[Dictionary { crate_name: "test", ru: dictionary, en: dictionary }]).unwrap();
        let params = Params::from([("max", "1234567.5".to_owned()), ("unit", "RUB".to_owned())]);
        assert_eq!(texts.get(Locale::Ru, "max", &params), "1\u{a0}234\u{a0}567,5 RUB, 1234567.5");
        assert_eq!(texts.get(Locale::En, "max", &params), "1,234,567.5 RUB, 1234567.5");
        assert_eq!(texts.get(Locale::En, "max", &Params::from([("max", "all".to_owned())])), "all {unit}, all");
    }
}

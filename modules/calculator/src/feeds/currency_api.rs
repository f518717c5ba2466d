//! currency-api's daily rates (`currencies/usd.json`): units of every currency for one of the base.
//!
//! The rates are JSON numbers, read from their digits. Codes are lower case, crypto among them;
//! those that are no tickers ("$wen", "btc.b") or show no digit but zero are left out and named.

use std::collections::HashSet;
use std::fmt;

use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;
use time::Date;
use time::macros::format_description;

use super::number::json_number;
use super::{Feed, FeedError, Format, checked};
use crate::model::observation::{Observation, ObservedAt};

/// The source's name in observations.
pub const SOURCE: &str = "currency-api";

/// Reads a file of one base currency.
pub fn parse(bytes: &[u8]) -> Result<Feed, FeedError> {
    let fields = Fields::read(checked(bytes)?)?;
    let date = Date::parse(&fields.date, format_description!("[year]-[month]-[day]"))
        .map_err(|_| FeedError::Date(fields.date.clone()))?;
    let base = ticker(&fields.base).ok_or_else(|| FeedError::Code(fields.base.clone()))?;

    let mut seen = HashSet::new();
    let mut observations = Vec::new();
    let mut skipped = Vec::new();
    for (code, number) in &fields.rates {
        if !seen.insert(code) {
            return Err(FeedError::Duplicate(code.clone()));
        }
        let rate = json_number(number.get(), code)?;
        let is_price = |quote: &String| *quote != base && !rate.is_zero();
        let Some(quote) = ticker(code).filter(is_price) else {
            skipped.push(code.clone());
            continue;
        };
        observations.push(Observation {
            source: SOURCE.to_owned(),
            base: base.clone(),
            quote,
            bid: rate,
            ask: rate,
            observed_at: ObservedAt::Day(date),
        });
    }
    if observations.is_empty() {
        return Err(FeedError::NoPrices);
    }
    Ok(Feed { format: Format::CurrencyApi, observations, skipped })
}

/// The ticker a code stands for; none when it does not look like one.
fn ticker(code: &str) -> Option<String> {
    let is_plain = code.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    (is_plain && (2..=10).contains(&code.len())).then(|| code.to_ascii_uppercase())
}

/// The file's two fields; the second is named after the base.
struct Fields {
    date: String,
    base: String,
    rates: Entries,
}

/// The entries of a JSON object in order, doubles included.
type Entries = Vec<(String, Box<RawValue>)>;

impl Fields {
    fn read(bytes: &[u8]) -> Result<Self, FeedError> {
        let json = |error: serde_json::Error| FeedError::Json(error.to_string());
        let missing = |what| FeedError::Missing { what, of: "the file".to_owned() };
        let (mut date, mut rates) = (None, None);
        for (name, value) in entries(bytes)? {
            if name == "date" {
                date = Some(serde_json::from_str(value.get()).map_err(json)?);
            } else if rates.is_none() {
                rates = Some((name, entries(value.get().as_bytes())?));
            } else {
                return Err(FeedError::Json(format!("unexpected field {name:?}")));
            }
        }
        let (base, rates) = rates.ok_or_else(|| missing("base"))?;
        Ok(Self { date: date.ok_or_else(|| missing("date"))?, base, rates })
    }
}

/// Reads a JSON object keeping the raw text of its values.
fn entries(bytes: &[u8]) -> Result<Entries, FeedError> {
    struct EntriesVisitor;

    impl<'de> Visitor<'de> for EntriesVisitor {
        type Value = Entries;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
            let mut entries = Vec::new();
            while let Some(entry) = map.next_entry()? {
                entries.push(entry);
            }
            Ok(entries)
        }
    }

    let mut json = serde_json::Deserializer::from_slice(bytes);
    let entries = json.deserialize_map(EntriesVisitor).and_then(|entries| json.end().map(|()| entries));
    entries.map_err(|error| FeedError::Json(error.to_string()))
}

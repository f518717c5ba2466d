//! currency-api's daily rates (`currencies/usd.json`): units of every currency for one of the base.
//!
//! Rates are JSON numbers, parsed from their digits. Codes are lower case and include crypto; codes that are not tickers ("$wen", "btc.b") and
//! rates that round to zero are skipped and listed.

use std::collections::HashSet;

use agio_plugin_rate_source::json::{Entries, entries};
use agio_plugin_rate_source::number::json_number;
use agio_plugin_rate_source::{RateSource, ReadError, Source, SourcePage, manifest, price_collector};
use agio_plugin_sdk::protocol::{LocalizedText, Manifest, PriceObservation, Prices};
use time::Date;
use time::macros::format_description;

/// currency-api, as a network of mirrors serves it.
pub type CurrencyApi = RateSource<CurrencyApiRates>;

/// What CurrencyApi publishes.
pub struct CurrencyApiRates;

#[cfg(feature = "library")]
agio_plugin_sdk::export!(CurrencyApi::default());

impl Source for CurrencyApiRates {
    const ORIGIN: &str = "https://cdn.jsdelivr.net";
    const PATH: &str = "/npm/@fawazahmed0/currency-api@latest/v1/currencies/usd.min.json";

    fn manifest(origin: &str) -> Manifest {
        let title = LocalizedText::new("currency-api", "currency-api");
        let about = LocalizedText::new(
            "Курсы доллара ко многим валютам и криптовалютам, раз в день, без покупки и продажи. Ничьего ручательства за ними нет.",
            "Rates of the dollar in many currencies and crypto-currencies, once a day, without bid and ask. Nobody vouches for them.",
        );
        manifest("currency-api", origin, title, about)
    }

    fn recognizes(head: &str) -> bool {
        head.starts_with('{') && head.contains("\"date\"")
    }

    fn read(page: &SourcePage<'_>) -> Result<Prices, ReadError> {
        let fields = Fields::read(page.bytes)?;
        let date = Date::parse(&fields.date, format_description!("[year]-[month]-[day]"))
            .map_err(|_| ReadError::Date(fields.date.clone()))?;
        let observed_at = page.checked_date(date)?;
        let base = ticker(&fields.base).ok_or_else(|| ReadError::Code(fields.base.clone()))?;
        let mut seen = HashSet::new();
        let mut prices = Prices { observations: Vec::new(), skipped: Vec::new() };
        for (code, number) in &fields.rates {
            if !seen.insert(code) {
                return Err(ReadError::Duplicate(code.clone()));
            }
            let rate = json_number(number.get(), code)?;
            let is_price = |quote: &String| *quote != base && !rate.is_zero();
            match ticker(code).filter(is_price) {
                Some(quote) => {
                    let (base, observed_at) = (base.clone(), observed_at.clone());
                    prices.observations.push(PriceObservation { base, quote, bid: rate, ask: rate, observed_at });
                }
                None => prices.skipped.push(code.clone()),
            }
        }
        price_collector::validate_prices(prices)
    }
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

impl Fields {
    fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let missing = |what| ReadError::Missing { what, of: "the file".to_owned() };
        let (mut date, mut rates) = (None, None);
        for (name, value) in entries(bytes)? {
            if name == "date" {
                date = Some(serde_json::from_str(value.get())?);
            } else if rates.is_none() {
                rates = Some((name, entries(value.get().as_bytes())?));
            } else {
                return Err(ReadError::Json(format!("unexpected field {name:?}")));
            }
        }
        let (base, rates) = rates.ok_or_else(|| missing("base"))?;
        Ok(Self { date: date.ok_or_else(|| missing("date"))?, base, rates })
    }
}

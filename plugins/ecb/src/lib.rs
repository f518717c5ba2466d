//! The European Central Bank's euro reference rates (`eurofxref-daily.xml` and its history files).
//!
//! Rates are units of the currency for one euro, one per working day, without bid and ask. Attributes are in single or double quotes. The
//! decimal sign is always a point; a comma means that the file is from somewhere else.

use std::collections::HashSet;

use agio_plugin_rate_source::number::{Separator, price};
use agio_plugin_rate_source::xml::{self, Element};
use agio_plugin_rate_source::{RateSource, ReadError, Source, SourcePage, letter_code, manifest, price_collector};
use agio_plugin_sdk::protocol::{LocalizedText, Manifest, PriceObservation, Prices};
use time::Date;
use time::macros::format_description;

/// The European Central Bank.
pub type Ecb = RateSource<EcbRates>;

/// What Ecb publishes.
pub struct EcbRates;

#[cfg(feature = "library")]
agio_plugin_sdk::export!(Ecb::default());

impl Source for EcbRates {
    const ORIGIN: &str = "https://www.ecb.europa.eu";
    const PATH: &str = "/stats/eurofxref/eurofxref-daily.xml";

    fn manifest(origin: &str) -> Manifest {
        let title = LocalizedText::new("Европейский центральный банк", "European Central Bank");
        let about = LocalizedText::new(
            "Справочные курсы евро, раз в рабочий день около 16:00 по Франкфурту. Рубля нет с 2022 года.",
            "Reference rates of the euro, once a working day at about 16:00 in Frankfurt. No rouble since 2022.",
        );
        manifest("ecb", origin, title, about)
    }

    fn recognizes(head: &str) -> bool {
        head.starts_with('<') && head.contains("eurofxref")
    }

    fn read(page: &SourcePage<'_>) -> Result<Prices, ReadError> {
        let envelope = xml::read(page.bytes)?;
        let mut observations = Vec::new();
        let cubes = envelope.children.iter().filter(|child| child.name == "Cube");
        for day in cubes.flat_map(|cube| &cube.children) {
            read_day(page, day, &mut observations)?;
        }
        price_collector::validate_prices(Prices { observations, skipped: Vec::new() })
    }
}

fn read_day(page: &SourcePage<'_>, day: &Element, observations: &mut Vec<PriceObservation>) -> Result<(), ReadError> {
    let missing = |what, of: &str| ReadError::Missing { what, of: of.to_owned() };
    let time = day.attribute("time").ok_or_else(|| missing("time", "a day's Cube"))?;
    let date = Date::parse(time, format_description!("[year]-[month]-[day]")).map_err(|_| ReadError::Date(time.to_owned()))?;
    let observed_at = page.checked_date(date)?;
    let mut seen = HashSet::new();
    for cube in &day.children {
        let code = cube.attribute("currency").ok_or_else(|| missing("currency", "a Cube"))?;
        let code = letter_code(code)?;
        let rate = cube.attribute("rate").ok_or_else(|| missing("rate", code))?;
        if code == "EUR" || !seen.insert(code) {
            return Err(ReadError::Duplicate(code.to_owned()));
        }
        let rate = price(rate, Separator::Point, code)?;
        let (base, quote) = ("EUR".to_owned(), code.to_owned());
        observations.push(PriceObservation { base, quote, bid: rate, ask: rate, observed_at: observed_at.clone() });
    }
    Ok(())
}

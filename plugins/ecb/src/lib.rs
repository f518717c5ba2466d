//! The European Central Bank's euro reference rates (`eurofxref-daily.xml` and its history files).
//!
//! Rates are units of the currency for one euro, one per working day, without bid and ask. Attributes are in single or double quotes. The
//! decimal sign is always a point; a comma means that the file is from somewhere else.

use std::collections::HashSet;

use agio_plugin_rate_source::number::{Separator, price};
use agio_plugin_rate_source::xml::{self, Element};
use agio_plugin_rate_source::{ReadError, Source, SourcePage, handle, letter_code, manifest, price_collector};
use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    CallError, HttpRequest, LocalizedText, Manifest, PluginRequest, PluginResponse, PriceObservation, Prices,
};
use time::Date;
use time::macros::format_description;

/// The European Central Bank.
pub struct Ecb {
    origin: String,
}

impl Default for Ecb {
    fn default() -> Self {
        Self::at("https://www.ecb.europa.eu")
    }
}

impl Ecb {
    /// Uses another origin, for tests.
    #[must_use]
    pub fn at(origin: &str) -> Self {
        Self { origin: origin.to_owned() }
    }
}

#[cfg(feature = "library")]
agio_plugin_sdk::export!(Ecb::default());

impl Plugin for Ecb {
    fn manifest(&self) -> Manifest {
        let title = LocalizedText::new("Европейский центральный банк", "European Central Bank");
        let about = LocalizedText::new(
            "Справочные курсы евро, раз в рабочий день около 16:00 по Франкфурту. Рубля нет с 2022 года.",
            "Reference rates of the euro, once a working day at about 16:00 in Frankfurt. No rouble since 2022.",
        );
        manifest("ecb", &self.origin, title, about)
    }

    fn handle(&self, input: &PluginRequest) -> PluginResponse {
        handle(self, input)
    }
}

impl Source for Ecb {
    fn request(&self, _question: &PluginRequest, _assets: &[String]) -> Result<HttpRequest, CallError> {
        Ok(HttpRequest::get(format!("{}/stats/eurofxref/eurofxref-daily.xml", self.origin)))
    }

    fn recognizes(&self, head: &str) -> bool {
        head.starts_with('<') && head.contains("eurofxref")
    }

    fn read(&self, page: &SourcePage<'_>) -> Result<Prices, ReadError> {
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

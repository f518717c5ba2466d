//! The European Central Bank's euro reference rates (`eurofxref-daily.xml` and its history files).
//!
//! Rates are units of the currency for one euro, one a working day, without bid and ask. Attributes come
//! in single or double quotes; the decimal sign is always a point, so a comma means that someone
//! else wrote the file.

use std::collections::HashSet;

use agio_plugin::Plugin;
use agio_plugin::protocol::{HttpRequest, Manifest, Observation, Prices, Question, Refusal, Step, Words};
use agio_plugin_reading::number::{Separator, price};
use agio_plugin_reading::xml::{self, Element};
use agio_plugin_reading::{Page, ReadError, Source, book, handle, letter_code, manifest};
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
    /// The same bank found elsewhere: a double, in tests.
    #[must_use]
    pub fn at(origin: &str) -> Self {
        Self { origin: origin.to_owned() }
    }
}

#[cfg(feature = "library")]
agio_plugin::export!(Ecb::default());

impl Plugin for Ecb {
    fn manifest(&self) -> Manifest {
        let title = Words::new("Европейский центральный банк", "European Central Bank");
        let about = Words::new(
            "Справочные курсы евро, раз в рабочий день около 16:00 по Франкфурту. Рубля нет с 2022 года.",
            "Reference rates of the euro, once a working day at about 16:00 in Frankfurt. No rouble since 2022.",
        );
        manifest("ecb", &self.origin, title, about)
    }

    fn handle(&self, question: &Question) -> Step {
        handle(self, question)
    }
}

impl Source for Ecb {
    fn request(&self, _question: &Question, _assets: &[String]) -> Result<HttpRequest, Refusal> {
        Ok(HttpRequest::get(format!("{}/stats/eurofxref/eurofxref-daily.xml", self.origin)))
    }

    fn knows(&self, head: &str) -> bool {
        head.starts_with('<') && head.contains("eurofxref")
    }

    fn read(&self, page: &Page<'_>) -> Result<Prices, ReadError> {
        let envelope = xml::read(page.bytes)?;
        let mut observations = Vec::new();
        let cubes = envelope.children.iter().filter(|child| child.name == "Cube");
        for day in cubes.flat_map(|cube| &cube.children) {
            read_day(page, day, &mut observations)?;
        }
        book::finished(Prices { observations, skipped: Vec::new() })
    }
}

fn read_day(page: &Page<'_>, day: &Element, observations: &mut Vec<Observation>) -> Result<(), ReadError> {
    let missing = |what, of: &str| ReadError::Missing { what, of: of.to_owned() };
    let time = day.attribute("time").ok_or_else(|| missing("time", "a day's Cube"))?;
    let date = Date::parse(time, format_description!("[year]-[month]-[day]")).map_err(|_| ReadError::Date(time.to_owned()))?;
    let observed_at = page.on_day(date)?;
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
        observations.push(Observation { base, quote, bid: rate, ask: rate, observed_at: observed_at.clone() });
    }
    Ok(())
}

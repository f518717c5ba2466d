//! The European Central Bank's euro reference rates (`eurofxref-daily.xml` and its history files).
//!
//! Rates are units of the currency for one euro, one a day, without bid and ask. Attributes come
//! in single or double quotes; the decimal sign is always a point, so a comma means that someone
//! else wrote the file.

use std::collections::HashSet;

use time::Date;
use time::macros::format_description;

use super::number::{Separator, price};
use super::xml::{self, Element};
use super::{Feed, FeedError, Format, checked, letter_code};
use crate::model::observation::{Observation, ObservedAt};

/// The source's name in observations.
pub const SOURCE: &str = "ecb";

/// Reads a file of one or more days.
pub fn parse(bytes: &[u8]) -> Result<Feed, FeedError> {
    let envelope = xml::read(checked(bytes)?)?;
    let mut observations = Vec::new();
    let cubes = envelope.children.iter().filter(|child| child.name == "Cube");
    for day in cubes.flat_map(|cube| &cube.children) {
        read_day(day, &mut observations)?;
    }
    if observations.is_empty() {
        return Err(FeedError::NoPrices);
    }
    Ok(Feed { format: Format::Ecb, observations, skipped: Vec::new() })
}

fn read_day(day: &Element, observations: &mut Vec<Observation>) -> Result<(), FeedError> {
    let missing = |what, of: &str| FeedError::Missing { what, of: of.to_owned() };
    let time = day.attribute("time").ok_or_else(|| missing("time", "a day's Cube"))?;
    let date = Date::parse(time, format_description!("[year]-[month]-[day]")).map_err(|_| FeedError::Date(time.to_owned()))?;
    let mut seen = HashSet::new();
    for cube in &day.children {
        let code = cube.attribute("currency").ok_or_else(|| missing("currency", "a Cube"))?;
        let code = letter_code(code)?;
        let rate = cube.attribute("rate").ok_or_else(|| missing("rate", code))?;
        if code == "EUR" || !seen.insert(code) {
            return Err(FeedError::Duplicate(code.to_owned()));
        }
        let rate = price(rate, Separator::Point, code)?;
        observations.push(Observation {
            source: SOURCE.to_owned(),
            base: "EUR".to_owned(),
            quote: code.to_owned(),
            bid: rate,
            ask: rate,
            observed_at: ObservedAt::Day(date),
        });
    }
    Ok(())
}

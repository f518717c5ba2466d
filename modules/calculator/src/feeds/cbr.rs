//! The Bank of Russia's official rates (`XML_daily.asp`).
//!
//! Rates are roubles for `Nominal` units of the currency, one a day, without bid and ask; the date
//! is the day they are valid for. The file is windows-1251 with a decimal comma. Files before 2023
//! have no rate for one unit (`VunitRate`); where it is there it must agree.

use std::collections::HashSet;

use rust_decimal::Decimal;
use time::Date;
use time::macros::format_description;

use super::number::{Separator, price};
use super::xml::{self, Element};
use super::{Feed, FeedError, Format, checked, letter_code};
use crate::model::observation::{Observation, ObservedAt};

/// The source's name in observations.
pub const SOURCE: &str = "cbr";

/// Reads a file of one day.
pub fn parse(bytes: &[u8]) -> Result<Feed, FeedError> {
    let root = xml::read(checked(bytes)?)?;
    let missing = || FeedError::Missing { what: "Date", of: "ValCurs".to_owned() };
    let date = root.attribute("Date").ok_or_else(missing)?;
    let date = Date::parse(date, format_description!("[day].[month].[year]")).map_err(|_| FeedError::Date(date.to_owned()))?;
    let mut seen = HashSet::new();
    let mut observations = Vec::new();
    for valute in root.children.iter().filter(|child| child.name == "Valute") {
        let observation = read_valute(valute, date)?;
        if observation.base == "RUB" || !seen.insert(observation.base.clone()) {
            return Err(FeedError::Duplicate(observation.base));
        }
        observations.push(observation);
    }
    if observations.is_empty() {
        return Err(FeedError::NoPrices);
    }
    Ok(Feed { format: Format::Cbr, observations, skipped: Vec::new() })
}

fn read_valute(valute: &Element, date: Date) -> Result<Observation, FeedError> {
    let field = |name: &'static str, of: &str| {
        valute.child_text(name).ok_or_else(|| FeedError::Missing { what: name, of: of.to_owned() })
    };
    let id = valute.attribute("ID").unwrap_or("a Valute");
    let code = letter_code(field("CharCode", id)?)?;
    let nominal = nominal(field("Nominal", code)?, code)?;
    let value = price(field("Value", code)?, Separator::Comma, code)?;
    let rate = for_one(value, nominal, code)?;
    if let Some(unit_rate) = valute.child_text("VunitRate") {
        let unit_rate = price(unit_rate, Separator::Comma, code)?;
        if unit_rate != rate {
            return Err(FeedError::UnitRate { code: code.to_owned(), nominal, value, unit_rate });
        }
    }
    Ok(Observation {
        source: SOURCE.to_owned(),
        base: code.to_owned(),
        quote: "RUB".to_owned(),
        bid: rate,
        ask: rate,
        observed_at: ObservedAt::Day(date),
    })
}

/// The bank prices 1, 10, 100, ... units, so dividing by the nominal only moves the point.
fn nominal(text: &str, code: &str) -> Result<u64, FeedError> {
    let nominal = text.parse().ok().filter(|nominal: &u64| {
        let zeros = text.trim_start_matches('1');
        text.len() == zeros.len() + 1 && zeros.bytes().all(|digit| digit == b'0') && *nominal > 0
    });
    nominal.ok_or_else(|| FeedError::Price { what: format!("the nominal of {code}"), text: text.to_owned() })
}

fn for_one(value: Decimal, nominal: u64, code: &str) -> Result<Decimal, FeedError> {
    let mut rate = value.normalize();
    let scale = rate.scale() + nominal.ilog10();
    rate.set_scale(scale).map_err(|_| FeedError::Price { what: code.to_owned(), text: format!("{value} / {nominal}") })?;
    Ok(rate.normalize())
}

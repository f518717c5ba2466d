//! The Bank of Russia's official rates (`XML_daily.asp`).
//!
//! Rates are roubles for `Nominal` units of the currency, once a day, without bid and ask; the date is the day they are valid for. The file is
//! windows-1251 with a decimal comma. Files before 2023 have no rate for one unit (`VunitRate`); if it is present, it must match.

use std::collections::HashSet;

use agio_plugin_rate_source::number::{Separator, price};
use agio_plugin_rate_source::xml::{self, Element};
use agio_plugin_rate_source::{RateSource, ReadError, Source, SourcePage, letter_code, manifest, price_collector};
use agio_plugin_sdk::protocol::{LocalizedText, Manifest, PriceObservation, Prices};
use rust_decimal::Decimal;
use time::Date;
use time::macros::format_description;

/// The Bank of Russia. Its prices are stored under "cbr".
pub type BankOfRussia = RateSource<BankOfRussiaRates>;

/// What BankOfRussia publishes.
pub struct BankOfRussiaRates;

#[cfg(feature = "library")]
agio_plugin_sdk::export!(BankOfRussia::default());

impl Source for BankOfRussiaRates {
    const ORIGIN: &str = "https://www.cbr.ru";
    const PATH: &str = "/scripts/XML_daily.asp";

    fn manifest(origin: &str) -> Manifest {
        let title = LocalizedText::new("Банк России", "Bank of Russia");
        let about = LocalizedText::new(
            "Официальные курсы к рублю, раз в рабочий день; курс устанавливают накануне.",
            "Official rates of the rouble, once a working day; a day's rate is set the day before.",
        );
        manifest("cbr", origin, title, about)
    }

    fn recognizes(head: &str) -> bool {
        head.starts_with('<') && head.contains("<ValCurs")
    }

    fn read(page: &SourcePage<'_>) -> Result<Prices, ReadError> {
        let root = xml::read(page.bytes)?;
        let missing = || ReadError::Missing { what: "Date", of: "ValCurs".to_owned() };
        let date = root.attribute("Date").ok_or_else(missing)?;
        let date =
            Date::parse(date, format_description!("[day].[month].[year]")).map_err(|_| ReadError::Date(date.to_owned()))?;
        let observed_at = page.checked_date(date)?;
        let mut seen = HashSet::new();
        let mut observations = Vec::new();
        for valute in root.children.iter().filter(|child| child.name == "Valute") {
            let (code, rate) = read_valute(valute)?;
            if code == "RUB" || !seen.insert(code) {
                return Err(ReadError::Duplicate(code.to_owned()));
            }
            let (base, quote) = (code.to_owned(), "RUB".to_owned());
            observations.push(PriceObservation { base, quote, bid: rate, ask: rate, observed_at: observed_at.clone() });
        }
        price_collector::validate_prices(Prices { observations, skipped: Vec::new() })
    }
}

fn read_valute(valute: &Element) -> Result<(&str, Decimal), ReadError> {
    let field = |name: &'static str, of: &str| {
        valute.child_text(name).ok_or_else(|| ReadError::Missing { what: name, of: of.to_owned() })
    };
    let id = valute.attribute("ID").unwrap_or("a Valute");
    let code = letter_code(field("CharCode", id)?)?;
    let nominal = nominal(field("Nominal", code)?, code)?;
    let value = price(field("Value", code)?, Separator::Comma, code)?;
    let rate = for_one(value, nominal, code)?;
    if let Some(unit_rate) = valute.child_text("VunitRate") {
        let unit_rate = price(unit_rate, Separator::Comma, code)?;
        if unit_rate != rate {
            return Err(ReadError::UnitRate { code: code.to_owned(), nominal, value, unit_rate });
        }
    }
    Ok((code, rate))
}

/// The bank prices 1, 10, 100, ... units, so dividing by the nominal only moves the point.
fn nominal(text: &str, code: &str) -> Result<u64, ReadError> {
    let nominal = text.parse().ok().filter(|nominal: &u64| {
        let zeros = text.trim_start_matches('1');
        text.len() == zeros.len() + 1 && zeros.bytes().all(|digit| digit == b'0') && *nominal > 0
    });
    nominal.ok_or_else(|| ReadError::Price { what: format!("the nominal of {code}"), text: text.to_owned() })
}

fn for_one(value: Decimal, nominal: u64, code: &str) -> Result<Decimal, ReadError> {
    let mut rate = value.normalize();
    let scale = rate.scale() + nominal.ilog10();
    rate.set_scale(scale).map_err(|_| ReadError::Price { what: code.to_owned(), text: format!("{value} / {nominal}") })?;
    Ok(rate.normalize())
}

//! What competitors offer on BestChange (API v2).
//!
//! Currencies and exchangers have numbers there, so both lists are asked for first and the offers then, of all directions at once. An offer's
//! `rate` is what is sent for one unit received; `rankrate` is the same with the exchanger's extra fees, and what the monitor sorts by. These
//! offers say where one stands among others. They are no prices.

use std::collections::BTreeMap;

use agio_plugin::Plugin;
use agio_plugin::protocol::{
    Action, Answer, Call, Field, FieldKind, HttpRequest, Limits, Manifest, Offer, Position, Question, Refusal, Step, Words,
};
use agio_plugin_reading::number::{Separator, decimal, price};
use agio_plugin_reading::source::{good, unasked};
use agio_plugin_reading::{ReadError, manifest};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// The setting with the key.
const KEY: &str = "key";

/// How many offers of a direction are told: nobody aims at a place behind them.
const OFFERS_MAX: usize = 200;

/// How many directions can be asked for at once.
const DIRECTIONS_MAX: usize = 500;

/// BestChange.
pub struct BestChange {
    origin: String,
}

impl Default for BestChange {
    fn default() -> Self {
        Self::at("https://bestchange.app")
    }
}

impl BestChange {
    /// The same monitor found elsewhere: a double, in tests.
    #[must_use]
    pub fn at(origin: &str) -> Self {
        Self { origin: origin.to_owned() }
    }

    fn get(&self, key: &str, path: &str) -> Action {
        Action::Http(HttpRequest::get(format!("{}/v2/{key}/{path}", self.origin)))
    }

    fn answer(&self, question: &Question) -> Result<Step, Refusal> {
        let Call::Positions { directions } = &question.call else { return Err(unasked()) };
        let key = question.setting(KEY);
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(Refusal::never("bad_key", "the key is not letters and digits alone"));
        }
        match question.outcomes.as_slice() {
            [] if directions.len() > DIRECTIONS_MAX => Err(Refusal::never("too_many", "more than 500 directions at once")),
            [] => {
                let actions = vec![self.get(key, "currencies/en"), self.get(key, "changers/en")];
                Ok(Step::Needs { actions, memo: serde_json::Value::Null })
            }
            [currencies, changers] => {
                let asked = Asked::of(directions, &good(currencies)?.body, &good(changers)?.body)?;
                if asked.numbers.is_empty() {
                    return Ok(Step::Done(Answer::Positions(Vec::new())));
                }
                let numbers: Vec<_> = asked.numbers.iter().map(|(numbers, _)| numbers.as_str()).collect();
                let memo = serde_json::to_value(&asked).map_err(|error| Refusal::never("unreadable", error.to_string()))?;
                Ok(Step::Needs { actions: vec![self.get(key, &format!("rates/{}", numbers.join("+")))], memo })
            }
            [rates] => {
                let asked: Asked = serde_json::from_value(question.memo.clone()).map_err(|error| unreadable(&error.into()))?;
                let positions = positions(&asked, good(rates)?.body.bytes()).map_err(|error| unreadable(&error))?;
                Ok(Step::Done(Answer::Positions(positions)))
            }
            _ => Err(unasked()),
        }
    }
}

#[cfg(feature = "library")]
agio_plugin::export!(BestChange::default());

impl Plugin for BestChange {
    fn manifest(&self) -> Manifest {
        let about = Words::new(
            "Предложения других обменников по вашим направлениям: на каком вы месте. Для цен не годится.",
            "Offers of other exchangers in your directions: which place is yours. Nothing to price with.",
        );
        let key = Field {
            name: KEY.to_owned(),
            kind: FieldKind::Secret,
            title: Words::new("Ключ API из кабинета BestChange", "API key from your BestChange account"),
            default: None,
        };
        let plain = manifest("bestchange", &self.origin, Words::new("BestChange", "BestChange"), about);
        let limits = Limits { reply_bytes: 8 * 1024 * 1024, ..Limits::default() };
        Manifest { settings: vec![key], limits, features: vec!["positions".to_owned()], ..plain }
    }

    fn handle(&self, question: &Question) -> Step {
        self.answer(question).unwrap_or_else(Step::Refused)
    }
}

#[derive(Deserialize)]
struct Currencies {
    currencies: Vec<Currency>,
}

#[derive(Deserialize)]
struct Currency {
    id: u32,
    code: String,
}

#[derive(Deserialize)]
struct Changers {
    changers: Vec<Changer>,
}

#[derive(Deserialize)]
struct Changer {
    id: u32,
    name: String,
}

#[derive(Deserialize)]
struct Rates {
    rates: BTreeMap<String, Vec<Rate>>,
}

#[derive(Deserialize)]
struct Rate {
    changer: u32,
    rate: String,
    rankrate: Option<String>,
    reserve: String,
}

/// What the second round has to know of the first.
#[derive(Serialize, Deserialize)]
struct Asked {
    /// Numbers of each direction, "93-42", and its codes.
    numbers: Vec<(String, (String, String))>,
    /// Names of the exchangers.
    names: BTreeMap<u32, String>,
}

impl Asked {
    /// Directions the monitor does not have are left out.
    fn of(
        directions: &[(String, String)],
        currencies: &agio_plugin::protocol::Body,
        changers: &agio_plugin::protocol::Body,
    ) -> Result<Self, Refusal> {
        let currencies: Currencies = serde_json::from_slice(currencies.bytes()).map_err(|error| unreadable(&error.into()))?;
        let changers: Changers = serde_json::from_slice(changers.bytes()).map_err(|error| unreadable(&error.into()))?;
        let numbers: BTreeMap<_, _> = currencies.currencies.iter().map(|known| (known.code.as_str(), known.id)).collect();
        let number = |code: &String| numbers.get(code.as_str());
        let numbered = directions.iter().filter_map(|(from, to)| {
            let numbers = format!("{}-{}", number(from)?, number(to)?);
            Some((numbers, (from.clone(), to.clone())))
        });
        let names = changers.changers.into_iter().map(|known| (known.id, known.name)).collect();
        Ok(Self { numbers: numbered.collect(), names })
    }
}

fn positions(asked: &Asked, bytes: &[u8]) -> Result<Vec<Position>, ReadError> {
    let told: Rates = serde_json::from_slice(bytes)?;
    let mut positions = Vec::with_capacity(asked.numbers.len());
    for (numbers, (from, to)) in &asked.numbers {
        let offers = told.rates.get(numbers).map_or(&[][..], Vec::as_slice);
        let mut read = offers.iter().map(|rate| offer(asked, rate)).collect::<Result<Vec<_>, _>>()?;
        // Equal courses stay in the monitor's order.
        read.sort_by_key(|offer| std::cmp::Reverse(offer.course));
        read.truncate(OFFERS_MAX);
        positions.push(Position { from: from.clone(), to: to.clone(), offers: read });
    }
    Ok(positions)
}

fn offer(asked: &Asked, rate: &Rate) -> Result<Offer, ReadError> {
    let exchanger = asked.names.get(&rate.changer).cloned().unwrap_or_else(|| rate.changer.to_string());
    let sent_for_one = price(rate.rankrate.as_deref().unwrap_or(&rate.rate), Separator::Point, &exchanger)?;
    let no_price = || ReadError::Price { what: exchanger.clone(), text: sent_for_one.to_string() };
    let course = Decimal::ONE.checked_div(sent_for_one).filter(|course| !course.is_zero()).ok_or_else(no_price)?;
    let reserve = decimal(&rate.reserve, Separator::Point, &exchanger)?;
    Ok(Offer { exchanger, course: course.normalize(), reserve })
}

fn unreadable(error: &ReadError) -> Refusal {
    Refusal::never("unreadable", error.to_string())
}

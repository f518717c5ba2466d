//! Offers of competitors on BestChange (API v2).
//!
//! The API identifies currencies and exchangers by number, so both lists are fetched first, then the offers of all directions at once. An
//! offer's `rate` is the give amount for one unit received; `rankrate` includes the exchanger's extra fees and is the sort key. The offers
//! show our rank among competitors. They are not prices.

use std::collections::BTreeMap;

use agio_plugin_rate_source::number::{Separator, decimal, price};
use agio_plugin_rate_source::source::{expect_success, unsupported_call};
use agio_plugin_rate_source::{ReadError, manifest};
use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    Action, Call, CallError, CallResult, CompetitorOffer, DirectionOffers, HttpRequest, LocalizedText, Manifest, PluginLimits,
    PluginRequest, PluginResponse, PluginSetting, PluginSettingKind,
};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// The setting with the key.
const KEY: &str = "key";

/// Maximum offers per direction: a rank behind them is of no interest.
const OFFERS_MAX: usize = 200;

/// How many directions can be requested at once.
const DIRECTIONS_MAX: usize = 500;

pub struct BestChange {
    origin: String,
}

impl Default for BestChange {
    fn default() -> Self {
        Self::at("https://bestchange.app")
    }
}

impl BestChange {
    /// Uses another origin, for tests.
    pub fn at(origin: &str) -> Self {
        Self { origin: origin.to_owned() }
    }

    fn get(&self, key: &str, path: &str) -> Action {
        Action::Http(HttpRequest::get(format!("{}/v2/{key}/{path}", self.origin)))
    }

    fn answer(&self, request: &PluginRequest) -> Result<PluginResponse, CallError> {
        let Call::CompetitorOffers { directions } = &request.call else { return Err(unsupported_call()) };
        let key = request.setting(KEY);
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(CallError::permanent("bad_key", "the key is not letters and digits alone"));
        }
        match request.outcomes.as_slice() {
            [] if directions.len() > DIRECTIONS_MAX => Err(CallError::permanent("too_many", "more than 500 directions at once")),
            [] => {
                let actions = vec![self.get(key, "currencies/en"), self.get(key, "changers/en")];
                Ok(PluginResponse::Needs { actions, memo: serde_json::Value::Null })
            }
            [currencies, changers] => {
                let requested =
                    RequestedDirections::of(directions, &expect_success(currencies)?.body, &expect_success(changers)?.body)?;
                if requested.numbers.is_empty() {
                    return Ok(PluginResponse::Done(CallResult::CompetitorOffers(Vec::new())));
                }
                let numbers: Vec<_> = requested.numbers.iter().map(|(numbers, _)| numbers.as_str()).collect();
                let memo =
                    serde_json::to_value(&requested).map_err(|error| CallError::permanent("unreadable", error.to_string()))?;
                Ok(PluginResponse::Needs { actions: vec![self.get(key, &format!("rates/{}", numbers.join("+")))], memo })
            }
            [rates] => {
                let requested: RequestedDirections =
                    serde_json::from_value(request.memo.clone()).map_err(|error| unreadable(&error.into()))?;
                let positions = positions(&requested, expect_success(rates)?.body.bytes()).map_err(|error| unreadable(&error))?;
                Ok(PluginResponse::Done(CallResult::CompetitorOffers(positions)))
            }
            _ => Err(unsupported_call()),
        }
    }
}

#[cfg(feature = "library")]
agio_plugin_sdk::export!(BestChange::default());

impl Plugin for BestChange {
    fn manifest(&self) -> Manifest {
        let about = LocalizedText::new(
            "Предложения других обменников по вашим направлениям: на каком вы месте. Для цен не годится.",
            "Offers of other exchangers in your directions: which place is yours. Nothing to price with.",
        );
        let key = PluginSetting {
            name: KEY.to_owned(),
            kind: PluginSettingKind::Secret,
            title: LocalizedText::new("Ключ API из кабинета BestChange", "API key from your BestChange account"),
            default: None,
        };
        let plain = manifest("bestchange", &self.origin, LocalizedText::new("BestChange", "BestChange"), about);
        let limits = PluginLimits { reply_bytes: 8 * 1024 * 1024, ..PluginLimits::default() };
        Manifest { settings: vec![key], limits, features: vec!["positions".to_owned()], ..plain }
    }

    fn handle(&self, request: &PluginRequest) -> PluginResponse {
        self.answer(request).unwrap_or_else(PluginResponse::Failed)
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
struct RequestedDirections {
    /// Numbers of each direction, "93-42", and its codes.
    numbers: Vec<(String, (String, String))>,
    /// Names of the exchangers.
    names: BTreeMap<u32, String>,
}

impl RequestedDirections {
    /// Directions that BestChange does not have are skipped.
    fn of(
        directions: &[(String, String)],
        currencies: &agio_plugin_sdk::protocol::Body,
        changers: &agio_plugin_sdk::protocol::Body,
    ) -> Result<Self, CallError> {
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

fn positions(requested: &RequestedDirections, bytes: &[u8]) -> Result<Vec<DirectionOffers>, ReadError> {
    let response: Rates = serde_json::from_slice(bytes)?;
    let mut positions = Vec::with_capacity(requested.numbers.len());
    for (numbers, (from, to)) in &requested.numbers {
        let offers = response.rates.get(numbers).map_or(&[][..], Vec::as_slice);
        let mut read = offers.iter().map(|rate| offer(requested, rate)).collect::<Result<Vec<_>, _>>()?;
        // Equal rates keep the aggregator's order.
        read.sort_by_key(|offer| std::cmp::Reverse(offer.rate));
        read.truncate(OFFERS_MAX);
        positions.push(DirectionOffers { from: from.clone(), to: to.clone(), offers: read });
    }
    Ok(positions)
}

fn offer(requested: &RequestedDirections, rate: &Rate) -> Result<CompetitorOffer, ReadError> {
    let exchanger = requested.names.get(&rate.changer).cloned().unwrap_or_else(|| rate.changer.to_string());
    let sent_for_one = price(rate.rankrate.as_deref().unwrap_or(&rate.rate), Separator::Point, &exchanger)?;
    let no_price = || ReadError::Price { what: exchanger.clone(), text: sent_for_one.to_string() };
    let course = Decimal::ONE.checked_div(sent_for_one).filter(|course| !course.is_zero()).ok_or_else(no_price)?;
    let reserve = decimal(&rate.reserve, Separator::Point, &exchanger)?;
    Ok(CompetitorOffer { exchanger, rate: course.normalize(), reserve })
}

fn unreadable(error: &ReadError) -> CallError {
    CallError::permanent("unreadable", error.to_string())
}

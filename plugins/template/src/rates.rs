//! A source of rates: asks a service what currencies are worth.

use agio_plugin::protocol::{
    Action, Answer, Call, Host, HttpRequest, Kind, Manifest, Method, Observation, Prices, Question, Refusal, Step, Words,
};
use agio_plugin::serde_json::Value;
use agio_plugin::{Decimal, Plugin};

/// Where the service is.
const ORIGIN: &str = "https://api.example.com";

/// The plugin.
pub struct Example;

impl Plugin for Example {
    fn manifest(&self) -> Manifest {
        Manifest {
            hosts: vec![Host::Origin { origin: ORIGIN.to_owned(), methods: vec![Method::Get] }],
            ..Manifest::new(
                "example",
                env!("CARGO_PKG_VERSION"),
                Kind::Rates,
                Words::new("Пример", "Example"),
                Words::new("Курсы с example.com.", "Rates of example.com."),
            )
        }
    }

    fn handle(&self, question: &Question) -> Step {
        let Call::Prices { assets } = &question.call else {
            return Step::Refused(Refusal::never("not_mine", "this source only says prices"));
        };
        match question.reply() {
            None => Step::first(Action::Http(HttpRequest::get(format!("{ORIGIN}/v1/tickers")))),
            Some(reply) => match reply.and_then(|reply| prices(&reply.json()?, assets)) {
                Ok(prices) => Step::Done(Answer::Prices(prices)),
                Err(refusal) => Step::Refused(refusal),
            },
        }
    }
}

/// Reads `[{"base": "BTC", "quote": "USDT", "bid": "64000.1", "ask": "64000.2", "time": "2024-03-28T12:00:00Z"}]`.
fn prices(reply: &Value, assets: &[String]) -> Result<Prices, Refusal> {
    let mut prices = Prices { observations: Vec::new(), skipped: Vec::new() };
    for ticker in reply.as_array().ok_or_else(|| unreadable("there is no list"))? {
        let text = |name: &str| ticker[name].as_str().ok_or_else(|| unreadable(name));
        let number = |name: &str| Decimal::from_str_exact(text(name)?).map_err(|_| unreadable(name));
        let (base, quote) = (text("base")?.to_owned(), text("quote")?.to_owned());
        // What nobody here trades, and markets without orders, are left out, and it is said.
        if number("bid")? <= Decimal::ZERO || !(assets.contains(&base) && assets.contains(&quote)) {
            prices.skipped.push(format!("{base}{quote}"));
            continue;
        }
        let observed_at = text("time")?.to_owned();
        prices.observations.push(Observation { base, quote, bid: number("bid")?, ask: number("ask")?, observed_at });
    }
    if prices.observations.is_empty() { Err(Refusal::later("empty", "no market is traded here")) } else { Ok(prices) }
}

fn unreadable(what: &str) -> Refusal {
    Refusal::never("unreadable", format!("the reply cannot be read: {what}"))
}

#[cfg(test)]
mod tests {
    use agio_plugin::harness::Harness;

    use super::*;

    const REPLY: &str = r#"[
        {"base": "BTC", "quote": "USDT", "bid": "64000.1", "ask": "64000.2", "time": "2024-03-28T12:00:00Z"},
        {"base": "DOGE", "quote": "USDT", "bid": "0.1", "ask": "0.2", "time": "2024-03-28T12:00:00Z"}
    ]"#;

    fn ask(status: u16, reply: &str) -> Result<Answer, Refusal> {
        let assets = ["BTC", "USDT"].map(str::to_owned).to_vec();
        Harness::new(Example).reply(status, reply).ask(Call::Prices { assets })
    }

    #[test]
    fn prices_are_read() {
        let Ok(Answer::Prices(prices)) = ask(200, REPLY) else { panic!("no prices") };
        assert_eq!((prices.observations[0].bid.to_string(), prices.skipped), ("64000.1".to_owned(), vec!["DOGEUSDT".to_owned()]));
    }

    #[test]
    fn what_is_no_list_of_prices_is_refused() {
        assert_eq!(ask(500, REPLY).unwrap_err().code, "unreachable");
        for reply in ["", "{}", "[]", r#"[{"base": "BTC"}]"#] {
            ask(200, reply).unwrap_err();
        }
    }
}

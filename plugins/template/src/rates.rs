//! A rate source: fetches prices from a service.

use agio_plugin_sdk::protocol::{
    Action, AllowedHost, Call, CallError, CallResult, HttpMethod, HttpRequest, LocalizedText, Manifest, PluginKind,
    PluginRequest, PluginResponse, PriceObservation, Prices,
};
use agio_plugin_sdk::serde_json::Value;
use agio_plugin_sdk::{Decimal, Plugin};

/// Where the service is.
const ORIGIN: &str = "https://api.example.com";

pub struct Example;

impl Plugin for Example {
    fn manifest(&self) -> Manifest {
        Manifest {
            hosts: vec![AllowedHost::Origin { origin: ORIGIN.to_owned(), methods: vec![HttpMethod::Get] }],
            ..Manifest::new(
                "example",
                env!("CARGO_PKG_VERSION"),
                PluginKind::Rates,
                LocalizedText::new("Пример", "Example"),
                LocalizedText::new("Курсы с example.com.", "Rates of example.com."),
            )
        }
    }

    fn handle(&self, request: &PluginRequest) -> PluginResponse {
        let Call::Prices { assets } = &request.call else {
            return PluginResponse::Failed(CallError::permanent("not_mine", "only prices are supported"));
        };
        match request.reply() {
            None => PluginResponse::action(Action::Http(HttpRequest::get(format!("{ORIGIN}/v1/tickers")))),
            Some(reply) => match reply.and_then(|reply| prices(&reply.json()?, assets)) {
                Ok(prices) => PluginResponse::Done(CallResult::Prices(prices)),
                Err(error) => PluginResponse::Failed(error),
            },
        }
    }
}

/// Reads `[{"base": "BTC", "quote": "USDT", "bid": "64000.1", "ask": "64000.2", "time": "2024-03-28T12:00:00Z"}]`.
fn prices(reply: &Value, assets: &[String]) -> Result<Prices, CallError> {
    let mut prices = Prices { observations: Vec::new(), skipped: Vec::new() };
    for ticker in reply.as_array().ok_or_else(|| unreadable("there is no list"))? {
        let text = |name: &str| ticker[name].as_str().ok_or_else(|| unreadable(name));
        let number = |name: &str| Decimal::from_str_exact(text(name)?).map_err(|_| unreadable(name));
        let (base, quote) = (text("base")?.to_owned(), text("quote")?.to_owned());
        // Unknown assets and markets without orders are skipped and listed.
        if number("bid")? <= Decimal::ZERO || !(assets.contains(&base) && assets.contains(&quote)) {
            prices.skipped.push(format!("{base}{quote}"));
            continue;
        }
        let observed_at = text("time")?.to_owned();
        prices.observations.push(PriceObservation { base, quote, bid: number("bid")?, ask: number("ask")?, observed_at });
    }
    if prices.observations.is_empty() { Err(CallError::temporary("empty", "no market is traded here")) } else { Ok(prices) }
}

fn unreadable(what: &str) -> CallError {
    CallError::permanent("unreadable", format!("the reply cannot be read: {what}"))
}

#[cfg(test)]
mod tests {
    use agio_plugin_sdk::harness::Harness;

    use super::*;

    const REPLY: &str = r#"[
        {"base": "BTC", "quote": "USDT", "bid": "64000.1", "ask": "64000.2", "time": "2024-03-28T12:00:00Z"},
        {"base": "DOGE", "quote": "USDT", "bid": "0.1", "ask": "0.2", "time": "2024-03-28T12:00:00Z"}
    ]"#;

    fn ask(status: u16, reply: &str) -> Result<CallResult, CallError> {
        let assets = ["BTC", "USDT"].map(str::to_owned).to_vec();
        Harness::new(Example).reply(status, reply).call(Call::Prices { assets })
    }

    #[test]
    fn prices_are_read() {
        let Ok(CallResult::Prices(prices)) = ask(200, REPLY) else { panic!("no prices") };
        assert_eq!((prices.observations[0].bid.to_string(), prices.skipped), ("64000.1".to_owned(), vec!["DOGEUSDT".to_owned()]));
    }

    #[test]
    fn malformed_prices_are_rejected() {
        assert_eq!(ask(500, REPLY).unwrap_err().code, "unreachable");
        for reply in ["", "{}", "[]", r#"[{"base": "BTC"}]"#] {
            ask(200, reply).unwrap_err();
        }
    }
}

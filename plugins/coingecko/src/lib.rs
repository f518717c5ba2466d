//! CoinGecko's prices (`/api/v3/simple/price`). Use them only to check other sources: they are averages over exchanges, without bid and ask,
//! minutes old.
//!
//! Coins have identifiers, because tickers are not unique there. Prices are JSON numbers, parsed from their digits. Each coin has a time.

use agio_plugin_rate_source::json::entries;
use agio_plugin_rate_source::number::json_number;
use agio_plugin_rate_source::{RateSource, ReadError, Source, SourcePage, manifest, price_collector};
use agio_plugin_sdk::protocol::{
    CallError, HttpRequest, LocalizedText, Manifest, PluginRequest, PluginSetting, PluginSettingKind, PriceObservation, Prices,
};

/// Tickers of coins and their ids.
const COINS: [(&str, &str); 26] = [
    ("ADA", "cardano"),
    ("ATOM", "cosmos"),
    ("AVAX", "avalanche-2"),
    ("BCH", "bitcoin-cash"),
    ("BNB", "binancecoin"),
    ("BTC", "bitcoin"),
    ("DAI", "dai"),
    ("DASH", "dash"),
    ("DOGE", "dogecoin"),
    ("DOT", "polkadot"),
    ("ETC", "ethereum-classic"),
    ("ETH", "ethereum"),
    ("LTC", "litecoin"),
    ("POL", "polygon-ecosystem-token"),
    ("SHIB", "shiba-inu"),
    ("SOL", "solana"),
    ("TON", "the-open-network"),
    ("TRX", "tron"),
    ("TUSD", "true-usd"),
    ("USDC", "usd-coin"),
    ("USDT", "tether"),
    ("XLM", "stellar"),
    ("XMR", "monero"),
    ("XRP", "ripple"),
    ("XTZ", "tezos"),
    ("ZEC", "zcash"),
];

/// The money of states that coins are priced in.
const MONEY: [&str; 14] = ["AED", "CHF", "CNY", "CZK", "EUR", "GBP", "GEL", "ILS", "JPY", "PLN", "RUB", "TRY", "UAH", "USD"];

/// The setting with the key of the free plan.
const KEY: &str = "key";

pub type CoinGecko = RateSource<CoinGeckoPrices>;

/// What CoinGecko publishes.
pub struct CoinGeckoPrices;

#[cfg(feature = "library")]
agio_plugin_sdk::export!(CoinGecko::default());

impl Source for CoinGeckoPrices {
    const ORIGIN: &str = "https://api.coingecko.com";
    const PATH: &str = "/api/v3/simple/price";

    fn manifest(origin: &str) -> Manifest {
        let about = LocalizedText::new(
            "Средние цены по многим биржам. Только для сверки с другими источниками: покупки и продажи здесь нет.",
            "Averages over many exchanges. Only to check other sources against: there is no bid and ask.",
        );
        let key = PluginSetting {
            name: KEY.to_owned(),
            kind: PluginSettingKind::Secret,
            title: LocalizedText::new(
                "Ключ бесплатного плана; без него ответов меньше",
                "Key of the free plan; without it there are fewer answers",
            ),
            default: Some(String::new()),
        };
        let plain = manifest("coingecko", origin, LocalizedText::new("CoinGecko", "CoinGecko"), about);
        Manifest { settings: vec![key], features: vec!["cross_check".to_owned()], ..plain }
    }

    fn request(origin: &str, input: &PluginRequest, assets: &[String]) -> Result<HttpRequest, CallError> {
        let is_asked = |ticker: &str| assets.iter().any(|asset| asset == ticker);
        let ids: Vec<_> = COINS.iter().filter(|(ticker, _)| is_asked(ticker)).map(|(_, id)| *id).collect();
        let money: Vec<_> = MONEY.iter().filter(|ticker| is_asked(ticker)).map(|ticker| ticker.to_ascii_lowercase()).collect();
        if ids.is_empty() || money.is_empty() {
            return Err(CallError::permanent("no_prices", "the source knows none of the requested coins and currencies"));
        }
        let url = format!(
            "{origin}{}?ids={}&vs_currencies={}&include_last_updated_at=true&precision=full",
            Self::PATH,
            ids.join(","),
            money.join(",")
        );
        let request = HttpRequest::get(url);
        Ok(match input.setting(KEY) {
            "" => request,
            key => request.header("x-cg-demo-api-key", key),
        })
    }

    fn recognizes(head: &str) -> bool {
        head.starts_with('{') && head.contains("\"last_updated_at\"")
    }

    fn read(page: &SourcePage<'_>) -> Result<Prices, ReadError> {
        let mut prices = Prices { observations: Vec::new(), skipped: Vec::new() };
        for (id, fields) in entries(page.bytes)? {
            match COINS.iter().find(|(_, known)| *known == id) {
                Some((ticker, _)) => read_coin(page, ticker, fields.get(), &mut prices)?,
                None => prices.skipped.push(id),
            }
        }
        price_collector::validate_prices(prices)
    }
}

fn read_coin(page: &SourcePage<'_>, base: &str, fields: &str, prices: &mut Prices) -> Result<(), ReadError> {
    let fields = entries(fields.as_bytes())?;
    let stamp = fields.iter().find(|(name, _)| name == "last_updated_at");
    let stamp = stamp.ok_or_else(|| ReadError::Missing { what: "last_updated_at", of: base.to_owned() })?;
    // An inactive coin has neither price nor time.
    if stamp.1.get() == "null" {
        prices.skipped.push(base.to_owned());
        return Ok(());
    }
    let seconds: i64 = serde_json::from_str(stamp.1.get())?;
    let observed_at = page.checked_time(seconds.saturating_mul(1000))?;
    for (name, number) in &fields {
        let quote = name.to_ascii_uppercase();
        if !MONEY.contains(&quote.as_str()) || number.get() == "null" {
            continue;
        }
        let price = json_number(number.get(), base)?;
        if price.is_zero() {
            return Err(ReadError::Price { what: base.to_owned(), text: number.get().to_owned() });
        }
        let (base, observed_at) = (base.to_owned(), observed_at.clone());
        prices.observations.push(PriceObservation { base, quote, bid: price, ask: price, observed_at });
    }
    Ok(())
}

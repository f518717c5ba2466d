//! CoinGecko's prices (`/api/v3/simple/price`), good to check others against and for nothing else: they are averages over exchanges, without bid and
//! ask, minutes old.
//!
//! Coins are asked for by ids, because a ticker is many coins' there. Prices are JSON numbers, read from their digits. Each coin says when its price held.

use agio_plugin::Plugin;
use agio_plugin::protocol::{Field, FieldKind, HttpRequest, Manifest, Observation, Prices, Question, Refusal, Step, Words};
use agio_plugin_reading::json::entries;
use agio_plugin_reading::number::json_number;
use agio_plugin_reading::{Page, ReadError, Source, book, handle, manifest};

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

/// CoinGecko.
pub struct CoinGecko {
    origin: String,
}

impl Default for CoinGecko {
    fn default() -> Self {
        Self::at("https://api.coingecko.com")
    }
}

impl CoinGecko {
    /// The same site found elsewhere: a double, in tests.
    #[must_use]
    pub fn at(origin: &str) -> Self {
        Self { origin: origin.to_owned() }
    }
}

#[cfg(feature = "library")]
agio_plugin::export!(CoinGecko::default());

impl Plugin for CoinGecko {
    fn manifest(&self) -> Manifest {
        let about = Words::new(
            "Средние цены по многим биржам. Только для сверки с другими источниками: покупки и продажи здесь нет.",
            "Averages over many exchanges. Only to check other sources against: there is no bid and ask.",
        );
        let key = Field {
            name: KEY.to_owned(),
            kind: FieldKind::Secret,
            title: Words::new(
                "Ключ бесплатного плана; без него ответов меньше",
                "Key of the free plan; without it there are fewer answers",
            ),
            default: Some(String::new()),
        };
        let plain = manifest("coingecko", &self.origin, Words::new("CoinGecko", "CoinGecko"), about);
        Manifest { settings: vec![key], features: vec!["cross_check".to_owned()], ..plain }
    }

    fn handle(&self, question: &Question) -> Step {
        handle(self, question)
    }
}

impl Source for CoinGecko {
    fn request(&self, question: &Question, assets: &[String]) -> Result<HttpRequest, Refusal> {
        let is_asked = |ticker: &str| assets.iter().any(|asset| asset == ticker);
        let ids: Vec<_> = COINS.iter().filter(|(ticker, _)| is_asked(ticker)).map(|(_, id)| *id).collect();
        let money: Vec<_> = MONEY.iter().filter(|ticker| is_asked(ticker)).map(|ticker| ticker.to_ascii_lowercase()).collect();
        if ids.is_empty() || money.is_empty() {
            return Err(Refusal::never("no_prices", "the source knows none of the coins and the money that are asked for"));
        }
        let url = format!(
            "{}/api/v3/simple/price?ids={}&vs_currencies={}&include_last_updated_at=true&precision=full",
            self.origin,
            ids.join(","),
            money.join(",")
        );
        let request = HttpRequest::get(url);
        Ok(match question.setting(KEY) {
            "" => request,
            key => request.header("x-cg-demo-api-key", key),
        })
    }

    fn knows(&self, head: &str) -> bool {
        head.starts_with('{') && head.contains("\"last_updated_at\"")
    }

    fn read(&self, page: &Page<'_>) -> Result<Prices, ReadError> {
        let mut prices = Prices { observations: Vec::new(), skipped: Vec::new() };
        for (id, fields) in entries(page.bytes)? {
            match COINS.iter().find(|(_, known)| *known == id) {
                Some((ticker, _)) => read_coin(page, ticker, fields.get(), &mut prices)?,
                None => prices.skipped.push(id),
            }
        }
        book::finished(prices)
    }
}

fn read_coin(page: &Page<'_>, base: &str, fields: &str, prices: &mut Prices) -> Result<(), ReadError> {
    let fields = entries(fields.as_bytes())?;
    let stamp = fields.iter().find(|(name, _)| name == "last_updated_at");
    let stamp = stamp.ok_or_else(|| ReadError::Missing { what: "last_updated_at", of: base.to_owned() })?;
    // A coin that nobody trades any more has neither price nor time.
    if stamp.1.get() == "null" {
        prices.skipped.push(base.to_owned());
        return Ok(());
    }
    let seconds: i64 = serde_json::from_str(stamp.1.get())?;
    let observed_at = page.at_millis(seconds.saturating_mul(1000))?;
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
        prices.observations.push(Observation { base, quote, bid: price, ask: price, observed_at });
    }
    Ok(())
}

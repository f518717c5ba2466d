//! Which plugins there are: those that come with the house, and libraries that the installation lists.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agio_bitcoin_core::BitcoinCore;
use agio_core::needs::{FilePrice, RateFile, RateFiles};
use agio_core::{Error, Result, Timestamp};
use agio_plugin::Plugin;
use agio_plugin::protocol::{Answer, Body, Call, Document, Observation, Prices, Question, Step};
use agio_plugin_aml_http::AmlHttp;
use agio_plugin_bank_of_russia::BankOfRussia;
use agio_plugin_bestchange::BestChange;
use agio_plugin_binance::Binance;
use agio_plugin_bybit::Bybit;
use agio_plugin_coingecko::CoinGecko;
use agio_plugin_currency_api::CurrencyApi;
use agio_plugin_ecb::Ecb;
use agio_plugin_host::{Policy, Runner};
use agio_plugin_htx::Htx;
use agio_plugin_kraken::Kraken;
use agio_plugin_kucoin::Kucoin;
use agio_plugin_payeer::Payeer;
use agio_plugin_telegram::Telegram;
use agio_plugin_webhook::Webhook;
use agio_plugins::Libraries;
use agio_sandbox_chain::SandboxChain;

use crate::config::Plugins;

/// The code by which a source refuses a file of another.
const NOT_MINE: &str = "not_mine";

/// Every plugin that comes with the house. They are off until an operator switches them on.
#[must_use]
pub fn of_the_house() -> Vec<Box<dyn Plugin>> {
    let mut plugins = sources();
    plugins.push(Box::new(BestChange::default()));
    plugins.push(Box::new(SandboxChain));
    plugins.push(Box::new(BitcoinCore));
    plugins.push(Box::new(AmlHttp));
    plugins.push(Box::new(Telegram::default()));
    plugins.push(Box::new(Webhook));
    plugins.push(Box::new(Payeer));
    plugins
}

/// The libraries of the installation.
///
/// # Errors
/// The system does not say which program this is, so that nothing can become the process of a plugin.
pub fn libraries(config: &Plugins) -> Result<Libraries> {
    let policy = Policy {
        round: Duration::from_millis(config.round_ms.into()),
        memory_bytes: u64::from(config.memory_mib) * 1024 * 1024,
        faults: config.faults.max(1).into(),
        ..Policy::new(Runner::own().map_err(Error::internal)?)
    };
    let list = config.list.clone();
    Ok(Libraries::new(config.folder.clone(), Box::new(move || listed(&list)), policy))
}

/// The digests of a list: TOML, `name = "digest"` under `[plugins.allowed]`. Without a file nothing is allowed.
fn listed(list: &Path) -> Result<BTreeMap<String, String>> {
    let read = config::Config::builder().add_source(config::File::from(list).required(false)).build().map_err(Error::internal)?;
    match read.get("plugins.allowed") {
        Err(config::ConfigError::NotFound(_)) => Ok(BTreeMap::new()),
        listed => listed.map_err(Error::internal),
    }
}

/// The sources of rates that come with the house.
fn sources() -> Vec<Box<dyn Plugin>> {
    vec![
        Box::new(Ecb::default()),
        Box::new(BankOfRussia::default()),
        Box::new(Binance::default()),
        Box::new(Bybit::default()),
        Box::new(Kucoin::default()),
        Box::new(Htx::default()),
        Box::new(Kraken::default()),
        Box::new(CoinGecko::default()),
        Box::new(CurrencyApi::default()),
    ]
}

/// Who reads files of rates: the sources that come with the house, whether or not they are switched on. Reading needs nothing done.
#[must_use]
pub fn rate_files() -> Arc<dyn RateFiles> {
    Arc::new(Readers(sources()))
}

struct Readers(Vec<Box<dyn Plugin>>);

impl RateFiles for Readers {
    fn read(&self, file: &[u8], received_at: Timestamp) -> std::result::Result<RateFile, String> {
        let document = Document { body: Body::of(file.to_vec()), received_at: received_at.0 };
        let question = Question {
            call: Call::Read(document),
            now: received_at.0,
            settings: BTreeMap::new(),
            kept: BTreeMap::new(),
            memo: serde_json::Value::Null,
            outcomes: Vec::new(),
        };
        for source in &self.0 {
            match source.handle(&question) {
                Step::Done(Answer::Prices(prices)) => return Ok(told(source.manifest().name, prices)),
                Step::Refused(refusal) if refusal.code == NOT_MINE => {}
                Step::Refused(refusal) => return Err(refusal.why),
                _ => return Err("the source asks for more than the file".to_owned()),
            }
        }
        Err("the file is in none of the known formats".to_owned())
    }
}

fn told(source: String, prices: Prices) -> RateFile {
    let price = |seen: Observation| FilePrice {
        base: seen.base,
        quote: seen.quote,
        bid: seen.bid,
        ask: seen.ask,
        observed_at: seen.observed_at,
    };
    RateFile { source, prices: prices.observations.into_iter().map(price).collect(), skipped: prices.skipped }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_read_by_the_source_that_wrote_it_and_by_no_other() {
        let files: [(&str, &[u8]); 11] = [
            ("ecb", include_bytes!("../../../plugins/ecb/tests/fixtures/ecb-2017-03-08.xml")),
            ("ecb", include_bytes!("../../../plugins/ecb/tests/fixtures/ecb-2023-04-18-indented.xml")),
            ("cbr", include_bytes!("../../../plugins/bank-of-russia/tests/fixtures/cbr-2022-03-15.xml")),
            ("cbr", include_bytes!("../../../plugins/bank-of-russia/tests/fixtures/cbr-2024-03-28.xml")),
            ("binance", include_bytes!("../../../plugins/binance/tests/fixtures/binance-book-ticker-2019-09-10.json")),
            ("bybit", include_bytes!("../../../plugins/bybit/tests/fixtures/tickers-spot-2023-01-16.json")),
            ("kucoin", include_bytes!("../../../plugins/kucoin/tests/fixtures/all-tickers-2019-09-10.json")),
            ("htx", include_bytes!("../../../plugins/htx/tests/fixtures/market-tickers.json")),
            ("kraken", include_bytes!("../../../plugins/kraken/tests/fixtures/ticker-2019-09-10.json")),
            ("coingecko", include_bytes!("../../../plugins/coingecko/tests/fixtures/simple-price.json")),
            ("currency-api", include_bytes!("../../../plugins/currency-api/tests/fixtures/currency-api-usd-2024-03-28.json")),
        ];
        let now = Timestamp::parse("2024-03-28T12:00:01Z").unwrap();
        for (source, file) in files {
            assert_eq!(rate_files().read(file, now).unwrap().source, source);
            let mut readers = Readers(sources());
            readers.0.retain(|other| other.manifest().name != source);
            assert_eq!(readers.read(file, now).unwrap_err(), "the file is in none of the known formats", "{source}");
        }
        for other in ["", "  ", "<html>", "{}", "[]", "USD,1.08", "\0\0"] {
            assert!(rate_files().read(other.as_bytes(), now).is_err(), "{other:?}");
        }
    }
}

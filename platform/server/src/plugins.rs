//! The available plugins: built-in ones, and libraries that the installation allows.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agio_bitcoin_core::BitcoinLike;
use agio_contracts::{FilePrice, RateFile, RateFileReader};
use agio_core::{Error, Result, Timestamp};
use agio_plugin_admin::PluginLibraries;
use agio_plugin_aml_http::AmlHttp;
use agio_plugin_bank_of_russia::BankOfRussia;
use agio_plugin_bestchange::BestChange;
use agio_plugin_binance::Binance;
use agio_plugin_bybit::Bybit;
use agio_plugin_coingecko::CoinGecko;
use agio_plugin_currency_api::CurrencyApi;
use agio_plugin_ecb::Ecb;
use agio_plugin_evm::Evm;
use agio_plugin_htx::Htx;
use agio_plugin_kraken::Kraken;
use agio_plugin_kucoin::Kucoin;
use agio_plugin_monero::Monero;
use agio_plugin_payeer::Payeer;
use agio_plugin_payments_http::PaymentsHttp;
use agio_plugin_rates_http::RatesHttp;
use agio_plugin_runtime::{RunnerCommand, SupervisorPolicy};
use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{Body, Call, CallResult, PluginRequest, PluginResponse, PriceObservation, Prices, SourceFile};
use agio_plugin_telegram::Telegram;
use agio_plugin_ton::Ton;
use agio_plugin_tron::Tron;
use agio_plugin_webhook::Webhook;
use agio_sandbox_chain::SandboxChain;

use crate::config::PluginsConfig;

/// The refusal code of a source for a file in another format.
const OTHER_FORMAT: &str = "not_mine";

/// All built-in plugins. They are disabled by default.
pub fn built_in_plugins() -> Vec<Box<dyn Plugin>> {
    let mut plugins = rate_sources();
    plugins.push(Box::new(BestChange::default()));
    plugins.push(Box::new(SandboxChain));
    plugins.push(Box::new(BitcoinLike::BITCOIN));
    plugins.push(Box::new(BitcoinLike::LITECOIN));
    plugins.extend(Evm::all().map(|driver| Box::new(driver) as Box<dyn Plugin>));
    plugins.push(Box::new(PaymentsHttp));
    plugins.push(Box::new(RatesHttp));
    plugins.push(Box::new(Monero));
    plugins.push(Box::new(Ton));
    plugins.push(Box::new(Tron));
    plugins.push(Box::new(AmlHttp));
    plugins.push(Box::new(Telegram::default()));
    plugins.push(Box::new(Webhook));
    plugins.push(Box::new(Payeer));
    plugins
}

/// The plugin libraries of the installation.
///
/// # Errors
/// If the path of this program is unknown: it also runs the plugin processes.
pub fn libraries(config: &PluginsConfig) -> Result<PluginLibraries> {
    let policy = SupervisorPolicy {
        round_timeout: Duration::from_millis(config.round_ms.into()),
        memory_bytes: u64::from(config.memory_mib) * 1024 * 1024,
        max_faults: config.faults.max(1).into(),
        ..SupervisorPolicy::new(RunnerCommand::own().map_err(Error::internal)?)
    };
    let list = config.list.clone();
    Ok(PluginLibraries::new(config.folder.clone(), Box::new(move || read_allowed(&list)), policy))
}

/// The digests of allowed libraries: `name = "digest"` under `[plugins.allowed]`. Without the file, none is allowed.
///
/// # Errors
/// The file cannot be read, or a digest is not a string.
pub fn read_allowed(list: &Path) -> Result<BTreeMap<String, String>> {
    let read = config::Config::builder().add_source(config::File::from(list).required(false)).build().map_err(Error::internal)?;
    match read.get("plugins.allowed") {
        Err(config::ConfigError::NotFound(_)) => Ok(BTreeMap::new()),
        listed => listed.map_err(Error::internal),
    }
}

/// The built-in rate sources.
fn rate_sources() -> Vec<Box<dyn Plugin>> {
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

/// Reads rate files with the built-in sources, enabled or not.
pub fn rate_files() -> Arc<dyn RateFileReader> {
    Arc::new(RateFileReaders(rate_sources()))
}

struct RateFileReaders(Vec<Box<dyn Plugin>>);

impl RateFileReader for RateFileReaders {
    fn read(&self, file: &[u8], received_at: Timestamp) -> std::result::Result<RateFile, String> {
        let document = SourceFile { body: Body::of(file.to_vec()), received_at: received_at.0 };
        let request = PluginRequest { now: received_at.0, ..PluginRequest::of(Call::ReadFile(document)) };
        for source in &self.0 {
            match source.handle(&request) {
                PluginResponse::Done(CallResult::Prices(prices)) => return Ok(rate_file(source.manifest().name, prices)),
                PluginResponse::Failed(refusal) if refusal.code == OTHER_FORMAT => {}
                PluginResponse::Failed(refusal) => return Err(refusal.why),
                _ => return Err("the source asks for more than the file".to_owned()),
            }
        }
        Err("the file is in none of the known formats".to_owned())
    }
}

fn rate_file(source: String, prices: Prices) -> RateFile {
    let price = |observation: PriceObservation| FilePrice {
        base: observation.base,
        quote: observation.quote,
        bid: observation.bid,
        ask: observation.ask,
        observed_at: observation.observed_at,
    };
    RateFile { source, prices: prices.observations.into_iter().map(price).collect(), skipped: prices.skipped }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rate_file_is_read_by_exactly_one_source() {
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
            let mut readers = RateFileReaders(rate_sources());
            readers.0.retain(|other| other.manifest().name != source);
            assert_eq!(readers.read(file, now).unwrap_err(), "the file is in none of the known formats", "{source}");
        }
        for other in ["", "  ", "<html>", "{}", "[]", "USD,1.08", "\0\0"] {
            assert!(rate_files().read(other.as_bytes(), now).is_err(), "{other:?}");
        }
    }
}

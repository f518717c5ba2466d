//! Published rate files, read.

use agio_calculator::feeds::{Feed, Format, SOURCE_PRIORITY, detect, parse};
use agio_calculator::model::observation::{Observation, ObservedAt};
use rust_decimal::Decimal;

pub const ECB: &[u8] = include_bytes!("../../demo/rates/ecb-2024-03-28.xml");
pub const CBR: &[u8] = include_bytes!("../../demo/rates/cbr-2024-03-28.xml");
pub const CRYPTO: &[u8] = include_bytes!("../../demo/rates/currency-api-usd-2024-03-28.json");
const ECB_SINGLE_QUOTES: &[u8] = include_bytes!("../fixtures/rates/ecb-2017-03-08.xml");
const ECB_DOUBLE_QUOTES: &[u8] = include_bytes!("../fixtures/rates/ecb-2023-04-18-indented.xml");
const CBR_WITHOUT_UNIT_RATE: &[u8] = include_bytes!("../fixtures/rates/cbr-2022-03-15.xml");
const BINANCE: &[u8] = include_bytes!("../fixtures/rates/binance-book-ticker-2019-09-10.json");
const CURRENCY_API: &[u8] = include_bytes!("../fixtures/rates/currency-api-usd-2024-03-28.json");

/// 2019-09-10 15:37 UTC, in microseconds.
const ARRIVED: i64 = 1_568_129_820_000_000;

fn number(text: &str) -> Decimal {
    text.parse().expect("a decimal number")
}

pub fn read(bytes: &[u8]) -> Feed {
    parse(bytes, ARRIVED).expect("a published file")
}

/// Every observation of the demo day.
pub fn demo_day() -> Vec<Observation> {
    [ECB, CBR, CRYPTO].into_iter().flat_map(|bytes| read(bytes).observations).collect()
}

fn find<'a>(feed: &'a Feed, base: &str, quote: &str) -> &'a Observation {
    let found = feed.observations.iter().find(|known| known.base == base && known.quote == quote);
    found.expect("the pair is in the file")
}

#[track_caller]
fn assert_price(feed: &Feed, base: &str, quote: &str, price: &str) {
    let observation = find(feed, base, quote);
    assert_eq!(observation.bid, number(price), "{base}/{quote}");
    assert_eq!(observation.ask, number(price), "{base}/{quote}");
}

fn day(text: &str) -> ObservedAt {
    text.parse().expect("a day")
}

#[test]
fn the_european_central_bank_is_read_in_both_quotings() {
    let single = read(ECB_SINGLE_QUOTES);
    assert_eq!(single.observations.len(), 31);
    assert_price(&single, "EUR", "USD", "1.0556");
    assert_price(&single, "EUR", "HUF", "310.70");
    assert_eq!(find(&single, "EUR", "USD").observed_at, day("2017-03-08"));

    let double = read(ECB_DOUBLE_QUOTES);
    assert_eq!(double.observations.len(), 30);
    assert_price(&double, "EUR", "GBP", "0.88143");
    assert!(double.observations.iter().all(|known| known.source == "ecb"));
}

#[test]
fn the_bank_of_russia_is_read_for_one_unit() {
    let feed = read(CBR);
    assert_eq!(feed.observations.len(), 43);
    assert_price(&feed, "USD", "RUB", "92.5919");
    // 20,5728 for 100 and 73,5440 for 10000.
    assert_price(&feed, "KZT", "RUB", "0.205728");
    assert_price(&feed, "UZS", "RUB", "0.0073544");
    assert_eq!(find(&feed, "USD", "RUB").observed_at, day("2024-03-28"));
}

#[test]
fn the_older_russian_form_without_the_rate_for_one_is_read_too() {
    let feed = read(CBR_WITHOUT_UNIT_RATE);
    assert_eq!(feed.observations.len(), 34);
    assert_price(&feed, "USD", "RUB", "115.1963");
    assert_price(&feed, "JPY", "RUB", "0.994486");
    assert_price(&feed, "UZS", "RUB", "0.0105423");
}

#[test]
fn binance_symbols_are_split_and_dead_markets_left_out() {
    let feed = read(BINANCE);
    assert_eq!(feed.observations.len() + feed.skipped.len(), 617);
    let bitcoin = find(&feed, "BTC", "USDT");
    assert_eq!(bitcoin.bid, number("10187.33"));
    assert_eq!(bitcoin.ask, number("10187.62"));
    assert_eq!(bitcoin.observed_at, ObservedAt::Moment(ARRIVED));
    assert_eq!(find(&feed, "ETH", "BTC").bid, number("0.017651"));
    // Half dead: a bid, but nobody asks.
    assert!(feed.skipped.contains(&"BCNETH".to_owned()));
    let unknown = |ticker: &str| !["BTC", "ETH", "USDT", "BNB"].contains(&ticker);
    assert!(feed.observations.iter().any(|known| unknown(&known.base)));
    assert!(feed.observations.iter().all(|known| known.bid <= known.ask));
}

#[test]
fn currency_api_is_read_from_its_digits() {
    let feed = read(CURRENCY_API);
    assert_eq!(feed.observations.len() + feed.skipped.len(), 729);
    assert_price(&feed, "USD", "BTC", "0.000014374");
    assert_price(&feed, "USD", "SHIB", "32408.0702452");
    assert_price(&feed, "USD", "RUB", "91.91731053");
    for odd in ["$wen", "$myro", "btc.b", "ox_old", "usd"] {
        assert!(feed.skipped.contains(&odd.to_owned()), "{odd} is no quote");
    }
    let shipped = read(CRYPTO);
    for observation in &shipped.observations {
        assert_eq!(find(&feed, "USD", &observation.quote), observation);
    }
}

#[test]
fn each_file_is_recognised_by_its_beginning() {
    let files = [
        (ECB, Format::Ecb),
        (ECB_SINGLE_QUOTES, Format::Ecb),
        (ECB_DOUBLE_QUOTES, Format::Ecb),
        (CBR, Format::Cbr),
        (CBR_WITHOUT_UNIT_RATE, Format::Cbr),
        (BINANCE, Format::Binance),
        (CURRENCY_API, Format::CurrencyApi),
        (CRYPTO, Format::CurrencyApi),
    ];
    for (bytes, format) in files {
        assert_eq!(detect(bytes), Some(format));
        let marked = [b"\xef\xbb\xbf", bytes].concat();
        assert_eq!(detect(&marked), Some(format), "with a byte order mark");
        assert!(SOURCE_PRIORITY.contains(&format.source()));
    }
    for other in ["", "  ", "<html>", "{}", "[]", "USD,1.08", "\0\0"] {
        assert_eq!(detect(other.as_bytes()), None, "{other:?}");
    }
}

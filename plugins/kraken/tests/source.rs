//! Kraken: reads a recording and fetches over the network.

use std::collections::BTreeMap;

use agio_plugin_kraken::Kraken;
use agio_plugin_test::{
    FakeResponse, FakeServer, assert_handles_bad_responses, fetch_prices, pair_price, prices_call, read_file,
};

const NOW: &str = "2019-09-10T13:05:00Z";
const ASSETS: [&str; 3] = ["BTC", "USD", "DOGE"];

const RECORDED: &str = include_str!("fixtures/ticker-2019-09-10.json");
/// Keys and the names behind them, out of Kraken's own directory of the same day.
const DIRECTORY: &str = include_str!("fixtures/asset-pairs-2019-09-10.json");

fn read_error(file: &str) -> String {
    read_file(NOW, &Kraken::default(), file.as_bytes()).expect_err("the file is wrong").1
}

fn one(key: &str, bid: &str, ask: &str) -> String {
    format!(r#"{{"error":[],"result":{{"{key}":{{"a":["{ask}","1","1.0"],"b":["{bid}","1","1.0"],"c":["1","1"]}}}}}}"#)
}

#[test]
fn keys_are_split_as_the_directory_splits_them() {
    let prices = read_file(NOW, &Kraken::default(), RECORDED.as_bytes()).unwrap();
    assert_eq!(pair_price(&prices, "BTC", "USD"), ("10255.00000".into(), "10255.10000".into(), NOW.into()));
    assert_eq!(pair_price(&prices, "DOGE", "BTC").0, "0.000000230");
    assert_eq!(pair_price(&prices, "USDT", "USD").1, "0.99990000");
    let directory: BTreeMap<String, String> = serde_json::from_str(DIRECTORY).unwrap();
    let names: BTreeMap<_, _> = directory.values().map(|name| (name.replace("XBT", "BTC").replace("XDG", "DOGE"), ())).collect();
    for price in &prices.observations {
        assert!(names.contains_key(&format!("{}/{}", price.base, price.quote)), "{}/{}", price.base, price.quote);
    }
    // What is left out is of currencies that are not requested.
    let foreign = ["BAT", "EOS", "GNO", "QTUM", "WAVES", "MLN", "REP"];
    for key in &prices.skipped {
        assert!(foreign.iter().any(|ticker| key.contains(ticker)), "{key}");
    }
    assert_eq!(prices.observations.len() + prices.skipped.len(), 83);
}

#[test]
fn names_of_others_are_not_taken_for_its_own() {
    for key in ["BTCUSD", "DOGEUSD", "XBTCZUSD", "XXBT", "ZUSD", "", "XXBTXXBT", "XXBTXBT"] {
        assert_eq!(read_error(&one(key, "1", "1")), "the file holds no prices", "{key}");
    }
    let both = one("XXBTZUSD", "1", "1").replace("\"result\":{", "\"result\":{\"XBTUSD\":{\"a\":[\"2\"],\"b\":[\"2\"]},");
    assert_eq!(read_error(&both), "BTC/USD is there twice");
}

#[test]
fn what_is_wrong_is_named() {
    let error = r#"{"error":["EAPI:Rate limit exceeded"],"result":{}}"#;
    assert_eq!(read_error(error), "the source answers with an error: EAPI:Rate limit exceeded");
    assert_eq!(read_error(&one("XXBTZUSD", "10256", "10255")), "XXBTZUSD: the bid 10256.0 is above the ask 10255.0");
    assert_eq!(read_error(&one("XXBTZUSD", "0", "10255")), "the file holds no prices");
    for wrong in ["NaN", "-1", "1,5"] {
        assert!(read_error(&one("XXBTZUSD", wrong, "2")).contains("not a number"), "{wrong}");
    }
    let empty = r#"{"error":[],"result":{"XXBTZUSD":{"a":[],"b":[]}}}"#;
    assert_eq!(read_error(empty), "the file holds no prices");
    assert_eq!(read_file(NOW, &Kraken::default(), b"{}").unwrap_err().0, "not_mine");
}

#[tokio::test]
async fn prices_are_fetched_with_one_request() {
    let server = FakeServer::start([FakeResponse::ok(RECORDED)]).await;
    let prices = fetch_prices(NOW, Kraken::at(server.origin()), &ASSETS).await.unwrap();
    assert_eq!(prices.observations.len(), 2, "BTC/USD and DOGE/BTC");
    assert_eq!(server.received()[0].line, "GET /0/public/Ticker");
}

#[tokio::test]
async fn whatever_goes_wrong_gives_no_price() {
    assert_handles_bad_responses(NOW, Kraken::at, |_| Vec::new(), prices_call(&ASSETS), RECORDED.as_bytes(), "").await;
}

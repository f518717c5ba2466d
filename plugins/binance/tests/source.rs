//! Binance: reads a recording and fetches over the network.

use agio_plugin_binance::Binance;
use agio_plugin_test::{
    FakeResponse, FakeServer, assert_handles_bad_responses, fetch_prices, pair_price, prices_call, read_file,
};

const NOW: &str = "2019-09-10T15:37:00Z";
const ASSETS: [&str; 3] = ["BTC", "USDT", "ETH"];

const RECORDED: &[u8] = include_bytes!("fixtures/binance-book-ticker-2019-09-10.json");

fn read_error(file: &str) -> String {
    let (code, why) = read_file(NOW, &Binance::default(), file.as_bytes()).expect_err("the file is wrong");
    assert_eq!(code, "unreadable");
    why
}

fn bitcoin(bid: &str, ask: &str) -> String {
    format!(r#"[{{"symbol":"BTCUSDT","bidPrice":"{bid}","bidQty":"1","askPrice":"{ask}","askQty":"1"}}]"#)
}

#[test]
fn symbols_are_split_and_dead_markets_left_out() {
    let result = read_file(NOW, &Binance::default(), RECORDED).unwrap();
    assert_eq!(result.observations.len() + result.skipped.len(), 617);
    assert_eq!(pair_price(&result, "BTC", "USDT"), ("10187.33000000".into(), "10187.62000000".into(), NOW.into()));
    assert_eq!(pair_price(&result, "ETH", "BTC").0, "0.01765100");
    // A bid without an ask.
    assert!(result.skipped.contains(&"BCNETH".to_owned()));
    assert!(result.observations.iter().all(|price| price.bid <= price.ask && !price.bid.is_zero()));
    assert!(result.observations.len() > 60, "{}", result.observations.len());
}

#[test]
fn one_symbol_is_read_as_many_are() {
    let one = bitcoin("10187.33", "10187.62");
    let result = read_file(NOW, &Binance::default(), one.trim_matches(['[', ']']).as_bytes()).unwrap();
    assert_eq!(pair_price(&result, "BTC", "USDT").1, "10187.62");
}

#[test]
fn what_is_wrong_is_named() {
    assert_eq!(read_error(&bitcoin("10188.00", "10187.00")), "BTCUSDT: the bid 10188.00 is above the ask 10187.00");
    assert_eq!(read_error(&bitcoin("0.00000000", "0.00000000")), "the file holds no prices");
    for wrong in ["NaN", "-1", "10,188", "1e5", "Infinity", "10187.33 "] {
        assert!(read_error(&bitcoin(wrong, "10189")).contains("not a number"), "{wrong}");
    }
    assert_eq!(read_error(&bitcoin("10188", "101880")), "the file holds no prices", "an ask ten times the bid is no price");
    assert!(read_error(r#"[{"symbol":"BTCUSDT","bidPrice":10188.1,"askPrice":"10189"}]"#).starts_with("the JSON"), "a number");
    assert_eq!(read_error(r#"[{"symbol":"FOOBAR","bidPrice":"1","askPrice":"1"}]"#), "the file holds no prices");
    let twice = bitcoin("1", "1");
    let twice = twice.trim_matches(['[', ']']);
    assert_eq!(read_error(&format!("[{twice},{twice}]")), "BTCUSDT is there twice");
    assert_eq!(read_file(NOW, &Binance::default(), b"[]").unwrap_err().0, "not_mine");
}

#[tokio::test]
async fn prices_are_fetched_with_one_request() {
    let server = FakeServer::start([FakeResponse::ok(RECORDED)]).await;
    let result = fetch_prices(NOW, Binance::at(server.origin()), &ASSETS).await.unwrap();
    assert_eq!(result.observations.len(), 3, "BTC/USDT, ETH/USDT and ETH/BTC: {:?}", result.observations);
    assert_eq!(server.received()[0].line, "GET /api/v3/ticker/bookTicker");
    let why = fetch_prices(NOW, Binance::at(server.origin()), &["KZT", "RUB"]).await.unwrap_err();
    assert_eq!(why, "no_prices: the source has no price between the requested assets");
}

#[tokio::test]
async fn a_requested_unknown_ticker_is_split() {
    let body = r#"[{"symbol":"NEWUSDT","bidPrice":"1.5","askPrice":"1.6"},{"symbol":"ODDUSDT","bidPrice":"1","askPrice":"1"}]"#;
    let server = FakeServer::start([FakeResponse::ok(body)]).await;
    let result = fetch_prices(NOW, Binance::at(server.origin()), &["NEW", "USDT"]).await.unwrap();
    assert_eq!((result.observations.len(), pair_price(&result, "NEW", "USDT").0), (1, "1.5".into()));
    assert_eq!(result.skipped, ["ODDUSDT"]);
}

#[tokio::test]
async fn a_cache_on_the_way_makes_no_price_younger() {
    let stale = |date: &str| FakeResponse::Full(200, vec![("date", date.to_owned())], RECORDED.to_vec());
    let dates = ["Tue, 10 Sep 2019 09:00:00 GMT", "Wed, 11 Sep 2019 09:00:00 GMT", "yesterday"];
    let server = FakeServer::start(dates.map(stale)).await;
    for observed_at in ["2019-09-10T09:00:00Z", NOW, NOW] {
        let result = fetch_prices(NOW, Binance::at(server.origin()), &ASSETS).await.unwrap();
        assert_eq!(pair_price(&result, "BTC", "USDT").2, observed_at);
    }
}

#[tokio::test]
async fn whatever_goes_wrong_gives_no_price() {
    assert_handles_bad_responses(NOW, Binance::at, |_| Vec::new(), prices_call(&ASSETS), RECORDED, "").await;
}

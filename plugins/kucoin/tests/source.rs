//! KuCoin: reads a recording and fetches over the network.

use agio_plugin_kucoin::Kucoin;
use agio_plugin_test::{
    FakeResponse, FakeServer, assert_handles_bad_responses, fetch_prices, pair_price, prices_call, read_file,
};

const NOW: &str = "2019-09-10T13:04:30Z";
const ASSETS: [&str; 3] = ["BTC", "USDT", "ETH"];

const RECORDED: &str = include_str!("fixtures/all-tickers-2019-09-10.json");

fn read_error(file: &str) -> String {
    read_file(NOW, &Kucoin::default(), file.as_bytes()).expect_err("the file is wrong").1
}

fn one(buy: &str, sell: &str) -> String {
    let ticker = format!(r#"{{"symbol":"BTC-USDT","symbolName":"BTC-USDT","buy":{buy},"sell":{sell},"takerFeeRate":"0.001"}}"#);
    format!(r#"{{"code":"200000","data":{{"time":1568120653289,"ticker":[{ticker}]}}}}"#)
}

#[test]
fn a_recorded_reply_is_read() {
    let result = read_file(NOW, &Kucoin::default(), RECORDED.as_bytes()).unwrap();
    assert_eq!(pair_price(&result, "BTC", "USDT"), ("10246.3".into(), "10246.4".into(), "2019-09-10T13:04:13.289Z".into()));
    assert_eq!(pair_price(&result, "XRP", "BTC").1, "0.00002562");
    assert_eq!(result.observations.len() + result.skipped.len(), 21);
    assert!(result.skipped.contains(&"LOOM-BTC".to_owned()));
}

#[test]
fn a_market_without_a_side_is_dead() {
    for file in [one("null", "null"), one("\"1\"", "null"), one("\"\"", "\"1\""), one("\"0\"", "\"1\"")] {
        assert_eq!(read_error(&file), "the file holds no prices", "{file}");
    }
}

#[test]
fn what_is_wrong_is_named() {
    let error = r#"{"code":"429000","msg":"too many requests","data":{"time":1,"ticker":[]}}"#;
    assert_eq!(read_error(error), "the source answers with an error: 429000 too many requests");
    assert!(read_error(&RECORDED.replace("\"200000\"", "200000")).starts_with("the JSON"), "success is a string");
    assert!(read_error(&one("10246.3", "10246.4")).starts_with("the JSON"), "numbers are strings");
    assert_eq!(read_error(&one("\"10246.5\"", "\"10246.4\"")), "BTC-USDT: the bid 10246.5 is above the ask 10246.4");
    for wrong in ["\"NaN\"", "\"-1\"", "\"1,5\""] {
        assert!(read_error(&one(wrong, "\"2\"")).contains("not a number"), "{wrong}");
    }
    assert_eq!(read_file(NOW, &Kucoin::default(), b"{\"code\":\"200000\"}").unwrap_err().0, "not_mine");
}

#[tokio::test]
async fn prices_are_fetched_with_one_request() {
    let server = FakeServer::start([FakeResponse::ok(RECORDED)]).await;
    let result = fetch_prices(NOW, Kucoin::at(server.origin()), &ASSETS).await.unwrap();
    assert_eq!(result.observations.len(), 3);
    assert_eq!(server.received()[0].line, "GET /api/v1/market/allTickers");
}

#[tokio::test]
async fn whatever_goes_wrong_gives_no_price() {
    assert_handles_bad_responses(NOW, Kucoin::at, |_| Vec::new(), prices_call(&ASSETS), RECORDED.as_bytes(), "").await;
}

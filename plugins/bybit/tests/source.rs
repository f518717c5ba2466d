//! Bybit: reads the example of its documentation and fetches over the network.

use agio_plugin_bybit::Bybit;
use agio_plugin_test::{
    FakeResponse, FakeServer, assert_handles_bad_responses, fetch_prices, pair_price, prices_call, read_file,
};

const NOW: &str = "2023-01-16T08:51:30Z";
const ASSETS: [&str; 2] = ["BTC", "USDT"];

const SAMPLE: &str = include_str!("fixtures/tickers-spot-2023-01-16.json");

fn read_error(file: &str) -> String {
    read_file(NOW, &Bybit::default(), file.as_bytes()).expect_err("the file is wrong").1
}

#[test]
fn the_documented_reply_is_read() {
    let prices = read_file(NOW, &Bybit::default(), SAMPLE.as_bytes()).unwrap();
    assert_eq!(pair_price(&prices, "BTC", "USDT"), ("20517.96".into(), "20527.77".into(), "2023-01-16T08:51:27.947Z".into()));
}

#[test]
fn fields_without_a_value_are_no_trouble_where_nothing_needs_them() {
    let empty_index = SAMPLE.replace("20784.12009279", "");
    assert_eq!(read_file(NOW, &Bybit::default(), empty_index.as_bytes()).unwrap().observations.len(), 1);
    let no_bid = SAMPLE.replace("20517.96", "");
    assert_eq!(read_error(&no_bid), "the file holds no prices");
}

#[test]
fn what_is_wrong_is_named() {
    let error = r#"{"retCode":10006,"retMsg":"Too many visits!","result":{},"retExtInfo":{},"time":1673859087947}"#;
    assert_eq!(read_error(error), "the source answers with an error: 10006 Too many visits!");
    assert_eq!(read_file(NOW, &Bybit::default(), error.as_bytes()).unwrap_err().0, "source_error");
    assert_eq!(read_error(&SAMPLE.replace("spot", "linear")), "the reply has no category spot");
    assert_eq!(read_error(&SAMPLE.replace("20517.96", "0")), "the file holds no prices");
    assert!(read_error(&SAMPLE.replace("20517.96", "-20517.96")).contains("not a number"));
    assert!(read_error(&SAMPLE.replace("20517.96", "NaN")).contains("not a number"));
    assert!(read_error(&SAMPLE.replace("20517.96", "205179.6")).contains("is above the ask"));
    assert!(read_error(&SAMPLE.replace("1673859087947", "1873859087947")).ends_with("which is in the future"));
    assert!(read_error(&SAMPLE.replace("1673859087947", "-1")).contains("is not a date"));
    assert_eq!(read_file(NOW, &Bybit::default(), b"{}").unwrap_err().0, "not_mine");
}

#[tokio::test]
async fn prices_are_fetched_with_one_request_and_have_the_sources_time() {
    let stale = SAMPLE.replace("1673859087947", "1673772687947");
    let server = FakeServer::start([FakeResponse::ok(SAMPLE), FakeResponse::ok(stale)]).await;
    assert_eq!(fetch_prices(NOW, Bybit::at(server.origin()), &ASSETS).await.unwrap().observations.len(), 1);
    let prices = fetch_prices(NOW, Bybit::at(server.origin()), &ASSETS).await.unwrap();
    assert_eq!(pair_price(&prices, "BTC", "USDT").2, "2023-01-15T08:51:27.947Z", "an old price keeps its time");
    assert_eq!(server.received()[0].line, "GET /v5/market/tickers?category=spot");
}

#[tokio::test]
async fn whatever_goes_wrong_gives_no_price() {
    assert_handles_bad_responses(NOW, Bybit::at, |_| Vec::new(), prices_call(&ASSETS), SAMPLE.as_bytes(), "").await;
}

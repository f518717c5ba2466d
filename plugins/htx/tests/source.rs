//! HTX: reads a reply in today's form and from a recording of an earlier one, and fetches over the network.

use agio_plugin_htx::Htx;
use agio_plugin_test::{
    FakeResponse, FakeServer, assert_handles_bad_responses, fetch_prices, pair_price, prices_call, read_file,
};

const NOW: &str = "2024-03-28T12:00:01Z";
const ASSETS: [&str; 3] = ["BTC", "USDT", "TRX"];

const TODAY: &str = include_str!("fixtures/market-tickers.json");
const WITHOUT_SIDES: &str = include_str!("fixtures/market-tickers-2019-09-10-without-sides.json");

fn read_error(file: &str) -> String {
    read_file(NOW, &Htx::default(), file.as_bytes()).expect_err("the file is wrong").1
}

#[test]
fn numbers_are_read_from_their_digits() {
    let result = read_file(NOW, &Htx::default(), TODAY.as_bytes()).unwrap();
    assert_eq!(pair_price(&result, "BTC", "USDT"), ("70550".into(), "70550.01".into(), "2024-03-28T12:00:00.123Z".into()));
    assert_eq!(pair_price(&result, "TRX", "BTC").0, "0.00000169");
    assert_eq!(pair_price(&result, "ETH", "USDT").0, "3550.4500000000000001", "more digits than a binary float has");
    assert_eq!(result.skipped, ["deadusdt", "xmrusdt"]);
}

#[test]
fn the_last_price_stands_for_neither_side() {
    assert_eq!(read_error(WITHOUT_SIDES), "the file holds no prices");
}

#[test]
fn what_is_wrong_is_named() {
    let error = r#"{"status":"error","err-code":"bad-request","err-msg":"too many","ts":1711627200123}"#;
    assert_eq!(read_error(error), "the source answers with an error: error bad-request too many");
    for wrong in ["\"70550\"", "-70550", "1e999"] {
        assert!(read_error(&TODAY.replace("\"bid\":70550,", &format!("\"bid\":{wrong},"))).starts_with("BTCUSDT is "), "{wrong}");
    }
    assert!(read_error(&TODAY.replace("\"bid\":70550,", "\"bid\":NaN,")).starts_with("the JSON"));
    assert!(read_error(&TODAY.replace("\"bid\":70550,", "\"bid\":705500,")).contains("is above the ask"));
    assert!(read_error(&TODAY.replace("1711627200123", "1911627200123")).ends_with("which is in the future"));
    assert_eq!(read_file(NOW, &Htx::default(), b"{}").unwrap_err().0, "not_mine");
}

#[tokio::test]
async fn prices_are_fetched_with_one_request() {
    let server = FakeServer::start([FakeResponse::ok(TODAY)]).await;
    let result = fetch_prices(NOW, Htx::at(server.origin()), &ASSETS).await.unwrap();
    assert_eq!(result.observations.len(), 2);
    assert_eq!(server.received()[0].line, "GET /market/tickers");
}

#[tokio::test]
async fn whatever_goes_wrong_gives_no_price() {
    assert_handles_bad_responses(NOW, Htx::at, |_| Vec::new(), prices_call(&ASSETS), TODAY.as_bytes(), "").await;
}

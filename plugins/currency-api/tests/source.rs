//! currency-api: reads a file it published and fetches over the network.

use agio_plugin_currency_api::CurrencyApi;
use agio_plugin_test::{
    FakeResponse, FakeServer, assert_handles_bad_responses, fetch_prices, pair_price, prices_call, read_file,
};

const NOW: &str = "2024-03-28T12:00:00Z";
const ASSETS: [&str; 3] = ["USD", "BTC", "RUB"];

const DOLLAR: &[u8] = include_bytes!("fixtures/currency-api-usd-2024-03-28.json");

fn read_error(file: &str) -> String {
    let (code, why) = read_file(NOW, &CurrencyApi::default(), file.as_bytes()).expect_err("the file is wrong");
    assert_eq!(code, "unreadable");
    why
}

#[test]
fn rates_are_read_from_their_digits() {
    let result = read_file(NOW, &CurrencyApi::default(), DOLLAR).unwrap();
    assert_eq!(result.observations.len() + result.skipped.len(), 729);
    assert_eq!(pair_price(&result, "USD", "BTC"), ("0.000014374".into(), "0.000014374".into(), "2024-03-28".into()));
    assert_eq!(pair_price(&result, "USD", "SHIB").0, "32408.0702452");
    assert_eq!(pair_price(&result, "USD", "RUB").0, "91.91731053");
    for odd in ["$wen", "$myro", "btc.b", "ox_old", "usd"] {
        assert!(result.skipped.contains(&odd.to_owned()), "{odd} is no quote");
    }
    let exponents = br#"{"date":"2024-03-28","usd":{"btc":1.4374e-05,"shib":3.24080702452E4}}"#;
    let result = read_file(NOW, &CurrencyApi::default(), exponents).unwrap();
    assert_eq!(
        (pair_price(&result, "USD", "BTC").0, pair_price(&result, "USD", "SHIB").0),
        ("0.000014374".into(), "32408.0702452".into())
    );
}

#[test]
fn what_is_wrong_is_named() {
    let rates = |rates: &str| read_error(&format!(r#"{{"date":"2024-03-28","usd":{{{rates}}}}}"#));
    assert_eq!(rates(r#""eur":0.92,"eur":0.93"#), "eur is there twice");
    assert!(rates(r#""eur":"0.92""#).contains("not a number"));
    assert!(rates(r#""eur":null"#).contains("not a number"));
    assert!(rates(r#""eur":NaN"#).starts_with("the JSON is not as expected"));
    assert_eq!(rates(r#""eur":0,"gbp":0.00"#), "the file holds no prices");
    assert_eq!(rates(r#""eur":-0.92"#), "eur is \"-0.92\", which is no price");
    assert_eq!(rates(r#""eur":1e999"#), "eur is \"1e999\", which is no price");
    assert_eq!(rates(""), "the file holds no prices");
    assert_eq!(read_error(r#"{"date":"2024-03-28"}"#), "the file has no base");
    assert_eq!(
        read_error(r#"{"date":"28.03.2024","usd":{"eur":0.92}}"#),
        "\"28.03.2024\" is not a date in the form of this source"
    );
    assert_eq!(read_error(r#"{"date":"2031-03-28","usd":{"eur":0.92}}"#), "the prices are of 2031-03-28, which is in the future");
    assert!(read_error(r#"{"date":"2024-03-28","usd":{"eur":0.92},"gbp":{"eur":1.1}}"#).contains("unexpected field"));
    assert_eq!(read_file(NOW, &CurrencyApi::default(), b"{}").unwrap_err().0, "not_mine");
}

#[tokio::test]
async fn prices_are_fetched_with_one_request() {
    let server = FakeServer::start([FakeResponse::ok(DOLLAR)]).await;
    let result = fetch_prices(NOW, CurrencyApi::at(server.origin()), &ASSETS).await.unwrap();
    assert_eq!(result.observations.len(), 2);
    assert_eq!(server.received()[0].line, "GET /npm/@fawazahmed0/currency-api@latest/v1/currencies/usd.min.json");
}

#[tokio::test]
async fn whatever_goes_wrong_gives_no_price() {
    assert_handles_bad_responses(NOW, CurrencyApi::at, |_| Vec::new(), prices_call(&ASSETS), DOLLAR, "").await;
}

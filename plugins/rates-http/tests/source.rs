//! A source of the owner's that keeps to the contract, and those that do not.

use agio_plugin_rates_http::RatesHttp;
use agio_plugin_sdk::protocol::CallResult;
use agio_plugin_test::{
    FakeResponse, FakeServer, assert_handles_bad_responses, call_error, call_plugin, pair_price, prices_call,
};

const NOW: &str = "2024-03-28T12:00:00Z";
const SECRET: &str = "the-secret-of-the-tests";
const ASSETS: [&str; 3] = ["USDT", "RUB", "BTC"];
const LIST: &str = r#"{"time":"2024-03-28T14:59:30+03:00","prices":[
    {"base":"USDT","quote":"RUB","bid":"92.1","ask":"92.35"},{"base":"XAU","quote":"RUB","bid":"6500","ask":"6600"}]}"#;

async fn prices(body: &str) -> Result<CallResult, (String, String)> {
    let server = FakeServer::start([FakeResponse::ok(body)]).await;
    let url = format!("{}/rates?of=cash", server.origin());
    let answer = call_plugin(NOW, RatesHttp, &[("url", &url), ("secret", SECRET)], prices_call(&ASSETS)).await;
    let request = server.received().remove(0);
    assert_eq!(
        (request.line.as_str(), request.header("authorization")),
        ("GET /rates?of=cash", Some(&*format!("Bearer {SECRET}")))
    );
    answer.map_err(|error| (call_error(&error).0.to_owned(), call_error(&error).1.to_owned()))
}

#[tokio::test]
async fn the_list_is_read_with_its_time() {
    let Ok(CallResult::Prices(prices)) = prices(LIST).await else { panic!("there are prices") };
    assert_eq!(prices.observations.len(), 1, "nobody asked for gold");
    assert_eq!(pair_price(&prices, "USDT", "RUB"), ("92.1".into(), "92.35".into(), "2024-03-28T11:59:30Z".into()));
}

#[tokio::test]
async fn what_does_not_fit_the_contract_is_refused() {
    for body in [
        LIST.replace("\"92.1\"", "92.1"),
        LIST.replace("92.1", "-92.1"),
        LIST.replace("92.1", "9.2e1"),
        LIST.replace("92.1", "92.4"),
        LIST.replace("XAU", "USDT"),
        LIST.replace("14:59:30", "15:59:30"),
        LIST.replace("2024-03-28T14:59:30+03:00", "today"),
        LIST.replace("\"bid\":\"92.1\",", ""),
    ] {
        assert_eq!(prices(&body).await.expect_err(&body).0, "unreadable", "{body}");
    }
    assert_eq!(prices(&LIST.replace("USDT", "EUR")).await.unwrap_err().0, "no_prices");
}

#[tokio::test]
async fn whatever_goes_wrong_is_no_price() {
    let set = |origin: &str| vec![("url", origin.to_owned()), ("secret", SECRET.to_owned())];
    assert_handles_bad_responses(NOW, |_| RatesHttp, set, prices_call(&ASSETS), LIST.as_bytes(), SECRET).await;
}

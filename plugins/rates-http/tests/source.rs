//! A source of the owner's that keeps to the contract, and those that do not.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use agio_plugin_rates_http::RatesHttp;
use agio_plugin_sdk::protocol::CallResult;
use agio_plugin_test::{
    ExampleServer, FakeResponse, FakeServer, assert_handles_bad_responses, call_error, call_plugin, pair_price, prices_call,
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

/// The examples in Python and in PHP, which serve the prices of this file.
async fn examples(file: &Path) -> [ExampleServer; 2] {
    let python = ExampleServer::start(|address| {
        let mut command = Command::new("python3");
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/python/rates.py"));
        command.args([address.ip().to_string(), address.port().to_string()]).arg(file).env("RATES_SECRET", SECRET);
        command
    });
    let php = ExampleServer::start(|address| {
        let mut command = Command::new("php");
        command.args(["-S", &address.to_string(), concat!(env!("CARGO_MANIFEST_DIR"), "/examples/php/rates.php")]);
        command.env("RATES_SECRET", SECRET).env("RATES_FILE", file);
        command
    });
    [python.await, php.await]
}

#[tokio::test]
async fn the_examples_serve_the_prices_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rates.csv");
    let file = std::fs::File::create(&path).unwrap();
    let held_since = SystemTime::UNIX_EPOCH + Duration::from_secs(1_711_627_170);
    let write = |text: &str| {
        std::fs::write(&path, text).unwrap();
        file.set_modified(held_since).unwrap();
    };
    for example in examples(&path).await {
        let url = format!("{}/rates", example.origin());
        let ask =
            async |secret: &str| call_plugin(NOW, RatesHttp, &[("url", &url), ("secret", secret)], prices_call(&ASSETS)).await;
        write("base,quote,bid,ask\nUSDT,RUB,92.1,92.35\nBTC,USDT,9.5,10.5\n");
        let Ok(CallResult::Prices(prices)) = ask(SECRET).await else { panic!("{url}: there are prices") };
        assert_eq!(pair_price(&prices, "USDT", "RUB"), ("92.1".into(), "92.35".into(), "2024-03-28T11:59:30Z".into()));
        assert_eq!(pair_price(&prices, "BTC", "USDT").1, "10.5");
        assert!(call_error(&ask("another-secret-of-the-tests").await.unwrap_err()).1.contains("401"));
        let wrong =
            ["USDT,RUB,92.4,92.35", "USDT,RUB,10,9.5", "USDT,RUB,0,1", "USDT,RUB,9.2e1,93", "USDT,RUB,92.1", "USDT,RUB,,93"];
        for line in wrong {
            write(&format!("base,quote,bid,ask\nBTC,USDT,9.5,10.5\n{line}\n"));
            assert!(call_error(&ask(SECRET).await.unwrap_err()).1.contains("503"), "{url}: {line}");
        }
    }
}

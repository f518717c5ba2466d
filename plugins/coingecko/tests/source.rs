//! CoinGecko: reads a reply in its documented form and fetches over the network.

use agio_plugin_coingecko::CoinGecko;
use agio_plugin_sdk::Plugin as _;
use agio_plugin_sdk::protocol::CallResult;
use agio_plugin_test::{
    FakeResponse, FakeServer, assert_handles_bad_responses, call_plugin, fetch_prices, pair_price, prices_call, read_file,
};

const NOW: &str = "2024-03-28T12:00:00Z";
const ASSETS: [&str; 5] = ["BTC", "USDT", "USD", "RUB", "KZT"];

const SAMPLE: &str = include_str!("fixtures/simple-price.json");

fn read_error(file: &str) -> String {
    read_file(NOW, &CoinGecko::default(), file.as_bytes()).expect_err("the file is wrong").1
}

#[test]
fn numbers_are_read_from_their_digits_and_dated_coin_by_coin() {
    let result = read_file(NOW, &CoinGecko::default(), SAMPLE.as_bytes()).unwrap();
    assert_eq!(
        pair_price(&result, "BTC", "USD"),
        ("70123.4512345678".into(), "70123.4512345678".into(), "2024-03-28T11:59:30Z".into())
    );
    assert_eq!(pair_price(&result, "SHIB", "USD").0, "0.000030123");
    assert_eq!(pair_price(&result, "USDT", "RUB").2, "2024-03-28T11:58:20Z");
    assert_eq!((result.observations.len(), result.skipped), (5, vec!["ZEC".to_owned()]));
    assert!(CoinGecko::default().manifest().features.contains(&"cross_check".to_owned()));
}

#[test]
fn what_is_wrong_is_named() {
    let bitcoin = |fields: &str| read_error(&format!(r#"{{"bitcoin":{{{fields}}}}}"#));
    assert_eq!(bitcoin(r#""usd":0,"last_updated_at":1711627170"#), "BTC is \"0\", which is no price");
    assert_eq!(bitcoin(r#""usd":-1,"last_updated_at":1711627170"#), "BTC is \"-1\", which is no price");
    assert!(bitcoin(r#""usd":"1","last_updated_at":1711627170"#).contains("not a number"));
    assert!(bitcoin(r#""usd":1,"last_updated_at":1911627170"#).ends_with("which is in the future"));
    assert_eq!(bitcoin(r#""usd":1,"usd":2,"last_updated_at":1711627170"#), "BTC/USD is there twice");
    assert_eq!(read_error(r#"{"wrapped-bitcoin":{"usd":1,"last_updated_at":1711627170}}"#), "the file holds no prices");
    assert_eq!(read_file(NOW, &CoinGecko::default(), b"{\"bitcoin\":{\"usd\":1}}").unwrap_err().0, "not_mine");
}

#[tokio::test]
async fn coins_are_requested_by_id_with_the_api_key() {
    let server = FakeServer::start([FakeResponse::ok(SAMPLE)]).await;
    let result = fetch_prices(NOW, CoinGecko::at(server.origin()), &ASSETS).await.unwrap();
    assert_eq!(result.observations.len(), 4);
    let set = [("key", "CG-secret")];
    let answer = call_plugin(NOW, CoinGecko::at(server.origin()), &set, prices_call(&ASSETS)).await;
    assert!(matches!(answer, Ok(CallResult::Prices(_))));
    let [plain, keyed] = server.received().try_into().unwrap();
    let path = "GET /api/v3/simple/price?ids=bitcoin,tether&vs_currencies=rub,usd&include_last_updated_at=true&precision=full";
    assert_eq!((plain.line.as_str(), plain.header("x-cg-demo-api-key")), (path, None));
    assert_eq!((keyed.line.as_str(), keyed.header("x-cg-demo-api-key")), (path, Some("CG-secret")));

    let why = fetch_prices(NOW, CoinGecko::at(server.origin()), &["KZT", "BTC"]).await.unwrap_err();
    assert!(why.starts_with("no_prices"), "{why}");
    assert_eq!(server.received().len(), 2, "no request is in vain");
}

#[tokio::test]
async fn whatever_goes_wrong_gives_no_price() {
    let set = |_: &str| vec![("key", "CG-secret".to_owned())];
    assert_handles_bad_responses(NOW, CoinGecko::at, set, prices_call(&ASSETS), SAMPLE.as_bytes(), "CG-secret").await;
}

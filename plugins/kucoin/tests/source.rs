//! KuCoin, read from a recording and asked over the network.

use agio_plugin_kucoin::Kucoin;
use agio_plugin_trial::{Double, Reply, pair, prices, prices_of, read, survives};

const NOW: &str = "2019-09-10T13:04:30Z";
const ASSETS: [&str; 3] = ["BTC", "USDT", "ETH"];

const RECORDED: &str = include_str!("fixtures/all-tickers-2019-09-10.json");

fn refused(file: &str) -> String {
    read(NOW, &Kucoin::default(), file.as_bytes()).expect_err("the file is wrong").1
}

fn one(buy: &str, sell: &str) -> String {
    let ticker = format!(r#"{{"symbol":"BTC-USDT","symbolName":"BTC-USDT","buy":{buy},"sell":{sell},"takerFeeRate":"0.001"}}"#);
    format!(r#"{{"code":"200000","data":{{"time":1568120653289,"ticker":[{ticker}]}}}}"#)
}

#[test]
fn a_recorded_reply_is_read() {
    let told = read(NOW, &Kucoin::default(), RECORDED.as_bytes()).unwrap();
    assert_eq!(pair(&told, "BTC", "USDT"), ("10246.3".into(), "10246.4".into(), "2019-09-10T13:04:13.289Z".into()));
    assert_eq!(pair(&told, "XRP", "BTC").1, "0.00002562");
    assert_eq!(told.observations.len() + told.skipped.len(), 21);
    assert!(told.skipped.contains(&"LOOM-BTC".to_owned()));
}

#[test]
fn a_market_without_a_side_is_dead() {
    for file in [one("null", "null"), one("\"1\"", "null"), one("\"\"", "\"1\""), one("\"0\"", "\"1\"")] {
        assert_eq!(refused(&file), "the file holds no prices", "{file}");
    }
}

#[test]
fn what_is_wrong_is_named() {
    let error = r#"{"code":"429000","msg":"too many requests","data":{"time":1,"ticker":[]}}"#;
    assert_eq!(refused(error), "the source answers with an error: 429000 too many requests");
    assert!(refused(&RECORDED.replace("\"200000\"", "200000")).starts_with("the JSON"), "success is a string");
    assert!(refused(&one("10246.3", "10246.4")).starts_with("the JSON"), "numbers are strings");
    assert_eq!(refused(&one("\"10246.5\"", "\"10246.4\"")), "BTC-USDT: the bid 10246.5 is above the ask 10246.4");
    for wrong in ["\"NaN\"", "\"-1\"", "\"1,5\""] {
        assert!(refused(&one(wrong, "\"2\"")).contains("not a number"), "{wrong}");
    }
    assert_eq!(read(NOW, &Kucoin::default(), b"{\"code\":\"200000\"}").unwrap_err().0, "not_mine");
}

#[tokio::test]
async fn it_is_asked_by_one_request_for_what_is_wanted() {
    let server = Double::telling([Reply::ok(RECORDED)]).await;
    let told = prices(NOW, Kucoin::at(server.origin()), &ASSETS).await.unwrap();
    assert_eq!(told.observations.len(), 3);
    assert_eq!(server.seen()[0].line, "GET /api/v1/market/allTickers");
}

#[tokio::test]
async fn whatever_goes_wrong_gives_no_price() {
    survives(NOW, Kucoin::at, |_| Vec::new(), prices_of(&ASSETS), RECORDED.as_bytes(), "").await;
}

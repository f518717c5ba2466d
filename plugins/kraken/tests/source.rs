//! Kraken, read from a recording and asked over the network.

use std::collections::BTreeMap;

use agio_plugin_kraken::Kraken;
use agio_plugin_trial::{Double, Reply, pair, prices, prices_of, read, survives};

const NOW: &str = "2019-09-10T13:05:00Z";
const ASSETS: [&str; 3] = ["BTC", "USD", "DOGE"];

const RECORDED: &str = include_str!("fixtures/ticker-2019-09-10.json");
/// Keys and the names behind them, out of Kraken's own directory of the same day.
const DIRECTORY: &str = include_str!("fixtures/asset-pairs-2019-09-10.json");

fn refused(file: &str) -> String {
    read(NOW, &Kraken::default(), file.as_bytes()).expect_err("the file is wrong").1
}

fn one(key: &str, bid: &str, ask: &str) -> String {
    format!(r#"{{"error":[],"result":{{"{key}":{{"a":["{ask}","1","1.0"],"b":["{bid}","1","1.0"],"c":["1","1"]}}}}}}"#)
}

#[test]
fn keys_are_split_as_the_directory_splits_them() {
    let told = read(NOW, &Kraken::default(), RECORDED.as_bytes()).unwrap();
    assert_eq!(pair(&told, "BTC", "USD"), ("10255.00000".into(), "10255.10000".into(), NOW.into()));
    assert_eq!(pair(&told, "DOGE", "BTC").0, "0.000000230");
    assert_eq!(pair(&told, "USDT", "USD").1, "0.99990000");
    let directory: BTreeMap<String, String> = serde_json::from_str(DIRECTORY).unwrap();
    let names: BTreeMap<_, _> = directory.values().map(|name| (name.replace("XBT", "BTC").replace("XDG", "DOGE"), ())).collect();
    for seen in &told.observations {
        assert!(names.contains_key(&format!("{}/{}", seen.base, seen.quote)), "{}/{}", seen.base, seen.quote);
    }
    // What is left out is of currencies nobody here asks for.
    let foreign = ["BAT", "EOS", "GNO", "QTUM", "WAVES", "MLN", "REP"];
    for key in &told.skipped {
        assert!(foreign.iter().any(|ticker| key.contains(ticker)), "{key}");
    }
    assert_eq!(told.observations.len() + told.skipped.len(), 83);
}

#[test]
fn names_of_others_are_not_taken_for_its_own() {
    for key in ["BTCUSD", "DOGEUSD", "XBTCZUSD", "XXBT", "ZUSD", "", "XXBTXXBT", "XXBTXBT"] {
        assert_eq!(refused(&one(key, "1", "1")), "the file holds no prices", "{key}");
    }
    let both = one("XXBTZUSD", "1", "1").replace("\"result\":{", "\"result\":{\"XBTUSD\":{\"a\":[\"2\"],\"b\":[\"2\"]},");
    assert_eq!(refused(&both), "BTC/USD is there twice");
}

#[test]
fn what_is_wrong_is_named() {
    let error = r#"{"error":["EAPI:Rate limit exceeded"],"result":{}}"#;
    assert_eq!(refused(error), "the source answers with an error: EAPI:Rate limit exceeded");
    assert_eq!(refused(&one("XXBTZUSD", "10256", "10255")), "XXBTZUSD: the bid 10256.0 is above the ask 10255.0");
    assert_eq!(refused(&one("XXBTZUSD", "0", "10255")), "the file holds no prices");
    for wrong in ["NaN", "-1", "1,5"] {
        assert!(refused(&one("XXBTZUSD", wrong, "2")).contains("not a number"), "{wrong}");
    }
    let empty = r#"{"error":[],"result":{"XXBTZUSD":{"a":[],"b":[]}}}"#;
    assert_eq!(refused(empty), "the file holds no prices");
    assert_eq!(read(NOW, &Kraken::default(), b"{}").unwrap_err().0, "not_mine");
}

#[tokio::test]
async fn it_is_asked_by_one_request_for_what_is_wanted() {
    let server = Double::telling([Reply::ok(RECORDED)]).await;
    let told = prices(NOW, Kraken::at(server.origin()), &ASSETS).await.unwrap();
    assert_eq!(told.observations.len(), 2, "BTC/USD and DOGE/BTC");
    assert_eq!(server.seen()[0].line, "GET /0/public/Ticker");
}

#[tokio::test]
async fn whatever_goes_wrong_gives_no_price() {
    survives(NOW, Kraken::at, |_| Vec::new(), prices_of(&ASSETS), RECORDED.as_bytes(), "").await;
}

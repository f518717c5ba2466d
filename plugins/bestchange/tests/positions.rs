//! BestChange: the offers of competitors, fetched over the network. The replies are hand-made in the form the aggregator documents.

use agio_plugin_bestchange::BestChange;
use agio_plugin_sdk::protocol::{Call, CallResult, DirectionOffers};
use agio_plugin_test::{FakeResponse, FakeServer, assert_handles_bad_responses, call_error, call_plugin};

const NOW: &str = "2024-03-28T12:00:00Z";
const KEY: &str = "0123456789abcdef";

const CURRENCIES: &str = r#"{"currencies":[{"id":93,"name":"Bitcoin (BTC)","code":"BTC","crypto":true,"cash":false},
    {"id":10,"name":"Tether TRC20 (USDT)","code":"USDTTRC20","crypto":true,"cash":false},
    {"id":42,"name":"Sberbank","code":"SBERRUB","crypto":false,"cash":false}]}"#;
const CHANGERS: &str = r#"{"changers":[{"id":1,"name":"One"},{"id":2,"name":"Two"}]}"#;
const RATES: &str = r#"{"rates":{"93-10":[
    {"changer":1,"rate":"0.0000143","rankrate":"0.0000145","raterev":"69930","inmin":"0.001","inmax":"1","reserve":"50000.5","marks":["manual"]},
    {"changer":2,"rate":"0.0000144","rankrate":"0.0000144","inmin":"0.001","inmax":"1","reserve":"100","marks":[]},
    {"changer":7,"rate":"0.0000144","inmin":"0.001","inmax":"1","reserve":"0","marks":[]}]}}"#;

fn directions() -> Call {
    let named = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    Call::CompetitorOffers { directions: vec![named("BTC", "USDTTRC20"), named("USDTTRC20", "SBERRUB"), named("BTC", "NOWHERE")] }
}

async fn fetch(replies: [&str; 3]) -> Result<Vec<DirectionOffers>, String> {
    let server = FakeServer::start(replies.map(FakeResponse::ok)).await;
    match call_plugin(NOW, BestChange::at(server.origin()), &[("key", KEY)], directions()).await {
        Ok(CallResult::CompetitorOffers(positions)) => Ok(positions),
        Ok(other) => panic!("{other:?} are no positions"),
        Err(fault) => Err(fault.to_string()),
    }
}

#[tokio::test]
async fn offers_come_as_the_aggregator_sorts_them() {
    let server = FakeServer::start([CURRENCIES, CHANGERS, RATES].map(FakeResponse::ok)).await;
    let answer = call_plugin(NOW, BestChange::at(server.origin()), &[("key", KEY)], directions()).await.unwrap();
    let CallResult::CompetitorOffers(positions) = answer else { panic!("{answer:?} are no positions") };
    let [bitcoin, tether] = positions.try_into().unwrap();
    let names: Vec<_> = bitcoin.offers.iter().map(|offer| offer.exchanger.as_str()).collect();
    assert_eq!(names, ["Two", "7", "One"], "by what is left after fees; equal ones stay in order");
    assert_eq!(bitcoin.offers[0].rate.to_string(), "69444.444444444444444444444444");
    assert_eq!(bitcoin.offers[2].reserve.to_string(), "50000.5");
    assert_eq!((tether.from.as_str(), tether.offers.len()), ("USDTTRC20", 0), "without offers");
    let lines: Vec<_> = server.received().into_iter().map(|request| request.line).collect();
    let paths = ["currencies/en", "changers/en", "rates/93-10+10-42"];
    assert_eq!(lines, paths.map(|path| format!("GET /v2/{KEY}/{path}")));
}

#[tokio::test]
async fn what_is_wrong_is_named_and_the_key_is_not() {
    for wrong in ["0", "-1", "NaN", "1e-5", "", "0,5"] {
        let why = fetch([CURRENCIES, CHANGERS, &RATES.replace("0.0000145", wrong)]).await.unwrap_err();
        assert!(why.starts_with("unreadable: One is "), "{wrong}: {why}");
    }
    let why = fetch([CURRENCIES, CHANGERS, &RATES.replace("\"50000.5\"", "\"-1\"")]).await.unwrap_err();
    assert!(why.starts_with("unreadable: One is "), "{why}");
    let number = RATES.replace("\"50000.5\"", "50000.5");
    assert!(fetch([CURRENCIES, CHANGERS, &number]).await.unwrap_err().contains("the JSON is not as expected"));
    for key in ["", "../../admin", "a b", "key/\n"] {
        let server = FakeServer::start([FakeResponse::ok("{}")]).await;
        let fault = call_plugin(NOW, BestChange::at(server.origin()), &[("key", key)], directions()).await.unwrap_err();
        assert_eq!((call_error(&fault).0, server.received().len()), ("bad_key", 0));
    }
}

#[tokio::test]
async fn whatever_goes_wrong_gives_no_positions() {
    let set = |_: &str| vec![("key", KEY.to_owned())];
    assert_handles_bad_responses(NOW, BestChange::at, set, directions(), CURRENCIES.as_bytes(), KEY).await;
}

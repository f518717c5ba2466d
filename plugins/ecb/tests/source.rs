//! The European Central Bank: reads files it published and fetches over the network.

use agio_plugin_ecb::Ecb;
use agio_plugin_sdk::Plugin as _;
use agio_plugin_test::{
    FakeResponse, FakeServer, assert_handles_bad_responses, fetch_prices, pair_price, prices_call, read_file,
};

const NOW: &str = "2024-03-28T18:00:00Z";
const ASSETS: [&str; 3] = ["EUR", "USD", "CZK"];

const DAILY: &[u8] = include_bytes!("fixtures/ecb-2024-03-28.xml");
const SINGLE_QUOTES: &[u8] = include_bytes!("fixtures/ecb-2017-03-08.xml");
const DOUBLE_QUOTES: &[u8] = include_bytes!("fixtures/ecb-2023-04-18-indented.xml");

fn file(days: &str) -> String {
    format!(
        "<gesmes:Envelope xmlns:gesmes='http://www.gesmes.org/xml/2002-08-01' \
         xmlns='http://www.ecb.int/vocabulary/2002-08-01/eurofxref'><Cube>{days}</Cube></gesmes:Envelope>"
    )
}

fn read_error(days: &str) -> String {
    let (code, why) = read_file(NOW, &Ecb::default(), file(days).as_bytes()).expect_err("the file is wrong");
    assert_eq!(code, "unreadable");
    why
}

#[test]
fn both_ways_of_quoting_are_read() {
    let ecb = Ecb::default();
    let single = read_file(NOW, &ecb, SINGLE_QUOTES).unwrap();
    assert_eq!(single.observations.len(), 31);
    assert_eq!(pair_price(&single, "EUR", "USD"), ("1.0556".into(), "1.0556".into(), "2017-03-08".into()));
    assert_eq!(pair_price(&single, "EUR", "HUF").0, "310.70");
    let double = read_file(NOW, &ecb, DOUBLE_QUOTES).unwrap();
    assert_eq!(double.observations.len(), 30);
    assert_eq!(pair_price(&double, "EUR", "GBP").0, "0.88143");
    let marked = [b"\xef\xbb\xbf", DAILY].concat();
    assert_eq!(read_file(NOW, &ecb, &marked), read_file(NOW, &ecb, DAILY), "with a byte order mark");
}

#[test]
fn files_of_others_are_not_its_own() {
    for other in ["", "  ", "<html>eurofxre</html>", "{}", "<ValCurs Date='28.03.2024'/>", "EUR,1.08"] {
        assert_eq!(read_file(NOW, &Ecb::default(), other.as_bytes()).unwrap_err().0, "not_mine", "{other:?}");
    }
}

#[test]
fn a_decimal_comma_is_never_read_as_thousands() {
    let why = read_error("<Cube time='2024-03-13'><Cube currency='USD' rate='1,1476'/></Cube>");
    assert_eq!(why, "USD is \"1,1476\", not a number written with a decimal point");
}

#[test]
fn what_is_wrong_is_named() {
    let day = |cubes: &str| read_error(&format!("<Cube time='2024-03-28'>{cubes}</Cube>"));
    assert_eq!(day("<Cube currency='USD' rate='1.08'/><Cube currency='USD' rate='1.09'/>"), "USD is there twice");
    assert_eq!(day("<Cube currency='EUR' rate='1'/>"), "EUR is there twice");
    assert_eq!(day("<Cube currency='USD'/>"), "USD has no rate");
    assert_eq!(day("<Cube rate='1.08'/>"), "a Cube has no currency");
    assert_eq!(day("<Cube currency='usd' rate='1.08'/>"), "\"usd\" is not a currency code");
    assert_eq!(day("<Cube currency='USD' rate='0'/>"), "USD is \"0\", which is no price");
    assert_eq!(day(""), "the file holds no prices");
    assert_eq!(read_error("<Cube><Cube/></Cube>"), "a day's Cube has no time");
    assert_eq!(read_error("<Cube time='28.03.2024'/>"), "\"28.03.2024\" is not a date in the form of this source");
    let tomorrow = "<Cube time='2024-04-02'><Cube currency='USD' rate='1.08'/></Cube>";
    assert_eq!(read_error(tomorrow), "the prices are of 2024-04-02, which is in the future");
    for rate in ["", "-1.08", "NaN", "1e3", "1.08 "] {
        assert!(day(&format!("<Cube currency='USD' rate='{rate}'/>")).contains("not a number"), "{rate:?}");
    }
}

#[test]
fn a_truncated_file_is_rejected_or_complete() {
    let whole = read_file(NOW, &Ecb::default(), DAILY).unwrap().observations;
    for length in 0..DAILY.len() {
        if let Ok(prices) = read_file(NOW, &Ecb::default(), &DAILY[..length]) {
            // Only what comes after the last element may be missing.
            assert_eq!(prices.observations, whole, "cut at {length}");
        }
    }
}

#[tokio::test]
async fn prices_are_fetched_with_one_request() {
    let server = FakeServer::start([FakeResponse::ok(DAILY)]).await;
    let result = fetch_prices(NOW, Ecb::at(server.origin()), &ASSETS).await.unwrap();
    assert_eq!(result.observations.len(), 2);
    assert_eq!(pair_price(&result, "EUR", "USD"), ("1.0811".into(), "1.0811".into(), "2024-03-28".into()));
    let [request] = server.received().try_into().unwrap();
    assert_eq!(request.line, "GET /stats/eurofxref/eurofxref-daily.xml");
    assert_eq!(Ecb::default().manifest().name, "ecb");
}

#[tokio::test]
async fn whatever_goes_wrong_gives_no_price() {
    assert_handles_bad_responses(NOW, Ecb::at, |_| Vec::new(), prices_call(&ASSETS), DAILY, "").await;
}

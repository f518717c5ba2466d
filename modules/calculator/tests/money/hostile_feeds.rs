//! Files that must be refused, each for the reason it names.

use agio_calculator::feeds::{FeedError, MAX_FILE_BYTES, binance, cbr, currency_api, ecb, parse};
use agio_calculator::model::observation::Observation;

use crate::feeds::{CBR, CRYPTO, ECB};
use crate::random::Dice;

fn ecb_error(days: &str) -> String {
    let file = format!(
        "<gesmes:Envelope xmlns:gesmes='http://www.gesmes.org/xml/2002-08-01' \
         xmlns='http://www.ecb.int/vocabulary/2002-08-01/eurofxref'><Cube>{days}</Cube>\
         </gesmes:Envelope>"
    );
    ecb::parse(file.as_bytes()).expect_err("the file is wrong").to_string()
}

fn cbr_error(valute: &str) -> String {
    let file = format!("<ValCurs Date='28.03.2024'>{valute}</ValCurs>");
    cbr::parse(file.as_bytes()).expect_err("the file is wrong").to_string()
}

#[test]
fn a_european_rate_with_a_decimal_comma_is_never_read_as_thousands() {
    let error = ecb_error("<Cube time='2026-03-13'><Cube currency='USD' rate='1,1476'/></Cube>");
    assert_eq!(error, "USD is \"1,1476\", not a number written with a decimal point");
}

#[test]
fn european_files_that_are_wrong_say_where() {
    let day = |cubes: &str| ecb_error(&format!("<Cube time='2024-03-28'>{cubes}</Cube>"));
    assert_eq!(day("<Cube currency='USD' rate='1.08'/><Cube currency='USD' rate='1.09'/>"), "USD is there twice");
    assert_eq!(day("<Cube currency='USD'/>"), "USD has no rate");
    assert_eq!(day("<Cube rate='1.08'/>"), "a Cube has no currency");
    assert_eq!(day("<Cube currency='usd' rate='1.08'/>"), "\"usd\" is not a currency code");
    assert_eq!(day("<Cube currency='USD' rate='0'/>"), "USD is \"0\", which is no price");
    assert_eq!(day(""), "the file holds no prices");
    assert_eq!(ecb_error(""), "the file holds no prices");
    assert_eq!(ecb_error("<Cube><Cube/></Cube>"), "a day's Cube has no time");
    assert_eq!(ecb_error("<Cube time='28.03.2024'/>"), "\"28.03.2024\" is not a date in the form of this source");
    for rate in ["", "-1.08", "+1.08", "1e3", "NaN", "1.08 ", ".5", "1.", "1.0.8", "\u{661}"] {
        let error = day(&format!("<Cube currency='USD' rate='{rate}'/>"));
        assert!(error.contains("not a number"), "{rate:?}: {error}");
    }
}

#[test]
fn a_russian_file_that_was_re_encoded_on_its_way_is_refused() {
    let re_encoded = "<?xml version=\"1.0\" encoding=\"windows-1251\"?>\
        <ValCurs Date=\"15.10.2024\" name=\"Foreign Currency Market\"><Valute ID=\"R01235\">\
        <NumCode>840</NumCode><CharCode>USD</CharCode><Nominal>1</Nominal>\
        <Name>Доллар США</Name><Value>95,9962</Value><VunitRate>95,9962</VunitRate>\
        </Valute></ValCurs>";
    assert_eq!(cbr::parse(re_encoded.as_bytes()), Err(FeedError::Reencoded));

    let honest = re_encoded.replace("windows-1251", "utf-8");
    let feed = cbr::parse(honest.as_bytes()).expect("UTF-8 that says so is read");
    assert_eq!(feed.observations[0].base, "USD");
}

#[test]
fn bytes_outside_the_declared_encoding_are_refused() {
    let unassigned = b"<?xml version='1.0' encoding='Windows-1251'?><ValCurs>\xc4\x98</ValCurs>";
    // Valid UTF-8 by chance, so it is the re-encoding that is named.
    assert_eq!(cbr::parse(unassigned), Err(FeedError::Reencoded));
    let unassigned = b"<?xml version='1.0' encoding='Windows-1251'?><ValCurs>\x98\xc4</ValCurs>";
    let declared = "windows-1251";
    assert_eq!(cbr::parse(unassigned), Err(FeedError::Bytes { declared, at: 54 }));
    let declared = "utf-8";
    assert_eq!(cbr::parse(b"<ValCurs>\xc4</ValCurs>"), Err(FeedError::Bytes { declared, at: 9 }));
    let koi8 = b"<?xml version=\"1.0\" encoding=\"KOI8-R\"?><ValCurs/>";
    assert_eq!(cbr::parse(koi8), Err(FeedError::Encoding("koi8-r".to_owned())));
}

#[test]
fn russian_rates_that_are_wrong_say_where() {
    let valute = |nominal: &str, rest: &str| {
        cbr_error(&format!("<Valute ID='R01820'><CharCode>JPY</CharCode><Nominal>{nominal}</Nominal>{rest}</Valute>"))
    };
    assert_eq!(valute("100", "<Value>61.0161</Value>"), "JPY is \"61.0161\", not a number written with a decimal comma");
    assert_eq!(
        valute("100", "<Value>61,0161</Value><VunitRate>6,10161</VunitRate>"),
        "JPY: 61.0161 for 100 is not 6.10161 for one"
    );
    assert_eq!(valute("100", ""), "JPY has no Value");
    for nominal in ["0", "7", "-10", "1e2", "11", "", "10000000000000000000000"] {
        let error = valute(nominal, "<Value>61,0161</Value>");
        assert!(error.contains("the nominal of JPY"), "{nominal:?}: {error}");
    }
    assert_eq!(cbr_error("<Valute ID='R01820'/>"), "R01820 has no CharCode");
    assert_eq!(cbr_error(""), "the file holds no prices");
    let twice = "<Valute><CharCode>JPY</CharCode><Nominal>1</Nominal><Value>1</Value></Valute>";
    assert_eq!(cbr_error(&twice.repeat(2)), "JPY is there twice");
}

#[test]
fn broken_and_malicious_xml_is_refused() {
    let files = [
        "<ValCurs Date='28.03.2024'><Valute>",
        "<ValCurs Date='28.03.2024'></Valute>",
        "<ValCurs Date='28.03.2024' Date='29.03.2024'/>",
        "<!DOCTYPE lolz [<!ENTITY lol 'lol'>]><ValCurs Date='28.03.2024'>&lol;</ValCurs>",
        "<ValCurs Date='28.03.2024'>&lol;</ValCurs>",
        "",
        "no xml at all",
    ];
    for file in files {
        let error = cbr::parse(file.as_bytes()).expect_err("the file is wrong");
        assert!(matches!(error, FeedError::Xml { .. }), "{file:?}: {error}");
    }
    let deep = "<a>".repeat(100_000);
    let error = cbr::parse(deep.as_bytes()).expect_err("the file is wrong").to_string();
    assert!(error.contains("nested too deep"), "{error}");
}

#[test]
fn every_cut_of_a_file_is_refused_or_read_never_worse() {
    for file in [ECB, CBR, CRYPTO] {
        let whole = parse(file, 0).expect("a published file").observations;
        for length in 0..file.len() {
            if let Ok(feed) = parse(&file[..length], 0) {
                // Only what comes after the last element may be missing.
                assert_eq!(feed.observations, whole, "cut at {length}");
            }
        }
    }
}

fn binance_error(file: &str) -> String {
    let error = binance::parse(file.as_bytes(), 0, &binance::KNOWN_ASSETS);
    error.expect_err("the file is wrong").to_string()
}

#[test]
fn a_bid_above_the_ask_is_refused() {
    assert_eq!(
        binance_error(r#"{"symbol":"BTCUSDT","bidPrice":"10188.00","askPrice":"10187.00"}"#),
        "BTCUSDT: the bid 10188.00 is above the ask 10187.00"
    );
}

#[test]
fn binance_replies_that_are_wrong_say_where() {
    let dead = r#"[{"symbol":"BTCUSDT","bidPrice":"0.00000000","askPrice":"0.00000000"}]"#;
    assert_eq!(binance_error(dead), "the file holds no prices");
    let unknown = r#"[{"symbol":"FOOBAR","bidPrice":"1","askPrice":"1"}]"#;
    assert_eq!(binance_error(unknown), "the file holds no prices");
    let number = r#"[{"symbol":"BTCUSDT","bidPrice":10188.1,"askPrice":"10189"}]"#;
    assert!(binance_error(number).starts_with("the JSON is not as expected"));
    let comma = r#"[{"symbol":"BTCUSDT","bidPrice":"10,188","askPrice":"10189"}]"#;
    assert!(binance_error(comma).contains("not a number written with a decimal point"));
    let one = r#"{"symbol":"BTCUSDT","bidPrice":"1","askPrice":"1"}"#;
    assert_eq!(binance_error(&format!("[{one},{one}]")), "BTCUSDT is there twice");
    assert!(binance_error("[").starts_with("the JSON is not as expected"));
    assert!(binance_error(r#"{"code":0,"msg":"unavailable"}"#).contains("missing field"));
}

fn currency_api_error(file: &str) -> String {
    currency_api::parse(file.as_bytes()).expect_err("the file is wrong").to_string()
}

#[test]
fn currency_api_files_that_are_wrong_say_where() {
    let rates = |rates: &str| currency_api_error(&format!(r#"{{"date":"2024-03-28","usd":{{{rates}}}}}"#));
    assert_eq!(rates(r#""eur":0.92,"eur":0.93"#), "eur is there twice");
    assert!(rates(r#""eur":"0.92""#).contains("not a number"));
    assert!(rates(r#""eur":null"#).contains("not a number"));
    assert_eq!(rates(r#""eur":0,"gbp":0.00"#), "the file holds no prices");
    assert_eq!(rates(r#""eur":-0.92"#), "eur is \"-0.92\", which is no price");
    assert_eq!(rates(r#""eur":1e999"#), "eur is \"1e999\", which is no price");
    assert_eq!(rates(""), "the file holds no prices");
    assert_eq!(currency_api_error(r#"{"date":"2024-03-28"}"#), "the file has no base");
    assert_eq!(currency_api_error(r#"{"usd":{"eur":0.92}}"#), "the file has no date");
    assert_eq!(
        currency_api_error(r#"{"date":"28.03.2024","usd":{"eur":0.92}}"#),
        "\"28.03.2024\" is not a date in the form of this source"
    );
    let two = r#"{"date":"2024-03-28","usd":{"eur":0.92},"gbp":{"eur":1.1}}"#;
    assert!(currency_api_error(two).contains("unexpected field"));
    assert!(currency_api_error("{} x").starts_with("the JSON is not as expected"));
}

#[test]
fn json_numbers_with_an_exponent_keep_their_digits() {
    let file = br#"{"date":"2024-03-28","usd":{"btc":1.4374e-05,"shib":3.24080702452E4}}"#;
    let feed = currency_api::parse(file).expect("the file is right");
    assert_eq!(feed.observations[0].bid.to_string(), "0.000014374");
    assert_eq!(feed.observations[1].bid.to_string(), "32408.0702452");
}

#[test]
fn a_file_without_end_is_refused_unread() {
    let endless = vec![b' '; MAX_FILE_BYTES + 1];
    for parsed in [ecb::parse(&endless), cbr::parse(&endless), currency_api::parse(&endless)] {
        assert_eq!(parsed, Err(FeedError::TooLong));
    }
    let parsed = binance::parse(&endless, 0, &binance::KNOWN_ASSETS);
    assert_eq!(parsed, Err(FeedError::TooLong));
    assert_eq!(parse(b"something else", 0), Err(FeedError::UnknownFormat));
}

#[test]
fn a_changed_byte_is_refused_or_gives_prices_never_worse() {
    let mut dice = Dice::new(9);
    for file in [ECB, CBR, CRYPTO] {
        for _ in 0..2000 {
            let mut bytes = file.to_vec();
            let place = dice.below(file.len() as u64) as usize;
            bytes[place] = dice.below(256) as u8;
            let Ok(feed) = parse(&bytes, 0) else {
                continue;
            };
            let sane = |known: &Observation| !known.bid.is_zero() && known.bid <= known.ask;
            assert!(feed.observations.iter().all(sane), "byte {place}");
        }
    }
}

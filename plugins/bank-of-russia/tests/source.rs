//! The Bank of Russia: reads files it published and fetches over the network.

use agio_plugin_bank_of_russia::BankOfRussia;
use agio_plugin_sdk::Plugin as _;
use agio_plugin_test::{
    FakeResponse, FakeServer, assert_handles_bad_responses, fetch_prices, pair_price, prices_call, read_file,
};

const NOW: &str = "2024-03-27T18:00:00Z";
const ASSETS: [&str; 3] = ["RUB", "USD", "KZT"];

const DAILY: &[u8] = include_bytes!("fixtures/cbr-2024-03-28.xml");
const WITHOUT_UNIT_RATE: &[u8] = include_bytes!("fixtures/cbr-2022-03-15.xml");

fn read_error(file: impl AsRef<[u8]>) -> String {
    let (code, why) = read_file(NOW, &BankOfRussia::default(), file.as_ref()).expect_err("the file is wrong");
    assert_eq!(code, "unreadable");
    why
}

fn valute(text: &str) -> String {
    read_error(format!("<ValCurs Date='28.03.2024'>{text}</ValCurs>"))
}

#[test]
fn rates_are_for_one_unit() {
    let bank = BankOfRussia::default();
    let result = read_file(NOW, &bank, DAILY).unwrap();
    assert_eq!(result.observations.len(), 43);
    assert_eq!(pair_price(&result, "USD", "RUB"), ("92.5919".into(), "92.5919".into(), "2024-03-28".into()));
    // 20,5728 for 100 and 73,5440 for 10000.
    assert_eq!(pair_price(&result, "KZT", "RUB").0, "0.205728");
    assert_eq!(pair_price(&result, "UZS", "RUB").0, "0.0073544");

    let older = read_file(NOW, &bank, WITHOUT_UNIT_RATE).unwrap();
    assert_eq!(older.observations.len(), 34);
    assert_eq!(pair_price(&older, "USD", "RUB").0, "115.1963");
    assert_eq!(pair_price(&older, "JPY", "RUB").0, "0.994486");
}

#[test]
fn a_reencoded_file_is_rejected() {
    let re_encoded = "<?xml version=\"1.0\" encoding=\"windows-1251\"?>\
        <ValCurs Date=\"28.03.2024\" name=\"Foreign Currency Market\"><Valute ID=\"R01235\">\
        <NumCode>840</NumCode><CharCode>USD</CharCode><Nominal>1</Nominal>\
        <Name>Доллар США</Name><Value>95,9962</Value><VunitRate>95,9962</VunitRate></Valute></ValCurs>";
    assert_eq!(read_error(re_encoded), "the file declares windows-1251 but is UTF-8: something on the way re-encoded it");
    let honest = re_encoded.replace("windows-1251", "utf-8");
    let result = read_file(NOW, &BankOfRussia::default(), honest.as_bytes()).expect("UTF-8 that says so is read");
    assert_eq!(pair_price(&result, "USD", "RUB").0, "95.9962");
}

#[test]
fn bytes_outside_the_declared_encoding_are_rejected() {
    let unassigned = b"<?xml version='1.0' encoding='Windows-1251'?><ValCurs>\x98\xc4</ValCurs>";
    assert_eq!(read_error(unassigned), "byte 54 is not windows-1251");
    assert_eq!(read_error(b"<ValCurs>\xc4</ValCurs>"), "byte 9 is not utf-8");
    let koi8 = "<?xml version=\"1.0\" encoding=\"KOI8-R\"?><ValCurs/>";
    assert_eq!(read_error(koi8), "the file declares the encoding \"koi8-r\"; utf-8 and windows-1251 are read");
}

#[test]
fn what_is_wrong_is_named() {
    let yen = |nominal: &str, rest: &str| {
        valute(&format!("<Valute ID='R01820'><CharCode>JPY</CharCode><Nominal>{nominal}</Nominal>{rest}</Valute>"))
    };
    assert_eq!(yen("100", "<Value>61.0161</Value>"), "JPY is \"61.0161\", not a number written with a decimal comma");
    assert_eq!(yen("100", "<Value>61,0161</Value><VunitRate>6,10161</VunitRate>"), "JPY: 61.0161 for 100 is not 6.10161 for one");
    assert_eq!(yen("100", ""), "JPY has no Value");
    for nominal in ["0", "7", "-10", "1e2", "11", "", "10000000000000000000000"] {
        assert!(yen(nominal, "<Value>61,0161</Value>").contains("the nominal of JPY"), "{nominal:?}");
    }
    for value in ["0", "0,00", "-61,0161", "NaN", ""] {
        assert!(yen("100", &format!("<Value>{value}</Value>")).starts_with("JPY is "), "{value:?}");
    }
    assert_eq!(valute("<Valute ID='R01820'/>"), "R01820 has no CharCode");
    assert_eq!(valute(""), "the file holds no prices");
    let twice = "<Valute><CharCode>JPY</CharCode><Nominal>1</Nominal><Value>1</Value></Valute>";
    assert_eq!(valute(&twice.repeat(2)), "JPY is there twice");
    assert_eq!(read_error("<ValCurs/>"), "ValCurs has no Date");
}

#[test]
fn broken_and_malicious_xml_is_rejected() {
    for file in [
        "<ValCurs Date='28.03.2024'><Valute>",
        "<ValCurs Date='28.03.2024'></Valute>",
        "<ValCurs Date='28.03.2024' Date='29.03.2024'/>",
        "<!DOCTYPE lolz [<!ENTITY lol 'lol'>]><ValCurs Date='28.03.2024'>&lol;</ValCurs>",
        "<ValCurs Date='28.03.2024'>&lol;</ValCurs>",
    ] {
        assert!(read_error(file).starts_with("the XML is broken"), "{file:?}");
    }
    let deep = format!("<ValCurs>{}", "<a>".repeat(100_000));
    assert!(read_error(deep).contains("nested too deep"));
}

#[test]
fn files_of_others_are_not_its_own() {
    for other in ["", "<html/>", "{\"ValCurs\":1}", "<gesmes:Envelope/>"] {
        assert_eq!(read_file(NOW, &BankOfRussia::default(), other.as_bytes()).unwrap_err().0, "not_mine", "{other:?}");
    }
}

#[tokio::test]
async fn prices_are_fetched_with_one_request() {
    let server = FakeServer::start([FakeResponse::ok(DAILY)]).await;
    let result = fetch_prices(NOW, BankOfRussia::at(server.origin()), &ASSETS).await.unwrap();
    assert_eq!(result.observations.len(), 2);
    assert_eq!(server.received()[0].line, "GET /scripts/XML_daily.asp");
    assert_eq!(BankOfRussia::default().manifest().name, "cbr");
}

#[tokio::test]
async fn whatever_goes_wrong_gives_no_price() {
    assert_handles_bad_responses(NOW, BankOfRussia::at, |_| Vec::new(), prices_call(&ASSETS), DAILY, "").await;
}

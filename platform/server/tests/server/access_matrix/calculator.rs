//! The public market.

use super::fixtures::Fixtures;
use super::row::{Call, Done, NoToken, Row, get, site};

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                                guest owner other inactive banned staff
    site("getQuoteKey",              [Done, Done, Done, Done, NoToken, NoToken]),
    site("listDirections",           [Done, Done, Done, Done, NoToken, NoToken]),
    site("listSendableCurrencies",   [Done, Done, Done, Done, NoToken, NoToken]),
    site("listReceivableCurrencies", [Done, Done, Done, Done, NoToken, NoToken]),
    site("getPair",                  [Done, Done, Done, Done, NoToken, NoToken]),
    site("getPairRate",              [Done, Done, Done, Done, NoToken, NoToken]),
    site("listRates",                [Done, Done, Done, Done, NoToken, NoToken]),
    site("listPairOpenings",         [Done, Done, Done, Done, NoToken, NoToken]),
    site("listAvailableReserves",    [Done, Done, Done, Done, NoToken, NoToken]),
    site("getSiteSettings",          [Done, Done, Done, Done, NoToken, NoToken]),
    site("getTechnicalModeStatus",   [Done, Done, Done, Done, NoToken, NoToken]),
];

pub fn call(fixtures: &Fixtures, name: &str) -> Option<Call> {
    let market = fixtures.app.server.calculator.market();
    let id = |code: &str| market.currency_named(code).expect("the demonstration has it").id();
    let (from, to) = (id("BTC"), id("SBERRUB"));
    Some(get(match name {
        "getQuoteKey" => "/.well-known/agio-quote-key.json".to_owned(),
        "listDirections" => "/api/v1/calculator/".to_owned(),
        "listSendableCurrencies" => "/api/v1/calculator/from/".to_owned(),
        "listReceivableCurrencies" => format!("/api/v1/calculator/from/{from}/"),
        "getPair" => format!("/api/v1/calculator/pair/{from}/{to}/"),
        "getPairRate" => format!("/api/v1/calculator/course/{from}/{to}/"),
        "listRates" => "/api/v1/calculator/rates/".to_owned(),
        "listPairOpenings" => "/api/v1/calculator/openings/".to_owned(),
        "listAvailableReserves" => "/api/v1/calculator/reserves/".to_owned(),
        "getSiteSettings" => "/api/v1/calculator/settings/?cur_from=BTC&cur_to=SBERRUB".to_owned(),
        "getTechnicalModeStatus" => "/api/v1/calculator/tech/".to_owned(),
        _ => return None,
    }))
}

//! What everybody sees of the market.

use super::table::{Call, Done, NoToken, Row, get, site};
use super::world::World;

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                            guest  owner  other  inactive banned   staff
    site("quoteKey",             [Done,  Done,  Done,  Done,    NoToken, NoToken]),
    site("calculatorDirections", [Done,  Done,  Done,  Done,    NoToken, NoToken]),
    site("calculatorSendable",   [Done,  Done,  Done,  Done,    NoToken, NoToken]),
    site("calculatorReceivable", [Done,  Done,  Done,  Done,    NoToken, NoToken]),
    site("calculatorPair",       [Done,  Done,  Done,  Done,    NoToken, NoToken]),
    site("calculatorCourse",     [Done,  Done,  Done,  Done,    NoToken, NoToken]),
    site("calculatorRates",      [Done,  Done,  Done,  Done,    NoToken, NoToken]),
    site("calculatorReserves",   [Done,  Done,  Done,  Done,    NoToken, NoToken]),
    site("calculatorSettings",   [Done,  Done,  Done,  Done,    NoToken, NoToken]),
    site("calculatorTech",       [Done,  Done,  Done,  Done,    NoToken, NoToken]),
];

pub fn call(world: &World, name: &str) -> Option<Call> {
    let market = world.house.app.calculator.market();
    let id = |code: &str| market.currency_named(code).expect("the demonstration has it").id();
    let (from, to) = (id("BTC"), id("SBERRUB"));
    Some(get(match name {
        "quoteKey" => "/.well-known/agio-quote-key.json".to_owned(),
        "calculatorDirections" => "/api/v1/calculator/".to_owned(),
        "calculatorSendable" => "/api/v1/calculator/from/".to_owned(),
        "calculatorReceivable" => format!("/api/v1/calculator/from/{from}/"),
        "calculatorPair" => format!("/api/v1/calculator/pair/{from}/{to}/"),
        "calculatorCourse" => format!("/api/v1/calculator/course/{from}/{to}/"),
        "calculatorRates" => "/api/v1/calculator/rates/".to_owned(),
        "calculatorReserves" => "/api/v1/calculator/reserves/".to_owned(),
        "calculatorSettings" => "/api/v1/calculator/settings/?cur_from=BTC&cur_to=SBERRUB".to_owned(),
        "calculatorTech" => "/api/v1/calculator/tech/".to_owned(),
        _ => return None,
    }))
}

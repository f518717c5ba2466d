//! Contests: what everybody sees of them, and what staff do.

use std::time::Duration;

use serde_json::{Value, json};

use super::table::Need::{May, MayFresh};
use super::table::{Call, Cell, Done, NoToken, Row, Told, desk, get, missing, post, put, site};
use super::world::{World, text};

const NONE: Cell = missing("contest_not_found");
/// The list of who takes part is fixed when the period is over.
const OPEN: Cell = Told(409, "contest_not_closed");

const DESK: &str = "/api/admin/v1/contests";
const HOUR: Duration = Duration::from_secs(60 * 60);

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                        guest  owner  other  inactive banned   staff
    site("contestOverview",  [Done,  Done,  Done,  Done,    NoToken, NoToken]),
    site("contestDraw",      [OPEN,  OPEN,  OPEN,  OPEN,    NoToken, NoToken]),
    site("contestDraw/off",  [NONE,  NONE,  NONE,  NONE,    NoToken, NoToken]),

    desk("listContests",       May("contest.read"),      Done),
    desk("listContestEntries", May("contest.read"),      Done),
    desk("planContest",        May("contest.edit"),      Done),
    desk("replanContest",      May("contest.edit"),      Done),
    desk("cancelContest",      MayFresh("contest.edit"), Done),
    desk("drawContest",        MayFresh("contest.edit"), OPEN),
    desk("payContestPrize",    MayFresh("contest.pay"),  missing("prize_not_found")),
];

pub async fn call(world: &World, name: &str) -> Option<Call> {
    Some(match name {
        "contestOverview" => get("/api/v1/contest/"),
        "contestDraw" => draw(world, true).await,
        "contestDraw/off" => draw(world, false).await,
        "listContests" => get(DESK),
        "listContestEntries" => get(format!("{DESK}/{}/entries", planned(world).await)),
        "planContest" => post(DESK, plan(world)),
        "replanContest" => put(format!("{DESK}/{}", planned(world).await), json!({ "revision": 1, "plan": plan(world) })),
        "cancelContest" => post(format!("{DESK}/{}/cancel", planned(world).await), json!({ "revision": 1 })),
        "drawContest" => {
            let drawing = json!({ "revision": 1, "value": "00000000000000000000c9b4", "reference": "Block 841564" });
            post(format!("{DESK}/{}/draw", planned(world).await), drawing)
        }
        "payContestPrize" => post(format!("{DESK}/{}/prizes/1/pay", planned(world).await), json!({ "note": "By card" })),
        _ => return None,
    })
}

/// What a draw follows from, while contests are shown or not.
async fn draw(world: &World, are_shown: bool) -> Call {
    world.owner().put("/api/admin/v1/settings", json!({ "site.contest": are_shown })).await.ok();
    get(format!("/api/v1/contest/{}/draw/", planned(world).await))
}

/// A contest whose period is to come.
async fn planned(world: &World) -> String {
    text(&world.owner().post(DESK, plan(world)).await.ok()["id"])
}

/// A contest of an hour in which there is no other.
fn plan(world: &World) -> Value {
    let first = 2 * world.number();
    let hour = |after: u32| world.house.now().plus(HOUR * (first + after)).to_string();
    json!({
        "title": { "ru": "Розыгрыш", "en": "Draw" },
        "rules": { "ru": "Каждый обмен — билет.", "en": "Each exchange is a ticket." },
        "source": { "ru": "Хеш первого блока Bitcoin после срока", "en": "Hash of the first Bitcoin block after the time" },
        "startsAt": hour(0), "endsAt": hour(1), "publicAt": hour(2), "perWorth": null, "mostWeight": 1,
        "prizes": [{ "currencyId": world.currency("USDTTRC20"), "amount": "500" }],
    })
}

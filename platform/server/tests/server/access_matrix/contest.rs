//! Contests on the site and in the console.

use std::time::Duration;

use serde_json::{Value, json};

use super::fixtures::{Fixtures, text};
use super::row::Access::{FreshPermission, Permission};
use super::row::{Call, Done, Expected, NoToken, Refused, Row, admin, get, not_found, post, put, site};

const NONE: Expected = not_found("contest_not_found");
/// The list of who takes part is fixed when the period is over.
const OPEN: Expected = Refused(409, "contest_not_closed");

const ADMIN: &str = "/api/admin/v1/contests";
const HOUR: Duration = Duration::from_secs(60 * 60);

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                          guest owner other inactive banned staff
    site("getContestOverview", [Done, Done, Done, Done, NoToken, NoToken]),
    site("getContestDraw",     [OPEN, OPEN, OPEN, OPEN, NoToken, NoToken]),
    site("getContestDraw/off", [NONE, NONE, NONE, NONE, NoToken, NoToken]),

    admin("listContests",       Permission("contest.read"),      Done),
    admin("listContestEntries", Permission("contest.read"),      Done),
    admin("createContest",      Permission("contest.edit"),      Done),
    admin("updateContest",      Permission("contest.edit"),      Done),
    admin("cancelContest",      FreshPermission("contest.edit"), Done),
    admin("drawContest",        FreshPermission("contest.edit"), OPEN),
    admin("payContestPrize",    FreshPermission("contest.pay"),  not_found("prize_not_found")),
];

pub async fn call(fixtures: &Fixtures, name: &str) -> Option<Call> {
    Some(match name {
        "getContestOverview" => get("/api/v1/contest/"),
        "getContestDraw" => draw(fixtures, true).await,
        "getContestDraw/off" => draw(fixtures, false).await,
        "listContests" => get(ADMIN),
        "listContestEntries" => get(format!("{ADMIN}/{}/entries", planned(fixtures).await)),
        "createContest" => post(ADMIN, plan(fixtures)),
        "updateContest" => put(format!("{ADMIN}/{}", planned(fixtures).await), json!({ "revision": 1, "plan": plan(fixtures) })),
        "cancelContest" => post(format!("{ADMIN}/{}/cancel", planned(fixtures).await), json!({ "revision": 1 })),
        "drawContest" => {
            let drawing = json!({ "revision": 1, "value": "00000000000000000000c9b4", "reference": "Block 841564" });
            post(format!("{ADMIN}/{}/draw", planned(fixtures).await), drawing)
        }
        "payContestPrize" => post(format!("{ADMIN}/{}/prizes/1/pay", planned(fixtures).await), json!({ "note": "By card" })),
        _ => return None,
    })
}

/// What a draw follows from, while contests are shown or not.
async fn draw(fixtures: &Fixtures, are_shown: bool) -> Call {
    fixtures.owner().put("/api/admin/v1/settings", json!({ "site.contest": are_shown })).await.ok();
    get(format!("/api/v1/contest/{}/draw/", planned(fixtures).await))
}

/// A contest whose period is to come.
async fn planned(fixtures: &Fixtures) -> String {
    text(&fixtures.owner().post(ADMIN, plan(fixtures)).await.ok()["id"])
}

/// A contest at a time without another one.
fn plan(fixtures: &Fixtures) -> Value {
    let first = 2 * fixtures.number();
    let hour = |after: u32| fixtures.app.now().plus(HOUR * (first + after)).to_string();
    json!({
        "title": { "ru": "Розыгрыш", "en": "Draw" },
        "rules": { "ru": "Каждый обмен — билет.", "en": "Each exchange is a ticket." },
        "source": { "ru": "Хеш первого блока Bitcoin после срока", "en": "Hash of the first Bitcoin block after the time" },
        "startsAt": hour(0), "endsAt": hour(1), "publicAt": hour(2), "volumePerTicket": null, "maxTickets": 1,
        "prizes": [{ "currencyId": fixtures.currency("USDTTRC20"), "amount": "500" }],
    })
}

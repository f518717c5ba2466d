//! Live sources, the rules of pairs, and how rates come about.

use serde_json::{Value, json};

use super::fixtures::Fixtures;
use super::row::Access::{FreshPermission, Permission};
use super::row::{Call, Done, Refused, Row, admin, get, not_found, post, post_empty, put};

const ADMIN: &str = "/api/admin/v1/rates";

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    admin("listRateSources",     Permission("rates.read"),         Done),
    admin("updateRateSource",    FreshPermission("rates.edit"),    not_found("rate_source_unknown")),
    admin("listPairSuspensions", Permission("rates.read"),         Done),
    admin("getPairRateDetails",  Permission("rates.read"),         Done),
    admin("updatePairRateRules", FreshPermission("rates.edit"),    Done),
    admin("updatePairsRateRules", FreshPermission("rates.edit"),   Done),
    admin("previewPairRateRules", Permission("rates.read"),        Done),
    admin("resumePair",          FreshPermission("rates.release"), Refused(409, "pair_not_stopped")),
    admin("getRateHistory",      Permission("rates.read"),         Done),
    admin("dryRunRateRules",     Permission("rates.read"),         Done),
    admin("explainClaimRate",    Permission("claims.read"),        Done),
];

pub async fn call(fixtures: &Fixtures, name: &str) -> Option<Call> {
    let rules = json!({ "jumpPercent": "5" });
    Some(match name {
        "listRateSources" => get(format!("{ADMIN}/sources")),
        "updateRateSource" => put(format!("{ADMIN}/sources/nobody"), source()),
        "listPairSuspensions" => get(format!("{ADMIN}/suspensions")),
        "getPairRateDetails" => get(format!("{ADMIN}/pairs/1")),
        "updatePairRateRules" => {
            let current = fixtures.owner().get(&format!("{ADMIN}/pairs/1")).await.ok();
            put(format!("{ADMIN}/pairs/1"), json!({ "revision": current["revision"], "rules": rules }))
        }
        "updatePairsRateRules" => {
            let update = json!({ "ids": [1, 2], "fields": ["jumpPercent"], "rules": rules });
            post(format!("{ADMIN}/pairs/bulk"), update)
        }
        "previewPairRateRules" => post(format!("{ADMIN}/pairs/1/preview"), json!({ "rules": rules })),
        "resumePair" => post_empty(format!("{ADMIN}/pairs/1/resume")),
        "getRateHistory" => get(format!("{ADMIN}/pairs/1/history")),
        "dryRunRateRules" => post(format!("{ADMIN}/dry-run"), json!({ "changes": [{ "pairId": 1, "rules": rules }] })),
        "explainClaimRate" => get(format!("{ADMIN}/claims/{}/explain", fixtures.claim)),
        _ => return None,
    })
}

/// A source as somebody sets it up.
fn source() -> Value {
    json!({ "revision": 0, "enabled": true, "everySeconds": 30, "maxAgeSeconds": 120, "priority": 1, "crossCheck": false })
}

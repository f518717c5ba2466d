//! Automatic payments, as staff set and settle them. The house of these tests has no plugins, so nothing is watched in it.

use serde_json::json;
use uuid::Uuid;

use super::table::Need::{May, MayFresh};
use super::table::{Call, Cell, Done, Row, Told, desk, get, missing, post, put};
use super::world::World;

const DESK: &str = "/api/admin/v1/payments";
const NO_TRY: Cell = missing("attempt_not_found");
const NO_MONEY: Cell = missing("movement_not_found");
const NO_CLAIM: Cell = missing("claim_not_found");
const NO_PLUGIN: Cell = Told(422, "validation_failed");

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    desk("getPayments",           May("payments.read"),        Done),
    desk("setPaymentRoute",       MayFresh("payments.change"), NO_PLUGIN),
    desk("listPaymentAttempts",   May("payments.read"),        Done),
    desk("askPaymentAttempt",     May("claims.payments"),      NO_TRY),
    desk("retryPaymentAttempt",   MayFresh("claims.payments"), NO_TRY),
    desk("listPaymentMovements",  May("payments.read"),        Done),
    desk("attachPaymentMovement", MayFresh("claims.payments"), NO_MONEY),
    desk("settlePaymentMovement", May("claims.payments"),      NO_MONEY),
    desk("refundThroughDriver",   MayFresh("claims.refund"),   NO_CLAIM),
];

pub async fn call(world: &World, name: &str) -> Option<Call> {
    let btc = world.currency("BTC");
    let route = json!({ "revision": 0, "driver": "bitcoin-core", "enabled": true, "confirmations": 2 });
    Some(match name {
        "getPayments" => get(DESK),
        "setPaymentRoute" => put(format!("{DESK}/routes/{btc}"), route),
        "listPaymentAttempts" => get(format!("{DESK}/attempts")),
        "askPaymentAttempt" => post(format!("{DESK}/attempts/none/ask"), json!({})),
        "retryPaymentAttempt" => post(format!("{DESK}/attempts/none/retry"), json!({ "note": "once more" })),
        "listPaymentMovements" => get(format!("{DESK}/movements")),
        "attachPaymentMovement" => post(format!("{DESK}/movements/0/attach"), json!({ "claim": 100_001 })),
        "settlePaymentMovement" => post(format!("{DESK}/movements/0/settle"), json!({})),
        "refundThroughDriver" => post(format!("{DESK}/claims/{}/refund", Uuid::nil()), json!({})),
        _ => return None,
    })
}

//! Automatic payments in the console. There are no plugins, so no payments are watched.

use serde_json::json;
use uuid::Uuid;

use super::fixtures::Fixtures;
use super::row::Access::{FreshPermission, Permission};
use super::row::{Call, Done, Expected, Refused, Row, admin, get, not_found, post, put};

const ADMIN: &str = "/api/admin/v1/payments";
const NO_TRY: Expected = not_found("attempt_not_found");
const NO_MONEY: Expected = not_found("movement_not_found");
const NO_CLAIM: Expected = not_found("claim_not_found");
const NO_PLUGIN: Expected = Refused(422, "validation_failed");

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    admin("listPaymentRoutes",      Permission("payments.read"),        Done),
    admin("setPaymentRoute",        FreshPermission("payments.change"), NO_PLUGIN),
    admin("closePayouts",           Permission("payments.change"),      Done),
    admin("openPayouts",            FreshPermission("payments.change"), Done),
    admin("listPaymentAttempts",    Permission("payments.read"),        Done),
    admin("checkPaymentAttempt",    Permission("claims.payments"),      NO_TRY),
    admin("retryPaymentAttempt",    FreshPermission("claims.payments"), NO_TRY),
    admin("listPaymentMovements",   Permission("payments.read"),        Done),
    admin("attachPaymentMovement",  FreshPermission("claims.payments"), NO_MONEY),
    admin("resolvePaymentMovement", Permission("claims.payments"),      NO_MONEY),
    admin("sendClaimRefund",        FreshPermission("claims.refund"),   NO_CLAIM),
];

pub async fn call(fixtures: &Fixtures, name: &str) -> Option<Call> {
    let btc = fixtures.currency("BTC");
    let route = json!({ "revision": 0, "driver": "bitcoin-core", "enabled": true, "confirmations": 2 });
    Some(match name {
        "listPaymentRoutes" => get(ADMIN),
        "setPaymentRoute" => put(format!("{ADMIN}/routes/{btc}"), route),
        "closePayouts" => post(format!("{ADMIN}/payouts/close"), json!({})),
        "openPayouts" => post(format!("{ADMIN}/payouts/open"), json!({})),
        "listPaymentAttempts" => get(format!("{ADMIN}/attempts")),
        "checkPaymentAttempt" => post(format!("{ADMIN}/attempts/none/check"), json!({})),
        "retryPaymentAttempt" => post(format!("{ADMIN}/attempts/none/retry"), json!({ "note": "once more" })),
        "listPaymentMovements" => get(format!("{ADMIN}/movements")),
        "attachPaymentMovement" => post(format!("{ADMIN}/movements/0/attach"), json!({ "claim": 100_001 })),
        "resolvePaymentMovement" => post(format!("{ADMIN}/movements/0/resolve"), json!({})),
        "sendClaimRefund" => post(format!("{ADMIN}/claims/{}/refund", Uuid::nil()), json!({})),
        _ => return None,
    })
}

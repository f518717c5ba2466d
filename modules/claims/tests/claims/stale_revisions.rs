//! What was decided on a claim as it was is not done to the claim that it has become.

use agio_test_app::{Engine, TestApp};

use crate::amounts::mismatched;
use crate::disputes::accepted;
use crate::fixtures::Operator;

/// An operator and the customer act at one moment, and the operator is first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_offer_for_a_claim_that_changed_meanwhile_is_not_accepted() {
    let app = TestApp::start(Engine::Postgres).await;
    let operator = Operator::at(&app).await;
    let customer = mismatched(&app, &operator, "0.01", "0.008").await;
    let offer = customer.look("status").await.ok()["offer"].clone();
    let waits = async |count: i64| {
        while app.database().count_lock_waiters().await < count {
            tokio::task::yield_now().await;
        }
    };
    let held = app.database().hold_lock(&format!("SELECT 1 FROM claim WHERE id = '{}' FOR UPDATE", customer.id)).await;
    let (console, lock) = (operator.0.clone(), format!("/api/admin/v1/claims/{}/lock", customer.id));
    let taking = tokio::spawn(async move { console.post_empty(&lock).await });
    waits(1).await;
    let (caller, path, body) = (customer.caller.clone(), customer.path("accept"), accepted(&offer));
    let accepting = tokio::spawn(async move { caller.post(&path, body).await });
    waits(2).await;
    held.release().await;
    taking.await.unwrap().ok();
    accepting.await.unwrap().refused(409, "claim_changed");
    assert_eq!(customer.status().await, "amount_mismatch");
    customer.says("accept", accepted(&offer)).await.ok();
    app.assert_ledger_is_clean().await;
}

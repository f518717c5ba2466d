//! The network fee of a claim is the one that was agreed on.

use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::json;

use crate::fixtures::{Operator, TestCustomer, pair, units};
use crate::limits::changes_pair;

async fn the_agreed_network_fee_outlives_a_change(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (operator, owner) = (Operator::at(&app).await, app.owner().await);
    let received = |send: &str| units(&json!(pair(&app, "BTC", "SBERRUB", send).receive), 2);
    let path = format!("/api/admin/v1/currencies/{}", pair(&app, "BTC", "SBERRUB", "0.01").to);
    let without_fee = (received("0.01"), received("0.011"));
    owner.patch(&path, json!({ "networkFee": "150.5" })).await.ok();
    changes_pair(&app, json!({ "networkFeePayer": "customer" })).await;

    let customer = TestCustomer::orders(&app, "0.01").await;
    let form = customer.look("form").await.ok();
    assert_eq!(form["fees"]["network"], json!({ "payer": "customer", "amount": "150.5" }));
    assert_eq!(units(&form["to"]["amount"], 2), without_fee.0 - 15_050);

    owner.patch(&path, json!({ "networkFee": "900" })).await.ok();
    changes_pair(&app, json!({ "networkFeePayer": "exchange" })).await;
    assert_eq!(received("0.01"), without_fee.0, "new claims are free of it");
    assert_eq!(customer.look("form").await.ok()["fees"], form["fees"]);

    customer.does("confirm").await.ok();
    operator.does(&customer.id, "payment_seen", json!({ "txId": "in" })).await;
    operator.does(&customer.id, "amount_mismatch", json!({ "amount": "0.011" })).await;
    let preview = operator.0.get(&format!("/api/admin/v1/claims/{}/recalculation", customer.id)).await.ok();
    assert_eq!((&preview["basis"], &preview["fees"]), (&json!("agreed"), &form["fees"]));
    assert_eq!(units(&preview["receive"], 2), without_fee.1 - 15_050, "once, also of another amount");
    let terms = json!({ "terms": { "came": preview["came"], "receive": preview["receive"] } });
    operator.does(&customer.id, "recalculate", terms).await;
    operator.pays_out(&customer.id).await;
    app.assert_ledger_is_clean().await;
}

both_engines!(the_agreed_network_fee_outlives_a_change);

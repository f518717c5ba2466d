//! An unreadable stored percentage is an error, not zero.

use agio_claims::model::Action;
use agio_core::execute;
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::json;

use crate::commission::gives;
use crate::fixtures::{Partner, WAY, app, operator_does, operator_tries};
use crate::wallet::Wallet;

both_engines!(a_claim_with_an_unreadable_percentage_is_not_completed, an_unreadable_percentage_is_an_error_for_wallets);

async fn damage(app: &TestApp, sql: &'static str) {
    app.server.platform.db.write(move |tx| Box::pin(async move { execute!(tx, sql) })).await.unwrap();
    app.server.partners.load().await.unwrap();
}

async fn a_claim_with_an_unreadable_percentage_is_not_completed(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    gives(&app, &partner, "amount", "0.5").await;
    let claim = partner.claim("0.015", "order-1").await["id"].as_str().unwrap().to_owned();
    partner.post_empty(&format!("/api/partner/v1/claims/{claim}/paid/")).await.ok();
    let [before @ .., last] = WAY;
    for action in before {
        operator_does(&app, &claim, action).await;
    }
    assert_eq!(last, Action::Complete);
    damage(&app, "UPDATE partner SET commission_percent = 'much'").await;
    assert_eq!(operator_tries(&app, &claim, last).await.unwrap_err().code(), "internal");
    app.assert_ledger_is_clean().await;
    damage(&app, "UPDATE partner SET commission_percent = '0.5'").await;
    operator_does(&app, &claim, last).await;
    app.assert_ledger_is_clean().await;
}

async fn an_unreadable_percentage_is_an_error_for_wallets(engine: Engine) {
    let app = app(engine).await;
    let mut wallet = Wallet::of(&app).await;
    gives(&app, &wallet.partner, "amount", "0.5").await;
    let request = json!({ "from": "BTC", "to": "SBERRUB", "fromNetwork": "BTC", "toNetwork": null, "fromAmount": 0.015 });
    wallet.estimate(request.clone()).await.ok();
    damage(&app, "UPDATE partner SET commission_percent = 'much'").await;
    assert_eq!(wallet.estimate(request).await.status, 500);
}

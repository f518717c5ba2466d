//! A percent that is stored and cannot be read is no percent of nothing.

use agio_claims::model::Action;
use agio_core::execute;
use agio_testkit::{Engine, House, both_engines};
use serde_json::json;

use crate::commission::gives;
use crate::people::{Partner, WAY, house, operator_does, operator_tries};
use crate::wallet::Wallet;

both_engines!(a_claim_is_not_completed_past_its_partners_share, a_wallet_is_told_no_share_that_cannot_be_read);

async fn damage(house: &House, sql: &'static str) {
    house.app.platform.db.write(move |tx| Box::pin(async move { execute!(tx, sql) })).await.unwrap();
    house.app.partners.load().await.unwrap();
}

async fn a_claim_is_not_completed_past_its_partners_share(engine: Engine) {
    let house = house(engine).await;
    let partner = Partner::of(&house, "").await;
    gives(&house, &partner, "amount", "0.5").await;
    let claim = partner.claim("0.015", "order-1").await["id"].as_str().unwrap().to_owned();
    partner.post_empty(&format!("/api/partner/v1/claims/{claim}/paid/")).await.ok();
    let [before @ .., last] = WAY;
    for action in before {
        operator_does(&house, &claim, action).await;
    }
    assert_eq!(last, Action::Complete);
    damage(&house, "UPDATE partner SET commission_percent = 'much'").await;
    assert_eq!(operator_tries(&house, &claim, last).await.unwrap_err().code(), "internal");
    house.books_are_clean().await;
    damage(&house, "UPDATE partner SET commission_percent = '0.5'").await;
    operator_does(&house, &claim, last).await;
    house.books_are_clean().await;
}

async fn a_wallet_is_told_no_share_that_cannot_be_read(engine: Engine) {
    let house = house(engine).await;
    let mut wallet = Wallet::of(&house).await;
    gives(&house, &wallet.partner, "amount", "0.5").await;
    let wish = json!({ "from": "BTC", "to": "SBERRUB", "fromNetwork": "BTC", "toNetwork": null, "fromAmount": 0.015 });
    wallet.estimates(wish.clone()).await.ok();
    damage(&house, "UPDATE partner SET commission_percent = 'much'").await;
    assert_eq!(wallet.estimates(wish).await.status, 500);
}

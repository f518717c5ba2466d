//! Personal data of old claims are masked after the settings' term.

use std::time::Duration;

use agio_core::{execute, fetch_all, fetch_one};
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::json;
use uuid::Uuid;

use crate::fixtures::{CARD, Operator, TestCustomer};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const EMAIL: &str = "ivan.petrov@example.com";

/// Whether staff find the claim by a text.
async fn is_found(app: &TestApp, text: &str) -> bool {
    let found = app.operator().await.get(&format!("/api/admin/v1/claims?q={text}")).await.ok();
    !found["items"].as_array().unwrap().is_empty()
}

async fn a_claim_that_ended_long_ago_keeps_no_personal_data(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.personal_data_days": 1000 })).await.ok();
    let (ended, open) = (TestCustomer::orders_as(&app, "0.01", EMAIL).await, TestCustomer::orders(&app, "0.01").await);
    // The deadline would end it.
    open.does("confirm").await.ok();
    open.does("paid").await.ok();
    let hold = json!({ "reason": "aml_check", "answerBy": "2040-01-01T00:00:00Z" });
    Operator::at(&app).await.tries(&open.id, "hold", hold).await.ok();
    ended.does("cancel").await.ok();
    assert!(is_found(&app, CARD).await && is_found(&app, EMAIL).await);
    let before = Operator::at(&app).await.sees(&ended.id).await;

    app.advance_and_run_jobs(999 * DAY).await;
    assert_eq!(Operator::at(&app).await.sees(&ended.id).await["email"], EMAIL);
    app.advance_and_run_jobs(2 * DAY).await;
    let after = Operator::at(&app).await.sees(&ended.id).await;
    assert_eq!(after["email"], "i••••@example.com");
    assert!(before.to_string().contains(CARD) && !after.to_string().contains(CARD) && !after.to_string().contains(EMAIL));
    assert!(after.to_string().contains("2200 •••• 0004"), "{after}");
    for kept in ["status", "timeline", "ledger", "revision", "publicId"] {
        assert_eq!((&after[kept], after[kept].is_null()), (&before[kept], false), "{kept}");
    }
    assert!(!is_found(&app, EMAIL).await);
    // By its card another claim is found.
    let digests = "SELECT COUNT(*), COUNT(receive_digest) FROM claim WHERE masked_at IS NOT NULL";
    let counts = fetch_one!(&mut app.server.platform.db.read().await.unwrap(), (i64, i64), digests).unwrap();
    assert_eq!(counts, (1, 0));
    let untouched = Operator::at(&app).await.sees(&open.id).await;
    assert!(untouched.to_string().contains(CARD), "an open claim needs them");
    app.assert_ledger_is_clean().await;
}

/// A verification of the claim, a commission for it, one that was reversed before, and a use of a promo code.
const RECORDS: [&str; 6] = [
    "INSERT INTO verification (id, kind, state, cause, claim_id, email, locale, guest_digest, round, revision, created_at, updated_at)
        VALUES ($1, 'card', 'accepted', 'rule', $1, $2, 'en', '', 1, 1, 0, 0)",
    "INSERT INTO referral_referrer (customer_id, code, email, created_at) VALUES ($1, 'CODE', 'referrer@example.com', 0)",
    "INSERT INTO referral_commission (id, referrer_id, claim_id, claim_number, email, state, flags, plan_id, terms, kind, percent,
            of_currency, of_units, of_scale, volume, is_counted, scale, units, available_at, day, created_at, updated_at)
        SELECT $1, customer_id, $1, 1, $2, 'none', '', $1, 1, 'amount', '1', 1, 1, 8, 0, FALSE, 8, 0, 0, 0, 0, 0
        FROM referral_referrer",
    "INSERT INTO referral_commission (id, referrer_id, claim_id, claim_number, email, state, flags, plan_id, terms, kind, percent,
            of_currency, of_units, of_scale, volume, is_counted, scale, units, available_at, day, created_at, updated_at)
        SELECT $1, referrer_id, claim_id, 1, $2, 'reversed', '', $1, 1, 'amount', '1', 1, 1, 8, 0, FALSE, 8, 0, 0, 0, 0, 0
        FROM referral_commission",
    "INSERT INTO promo_code (code, percent_bps, uses, starts_at, note, created_at, created_by, created_name)
        VALUES ('SPRING', 50, 1, 0, '', 0, $1, 'Anna')",
    "INSERT INTO promo_use (claim_id, claim_number, code, email, mailbox, redeemed_at) VALUES ($1, 1, 'SPRING', $2, $2, 0)",
];

const ADDRESSES: &str = "SELECT email FROM verification WHERE claim_id = $1
    UNION ALL SELECT email FROM referral_commission WHERE claim_id = $1
    UNION ALL SELECT email FROM promo_use WHERE claim_id = $1
    UNION ALL SELECT mailbox FROM promo_use WHERE claim_id = $1";

async fn what_is_stored_of_a_claim_is_masked_with_it(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.personal_data_days": 1000 })).await.ok();
    let ended = TestCustomer::orders_as(&app, "0.01", EMAIL).await;
    ended.does("cancel").await.ok();
    let (db, claim) = (&app.server.platform.db, ended.id.parse::<Uuid>().unwrap());
    for (position, record) in RECORDS.into_iter().enumerate() {
        let id = if position == 3 { Uuid::now_v7() } else { claim };
        db.write(move |tx| {
            Box::pin(async move {
                match position {
                    1 | 4 => execute!(tx, record, id),
                    _ => execute!(tx, record, id, EMAIL),
                }
            })
        })
        .await
        .unwrap();
    }
    app.advance_and_run_jobs(999 * DAY).await;
    let kept = fetch_all!(&mut db.read().await.unwrap(), (String,), ADDRESSES, claim).unwrap();
    assert_eq!(kept, vec![(EMAIL.to_owned(),); 5]);
    app.advance_and_run_jobs(2 * DAY).await;
    let masked = fetch_all!(&mut db.read().await.unwrap(), (String,), ADDRESSES, claim).unwrap();
    assert_eq!(masked, vec![("i••••@example.com".to_owned(),); 5]);
}

async fn zero_days_keep_everything(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.personal_data_days": 0 })).await.ok();
    let ended = TestCustomer::orders_as(&app, "0.01", EMAIL).await;
    ended.does("cancel").await.ok();
    app.advance_and_run_jobs(10_000 * DAY).await;
    assert_eq!(Operator::at(&app).await.sees(&ended.id).await["email"], EMAIL);
}

both_engines!(
    a_claim_that_ended_long_ago_keeps_no_personal_data,
    what_is_stored_of_a_claim_is_masked_with_it,
    zero_days_keep_everything
);

//! Withdrawals.

use std::time::Duration;

use agio_test_app::{Engine, TestApp, TestCustomer, both_engines};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::fixtures::{
    Referrer, StaffConsole, TRON, exchange_with_code, id_of, number, order, pay_at_once, set_least_withdrawal,
};

const PATH: &str = "/api/v1/users/me/refferal/withdrawal/";

/// A referrer with the commission of one exchange.
pub async fn referrer_with_balance(app: &TestApp) -> (Referrer, StaffConsole, String) {
    pay_at_once(app).await;
    let ivan = Referrer::at(app, "ivan@example.com").await;
    let staff = StaffConsole::operator(app).await;
    staff.complete(&exchange_with_code(app, "olga@example.com", Some(&ivan.code)).await).await;
    app.advance_and_run_jobs(Duration::ZERO).await;
    let balance = ivan.overview().await["balance"].as_str().unwrap().to_owned();
    (ivan, staff, balance)
}

async fn one_of_a_thousand_full_withdrawals_succeeds(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, _, balance) = referrer_with_balance(&app).await;
    let mut all = JoinSet::new();
    // A session has a few passwords under way at once, as if each were wrong.
    for session in 0..10 {
        let mut browser = TestCustomer::new(&app, &ivan.customer.email);
        browser.sign_in().await.ok();
        let (caller, order) = (browser.caller.repeating_when_overloaded(), order(&app, &balance));
        all.spawn(async move {
            let mut taken = 0_u32;
            for number in 0..100 {
                let answer = caller.post_idempotent(PATH, &format!("withdrawal-{session}-{number}"), order.clone()).await;
                if answer.status.as_u16() == 201 {
                    taken += 1;
                } else {
                    answer.refused(409, "balance_too_low");
                }
            }
            taken
        });
    }
    let taken: u32 = all.join_all().await.into_iter().sum();
    assert_eq!(taken, 1);
    assert_eq!(ivan.overview().await["balance"], "0");
    let mine = ivan.customer.caller.get(PATH).await.ok();
    assert_eq!(
        (&mine["total"], &mine["items"][0]["amount"], &mine["items"][0]["status"]),
        (&json!(1), &json!(balance), &json!("requested"))
    );
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

/// A session alone, of a computer that was left open, takes nothing.
async fn a_withdrawal_needs_the_password(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, _, balance) = referrer_with_balance(&app).await;
    let mut bare = order(&app, "10");
    bare.as_object_mut().unwrap().remove("password");
    ivan.customer.caller.post(PATH, bare).await.refused(400, "malformed_body");
    let mut guess = order(&app, "10");
    guess["password"] = "guessed".into();
    let guessed = ivan.customer.caller.post(PATH, guess).await.refused(422, "validation_failed");
    assert_eq!(guessed["errors"]["password"][0]["code"], "wrong_password");
    assert_eq!(ivan.overview().await["balance"], json!(balance));
    app.assert_ledger_is_clean().await;
}

/// The owner of the mailbox takes the account back from somebody who knows the password.
async fn what_a_thief_asked_for_ends_as_the_account_is_taken_back(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, staff, balance) = referrer_with_balance(&app).await;
    let thief = &ivan.customer.caller;
    let saved = json!({ "currencyId": id_of(&app, "USDTTRC20"), "values": { "address": TRON } });
    thief.post("/api/v1/users/me/requisites/", saved).await.ok();
    let change = json!({ "email": "thief@example.net", "password": ivan.customer.password });
    thief.post("/api/v1/users/me/email/", change).await.ok();
    let link = TestCustomer::new(&app, "thief@example.net").token(&app, "email_change").await;
    thief.post(&format!("/api/v1/users/me/email/{link}/"), json!({})).await.ok();
    let requested = ivan.request_withdrawal(&app, "10").await.ok();
    let approved = ivan.request_withdrawal(&app, "10").await.ok();
    staff.process(&approved["id"], "approve", json!({})).await.ok();

    let undo = ivan.customer.token(&app, "email_changed").await;
    let undo = format!("/api/v1/users/email/{undo}/undo/");
    app.visitor().post(&undo, json!({ "password": "quite another horse" })).await.ok();
    assert_eq!(staff.withdrawal(&requested["id"]).await["status"], "refused");
    staff.process(&requested["id"], "approve", json!({})).await.refused(409, "referral_withdrawal_closed");
    // Staff may be paying it already.
    assert_eq!(staff.withdrawal(&approved["id"]).await["status"], "approved");

    let mut owner = TestCustomer::new(&app, "ivan@example.com");
    owner.password = "quite another horse".into();
    owner.sign_in().await.ok();
    let left = owner.caller.get("/api/v1/users/me/refferal/").await.ok();
    assert_eq!(number(&left["balance"]), balance.parse::<Decimal>().unwrap() - Decimal::from(10));
    assert_eq!(owner.caller.get("/api/v1/users/me/requisites/").await.ok()["items"], json!([]));
    let refusal = owner.newest_email(&app, "referral_withdrawal_refused").await;
    assert!(refusal.text.contains("После запроса владелец вернул себе аккаунт."), "{}", refusal.text);
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

async fn an_account_with_a_balance_is_not_deleted(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, staff, balance) = referrer_with_balance(&app).await;
    let delete = || async {
        let confirmation = json!({ "password": ivan.customer.password });
        ivan.customer.caller.post("/api/v1/users/me/delete/", confirmation).await
    };
    let left = delete().await.refused(409, "referral_balance_left");
    assert_eq!(left["params"], json!({ "amount": balance, "currency": "USDT" }));
    let half = ivan.request_withdrawal(&app, "10").await.ok();
    delete().await.refused(409, "referral_withdrawal_open");
    staff.process(&half["id"], "refuse", json!({ "reason": "Another network, please." })).await.ok();
    delete().await.refused(409, "referral_balance_left");

    // What cannot be withdrawn holds nobody back.
    set_least_withdrawal(&app, "1000000").await;
    assert_eq!(delete().await.status, 204);
    app.assert_ledger_is_clean().await;
    let referrers = app.owner().await.get(&format!("/api/admin/v1/referral/referrers?q={}", ivan.code)).await.ok();
    let referrer = &referrers["items"][0];
    assert_eq!(referrer["balance"], "0", "{referrers}");
    assert!(referrer["email"].as_str().unwrap().ends_with("@deleted.invalid"), "{referrers}");
    // Nobody earns by the link any more.
    staff.complete(&exchange_with_code(&app, "nina@example.com", Some(&ivan.code)).await).await;
    app.advance_and_run_jobs(Duration::ZERO).await;
    let referrers = app.owner().await.get(&format!("/api/admin/v1/referral/referrers?q={}", ivan.code)).await.ok();
    assert_eq!(referrers["items"][0]["balance"], "0", "{referrers}");
}

async fn a_withdrawal_is_approved_and_paid_out_of_the_reserve(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, staff, balance) = referrer_with_balance(&app).await;
    let reserve = || async {
        app.server.ledger.reserves().load(&app.server.platform.db).await.unwrap();
        app.server.ledger.reserves().available(id_of(&app, "USDTTRC20")).units
    };
    let before = reserve().await;
    // Repeated requests create one withdrawal.
    let requested = ivan.customer.caller.post_idempotent(PATH, "one-and-only", order(&app, "10")).await.ok();
    assert_eq!(ivan.customer.caller.post_idempotent(PATH, "one-and-only", order(&app, "10")).await.ok(), requested);
    ivan.customer.caller.post_idempotent(PATH, "one-and-only", order(&app, "11")).await.refused(422, "idempotency_mismatch");
    assert_eq!(number(&ivan.overview().await["balance"]), balance.parse::<Decimal>().unwrap() - Decimal::from(10));
    assert!(!requested["to"].as_str().unwrap().contains(TRON), "{requested}");

    let view = staff.withdrawal(&requested["id"]).await;
    assert_eq!((&view["requisites"][0]["value"], &view["actions"]), (&json!(TRON), &json!(["approve", "refuse"])));
    staff.process(&requested["id"], "pay", json!({ "txId": "too-soon" })).await.refused(409, "referral_withdrawal_closed");
    staff.process(&requested["id"], "approve", json!({})).await.ok();
    assert_eq!(reserve().await, before, "nothing has left yet");
    staff.process(&requested["id"], "pay", json!({})).await.refused(422, "validation_failed");
    let paid = staff.process(&requested["id"], "pay", json!({ "txId": "tron-1" })).await.ok();
    assert_eq!((&paid["status"], &paid["actions"]), (&json!("paid"), &json!([])));
    assert_eq!(before - reserve().await, 10 * 10_i64.pow(scale(&app)));
    staff.process(&requested["id"], "refuse", json!({ "reason": "too late" })).await.refused(409, "referral_withdrawal_closed");
    let kinds: Vec<_> = app.emails_to("ivan@example.com").await.into_iter().map(|mail| mail.kind).collect();
    assert!(kinds.ends_with(&["referral_withdrawal_requested".into(), "referral_withdrawal_paid".into()]), "{kinds:?}");
    assert_eq!(ivan.customer.caller.get(PATH).await.ok()["items"][0]["tx"], "tron-1");
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

fn scale(app: &TestApp) -> u32 {
    app.server.calculator.market().currency_named("USDTTRC20").unwrap().facts.scale
}

async fn a_refused_withdrawal_returns_to_the_balance(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, staff, balance) = referrer_with_balance(&app).await;
    let requested = ivan.request_withdrawal(&app, "12.5").await.ok();
    staff.process(&requested["id"], "refuse", json!({ "reason": "  " })).await.refused(422, "validation_failed");
    staff.process(&requested["id"], "refuse", json!({ "reason": "The address is not yours." })).await.ok();
    assert_eq!(ivan.overview().await["balance"], json!(balance));
    let mail = ivan.customer.newest_email(&app, "referral_withdrawal_refused").await;
    assert!(mail.text.contains("The address is not yours."), "{}", mail.text);
    let stale = json!({ "action": "approve", "revision": 1 });
    let path = format!("/api/admin/v1/referral/withdrawals/{}/steps", requested["id"].as_str().unwrap());
    staff.0.post(&path, stale).await.refused(409, "referral_changed");
    app.assert_ledger_is_clean().await;
}

async fn invalid_withdrawals_are_refused(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, _, balance) = referrer_with_balance(&app).await;
    let tries = |order: Value| ivan.customer.caller.post(PATH, order);
    let with = |field: &str, value: Value| {
        let mut order = order(&app, "10");
        order[field] = value;
        order
    };
    let reason = |problem: Value, field: &str| problem["errors"][field][0].clone();
    let min = reason(tries(with("amount", json!("9.99"))).await.refused(422, "validation_failed"), "amount");
    assert_eq!((&min["code"], &min["params"]["min"]), (&json!("amount_below_min"), &json!("10")));
    for (amount, code) in [
        ("-1", "not_an_amount"),
        ("0", "not_an_amount"),
        ("10.000000001", "too_many_digits"),
        ("99999999999999999999", "amount_too_large"),
    ] {
        let problem = tries(with("amount", json!(amount))).await.refused(422, "validation_failed");
        assert_eq!(reason(problem, "amount")["code"], code, "{amount}");
    }
    let problem = tries(with("currencyId", json!(id_of(&app, "BTC")))).await.refused(422, "validation_failed");
    assert_eq!(reason(problem, "currencyId")["code"], "referral_currency");
    let wrong = json!({ "address": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" });
    let problem = tries(with("requisites", wrong)).await.refused(422, "validation_failed");
    assert_eq!(reason(problem, "requisites.address")["code"], "wrong_network");
    tries(with("requisites", json!({}))).await.refused(422, "validation_failed");
    tries(with("comment", json!("hello"))).await.refused(400, "malformed_body");
    tries(with("amount", json!("1000000"))).await.refused(409, "balance_too_low");
    app.visitor().post(PATH, order(&app, "10")).await.refused(401, "token_not_valid");
    assert_eq!(ivan.overview().await["balance"], json!(balance));

    let mut unconfirmed = TestCustomer::sign_up(&app, "new@example.com").await;
    unconfirmed.sign_in().await.ok();
    unconfirmed.caller.post(PATH, order(&app, "10")).await.refused(409, "not_activated");
    app.assert_ledger_is_clean().await;
}

async fn withdrawals_above_the_limit_need_approval(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, staff, _) = referrer_with_balance(&app).await;
    let owner = app.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "approvals.two_person": "true", "approvals.payout_limit": "11" })).await.ok();
    let (small, large) = (ivan.request_withdrawal(&app, "10").await.ok(), ivan.request_withdrawal(&app, "12").await.ok());
    assert_eq!(staff.process(&small["id"], "approve", json!({})).await.ok()["status"], "approved");
    let proposed = staff.process(&large["id"], "approve", json!({})).await;
    assert_eq!(proposed.status.as_u16(), 202);
    let approval = proposed.json();
    assert_eq!(approval["kind"], "referral_withdrawal");
    assert_eq!(staff.withdrawal(&large["id"]).await["status"], "requested");
    staff.process(&large["id"], "approve", json!({})).await.refused(409, "approval_waits");
    let approve = format!("/api/admin/v1/approvals/{}/approve", approval["id"].as_str().unwrap());
    staff.0.post_empty(&approve).await.refused(403, "approval_own");
    owner.post_empty(&approve).await.ok();
    let view = staff.withdrawal(&large["id"]).await;
    assert_eq!((&view["status"], &view["approvedBy"]), (&json!("approved"), &json!("operator")));
    staff.process(&large["id"], "pay", json!({ "txId": "tron-2" })).await.ok();
    app.assert_ledger_is_clean().await;
}

async fn withdrawals_of_one_day_count_together(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, staff, _) = referrer_with_balance(&app).await;
    let owner = app.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "approvals.two_person": "true", "approvals.payout_limit": "15" })).await.ok();
    let (first, second) = (ivan.request_withdrawal(&app, "10").await.ok(), ivan.request_withdrawal(&app, "10").await.ok());
    assert_eq!(staff.process(&first["id"], "approve", json!({})).await.ok()["status"], "approved");
    let split = staff.process(&second["id"], "approve", json!({})).await;
    assert_eq!(split.status.as_u16(), 202, "{}", split.text);
    let approval = split.json();
    assert!(approval["facts"].to_string().contains("Выплачено ему за сутки"), "{approval}");
    let reject = format!("/api/admin/v1/approvals/{}/reject", approval["id"].as_str().unwrap());
    owner.post(&reject, json!({ "reason": "One a day." })).await.ok();

    // Approved counts until it is paid, and then for a day.
    app.advance_and_run_jobs(Duration::from_secs(25 * 3_600)).await;
    let staff = StaffConsole::operator(&app).await;
    let split = staff.process(&second["id"], "approve", json!({})).await;
    assert_eq!(split.status.as_u16(), 202, "{}", split.text);
    staff.0.post_empty(&format!("/api/admin/v1/approvals/{}/withdraw", split.json()["id"].as_str().unwrap())).await.ok();
    staff.process(&first["id"], "pay", json!({ "txId": "tron-1" })).await.ok();
    let split = staff.process(&second["id"], "approve", json!({})).await;
    assert_eq!(split.status.as_u16(), 202, "{}", split.text);
    staff.0.post_empty(&format!("/api/admin/v1/approvals/{}/withdraw", split.json()["id"].as_str().unwrap())).await.ok();
    app.advance_and_run_jobs(Duration::from_secs(25 * 3_600)).await;
    let staff = StaffConsole::operator(&app).await;
    assert_eq!(staff.process(&second["id"], "approve", json!({})).await.ok()["status"], "approved");
    app.assert_ledger_is_clean().await;
}

async fn paying_needs_a_recent_second_factor(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, staff, _) = referrer_with_balance(&app).await;
    let requested = ivan.request_withdrawal(&app, "10").await.ok();
    let left_open = StaffConsole(app.staff_unconfirmed(agio_core::identity::Role::Operator).await);
    left_open.process(&requested["id"], "approve", json!({})).await.refused(403, "fresh_second_factor_needed");
    let editor = StaffConsole(app.staff(agio_core::identity::Role::Editor).await);
    editor.process(&requested["id"], "approve", json!({})).await.refused(403, "forbidden");
    staff.process(&requested["id"], "approve", json!({})).await.ok();
}

both_engines!(
    an_account_with_a_balance_is_not_deleted,
    one_of_a_thousand_full_withdrawals_succeeds,
    a_withdrawal_needs_the_password,
    what_a_thief_asked_for_ends_as_the_account_is_taken_back,
    a_withdrawal_is_approved_and_paid_out_of_the_reserve,
    a_refused_withdrawal_returns_to_the_balance,
    invalid_withdrawals_are_refused,
    withdrawals_above_the_limit_need_approval,
    withdrawals_of_one_day_count_together,
    paying_needs_a_recent_second_factor,
);

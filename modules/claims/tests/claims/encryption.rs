//! Where customers are paid and refunded is sealed in the database, is found all the same, and is never taken for nothing.

use agio_claims::rules::claim::{GIVE_REQUISITES, RECEIVE_REQUISITES, REFUND_REQUISITES, purpose};
use agio_core::identity::Role;
use agio_core::{execute, fetch_all};
use agio_test_app::{Engine, TestApp, TestCustomer as Member, both_engines};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::fixtures::{ADDRESS, Operator, TestCustomer, order};

/// Details that are nowhere in the demonstration's market.
const CARD: &str = "2201384719055627";
const HOLDER: &str = "GRIGORY SVERCHKOV";

/// A server whose emails show full payment details, and where payouts and refunds need two people.
async fn talkative(engine: Engine) -> TestApp {
    let app = TestApp::start(engine).await;
    let set = json!({
        "claims.mail_masked": false, "approvals.two_person": true, "approvals.payout_limit": 100, "approvals.refund_limit": 100,
    });
    app.owner().await.put("/api/admin/v1/settings", set).await.ok();
    app
}

/// A claim of somebody with an account that was paid, kept in the account and made under a key.
async fn paid(app: &TestApp, operator: &Operator, member: &Member, send: &str) -> TestCustomer {
    let mut order = order(app, send, &member.email);
    order["toRequisites"] = json!({ "card": CARD, "holder": HOLDER });
    order["extras"]["keepRequisites"] = true.into();
    let made = member.caller.post_idempotent("/api/v1/claim/", &format!("a-key-for-{send}"), order).await.ok();
    let (id, number) = (made["id"].as_str().unwrap().into(), made["publicId"].as_i64().unwrap());
    let customer = TestCustomer { caller: member.caller.clone(), id, number };
    customer.does("confirm").await.ok();
    customer.does("paid").await.ok();
    operator.does(&customer.id, "payment_received", json!({ "txId": format!("in-{send}") })).await;
    customer
}

/// A payout that two people look at, and a refund to where the customer wants it.
async fn two_claims(app: &TestApp) -> (Operator, TestCustomer, TestCustomer) {
    let (operator, member) = (Operator::at(app).await, Member::registered(app, "grigory@example.com").await);
    let (exchanged, returned) = (paid(app, &operator, &member, "0.01").await, paid(app, &operator, &member, "0.02").await);
    operator.does(&exchanged.id, "take", json!({})).await;
    operator.tries(&exchanged.id, "payout_sent", json!({})).await.ok();
    operator.does(&returned.id, "refund", json!({ "reason": "customer_asked" })).await;
    returned.says("refund", json!({ "requisites": { "address": ADDRESS } })).await.ok();
    operator.tries(&returned.id, "refund_sent", json!({})).await.ok();
    (operator, exchanged, returned)
}

async fn the_database_alone_reveals_no_payment_details(engine: Engine) {
    let app = talkative(engine).await;
    let (operator, exchanged, returned) = two_claims(&app).await;
    app.assert_not_stored_in_plain_text(&[CARD, HOLDER, ADDRESS]).await;

    let cashier = app.staff(Role::Cashier).await;
    let waiting = cashier.get("/api/admin/v1/approvals").await.ok()["items"].clone();
    for (detail, approval) in [ADDRESS, CARD].iter().zip(waiting.as_array().unwrap()) {
        assert!(approval["facts"].to_string().contains(detail), "{approval}");
        cashier.post_empty(&format!("/api/admin/v1/approvals/{}/approve", approval["id"].as_str().unwrap())).await.ok();
    }
    operator.does(&exchanged.id, "payout_sent", json!({ "txId": "out" })).await;
    operator.does(&exchanged.id, "complete", json!({})).await;
    operator.does(&returned.id, "refund_sent", json!({ "txId": "back" })).await;
    operator.does(&returned.id, "refund_done", json!({})).await;
    let mails = app.emails_to("grigory@example.com").await;
    let says = |kind: &str, detail: &str| mails.iter().any(|mail| mail.kind == kind && mail.text.contains(detail));
    assert!(says("claim_completed", CARD) && says("claim_refunded", ADDRESS), "{mails:?}");
    app.assert_not_stored_in_plain_text(&[CARD, HOLDER, ADDRESS]).await;
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

async fn a_claim_is_found_by_what_nobody_can_read(engine: Engine) {
    let app = talkative(engine).await;
    let (operator, exchanged, returned) = two_claims(&app).await;
    for said in [CARD, "2201%203847%201905%205627", "2201-3847-1905-5627", &CARD[12..]] {
        let found = operator.0.get(&format!("/api/admin/v1/claims?q={said}")).await.ok();
        let numbers: Vec<_> = found["items"].as_array().unwrap().iter().map(|row| row["publicId"].as_i64().unwrap()).collect();
        assert_eq!(numbers, [returned.number, exchanged.number], "{said}");
    }
    let part = operator.0.get(&format!("/api/admin/v1/claims?q={}", &CARD[..8])).await.ok();
    assert_eq!(part["items"], json!([]));
    let value = |claim: &Value, side: &str| claim[side][0]["value"].clone();
    let (payout, refund) = (operator.sees(&exchanged.id).await, operator.sees(&returned.id).await);
    assert_eq!((value(&payout, "requisitesOut"), value(&refund, "requisitesRefund")), (json!(CARD), json!(ADDRESS)));
    assert_eq!(exchanged.look("form").await.ok()["to"]["requisites"][0]["value"], CARD);
}

/// Stores everything as former versions did.
async fn opens(app: &TestApp) {
    let platform = &app.server.platform;
    let mut tx = platform.db.read().await.unwrap();
    let claims = "SELECT id, give_requisites, receive_requisites, refund_requisites FROM claim";
    let claims = fetch_all!(&mut tx, (Uuid, String, String, Option<String>), claims).unwrap();
    let approvals = fetch_all!(&mut tx, (Uuid, String), "SELECT id, shown FROM approval").unwrap();
    drop(tx);
    for (id, from, to, refund) in claims {
        let open = |what, sealed: &str| platform.vault.open_text(&purpose(id, what), sealed).unwrap();
        let (from, to, refund) =
            (open(GIVE_REQUISITES, &from), open(RECEIVE_REQUISITES, &to), refund.map(|sealed| open(REFUND_REQUISITES, &sealed)));
        let sql = "UPDATE claim SET give_requisites = $2, receive_requisites = $3, refund_requisites = $4, receive_digest = $5 WHERE id = $1";
        let write = platform.db.write(move |tx| {
            let (from, to, refund) = (from.clone(), to.clone(), refund.clone());
            Box::pin(async move { execute!(tx, sql, id, from, to, refund, CARD) })
        });
        assert_eq!(write.await.unwrap(), 1);
    }
    for (id, sealed) in approvals {
        let shown = platform.vault.open_text(&format!("approval {id}"), &sealed).unwrap();
        let write = platform.db.write(move |tx| {
            let shown = shown.clone();
            Box::pin(async move { execute!(tx, "UPDATE approval SET shown = $2 WHERE id = $1", id, shown) })
        });
        assert_eq!(write.await.unwrap(), 1);
    }
}

async fn payment_details_in_plain_text_are_refused(engine: Engine) {
    let app = talkative(engine).await;
    let (_, _, returned) = two_claims(&app).await;
    opens(&app).await;
    assert_eq!(app.database().columns_containing(ADDRESS).await.len(), 2, "the claim and its approval request");
    returned.look("form").await.refused(409, "claim_unreadable");
}

async fn nobody_agrees_to_an_approval_that_cannot_be_read(engine: Engine) {
    let app = talkative(engine).await;
    let (_, exchanged, _) = two_claims(&app).await;
    let damage = "UPDATE approval SET shown = '[]'";
    app.server.platform.db.write(move |tx| Box::pin(async move { execute!(tx, damage) })).await.unwrap();
    let cashier = app.staff(Role::Cashier).await;
    let waiting = cashier.get("/api/admin/v1/approvals").await.ok();
    let approval = waiting["items"].as_array().unwrap().iter().find(|row| row["aboutId"] == exchanged.id.as_str()).unwrap();
    assert_eq!(approval["facts"].as_array().unwrap().len(), 1, "{approval}");
    let path = format!("/api/admin/v1/approvals/{}", approval["id"].as_str().unwrap());
    cashier.post_empty(&format!("{path}/approve")).await.refused(409, "approval_unreadable");
    cashier.post(&format!("{path}/reject"), json!({ "reason": "It cannot be read." })).await.ok();
}

both_engines!(
    the_database_alone_reveals_no_payment_details,
    a_claim_is_found_by_what_nobody_can_read,
    payment_details_in_plain_text_are_refused,
    nobody_agrees_to_an_approval_that_cannot_be_read,
);

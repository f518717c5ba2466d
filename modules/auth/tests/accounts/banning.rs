//! Customers at the console: found, shut out, let back in.

use std::time::Duration;

use agio_core::identity::Role;
use agio_testkit::{Caller, Customer, Engine, House, both_engines};
use serde_json::{Value, json};

use crate::people::{WRONG, deeds, tries};

const CUSTOMERS: &str = "/api/admin/v1/customers";

async fn found(desk: &Caller, question: &str) -> Vec<Value> {
    desk.get(&format!("{CUSTOMERS}?{question}")).await.ok()["items"].as_array().unwrap().clone()
}

fn emails(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["email"].as_str().unwrap()).collect()
}

async fn a_banned_customer_is_out_at_once_and_comes_back(engine: Engine) {
    let house = House::open(engine).await;
    let operator = house.operator().await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    ivan.caller.post("/api/v1/users/restore/", json!({ "email": ivan.email })).await.ok();
    house.later(Duration::from_secs(1)).await;
    let link = ivan.token(&house, "password_restore").await;
    let id = found(&operator, "q=ivan").await[0]["id"].as_str().unwrap().to_owned();
    let (ban, unban) = (format!("{CUSTOMERS}/{id}/ban"), format!("{CUSTOMERS}/{id}/unban"));

    let row = operator.post(&ban, json!({ "reason": "  Paid from cards of strangers. " })).await.ok();
    assert_eq!((&row["banReason"], &row["sessions"]), (&json!("Paid from cards of strangers."), &json!(0)));
    assert_eq!(row["bannedAt"], house.now().to_string());
    ivan.me().await.refused(401, "token_not_valid");
    ivan.refreshes().await.refused(401, "token_not_valid");
    // Only whoever knows the password is told that the account is banned.
    tries(&ivan.caller, &ivan.email, WRONG).await.refused(401, "wrong_credentials");
    ivan.signs_in().await.refused(403, "account_banned");
    let restored = json!({ "password": "quite another horse" });
    house.customer().post(&format!("/api/v1/users/restore/{link}/"), restored).await.refused(404, "link_not_valid");
    let before = house.mail_to(&ivan.email).await.len();
    house.customer().post("/api/v1/users/restore/", json!({ "email": ivan.email })).await.ok();
    house.later(Duration::from_secs(1)).await;
    assert_eq!(house.mail_to(&ivan.email).await.len(), before);

    // Once more changes nothing, not even the reason.
    let again = operator.post(&ban, json!({ "reason": "Another reason" })).await.ok();
    assert_eq!(again, row);
    let row = operator.post(&unban, json!({ "reason": "The cards are his wife's." })).await.ok();
    assert_eq!((&row["bannedAt"], &row["banReason"]), (&Value::Null, &Value::Null));
    ivan.signs_in().await.ok();
    assert_eq!(found(&operator, "q=ivan").await[0]["sessions"], 1);

    let deeds = deeds(&house, &id).await;
    let count = |action: &str| deeds.iter().filter(|deed| *deed == action).count();
    assert_eq!((count("customer.banned"), count("customer.unbanned")), (1, 1), "{deeds:?}");
    let log = house
        .owner()
        .await
        .get(&format!("/api/admin/v1/audit?action=customer.unbanned&aboutKind=customer&aboutId={id}"))
        .await
        .ok();
    let entry = &log["items"][0];
    assert_eq!(entry["before"]["reason"], "Paid from cards of strangers.");
    assert_eq!(entry["after"]["reason"], "The cards are his wife's.");
}

async fn who_may_ban_and_what_they_have_to_say(engine: Engine) {
    let house = House::open(engine).await;
    let operator = house.operator().await;
    Customer::signs_up(&house, "ivan@example.com").await;
    let id = found(&operator, "q=ivan").await[0]["id"].as_str().unwrap().to_owned();
    let ban = format!("{CUSTOMERS}/{id}/ban");
    let reason = json!({ "reason": "Paid from cards of strangers." });
    for role in [Role::Cashier, Role::Editor, Role::Auditor] {
        let refused = house.staff(role).await.post(&ban, reason.clone()).await.refused(403, "forbidden");
        assert_eq!(refused["params"]["permission"], "customers.ban");
    }
    let said = |reason: String| operator.post(&ban, json!({ "reason": reason }));
    assert_eq!(said("  ".into()).await.refused(422, "validation_failed")["errors"]["reason"][0]["code"], "required");
    let long = said("ы".repeat(501)).await.refused(422, "validation_failed");
    assert_eq!(long["errors"]["reason"][0]["params"]["max"], "500");
    operator.post(&ban, json!({ "reason": "x", "until": "tomorrow" })).await.refused(400, "malformed_body");
    let nobody = format!("{CUSTOMERS}/{}/ban", uuid::Uuid::nil());
    operator.post(&nobody, reason).await.refused(404, "customer_not_found");
    assert_eq!(found(&operator, "q=ivan").await[0]["bannedAt"], Value::Null);
}

async fn customers_are_found_page_by_page(engine: Engine) {
    let house = House::open(engine).await;
    let auditor = house.staff(Role::Auditor).await;
    let mut all = Vec::new();
    for number in 0..5 {
        // Two of them sign up at one moment.
        if number != 3 {
            house.wait(Duration::from_secs(60));
        }
        let email = format!("c_{number}%@example.com");
        Customer::signs_up(&house, &email).await;
        all.push(email);
    }
    let mut seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = auditor.get(&format!("{CUSTOMERS}?size=2&cursor={cursor}")).await.ok();
        seen.extend(emails(page["items"].as_array().unwrap()).into_iter().map(str::to_owned));
        let Some(next) = page["nextCursor"].as_str() else { break };
        next.clone_into(&mut cursor);
    }
    assert_eq!(seen.len(), 5, "each once: {seen:?}");
    assert_eq!((&seen[0], &seen[4]), (&all[4], &all[0]), "the newest first");
    seen.sort();
    assert_eq!(seen, all);

    // What looks like a pattern is none.
    assert_eq!(emails(&found(&auditor, "q=C_1%25").await), ["c_1%@example.com"]);
    assert!(found(&auditor, "q=c%253").await.is_empty());
    assert!(found(&auditor, "banned=true").await.is_empty());
    let id = found(&auditor, "q=c_2").await[0]["id"].as_str().unwrap().to_owned();
    house.owner().await.post(&format!("{CUSTOMERS}/{id}/ban"), json!({ "reason": "A test" })).await.ok();
    assert_eq!(emails(&found(&auditor, "banned=true").await), ["c_2%@example.com"]);
    for refused in ["size=0", "size=101", "cursor=1", "cursor=x_y"] {
        auditor.get(&format!("{CUSTOMERS}?{refused}")).await.refused(422, "validation_failed");
    }
}

both_engines!(
    a_banned_customer_is_out_at_once_and_comes_back,
    who_may_ban_and_what_they_have_to_say,
    customers_are_found_page_by_page,
);

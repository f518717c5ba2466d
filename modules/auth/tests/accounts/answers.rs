//! No answer tells whether an address has an account.

use std::collections::BTreeSet;
use std::time::Duration;

use agio_testkit::{Answer, Customer, Engine, House, both_engines};
use serde_json::{Value, json};

use crate::people::WRONG;

/// What a stranger sees of an answer: all of it but the number of the request.
fn seen(answer: &Answer) -> (u16, Value, BTreeSet<String>) {
    let mut body = answer.json();
    if let Some(body) = body.as_object_mut() {
        body.remove("requestId");
    }
    (answer.status.as_u16(), body, answer.headers.keys().map(ToString::to_string).collect())
}

async fn known_and_unknown_addresses_are_answered_alike(engine: Engine) {
    let house = House::open(engine).await;
    let known = Customer::at(&house, "known@example.com").await;
    Customer::signs_up(&house, "waiting@example.com").await;
    for root in ["", "/en"] {
        house.later(Duration::from_secs(24 * 60 * 60)).await;
        for (number, (path, body)) in [
            ("/front-api/auth/login/", json!({ "password": WRONG })),
            ("/api/v1/users/signup/", json!({ "password": Customer::PASSWORD })),
            ("/api/v1/users/restore/", json!({})),
            ("/api/v1/users/reactivate/", json!({})),
        ]
        .into_iter()
        .enumerate()
        {
            let mut answers = Vec::new();
            // A sign-up makes an unknown address a known one, so each call has another.
            let unknown = format!("unknown{}{number}@example.com", root.trim_start_matches('/'));
            for email in [known.email.as_str(), "waiting@example.com", unknown.as_str()] {
                let mut body = body.clone();
                body["email"] = email.into();
                answers.push(seen(&house.customer().post(&format!("{root}{path}"), body).await));
            }
            assert_eq!(answers[0], answers[2], "{root}{path}");
            assert_eq!(answers[1], answers[2], "{root}{path}");
        }
    }
    house.later(Duration::from_secs(1)).await;
    for (unknown, mails) in [("unknown0", 0), ("unknown1", 1), ("unknown2", 0), ("unknown3", 0), ("unknownen1", 1)] {
        assert_eq!(
            house.mail_to(&format!("{unknown}@example.com")).await.len(),
            mails,
            "{unknown}: strangers are not written to"
        );
    }
}

/// Too many are refused for an unknown address as they are for a known one.
async fn limits_are_the_same_for_unknown_addresses(engine: Engine) {
    let house = House::open(engine).await;
    Customer::at(&house, "known@example.com").await;
    house.wait(Duration::from_secs(24 * 60 * 60));
    let mut rounds = Vec::new();
    for email in ["known@example.com", "unknown@example.com"] {
        let caller = house.customer().from_address(if email.starts_with("known") { "192.0.2.1" } else { "192.0.2.2" });
        let mut answers = Vec::new();
        for path in ["/front-api/auth/login/", "/api/v1/users/restore/", "/api/v1/users/reactivate/"] {
            for _ in 0..8 {
                let mut body = json!({ "email": email });
                if path.contains("login") {
                    body["password"] = WRONG.into();
                }
                answers.push(seen(&caller.post(path, body).await));
            }
        }
        rounds.push(answers);
    }
    let statuses: Vec<_> = rounds[0].iter().map(|(status, ..)| *status).collect();
    assert_eq!(statuses[..8], [401, 401, 401, 401, 401, 429, 429, 429]);
    assert_eq!(rounds[0], rounds[1]);
}

both_engines!(known_and_unknown_addresses_are_answered_alike, limits_are_the_same_for_unknown_addresses);

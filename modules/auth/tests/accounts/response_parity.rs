//! No response reveals whether an address has an account.

use std::collections::BTreeSet;
use std::time::Duration;

use agio_test_app::{Engine, TestApp, TestCustomer, TestResponse, both_engines};
use serde_json::{Value, json};

use crate::fixtures::WRONG;

/// Everything observable in a response, except the request id.
fn observable(answer: &TestResponse) -> (u16, Value, BTreeSet<String>) {
    let mut body = answer.json();
    if let Some(body) = body.as_object_mut() {
        body.remove("requestId");
    }
    (answer.status.as_u16(), body, answer.headers.keys().map(ToString::to_string).collect())
}

async fn responses_do_not_reveal_accounts(engine: Engine) {
    let app = TestApp::start(engine).await;
    let known = TestCustomer::registered(&app, "known@example.com").await;
    TestCustomer::sign_up(&app, "waiting@example.com").await;
    for root in ["", "/en"] {
        app.advance_and_run_jobs(Duration::from_secs(24 * 60 * 60)).await;
        for (number, (path, body)) in [
            ("/front-api/auth/login/", json!({ "password": WRONG })),
            ("/api/v1/users/signup/", json!({ "password": TestCustomer::PASSWORD })),
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
                answers.push(observable(&app.visitor().post(&format!("{root}{path}"), body).await));
            }
            assert_eq!(answers[0], answers[2], "{root}{path}");
            assert_eq!(answers[1], answers[2], "{root}{path}");
        }
    }
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    for (unknown, mails) in [("unknown0", 0), ("unknown1", 1), ("unknown2", 0), ("unknown3", 0), ("unknownen1", 1)] {
        assert_eq!(
            app.emails_to(&format!("{unknown}@example.com")).await.len(),
            mails,
            "{unknown}: no e-mails to unknown addresses"
        );
    }
}

/// Limits are the same for unknown and known addresses.
async fn limits_apply_to_unknown_addresses(engine: Engine) {
    let app = TestApp::start(engine).await;
    TestCustomer::registered(&app, "known@example.com").await;
    app.advance_clock(Duration::from_secs(24 * 60 * 60));
    let mut rounds = Vec::new();
    for email in ["known@example.com", "unknown@example.com"] {
        let caller = app.visitor().from_address(if email.starts_with("known") { "192.0.2.1" } else { "192.0.2.2" });
        let mut answers = Vec::new();
        for path in ["/front-api/auth/login/", "/api/v1/users/restore/", "/api/v1/users/reactivate/"] {
            for _ in 0..8 {
                let mut body = json!({ "email": email });
                if path.contains("login") {
                    body["password"] = WRONG.into();
                }
                answers.push(observable(&caller.post(path, body).await));
            }
        }
        rounds.push(answers);
    }
    let statuses: Vec<_> = rounds[0].iter().map(|(status, ..)| *status).collect();
    assert_eq!(statuses[..8], [401, 401, 401, 401, 401, 429, 429, 429]);
    assert_eq!(rounds[0], rounds[1]);
}

both_engines!(responses_do_not_reveal_accounts, limits_apply_to_unknown_addresses);

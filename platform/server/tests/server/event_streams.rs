//! Event streams end with their session.

use std::time::Duration;

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, TestClient, TestCustomer, both_engines};
use serde_json::{Value, json};

use crate::examples::order;

/// A customer with a claim.
async fn with_a_claim(app: &TestApp, email: &str) -> (TestCustomer, String) {
    let customer = TestCustomer::registered(app, email).await;
    let mut order = order(app, "0.005");
    order["email"] = email.into();
    let new = customer.caller.post("/api/v1/claim/", order).await.ok();
    (customer, format!("/api/v1/claim/{}/", new["id"].as_str().unwrap()))
}

/// The customer's only session.
async fn session(customer: &TestCustomer) -> String {
    let sessions = customer.caller.get("/api/v1/users/me/sessions/").await.ok();
    sessions[0]["id"].as_str().unwrap().to_owned()
}

async fn a_customers_stream_ends_with_their_session(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = app.operator().await;
    let (anna, claim) = with_a_claim(&app, "anna@example.com").await;
    let events = format!("{claim}events/");

    // Signing out, revoking the session from another browser, and a ban end the stream.
    let signs_out = async |anna: &TestCustomer| drop(anna.caller.post_empty("/front-api/auth/logout/").await);
    let ends = async |anna: &TestCustomer| {
        anna.caller.delete(&format!("/api/v1/users/me/sessions/{}/", session(anna).await)).await;
    };
    let bans = async |_: &TestCustomer| {
        let found = operator.get("/api/admin/v1/customers?q=anna").await.ok();
        let path = format!("/api/admin/v1/customers/{}/ban", found["items"][0]["id"].as_str().unwrap());
        operator.post(&path, json!({ "reason": "A test of bans." })).await.ok();
    };
    let mut anna = anna;
    for way in 0..3 {
        let mut stream = anna.caller.open_stream(&events).await;
        let mut guest = app.visitor().open_stream(&events).await;
        let own = stream.next_event().await.unwrap();
        assert_eq!((own.0.as_str(), &own.1["status"]), ("status", &Value::from("created")));
        guest.next_event().await.unwrap();
        match way {
            0 => signs_out(&anna).await,
            1 => ends(&anna).await,
            _ => bans(&anna).await,
        }
        assert_eq!(stream.next_event().await, None, "way {way}");
        assert_eq!(anna.caller.open_stream(&events).await.status, 401, "reconnecting shows the reason");
        if way < 2 {
            anna.sign_in().await.ok();
            continue;
        }
        // A guest with the link of the claim keeps the stream.
        app.visitor().post_empty(&format!("{claim}confirm/")).await.ok();
        assert_eq!(guest.next_event().await.unwrap().1["status"], "awaiting_payment");
    }
}

async fn a_stream_outlives_its_token_and_other_sessions(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (mut anna, claim) = with_a_claim(&app, "anna@example.com").await;
    let mut stream = anna.caller.open_stream(&format!("{claim}events/")).await;
    stream.next_event().await.unwrap();
    app.advance_clock(Duration::from_secs(9 * 60));
    anna.refresh().await.ok();
    // The token has expired, the session has not.
    app.advance_clock(Duration::from_secs(2 * 60));
    let boris = TestCustomer::registered(&app, "boris@example.com").await;
    boris.caller.post_empty("/front-api/auth/logout/").await;
    anna.caller.post_empty(&format!("{claim}cancel/")).await.ok();
    assert_eq!(stream.next_event().await.unwrap().1["status"], "cancelled");
}

async fn a_console_stream_ends_with_its_session(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (owner, editor) = (app.owner().await, app.staff(Role::Editor).await);
    let staff_list = owner.get("/api/admin/v1/staff").await.ok();
    let row = staff_list["items"].as_array().unwrap().iter().find(|row| row["role"] == "editor").unwrap().clone();
    let path = |call: &str| format!("/api/admin/v1/staff/{}/{call}", row["id"].as_str().unwrap());
    let listening = async |caller: &TestClient| {
        let mut stream = caller.open_stream("/api/admin/v1/live").await;
        assert_eq!(stream.next_event().await.unwrap().0, "all");
        stream
    };

    let (mut own, mut ended) = (listening(&owner).await, listening(&editor).await);
    owner.delete(&path("sessions")).await;
    assert_eq!(ended.next_event().await, None, "an owner ended the session");

    let editor = app.staff(Role::Editor).await;
    let mut ended = listening(&editor).await;
    owner.post_empty(&path("disable")).await;
    assert_eq!(ended.next_event().await, None, "the staff member was disabled");
    editor.get("/api/admin/v1/live").await.refused(401, "token_not_valid");

    owner.put("/api/admin/v1/settings", json!({ "claims.confirm_minutes": "20" })).await.ok();
    assert_eq!(own.next_event().await.unwrap().0, "settings", "other streams continue");
}

both_engines!(
    a_customers_stream_ends_with_their_session,
    a_stream_outlives_its_token_and_other_sessions,
    a_console_stream_ends_with_its_session,
);

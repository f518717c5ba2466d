//! Live streams end with the session they were asked for in.

use std::time::Duration;

use agio_core::identity::Role;
use agio_testkit::{Caller, Customer, Engine, House, both_engines};
use serde_json::{Value, json};

use crate::examples::order;

/// A customer with an account and a claim of theirs.
async fn with_a_claim(house: &House, email: &str) -> (Customer, String) {
    let customer = Customer::at(house, email).await;
    let mut order = order(house, "0.005");
    order["email"] = email.into();
    let made = customer.caller.post("/api/v1/claim/", order).await.ok();
    (customer, format!("/api/v1/claim/{}/", made["id"].as_str().unwrap()))
}

/// The customer's only session as they see it.
async fn session(customer: &Customer) -> String {
    let sessions = customer.caller.get("/api/v1/users/me/sessions/").await.ok();
    sessions[0]["id"].as_str().unwrap().to_owned()
}

async fn a_customers_stream_ends_with_their_session(engine: Engine) {
    let house = House::open(engine).await;
    let operator = house.operator().await;
    let (anna, claim) = with_a_claim(&house, "anna@example.com").await;
    let events = format!("{claim}events/");

    // Signing out, ending the session from another browser, and a ban each end what is listened to.
    let signs_out = async |anna: &Customer| drop(anna.caller.post_empty("/front-api/auth/logout/").await);
    let ends = async |anna: &Customer| {
        anna.caller.delete(&format!("/api/v1/users/me/sessions/{}/", session(anna).await)).await;
    };
    let bans = async |_: &Customer| {
        let found = operator.get("/api/admin/v1/customers?q=anna").await.ok();
        let path = format!("/api/admin/v1/customers/{}/ban", found["items"][0]["id"].as_str().unwrap());
        operator.post(&path, json!({ "reason": "A test of bans." })).await.ok();
    };
    let mut anna = anna;
    for way in 0..3 {
        let mut stream = anna.caller.follow(&events).await;
        let mut guest = house.customer().follow(&events).await;
        let own = stream.event().await.unwrap();
        assert_eq!((own.0.as_str(), &own.1["status"]), ("status", &Value::from("created")));
        guest.event().await.unwrap();
        match way {
            0 => signs_out(&anna).await,
            1 => ends(&anna).await,
            _ => bans(&anna).await,
        }
        assert_eq!(stream.event().await, None, "way {way}");
        assert_eq!(anna.caller.follow(&events).await.status, 401, "the page that comes back is told why");
        if way < 2 {
            anna.signs_in().await.ok();
            continue;
        }
        // Whoever follows the claim by its link alone goes on.
        house.customer().post_empty(&format!("{claim}confirm/")).await.ok();
        assert_eq!(guest.event().await.unwrap().1["status"], "awaiting_payment");
    }
}

async fn a_stream_outlives_its_token_and_strangers_sessions(engine: Engine) {
    let house = House::open(engine).await;
    let (mut anna, claim) = with_a_claim(&house, "anna@example.com").await;
    let mut stream = anna.caller.follow(&format!("{claim}events/")).await;
    stream.event().await.unwrap();
    house.wait(Duration::from_secs(9 * 60));
    anna.refreshes().await.ok();
    // By now the token that was shown has run out; the session has not.
    house.wait(Duration::from_secs(2 * 60));
    let boris = Customer::at(&house, "boris@example.com").await;
    boris.caller.post_empty("/front-api/auth/logout/").await;
    anna.caller.post_empty(&format!("{claim}cancel/")).await.ok();
    assert_eq!(stream.event().await.unwrap().1["status"], "cancelled");
}

async fn the_consoles_stream_ends_with_its_session(engine: Engine) {
    let house = House::open(engine).await;
    let (owner, editor) = (house.owner().await, house.staff(Role::Editor).await);
    let colleagues = owner.get("/api/admin/v1/staff").await.ok();
    let row = colleagues["items"].as_array().unwrap().iter().find(|row| row["role"] == "editor").unwrap().clone();
    let path = |call: &str| format!("/api/admin/v1/staff/{}/{call}", row["id"].as_str().unwrap());
    let listening = async |caller: &Caller| {
        let mut stream = caller.follow("/api/admin/v1/live").await;
        assert_eq!(stream.event().await.unwrap().0, "all");
        stream
    };

    let (mut own, mut ended) = (listening(&owner).await, listening(&editor).await);
    owner.delete(&path("sessions")).await;
    assert_eq!(ended.event().await, None, "an owner ended the session");

    let editor = house.staff(Role::Editor).await;
    let mut ended = listening(&editor).await;
    owner.post_empty(&path("disable")).await;
    assert_eq!(ended.event().await, None, "the colleague was shut out");
    editor.get("/api/admin/v1/live").await.refused(401, "token_not_valid");

    owner.put("/api/admin/v1/settings", json!({ "claims.confirm_minutes": "20" })).await.ok();
    assert_eq!(own.event().await.unwrap().0, "settings", "whoever stays goes on");
}

both_engines!(
    a_customers_stream_ends_with_their_session,
    a_stream_outlives_its_token_and_strangers_sessions,
    the_consoles_stream_ends_with_its_session,
);

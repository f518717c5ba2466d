//! Requests that cannot be answered, and those behind them.

use std::time::Duration;

use agio_core::execute;
use agio_testkit::{Customer, Engine, House, Mailed, both_engines};
use serde_json::json;

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(60 * 60);
const OWNER: &str = "owner@agio.example";

/// Lets every account fail that is made for an address like `poison@example.com`, by what the database answers.
async fn poisons(house: &House, engine: Engine) {
    match engine {
        Engine::Sqlite => {
            let refuses = "CREATE TRIGGER poison BEFORE INSERT ON customer WHEN NEW.email LIKE 'poison%'
                BEGIN SELECT RAISE(ABORT, 'poisoned'); END";
            run(house, refuses).await;
        }
        Engine::Postgres => {
            let refuses = "CREATE FUNCTION poison() RETURNS TRIGGER LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'poisoned by %', NEW.email; END $$";
            run(house, refuses).await;
            run(house, POISONS).await;
        }
    }
}

const POISONS: &str =
    "CREATE TRIGGER poison BEFORE INSERT ON customer FOR EACH ROW WHEN (NEW.email LIKE 'poison%') EXECUTE FUNCTION poison()";

async fn heals(house: &House, engine: Engine) {
    run(
        house,
        match engine {
            Engine::Sqlite => "DROP TRIGGER poison",
            Engine::Postgres => "DROP TRIGGER poison ON customer",
        },
    )
    .await;
}

async fn run(house: &House, sql: &'static str) {
    house.app.platform.db.write(move |tx| Box::pin(async move { execute!(tx, sql) })).await.unwrap();
}

/// Asks for an account, whatever becomes of it.
async fn asks(house: &House, email: &str) -> Customer {
    let customer = Customer::comes(house, email);
    let new = json!({ "email": email, "password": customer.password });
    customer.caller.post("/api/v1/users/signup/", new).await.ok();
    // The next one comes later, not at the same moment.
    house.wait(Duration::from_millis(1));
    customer
}

/// How often each request that waits was tried, the oldest first.
async fn tries(house: &House) -> Vec<i64> {
    let sql = "SELECT tries FROM customer_request WHERE given_up_at IS NULL ORDER BY created_at, id";
    let mut tx = house.app.platform.db.read().await.unwrap();
    let rows = agio_core::fetch_all!(&mut tx, (i64,), sql).unwrap();
    rows.into_iter().map(|(tries,)| tries).collect()
}

async fn alerts(house: &House) -> Vec<Mailed> {
    let mut mails = house.mail_to(OWNER).await;
    mails.retain(|mail| mail.kind == "alert_requests");
    mails
}

async fn a_request_that_fails_holds_up_nobody(engine: Engine) {
    let house = House::open(engine).await;
    let mut olga = Customer::at(&house, "olga@example.com").await;
    poisons(&house, engine).await;
    let mut poison = asks(&house, "poison@example.com").await;
    let mut ivan = asks(&house, "ivan@example.com").await;
    olga.caller.post("/api/v1/users/restore/", json!({ "email": olga.email })).await.ok();
    house.answers_requests().await;
    ivan.signs_in().await.ok();
    ivan.activates(&house).await;
    let token = olga.token(&house, "password_restore").await;
    olga.password = "quite another horse".into();
    olga.caller.post(&format!("/api/v1/users/restore/{token}/"), json!({ "password": olga.password })).await.ok();
    olga.signs_in().await.ok();
    assert!(house.mail_to(&poison.email).await.is_empty());
    poison.signs_in().await.refused(401, "wrong_credentials");

    // Whoever failed is not forgotten.
    heals(&house, engine).await;
    house.wait(15 * SECOND);
    house.answers_requests().await;
    poison.signs_in().await.ok();
    poison.activates(&house).await;
    assert_eq!(poison.me().await.ok()["activated"], true);
    assert!(tries(&house).await.is_empty());
    house.audit_is_whole().await;
}

async fn more_failures_than_are_read_at_once_hold_up_nobody(engine: Engine) {
    let house = House::open(engine).await;
    poisons(&house, engine).await;
    for number in 0..101 {
        asks(&house, &format!("poison{number}@example.com")).await;
    }
    let mut ivan = asks(&house, "ivan@example.com").await;
    house.answers_requests().await;
    ivan.signs_in().await.ok();
}

async fn it_is_tried_again_less_and_less_often_and_given_up(engine: Engine) {
    let house = House::open(engine).await;
    house.owner().await;
    poisons(&house, engine).await;
    let mut poison = asks(&house, "poison@example.com").await;
    let mut pauses = Vec::new();
    house.answers_requests().await;
    let mut before = tries(&house).await;
    let mut waited = 0_u64;
    while before != Vec::<i64>::new() {
        assert!(waited < 24 * 60 * 60 && alerts(&house).await.is_empty());
        // A house that looks every second tries no more often for it.
        house.wait(5 * SECOND);
        waited += 5;
        house.answers_requests().await;
        let now = tries(&house).await;
        if now != before {
            pauses.push(waited);
            waited = 0;
            before = now;
        }
    }
    assert_eq!(pauses, [15, 30, 60, 120, 240, 480, 960, 1_920, 3_600]);

    house.later(60 * SECOND).await;
    let told = alerts(&house).await;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].subject, "Не удалось ответить на просьбы: 1");
    assert!(!told[0].text.contains("poison"), "{}", told[0].text);
    house.later(2 * HOUR).await;
    assert_eq!(alerts(&house).await.len(), 1, "of each they hear once");

    // It is over, and asking again is a request like any other.
    heals(&house, engine).await;
    house.later(HOUR).await;
    poison.signs_in().await.refused(401, "wrong_credentials");
    assert!(house.mail_to(&poison.email).await.is_empty());
    let new = json!({ "email": poison.email, "password": poison.password });
    poison.caller.post("/api/v1/users/signup/", new).await.ok();
    house.answers_requests().await;
    poison.signs_in().await.ok();
    house.later(8 * 24 * HOUR).await;
    let mut tx = house.app.platform.db.read().await.unwrap();
    let (kept,) = agio_core::fetch_one!(&mut tx, (i64,), "SELECT COUNT(*) FROM customer_request").unwrap();
    assert_eq!(kept, 0, "what was given up is forgotten in time");
}

/// A node that cannot use its database any more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_is_away_costs_no_request_a_try() {
    let house = House::open(Engine::Sqlite).await;
    let mut ivan = asks(&house, "ivan@example.com").await;
    let node = house.another_node().await;
    node.app.platform.db.close().await;
    answers(&node).await.unwrap_err();
    assert_eq!(tries(&house).await, [0]);
    house.answers_requests().await;
    ivan.signs_in().await.ok();
}

/// PostgreSQL says in the middle of a request that its disk is full.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_stops_the_run_and_costs_no_request_a_try() {
    let house = House::open(Engine::Postgres).await;
    let fills = "CREATE FUNCTION poison() RETURNS TRIGGER LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION USING ERRCODE = '53100', MESSAGE = 'no space left'; END $$";
    run(&house, fills).await;
    run(&house, POISONS).await;
    let mut poison = asks(&house, "poison@example.com").await;
    let mut ivan = asks(&house, "ivan@example.com").await;
    let failed = answers(&house).await.unwrap_err();
    assert_eq!(failed.code(), "storage_unavailable");
    assert_eq!(tries(&house).await, [0, 0]);
    heals(&house, Engine::Postgres).await;
    house.answers_requests().await;
    poison.signs_in().await.ok();
    ivan.signs_in().await.ok();
}

/// Runs the job once, as it is run.
async fn answers(house: &House) -> agio_core::Result<()> {
    let jobs = house.app.jobs();
    let job = jobs.iter().find(|job| job.name == "auth.requests").unwrap();
    (job.run)().await
}

both_engines!(
    a_request_that_fails_holds_up_nobody,
    more_failures_than_are_read_at_once_hold_up_nobody,
    it_is_tried_again_less_and_less_often_and_given_up,
);

//! Requests that cannot be answered, and those behind them.

use std::time::Duration;

use agio_core::execute;
use agio_test_app::{Engine, ReceivedEmail, TestApp, TestCustomer, both_engines};
use serde_json::json;

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(60 * 60);
const OWNER: &str = "owner@agio.example";

/// Makes the database refuse accounts for addresses like `poison@example.com`.
async fn break_requests(app: &TestApp, engine: Engine) {
    match engine {
        Engine::Sqlite => {
            let refuses = "CREATE TRIGGER poison BEFORE INSERT ON customer WHEN NEW.email LIKE 'poison%'
                BEGIN SELECT RAISE(ABORT, 'poisoned'); END";
            run(app, refuses).await;
        }
        Engine::Postgres => {
            let refuses = "CREATE FUNCTION poison() RETURNS TRIGGER LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'poisoned by %', NEW.email; END $$";
            run(app, refuses).await;
            run(app, POISONS).await;
        }
    }
}

const POISONS: &str =
    "CREATE TRIGGER poison BEFORE INSERT ON customer FOR EACH ROW WHEN (NEW.email LIKE 'poison%') EXECUTE FUNCTION poison()";

async fn repair_requests(app: &TestApp, engine: Engine) {
    run(
        app,
        match engine {
            Engine::Sqlite => "DROP TRIGGER poison",
            Engine::Postgres => "DROP TRIGGER poison ON customer",
        },
    )
    .await;
}

async fn run(app: &TestApp, sql: &'static str) {
    app.server.platform.db.write(move |tx| Box::pin(async move { execute!(tx, sql) })).await.unwrap();
}

/// Asks for an account, whatever becomes of it.
async fn request_reset(app: &TestApp, email: &str) -> TestCustomer {
    let customer = TestCustomer::new(app, email);
    let new = json!({ "email": email, "password": customer.password });
    customer.caller.post("/api/v1/users/signup/", new).await.ok();
    // The next one comes later, not at the same moment.
    app.advance_clock(Duration::from_millis(1));
    customer
}

/// How often each request that waits was tried, the oldest first.
async fn try_sign_in(app: &TestApp) -> Vec<i64> {
    let sql = "SELECT tries FROM customer_request WHERE given_up_at IS NULL ORDER BY created_at, id";
    let mut tx = app.server.platform.db.read().await.unwrap();
    let rows = agio_core::fetch_all!(&mut tx, (i64,), sql).unwrap();
    rows.into_iter().map(|(tries,)| tries).collect()
}

async fn alerts(app: &TestApp) -> Vec<ReceivedEmail> {
    let mut mails = app.emails_to(OWNER).await;
    mails.retain(|mail| mail.kind == "alert_requests");
    mails
}

async fn failing_request_does_not_block_others(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut olga = TestCustomer::registered(&app, "olga@example.com").await;
    break_requests(&app, engine).await;
    let mut poison = request_reset(&app, "poison@example.com").await;
    let mut ivan = request_reset(&app, "ivan@example.com").await;
    olga.caller.post("/api/v1/users/restore/", json!({ "email": olga.email })).await.ok();
    app.run_auth_requests().await;
    ivan.sign_in().await.ok();
    ivan.activate(&app).await;
    let token = olga.token(&app, "password_restore").await;
    olga.password = "quite another horse".into();
    olga.caller.post(&format!("/api/v1/users/restore/{token}/"), json!({ "password": olga.password })).await.ok();
    olga.sign_in().await.ok();
    assert!(app.emails_to(&poison.email).await.is_empty());
    poison.sign_in().await.refused(401, "wrong_credentials");

    // The failed request is retried.
    repair_requests(&app, engine).await;
    app.advance_clock(15 * SECOND);
    app.run_auth_requests().await;
    poison.sign_in().await.ok();
    poison.activate(&app).await;
    assert_eq!(poison.me().await.ok()["activated"], true);
    assert!(try_sign_in(&app).await.is_empty());
    app.assert_audit_chain_is_intact().await;
}

async fn a_batch_of_failures_does_not_block_others(engine: Engine) {
    let app = TestApp::start(engine).await;
    break_requests(&app, engine).await;
    for number in 0..101 {
        request_reset(&app, &format!("poison{number}@example.com")).await;
    }
    let mut ivan = request_reset(&app, "ivan@example.com").await;
    app.run_auth_requests().await;
    ivan.sign_in().await.ok();
}

async fn failing_request_is_retried_with_backoff_and_given_up(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await;
    break_requests(&app, engine).await;
    let mut poison = request_reset(&app, "poison@example.com").await;
    let mut pauses = Vec::new();
    app.run_auth_requests().await;
    let mut before = try_sign_in(&app).await;
    let mut waited = 0_u64;
    while before != Vec::<i64>::new() {
        assert!(waited < 24 * 60 * 60 && alerts(&app).await.is_empty());
        // The job runs every second but does not retry earlier.
        app.advance_clock(5 * SECOND);
        waited += 5;
        app.run_auth_requests().await;
        let now = try_sign_in(&app).await;
        if now != before {
            pauses.push(waited);
            waited = 0;
            before = now;
        }
    }
    assert_eq!(pauses, [15, 30, 60, 120, 240, 480, 960, 1_920, 3_600]);

    app.advance_and_run_jobs(60 * SECOND).await;
    let sent = alerts(&app).await;
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].subject, "Не удалось выполнить запросы: 1");
    assert!(!sent[0].text.contains("poison"), "{}", sent[0].text);
    app.advance_and_run_jobs(2 * HOUR).await;
    assert_eq!(alerts(&app).await.len(), 1, "one alert for each");

    // It is over, and asking again is a request like any other.
    repair_requests(&app, engine).await;
    app.advance_and_run_jobs(HOUR).await;
    poison.sign_in().await.refused(401, "wrong_credentials");
    assert!(app.emails_to(&poison.email).await.is_empty());
    let new = json!({ "email": poison.email, "password": poison.password });
    poison.caller.post("/api/v1/users/signup/", new).await.ok();
    app.run_auth_requests().await;
    poison.sign_in().await.ok();
    app.advance_and_run_jobs(8 * 24 * HOUR).await;
    let mut tx = app.server.platform.db.read().await.unwrap();
    let (count,) = agio_core::fetch_one!(&mut tx, (i64,), "SELECT COUNT(*) FROM customer_request").unwrap();
    assert_eq!(count, 0, "failed requests are deleted in time");
}

/// A node that cannot use its database any more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn database_outage_consumes_no_attempts() {
    let app = TestApp::start(Engine::Sqlite).await;
    let mut ivan = request_reset(&app, "ivan@example.com").await;
    let node = app.another_node().await;
    node.server.platform.db.close().await;
    answers(&node).await.unwrap_err();
    assert_eq!(try_sign_in(&app).await, [0]);
    app.run_auth_requests().await;
    ivan.sign_in().await.ok();
}

/// PostgreSQL says in the middle of a request that its disk is full.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_disk_consumes_no_attempts() {
    let app = TestApp::start(Engine::Postgres).await;
    let fills = "CREATE FUNCTION poison() RETURNS TRIGGER LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION USING ERRCODE = '53100', MESSAGE = 'no space left'; END $$";
    run(&app, fills).await;
    run(&app, POISONS).await;
    let mut poison = request_reset(&app, "poison@example.com").await;
    let mut ivan = request_reset(&app, "ivan@example.com").await;
    let failed = answers(&app).await.unwrap_err();
    assert_eq!(failed.code(), "storage_unavailable");
    assert_eq!(try_sign_in(&app).await, [0, 0]);
    repair_requests(&app, Engine::Postgres).await;
    app.run_auth_requests().await;
    poison.sign_in().await.ok();
    ivan.sign_in().await.ok();
}

/// Runs the job once, as it is run.
async fn answers(app: &TestApp) -> agio_core::Result<()> {
    let jobs = app.server.jobs();
    let job = jobs.iter().find(|job| job.name == "auth.requests").unwrap();
    (job.run)().await
}

both_engines!(
    failing_request_does_not_block_others,
    a_batch_of_failures_does_not_block_others,
    failing_request_is_retried_with_backoff_and_given_up,
);

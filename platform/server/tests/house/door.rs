//! The outer door: what every request meets.

use agio_core::identity::Role;
use agio_core::texts::Locale;
use agio_testkit::{Caller, Database, Engine, House};
use serde_json::json;
use tokio::process::Command;

/// Every call of the public API in its written form answers, and so does its twin under /en.
async fn written_forms_answer(engine: Engine) {
    let house = House::open(engine).await;
    let customer = house.customer();
    for root in ["", "/en"] {
        for path in ["/", "/from/", "/reserves/", "/settings/", "/tech/", "/rates/"] {
            customer.get(&format!("{root}/api/v1/calculator{path}")).await.ok();
        }
        customer.get(&format!("{root}/api/v1/claim/captchacheck")).await.ok();
        customer.get(&format!("{root}/api/v1/calculator")).await.ok();
    }
}

async fn problems_speak_the_callers_language_and_carry_a_code(engine: Engine) {
    let house = House::open(engine).await;
    let customer = house.customer();
    let russian = customer.get("/api/v1/nowhere/").await.refused(404, "not_found");
    let english = customer.get("/en/api/v1/nowhere/").await.refused(404, "not_found");
    assert_eq!(russian["detail"], "Здесь ничего нет.");
    assert_eq!(english["detail"], "There is nothing here.");
    assert_ne!(russian["requestId"], english["requestId"]);
}

async fn bad_requests_never_become_faults(engine: Engine) {
    let house = House::open(engine).await;
    let customer = house.customer();
    customer.post_raw("/api/v1/claim/", "application/json", "{").await.refused(400, "malformed_body");
    customer.post_raw("/api/v1/claim/", "application/json", "[]").await.refused(400, "malformed_body");
    customer.post_raw("/api/v1/claim/", "text/plain", "{}").await.refused(415, "unsupported_media");
    customer.post_raw("/api/v1/claim/", "application/json", vec![b' '; 100_000]).await.refused(413, "too_large");
    customer.get("/api/v1/calculator/from/first/").await.refused(400, "malformed_parameter");
    customer.post("/api/v1/calculator/tech/", json!({})).await.refused(405, "method_not_allowed");
}

async fn a_token_that_is_not_valid_does_not_become_a_guest(engine: Engine) {
    let house = House::open(engine).await;
    let forger = house.customer().with_token("eyJhbGciOiJub25lIn0.e30.");
    forger.get("/api/v1/calculator/tech/").await.refused(401, "token_not_valid");
    forger.get("/api/admin/v1/auth/me").await.refused(401, "token_not_valid");
    house.customer().get("/api/admin/v1/auth/me").await.refused(401, "token_not_valid");
}

async fn the_house_is_alive_and_ready(engine: Engine) {
    let house = House::open(engine).await;
    let customer = house.customer();
    assert_eq!(customer.get("/health/live").await.status, 200);
    let ready = customer.get("/health/ready").await.ok();
    assert_eq!(ready["checks"], json!({ "database": true, "writes": true, "ledger": true }));
}

async fn every_answer_has_a_number_and_is_not_sniffed(engine: Engine) {
    let house = House::open(engine).await;
    let answer = house.customer().get("/api/v1/calculator/tech/").await;
    assert_eq!(answer.headers["x-request-id"].len(), 32);
    assert_eq!(answer.headers["x-content-type-options"], "nosniff");
}

/// Where the console listens by itself, it and its API answer there alone, and nothing public does.
async fn the_console_has_an_address_of_its_own(engine: Engine) {
    let house = House::open_on(Database::furnished(engine).await, |config| {
        config.admin.listen = Some("127.0.0.1:0".parse().unwrap());
        config.admin.public_url = "https://console.exchange.example/".into();
    })
    .await;
    assert_ne!(house.root, house.console);
    let (public, console) = (house.customer(), Caller::at(&house.console));
    let owner = house.owner().await;
    owner.get("/api/admin/v1/dashboard").await.ok();
    owner.clone().before(&house.root).get("/api/admin/v1/dashboard").await.refused(404, "not_found");
    for path in ["/api/admin/v1/auth/me", "/admin/", "/admin/claims", "/docs/admin", "/openapi/admin.json"] {
        public.get(path).await.refused(404, "not_found");
    }
    for path in [
        "/claim",
        "/api/v1/calculator/",
        "/front-api/auth/refresh/",
        "/docs",
        "/openapi/public.json",
        "/api/partner/v1/time/",
        "/api/partner/v1/trustee/rates.xml",
        "/docs/partner",
        "/openapi/partner.json",
        "/.well-known/agio-quote-key.json",
    ] {
        console.get(path).await.refused(404, "not_found");
    }
    public.get("/api/v1/calculator/").await.ok();
    console.get("/openapi/admin.json").await.ok();
    // The bare host name leads to the console, which these tests have not built.
    assert_eq!(console.get("/").await.status, 503);
    for door in [&public, &console] {
        assert_eq!(door.get("/health/live").await.status, 200);
        door.get("/health/ready").await.ok();
    }
    let link = house.app.auth.invite_by_house("vera@agio.example", Role::Editor, Locale::Ru).await.unwrap();
    assert!(link.starts_with("https://console.exchange.example/admin/welcome#token="), "{link}");
}

/// Outside the demonstration nobody has a password that somebody else chose.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_line_prints_a_link_in_place_of_asking_for_a_password() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("database.url=sqlite:{}", folder.path().join("agio.db").display());
    let agio = |arguments: &'static [&'static str]| {
        let mut agio = Command::new(env!("CARGO_BIN_EXE_agio"));
        agio.args(["--set", &database]).args(arguments);
        async move { agio.output().await.unwrap() }
    };
    let invited = agio(&["staff", "add", "--owner", "anna@example.com", "--language", "en"]).await;
    let printed = String::from_utf8(invited.stdout).unwrap();
    assert!(printed.starts_with("http://127.0.0.1:8080/admin/welcome#token=") && printed.lines().count() == 1, "{printed}");
    let other = agio(&["staff", "add", "--email", "boris@example.com", "--role", "operator"]).await;
    assert!(other.status.success() && String::from_utf8(other.stdout).unwrap().contains("/welcome#token="));
    for wrong in [
        &["staff", "add"][..],
        &["staff", "add", "--email", "boris@example.com"],
        &["staff", "add", "--owner", "nobody"],
        &["staff", "restore", "nobody@example.com"],
    ] {
        let refused = agio(wrong).await;
        assert!(!refused.status.success() && refused.stdout.is_empty(), "{wrong:?}");
    }
}

agio_testkit::both_engines!(
    the_console_has_an_address_of_its_own,
    written_forms_answer,
    problems_speak_the_callers_language_and_carry_a_code,
    bad_requests_never_become_faults,
    a_token_that_is_not_valid_does_not_become_a_guest,
    the_house_is_alive_and_ready,
    every_answer_has_a_number_and_is_not_sniffed,
);

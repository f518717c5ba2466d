//! The outer door: what every request meets.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use agio_auth::NewStaff;
use agio_core::identity::Role;
use agio_core::needs::StaffAddresses as _;
use agio_core::texts::Locale;
use agio_testkit::{Caller, Customer, Database, Engine, House};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::process::Command;

use crate::examples::order;

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

/// An address that is called the wrong way says which ways are right.
async fn a_method_that_is_not_taken_is_answered_with_those_that_are(engine: Engine) {
    let house = House::open(engine).await;
    let caller = house.customer();
    for (method, path, allowed) in [
        (Method::DELETE, "/api/v1/claim/", "POST"),
        (Method::DELETE, "/en/api/v1/claim/", "POST"),
        (Method::POST, "/api/v1/claim/2f1c5e0a-5b5e-4f5e-9b5e-2f1c5e0a5b5e/status/", "GET, HEAD"),
        (Method::OPTIONS, "/api/v1/calculator/tech/", "GET, HEAD"),
        (Method::DELETE, "/api/admin/v1/settings", "GET, HEAD, PUT"),
        (Method::POST, "/api/partner/v1/time/", "GET, HEAD"),
        (Method::POST, "/openapi/public.json", "GET, HEAD"),
        (Method::DELETE, "/health/live", "GET, HEAD"),
        (Method::POST, "/nowhere", "GET, HEAD"),
    ] {
        let answer = caller.send(caller.request(method.clone(), path)).await;
        let told = answer.headers.get("allow").and_then(|methods| methods.to_str().ok());
        assert_eq!((answer.status.as_u16(), told), (405, Some(allowed)), "{method} {path}");
    }
}

/// Sends a request as it is written, and reads what is answered.
async fn raw(house: &House, request: &str) -> String {
    let mut stream = TcpStream::connect(house.root.trim_start_matches("http://")).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    tokio::time::timeout(Duration::from_secs(10), stream.read_to_string(&mut answer)).await.unwrap().unwrap();
    answer
}

async fn a_request_names_one_host(engine: Engine) {
    let house = House::open(engine).await;
    for (version, hosts, status) in [
        ("1.1", "Host: agio.example\r\n", "200"),
        ("1.1", "", "400"),
        ("1.1", "Host: agio.example\r\nHost: agio.example\r\n", "400"),
        ("1.1", "Host: agio.example\r\nHost: evil.example\r\n", "400"),
        ("1.0", "", "200"),
        ("1.0", "Host: agio.example\r\nHost: evil.example\r\n", "400"),
    ] {
        let answer = raw(&house, &format!("GET /health/live HTTP/{version}\r\n{hosts}Connection: close\r\n\r\n")).await;
        assert_eq!(answer.split(' ').nth(1), Some(status), "{version} {hosts:?}: {answer}");
        assert!(status == "200" || answer.contains("\"host_required\""), "{answer}");
    }
}

/// The name of a scheme is the same in capitals.
async fn a_token_is_taken_whatever_case_its_scheme_is_in(engine: Engine) {
    let house = House::open(engine).await;
    let token = |caller: &Caller| {
        let request = caller.request(Method::GET, "/").build().unwrap();
        request.headers()["authorization"].to_str().unwrap().split_once(' ').unwrap().1.to_owned()
    };
    let (anna, owner) = (Customer::at(&house, "anna@example.com").await, house.owner().await);
    let guest = house.customer();
    for (path, token) in [("/api/v1/users/me/sessions/", token(&anna.caller)), ("/api/admin/v1/dashboard", token(&owner))] {
        for scheme in ["Bearer", "bearer", "BEARER"] {
            let request = guest.request(Method::GET, path).header("authorization", format!("{scheme} {token}"));
            guest.send(request).await.ok();
        }
        let request = guest.request(Method::GET, path).header("authorization", format!("Basic {token}"));
        guest.send(request).await.refused(401, "token_not_valid");
    }
}

/// A body is what is published: not a list of its values, and no null where none is written.
async fn a_body_is_an_object_and_null_is_no_value(engine: Engine) {
    let house = House::open(engine).await;
    let (customer, owner) = (house.customer(), house.owner().await);
    let refused = customer.post("/front-api/auth/login/", json!(["anna@example.com", "a password"])).await;
    refused.refused(400, "malformed_body");
    for (place, field) in [("/quoteId", "quoteId"), ("/extras/promo", "extras.promo")] {
        let mut order = order(&house, "0.005");
        let (inside, name) = place.rsplit_once('/').unwrap();
        order.pointer_mut(inside).unwrap()[name] = Value::Null;
        let refused = customer.post("/api/v1/claim/", order).await.refused(400, "malformed_body");
        assert_eq!(refused["errors"][field][0]["code"], "wrong_type", "{refused}");
    }
    let refused = owner.put("/api/admin/v1/settings", json!([])).await.refused(400, "malformed_body");
    assert_eq!(refused["errors"], json!({}));
}

/// Proxies that are not trusted say nothing; of those that are the last line counts, and a network of IPv6 is one caller.
async fn calls_are_counted_by_the_address_a_trusted_proxy_wrote(engine: Engine) {
    let house = House::open_on(Database::furnished(engine).await, |config| config.server.calls_per_minute = 2).await;
    let caller = house.customer();
    let call = async |lines: &[&str]| {
        let mut request = caller.request(Method::GET, "/api/v1/calculator/tech/");
        for line in lines {
            request = request.header("x-forwarded-for", *line);
        }
        caller.send(request).await.status.as_u16()
    };
    for forged in ["192.0.2.1", "192.0.2.2"] {
        assert_eq!(call(&[forged, "203.0.113.9"]).await, 200);
    }
    assert_eq!(call(&["192.0.2.3", "203.0.113.9"]).await, 429, "another first line is not another caller");
    assert_eq!(call(&["192.0.2.4, 203.0.113.9:4711"]).await, 429, "nor is another entry before, nor a port");
    for (address, status) in [("2001:db8::1", 200), ("2001:db8::2", 200), ("[2001:db8::3]:443", 429), ("2001:db8:0:1::1", 200)] {
        assert_eq!(call(&[address]).await, status, "{address}");
    }
}

async fn one_caller_does_not_have_every_stream(engine: Engine) {
    let house = House::open_on(Database::furnished(engine).await, |config| config.connections.streams_per_caller = 2).await;
    let guest = house.customer();
    let made = guest.post("/api/v1/claim/", order(&house, "0.005")).await.ok();
    let events = format!("/api/v1/claim/{}/events/", made["id"].as_str().unwrap());
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut stream = guest.follow(&events).await;
        stream.event().await.unwrap();
        open.push(stream);
    }
    let refused = tokio::time::timeout(Duration::from_secs(10), guest.get(&events)).await.expect("it is no stream");
    assert_eq!(refused.headers["retry-after"], "30");
    refused.refused(429, "too_many_requests");
    let mut other = guest.clone().from_address("203.0.113.9").follow(&events).await;
    other.event().await.unwrap();
    let operator = house.operator().await;
    let mut staff = operator.follow("/api/admin/v1/live").await;
    assert_eq!(staff.status, 200);
    staff.event().await;
    drop(open);
    let again = async {
        while guest.follow(&events).await.status != 200 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), again).await.expect("what is closed makes room");
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

/// Whatever the shell it is started from allows others, the database, the keys and the folders they lie in are their owner's alone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_process_makes_is_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut agio = Command::new("sh");
    agio.args(["-c", "umask 0 && exec \"$@\"", "sh", env!("CARGO_BIN_EXE_agio"), "--set"]);
    agio.arg(format!("database.url=sqlite:{}", folder.path().join("below/agio.db").display()));
    let invited = agio.args(["staff", "add", "--owner", "anna@example.com"]).output().await.unwrap();
    assert!(invited.status.success(), "{}", String::from_utf8_lossy(&invited.stderr));
    let below = folder.path().join("below");
    let made = std::fs::read_dir(&below).unwrap().map(|entry| entry.unwrap().path()).chain([below.clone()]);
    let modes: Vec<_> = made.map(|path| (path.metadata().unwrap().permissions().mode() & 0o077, path)).collect();
    assert!(modes.len() > 2 && modes.iter().all(|(of_others, _)| *of_others == 0), "{modes:?}");
}

/// The demonstration's logins are printed in the source: neither they nor made-up payment details get into an exchange in service.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_made_up_gets_into_an_exchange_in_service() {
    let folder = tempfile::tempdir().unwrap();
    let agio = |file: &str, arguments: &'static [&'static str]| {
        let mut agio = Command::new(env!("CARGO_BIN_EXE_agio"));
        agio.arg("--set").arg(format!("database.url=sqlite:{}", folder.path().join(file).display()));
        agio.args(["--set", "server.listen=127.0.0.1:0", "--set", "log.filter=off"]).args(arguments).kill_on_drop(true);
        async move {
            let output = tokio::time::timeout(Duration::from_secs(60), agio.output()).await.expect("it ends").unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            if output.status.success() { Ok(()) } else { Err(said) }
        }
    };
    for seed in ["demo", "bench"] {
        let refused = agio("new.db", if seed == "demo" { &["seed", "demo"] } else { &["seed", "bench"] }).await.unwrap_err();
        assert!(refused.contains("--profile demo"), "{refused}");
    }
    assert!(!folder.path().join("new.db").exists(), "nothing was opened");
    let network = agio("new.db", &["--set", "demo.sandbox_chain=127.0.0.1:18999", "serve"]).await.unwrap_err();
    assert!(network.contains("--profile demo"), "{network}");

    agio("demo.db", &["--profile", "demo", "--set", "demo.sandbox_chain=", "seed", "demo"]).await.unwrap();
    let served = agio("demo.db", &["serve"]).await.unwrap_err();
    assert!(served.contains("everybody knows their passwords"), "{served}");
    agio("demo.db", &["--profile", "demo", "--set", "demo.sandbox_chain=", "seed", "demo"])
        .await
        .expect("it may be seeded again");
}

async fn a_database_with_staff_of_its_own_gets_nothing_made_up(engine: Engine) {
    let house = House::open(engine).await;
    let anna = NewStaff {
        email: "anna@example.com".into(),
        name: "Anna".into(),
        role: Role::Owner,
        password: "correct horse battery".into(),
    };
    house.app.auth.add_staff(anna).await.unwrap();
    let before = house.app.auth.addresses().await.unwrap();
    for seed in ["demo", "bench"] {
        let mut agio = Command::new(env!("CARGO_BIN_EXE_agio"));
        agio.args(["--profile", "demo", "--set", &format!("database.url={}", house.database().url), "seed", seed]);
        let output = agio.env("AGIO__SECRETS__KEYS", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=").output().await.unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains("staff of its own"), "{said}");
    }
    assert_eq!(house.app.auth.addresses().await.unwrap(), before);
}

agio_testkit::both_engines!(
    a_method_that_is_not_taken_is_answered_with_those_that_are,
    a_request_names_one_host,
    a_token_is_taken_whatever_case_its_scheme_is_in,
    a_body_is_an_object_and_null_is_no_value,
    calls_are_counted_by_the_address_a_trusted_proxy_wrote,
    one_caller_does_not_have_every_stream,
    the_console_has_an_address_of_its_own,
    written_forms_answer,
    problems_speak_the_callers_language_and_carry_a_code,
    bad_requests_never_become_faults,
    a_token_that_is_not_valid_does_not_become_a_guest,
    the_house_is_alive_and_ready,
    every_answer_has_a_number_and_is_not_sniffed,
    a_database_with_staff_of_its_own_gets_nothing_made_up,
);

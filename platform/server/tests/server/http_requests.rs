//! The middleware, health checks, and the command line.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use agio_auth::NewStaff;
use agio_contracts::StaffEmails as _;
use agio_core::fetch_one;
use agio_core::identity::Role;
use agio_core::texts::Locale;
use agio_server::demo;
use agio_server::http::arrival;
use agio_test_app::{Database, Engine, TestApp, TestClient, TestCustomer};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::process::Command;

use crate::examples::order;
use crate::ledger_consistency::assert_sums_agree;

/// Every specified path of the public API responds, also under /en.
async fn specified_paths_respond(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customer = app.visitor();
    for root in ["", "/en"] {
        for path in ["/", "/from/", "/reserves/", "/settings/", "/tech/", "/rates/"] {
            customer.get(&format!("{root}/api/v1/calculator{path}")).await.ok();
        }
        customer.get(&format!("{root}/api/v1/claim/captchacheck")).await.ok();
        customer.get(&format!("{root}/api/v1/calculator")).await.ok();
    }
}

async fn problems_have_a_code_and_the_callers_language(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customer = app.visitor();
    let russian = customer.get("/api/v1/nowhere/").await.refused(404, "not_found");
    let english = customer.get("/en/api/v1/nowhere/").await.refused(404, "not_found");
    assert_eq!(russian["detail"], "Здесь ничего нет.");
    assert_eq!(english["detail"], "Not found.");
    assert_ne!(russian["requestId"], english["requestId"]);
}

async fn bad_requests_never_cause_server_errors(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customer = app.visitor();
    customer.post_raw("/api/v1/claim/", "application/json", "{").await.refused(400, "malformed_body");
    customer.post_raw("/api/v1/claim/", "application/json", "[]").await.refused(400, "malformed_body");
    customer.post_raw("/api/v1/claim/", "text/plain", "{}").await.refused(415, "unsupported_media");
    customer.post_raw("/api/v1/claim/", "application/json", vec![b' '; 100_000]).await.refused(413, "too_large");
    customer.get("/api/v1/calculator/from/first/").await.refused(400, "malformed_parameter");
    customer.post("/api/v1/calculator/tech/", json!({})).await.refused(405, "method_not_allowed");
}

async fn an_invalid_token_is_refused(engine: Engine) {
    let app = TestApp::start(engine).await;
    let forger = app.visitor().with_token("eyJhbGciOiJub25lIn0.e30.");
    forger.get("/api/v1/calculator/tech/").await.refused(401, "token_not_valid");
    forger.get("/api/admin/v1/auth/me").await.refused(401, "token_not_valid");
    app.visitor().get("/api/admin/v1/auth/me").await.refused(401, "token_not_valid");
}

async fn health_checks_succeed(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customer = app.visitor();
    assert_eq!(customer.get("/health/live").await.status, 200);
    let checks = async |path: &str, status: u16| {
        let answer = customer.get(path).await;
        assert_eq!(answer.status, status, "{}", answer.text);
        answer.json()["checks"].clone()
    };
    assert_eq!(checks("/health/ready", 200).await, json!({ "database": true }));
    let open = json!({ "database": true, "writes": true, "checked": true, "ledger": true, "open": true });
    assert_eq!(checks("/health/claims", 200).await, open);

    // The site stays with its balancer while no claims are accepted.
    app.owner().await.put("/api/admin/v1/tech", json!({ "on": true, "time": null })).await.ok();
    checks("/health/ready", 200).await;
    assert_eq!(checks("/health/claims", 503).await["open"], false);
}

/// The proxies in front are nobody's business but that of who has the keys.
async fn only_the_doctor_learns_how_a_request_arrives(engine: Engine) {
    let app = TestApp::start(engine).await;
    let visitor = app.visitor();
    let ask = async |proof: &str| {
        let request = visitor.request(Method::GET, "/health/live").header("x-agio-doctor", proof);
        visitor.send(request.header("x-forwarded-for", "192.0.2.99")).await.ok()
    };
    let vault = &app.server.platform.vault;
    let proof = arrival::proof(vault, &*app.server.platform.clock);
    let told = ask(&proof).await;
    assert_eq!((&told["peer"], &told["lines"]), (&json!("127.0.0.1"), &json!(["192.0.2.99"])), "{told}");
    let other = agio_core::Vault::temporary(std::sync::Arc::new(agio_core::random::SecretRandom::default()));
    let of_others = arrival::proof(&other, &*app.server.platform.clock);
    for wrong in ["yes".to_owned(), of_others, vault.seal("another purpose", b"0")] {
        assert_eq!(ask(&wrong).await["ready"], true, "{wrong}");
    }
    app.advance_clock(std::time::Duration::from_secs(600));
    assert_eq!(ask(&proof).await["ready"], true, "it is too old");
}

async fn every_response_has_a_request_id_and_nosniff(engine: Engine) {
    let app = TestApp::start(engine).await;
    let answer = app.visitor().get("/api/v1/calculator/tech/").await;
    assert_eq!(answer.headers["x-request-id"].len(), 32);
    assert_eq!(answer.headers["x-content-type-options"], "nosniff");
}

async fn unsupported_methods_are_refused_with_allow(engine: Engine) {
    let app = TestApp::start(engine).await;
    let caller = app.visitor();
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
        let allow = answer.headers.get("allow").and_then(|methods| methods.to_str().ok());
        assert_eq!((answer.status.as_u16(), allow), (405, Some(allowed)), "{method} {path}");
    }
}

/// Sends a raw request and reads the response.
async fn raw(app: &TestApp, request: &str) -> String {
    let mut stream = TcpStream::connect(app.root.trim_start_matches("http://")).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    tokio::time::timeout(Duration::from_secs(10), stream.read_to_string(&mut answer)).await.unwrap().unwrap();
    answer
}

async fn requests_have_exactly_one_host(engine: Engine) {
    let app = TestApp::start(engine).await;
    for (version, hosts, status) in [
        ("1.1", "Host: agio.example\r\n", "200"),
        ("1.1", "", "400"),
        ("1.1", "Host: agio.example\r\nHost: agio.example\r\n", "400"),
        ("1.1", "Host: agio.example\r\nHost: evil.example\r\n", "400"),
        ("1.0", "", "200"),
        ("1.0", "Host: agio.example\r\nHost: evil.example\r\n", "400"),
    ] {
        let answer = raw(&app, &format!("GET /health/live HTTP/{version}\r\n{hosts}Connection: close\r\n\r\n")).await;
        assert_eq!(answer.split(' ').nth(1), Some(status), "{version} {hosts:?}: {answer}");
        assert!(status == "200" || answer.contains("\"host_required\""), "{answer}");
    }
}

async fn the_bearer_scheme_is_case_insensitive(engine: Engine) {
    let app = TestApp::start(engine).await;
    let token = |caller: &TestClient| {
        let request = caller.request(Method::GET, "/").build().unwrap();
        request.headers()["authorization"].to_str().unwrap().split_once(' ').unwrap().1.to_owned()
    };
    let (anna, owner) = (TestCustomer::registered(&app, "anna@example.com").await, app.owner().await);
    let guest = app.visitor();
    for (path, token) in [("/api/v1/users/me/sessions/", token(&anna.caller)), ("/api/admin/v1/dashboard", token(&owner))] {
        for scheme in ["Bearer", "bearer", "BEARER"] {
            let request = guest.request(Method::GET, path).header("authorization", format!("{scheme} {token}"));
            guest.send(request).await.ok();
        }
        let request = guest.request(Method::GET, path).header("authorization", format!("Basic {token}"));
        guest.send(request).await.refused(401, "token_not_valid");
    }
}

async fn bodies_are_objects_and_null_is_not_a_value(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (customer, owner) = (app.visitor(), app.owner().await);
    let refused = customer.post("/front-api/auth/login/", json!(["anna@example.com", "a password"])).await;
    refused.refused(400, "malformed_body");
    for (place, field) in [("/quoteId", "quoteId"), ("/extras/promo", "extras.promo")] {
        let mut order = order(&app, "0.005");
        let (inside, name) = place.rsplit_once('/').unwrap();
        order.pointer_mut(inside).unwrap()[name] = Value::Null;
        let refused = customer.post("/api/v1/claim/", order).await.refused(400, "malformed_body");
        assert_eq!(refused["errors"][field][0]["code"], "wrong_type", "{refused}");
    }
    let refused = owner.put("/api/admin/v1/settings", json!([])).await.refused(400, "malformed_body");
    assert_eq!(refused["errors"], json!({}));
}

/// Untrusted proxies are ignored, the last line of trusted ones counts, and an IPv6 network is one caller.
async fn rate_limits_use_the_address_from_a_trusted_proxy(engine: Engine) {
    let app = TestApp::start_with(Database::with_market(engine).await, |config| config.server.calls_per_minute = 2).await;
    let caller = app.visitor();
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

/// A caller who guesses tokens is slowed down like anybody else.
async fn callbacks_count_towards_the_limit(engine: Engine) {
    let app = TestApp::start_with(Database::with_market(engine).await, |config| config.server.calls_per_minute = 2).await;
    let caller = app.visitor();
    for status in [404, 404, 429] {
        assert_eq!(caller.post_empty("/hooks/payments-http/guessed").await.status.as_u16(), status);
    }
}

async fn event_streams_are_limited_per_caller(engine: Engine) {
    let app = TestApp::start_with(Database::with_market(engine).await, |config| config.connections.streams_per_caller = 2).await;
    let guest = app.visitor();
    let created = guest.post("/api/v1/claim/", order(&app, "0.005")).await.ok();
    let events = format!("/api/v1/claim/{}/events/", created["id"].as_str().unwrap());
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut stream = guest.open_stream(&events).await;
        stream.next_event().await.unwrap();
        open.push(stream);
    }
    let refused = tokio::time::timeout(Duration::from_secs(10), guest.get(&events)).await.expect("it is no stream");
    assert_eq!(refused.headers["retry-after"], "30");
    refused.refused(429, "too_many_requests");
    let mut other = guest.clone().from_address("203.0.113.9").open_stream(&events).await;
    other.next_event().await.unwrap();
    let operator = app.operator().await;
    let mut staff = operator.open_stream("/api/admin/v1/live").await;
    assert_eq!(staff.status, 200);
    staff.next_event().await;
    drop(open);
    let again = async {
        while guest.open_stream(&events).await.status != 200 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), again).await.expect("closed connections free the limit");
}

/// With its own listener, the console and its API are available only there, and nothing public is.
async fn the_console_may_have_its_own_listener(engine: Engine) {
    let app = TestApp::start_with(Database::with_market(engine).await, |config| {
        config.admin.listen = Some("127.0.0.1:0".parse().unwrap());
        config.admin.public_url = "https://console.exchange.example/".into();
    })
    .await;
    assert_ne!(app.root, app.console);
    let [public, console] = [&app.root, &app.console].map(|root| TestClient::at(root).without_problem_code_check());
    let owner = app.owner().await.without_problem_code_check();
    owner.get("/api/admin/v1/dashboard").await.ok();
    owner.clone().at_node(&app.root).get("/api/admin/v1/dashboard").await.refused(404, "not_found");
    for path in ["/api/admin/v1/auth/me", "/admin/", "/admin/claims", "/help/", "/docs/admin", "/openapi/admin.json"] {
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
    // The root redirects to the console, which is not built in tests.
    assert_eq!(console.get("/").await.status, 503);
    for listener in [&public, &console] {
        assert_eq!(listener.get("/health/live").await.status, 200);
        listener.get("/health/ready").await.ok();
    }
    let link = app.server.auth.invite_from_cli("vera@agio.example", Role::Editor, Locale::Ru).await.unwrap();
    assert!(link.starts_with("https://console.exchange.example/admin/welcome#token="), "{link}");
}

/// A path whose parameters name nothing that exists.
fn path_of_nothing(path: &str, operation: &Value) -> String {
    operation["parameters"].as_array().into_iter().flatten().filter(|parameter| parameter["in"] == "path").fold(
        path.to_owned(),
        |path, parameter| {
            let schema = &parameter["schema"];
            let value = match (&schema["format"], &schema["type"]) {
                (format, _) if format == "uuid" => uuid::Uuid::nil().to_string(),
                (_, kind) if kind == "integer" => "987654321".to_owned(),
                _ => "nothing".to_owned(),
            };
            path.replace(&format!("{{{}}}", parameter["name"].as_str().unwrap()), &value)
        },
    )
}

/// The documents list the refusal as well: [`TestClient`] fails on every code that they do not list.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn resources_that_do_not_exist_are_not_found() {
    let app = TestApp::start(Engine::Sqlite).await;
    let owner = app.owner().await;
    let documents = app.server.generate_documents();
    let (mut tried, mut others) = (0, Vec::new());
    for (path, operations) in documents.files().into_iter().flat_map(|(_, document)| document["paths"].as_object().unwrap()) {
        let is_for_staff = path.starts_with("/api/admin/") && path.contains('{');
        for (method, operation) in operations.as_object().unwrap().iter().filter(|_| is_for_staff) {
            // What is not in a closed set is malformed.
            let is_of_closed_set = operation["parameters"]
                .as_array()
                .into_iter()
                .flatten()
                .any(|parameter| parameter["in"] == "path" && parameter["schema"].get("$ref").is_some());
            if operation.get("requestBody").is_some() || is_of_closed_set {
                continue;
            }
            let method: Method = method.to_uppercase().parse().unwrap();
            let answer = owner.send(owner.request(method, &path_of_nothing(path, operation))).await;
            tried += 1;
            if answer.status != 404 {
                others.push(format!("{}: {} {}", operation["operationId"], answer.status, answer.text));
            }
        }
    }
    assert!(others.is_empty(), "{others:#?}");
    assert!(tried > 40, "{tried} operations");
}

/// Outside the demo, staff choose their own passwords.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_line_prints_an_invitation_link() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("database.url=sqlite:{}", folder.path().join("agio.db").display());
    let agio = |arguments: &'static [&'static str]| {
        let mut agio = Command::new(env!("CARGO_BIN_EXE_agio"));
        agio.args(["--set", &database]).args(arguments);
        async move { agio.output().await.unwrap() }
    };
    assert!(agio(&["migrate"]).await.status.success());
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

/// The umask of the shell does not matter: the database, the keys and their folders are private.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_created_by_the_process_are_private() {
    let folder = tempfile::tempdir().unwrap();
    let mut agio = Command::new("sh");
    agio.args(["-c", "umask 0 && exec \"$@\"", "sh", env!("CARGO_BIN_EXE_agio"), "--set"]);
    agio.arg(format!("database.url=sqlite:{}", folder.path().join("below/agio.db").display()));
    let created = agio.arg("migrate").output().await.unwrap();
    assert!(created.status.success(), "{}", String::from_utf8_lossy(&created.stderr));
    let below = folder.path().join("below");
    let created = std::fs::read_dir(&below).unwrap().map(|entry| entry.unwrap().path()).chain([below.clone()]);
    let modes: Vec<_> = created.map(|path| (path.metadata().unwrap().permissions().mode() & 0o077, path)).collect();
    assert!(modes.len() > 2 && modes.iter().all(|(of_others, _)| *of_others == 0), "{modes:?}");
}

/// The demo logins are public: neither they nor example payment details may get into production.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn demo_data_never_gets_into_production() {
    let folder = tempfile::tempdir().unwrap();
    let agio = |file: &str, arguments: &'static [&'static str]| {
        let mut agio = Command::new(env!("CARGO_BIN_EXE_agio"));
        agio.arg("--set").arg(format!("database.url=sqlite:{}", folder.path().join(file).display()));
        agio.args(["--set", "server.listen=127.0.0.1:0", "--set", "log.filter=off"]).args(arguments).kill_on_drop(true);
        async move {
            let output = tokio::time::timeout(Duration::from_secs(60), agio.output()).await.expect("it ends").unwrap();
            let message = String::from_utf8(output.stderr).unwrap();
            if output.status.success() { Ok(()) } else { Err(message) }
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
    assert!(served.contains("public demo logins"), "{served}");
    agio("demo.db", &["--profile", "demo", "--set", "demo.sandbox_chain=", "seed", "demo"])
        .await
        .expect("it may be seeded again");
}

async fn a_database_with_real_staff_is_not_seeded(engine: Engine) {
    let app = TestApp::start(engine).await;
    let anna = NewStaff {
        email: "anna@example.com".into(),
        name: "Anna".into(),
        role: Role::Owner,
        password: "correct horse battery".into(),
    };
    app.server.auth.add_staff(anna).await.unwrap();
    let before = app.server.auth.addresses().await.unwrap();
    for seed in ["demo", "bench"] {
        let mut agio = Command::new(env!("CARGO_BIN_EXE_agio"));
        agio.args(["--profile", "demo", "--set", &format!("database.url={}", app.database().url), "seed", seed]);
        let output = agio.env("AGIO__SECRETS__KEYS", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=").output().await.unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && message.contains("real staff"), "{message}");
    }
    assert_eq!(app.server.auth.addresses().await.unwrap(), before);
}

/// The history for load tests: what a stopped run left undone is made by the next one.
async fn a_history_is_seeded_in_parts(engine: Engine) {
    let app = TestApp::start(engine).await;
    for claims in [10, 30, 20] {
        demo::seed_load(&app.server, claims).await.unwrap();
    }
    let (mut tx, count) = (app.server.platform.db.read().await.unwrap(), "SELECT COUNT(*) FROM claim WHERE state = 'completed'");
    assert_eq!(fetch_one!(&mut tx, (i64,), count).unwrap().0, 9);
    drop(tx);
    assert_eq!(app.server.claims.overview(1).await.unwrap().open, 3);
    assert_sums_agree(&app).await;
}

agio_test_app::both_engines!(
    unsupported_methods_are_refused_with_allow,
    requests_have_exactly_one_host,
    the_bearer_scheme_is_case_insensitive,
    bodies_are_objects_and_null_is_not_a_value,
    rate_limits_use_the_address_from_a_trusted_proxy,
    callbacks_count_towards_the_limit,
    event_streams_are_limited_per_caller,
    the_console_may_have_its_own_listener,
    specified_paths_respond,
    problems_have_a_code_and_the_callers_language,
    bad_requests_never_cause_server_errors,
    an_invalid_token_is_refused,
    health_checks_succeed,
    only_the_doctor_learns_how_a_request_arrives,
    every_response_has_a_request_id_and_nosniff,
    a_database_with_real_staff_is_not_seeded,
    a_history_is_seeded_in_parts,
);

//! From an empty database to the first exchange: the command line, the checklist and the home page.

use std::process::Stdio;
use std::time::Duration;

use agio_core::identity::Role;
use agio_server::config::Config;
use agio_test_app::{Database, Engine, TestApp, TestClient, both_engines, free_port};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStderr, Command};
use totp_rs::{Builder, Secret};

const START_TIMEOUT: Duration = Duration::from_secs(60);

const STEPS: [&str; 11] = [
    "contacts",
    "region",
    "base_currency",
    "mail",
    "currencies",
    "rates",
    "pairs",
    "reserves",
    "payment_details",
    "second_factor",
    "first_exchange",
];

/// The steps that are done.
async fn done(staff: &TestClient) -> Vec<String> {
    let setup = staff.get("/api/admin/v1/setup").await.ok();
    let steps = setup["steps"].as_array().unwrap();
    assert_eq!(steps.iter().map(|step| step["step"].as_str().unwrap()).collect::<Vec<_>>(), STEPS);
    let is_first_exchange_done = steps.iter().any(|step| step["step"] == "first_exchange" && step["done"] == true);
    assert_eq!(setup["completed"], is_first_exchange_done);
    let done = steps.iter().filter(|step| step["done"] == true);
    done.map(|step| step["step"].as_str().unwrap().to_owned()).collect()
}

/// Makes a call and asserts that it completes exactly this step.
async fn completes<T>(staff: &TestClient, step: &str, call: impl Future<Output = T>) -> T {
    let mut before = done(staff).await;
    assert!(!before.contains(&step.to_owned()), "{step} is done already");
    let answer = call.await;
    before.push(step.to_owned());
    before.sort_by_key(|step| STEPS.iter().position(|known| known == step));
    assert_eq!(done(staff).await, before, "{step}");
    answer
}

fn text(ru: &str, en: &str) -> Value {
    json!({ "ru": ru, "en": en })
}

fn bitcoin() -> Value {
    json!({
        "code": "BTC", "ticker": "BTC", "name": text("Биткоин", "Bitcoin"), "network": text("Bitcoin", "Bitcoin"), "kind": "crypto",
        "icon": "btc", "scale": 8, "roundCalculator": 8, "send": true, "receive": true,
        "inputs": [{
            "name": "address", "kind": "btc", "label": text("Адрес", "Address"), "required": true, "send": false, "receive": true,
        }],
    })
}

fn sberbank() -> Value {
    json!({
        "code": "SBERRUB", "ticker": "RUB", "name": text("Сбербанк", "Sberbank"), "network": text("Сбербанк", "Sberbank"), "kind": "bank",
        "icon": "sber", "scale": 2, "roundCalculator": 2, "send": true, "receive": true,
        "inputs": [{
            "name": "card", "kind": "card", "label": text("Карта", "Card"), "required": true, "send": false, "receive": true,
        }],
    })
}

fn cash() -> Value {
    json!({
        "code": "CASHUSD", "ticker": "USD", "name": text("Наличные доллары", "Dollars in cash"),
        "network": text("Наличные", "Cash"), "kind": "cash", "icon": "usd", "scale": 2, "roundCalculator": 2, "send": true,
        "receive": true, "cities": [{ "code": "MSK", "name": text("Москва", "Moscow") }],
        "inputs": [{
            "name": "phone", "kind": "phone", "label": text("Телефон", "Phone"), "required": true, "send": true, "receive": true,
        }],
    })
}

async fn create_currency(owner: &TestClient, currency: Value) -> i64 {
    owner.post("/api/admin/v1/currencies", currency).await.ok()["id"].as_i64().unwrap()
}

/// Every step is done by the deed that it names, and by nothing else.
async fn each_step_is_done_by_its_deed(engine: Engine) {
    let app = TestApp::start_empty(engine).await;
    let owner = app.owner().await;
    assert!(done(&owner).await.is_empty());
    assert!(done(&app.staff(Role::Auditor).await).await.is_empty());

    let contacts = json!({ "site.support_email": "help@exchange.example" });
    completes(&owner, "contacts", owner.put("/api/admin/v1/settings", contacts)).await.ok();
    let mut brand = owner.get("/api/admin/v1/brand").await.ok();
    brand["brand"]["workWeek"]["timeZone"] = json!("Europe/Moscow");
    let update = json!({ "revision": brand["revision"], "brand": brand["brand"] });
    completes(&owner, "region", owner.put("/api/admin/v1/brand", update)).await.ok();
    let base = json!({ "rates.base": "USDT" });
    completes(&owner, "base_currency", owner.put("/api/admin/v1/settings", base)).await.ok();
    let bitcoin = completes(&owner, "currencies", create_currency(&owner, bitcoin())).await;
    let roubles = create_currency(&owner, sberbank()).await;

    let set = json!({ "source": "manual", "manualRate": "6000000" });
    let new = json!({ "giveIds": [bitcoin], "receiveIds": [roubles], "set": set, "dryRun": false });
    let created = completes(&owner, "rates", owner.post("/api/admin/v1/pairs", new)).await.ok();
    assert_eq!(created["created"], 1);
    let pair = owner.get("/api/admin/v1/pairs").await.ok()[0].clone();
    let enable = json!({ "revision": pair["revision"], "enabled": true });
    completes(&owner, "pairs", owner.patch(&format!("/api/admin/v1/pairs/{}", pair["id"]), enable)).await.ok();

    // What no pair pays out or takes opens nothing: neither its reserve, nor that cash needs no payment details.
    let cash = create_currency(&owner, cash()).await;
    let deposit = json!({ "amount": "1000000", "reason": "deposit", "note": "The first reserve" });
    let movements = |currency: i64| format!("/api/admin/v1/reserves/{currency}/movements");
    owner.post(&movements(cash), deposit.clone()).await.ok();
    completes(&owner, "reserves", owner.post(&movements(roubles), deposit)).await.ok();
    // Details that are switched off help nobody to pay.
    let details = json!({ "currencyId": bitcoin, "value": "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", "enabled": false });
    let added = owner.post("/api/admin/v1/requisites", details).await.ok();
    let enable = json!({ "enabled": true });
    let path = format!("/api/admin/v1/requisites/{}", added["id"].as_str().unwrap());
    completes(&owner, "payment_details", owner.patch(&path, enable)).await.ok();

    completes(&owner, "first_exchange", exchange(&app, &owner, (bitcoin, roubles))).await;
    completes(&owner, "second_factor", set_up_second_factor(&app, &owner)).await;
    // It is each staff member's own.
    assert!(!done(&app.staff(Role::Auditor).await).await.contains(&"second_factor".to_owned()));

    let node = app.another_node_with(|config| config.mail.server = "127.0.0.1:2525".into()).await;
    assert_eq!(done(&owner.clone().at_node(&node.root)).await, STEPS);
}

/// A claim from its creation to its completion.
async fn exchange(app: &TestApp, owner: &TestClient, (from, to): (i64, i64)) {
    let customer = app.visitor();
    let order = json!({
        "email": "ivan@example.com", "fromPs": from, "toPs": to, "fromSumma": "0.01", "toSumma": "60000",
        "fromRequisites": {}, "toRequisites": { "card": "2200000000000004" },
        "extras": { "termsVersion": "1", "amlConsent": true, "ownFunds": true },
    });
    let created = customer.post("/api/v1/claim/", order).await.ok();
    let id = created["id"].as_str().unwrap();
    for step in ["confirm", "paid"] {
        customer.post_empty(&format!("/api/v1/claim/{id}/{step}/")).await.ok();
    }
    for step in [
        json!({ "action": "payment_received", "txId": "in-1" }),
        json!({ "action": "take" }),
        json!({ "action": "payout_sent", "txId": "out-1" }),
        json!({ "action": "complete" }),
    ] {
        let claim = format!("/api/admin/v1/claims/{id}");
        let mut body = step;
        body["revision"] = owner.get(&claim).await.ok()["revision"].clone();
        owner.post(&format!("{claim}/transitions"), body).await.ok();
    }
}

async fn set_up_second_factor(app: &TestApp, staff: &TestClient) {
    let begun = staff.post("/api/admin/v1/me/second-factor", json!({ "password": TestApp::PASSWORD })).await.ok();
    let secret = Secret::try_from_base32(begun["secret"].as_str().unwrap()).unwrap();
    let authenticator = Builder::new().with_secret(secret).with_account_name("owner").build().unwrap();
    let code = authenticator.generate(app.now().as_seconds().unsigned_abs()).to_string();
    staff.post("/api/admin/v1/me/second-factor/confirm", json!({ "code": code })).await.ok();
}

/// The built site, reduced to its home pages.
fn configure_site(folder: &std::path::Path) -> impl FnOnce(&mut Config) {
    std::fs::create_dir_all(folder.join("en")).unwrap();
    for (file, content) in [
        ("index.html", "Обмен"),
        ("opening.html", "Скоро откроемся"),
        ("en/index.html", "Exchange"),
        ("en/opening.html", "Opening soon"),
    ] {
        std::fs::write(folder.join(file), content).unwrap();
    }
    let folder = folder.to_owned();
    move |config| config.sites.public = folder
}

async fn home(app: &TestApp, path: &str) -> String {
    app.visitor().get(path).await.text
}

/// The home page follows the market at once: the last pair that goes closes it, and the first one opens it.
async fn the_home_page_announces_the_opening(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let app = TestApp::start_with(Database::with_market(engine).await, configure_site(folder.path())).await;
    let owner = app.owner().await;
    assert_eq!((home(&app, "/").await.as_str(), home(&app, "/en").await.as_str()), ("Обмен", "Exchange"));

    let pairs = owner.get("/api/admin/v1/pairs").await.ok();
    let ids: Vec<_> = pairs.as_array().unwrap().iter().map(|pair| pair["id"].clone()).collect();
    owner.post("/api/admin/v1/pairs/bulk", json!({ "ids": ids, "set": { "enabled": false } })).await.ok();
    assert_eq!((home(&app, "/").await.as_str(), home(&app, "/en").await.as_str()), ("Скоро откроемся", "Opening soon"));
    assert_eq!(home(&app, "/?cur_from=BTC&cur_to=SBERRUB").await, "Скоро откроемся");

    owner.post("/api/admin/v1/pairs/bulk", json!({ "ids": [ids[0]], "set": { "enabled": true } })).await.ok();
    assert_eq!((home(&app, "/").await.as_str(), home(&app, "/en/").await.as_str()), ("Обмен", "Exchange"));
}

/// `agio serve` on an SQLite database in this folder and on this port, with its log.
fn serve(folder: &std::path::Path, port: u16) -> (Child, Lines<BufReader<ChildStderr>>) {
    let mut agio = command(folder, port);
    let mut agio = agio.arg("serve").stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let log = BufReader::new(agio.stderr.take().unwrap()).lines();
    (agio, log)
}

fn command(folder: &std::path::Path, port: u16) -> Command {
    let mut agio = Command::new(env!("CARGO_BIN_EXE_agio"));
    for set in [
        format!("database.url=sqlite:{}", folder.join("agio.db").display()),
        format!("files.receipts={}", folder.join("receipts").display()),
        format!("files.photos={}", folder.join("photos").display()),
        format!("server.listen=127.0.0.1:{port}"),
        "sites.public=/dev/null/none".to_owned(),
        "sites.console=/dev/null/none".to_owned(),
    ] {
        agio.args(["--set", &set]);
    }
    agio
}

/// The lines of a log up to the one that says that the server serves.
async fn lines_until_serving(log: &mut Lines<BufReader<ChildStderr>>) -> String {
    let read = async {
        let mut lines = String::new();
        loop {
            let line = log.next_line().await.unwrap().expect("the server keeps running");
            lines.push_str(&line);
            lines.push('\n');
            if line.contains("serving") {
                break lines;
            }
        }
    };
    tokio::time::timeout(START_TIMEOUT, read).await.expect("the server starts")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_staff_the_server_says_how_to_invite_the_owner() {
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    let (mut agio, mut log) = serve(folder.path(), port);
    let said = lines_until_serving(&mut log).await;
    assert!(said.contains("agio staff add --owner EMAIL"), "{said}");

    // The address of the link follows the listener, and the command works while the server runs.
    let invited = command(folder.path(), port).args(["staff", "add", "--owner", "anna@exchange.example"]).output().await.unwrap();
    let link = String::from_utf8(invited.stdout).unwrap();
    let token =
        link.trim().strip_prefix(&format!("http://127.0.0.1:{port}/admin/welcome#token=")).unwrap_or_else(|| panic!("{link}"));
    let anna = TestClient::at(&format!("http://127.0.0.1:{port}"));
    let account = json!({ "token": token, "name": "Anna", "password": TestApp::PASSWORD });
    anna.post("/api/admin/v1/auth/invitation/accept", account).await.ok();

    // A second server on the same database is refused, and one on the same address says which one.
    let second = command(folder.path(), 0).arg("serve").output().await.unwrap();
    let said = String::from_utf8(second.stderr).unwrap();
    assert!(!second.status.success() && said.contains("another server uses sqlite:"), "{said}");
    let elsewhere = tempfile::tempdir().unwrap();
    let taken = command(elsewhere.path(), port).arg("serve").output().await.unwrap();
    let said = String::from_utf8(taken.stderr).unwrap();
    assert!(said.contains(&format!("cannot listen on 127.0.0.1:{port} (server.listen)")), "{said}");

    agio.kill().await.unwrap();
    let (_agio, mut log) = serve(folder.path(), port);
    let said = lines_until_serving(&mut log).await;
    assert!(!said.contains("staff add"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_cannot_be_opened_is_named() {
    for (url, named) in [
        ("sqlite:/dev/null/agio.db", "/dev/null (database.url)"),
        (
            "postgres://agio:hunter2@127.0.0.1:1/agio",
            "postgres://agio:***@127.0.0.1:1/agio (database.url or AGIO__DATABASE__URL)",
        ),
    ] {
        let mut agio = Command::new(env!("CARGO_BIN_EXE_agio"));
        let refused = agio.args(["--set", &format!("database.url={url}"), "serve"]).output().await.unwrap();
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success() && said.contains(named) && !said.contains("hunter2"), "{said}");
    }
}

both_engines!(each_step_is_done_by_its_deed, the_home_page_announces_the_opening);

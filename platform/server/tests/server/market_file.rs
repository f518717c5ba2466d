//! `agio market`: the market as a file.

use std::fs;
use std::time::Duration;

use agio_calculator::{MarketFile, MarketParts};
use agio_core::events::ChangeEvent;
use agio_core::identity::{Actor, Role};
use agio_test_app::{Database, Engine, TestApp};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;

use crate::market_pages::configure_site;
use crate::nodes::wait_for_event;

/// How often a server without notifications looks for changes.
const RELOAD_EVERY: Duration = Duration::from_secs(10);

/// A market file and the commands on it.
struct File<'a> {
    app: &'a TestApp,
    folder: TempDir,
}

#[derive(Debug)]
struct Output {
    code: i32,
    printed: String,
    errors: String,
}

impl<'a> File<'a> {
    fn new(app: &'a TestApp, text: &str) -> Self {
        let file = Self { app, folder: tempfile::tempdir().unwrap() };
        file.write(text);
        file
    }

    fn write(&self, text: &str) {
        fs::write(self.folder.path().join("market.toml"), text).unwrap();
    }

    async fn run(&self, words: &[&str]) -> Output {
        let database = format!("database.url={}", self.app.database().url);
        let mut agio = Command::new(env!("CARGO_BIN_EXE_agio"));
        agio.args(["--set", &database, "--set", "log.filter=off"])
            .env("AGIO__SECRETS__KEYS", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
        agio.args(["market", words[0], "market.toml"]).args(&words[1..]);
        // The configuration and the folders of the server are not part of the test.
        let output = agio.current_dir(self.folder.path()).output().await.unwrap();
        Output {
            code: output.status.code().unwrap(),
            printed: String::from_utf8(output.stdout).unwrap(),
            errors: String::from_utf8(output.stderr).unwrap(),
        }
    }

    async fn apply(&self) {
        let applied = self.run(&["apply"]).await;
        assert_eq!(applied.code, 0, "{}", applied.errors);
    }
}

async fn export(app: &TestApp) -> String {
    export_with(app, &[]).await
}

async fn export_with(app: &TestApp, flags: &[&str]) -> String {
    let file = File::new(app, "");
    let exported = file.run(&[&["export"], flags].concat()).await;
    assert_eq!(exported.code, 0, "{}", exported.errors);
    fs::read_to_string(file.folder.path().join("market.toml")).unwrap()
}

/// The whole market.
async fn export_whole(app: &TestApp) -> String {
    export_with(app, &["--payment-details"]).await
}

/// The server looks for changes, as it does every few seconds.
async fn reload(app: &TestApp) {
    app.advance_and_run_jobs(RELOAD_EVERY).await;
}

fn with_code<'a>(rows: &'a Value, code: &str) -> &'a Value {
    rows.as_array().unwrap().iter().find(|row| row["code"] == code).unwrap_or_else(|| panic!("{code} is not there"))
}

/// What visitors see of the market, byte for byte: lists, rates, reserves, every pair, the feeds and the pages. Without
/// signed quotes and times of reserves, which are of one answer.
async fn public_answers(app: &TestApp) -> Vec<(String, String)> {
    let visitor = app.visitor();
    let calculator = |path: &str| format!("/api/v1/calculator/{path}");
    let mut paths: Vec<String> = ["", "from/", "rates/", "reserves/", "settings/"].map(calculator).into();
    for give in visitor.get(&calculator("from/")).await.ok().as_array().unwrap() {
        let from = calculator(&format!("from/{give}/"));
        for receive in visitor.get(&from).await.ok().as_array().unwrap() {
            paths.push(calculator(&format!("pair/{give}/{receive}/")));
        }
        paths.push(from);
    }
    let sitemap = visitor.get("/sitemap.xml").await.text;
    let addresses = sitemap.split("<loc>").skip(1).filter_map(|rest| rest.split("</loc>").next()?.split_once("://"));
    let paths_of_pages = addresses.filter_map(|(_, rest)| rest.find('/').map(|start| &rest[start..]));
    let directions: Vec<&str> = paths_of_pages.filter(|page| page.contains("/exchange/")).collect();
    assert!(directions.len() > 20, "{directions:?}");
    let feeds = ["/export/rates.xml", "/export/rates.json", "/export/bestchange/rates.xml"];
    let others = ["/", "/rates", "/en/rates", "/sitemap.xml"].into_iter().chain(feeds);
    paths.extend(others.chain(directions).map(str::to_owned));
    let mut answers = Vec::new();
    for path in paths {
        let answer = visitor.get(&path).await;
        assert_eq!(answer.status, 200, "{path}");
        let text = without(&without(&answer.text, "\"quote\":{", "}"), "\"updatedAt\":\"", "\"");
        answers.push((path, text));
    }
    answers
}

/// The text without each part from one text to another.
fn without(text: &str, from: &str, to: &str) -> String {
    let mut parts = text.split(from);
    let first = parts.next().unwrap_or_default().to_owned();
    first + &parts.map(|part| part.split_once(to).map_or(part, |(_, rest)| rest)).collect::<String>()
}

/// Changes every kind of property through the console.
async fn change_market(app: &TestApp) {
    let owner = app.owner().await;
    let currencies = owner.get("/api/admin/v1/currencies").await.ok();
    let change = |code: &str, change: Value| {
        let currency = with_code(&currencies, code);
        let mut body = change;
        body["revision"] = currency["revision"].clone();
        (format!("/api/admin/v1/currencies/{}", currency["id"]), body)
    };
    let icon = crate::brand::upload_currency_icon(&owner, 200).await.ok()["icon"].clone();
    let name = json!({ "ru": "Биткоин \"зелёный\"", "en": "Bitcoin, 100% \\ new" });
    let (path, body) = change(
        "BTC",
        json!({
            "name": name, "position": 35, "reserveFloor": "0.00000001", "networkFee": "0.00001234", "roundCalculator": 6, "icon": icon,
        }),
    );
    owner.patch(&path, body).await.ok();
    let (path, body) = change("DOGE", json!({ "send": false }));
    owner.patch(&path, body).await.ok();
    let mut inputs = with_code(&currencies, "SBPRUB")["inputs"].clone();
    inputs[1]["pattern"] = json!(r#"[^"'\\]{2,40}"#);
    let (path, body) = change("SBPRUB", json!({ "inputs": inputs }));
    owner.patch(&path, body).await.ok();
    owner.post_empty(&format!("/api/admin/v1/currencies/{}/archive", with_code(&currencies, "SOL")["id"])).await.ok();

    let pairs = owner.get("/api/admin/v1/pairs").await.ok();
    let notice = json!({ "title": "Осторожно: \"сеть\"", "message": "<p>Line one\nline two \\ '''</p>" });
    let notices = json!({ "general": { "ru": notice, "en": notice }, "from": null, "to": null });
    let limits = json!({ "from": { "min": null, "max": "2.5" }, "to": { "min": "1000", "max": null } });
    let tolerance = json!({ "latePercent": "1.25", "amountFixed": "0.0001", "amountPercent": null });
    let body = json!({
        "revision": pairs[0]["revision"], "source": "manual", "manualRate": "6299908.042000000001", "spreadPercent": "-1.000001",
        "fees": { "from": { "fixed": "0.00000001", "percent": "0.5" }, "to": { "fixed": "12.34", "percent": "0" } },
        "tiers": [{ "min": "0", "addPercent": "-0.1" }, { "min": "1", "addPercent": "0.3" }], "limits": limits, "hold": 45,
        "reportedMinutes": 90, "floating": true, "notices": notices, "verification": "identity", "tolerance": tolerance,
        "networkFeePayer": "customer",
    });
    owner.patch(&format!("/api/admin/v1/pairs/{}", pairs[0]["id"]), body).await.ok();
    let enabled = json!({ "revision": pairs[7]["revision"], "enabled": false });
    owner.patch(&format!("/api/admin/v1/pairs/{}", pairs[7]["id"]), enabled).await.ok();
}

/// Settings, rate rules and payment details that the demo does not have.
const RULES: &str = r#"
version = 1

[settings]
site.name = "Зелёный обмен"
"claims.answer_minutes" = 25

[[rateRules]]
give = ["LTC", "ETH"]
receive = ["SBERRUB", "TCSBRUB"]
[rateRules.set]
jumpPercent = "7"
bounds = { floor = "-1", ceiling = "8" }
schedule = { timeZone = "Europe/Moscow", windows = [{ days = [1, 2, 3, 4, 5, 6, 7], from = "00:00", to = "00:00", percent = "-0.25" }] }

[[rateRules]]
give = ["XRP"]
receive = ["SBERRUB"]
set.formula = "market:XRP/RUB * (1 - 1%)"

[[paymentDetails]]
currency = "SBERRUB"
rotation = "least_used"
details = [
  { value = "2202203636004279", holder = "Ольга К.", dailyLimit = "300000", coolingMinutes = 10 },
  { value = "2200000000000004", enabled = false, oneTime = true },
]
"#;

/// What other modules keep of a market.
const PARTS: &str = r##"
version = 1

[brand]
accent = "#0b6e4f"
typeface = "inter"
telegram = "@green_exchange"
description = { ru = "Обмен без спешки.", en = "Exchange without haste." }
links = [{ kind = "review", label = "BestChange", url = "https://www.bestchange.example/green" }]

[[rateSources]]
name = "binance"
everySeconds = 10
priority = 10

[[paymentRoutes]]
currency = "LTC"
driver = "sandbox-chain"
confirmations = 3
tolerance = "0.0001"
autoPayout = true
claimLimit = "2.5"
dayLimit = "10"

[[aggregators]]
slug = "bestchange"
name = "BestChange"
marks = ["reg"]
codes = { USDTTRC20 = "USDTTRC" }

[[feedDirections]]
give = ["BTC", "LTC"]
receive = ["SBERRUB", "TCSBRUB"]
[feedDirections.set]
listed = false
marks = ["delay"]
"##;

/// Enables the plugins that a file names: it does not do so itself.
async fn enable_plugins(app: &TestApp) {
    let owner = app.owner().await;
    let wallet = json!({ "url": "https://chain.example.com" });
    for (name, settings) in [("binance", json!({})), ("sandbox-chain", wallet)] {
        let enabled = json!({ "revision": 0, "enabled": true, "settings": settings });
        owner.patch(&format!("/api/admin/v1/plugins/{name}"), enabled).await.ok();
    }
}

/// Exports a changed market and applies it to an empty database.
async fn move_market(from: Engine, to: Engine) {
    let site = tempfile::tempdir().unwrap();
    let source = TestApp::start_with(Database::with_market(from).await, configure_site(site.path())).await;
    change_market(&source).await;
    File::new(&source, RULES).apply().await;
    enable_plugins(&source).await;
    File::new(&source, PARTS).apply().await;
    crate::brand::upload_logo(&source.owner().await).await.ok();
    let text = export_whole(&source).await;
    let target = TestApp::start_empty_with(to, configure_site(site.path())).await;
    let file = File::new(&target, &text);
    let refused = file.run(&["apply"]).await;
    assert!(refused.errors.contains("rateSources[0].name: "), "{refused:?}");
    enable_plugins(&target).await;
    file.apply().await;
    assert_eq!(export_whole(&target).await, text);
    let again = file.run(&["plan", "--prune"]).await;
    assert_eq!((again.code, again.printed.as_str()), (0, "The market is as the file says.\n"));

    // Published rates are not part of the file. They come before the first cycle, which suspends pairs without a price.
    target.server.refresh_all().await.unwrap();
    target.server.calculator.seed_demo(&MarketParts::default()).await.unwrap();
    reload(&source).await;
    reload(&target).await;
    let (expected, moved) = (public_answers(&source).await, public_answers(&target).await);
    assert!(expected.len() > 100, "{} answers", expected.len());
    for (expected, moved) in expected.iter().zip(&moved) {
        assert_eq!(expected, moved);
    }
    assert_eq!(expected.len(), moved.len());
    let icon = text.split("name = \"upload-").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    assert_eq!(target.visitor().get(&format!("/brand/upload-{icon}.png")).await.status, 200);
    target.assert_ledger_is_clean().await;
    target.assert_audit_chain_is_intact().await;
}

/// The market that `agio seed demo` makes is the one of the file in the repository.
async fn the_demo_is_made_from_its_file(engine: Engine) {
    let (demo, target) = tokio::join!(TestApp::start(engine), TestApp::start_empty(engine));
    let file = File::new(&target, include_str!("../../../../modules/calculator/demo/market.toml"));
    file.apply().await;
    assert_eq!(export_whole(&target).await, export_whole(&demo).await);
    assert_eq!(file.run(&["plan"]).await.printed, "The market is as the file says.\n");
    let exported = export(&demo).await;
    assert!(exported.contains("openingReserve = \"4.2\"") && !exported.contains("paymentDetails"), "{exported}");
}

async fn an_exported_market_is_the_same_on_an_empty_database(engine: Engine) {
    move_market(engine, engine).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_market_moves_from_sqlite_to_postgres() {
    move_market(Engine::Sqlite, Engine::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_market_moves_from_postgres_to_sqlite() {
    move_market(Engine::Postgres, Engine::Sqlite).await;
}

const SHOP: &str = r#"
version = 1

[[currencies]]
code = "DASH"
ticker = "DASH"
name = { ru = "Дэш", en = "Dash" }
network = { ru = "Dash", en = "Dash" }
kind = "crypto"
icon = "dash"
scale = 8
roundCalculator = 6
inputs = [
  { name = "address", kind = "dash", label = { ru = "Адрес", en = "Address" }, required = true, receive = true },
]

[[currencies]]
code = "CASHEUR"
ticker = "EUR"
name = { ru = "Евро", en = "Euro" }
network = { ru = "Наличные", en = "Cash" }
kind = "cash"
icon = "cash"
scale = 2
roundCalculator = 0
cities = [
  { code = "DUBAI", name = { ru = "Дубай", en = "Dubai" }, place = { ru = "Офис", en = "Office" } },
]

[defaults]
enabled = true
source = "manual"
spreadPercent = "1.5"

[[pairs]]
give = ["DASH"]
receive = ["CASHEUR"]
set.manualRate = "30"

[[pairs]]
give = ["CASHEUR"]
receive = ["DASH"]
[pairs.set]
manualRate = "0.03"
limits.from.min = "100"

[[overrides]]
receive = ["CASHEUR"]
set.fees.to.fixed = "5"
"#;

async fn a_file_written_by_hand_makes_a_market(engine: Engine) {
    let app = TestApp::start_empty(engine).await;
    let file = File::new(&app, SHOP);
    let planned = file.run(&["plan"]).await;
    assert_eq!(planned.code, 2, "{}", planned.errors);
    for line in ["+ currency DASH\n", "+ pair DASH → CASHEUR\n", "    fees.to.fixed: \"5\"\n", "    limits.from.min: \"100\"\n"]
    {
        assert!(planned.printed.contains(line), "{line}{}", planned.printed);
    }
    assert_eq!(export(&app).await, "version = 1\n", "a plan stores nothing");

    let mut events = app.server.platform.events.subscribe();
    file.apply().await;
    if engine == Engine::Postgres {
        wait_for_event(&mut events, |event| *event == ChangeEvent::Market).await;
    } else {
        reload(&app).await;
    }
    let visitor = app.visitor();
    let offered = visitor.get("/api/v1/calculator/").await.ok();
    let (dash, euro) = (&with_code(&offered["directions"], "DASH")["id"], &with_code(&offered["directions"], "CASHEUR")["id"]);
    assert_eq!((dash, euro), (&json!(1), &json!(2)));
    let pairs = app.owner().await.get("/api/admin/v1/pairs").await.ok();
    assert_eq!(
        (&pairs[0]["manualRate"], &pairs[0]["fees"]["to"]["fixed"], &pairs[0]["hold"]),
        (&json!("30"), &json!("5"), &json!(20))
    );
    assert_eq!((&pairs[1]["limits"]["from"]["min"], &pairs[1]["fees"]["to"]["fixed"]), (&json!("100"), &json!("0")));

    let again = file.run(&["plan"]).await;
    assert_eq!((again.code, again.printed.as_str()), (0, "The market is as the file says.\n"));
    file.apply().await;
    let log = app.staff(Role::Auditor).await.get("/api/admin/v1/audit?action=market.applied").await.ok();
    let entries = log["items"].as_array().unwrap();
    assert_eq!(entries.len(), 1, "a file without changes leaves no entry");
    assert_eq!((&entries[0]["actor"]["kind"], &entries[0]["actor"]["name"]), (&json!("system"), &json!("agio market apply")));
    let created = &entries[0]["after"]["pair DASH → CASHEUR"];
    assert_eq!((&created["manualRate"], &created["fees.to.fixed"]), (&json!("30"), &json!("5")));
    app.assert_audit_chain_is_intact().await;
}

async fn unlisted_currencies_and_pairs_stay_unless_pruned(engine: Engine) {
    let app = TestApp::start_empty(engine).await;
    let file = File::new(&app, SHOP);
    file.apply().await;
    let (dash, _) = SHOP.split_once("[[currencies]]\ncode = \"CASHEUR\"").unwrap();
    file.write(dash);
    let planned = file.run(&["plan"]).await;
    assert_eq!((planned.code, planned.printed.as_str()), (0, "The market is as the file says.\n"));

    let planned = file.run(&["plan", "--prune"]).await;
    assert_eq!(planned.code, 2);
    for line in [
        "- currency CASHEUR (not in the file)\n    archived: false -> true\n",
        "- pair DASH → CASHEUR (not in the file)\n    enabled: true -> false\n",
    ] {
        assert!(planned.printed.contains(line), "{}", planned.printed);
    }
    let pruned = file.run(&["apply", "--prune"]).await;
    assert_eq!(pruned.code, 0, "{}", pruned.errors);
    reload(&app).await;
    let owner = app.owner().await;
    let currencies = owner.get("/api/admin/v1/currencies").await.ok();
    assert_eq!(
        (&with_code(&currencies, "CASHEUR")["archived"], &with_code(&currencies, "DASH")["archived"]),
        (&json!(true), &json!(false))
    );
    let pairs = owner.get("/api/admin/v1/pairs").await.ok();
    assert_eq!((pairs.as_array().unwrap().len(), &pairs[0]["enabled"], &pairs[1]["enabled"]), (2, &json!(false), &json!(false)));

    file.write(SHOP);
    file.apply().await;
    assert!(export(&app).await.contains("enabled = true"), "the file brings back what it lists");
}

/// Replaces the only occurrence of a text.
fn replaced(text: &str, old: &str, new: &str) -> String {
    assert_eq!(text.matches(old).count(), 1, "{old}");
    text.replacen(old, new, 1)
}

async fn a_wrong_file_is_refused_in_its_place_and_changes_nothing(engine: Engine) {
    let app = TestApp::start_empty(engine).await;
    let file = File::new(&app, SHOP);
    file.apply().await;
    let before = export(&app).await;
    let dash = SHOP.find("[[currencies]]").unwrap()..SHOP.find("[[currencies]]\ncode = \"CASHEUR\"").unwrap();
    let new_currency = SHOP[dash].replace("DASH", "DASH2").replace("scale = 8", "scale = 9");
    let wrong = [
        (replaced(SHOP, "icon = \"cash\"", "icon = \"cash\"\nlogo = 1"), "market.toml:24: ", "unknown field `logo`"),
        (replaced(SHOP, "set.manualRate = \"30\"", "set.manualRat = \"30\""), "market.toml:38: ", "unknown field `manualRat`"),
        (replaced(SHOP, "kind = \"dash\"", "kind = \"dash\", form = \"x\""), "market.toml:14: ", "unknown field `form`"),
        (replaced(SHOP, "en = \"Euro\"", "en = \"Euro\", de = \"Euro\""), "market.toml:20: ", "unknown field `de`"),
        (replaced(SHOP, "version = 1", "version = 2"), "market.toml:2: version: ", "version = 1"),
        (replaced(SHOP, "version = 1", ""), "market.toml:1: version: ", "version = 1"),
        (replaced(SHOP, "manualRate = \"0.03\"", "manualRate = 0.03"), "market.toml:44: ", "expected a string"),
        (replaced(SHOP, "manualRate = \"0.03\"", "manualRate = \"0,03\""), "market.toml:44: ", ""),
        (
            replaced(SHOP, "manualRate = \"0.03\"", "manualRate = \"0\""),
            "market.toml:44: pairs[1].set.manualRate: ",
            "greater than zero",
        ),
        (
            replaced(SHOP, "limits.from.min = \"100\"", "limits.from.min = \"0.001\""),
            "market.toml:45: pairs[1].set.limits.from.min: ",
            "2 at most",
        ),
        (replaced(SHOP, "fixed = \"5\"", "fixed = \"-5\""), "market.toml:49: overrides[0].set.fees.to.fixed: ", "negative"),
        (
            replaced(SHOP, "spreadPercent = \"1.5\"", "spreadPercent = \"100\""),
            "market.toml:33: defaults.spreadPercent: ",
            "between -99 and 99",
        ),
        (replaced(SHOP, "set.manualRate = \"30\"\n", ""), "market.toml:35: pairs[0]", "fill in"),
        (replaced(SHOP, "code = \"CASHEUR\"", "code = \"DASH\""), "market.toml:18: currencies[1].code: ", "Listed twice"),
        (
            replaced(SHOP, "give = [\"DASH\"]", "give = [\"DASH\", \"DSH\"]"),
            "market.toml:36: pairs[0].give[1]: ",
            "Unknown currency",
        ),
        (
            replaced(SHOP, "give = [\"DASH\"]", "give = [\"DASH\", \"DASH\"]"),
            "market.toml:36: pairs[0].give[1]: ",
            "Listed twice",
        ),
        (
            replaced(SHOP, "give = [\"CASHEUR\"]\nreceive = [\"DASH\"]", "give = [\"DASH\"]\nreceive = [\"CASHEUR\"]"),
            "market.toml:40: pairs[1]",
            "DASH → CASHEUR",
        ),
        (
            replaced(SHOP, "[[overrides]]\nreceive", "[[overrides]]\ngive = [\"CASHEUR\"]\nreceive"),
            "market.toml:47: overrides[0]: ",
            "No group",
        ),
        (replaced(SHOP, "scale = 8", "scale = 6"), "market.toml:11: currencies[0].scale: ", "cannot be changed"),
        (replaced(SHOP, "kind = \"cash\"", "kind = \"bank\""), "market.toml:22: currencies[1].kind: ", "cannot be changed"),
        (replaced(SHOP, "ticker = \"EUR\"", "ticker = \"USD\""), "market.toml:19: currencies[1].ticker: ", ""),
        (format!("{SHOP}\n{new_currency}"), "market.toml:58: currencies[2].scale: ", "between 0 and 8"),
        (SHOP.replace("DASH", "dash"), "market.toml:5: currencies[0].code: ", "capital"),
        (format!("{SHOP}\n[[pairs]"), "market.toml:51: ", ""),
        (format!("{SHOP}#{}", "x".repeat(10 << 20)), "market.toml:1: ", "8388608 bytes"),
        (String::new(), "market.toml:1: version: ", "version = 1"),
    ];
    let mut misplaced = Vec::new();
    for (text, place, reason) in wrong {
        file.write(&text);
        for words in [&["plan"][..], &["apply", "--prune"]] {
            let refused = file.run(words).await;
            let is_in_place = refused.errors.starts_with(place) && refused.errors.contains(reason);
            if !(is_in_place && refused.code == 1 && refused.printed.is_empty()) {
                misplaced.push(format!("expected {place}{reason}, got {refused:?}"));
            }
        }
    }
    assert!(misplaced.is_empty(), "{}", misplaced.join("\n"));
    fs::write(file.folder.path().join("market.toml"), b"version = 1\n# \xff").unwrap();
    assert!(file.run(&["apply"]).await.errors.starts_with("market.toml:2: "));
    assert_eq!(export(&app).await, before);
}

async fn a_plan_is_refused_once_the_market_is_another(engine: Engine) {
    let app = TestApp::start_empty(engine).await;
    let file = File::new(&app, SHOP);
    file.apply().await;
    reload(&app).await;
    file.write(&SHOP.replace("\"1.5\"", "\"2.5\""));
    let planned = file.run(&["plan"]).await;
    let id = planned.printed.trim_end().rsplit(' ').next().unwrap().to_owned();
    let calculator = &app.server.calculator;
    let text = fs::read(file.folder.path().join("market.toml")).unwrap();
    let plan = calculator.plan_market(MarketFile::parse(text).unwrap(), false, &app.server.market_parts()).await.unwrap();

    // Somebody changes another property of the same pair, and back.
    let owner = app.owner().await;
    for hold in [30, 20] {
        let pairs = owner.get("/api/admin/v1/pairs").await.ok();
        let body = json!({ "revision": pairs[0]["revision"], "hold": hold });
        owner.patch(&format!("/api/admin/v1/pairs/{}", pairs[0]["id"]), body).await.ok();
    }
    let before = export(&app).await;
    let refused = calculator.apply_market(&plan, &Actor::system("test")).await.unwrap_err();
    assert_eq!((refused.kind().status(), refused.code()), (409, "market_changed"));
    let refused = file.run(&["apply", "--plan", &id]).await;
    assert_eq!(refused.code, 1);
    assert!(refused.errors.contains("Run plan again"), "{}", refused.errors);
    assert_eq!(export(&app).await, before);

    let planned = file.run(&["plan"]).await;
    let id = planned.printed.trim_end().rsplit(' ').next().unwrap();
    let applied = file.run(&["apply", "--plan", id]).await;
    assert_eq!(applied.code, 0, "{}", applied.errors);
    assert!(applied.printed.contains("    spreadPercent: \"1.5\" -> \"2.5\"\n"), "{}", applied.printed);
}

/// Of two files with the same new currency and pairs that are applied at once, the later finds nothing left to add.
async fn files_applied_at_once_create_nothing_twice(engine: Engine) {
    let app = TestApp::start_empty(engine).await;
    let calculator = &app.server.calculator;
    let plan =
        async || calculator.plan_market(MarketFile::parse(SHOP).unwrap(), false, &app.server.market_parts()).await.unwrap();
    let (one, other, actor) = (plan().await, plan().await, Actor::system("test"));
    let outcomes = tokio::join!(calculator.apply_market(&one, &actor), calculator.apply_market(&other, &actor));
    let refused = [outcomes.0, outcomes.1].into_iter().filter_map(Result::err).collect::<Vec<_>>();
    assert_eq!(refused.iter().map(|error| error.code()).collect::<Vec<_>>(), ["market_changed"]);
    assert!(plan().await.is_empty());
}

/// Reserves are deposited once, before anything else was booked, and never changed by a file.
async fn an_opening_reserve_is_deposited_once(engine: Engine) {
    let app = TestApp::start_empty(engine).await;
    let with_reserves = SHOP.replacen("roundCalculator = 6", "roundCalculator = 6\nopeningReserve = \"12.5\"", 1).replacen(
        "roundCalculator = 0",
        "roundCalculator = 0\nopeningReserve = \"0\"",
        1,
    );
    let file = File::new(&app, &with_reserves);
    assert!(file.run(&["plan"]).await.printed.contains("    openingReserve: \"12.5\"\n"));
    file.apply().await;
    reload(&app).await;
    let owner = app.owner().await;
    let dash = with_code(&owner.get("/api/admin/v1/currencies").await.ok(), "DASH")["id"].clone();
    let movements = format!("/api/admin/v1/reserves/{dash}/movements");
    let booked = owner.get(&movements).await.ok()["items"].clone();
    assert_eq!((booked.as_array().unwrap().len(), &booked[0]["amount"]), (1, &json!("12.5")));
    let withdrawal = json!({ "amount": "-2.5", "reason": "withdrawal", "note": "" });
    owner.post(&movements, withdrawal).await.ok();
    for text in [with_reserves.clone(), with_reserves.replace("12.5", "99")] {
        file.write(&text);
        let again = file.run(&["plan"]).await;
        assert_eq!((again.code, again.printed.as_str()), (0, "The market is as the file says.\n"));
    }
    assert!(export(&app).await.contains("openingReserve = \"10\"\n"));

    // A currency that was there before, without an entry of the ledger.
    file.write(&with_reserves.replace("openingReserve = \"0\"", "openingReserve = \"1000\""));
    let planned = file.run(&["plan"]).await.printed;
    assert!(planned.starts_with("~ currency CASHEUR\n    openingReserve: none -> \"1000\"\n"), "{planned}");
    file.apply().await;
    app.assert_ledger_is_clean().await;
}

/// Rate rules and payment details are compared entry by entry, and nothing secret is printed or logged.
async fn rules_and_payment_details_follow_the_file(engine: Engine) {
    let app = TestApp::start(engine).await;
    let file = File::new(&app, RULES);
    let planned = file.run(&["plan"]).await;
    for line in [
        "~ setting site.name\n    value: \"Agio\" -> \"Зелёный обмен\"\n",
        "+ rate rules LTC → TCSBRUB\n    bounds.ceiling: \"8\"\n",
        "~ payment details of SBERRUB\n    rotation: \"in_turn\" -> \"least_used\"\n",
        "~ payment details SBERRUB 2202 •••• 4279\n    coolingMinutes: 0 -> 10\n    dailyLimit: none -> \"300000\"\n",
        "+ payment details SBERRUB 2200 •••• 0004\n",
    ] {
        assert!(planned.printed.contains(line), "{line}{}", planned.printed);
    }
    assert!(!planned.printed.contains("2202203636004279") && !planned.printed.contains("Ольга"), "{}", planned.printed);
    file.apply().await;
    let id = |planned: &Output| planned.printed.trim_end().rsplit(' ').next().unwrap().to_owned();
    file.write(&RULES.replace("2200000000000004", "2200100000080004"));
    let one = id(&file.run(&["plan"]).await);
    file.write(&RULES.replace("2200000000000004", "2200100000160004"));
    assert_ne!(one, id(&file.run(&["plan"]).await), "details that look the same when masked");

    let owner = app.owner().await;
    for (action, entries) in [("rate_rules.changed", 5), ("requisite.rotation_changed", 1), ("market.applied", 2)] {
        let log = owner.get(&format!("/api/admin/v1/audit?action={action}")).await.ok();
        assert_eq!(log["items"].as_array().unwrap().len(), entries, "{log}");
        assert!(!log.to_string().contains("2202203636004279"), "{log}");
    }
    // Rules that no entry lists stay, and go with --prune; payment details always stay.
    let fewer = replaced(RULES, "give = [\"LTC\", \"ETH\"]", "give = [\"ETH\"]");
    file.write(&fewer);
    assert_eq!(file.run(&["plan"]).await.code, 0);
    let pruned = file.run(&["plan", "--prune"]).await.printed;
    assert!(pruned.contains("- rate rules LTC → TCSBRUB (not in the file)\n"), "{pruned}");
    assert!(!pruned.contains("payment details"), "{pruned}");

    for (old, new, place) in [
        ("site.name = \"Зелёный обмен\"", "site.title = \"A\"", "market.toml:5: settings.site.title: Unknown setting"),
        ("answer_minutes\" = 25", "answer_minutes\" = 0", "market.toml:4: settings.claims.answer_minutes: "),
        ("jumpPercent = \"7\"", "jumpPercent = \"0\"", "market.toml:12: rateRules[0].set.jumpPercent: "),
        ("jumpPercent = \"7\"", "jumpPercen = \"7\"", "market.toml:8: rateRules[0]: unknown field `jumpPercen`"),
        ("\"LTC\", \"ETH\"", "\"LTC\", \"EHT\"", "market.toml:9: rateRules[0].give[1]: Unknown currency"),
        ("\"XRP\"]", "\"ETH\"]", "market.toml:16: rateRules[1]: "),
        ("market:XRP/RUB", "market:XRP/EUR", "market.toml:19: rateRules[1].set.formula: "),
        ("2202203636004279", "2202203636004278", "market.toml:25: paymentDetails[0].details[0].value: "),
        ("dailyLimit = \"300000\"", "dailyLimit = \"0.001\"", "market.toml:25: paymentDetails[0].details[0].dailyLimit: "),
        ("2200000000000004", "2202203636004279", "market.toml:26: paymentDetails[0].details[1]: Listed twice"),
        ("\"SBERRUB\"\nrotation", "\"SBER\"\nrotation", "market.toml:22: paymentDetails[0].currency: Unknown currency"),
    ] {
        file.write(&replaced(RULES, old, new));
        let refused = file.run(&["apply"]).await;
        assert!(refused.code == 1 && refused.errors.contains(place), "expected {place}, got {refused:?}");
    }
}

async fn the_brand_and_what_modules_keep_follow_the_file(engine: Engine) {
    let app = TestApp::start(engine).await;
    enable_plugins(&app).await;
    let file = File::new(&app, PARTS);
    let planned = file.run(&["plan"]).await;
    for line in [
        "+ brand\n    accent: \"#0b6e4f\"\n",
        "+ rate source binance\n    crossCheck: false\n    enabled: true\n    everySeconds: 10\n    maxAgeSeconds: 300\n",
        "+ payment route LTC\n    autoPayout: true\n    claimLimit: \"2.5\"\n    confirmations: 3\n",
        "+ aggregator bestchange\n    codes.USDTTRC20: \"USDTTRC\"\n",
        "+ feed direction LTC → TCSBRUB\n    listed: false\n    marks: [\"delay\"]\n",
    ] {
        assert!(planned.printed.contains(line), "{line}{}", planned.printed);
    }
    file.apply().await;
    assert_eq!(file.run(&["plan", "--prune"]).await.printed.lines().filter(|line| line.contains("binance")).count(), 0);

    reload(&app).await;
    let owner = app.owner().await;
    let brand = owner.get("/api/admin/v1/brand").await.ok()["brand"].clone();
    assert_eq!((&brand["accent"], &brand["telegram"]), (&json!("#0b6e4f"), &json!("green_exchange")));
    let sources = owner.get("/api/admin/v1/rates/sources").await.ok();
    let source = sources.as_array().unwrap().iter().find(|source| source["name"] == "binance").unwrap();
    assert_eq!((&source["enabled"], &source["everySeconds"]), (&json!(true), &json!(10)));
    let routes = owner.get("/api/admin/v1/payments").await.ok()["routes"].clone();
    let route = routes.as_array().unwrap().iter().find(|route| route["driver"] == "sandbox-chain").unwrap();
    assert_eq!((&route["claimLimit"], &route["confirmations"]), (&json!("2.5"), &json!(3)), "{route}");
    let aggregators = owner.get("/api/admin/v1/aggregators").await.ok()["items"].clone();
    assert_eq!((&aggregators[0]["slug"], &aggregators[0]["marks"]), (&json!("bestchange"), &json!(["reg"])));
    for (action, entries) in [
        ("brand.changed", 1),
        ("rate_source.changed", 1),
        ("payment_route.changed", 1),
        ("aggregator.added", 1),
        ("aggregator.direction", 4),
        // The demo is made by a file, too.
        ("market.applied", 2),
    ] {
        let log = owner.get(&format!("/api/admin/v1/audit?action={action}")).await.ok();
        assert_eq!(log["items"].as_array().unwrap().len(), entries, "{action}");
    }
    // A later file changes what it says, and a plan shows it.
    file.write("version = 1\n[[rateSources]]\nname = \"binance\"\nenabled = false\neverySeconds = 10\npriority = 10\n");
    assert!(file.run(&["plan"]).await.printed.starts_with("~ rate source binance\n    enabled: true -> false\n\nPlan"));

    for (old, new, place) in [
        ("\"#0b6e4f\"", "\"#ffffff\"", "market.toml:5: brand.accent: "),
        ("telegram", "telegrams", "market.toml:4: brand: unknown field `telegrams`"),
        ("name = \"binance\"", "name = \"nobody\"", "market.toml:12: rateSources[0].name: "),
        ("everySeconds = 10", "everySeconds = 0", "market.toml:13: rateSources[0].everySeconds: "),
        ("currency = \"LTC\"", "currency = \"LTD\"", "market.toml:17: paymentRoutes[0].currency: Unknown currency"),
        ("\"sandbox-chain\"", "\"nobody\"", "market.toml:18: paymentRoutes[0].driver: "),
        ("\"0.0001\"", "\"0.000000001\"", "market.toml:20: paymentRoutes[0].tolerance: "),
        ("dayLimit = \"10\"", "dayLimit = \"1\"", "market.toml:23: paymentRoutes[0].dayLimit: "),
        ("slug = \"bestchange\"", "slug = \"Best Change\"", "market.toml:26: aggregators[0].slug: "),
        ("marks = [\"reg\"]", "marks = [\"floating\"]", "market.toml:28: aggregators[0].marks"),
        ("{ USDTTRC20 =", "{ USDTTRC21 =", "market.toml:29: aggregators[0].codes.USDTTRC21: Unknown currency"),
        ("\"BTC\", \"LTC\"", "\"BTC\", \"BTC\"", "market.toml:31: feedDirections[0]: Listed twice"),
    ] {
        file.write(&replaced(PARTS, old, new));
        let refused = file.run(&["apply"]).await;
        assert!(refused.code == 1 && refused.errors.contains(place), "expected {place}, got {refused:?}");
    }
    file.write("version = 1\n[[brandFiles]]\nkind = \"logo\"\nname = \"logo.png\"\ncontent = \"PHN2Zz4=\"\n");
    let refused = file.run(&["apply"]).await;
    assert!(refused.errors.contains("market.toml:5: brandFiles[0].content: "), "{refused:?}");
}

agio_test_app::both_engines!(
    the_brand_and_what_modules_keep_follow_the_file,
    the_demo_is_made_from_its_file,
    an_opening_reserve_is_deposited_once,
    rules_and_payment_details_follow_the_file,
    an_exported_market_is_the_same_on_an_empty_database,
    a_file_written_by_hand_makes_a_market,
    unlisted_currencies_and_pairs_stay_unless_pruned,
    a_wrong_file_is_refused_in_its_place_and_changes_nothing,
    a_plan_is_refused_once_the_market_is_another,
    files_applied_at_once_create_nothing_twice,
);

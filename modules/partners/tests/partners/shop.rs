//! A shop of somebody else's, over bad lines; and the examples of the guide, run as they are printed.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use agio_core::outbox::{self, State};
use agio_testkit::{Engine, House, both_engines};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinSet;

use crate::people::{Partner, WAY, house, key_order, operator_does};
use crate::proxy::BadLine;

both_engines!(a_shop_makes_no_double, the_examples_of_the_guide_work);

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")
}

/// How many orders the shop has: enough to meet every kind of broken line often.
fn orders() -> u64 {
    std::env::var("AGIO_PARTNER_CLAIMS").ok().and_then(|number| number.parse().ok()).unwrap_or(500)
}

/// The shop's programme.
struct Shop {
    _process: Child,
    says: Lines<BufReader<ChildStdout>>,
    hears: ChildStdin,
}

impl Shop {
    fn open() -> Self {
        let mut process = Command::new("python3")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/partners/shop.py"))
            .env("PYTHONPATH", examples())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("python3 runs");
        let says = BufReader::new(process.stdout.take().unwrap()).lines();
        let hears = process.stdin.take().unwrap();
        Self { _process: process, says, hears }
    }

    async fn says(&mut self) -> Value {
        let line = self.says.next_line().await.unwrap().expect("the shop ended before its time");
        serde_json::from_str(&line).unwrap()
    }

    async fn hears(&mut self, what: &Value) {
        self.hears.write_all(format!("{what}\n").as_bytes()).await.unwrap();
    }
}

/// The house does its part: every claim of the list is paid out.
async fn pay_everybody_out(house: &House, partner: &Partner, orders: u64) {
    let mut working = JoinSet::new();
    let node = Arc::new(house.another_node().await);
    for page in 1..=orders.div_ceil(100) {
        let list = partner.get(&format!("/api/partner/v1/claims/?size=100&page={page}")).await.ok();
        for claim in list["items"].as_array().unwrap() {
            let (id, node) = (claim["id"].as_str().unwrap().to_owned(), node.clone());
            working.spawn(async move {
                for action in WAY {
                    operator_does(&node, &id, action).await;
                }
            });
            if working.len() >= 16 {
                working.join_next().await.unwrap().unwrap();
            }
        }
    }
    while let Some(done) = working.join_next().await {
        done.unwrap();
    }
}

/// Delivers news until none waits; each round is later than the pause of the one before.
async fn tell_everything(house: &House) {
    for round in 0..40 {
        house.app.courier.run().await.unwrap();
        let waits = outbox::count(&mut house.app.platform.db.read().await.unwrap(), "webhook", State::Queued).await.unwrap();
        if waits == 0 {
            return;
        }
        house.wait(Duration::from_secs(16 << round.min(8)));
    }
    panic!("news never arrive");
}

async fn a_shop_makes_no_double(engine: Engine) {
    let house = house(engine).await;
    let orders = if engine == Engine::Sqlite { orders() } else { orders() / 5 };
    let mut shop = Shop::open();
    let port = shop.says().await["port"].as_u64().unwrap();
    let inward = BadLine::to(house.root.trim_start_matches("http://").to_owned(), 7).await;
    let outward = BadLine::to(format!("127.0.0.1:{port}"), 11).await;
    let mut partner = Partner::of(&house, &format!("http://{}/news", outward.address)).await;
    let told = json!({
        "root": format!("http://{}", inward.address), "key": partner.key, "secret": partner.secret,
        "webhookSecret": partner.webhook_secret, "orders": orders,
    });
    shop.hears(&told).await;
    assert_eq!(shop.says().await["made"], orders);
    pay_everybody_out(&house, &partner, orders).await;
    tell_everything(&house).await;
    shop.hears(&json!({ "reconcile": true })).await;
    let found = shop.says().await;
    assert_eq!(found["wrong"], json!([]), "{found}");
    for what in ["orders", "claims", "listed", "finished"] {
        assert_eq!(found[what], orders, "{what}: {found}");
    }
    assert_eq!((&found["forged"], &found["events"]), (&json!(0), &json!(orders * 6)), "{found}");
    let broken = |line: &BadLine| line.broken.load(std::sync::atomic::Ordering::Relaxed);
    assert!(broken(&inward) > orders / 4 && broken(&outward) > orders / 2, "the lines were not bad");
    assert!(found["doubles"].as_u64().unwrap() > 0 && found["replayed"].as_u64().unwrap() > 0, "{found}");
    partner.look_at_the_clock(&house);
    assert_eq!(partner.get("/api/partner/v1/claims/?size=1").await.ok()["total"], orders);
    house.books_are_clean().await;
}

/// Runs an example with a sandbox key and gives what it prints.
async fn printed(house: &House, partner: &Partner, command: &mut Command) -> String {
    command.env("AGIO_ROOT", &house.root).env("AGIO_KEY", &partner.key).env("AGIO_SECRET", &partner.secret);
    let output = command.output().await.unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

async fn the_examples_of_the_guide_work(engine: Engine) {
    let house = house(engine).await;
    let partner = Partner::with(&house, "", key_order(true)).await;
    // What runs here is what is published.
    for (path, heading) in [("/docs/partner", "Signing a call"), ("/docs/partner/ru", "Подпись запроса")] {
        let page = house.customer().get(path).await.text.replace("&lt;", "<").replace("&gt;", ">");
        let page = page.replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&");
        assert!(page.contains(heading));
        for file in ["quote.sh", "partner.py", "partner.ts"] {
            assert!(page.contains(std::fs::read_to_string(examples().join(file)).unwrap().trim_end()), "{path}: {file}");
        }
    }
    let quote = printed(&house, &partner, Command::new("bash").arg(examples().join("quote.sh"))).await;
    let quote: Value = serde_json::from_str(&quote).unwrap();
    assert_eq!((&quote["fromSumma"], &quote["from"]), (&json!("0.015"), &json!("BTC")));

    let python = printed(&house, &partner, Command::new("python3").arg(examples().join("partner.py"))).await;
    let folder = tempfile::tempdir().unwrap();
    compile(&examples().join("partner.ts"), folder.path()).await;
    let node = printed(&house, &partner, Command::new("node").arg(folder.path().join("partner.js"))).await;
    for said in [python, node] {
        let last: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
        assert_eq!((&last["status"], &last["isFinal"]), (&json!("waiting"), &json!(false)));
    }
    assert_eq!(partner.get("/api/partner/v1/claims/").await.ok()["total"], 2);
}

/// Has the compiler of this repository check and translate TypeScript.
async fn compile(file: &Path, folder: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let compiler = root.join("node_modules/.bin/tsc");
    assert!(compiler.exists(), "run `make node_modules/.installed` first: the guide's TypeScript is compiled");
    std::fs::write(folder.join("package.json"), r#"{ "type": "module" }"#).unwrap();
    let options = ["--module", "esnext", "--moduleResolution", "bundler", "--target", "es2022", "--strict", "--types", "node"];
    let output =
        Command::new(compiler).current_dir(root).args(options).arg("--outDir").arg(folder).arg(file).output().await.unwrap();
    assert!(output.status.success(), "{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
}

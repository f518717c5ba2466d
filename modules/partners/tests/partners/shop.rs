//! A partner's shop over unreliable connections, and the published examples of the guide.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use agio_core::outbox::{self, OutboxState};
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinSet;

use crate::fixtures::{Partner, WAY, app, key_order, operator_does};
use crate::proxy::UnreliableProxy;

both_engines!(a_shop_creates_no_duplicates, the_examples_of_the_guide_work);

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")
}

/// Enough to meet every kind of broken connection often.
fn orders() -> u64 {
    std::env::var("AGIO_PARTNER_CLAIMS").ok().and_then(|number| number.parse().ok()).unwrap_or(500)
}

/// The shop process.
struct Shop {
    _process: Child,
    stdout: Lines<BufReader<ChildStdout>>,
    stdin: ChildStdin,
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
        let stdout = BufReader::new(process.stdout.take().unwrap()).lines();
        let stdin = process.stdin.take().unwrap();
        Self { _process: process, stdout, stdin }
    }

    async fn read(&mut self) -> Value {
        let line = self.stdout.next_line().await.unwrap().expect("the shop exited early");
        serde_json::from_str(&line).unwrap()
    }

    async fn write(&mut self, what: &Value) {
        self.stdin.write_all(format!("{what}\n").as_bytes()).await.unwrap();
    }
}

/// Completes all claims.
async fn complete_all_claims(app: &TestApp, partner: &Partner, orders: u64) {
    let mut working = JoinSet::new();
    let node = Arc::new(app.another_node().await);
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

/// Delivers webhooks until none is queued; each round is later than the last retry interval.
async fn deliver_all_webhooks(app: &TestApp) {
    for round in 0..40 {
        app.server.outbox_worker.run().await.unwrap();
        let waits =
            outbox::count(&mut app.server.platform.db.read().await.unwrap(), "webhook", OutboxState::Queued).await.unwrap();
        if waits == 0 {
            return;
        }
        app.advance_clock(Duration::from_secs(16 << round.min(8)));
    }
    panic!("webhooks are never delivered");
}

async fn a_shop_creates_no_duplicates(engine: Engine) {
    let app = app(engine).await;
    let orders = if engine == Engine::Sqlite { orders() } else { orders() / 5 };
    let mut shop = Shop::open();
    let port = shop.read().await["port"].as_u64().unwrap();
    let inward = UnreliableProxy::to(app.root.trim_start_matches("http://").to_owned(), 7).await;
    let outward = UnreliableProxy::to(format!("127.0.0.1:{port}"), 11).await;
    let mut partner = Partner::of(&app, &format!("http://{}/webhook-deliveries", outward.address)).await;
    let task = json!({
        "root": format!("http://{}", inward.address), "key": partner.key, "secret": partner.secret,
        "webhookSecret": partner.webhook_secret, "orders": orders,
    });
    shop.write(&task).await;
    assert_eq!(shop.read().await["made"], orders);
    complete_all_claims(&app, &partner, orders).await;
    deliver_all_webhooks(&app).await;
    shop.write(&json!({ "reconcile": true })).await;
    let found = shop.read().await;
    assert_eq!(found["wrong"], json!([]), "{found}");
    for what in ["orders", "claims", "listed", "finished"] {
        assert_eq!(found[what], orders, "{what}: {found}");
    }
    assert_eq!((&found["forged"], &found["events"]), (&json!(0), &json!(orders * 6)), "{found}");
    let broken = |line: &UnreliableProxy| line.broken.load(std::sync::atomic::Ordering::Relaxed);
    assert!(broken(&inward) > orders / 4 && broken(&outward) > orders / 2, "the lines were not bad");
    assert!(found["doubles"].as_u64().unwrap() > 0 && found["replayed"].as_u64().unwrap() > 0, "{found}");
    partner.sync_clock(&app);
    assert_eq!(partner.get("/api/partner/v1/claims/?size=1").await.ok()["total"], orders);
    app.assert_ledger_is_clean().await;
}

/// Runs an example with a sandbox key and returns its output.
async fn printed(app: &TestApp, partner: &Partner, command: &mut Command) -> String {
    command.env("AGIO_ROOT", &app.root).env("AGIO_KEY", &partner.key).env("AGIO_SECRET", &partner.secret);
    let output = command.output().await.unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

async fn the_examples_of_the_guide_work(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::with(&app, "", key_order(true)).await;
    // The published files are run.
    for (path, heading) in [("/docs/partner", "Signing requests"), ("/docs/partner/ru", "Подпись запроса")] {
        let page = app.visitor().get(path).await.text.replace("&lt;", "<").replace("&gt;", ">");
        let page = page.replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&");
        assert!(page.contains(heading));
        for file in ["quote.sh", "partner.py", "partner.ts"] {
            assert!(page.contains(std::fs::read_to_string(examples().join(file)).unwrap().trim_end()), "{path}: {file}");
        }
    }
    let quote = printed(&app, &partner, Command::new("bash").arg(examples().join("quote.sh"))).await;
    let quote: Value = serde_json::from_str(&quote).unwrap();
    assert_eq!((&quote["fromSumma"], &quote["from"]), (&json!("0.015"), &json!("BTC")));

    let python = printed(&app, &partner, Command::new("python3").arg(examples().join("partner.py"))).await;
    let folder = tempfile::tempdir().unwrap();
    compile(&examples().join("partner.ts"), folder.path()).await;
    let node = printed(&app, &partner, Command::new("node").arg(folder.path().join("partner.js"))).await;
    for text in [python, node] {
        let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!((&last["status"], &last["isFinal"]), (&json!("waiting"), &json!(false)));
    }
    assert_eq!(partner.get("/api/partner/v1/claims/").await.ok()["total"], 2);
}

/// Type-checks and compiles TypeScript with this repository's compiler.
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

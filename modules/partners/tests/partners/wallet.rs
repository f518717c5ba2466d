//! A wallet process and its key.

use std::path::Path;
use std::process::Stdio;

use agio_test_app::TestApp;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::fixtures::{Partner, key_order};

pub const ROOT: &str = "/api/partner/v1/trustee";

/// A wallet process.
pub struct Wallet {
    pub partner: Partner,
    pub root: String,
    /// In milliseconds; advances by one with each request.
    pub now: i64,
    _process: Child,
    stdout: Lines<BufReader<ChildStdout>>,
    stdin: ChildStdin,
}

#[derive(Clone, Debug)]
pub struct WalletResponse {
    pub status: u64,
    pub body: Value,
    /// Whether the response signature is valid.
    pub is_signed: bool,
    /// The request, to repeat it.
    pub call: Value,
}

impl WalletResponse {
    fn of(output: &Value) -> Self {
        let (status, is_signed) = (output["status"].as_u64().unwrap(), output["isSigned"].as_bool().unwrap());
        Self { status, body: output["body"].clone(), is_signed, call: output["call"].clone() }
    }

    #[track_caller]
    pub fn ok(self) -> Value {
        assert!(self.status == 200 && self.is_signed, "{}: {}", self.status, self.body);
        self.body
    }

    /// The message of an error with this code.
    #[track_caller]
    pub fn refused(&self, status: u64, code: Option<&str>) -> String {
        assert_eq!((self.status, self.body["errorCode"].as_str()), (status, code), "{}", self.body);
        self.body["message"].as_str().unwrap().to_owned()
    }
}

/// A key with the scope `trustee`.
pub fn wallet_key(sandbox: bool) -> Value {
    let mut order = key_order(sandbox);
    order["scopes"] = json!(["trustee"]);
    order
}

impl Wallet {
    pub async fn of(app: &TestApp) -> Self {
        Self::with(app, wallet_key(false)).await
    }

    pub async fn with(app: &TestApp, key: Value) -> Self {
        let partner = Partner::with(app, "", key).await;
        let mut process = Command::new("node")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/partners/wallet.mjs"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("node runs");
        let stdout = BufReader::new(process.stdout.take().unwrap()).lines();
        let stdin = process.stdin.take().unwrap();
        let root = app.root.clone();
        let mut this = Self { partner, root, now: 0, _process: process, stdout, stdin };
        this.sync_clock(app);
        this
    }

    pub fn sync_clock(&mut self, app: &TestApp) {
        self.now = self.now.max(app.now().0 / 1_000);
    }

    /// Runs a task with the key and the wallet's time unless `task` overrides them.
    pub async fn run(&mut self, what: &str, task: Value) -> Value {
        self.now += 1;
        let mut whole = json!({
            "do": what, "root": self.root, "key": self.partner.key, "secret": self.partner.secret, "now": self.now,
        });
        whole.as_object_mut().unwrap().extend(task.as_object().unwrap().clone());
        self.stdin.write_all(format!("{whole}\n").as_bytes()).await.unwrap();
        let line = self.stdout.next_line().await.unwrap().expect("the wallet exited early");
        serde_json::from_str(&line).unwrap()
    }

    pub async fn call(&mut self, task: Value) -> WalletResponse {
        WalletResponse::of(&self.run("call", task).await)
    }

    pub async fn repeat(&mut self, call: &Value) -> WalletResponse {
        WalletResponse::of(&self.run("again", json!({ "call": call })).await)
    }

    pub async fn estimate(&mut self, request: Value) -> WalletResponse {
        self.call(json!({ "method": "POST", "path": format!("{ROOT}/estimate/"), "body": request })).await
    }

    pub async fn create_order(&mut self, request: Value) -> WalletResponse {
        self.call(order_of(request)).await
    }

    pub async fn get_order(&mut self, id: &str) -> WalletResponse {
        self.call(json!({ "method": "GET", "path": format!("{ROOT}/orders/"), "query": { "id": id } })).await
    }

    pub async fn cancel_order(&mut self, id: &str) -> WalletResponse {
        self.call(json!({ "method": "POST", "path": format!("{ROOT}/orders/cancel/"), "body": { "id": id } })).await
    }

    /// An order from BTC to RUB at current terms.
    pub async fn order_request(&mut self, send: f64) -> Value {
        let estimate = self.estimate(json!({ "from": "BTC", "to": "SBERRUB", "fromAmount": send })).await.ok();
        json!({
            "from": "BTC", "to": "SBERRUB", "fromNetwork": "BTC", "fromAmount": send, "toAmount": estimate["toAmount"],
            "toPaymentDetails": "2200000000000004", "toMemo": "IVAN PETROV", "userId": "4MkQ4RTk",
            "redirectUrl": "https://wallet.example/back", "rateType": "FIXED", "rateId": estimate["rateId"],
        })
    }

    /// An order awaiting payment.
    pub async fn order(&mut self, send: f64) -> Value {
        let request = self.order_request(send).await;
        self.create_order(request).await.ok()
    }

    pub async fn status(&mut self, id: &str) -> String {
        self.get_order(id).await.ok()["status"].as_str().unwrap().to_owned()
    }
}

pub fn order_of(request: Value) -> Value {
    json!({ "method": "POST", "path": format!("{ROOT}/orders/"), "body": request })
}

pub fn number(value: &Value) -> rust_decimal::Decimal {
    value.as_number().unwrap_or_else(|| panic!("{value} is no number")).to_string().parse().unwrap()
}

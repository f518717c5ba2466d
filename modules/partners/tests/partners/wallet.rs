//! A wallet's programme and its key.

use std::path::Path;
use std::process::Stdio;

use agio_testkit::House;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::people::{Partner, key_order};

pub const ROOT: &str = "/api/partner/v1/trustee";

/// The wallet, as a process of its own.
pub struct Wallet {
    pub partner: Partner,
    /// Where it calls.
    pub root: String,
    /// Its clock, in milliseconds; it goes on by one with each call.
    pub now: i64,
    _process: Child,
    says: Lines<BufReader<ChildStdout>>,
    hears: ChildStdin,
}

/// What the wallet was answered.
#[derive(Clone, Debug)]
pub struct Told {
    pub status: u64,
    pub body: Value,
    /// Whether the answer is signed as the contract wants it.
    pub is_signed: bool,
    /// The call itself, to be sent again.
    pub call: Value,
}

impl Told {
    fn of(said: &Value) -> Self {
        let (status, is_signed) = (said["status"].as_u64().unwrap(), said["isSigned"].as_bool().unwrap());
        Self { status, body: said["body"].clone(), is_signed, call: said["call"].clone() }
    }

    #[track_caller]
    pub fn ok(self) -> Value {
        assert!(self.status == 200 && self.is_signed, "{}: {}", self.status, self.body);
        self.body
    }

    /// The message of a refusal with this code, or none.
    #[track_caller]
    pub fn refused(&self, status: u64, code: Option<&str>) -> String {
        assert_eq!((self.status, self.body["errorCode"].as_str()), (status, code), "{}", self.body);
        self.body["message"].as_str().unwrap().to_owned()
    }
}

/// A key that speaks the contract.
pub fn wallet_key(sandbox: bool) -> Value {
    let mut order = key_order(sandbox);
    order["scopes"] = json!(["trustee"]);
    order
}

impl Wallet {
    pub async fn of(house: &House) -> Self {
        Self::with(house, wallet_key(false)).await
    }

    pub async fn with(house: &House, key: Value) -> Self {
        let partner = Partner::with(house, "", key).await;
        let mut process = Command::new("node")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/partners/wallet.mjs"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("node runs");
        let says = BufReader::new(process.stdout.take().unwrap()).lines();
        let hears = process.stdin.take().unwrap();
        let root = house.root.clone();
        let mut this = Self { partner, root, now: 0, _process: process, says, hears };
        this.look_at_the_clock(house);
        this
    }

    /// Sets its clock by the house's.
    pub fn look_at_the_clock(&mut self, house: &House) {
        self.now = self.now.max(house.now().0 / 1_000);
    }

    /// Has the programme do something, with the key and at the wallet's time unless `task` has others.
    pub async fn does(&mut self, what: &str, task: Value) -> Value {
        self.now += 1;
        let mut whole = json!({
            "do": what, "root": self.root, "key": self.partner.key, "secret": self.partner.secret, "now": self.now,
        });
        whole.as_object_mut().unwrap().extend(task.as_object().unwrap().clone());
        self.hears.write_all(format!("{whole}\n").as_bytes()).await.unwrap();
        let line = self.says.next_line().await.unwrap().expect("the wallet ended before its time");
        serde_json::from_str(&line).unwrap()
    }

    pub async fn calls(&mut self, task: Value) -> Told {
        Told::of(&self.does("call", task).await)
    }

    pub async fn again(&mut self, call: &Value) -> Told {
        Told::of(&self.does("again", json!({ "call": call })).await)
    }

    pub async fn estimates(&mut self, wish: Value) -> Told {
        self.calls(json!({ "method": "POST", "path": format!("{ROOT}/estimate/"), "body": wish })).await
    }

    pub async fn orders(&mut self, wish: Value) -> Told {
        self.calls(order_of(wish)).await
    }

    pub async fn checks(&mut self, id: &str) -> Told {
        self.calls(json!({ "method": "GET", "path": format!("{ROOT}/orders/"), "query": { "id": id } })).await
    }

    pub async fn cancels(&mut self, id: &str) -> Told {
        self.calls(json!({ "method": "POST", "path": format!("{ROOT}/orders/cancel/"), "body": { "id": id } })).await
    }

    /// An order of bitcoin for roubles at the terms of this moment.
    pub async fn wish(&mut self, send: f64) -> Value {
        let estimate = self.estimates(json!({ "from": "BTC", "to": "SBERRUB", "fromAmount": send })).await.ok();
        json!({
            "from": "BTC", "to": "SBERRUB", "fromNetwork": "BTC", "fromAmount": send, "toAmount": estimate["toAmount"],
            "toPaymentDetails": "2200000000000004", "toMemo": "IVAN PETROV", "userId": "4MkQ4RTk",
            "redirectUrl": "https://wallet.example/back", "rateType": "FIXED", "rateId": estimate["rateId"],
        })
    }

    /// An order that waits for its payment.
    pub async fn order(&mut self, send: f64) -> Value {
        let wish = self.wish(send).await;
        self.orders(wish).await.ok()
    }

    pub async fn status(&mut self, id: &str) -> String {
        self.checks(id).await.ok()["status"].as_str().unwrap().to_owned()
    }
}

pub fn order_of(wish: Value) -> Value {
    json!({ "method": "POST", "path": format!("{ROOT}/orders/"), "body": wish })
}

/// A number of an answer, from its digits.
pub fn number(value: &Value) -> rust_decimal::Decimal {
    value.as_number().unwrap_or_else(|| panic!("{value} is no number")).to_string().parse().unwrap()
}

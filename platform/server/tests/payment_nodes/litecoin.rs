//! Litecoin Core, on a network of its own (regtest).

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use agio_bitcoin_core::BitcoinLike;
use rust_decimal::Decimal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::loopback::LoopbackAddress;
use crate::stories::stories_of;
use crate::test_node::{MovedTotals, ReplacementTo, TestNode};

mod wallets;

stories_of!(super::Litecoin);

const PROGRAM: &str = "litecoind";
/// The user of the driver may call nothing else. The documentation names the same methods.
const DRIVER: &str = "agio";
const DRIVER_METHODS: &str = "getblockhash,getblockcount,getaddressesbylabel,getnewaddress,listsinceblock,gettransaction,\
    listtransactions,getwalletinfo,sendtoaddress";
/// The user of the tests, with the salt and the hash of the password.
const USER: &str = "tests";
const USER_AUTH: &str = "tests:5ca1ab1e$87f535b49522022673adfde9befc0ff1870b0fdeb448c6f403a9372c76cfc4ab";
const PASSWORD: &str = "regtest";

const EXCHANGE: &str = "exchange";
const CUSTOMER: &str = "customer";

/// The comment of what the owner takes out of the exchange's wallet.
const BY_OWNER: &str = "by the owner";

/// How long the node may take to start or to end, in polls.
const POLLS: usize = 1_200;
const POLL: Duration = Duration::from_millis(50);

const PORT: u16 = 29_081;

pub struct Litecoin {
    process: Option<Child>,
    folder: TempDir,
    client: reqwest::Client,
    // Last: the address is free when the process has ended.
    address: LoopbackAddress,
}

impl Litecoin {
    /// Calls the node.
    ///
    /// # Errors
    /// What it answers instead of a result, or why it is not reached.
    async fn try_call(&self, wallet: Option<&str>, method: &str, params: &Value) -> Result<Value, String> {
        let path = wallet.map(|wallet| format!("/wallet/{wallet}")).unwrap_or_default();
        let request = self.client.post(format!("{}{path}", self.url())).basic_auth(USER, Some(PASSWORD));
        let answer = request.json(&json!({ "id": 0, "method": method, "params": params })).send().await;
        let mut answer: Value = answer.map_err(|error| error.to_string())?.json().await.map_err(|error| error.to_string())?;
        if answer["error"].is_null() { Ok(answer["result"].take()) } else { Err(format!("{method}: {}", answer["error"])) }
    }

    pub async fn call(&self, method: &str, params: Value) -> Value {
        self.try_call(None, method, &params).await.unwrap()
    }

    pub async fn call_wallet(&self, wallet: &str, method: &str, params: Value) -> Value {
        self.try_call(Some(wallet), method, &params).await.unwrap()
    }

    /// Starts the process and waits until it answers.
    async fn launch(&mut self) {
        let log = fs::File::create(self.folder.path().join("log")).unwrap();
        let process = Command::new(PROGRAM)
            // Debian's script makes `.litecoin` there, and fails if another does at the same time.
            .env("HOME", self.folder.path())
            .arg(format!("-datadir={}", self.folder.path().display()))
            .args([
                "-regtest",
                "-listen=0",
                "-fallbackfee=0.001",
                "-mempoolreplacement=1",
                "-walletrbf=1",
                "-keypool=20",
                "-printtoconsole",
            ])
            .args([format!("-rpcbind={}", self.address.ip), "-rpcallowip=127.0.0.0/8".to_owned(), format!("-rpcport={PORT}")])
            .args([format!("-rpcuser={DRIVER}"), format!("-rpcpassword={PASSWORD}"), format!("-rpcauth={USER_AUTH}")])
            .args([format!("-rpcwhitelist={DRIVER}:{DRIVER_METHODS}"), "-rpcwhitelistdefault=0".to_owned()])
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn();
        let process = process.unwrap_or_else(|error| panic!("{PROGRAM} does not start: {error}. Run .ci/need {PROGRAM}"));
        self.process = Some(process);
        for _ in 0..POLLS {
            if self.try_call(None, "getblockchaininfo", &json!([])).await.is_ok() {
                return;
            }
            if self.process.as_mut().unwrap().try_wait().unwrap().is_some() {
                break;
            }
            tokio::time::sleep(POLL).await;
        }
        panic!("{PROGRAM} does not answer: {}", fs::read_to_string(self.folder.path().join("log")).unwrap());
    }

    async fn address(&self, wallet: &str) -> String {
        text(&self.call_wallet(wallet, "getnewaddress", json!(["", "bech32"])).await)
    }

    async fn send(&self, wallet: &str, address: &str, amount: Decimal, comment: &str) -> String {
        let params = json!({
            "address": address, "amount": amount.to_string(), "comment": comment, "replaceable": true, "fee_rate": 20,
        });
        text(&self.call_wallet(wallet, "sendtoaddress", params).await)
    }

    /// The value of an output of one of the customer's transactions.
    async fn output_value(&self, input: &Value) -> Decimal {
        let transaction = self.call_wallet(CUSTOMER, "gettransaction", json!([input["txid"]])).await;
        let decoded = self.call("decoderawtransaction", json!([transaction["hex"]])).await;
        let outputs = decoded["vout"].as_array().unwrap();
        decimal(&outputs.iter().find(|output| output["n"] == input["vout"]).unwrap()["value"])
    }

    /// Spends the inputs of a customer's transaction to the customer.
    async fn spend_twice(&self, tx_id: &str) {
        let first = self.call_wallet(CUSTOMER, "gettransaction", json!([tx_id])).await;
        let decoded = self.call("decoderawtransaction", json!([first["hex"]])).await;
        let mut sum = Decimal::ZERO;
        let mut inputs = Vec::new();
        for input in decoded["vin"].as_array().unwrap() {
            sum += self.output_value(input).await;
            inputs.push(json!({ "txid": input["txid"], "vout": input["vout"] }));
        }
        let address = self.address(CUSTOMER).await;
        let rest = (sum - Decimal::new(1, 2)).to_string();
        let raw = self.call("createrawtransaction", json!([inputs, [{ (address): rest }]])).await;
        let signed = self.call_wallet(CUSTOMER, "signrawtransactionwithwallet", json!([raw])).await;
        // The check for absurdly high fees is off.
        self.call("sendrawtransaction", json!([signed["hex"], 0])).await;
    }
}

impl TestNode for Litecoin {
    type Driver = BitcoinLike;

    const CODE: &'static str = "LTC";
    const AMOUNT: &'static str = "1.25";
    const ADDRESS_KIND: Option<&'static str> = Some("text");
    const SENDS: &'static str = "sendtoaddress";
    const CONFIRMATIONS: u32 = 3;

    async fn start() -> Self {
        let client = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut node = Self { process: None, folder, client, address: LoopbackAddress::reserve() };
        node.launch().await;
        for wallet in [EXCHANGE, CUSTOMER] {
            node.call("createwallet", json!({ "wallet_name": wallet, "load_on_startup": true })).await;
        }
        // Mined coins can be spent after 100 blocks: these three of the exchange and five of the customer.
        for (wallet, blocks) in [(EXCHANGE, 3), (CUSTOMER, 105)] {
            node.call("generatetoaddress", json!([blocks, node.address(wallet).await])).await;
        }
        node
    }

    fn driver() -> BitcoinLike {
        BitcoinLike::LITECOIN
    }

    fn url(&self) -> String {
        format!("http://{}:{PORT}", self.address.ip)
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        let settings = [("network", "regtest"), ("wallet", EXCHANGE), ("user", DRIVER), ("password", PASSWORD)];
        settings.map(|(name, value)| (name, value.to_owned())).into()
    }

    async fn stop(&mut self) {
        self.call("stop", json!([])).await;
        let mut process = self.process.take().unwrap();
        for _ in 0..POLLS {
            if process.try_wait().unwrap().is_some() {
                return;
            }
            tokio::time::sleep(POLL).await;
        }
        self.process = Some(process);
        panic!("{PROGRAM} does not end");
    }

    async fn start_again(&mut self) {
        self.launch().await;
    }

    async fn pay(&self, address: &str, amount: Decimal) -> String {
        self.send(CUSTOMER, address, amount, "").await
    }

    async fn replace(&self, tx_id: &str, to: ReplacementTo) {
        match to {
            ReplacementTo::SameAddress => {
                let replaced = self.call_wallet(CUSTOMER, "bumpfee", json!([tx_id, { "fee_rate": 100 }])).await;
                assert_ne!(replaced["txid"], tx_id);
            }
            ReplacementTo::Sender => self.spend_twice(tx_id).await,
        }
        let waiting = self.call("getrawmempool", json!([])).await;
        assert!(!waiting.as_array().unwrap().contains(&json!(tx_id)), "it is replaced");
    }

    async fn mine(&self, blocks: u32) {
        // With another address each time no block is one that was undone.
        let address = self.address(CUSTOMER).await;
        self.call("generatetoaddress", json!([blocks, address])).await;
    }

    async fn undo_blocks(&self, blocks: u32) {
        let height = self.call("getblockcount", json!([])).await.as_u64().unwrap();
        let first = self.call("getblockhash", json!([height + 1 - u64::from(blocks)])).await;
        self.call("invalidateblock", json!([first])).await;
    }

    async fn customer_address(&self) -> String {
        self.address(CUSTOMER).await
    }

    async fn received(&self, address: &str) -> Decimal {
        decimal(&self.call_wallet(CUSTOMER, "getreceivedbyaddress", json!([address, Self::CONFIRMATIONS])).await)
    }

    async fn moved(&self) -> MovedTotals {
        let entries = self.call_wallet(EXCHANGE, "listtransactions", json!(["*", 10_000])).await;
        let is_certain = |entry: &&Value| entry["confirmations"].as_i64().unwrap() >= i64::from(Self::CONFIRMATIONS);
        let of_owner = |entry: &&Value| entry["comment"] == BY_OWNER || entry["label"] == "" && entry["category"] == "receive";
        let sum = |category: &str| -> Decimal {
            let entries = entries.as_array().unwrap().iter().filter(is_certain).filter(|entry| !of_owner(entry));
            entries.filter(|entry| entry["category"] == category).map(|entry| decimal(&entry["amount"]).abs()).sum()
        };
        MovedTotals { received: sum("receive").normalize(), sent: sum("send").normalize() }
    }

    async fn empty_wallet(&self) {
        let balance = decimal(&self.call_wallet(EXCHANGE, "getbalance", json!([])).await);
        let rest = balance - Decimal::ONE / Decimal::TEN;
        self.send(EXCHANGE, &self.address(CUSTOMER).await, rest, BY_OWNER).await;
    }

    async fn fill_wallet(&self) {
        self.send(CUSTOMER, &self.address(EXCHANGE).await, Decimal::from(50), BY_OWNER).await;
    }
}

impl Drop for Litecoin {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

fn decimal(value: &Value) -> Decimal {
    let digits = value.to_string();
    digits.parse().or_else(|_| Decimal::from_scientific(&digits)).unwrap()
}

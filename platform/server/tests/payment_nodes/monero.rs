//! Monero: a node on a chain of its own (regtest), and a wallet server each for the exchange and a customer.
//!
//! Transactions cannot be replaced. One that spends the same coins gets into a block only if a miner never saw the
//! first, so the tests take that out of the node's pool.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex as StdMutex;
use std::time::Duration;

use agio_plugin_monero::Monero as Driver;
use rust_decimal::Decimal;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::Mutex;

use crate::loopback::LoopbackAddress;
use crate::stories::stories_of;
use crate::test_node::{MovedTotals, ReplacementTo, TestNode};

mod wallets;

stories_of!(super::Monero: a_deposit_is_seen_confirmed_and_paid_out, a_payout_whose_answer_is_lost_is_found_again);

// What needs a payment that is replaced, or counts refused requests to send, has no counterpart here. `wallets` has the
// reorganisation after which a payment counts again.
stories_of!(
    super::Monero, sqlite:
    a_payout_is_sent_once_and_its_fee_is_known,
    a_deposit_that_is_reorganised_away_pays_for_nothing,
    a_deposit_that_is_spent_twice_pays_for_nothing,
    a_refund_goes_to_the_customer,
    a_restart_of_the_node_loses_nothing,
    a_restart_of_the_server_loses_nothing,
    an_empty_wallet_is_for_staff_who_fill_it_and_send_again,
);

const NODE: &str = "monerod";
const WALLET_SERVER: &str = "monero-wallet-rpc";

const NODE_PORT: u16 = 29_081;
const PEER_PORT: u16 = 29_082;
const EXCHANGE: Wallet = Wallet { name: "exchange", port: 29_083 };
const CUSTOMER: Wallet = Wallet { name: "customer", port: 29_084 };

/// A wallet with a server of its own.
#[derive(Clone, Copy)]
struct Wallet {
    name: &'static str,
    port: u16,
}

/// Whose blocks are not for the tests.
const MINER: &str = "44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A";

/// Mined coins can be spent after 60 blocks, others after 10.
const EXCHANGE_BLOCKS: u32 = 8;
const CUSTOMER_BLOCKS: u32 = 14;
const OTHER_BLOCKS: u32 = 60;
const LOCKED_BLOCKS: u32 = 10;

/// Transactions that divide the customer's coins, and the parts of each. Wallets hide the coin they spend among others.
/// With only few more of these than they want, they search for minutes.
const DIVISIONS: usize = 7;
const DIVISION_PARTS: usize = 15;

/// Changes with what is in the prepared chain.
const PREPARED: &str = "monero-2";

/// How long a process may take to start or to end, in polls.
const POLLS: usize = 1_200;
const POLL: Duration = Duration::from_millis(50);

pub struct Monero {
    /// The node and the wallet servers.
    processes: Vec<Child>,
    folder: TempDir,
    client: reqwest::Client,
    /// By a payment: another one that spends the same coins, in hexadecimal.
    double_spends: StdMutex<HashMap<String, String>>,
    /// What the owner took out of the exchange's wallet.
    by_owner: StdMutex<HashSet<String>>,
    // Last: the address is free when the processes have ended.
    address: LoopbackAddress,
}

impl Monero {
    fn new(folder: TempDir) -> Self {
        let client = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build().unwrap();
        let (processes, double_spends, by_owner) = Default::default();
        Self { processes, folder, client, double_spends, by_owner, address: LoopbackAddress::reserve() }
    }

    /// Calls a server.
    ///
    /// # Errors
    /// What it answers instead of a result, or why it is not reached.
    async fn try_call(&self, port: u16, path: &str, body: &Value) -> Result<Value, String> {
        let url = format!("http://{}:{port}/{path}", self.address.ip);
        let answer = self.client.post(url).json(body).send().await.map_err(|error| error.to_string())?;
        let answer: Value = answer.json().await.map_err(|error| error.to_string())?;
        if answer["error"].is_null() { Ok(answer) } else { Err(format!("{body}: {}", answer["error"])) }
    }

    async fn try_rpc(&self, port: u16, method: &str, params: &Value) -> Result<Value, String> {
        let body = json!({ "jsonrpc": "2.0", "id": 0, "method": method, "params": params });
        Ok(self.try_call(port, "json_rpc", &body).await?["result"].take())
    }

    async fn node(&self, method: &str, params: Value) -> Value {
        self.try_rpc(NODE_PORT, method, &params).await.unwrap()
    }

    async fn wallet(&self, wallet: Wallet, method: &str, params: Value) -> Value {
        self.try_rpc(wallet.port, method, &params).await.unwrap()
    }

    /// A method of the node that is no JSON-RPC.
    async fn plain(&self, path: &str, params: Value) -> Value {
        let answer = self.try_call(NODE_PORT, path, &params).await.unwrap();
        assert_eq!(answer["status"], "OK", "{path}: {answer}");
        answer
    }

    fn spawn(&self, program: &str, log: &str, args: &[String]) -> Child {
        let log = fs::File::create(self.folder.path().join(format!("{log}.log"))).unwrap();
        let process = Command::new(program)
            .args(args)
            .env("HOME", self.folder.path())
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn();
        process.unwrap_or_else(|error| panic!("{program} does not start: {error}. Run .ci/need monero"))
    }

    fn log(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(format!("{name}.log"))).unwrap()
    }

    async fn wait_for(&mut self, log: &str, port: u16, method: &str) {
        for _ in 0..POLLS {
            if self.try_rpc(port, method, &json!({})).await.is_ok() {
                return;
            }
            let has_ended = self.processes.iter_mut().any(|process| process.try_wait().unwrap().is_some());
            assert!(!has_ended, "{}", self.log(log));
            tokio::time::sleep(POLL).await;
        }
        panic!("{log} does not answer: {}", self.log(log));
    }

    async fn start_node(&mut self) {
        let ip = self.address.ip;
        let args = [
            "--regtest --keep-fakechain --offline --fixed-difficulty 1 --no-zmq --non-interactive --rpc-ssl disabled".to_owned(),
            format!("--rpc-bind-ip {ip} --rpc-bind-port {NODE_PORT} --p2p-bind-ip {ip} --p2p-bind-port {PEER_PORT}"),
            "--check-updates disabled --disable-dns-checkpoints".to_owned(),
        ];
        let process = self.spawn(NODE, NODE, &self.args(&args, "--data-dir", "chain"));
        self.processes.push(process);
        self.wait_for(NODE, NODE_PORT, "get_info").await;
    }

    /// Starts the server of a wallet, which is created if it is `new`.
    async fn start_wallet(&mut self, wallet: Wallet, new: bool) {
        let ip = self.address.ip;
        let args = [
            format!("--daemon-address {ip}:{NODE_PORT} --daemon-ssl disabled --trusted-daemon --no-dns"),
            format!("--rpc-bind-ip {ip} --rpc-bind-port {} --rpc-ssl disabled --disable-rpc-login", wallet.port),
            format!("--shared-ringdb-dir {}", self.folder.path().join("rings").display()),
        ];
        let args = match new {
            true => self.args(&args, "--wallet-dir", ""),
            false => [self.args(&args, "--wallet-file", wallet.name), vec!["--password".to_owned(), String::new()]].concat(),
        };
        let process = self.spawn(WALLET_SERVER, wallet.name, &args);
        self.processes.push(process);
        self.wait_for(wallet.name, wallet.port, "get_version").await;
        if new {
            let wallet_file = json!({ "filename": wallet.name, "password": "", "language": "English" });
            self.wallet(wallet, "create_wallet", wallet_file).await;
        }
    }

    /// Arguments without spaces, and a place in the folder.
    fn args(&self, plain: &[String], option: &str, place: &str) -> Vec<String> {
        let plain = plain.iter().flat_map(|args| args.split(' ')).map(str::to_owned);
        let place = [option.to_owned(), self.folder.path().join(place).display().to_string()];
        plain.chain(place).chain(["--log-file".to_owned(), "/dev/null".to_owned()]).collect()
    }

    async fn launch(&mut self) {
        self.start_node().await;
        for wallet in [EXCHANGE, CUSTOMER] {
            self.start_wallet(wallet, false).await;
        }
    }

    /// Ends the node at once; the wallet servers go on.
    fn kill_node(&mut self) {
        let mut node = self.processes.remove(0);
        node.kill().unwrap();
        node.wait().unwrap();
    }

    /// Ends the exchange's wallet server at once, and starts another one.
    async fn kill_exchange_wallet(&mut self) {
        let mut server = self.processes.remove(1);
        server.kill().unwrap();
        server.wait().unwrap();
        self.start_wallet(EXCHANGE, false).await;
    }

    /// Waits until the newest process has ended by itself.
    async fn end_newest(&mut self) {
        let mut process = self.processes.pop().unwrap();
        for _ in 0..POLLS {
            if process.try_wait().unwrap().is_some() {
                return;
            }
            tokio::time::sleep(POLL).await;
        }
        self.processes.push(process);
        panic!("a process does not end");
    }

    /// A miner takes only transactions that its node has passed on, which it does after it has answered.
    async fn wait_until_relayed(&self) {
        for _ in 0..POLLS {
            let pool = self.plain("get_transaction_pool", json!({})).await;
            if pool["transactions"].as_array().into_iter().flatten().all(|entry| entry["relayed"] == true) {
                return;
            }
            tokio::time::sleep(POLL).await;
        }
        panic!("transactions are not passed on: {}", self.log(NODE));
    }

    async fn generate(&self, blocks: u32, address: &str) {
        self.wait_until_relayed().await;
        self.node("generateblocks", json!({ "amount_of_blocks": blocks, "wallet_address": address })).await;
    }

    async fn refresh_wallets(&self) {
        for wallet in [EXCHANGE, CUSTOMER] {
            self.wallet(wallet, "refresh", json!({})).await;
        }
    }

    async fn primary_address(&self, wallet: Wallet) -> String {
        text(&self.wallet(wallet, "get_address", json!({ "account_index": 0, "address_index": [0] })).await["address"])
    }

    async fn height(&self) -> u64 {
        self.node("get_info", json!({})).await["height"].as_u64().unwrap()
    }

    /// Sends from a wallet at once.
    async fn send(&self, from: Wallet, payments: &[(&str, Decimal)], unlock_time: u64) -> String {
        let destination = |(address, amount): &(&str, Decimal)| json!({ "address": address, "amount": units(*amount) });
        let destinations: Vec<_> = payments.iter().map(destination).collect();
        let transfer = json!({ "destinations": destinations, "account_index": 0, "unlock_time": unlock_time });
        text(&self.wallet(from, "transfer", transfer).await["tx_hash"])
    }

    async fn transfers(&self, wallet: Wallet, direction: &str) -> Vec<Value> {
        let listed = self.wallet(wallet, "get_transfers", json!({ "account_index": 0, direction: true })).await;
        listed[direction].as_array().cloned().unwrap_or_default()
    }

    /// A folder with a chain and funded wallets. It is prepared once and kept for later runs.
    async fn prepared() -> PathBuf {
        static PREPARING: Mutex<()> = Mutex::const_new(());
        let _turn = PREPARING.lock().await;
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(PREPARED);
        if kept.exists() {
            return kept;
        }
        let mut node = Self::new(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap());
        node.start_node().await;
        for (wallet, blocks) in [(EXCHANGE, EXCHANGE_BLOCKS), (CUSTOMER, CUSTOMER_BLOCKS)] {
            node.start_wallet(wallet, true).await;
            node.generate(blocks, &node.primary_address(wallet).await).await;
        }
        node.generate(OTHER_BLOCKS, MINER).await;
        node.refresh_wallets().await;
        let customer = node.primary_address(CUSTOMER).await;
        for _ in 0..DIVISIONS {
            node.send(CUSTOMER, &[(&*customer, Decimal::ONE); DIVISION_PARTS], 0).await;
        }
        node.mine(LOCKED_BLOCKS + 1).await;
        node.stop().await;
        // Another process may have been faster.
        let _ = fs::rename(node.folder.path(), &kept);
        assert!(kept.exists());
        kept
    }
}

impl TestNode for Monero {
    type Driver = Driver;

    const CODE: &'static str = "XMR";
    const AMOUNT: &'static str = "0.62531";
    const ADDRESS_KIND: Option<&'static str> = None;
    const SENDS: &'static str = "relay_tx";
    const CONFIRMATIONS: u32 = 3;

    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy_folder(&Self::prepared().await, folder.path());
        let mut node = Self::new(folder);
        node.launch().await;
        node
    }

    fn driver() -> Driver {
        Driver
    }

    fn url(&self) -> String {
        format!("http://{}:{}", self.address.ip, EXCHANGE.port)
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    async fn stop(&mut self) {
        for wallet in [CUSTOMER, EXCHANGE] {
            self.wallet(wallet, "stop_wallet", json!({})).await;
            self.end_newest().await;
        }
        self.plain("stop_daemon", json!({})).await;
        self.end_newest().await;
    }

    async fn start_again(&mut self) {
        self.launch().await;
    }

    async fn pay(&self, address: &str, amount: Decimal) -> String {
        let transfer = json!({
            "destinations": [{ "address": address, "amount": units(amount) }], "account_index": 0, "do_not_relay": true,
            "get_tx_metadata": true,
        });
        let payment = self.wallet(CUSTOMER, "transfer", transfer).await;
        let back = json!({
            "address": self.primary_address(CUSTOMER).await, "key_image": payment["spent_key_images"]["key_images"][0],
            "do_not_relay": true, "get_tx_hex": true,
        });
        let double_spend = text(&self.wallet(CUSTOMER, "sweep_single", back).await["tx_blob"]);
        let tx_id = text(&self.wallet(CUSTOMER, "relay_tx", json!({ "hex": payment["tx_metadata"] })).await["tx_hash"]);
        self.double_spends.lock().unwrap().insert(tx_id.clone(), double_spend);
        tx_id
    }

    async fn replace(&self, tx_id: &str, to: ReplacementTo) {
        assert_eq!(to, ReplacementTo::Sender, "the network has no replacements");
        self.node("flush_txpool", json!({ "txids": [tx_id] })).await;
        let double_spend = self.double_spends.lock().unwrap().remove(tx_id).unwrap();
        self.plain("send_raw_transaction", json!({ "tx_as_hex": double_spend })).await;
    }

    async fn mine(&self, blocks: u32) {
        self.generate(blocks, MINER).await;
        self.refresh_wallets().await;
    }

    /// Wallets follow another chain when it is as long.
    async fn undo_blocks(&self, blocks: u32) {
        let height = self.height().await;
        let mut undone = Vec::new();
        for block in height - u64::from(blocks)..height {
            let block = self.node("get_block", json!({ "height": block })).await;
            undone.extend(block["tx_hashes"].as_array().cloned().unwrap_or_default());
        }
        let transactions = self.plain("get_transactions", json!({ "txs_hashes": undone })).await;
        self.plain("pop_blocks", json!({ "nblocks": blocks })).await;
        self.node("flush_txpool", json!({ "txids": undone })).await;
        self.generate(blocks, MINER).await;
        for transaction in transactions["txs"].as_array().into_iter().flatten() {
            self.plain("send_raw_transaction", json!({ "tx_as_hex": transaction["as_hex"] })).await;
        }
        self.refresh_wallets().await;
    }

    async fn customer_address(&self) -> String {
        text(&self.wallet(CUSTOMER, "create_address", json!({ "account_index": 0 })).await["address"])
    }

    async fn received(&self, address: &str) -> Decimal {
        let entries = self.transfers(CUSTOMER, "in").await;
        entries.iter().filter(|entry| is_certain(entry) && entry["address"] == address).map(amount).sum()
    }

    async fn moved(&self) -> MovedTotals {
        let is_deposit = |entry: &&Value| is_certain(entry) && entry["subaddr_index"]["minor"] != 0;
        let received: Decimal = self.transfers(EXCHANGE, "in").await.iter().filter(is_deposit).map(amount).sum();
        let sent = self.transfers(EXCHANGE, "out").await;
        let by_owner = self.by_owner.lock().unwrap();
        let is_payout = |entry: &&Value| is_certain(entry) && !by_owner.contains(entry["txid"].as_str().unwrap());
        let sent: Decimal = sent.iter().filter(is_payout).map(amount).sum();
        MovedTotals { received: received.normalize(), sent: sent.normalize() }
    }

    async fn empty_wallet(&self) {
        let all = json!({ "address": self.primary_address(CUSTOMER).await, "account_index": 0 });
        let swept = self.wallet(EXCHANGE, "sweep_all", all).await;
        self.by_owner.lock().unwrap().extend(swept["tx_hash_list"].as_array().unwrap().iter().map(text));
    }

    async fn fill_wallet(&self) {
        self.send(CUSTOMER, &[(&self.primary_address(EXCHANGE).await, Decimal::from(50))], 0).await;
        self.mine(LOCKED_BLOCKS).await;
    }
}

impl Drop for Monero {
    fn drop(&mut self) {
        for process in &mut self.processes {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn is_certain(entry: &Value) -> bool {
    entry["confirmations"].as_u64().is_some_and(|count| count >= Monero::CONFIRMATIONS.into())
}

fn amount(entry: &Value) -> Decimal {
    Decimal::new(entry["amount"].as_i64().unwrap(), 12)
}

fn units(amount: Decimal) -> u64 {
    u64::try_from((amount * Decimal::from(1_000_000_000_000_u64)).normalize()).unwrap()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

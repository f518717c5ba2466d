//! Hardhat's development node, with coins and with a token as USDT. What waits for a block is not visible to the
//! driver, so the stories of unconfirmed payments are told otherwise.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use agio_plugin_evm::{Evm, NETWORKS};
use agio_test_app::{Engine, both_engines};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::test_node::{MovedTotals, ReplacementTo, TestNode};
use crate::world::{REAPPEARANCE, World};

/// The phrase that development nodes publish, its first accounts, and the extended public key of `m/44'/60'/1'`.
const PHRASE: &str = "test test test test test test test test test test test junk";
const EXCHANGE: &str = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const CUSTOMER: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const DEPOSIT_KEY: &str =
    "xpub6Ce9NcJvTk372KjsGfWqbcex5DumjpNquQLApoeQUavSCjEc823BV1tb4rXUuPuht8h2hSxkg2EXUaKUJmniJvRZAELxypsCzBFdtosmV76";

const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/// Coins have 18 decimals, the token has 6.
const COIN_DECIMALS: u32 = 18;
const TOKEN_DECIMALS: u32 = 6;

/// The fee of a payment, and of one that replaces it: in units of gas price.
const FEE: (u64, u64) = (1_000_000_000, 100_000_000_000);
const HIGHER_FEE: (u64, u64) = (3_000_000_000, 300_000_000_000);

mod coins {
    use super::Ethereum;

    crate::stories::stories_of!(
        super::Ethereum<false>:
        a_payout_is_sent_once_and_its_fee_is_known,
        a_deposit_that_is_reorganised_away_pays_for_nothing,
        a_deposit_that_is_reorganised_and_confirmed_again_counts_once,
        a_refund_goes_to_the_customer,
        a_payout_whose_answer_is_lost_is_found_again,
        a_restart_of_the_node_loses_nothing,
        a_restart_of_the_server_loses_nothing,
        an_empty_wallet_is_for_staff_who_fill_it_and_send_again,
    );
}

mod tokens {
    use super::Ethereum;

    crate::stories::stories_of!(
        super::Ethereum<true>:
        a_deposit_that_is_reorganised_away_pays_for_nothing,
        a_deposit_that_is_reorganised_and_confirmed_again_counts_once,
        a_refund_goes_to_the_customer,
        a_payout_whose_answer_is_lost_is_found_again,
        a_restart_of_the_node_loses_nothing,
        a_restart_of_the_server_loses_nothing,
        an_empty_wallet_is_for_staff_who_fill_it_and_send_again,
    );
}

async fn deposits_count_by_their_confirmations<const TOKEN: bool>(engine: Engine) {
    let world = World::<Ethereum<TOKEN>>::open(engine).await;
    let amount: Decimal = Ethereum::<TOKEN>::AMOUNT.parse().unwrap();
    let (paid, replaced, stolen) = (world.seller().await, world.seller().await, world.seller().await);
    world.node.pay(&paid.pay_to, amount).await;
    let tx = world.node.pay(&replaced.pay_to, amount).await;
    world.node.replace(&tx, ReplacementTo::SameAddress).await;
    let tx = world.node.pay(&stolen.pay_to, amount).await;
    world.node.replace(&tx, ReplacementTo::Sender).await;
    world.mine(Ethereum::<TOKEN>::CONFIRMATIONS - 1).await;
    assert_eq!(world.state(&paid).await, "payment_seen");
    world.mine(1).await;
    assert_eq!((world.state(&paid).await.as_str(), world.state(&replaced).await.as_str()), ("paid", "paid"));
    world.advance(REAPPEARANCE).await;
    assert!(!matches!(world.state(&stolen).await.as_str(), "payment_seen" | "paid" | "on_hold"));
    world.assert_chain_agrees().await;
}

async fn deposits_of_coins_count_by_their_confirmations(engine: Engine) {
    deposits_count_by_their_confirmations::<false>(engine).await;
}

async fn deposits_of_tokens_count_by_their_confirmations(engine: Engine) {
    deposits_count_by_their_confirmations::<true>(engine).await;
}

both_engines!(deposits_of_coins_count_by_their_confirmations, deposits_of_tokens_count_by_their_confirmations);

pub struct Ethereum<const TOKEN: bool> {
    process: Child,
    /// Where the process listens.
    direct: String,
    client: reqwest::Client,
    relay: Relay,
    token: String,
    /// The state before each mined block.
    snapshots: Mutex<Vec<String>>,
    counter: AtomicU64,
}

impl<const TOKEN: bool> Ethereum<TOKEN> {
    async fn call(&self, method: &str, params: Value) -> Value {
        let request =
            self.client.post(&self.direct).json(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }));
        let mut answer: Value = request.send().await.unwrap().json().await.unwrap();
        assert!(answer["error"].is_null(), "{method} {params}: {}", answer["error"]);
        answer["result"].take()
    }

    async fn height(&self) -> u64 {
        u64::try_from(number(&self.call("eth_blockNumber", json!([])).await)).unwrap()
    }

    /// Pays from an account, with a nonce if it replaces a payment.
    async fn transfer(&self, from: &str, to: &str, amount: Decimal, nonce: Option<&Value>, fee: (u64, u64)) -> String {
        let units = units(amount, Self::DECIMALS);
        let mut transaction = if TOKEN {
            let data = format!("0xa9059cbb{:0>64}{units:064x}", to.trim_start_matches("0x").to_lowercase());
            json!({ "from": from, "to": self.token, "data": data })
        } else {
            json!({ "from": from, "to": to, "value": format!("{units:#x}") })
        };
        transaction["gas"] = json!("0x186a0");
        transaction["maxPriorityFeePerGas"] = json!(format!("{:#x}", fee.0));
        transaction["maxFeePerGas"] = json!(format!("{:#x}", fee.1));
        if let Some(nonce) = nonce {
            transaction["nonce"] = nonce.clone();
        }
        self.call("eth_sendTransaction", json!([transaction])).await.as_str().unwrap().to_owned()
    }

    async fn token_balance(&self, address: &str, block: &str) -> u128 {
        let data = format!("0x70a08231{:0>64}", address.trim_start_matches("0x").to_lowercase());
        number(&self.call("eth_call", json!([{ "to": self.token, "data": data }, block])).await)
    }

    const DECIMALS: u32 = if TOKEN { TOKEN_DECIMALS } else { COIN_DECIMALS };
}

impl<const TOKEN: bool> TestNode for Ethereum<TOKEN> {
    type Driver = Evm;

    const CODE: &'static str = if TOKEN { "USDTERC20" } else { "ETH" };
    const AMOUNT: &'static str = if TOKEN { "75.5" } else { "0.0255" };
    const ADDRESS_KIND: Option<&'static str> = None;
    const SENDS: &'static str = "eth_sendRawTransaction";
    const CONFIRMATIONS: u32 = 3;

    async fn start() -> Self {
        let (process, direct) = start_process();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let relay = Relay::start(direct.trim_start_matches("http://").parse().unwrap()).await;
        let (snapshots, counter) = (Mutex::default(), AtomicU64::new(1));
        let mut node = Self { process, direct, client, relay, token: String::new(), snapshots, counter };
        let bytecode = std::fs::read_to_string(folder().join("TestToken.hex")).unwrap();
        let supply = units(Decimal::from(1_000_000), TOKEN_DECIMALS);
        let deployment = json!({ "from": CUSTOMER, "data": format!("0x{}{supply:064x}", bytecode.trim()) });
        let tx = node.call("eth_sendTransaction", json!([deployment])).await;
        let receipt = node.call("eth_getTransactionReceipt", json!([tx])).await;
        node.token = receipt["contractAddress"].as_str().unwrap().to_owned();
        if TOKEN {
            node.transfer(CUSTOMER, EXCHANGE, Decimal::from(10_000), None, FEE).await;
        }
        node.call("evm_setAutomine", json!([false])).await;
        node
    }

    fn driver() -> Evm {
        Evm::new(&NETWORKS[0])
    }

    fn url(&self) -> String {
        self.relay.url.clone()
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        let token = format!("USDTERC20={}:{TOKEN_DECIMALS}", self.token);
        let own = |text: &str| text.to_owned();
        vec![("chain_id", own("31337")), ("tokens", token), ("xpub", own(DEPOSIT_KEY)), ("secret", own(PHRASE))]
    }

    /// The node has its chain in memory only: nobody reaches it meanwhile.
    async fn stop(&mut self) {
        self.relay.is_open.store(false, Ordering::SeqCst);
    }

    async fn start_again(&mut self) {
        self.relay.is_open.store(true, Ordering::SeqCst);
    }

    async fn pay(&self, address: &str, amount: Decimal) -> String {
        self.transfer(CUSTOMER, address, amount, None, FEE).await
    }

    async fn replace(&self, tx_id: &str, recipient: ReplacementTo) {
        let replaced = self.call("eth_getTransactionByHash", json!([tx_id])).await;
        assert!(replaced["blockNumber"].is_null(), "it waits for a block");
        let (to, units) = if TOKEN {
            let data = replaced["input"].as_str().unwrap();
            (format!("0x{}", &data[34..74]), u128::from_str_radix(&data[74..], 16).unwrap())
        } else {
            (replaced["to"].as_str().unwrap().to_owned(), number(&replaced["value"]))
        };
        let to = match recipient {
            ReplacementTo::SameAddress => to,
            ReplacementTo::Sender => CUSTOMER.to_owned(),
        };
        self.transfer(CUSTOMER, &to, decimal(units, Self::DECIMALS), Some(&replaced["nonce"]), HIGHER_FEE).await;
        assert!(self.call("eth_getTransactionByHash", json!([tx_id])).await.is_null(), "it is replaced");
    }

    async fn mine(&self, blocks: u32) {
        for _ in 0..blocks {
            let snapshot = self.call("evm_snapshot", json!([])).await;
            self.snapshots.lock().unwrap().push(snapshot.as_str().unwrap().to_owned());
            // No block is one that was undone.
            let unique = format!("0x{:064x}", self.counter.fetch_add(1, Ordering::Relaxed));
            self.call("hardhat_setPrevRandao", json!([unique])).await;
            self.call("evm_mine", json!([])).await;
        }
    }

    async fn undo_blocks(&self, blocks: u32) {
        let snapshot = {
            let mut snapshots = self.snapshots.lock().unwrap();
            let first = snapshots.len() - blocks as usize;
            snapshots.drain(first..).next().unwrap()
        };
        assert_eq!(self.call("evm_revert", json!([snapshot])).await, true);
    }

    async fn customer_address(&self) -> String {
        format!("0xc0ffee{:034x}", self.counter.fetch_add(1, Ordering::Relaxed))
    }

    async fn received(&self, address: &str) -> Decimal {
        let block = format!("{:#x}", self.height().await + 1 - u64::from(Self::CONFIRMATIONS));
        let units = match TOKEN {
            true => self.token_balance(address, &block).await,
            false => number(&self.call("eth_getBalance", json!([address, block])).await),
        };
        decimal(units, Self::DECIMALS)
    }

    async fn moved(&self) -> MovedTotals {
        let (mut received, mut sent) = (0, 0);
        for block in 0..=self.height().await + 1 - u64::from(Self::CONFIRMATIONS) {
            let block = self.call("eth_getBlockByNumber", json!([format!("{block:#x}"), true])).await;
            for transaction in block["transactions"].as_array().unwrap() {
                for (from, to, units) in self.transfers(transaction).await {
                    let is_own = |account: &str| [EXCHANGE, CUSTOMER].contains(&account);
                    match from.as_str() {
                        CUSTOMER if !is_own(&to) => received += units,
                        EXCHANGE if !is_own(&to) => sent += units,
                        _ => {}
                    }
                }
            }
        }
        MovedTotals { received: decimal(received, Self::DECIMALS), sent: decimal(sent, Self::DECIMALS) }
    }

    async fn empty_wallet(&self) {
        if TOKEN {
            let balance = decimal(self.token_balance(EXCHANGE, "latest").await, TOKEN_DECIMALS);
            self.transfer(EXCHANGE, CUSTOMER, balance, None, FEE).await;
        } else {
            self.call("hardhat_setBalance", json!([EXCHANGE, "0x1"])).await;
        }
    }

    async fn fill_wallet(&self) {
        if TOKEN {
            self.transfer(CUSTOMER, EXCHANGE, Decimal::from(10_000), None, FEE).await;
        } else {
            self.call("hardhat_setBalance", json!([EXCHANGE, "0x56bc75e2d63100000"])).await;
        }
    }
}

impl<const TOKEN: bool> Ethereum<TOKEN> {
    /// Sender, recipient and units of what a mined transaction moved.
    async fn transfers(&self, transaction: &Value) -> Vec<(String, String, u128)> {
        let lower = |value: &Value| value.as_str().unwrap_or_default().to_lowercase();
        let receipt = self.call("eth_getTransactionReceipt", json!([transaction["hash"]])).await;
        if receipt["status"] != "0x1" {
            return Vec::new();
        }
        if !TOKEN {
            return vec![(lower(&transaction["from"]), lower(&transaction["to"]), number(&transaction["value"]))];
        }
        let of_token = |log: &&Value| lower(&log["address"]) == self.token && log["topics"][0] == TRANSFER;
        let party = |topic: &Value| format!("0x{}", &lower(topic)[26..]);
        let transfer = |log: &Value| (party(&log["topics"][1]), party(&log["topics"][2]), number(&log["data"]));
        receipt["logs"].as_array().unwrap().iter().filter(of_token).map(transfer).collect()
    }
}

impl<const TOKEN: bool> Drop for Ethereum<TOKEN> {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Passes connections to the node, unless it is closed.
struct Relay {
    url: String,
    is_open: Arc<AtomicBool>,
    serving: JoinHandle<()>,
}

impl Relay {
    async fn start(node: SocketAddr) -> Self {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let is_open = Arc::new(AtomicBool::new(true));
        let open = is_open.clone();
        let serving = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                if !open.load(Ordering::SeqCst) {
                    continue;
                }
                tokio::spawn(async move {
                    if let Ok(mut node) = TcpStream::connect(node).await {
                        let _ = tokio::io::copy_bidirectional(&mut stream, &mut node).await;
                    }
                });
            }
        });
        Self { url, is_open, serving }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins/evm/tests/node")
}

/// Starts the node on a free port, and returns its address.
fn start_process() -> (Child, String) {
    let program = folder().join("node_modules/hardhat/internal/cli/bootstrap.js");
    assert!(program.exists(), "Hardhat is not installed. Run .ci/need evm-node");
    let process = Command::new("node")
        .arg(program)
        .args(["node", "--hostname", "127.0.0.1", "--port", "0"])
        .current_dir(folder())
        .env("HARDHAT_DISABLE_TELEMETRY_PROMPT", "true")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut process = process.unwrap_or_else(|error| panic!("node does not start: {error}"));
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let address = lines.by_ref().map(Result::unwrap).find_map(|line| {
        // In CI the line is coloured: what ends the colour follows the address.
        let address = line.split_once("http://")?.1.split_once('/')?.0;
        Some(format!("http://{address}"))
    });
    // It must never wait for its output to be read.
    std::thread::spawn(move || lines.for_each(drop));
    (process, address.expect("the node tells its address"))
}

fn number(value: &Value) -> u128 {
    let digits =
        value.as_str().unwrap_or_else(|| panic!("{value} is no number")).trim_start_matches("0x").trim_start_matches('0');
    if digits.is_empty() { 0 } else { u128::from_str_radix(digits, 16).unwrap() }
}

fn units(amount: Decimal, decimals: u32) -> u128 {
    let missing = decimals - amount.normalize().scale();
    u128::try_from(amount.normalize().mantissa()).unwrap() * 10_u128.pow(missing)
}

fn decimal(units: u128, decimals: u32) -> Decimal {
    Decimal::try_from_i128_with_scale(i128::try_from(units).unwrap(), decimals).unwrap().normalize()
}

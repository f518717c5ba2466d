//! A network of accounts, wallets (V4R2) and jetton wallets, and a node that answers in the documented forms of TON
//! Center's API. Transactions are real cells: the driver computes their hashes.
//!
//! The forms are those of https://docs.ton.org (API v2) and of recorded answers, see `recorded.rs`.

use std::collections::{BTreeMap, VecDeque};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, VerifyingKey};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tycho_types::boc::Boc;
use tycho_types::cell::{Cell, CellBuilder, CellFamily as _, CellSlice, HashBytes, Lazy, Load as _};
use tycho_types::dict::Dict;
use tycho_types::models::{
    AccountStatus, BouncePhase, ComputePhase, ComputePhaseSkipReason, HashUpdate, IntAddr, IntMsgInfo, Message, MsgInfo,
    OrdinaryTxInfo, OwnedMessage, OwnedRelaxedMessage, RelaxedMsgInfo, SkippedComputePhase, StdAddr, StdAddrFormat, Transaction,
    TxInfo,
};
use tycho_types::num::{Tokens, Uint15};

pub const MAINNET: &str = "F6OpKZKqvqeFp6CQmFomXNMfMj2EnaUSOXN+Mh+wVWk=";
pub const USDT: &str = "EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs";

const TRANSFER: u32 = 0x0f8a_7ea5;
const INTERNAL_TRANSFER: u32 = 0x178d_4519;
const TRANSFER_NOTIFICATION: u32 = 0x7362_d09c;
const EXCESSES: u32 = 0xd532_76db;
const BOUNCED: u32 = 0xffff_ffff;
const WALLET_ID: u32 = 698_983_191;

/// What each transaction of the fake network costs, in nanotons.
pub const FEE: u128 = 5_000_000;

pub fn address(text: &str) -> StdAddr {
    StdAddr::from_str_ext(text, StdAddrFormat::any()).unwrap().0
}

/// An address that nobody chose.
pub fn address_of(name: &str) -> StdAddr {
    StdAddr::new(0, HashBytes(Sha256::digest(name.as_bytes()).into()))
}

/// The jetton wallet of an owner.
pub fn jetton_wallet(issuer: &StdAddr, owner: &StdAddr) -> StdAddr {
    address_of(&format!("{issuer} {owner}"))
}

/// A body with a text. What does not fit is in the next cell.
pub fn comment(text: &str) -> Cell {
    let mut parts = text.as_bytes().chunks(100).rev().peekable();
    let mut next = None::<Cell>;
    loop {
        let part = parts.next().unwrap_or_default();
        let mut body = CellBuilder::new();
        if parts.peek().is_none() {
            body.store_u32(0).unwrap();
        }
        body.store_raw(part, u16::try_from(part.len() * 8).unwrap()).unwrap();
        next.into_iter().for_each(|cell| body.store_reference(cell).unwrap());
        let cell = body.build().unwrap();
        if parts.peek().is_none() {
            return cell;
        }
        next = Some(cell);
    }
}

/// A body that begins with a number.
pub fn operation(number: u32) -> Cell {
    CellBuilder::build_from(number).unwrap()
}

/// The body of a transfer between jetton wallets.
pub fn internal_transfer(units: u128, from: &StdAddr, payload: Option<Cell>) -> Cell {
    let mut body = CellBuilder::new();
    body.store_u32(INTERNAL_TRANSFER).unwrap();
    body.store_u64(7).unwrap();
    store(&mut body, Tokens::new(units));
    store(&mut body, IntAddr::from(from.clone()));
    store(&mut body, IntAddr::from(from.clone()));
    store(&mut body, Tokens::new(1));
    body.store_bit(payload.is_some()).unwrap();
    if let Some(payload) = payload {
        body.store_reference(payload).unwrap();
    }
    body.build().unwrap()
}

fn store(body: &mut CellBuilder, value: impl tycho_types::cell::Store) {
    value.store_into(body, Cell::empty_context()).unwrap();
}

#[derive(Clone, Default)]
struct FakeAccount {
    balance: u128,
    /// The number of a wallet's next message and its key.
    wallet: Option<(u32, HashBytes)>,
    /// Issuer, owner and units of a jetton wallet.
    jettons: Option<(StdAddr, StdAddr, u128)>,
    /// Whether it refuses what it receives.
    refuses: bool,
    transactions: Vec<FakeTransaction>,
}

#[derive(Clone)]
struct FakeTransaction {
    lt: u64,
    hash: HashBytes,
    boc: String,
}

#[derive(Clone)]
pub struct FakeNetwork {
    pub genesis: String,
    /// The masterchain's newest block.
    pub head: u64,
    /// The time of the newest block, in seconds.
    pub time: u32,
    /// Transactions in an answer, at most.
    pub page: usize,
    lt: u64,
    accounts: BTreeMap<StdAddr, FakeAccount>,
    pending: Vec<String>,
    /// Every message that was sent, and how often.
    pub sent: Vec<String>,
    /// Whether messages get lost on the way to the network.
    pub loses_messages: bool,
}

impl FakeNetwork {
    pub fn new(time: u32) -> Self {
        Self {
            genesis: MAINNET.to_owned(),
            head: 40_000_000,
            time,
            page: 100,
            lt: 47_000_000_000_000,
            accounts: BTreeMap::new(),
            pending: Vec::new(),
            sent: Vec::new(),
            loses_messages: false,
        }
    }

    /// The time of the newest block, in microseconds.
    pub fn now(&self) -> i64 {
        i64::from(self.time) * 1_000_000
    }

    fn account(&mut self, address: &StdAddr) -> &mut FakeAccount {
        self.accounts.entry(address.clone()).or_default()
    }

    pub fn fill(&mut self, address: &StdAddr, nanotons: u128) {
        self.account(address).balance = nanotons;
    }

    pub fn balance(&self, address: &StdAddr) -> u128 {
        self.accounts.get(address).map_or(0, |account| account.balance)
    }

    pub fn refuse(&mut self, address: &StdAddr, refuses: bool) {
        self.account(address).refuses = refuses;
    }

    pub fn fill_jettons(&mut self, issuer: &StdAddr, owner: &StdAddr, units: u128) {
        self.account(&jetton_wallet(issuer, owner)).jettons = Some((issuer.clone(), owner.clone(), units));
    }

    pub fn jettons(&self, issuer: &StdAddr, owner: &StdAddr) -> u128 {
        let account = self.accounts.get(&jetton_wallet(issuer, owner));
        account.and_then(|account| account.jettons.as_ref()).map_or(0, |(.., units)| *units)
    }

    /// Sends toncoin from somebody and returns the transaction that receives it.
    pub fn pay(&mut self, from: &str, to: &StdAddr, nanotons: u128, body: Cell) -> String {
        let message = self.message(&address_of(from), to, nanotons, (true, false), body);
        self.deliver(message);
        self.last(to)
    }

    /// Sends jettons from somebody's jetton wallet.
    pub fn pay_jettons(&mut self, issuer: &StdAddr, from: &str, to: &StdAddr, units: u128, payload: Option<Cell>) -> String {
        let sender = address_of(from);
        let body = internal_transfer(units, &sender, payload);
        let (from, to) = (jetton_wallet(issuer, &sender), self.jetton_wallet_account(issuer, to));
        let message = self.message(&from, &to, 100_000_000, (true, false), body);
        self.deliver(message);
        self.last(&to)
    }

    fn jetton_wallet_account(&mut self, issuer: &StdAddr, owner: &StdAddr) -> StdAddr {
        let address = jetton_wallet(issuer, owner);
        self.account(&address).jettons.get_or_insert((issuer.clone(), owner.clone(), 0));
        address
    }

    /// The last transaction of an account.
    pub fn last(&self, address: &StdAddr) -> String {
        self.accounts[address].transactions.last().unwrap().hash.to_string()
    }

    /// A transaction of an account, by its place.
    pub fn accounts_transaction(&self, address: &StdAddr, place: usize) -> String {
        self.accounts[address].transactions[place].hash.to_string()
    }

    /// The contract of somebody else is at the address.
    pub fn replace_wallet(&mut self, address: &StdAddr) {
        self.account(address).wallet = Some((0, HashBytes([7; 32])));
    }

    /// The texts of the messages to an account, also of those with jettons.
    pub fn received_comments(&self, address: &StdAddr) -> Vec<String> {
        let text = |recorded: &FakeTransaction| {
            let transaction = Boc::decode_base64(&recorded.boc).unwrap().parse::<Transaction>().unwrap();
            let message = transaction.load_in_msg().unwrap().unwrap();
            let mut body = message.body;
            if body.get_u32(0) == Ok(INTERNAL_TRANSFER) {
                body = body.load_reference_as_slice().ok()?;
            }
            (body.load_u32() == Ok(0)).then(|| {
                let mut text = vec![0; usize::from(body.size_bits() / 8)];
                body.load_raw(&mut text, body.size_bits()).unwrap();
                String::from_utf8(text).unwrap()
            })
        };
        self.accounts[address].transactions.iter().filter_map(text).collect()
    }

    /// A message that comes back, as a contract of somebody sends it.
    pub fn bounce(&mut self, from: &str, to: &StdAddr, nanotons: u128) {
        let message = self.message(&address_of(from), to, nanotons, (false, true), operation(BOUNCED));
        self.deliver(message);
    }

    fn message(&mut self, from: &StdAddr, to: &StdAddr, nanotons: u128, (bounce, bounced): (bool, bool), body: Cell) -> Cell {
        self.lt += 1;
        let info = IntMsgInfo {
            bounce,
            bounced,
            src: from.clone().into(),
            dst: to.clone().into(),
            value: Tokens::new(nanotons).into(),
            fwd_fee: Tokens::new(400_000),
            created_lt: self.lt,
            created_at: self.time,
            ..IntMsgInfo::default()
        };
        CellBuilder::build_from(&OwnedMessage { info: MsgInfo::Int(info), init: None, body: body.into(), layout: None }).unwrap()
    }

    /// Makes blocks; messages that were sent are in the first.
    pub fn mine(&mut self, blocks: u64) {
        for _ in 0..blocks {
            self.head += 1;
            self.time += 5;
            for message in std::mem::take(&mut self.pending) {
                self.carry_out(Boc::decode_base64(message).unwrap());
            }
        }
    }

    /// A message to a wallet, as its contract takes it: the number, the time and the signature must be right.
    fn carry_out(&mut self, cell: Cell) {
        if let Some(order) = self.accepted(&cell) {
            let MsgInfo::ExtIn(info) = cell.parse::<Message<'_>>().unwrap().info else { panic!("it is internal") };
            let IntAddr::Std(wallet) = info.dst else { panic!("another kind of address") };
            let message = order.parse::<OwnedRelaxedMessage>().unwrap();
            let RelaxedMsgInfo::Int(sent) = message.info else { panic!("it is external") };
            let IntAddr::Std(to) = sent.dst else { panic!("another kind of address") };
            let amount = sent.value.tokens.into_inner();
            let body = CellBuilder::build_from(CellSlice::apply(&message.body).unwrap()).unwrap();
            let account = self.account(&wallet);
            account.wallet.as_mut().unwrap().0 += 1;
            // A message for which there is not enough is left out.
            let out = (account.balance >= amount + FEE).then(|| {
                self.account(&wallet).balance -= amount + FEE;
                self.message(&wallet, &to, amount, (sent.bounce, false), body)
            });
            self.record(&wallet, cell, out.iter().cloned().collect(), false, false);
            out.into_iter().for_each(|message| self.deliver(message));
        }
    }

    /// What a wallet is asked to send, if it accepts the message.
    fn accepted(&mut self, cell: &Cell) -> Option<Cell> {
        let message = cell.parse::<Message<'_>>().ok()?;
        let MsgInfo::ExtIn(info) = &message.info else { return None };
        let IntAddr::Std(wallet) = &info.dst else { return None };
        let time = self.time;
        let account = self.account(wallet);
        if let Some(init) = &message.init
            && *CellBuilder::build_from(init).ok()?.repr_hash() == wallet.address
        {
            let mut data = init.data.as_ref()?.as_slice().ok()?;
            let (seqno, _, key) = (data.load_u32().ok()?, data.load_u32().ok()?, data.load_u256().ok()?);
            account.wallet.get_or_insert((seqno, key));
        }
        let (seqno, key) = account.wallet?;
        let mut body = message.body;
        let mut signature = [0; 64];
        body.load_raw(&mut signature, 512).ok()?;
        let digest = *CellBuilder::build_from(body).ok()?.repr_hash();
        VerifyingKey::from_bytes(&key.0).ok()?.verify_strict(&digest.0, &Signature::from_bytes(&signature)).ok()?;
        let (id, valid_until, number) = (body.load_u32().ok()?, body.load_u32().ok()?, body.load_u32().ok()?);
        assert_eq!((body.load_u8().ok()?, body.load_u8().ok()?), (0, 3), "a simple message that leaves out what fails");
        (id == WALLET_ID && valid_until > time && number == seqno).then(|| body.load_reference_cloned().unwrap())
    }

    /// An internal message arrives, and what that causes.
    fn deliver(&mut self, cell: Cell) {
        let mut queue = VecDeque::from([cell]);
        while let Some(cell) = queue.pop_front() {
            let message = cell.parse::<Message<'_>>().unwrap();
            let MsgInfo::Int(info) = message.info.clone() else { panic!("it is external") };
            let (IntAddr::Std(from), IntAddr::Std(to)) = (info.src, info.dst) else { panic!("another kind of address") };
            let value = info.value.tokens.into_inner();
            let (mut out, mut aborted) = (Vec::new(), self.account(&to).refuses && !info.bounced);
            if self.account(&to).jettons.is_some() {
                match (!aborted).then(|| self.move_jettons(&from, &to, value, message.body)).flatten() {
                    Some(sent) => out = sent,
                    None => aborted = true,
                }
            }
            let bounces = aborted && info.bounce;
            if bounces {
                let mut body = CellBuilder::new();
                body.store_u32(BOUNCED).unwrap();
                let mut start = message.body;
                start.only_first(start.size_bits().min(256), 0).unwrap();
                body.store_slice(start).unwrap();
                out = vec![self.message(&to, &from, value.saturating_sub(FEE), (false, true), body.build().unwrap())];
            } else {
                self.account(&to).balance += value;
            }
            self.record(&to, cell.clone(), out.clone(), aborted, bounces);
            queue.extend(out);
        }
    }

    /// What a jetton wallet does, and sends; `None` if it refuses.
    fn move_jettons(&mut self, from: &StdAddr, to: &StdAddr, value: u128, mut body: CellSlice<'_>) -> Option<Vec<Cell>> {
        let (issuer, owner, units) = self.account(to).jettons.clone()?;
        let mut operation = body.load_u32().ok()?;
        let is_bounced = operation == BOUNCED;
        if is_bounced {
            operation = body.load_u32().ok()?;
        }
        let query = body.load_u64().ok()?;
        let amount = Tokens::load_from(&mut body).ok()?.into_inner();
        let (units, out) = match operation {
            INTERNAL_TRANSFER if is_bounced => (units + amount, Vec::new()),
            TRANSFER if *from == owner && amount <= units => {
                let recipient = StdAddr::load_from(&mut body).ok()?;
                StdAddr::load_from(&mut body).ok()?;
                assert!(!body.load_bit().ok()?, "there is no custom payload");
                assert_eq!(Tokens::load_from(&mut body).ok()?.into_inner(), 1, "the recipient is told");
                let payload = if body.load_bit().ok()? { Some(body.load_reference_cloned().ok()?) } else { None };
                let to_wallet = self.jetton_wallet_account(&issuer, &recipient);
                let body = internal_transfer(amount, &owner, payload);
                (units - amount, vec![self.message(to, &to_wallet, value - FEE, (true, false), body)])
            }
            INTERNAL_TRANSFER => {
                let sender = StdAddr::load_from(&mut body).ok()?;
                if *from != jetton_wallet(&issuer, &sender) {
                    return None;
                }
                let mut notification = CellBuilder::new();
                notification.store_u32(TRANSFER_NOTIFICATION).unwrap();
                notification.store_u64(query).unwrap();
                store(&mut notification, Tokens::new(amount));
                let notification = self.message(to, &owner, 1, (false, false), notification.build().unwrap());
                let excess = self.message(to, &sender, value - FEE, (false, false), self::operation(EXCESSES));
                (units + amount, vec![notification, excess])
            }
            _ => return None,
        };
        self.account(to).jettons = Some((issuer, owner, units));
        Some(out)
    }

    fn record(&mut self, address: &StdAddr, in_msg: Cell, out: Vec<Cell>, aborted: bool, bounces: bool) {
        self.lt += 1_000_000;
        let (lt, time) = (self.lt, self.time);
        let previous = self.account(address).transactions.last().map(|one| (one.lt, one.hash));
        let (prev_trans_lt, prev_trans_hash) = previous.unwrap_or_default();
        let mut out_msgs = Dict::<Uint15, Cell>::new();
        for (place, message) in (0..).zip(&out) {
            out_msgs.set(Uint15::new(place), message.clone()).unwrap();
        }
        let info = OrdinaryTxInfo {
            credit_first: false,
            storage_phase: None,
            credit_phase: None,
            compute_phase: ComputePhase::Skipped(SkippedComputePhase { reason: ComputePhaseSkipReason::NoState }),
            action_phase: None,
            aborted,
            bounce_phase: bounces.then_some(BouncePhase::NegativeFunds),
            destroyed: false,
        };
        let transaction = Transaction {
            account: address.address,
            lt,
            prev_trans_hash,
            prev_trans_lt,
            now: time,
            out_msg_count: Uint15::new(u16::try_from(out.len()).unwrap()),
            orig_status: AccountStatus::Active,
            end_status: AccountStatus::Active,
            in_msg: Some(in_msg),
            out_msgs,
            total_fees: Tokens::new(FEE).into(),
            state_update: Lazy::new(&HashUpdate { old: HashBytes::ZERO, new: HashBytes::ZERO }).unwrap(),
            info: Lazy::new(&TxInfo::Ordinary(info)).unwrap(),
        };
        let cell = CellBuilder::build_from(&transaction).unwrap();
        let (hash, boc) = (*cell.repr_hash(), Boc::encode_base64(cell));
        self.account(address).transactions.push(FakeTransaction { lt, hash, boc });
    }

    /// The node's answer: status and body.
    pub fn answer(&mut self, call: &Value) -> (u16, Value) {
        match self.call(call["method"].as_str().unwrap(), &call["params"]) {
            Ok(result) => (200, json!({ "ok": true, "result": result, "jsonrpc": "2.0", "id": call["id"] })),
            Err(error) => (500, json!({ "ok": false, "error": error, "code": 500, "jsonrpc": "2.0", "id": call["id"] })),
        }
    }

    fn block_id(&self, seqno: u64, root_hash: &str) -> Value {
        json!({ "@type": "ton.blockIdExt", "workchain": -1, "shard": "-9223372036854775808", "seqno": seqno,
            "root_hash": root_hash, "file_hash": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" })
    }

    fn call(&mut self, method: &str, parameters: &Value) -> Result<Value, String> {
        let account = || address(parameters["address"].as_str().unwrap());
        Ok(match method {
            "getMasterchainInfo" => json!({
                "@type": "blocks.masterchainInfo", "last": self.block_id(self.head, MAINNET),
                "state_root_hash": MAINNET, "init": self.block_id(0, &self.genesis),
            }),
            "getAddressInformation" => {
                let time = self.time;
                let block = self.block_id(self.head, MAINNET);
                let account = self.account(&account());
                let last = account.transactions.last().map(|one| (one.lt, one.hash)).unwrap_or_default();
                let data = account.wallet.map(|(seqno, key)| {
                    let mut data = CellBuilder::new();
                    data.store_u32(seqno).unwrap();
                    data.store_u32(WALLET_ID).unwrap();
                    data.store_u256(&key).unwrap();
                    data.store_bit_zero().unwrap();
                    Boc::encode_base64(data.build().unwrap())
                });
                json!({
                    "@type": "raw.fullAccountState",
                    "balance": if last.0 == 0 && account.balance == 0 { "-1".to_owned() } else { account.balance.to_string() },
                    "code": "", "data": data.clone().unwrap_or_default(),
                    "last_transaction_id": transaction_id(last.0, &last.1),
                    "block_id": block, "frozen_hash": "", "sync_utime": time,
                    "state": if data.is_some() { "active" } else { "uninitialized" },
                })
            }
            "getTransactions" => {
                let (lt, hash) = (parameters["lt"].as_u64().unwrap(), parameters["hash"].as_str().unwrap());
                let limit = usize::try_from(parameters["limit"].as_u64().unwrap()).unwrap();
                let (time, limit) = (self.time, limit.min(self.page));
                let transactions = &self.account(&account()).transactions;
                let from = transactions.iter().position(|one| one.lt == lt && one.hash.to_string() == hash);
                let from = from.ok_or("LITE_SERVER_UNKNOWN: cannot locate transaction in block with specified logical time")?;
                let shown = |one: &FakeTransaction| {
                    json!({
                        "@type": "raw.transaction", "utime": time, "data": one.boc,
                        "transaction_id": transaction_id(one.lt, &one.hash),
                        "fee": "0", "storage_fee": "0", "other_fee": "0", "in_msg": {}, "out_msgs": [],
                    })
                };
                transactions[..=from].iter().rev().take(limit).map(shown).collect()
            }
            "runGetMethod" => match parameters["method"].as_str().unwrap() {
                "get_wallet_address" => {
                    assert_eq!(parameters["stack"][0][0], "tvm.Slice");
                    let owner = Boc::decode_base64(parameters["stack"][0][1].as_str().unwrap()).unwrap();
                    let wallet = jetton_wallet(&account(), &owner.parse::<StdAddr>().unwrap());
                    let cell = CellBuilder::build_from(IntAddr::from(wallet)).unwrap();
                    returned(0, &json!([["cell", { "bytes": Boc::encode_base64(cell) }]]))
                }
                "get_wallet_data" => match &self.account(&account()).jettons {
                    Some((_, _, units)) => returned(0, &json!([["num", format!("{units:#x}")]])),
                    None => returned(-13, &json!([])),
                },
                other => panic!("unexpected method {other}"),
            },
            "sendBoc" => {
                let boc = parameters["boc"].as_str().unwrap();
                self.sent.push(boc.to_owned());
                let message = Boc::decode_base64(boc).unwrap();
                if self.accepted(&message).is_none() {
                    return Err("LITE_SERVER_UNKNOWN: cannot apply external message to current state : \
                        External message was not accepted"
                        .to_owned());
                }
                if !self.loses_messages && !self.pending.iter().any(|known| known == boc) {
                    self.pending.push(boc.to_owned());
                }
                json!({ "@type": "ok", "@extra": "1716874922.1:0:0.1" })
            }
            other => panic!("unexpected call of {other}"),
        })
    }
}

fn transaction_id(lt: u64, hash: &HashBytes) -> Value {
    json!({ "@type": "internal.transactionId", "lt": lt.to_string(), "hash": STANDARD.encode(hash.0) })
}

fn returned(exit_code: i32, stack: &Value) -> Value {
    json!({ "@type": "smc.runResult", "gas_used": 2_000, "stack": stack, "exit_code": exit_code })
}

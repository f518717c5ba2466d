//! Payouts.
//!
//! A payout is signed once. The signed message is stored before it is sent, and from then on only this message is ever
//! sent for the key. The wallet carries it out only while its number is the next one, so at most once, and not after it
//! has expired. What became of it is read from the chain of the wallet, from what a block of the masterchain has down to
//! what preceded the signature. It counts as never sent if it is not there although the wallet has a higher number or the
//! block is younger than the expiration. A payout of jettons is followed to the recipient's jetton wallet. Until all that
//! is certain its outcome is not known.

use agio_plugin_sdk::amounts::{amount, units};
use agio_plugin_sdk::payouts::{self, done, never, not_stored, record_name, unknown};
use agio_plugin_sdk::protocol::{Action, CallError, PayoutRequest, PayoutState, PluginRequest, PluginResponse};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tycho_types::cell::{Cell, CellBuilder};
use tycho_types::error::Error;
use tycho_types::models::{IntAddr, Message, MsgInfo, StdAddr, StdAddrFormat};

use crate::chain::{self, ChainAccount, ChainTransaction, TransactionId};
use crate::messages::{self, COMMENT_BYTES_SENT, INTERNAL_TRANSFER};
use crate::node::{self, TonCall};
use crate::settings::{self, Jetton, NATIVE_DECIMALS};
use crate::wallet::{Order, SignedMessage, Wallet};

/// How long the network may carry out a message, in seconds.
const LIFETIME: u64 = 180;

/// The clocks of the network's blocks and of the server may differ by this, in seconds.
const CLOCK_DIFFERENCE_MAX: u64 = 120;

/// A payout whose preparation took longer, in microseconds, is not sent: its outcome may have been queried by then.
const PREPARATION_MAX: i64 = 60 * 1_000_000;

/// Toncoin that the wallet must keep for fees, in nanotons.
const RESERVE: u128 = 50_000_000;

/// Toncoin that goes with a payment of jettons, in nanotons. What is not used comes back.
const JETTON_FEE: u128 = 100_000_000;

/// The stored message of a payout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct StoredPayout {
    wallet: StdAddr,
    boc: String,
    body: String,
    seqno: u32,
    /// In seconds since 1970-01-01 UTC.
    valid_until: u64,
    /// The last transaction of the wallet when it was signed, and the masterchain's newest block.
    reference: TransactionId,
    head: u64,
}

/// The note between the rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Stage {
    /// The wallet's own jetton wallet was requested, at this time.
    Resolve { since: i64 },
    /// What the payment needs was requested.
    Prepare { since: i64, jetton_wallet: Option<StdAddr> },
    /// The signed message is being stored.
    Store(StoredPayout),
    /// It was sent.
    Send(StoredPayout),
    /// The wallet was requested.
    Look,
    /// Its transactions are being read, down to the one that preceded the message.
    Search(Search),
    /// Jettons are followed.
    Trace(Trace),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Search {
    /// The masterchain's newest block.
    head: u64,
    /// The wallet's next number, and the time of the block that has it.
    seqno: u32,
    time: u64,
    next: TransactionId,
    /// Whether the wallet got the message but sent nothing.
    failed: bool,
}

/// The search for the transaction that a message caused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Trace {
    leg: Leg,
    account: StdAddr,
    message: String,
    /// When the message was sent, in seconds since 1970-01-01 UTC.
    since: u32,
    next: Option<TransactionId>,
    /// The wallet's transaction, and its confirmations.
    tx: String,
    confirmations: u32,
}

/// Where jettons are on their way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Leg {
    /// The request to the wallet's own jetton wallet.
    Request,
    /// The transfer to the recipient's jetton wallet.
    Transfer,
    /// The transfer that the recipient's jetton wallet refused.
    Return,
}

/// Sends money, once per key.
pub fn send(request: &PluginRequest, payout: &PayoutRequest) -> PluginResponse {
    handle(request, payout, true)
}

/// What became of a payout. A message that the network does not have yet is sent again.
pub fn status(request: &PluginRequest, payout: &PayoutRequest) -> PluginResponse {
    handle(request, payout, false)
}

fn handle(request: &PluginRequest, payout: &PayoutRequest, may_begin: bool) -> PluginResponse {
    let stage = match payouts::stage::<Stage>(request) {
        Ok(stage) => stage,
        Err(state) => return done(state),
    };
    match stage {
        Some(Stage::Resolve { since }) => unsigned(resolve(request, payout, since)),
        Some(Stage::Prepare { since, jetton_wallet }) => unsigned(prepare(request, payout, since, jetton_wallet)),
        Some(Stage::Store(stored)) => match not_stored(request) {
            None => broadcast(request, stored),
            Some(_) => unknown("the signed message could not be stored"),
        },
        Some(Stage::Send(_)) => match node::answer(request, 0) {
            Ok(_) => unknown("the message was sent; waiting for a block"),
            // The network may carry it out all the same.
            Err(failure) => unknown(failure.why),
        },
        stage => match payouts::stored::<StoredPayout>(request, payout, stage.is_none(), may_begin) {
            Ok(Some(stored)) => follow(request, payout, &stored, stage).unwrap_or_else(|failure| unknown(failure.why)),
            Ok(None) => unsigned(begin(request, payout)),
            Err(state) => done(state),
        },
    }
}

/// Nothing was signed: a failure that may pass is tried again, another is final.
fn unsigned(response: Result<PluginResponse, CallError>) -> PluginResponse {
    match response {
        Ok(response) => response,
        Err(failure) if failure.later => PluginResponse::Failed(failure),
        Err(refusal) => never(&refusal.code, refusal.why),
    }
}

fn needs(request: &PluginRequest, calls: &[TonCall], stage: &Stage) -> PluginResponse {
    let actions = calls.iter().map(|call| node::request(request, call)).collect();
    PluginResponse::Needs { actions, memo: json!(stage) }
}

/// What is to be sent, as the settings and the request say.
struct Plan<'a> {
    jetton: Option<Jetton>,
    wallet: Wallet,
    recipient: StdAddr,
    units: u128,
    comment: Option<&'a str>,
}

impl<'a> Plan<'a> {
    fn new(request: &PluginRequest, payout: &'a PayoutRequest) -> Result<Self, CallError> {
        let refused = |code: &str, why: &str| CallError::permanent(code, why);
        let jetton = settings::jetton(request, &payout.currency)?;
        let jettons = settings::jettons(request)?;
        let wallet = Wallet::of_secret(request.setting(settings::SECRET));
        let wallet =
            wallet.ok_or_else(|| refused("no_payout_key", "set the recovery phrase or the private key of the wallet"))?;
        let recipient = StdAddr::from_str_ext(payout.address.trim(), StdAddrFormat::any()).ok();
        let recipient = recipient.filter(|(_, flags)| !flags.testnet || request.setting(settings::NETWORK) == "testnet");
        let recipient = recipient.map(|(recipient, _)| recipient).filter(|recipient| {
            !recipient.address.is_zero()
                && *recipient != wallet.address
                && jettons.iter().all(|(_, jetton)| jetton.master != *recipient)
        });
        let recipient = recipient.ok_or_else(|| refused("bad_address", "this is no address that can be paid"))?;
        let comment = payout.memo.as_deref().filter(|memo| !memo.is_empty());
        if comment.is_some_and(|comment| comment.len() > COMMENT_BYTES_SENT) {
            return Err(refused("bad_address", &format!("the comment is longer than {COMMENT_BYTES_SENT} bytes")));
        }
        // The network writes amounts in 15 bytes.
        let units = units(payout.amount, settings::decimals(jetton.as_ref())).filter(|units| *units < 1 << 120);
        let units = units.ok_or_else(|| refused("bad_amount", "the amount is zero, too large, or has too many decimals"))?;
        Ok(Self { jetton, wallet, recipient, units, comment })
    }

    /// The message to the recipient, or to the wallet's own jetton wallet. Toncoin is the recipient's even if a contract
    /// there refuses it: a payout has arrived, or was not sent.
    fn order(&self, jetton_wallet: Option<StdAddr>, seqno: u32, valid_until: u32) -> Result<Order, Error> {
        let body = match (jetton_wallet.is_some(), self.comment) {
            (true, comment) => messages::jetton_transfer(self.units, &self.recipient, &self.wallet.address, comment)?,
            (false, Some(comment)) => messages::comment_body(comment)?,
            (false, None) => Cell::default(),
        };
        let amount = if jetton_wallet.is_some() { JETTON_FEE } else { self.units };
        let (bounce, to) = (jetton_wallet.is_some(), jetton_wallet.unwrap_or_else(|| self.recipient.clone()));
        Ok(Order { seqno, valid_until, to, bounce, amount, body })
    }
}

fn begin(request: &PluginRequest, payout: &PayoutRequest) -> Result<PluginResponse, CallError> {
    let plan = Plan::new(request, payout)?;
    let since = request.now;
    match &plan.jetton {
        None => Ok(needs_account(request, &plan, since, None)),
        Some(jetton) => {
            let calls = [node::head_call(), node::jetton_wallet_call(&jetton.master, &plan.wallet.address)?];
            Ok(needs(request, &calls, &Stage::Resolve { since }))
        }
    }
}

fn resolve(request: &PluginRequest, payout: &PayoutRequest, since: i64) -> Result<PluginResponse, CallError> {
    node::head(request, &node::answer(request, 0)?)?;
    let jetton_wallet = node::jetton_wallet(&node::answer(request, 1)?)?;
    Ok(needs_account(request, &Plan::new(request, payout)?, since, Some(jetton_wallet)))
}

fn needs_account(request: &PluginRequest, plan: &Plan, since: i64, jetton_wallet: Option<StdAddr>) -> PluginResponse {
    let mut calls = vec![node::head_call(), chain::account_call(&plan.wallet.address)];
    calls.extend(jetton_wallet.as_ref().map(node::jetton_balance_call));
    needs(request, &calls, &Stage::Prepare { since, jetton_wallet })
}

/// Signs the message and stores it.
fn prepare(
    request: &PluginRequest,
    payout: &PayoutRequest,
    since: i64,
    jetton_wallet: Option<StdAddr>,
) -> Result<PluginResponse, CallError> {
    let plan = Plan::new(request, payout)?;
    let head = node::head(request, &node::answer(request, 0)?)?;
    let account = ChainAccount::read(&node::answer(request, 1)?)?;
    let now = u64::try_from(request.now / 1_000_000).unwrap_or_default();
    if account.time.abs_diff(now) > CLOCK_DIFFERENCE_MAX {
        return Err(CallError::temporary("node_behind", "the newest block of the node is not of this time"));
    }
    let seqno = seqno(&plan.wallet, &account)?;
    // The wallet takes one message after the other.
    let is_under_way = |stored: &StoredPayout| {
        stored.wallet == plan.wallet.address && stored.seqno >= seqno && account.time <= stored.valid_until
    };
    let records = request.stored.iter().filter(|(name, _)| name.starts_with("payout-"));
    if records.filter_map(|(_, record)| serde_json::from_str(record).ok()).any(|stored| is_under_way(&stored)) {
        return Err(CallError::temporary("busy", "the wallet is sending another payout"));
    }
    let jettons = jetton_wallet.as_ref().map(|_| Ok::<_, CallError>(node::jetton_balance(&node::answer(request, 2)?)));
    check_money(&plan, account.balance, jettons.transpose()?)?;
    if request.now - since > PREPARATION_MAX {
        return Err(CallError::temporary("too_slow", "the node took too long to answer"));
    }
    let valid_until = now + LIFETIME;
    let sign = || {
        let expiration = u32::try_from(valid_until).map_err(|_| Error::IntOverflow)?;
        plan.wallet.sign(&plan.order(jetton_wallet, seqno, expiration)?, !account.is_active)
    };
    let SignedMessage { boc, body } =
        sign().map_err(|_| CallError::permanent("no_payout_key", "the payment cannot be signed"))?;
    let wallet = plan.wallet.address.clone();
    let stored = StoredPayout { wallet, boc, body, seqno, valid_until, reference: account.last, head };
    let record = Action::Store { name: record_name(&payout.key), value: Some(json!(stored).to_string()) };
    Ok(PluginResponse::Needs { actions: vec![record], memo: json!(Stage::Store(stored)) })
}

/// The number of the wallet's next message. A wallet without a contract gets it with the first one.
fn seqno(wallet: &Wallet, account: &ChainAccount) -> Result<u32, CallError> {
    let other = || CallError::permanent("wrong_wallet", "the contract at the address is not the V4R2 wallet of the key");
    if account.is_active { account.data.as_ref().and_then(|data| wallet.seqno(data)).ok_or_else(other) } else { Ok(0) }
}

/// Whether the wallet has what the payment and its fee need.
fn check_money(plan: &Plan, balance: u128, jettons: Option<u128>) -> Result<(), CallError> {
    let address = plan.wallet.address.display_base64_url(false);
    let coins = |nanotons: u128| amount(nanotons, NATIVE_DECIMALS).normalize();
    if jettons.is_some_and(|jettons| jettons < plan.units) {
        let why = format!("the wallet {address} has not enough of the jetton");
        return Err(CallError::permanent("not_enough_money", why));
    }
    let needed = if jettons.is_some() { JETTON_FEE } else { plan.units } + RESERVE;
    if needed > balance {
        let why = format!("the wallet {address} has {} TON, and needs {} with fees", coins(balance), coins(needed));
        return Err(CallError::permanent("not_enough_money", why));
    }
    Ok(())
}

fn broadcast(request: &PluginRequest, stored: StoredPayout) -> PluginResponse {
    let call = ("sendBoc", json!({ "boc": stored.boc }));
    needs(request, &[call], &Stage::Send(stored))
}

/// What became of the stored message.
fn follow(
    request: &PluginRequest,
    payout: &PayoutRequest,
    stored: &StoredPayout,
    stage: Option<Stage>,
) -> Result<PluginResponse, CallError> {
    match stage {
        Some(Stage::Search(search)) => {
            let transactions = chain::transactions(&node::answer(request, 0)?, &stored.wallet, &search.next)?;
            look_through(request, payout, stored, search, &transactions)
        }
        Some(Stage::Trace(trace)) => follow_jettons(request, trace),
        Some(_) => {
            let head = node::head(request, &node::answer(request, 0)?)?;
            let account = ChainAccount::read(&node::answer(request, 1)?)?;
            let wallet = Wallet::of_secret(request.setting(settings::SECRET)).filter(|wallet| wallet.address == stored.wallet);
            let wallet =
                wallet.ok_or_else(|| CallError::permanent("no_payout_key", "the key of the wallet that paid is missing"))?;
            let seqno = seqno(&wallet, &account)?;
            let search = Search { head, seqno, time: account.time, next: account.last, failed: false };
            look_through(request, payout, stored, search, &[])
        }
        None => Ok(needs(request, &[node::head_call(), chain::account_call(&stored.wallet)], &Stage::Look)),
    }
}

/// Looks for the message among the next transactions of the wallet.
fn look_through(
    request: &PluginRequest,
    payout: &PayoutRequest,
    stored: &StoredPayout,
    mut search: Search,
    transactions: &[ChainTransaction],
) -> Result<PluginResponse, CallError> {
    for transaction in transactions {
        if is_of(transaction, stored)? {
            let sent = transaction.sent()?;
            match sent.first() {
                Some(message) => return settled(request, payout, stored, &search, transaction, message),
                // The wallet takes a message again if all that it did was undone.
                None => search.failed = true,
            }
        }
        search.next = transaction.previous.clone();
        if search.next.lt <= stored.reference.lt {
            break;
        }
    }
    if search.next.lt > stored.reference.lt {
        let call = chain::transactions_call(&stored.wallet, &search.next);
        return Ok(needs(request, &[call], &Stage::Search(search)));
    }
    if search.next != stored.reference {
        return Ok(unknown("the node has another chain of the wallet than before the payout, or is behind it"));
    }
    let (is_displaced, is_expired) = (search.seqno > stored.seqno, search.time > stored.valid_until);
    Ok(match (is_displaced || is_expired, search.failed) {
        (false, _) => broadcast(request, stored.clone()),
        (true, true) => never("not_carried_out", "the wallet got the message and sent nothing: it had not enough TON"),
        (true, false) if is_displaced => never("displaced", "another message had the wallet's number"),
        (true, false) => never("expired", "the message expired before a block contained it"),
    })
}

/// Whether the stored message caused a transaction.
fn is_of(transaction: &ChainTransaction, stored: &StoredPayout) -> Result<bool, CallError> {
    let Some(message) = transaction.message()? else { return Ok(false) };
    let body = CellBuilder::build_from(message.body).map_err(|_| transaction.unreadable())?;
    Ok(matches!(message.info, MsgInfo::ExtIn(_)) && body.repr_hash().to_string() == stored.body)
}

/// The wallet carried the message out.
fn settled(
    request: &PluginRequest,
    payout: &PayoutRequest,
    stored: &StoredPayout,
    search: &Search,
    transaction: &ChainTransaction,
    sent: &Cell,
) -> Result<PluginResponse, CallError> {
    let message = sent.parse::<Message<'_>>().map_err(|_| transaction.unreadable())?;
    let MsgInfo::Int(info) = message.info else { return Err(transaction.unreadable()) };
    let tx = transaction.id.hash.clone();
    // Blocks since the signature. What is in a block of the masterchain is final.
    let confirmations = u32::try_from(search.head.saturating_sub(stored.head)).unwrap_or(u32::MAX).max(1);
    if payout.currency == settings::NATIVE {
        let fee = transaction.content.total_fees.tokens.into_inner() + info.fwd_fee.into_inner();
        let fee = Some(amount(fee, NATIVE_DECIMALS).normalize().to_string());
        return Ok(done(PayoutState::Sent { tx_id: tx, confirmations, fee }));
    }
    let IntAddr::Std(account) = info.dst else { return Err(transaction.unreadable()) };
    let (message, since) = (sent.repr_hash().to_string(), transaction.content.now);
    Ok(needs_trace(request, Trace { leg: Leg::Request, account, message, since, next: None, tx, confirmations }))
}

fn needs_trace(request: &PluginRequest, trace: Trace) -> PluginResponse {
    let call = match &trace.next {
        None => chain::account_call(&trace.account),
        Some(next) => chain::transactions_call(&trace.account, next),
    };
    needs(request, &[call], &Stage::Trace(trace))
}

/// Looks for the transaction that a message caused, and for what that sent.
fn follow_jettons(request: &PluginRequest, mut trace: Trace) -> Result<PluginResponse, CallError> {
    let answer = node::answer(request, 0)?;
    let waiting = || unknown(format!("{} was carried out; the jettons have not arrived yet", trace.tx));
    let Some(next) = trace.next.take() else {
        let last = ChainAccount::read(&answer)?.last;
        return Ok(if last.lt == 0 { waiting() } else { needs_trace(request, Trace { next: Some(last), ..trace }) });
    };
    let transactions = chain::transactions(&answer, &trace.account, &next)?;
    for transaction in &transactions {
        if transaction.content.in_msg.as_ref().is_some_and(|message| message.repr_hash().to_string() == trace.message) {
            return arrived(request, trace, transaction);
        }
        if transaction.content.now < trace.since || transaction.previous.lt == 0 {
            return Ok(waiting());
        }
    }
    let next = transactions.last().map(|transaction| transaction.previous.clone());
    Ok(needs_trace(request, Trace { next, ..trace }))
}

/// What a jetton wallet did.
fn arrived(request: &PluginRequest, trace: Trace, transaction: &ChainTransaction) -> Result<PluginResponse, CallError> {
    let outcome = transaction.outcome()?.ok_or_else(|| transaction.unreadable())?;
    let leg = match (trace.leg, outcome.aborted) {
        (Leg::Request, true) => return Ok(never("would_fail", format!("{}: the jetton's contract refused to pay", trace.tx))),
        (Leg::Request, false) => Leg::Transfer,
        (Leg::Transfer, false) => {
            return Ok(done(PayoutState::Sent { tx_id: trace.tx, confirmations: trace.confirmations, fee: None }));
        }
        (Leg::Transfer, true) => Leg::Return,
        (Leg::Return, false) => {
            return Ok(never("refused_by_recipient", format!("{}: the jettons came back from the recipient", trace.tx)));
        }
        (Leg::Return, true) => return Ok(unknown(format!("{}: the jettons came back and were not booked", trace.tx))),
    };
    for cell in transaction.sent()? {
        let message = cell.parse::<Message<'_>>().map_err(|_| transaction.unreadable())?;
        let MsgInfo::Int(info) = &message.info else { continue };
        let is_transfer = matches!(messages::operation(message.body), Some((INTERNAL_TRANSFER, _)));
        let IntAddr::Std(account) = &info.dst else { continue };
        if if leg == Leg::Return { info.bounced } else { is_transfer } {
            let (account, message) = (account.clone(), cell.repr_hash().to_string());
            let since = transaction.content.now;
            return Ok(needs_trace(request, Trace { leg, account, message, since, next: None, ..trace }));
        }
    }
    Ok(unknown(format!("{}: what became of the jettons cannot be told", trace.tx)))
}

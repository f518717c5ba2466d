//! The simulated network: a pure value, determined by its seed and the operations on it.

use std::collections::{BTreeMap, BTreeSet};

use rand::rngs::ChaCha12Rng;
use rand::{Rng as _, SeedableRng as _};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Network fee of a payout, in units.
pub const FEE: u64 = 1_000;

/// Initial block height.
const FIRST_HEIGHT: u64 = 100;

/// An output of a transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    pub address: String,
    /// Amount in units of 10^-8.
    pub units: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    pub id: String,
    pub outputs: Vec<Output>,
    /// Key of the payout, if the exchange sent it.
    pub key: Option<String>,
    /// Height of its block; `None` while unconfirmed.
    pub height: Option<u64>,
    /// Whether it can no longer be confirmed.
    pub gone: bool,
    /// Number of the last event that changed it.
    changed: u64,
}

/// An incoming payment to an address of the exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deposit {
    pub tx_id: String,
    /// Output index.
    pub output: u32,
    /// Where to.
    pub address: String,
    pub units: u64,
    /// Confirmations, its own block included.
    pub confirmations: u32,
    /// Whether it can no longer be confirmed.
    pub gone: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PayoutStatus {
    /// Nothing was sent for the key.
    Never,
    Sent {
        tx_id: String,
        confirmations: u32,
    },
    /// Sent, but it can no longer be confirmed.
    Returned {
        tx_id: String,
    },
}

/// An operation on a network. The seed and the operations in order reproduce the network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Drew a number below this bound.
    Chance(u64),
    /// Created the address of this key.
    Address(String),
    /// A customer paid.
    Pay(Vec<Output>),
    /// Replaced a transaction.
    Replace {
        tx_id: String,
        /// Outputs of the new transaction.
        outputs: Vec<Output>,
    },
    /// Mined blocks.
    Mine(u64),
    /// Switched to another branch.
    Reorganise {
        /// Number of undone blocks.
        depth: u64,
        /// Percentage of their transactions that were dropped.
        dropped: u64,
    },
    /// Dropped a transaction.
    Drop(String),
    /// Sent a payout.
    Send { key: String, output: Output },
}

/// The exchange's wallet has insufficient funds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InsufficientFunds;

/// The network and the exchange's wallet on it.
#[derive(Debug)]
pub struct Chain {
    seed: u64,
    random: ChaCha12Rng,
    height: u64,
    events: u64,
    transactions: Vec<Transaction>,
    by_id: BTreeMap<String, usize>,
    addresses: BTreeSet<String>,
    payouts: BTreeMap<String, usize>,
    balance: u64,
    operations: Vec<Operation>,
}

impl Chain {
    /// `balance` is the initial balance of the exchange's wallet, in units.
    pub fn new(seed: u64, balance: u64) -> Self {
        Self {
            seed,
            random: ChaCha12Rng::seed_from_u64(seed),
            height: FIRST_HEIGHT,
            events: 0,
            transactions: Vec::new(),
            by_id: BTreeMap::new(),
            addresses: BTreeSet::new(),
            payouts: BTreeMap::new(),
            balance,
            operations: Vec::new(),
        }
    }

    /// Operations since the last call.
    pub fn take_operations(&mut self) -> Vec<Operation> {
        std::mem::take(&mut self.operations)
    }

    /// Repeats an operation.
    pub fn replay(&mut self, operation: Operation) {
        match operation {
            Operation::Chance(bound) => drop(self.chance(bound)),
            Operation::Address(key) => drop(self.address(&key)),
            Operation::Pay(outputs) => drop(self.pay(outputs)),
            Operation::Replace { tx_id, outputs } => drop(self.replace(&tx_id, outputs)),
            Operation::Mine(blocks) => self.mine(blocks),
            Operation::Reorganise { depth, dropped } => self.reorganize(depth, dropped),
            Operation::Drop(tx_id) => drop(self.drop_transaction(&tx_id)),
            Operation::Send { key, output } => drop(self.send(&key, output)),
        }
    }

    /// Height of the newest block.
    pub fn height(&self) -> u64 {
        self.height
    }

    /// Balance of the exchange's wallet, in units.
    pub fn balance(&self) -> u64 {
        self.balance
    }

    /// A pseudorandom number below `bound`.
    pub fn chance(&mut self, bound: u64) -> u64 {
        self.operations.push(Operation::Chance(bound));
        self.draw(bound)
    }

    /// The exchange's address for a key. The same key has the same address.
    pub fn address(&mut self, key: &str) -> String {
        let address = format!("sbx1{}", &self.digest(&format!("address {key}"))[..38]);
        if self.addresses.insert(address.clone()) {
            self.operations.push(Operation::Address(key.to_owned()));
        }
        address
    }

    /// Whether this is an address of the exchange.
    pub fn owns_address(&self, address: &str) -> bool {
        self.addresses.contains(address)
    }

    /// Adds an unconfirmed transaction of a customer.
    pub fn pay(&mut self, outputs: Vec<Output>) -> String {
        self.operations.push(Operation::Pay(outputs.clone()));
        self.add_transaction(outputs, None)
    }

    /// Replaces an unconfirmed transaction. Returns `None` if it is confirmed or gone.
    pub fn replace(&mut self, tx_id: &str, outputs: Vec<Output>) -> Option<String> {
        let place = *self.by_id.get(tx_id)?;
        let waits = self.transactions[place].height.is_none() && !self.transactions[place].gone;
        if !waits {
            return None;
        }
        self.operations.push(Operation::Replace { tx_id: tx_id.to_owned(), outputs: outputs.clone() });
        self.invalidate(place);
        Some(self.add_transaction(outputs, None))
    }

    /// Mines blocks. The first one includes all unconfirmed transactions.
    pub fn mine(&mut self, blocks: u64) {
        if blocks == 0 {
            return;
        }
        self.operations.push(Operation::Mine(blocks));
        let first = (self.height + 1, self.events + 1);
        for waiting in self.transactions.iter_mut().filter(|known| known.height.is_none() && !known.gone) {
            (waiting.height, waiting.changed) = (Some(first.0), first.1);
        }
        self.height += blocks;
        self.events += blocks;
    }

    /// Reorganises the chain: undoes the last `depth` blocks and adds one more than that. About `dropped` percent of the transactions in
    /// them can never be confirmed; the others are included in the new branch or become unconfirmed again.
    pub fn reorganize(&mut self, depth: u64, dropped: u64) {
        self.operations.push(Operation::Reorganise { depth, dropped });
        let depth = depth.min(self.height);
        let floor = self.height - depth;
        self.events += 1;
        let undone: Vec<usize> = (0..self.transactions.len())
            .filter(|place| self.transactions[*place].height.is_some_and(|height| height > floor))
            .collect();
        for place in undone {
            if self.draw(100) < dropped {
                self.invalidate(place);
                continue;
            }
            let is_included = self.draw(2) == 0;
            let known = &mut self.transactions[place];
            known.changed = self.events;
            known.height = is_included.then_some(floor + 1);
        }
        self.height = floor + depth + 1;
    }

    /// Drops a transaction permanently, like a double spend. False if there is no such transaction.
    pub fn drop_transaction(&mut self, tx_id: &str) -> bool {
        let Some(place) = self.by_id.get(tx_id).copied().filter(|place| !self.transactions[*place].gone) else { return false };
        self.operations.push(Operation::Drop(tx_id.to_owned()));
        self.events += 1;
        self.invalidate(place);
        true
    }

    /// Sends a payout, once per key.
    ///
    /// # Errors
    /// Insufficient funds; nothing was sent.
    pub fn send(&mut self, key: &str, output: Output) -> Result<PayoutStatus, InsufficientFunds> {
        if !self.payouts.contains_key(key) {
            let cost = output.units.saturating_add(FEE);
            self.balance = self.balance.checked_sub(cost).ok_or(InsufficientFunds)?;
            self.operations.push(Operation::Send { key: key.to_owned(), output: output.clone() });
            let id = self.add_transaction(vec![output], Some(key.to_owned()));
            self.payouts.insert(key.to_owned(), self.by_id[&id]);
        }
        Ok(self.payout_status(key))
    }

    pub fn payout_status(&self, key: &str) -> PayoutStatus {
        let Some(place) = self.payouts.get(key) else { return PayoutStatus::Never };
        let known = &self.transactions[*place];
        let tx_id = known.id.clone();
        if known.gone {
            return PayoutStatus::Returned { tx_id };
        }
        PayoutStatus::Sent { tx_id, confirmations: self.confirmations(known) }
    }

    /// Incoming payments that changed after an event, and the cursor for the next call. Payments with fewer confirmations than this are
    /// returned again.
    pub fn incoming_payments(&self, after: Option<u64>, confirmations: u32) -> (Vec<Deposit>, u64) {
        let is_changed = |known: &&Transaction| after.is_none_or(|event| known.changed > event);
        let found = self.transactions.iter().filter(is_changed).flat_map(|known| self.payments_in(known));
        let grows = |known: &&Transaction| {
            !known.gone && self.confirmations(known) < confirmations && self.payments_in(known).next().is_some()
        };
        let first = self.transactions.iter().filter(grows).map(|known| known.changed).min();
        (found.collect(), first.map_or(self.events, |event| event - 1))
    }

    /// Payouts that are not gone: key and output.
    pub fn active_payouts(&self) -> Vec<(String, Output)> {
        let live = self.transactions.iter().filter(|known| !known.gone);
        live.filter_map(|known| Some((known.key.clone()?, known.outputs.first()?.clone()))).collect()
    }

    pub fn transaction(&self, tx_id: &str) -> Option<&Transaction> {
        self.by_id.get(tx_id).map(|place| &self.transactions[*place])
    }

    /// Customers' transactions, newest first.
    pub fn payments(&self) -> impl Iterator<Item = &Transaction> {
        self.transactions.iter().rev().filter(|known| known.key.is_none())
    }

    /// Confirmations of a transaction, its own block included.
    pub fn confirmations(&self, known: &Transaction) -> u32 {
        let blocks = known.height.map_or(0, |height| (self.height + 1).saturating_sub(height));
        u32::try_from(blocks).unwrap_or(u32::MAX)
    }

    fn draw(&mut self, bound: u64) -> u64 {
        self.random.next_u64() % bound.max(1)
    }

    fn payments_in<'a>(&'a self, known: &'a Transaction) -> impl Iterator<Item = Deposit> + 'a {
        let ours = |(_, output): &(usize, &Output)| self.addresses.contains(&output.address);
        known.outputs.iter().enumerate().filter(ours).map(|(place, output)| Deposit {
            tx_id: known.id.clone(),
            output: u32::try_from(place).unwrap_or(u32::MAX),
            address: output.address.clone(),
            units: output.units,
            confirmations: if known.gone { 0 } else { self.confirmations(known) },
            gone: known.gone,
        })
    }

    fn add_transaction(&mut self, outputs: Vec<Output>, key: Option<String>) -> String {
        self.events += 1;
        // The prefix distinguishes it from transactions of real networks.
        let id = format!("sandbox-{}", self.digest(&format!("transaction {}", self.transactions.len())));
        self.by_id.insert(id.clone(), self.transactions.len());
        let known = Transaction { id: id.clone(), outputs, key, height: None, gone: false, changed: self.events };
        self.transactions.push(known);
        id
    }

    /// Marks a transaction as gone. A payout's money returns to the wallet.
    fn invalidate(&mut self, place: usize) {
        let known = &mut self.transactions[place];
        (known.gone, known.height, known.changed) = (true, None, self.events);
        if known.key.is_some() {
            self.balance += known.outputs.iter().map(|output| output.units).sum::<u64>() + FEE;
        }
    }

    fn digest(&self, text: &str) -> String {
        Sha256::digest(format!("{} {text}", self.seed)).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    impl PayoutStatus {
        fn tx_id(&self) -> Option<String> {
            match self {
                Self::Never => None,
                Self::Sent { tx_id, .. } | Self::Returned { tx_id } => Some(tx_id.clone()),
            }
        }
    }

    fn to(address: &str, units: u64) -> Output {
        Output { address: address.to_owned(), units }
    }

    #[test]
    fn a_payment_is_reported_until_it_has_enough_confirmations() {
        let mut chain = Chain::new(7, 0);
        let address = chain.address("a");
        let id = chain.pay(vec![to("other", 1), to(&address, 500)]);
        let (payments, cursor) = chain.incoming_payments(None, 2);
        assert_eq!(
            (payments.len(), payments[0].tx_id.as_str(), payments[0].output, payments[0].confirmations),
            (1, id.as_str(), 1, 0)
        );
        chain.mine(1);
        let (payments, cursor) = chain.incoming_payments(Some(cursor), 2);
        assert_eq!(payments[0].confirmations, 1);
        chain.mine(3);
        let (payments, cursor) = chain.incoming_payments(Some(cursor), 2);
        assert_eq!(payments[0].confirmations, 4, "a confirmed payment is reported once more");
        chain.mine(1);
        assert!(chain.incoming_payments(Some(cursor), 2).0.is_empty(), "it has enough and did not change");
    }

    #[test]
    fn a_payout_is_sent_once_per_key() {
        let mut chain = Chain::new(7, 10_000);
        let first = chain.send("k", to("them", 5_000)).unwrap();
        assert_eq!(chain.send("k", to("them", 5_000)), Ok(first));
        assert_eq!((chain.active_payouts().len(), chain.balance()), (1, 4_000));
        assert_eq!(chain.send("l", to("them", 4_000)), Err(InsufficientFunds));
        assert_eq!(chain.payout_status("l"), PayoutStatus::Never);
    }

    #[test]
    fn replaced_and_dropped_transactions_are_gone() {
        let mut chain = Chain::new(7, 10_000);
        let address = chain.address("a");
        let old = chain.pay(vec![to(&address, 500)]);
        let new = chain.replace(&old, vec![to(&address, 400)]).unwrap();
        chain.mine(3);
        assert!(chain.transaction(&old).unwrap().gone && !chain.transaction(&new).unwrap().gone);
        assert_eq!(chain.replace(&new, Vec::new()), None, "it is in a block");
        let Ok(PayoutStatus::Sent { tx_id, .. }) = chain.send("k", to("them", 5_000)) else { panic!("it is sent") };
        assert!(chain.drop_transaction(&tx_id));
        assert_eq!((chain.payout_status("k"), chain.balance()), (PayoutStatus::Returned { tx_id }, 10_000));
    }

    proptest! {
        #[test]
        fn the_same_seed_lives_the_same_life(seed in any::<u64>(), depth in 1_u64..5) {
            let live = || {
                let mut chain = Chain::new(seed, 1_000_000);
                let address = chain.address("a");
                for units in 1..20 {
                    chain.pay(vec![to(&address, units)]);
                    chain.mine(1);
                }
                chain.reorganize(depth, 50);
                (chain.height(), chain.incoming_payments(None, 1))
            };
            prop_assert_eq!(live(), live());
        }

        #[test]
        fn its_acts_make_the_same_network_again(seed in any::<u64>(), depths in prop::collection::vec(1_u64..5, 1..6)) {
            let mut chain = Chain::new(seed, 1_000_000);
            let address = chain.address("a");
            for (number, depth) in depths.iter().enumerate() {
                let id = chain.pay(vec![to(&address, 500)]);
                chain.replace(&id, vec![to(&address, 400)]);
                chain.replace("nobody's", Vec::new());
                let _ = chain.send(&number.to_string(), to("them", 900_000));
                chain.mine(*depth);
                chain.reorganize(*depth, 50);
                chain.drop_transaction(&chain.payout_status("0").tx_id().unwrap_or_default());
                chain.chance(100);
            }
            let mut again = Chain::new(seed, 1_000_000);
            let operations = chain.take_operations();
            operations.iter().cloned().for_each(|act| again.replay(act));
            prop_assert_eq!(again.take_operations(), operations);
            prop_assert_eq!(format!("{again:?}"), format!("{chain:?}"));
        }

        #[test]
        fn a_longer_branch_wins_and_loses_no_money(seed in any::<u64>(), depth in 1_u64..8, dropped in 0_u64..=100) {
            let mut chain = Chain::new(seed, 1_000_000);
            for key in 0..10 {
                chain.send(&key.to_string(), to("them", 100)).unwrap();
                chain.mine(1);
            }
            let before = chain.height();
            chain.reorganize(depth, dropped);
            prop_assert_eq!(chain.height(), before + 1);
            let spent = chain.active_payouts().len() as u64 * (100 + FEE);
            prop_assert_eq!(chain.balance() + spent, 1_000_000);
        }
    }
}

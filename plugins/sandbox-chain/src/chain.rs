//! The network: a pure value. What is asked of it and its seed say everything that happens.

use std::collections::{BTreeMap, BTreeSet};

use rand_chacha::ChaCha12Rng;
use rand_core::{RngCore as _, SeedableRng as _};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// What a payout costs the house, in units.
pub const FEE: u64 = 1_000;

/// The height of the first block that is looked at.
const FIRST_HEIGHT: u64 = 100;

/// Money that went to an address in a transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// Where to.
    pub address: String,
    /// How much, in units of 10^-8.
    pub units: u64,
}

/// A transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Its identifier.
    pub id: String,
    /// Where its money goes.
    pub outputs: Vec<Output>,
    /// The key of the payout, where the house sent it.
    pub key: Option<String>,
    /// The height of its block; nothing while it waits for one.
    pub height: Option<u64>,
    /// It can no longer be confirmed.
    pub gone: bool,
    /// The number of the last event that changed it.
    changed: u64,
}

/// Money that came to an address of the house, as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The transaction.
    pub tx_id: String,
    /// Which output of it.
    pub output: u32,
    /// Where to.
    pub address: String,
    /// How much, in units.
    pub units: u64,
    /// Blocks on top of it, its own included.
    pub confirmations: u32,
    /// It can no longer be confirmed.
    pub gone: bool,
}

/// How a payout stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sending {
    /// Nothing was sent under the key.
    Never,
    /// It was.
    Sent {
        /// The transaction.
        tx_id: String,
        /// Blocks on top of it.
        confirmations: u32,
    },
    /// It was, and can no longer be confirmed.
    Returned {
        /// The transaction.
        tx_id: String,
    },
}

/// Something that was done to a network. Its seed and its acts in their order make the same network again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// A number below this bound was drawn.
    Chance(u64),
    /// The house got the address of this key.
    Address(String),
    /// Somebody paid.
    Pay(Vec<Output>),
    /// A transaction was replaced.
    Replace {
        /// The old one.
        tx_id: String,
        /// Where the money of the new one goes.
        outputs: Vec<Output>,
    },
    /// So many blocks were found.
    Mine(u64),
    /// Another branch won.
    Reorganise {
        /// How many blocks were undone.
        depth: u64,
        /// How many of a hundred transactions in them were lost.
        dropped: u64,
    },
    /// A transaction was dropped.
    Drop(String),
    /// The house paid.
    Send {
        /// The key of the payout.
        key: String,
        /// Where the money goes.
        output: Output,
    },
}

/// The wallet of the house has not enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotEnough;

/// The network, and the wallet of the house on it.
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
    acts: Vec<Act>,
}

impl Chain {
    /// A network whose whole life follows from `seed`, with this much in the wallet of the house.
    #[must_use]
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
            acts: Vec::new(),
        }
    }

    /// What was done since this was asked last.
    pub fn take_acts(&mut self) -> Vec<Act> {
        std::mem::take(&mut self.acts)
    }

    /// Does what was done before.
    pub fn act(&mut self, act: Act) {
        match act {
            Act::Chance(bound) => drop(self.chance(bound)),
            Act::Address(key) => drop(self.address(&key)),
            Act::Pay(outputs) => drop(self.pay(outputs)),
            Act::Replace { tx_id, outputs } => drop(self.replace(&tx_id, outputs)),
            Act::Mine(blocks) => self.mine(blocks),
            Act::Reorganise { depth, dropped } => self.reorganise(depth, dropped),
            Act::Drop(tx_id) => drop(self.drop_transaction(&tx_id)),
            Act::Send { key, output } => drop(self.send(&key, output)),
        }
    }

    /// The height of the newest block.
    #[must_use]
    pub fn height(&self) -> u64 {
        self.height
    }

    /// What the wallet of the house has to spend, in units.
    #[must_use]
    pub fn balance(&self) -> u64 {
        self.balance
    }

    /// A number below `bound`, by the seed.
    pub fn chance(&mut self, bound: u64) -> u64 {
        self.acts.push(Act::Chance(bound));
        self.draw(bound)
    }

    /// The address of a key of the house: the same one each time.
    pub fn address(&mut self, key: &str) -> String {
        let address = format!("sbx1{}", &self.digest(&format!("address {key}"))[..38]);
        if self.addresses.insert(address.clone()) {
            self.acts.push(Act::Address(key.to_owned()));
        }
        address
    }

    /// Whether this is an address of the house.
    #[must_use]
    pub fn knows(&self, address: &str) -> bool {
        self.addresses.contains(address)
    }

    /// Somebody pays to some addresses in one transaction, which waits for a block.
    pub fn pay(&mut self, outputs: Vec<Output>) -> String {
        self.acts.push(Act::Pay(outputs.clone()));
        self.enter(outputs, None)
    }

    /// Whoever made a transaction replaces it by another one before it is in a block. Nothing happens when it is too late for that.
    pub fn replace(&mut self, tx_id: &str, outputs: Vec<Output>) -> Option<String> {
        let place = *self.by_id.get(tx_id)?;
        let waits = self.transactions[place].height.is_none() && !self.transactions[place].gone;
        if !waits {
            return None;
        }
        self.acts.push(Act::Replace { tx_id: tx_id.to_owned(), outputs: outputs.clone() });
        self.lose(place);
        Some(self.enter(outputs, None))
    }

    /// Adds blocks; the first takes up everything that waits.
    pub fn mine(&mut self, blocks: u64) {
        if blocks == 0 {
            return;
        }
        self.acts.push(Act::Mine(blocks));
        let first = (self.height + 1, self.events + 1);
        for waiting in self.transactions.iter_mut().filter(|known| known.height.is_none() && !known.gone) {
            (waiting.height, waiting.changed) = (Some(first.0), first.1);
        }
        self.height += blocks;
        self.events += blocks;
    }

    /// Another branch wins: the last `depth` blocks are undone, and one more than that is added. Of each hundred transactions in the undone blocks about
    /// `dropped` can never be confirmed; the others are taken up by the new branch at once, or wait again.
    pub fn reorganise(&mut self, depth: u64, dropped: u64) {
        self.acts.push(Act::Reorganise { depth, dropped });
        let depth = depth.min(self.height);
        let floor = self.height - depth;
        self.events += 1;
        let undone: Vec<usize> = (0..self.transactions.len())
            .filter(|place| self.transactions[*place].height.is_some_and(|height| height > floor))
            .collect();
        for place in undone {
            if self.draw(100) < dropped {
                self.lose(place);
                continue;
            }
            let taken_up = self.draw(2) == 0;
            let known = &mut self.transactions[place];
            known.changed = self.events;
            known.height = taken_up.then_some(floor + 1);
        }
        self.height = floor + depth + 1;
    }

    /// Drops one transaction for good, as a double spend does, wherever it is. False when there is no such transaction any more.
    pub fn drop_transaction(&mut self, tx_id: &str) -> bool {
        let Some(place) = self.by_id.get(tx_id).copied().filter(|place| !self.transactions[*place].gone) else { return false };
        self.acts.push(Act::Drop(tx_id.to_owned()));
        self.events += 1;
        self.lose(place);
        true
    }

    /// Sends money of the house, once for each key.
    ///
    /// # Errors
    /// The wallet has not enough; nothing was sent.
    pub fn send(&mut self, key: &str, output: Output) -> Result<Sending, NotEnough> {
        if !self.payouts.contains_key(key) {
            let cost = output.units.saturating_add(FEE);
            self.balance = self.balance.checked_sub(cost).ok_or(NotEnough)?;
            self.acts.push(Act::Send { key: key.to_owned(), output: output.clone() });
            let id = self.enter(vec![output], Some(key.to_owned()));
            self.payouts.insert(key.to_owned(), self.by_id[&id]);
        }
        Ok(self.sent(key))
    }

    /// What became of a payout.
    #[must_use]
    pub fn sent(&self, key: &str) -> Sending {
        let Some(place) = self.payouts.get(key) else { return Sending::Never };
        let known = &self.transactions[*place];
        let tx_id = known.id.clone();
        if known.gone {
            return Sending::Returned { tx_id };
        }
        Sending::Sent { tx_id, confirmations: self.confirmations(known) }
    }

    /// What came in that changed after an event, and the event to ask from the next time: one before everything that has fewer
    /// confirmations than this now, so that it is told again until it has them.
    #[must_use]
    pub fn arrivals(&self, after: Option<u64>, confirmations: u32) -> (Vec<Arrival>, u64) {
        let is_news = |known: &&Transaction| after.is_none_or(|event| known.changed > event);
        let found = self.transactions.iter().filter(is_news).flat_map(|known| self.arrivals_in(known));
        let grows = |known: &&Transaction| {
            !known.gone && self.confirmations(known) < confirmations && self.arrivals_in(known).next().is_some()
        };
        let first = self.transactions.iter().filter(grows).map(|known| known.changed).min();
        (found.collect(), first.map_or(self.events, |event| event - 1))
    }

    /// Every payout that is not gone, with its key and where it went.
    #[must_use]
    pub fn live_payouts(&self) -> Vec<(String, Output)> {
        let live = self.transactions.iter().filter(|known| !known.gone);
        live.filter_map(|known| Some((known.key.clone()?, known.outputs.first()?.clone()))).collect()
    }

    /// A transaction by its identifier.
    #[must_use]
    pub fn transaction(&self, tx_id: &str) -> Option<&Transaction> {
        self.by_id.get(tx_id).map(|place| &self.transactions[*place])
    }

    /// What others than the house paid, the newest first.
    pub fn payments(&self) -> impl Iterator<Item = &Transaction> {
        self.transactions.iter().rev().filter(|known| known.key.is_none())
    }

    /// Blocks on top of a transaction, its own included.
    #[must_use]
    pub fn confirmations(&self, known: &Transaction) -> u32 {
        let blocks = known.height.map_or(0, |height| (self.height + 1).saturating_sub(height));
        u32::try_from(blocks).unwrap_or(u32::MAX)
    }

    fn draw(&mut self, bound: u64) -> u64 {
        self.random.next_u64() % bound.max(1)
    }

    fn arrivals_in<'a>(&'a self, known: &'a Transaction) -> impl Iterator<Item = Arrival> + 'a {
        let ours = |(_, output): &(usize, &Output)| self.addresses.contains(&output.address);
        known.outputs.iter().enumerate().filter(ours).map(|(place, output)| Arrival {
            tx_id: known.id.clone(),
            output: u32::try_from(place).unwrap_or(u32::MAX),
            address: output.address.clone(),
            units: output.units,
            confirmations: if known.gone { 0 } else { self.confirmations(known) },
            gone: known.gone,
        })
    }

    fn enter(&mut self, outputs: Vec<Output>, key: Option<String>) -> String {
        self.events += 1;
        // Nobody mistakes it for a transaction of a real network, or looks it up there.
        let id = format!("sandbox-{}", self.digest(&format!("transaction {}", self.transactions.len())));
        self.by_id.insert(id.clone(), self.transactions.len());
        let known = Transaction { id: id.clone(), outputs, key, height: None, gone: false, changed: self.events };
        self.transactions.push(known);
        id
    }

    /// A transaction that can no longer be confirmed gives a payout's money back to the wallet.
    fn lose(&mut self, place: usize) {
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

    impl Sending {
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
    fn a_payment_gathers_confirmations_and_is_told_until_it_has_enough() {
        let mut chain = Chain::new(7, 0);
        let address = chain.address("a");
        let id = chain.pay(vec![to("somebody", 1), to(&address, 500)]);
        let (seen, cursor) = chain.arrivals(None, 2);
        assert_eq!((seen.len(), seen[0].tx_id.as_str(), seen[0].output, seen[0].confirmations), (1, id.as_str(), 1, 0));
        chain.mine(1);
        let (seen, cursor) = chain.arrivals(Some(cursor), 2);
        assert_eq!(seen[0].confirmations, 1);
        chain.mine(3);
        let (seen, cursor) = chain.arrivals(Some(cursor), 2);
        assert_eq!(seen[0].confirmations, 4, "that it has enough is told as well");
        chain.mine(1);
        assert!(chain.arrivals(Some(cursor), 2).0.is_empty(), "it has enough and did not change");
    }

    #[test]
    fn a_payout_is_made_once_for_a_key() {
        let mut chain = Chain::new(7, 10_000);
        let first = chain.send("k", to("them", 5_000)).unwrap();
        assert_eq!(chain.send("k", to("them", 5_000)), Ok(first));
        assert_eq!((chain.live_payouts().len(), chain.balance()), (1, 4_000));
        assert_eq!(chain.send("l", to("them", 4_000)), Err(NotEnough));
        assert_eq!(chain.sent("l"), Sending::Never);
    }

    #[test]
    fn what_is_replaced_or_dropped_is_gone_for_good() {
        let mut chain = Chain::new(7, 10_000);
        let address = chain.address("a");
        let old = chain.pay(vec![to(&address, 500)]);
        let new = chain.replace(&old, vec![to(&address, 400)]).unwrap();
        chain.mine(3);
        assert!(chain.transaction(&old).unwrap().gone && !chain.transaction(&new).unwrap().gone);
        assert_eq!(chain.replace(&new, Vec::new()), None, "it is in a block");
        let Ok(Sending::Sent { tx_id, .. }) = chain.send("k", to("them", 5_000)) else { panic!("it is sent") };
        assert!(chain.drop_transaction(&tx_id));
        assert_eq!((chain.sent("k"), chain.balance()), (Sending::Returned { tx_id }, 10_000));
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
                chain.reorganise(depth, 50);
                (chain.height(), chain.arrivals(None, 1))
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
                chain.reorganise(*depth, 50);
                chain.drop_transaction(&chain.sent("0").tx_id().unwrap_or_default());
                chain.chance(100);
            }
            let mut again = Chain::new(seed, 1_000_000);
            let acts = chain.take_acts();
            acts.iter().cloned().for_each(|act| again.act(act));
            prop_assert_eq!(again.take_acts(), acts);
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
            chain.reorganise(depth, dropped);
            prop_assert_eq!(chain.height(), before + 1);
            let spent = chain.live_payouts().len() as u64 * (100 + FEE);
            prop_assert_eq!(chain.balance() + spent, 1_000_000);
        }
    }
}

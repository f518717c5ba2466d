//! What the suite needs of a node. A driver for another network joins by implementing [`TestNode`] and naming it in
//! `main.rs`.

use agio_core::Timestamp;
use agio_plugin_sdk::Plugin;
use rust_decimal::Decimal;

/// Who gets the money of a replaced payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplacementTo {
    /// The same address.
    SameAddress,
    /// The sender: the payment was a double spend.
    Sender,
}

/// A node of a throw-away network, with two funded wallets: one of the exchange and one of a customer. It ends when
/// it is dropped.
pub trait TestNode: Sized {
    type Driver: Plugin;

    /// The currency, as the demo market names it.
    const CODE: &'static str;
    /// An amount that is worth some thousand roubles, with a fraction.
    const AMOUNT: &'static str;
    /// The kind of the addresses, if the demo market's validator does not know those of a test network.
    const ADDRESS_KIND: Option<&'static str>;
    /// What an RPC request contains that sends money.
    const SENDS: &'static str;
    /// The confirmations the route requires; at least 3.
    const CONFIRMATIONS: u32;

    async fn start() -> Self;

    fn driver() -> Self::Driver;

    /// Where its RPC listens.
    fn url(&self) -> String;

    /// The driver's settings but `url`.
    fn settings(&self) -> Vec<(&'static str, String)>;

    /// Stops the node and keeps its data.
    async fn stop(&mut self);

    /// Starts the node again, under the same address.
    async fn start_again(&mut self);

    /// The server's clock, for a network without one of its own.
    async fn follow_clock(&self, _now: Timestamp) {}

    /// Pays from the customer's wallet and returns the transaction, which waits for a block.
    async fn pay(&self, address: &str, amount: Decimal) -> String;

    /// Replaces a payment of [`Self::pay`] that has no confirmations.
    async fn replace(&self, tx_id: &str, to: ReplacementTo);

    async fn mine(&self, blocks: u32);

    /// Takes the newest blocks off the chain. Their transactions wait for a block again.
    async fn undo_blocks(&self, blocks: u32);

    /// A new address of the customer.
    async fn customer_address(&self) -> String;

    /// What an address of the customer received, confirmed.
    async fn received(&self, address: &str) -> Decimal;

    /// What the exchange's addresses received from others and what its wallet sent to others without fees, by the
    /// node's own records. Only what has [`Self::CONFIRMATIONS`].
    async fn moved(&self) -> MovedTotals;

    /// Leaves nearly nothing in the exchange's wallet.
    async fn empty_wallet(&self);

    /// Fills the exchange's wallet again.
    async fn fill_wallet(&self);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovedTotals {
    pub received: Decimal,
    pub sent: Decimal,
}

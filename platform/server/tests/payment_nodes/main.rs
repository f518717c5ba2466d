//! Payment drivers with real nodes: the same stories for every driver. Each test starts a node of its own.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod ethereum;
mod gateway;
mod litecoin;
mod loopback;
mod monero;
mod proxy;
mod stories;
mod test_node;
mod ton;
mod world;

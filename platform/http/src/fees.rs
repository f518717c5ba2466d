//! The fees of an exchange, as quotes, claims and partners' documents show them.

use agio_contracts::{AgreedFee, AgreedFees, NetworkFee, NetworkFeePayer};

use crate::{ApiEnum, Dec, Nullable, body};

/// The fees of an exchange.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ExchangeFees {
    /// On the give side.
    from: SideFee,
    /// On the receive side, the network fee that the customer bears included.
    to: SideFee,
    /// The network fee of the payout. Null where payouts cost nothing.
    network: Nullable<PayoutNetworkFee>,
}

/// The fee on one side.
#[body(response)]
#[derive(Clone, Debug)]
pub struct SideFee {
    /// Fixed part, in the currency of this side.
    fixed: Dec,
    /// Percentage of the amount on this side. Already included in the rate.
    percent: Dec,
}

/// The network fee of a payout.
#[body(response)]
#[derive(Clone, Debug)]
pub struct PayoutNetworkFee {
    /// Who bears it.
    payer: ApiEnum<NetworkFeePayer>,
    /// The part of the receive side's fixed fee that it is. 0 if the exchange bears it.
    amount: Dec,
}

impl From<AgreedFees> for ExchangeFees {
    fn from(AgreedFees { give, receive, network }: AgreedFees) -> Self {
        Self { from: give.into(), to: receive.into(), network: Nullable(network.map(Into::into)) }
    }
}

impl From<AgreedFee> for SideFee {
    fn from(AgreedFee { fixed, percent }: AgreedFee) -> Self {
        Self { fixed: Dec(fixed), percent: Dec(percent) }
    }
}

impl From<NetworkFee> for PayoutNetworkFee {
    fn from(NetworkFee { payer, amount }: NetworkFee) -> Self {
        Self { payer: payer.into(), amount: Dec(amount) }
    }
}

//! Network fees of payouts.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

agio_core::named! {
    /// Who bears the network fee of a payout.
    NetworkFeePayer {
        /// The exchange.
        Exchange = "exchange",
        /// The customer: it is part of the fixed fee on the receive side.
        Customer = "customer",
    }
}

/// The network fee of a payout, as a customer is charged for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkFee {
    pub payer: NetworkFeePayer,
    /// In the receive currency. Zero if the exchange bears it.
    #[serde(with = "agio_core::decimal::text")]
    pub amount: Decimal,
}

impl NetworkFee {
    /// `cost` is that of one payout, in the receive currency. `None` if payouts cost nothing.
    pub fn of(payer: NetworkFeePayer, cost: Decimal) -> Option<Self> {
        let amount = match payer {
            NetworkFeePayer::Exchange => Decimal::ZERO,
            NetworkFeePayer::Customer => cost,
        };
        (!cost.is_zero()).then_some(Self { payer, amount })
    }
}

//! The ledger's accounts.

use uuid::Uuid;

/// An account of one currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Account {
    /// Free funds of the exchange.
    Reserve,
    /// Reserve held for open claims.
    Hold,
    /// Received from customers for claims that are not completed.
    ClaimIn,
    /// Payouts on their way to customers.
    ClaimOut,
    /// Income from the difference between the rate and the market's.
    IncomeSpread,
    /// Income from fees.
    IncomeFee,
    /// The contra account of income, whose money is in the reserves of the received currencies. Payments to referrers
    /// out of them are booked back here.
    Exchange,
    /// Everything outside the exchange.
    External,
    /// Owed to a customer.
    Customer(Uuid),
    /// Owed to a referrer, who can withdraw it.
    Referral(Uuid),
    /// Owed to the winner of a prize.
    Prize(Uuid),
    /// Earned by a referrer and not withdrawable yet.
    ReferralPending(Uuid),
    /// Withdrawals of referrers that are not paid yet.
    ReferralOut,
    /// The cost of referrals: the negative of all that referrers ever earned.
    ReferralCost,
    /// Commission owed to a partner.
    Partner(Uuid),
    /// The cost of partners: the negative of all their commissions.
    PartnerCost,
}

impl Account {
    /// The accounts that every currency has from the start.
    pub const OF_EVERY_CURRENCY: [Self; 8] = [
        Self::Reserve,
        Self::Hold,
        Self::ClaimIn,
        Self::ClaimOut,
        Self::IncomeSpread,
        Self::IncomeFee,
        Self::Exchange,
        Self::External,
    ];

    /// The unique name it is stored under.
    pub fn name(self, currency: i64) -> String {
        match self {
            Self::Reserve => format!("reserve:{currency}"),
            Self::Hold => format!("hold:{currency}"),
            Self::ClaimIn => format!("claim_in:{currency}"),
            Self::ClaimOut => format!("claim_out:{currency}"),
            Self::IncomeSpread => format!("income_spread:{currency}"),
            Self::IncomeFee => format!("income_fee:{currency}"),
            Self::Exchange => format!("exchange:{currency}"),
            Self::External => format!("external:{currency}"),
            Self::Customer(owner) => format!("customer:{currency}:{owner}"),
            Self::Referral(owner) => format!("referral:{currency}:{owner}"),
            Self::Prize(winner) => format!("prize:{currency}:{winner}"),
            Self::ReferralPending(owner) => format!("referral_pending:{currency}:{owner}"),
            Self::ReferralOut => format!("referral_out:{currency}"),
            Self::ReferralCost => format!("referral_cost:{currency}"),
            Self::Partner(owner) => format!("partner:{currency}:{owner}"),
            Self::PartnerCost => format!("partner_cost:{currency}"),
        }
    }

    /// Whether its balance may go below zero: contra accounts, costs, and the spread, which may be a loss.
    pub fn may_be_negative(self) -> bool {
        matches!(self, Self::External | Self::Exchange | Self::IncomeSpread | Self::ReferralCost | Self::PartnerCost)
    }
}

//! The accounts of the books.

use uuid::Uuid;

/// Where money can be. Each account is of one currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Account {
    /// What the house has and may promise.
    Reserve,
    /// Reserve set aside for open claims.
    Hold,
    /// Received from customers for claims that are not done.
    ClaimIn,
    /// On its way to customers.
    ClaimOut,
    /// What the house earned by the difference between its rate and the market's.
    IncomeSpread,
    /// What the house earned by fees.
    IncomeFee,
    /// The other side of income: it lies in the reserves of the currencies received. What referrers were paid out of them is booked back
    /// here.
    Exchange,
    /// The world outside the house.
    External,
    /// What the house owes a customer.
    Customer(Uuid),
    /// What the house owes a referrer and pays when they ask.
    Referral(Uuid),
    /// What the house owes the winner of a prize.
    Prize(Uuid),
    /// What a referrer has earned and cannot ask for yet.
    ReferralPending(Uuid),
    /// What referrers have asked for and is not paid yet.
    ReferralOut,
    /// What referrers cost the house: the other side of all they ever earned. It is below zero by as much.
    ReferralCost,
    /// What the house owes a partner of the commission they earned.
    Partner(Uuid),
    /// What partners cost the house: the other side of all their commission. It is below zero by as much.
    PartnerCost,
}

impl Account {
    /// The accounts every currency has.
    pub const OF_THE_HOUSE: [Self; 8] = [
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
    #[must_use]
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

    /// Whether its balance may go below zero: the world outside, what an exchange earned or lost, and what referrers and partners cost.
    #[must_use]
    pub fn may_be_negative(self) -> bool {
        matches!(self, Self::External | Self::Exchange | Self::IncomeSpread | Self::ReferralCost | Self::PartnerCost)
    }
}

//! Bonuses on top of the rate.
//!
//! A bonus is requested before a pair is priced and limited when it is: by the most its parts may add together, and by
//! the margin between the pair's rate and the market.

use agio_core::BoxFuture;
use agio_core::clock::Timestamp;
use agio_core::db::Tx;
use agio_core::error::Result;
use agio_core::identity::Customer;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::ReferenceValue;

/// The setting with the maximum total bonus, in percent.
pub const MAX_BONUS_PERCENT: &str = "discounts.most_percent";
/// The setting whether a bonus may lift a rate above the market rate.
pub const ABOVE_MARKET: &str = "discounts.above_market";

agio_core::named! {
    /// What a part of a bonus is granted for.
    BonusKind {
        /// The volume of the account's completed claims.
        Tier = "tier",
        /// A promo code.
        Promo = "promo",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BonusPart {
    pub kind: BonusKind,
    /// Percent added to the rate.
    #[serde(with = "agio_core::decimal::text")]
    pub percent: Decimal,
    /// The promo code in its normal form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// A bonus before a pair limits it. Its parts are added up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Bonus {
    /// The account, if a part of the bonus is granted to an account.
    pub customer: Option<Uuid>,
    pub parts: Vec<BonusPart>,
    /// The least value of an exchange its promo code is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promo_min: Option<ReferenceValue>,
    /// The most percent all parts together may add.
    #[serde(with = "agio_core::decimal::text")]
    pub most: Decimal,
    /// Whether it may lift the rate above the market's.
    pub above_market: bool,
}

impl Bonus {
    /// The sum of its parts in percent, at most `most`.
    pub fn percent(&self) -> Decimal {
        self.uncapped_percent().min(self.most)
    }

    /// The sum of its parts in percent.
    pub fn uncapped_percent(&self) -> Decimal {
        self.parts.iter().map(|part| part.percent).sum()
    }

    /// Its promo code.
    pub fn promo(&self) -> Option<&str> {
        self.parts.iter().find_map(|part| part.code.as_deref())
    }

    #[must_use]
    pub fn without_promo(mut self) -> Self {
        self.parts.retain(|part| part.kind != BonusKind::Promo);
        self.promo_min = None;
        self
    }
}

/// The customer a bonus is requested for. The uses of a promo code are counted per e-mail, browser and payout details
/// as well.
#[derive(Clone, Copy, Debug, Default)]
pub struct BonusCustomer<'a> {
    /// The signed-in account. Volume bonuses need it: a typed e-mail address may be anyone's.
    pub customer: Option<&'a Customer>,
    /// The e-mail address of the claim, in lower case.
    pub email: Option<&'a str>,
    /// Digest of the browser's secret.
    pub browser: Option<&'a str>,
    /// Digest of the payout details.
    pub payout: Option<&'a str>,
}

agio_core::named! {
    /// Why a promo code cannot be used: the error code.
    PromoCodeRefusal {
        /// There is no such code, or it has not started.
        Unknown = "promo_unknown",
        /// It has ended or was stopped.
        Expired = "promo_expired",
        /// Its usage limit is reached.
        UsedUp = "promo_used_up",
    }
}

/// Whether the customer may use the promo code they typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromoCodeCheck {
    /// The code in its normal form.
    pub code: String,
    /// Percent it adds.
    pub percent: Option<Decimal>,
    /// The least value of an exchange it can be used for.
    pub least: Option<ReferenceValue>,
    pub refusal: Option<PromoCodeRefusal>,
}

/// The bonus a customer can get now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfferedBonus {
    /// Without a refused promo code.
    pub bonus: Bonus,
    /// The promo code they typed.
    pub promo: Option<PromoCodeCheck>,
}

/// The use of a promo code for a claim.
#[derive(Clone, Copy, Debug)]
pub struct PromoCodeUse<'a> {
    /// The code in its normal form.
    pub code: &'a str,
    pub claim: Uuid,
    /// The claim's public number.
    pub number: i64,
    pub customer: Option<Uuid>,
    /// The claim's e-mail address, in lower case.
    pub email: &'a str,
    /// Digest of the browser's secret.
    pub browser: &'a str,
    /// Digest of the payout details.
    pub payout: Option<&'a str>,
    pub at: Timestamp,
}

/// Grants bonuses and counts the uses of promo codes.
pub trait BonusProvider: Send + Sync {
    /// The bonus of a customer, with the promo code they typed.
    fn offer_bonus<'a>(&'a self, customer: BonusCustomer<'a>, promo: Option<&'a str>) -> BoxFuture<'a, Result<OfferedBonus>>;

    /// Redeems a promo code in the transaction that creates the claim. It only writes.
    ///
    /// # Errors
    /// 409 `promo_used_up` when its period or one of its limits has run out meanwhile.
    fn redeem_promo<'a>(&'a self, tx: &'a mut Tx, redemption: PromoCodeUse<'a>) -> BoxFuture<'a, Result<()>>;

    /// Makes the code of a claim that ended without an exchange usable again.
    fn release_promo<'a>(&'a self, tx: &'a mut Tx, claim: Uuid, now: Timestamp) -> BoxFuture<'a, Result<()>>;

    /// Redeems the released code again for a reopened claim, under the conditions of a new one. True as well if it was
    /// not released, false if its period or one of its limits has run out meanwhile.
    fn reclaim_promo<'a>(&'a self, tx: &'a mut Tx, claim: Uuid, now: Timestamp) -> BoxFuture<'a, Result<bool>>;
}

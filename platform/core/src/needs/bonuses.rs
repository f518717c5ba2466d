//! What a customer gets on top of the rate, and why.
//!
//! A bonus is asked for before a pair is priced and bounded when it is: by the most that all its parts together may add, and by what
//! the pair leaves between its course and the market. Whoever prices says what came of it.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Worth;
use crate::BoxFuture;
use crate::clock::Timestamp;
use crate::db::Tx;
use crate::error::Result;
use crate::identity::Customer;

/// What a part of a bonus is given for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BonusKind {
    /// The volume of the account's completed claims.
    Tier,
    /// A promo code.
    Promo,
}

/// A part of a bonus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BonusPart {
    /// What it is given for.
    pub kind: BonusKind,
    /// Percent it adds to the course.
    #[serde(with = "percent_text")]
    pub percent: Decimal,
    /// The promo code, in its normal form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// The bonus somebody is to get, before a pair bounds it. Its parts are added up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Bonus {
    /// The account it is for, where a part of it is an account's.
    pub customer: Option<Uuid>,
    /// What it is made of.
    pub parts: Vec<BonusPart>,
    /// The most percent all parts together may add.
    #[serde(with = "percent_text")]
    pub most: Decimal,
    /// Whether it may lift a course above the market's rate.
    pub above_market: bool,
}

impl Bonus {
    /// What its parts add up to, in percent, not more than the most.
    #[must_use]
    pub fn percent(&self) -> Decimal {
        self.asked().min(self.most)
    }

    /// What its parts add up to, in percent.
    #[must_use]
    pub fn asked(&self) -> Decimal {
        self.parts.iter().map(|part| part.percent).sum()
    }

    /// The promo code in it.
    #[must_use]
    pub fn promo(&self) -> Option<&str> {
        self.parts.iter().find_map(|part| part.code.as_deref())
    }

    /// The same without its promo code.
    #[must_use]
    pub fn without_promo(mut self) -> Self {
        self.parts.retain(|part| part.kind != BonusKind::Promo);
        self
    }
}

/// Who is to get a bonus.
#[derive(Clone, Copy, Debug, Default)]
pub struct Person<'a> {
    /// The account they are signed in to. Only who is signed in gets what volume gives: an address that is merely typed may be
    /// anybody's.
    pub customer: Option<&'a Customer>,
    /// The e-mail address of their claim, in lower case, where there is one: a promo code is counted for its mailbox as well.
    pub email: Option<&'a str>,
    /// Digest of the secret of their browser, where it is known: a promo code is counted for it as well.
    pub browser: Option<&'a str>,
    /// Digest of where they are paid to, where it is known: a promo code is counted for it as well.
    pub payout: Option<&'a str>,
}

/// A promo code as somebody typed it, and whether they may use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromoSeen {
    /// The code in its normal form.
    pub code: String,
    /// Percent it adds.
    pub percent: Option<Decimal>,
    /// What an exchange must be worth at least for it.
    pub least: Option<Worth>,
    /// Why they may not: `promo_unknown`, `promo_expired` or `promo_used_up`.
    pub refusal: Option<&'static str>,
}

/// What somebody gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offered {
    /// The bonus; a promo code that may not be used is not in it.
    pub bonus: Bonus,
    /// The promo code they typed.
    pub promo: Option<PromoSeen>,
}

/// A promo code that is used for a claim.
#[derive(Clone, Copy, Debug)]
pub struct PromoUse<'a> {
    /// The code in its normal form.
    pub code: &'a str,
    /// The claim.
    pub claim: Uuid,
    /// Its number for talk.
    pub number: i64,
    /// The account it is made in.
    pub customer: Option<Uuid>,
    /// Its e-mail address, in lower case.
    pub email: &'a str,
    /// Digest of the secret of the browser it is made in.
    pub browser: &'a str,
    /// Digest of where it is paid out to.
    pub payout: Option<&'a str>,
    /// When.
    pub at: Timestamp,
}

/// Giving customers more than the rate.
pub trait Bonuses: Send + Sync {
    /// What a person gets now, with a promo code if they typed one.
    ///
    /// # Errors
    /// The database cannot be read.
    fn offered<'a>(&'a self, person: Person<'a>, promo: Option<&'a str>) -> BoxFuture<'a, Result<Offered>>;

    /// Uses a promo code up in the transaction that makes the claim; nothing is read there.
    ///
    /// # Errors
    /// 409 `promo_used_up` when its period, its limits or the customer's share are over by now.
    fn take<'a>(&'a self, tx: &'a mut Tx, used: PromoUse<'a>) -> BoxFuture<'a, Result<()>>;

    /// The claim has ended without an exchange: the code it used, if any, may be used once more.
    ///
    /// # Errors
    /// The database cannot be written.
    fn give_back<'a>(&'a self, tx: &'a mut Tx, claim: Uuid, now: Timestamp) -> BoxFuture<'a, Result<()>>;

    /// The claim lives again: takes the code that was given back. False where somebody else used the last one meanwhile.
    ///
    /// # Errors
    /// The database cannot be written.
    fn take_again<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<bool>>;
}

/// A percent as decimal text.
pub(super) mod percent_text {
    use rust_decimal::Decimal;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub fn serialize<S: Serializer>(percent: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&crate::money::plain(*percent))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
        let text = String::deserialize(deserializer)?;
        Decimal::from_str_exact(&text).map_err(D::Error::custom)
    }
}

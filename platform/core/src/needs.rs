//! What modules need of each other, as narrow traits named after the need.
//!
//! A module asks for one of these; the composition root says which module answers.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::BoxFuture;
use crate::error::Result;
use crate::identity::{Customer, Staff, StaffSession};
use crate::money::Amount;
use crate::texts::{Bilingual, Locale};

/// A currency as other rooms need to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrencyFacts {
    /// Identifier.
    pub id: i64,
    /// The monitors' code: `BTC`, `USDTTRC20`, `SBERRUB`.
    pub code: String,
    /// The asset: `BTC`, `USDT`, `RUB`.
    pub ticker: String,
    /// Network or payment system.
    pub network: Bilingual,
    /// `crypto`, `bank`, `ewallet` or `cash`.
    pub kind: String,
    /// Name of the currency.
    pub name: Bilingual,
    /// The icon's name.
    pub icon: String,
    /// Decimals it is stored in.
    pub scale: u32,
    /// What a customer is asked for on either side.
    pub inputs: Vec<InputFacts>,
}

/// One thing a customer is asked for about a currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputFacts {
    /// The key it is sent under.
    pub name: String,
    /// How it is checked: a name of a requisite kind.
    pub kind: String,
    /// What the field is called.
    pub label: Bilingual,
    /// Whether it must be given.
    pub required: bool,
    /// Whether it is asked when the currency is sent.
    pub send: bool,
    /// Whether it is asked when the currency is received.
    pub receive: bool,
}

/// An exchange somebody asks for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The currency sent.
    pub from: i64,
    /// The currency received.
    pub to: i64,
    /// How much is sent.
    pub send: Decimal,
    /// How much the customer was shown to receive, if they said.
    pub receive: Option<Decimal>,
    /// The quote they were shown, if they hold one.
    pub quote: Option<String>,
}

/// An exchange at terms both sides agree on.
#[derive(Clone, Debug)]
pub struct Agreed {
    /// The currency sent.
    pub from: CurrencyFacts,
    /// The currency received.
    pub to: CurrencyFacts,
    /// What is sent, exactly.
    pub send: Amount,
    /// What is received for it, exactly.
    pub receive: Amount,
    /// What the sent amount is worth at the market, in the received currency, rounded down: the difference is income.
    pub worth: Amount,
    /// Units received for one unit sent at this amount's tier, costs and bonus inside; fixed fees apart.
    pub course: Decimal,
    /// Percent of bonus inside the course.
    pub bonus: Decimal,
    /// The fees, the terms and how the rate came about, as the JSON that is kept with the claim.
    pub terms: String,
    /// For how many minutes the rate is held.
    pub hold_minutes: i64,
    /// Whether the rate is fixed only when the payment arrives.
    pub floating: bool,
}

/// Agreeing on the terms of an exchange.
pub trait Quotes: Send + Sync {
    /// The terms of what is asked: those of the quote where a live one is given, else those of this moment.
    ///
    /// # Errors
    /// 404 `pair_unavailable`; 422 `amount_below_min` or `amount_above_max` with the bound; 409 `rate_changed` with the
    /// new numbers when the customer was shown others.
    fn agree(&self, asked: &Asked) -> Result<Agreed>;

    /// A currency by its identifier, hidden ones included.
    fn currency(&self, id: i64) -> Option<CurrencyFacts>;
}

/// Knowing staff by the token of a request.
pub trait StaffTokens: Send + Sync {
    /// Who holds this access token.
    ///
    /// # Errors
    /// 401 `token_not_valid`; 403 `second_factor_setup_needed` for somebody who has to set one up before anything else.
    fn staff(&self, token: &str) -> Result<StaffSession>;

    /// The same, also for somebody who has to set a second factor up first: for the calls by which they do.
    ///
    /// # Errors
    /// 401 `token_not_valid`.
    fn newcomer(&self, token: &str) -> Result<StaffSession>;
}

/// Knowing customers by the token of a request.
pub trait CustomerTokens: Send + Sync {
    /// Who holds this access token.
    ///
    /// # Errors
    /// 401 `token_not_valid`.
    fn customer(&self, token: &str) -> Result<Customer>;
}

/// Knowing staff by their identifiers.
pub trait StaffNames: Send + Sync {
    /// The name colleagues see; nothing for an unknown one.
    fn name(&self, id: uuid::Uuid) -> BoxFuture<'_, Result<Option<String>>>;
}

/// What an amount is worth in the house's base currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worth {
    /// How much.
    pub amount: Decimal,
    /// The ticker of the base currency.
    pub ticker: String,
}

/// Knowing what money is worth in the house's base currency.
pub trait Worths: Send + Sync {
    /// What an amount of a currency is worth at the market now; nothing when that cannot be told, as for a currency that no
    /// fresh rate joins to the base. Whoever compares it with a limit takes nothing for more than any limit.
    fn worth(&self, currency: i64, amount: Amount) -> Option<Worth>;
}

/// Knowing where staff get their mail.
pub trait StaffAddresses: Send + Sync {
    /// The members of staff who may sign in, each with the address and the language of their mail.
    fn addresses(&self) -> BoxFuture<'_, Result<Vec<StaffAddress>>>;
}

/// A member of staff and where their mail goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaffAddress {
    /// Who.
    pub staff: Staff,
    /// The e-mail address.
    pub email: String,
    /// The language they read.
    pub locale: Locale,
}

//! Currencies as other modules need to know them.

use std::sync::Arc;

use agio_core::texts::Bilingual;
use agio_core::{Amount, CurrencyUnit, Result};
use agio_requisites::{InputMask, RequisiteKind, RequisitePattern};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

agio_core::named! {
    /// Kind of currency.
    CurrencyKind {
        /// Cryptocurrency.
        Crypto = "crypto",
        /// Bank account or card.
        Bank = "bank",
        /// Payment system.
        Ewallet = "ewallet",
        /// Cash.
        Cash = "cash",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrencyInfo {
    pub id: i64,
    /// The aggregators' code: `BTC`, `USDTTRC20`, `SBERRUB`.
    pub code: String,
    /// The asset: `BTC`, `USDT`, `RUB`.
    pub ticker: String,
    /// Network or payment system.
    pub network: Bilingual,
    pub kind: CurrencyKind,
    pub name: Bilingual,
    /// Name of the icon.
    pub icon: String,
    /// Decimals of the stored units.
    pub scale: u32,
    /// Payment details that customers enter on either side.
    pub inputs: Vec<CurrencyInput>,
    /// Where cash changes hands, in the order in which they are offered; empty unless it is cash.
    pub cities: Vec<CashCity>,
    /// The page of a transaction in the owner's block explorer, with [`TX_PLACE`] for its id. `None`: the usual explorer of
    /// the network.
    pub explorer: Option<String>,
}

/// Stands for the id of a transaction.
pub const TX_PLACE: &str = "{tx}";

/// A city in which customers hand in or collect cash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CashCity {
    /// The aggregators' code: `MSK`, `DUBAI`.
    pub code: String,
    pub name: Bilingual,
    /// The office and its hours. Empty where they are agreed with each customer.
    pub place: Bilingual,
}

impl From<&CurrencyInfo> for CurrencyUnit {
    fn from(currency: &CurrencyInfo) -> Self {
        Self::new(currency.id, currency.scale)
    }
}

impl CurrencyInfo {
    /// An amount of this currency, from units.
    pub fn amount(&self, units: i64) -> Amount {
        Amount::of_units(units, self)
    }

    /// The exact amount of a decimal value.
    ///
    /// # Errors
    /// `too_many_digits`, `amount_too_large`.
    pub fn exact(&self, value: Decimal) -> Result<Amount> {
        Amount::exact(value, self)
    }

    pub fn is_cash(&self) -> bool {
        self.kind == CurrencyKind::Cash
    }

    /// The kind of requisite that payments in this currency are addressed by: that of the first input. Cash is handed
    /// over in a city.
    pub fn address_kind(&self) -> Option<RequisiteKind> {
        if self.is_cash() {
            return None;
        }
        let main = self.inputs.iter().find(|input| input.receive).or_else(|| self.inputs.first())?;
        Some(main.kind)
    }
}

/// One payment detail of a currency that customers enter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurrencyInput {
    /// The key in request bodies.
    pub name: String,
    /// Decides how it is validated.
    pub kind: RequisiteKind,
    pub label: Bilingual,
    pub required: bool,
    /// Whether customers who give the currency enter it.
    pub give: bool,
    /// Whether customers who receive the currency enter it.
    pub receive: bool,
    /// An example or advice at the field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Bilingual>,
    /// What a free text has to match, in the language of [`RequisitePattern`]. Comes with a hint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The form in which a free text is typed and stored: an [`InputMask`]. Comes with a hint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mask: Option<String>,
}

impl CurrencyInput {
    /// A value, in the normal form of its kind, in the form that the owner expects. `None` if it does not have that form.
    pub fn formed(&self, value: String) -> Option<String> {
        let formed = match &self.mask {
            Some(mask) => InputMask::new(mask).ok()?.fill(&value)?,
            None => value,
        };
        let matches = |pattern: &String| RequisitePattern::new(pattern).is_ok_and(|pattern| pattern.matches(&formed));
        self.pattern.as_ref().is_none_or(matches).then_some(formed)
    }
}

/// The cities that a direction can have: those of its cash side, or those that both cash sides have. Empty without cash.
pub fn direction_cities<'c>(give: &'c CurrencyInfo, receive: &'c CurrencyInfo) -> Vec<&'c CashCity> {
    let (side, other) = if give.is_cash() { (give, receive) } else { (receive, give) };
    let is_there = |city: &&CashCity| !other.is_cash() || other.cities.iter().any(|one| one.code == city.code);
    side.cities.iter().filter(is_there).collect()
}

/// Finds currencies, hidden and archived ones included.
pub trait CurrencyLookup: Send + Sync {
    fn by_id(&self, id: i64) -> Option<Arc<CurrencyInfo>>;

    /// Whether a currency is archived: existing claims keep it, and nothing new begins in it.
    fn is_archived(&self, id: i64) -> bool;

    /// By code, ignoring case.
    fn by_code(&self, code: &str) -> Option<Arc<CurrencyInfo>>;

    /// The currencies of an asset that customers may receive, in list order.
    fn receivable(&self, ticker: &str) -> Vec<Arc<CurrencyInfo>>;
}

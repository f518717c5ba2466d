//! Validation of requisites.

use std::collections::BTreeMap;

use agio_core::BoxFuture;
use agio_core::error::Result;
use agio_core::texts::Bilingual;

use super::CurrencyInfo;

/// A requisite that has passed the built-in rules.
#[derive(Clone, PartialEq, Eq)]
pub struct RequisiteToValidate {
    /// The code of its currency.
    pub currency: String,
    /// The field it was entered in.
    pub field: String,
    /// The value in its normal form.
    pub value: String,
}

/// The result of a validator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequisiteValidation {
    /// Money can be sent there; this is how the value is written.
    Valid(String),
    /// Money cannot be sent there, for this reason.
    Invalid(Bilingual),
}

/// Validates requisites beyond the built-in rules.
pub trait RequisiteValidator: Send + Sync {
    /// A result for each requisite, in order: `None` where no validator knows better or answers in time. The wait is
    /// short.
    fn validate<'a>(&'a self, requisites: Vec<RequisiteToValidate>) -> BoxFuture<'a, Vec<Option<RequisiteValidation>>>;
}

/// A payout requisite that was validated.
#[derive(Clone, PartialEq, Eq)]
pub struct CheckedPayoutField {
    /// The field it was entered in.
    pub name: String,
    pub label: Bilingual,
    /// The value in its normal form.
    pub value: String,
    /// The value with its middle hidden.
    pub masked: String,
    /// Whether it identifies the destination, as a card number does and its holder's name does not.
    pub identifies: bool,
}

/// Validates the payout requisites a customer entered.
pub trait PayoutRequisiteValidator: Send + Sync {
    /// Validates the values of the fields that a currency asks of its receiver. `path` is the path of the fields in the
    /// body.
    ///
    /// # Errors
    /// 422 with what is wrong with each field.
    fn check(&self, path: &str, currency: &CurrencyInfo, given: &BTreeMap<String, String>) -> Result<Vec<CheckedPayoutField>>;
}

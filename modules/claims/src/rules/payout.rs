//! Validation of payout requisites for other modules.

use std::collections::BTreeMap;

use agio_contracts::{CheckedPayoutField, CurrencyInfo, PayoutRequisiteValidator, payout_digest};
use agio_core::{Error, Result, Vault};
use agio_requisites::{RequisiteKind, mask};

use super::Requisite;
use super::fields::checked;

/// The validation of payout requisites.
pub struct PayoutRules;

impl PayoutRequisiteValidator for PayoutRules {
    fn check(&self, path: &str, currency: &CurrencyInfo, given: &BTreeMap<String, String>) -> Result<Vec<CheckedPayoutField>> {
        let inputs = currency.inputs.iter().filter(|input| input.receive);
        let accepted = checked(path, inputs, given).map_err(Error::invalid)?;
        let masked = |requisite: Requisite| CheckedPayoutField {
            masked: mask(requisite.kind, &requisite.value),
            identifies: identifies(requisite.kind),
            name: requisite.name,
            label: requisite.label,
            value: requisite.value,
        };
        Ok(accepted.into_iter().map(masked).collect())
    }
}

/// Whether a value of this kind identifies an account.
fn identifies(kind: RequisiteKind) -> bool {
    !matches!(kind, RequisiteKind::Holder | RequisiteKind::Email | RequisiteKind::Text)
}

/// The digest of payout requisites.
pub fn digest(vault: &Vault, requisites: &[Requisite]) -> Option<String> {
    payout_digest(
        vault,
        requisites.iter().filter(|requisite| identifies(requisite.kind)).map(|requisite| requisite.value.as_str()),
    )
}

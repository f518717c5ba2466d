//! Where customers are paid, checked for other rooms as it is for claims.

use std::collections::BTreeMap;

use agio_core::needs::{CheckedRequisite, CurrencyFacts, PayoutRequisites, payout_digest};
use agio_core::{Error, Result, Vault};
use agio_requisites::{Kind, mask};

use super::Requisite;
use super::fields::checked;

/// The rules by which claims check where they pay out to.
pub struct PayoutRules;

impl PayoutRequisites for PayoutRules {
    fn check(&self, path: &str, currency: &CurrencyFacts, given: &BTreeMap<String, String>) -> Result<Vec<CheckedRequisite>> {
        let asked = currency.inputs.iter().filter(|input| input.receive);
        let accepted = checked(path, asked, given).map_err(Error::invalid)?;
        let masked = |requisite: Requisite| CheckedRequisite {
            masked: mask(requisite.kind, &requisite.value),
            identifies: identifies(requisite.kind),
            name: requisite.name,
            label: requisite.label,
            value: requisite.value,
        };
        Ok(accepted.into_iter().map(masked).collect())
    }
}

/// Whether a value of this kind tells where money goes.
fn identifies(kind: Kind) -> bool {
    !matches!(kind, Kind::Holder | Kind::Email | Kind::Text)
}

/// The digest of where somebody is paid to.
pub fn digest(vault: &Vault, requisites: &[Requisite]) -> Option<String> {
    payout_digest(
        vault,
        requisites.iter().filter(|requisite| identifies(requisite.kind)).map(|requisite| requisite.value.as_str()),
    )
}

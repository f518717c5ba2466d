//! Where customers are paid, checked for other rooms as it is for claims.

use std::collections::BTreeMap;

use agio_core::needs::{CheckedRequisite, CurrencyFacts, PayoutRequisites};
use agio_core::texts::Locale;
use agio_core::{Error, Result};
use agio_requisites::mask;

use super::fields::checked;

/// The rules by which claims check where they pay out to.
pub struct PayoutRules;

impl PayoutRequisites for PayoutRules {
    fn check(
        &self,
        path: &str,
        currency: &CurrencyFacts,
        given: &BTreeMap<String, String>,
        locale: Locale,
    ) -> Result<Vec<CheckedRequisite>> {
        let asked = currency.inputs.iter().filter(|input| input.receive);
        let accepted = checked(path, asked, given, locale).map_err(Error::invalid)?;
        let masked = |requisite: super::Requisite| CheckedRequisite {
            masked: mask(requisite.kind, &requisite.value),
            name: requisite.name,
            label: requisite.label,
            value: requisite.value,
        };
        Ok(accepted.into_iter().map(masked).collect())
    }
}

//! Validation of requisites by other modules.

use agio_contracts::RequisiteToValidate;
use agio_core::{Error, Result};

use super::Claims;
use crate::rules::claim::Requisite;
use crate::rules::fields::apply_validation;

/// Requisites of one currency: its id, their path in the body, and the requisites.
type Side = (i64, &'static str, Vec<Requisite>);

impl Claims {
    /// Asks validators about requisites that passed our own validation. A validator that does not answer is ignored.
    ///
    /// # Errors
    /// 422 `validation_failed` with `requisite_refused` at the fields.
    pub(super) async fn apply_validators<const N: usize>(&self, sides: [Side; N]) -> Result<[Vec<Requisite>; N]> {
        let known = |(currency, _, requisites): &Side| {
            let currency = self.quotes.by_id(*currency).map(|currency| currency.code.clone()).unwrap_or_default();
            let known = |requisite: &Requisite| RequisiteToValidate {
                currency: currency.clone(),
                field: requisite.name.clone(),
                value: requisite.value.clone(),
            };
            requisites.iter().map(known).collect::<Vec<_>>()
        };
        let mut validations = self.requisite_validator.validate(sides.iter().flat_map(known).collect()).await.into_iter();
        let mut refused = Vec::new();
        let kept = sides.map(|(_, path, requisites)| {
            let address = requisites.iter().map(|requisite| requisite.kind).find(|kind| kind.is_address());
            let mut keep = |requisite| match validations.next().flatten() {
                None => Some(requisite),
                Some(validation) => {
                    apply_validation(path, requisite, address, validation).map_err(|error| refused.push(error)).ok()
                }
            };
            requisites.into_iter().filter_map(&mut keep).collect()
        });
        if refused.is_empty() { Ok(kept) } else { Err(Error::invalid(refused)) }
    }
}

//! What others think of requisites.

use agio_core::needs::KnownRequisite;
use agio_core::{Error, Result};

use super::Claims;
use crate::rules::claim::Requisite;
use crate::rules::fields::with_opinion;

/// Requisites of one currency: its identifier, what their fields are under in the body, and the requisites.
type Side = (i64, &'static str, Vec<Requisite>);

impl Claims {
    /// Requisites the house's own rules found sound, as whoever knows them better would have them written. Who does not answer has no opinion.
    ///
    /// # Errors
    /// 422 `validation_failed` with `requisite_refused` at the fields.
    pub(super) async fn with_opinions<const N: usize>(&self, sides: [Side; N]) -> Result<[Vec<Requisite>; N]> {
        let known = |(currency, _, requisites): &Side| {
            let currency = self.quotes.currency(*currency).map(|currency| currency.code.clone()).unwrap_or_default();
            let known = |requisite: &Requisite| KnownRequisite {
                currency: currency.clone(),
                field: requisite.name.clone(),
                value: requisite.value.clone(),
            };
            requisites.iter().map(known).collect::<Vec<_>>()
        };
        let mut opinions = self.opinions.on(sides.iter().flat_map(known).collect()).await.into_iter();
        let mut refused = Vec::new();
        let kept = sides.map(|(_, path, requisites)| {
            let mut keep = |requisite| match opinions.next().flatten() {
                None => Some(requisite),
                Some(opinion) => with_opinion(path, requisite, opinion).map_err(|error| refused.push(error)).ok(),
            };
            requisites.into_iter().filter_map(&mut keep).collect()
        });
        if refused.is_empty() { Ok(kept) } else { Err(Error::invalid(refused)) }
    }
}

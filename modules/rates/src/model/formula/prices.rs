//! The prices that formulas may use.

use std::collections::{BTreeMap, BTreeSet};

use agio_contracts::{ExclusionReason, MarketPrice};
use agio_core::Timestamp;
use rust_decimal::Decimal;

use super::{FormulaFault, MARKET, Reference, ReferenceAssets};

/// Base and quote.
pub type AssetPair = (String, String);

#[derive(Clone, Debug, Default)]
pub struct FormulaPrices {
    /// The tickers that may be named.
    pub assets: BTreeSet<String>,
    /// The own prices of every known source.
    pub sources: BTreeMap<String, BTreeMap<AssetPair, SourceQuote>>,
    /// Aggregated prices.
    pub market: BTreeMap<AssetPair, MarketPrice>,
}

/// A source's own price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceQuote {
    pub bid: Decimal,
    pub ask: Decimal,
    pub observed_at: Timestamp,
    /// Why it may not be used.
    pub fault: Option<ExclusionReason>,
    /// Until when it may be used; `None` if it does not expire.
    pub good_until: Option<Timestamp>,
}

impl FormulaPrices {
    /// Base and quote of a reference.
    pub(super) fn resolve(&self, reference: &Reference, at: usize) -> Result<AssetPair, FormulaFault> {
        let own = self.sources.get(&reference.source);
        if own.is_none() && reference.source != MARKET {
            return Err(FormulaFault::new(at, "formula_source_unknown").with("source", &reference.source));
        }
        let is_priced = |(base, quote): &AssetPair| own.is_some_and(|own| own.contains_key(&(base.clone(), quote.clone())));
        let assets = match &reference.assets {
            ReferenceAssets::Separate(base, quote) => {
                for asset in [base, quote] {
                    if !self.assets.contains(asset) {
                        return Err(FormulaFault::new(at, "formula_asset_unknown").with("asset", asset));
                    }
                }
                (base.clone(), quote.clone())
            }
            ReferenceAssets::Joined(joined) => {
                let splits: Vec<AssetPair> = splits(joined, &self.assets).collect();
                let mut priced = splits.iter().filter(|split| is_priced(split));
                match (splits.as_slice(), priced.next(), priced.next()) {
                    ([], ..) => return Err(FormulaFault::new(at, "formula_asset_unknown").with("asset", joined)),
                    ([only], ..) | (_, Some(only), None) => only.clone(),
                    _ => return Err(FormulaFault::new(at, "formula_reference_ambiguous").with("reference", reference)),
                }
            }
        };
        let inverse = (assets.1.clone(), assets.0.clone());
        if own.is_some() && !is_priced(&assets) && is_priced(&inverse) {
            let written = format!("{}:{}/{}", reference.source, inverse.0, inverse.1);
            return Err(FormulaFault::new(at, "formula_inverse").with("reference", written));
        }
        Ok(assets)
    }
}

/// Where assets that are written together may be divided.
fn splits<'p>(joined: &'p str, assets: &'p BTreeSet<String>) -> impl Iterator<Item = AssetPair> + 'p {
    let halves = (1..joined.len()).map(|at| joined.split_at(at));
    let known = halves.filter(|(base, quote)| assets.contains(*base) && assets.contains(*quote));
    known.map(|(base, quote)| (base.to_owned(), quote.to_owned()))
}

impl Reference {
    /// The market prices it may mean: none if it is of a source.
    pub fn market(&self, assets: &BTreeSet<String>) -> Vec<AssetPair> {
        match &self.assets {
            _ if self.source != MARKET => Vec::new(),
            ReferenceAssets::Joined(joined) => splits(joined, assets).collect(),
            ReferenceAssets::Separate(base, quote) => vec![(base.clone(), quote.clone())],
        }
    }
}

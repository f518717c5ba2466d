//! The value of a formula.

use agio_contracts::{ExcludedSource, ExclusionReason, FormulaInput, FormulaPrice, SuspensionCause};
use agio_core::Timestamp;
use agio_core::ratio::Ratio;
use rust_decimal::Decimal;

use super::prices::{AssetPair, FormulaPrices};
use super::{Expression, Formula, FormulaFault, FormulaOperator, Function, MARKET, Node, PriceSide, Reference, Unit};
use crate::model::aggregation::AggregatedQuote;
use crate::model::decision::{self, AssetPairs};
use crate::model::pair_rate_state::{RateFault, RateLimits};

/// Significant digits of the result.
const RATE_DIGITS: u32 = 16;
/// Maximum decimals of the result.
const RATE_SCALE_MAX: u32 = 24;

/// What a formula gives, and from which prices.
#[derive(Clone, Debug)]
pub struct FormulaResult {
    /// Its prices in the order of the text, each once. Those after a reference that cannot be resolved are absent.
    pub inputs: Vec<FormulaReference>,
    pub price: Result<FormulaPrice, RateFault>,
    /// The smallest number of sources that agree on a price.
    pub agreed: u32,
}

/// A price that a formula uses.
#[derive(Clone, Debug)]
pub struct FormulaReference {
    /// Such as `binance:BTC/USDT`.
    pub name: String,
    /// `None` if there is no price at all.
    pub input: Option<FormulaInput>,
    /// Why the price may not be used.
    pub fault: Option<RateFault>,
    agreed: u32,
    good_until: Option<Timestamp>,
}

impl FormulaResult {
    /// The result of a formula that does not fit its pair.
    pub fn unusable() -> Self {
        Self { inputs: Vec::new(), price: Err(fault(SuspensionCause::Formula, "", Vec::new())), agreed: 0 }
    }
}

impl Formula {
    /// The rate of a pair whose give and receive currency have these tickers.
    ///
    /// # Errors
    /// The formula is wrong for this pair.
    pub fn evaluate(
        &self,
        (give, receive): (&str, &str),
        prices: &FormulaPrices,
        aggregated: &AssetPairs<'_>,
        limits: RateLimits,
    ) -> Result<FormulaResult, FormulaFault> {
        self.check(prices, &Unit::per(receive, give))?;
        let references = self.references();
        let resolve = |reference: &Reference| prices.resolve(reference, 0);
        let inputs = references.iter().map(|reference| Ok(prices.find(reference, resolve(reference)?, aggregated, limits)));
        let inputs: Vec<FormulaReference> = inputs.collect::<Result<_, FormulaFault>>()?;
        let agreed = inputs.iter().map(|input| input.agreed).min().unwrap_or(u32::MAX);
        let price = match inputs.iter().find_map(|input| input.fault.clone()) {
            Some(fault) => Err(fault),
            None => self.price(&references, &inputs),
        };
        Ok(FormulaResult { inputs, price, agreed })
    }

    fn price(&self, references: &[&Reference], inputs: &[FormulaReference]) -> Result<FormulaPrice, RateFault> {
        let quote = |wanted: &Reference| {
            let place = references.iter().position(|reference| *reference == wanted)?;
            inputs.get(place)?.input.as_ref().map(|input| (input.bid, input.ask))
        };
        let rate = self.root.value(&quote).flatten().and_then(|value| value.round_down(RATE_DIGITS, RATE_SCALE_MAX));
        let rate = rate.ok_or_else(|| fault(SuspensionCause::Formula, "", Vec::new()))?;
        Ok(FormulaPrice {
            rate,
            good_until: inputs.iter().filter_map(|input| input.good_until).min(),
            inputs: inputs.iter().filter_map(|input| input.input.clone()).collect(),
        })
    }
}

impl FormulaPrices {
    fn find(
        &self,
        reference: &Reference,
        assets: AssetPair,
        aggregated: &AssetPairs<'_>,
        limits: RateLimits,
    ) -> FormulaReference {
        let name = format!("{}:{}/{}", reference.source, assets.0, assets.1);
        let mut found = if reference.source == MARKET {
            self.find_market(name, &assets, aggregated, limits)
        } else {
            self.find_own(name, reference, &assets)
        };
        let need = limits.sources.max(1);
        if found.fault.is_none() && found.agreed < need {
            found.fault = Some(decision::too_few(found.name.clone(), found.agreed as usize, limits, Vec::new()));
        }
        found
    }

    fn find_own(&self, name: String, reference: &Reference, assets: &AssetPair) -> FormulaReference {
        let source = &reference.source;
        let Some(quote) = self.sources.get(source).and_then(|own| own.get(assets)) else {
            let fault = fault(SuspensionCause::Unusable, &name, Vec::new());
            return FormulaReference { name, input: None, fault: Some(fault), agreed: 0, good_until: None };
        };
        let excluded = |reason: ExclusionReason| {
            let is_time = matches!(reason, ExclusionReason::Stale | ExclusionReason::Ahead);
            let prices = || format!("{} / {}", quote.bid.normalize(), quote.ask.normalize());
            let quote = if is_time { quote.observed_at.to_string() } else { prices() };
            let cause = if reason == ExclusionReason::Stale { SuspensionCause::Stale } else { SuspensionCause::Unusable };
            fault(cause, &name, vec![ExcludedSource { source: source.clone(), reason, quote }])
        };
        let fault = quote.fault.map(excluded);
        let input = FormulaInput {
            reference: name.clone(),
            bid: quote.bid,
            ask: quote.ask,
            sources: vec![source.clone()],
            observed_at: Some(quote.observed_at),
        };
        FormulaReference { name, input: Some(input), fault, agreed: 1, good_until: quote.good_until }
    }

    fn find_market(&self, name: String, assets: &AssetPair, aggregated: &AssetPairs<'_>, limits: RateLimits) -> FormulaReference {
        let unusable = |cause| Some(fault(cause, &name, Vec::new()));
        let Some(price) = self.market.get(assets) else {
            let fault = unusable(SuspensionCause::Unusable);
            return FormulaReference { name, input: None, fault, agreed: 0, good_until: None };
        };
        let sides = price.sides.filter(|(bid, ask)| *bid > Decimal::ZERO && bid <= ask);
        let input = sides.map(|(bid, ask)| FormulaInput {
            reference: name.clone(),
            bid,
            ask,
            sources: price.sources.clone(),
            observed_at: price.observed_at,
        });
        let (fault, agreed) = match (&price.blocked, &input) {
            (Some(blocked), _) => {
                let found: Option<&AggregatedQuote> = decision::find(aggregated, blocked);
                (found.map(|found| decision::disagreement(found, limits)).or(unusable(SuspensionCause::Unusable)), 0)
            }
            (None, None) => (unusable(SuspensionCause::Unusable), 0),
            (None, Some(_)) if !price.is_fresh => (unusable(SuspensionCause::Stale), 0),
            (None, Some(_)) => decision::support(&price.path, aggregated, limits),
        };
        FormulaReference { name, input, fault, agreed, good_until: price.good_until }
    }
}

fn fault(cause: SuspensionCause, reference: &str, excluded: Vec<ExcludedSource>) -> RateFault {
    RateFault { cause, asset_pair: reference.to_owned(), numbers: Vec::new(), excluded }
}

impl Expression {
    /// The exact value: the inner `None` is zero. `None` if a part is negative, divides by zero or has no price.
    fn value(&self, quote: &impl Fn(&Reference) -> Option<(Decimal, Decimal)>) -> Option<Option<Ratio>> {
        match &self.node {
            Node::Number(number) => Some(Ratio::of(*number)),
            Node::Percent(number) => Some(match Ratio::of(*number) {
                Some(number) => Some(number.over(&Ratio::of(Decimal::ONE_HUNDRED)?)),
                None => None,
            }),
            Node::Price(side, reference) => {
                let (bid, ask) = quote(reference)?;
                let (bid, ask) = (Ratio::of(bid)?, Ratio::of(ask)?);
                Some(Some(match side {
                    PriceSide::Bid => bid,
                    PriceSide::Ask => ask,
                    PriceSide::Mid => bid.plus(&ask).over(&Ratio::of(Decimal::TWO)?),
                }))
            }
            Node::Call(function, arguments) => {
                let values: Option<Vec<_>> = arguments.iter().map(|argument| argument.value(quote)).collect();
                // Zero is less than every number.
                match function {
                    Function::Min => values?.into_iter().min(),
                    Function::Max => values?.into_iter().max(),
                }
            }
            Node::Binary(operator, sides) => {
                let [left, right] = &**sides;
                calculate(*operator, left.value(quote)?, right.value(quote)?)
            }
        }
    }
}

fn calculate(operator: FormulaOperator, left: Option<Ratio>, right: Option<Ratio>) -> Option<Option<Ratio>> {
    match (operator, left, right) {
        (FormulaOperator::Add, Some(left), Some(right)) => Some(Some(left.plus(&right))),
        (FormulaOperator::Add, left, right) => Some(left.or(right)),
        (FormulaOperator::Subtract, left, None) => Some(left),
        (FormulaOperator::Subtract, left, right) if left == right => Some(None),
        (FormulaOperator::Subtract, left, Some(right)) => left?.minus(&right).map(Some),
        (FormulaOperator::Multiply, left, right) => Some(left.zip(right).map(|(left, right)| left.times(&right))),
        (FormulaOperator::Divide, left, right) => {
            let right = right?;
            Some(left.map(|left| left.over(&right)))
        }
    }
}

//! Units of values: every price is units of its quote for one of its base.

use std::collections::BTreeMap;
use std::fmt;

use super::prices::FormulaPrices;
use super::{Expression, Formula, FormulaFault, FormulaOperator, Node};

/// A product of powers of assets. Numbers have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unit(BTreeMap<String, i32>);

impl Unit {
    /// Units of `quote` for one `base`; none if they are the same asset.
    pub fn per(quote: &str, base: &str) -> Self {
        Self::of(quote).combined(&Self::of(base), -1)
    }

    fn of(asset: &str) -> Self {
        Self(BTreeMap::from([(asset.to_owned(), 1)]))
    }

    fn is_number(&self) -> bool {
        self.0.is_empty()
    }

    fn combined(&self, other: &Self, sign: i32) -> Self {
        let mut powers = self.0.clone();
        for (asset, power) in &other.0 {
            *powers.entry(asset.clone()).or_default() += sign * power;
        }
        powers.retain(|_, power| *power != 0);
        Self(powers)
    }
}

/// Such as `RUB/USD`, `RUB*BTC/USD^2`, or `1` for a number.
impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let product = |sign: i32| {
            let part = |(asset, power): (&String, &i32)| match power * sign {
                ..=0 => None,
                1 => Some(asset.clone()),
                power => Some(format!("{asset}^{power}")),
            };
            self.0.iter().filter_map(part).collect::<Vec<_>>().join("*")
        };
        let (above, below) = (product(1), product(-1));
        f.write_str(if above.is_empty() { "1" } else { &above })?;
        if below.is_empty() { Ok(()) } else { write!(f, "/{below}") }
    }
}

impl Formula {
    /// Checks references and units. The result has to be of the expected unit.
    ///
    /// # Errors
    /// The first fault, from the left.
    pub fn check(&self, prices: &FormulaPrices, expected: &Unit) -> Result<(), FormulaFault> {
        let unit = self.root.unit(prices)?;
        if unit == *expected {
            return Ok(());
        }
        let fault = FormulaFault::new(self.root.at, "formula_unit_wrong");
        Err(fault.with("unit", unit).with("expected", expected))
    }
}

impl Expression {
    fn unit(&self, prices: &FormulaPrices) -> Result<Unit, FormulaFault> {
        match &self.node {
            Node::Number(_) | Node::Percent(_) => Ok(Unit::default()),
            Node::Price(_, reference) => {
                let (base, quote) = prices.resolve(reference, self.at)?;
                Ok(Unit::per(&quote, &base))
            }
            Node::Call(_, arguments) => {
                let mut units = arguments.iter().map(|argument| Ok((argument.at, argument.unit(prices)?)));
                let first = units.next().transpose()?.map(|(_, unit)| unit).unwrap_or_default();
                for unit in units {
                    let (at, unit) = unit?;
                    first.check_same(&unit, at)?;
                }
                Ok(first)
            }
            Node::Binary(operator, sides) => {
                let [left, right] = &**sides;
                let (left, right) = (left.unit(prices)?, right.unit(prices)?);
                match operator {
                    FormulaOperator::Multiply => Ok(left.combined(&right, 1)),
                    FormulaOperator::Divide => Ok(left.combined(&right, -1)),
                    FormulaOperator::Add | FormulaOperator::Subtract => left.check_same(&right, self.at).map(|()| left),
                }
            }
        }
    }
}

impl Unit {
    fn check_same(&self, other: &Self, at: usize) -> Result<(), FormulaFault> {
        if self == other {
            return Ok(());
        }
        let code = if self.is_number() || other.is_number() { "formula_number_added" } else { "formula_units_differ" };
        Err(FormulaFault::new(at, code).with("left", self).with("right", other))
    }
}

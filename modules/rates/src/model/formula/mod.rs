//! The language of rate formulas: `mid(binance:BTCUSDT) * cbr:USDRUB * 1.004`.
//!
//! A formula is arithmetic over prices. Every price has a unit, and the result has to be what a customer receives for
//! what they give. `docs/rate-formulas.md` describes the language. Values are exact and never negative; the result is
//! rounded once, down.

pub mod evaluation;
mod parser;
pub mod prices;
mod units;

use std::fmt;

use agio_core::FieldError;
use agio_core::money::plain;
use rust_decimal::Decimal;

pub use units::Unit;

/// Maximum length of a formula, in characters.
pub const FORMULA_MAX: usize = 500;
/// The source that stands for the aggregated price.
pub const MARKET: &str = "market";

/// A formula that can be read. Its references may be unknown and its units wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    pub root: Expression,
}

/// A part of a formula. Equal parts may stand at different places.
#[derive(Clone, Debug)]
pub struct Expression {
    /// Index of the character to show for it.
    pub at: usize,
    pub node: Node,
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}

impl Eq for Expression {}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    Number(Decimal),
    /// The number in percent: `1.5%` is 0.015.
    Percent(Decimal),
    Price(PriceSide, Reference),
    Call(Function, Vec<Expression>),
    Binary(FormulaOperator, Box<[Expression; 2]>),
}

/// Which price of a reference counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PriceSide {
    /// What the base sells at.
    Bid,
    /// What the base costs.
    Ask,
    /// The mean of both. A reference without a function as well.
    Mid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Min,
    Max,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormulaOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// The price of a source: `binance:BTC/USDT`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    /// Name of the source, or [`MARKET`].
    pub source: String,
    pub assets: ReferenceAssets,
}

/// The assets of a reference as they are written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReferenceAssets {
    /// `BTCUSDT`
    Joined(String),
    /// `BTC/USDT`
    Separate(String, String),
}

/// What is wrong with a formula, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaFault {
    /// Index of the character.
    pub at: usize,
    pub code: &'static str,
    /// Parameters of its text.
    pub params: Vec<(&'static str, String)>,
}

impl FormulaFault {
    fn new(at: usize, code: &'static str) -> Self {
        Self { at, code, params: Vec::new() }
    }

    fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.params.push((name, value.to_string()));
        self
    }

    /// Positions that people read count from one.
    pub fn field_error(&self, field: &str) -> FieldError {
        let error = FieldError::new(field, self.code).with("position", self.at + 1);
        self.params.iter().fold(error, |error, (name, value)| error.with(name, value))
    }
}

impl Formula {
    /// # Errors
    /// The text is no formula.
    pub fn parse(text: &str) -> Result<Self, FormulaFault> {
        parser::parse(text)
    }

    /// The prices it uses, in the order of the text, each once.
    pub fn references(&self) -> Vec<&Reference> {
        let mut found = Vec::new();
        self.root.visit(&mut |part| {
            if let Node::Price(_, reference) = &part.node
                && !found.contains(&reference)
            {
                found.push(reference);
            }
        });
        found
    }
}

impl Expression {
    fn visit<'e>(&'e self, visitor: &mut impl FnMut(&'e Self)) {
        visitor(self);
        match &self.node {
            Node::Number(_) | Node::Percent(_) | Node::Price(..) => {}
            Node::Call(_, arguments) => arguments.iter().for_each(|argument| argument.visit(visitor)),
            Node::Binary(_, sides) => sides.iter().for_each(|side| side.visit(visitor)),
        }
    }

    fn precedence(&self) -> u8 {
        match &self.node {
            Node::Binary(FormulaOperator::Add | FormulaOperator::Subtract, _) => 1,
            Node::Binary(..) => 2,
            _ => 3,
        }
    }
}

impl FormulaOperator {
    fn sign(self) -> char {
        match self {
            Self::Add => '+',
            Self::Subtract => '-',
            Self::Multiply => '*',
            Self::Divide => '/',
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.root)
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.node {
            Node::Number(number) => f.write_str(&plain(*number)),
            Node::Percent(number) => write!(f, "{}%", plain(*number)),
            Node::Price(side, reference) => write!(f, "{}({reference})", side.name()),
            Node::Call(function, arguments) => {
                write!(f, "{}(", function.name())?;
                for (place, argument) in arguments.iter().enumerate() {
                    let separator = if place == 0 { "" } else { ", " };
                    write!(f, "{separator}{argument}")?;
                }
                f.write_str(")")
            }
            Node::Binary(operator, sides) => {
                let [left, right] = &**sides;
                let own = self.precedence();
                write_side(f, left, left.precedence() < own)?;
                write!(f, " {} ", operator.sign())?;
                write_side(f, right, right.precedence() <= own)
            }
        }
    }
}

fn write_side(f: &mut fmt::Formatter<'_>, side: &Expression, in_parentheses: bool) -> fmt::Result {
    if in_parentheses { write!(f, "({side})") } else { write!(f, "{side}") }
}

impl PriceSide {
    fn name(self) -> &'static str {
        match self {
            Self::Bid => "bid",
            Self::Ask => "ask",
            Self::Mid => "mid",
        }
    }
}

impl Function {
    fn name(self) -> &'static str {
        match self {
            Self::Min => "min",
            Self::Max => "max",
        }
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.assets {
            ReferenceAssets::Joined(assets) => write!(f, "{}:{assets}", self.source),
            ReferenceAssets::Separate(base, quote) => write!(f, "{}:{base}/{quote}", self.source),
        }
    }
}

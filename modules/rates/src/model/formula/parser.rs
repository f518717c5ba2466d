//! Reads formulas, by recursive descent.

use rust_decimal::Decimal;

use super::{
    Expression, FORMULA_MAX, Formula, FormulaFault, FormulaOperator, Function, Node, PriceSide, Reference, ReferenceAssets,
};

/// Maximum depth of parentheses and functions.
const DEPTH_MAX: usize = 32;
/// Digits that a decimal always holds.
const DIGITS_MAX: usize = 28;

pub(super) fn parse(text: &str) -> Result<Formula, FormulaFault> {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() > FORMULA_MAX {
        return Err(FormulaFault::new(FORMULA_MAX, "text_too_long").with("max", FORMULA_MAX));
    }
    let mut parser = Parser { chars, at: 0, depth: 0 };
    let root = parser.sum()?;
    parser.skip_blanks();
    if parser.at < parser.chars.len() { Err(parser.unexpected()) } else { Ok(Formula { root }) }
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn sum(&mut self) -> Result<Expression, FormulaFault> {
        self.operations(&[FormulaOperator::Add, FormulaOperator::Subtract], Self::product)
    }

    fn product(&mut self) -> Result<Expression, FormulaFault> {
        self.operations(&[FormulaOperator::Multiply, FormulaOperator::Divide], Self::operand)
    }

    /// Operands joined by operators of the same precedence, from the left.
    fn operations(
        &mut self,
        operators: &[FormulaOperator],
        operand: fn(&mut Self) -> Result<Expression, FormulaFault>,
    ) -> Result<Expression, FormulaFault> {
        let mut left = operand(self)?;
        loop {
            let sign = self.next_char();
            let Some(operator) = operators.iter().find(|operator| Some(operator.sign()) == sign) else { return Ok(left) };
            let at = self.at;
            self.at += 1;
            left = Expression { at, node: Node::Binary(*operator, Box::new([left, operand(self)?])) };
        }
    }

    fn operand(&mut self) -> Result<Expression, FormulaFault> {
        let first = self.next_char();
        let at = self.at;
        match first {
            Some('(') => self.nested(at, |parser| {
                let inner = parser.sum()?;
                parser.expect(')')?;
                Ok(inner)
            }),
            Some(char) if char.is_ascii_digit() => self.number(),
            Some(char) if char.is_ascii_alphabetic() => self.named(),
            _ => Err(self.unexpected()),
        }
    }

    /// Skips the opening parenthesis and reads what is in it.
    fn nested(
        &mut self,
        at: usize,
        read: impl FnOnce(&mut Self) -> Result<Expression, FormulaFault>,
    ) -> Result<Expression, FormulaFault> {
        self.expect('(')?;
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(FormulaFault::new(at, "formula_too_deep").with("max", DEPTH_MAX));
        }
        let read = read(self)?;
        self.depth -= 1;
        Ok(read)
    }

    fn number(&mut self) -> Result<Expression, FormulaFault> {
        let at = self.at;
        let mut text = self.take_while(|char| char.is_ascii_digit());
        if self.peek() == Some('.') {
            self.at += 1;
            let decimals = self.take_while(|char| char.is_ascii_digit());
            if decimals.is_empty() {
                return Err(self.unexpected());
            }
            text = format!("{text}.{decimals}");
        }
        if text.len() > DIGITS_MAX {
            return Err(FormulaFault::new(at, "too_many_digits").with("digits", DIGITS_MAX));
        }
        let number: Decimal = text.parse().map_err(|_| FormulaFault::new(at, "too_many_digits").with("digits", DIGITS_MAX))?;
        let is_percent = self.peek() == Some('%');
        self.at += usize::from(is_percent);
        Ok(Expression { at, node: if is_percent { Node::Percent(number) } else { Node::Number(number) } })
    }

    /// A function or a reference.
    fn named(&mut self) -> Result<Expression, FormulaFault> {
        let at = self.at;
        let name = self.name();
        if self.peek() == Some(':') {
            let reference = self.reference(name)?;
            return Ok(Expression { at, node: Node::Price(PriceSide::Mid, reference) });
        }
        let node = match name.as_str() {
            "bid" => self.price(PriceSide::Bid),
            "ask" => self.price(PriceSide::Ask),
            "mid" => self.price(PriceSide::Mid),
            "min" => self.call(Function::Min),
            "max" => self.call(Function::Max),
            _ => Err(FormulaFault::new(at, "formula_name_unknown").with("name", name)),
        };
        Ok(Expression { at, node: node? })
    }

    fn price(&mut self, side: PriceSide) -> Result<Node, FormulaFault> {
        self.expect('(')?;
        if !self.next_char().is_some_and(|char| char.is_ascii_alphabetic()) {
            return Err(self.unexpected());
        }
        let source = self.name();
        if self.peek() != Some(':') {
            return Err(self.unexpected());
        }
        let reference = self.reference(source)?;
        self.expect(')')?;
        Ok(Node::Price(side, reference))
    }

    fn call(&mut self, function: Function) -> Result<Node, FormulaFault> {
        let at = self.at;
        let mut arguments = Vec::new();
        let last = self.nested(at, |parser| {
            loop {
                let argument = parser.sum()?;
                if parser.next_char() != Some(',') {
                    parser.expect(')')?;
                    return Ok(argument);
                }
                parser.at += 1;
                arguments.push(argument);
            }
        })?;
        arguments.push(last);
        Ok(Node::Call(function, arguments))
    }

    /// The assets after the name of a source. A slash belongs to them if a name follows that is neither a function nor
    /// another source, whose names may have hyphens.
    fn reference(&mut self, source: String) -> Result<Reference, FormulaFault> {
        self.at += 1;
        let base = self.asset()?;
        let after_slash = self.at + 1;
        let quote = self.rest(after_slash).take_while(|char| is_of_name(*char)).collect::<String>();
        let after = self.chars.get(after_slash + quote.len());
        let is_name =
            matches!(after, Some(':' | '(')) || after == Some(&'-') && quote.contains(|char: char| char.is_ascii_lowercase());
        let has_letter = quote.contains(|char: char| char.is_ascii_alphabetic());
        let is_quote = self.peek() == Some('/') && has_letter && !is_name;
        if !is_quote {
            return Ok(Reference { source, assets: ReferenceAssets::Joined(base) });
        }
        self.at = after_slash;
        let quote = self.asset()?;
        Ok(Reference { source, assets: ReferenceAssets::Separate(base, quote) })
    }

    fn asset(&mut self) -> Result<String, FormulaFault> {
        let asset = self.take_while(|char| char.is_ascii_alphanumeric());
        if asset.is_empty() { Err(self.unexpected()) } else { Ok(asset.to_ascii_uppercase()) }
    }

    fn name(&mut self) -> String {
        self.take_while(|char| is_of_name(char) || char == '-').to_ascii_lowercase()
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> String {
        let taken: String = self.rest(self.at).take_while(|char| is_part(*char)).collect();
        // Only ASCII is ever taken.
        self.at += taken.len();
        taken
    }

    fn rest(&self, from: usize) -> impl Iterator<Item = char> {
        self.chars.iter().skip(from).copied()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|char| char.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// The next character that is not blank.
    fn next_char(&mut self) -> Option<char> {
        self.skip_blanks();
        self.peek()
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn expect(&mut self, char: char) -> Result<(), FormulaFault> {
        if self.next_char() != Some(char) {
            return Err(self.unexpected());
        }
        self.at += 1;
        Ok(())
    }

    fn unexpected(&self) -> FormulaFault {
        match self.peek() {
            Some(char) => FormulaFault::new(self.at, "formula_unexpected").with("found", char),
            None => FormulaFault::new(self.at, "formula_incomplete"),
        }
    }
}

fn is_of_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

//! The sides of an exchange in the contract's words: networks, and which of a currency's inputs its fields are.
//!
//! The contract has one field for where money goes, one for what else belongs to it, and one for where money comes from. A direction that
//! needs more of the customer cannot be ordered by it and is not offered.

use agio_core::needs::{CurrencyFacts, InputFacts, Proof};
use agio_core::ratio::Ratio;
use rust_decimal::Decimal;

/// The contract's codes of networks, by what the house calls them.
const NETWORKS: [(&str, &str); 16] = [
    ("Bitcoin", "BTC"),
    ("Ethereum", "ETH"),
    ("ERC20", "ETH"),
    ("BNB Smart Chain", "BSC"),
    ("Binance Smart Chain", "BSC"),
    ("BEP20", "BSC"),
    ("BSC", "BSC"),
    ("Polygon", "MATIC"),
    ("MATIC", "MATIC"),
    ("Fantom", "FTM"),
    ("FTM", "FTM"),
    ("TRON", "TRX"),
    ("TRC20", "TRX"),
    ("Solana", "SOL"),
    ("SPL", "SOL"),
    ("Omni", "OMNI"),
];

/// Significant digits and decimals of a rate that is the inverse of a course.
const RATE_DIGITS: u32 = 15;
const RATE_SCALE_MAX: u32 = 24;

/// The kinds of currencies that are paid to an address.
pub const CRYPTO: &str = "crypto";

/// The contract's code of a currency's network, where it has one.
#[must_use]
pub fn network(currency: &CurrencyFacts) -> Option<&'static str> {
    let found = NETWORKS.iter().find(|(name, _)| currency.network.en.eq_ignore_ascii_case(name));
    found.filter(|_| currency.kind == CRYPTO).map(|(_, code)| *code)
}

/// Which inputs of the received currency the fields are: where to, and what belongs to it.
#[derive(Clone, Copy, Debug)]
pub struct Receiving<'c> {
    /// `toPaymentDetails`.
    pub details: &'c InputFacts,
    /// `toMemo`.
    pub memo: Option<&'c InputFacts>,
}

/// The inputs of a received currency; none where the contract's fields do not suffice.
#[must_use]
pub fn receiving(currency: &CurrencyFacts) -> Option<Receiving<'_>> {
    let (needed, others): (Vec<_>, Vec<_>) =
        currency.inputs.iter().filter(|input| input.receive).partition(|input| input.required);
    if needed.len() > 2 {
        return None;
    }
    let mut inputs = needed.into_iter().chain(others);
    Some(Receiving { details: inputs.next()?, memo: inputs.next() })
}

/// What is asked of whoever sends a currency.
#[derive(Clone, Copy, Debug)]
pub enum Sending<'c> {
    /// Nothing.
    Nothing,
    /// `fromPaymentDetails` is this.
    Details(&'c InputFacts),
    /// More than the contract has a field for.
    TooMuch,
}

/// The input of a sent currency.
#[must_use]
pub fn sending(currency: &CurrencyFacts, proof: Option<Proof>) -> Sending<'_> {
    // Where the card that is paid with is verified, its number is asked for.
    let by_card = |input: &InputFacts| proof == Some(Proof::Card) && input.kind == "card";
    let (needed, others): (Vec<_>, Vec<_>) =
        currency.inputs.iter().filter(|input| input.send || by_card(input)).partition(|input| input.required);
    if needed.len() > 1 {
        return Sending::TooMuch;
    }
    needed.first().or(others.first()).map_or(Sending::Nothing, |input| Sending::Details(input))
}

/// Whether an exchange can be ordered by the contract at all.
#[must_use]
pub fn is_orderable(from: &CurrencyFacts, to: &CurrencyFacts, proof: Option<Proof>) -> bool {
    receiving(to).is_some() && !matches!(sending(from, proof), Sending::TooMuch)
}

/// A course as the contract's two rates, of which one is 1, rounded so that they never promise more than the course. None where a course
/// has no inverse among decimals.
#[must_use]
pub fn rates(course: Decimal) -> Option<(Decimal, Decimal)> {
    if course >= Decimal::ONE {
        return Some((Decimal::ONE, course));
    }
    let inverse = Ratio::one().over(&Ratio::of(course)?).round_up(RATE_DIGITS, RATE_SCALE_MAX)?;
    Some((inverse, Decimal::ONE))
}

#[cfg(test)]
mod tests {
    use agio_core::texts::Bilingual;

    use super::*;

    fn input(name: &str, required: bool, send: bool, receive: bool) -> InputFacts {
        let kind = if name == "card" { "card" } else { "text" };
        let label = Bilingual { ru: name.to_owned(), en: name.to_owned() };
        InputFacts { name: name.to_owned(), kind: kind.to_owned(), label, required, send, receive }
    }

    fn currency(network: &str, kind: &str, inputs: Vec<InputFacts>) -> CurrencyFacts {
        let word = |text: &str| Bilingual { ru: text.to_owned(), en: text.to_owned() };
        CurrencyFacts {
            id: 1,
            code: "X".to_owned(),
            ticker: "X".to_owned(),
            network: word(network),
            kind: kind.to_owned(),
            name: word("X"),
            icon: String::new(),
            scale: 2,
            inputs,
        }
    }

    #[test]
    fn networks_have_the_contracts_codes() {
        assert_eq!(network(&currency("TRC20", "crypto", Vec::new())), Some("TRX"));
        assert_eq!(network(&currency("bitcoin", "crypto", Vec::new())), Some("BTC"));
        assert_eq!(network(&currency("TON", "crypto", Vec::new())), None);
        assert_eq!(network(&currency("Polygon", "bank", Vec::new())), None);
    }

    #[test]
    fn fields_are_the_inputs_that_must_be_given_first() {
        let coin = currency("TON", "crypto", vec![input("address", true, false, true), input("memo", false, false, true)]);
        let fields = receiving(&coin).unwrap();
        assert_eq!((fields.details.name.as_str(), fields.memo.unwrap().name.as_str()), ("address", "memo"));
        let bank = currency("SBP", "bank", ["phone", "bank", "holder"].map(|name| input(name, true, false, true)).into());
        assert!(receiving(&bank).is_none());
        assert!(receiving(&currency("X", "bank", Vec::new())).is_none());
    }

    #[test]
    fn one_thing_can_be_asked_of_a_sender() {
        let coin = currency("X", "crypto", vec![input("refundAddress", false, true, false)]);
        assert!(matches!(sending(&coin, None), Sending::Details(input) if input.name == "refundAddress"));
        let card = currency("X", "bank", vec![input("card", true, false, true), input("holder", true, true, true)]);
        assert!(matches!(sending(&card, Some(Proof::Identity)), Sending::Details(input) if input.name == "holder"));
        assert!(matches!(sending(&card, Some(Proof::Card)), Sending::TooMuch));
        assert!(matches!(sending(&currency("X", "bank", Vec::new()), None), Sending::Nothing));
        assert!(is_orderable(&card, &card, None) && !is_orderable(&card, &card, Some(Proof::Card)));
    }

    #[test]
    fn one_of_two_rates_is_one() {
        let of = |course: &str| rates(course.parse().unwrap()).unwrap();
        assert_eq!(of("6543210.5"), (Decimal::ONE, "6543210.5".parse().unwrap()));
        assert_eq!(of("0.25"), ("4".parse().unwrap(), Decimal::ONE));
        assert_eq!(of("0.3").0, "3.33333333333334".parse().unwrap());
    }
}

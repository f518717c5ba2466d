//! Networks and payment detail fields in Trustee's terms.
//!
//! Trustee has one field for the destination, one for its memo and one for the source. A direction that needs more
//! is not offered.

use agio_contracts::{CurrencyInfo, CurrencyInput, CurrencyKind, VerificationSubject};
use agio_core::ratio::Ratio;
use agio_requisites::RequisiteKind;
use rust_decimal::Decimal;

/// Trustee's network codes by our network names.
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

/// Precision of inverse rates.
const RATE_DIGITS: u32 = 15;
const RATE_SCALE_MAX: u32 = 24;

/// `None` if Trustee has no code.
pub fn network(currency: &CurrencyInfo) -> Option<&'static str> {
    let found = NETWORKS.iter().find(|(name, _)| currency.network.en.eq_ignore_ascii_case(name));
    found.filter(|_| currency.kind == CurrencyKind::Crypto).map(|(_, code)| *code)
}

/// The received currency's inputs that `toPaymentDetails` and `toMemo` stand for.
#[derive(Clone, Copy, Debug)]
pub struct PayoutFields<'c> {
    /// `toPaymentDetails`.
    pub details: &'c CurrencyInput,
    /// `toMemo`.
    pub memo: Option<&'c CurrencyInput>,
}

/// `None` if Trustee's fields do not suffice.
pub fn receiving(currency: &CurrencyInfo) -> Option<PayoutFields<'_>> {
    let (needed, others): (Vec<_>, Vec<_>) =
        currency.inputs.iter().filter(|input| input.receive).partition(|input| input.required);
    if needed.len() > 2 {
        return None;
    }
    let mut inputs = needed.into_iter().chain(others);
    Some(PayoutFields { details: inputs.next()?, memo: inputs.next() })
}

#[derive(Clone, Copy, Debug)]
pub enum PaymentFields<'c> {
    Nothing,
    /// Sent as `fromPaymentDetails`.
    Details(&'c CurrencyInput),
    TooMuch,
}

pub fn sending(currency: &CurrencyInfo, verification: Option<VerificationSubject>) -> PaymentFields<'_> {
    // Card verification needs the card number.
    let by_card = |input: &CurrencyInput| verification == Some(VerificationSubject::Card) && input.kind == RequisiteKind::Card;
    let (needed, others): (Vec<_>, Vec<_>) =
        currency.inputs.iter().filter(|input| input.give || by_card(input)).partition(|input| input.required);
    if needed.len() > 1 {
        return PaymentFields::TooMuch;
    }
    needed.first().or(others.first()).map_or(PaymentFields::Nothing, |input| PaymentFields::Details(input))
}

/// An order names no city, so cash cannot be ordered; nor can it say that terms were accepted.
pub fn is_orderable(from: &CurrencyInfo, to: &CurrencyInfo, verification: Option<VerificationSubject>, has_terms: bool) -> bool {
    let is_cash = from.is_cash() || to.is_cash();
    !has_terms && !is_cash && receiving(to).is_some() && !matches!(sending(from, verification), PaymentFields::TooMuch)
}

/// Trustee's two rates, one of which is 1, rounded so that they never promise more than the rate. `None` if the rate
/// has no decimal inverse.
pub fn rates(rate: Decimal) -> Option<(Decimal, Decimal)> {
    if rate >= Decimal::ONE {
        return Some((Decimal::ONE, rate));
    }
    let inverse = Ratio::one().over(&Ratio::of(rate)?).round_up(RATE_DIGITS, RATE_SCALE_MAX)?;
    Some((inverse, Decimal::ONE))
}

#[cfg(test)]
mod tests {
    use agio_core::texts::Bilingual;

    use super::*;

    fn input(name: &str, required: bool, send: bool, receive: bool) -> CurrencyInput {
        let kind = if name == "card" { RequisiteKind::Card } else { RequisiteKind::Text };
        let label = Bilingual { ru: name.to_owned(), en: name.to_owned() };
        CurrencyInput { name: name.to_owned(), kind, label, required, give: send, receive, hint: None, pattern: None, mask: None }
    }

    fn currency(network: &str, kind: CurrencyKind, inputs: Vec<CurrencyInput>) -> CurrencyInfo {
        let bilingual = |text: &str| Bilingual { ru: text.to_owned(), en: text.to_owned() };
        CurrencyInfo {
            id: 1,
            code: "X".to_owned(),
            ticker: "X".to_owned(),
            network: bilingual(network),
            kind,
            name: bilingual("X"),
            icon: String::new(),
            scale: 2,
            inputs,
            cities: Vec::new(),
            explorer: None,
        }
    }

    #[test]
    fn networks_have_trustee_codes() {
        assert_eq!(network(&currency("TRC20", CurrencyKind::Crypto, Vec::new())), Some("TRX"));
        assert_eq!(network(&currency("bitcoin", CurrencyKind::Crypto, Vec::new())), Some("BTC"));
        assert_eq!(network(&currency("TON", CurrencyKind::Crypto, Vec::new())), None);
        assert_eq!(network(&currency("Polygon", CurrencyKind::Bank, Vec::new())), None);
    }

    #[test]
    fn required_inputs_come_first() {
        let coin =
            currency("TON", CurrencyKind::Crypto, vec![input("address", true, false, true), input("memo", false, false, true)]);
        let fields = receiving(&coin).unwrap();
        assert_eq!((fields.details.name.as_str(), fields.memo.unwrap().name.as_str()), ("address", "memo"));
        let bank =
            currency("SBP", CurrencyKind::Bank, ["phone", "bank", "holder"].map(|name| input(name, true, false, true)).into());
        assert!(receiving(&bank).is_none());
        assert!(receiving(&currency("X", CurrencyKind::Bank, Vec::new())).is_none());
    }

    #[test]
    fn at_most_one_payment_detail_is_supported() {
        let coin = currency("X", CurrencyKind::Crypto, vec![input("refundAddress", false, true, false)]);
        assert!(matches!(sending(&coin, None), PaymentFields::Details(input) if input.name == "refundAddress"));
        let card = currency("X", CurrencyKind::Bank, vec![input("card", true, false, true), input("holder", true, true, true)]);
        assert!(
            matches!(sending(&card, Some(VerificationSubject::Identity)), PaymentFields::Details(input) if input.name == "holder")
        );
        assert!(matches!(sending(&card, Some(VerificationSubject::Card)), PaymentFields::TooMuch));
        assert!(matches!(sending(&currency("X", CurrencyKind::Bank, Vec::new()), None), PaymentFields::Nothing));
        assert!(is_orderable(&card, &card, None, false));
        assert!(!is_orderable(&card, &card, Some(VerificationSubject::Card), false));
        assert!(!is_orderable(&card, &card, None, true));
    }

    #[test]
    fn one_of_both_rates_is_one() {
        let of = |rate: &str| rates(rate.parse().unwrap()).unwrap();
        assert_eq!(of("6543210.5"), (Decimal::ONE, "6543210.5".parse().unwrap()));
        assert_eq!(of("0.25"), ("4".parse().unwrap(), Decimal::ONE));
        assert_eq!(of("0.3").0, "3.33333333333334".parse().unwrap());
    }
}

//! What staff look for among claims.

use std::ops::RangeInclusive;

use agio_core::Vault;
use agio_requisites::link_parts;
use rust_decimal::Decimal;
use uuid::Uuid;

use super::Claim;
use super::claim::plain;

/// How many characters an ending has: fewer do not tell claims apart, and more are a whole value, which an index finds.
const ENDING: RangeInclusive<usize> = 4..=12;

/// The least amount that is found without its fraction.
const WITHOUT_FRACTION_MIN: Decimal = Decimal::ONE_HUNDRED;

/// What stands for the hidden part of a card or an address.
const MASKS: [char; 4] = ['*', '•', '·', '…'];

/// What to look for. Customers send links: to their claim, or to a transaction in an explorer, its longest part.
pub fn searched_in(text: &str) -> String {
    let longest = link_parts(text).into_iter().max_by_key(|part| (part.parse::<Uuid>().is_ok(), part.len()));
    longest.unwrap_or_else(|| text.to_owned())
}

/// An amount, in each way the text can be read, or the end of a requisite or transaction.
#[derive(Debug)]
pub struct PartialSearch {
    amounts: Vec<Decimal>,
    ending: Option<String>,
}

impl PartialSearch {
    /// `None` for a text that is neither.
    pub fn of(text: &str) -> Option<Self> {
        let ending = plain(text.rsplit(MASKS).next().unwrap_or(text).trim_start_matches('.'));
        let is_ending = ENDING.contains(&ending.chars().count()) && ending.chars().all(char::is_alphanumeric);
        let found = Self { amounts: amounts(text), ending: is_ending.then_some(ending) };
        (is_ending || !found.amounts.is_empty()).then_some(found)
    }

    /// Whether a claim has it. Its requisites are decrypted for that.
    pub fn finds(&self, claim: &Claim, vault: &Vault) -> bool {
        let balances = &claim.balances;
        let amounts = [claim.give.amount, claim.receive.amount, balances.received, balances.payout, balances.paid_out];
        let is_sought = |amount: Decimal| self.amounts.iter().any(|sought| is_amount(*sought, amount));
        if amounts.iter().any(|amount| is_sought(amount.value())) {
            return true;
        }
        let Some(ending) = &self.ending else { return false };
        let (references, payment) = (&claim.references, &claim.payment);
        let shown = [&payment.value, &references.tx_in, &references.tx_out, &references.tx_refund];
        let sealed = [
            claim.give_requisites(vault),
            claim.receive_requisites(vault),
            claim.refund_requisites(vault).map(Option::unwrap_or_default),
        ];
        // What cannot be read is not found; the claim says so itself.
        let opened = sealed.iter().flatten().flatten().map(|requisite| &requisite.value);
        shown.into_iter().flatten().chain(opened).any(|value| plain(value).ends_with(ending.as_str()))
    }
}

/// Customers leave out the fraction of a large amount: without one, it is found with any.
fn is_amount(sought: Decimal, amount: Decimal) -> bool {
    sought == amount || (sought.scale() == 0 && sought >= WITHOUT_FRACTION_MIN && sought == amount.trunc())
}

/// `15 000`, `15,000.5 RUB` and `15.000,5` are amounts; `15,000` is one of two.
fn amounts(text: &str) -> Vec<Decimal> {
    let is_unit = |sign: char| sign.is_ascii_alphabetic() || sign == '$' || sign == ' ' || !sign.is_ascii();
    let number = text.trim_end_matches(is_unit);
    let number: String = number.chars().filter(|sign| !sign.is_whitespace()).collect();
    let read = |(group, point): (char, &str)| {
        let mut groups = number.split(group).skip(1).peekable();
        let is_grouped = groups.peek().is_none() || !number.starts_with('0');
        let are_whole = groups.all(|digits| digits.chars().take_while(char::is_ascii_digit).count() == 3);
        let amount = Decimal::from_str_exact(&number.replace(group, "").replace(point, ".")).ok()?;
        (is_grouped && are_whole && amount > Decimal::ZERO).then_some(amount)
    };
    [(',', "."), ('.', ",")].into_iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::super::claim::tests::{claim, vault};
    use super::*;

    #[test]
    fn a_link_names_a_claim_or_a_transaction() {
        let (id, hash) = ("1674c20c-c369-416a-9c12-581fc396eb9b", "9f2c".repeat(16));
        for (link, found) in [
            (format!("https://exchange.example/claim/{id}"), id),
            (format!("https://exchange.example/en/claim/{id}/"), id),
            (format!("https://exchange.example/claim/success?id={id}"), id),
            (format!("https://tronscan.org/#/transaction/{hash}"), hash.as_str()),
            (format!("https://etherscan.io/tx/0x{hash}#eventlog"), format!("0x{hash}").as_str()),
            (format!("etherscan.io/tx/0x{hash}"), format!("0x{hash}").as_str()),
        ] {
            assert_eq!(searched_in(&link), found);
        }
        for text in ["100001", "anna@example.org", "2202 2012 3456 7895", "https://exchange.example/"] {
            assert_eq!(searched_in(text), text);
        }
    }

    #[test]
    fn an_amount_is_read_as_people_write_it() {
        let read = |text: &str| amounts(text).iter().map(ToString::to_string).collect::<Vec<_>>();
        for text in ["90000", "90 000", "90\u{a0}000 ₽", "90 000,00 RUB", "90,000.00", "90.000,00"] {
            let found = PartialSearch::of(text).is_some_and(|search| search.finds(&claim(), &vault()));
            assert!(found, "{text}: {:?}", read(text));
        }
        assert_eq!((read("0.015"), read("0,015")), (vec!["0.015".to_owned()], vec!["0.015".to_owned()]));
        assert_eq!(read("15,000"), ["15000", "15.000"]);
        for text in ["", "0", "12345@mail.ru", "1,23,456.7", "0x12", "1.2.3"] {
            assert_eq!(read(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_large_amount_is_found_without_its_fraction() {
        let finds = |sought: &str, amount: &str| {
            let search = PartialSearch::of(sought).expect("an amount");
            search.amounts.iter().any(|sought| is_amount(*sought, amount.parse().unwrap()))
        };
        assert!(finds("51410", "51410.16") && finds("51 410", "51410.16") && finds("100", "100.99"));
        for (sought, amount) in [("51410.0", "51410.16"), ("51411", "51410.16"), ("99", "99.50"), ("51,410.1", "51410.16")] {
            assert!(!finds(sought, amount), "{sought} is not {amount}");
        }
    }

    #[test]
    fn the_end_of_a_requisite_or_transaction_is_enough() {
        let mut claim = claim();
        claim.payment.value = Some("2202 2012 3456 4321".into());
        claim.references.tx_out = Some("0xAbCdEf".into());
        let finds = |text: &str| PartialSearch::of(text).is_some_and(|search| search.finds(&claim, &vault()));
        for text in ["4321", "...4321", "2202 **** **** 4321", "••4321", "56-4321", "CDEF", "0xAb…cdef"] {
            assert!(finds(text), "{text}");
        }
        for text in ["321", "2202", "%", "anna@example.org", "2202201234564321"] {
            assert!(!finds(text), "{text}");
        }
    }
}

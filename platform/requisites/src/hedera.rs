//! Hedera accounts: `0.0.12345`, with the checksum of HIP-15 or without.

use crate::validation::{CheckResult, RequisiteRefusal, ValidRequisite};

/// Ledger ids of HIP-15.
const MAINNET: u64 = 0;
const TESTNETS: [u64; 2] = [1, 2];

/// Zero bytes that follow the ledger id in the checksum.
const LEDGER_PADDING: u32 = 6;

const CHECKSUM_LENGTH: usize = 5;
const LETTERS: u64 = 26;

/// Checks an account. The normal form has no checksum, since few services read it; without one, the customer is asked to look twice.
pub(crate) fn check(value: &str) -> CheckResult {
    let (account, checksum) = value.split_once('-').map_or((value, None), |(account, checksum)| (account, Some(checksum)));
    let number = number_of(account)?;
    let Some(stated) = checksum else {
        refuse_nobody(number)?;
        return ValidRequisite::unchecked(account);
    };
    if stated.len() != CHECKSUM_LENGTH {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    if TESTNETS.iter().any(|&ledger| checksum_of(account, ledger) == stated) {
        return Err(RequisiteRefusal::new("testnet"));
    }
    if checksum_of(account, MAINNET) != stated {
        return Err(RequisiteRefusal::new("bad_checksum"));
    }
    refuse_nobody(number)?;
    ValidRequisite::plain(account)
}

/// The number of an account in shard 0 and realm 0, the only ones there are.
fn number_of(account: &str) -> Result<u64, RequisiteRefusal> {
    let parts: Vec<&str> = account.split('.').collect();
    let is_number =
        |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) && (part.len() == 1 || !part.starts_with('0'));
    match parts[..] {
        [shard, realm, number] if parts.iter().all(is_number) => match (shard, realm) {
            ("0", "0") => number.parse().map_err(|_| RequisiteRefusal::new("bad_length")),
            _ => Err(RequisiteRefusal::new("unsupported_version")),
        },
        _ => Err(RequisiteRefusal::new("bad_characters")),
    }
}

fn refuse_nobody(number: u64) -> Result<(), RequisiteRefusal> {
    if number == 0 { Err(RequisiteRefusal::new("forbidden_payee")) } else { Ok(()) }
}

/// Five letters over the account's characters (a dot counts ten) and the ledger.
fn checksum_of(account: &str, ledger: u64) -> String {
    let (three, five) = (LETTERS.pow(3), LETTERS.pow(5));
    let digits: Vec<u64> = account.chars().map(|c| c.to_digit(10).map_or(10, u64::from)).collect();
    let every_second = |first: usize| digits.iter().skip(first).step_by(2).sum::<u64>() % 11;
    let weighted = digits.iter().fold(0, |sum, digit| (sum * 31 + digit) % three);
    let of_ledger = ledger * 31u64.pow(LEDGER_PADDING) % five;
    let length = digits.len() as u64 % 5;
    let sum = ((length * 11 + every_second(0)) * 11 + every_second(1)) * three + weighted + of_ledger;
    let number = sum % five * 1_000_003 % five;
    let letter = |place: u32| char::from(b'a' + u8::try_from(number / LETTERS.pow(place) % LETTERS).unwrap_or_default());
    (0..5).rev().map(letter).collect()
}

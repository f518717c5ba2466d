//! Russian bank accounts: 20 digits, whose ninth is a check digit that holds together with the bank's BIC.

use crate::validation::{CheckResult, RequisiteRefusal, ValidRequisite};

const ACCOUNT_LENGTH: usize = 20;
const BIC_LENGTH: usize = 9;

/// First digits of the accounts banks hold with the Bank of Russia.
const CORRESPONDENT: &str = "301";

/// Checks an account, alone or with the BIC after it (`40817…/044525225`, also with a space or a comma between).
///
/// The check digit can be verified only with the BIC; an account alone is accepted with a warning.
pub(crate) fn check(value: &str) -> CheckResult {
    let digits: String = value.chars().filter(|c| !matches!(c, '/' | ',')).collect();
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(RequisiteRefusal::new("bad_characters"));
    }
    if digits.len() != ACCOUNT_LENGTH && digits.len() != ACCOUNT_LENGTH + BIC_LENGTH {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    let (account, bic) = digits.split_at(ACCOUNT_LENGTH);
    if account.starts_with(CORRESPONDENT) {
        return Err(RequisiteRefusal::new("bank_own_account"));
    }
    if account.starts_with('0') {
        return Err(RequisiteRefusal::new("account_checksum"));
    }
    match bic {
        "" => ValidRequisite::unchecked(account),
        _ if !bic.starts_with("04") => Err(RequisiteRefusal::new("unknown_bic")),
        _ if key_holds(&bic[6..], account) => ValidRequisite::plain(format!("{account}/{bic}")),
        _ => Err(RequisiteRefusal::new("account_checksum")),
    }
}

/// The digits of the bank's three-digit number and the account, multiplied by 7, 1, 3, 7, 1, 3 …, add up to a multiple of ten.
fn key_holds(bank: &str, account: &str) -> bool {
    let digits = bank.bytes().chain(account.bytes()).map(|b| u32::from(b - b'0'));
    digits.zip([7, 1, 3].into_iter().cycle()).map(|(digit, weight)| digit * weight).sum::<u32>().is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Banks' accounts with the Bank of Russia use the same key, with "0" and the fifth and sixth digits of the BIC as the bank's number.
    #[test]
    fn the_key_holds_for_published_correspondent_accounts() {
        let published = [
            ("044525225", "30101810400000000225"),
            ("044525187", "30101810700000000187"),
            ("044525593", "30101810200000000593"),
            ("044525974", "30101810145250000974"),
        ];
        for (bic, account) in published {
            assert!(key_holds(&format!("0{}", &bic[4..6]), account), "{account}");
        }
    }
}

//! The stored terms of a claim. Unreadable terms are an error: nothing is paid or booked on a guess.

use agio_contracts::{AgreedTerms, CashCity};
use agio_core::{Amount, Error, Result, Vault};
use rust_decimal::Decimal;

use super::claim::ClaimSide;
use super::{Claim, OfferedAmount};

/// A tolerance is at most this fraction of the agreed amount.
const TOLERATED_PART: i128 = 10;

/// The error for an unreadable stored value of a claim.
pub fn unreadable(claim: &Claim, what: &'static str, why: impl std::fmt::Display) -> Error {
    Error::conflict("claim_unreadable").with("number", claim.public_id).caused_by(format!("{what}: {why}"))
}

/// The terms of a claim.
///
/// # Errors
/// 409 `claim_unreadable`.
pub fn agreed(claim: &Claim) -> Result<AgreedTerms> {
    serde_json::from_str(&claim.terms.json).map_err(|why| unreadable(claim, "terms", why))
}

/// Where cash changes hands; `None` without cash.
///
/// # Errors
/// 409 `claim_unreadable`.
pub fn city(claim: &Claim) -> Result<Option<CashCity>> {
    let city = claim.references.city.as_deref().map(serde_json::from_str).transpose();
    city.map_err(|why| unreadable(claim, "city", why))
}

/// The tolerated difference from the agreed amount: the fixed part and the percentage together, rounded
/// down; `None`
/// when the direction had no tolerance of its own.
///
/// # Errors
/// 409 `claim_unreadable`.
pub fn tolerated(claim: &Claim) -> Result<Option<Amount>> {
    let Some(tolerance) = agreed(claim)?.tolerance else { return Ok(None) };
    if tolerance.amount_fixed.is_none() && tolerance.amount_percent.is_none() {
        return Ok(None);
    }
    let wrong = |why: &'static str| unreadable(claim, "tolerance", why);
    let fixed =
        tolerance.amount_fixed.map_or(Ok(claim.give.zero()), |fixed| amount_of(claim, "tolerance", fixed, &claim.give))?;
    let percent = tolerance.amount_percent.unwrap_or_default();
    if percent.is_sign_negative() {
        return Err(wrong("a percent is below zero"));
    }
    let agreed = i128::from(claim.give.amount.units());
    let hundred = 10_i128.pow(percent.scale()) * 100;
    let part = agreed.checked_mul(percent.mantissa()).ok_or_else(|| wrong("a percent is too long"))?.div_euclid(hundred);
    let both = (i128::from(fixed.units()) + part).clamp(0, agreed / TOLERATED_PART);
    i64::try_from(both).map(|units| Some(claim.give.of(units))).map_err(|_| wrong("a percent is too great"))
}

/// Whether an amount is within the tolerance of the agreed one, as it was when the terms were agreed.
///
/// # Errors
/// 409 `claim_unreadable`.
pub fn passes_for_agreed(claim: &Claim, received: Amount) -> Result<bool> {
    let tolerated = tolerated(claim)?.map_or(0, |tolerated| tolerated.units().unsigned_abs());
    received.compare(claim.give.amount)?;
    Ok(received.units().abs_diff(claim.give.amount.units()) <= tolerated)
}

/// The fixed fees of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fees {
    /// At most the give amount.
    pub give: Amount,
    pub receive: Amount,
}

impl Fees {
    /// The fixed fees of a claim.
    ///
    /// # Errors
    /// 409 `claim_unreadable`, also for a fee that is no exact amount of its currency.
    pub fn of(claim: &Claim) -> Result<Self> {
        let fees = agreed(claim)?.fees;
        let give = amount_of(claim, "fees", fees.give.fixed, &claim.give)?;
        Ok(Self {
            give: if give.compare(claim.give.amount)?.is_gt() { claim.give.amount } else { give },
            receive: amount_of(claim, "fees", fees.receive.fixed, &claim.receive)?,
        })
    }
}

/// A stored amount of a side's currency.
fn amount_of(claim: &Claim, what: &'static str, stored: Decimal, side: &ClaimSide) -> Result<Amount> {
    let amount = Amount::exact(stored, side.amount.currency()).map_err(|why| unreadable(claim, what, why))?;
    if amount.units() < 0 { Err(unreadable(claim, what, "an amount is below zero")) } else { Ok(amount) }
}

/// Checks that all stored values of a claim can be read.
///
/// # Errors
/// 409 `claim_unreadable`.
pub fn check(claim: &Claim, vault: &Vault) -> Result<()> {
    Fees::of(claim)?;
    tolerated(claim)?;
    claim.rate()?;
    claim.bonus()?;
    claim.give_requisites(vault)?;
    claim.receive_requisites(vault)?;
    claim.refund_requisites(vault)?;
    claim.offer(OfferedAmount::Received)?;
    claim.offer(OfferedAmount::Agreed)?;
    city(claim)?;
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use agio_core::texts::Locale;
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::*;
    use crate::rules::claim::tests::{claim, sealed, vault};
    use crate::rules::claim::{RECEIVE_REQUISITES, REFUND_REQUISITES};

    /// Terms as the calculator writes them, with these fixed fees.
    pub(crate) fn terms(give_fee: &str, receive_fee: &str) -> String {
        written(give_fee, receive_fee).to_string()
    }

    fn written(give_fee: &str, receive_fee: &str) -> Value {
        json!({
            "fees": { "give": { "fixed": give_fee, "percent": "0" }, "receive": { "fixed": receive_fee, "percent": "0" } },
            "source": { "ru": "рынок", "en": "market" }, "explanation": { "ru": "рынок", "en": "market" },
            "ratesOf": null, "steps": {}, "rate": "6000000", "tiers": [], "giveDigits": 8, "receiveDigits": 2,
        })
    }

    fn with_tolerance(tolerance: Value) -> String {
        let mut terms = written("0", "0");
        terms["tolerance"] = tolerance;
        terms.to_string()
    }

    #[test]
    fn a_tolerance_is_both_its_parts_rounded_down_and_a_tenth_at_most() {
        let tolerated = |fixed: Option<&str>, percent: Option<&str>, units| {
            let mut claim = claim();
            claim.give.amount = claim.give.of(units);
            claim.terms.json = with_tolerance(json!({ "latePercent": "1", "amountFixed": fixed, "amountPercent": percent }));
            super::tolerated(&claim).unwrap().map(Amount::units)
        };
        let both = (Some("0.00000005"), Some("1.5"));
        assert_eq!(tolerated(both.0, both.1, 1_000), Some(20));
        assert_eq!(tolerated(both.0, both.1, 1_060), Some(20), "15.9 units are 15");
        assert_eq!(tolerated(both.0, both.1, 40), Some(4));
        assert_eq!(tolerated(None, Some("10"), i64::MAX), Some(i64::MAX / 10));
        assert_eq!(tolerated(Some("0"), None, 1_000), Some(0), "nothing is a rule, too");
        assert_eq!(tolerated(None, None, 1_000), None);
        assert_eq!(super::tolerated(&claim()).unwrap(), None);
    }

    #[test]
    fn what_the_calculator_wrote_is_read_whole() {
        let mut claim = claim();
        claim.terms.json = terms("0.0001", "1.50");
        assert_eq!(agreed(&claim).unwrap().explanation.get(Locale::En), "market");
        assert_eq!(Fees::of(&claim).unwrap(), Fees { give: claim.give.of(10_000), receive: claim.receive.of(150) });
        check(&claim, &vault()).unwrap();
    }

    #[test]
    fn no_damage_is_taken_for_nothing() {
        let whole = written("0.0001", "1.50");
        let mut damaged: Vec<String> =
            vec![String::new(), "{}".into(), "null".into(), "[]".into(), whole.to_string()[1..].into()];
        for field in whole.as_object().unwrap().keys() {
            // The day of the rates is null when it is the day of the claim, and a text otherwise.
            if field != "ratesOf" {
                let mut terms = whole.clone();
                terms.as_object_mut().unwrap().remove(field);
                damaged.push(terms.to_string());
            }
            for value in [json!("?"), json!(-1), json!([7])] {
                if field != "steps" && (field != "ratesOf" || !value.is_string()) {
                    let mut terms = whole.clone();
                    terms[field] = value;
                    damaged.push(terms.to_string());
                }
            }
        }
        for (side, part) in [("give", "fixed"), ("give", "percent"), ("receive", "fixed"), ("receive", "percent")] {
            for value in [json!(""), json!("1,5"), json!(1.5), json!(null), json!("1e3")] {
                let mut terms = whole.clone();
                terms["fees"][side][part] = value;
                damaged.push(terms.to_string());
            }
        }
        let mut fine = whole.clone();
        fine["fees"]["receive"]["fixed"] = json!("1.501");
        damaged.push(fine.to_string());
        fine["fees"]["receive"]["fixed"] = json!("-1");
        damaged.push(fine.to_string());
        for network in [json!({ "payer": "bank", "amount": "1" }), json!({ "payer": "customer", "amount": 1 }), json!("1")] {
            let mut terms = whole.clone();
            terms["fees"]["network"] = network;
            damaged.push(terms.to_string());
        }
        damaged.push(with_tolerance(json!({ "latePercent": null, "amountFixed": null })));
        damaged.push(with_tolerance(json!({ "latePercent": null, "amountFixed": "x", "amountPercent": null })));
        damaged.push(with_tolerance(json!({ "latePercent": null, "amountFixed": null, "amountPercent": "-5" })));
        for terms in damaged {
            let mut claim = claim();
            claim.terms.json.clone_from(&terms);
            assert_eq!(check(&claim, &vault()).map_err(|refused| refused.code()), Err("claim_unreadable"), "{terms}");
        }
        type Damage = fn(&mut Claim);
        let columns: [(&str, Damage); 10] = [
            ("rate", |claim| claim.terms.rate = "6 000 000".into()),
            ("bonus", |claim| claim.terms.bonus = String::new()),
            ("from", |claim| claim.give.requisites = "[]".into()),
            ("to", |claim| claim.receive.requisites = sealed(RECEIVE_REQUISITES, r#"[{"name":"card"}]"#)),
            ("refund", |claim| claim.refund_requisites = Some(sealed(REFUND_REQUISITES, "["))),
            ("from in the place of to", |claim| claim.receive.requisites.clone_from(&claim.give.requisites)),
            ("another claim's", |claim| claim.id = Uuid::max()),
            ("city", |claim| claim.references.city = Some(r#"{"code":"MSK"}"#.into())),
            ("offer", |claim| claim.progress.offer = Some("{}".into())),
            ("offer for the agreed amount", |claim| claim.progress.surplus_offer = Some("{}".into())),
        ];
        for (column, damage) in columns {
            let mut claim = claim();
            damage(&mut claim);
            assert_eq!(check(&claim, &vault()).map_err(|refused| refused.code()), Err("claim_unreadable"), "{column}");
        }
    }
}

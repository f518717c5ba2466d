//! What follows from the terms kept with a claim. What cannot be read stops whatever asked for it: nothing is paid or booked by a guess.

use agio_core::needs::AgreedTerms;
use agio_core::{Amount, Error, Result, Vault};
use rust_decimal::Decimal;

use super::Claim;

/// No tolerance is more than this part of what was agreed on, whatever is set.
const TOLERATED_PART: i128 = 10;

/// The refusal to act on something stored with a claim that cannot be read.
pub fn unreadable(claim: &Claim, what: &'static str, why: impl std::fmt::Display) -> Error {
    Error::conflict("claim_unreadable").with("number", claim.public_id).caused_by(format!("{what}: {why}"))
}

/// The terms of a claim.
///
/// # Errors
/// 409 `claim_unreadable`.
pub fn agreed(claim: &Claim) -> Result<AgreedTerms> {
    serde_json::from_str(&claim.terms).map_err(|why| unreadable(claim, "terms", why))
}

/// How much less or more than the agreed amount may come, in its units: the fixed part and the percent together, rounded down; nothing
/// where the direction had no rule of its own.
///
/// # Errors
/// 409 `claim_unreadable`.
pub fn tolerated(claim: &Claim) -> Result<Option<i64>> {
    let Some(tolerance) = agreed(claim)?.tolerance else { return Ok(None) };
    if tolerance.amount_fixed.is_none() && tolerance.amount_percent.is_none() {
        return Ok(None);
    }
    let wrong = |why: &'static str| unreadable(claim, "tolerance", why);
    let fixed = tolerance.amount_fixed.map_or(Ok(0), |fixed| units_of(claim, "tolerance", fixed, claim.send()))?;
    let percent = tolerance.amount_percent.unwrap_or_default();
    if percent.is_sign_negative() {
        return Err(wrong("a percent is below zero"));
    }
    let agreed = i128::from(claim.send_units);
    let hundred = 10_i128.pow(percent.scale()) * 100;
    let part = agreed.checked_mul(percent.mantissa()).ok_or_else(|| wrong("a percent is too long"))?.div_euclid(hundred);
    let both = (i128::from(fixed) + part).clamp(0, agreed / TOLERATED_PART);
    i64::try_from(both).map(Some).map_err(|_| wrong("a percent is too great"))
}

/// Whether an amount passes for the agreed one, by the rule the claim's direction had when its terms were agreed on.
///
/// # Errors
/// 409 `claim_unreadable`.
pub fn passes_for_agreed(claim: &Claim, came: i64) -> Result<bool> {
    let tolerated = tolerated(claim)?.unwrap_or(0);
    Ok(came.abs_diff(claim.send_units) <= tolerated.unsigned_abs())
}

/// The fixed fees of a claim in units of the two currencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fees {
    /// In units of the sent currency, at most what is sent.
    pub sent: i64,
    /// In units of the received currency.
    pub received: i64,
}

impl Fees {
    /// The fixed fees of a claim.
    ///
    /// # Errors
    /// 409 `claim_unreadable`, also for a fee that is no exact amount of its currency.
    pub fn of(claim: &Claim) -> Result<Self> {
        let fees = agreed(claim)?.fees;
        Ok(Self {
            sent: units_of(claim, "fees", fees.from.fixed, claim.send())?.min(claim.send_units),
            received: units_of(claim, "fees", fees.to.fixed, claim.receive())?,
        })
    }
}

/// A stored amount in units of a currency.
fn units_of(claim: &Claim, what: &'static str, amount: Decimal, like: Amount) -> Result<i64> {
    let units = Amount::exact(amount, like.scale()).map_err(|why| unreadable(claim, what, why))?.units();
    if units < 0 { Err(unreadable(claim, what, "an amount is below zero")) } else { Ok(units) }
}

/// Whether all that is stored with a claim can be read.
///
/// # Errors
/// 409 `claim_unreadable`.
pub fn check(claim: &Claim, vault: &Vault) -> Result<()> {
    Fees::of(claim)?;
    tolerated(claim)?;
    claim.course()?;
    claim.bonus()?;
    claim.from_requisites(vault)?;
    claim.to_requisites(vault)?;
    claim.refund_requisites(vault)?;
    claim.offer()?;
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use agio_core::texts::Locale;
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::*;
    use crate::rules::claim::tests::{claim, sealed, vault};
    use crate::rules::claim::{REFUND, TO};

    /// Terms as the calculator writes them, with these fixed fees.
    pub(crate) fn terms(fee_from: &str, fee_to: &str) -> String {
        written(fee_from, fee_to).to_string()
    }

    fn written(fee_from: &str, fee_to: &str) -> Value {
        json!({
            "fees": { "from": { "fixed": fee_from, "percent": "0" }, "to": { "fixed": fee_to, "percent": "0" } },
            "source": { "ru": "рынок", "en": "market" }, "explanation": { "ru": "рынок", "en": "market" },
            "ratesOf": null, "steps": {}, "course": "6000000", "tiers": [], "digitsFrom": 8, "digitsTo": 2,
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
            claim.send_units = units;
            claim.terms = with_tolerance(json!({ "latePercent": "1", "amountFixed": fixed, "amountPercent": percent }));
            super::tolerated(&claim).unwrap()
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
        claim.terms = terms("0.0001", "1.50");
        assert_eq!(agreed(&claim).unwrap().explanation.get(Locale::En), "market");
        assert_eq!(Fees::of(&claim).unwrap(), Fees { sent: 10_000, received: 150 });
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
        for (side, part) in [("from", "fixed"), ("from", "percent"), ("to", "fixed"), ("to", "percent")] {
            for value in [json!(""), json!("1,5"), json!(1.5), json!(null), json!("1e3")] {
                let mut terms = whole.clone();
                terms["fees"][side][part] = value;
                damaged.push(terms.to_string());
            }
        }
        let mut fine = whole.clone();
        fine["fees"]["to"]["fixed"] = json!("1.501");
        damaged.push(fine.to_string());
        fine["fees"]["to"]["fixed"] = json!("-1");
        damaged.push(fine.to_string());
        damaged.push(with_tolerance(json!({ "latePercent": null, "amountFixed": null })));
        damaged.push(with_tolerance(json!({ "latePercent": null, "amountFixed": "x", "amountPercent": null })));
        damaged.push(with_tolerance(json!({ "latePercent": null, "amountFixed": null, "amountPercent": "-5" })));
        for terms in damaged {
            let mut claim = claim();
            claim.terms.clone_from(&terms);
            assert_eq!(check(&claim, &vault()).map_err(|refused| refused.code()), Err("claim_unreadable"), "{terms}");
        }
        type Damage = fn(&mut Claim);
        let columns: [(&str, Damage); 8] = [
            ("course", |claim| claim.course = "6 000 000".into()),
            ("bonus", |claim| claim.bonus = String::new()),
            ("from", |claim| claim.from_requisites = "[]".into()),
            ("to", |claim| claim.to_requisites = sealed(TO, r#"[{"name":"card"}]"#)),
            ("refund", |claim| claim.refund_requisites = Some(sealed(REFUND, "["))),
            ("from in the place of to", |claim| claim.to_requisites.clone_from(&claim.from_requisites)),
            ("another claim's", |claim| claim.id = Uuid::max()),
            ("offer", |claim| claim.offer = Some("{}".into())),
        ];
        for (column, damage) in columns {
            let mut claim = claim();
            damage(&mut claim);
            assert_eq!(check(&claim, &vault()).map_err(|refused| refused.code()), Err("claim_unreadable"), "{column}");
        }
    }
}

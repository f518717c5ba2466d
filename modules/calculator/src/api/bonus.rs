//! What the answer of a pair says about a bonus: what it is given for, what bounded it, and what became of a promo code.

use agio_core::error::Params;
use agio_core::needs::{BonusKind, BonusPart, PromoSeen};
use agio_core::texts::{Locale, Texts};
use agio_http::{Dec, Null};
use poem_openapi::{Enum, Object};
use serde::Serialize;

use crate::market::{Cut, Lifted, wording};

/// What a part of a bonus is given for.
#[derive(Clone, Copy, Debug, Serialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
pub enum CalculatorBonusKind {
    /// The volume of the account's exchanges.
    Tier,
    /// A promo code.
    Promo,
}

/// A part of a bonus.
#[derive(Debug, Serialize, Object)]
pub struct CalculatorBonus {
    /// What it is given for.
    kind: CalculatorBonusKind,
    /// Percent it adds to the course.
    percent: Dec,
    /// The promo code; null for another part.
    code: Null<String>,
    /// What it is given for, in the caller's language.
    text: String,
}

impl CalculatorBonus {
    pub(super) fn of(part: &BonusPart, texts: &Texts, locale: Locale) -> Self {
        let kind = match part.kind {
            BonusKind::Tier => CalculatorBonusKind::Tier,
            BonusKind::Promo => CalculatorBonusKind::Promo,
        };
        let text = wording::bonus_reason(texts, locale, part);
        Self { kind, percent: Dec(part.percent), code: Null(part.code.clone()), text }
    }
}

/// What bounds a bonus.
#[derive(Clone, Copy, Debug, Serialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
pub enum CalculatorBonusBound {
    /// The most that bonuses may add.
    Most,
    /// The market's rate: no course goes above it.
    Market,
}

/// Why a bonus is smaller than its parts.
#[derive(Debug, Serialize, Object)]
pub struct CalculatorBonusCut {
    /// What bounds it.
    bound: CalculatorBonusBound,
    /// What its parts add up to, in percent.
    asked: Dec,
    /// The same in a sentence, in the caller's language.
    text: String,
}

impl CalculatorBonusCut {
    pub(super) fn of(lifted: &Lifted<'_>, texts: &Texts, locale: Locale) -> Option<Self> {
        let cut = lifted.cut?;
        let bound = match cut {
            Cut::Most => CalculatorBonusBound::Most,
            Cut::Market => CalculatorBonusBound::Market,
        };
        let asked = Dec(lifted.parts.iter().map(|part| part.percent).sum());
        Some(Self { bound, asked, text: wording::bonus_cut(texts, locale, cut, lifted.percent) })
    }
}

/// A promo code that was asked with.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct CalculatorPromo {
    /// The code in its normal form.
    code: String,
    /// Whether it makes the course better.
    ok: bool,
    /// Why not: `promo_unknown`, `promo_expired`, `promo_used_up` or `promo_adds_nothing`; null where it does.
    reason: Null<String>,
    /// What is to be said about it, in the caller's language; empty where nothing is.
    text: String,
    /// What a claim must be worth at least to be made with it; null where any may.
    min: Null<CalculatorPromoMin>,
}

/// What a claim must be worth at least.
#[derive(Debug, Serialize, Object)]
pub struct CalculatorPromoMin {
    /// How much.
    amount: Dec,
    /// The currency it is counted in.
    ticker: String,
}

impl CalculatorPromo {
    pub(super) fn of(seen: &PromoSeen, lifted: &Lifted<'_>, texts: &Texts, locale: Locale) -> Self {
        let reason = seen.refusal.or_else(|| lifted.useful_promo().is_none().then_some("promo_adds_nothing"));
        let text = match (reason, &seen.least) {
            (Some(reason), _) => texts.get(locale, reason, &Params::new()),
            (None, Some(least)) => {
                let params = Params::from([("min", wording::number(locale, least.amount)), ("currency", least.ticker.clone())]);
                texts.get(locale, "bonus.promo_from", &params)
            }
            (None, None) => String::new(),
        };
        let least = seen.least.as_ref().filter(|_| reason.is_none());
        Self {
            code: seen.code.clone(),
            ok: reason.is_none(),
            reason: Null(reason.map(str::to_owned)),
            text,
            min: Null(least.map(|least| CalculatorPromoMin { amount: Dec(least.amount), ticker: least.ticker.clone() })),
        }
    }
}

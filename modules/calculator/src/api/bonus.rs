//! The bonus of a pair: its parts, its limit and the promo code status.

use agio_contracts::{BonusKind, BonusPart, PromoCodeCheck, PromoCodeRefusal};
use agio_core::error::Params;
use agio_core::texts::{Locale, Texts};
use agio_http::{ApiEnum, Dec, Nullable, body};

use crate::market::{BonusLimit, BonusRate, rate_text};

/// A part of the bonus.
#[body(response)]
#[derive(Debug)]
pub struct PairBonus {
    /// What the part is given for.
    kind: ApiEnum<BonusKind>,
    /// Percent added to the rate.
    percent: Dec,
    /// The promo code. Null for other kinds.
    code: Nullable<String>,
    /// What the part is given for, in the request's language.
    text: String,
}

impl PairBonus {
    pub(super) fn of(part: &BonusPart, texts: &Texts, locale: Locale) -> Self {
        let text = rate_text::bonus_reason(texts, locale, part);
        Self { kind: part.kind.into(), percent: Dec(part.percent), code: Nullable(part.code.clone()), text }
    }
}

/// Why the bonus is smaller than the sum of its parts.
#[body(response)]
#[derive(Debug)]
pub struct BonusReduction {
    /// The limit that applies.
    bound: ApiEnum<BonusLimit>,
    /// Sum of the parts, in percent.
    asked: Dec,
    /// Explanation in the request's language.
    text: String,
}

impl BonusReduction {
    pub(super) fn of(bonus_rate: &BonusRate<'_>, texts: &Texts, locale: Locale) -> Option<Self> {
        let cap = bonus_rate.cap?;
        let asked = Dec(bonus_rate.parts.iter().map(|part| part.percent).sum());
        Some(Self { bound: cap.into(), asked, text: rate_text::bonus_cut(texts, locale, cap, bonus_rate.percent) })
    }
}

agio_core::named! {
    /// Why a promo code does not improve the rate.
    PromoCodeIssue {
        /// The code does not exist.
        Unknown = "promo_unknown",
        /// The code is no longer valid.
        Expired = "promo_expired",
        /// The usage limit is reached.
        UsedUp = "promo_used_up",
        /// The code does not improve the rate of this pair.
        AddsNothing = "promo_adds_nothing",
    }
}

impl From<PromoCodeRefusal> for PromoCodeIssue {
    fn from(refusal: PromoCodeRefusal) -> Self {
        match refusal {
            PromoCodeRefusal::Unknown => Self::Unknown,
            PromoCodeRefusal::Expired => Self::Expired,
            PromoCodeRefusal::UsedUp => Self::UsedUp,
        }
    }
}

/// Result for the promo code in the request.
#[body(response)]
#[derive(Debug)]
pub struct PromoCodeResult {
    /// Normalized code.
    code: String,
    /// Whether the code improves the rate.
    ok: bool,
    /// Why the code does not improve the rate. Null if it does.
    reason: Nullable<ApiEnum<PromoCodeIssue>>,
    /// Message to show, in the request's language. May be empty.
    text: String,
    /// Minimum claim value for the code. Null if there is no minimum.
    min: Nullable<PromoCodeMinimum>,
}

/// Minimum claim value.
#[body(response)]
#[derive(Debug)]
pub struct PromoCodeMinimum {
    /// Amount.
    amount: Dec,
    /// Ticker of the amount.
    ticker: String,
}

impl PromoCodeResult {
    pub(super) fn of(check: &PromoCodeCheck, bonus_rate: &BonusRate<'_>, texts: &Texts, locale: Locale) -> Self {
        let adds_nothing = || bonus_rate.useful_promo().is_none().then_some(PromoCodeIssue::AddsNothing);
        let reason = check.refusal.map(PromoCodeIssue::from).or_else(adds_nothing);
        let text = match (reason, &check.least) {
            (Some(reason), _) => texts.get(locale, reason.name(), &Params::new()),
            (None, Some(least)) => {
                let params = Params::from([("min", rate_text::number(locale, least.amount)), ("currency", least.ticker.clone())]);
                texts.get(locale, "bonus.promo_from", &params)
            }
            (None, None) => String::new(),
        };
        let least = check.least.as_ref().filter(|_| reason.is_none());
        Self {
            code: check.code.clone(),
            ok: reason.is_none(),
            reason: Nullable(reason.map(ApiEnum)),
            text,
            min: Nullable(least.map(|least| PromoCodeMinimum { amount: Dec(least.amount), ticker: least.ticker.clone() })),
        }
    }
}

//! What the console's calls about the market have in common.

use agio_core::texts::Bilingual;
use agio_http::{Dec, Null};
use poem_openapi::Object;
use serde::{Deserialize, Deserializer, Serialize};

use crate::market;
use crate::model::limits::{SetLimits, SetRange};
use crate::model::pricing::{Fee, TierRule};

/// A text in both languages.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields)]
pub struct MarketText {
    /// In Russian.
    pub ru: String,
    /// In English.
    pub en: String,
}

impl From<&Bilingual> for MarketText {
    fn from(text: &Bilingual) -> Self {
        Self { ru: text.ru.clone(), en: text.en.clone() }
    }
}

impl From<MarketText> for Bilingual {
    fn from(text: MarketText) -> Self {
        Self { ru: text.ru, en: text.en }
    }
}

/// A fee.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields)]
pub struct MarketFee {
    /// Taken once, in the currency of its side.
    fixed: Dec,
    /// In percent of the amount of its side.
    percent: Dec,
}

/// Fees of both sides.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields)]
pub struct MarketFees {
    /// On the sent side.
    pub from: MarketFee,
    /// On the received side.
    pub to: MarketFee,
}

impl From<Fee> for MarketFee {
    fn from(fee: Fee) -> Self {
        Self { fixed: Dec(fee.fixed), percent: Dec(fee.percent) }
    }
}

impl From<MarketFee> for Fee {
    fn from(fee: MarketFee) -> Self {
        Self { fixed: fee.fixed.0, percent: fee.percent.0 }
    }
}

/// A better or worse rate from a sent amount on.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct MarketTier {
    /// Least sent amount.
    min: Dec,
    /// Percent added to the course; negative takes away.
    add_percent: Dec,
}

impl From<&TierRule> for MarketTier {
    fn from(tier: &TierRule) -> Self {
        Self { min: Dec(tier.min_send), add_percent: Dec(tier.add_percent) }
    }
}

impl From<MarketTier> for TierRule {
    fn from(tier: MarketTier) -> Self {
        Self { min_send: tier.min.0, add_percent: tier.add_percent.0 }
    }
}

/// Limits of one side; null where none is set.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields)]
pub struct MarketRange {
    /// Least amount.
    min: Null<Dec>,
    /// Greatest amount.
    max: Null<Dec>,
}

/// Limits of both sides.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields)]
pub struct MarketLimits {
    /// Of the sent amount.
    pub from: MarketRange,
    /// Of the received amount.
    pub to: MarketRange,
}

impl MarketRange {
    /// A range both of whose ends are known.
    pub fn between(min: Option<rust_decimal::Decimal>, max: Option<rust_decimal::Decimal>) -> Self {
        Self { min: Null(min.map(Dec)), max: Null(max.map(Dec)) }
    }
}

impl From<SetRange> for MarketRange {
    fn from(range: SetRange) -> Self {
        Self::between(range.min, range.max)
    }
}

impl From<MarketRange> for SetRange {
    fn from(range: MarketRange) -> Self {
        Self { min: range.min.0.map(|min| min.0), max: range.max.0.map(|max| max.0) }
    }
}

impl From<SetLimits> for MarketLimits {
    fn from(limits: SetLimits) -> Self {
        Self { from: limits.from.into(), to: limits.to.into() }
    }
}

impl From<MarketLimits> for SetLimits {
    fn from(limits: MarketLimits) -> Self {
        Self { from: limits.from.into(), to: limits.to.into() }
    }
}

/// How far a payment may be from what was agreed on before the customer is asked; null where the rule of the house holds.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct MarketTolerance {
    /// By less than how many percent the course may have moved when a payment comes late, 0 to 10; at 0 everybody is asked. Null: the
    /// setting `claims.late_tolerance_hundredths`.
    late_percent: Null<Dec>,
    /// How much less or more may come, in the sent currency. If this and the percent are null, what is set for payments in the currency.
    amount_fixed: Null<Dec>,
    /// The same in percent of what is sent, 0 to 10. Both together count, and never more than a tenth of what is sent.
    amount_percent: Null<Dec>,
}

impl From<market::Tolerance> for MarketTolerance {
    fn from(tolerance: market::Tolerance) -> Self {
        let shown = |value: Option<rust_decimal::Decimal>| Null(value.map(Dec));
        Self {
            late_percent: shown(tolerance.late_percent),
            amount_fixed: shown(tolerance.amount_fixed),
            amount_percent: shown(tolerance.amount_percent),
        }
    }
}

impl From<MarketTolerance> for market::Tolerance {
    fn from(tolerance: MarketTolerance) -> Self {
        let set = |value: Null<Dec>| value.0.map(|value| value.0);
        Self {
            late_percent: set(tolerance.late_percent),
            amount_fixed: set(tolerance.amount_fixed),
            amount_percent: set(tolerance.amount_percent),
        }
    }
}

/// A notice in one language.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields)]
pub struct MarketNoticeText {
    /// The heading: plain text.
    title: String,
    /// The message: HTML with paragraphs, emphasis, lists and links to https; everything else is taken out.
    message: String,
}

/// A notice in both languages.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields)]
pub struct MarketNotice {
    /// In Russian.
    ru: MarketNoticeText,
    /// In English.
    en: MarketNoticeText,
}

/// The notices of a pair; null where there is none.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields)]
pub struct MarketNotices {
    /// For whoever chooses the pair.
    general: Null<MarketNotice>,
    /// About sending.
    from: Null<MarketNotice>,
    /// About receiving.
    to: Null<MarketNotice>,
}

impl From<&market::Notices> for MarketNotices {
    fn from(notices: &market::Notices) -> Self {
        let text = |text: &market::Notice| MarketNoticeText { title: text.title.clone(), message: text.message.clone() };
        let notice = |notice: &Option<market::BilingualNotice>| {
            Null(notice.as_ref().map(|notice| MarketNotice { ru: text(&notice.ru), en: text(&notice.en) }))
        };
        Self { general: notice(&notices.general), from: notice(&notices.from), to: notice(&notices.to) }
    }
}

impl From<MarketNotices> for market::Notices {
    fn from(notices: MarketNotices) -> Self {
        let text = |text: MarketNoticeText| market::Notice { title: text.title, message: text.message };
        let notice = |notice: Null<MarketNotice>| {
            notice.0.map(|notice| market::BilingualNotice { ru: text(notice.ru), en: text(notice.en) })
        };
        Self { general: notice(notices.general), from: notice(notices.from), to: notice(notices.to) }
    }
}

/// Reads a field that may be null, so that null can be told from a field left out.
pub fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

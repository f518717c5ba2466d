//! Bodies shared by the market's admin API.

use agio_core::texts::Bilingual;
use agio_http::{Dec, Nullable, body};
use serde::{Deserialize, Deserializer};

use crate::market;
use crate::model::limits::{ConfiguredLimits, ConfiguredRange};
use crate::model::pricing::{Fee, TierRule};

/// A text in both languages.
#[body(shared)]
#[derive(Clone, Debug)]
pub struct LocalizedName {
    /// Russian.
    pub ru: String,
    /// English.
    pub en: String,
}

impl From<&Bilingual> for LocalizedName {
    fn from(text: &Bilingual) -> Self {
        Self { ru: text.ru.clone(), en: text.en.clone() }
    }
}

impl From<LocalizedName> for Bilingual {
    fn from(text: LocalizedName) -> Self {
        Self { ru: text.ru, en: text.en }
    }
}

/// A fee.
#[body(shared)]
#[derive(Clone, Copy, Debug)]
pub struct PairFee {
    /// Fixed part, in the currency of this side.
    fixed: Dec,
    /// Percentage of the amount on this side.
    percent: Dec,
}

/// Fees on both sides.
#[body(shared)]
#[derive(Clone, Copy, Debug)]
pub struct PairFees {
    /// Give side.
    pub from: PairFee,
    /// Receive side.
    pub to: PairFee,
}

impl From<Fee> for PairFee {
    fn from(fee: Fee) -> Self {
        Self { fixed: Dec(fee.fixed), percent: Dec(fee.percent) }
    }
}

impl From<PairFee> for Fee {
    fn from(fee: PairFee) -> Self {
        Self { fixed: fee.fixed.0, percent: fee.percent.0 }
    }
}

/// A rate tier.
#[body(shared)]
#[derive(Clone, Copy, Debug)]
pub struct PairTier {
    /// Minimum give amount.
    min: Dec,
    /// Percent added to the rate; may be negative.
    add_percent: Dec,
}

impl From<&TierRule> for PairTier {
    fn from(tier: &TierRule) -> Self {
        Self { min: Dec(tier.min_give), add_percent: Dec(tier.add_percent) }
    }
}

impl From<PairTier> for TierRule {
    fn from(tier: PairTier) -> Self {
        Self { min_give: tier.min.0, add_percent: tier.add_percent.0 }
    }
}

/// Limits of one side. Null where no limit is set.
#[body(shared)]
#[derive(Clone, Debug)]
pub struct PairAmountRange {
    /// Minimum amount.
    min: Nullable<Dec>,
    /// Maximum amount.
    max: Nullable<Dec>,
    /// Amounts are multiples of this.
    #[oai(default)]
    step: Nullable<Dec>,
}

/// Limits on both sides.
#[body(shared)]
#[derive(Clone, Debug)]
pub struct PairLimits {
    /// Limits of the give amount.
    pub from: PairAmountRange,
    /// Limits of the receive amount.
    pub to: PairAmountRange,
}

impl From<ConfiguredRange> for PairAmountRange {
    fn from(range: ConfiguredRange) -> Self {
        let shown = |value: Option<rust_decimal::Decimal>| Nullable(value.map(Dec));
        Self { min: shown(range.min), max: shown(range.max), step: shown(range.step) }
    }
}

impl From<PairAmountRange> for ConfiguredRange {
    fn from(range: PairAmountRange) -> Self {
        let set = |value: Nullable<Dec>| value.0.map(|value| value.0);
        Self { min: set(range.min), max: set(range.max), step: set(range.step) }
    }
}

impl From<ConfiguredLimits> for PairLimits {
    fn from(limits: ConfiguredLimits) -> Self {
        Self { from: limits.give.into(), to: limits.receive.into() }
    }
}

impl From<PairLimits> for ConfiguredLimits {
    fn from(limits: PairLimits) -> Self {
        Self { give: limits.from.into(), receive: limits.to.into() }
    }
}

/// Tolerance for payments that differ from the agreed terms. Null values use the global rules.
#[body(shared)]
#[derive(Clone, Debug)]
pub struct PairTolerance {
    /// A late payment is accepted if the rate moved by less than this many percent, 0 to 10. At 0 the customer is
    /// always asked. Null uses the setting `claims.late_tolerance_bps`.
    late_percent: Nullable<Dec>,
    /// Accepted difference in the give currency. If this and the percentage are null, the currency's payment settings
    /// apply.
    amount_fixed: Nullable<Dec>,
    /// Accepted difference in percent of the give amount, 0 to 10. Added to the fixed tolerance; together at most a
    /// tenth of the give amount.
    amount_percent: Nullable<Dec>,
}

impl From<market::Tolerance> for PairTolerance {
    fn from(tolerance: market::Tolerance) -> Self {
        let shown = |value: Option<rust_decimal::Decimal>| Nullable(value.map(Dec));
        Self {
            late_percent: shown(tolerance.late_percent),
            amount_fixed: shown(tolerance.amount_fixed),
            amount_percent: shown(tolerance.amount_percent),
        }
    }
}

impl From<PairTolerance> for market::Tolerance {
    fn from(tolerance: PairTolerance) -> Self {
        let set = |value: Nullable<Dec>| value.0.map(|value| value.0);
        Self {
            late_percent: set(tolerance.late_percent),
            amount_fixed: set(tolerance.amount_fixed),
            amount_percent: set(tolerance.amount_percent),
        }
    }
}

/// A notice in one language.
#[body(shared)]
#[derive(Clone, Debug)]
pub struct NoticeContent {
    /// Title, plain text.
    title: String,
    /// Message. HTML with paragraphs, emphasis, lists and https links; everything else is removed.
    message: String,
}

/// A notice in both languages.
#[body(shared)]
#[derive(Clone, Debug)]
pub struct LocalizedNotice {
    /// Russian.
    ru: NoticeContent,
    /// English.
    en: NoticeContent,
}

/// The notices of a pair. Null where there is none.
#[body(shared)]
#[derive(Clone, Debug)]
pub struct LocalizedPairNotices {
    /// Shown when the pair is selected.
    general: Nullable<LocalizedNotice>,
    /// About the give side.
    from: Nullable<LocalizedNotice>,
    /// About the receive side.
    to: Nullable<LocalizedNotice>,
}

impl From<&market::BilingualNotice> for LocalizedNotice {
    fn from(notice: &market::BilingualNotice) -> Self {
        let text = |text: &market::NoticeText| NoticeContent { title: text.title.clone(), message: text.message.clone() };
        Self { ru: text(&notice.ru), en: text(&notice.en) }
    }
}

impl From<LocalizedNotice> for market::BilingualNotice {
    fn from(notice: LocalizedNotice) -> Self {
        let text = |text: NoticeContent| market::NoticeText { title: text.title, message: text.message };
        Self { ru: text(notice.ru), en: text(notice.en) }
    }
}

impl From<&market::PairNotices> for LocalizedPairNotices {
    fn from(notices: &market::PairNotices) -> Self {
        let notice = |notice: &Option<market::BilingualNotice>| Nullable(notice.as_ref().map(Into::into));
        Self { general: notice(&notices.general), from: notice(&notices.from), to: notice(&notices.to) }
    }
}

impl From<LocalizedPairNotices> for market::PairNotices {
    fn from(notices: LocalizedPairNotices) -> Self {
        let notice = |notice: Nullable<LocalizedNotice>| notice.0.map(Into::into);
        Self { general: notice(notices.general), from: notice(notices.from), to: notice(notices.to) }
    }
}

/// Reads a nullable field so that null differs from a missing field.
pub fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

//! What the console sends about contests.

use agio_core::Timestamp;
use agio_core::texts::Bilingual;
use agio_http::{Dec, Moment, Null};
use poem_openapi::Object;
use poem_openapi::types::Example;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::service::{Drawing, Plan, PlannedPrize};

/// A text in both languages.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields)]
pub struct DeskContestText {
    /// In Russian.
    pub ru: String,
    /// In English.
    pub en: String,
}

/// A prize that is planned.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeskContestPrizePlan {
    /// The currency.
    currency_id: i64,
    /// How much.
    amount: Dec,
}

/// A contest as it is planned.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct DeskContestPlan {
    /// What it is called.
    title: DeskContestText,
    /// Its rules: plain text, an empty line between paragraphs.
    rules: DeskContestText,
    /// The value that nobody controls, such as the hash of the first Bitcoin block after `publicAt`.
    source: DeskContestText,
    /// When its period begins.
    starts_at: Moment,
    /// When it ends.
    ends_at: Moment,
    /// From when on the public value may be taken: ten minutes after the end or later.
    public_at: Moment,
    /// For how much of the base currency an exchange is one ticket; null where each exchange is one.
    per_worth: Null<Dec>,
    /// How many tickets one exchange is at most, up to 1000.
    most_weight: i64,
    /// The prizes, the first first.
    prizes: Vec<DeskContestPrizePlan>,
}

/// A contest that is planned anew.
#[derive(Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeskContestChange {
    /// The revision that was seen.
    pub revision: i64,
    /// All of the plan.
    pub plan: DeskContestPlan,
}

/// The revision somebody saw.
#[derive(Debug, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields)]
pub struct DeskContestSeen {
    /// The revision.
    pub revision: i64,
}

/// What a draw is made with.
#[derive(Debug, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields, example)]
pub struct DeskContestDrawing {
    /// The revision that was seen.
    revision: i64,
    /// The public value, letter by letter.
    value: String,
    /// Where it can be seen.
    reference: String,
}

/// A payment of a prize.
#[derive(Debug, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields, example)]
pub struct DeskContestPayment {
    /// Where it went: a transaction, a card's last digits.
    pub note: String,
}

impl Example for DeskContestPlan {
    fn example() -> Self {
        let moment = |text: &str| Moment(Timestamp::parse(text).expect("a moment"));
        let text = |ru: &str, en: &str| DeskContestText { ru: ru.into(), en: en.into() };
        Self {
            title: text("Апрельский розыгрыш", "April draw"),
            rules: text("Каждые 100 USDT обмена — билет.", "Each 100 USDT exchanged is a ticket."),
            source: text(
                "Хеш первого блока Bitcoin после 12:00 UTC 1 мая",
                "Hash of the first Bitcoin block after 12:00 UTC on 1 May",
            ),
            starts_at: moment("2024-04-01T00:00:00Z"),
            ends_at: moment("2024-05-01T00:00:00Z"),
            public_at: moment("2024-05-01T12:00:00Z"),
            per_worth: Null(Some(Dec(Decimal::ONE_HUNDRED))),
            most_weight: 100,
            prizes: vec![DeskContestPrizePlan { currency_id: 3, amount: Dec(Decimal::from(500)) }],
        }
    }
}

impl Example for DeskContestDrawing {
    fn example() -> Self {
        let value = "00000000000000000000c9b4f1b4a2d9a1b0f6f3c5e2d7a8b9c0d1e2f3a4b5c6".into();
        Self { revision: 3, value, reference: "https://mempool.space/block-height/841564".into() }
    }
}

impl Example for DeskContestPayment {
    fn example() -> Self {
        Self { note: "Card ending in 0004, by the letter of 3 May".into() }
    }
}

impl From<DeskContestText> for Bilingual {
    fn from(text: DeskContestText) -> Self {
        Self { ru: text.ru, en: text.en }
    }
}

impl From<DeskContestPlan> for Plan {
    fn from(plan: DeskContestPlan) -> Self {
        let prize = |prize: DeskContestPrizePlan| PlannedPrize { currency: prize.currency_id, amount: prize.amount.0 };
        Self {
            title: plan.title.into(),
            rules: plan.rules.into(),
            source: plan.source.into(),
            starts_at: plan.starts_at.0,
            ends_at: plan.ends_at.0,
            public_at: plan.public_at.0,
            per_worth: plan.per_worth.0.map(|each| each.0),
            most_weight: plan.most_weight,
            prizes: plan.prizes.into_iter().map(prize).collect(),
        }
    }
}

impl From<DeskContestDrawing> for Drawing {
    fn from(drawing: DeskContestDrawing) -> Self {
        Self { revision: drawing.revision, value: drawing.value, reference: drawing.reference }
    }
}

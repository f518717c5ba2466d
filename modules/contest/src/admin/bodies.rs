//! What the console is shown of contests, and what it sends.

use agio_core::texts::Bilingual;
use agio_core::{Result, Timestamp};
use agio_http::values::parse_decimal;
use agio_http::{Dec, Moment, Null};
use poem_openapi::Object;
use poem_openapi::types::Example;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Contests;
use crate::api::{ContestStanding, ContestState};
use crate::service::{Drawing, Plan, PlannedPrize, Seen};
use crate::store::{Entry, Winner};

/// A text in both languages.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields)]
pub struct DeskContestText {
    /// In Russian.
    ru: String,
    /// In English.
    en: String,
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

/// A prize.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct DeskContestPrize {
    /// From 1.
    place: i64,
    /// The currency.
    currency_id: i64,
    /// How much.
    amount: Dec,
    /// The code of the currency.
    code: String,
    /// Who won it; null until the draw, and where nobody did.
    winner: Null<DeskContestWinner>,
}

/// Who won a prize.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct DeskContestWinner {
    /// Their e-mail address.
    email: String,
    /// The number of the claim they won with.
    entry: i64,
    /// When it was paid; null while it is owed.
    paid_at: Null<Moment>,
    /// Who paid it.
    paid_by: Null<String>,
    /// Where it went.
    note: Null<String>,
}

/// A contest.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskContest {
    /// Identifier.
    id: Uuid,
    /// Where it stands.
    state: ContestState,
    /// What it is called.
    title: DeskContestText,
    /// Its rules.
    rules: DeskContestText,
    /// The value that nobody controls.
    source: DeskContestText,
    /// When its period begins.
    starts_at: Moment,
    /// When it ends.
    ends_at: Moment,
    /// From when on the public value may be taken.
    public_at: Moment,
    /// For how much of the base currency an exchange is one ticket; null where each exchange is one.
    per_worth: Null<Dec>,
    /// How many tickets one exchange is at most.
    most_weight: i64,
    /// The prizes, the first first.
    prizes: Vec<DeskContestPrize>,
    /// SHA-256 of the secret.
    commitment: String,
    /// SHA-256 of the list of entrants, once it is fixed.
    entrants_sha256: Null<String>,
    /// The public value it was drawn with.
    public_value: Null<String>,
    /// Where it can be seen.
    public_reference: Null<String>,
    /// How many exchanges take part, void ones left out.
    entries: i64,
    /// How many people.
    people: i64,
    /// How many tickets.
    tickets: i64,
    /// Those with most tickets, while it is not drawn.
    standing: Vec<ContestStanding>,
    /// When its list was fixed.
    closed_at: Null<Moment>,
    /// When it was drawn.
    drawn_at: Null<Moment>,
    /// Counts its changes; a change names the one that was seen.
    revision: i64,
}

/// Contests.
#[derive(Serialize, Object)]
pub struct DeskContests {
    /// The contests, the newest first.
    pub items: Vec<DeskContest>,
    /// Whether customers see them.
    pub shown: bool,
    /// The ticker of the base currency.
    pub base: String,
}

/// An entry.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct DeskContestEntry {
    /// The claim.
    claim_id: Uuid,
    /// Its number: the entry's in the published list.
    number: i64,
    /// Whose it is.
    email: String,
    /// How many tickets it is.
    tickets: i64,
    /// When the exchange was done.
    created_at: Moment,
    /// When it was taken back; null where it counts.
    voided_at: Null<Moment>,
}

/// A page of entries.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskContestEntries {
    /// The entries.
    items: Vec<DeskContestEntry>,
    /// What the next page is asked for with; null on the last.
    next_cursor: Null<i64>,
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

impl From<&Winner> for DeskContestWinner {
    fn from(winner: &Winner) -> Self {
        Self {
            email: winner.email.clone(),
            entry: winner.claim_number,
            paid_at: winner.paid_at.map(Moment).into(),
            paid_by: winner.paid_name.clone().into(),
            note: winner.note.clone().into(),
        }
    }
}

impl DeskContest {
    /// A contest as the console shows it.
    pub fn of(contests: &Contests, seen: Seen) -> Result<Self> {
        let Seen { row, prizes, winners, totals, standing } = seen;
        let text = |ru, en| DeskContestText { ru, en };
        let mut shown = Vec::with_capacity(prizes.len());
        for prize in prizes {
            let (amount, code) = contests.sum(prize.currency_id, prize.units)?;
            shown.push(DeskContestPrize {
                place: prize.place,
                currency_id: prize.currency_id,
                amount: Dec(amount.value()),
                code,
                winner: winners.iter().find(|winner| winner.place == prize.place).map(DeskContestWinner::from).into(),
            });
        }
        Ok(Self {
            id: row.id,
            state: row.state.into(),
            title: text(row.title_ru, row.title_en),
            rules: text(row.rules_ru, row.rules_en),
            source: text(row.source_ru, row.source_en),
            starts_at: row.starts_at.into(),
            ends_at: row.ends_at.into(),
            public_at: row.public_at.into(),
            per_worth: row.per_worth.as_deref().and_then(parse_decimal).map(Dec).into(),
            most_weight: row.most_weight,
            prizes: shown,
            commitment: row.commitment,
            entrants_sha256: row.entrants_digest.into(),
            public_value: row.public_value.into(),
            public_reference: row.public_reference.into(),
            entries: totals.0,
            people: totals.1,
            tickets: totals.2,
            standing: standing.into_iter().map(ContestStanding::from).collect(),
            closed_at: row.closed_at.map(Moment).into(),
            drawn_at: row.drawn_at.map(Moment).into(),
            revision: row.revision,
        })
    }
}

impl DeskContestEntries {
    /// A page of at most so many; one more says that there is another page.
    pub fn of(mut rows: Vec<Entry>, size: u32) -> Self {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let has_more = rows.len() > size;
        rows.truncate(size);
        let next = rows.last().filter(|_| has_more).map(|row| row.claim_number);
        let items = rows.into_iter().map(|row| DeskContestEntry {
            claim_id: row.claim_id,
            number: row.claim_number,
            email: row.email,
            tickets: row.weight,
            created_at: row.created_at.into(),
            voided_at: row.voided_at.map(Moment).into(),
        });
        Self { items: items.collect(), next_cursor: next.into() }
    }
}

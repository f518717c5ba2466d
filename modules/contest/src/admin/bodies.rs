//! What the console is shown of contests.

use agio_core::Result;
use agio_http::values::parse_decimal;
use agio_http::{Dec, Moment, Null};
use poem_openapi::Object;
use serde::Serialize;
use uuid::Uuid;

use super::inputs::DeskContestText;
use crate::Contests;
use crate::api::{ContestStanding, ContestState};
use crate::service::Seen;
use crate::store::{Entry, Winner};

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

//! The calls the contest's page makes.

use std::sync::Arc;

use agio_core::Timestamp;
use agio_core::texts::Locale;
use agio_http::{Answer, Dec, Moment, Null, Outcome, Visitor};
use poem_openapi::param::Path;
use poem_openapi::{Enum, Object, OpenApi, Tags};
use serde::Serialize;
use uuid::Uuid;

use crate::Contests;
use crate::model::State;
use crate::model::published::Published;
use crate::service::{Seen, Standing};

/// How many contests are looked at: the present one and those before it.
const SHOWN_MAX: i64 = 12;

#[derive(Tags)]
enum Tag {
    /// Contests and their draws.
    Contest,
}

/// The public calls.
pub struct ContestApi(Arc<Contests>);

/// Where a contest stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
pub enum ContestState {
    /// Its period has not begun.
    Planned,
    /// Exchanges that are done now are entries.
    Running,
    /// The list of entrants is fixed; the draw is awaited.
    Closed,
    /// There are winners.
    Drawn,
    /// Every winner has their prize.
    Paid,
    /// Called off.
    Cancelled,
}

impl From<State> for ContestState {
    fn from(state: State) -> Self {
        match state {
            State::Planned => Self::Planned,
            State::Running => Self::Running,
            State::Closed => Self::Closed,
            State::Drawn => Self::Drawn,
            State::Paid => Self::Paid,
            State::Cancelled => Self::Cancelled,
        }
    }
}

/// A prize.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct ContestPrize {
    /// From 1.
    place: i64,
    /// How much.
    amount: Dec,
    /// The code of the currency.
    code: String,
    /// Who won it, once it is drawn; null where nobody did.
    winner: Null<ContestWinner>,
}

/// Who won a prize.
#[derive(Serialize, Object)]
struct ContestWinner {
    /// Their name, masked.
    name: String,
    /// The number of the claim they won with.
    entry: i64,
}

/// Somebody who takes part.
#[derive(Serialize, Object)]
pub struct ContestStanding {
    /// Their name, masked.
    name: String,
    /// How many exchanges they entered with.
    entries: i64,
    /// How many tickets these are.
    tickets: i64,
}

impl From<Standing> for ContestStanding {
    fn from(standing: Standing) -> Self {
        let Standing { name, entries, tickets } = standing;
        Self { name, entries, tickets }
    }
}

/// A contest.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct ContestView {
    /// Identifier.
    id: Uuid,
    /// What it is called.
    title: String,
    /// Its rules: plain text, an empty line between paragraphs.
    rules: String,
    /// Where it stands.
    state: ContestState,
    /// When its period begins.
    starts_at: Moment,
    /// When it ends.
    ends_at: Moment,
    /// From when on the public value may be taken.
    public_at: Moment,
    /// The value that nobody controls, named before the period begins.
    source: String,
    /// For how much of the base currency an exchange is one ticket; null where each exchange is one.
    per_worth: Null<Dec>,
    /// The ticker of the base currency.
    base: String,
    /// How many tickets one exchange is at most.
    most_weight: i64,
    /// The prizes, the first first.
    prizes: Vec<ContestPrize>,
    /// SHA-256 of the secret.
    commitment: String,
    /// SHA-256 of the list of entrants, once it is fixed.
    entrants_sha256: Null<String>,
    /// How many exchanges take part.
    entries: i64,
    /// How many people.
    people: i64,
    /// How many tickets.
    tickets: i64,
    /// Those with most tickets, while it is not drawn.
    standing: Vec<ContestStanding>,
    /// When it was drawn.
    drawn_at: Null<Moment>,
}

/// The contest of this time, and those before it.
#[derive(Serialize, Object)]
struct ContestOverview {
    /// Whether there are contests at all.
    on: bool,
    /// The one that runs or awaits its draw, else the next one planned.
    current: Null<ContestView>,
    /// Those that are drawn, the newest first.
    past: Vec<ContestView>,
    /// The server's present, for countdowns.
    now: Moment,
}

/// Everything a draw follows from, so that anybody computes it again. How is said in the description of the call.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct ContestDraw {
    /// The way of drawing: `agio-contest-1`.
    format: String,
    /// The contest.
    contest: String,
    /// SHA-256 of the secret's 32 bytes, published before the period began.
    commitment: String,
    /// SHA-256 of the list: of its lines, each with a line feed at its end.
    entrants_sha256: String,
    /// The value that nobody controls, as it was named beforehand.
    public_source: String,
    /// From when on it may be taken.
    public_at: String,
    /// How many prizes there are.
    prizes: usize,
    /// The list, line by line; each line is JSON and stands here exactly as it is digested.
    entrants: Vec<String>,
    /// Entries whose exchange was taken back after the list was fixed: they win nothing.
    void: Vec<i64>,
    /// The secret, hexadecimal; null until the draw.
    secret: Null<String>,
    /// The public value; null until the draw.
    public_value: Null<String>,
    /// Where it can be seen.
    public_reference: Null<String>,
    /// The entries that won, for the first prize first.
    winners: Vec<i64>,
}

impl ContestApi {
    /// The calls.
    #[must_use]
    pub fn new(contests: Arc<Contests>) -> Self {
        Self(contests)
    }
}

#[OpenApi(prefix_path = "/api/v1/contest", tag = "Tag::Contest")]
impl ContestApi {
    /// The contest of this time and past ones
    ///
    /// While contests are switched off there is none.
    #[oai(path = "/", method = "get", operation_id = "contestOverview")]
    async fn overview(&self, visitor: Visitor) -> Outcome<Answer<ContestOverview>> {
        let now = self.0.platform.clock.now();
        if !self.0.are_shown() {
            return Ok(Answer(ContestOverview { on: false, current: Null(None), past: Vec::new(), now: now.into() }));
        }
        let all = self.0.newest(SHOWN_MAX).await?;
        let current = current(&all).map(|seen| self.view(seen, visitor.locale)).transpose()?;
        let drawn = all.iter().filter(|seen| seen.row.state.is_drawn());
        let past = drawn.map(|seen| self.view(seen, visitor.locale)).collect::<agio_core::Result<_>>()?;
        Ok(Answer(ContestOverview { on: true, current: current.into(), past, now: now.into() }))
    }

    /// A draw with everything it follows from
    ///
    /// To check it: SHA-256 of `secret` (32 bytes) is `commitment`, and of the `entrants` (each line with a line feed at its end)
    /// `entrantsSha256`. The seed is SHA-256 of the text `agio-contest-1 seed`, the secret, the list's digest (32 bytes) and the public value. The
    /// numbers are the first 8 bytes of SHA-256 of `agio-contest-1 ticket`, the seed and a count from 0 (8 bytes), all most significant byte first.
    /// For each prize the next number below the greatest multiple of the weight of all who can still win within 2^64, modulo that weight, points
    /// at an entry; then all entries of its person leave. 409 `contest_not_closed` before the list is fixed.
    #[oai(path = "/:id/draw", method = "get", operation_id = "contestDraw")]
    async fn draw(&self, visitor: Visitor, id: Path<Uuid>) -> Outcome<Answer<ContestDraw>> {
        Ok(Answer(self.0.published(id.0, visitor.locale).await?.into()))
    }
}

impl ContestApi {
    fn view(&self, seen: &Seen, locale: Locale) -> agio_core::Result<ContestView> {
        let row = &seen.row;
        let said = |ru: &String, en: &String| if locale == Locale::Ru { ru.clone() } else { en.clone() };
        let mut prizes = Vec::with_capacity(seen.prizes.len());
        for prize in &seen.prizes {
            let (amount, code) = self.0.sum(prize.currency_id, prize.units)?;
            let winner = seen.winners.iter().find(|winner| winner.place == prize.place);
            let winner = winner.map(|winner| ContestWinner { name: winner.name.clone(), entry: winner.claim_number });
            prizes.push(ContestPrize { place: prize.place, amount: Dec(amount.value()), code, winner: winner.into() });
        }
        let per_worth = row.per_worth.as_deref().and_then(agio_http::values::parse_decimal).map(Dec);
        let (entries, people, tickets) = seen.totals;
        Ok(ContestView {
            id: row.id,
            title: said(&row.title_ru, &row.title_en),
            rules: said(&row.rules_ru, &row.rules_en),
            state: row.state.into(),
            starts_at: row.starts_at.into(),
            ends_at: row.ends_at.into(),
            public_at: row.public_at.into(),
            source: said(&row.source_ru, &row.source_en),
            per_worth: per_worth.into(),
            base: self.0.base(),
            most_weight: row.most_weight,
            prizes,
            commitment: row.commitment.clone(),
            entrants_sha256: row.entrants_digest.clone().into(),
            entries,
            people,
            tickets,
            standing: seen.standing.iter().cloned().map(ContestStanding::from).collect(),
            drawn_at: row.drawn_at.map(Moment).into(),
        })
    }
}

/// The contest that runs or awaits its draw, the newest one first; else the next that is planned.
fn current(all: &[Seen]) -> Option<&Seen> {
    let begun = all.iter().find(|seen| matches!(seen.row.state, State::Running | State::Closed));
    let next = || {
        all.iter().filter(|seen| seen.row.state == State::Planned).min_by_key(|seen: &&Seen| -> Timestamp { seen.row.starts_at })
    };
    begun.or_else(next)
}

impl From<Published> for ContestDraw {
    fn from(published: Published) -> Self {
        Self {
            format: published.format,
            contest: published.contest,
            commitment: published.commitment,
            entrants_sha256: published.entrants_sha256,
            public_source: published.public_source,
            public_at: published.public_at,
            prizes: published.prizes,
            entrants: published.entrants,
            void: published.void,
            secret: published.secret.into(),
            public_value: published.public_value.into(),
            public_reference: published.public_reference.into(),
            winners: published.winners,
        }
    }
}

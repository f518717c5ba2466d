//! Public contest API.

use std::sync::Arc;

use agio_core::Timestamp;
use agio_core::texts::Locale;
use agio_http::{ApiEnum, ApiResult, DateTime, Dec, JsonResponse, Nullable, Visitor, body};
use poem_openapi::param::Path;
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::Contests;
use crate::model::ContestState;
use crate::model::published_draw::PublishedDraw;
use crate::service::ContestSnapshot;
use crate::store::ParticipantRow;

/// Including the current contest.
const SHOWN_MAX: i64 = 12;

#[derive(Tags)]
enum Tag {
    /// Contests and their draws.
    Contest,
}

pub struct ContestApi(pub Arc<Contests>);

/// A prize.
#[body(response)]
struct ContestPrize {
    /// Place, from 1.
    place: i64,
    amount: Dec,
    /// Code of the currency.
    code: String,
    /// The winner; null until the draw, or if nobody won it.
    winner: Nullable<ContestWinner>,
}

/// The winner of a prize.
#[body(response)]
struct ContestWinner {
    /// Masked name.
    name: String,
    /// Number of the winning claim.
    entry: i64,
}

/// A participant.
#[body(response)]
pub struct ContestParticipant {
    /// Masked name.
    name: String,
    entries: i64,
    tickets: i64,
}

impl From<ParticipantRow> for ContestParticipant {
    fn from(row: ParticipantRow) -> Self {
        Self { name: row.name, entries: row.entries, tickets: row.tickets }
    }
}

/// A contest.
#[body(response)]
struct ContestView {
    id: Uuid,
    title: String,
    /// Rules: plain text with empty lines between paragraphs.
    rules: String,
    /// State of the contest.
    state: ApiEnum<ContestState>,
    /// Start of the period.
    starts_at: DateTime,
    /// End of the period.
    ends_at: DateTime,
    /// Earliest time of the public randomness.
    public_at: DateTime,
    /// Source of the public randomness, announced before the period begins.
    source: String,
    /// Exchange volume per ticket, in the base currency; null if every exchange is one ticket.
    volume_per_ticket: Nullable<Dec>,
    /// Ticker of the base currency.
    base: String,
    /// Maximum number of tickets per exchange.
    max_tickets: i64,
    /// Prizes by place.
    prizes: Vec<ContestPrize>,
    /// Commitment: SHA-256 of the secret.
    commitment: String,
    /// SHA-256 of the list of entries; null until the contest is closed.
    entrants_sha256: Nullable<String>,
    entries: i64,
    /// Number of participants.
    participants: i64,
    tickets: i64,
    /// Participants with the most tickets, until the draw.
    ranking: Vec<ContestParticipant>,
    /// Time of the draw.
    drawn_at: Nullable<DateTime>,
}

/// The current contest and past ones.
#[body(response)]
struct ContestOverview {
    /// Whether contests are enabled.
    on: bool,
    /// The running or closed contest, otherwise the next planned one.
    current: Nullable<ContestView>,
    /// Drawn contests, newest first.
    past: Vec<ContestView>,
    /// Server time, for countdowns.
    now: DateTime,
}

/// All data needed to verify a draw; the operation describes how.
#[body(response)]
struct ContestDraw {
    /// Format and algorithm: `agio-contest-1`.
    format: String,
    /// Id of the contest.
    contest: String,
    /// Commitment: SHA-256 of the secret's 32 bytes, published before the period began.
    commitment: String,
    /// SHA-256 of the list: its lines, each followed by a line feed.
    entrants_sha256: String,
    /// Source of the public randomness, as announced.
    public_source: String,
    /// Earliest time of the public randomness.
    public_at: String,
    prizes: usize,
    /// Lines of the list; each is JSON, exactly as hashed.
    entrants: Vec<String>,
    /// Entries voided after the list was final; they win nothing.
    void: Vec<i64>,
    /// The secret in hex; null until the draw.
    secret: Nullable<String>,
    /// The public randomness; null until the draw.
    public_value: Nullable<String>,
    /// Where the public randomness can be checked.
    public_reference: Nullable<String>,
    /// Winning entries by place.
    winners: Vec<i64>,
}

#[OpenApi(prefix_path = "/api/v1/contest", tag = "Tag::Contest")]
impl ContestApi {
    /// Get current and past contests
    ///
    /// Empty while contests are disabled.
    #[oai(path = "/", method = "get", operation_id = "getContestOverview")]
    async fn overview(&self, visitor: Visitor) -> ApiResult<JsonResponse<ContestOverview>> {
        let now = self.0.platform.clock.now();
        if !self.0.are_shown() {
            return Ok(JsonResponse(ContestOverview { on: false, current: Nullable(None), past: Vec::new(), now: now.into() }));
        }
        let all = self.0.newest(SHOWN_MAX).await?;
        let current = current(&all).map(|contest| self.view(contest, visitor.locale)).transpose()?;
        let drawn = all.iter().filter(|contest| contest.row.state.is_drawn());
        let past = drawn.map(|contest| self.view(contest, visitor.locale)).collect::<agio_core::Result<_>>()?;
        Ok(JsonResponse(ContestOverview { on: true, current: current.into(), past, now: now.into() }))
    }

    /// Get a contest draw
    ///
    /// To verify it: SHA-256 of `secret` (32 bytes) is `commitment`, and SHA-256 of the `entrants` (each line
    /// followed by a line feed) is `entrantsSha256`. The seed is SHA-256 of the text `agio-contest-1 seed`, the
    /// secret, the digest of the list (32 bytes) and the public randomness. Number i is the first 8 bytes of SHA-256
    /// of `agio-contest-1 ticket`, the seed and i from 0 (8 bytes), all big-endian. W is the total weight of the
    /// entries that can still win. For each prize, skip numbers not below the greatest multiple of W up to 2^64; the
    /// next number modulo W selects an entry, and all entries of its participant are removed. 409
    /// `contest_not_closed` before the list is final.
    #[oai(path = "/:id/draw", method = "get", operation_id = "getContestDraw")]
    async fn draw(&self, visitor: Visitor, id: Path<Uuid>) -> ApiResult<JsonResponse<ContestDraw>> {
        Ok(JsonResponse(self.0.published(id.0, visitor.locale).await?.into()))
    }
}

impl ContestApi {
    fn view(&self, contest: &ContestSnapshot, locale: Locale) -> agio_core::Result<ContestView> {
        let row = &contest.row;
        let localized = |ru: &String, en: &String| if locale == Locale::Ru { ru.clone() } else { en.clone() };
        let mut prizes = Vec::with_capacity(contest.prizes.len());
        for prize in &contest.prizes {
            let (amount, code) = self.0.prize_amount(prize.currency_id, prize.units)?;
            let winner = contest.winners.iter().find(|winner| winner.place == prize.place);
            let winner = winner.map(|winner| ContestWinner { name: winner.name.clone(), entry: winner.claim_number });
            prizes.push(ContestPrize { place: prize.place, amount: Dec(amount.value()), code, winner: winner.into() });
        }
        let (entries, participants, tickets) = contest.totals;
        Ok(ContestView {
            id: row.id,
            title: localized(&row.title_ru, &row.title_en),
            rules: localized(&row.rules_ru, &row.rules_en),
            state: ApiEnum(row.state),
            starts_at: row.starts_at.into(),
            ends_at: row.ends_at.into(),
            public_at: row.public_at.into(),
            source: localized(&row.source_ru, &row.source_en),
            volume_per_ticket: row.volume_per_ticket.map(|volume| Dec(volume.0)).into(),
            base: self.0.base(),
            max_tickets: row.max_tickets,
            prizes,
            commitment: row.commitment.clone(),
            entrants_sha256: row.entrants_digest.clone().into(),
            entries,
            participants,
            tickets,
            ranking: contest.ranking.iter().cloned().map(ContestParticipant::from).collect(),
            drawn_at: row.drawn_at.map(DateTime).into(),
        })
    }
}

/// The newest running or closed contest, otherwise the next planned one.
fn current(all: &[ContestSnapshot]) -> Option<&ContestSnapshot> {
    let begun = all.iter().find(|contest| matches!(contest.row.state, ContestState::Running | ContestState::Closed));
    let next = || {
        all.iter()
            .filter(|contest| contest.row.state == ContestState::Planned)
            .min_by_key(|contest: &&ContestSnapshot| -> Timestamp { contest.row.starts_at })
    };
    begun.or_else(next)
}

impl From<PublishedDraw> for ContestDraw {
    fn from(published: PublishedDraw) -> Self {
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

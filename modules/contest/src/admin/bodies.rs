//! Response bodies of contest administration.

use agio_core::Result;
use agio_http::{ApiEnum, DateTime, Dec, Nullable, body};
use uuid::Uuid;

use super::requests::ContestText;
use crate::Contests;
use crate::api::ContestParticipant;
use crate::model::ContestState;
use crate::service::ContestSnapshot;
use crate::store::{EntryRow, WinnerRow};

/// A prize.
#[body(response)]
struct ContestPrizeDetails {
    /// Place, from 1.
    place: i64,
    currency_id: i64,
    amount: Dec,
    /// Code of the currency.
    code: String,
    /// The winner; null until the draw, or if nobody won it.
    winner: Nullable<ContestWinnerDetails>,
}

/// The winner of a prize.
#[body(response)]
struct ContestWinnerDetails {
    email: String,
    /// Number of the winning claim.
    entry: i64,
    /// Time of the payment; null while unpaid.
    paid_at: Nullable<DateTime>,
    /// Who recorded the payment.
    paid_by: Nullable<String>,
    /// Payment reference.
    note: Nullable<String>,
}

/// A contest.
#[body(response)]
pub struct ContestDetails {
    id: Uuid,
    /// State of the contest.
    state: ApiEnum<ContestState>,
    title: ContestText,
    rules: ContestText,
    /// Source of the public randomness.
    source: ContestText,
    /// Start of the period.
    starts_at: DateTime,
    /// End of the period.
    ends_at: DateTime,
    /// Earliest time of the public randomness.
    public_at: DateTime,
    /// Exchange volume per ticket, in the base currency; null if every exchange is one ticket.
    volume_per_ticket: Nullable<Dec>,
    /// Maximum number of tickets per exchange.
    max_tickets: i64,
    /// Prizes by place.
    prizes: Vec<ContestPrizeDetails>,
    /// Commitment: SHA-256 of the secret.
    commitment: String,
    /// SHA-256 of the list of entries; null until the contest is closed.
    entrants_sha256: Nullable<String>,
    /// Public randomness used in the draw.
    public_value: Nullable<String>,
    /// Where the public randomness can be checked.
    public_reference: Nullable<String>,
    /// Number of valid entries.
    entries: i64,
    participants: i64,
    tickets: i64,
    /// Participants with the most tickets, until the draw.
    ranking: Vec<ContestParticipant>,
    /// When the contest was closed.
    closed_at: Nullable<DateTime>,
    /// Time of the draw.
    drawn_at: Nullable<DateTime>,
    /// Current revision; send it with a change.
    revision: i64,
}

/// Contests.
#[body(response)]
pub struct ContestList {
    /// Contests, newest first.
    pub items: Vec<ContestDetails>,
    /// Whether contests are shown to customers.
    pub shown: bool,
    /// Ticker of the base currency.
    pub base: String,
}

/// An entry.
#[body(response)]
pub struct ContestEntry {
    claim_id: Uuid,
    /// Number of the claim, which is the entry number in the published list.
    number: i64,
    /// E-mail address of the participant.
    email: String,
    tickets: i64,
    /// When the exchange was completed.
    created_at: DateTime,
    /// When the entry was voided; null if it is valid.
    voided_at: Nullable<DateTime>,
}

impl From<&WinnerRow> for ContestWinnerDetails {
    fn from(winner: &WinnerRow) -> Self {
        Self {
            email: winner.email.clone(),
            entry: winner.claim_number,
            paid_at: winner.paid_at.map(DateTime).into(),
            paid_by: winner.paid_name.clone().into(),
            note: winner.note.clone().into(),
        }
    }
}

impl ContestDetails {
    pub fn of(contests: &Contests, contest: ContestSnapshot) -> Result<Self> {
        let ContestSnapshot { row, prizes, winners, totals, ranking } = contest;
        let text = |ru, en| ContestText { ru, en };
        let mut shown = Vec::with_capacity(prizes.len());
        for prize in prizes {
            let (amount, code) = contests.prize_amount(prize.currency_id, prize.units)?;
            shown.push(ContestPrizeDetails {
                place: prize.place,
                currency_id: prize.currency_id,
                amount: Dec(amount.value()),
                code,
                winner: winners.iter().find(|winner| winner.place == prize.place).map(ContestWinnerDetails::from).into(),
            });
        }
        Ok(Self {
            id: row.id,
            state: ApiEnum(row.state),
            title: text(row.title_ru, row.title_en),
            rules: text(row.rules_ru, row.rules_en),
            source: text(row.source_ru, row.source_en),
            starts_at: row.starts_at.into(),
            ends_at: row.ends_at.into(),
            public_at: row.public_at.into(),
            volume_per_ticket: row.volume_per_ticket.map(|volume| Dec(volume.0)).into(),
            max_tickets: row.max_tickets,
            prizes: shown,
            commitment: row.commitment,
            entrants_sha256: row.entrants_digest.into(),
            public_value: row.public_value.into(),
            public_reference: row.public_reference.into(),
            entries: totals.0,
            participants: totals.1,
            tickets: totals.2,
            ranking: ranking.into_iter().map(ContestParticipant::from).collect(),
            closed_at: row.closed_at.map(DateTime).into(),
            drawn_at: row.drawn_at.map(DateTime).into(),
            revision: row.revision,
        })
    }
}

impl From<EntryRow> for ContestEntry {
    fn from(row: EntryRow) -> Self {
        Self {
            claim_id: row.claim_id,
            number: row.claim_number,
            email: row.email,
            tickets: row.weight,
            created_at: row.created_at.into(),
            voided_at: row.voided_at.map(DateTime).into(),
        }
    }
}

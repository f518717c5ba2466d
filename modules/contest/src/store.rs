//! SQL.

use agio_core::decimal::StoredDecimal;
use agio_core::texts::Locale;
use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional};
use uuid::Uuid;

use crate::model::ContestState;

agio_core::statements! {
    CONTESTS = "SELECT * FROM contest ORDER BY starts_at DESC, id LIMIT $1";
    CONTEST = "SELECT * FROM contest WHERE id = $1";
    INSERT_CONTEST = "INSERT INTO contest (id, state, title_ru, title_en, rules_ru, rules_en, starts_at, ends_at, public_at, volume_per_ticket, max_tickets,
            source_ru, source_en, commitment, secret, entries, revision, created_at, updated_at)
        VALUES ($1, 'planned', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 0, 1, $15, $15)";
    /// Fails on a stale revision.
    UPDATE_CONTEST = "UPDATE contest SET state = $3, title_ru = $4, title_en = $5, rules_ru = $6, rules_en = $7, starts_at = $8, ends_at = $9,
            public_at = $10, volume_per_ticket = $11, max_tickets = $12, source_ru = $13, source_en = $14, entrants = $15, entrants_digest = $16,
            revealed = $17, public_value = $18, public_reference = $19, closed_at = $20, drawn_at = $21, updated_at = $22, revision = $2 + 1
        WHERE id = $1 AND revision = $2";
    /// Locks the contest whose period contains the given time; no row if its list is final.
    ENTER_CONTEST = "UPDATE contest SET entries = entries + 1
        WHERE state IN ('planned', 'running') AND starts_at <= $1 AND ends_at > $1 RETURNING id, volume_per_ticket, max_tickets";
    /// Locks a contest whose period has ended, so that nobody enters while its list is built.
    LOCK_ENDED_CONTEST = "UPDATE contest SET entries = entries WHERE id = $1 AND state IN ('planned', 'running') AND ends_at <= $2 RETURNING id";
    /// Locks a closed contest, so that nothing is voided during the draw.
    LOCK_CLOSED_CONTEST = "UPDATE contest SET entries = entries WHERE id = $1 AND state = 'closed' RETURNING id";
    /// Locks contests in which an entry of the claim can still be voided.
    LOCK_CONTESTS_OF_CLAIM = "UPDATE contest SET entries = entries WHERE state IN ('planned', 'running', 'closed')
            AND id IN (SELECT contest_id FROM contest_entry WHERE claim_id = $1 AND voided_at IS NULL) RETURNING id";
    CONTESTS_DUE = "SELECT * FROM contest WHERE (state = 'planned' AND starts_at <= $1) OR (state IN ('planned', 'running') AND ends_at <= $1)
        ORDER BY starts_at";
    CONTESTS_OVERLAPPING = "SELECT COUNT(*) FROM contest WHERE state IN ('planned', 'running') AND id <> $1 AND starts_at < $3 AND ends_at > $2";

    PRIZES = "SELECT place, currency_id, units FROM contest_prize WHERE contest_id = $1 ORDER BY place";
    INSERT_PRIZE = "INSERT INTO contest_prize (contest_id, place, currency_id, units) VALUES ($1, $2, $3, $4)";
    DELETE_PRIZES = "DELETE FROM contest_prize WHERE contest_id = $1";

    /// A reversed exchange that is completed again becomes valid again.
    PUT_ENTRY = "INSERT INTO contest_entry (id, contest_id, claim_id, claim_number, person, email, locale, name, weight, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        ON CONFLICT (contest_id, claim_id) DO UPDATE SET voided_at = NULL, weight = excluded.weight";
    VOID_ENTRY = "UPDATE contest_entry SET voided_at = $3 WHERE contest_id = $1 AND claim_id = $2 AND voided_at IS NULL";
    ENTRIES_OF_EMAIL = "SELECT * FROM contest_entry WHERE email = $1 ORDER BY created_at DESC, id";
    SET_EMAIL_OF_ENTRIES = "UPDATE contest_entry SET email = $2 WHERE email = $1";
    ENTRIES = "SELECT * FROM contest_entry WHERE contest_id = $1 AND claim_number > $2 ORDER BY claim_number LIMIT $3";
    VOID_ENTRY_NUMBERS = "SELECT claim_number FROM contest_entry WHERE contest_id = $1 AND voided_at IS NOT NULL ORDER BY claim_number";
    ENTRY_OF_CLAIM_NUMBER = "SELECT * FROM contest_entry WHERE contest_id = $1 AND claim_number = $2";
    ENTRY_TOTALS = "SELECT COUNT(*), COUNT(DISTINCT person), CAST(COALESCE(SUM(weight), 0) AS BIGINT)
        FROM contest_entry WHERE contest_id = $1 AND voided_at IS NULL";
    PARTICIPANTS = "SELECT MIN(name) AS name, COUNT(*) AS entries, CAST(SUM(weight) AS BIGINT) AS tickets FROM contest_entry
        WHERE contest_id = $1 AND voided_at IS NULL GROUP BY person ORDER BY tickets DESC, MIN(claim_number) LIMIT $2";

    WINNERS = "SELECT winner.id, winner.place, winner.currency_id, winner.units, winner.paid_at, winner.paid_name, winner.note,
            winner.reversed_at, entry.claim_number, entry.name, entry.email, entry.locale
        FROM contest_winner winner JOIN contest_entry entry ON entry.id = winner.entry_id WHERE winner.contest_id = $1 ORDER BY winner.place";
    INSERT_WINNER = "INSERT INTO contest_winner (id, contest_id, place, entry_id, currency_id, units) VALUES ($1, $2, $3, $4, $5, $6)";
    PAY_WINNER = "UPDATE contest_winner SET paid_at = $2, paid_name = $3, note = $4
        WHERE id = $1 AND paid_at IS NULL AND reversed_at IS NULL";
    REVERSE_WINNERS = "UPDATE contest_winner SET reversed_at = $2
        WHERE entry_id IN (SELECT id FROM contest_entry WHERE claim_id = $1)";
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ContestRow {
    pub id: Uuid,
    pub state: ContestState,
    pub title_ru: String,
    pub title_en: String,
    pub rules_ru: String,
    pub rules_en: String,
    pub starts_at: Timestamp,
    pub ends_at: Timestamp,
    pub public_at: Timestamp,
    pub volume_per_ticket: Option<StoredDecimal>,
    pub max_tickets: i64,
    pub source_ru: String,
    pub source_en: String,
    pub commitment: String,
    pub secret: String,
    pub revealed: Option<String>,
    pub entrants: Option<String>,
    pub entrants_digest: Option<String>,
    pub public_value: Option<String>,
    pub public_reference: Option<String>,
    pub revision: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub closed_at: Option<Timestamp>,
    pub drawn_at: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct PrizeRow {
    pub place: i64,
    pub currency_id: i64,
    pub units: i64,
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct EntryRow {
    pub id: Uuid,
    pub contest_id: Uuid,
    pub claim_id: Uuid,
    pub claim_number: i64,
    pub person: String,
    pub email: String,
    pub locale: Locale,
    pub name: String,
    pub weight: i64,
    pub voided_at: Option<Timestamp>,
    pub created_at: Timestamp,
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ParticipantRow {
    /// Masked.
    pub name: String,
    pub entries: i64,
    pub tickets: i64,
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct WinnerRow {
    pub id: Uuid,
    pub place: i64,
    pub currency_id: i64,
    pub units: i64,
    pub paid_at: Option<Timestamp>,
    pub paid_name: Option<String>,
    pub note: Option<String>,
    /// When the winning exchange was reversed.
    pub reversed_at: Option<Timestamp>,
    pub claim_number: i64,
    pub name: String,
    pub email: String,
    pub locale: Locale,
}

pub async fn newest(tx: &mut Tx, size: i64) -> Result<Vec<ContestRow>> {
    fetch_all!(tx, ContestRow, CONTESTS, size)
}

pub async fn one(tx: &mut Tx, id: Uuid) -> Result<Option<ContestRow>> {
    fetch_optional!(tx, ContestRow, CONTEST, id)
}

pub async fn insert(tx: &mut Tx, row: &ContestRow, prizes: &[PrizeRow]) -> Result<()> {
    execute!(
        tx,
        INSERT_CONTEST,
        row.id,
        &row.title_ru,
        &row.title_en,
        &row.rules_ru,
        &row.rules_en,
        row.starts_at,
        row.ends_at,
        row.public_at,
        row.volume_per_ticket,
        row.max_tickets,
        &row.source_ru,
        &row.source_en,
        &row.commitment,
        &row.secret,
        row.created_at,
    )?;
    put_prizes(tx, row.id, prizes).await
}

pub async fn put_prizes(tx: &mut Tx, id: Uuid, prizes: &[PrizeRow]) -> Result<()> {
    execute!(tx, DELETE_PRIZES, id)?;
    for prize in prizes {
        execute!(tx, INSERT_PRIZE, id, prize.place, prize.currency_id, prize.units)?;
    }
    Ok(())
}

/// False if the revision is stale.
pub async fn update(tx: &mut Tx, row: &mut ContestRow) -> Result<bool> {
    let stored = execute!(
        tx,
        UPDATE_CONTEST,
        row.id,
        row.revision,
        row.state,
        &row.title_ru,
        &row.title_en,
        &row.rules_ru,
        &row.rules_en,
        row.starts_at,
        row.ends_at,
        row.public_at,
        row.volume_per_ticket,
        row.max_tickets,
        &row.source_ru,
        &row.source_en,
        row.entrants.as_deref(),
        row.entrants_digest.as_deref(),
        row.revealed.as_deref(),
        row.public_value.as_deref(),
        row.public_reference.as_deref(),
        row.closed_at,
        row.drawn_at,
        row.updated_at,
    )?;
    row.revision += 1;
    Ok(stored == 1)
}

/// Locks the contest that is open at this time; returns its id and weighting.
pub async fn entered(tx: &mut Tx, at: Timestamp) -> Result<Option<(Uuid, Option<String>, i64)>> {
    fetch_optional!(tx, (Uuid, Option<String>, i64), ENTER_CONTEST, at)
}

/// False if the period has not ended or the contest is closed.
pub async fn lock_ended(tx: &mut Tx, id: Uuid, now: Timestamp) -> Result<bool> {
    Ok(fetch_optional!(tx, (Uuid,), LOCK_ENDED_CONTEST, id, now)?.is_some())
}

/// Contests to start or to close.
pub async fn due(tx: &mut Tx, now: Timestamp) -> Result<Vec<ContestRow>> {
    fetch_all!(tx, ContestRow, CONTESTS_DUE, now)
}

pub async fn overlaps(tx: &mut Tx, row: &ContestRow) -> Result<bool> {
    Ok(fetch_one!(tx, (i64,), CONTESTS_OVERLAPPING, row.id, row.starts_at, row.ends_at)?.0 > 0)
}

pub async fn prizes(tx: &mut Tx, id: Uuid) -> Result<Vec<PrizeRow>> {
    fetch_all!(tx, PrizeRow, PRIZES, id)
}

pub async fn put_entry(tx: &mut Tx, entry: &EntryRow) -> Result<()> {
    let EntryRow { id, contest_id, claim_id, claim_number, person, email, locale, name, weight, created_at, .. } = entry;
    execute!(tx, PUT_ENTRY, id, contest_id, claim_id, claim_number, person, email, locale, name, weight, created_at).map(drop)
}

/// Unless the contest is drawn.
pub async fn void_entries(tx: &mut Tx, claim: Uuid, at: Timestamp) -> Result<()> {
    for (contest,) in fetch_all!(tx, (Uuid,), LOCK_CONTESTS_OF_CLAIM, claim)? {
        execute!(tx, VOID_ENTRY, contest, claim, at)?;
    }
    Ok(())
}

/// False if the contest is not closed.
pub async fn lock_closed(tx: &mut Tx, id: Uuid) -> Result<bool> {
    Ok(fetch_optional!(tx, (Uuid,), LOCK_CLOSED_CONTEST, id)?.is_some())
}

/// By claim number, including void entries.
pub async fn entries(tx: &mut Tx, id: Uuid, after: i64, size: i64) -> Result<Vec<EntryRow>> {
    fetch_all!(tx, EntryRow, ENTRIES, id, after, size)
}

pub async fn void_numbers(tx: &mut Tx, id: Uuid) -> Result<Vec<i64>> {
    Ok(fetch_all!(tx, (i64,), VOID_ENTRY_NUMBERS, id)?.into_iter().map(|(number,)| number).collect())
}

pub async fn entry(tx: &mut Tx, id: Uuid, number: i64) -> Result<Option<EntryRow>> {
    fetch_optional!(tx, EntryRow, ENTRY_OF_CLAIM_NUMBER, id, number)
}

/// Entries, participants, tickets.
pub async fn totals(tx: &mut Tx, id: Uuid) -> Result<(i64, i64, i64)> {
    fetch_one!(tx, (i64, i64, i64), ENTRY_TOTALS, id)
}

/// Most tickets first.
pub async fn participants(tx: &mut Tx, id: Uuid, size: i64) -> Result<Vec<ParticipantRow>> {
    fetch_all!(tx, ParticipantRow, PARTICIPANTS, id, size)
}

pub async fn winners(tx: &mut Tx, id: Uuid) -> Result<Vec<WinnerRow>> {
    fetch_all!(tx, WinnerRow, WINNERS, id)
}

pub async fn insert_winner(tx: &mut Tx, id: Uuid, contest: Uuid, prize: PrizeRow, entry: Uuid) -> Result<()> {
    execute!(tx, INSERT_WINNER, id, contest, prize.place, entry, prize.currency_id, prize.units).map(drop)
}

/// False if it was already paid or the exchange is reversed.
pub async fn pay(tx: &mut Tx, winner: Uuid, at: Timestamp, by: &str, note: &str) -> Result<bool> {
    Ok(execute!(tx, PAY_WINNER, winner, at, by, note)? == 1)
}

/// Their prizes are not paid any more.
pub async fn reverse_winners(tx: &mut Tx, claim: Uuid, at: Timestamp) -> Result<()> {
    execute!(tx, REVERSE_WINNERS, claim, at).map(drop)
}

/// Newest first.
pub async fn entries_of_email(tx: &mut Tx, email: &str) -> Result<Vec<EntryRow>> {
    fetch_all!(tx, EntryRow, ENTRIES_OF_EMAIL, email)
}

pub async fn change_email(tx: &mut Tx, from: &str, to: &str) -> Result<()> {
    execute!(tx, SET_EMAIL_OF_ENTRIES, from, to).map(drop)
}

//! Contests in SQL.

use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional};
use uuid::Uuid;

use crate::model::State;

agio_core::statements! {
    CONTESTS = "SELECT * FROM contest ORDER BY starts_at DESC, id LIMIT $1";
    CONTEST = "SELECT * FROM contest WHERE id = $1";
    INSERT_CONTEST = "INSERT INTO contest (id, state, title_ru, title_en, rules_ru, rules_en, starts_at, ends_at, public_at, per_worth, most_weight,
            source_ru, source_en, commitment, secret, entries, revision, created_at, updated_at)
        VALUES ($1, 'planned', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 0, 1, $15, $15)";
    /// Stores what may change, if nobody else changed it since it was read.
    UPDATE_CONTEST = "UPDATE contest SET state = $3, title_ru = $4, title_en = $5, rules_ru = $6, rules_en = $7, starts_at = $8, ends_at = $9,
            public_at = $10, per_worth = $11, most_weight = $12, source_ru = $13, source_en = $14, entrants = $15, entrants_digest = $16,
            revealed = $17, public_value = $18, public_reference = $19, closed_at = $20, drawn_at = $21, updated_at = $22, revision = $2 + 1
        WHERE id = $1 AND revision = $2";
    /// Takes the right to enter: locks the contest whose period a moment is in. Nothing when its list is fixed.
    ENTER_CONTEST = "UPDATE contest SET entries = entries + 1
        WHERE state IN ('planned', 'running') AND starts_at <= $1 AND ends_at > $1 RETURNING id, per_worth, most_weight";
    /// Locks a contest that is over by a moment, so that nobody enters it while its list is made.
    LOCK_ENDED_CONTEST = "UPDATE contest SET entries = entries WHERE id = $1 AND state IN ('planned', 'running') AND ends_at <= $2 RETURNING id";
    /// Locks a contest whose list is fixed, so that nothing is taken back while it is drawn.
    LOCK_CLOSED_CONTEST = "UPDATE contest SET entries = entries WHERE id = $1 AND state = 'closed' RETURNING id";
    /// Locks the contests in which the entry of a claim can still become void.
    LOCK_CONTESTS_OF_CLAIM = "UPDATE contest SET entries = entries WHERE state IN ('planned', 'running', 'closed')
            AND id IN (SELECT contest_id FROM contest_entry WHERE claim_id = $1 AND voided_at IS NULL) RETURNING id";
    CONTESTS_DUE = "SELECT * FROM contest WHERE (state = 'planned' AND starts_at <= $1) OR (state IN ('planned', 'running') AND ends_at <= $1)
        ORDER BY starts_at";
    CONTESTS_OVERLAPPING = "SELECT COUNT(*) FROM contest WHERE state IN ('planned', 'running') AND id <> $1 AND starts_at < $3 AND ends_at > $2";

    PRIZES = "SELECT place, currency_id, units FROM contest_prize WHERE contest_id = $1 ORDER BY place";
    INSERT_PRIZE = "INSERT INTO contest_prize (contest_id, place, currency_id, units) VALUES ($1, $2, $3, $4)";
    DELETE_PRIZES = "DELETE FROM contest_prize WHERE contest_id = $1";

    /// Enters an exchange; one that was taken back and is done once more enters again.
    PUT_ENTRY = "INSERT INTO contest_entry (id, contest_id, claim_id, claim_number, person, email, locale, name, weight, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        ON CONFLICT (contest_id, claim_id) DO UPDATE SET voided_at = NULL, weight = excluded.weight";
    VOID_ENTRY = "UPDATE contest_entry SET voided_at = $3 WHERE contest_id = $1 AND claim_id = $2 AND voided_at IS NULL";
    ENTRIES = "SELECT * FROM contest_entry WHERE contest_id = $1 AND claim_number > $2 ORDER BY claim_number LIMIT $3";
    VOID_ENTRY_NUMBERS = "SELECT claim_number FROM contest_entry WHERE contest_id = $1 AND voided_at IS NOT NULL ORDER BY claim_number";
    ENTRY_OF_CLAIM_NUMBER = "SELECT * FROM contest_entry WHERE contest_id = $1 AND claim_number = $2";
    ENTRY_TOTALS = "SELECT COUNT(*), COUNT(DISTINCT person), CAST(COALESCE(SUM(weight), 0) AS BIGINT)
        FROM contest_entry WHERE contest_id = $1 AND voided_at IS NULL";
    STANDING = "SELECT MIN(name), COUNT(*), CAST(SUM(weight) AS BIGINT) AS tickets FROM contest_entry
        WHERE contest_id = $1 AND voided_at IS NULL GROUP BY person ORDER BY tickets DESC, MIN(claim_number) LIMIT $2";

    WINNERS = "SELECT winner.id, winner.place, winner.currency_id, winner.units, winner.paid_at, winner.paid_name, winner.note,
            entry.claim_number, entry.name, entry.email, entry.locale
        FROM contest_winner winner JOIN contest_entry entry ON entry.id = winner.entry_id WHERE winner.contest_id = $1 ORDER BY winner.place";
    INSERT_WINNER = "INSERT INTO contest_winner (id, contest_id, place, entry_id, currency_id, units) VALUES ($1, $2, $3, $4, $5, $6)";
    PAY_WINNER = "UPDATE contest_winner SET paid_at = $2, paid_name = $3, note = $4 WHERE id = $1 AND paid_at IS NULL";
}

/// A contest, whole.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Row {
    pub id: Uuid,
    pub state: State,
    pub title_ru: String,
    pub title_en: String,
    pub rules_ru: String,
    pub rules_en: String,
    pub starts_at: Timestamp,
    pub ends_at: Timestamp,
    pub public_at: Timestamp,
    pub per_worth: Option<String>,
    pub most_weight: i64,
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

/// A prize.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Prize {
    pub place: i64,
    pub currency_id: i64,
    pub units: i64,
}

/// An entry.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Entry {
    pub id: Uuid,
    pub contest_id: Uuid,
    pub claim_id: Uuid,
    pub claim_number: i64,
    pub person: String,
    pub email: String,
    pub locale: String,
    pub name: String,
    pub weight: i64,
    pub voided_at: Option<Timestamp>,
    pub created_at: Timestamp,
}

/// A winner with their prize.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Winner {
    pub id: Uuid,
    pub place: i64,
    pub currency_id: i64,
    pub units: i64,
    pub paid_at: Option<Timestamp>,
    pub paid_name: Option<String>,
    pub note: Option<String>,
    pub claim_number: i64,
    pub name: String,
    pub email: String,
    pub locale: String,
}

/// The newest contests.
pub async fn newest(tx: &mut Tx, size: i64) -> Result<Vec<Row>> {
    fetch_all!(tx, Row, CONTESTS, size)
}

/// A contest by its identifier.
pub async fn one(tx: &mut Tx, id: Uuid) -> Result<Option<Row>> {
    fetch_optional!(tx, Row, CONTEST, id)
}

/// Stores a new contest with its prizes.
pub async fn insert(tx: &mut Tx, row: &Row, prizes: &[Prize]) -> Result<()> {
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
        row.per_worth.as_deref(),
        row.most_weight,
        &row.source_ru,
        &row.source_en,
        &row.commitment,
        &row.secret,
        row.created_at,
    )?;
    put_prizes(tx, row.id, prizes).await
}

/// Gives a contest these prizes and no others.
pub async fn put_prizes(tx: &mut Tx, id: Uuid, prizes: &[Prize]) -> Result<()> {
    execute!(tx, DELETE_PRIZES, id)?;
    for prize in prizes {
        execute!(tx, INSERT_PRIZE, id, prize.place, prize.currency_id, prize.units)?;
    }
    Ok(())
}

/// Stores a changed contest; false when somebody else changed it since it was read.
pub async fn update(tx: &mut Tx, row: &mut Row) -> Result<bool> {
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
        row.per_worth.as_deref(),
        row.most_weight,
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

/// The contest an exchange done at a moment enters, with its rule of weights; locked.
pub async fn entered(tx: &mut Tx, at: Timestamp) -> Result<Option<(Uuid, Option<String>, i64)>> {
    fetch_optional!(tx, (Uuid, Option<String>, i64), ENTER_CONTEST, at)
}

/// Locks a contest that is over; false when it is not, or its list is fixed.
pub async fn lock_ended(tx: &mut Tx, id: Uuid, now: Timestamp) -> Result<bool> {
    Ok(fetch_optional!(tx, (Uuid,), LOCK_ENDED_CONTEST, id, now)?.is_some())
}

/// Contests that are to begin or to be closed.
pub async fn due(tx: &mut Tx, now: Timestamp) -> Result<Vec<Row>> {
    fetch_all!(tx, Row, CONTESTS_DUE, now)
}

/// Whether another open contest is in the same time.
pub async fn overlaps(tx: &mut Tx, row: &Row) -> Result<bool> {
    Ok(fetch_one!(tx, (i64,), CONTESTS_OVERLAPPING, row.id, row.starts_at, row.ends_at)?.0 > 0)
}

/// A contest's prizes, the first first.
pub async fn prizes(tx: &mut Tx, id: Uuid) -> Result<Vec<Prize>> {
    fetch_all!(tx, Prize, PRIZES, id)
}

/// Stores an entry.
pub async fn put_entry(tx: &mut Tx, entry: &Entry) -> Result<()> {
    let Entry { id, contest_id, claim_id, claim_number, person, email, locale, name, weight, created_at, .. } = entry;
    execute!(tx, PUT_ENTRY, id, contest_id, claim_id, claim_number, person, email, locale, name, weight, created_at).map(drop)
}

/// Makes the entry of a claim void, unless its contest is drawn.
pub async fn void_entries(tx: &mut Tx, claim: Uuid, at: Timestamp) -> Result<()> {
    for (contest,) in fetch_all!(tx, (Uuid,), LOCK_CONTESTS_OF_CLAIM, claim)? {
        execute!(tx, VOID_ENTRY, contest, claim, at)?;
    }
    Ok(())
}

/// Locks a contest whose list is fixed; false when it is not one.
pub async fn lock_closed(tx: &mut Tx, id: Uuid) -> Result<bool> {
    Ok(fetch_optional!(tx, (Uuid,), LOCK_CLOSED_CONTEST, id)?.is_some())
}

/// A page of entries by the numbers of their claims, void ones included.
pub async fn entries(tx: &mut Tx, id: Uuid, after: i64, size: i64) -> Result<Vec<Entry>> {
    fetch_all!(tx, Entry, ENTRIES, id, after, size)
}

/// The numbers of void entries.
pub async fn void_numbers(tx: &mut Tx, id: Uuid) -> Result<Vec<i64>> {
    Ok(fetch_all!(tx, (i64,), VOID_ENTRY_NUMBERS, id)?.into_iter().map(|(number,)| number).collect())
}

/// An entry by the number of its claim.
pub async fn entry(tx: &mut Tx, id: Uuid, number: i64) -> Result<Option<Entry>> {
    fetch_optional!(tx, Entry, ENTRY_OF_CLAIM_NUMBER, id, number)
}

/// How many entries, people and tickets there are.
pub async fn totals(tx: &mut Tx, id: Uuid) -> Result<(i64, i64, i64)> {
    fetch_one!(tx, (i64, i64, i64), ENTRY_TOTALS, id)
}

/// Those with most tickets: their names, entries and tickets.
pub async fn standing(tx: &mut Tx, id: Uuid, size: i64) -> Result<Vec<(String, i64, i64)>> {
    fetch_all!(tx, (String, i64, i64), STANDING, id, size)
}

/// The winners, the first first.
pub async fn winners(tx: &mut Tx, id: Uuid) -> Result<Vec<Winner>> {
    fetch_all!(tx, Winner, WINNERS, id)
}

/// Stores a winner; gives the identifier under which the books owe them the prize.
pub async fn insert_winner(tx: &mut Tx, id: Uuid, contest: Uuid, prize: Prize, entry: Uuid) -> Result<()> {
    execute!(tx, INSERT_WINNER, id, contest, prize.place, entry, prize.currency_id, prize.units).map(drop)
}

/// Notes that a winner has their prize; false when they had it before.
pub async fn pay(tx: &mut Tx, winner: Uuid, at: Timestamp, by: &str, note: &str) -> Result<bool> {
    Ok(execute!(tx, PAY_WINNER, winner, at, by, note)? == 1)
}

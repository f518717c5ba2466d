//! Sources, rules and what is remembered of rates, in SQL.

use std::fmt;
use std::str::FromStr;

use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_optional, write_one};
use rust_decimal::Decimal;

agio_core::statements! {
    SOURCES = "SELECT * FROM rate_source ORDER BY priority, name";
    SOURCE = "SELECT * FROM rate_source WHERE name = $1";
    PUT_SOURCE = "INSERT INTO rate_source (name, enabled, every_seconds, max_age_seconds, priority, cross_check, revision, updated_at,
            asked_at, prices)
        VALUES ($1, $2, $3, $4, $5, $6, 1, $7, 0, 0)
        ON CONFLICT (name) DO UPDATE SET enabled = excluded.enabled, every_seconds = excluded.every_seconds,
            max_age_seconds = excluded.max_age_seconds, priority = excluded.priority, cross_check = excluded.cross_check,
            revision = rate_source.revision + 1, updated_at = excluded.updated_at, asked_at = 0";
    /// Takes the right to ask a source, if it is due and nobody else took it.
    TAKE_TURN = "UPDATE rate_source SET asked_at = $2 WHERE name = $1 AND enabled AND asked_at + every_seconds * 1000000 <= $2";
    SOURCE_ANSWERED = "UPDATE rate_source SET answered_at = $2, prices = $3, fault = NULL, fault_at = NULL WHERE name = $1";
    SOURCE_FAILED = "UPDATE rate_source SET fault = $2, fault_at = $3 WHERE name = $1";
    ANSWERS = "SELECT a.source, a.base, a.quote, a.bid, a.ask, a.observed_at FROM rate_answer a
        JOIN rate_source s ON s.name = a.source WHERE s.enabled ORDER BY a.source, a.base, a.quote";
    PUT_ANSWER = "INSERT INTO rate_answer (source, base, quote, bid, ask, observed_at) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (source, base, quote) DO UPDATE SET bid = excluded.bid, ask = excluded.ask, observed_at = excluded.observed_at";
    POSITIONS = "SELECT source, from_code, to_code, offers, read_at FROM rate_position";
    PUT_POSITION = "INSERT INTO rate_position (source, from_code, to_code, offers, read_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (source, from_code, to_code) DO UPDATE SET offers = excluded.offers, read_at = excluded.read_at";
    RULES = "SELECT pair_id, rules, revision, updated_at FROM rate_rule ORDER BY pair_id";
    RULE = "SELECT pair_id, rules, revision, updated_at FROM rate_rule WHERE pair_id = $1";
    INSERT_RULE = "INSERT INTO rate_rule (pair_id, rules, revision, updated_at) VALUES ($1, $2, 1, $3)
        ON CONFLICT (pair_id) DO NOTHING";
    UPDATE_RULE = "UPDATE rate_rule SET rules = $3, updated_at = $4, revision = revision + 1 WHERE pair_id = $1 AND revision = $2";
    WATCHES = "SELECT pair_id, watch, stopped_at FROM rate_watch ORDER BY pair_id";
    WATCH = "SELECT pair_id, watch, stopped_at FROM rate_watch WHERE pair_id = $1";
    PUT_WATCH = "INSERT INTO rate_watch (pair_id, watch, stopped_at) VALUES ($1, $2, $3)
        ON CONFLICT (pair_id) DO UPDATE SET watch = excluded.watch, stopped_at = excluded.stopped_at";
    STOPPED_SINCE = "SELECT pair_id, watch, stopped_at FROM rate_watch WHERE stopped_at > $1 ORDER BY stopped_at, pair_id";
    FORGET_STOPS = "UPDATE rate_watch SET watch = '{}', stopped_at = NULL WHERE stopped_at IS NOT NULL";
    /// Takes the right to run the next cycle.
    TAKE_CYCLE = "UPDATE rate_cycle SET number = number + 1, at = $1 WHERE id = 1 AND at <= $2";
    PUT_POINT = "INSERT INTO rate_point (pair_id, at, market, course, stopped) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (pair_id, at) DO UPDATE SET market = excluded.market, course = excluded.course, stopped = excluded.stopped";
    POINTS = "SELECT pair_id, at, market, course, stopped FROM rate_point WHERE pair_id = $1 AND at >= $2 ORDER BY at";
    /// Of each pair the last point before a moment, not older than another.
    POINTS_BEFORE = "SELECT p.pair_id, p.at, p.market, p.course, p.stopped FROM rate_point p
        JOIN (SELECT pair_id, MAX(at) AS newest FROM rate_point WHERE at <= $1 AND at >= $2 AND NOT stopped GROUP BY pair_id) latest
          ON latest.pair_id = p.pair_id AND latest.newest = p.at";
    /// Of points in hours that are over, all but the last of each hour.
    THIN_OUT_POINTS = "DELETE FROM rate_point WHERE at < $1 AND EXISTS (SELECT 1 FROM rate_point later
        WHERE later.pair_id = rate_point.pair_id AND later.at > rate_point.at AND later.at / 3600000000 = rate_point.at / 3600000000)";
}

/// A decimal as its digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digits(pub Decimal);

impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&agio_core::money::plain(self.0))
    }
}

impl FromStr for Digits {
    type Err = rust_decimal::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Decimal::from_str_exact(text).map(Self)
    }
}

agio_core::text_column!(Digits);

/// A source that was set up.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct SourceRow {
    /// The plugin.
    pub name: String,
    /// Whether it is asked.
    pub enabled: bool,
    /// How often, in seconds.
    pub every_seconds: i64,
    /// How old what it says may be, in seconds.
    pub max_age_seconds: i64,
    /// Less is more trusted.
    pub priority: i64,
    /// Whether it is never priced with.
    pub cross_check: bool,
    /// Counts its changes.
    pub revision: i64,
    /// When it was set up last.
    pub updated_at: Timestamp,
    /// When it was asked last.
    pub asked_at: Timestamp,
    /// When it answered last.
    pub answered_at: Option<Timestamp>,
    /// How many prices or directions its last answer had.
    pub prices: i64,
    /// What was wrong, if it did not answer since.
    pub fault: Option<String>,
    /// When that was.
    pub fault_at: Option<Timestamp>,
}

/// What a source said last of two assets.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct AnswerRow {
    /// The source.
    pub source: String,
    /// The asset that is priced.
    pub base: String,
    /// The asset it is priced in.
    pub quote: String,
    /// What the source buys the base at.
    pub bid: Digits,
    /// What it sells the base at.
    pub ask: Digits,
    /// When that was so.
    pub observed_at: Timestamp,
}

/// What a monitor showed last of a direction.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct PositionRow {
    /// The source that read it.
    pub source: String,
    /// The code of the currency sent.
    pub from_code: String,
    /// The code of the currency received.
    pub to_code: String,
    /// Who is there, JSON.
    pub offers: String,
    /// When it was read.
    pub read_at: Timestamp,
}

/// The rules of a pair.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct RuleRow {
    /// The pair.
    pub pair_id: i64,
    /// The rules, JSON.
    pub rules: String,
    /// Counts their changes.
    pub revision: i64,
    /// When they were changed last.
    pub updated_at: Timestamp,
}

/// What is remembered of a pair.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct WatchRow {
    /// The pair.
    pub pair_id: i64,
    /// What, JSON.
    pub watch: String,
    /// Since when it is stopped by what sources say.
    pub stopped_at: Option<Timestamp>,
}

/// A point of a pair's chart.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct PointRow {
    /// The pair.
    pub pair_id: i64,
    /// When.
    pub at: Timestamp,
    /// The market's rate.
    pub market: Digits,
    /// The course.
    pub course: Option<Digits>,
    /// Whether it was stopped.
    pub stopped: bool,
}

/// Every source that was set up, the most trusted first.
pub async fn sources(tx: &mut Tx) -> Result<Vec<SourceRow>> {
    fetch_all!(tx, SourceRow, SOURCES)
}

/// A source.
pub async fn source(tx: &mut Tx, name: &str) -> Result<Option<SourceRow>> {
    fetch_optional!(tx, SourceRow, SOURCE, name)
}

/// Sets a source up; it is due at once.
pub async fn put_source(tx: &mut Tx, row: &SourceRow) -> Result<()> {
    let SourceRow { name, enabled, every_seconds, max_age_seconds, priority, cross_check, updated_at, .. } = row;
    execute!(tx, PUT_SOURCE, name, enabled, every_seconds, max_age_seconds, priority, cross_check, updated_at).map(drop)
}

/// Whether the caller is the one to ask the source now.
pub async fn take_turn(tx: &mut Tx, name: &str, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, TAKE_TURN, name, now)? == 1)
}

/// Notes that a source answered with so much.
pub async fn answered(tx: &mut Tx, name: &str, count: i64, now: Timestamp) -> Result<()> {
    execute!(tx, SOURCE_ANSWERED, name, now, count).map(drop)
}

/// Notes that a source did not answer.
pub async fn failed(tx: &mut Tx, name: &str, fault: &str, now: Timestamp) -> Result<()> {
    execute!(tx, SOURCE_FAILED, name, fault, now).map(drop)
}

/// What the sources that are on said last.
pub async fn answers(tx: &mut Tx) -> Result<Vec<AnswerRow>> {
    fetch_all!(tx, AnswerRow, ANSWERS)
}

/// Stores what a source says now. What it does not speak of any more stays, and grows old: it is missed, not forgotten.
pub async fn put_answers(tx: &mut Tx, rows: &[AnswerRow]) -> Result<()> {
    for row in rows {
        execute!(tx, PUT_ANSWER, &row.source, &row.base, &row.quote, row.bid, row.ask, row.observed_at)?;
    }
    Ok(())
}

/// What monitors showed last.
pub async fn positions(tx: &mut Tx) -> Result<Vec<PositionRow>> {
    fetch_all!(tx, PositionRow, POSITIONS)
}

/// Stores what a monitor shows of a direction.
pub async fn put_position(tx: &mut Tx, row: &PositionRow) -> Result<()> {
    execute!(tx, PUT_POSITION, &row.source, &row.from_code, &row.to_code, &row.offers, row.read_at).map(drop)
}

/// The rules of every pair that has its own.
pub async fn rules(tx: &mut Tx) -> Result<Vec<RuleRow>> {
    fetch_all!(tx, RuleRow, RULES)
}

/// The rules of a pair.
pub async fn rule(tx: &mut Tx, pair: i64) -> Result<Option<RuleRow>> {
    fetch_optional!(tx, RuleRow, RULE, pair)
}

/// Stores the rules of a pair, if they are still of this revision; zero for those that were never set.
pub async fn put_rule(tx: &mut Tx, pair: i64, revision: i64, rules: &str, now: Timestamp) -> Result<bool> {
    let stored = if revision == 0 {
        execute!(tx, INSERT_RULE, pair, rules, now)?
    } else {
        execute!(tx, UPDATE_RULE, pair, revision, rules, now)?
    };
    Ok(stored == 1)
}

/// What is remembered of pairs.
pub async fn watches(tx: &mut Tx) -> Result<Vec<WatchRow>> {
    fetch_all!(tx, WatchRow, WATCHES)
}

/// What is remembered of a pair.
pub async fn watch(tx: &mut Tx, pair: i64) -> Result<Option<WatchRow>> {
    fetch_optional!(tx, WatchRow, WATCH, pair)
}

/// Remembers a pair.
pub async fn put_watch(tx: &mut Tx, row: &WatchRow) -> Result<()> {
    write_one!(tx, PUT_WATCH, row.pair_id, &row.watch, row.stopped_at)
}

/// The pairs that stopped after a moment and did not go on, the oldest first.
pub async fn stopped_since(tx: &mut Tx, since: Timestamp) -> Result<Vec<WatchRow>> {
    fetch_all!(tx, WatchRow, STOPPED_SINCE, since)
}

/// Forgets what stopped pairs: nothing does any more.
pub async fn forget_stops(tx: &mut Tx) -> Result<()> {
    execute!(tx, FORGET_STOPS).map(drop)
}

/// Whether the caller is the one to run a cycle now; the last one began at or before `last`.
pub async fn take_cycle(tx: &mut Tx, now: Timestamp, last: Timestamp) -> Result<bool> {
    Ok(execute!(tx, TAKE_CYCLE, now, last)? == 1)
}

/// Stores a point of a chart.
pub async fn put_point(tx: &mut Tx, row: &PointRow) -> Result<()> {
    write_one!(tx, PUT_POINT, row.pair_id, row.at, row.market, row.course, row.stopped)
}

/// The points of a pair since a moment.
pub async fn points(tx: &mut Tx, pair: i64, since: Timestamp) -> Result<Vec<PointRow>> {
    fetch_all!(tx, PointRow, POINTS, pair, since)
}

/// Of each pair the last good point before a moment, not older than another.
pub async fn points_before(tx: &mut Tx, before: Timestamp, since: Timestamp) -> Result<Vec<PointRow>> {
    fetch_all!(tx, PointRow, POINTS_BEFORE, before, since)
}

/// Of points before a moment keeps the last of each hour.
pub async fn thin_out_points(tx: &mut Tx, before: Timestamp) -> Result<u64> {
    execute!(tx, THIN_OUT_POINTS, before)
}

//! SQL of rate sources, rules, suspensions and history.

use agio_core::decimal::StoredDecimal;
use agio_core::retention::ThinningRule;
use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_optional, write_one};

/// Whether a later point of the same hour is stored.
macro_rules! later_point {
    () => {
        "EXISTS (SELECT 1 FROM rate_history later
            WHERE later.pair_id = rate_history.pair_id AND later.at > rate_history.at AND later.at / 3600000000 = rate_history.at / 3600000000)"
    };
}

agio_core::statements! {
    SOURCES = "SELECT * FROM rate_source ORDER BY priority, name";
    SOURCE = "SELECT * FROM rate_source WHERE name = $1";
    PUT_SOURCE = "INSERT INTO rate_source (name, enabled, every_seconds, max_age_seconds, priority, cross_check, revision, updated_at,
            polled_at, prices)
        VALUES ($1, $2, $3, $4, $5, $6, 1, $7, 0, 0)
        ON CONFLICT (name) DO UPDATE SET enabled = excluded.enabled, every_seconds = excluded.every_seconds,
            max_age_seconds = excluded.max_age_seconds, priority = excluded.priority, cross_check = excluded.cross_check,
            revision = rate_source.revision + 1, updated_at = excluded.updated_at, polled_at = 0";
    /// Claims the poll of a due source.
    CLAIM_POLL = "UPDATE rate_source SET polled_at = $2 WHERE name = $1 AND enabled AND polled_at + every_seconds * 1000000 <= $2";
    SOURCE_RESPONDED = "UPDATE rate_source SET responded_at = $2, prices = $3, fault = NULL, fault_at = NULL WHERE name = $1";
    SOURCE_FAILED = "UPDATE rate_source SET fault = $2, fault_at = $3 WHERE name = $1";
    SOURCE_PRICES = "SELECT a.source, a.base, a.quote, a.bid, a.ask, a.observed_at FROM source_price a
        JOIN rate_source s ON s.name = a.source WHERE s.enabled ORDER BY a.source, a.base, a.quote";
    FRESH_PRICE = "SELECT p.source FROM source_price p JOIN rate_source s ON s.name = p.source
        WHERE s.enabled AND p.observed_at + s.max_age_seconds * 1000000 >= $1 LIMIT 1";
    PUT_SOURCE_PRICE = "INSERT INTO source_price (source, base, quote, bid, ask, observed_at) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (source, base, quote) DO UPDATE SET bid = excluded.bid, ask = excluded.ask, observed_at = excluded.observed_at";
    ORDER_BOOKS = "SELECT source, give_code, receive_code, offers, read_at FROM order_book";
    PUT_ORDER_BOOK = "INSERT INTO order_book (source, give_code, receive_code, offers, read_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (source, give_code, receive_code) DO UPDATE SET offers = excluded.offers, read_at = excluded.read_at";
    RULES = "SELECT pair_id, rules, revision, updated_at FROM rate_rule ORDER BY pair_id";
    RULE = "SELECT pair_id, rules, revision, updated_at FROM rate_rule WHERE pair_id = $1";
    INSERT_RULE = "INSERT INTO rate_rule (pair_id, rules, revision, updated_at) VALUES ($1, $2, 1, $3)
        ON CONFLICT (pair_id) DO NOTHING";
    UPDATE_RULE = "UPDATE rate_rule SET rules = $3, updated_at = $4, revision = revision + 1 WHERE pair_id = $1 AND revision = $2";
    PAIR_RATE_STATES = "SELECT pair_id, state, suspended_at FROM pair_rate_state ORDER BY pair_id";
    PAIR_RATE_STATE = "SELECT pair_id, state, suspended_at FROM pair_rate_state WHERE pair_id = $1";
    PUT_PAIR_RATE_STATE = "INSERT INTO pair_rate_state (pair_id, state, suspended_at) VALUES ($1, $2, $3)
        ON CONFLICT (pair_id) DO UPDATE SET state = excluded.state, suspended_at = excluded.suspended_at";
    SUSPENDED_SINCE = "SELECT pair_id, state, suspended_at FROM pair_rate_state WHERE suspended_at > $1 ORDER BY suspended_at, pair_id";
    CLEAR_SUSPENSIONS = "UPDATE pair_rate_state SET state = '{}', suspended_at = NULL WHERE suspended_at IS NOT NULL";
    /// Claims the next cycle.
    CLAIM_CYCLE = "UPDATE aggregation_cycle SET number = number + 1, at = $1 WHERE id = 1 AND at <= $2";
    PUT_POINT = "INSERT INTO rate_history (pair_id, at, market, rate, suspended) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (pair_id, at) DO UPDATE SET market = excluded.market, rate = excluded.rate, suspended = excluded.suspended";
    POINTS = "SELECT pair_id, at, market, rate, suspended FROM rate_history WHERE pair_id = $1 AND at >= $2 ORDER BY at";
    /// The last good point of each pair between two moments.
    POINTS_BEFORE = "SELECT p.pair_id, p.at, p.market, p.rate, p.suspended FROM rate_history p
        JOIN (SELECT pair_id, MAX(at) AS newest FROM rate_history WHERE at <= $1 AND at >= $2 AND NOT suspended GROUP BY pair_id) latest
          ON latest.pair_id = p.pair_id AND latest.newest = p.at";
    FIRST_SURPLUS_POINT = concat!(
        "SELECT at FROM rate_history WHERE at >= $1 AND at < $2 AND ", later_point!(), " ORDER BY at LIMIT 1"
    );
    DELETE_SURPLUS_POINTS = concat!(
        "DELETE FROM rate_history WHERE (pair_id, at) IN (SELECT pair_id, at FROM rate_history
            WHERE at >= $1 AND at < $2 AND ", later_point!(), " LIMIT $3)"
    );
}

pub const POINT_THINNING: ThinningRule = ThinningRule { first: FIRST_SURPLUS_POINT, delete: DELETE_SURPLUS_POINTS };

#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct SourceRow {
    pub name: String,
    pub enabled: bool,
    /// Polling interval in seconds.
    pub every_seconds: i64,
    /// Maximum age of its data, in seconds.
    pub max_age_seconds: i64,
    pub priority: i64,
    pub cross_check: bool,
    pub revision: i64,
    pub updated_at: Timestamp,
    pub polled_at: Timestamp,
    pub responded_at: Option<Timestamp>,
    /// Prices or directions in the last response.
    pub prices: i64,
    /// The error since the last response.
    pub fault: Option<String>,
    pub fault_at: Option<Timestamp>,
}

/// The latest price of a source.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct SourcePriceRow {
    pub source: String,
    pub base: String,
    pub quote: String,
    pub bid: StoredDecimal,
    pub ask: StoredDecimal,
    pub observed_at: Timestamp,
}

/// The latest competitors' offers of a direction.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct OrderBookRow {
    pub source: String,
    pub give_code: String,
    pub receive_code: String,
    /// JSON.
    pub offers: String,
    pub read_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct RuleRow {
    pub pair_id: i64,
    /// JSON.
    pub rules: String,
    pub revision: i64,
    pub updated_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct PairRateStateRow {
    pub pair_id: i64,
    /// JSON.
    pub state: String,
    /// Start of the suspension.
    pub suspended_at: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct HistoryPointRow {
    pub pair_id: i64,
    pub at: Timestamp,
    pub market: StoredDecimal,
    pub rate: Option<StoredDecimal>,
    pub suspended: bool,
}

/// Configured sources, most trusted first.
pub async fn sources(tx: &mut Tx) -> Result<Vec<SourceRow>> {
    fetch_all!(tx, SourceRow, SOURCES)
}

pub async fn source(tx: &mut Tx, name: &str) -> Result<Option<SourceRow>> {
    fetch_optional!(tx, SourceRow, SOURCE, name)
}

/// Stores the configuration of a source; it is due at once.
pub async fn put_source(tx: &mut Tx, row: &SourceRow) -> Result<()> {
    let SourceRow { name, enabled, every_seconds, max_age_seconds, priority, cross_check, updated_at, .. } = row;
    execute!(tx, PUT_SOURCE, name, enabled, every_seconds, max_age_seconds, priority, cross_check, updated_at).map(drop)
}

/// Whether the caller may poll the source now.
pub async fn claim_poll(tx: &mut Tx, name: &str, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, CLAIM_POLL, name, now)? == 1)
}

pub async fn responded(tx: &mut Tx, name: &str, count: i64, now: Timestamp) -> Result<()> {
    execute!(tx, SOURCE_RESPONDED, name, now, count).map(drop)
}

pub async fn failed(tx: &mut Tx, name: &str, fault: &str, now: Timestamp) -> Result<()> {
    execute!(tx, SOURCE_FAILED, name, fault, now).map(drop)
}

/// The latest prices of enabled sources.
pub async fn source_prices(tx: &mut Tx) -> Result<Vec<SourcePriceRow>> {
    fetch_all!(tx, SourcePriceRow, SOURCE_PRICES)
}

/// Whether an enabled source has a price that is not too old.
pub async fn has_fresh_price(tx: &mut Tx, now: Timestamp) -> Result<bool> {
    Ok(fetch_optional!(tx, (String,), FRESH_PRICE, now)?.is_some())
}

/// Stores current prices. Prices missing from a response stay and become stale.
pub async fn put_source_prices(tx: &mut Tx, rows: &[SourcePriceRow]) -> Result<()> {
    for row in rows {
        execute!(tx, PUT_SOURCE_PRICE, &row.source, &row.base, &row.quote, row.bid, row.ask, row.observed_at)?;
    }
    Ok(())
}

pub async fn order_books(tx: &mut Tx) -> Result<Vec<OrderBookRow>> {
    fetch_all!(tx, OrderBookRow, ORDER_BOOKS)
}

pub async fn put_order_book(tx: &mut Tx, row: &OrderBookRow) -> Result<()> {
    execute!(tx, PUT_ORDER_BOOK, &row.source, &row.give_code, &row.receive_code, &row.offers, row.read_at).map(drop)
}

pub async fn rules(tx: &mut Tx) -> Result<Vec<RuleRow>> {
    fetch_all!(tx, RuleRow, RULES)
}

pub async fn rule(tx: &mut Tx, pair: i64) -> Result<Option<RuleRow>> {
    fetch_optional!(tx, RuleRow, RULE, pair)
}

/// Stores rules at this revision; zero for new rules.
pub async fn put_rule(tx: &mut Tx, pair: i64, revision: i64, rules: &str, now: Timestamp) -> Result<bool> {
    let stored = if revision == 0 {
        execute!(tx, INSERT_RULE, pair, rules, now)?
    } else {
        execute!(tx, UPDATE_RULE, pair, revision, rules, now)?
    };
    Ok(stored == 1)
}

pub async fn pair_states(tx: &mut Tx) -> Result<Vec<PairRateStateRow>> {
    fetch_all!(tx, PairRateStateRow, PAIR_RATE_STATES)
}

pub async fn pair_state(tx: &mut Tx, pair: i64) -> Result<Option<PairRateStateRow>> {
    fetch_optional!(tx, PairRateStateRow, PAIR_RATE_STATE, pair)
}

pub async fn put_pair_state(tx: &mut Tx, row: &PairRateStateRow) -> Result<()> {
    write_one!(tx, PUT_PAIR_RATE_STATE, row.pair_id, &row.state, row.suspended_at)
}

/// Oldest first.
pub async fn suspended_since(tx: &mut Tx, since: Timestamp) -> Result<Vec<PairRateStateRow>> {
    fetch_all!(tx, PairRateStateRow, SUSPENDED_SINCE, since)
}

pub async fn clear_suspensions(tx: &mut Tx) -> Result<()> {
    execute!(tx, CLEAR_SUSPENSIONS).map(drop)
}

/// Whether the caller may run a cycle now; the last one must have started at or before `last`.
pub async fn claim_cycle(tx: &mut Tx, now: Timestamp, last: Timestamp) -> Result<bool> {
    Ok(execute!(tx, CLAIM_CYCLE, now, last)? == 1)
}

pub async fn put_point(tx: &mut Tx, row: &HistoryPointRow) -> Result<()> {
    write_one!(tx, PUT_POINT, row.pair_id, row.at, row.market, row.rate, row.suspended)
}

pub async fn points(tx: &mut Tx, pair: i64, since: Timestamp) -> Result<Vec<HistoryPointRow>> {
    fetch_all!(tx, HistoryPointRow, POINTS, pair, since)
}

/// The last good point of each pair between two moments.
pub async fn points_before(tx: &mut Tx, before: Timestamp, since: Timestamp) -> Result<Vec<HistoryPointRow>> {
    fetch_all!(tx, HistoryPointRow, POINTS_BEFORE, before, since)
}

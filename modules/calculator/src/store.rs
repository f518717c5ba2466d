//! SQL of the market.

mod rate_decisions;

use agio_contracts::{CurrencyKind, NetworkFeePayer};
use agio_core::decimal::StoredDecimal;
use agio_core::retention::ThinningRule;
use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional};
use serde::Serialize;

use crate::market::RateSourceKind;

pub(crate) use rate_decisions::{
    AggregatedPriceRow, RateDecisionRow, decisions, prices, put_decisions, put_live_observation, put_prices,
};

/// Whether a later live price of the same hour is stored.
macro_rules! later_observation {
    () => {
        "EXISTS (SELECT 1 FROM observation later
            WHERE later.is_live AND later.source = observation.source AND later.base = observation.base AND later.quote = observation.quote
              AND later.observed_at > observation.observed_at AND later.observed_at / 3600000000 = observation.observed_at / 3600000000)"
    };
}

agio_core::statements! {
    CURRENCIES = "SELECT * FROM currency ORDER BY archived, position, id";
    CURRENCY = "SELECT * FROM currency WHERE id = $1";
    CURRENCY_WITH_CODE = "SELECT id FROM currency WHERE code = $1";
    PAIRS_OF_CURRENCY = "SELECT COUNT(*), COUNT(CASE WHEN give_id = $1 AND verification = 'card' THEN 1 END) FROM pair
        WHERE give_id = $1 OR receive_id = $1";
    INSERT_CURRENCY = "INSERT INTO currency (id, code, ticker, network_ru, network_en, kind, name_ru, name_en, icon, scale, round_digits, can_give,
            can_receive, position, inputs, cities, reserve_floor, archived, revision, updated_at, network_fee, explorer)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22) ON CONFLICT (id) DO NOTHING";
    UPDATE_CURRENCY = "UPDATE currency SET code = $3, ticker = $4, network_ru = $5, network_en = $6, name_ru = $7, name_en = $8, icon = $9,
            round_digits = $10, can_give = $11, can_receive = $12, position = $13, inputs = $14, cities = $15, reserve_floor = $16, archived = $17,
            updated_at = $18, network_fee = $19, explorer = $20, revision = revision + 1
        WHERE id = $1 AND revision = $2";
    NEXT_CURRENCY = "SELECT COALESCE(MAX(id), 0) + 1, COALESCE(MAX(position), 0) FROM currency";
    NEXT_PAIR = "SELECT COALESCE(MAX(id), 0) + 1 FROM pair";
    PAIRS = "SELECT * FROM pair ORDER BY id";
    PAIR = "SELECT * FROM pair WHERE id = $1";
    INSERT_PAIR = "INSERT INTO pair (id, give_id, receive_id, enabled, source, manual_rate, spread_percent, give_fee_fixed,
            give_fee_percent, receive_fee_fixed, receive_fee_percent, tiers, give_min, give_max, receive_min, receive_max, hold_minutes,
            floating, notices, revision, updated_at, verification, late_tolerance_percent, amount_tolerance_fixed, amount_tolerance_percent,
            reported_minutes, give_step, receive_step, archived, customer_terms, network_fee_payer, cities)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27,
            $28, $29, $30, $31, $32)
        ON CONFLICT (id) DO NOTHING";
    UPDATE_PAIR = "UPDATE pair SET enabled = $3, source = $4, manual_rate = $5, spread_percent = $6, give_fee_fixed = $7,
            give_fee_percent = $8, receive_fee_fixed = $9, receive_fee_percent = $10, tiers = $11, give_min = $12, give_max = $13,
            receive_min = $14, receive_max = $15, hold_minutes = $16, floating = $17, notices = $18, updated_at = $19, verification = $20,
            late_tolerance_percent = $21, amount_tolerance_fixed = $22, amount_tolerance_percent = $23, reported_minutes = $24,
            give_step = $25, receive_step = $26, archived = $27, customer_terms = $28, network_fee_payer = $29, cities = $30,
            revision = revision + 1
        WHERE id = $1 AND revision = $2";
    LATEST_OBSERVATIONS = "SELECT o.source, o.base, o.quote, o.bid, o.ask, o.observed_at, o.imported_at
        FROM observation o
        JOIN (SELECT source, base, quote, MAX(observed_at) AS newest FROM observation WHERE NOT is_live AND observed_at < $1
              GROUP BY source, base, quote) latest
          ON latest.source = o.source AND latest.base = o.base AND latest.quote = o.quote AND latest.newest = o.observed_at
        WHERE NOT o.is_live
        ORDER BY o.source, o.base, o.quote";
    PUT_OBSERVATION = "INSERT INTO observation (source, base, quote, bid, ask, observed_at, imported_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (source, base, quote, observed_at) DO UPDATE SET bid = excluded.bid, ask = excluded.ask, imported_at = excluded.imported_at";
    /// Prices of live sources; an imported price of the same time stays unchanged.
    PUT_LIVE_OBSERVATION = "INSERT INTO observation (source, base, quote, bid, ask, observed_at, imported_at, is_live)
        VALUES ($1, $2, $3, $4, $5, $6, $7, TRUE) ON CONFLICT (source, base, quote, observed_at) DO NOTHING";
    FIRST_SURPLUS_OBSERVATION = concat!(
        "SELECT observed_at FROM observation WHERE is_live AND observed_at >= $1 AND observed_at < $2 AND ",
        later_observation!(), " ORDER BY observed_at LIMIT 1"
    );
    DELETE_SURPLUS_OBSERVATIONS = concat!(
        "DELETE FROM observation WHERE (source, base, quote, observed_at) IN (SELECT source, base, quote, observed_at FROM observation
            WHERE is_live AND observed_at >= $1 AND observed_at < $2 AND ", later_observation!(), " LIMIT $3)"
    );
    AGGREGATED_PRICES = "SELECT base, quote, price FROM aggregated_price ORDER BY base, quote";
    PUT_AGGREGATED_PRICE = "INSERT INTO aggregated_price (base, quote, price) VALUES ($1, $2, $3)
        ON CONFLICT (base, quote) DO UPDATE SET price = excluded.price";
    DELETE_AGGREGATED_PRICE = "DELETE FROM aggregated_price WHERE base = $1 AND quote = $2";
    RATE_DECISIONS = "SELECT pair_id, suspension, adjustments, jump_percent, formula FROM pair_rate_decision ORDER BY pair_id";
    PUT_RATE_DECISION = "INSERT INTO pair_rate_decision (pair_id, suspension, adjustments, jump_percent, formula) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (pair_id) DO UPDATE SET suspension = excluded.suspension, adjustments = excluded.adjustments, jump_percent = excluded.jump_percent,
            formula = excluded.formula";
    DELETE_RATE_DECISION = "DELETE FROM pair_rate_decision WHERE pair_id = $1";
    QUOTE_KEYS = "SELECT id, sealed, created_at, signs_from, ends_at FROM quote_signing_key ORDER BY signs_from DESC, id";
    INSERT_QUOTE_KEY = "INSERT INTO quote_signing_key (id, sealed, created_at, signs_from, ends_at) VALUES ($1, $2, $3, $4, $5)";
    END_QUOTE_KEY = "UPDATE quote_signing_key SET ends_at = $2 WHERE id = $1";
    DELETE_EXPIRED_QUOTE_KEYS = "DELETE FROM quote_signing_key WHERE ends_at < $1";
}

/// Of live prices.
pub(crate) const OBSERVATION_THINNING: ThinningRule =
    ThinningRule { first: FIRST_SURPLUS_OBSERVATION, delete: DELETE_SURPLUS_OBSERVATIONS };

/// A currency as stored, and as in the audit log (without revision and time).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub struct CurrencyRow {
    pub id: i64,
    pub code: String,
    pub ticker: String,
    /// Russian name of the network or payment system.
    pub network_ru: String,
    pub network_en: String,
    pub kind: CurrencyKind,
    pub name_ru: String,
    pub name_en: String,
    pub icon: String,
    /// Decimals of a unit.
    pub scale: i64,
    pub round_digits: i64,
    pub can_give: bool,
    pub can_receive: bool,
    pub position: i64,
    /// JSON list of the fields that customers fill in.
    pub inputs: String,
    /// JSON list of the cities of cash.
    pub cities: String,
    /// The page of a transaction in the owner's block explorer. `None`: the usual one.
    pub explorer: Option<String>,
    /// The console warns when the reserve falls below this. In units.
    pub reserve_floor: i64,
    /// What one payout costs on its network. In units.
    pub network_fee: i64,
    pub archived: bool,
    #[serde(skip)]
    pub revision: i64,
    #[serde(skip)]
    pub updated_at: Timestamp,
}

/// A pair as stored, and as in the audit log. Amounts are in units of their currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub struct PairRow {
    pub id: i64,
    pub give_id: i64,
    pub receive_id: i64,
    pub enabled: bool,
    pub source: RateSourceKind,
    pub manual_rate: Option<StoredDecimal>,
    /// Spread, in percent of the market rate.
    pub spread_percent: StoredDecimal,
    pub give_fee_fixed: i64,
    /// In percent of the give amount.
    pub give_fee_percent: StoredDecimal,
    pub receive_fee_fixed: i64,
    /// In percent of the receive amount.
    pub receive_fee_percent: StoredDecimal,
    /// Who bears the network fee of payouts.
    pub network_fee_payer: NetworkFeePayer,
    /// Tiers, as JSON of a list of `TierRule`.
    pub tiers: String,
    pub give_min: Option<i64>,
    pub give_max: Option<i64>,
    pub receive_min: Option<i64>,
    pub receive_max: Option<i64>,
    /// Amounts are multiples of these.
    pub give_step: Option<i64>,
    pub receive_step: Option<i64>,
    pub hold_minutes: i64,
    /// Whether the rate is fixed when the payment arrives.
    pub floating: bool,
    /// Notices, as JSON of `PairNotices`.
    pub notices: String,
    /// Required verification: `none`, `card` or `identity`.
    pub verification: String,
    /// Accepted rate change for a late payment, in percent. `None` uses the global rule.
    pub late_tolerance_percent: Option<StoredDecimal>,
    /// Accepted difference in the give currency.
    pub amount_tolerance_fixed: Option<i64>,
    /// Accepted difference in percent of the give amount, added to the fixed part.
    pub amount_tolerance_percent: Option<StoredDecimal>,
    /// Minutes a reported payment may stay undetected. `None` uses the global setting.
    pub reported_minutes: Option<i64>,
    pub archived: bool,
    /// What customers accept before they pay, as JSON of `BilingualNotice`.
    pub customer_terms: Option<String>,
    /// Codes of the cities it is limited to, as a JSON list. Empty: all cities of its cash.
    pub cities: String,
    #[serde(skip)]
    pub revision: i64,
    #[serde(skip)]
    pub updated_at: Timestamp,
}

/// A quote signing key.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct QuoteKeyRow {
    pub id: String,
    pub sealed: String,
    pub created_at: Timestamp,
    pub signs_from: Timestamp,
    /// When the last quote signed with it expires.
    pub ends_at: Option<Timestamp>,
}

/// An observed price.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct ObservationRow {
    pub source: String,
    pub base: String,
    pub quote: String,
    pub bid: StoredDecimal,
    pub ask: StoredDecimal,
    pub observed_at: Timestamp,
    pub imported_at: Timestamp,
}

pub(crate) async fn currencies(tx: &mut Tx) -> Result<Vec<CurrencyRow>> {
    fetch_all!(tx, CurrencyRow, CURRENCIES)
}

pub(crate) async fn currency(tx: &mut Tx, id: i64) -> Result<Option<CurrencyRow>> {
    fetch_optional!(tx, CurrencyRow, CURRENCY, id)
}

/// The identifier of the currency with this code.
pub(crate) async fn currency_with_code(tx: &mut Tx, code: &str) -> Result<Option<i64>> {
    Ok(fetch_optional!(tx, (i64,), CURRENCY_WITH_CODE, code)?.map(|(id,)| id))
}

/// How many pairs have a currency, and how many of them verify the card it is given with.
pub(crate) async fn pairs_of_currency(tx: &mut Tx, id: i64) -> Result<(i64, i64)> {
    fetch_one!(tx, (i64, i64), PAIRS_OF_CURRENCY, id)
}

/// Adds a currency unless the identifier exists.
pub(crate) async fn insert_currency(tx: &mut Tx, row: &CurrencyRow) -> Result<bool> {
    let added = execute!(
        tx,
        INSERT_CURRENCY,
        row.id,
        &row.code,
        &row.ticker,
        &row.network_ru,
        &row.network_en,
        row.kind,
        &row.name_ru,
        &row.name_en,
        &row.icon,
        row.scale,
        row.round_digits,
        row.can_give,
        row.can_receive,
        row.position,
        &row.inputs,
        &row.cities,
        row.reserve_floor,
        row.archived,
        row.revision,
        row.updated_at,
        row.network_fee,
        row.explorer.as_deref(),
    )?;
    Ok(added == 1)
}

/// Updates a currency. False if it changed since `row.revision`.
pub(crate) async fn update_currency(tx: &mut Tx, row: &CurrencyRow) -> Result<bool> {
    let changed = execute!(
        tx,
        UPDATE_CURRENCY,
        row.id,
        row.revision,
        &row.code,
        &row.ticker,
        &row.network_ru,
        &row.network_en,
        &row.name_ru,
        &row.name_en,
        &row.icon,
        row.round_digits,
        row.can_give,
        row.can_receive,
        row.position,
        &row.inputs,
        &row.cities,
        row.reserve_floor,
        row.archived,
        row.updated_at,
        row.network_fee,
        row.explorer.as_deref(),
    )?;
    Ok(changed == 1)
}

/// The next identifier of a currency, and the last position. Holds the lock on definitions until the transaction ends.
pub(crate) async fn next_currency(tx: &mut Tx) -> Result<(i64, i64)> {
    lock_definitions(tx).await?;
    fetch_one!(tx, (i64, i64), NEXT_CURRENCY)
}

/// The next identifier of a pair. Holds the lock on definitions until the transaction ends.
pub(crate) async fn next_pair(tx: &mut Tx) -> Result<i64> {
    lock_definitions(tx).await?;
    let (id,) = fetch_one!(tx, (i64,), NEXT_PAIR)?;
    Ok(id)
}

/// Locks what currencies and pairs exist, and what currencies are. Take it before reading either.
pub(crate) async fn lock_definitions(tx: &mut Tx) -> Result<()> {
    tx.lock("market", "definitions").await
}

pub(crate) async fn pairs(tx: &mut Tx) -> Result<Vec<PairRow>> {
    fetch_all!(tx, PairRow, PAIRS)
}

pub(crate) async fn pair(tx: &mut Tx, id: i64) -> Result<Option<PairRow>> {
    fetch_optional!(tx, PairRow, PAIR, id)
}

/// Adds a pair unless the identifier exists.
pub(crate) async fn insert_pair(tx: &mut Tx, row: &PairRow) -> Result<bool> {
    let added = execute!(
        tx,
        INSERT_PAIR,
        row.id,
        row.give_id,
        row.receive_id,
        row.enabled,
        row.source,
        row.manual_rate,
        row.spread_percent,
        row.give_fee_fixed,
        row.give_fee_percent,
        row.receive_fee_fixed,
        row.receive_fee_percent,
        &row.tiers,
        row.give_min,
        row.give_max,
        row.receive_min,
        row.receive_max,
        row.hold_minutes,
        row.floating,
        &row.notices,
        row.revision,
        row.updated_at,
        &row.verification,
        row.late_tolerance_percent,
        row.amount_tolerance_fixed,
        row.amount_tolerance_percent,
        row.reported_minutes,
        row.give_step,
        row.receive_step,
        row.archived,
        row.customer_terms.as_deref(),
        row.network_fee_payer,
        &row.cities,
    )?;
    Ok(added == 1)
}

/// Updates a pair. False if it changed since `row.revision`.
pub(crate) async fn update_pair(tx: &mut Tx, row: &PairRow) -> Result<bool> {
    let changed = execute!(
        tx,
        UPDATE_PAIR,
        row.id,
        row.revision,
        row.enabled,
        row.source,
        row.manual_rate,
        row.spread_percent,
        row.give_fee_fixed,
        row.give_fee_percent,
        row.receive_fee_fixed,
        row.receive_fee_percent,
        &row.tiers,
        row.give_min,
        row.give_max,
        row.receive_min,
        row.receive_max,
        row.hold_minutes,
        row.floating,
        &row.notices,
        row.updated_at,
        &row.verification,
        row.late_tolerance_percent,
        row.amount_tolerance_fixed,
        row.amount_tolerance_percent,
        row.reported_minutes,
        row.give_step,
        row.receive_step,
        row.archived,
        row.customer_terms.as_deref(),
        row.network_fee_payer,
        &row.cities,
    )?;
    Ok(changed == 1)
}

/// The latest imported observation per source and asset pair before a moment.
pub(crate) async fn latest_observations(tx: &mut Tx, before: Timestamp) -> Result<Vec<ObservationRow>> {
    fetch_all!(tx, ObservationRow, LATEST_OBSERVATIONS, before)
}

/// Stores an observation and replaces one of the same time.
pub(crate) async fn put_observation(tx: &mut Tx, row: &ObservationRow) -> Result<()> {
    execute!(tx, PUT_OBSERVATION, &row.source, &row.base, &row.quote, row.bid, row.ask, row.observed_at, row.imported_at)?;
    Ok(())
}

pub(crate) async fn quote_keys(tx: &mut Tx) -> Result<Vec<QuoteKeyRow>> {
    fetch_all!(tx, QuoteKeyRow, QUOTE_KEYS)
}

pub(crate) async fn insert_quote_key(tx: &mut Tx, row: &QuoteKeyRow) -> Result<()> {
    execute!(tx, INSERT_QUOTE_KEY, &row.id, &row.sealed, row.created_at, row.signs_from, row.ends_at).map(drop)
}

pub(crate) async fn end_quote_key(tx: &mut Tx, id: &str, ends_at: Timestamp) -> Result<()> {
    execute!(tx, END_QUOTE_KEY, id, ends_at).map(drop)
}

pub(crate) async fn delete_expired_quote_keys(tx: &mut Tx, now: Timestamp) -> Result<()> {
    execute!(tx, DELETE_EXPIRED_QUOTE_KEYS, now).map(drop)
}

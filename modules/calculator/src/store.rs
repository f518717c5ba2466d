//! The market's SQL.

mod rulings;

use std::fmt;
use std::str::FromStr;

use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_optional};
use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) use rulings::{LegRow, RulingRow, legs, put_legs, put_live_observation, put_rulings, rulings, thin_out_observations};

agio_core::statements! {
    CURRENCIES = "SELECT id, code, ticker, network_ru, network_en, kind, name_ru, name_en, icon, scale, round_digits, send, receive, position,
            inputs, reserve_floor, revision, updated_at
        FROM currency ORDER BY position, id";
    CURRENCY = "SELECT id, code, ticker, network_ru, network_en, kind, name_ru, name_en, icon, scale, round_digits, send, receive, position,
            inputs, reserve_floor, revision, updated_at
        FROM currency WHERE id = $1";
    INSERT_CURRENCY = "INSERT INTO currency (id, code, ticker, network_ru, network_en, kind, name_ru, name_en, icon, scale, round_digits, send,
            receive, position, inputs, reserve_floor, revision, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) ON CONFLICT (id) DO NOTHING";
    UPDATE_CURRENCY = "UPDATE currency SET name_ru = $3, name_en = $4, icon = $5, round_digits = $6, send = $7, receive = $8,
            position = $9, reserve_floor = $10, updated_at = $11, revision = revision + 1
        WHERE id = $1 AND revision = $2";
    PAIRS = "SELECT id, from_id, to_id, enabled, source, manual_rate, spread_percent, fee_from_fixed, fee_from_percent,
            fee_to_fixed, fee_to_percent, tiers, from_min, from_max, to_min, to_max, hold_minutes, floating, notices,
            verification, late_tolerance_percent, amount_tolerance_fixed, amount_tolerance_percent, reported_minutes, revision, updated_at
        FROM pair ORDER BY id";
    PAIR = "SELECT id, from_id, to_id, enabled, source, manual_rate, spread_percent, fee_from_fixed, fee_from_percent,
            fee_to_fixed, fee_to_percent, tiers, from_min, from_max, to_min, to_max, hold_minutes, floating, notices,
            verification, late_tolerance_percent, amount_tolerance_fixed, amount_tolerance_percent, reported_minutes, revision, updated_at
        FROM pair WHERE id = $1";
    INSERT_PAIR = "INSERT INTO pair (id, from_id, to_id, enabled, source, manual_rate, spread_percent, fee_from_fixed,
            fee_from_percent, fee_to_fixed, fee_to_percent, tiers, from_min, from_max, to_min, to_max, hold_minutes,
            floating, notices, revision, updated_at, verification, late_tolerance_percent, amount_tolerance_fixed, amount_tolerance_percent,
            reported_minutes)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26)
        ON CONFLICT (id) DO NOTHING";
    UPDATE_PAIR = "UPDATE pair SET enabled = $3, source = $4, manual_rate = $5, spread_percent = $6, fee_from_fixed = $7,
            fee_from_percent = $8, fee_to_fixed = $9, fee_to_percent = $10, tiers = $11, from_min = $12, from_max = $13,
            to_min = $14, to_max = $15, hold_minutes = $16, floating = $17, notices = $18, updated_at = $19, verification = $20,
            late_tolerance_percent = $21, amount_tolerance_fixed = $22, amount_tolerance_percent = $23, reported_minutes = $24,
            revision = revision + 1
        WHERE id = $1 AND revision = $2";
    LATEST_OBSERVATIONS = "SELECT o.source, o.base, o.quote, o.bid, o.ask, o.observed_at, o.imported_at
        FROM observation o
        JOIN (SELECT source, base, quote, MAX(observed_at) AS newest FROM observation WHERE NOT judged AND observed_at < $1
              GROUP BY source, base, quote) latest
          ON latest.source = o.source AND latest.base = o.base AND latest.quote = o.quote AND latest.newest = o.observed_at
        WHERE NOT o.judged
        ORDER BY o.source, o.base, o.quote";
    PUT_OBSERVATION = "INSERT INTO observation (source, base, quote, bid, ask, observed_at, imported_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (source, base, quote, observed_at) DO UPDATE SET bid = excluded.bid, ask = excluded.ask, imported_at = excluded.imported_at";
    /// What a live source said; what an operator brought in of the same moment stays as it is.
    PUT_LIVE_OBSERVATION = "INSERT INTO observation (source, base, quote, bid, ask, observed_at, imported_at, judged)
        VALUES ($1, $2, $3, $4, $5, $6, $7, TRUE) ON CONFLICT (source, base, quote, observed_at) DO NOTHING";
    /// Of what live sources said in hours that are over, all but the last of each hour.
    THIN_OUT_OBSERVATIONS = "DELETE FROM observation WHERE judged AND observed_at < $1 AND EXISTS (SELECT 1 FROM observation later
        WHERE later.judged AND later.source = observation.source AND later.base = observation.base AND later.quote = observation.quote
          AND later.observed_at > observation.observed_at AND later.observed_at / 3600000000 = observation.observed_at / 3600000000)";
    LEGS = "SELECT base, quote, price FROM market_leg ORDER BY base, quote";
    PUT_LEG = "INSERT INTO market_leg (base, quote, price) VALUES ($1, $2, $3)
        ON CONFLICT (base, quote) DO UPDATE SET price = excluded.price";
    DELETE_LEG = "DELETE FROM market_leg WHERE base = $1 AND quote = $2";
    RULINGS = "SELECT pair_id, stop, adjustments, jump_percent FROM pair_ruling ORDER BY pair_id";
    PUT_RULING = "INSERT INTO pair_ruling (pair_id, stop, adjustments, jump_percent) VALUES ($1, $2, $3, $4)
        ON CONFLICT (pair_id) DO UPDATE SET stop = excluded.stop, adjustments = excluded.adjustments, jump_percent = excluded.jump_percent";
    DELETE_RULING = "DELETE FROM pair_ruling WHERE pair_id = $1";
    QUOTE_KEYS = "SELECT id, sealed, created_at, signs_from, ends_at FROM quote_signing_key ORDER BY signs_from DESC, id";
    INSERT_QUOTE_KEY = "INSERT INTO quote_signing_key (id, sealed, created_at, signs_from, ends_at) VALUES ($1, $2, $3, $4, $5)";
    END_QUOTE_KEY = "UPDATE quote_signing_key SET ends_at = $2 WHERE id = $1";
    FORGET_QUOTE_KEYS = "DELETE FROM quote_signing_key WHERE ends_at < $1";
}

/// A decimal as its digits, the form both engines keep without rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored(pub Decimal);

impl fmt::Display for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&agio_core::money::plain(self.0))
    }
}

impl FromStr for Stored {
    type Err = rust_decimal::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Decimal::from_str_exact(text).map(Self)
    }
}

agio_core::text_column!(Stored);

impl Serialize for Stored {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Stored {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// A currency as it is stored, and as the audit log keeps it: without what every change changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub struct CurrencyRow {
    /// Identifier.
    pub id: i64,
    /// The monitors' code.
    pub code: String,
    /// The asset.
    pub ticker: String,
    /// Russian name of the network or payment system.
    pub network_ru: String,
    /// The English one.
    pub network_en: String,
    /// `crypto`, `bank`, `ewallet` or `cash`.
    pub kind: String,
    /// Russian name.
    pub name_ru: String,
    /// English name.
    pub name_en: String,
    /// Name of the icon.
    pub icon: String,
    /// Decimals of a unit.
    pub scale: i64,
    /// Decimals customers see.
    pub round_digits: i64,
    /// Whether customers may send it.
    pub send: bool,
    /// Whether customers may receive it.
    pub receive: bool,
    /// Its place in lists.
    pub position: i64,
    /// What customers are asked for, as JSON of a list of `InputFacts`.
    pub inputs: String,
    /// The reserve below which the console warns, in units.
    pub reserve_floor: i64,
    /// How often the row was changed.
    #[serde(skip)]
    pub revision: i64,
    /// When it was changed last.
    #[serde(skip)]
    pub updated_at: Timestamp,
}

/// A pair as it is stored, and as the audit log keeps it. Amounts are in units of their currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub struct PairRow {
    /// Identifier.
    pub id: i64,
    /// The currency sent.
    pub from_id: i64,
    /// The currency received.
    pub to_id: i64,
    /// Whether it is offered at all.
    pub enabled: bool,
    /// `manual` or `market`.
    pub source: String,
    /// The rate an operator set.
    pub manual_rate: Option<Stored>,
    /// What the house keeps of the market rate, in percent.
    pub spread_percent: Stored,
    /// Fixed fee in the sent currency.
    pub fee_from_fixed: i64,
    /// Fee in percent of the sent amount.
    pub fee_from_percent: Stored,
    /// Fixed fee in the received currency.
    pub fee_to_fixed: i64,
    /// Fee in percent of the received amount.
    pub fee_to_percent: Stored,
    /// Tiers, as JSON of a list of `TierRule`.
    pub tiers: String,
    /// Least amount sent.
    pub from_min: Option<i64>,
    /// Greatest amount sent.
    pub from_max: Option<i64>,
    /// Least amount received.
    pub to_min: Option<i64>,
    /// Greatest amount received.
    pub to_max: Option<i64>,
    /// For how long the rate is held.
    pub hold_minutes: i64,
    /// Whether the rate is fixed only when the payment arrives.
    pub floating: bool,
    /// Notices, as JSON of `Notices`.
    pub notices: String,
    /// What customers have verified before they pay: `none`, `card` or `identity`.
    pub verification: String,
    /// By how many percent the course may move before a late payment; nothing where the house's rule holds.
    pub late_tolerance_percent: Option<Stored>,
    /// How much less or more may come, in the sent currency.
    pub amount_tolerance_fixed: Option<i64>,
    /// The same in percent of what is sent, on top.
    pub amount_tolerance_percent: Option<Stored>,
    /// For how many minutes a payment may be reported without being seen; nothing where the exchange's own setting holds.
    pub reported_minutes: Option<i64>,
    /// How often the row was changed.
    #[serde(skip)]
    pub revision: i64,
    /// When it was changed last.
    #[serde(skip)]
    pub updated_at: Timestamp,
}

/// A key of quotes, as it is stored.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct QuoteKeyRow {
    /// Its name.
    pub id: String,
    /// The secret half, sealed.
    pub sealed: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it signs.
    pub signs_from: Timestamp,
    /// When the last quote signed with it has ended.
    pub ends_at: Option<Timestamp>,
}

/// What a source said, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct ObservationRow {
    /// Name of the source.
    pub source: String,
    /// The asset that is priced.
    pub base: String,
    /// The asset it is priced in.
    pub quote: String,
    /// What the source buys the base at.
    pub bid: Stored,
    /// What the source sells the base at.
    pub ask: Stored,
    /// When that was so.
    pub observed_at: Timestamp,
    /// When it was stored here.
    pub imported_at: Timestamp,
}

pub(crate) async fn currencies(tx: &mut Tx) -> Result<Vec<CurrencyRow>> {
    fetch_all!(tx, CurrencyRow, CURRENCIES)
}

pub(crate) async fn currency(tx: &mut Tx, id: i64) -> Result<Option<CurrencyRow>> {
    fetch_optional!(tx, CurrencyRow, CURRENCY, id)
}

/// Adds a currency; does nothing where there is one with this identifier.
pub(crate) async fn insert_currency(tx: &mut Tx, row: &CurrencyRow) -> Result<bool> {
    let added = execute!(
        tx,
        INSERT_CURRENCY,
        row.id,
        &row.code,
        &row.ticker,
        &row.network_ru,
        &row.network_en,
        &row.kind,
        &row.name_ru,
        &row.name_en,
        &row.icon,
        row.scale,
        row.round_digits,
        row.send,
        row.receive,
        row.position,
        &row.inputs,
        row.reserve_floor,
        row.revision,
        row.updated_at,
    )?;
    Ok(added == 1)
}

/// Writes what may change of a currency; false when somebody else changed it since `row.revision`.
pub(crate) async fn update_currency(tx: &mut Tx, row: &CurrencyRow) -> Result<bool> {
    let changed = execute!(
        tx,
        UPDATE_CURRENCY,
        row.id,
        row.revision,
        &row.name_ru,
        &row.name_en,
        &row.icon,
        row.round_digits,
        row.send,
        row.receive,
        row.position,
        row.reserve_floor,
        row.updated_at,
    )?;
    Ok(changed == 1)
}

pub(crate) async fn pairs(tx: &mut Tx) -> Result<Vec<PairRow>> {
    fetch_all!(tx, PairRow, PAIRS)
}

pub(crate) async fn pair(tx: &mut Tx, id: i64) -> Result<Option<PairRow>> {
    fetch_optional!(tx, PairRow, PAIR, id)
}

/// Adds a pair; does nothing where there is one with this identifier.
pub(crate) async fn insert_pair(tx: &mut Tx, row: &PairRow) -> Result<bool> {
    let added = execute!(
        tx,
        INSERT_PAIR,
        row.id,
        row.from_id,
        row.to_id,
        row.enabled,
        &row.source,
        row.manual_rate,
        row.spread_percent,
        row.fee_from_fixed,
        row.fee_from_percent,
        row.fee_to_fixed,
        row.fee_to_percent,
        &row.tiers,
        row.from_min,
        row.from_max,
        row.to_min,
        row.to_max,
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
    )?;
    Ok(added == 1)
}

/// Writes what may change of a pair; false when somebody else changed it since `row.revision`.
pub(crate) async fn update_pair(tx: &mut Tx, row: &PairRow) -> Result<bool> {
    let changed = execute!(
        tx,
        UPDATE_PAIR,
        row.id,
        row.revision,
        row.enabled,
        &row.source,
        row.manual_rate,
        row.spread_percent,
        row.fee_from_fixed,
        row.fee_from_percent,
        row.fee_to_fixed,
        row.fee_to_percent,
        &row.tiers,
        row.from_min,
        row.from_max,
        row.to_min,
        row.to_max,
        row.hold_minutes,
        row.floating,
        &row.notices,
        row.updated_at,
        &row.verification,
        row.late_tolerance_percent,
        row.amount_tolerance_fixed,
        row.amount_tolerance_percent,
        row.reported_minutes,
    )?;
    Ok(changed == 1)
}

/// The newest thing each source said about each two assets before a moment.
pub(crate) async fn latest_observations(tx: &mut Tx, before: Timestamp) -> Result<Vec<ObservationRow>> {
    fetch_all!(tx, ObservationRow, LATEST_OBSERVATIONS, before)
}

/// Stores what a source said; what it said of the same moment before is corrected.
pub(crate) async fn put_observation(tx: &mut Tx, row: &ObservationRow) -> Result<()> {
    execute!(tx, PUT_OBSERVATION, &row.source, &row.base, &row.quote, row.bid, row.ask, row.observed_at, row.imported_at)?;
    Ok(())
}

/// The keys of quotes, the newest first.
pub(crate) async fn quote_keys(tx: &mut Tx) -> Result<Vec<QuoteKeyRow>> {
    fetch_all!(tx, QuoteKeyRow, QUOTE_KEYS)
}

/// Stores a new key.
pub(crate) async fn insert_quote_key(tx: &mut Tx, row: &QuoteKeyRow) -> Result<()> {
    execute!(tx, INSERT_QUOTE_KEY, &row.id, &row.sealed, row.created_at, row.signs_from, row.ends_at).map(drop)
}

/// Sets when the last quote of a key has ended.
pub(crate) async fn end_quote_key(tx: &mut Tx, id: &str, ends_at: Timestamp) -> Result<()> {
    execute!(tx, END_QUOTE_KEY, id, ends_at).map(drop)
}

/// Forgets keys whose last quote has ended.
pub(crate) async fn forget_quote_keys(tx: &mut Tx, now: Timestamp) -> Result<()> {
    execute!(tx, FORGET_QUOTE_KEYS, now).map(drop)
}

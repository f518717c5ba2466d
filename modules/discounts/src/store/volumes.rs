//! SQL of exchange volumes.

use agio_contracts::CompletedExchange;
use agio_core::identity::Customer;
use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional};
use uuid::Uuid;

agio_core::statements! {
    /// Stores an exchange; an existing one stays unchanged unless it was reversed.
    INSERT_DISCOUNT_EXCHANGE = "INSERT INTO discount_exchange
            (claim_id, identity, customer_id, email, currency_id, give_units, give_scale, state, units, ticker, done_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        ON CONFLICT (claim_id) DO UPDATE SET give_units = excluded.give_units, state = excluded.state, units = excluded.units,
            ticker = excluded.ticker, done_at = excluded.done_at
        WHERE discount_exchange.state = 'undone'";
    UNDO_DISCOUNT_EXCHANGE = "UPDATE discount_exchange SET state = 'undone' WHERE claim_id = $1 AND state = $2
        RETURNING identity, units, ticker";
    ADD_DISCOUNT_VOLUME = "INSERT INTO discount_volume (identity, ticker, customer_id, email, units, exchanges, updated_at)
        VALUES ($1, $2, $3, $4, $5, 1, $6)
        ON CONFLICT (identity, ticker) DO UPDATE SET units = discount_volume.units + excluded.units,
            exchanges = discount_volume.exchanges + 1, email = excluded.email, updated_at = excluded.updated_at";
    TAKE_DISCOUNT_VOLUME = "UPDATE discount_volume SET units = units - $3, exchanges = exchanges - 1, updated_at = $4
        WHERE identity = $1 AND ticker = $2";
    DISCOUNT_VOLUME_OF = "SELECT CAST(COALESCE(SUM(units), 0) AS BIGINT) FROM discount_volume
        WHERE ticker = $1 AND identity IN ($2, $3)";
    DISCOUNT_VOLUMES = "SELECT identity, customer_id, email, units, exchanges FROM discount_volume
        WHERE ticker = $1 AND (units, identity) < ($2, $3) ORDER BY units DESC, identity DESC LIMIT $4";
    DISCOUNT_VOLUMES_OF_EMAIL = "SELECT identity, customer_id, email, units, exchanges FROM discount_volume
        WHERE email = $2 AND ticker = $1 ORDER BY units DESC, identity DESC LIMIT $3";
    ADOPT_EXCHANGES = "UPDATE discount_exchange SET identity = $2, customer_id = $3 WHERE identity = $1";
    ADOPT_VOLUME = "INSERT INTO discount_volume (identity, ticker, customer_id, email, units, exchanges, updated_at)
        SELECT $2, ticker, $3, email, units, exchanges, updated_at FROM discount_volume WHERE identity = $1
        ON CONFLICT (identity, ticker) DO UPDATE SET units = discount_volume.units + excluded.units,
            exchanges = discount_volume.exchanges + excluded.exchanges";
    DELETE_VOLUME = "DELETE FROM discount_volume WHERE identity = $1";
    SET_EMAIL_OF_EXCHANGES = "UPDATE discount_exchange SET email = $2 WHERE identity = $1";
    SET_EMAIL_OF_VOLUME = "UPDATE discount_volume SET email = $2 WHERE identity = $1";
    VOLUMES_OF = "SELECT ticker, units, exchanges FROM discount_volume WHERE identity IN ($1, $2) ORDER BY ticker, identity";
    COUNT_WAITING_EXCHANGES = "SELECT COUNT(*) FROM discount_exchange WHERE state = 'waiting'";
    WAITING_EXCHANGES = "SELECT claim_id, identity, customer_id, email, currency_id, give_units, give_scale, units, ticker
        FROM discount_exchange WHERE state = 'waiting' ORDER BY done_at LIMIT $1";
    /// A former base currency with volume left.
    OTHER_DISCOUNT_TICKER = "SELECT ticker FROM discount_volume WHERE units > 0 AND (ticker < $1 OR ticker > $1) LIMIT 1";
    EXCHANGES_COUNTED_IN = "SELECT claim_id, identity, customer_id, email, currency_id, give_units, give_scale, units, ticker
        FROM discount_exchange WHERE state = 'counted' AND ticker = $1 LIMIT $2";
    /// Counts an exchange that is waiting (no ticker) or counted in another currency, if unchanged.
    COUNT_DISCOUNT_EXCHANGE = "UPDATE discount_exchange SET state = 'counted', units = $3, ticker = $4
        WHERE claim_id = $1 AND state <> 'undone' AND COALESCE(ticker, '') = $2";
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct VolumeRow {
    pub identity: String,
    pub customer_id: Option<Uuid>,
    pub email: String,
    pub units: i64,
    pub exchanges: i64,
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ExchangeRow {
    pub claim_id: Uuid,
    pub identity: String,
    pub customer_id: Option<Uuid>,
    pub email: String,
    pub currency_id: i64,
    pub give_units: i64,
    pub give_scale: i64,
    pub units: Option<i64>,
    pub ticker: Option<String>,
}

pub fn account_identity(id: Uuid) -> String {
    format!("account:{}", id.simple())
}

fn email_identity(email: &str) -> String {
    format!("email:{email}")
}

/// The account of the exchange, otherwise its e-mail address.
fn identity_of(exchange: &CompletedExchange) -> String {
    exchange.customer.map_or_else(|| email_identity(&exchange.email), account_identity)
}

/// Adds an exchange with its value in units of volume and its ticker, if known. Idempotent.
pub async fn add(tx: &mut Tx, exchange: &CompletedExchange, value: Option<(i64, &str)>) -> Result<()> {
    let (identity, at) = (identity_of(exchange), exchange.at);
    let state = if value.is_some() { "counted" } else { "waiting" };
    let (units, ticker) = value.unzip();
    let noted = execute!(
        tx,
        INSERT_DISCOUNT_EXCHANGE,
        exchange.claim,
        &identity,
        exchange.customer,
        &exchange.email,
        exchange.give.currency().id(),
        exchange.give.units(),
        i64::from(exchange.give.scale()),
        state,
        units,
        ticker,
        at,
    )?;
    match value {
        Some((units, ticker)) if noted == 1 => {
            execute!(tx, ADD_DISCOUNT_VOLUME, &identity, ticker, exchange.customer, &exchange.email, units, at).map(drop)
        }
        _ => Ok(()),
    }
}

/// Reverses an exchange. Idempotent.
pub async fn reverse(tx: &mut Tx, claim: Uuid, now: Timestamp) -> Result<()> {
    type Counted = (String, Option<i64>, Option<String>);
    if let Some((identity, Some(units), Some(ticker))) = fetch_optional!(tx, Counted, UNDO_DISCOUNT_EXCHANGE, claim, "counted")? {
        return execute!(tx, TAKE_DISCOUNT_VOLUME, identity, ticker, units, now).map(drop);
    }
    fetch_optional!(tx, Counted, UNDO_DISCOUNT_EXCHANGE, claim, "waiting").map(drop)
}

/// Volume of an account, including guest exchanges once the e-mail address is confirmed.
pub async fn of(tx: &mut Tx, customer: &Customer, ticker: &str) -> Result<i64> {
    let account = account_identity(customer.id);
    let email = if customer.activated { email_identity(&customer.email) } else { account.clone() };
    Ok(fetch_one!(tx, (i64,), DISCOUNT_VOLUME_OF, ticker, &account, &email)?.0)
}

/// Counts guest exchanges with an address for its account from now on, whatever address that has.
pub async fn adopt(tx: &mut Tx, account: Uuid, email: &str) -> Result<()> {
    let (guest, identity) = (email_identity(email), account_identity(account));
    execute!(tx, ADOPT_EXCHANGES, &guest, &identity, account)?;
    execute!(tx, ADOPT_VOLUME, &guest, &identity, account)?;
    execute!(tx, DELETE_VOLUME, &guest).map(drop)
}

pub async fn set_email(tx: &mut Tx, account: Uuid, email: &str) -> Result<()> {
    let identity = account_identity(account);
    execute!(tx, SET_EMAIL_OF_EXCHANGES, &identity, email)?;
    execute!(tx, SET_EMAIL_OF_VOLUME, &identity, email).map(drop)
}

/// Volume by ticker, in units, with the number of exchanges.
pub async fn list_of(tx: &mut Tx, account: Uuid, email: Option<&str>) -> Result<Vec<(String, i64, i64)>> {
    let guest = email.map(email_identity);
    fetch_all!(tx, (String, i64, i64), VOLUMES_OF, account_identity(account), guest)
}

/// Largest volume first.
pub async fn list_by_volume(tx: &mut Tx, ticker: &str, before: (i64, &str), size: i64) -> Result<Vec<VolumeRow>> {
    fetch_all!(tx, VolumeRow, DISCOUNT_VOLUMES, ticker, before.0, before.1, size)
}

/// `email` is in lower case.
pub async fn find_by_email(tx: &mut Tx, ticker: &str, email: &str, size: i64) -> Result<Vec<VolumeRow>> {
    fetch_all!(tx, VolumeRow, DISCOUNT_VOLUMES_OF_EMAIL, ticker, email, size)
}

pub async fn waiting_count(tx: &mut Tx) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), COUNT_WAITING_EXCHANGES)?.0)
}

/// Exchanges without a value, and some counted in another currency.
pub async fn pending_exchanges(tx: &mut Tx, ticker: &str, size: i64) -> Result<Vec<ExchangeRow>> {
    let mut rows = fetch_all!(tx, ExchangeRow, WAITING_EXCHANGES, size)?;
    if let Some((other,)) = fetch_optional!(tx, (String,), OTHER_DISCOUNT_TICKER, ticker)? {
        rows.extend(fetch_all!(tx, ExchangeRow, EXCHANGES_COUNTED_IN, other, size)?);
    }
    Ok(rows)
}

/// Counts an exchange again if it did not change since.
pub async fn count(tx: &mut Tx, row: &ExchangeRow, units: i64, ticker: &str, now: Timestamp) -> Result<()> {
    if execute!(tx, COUNT_DISCOUNT_EXCHANGE, row.claim_id, row.ticker.as_deref().unwrap_or_default(), units, ticker)? == 0 {
        return Ok(());
    }
    if let (Some(units), Some(ticker)) = (row.units, &row.ticker) {
        execute!(tx, TAKE_DISCOUNT_VOLUME, &row.identity, ticker, units, now)?;
    }
    execute!(tx, ADD_DISCOUNT_VOLUME, &row.identity, ticker, row.customer_id, &row.email, units, now).map(drop)
}

//! What customers have exchanged.

use agio_core::identity::Customer;
use agio_core::needs::Exchange;
use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional};
use uuid::Uuid;

agio_core::statements! {
    /// Notes an exchange; one that is noted already stays as it is, unless it was undone.
    INSERT_DISCOUNT_EXCHANGE = "INSERT INTO discount_exchange
            (claim_id, party, customer_id, email, currency_id, sent_units, sent_scale, state, units, ticker, done_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        ON CONFLICT (claim_id) DO UPDATE SET sent_units = excluded.sent_units, state = excluded.state, units = excluded.units,
            ticker = excluded.ticker, done_at = excluded.done_at
        WHERE discount_exchange.state = 'undone'";
    UNDO_DISCOUNT_EXCHANGE = "UPDATE discount_exchange SET state = 'undone' WHERE claim_id = $1 AND state = $2
        RETURNING party, units, ticker";
    ADD_DISCOUNT_VOLUME = "INSERT INTO discount_volume (party, ticker, customer_id, email, units, exchanges, updated_at)
        VALUES ($1, $2, $3, $4, $5, 1, $6)
        ON CONFLICT (party, ticker) DO UPDATE SET units = discount_volume.units + excluded.units,
            exchanges = discount_volume.exchanges + 1, email = excluded.email, updated_at = excluded.updated_at";
    TAKE_DISCOUNT_VOLUME = "UPDATE discount_volume SET units = units - $3, exchanges = exchanges - 1, updated_at = $4
        WHERE party = $1 AND ticker = $2";
    DISCOUNT_VOLUME_OF = "SELECT CAST(COALESCE(SUM(units), 0) AS BIGINT) FROM discount_volume
        WHERE ticker = $1 AND party IN ($2, $3)";
    DISCOUNT_VOLUMES = "SELECT party, customer_id, email, units, exchanges FROM discount_volume
        WHERE ticker = $1 AND (units, party) < ($2, $3) ORDER BY units DESC, party DESC LIMIT $4";
    DISCOUNT_VOLUMES_OF_EMAIL = "SELECT party, customer_id, email, units, exchanges FROM discount_volume
        WHERE email = $2 AND ticker = $1 ORDER BY units DESC, party DESC LIMIT $3";
    COUNT_WAITING_EXCHANGES = "SELECT COUNT(*) FROM discount_exchange WHERE state = 'waiting'";
    WAITING_EXCHANGES = "SELECT claim_id, party, customer_id, email, currency_id, sent_units, sent_scale, units, ticker
        FROM discount_exchange WHERE state = 'waiting' ORDER BY done_at LIMIT $1";
    /// A ticker other than the present one that something is still counted in.
    OTHER_DISCOUNT_TICKER = "SELECT ticker FROM discount_volume WHERE units > 0 AND (ticker < $1 OR ticker > $1) LIMIT 1";
    EXCHANGES_COUNTED_IN = "SELECT claim_id, party, customer_id, email, currency_id, sent_units, sent_scale, units, ticker
        FROM discount_exchange WHERE state = 'counted' AND ticker = $1 LIMIT $2";
    /// Counts an exchange that waits, which has no ticker, or is counted in another currency, if it still stands so.
    COUNT_DISCOUNT_EXCHANGE = "UPDATE discount_exchange SET state = 'counted', units = $3, ticker = $4
        WHERE claim_id = $1 AND state <> 'undone' AND COALESCE(ticker, '') = $2";
}

/// Whose volume something adds to.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct VolumeRow {
    pub party: String,
    pub customer_id: Option<Uuid>,
    pub email: String,
    pub units: i64,
    pub exchanges: i64,
}

/// An exchange that is to be counted.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ExchangeRow {
    pub claim_id: Uuid,
    pub party: String,
    pub customer_id: Option<Uuid>,
    pub email: String,
    pub currency_id: i64,
    pub sent_units: i64,
    pub sent_scale: i64,
    pub units: Option<i64>,
    pub ticker: Option<String>,
}

/// The party of an account.
pub fn account_party(id: Uuid) -> String {
    format!("account:{}", id.simple())
}

/// The party of an e-mail address.
fn email_party(email: &str) -> String {
    format!("email:{email}")
}

/// Whose volume an exchange adds to: the account's it was made in, else the address's.
fn party_of(exchange: &Exchange) -> String {
    exchange.customer.map_or_else(|| email_party(&exchange.email), account_party)
}

/// Notes an exchange with its worth in units of volume and its ticker, if that can be told. Noting it twice changes nothing.
pub async fn add(tx: &mut Tx, exchange: &Exchange, worth: Option<(i64, &str)>) -> Result<()> {
    let (party, at) = (party_of(exchange), exchange.at);
    let state = if worth.is_some() { "counted" } else { "waiting" };
    let (units, ticker) = worth.unzip();
    let noted = execute!(
        tx,
        INSERT_DISCOUNT_EXCHANGE,
        exchange.claim,
        &party,
        exchange.customer,
        &exchange.email,
        exchange.from,
        exchange.sent.units(),
        i64::from(exchange.sent.scale()),
        state,
        units,
        ticker,
        at,
    )?;
    match worth {
        Some((units, ticker)) if noted == 1 => {
            execute!(tx, ADD_DISCOUNT_VOLUME, &party, ticker, exchange.customer, &exchange.email, units, at).map(drop)
        }
        _ => Ok(()),
    }
}

/// Takes an exchange back. Taking it back twice changes nothing.
pub async fn take_back(tx: &mut Tx, claim: Uuid, now: Timestamp) -> Result<()> {
    type Counted = (String, Option<i64>, Option<String>);
    if let Some((party, Some(units), Some(ticker))) = fetch_optional!(tx, Counted, UNDO_DISCOUNT_EXCHANGE, claim, "counted")? {
        return execute!(tx, TAKE_DISCOUNT_VOLUME, party, ticker, units, now).map(drop);
    }
    fetch_optional!(tx, Counted, UNDO_DISCOUNT_EXCHANGE, claim, "waiting").map(drop)
}

/// What an account has exchanged: what was made in it, and what guests made with its address once that is confirmed.
pub async fn of(tx: &mut Tx, customer: &Customer, ticker: &str) -> Result<i64> {
    let account = account_party(customer.id);
    let email = if customer.activated { email_party(&customer.email) } else { account.clone() };
    Ok(fetch_one!(tx, (i64,), DISCOUNT_VOLUME_OF, ticker, &account, &email)?.0)
}

/// A page of parties, the greatest volume first.
pub async fn greatest(tx: &mut Tx, ticker: &str, before: (i64, &str), size: i64) -> Result<Vec<VolumeRow>> {
    fetch_all!(tx, VolumeRow, DISCOUNT_VOLUMES, ticker, before.0, before.1, size)
}

/// The parties with an e-mail address, in lower case.
pub async fn of_email(tx: &mut Tx, ticker: &str, email: &str, size: i64) -> Result<Vec<VolumeRow>> {
    fetch_all!(tx, VolumeRow, DISCOUNT_VOLUMES_OF_EMAIL, ticker, email, size)
}

/// How many exchanges wait for their worth.
pub async fn waiting_count(tx: &mut Tx) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), COUNT_WAITING_EXCHANGES)?.0)
}

/// Exchanges that wait for their worth, and some that are counted in another currency than this one.
pub async fn to_count(tx: &mut Tx, ticker: &str, size: i64) -> Result<Vec<ExchangeRow>> {
    let mut rows = fetch_all!(tx, ExchangeRow, WAITING_EXCHANGES, size)?;
    if let Some((other,)) = fetch_optional!(tx, (String,), OTHER_DISCOUNT_TICKER, ticker)? {
        rows.extend(fetch_all!(tx, ExchangeRow, EXCHANGES_COUNTED_IN, other, size)?);
    }
    Ok(rows)
}

/// Counts an exchange anew, if nothing else happened to it meanwhile.
pub async fn count(tx: &mut Tx, row: &ExchangeRow, units: i64, ticker: &str, now: Timestamp) -> Result<()> {
    if execute!(tx, COUNT_DISCOUNT_EXCHANGE, row.claim_id, row.ticker.as_deref().unwrap_or_default(), units, ticker)? == 0 {
        return Ok(());
    }
    if let (Some(units), Some(ticker)) = (row.units, &row.ticker) {
        execute!(tx, TAKE_DISCOUNT_VOLUME, &row.party, ticker, units, now)?;
    }
    execute!(tx, ADD_DISCOUNT_VOLUME, &row.party, ticker, row.customer_id, &row.email, units, now).map(drop)
}

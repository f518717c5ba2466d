//! Referrers, attributions and traces in SQL.

use agio_contracts::CustomerAccount;
use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional};
use uuid::Uuid;

use super::PageCursor;

agio_core::statements! {
    REFERRER = "SELECT * FROM referral_referrer WHERE customer_id = $1";
    REFERRER_BY_CODE = "SELECT * FROM referral_referrer WHERE code = $1";
    /// Ignored if the account is a referrer or the code is taken.
    INSERT_REFERRER = "INSERT INTO referral_referrer (customer_id, code, email, currency_id, created_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT DO NOTHING";
    /// Locks the referrer until the transaction ends.
    LOCK_REFERRER = "UPDATE referral_referrer SET revision = revision + 1 WHERE customer_id = $1 RETURNING *";
    SET_REFERRER_CURRENCY = "UPDATE referral_referrer SET currency_id = $2 WHERE customer_id = $1 AND currency_id IS NULL";
    ADD_REFERRER_VOLUME = "UPDATE referral_referrer SET volume = volume + $2 WHERE customer_id = $1";
    SET_REFERRER_DEBT = "UPDATE referral_referrer SET debt = $2 WHERE customer_id = $1";
    SET_REFERRER_PLAN = "UPDATE referral_referrer SET plan_id = $2 WHERE customer_id = $1";
    SET_REFERRER_EMAIL = "UPDATE referral_referrer SET email = $2 WHERE customer_id = $1";
    DELETE_REFERRER_TRACES = "DELETE FROM referral_trace WHERE referrer_id = $1";
    DELETE_ATTRIBUTION_OF_ADDRESS = "DELETE FROM referral_attribution WHERE identity = $1";
    ERASE_ATTRIBUTIONS = "UPDATE referral_attribution SET email = $2 WHERE customer_id = $1";
    FORMER_DEBTOR = "SELECT * FROM referral_referrer WHERE email = $1 AND debt > 0 ORDER BY created_at LIMIT 1";
    REFERRERS_BY_AGE = "SELECT * FROM referral_referrer WHERE (created_at, customer_id) < ($1, $2)
        ORDER BY created_at DESC, customer_id DESC LIMIT $3";
    REFERRERS_FOUND = "SELECT * FROM referral_referrer WHERE code = $1 OR email = $2 LIMIT $3";

    /// The earliest attribution of either identity.
    FIRST_ATTRIBUTION = "SELECT referrer_id FROM referral_attribution WHERE identity IN ($1, $2) ORDER BY created_at, identity LIMIT 1";
    INSERT_ATTRIBUTION = "INSERT INTO referral_attribution (identity, referrer_id, customer_id, email, created_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (identity) DO NOTHING";
    ATTRIBUTIONS_OF = "SELECT attribution.customer_id, attribution.email, attribution.created_at,
            (SELECT code FROM referral_referrer referrer WHERE referrer.customer_id = attribution.customer_id) AS code,
            (SELECT COUNT(*) FROM referral_attribution below WHERE below.referrer_id = attribution.customer_id) AS referrals
        FROM referral_attribution attribution WHERE attribution.referrer_id = $1 ORDER BY attribution.created_at DESC, attribution.identity LIMIT $2";
    COUNT_REGISTRATIONS = "SELECT COUNT(*) FROM referral_attribution WHERE referrer_id = $1 AND customer_id IS NOT NULL";
    REFERRED_BY = "SELECT referrer.customer_id, referrer.code, referrer.email FROM referral_attribution attribution
        JOIN referral_referrer referrer ON referrer.customer_id = attribution.referrer_id WHERE attribution.identity = $1";

    REFERRER_TRACES_AMONG = "SELECT digest FROM referral_trace WHERE referrer_id = $1 AND digest IN ($2, $3, $4)";
    REFERRER_TRACES_SEEN = "SELECT digest FROM referral_trace WHERE referrer_id = $1 AND seen_at > $2";
    PUT_EXCHANGE_TRACE = "INSERT INTO referral_trace (referrer_id, digest, origin, seen_at) VALUES ($1, $2, 'exchange', $3)
        ON CONFLICT (referrer_id, digest) DO UPDATE SET origin = 'exchange', seen_at = excluded.seen_at";
    REFRESH_TRACE = "UPDATE referral_trace SET seen_at = $3 WHERE referrer_id = $1 AND digest = $2";
    /// Not above the limit of its origin.
    INSERT_VISIT_TRACE = "INSERT INTO referral_trace (referrer_id, digest, origin, seen_at)
        SELECT $1, $2, $3, $4 WHERE (SELECT COUNT(*) FROM referral_trace WHERE referrer_id = $1 AND origin = $3) < $5
        ON CONFLICT DO NOTHING";
}

/// Browsers, and as many addresses, that page views of one referrer leave. Further ones are dropped: a visitor can make
/// up any number of them, so they must not push out what is known.
const VISIT_TRACES_MAX: i64 = 100;

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Referrer {
    pub customer_id: Uuid,
    pub code: String,
    pub email: String,
    pub plan_id: Option<Uuid>,
    pub currency_id: Option<i64>,
    /// In ten-thousandths of the base currency.
    pub volume: i64,
    /// In units of the balance currency.
    pub debt: i64,
    pub revision: i64,
    pub created_at: Timestamp,
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Attribution {
    pub customer_id: Option<Uuid>,
    pub email: String,
    pub created_at: Timestamp,
    pub code: Option<String>,
    pub referrals: i64,
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct AttributedReferrer {
    pub customer_id: Uuid,
    pub code: String,
    pub email: String,
}

pub fn account(id: Uuid) -> String {
    format!("account:{id}")
}

pub fn address(email: &str) -> String {
    format!("email:{email}")
}

pub async fn one(tx: &mut Tx, id: Uuid) -> Result<Option<Referrer>> {
    fetch_optional!(tx, Referrer, REFERRER, id)
}

pub async fn by_code(tx: &mut Tx, code: &str) -> Result<Option<Referrer>> {
    fetch_optional!(tx, Referrer, REFERRER_BY_CODE, code)
}

/// False if the account is a referrer or the code is taken.
pub async fn insert(tx: &mut Tx, id: Uuid, code: &str, email: &str, currency: Option<i64>, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, INSERT_REFERRER, id, code, email, currency, now)? == 1)
}

/// Locks the referrer until the transaction ends.
pub async fn lock(tx: &mut Tx, id: Uuid) -> Result<Option<Referrer>> {
    fetch_optional!(tx, Referrer, LOCK_REFERRER, id)
}

pub async fn set_currency(tx: &mut Tx, id: Uuid, currency: i64) -> Result<()> {
    execute!(tx, SET_REFERRER_CURRENCY, id, currency).map(drop)
}

/// `units` may be negative.
pub async fn add_volume(tx: &mut Tx, id: Uuid, units: i64) -> Result<()> {
    execute!(tx, ADD_REFERRER_VOLUME, id, units).map(drop)
}

pub async fn set_debt(tx: &mut Tx, id: Uuid, units: i64) -> Result<()> {
    execute!(tx, SET_REFERRER_DEBT, id, units).map(drop)
}

pub async fn set_plan(tx: &mut Tx, id: Uuid, plan: Option<Uuid>) -> Result<()> {
    execute!(tx, SET_REFERRER_PLAN, id, plan).map(drop)
}

/// Newest first.
pub async fn page(tx: &mut Tx, before: PageCursor, size: i64) -> Result<Vec<Referrer>> {
    fetch_all!(tx, Referrer, REFERRERS_BY_AGE, before.0, before.1, size)
}

/// By exact code or e-mail address.
pub async fn found(tx: &mut Tx, query: &str, size: i64) -> Result<Vec<Referrer>> {
    fetch_all!(tx, Referrer, REFERRERS_FOUND, query.to_uppercase(), query.to_lowercase(), size)
}

/// The earliest attribution of the account or the e-mail address.
pub async fn first_referrer(tx: &mut Tx, customer: Option<Uuid>, email: &str) -> Result<Option<Uuid>> {
    let by_address = address(email);
    let by_account = customer.map_or_else(|| by_address.clone(), account);
    Ok(fetch_optional!(tx, (Uuid,), FIRST_ATTRIBUTION, by_account, by_address)?.map(|(id,)| id))
}

#[derive(Clone, Debug)]
pub struct ReferredIdentity<'a> {
    pub customer: Option<Uuid>,
    pub email: &'a str,
}

/// The first attribution stays.
pub async fn attribute(tx: &mut Tx, referred: &ReferredIdentity<'_>, referrer: Uuid, now: Timestamp) -> Result<()> {
    let identity = referred.customer.map_or_else(|| address(referred.email), account);
    execute!(tx, INSERT_ATTRIBUTION, identity, referrer, referred.customer, referred.email, now).map(drop)
}

/// Newest first.
pub async fn referred_customers(tx: &mut Tx, referrer: Uuid, size: i64) -> Result<Vec<Attribution>> {
    fetch_all!(tx, Attribution, ATTRIBUTIONS_OF, referrer, size)
}

pub async fn attributed_referrer(tx: &mut Tx, identity: &str) -> Result<Option<AttributedReferrer>> {
    fetch_optional!(tx, AttributedReferrer, REFERRED_BY, identity)
}

pub async fn registrations(tx: &mut Tx, referrer: Uuid) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), COUNT_REGISTRATIONS, referrer)?.0)
}

/// What a page view leaves.
#[derive(Clone, Copy, Debug)]
pub enum VisitTrace {
    Browser,
    Address,
}

impl VisitTrace {
    const fn origin(self) -> &'static str {
        match self {
            Self::Browser => "browser",
            Self::Address => "address",
        }
    }
}

/// Which of these digests of a browser, an IP address and payout details are known.
pub async fn traces_among(tx: &mut Tx, referrer: Uuid, digests: [&str; 3]) -> Result<Vec<String>> {
    let [browser, address, payout] = digests;
    let rows = fetch_all!(tx, (String,), REFERRER_TRACES_AMONG, referrer, browser, address, payout)?;
    Ok(rows.into_iter().map(|(digest,)| digest).collect())
}

/// Digests seen after a time.
pub async fn traces_seen(tx: &mut Tx, referrer: Uuid, since: Timestamp) -> Result<Vec<String>> {
    let rows = fetch_all!(tx, (String,), REFERRER_TRACES_SEEN, referrer, since)?;
    Ok(rows.into_iter().map(|(digest,)| digest).collect())
}

/// What an exchange or a withdrawal leaves, without a limit.
pub async fn put_exchange_traces(tx: &mut Tx, referrer: Uuid, digests: &[String], now: Timestamp) -> Result<()> {
    for digest in digests {
        execute!(tx, PUT_EXCHANGE_TRACE, referrer, digest, now)?;
    }
    Ok(())
}

/// Refreshes known traces; new ones are dropped above the limit.
pub async fn put_visit_traces(tx: &mut Tx, referrer: Uuid, traces: &[(VisitTrace, String)], now: Timestamp) -> Result<()> {
    for (trace, digest) in traces {
        if execute!(tx, REFRESH_TRACE, referrer, digest, now)? == 0 {
            execute!(tx, INSERT_VISIT_TRACE, referrer, digest, trace.origin(), now, VISIT_TRACES_MAX)?;
        }
    }
    Ok(())
}

pub async fn set_email(tx: &mut Tx, id: Uuid, email: &str) -> Result<()> {
    execute!(tx, SET_REFERRER_EMAIL, id, email).map(drop)
}

/// A referrer in debt whose account was deleted, by what is kept of its address.
pub async fn former_debtor(tx: &mut Tx, kept: &[String]) -> Result<Option<Referrer>> {
    for address in kept {
        if let Some(found) = fetch_optional!(tx, Referrer, FORMER_DEBTOR, address)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Erases the addresses of an account, as a referrer and as a referred customer, and the traces of its browsers. `kept`
/// stays of the referrer's.
pub async fn erase(tx: &mut Tx, account: &CustomerAccount, kept: &str, placeholder: &str) -> Result<()> {
    set_email(tx, account.id, kept).await?;
    execute!(tx, DELETE_REFERRER_TRACES, account.id)?;
    if let Some(email) = &account.email {
        execute!(tx, DELETE_ATTRIBUTION_OF_ADDRESS, address(email))?;
    }
    execute!(tx, ERASE_ATTRIBUTIONS, account.id, placeholder).map(drop)
}

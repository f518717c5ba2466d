//! Referrers, who came by their links, and where they were seen.

use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional};
use uuid::Uuid;

use super::Place;

agio_core::statements! {
    REFERRER = "SELECT * FROM referral_referrer WHERE customer_id = $1";
    REFERRER_BY_CODE = "SELECT * FROM referral_referrer WHERE code = $1";
    /// Makes a referrer, unless the account is one or the code is taken.
    INSERT_REFERRER = "INSERT INTO referral_referrer (customer_id, code, email, currency_id, created_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT DO NOTHING";
    /// Locks a referrer until the transaction ends.
    LOCK_REFERRER = "UPDATE referral_referrer SET revision = revision + 1 WHERE customer_id = $1 RETURNING *";
    SET_REFERRER_CURRENCY = "UPDATE referral_referrer SET currency_id = $2 WHERE customer_id = $1 AND currency_id IS NULL";
    ADD_REFERRER_VOLUME = "UPDATE referral_referrer SET volume = volume + $2 WHERE customer_id = $1";
    SET_REFERRER_DEBT = "UPDATE referral_referrer SET debt = $2 WHERE customer_id = $1";
    SET_REFERRER_PROGRAMME = "UPDATE referral_referrer SET programme_id = $2 WHERE customer_id = $1";
    REFERRERS_BY_AGE = "SELECT * FROM referral_referrer WHERE (created_at, customer_id) < ($1, $2)
        ORDER BY created_at DESC, customer_id DESC LIMIT $3";
    REFERRERS_FOUND = "SELECT * FROM referral_referrer WHERE code = $1 OR email = $2 LIMIT $3";

    /// Who brought somebody: the earliest bond of any of these parties.
    FIRST_BOND = "SELECT referrer_id FROM referral_bond WHERE party IN ($1, $2) ORDER BY created_at, party LIMIT 1";
    /// Binds a party, unless it is bound.
    INSERT_BOND = "INSERT INTO referral_bond (party, referrer_id, customer_id, email, created_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (party) DO NOTHING";
    BONDS_OF = "SELECT bond.party, bond.customer_id, bond.email, bond.created_at,
            (SELECT code FROM referral_referrer referrer WHERE referrer.customer_id = bond.customer_id) AS code,
            (SELECT COUNT(*) FROM referral_bond below WHERE below.referrer_id = bond.customer_id) AS brought
        FROM referral_bond bond WHERE bond.referrer_id = $1 ORDER BY bond.created_at DESC, bond.party LIMIT $2";
    COUNT_REGISTRATIONS = "SELECT COUNT(*) FROM referral_bond WHERE referrer_id = $1 AND customer_id IS NOT NULL";
    BROUGHT_BY = "SELECT referrer.customer_id, referrer.code, referrer.email FROM referral_bond bond
        JOIN referral_referrer referrer ON referrer.customer_id = bond.referrer_id WHERE bond.party = $1";

    REFERRER_MARKS = "SELECT mark FROM referral_mark WHERE referrer_id = $1";
    PUT_REFERRER_MARK = "INSERT INTO referral_mark (referrer_id, mark, seen_at) VALUES ($1, $2, $3)
        ON CONFLICT (referrer_id, mark) DO UPDATE SET seen_at = excluded.seen_at";
    FORGET_SURPLUS_REFERRER_MARKS = "DELETE FROM referral_mark WHERE referrer_id = $1 AND mark NOT IN (SELECT mark FROM referral_mark
        WHERE referrer_id = $1 ORDER BY seen_at DESC, mark LIMIT $2)";
    FORGET_REFERRER_MARKS = "DELETE FROM referral_mark WHERE seen_at < $1";
}

/// How many browsers and addresses of a referrer are remembered.
const MARKS_MAX: i64 = 100;

/// A referrer as stored.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Referrer {
    /// The account.
    pub customer_id: Uuid,
    /// The code in their link.
    pub code: String,
    /// The e-mail address of the account.
    pub email: String,
    /// The programme they have of their own.
    pub programme_id: Option<Uuid>,
    /// The currency of their balance.
    pub currency_id: Option<i64>,
    /// What referred exchanges were worth, in ten-thousandths of the base currency.
    pub volume: i64,
    /// What they owe the house, in units.
    pub debt: i64,
    /// Counts every change.
    pub revision: i64,
    /// When they asked for their link.
    pub created_at: Timestamp,
}

/// Somebody who came by a link.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Bond {
    /// The party that is bound.
    pub party: String,
    /// The account, where the party is one.
    pub customer_id: Option<Uuid>,
    /// The e-mail address.
    pub email: String,
    /// Since when.
    pub created_at: Timestamp,
    /// Their own code, where they have one.
    pub code: Option<String>,
    /// How many they brought in turn.
    pub brought: i64,
}

/// Who brought somebody.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Bringer {
    /// The account.
    pub customer_id: Uuid,
    /// The code in their link.
    pub code: String,
    /// The e-mail address of the account.
    pub email: String,
}

/// The name an account is bound under.
#[must_use]
pub fn account(id: Uuid) -> String {
    format!("account:{id}")
}

/// The name an e-mail address is bound under.
#[must_use]
pub fn address(email: &str) -> String {
    format!("email:{email}")
}

/// A referrer by their account.
pub async fn one(tx: &mut Tx, id: Uuid) -> Result<Option<Referrer>> {
    fetch_optional!(tx, Referrer, REFERRER, id)
}

/// A referrer by their code.
pub async fn by_code(tx: &mut Tx, code: &str) -> Result<Option<Referrer>> {
    fetch_optional!(tx, Referrer, REFERRER_BY_CODE, code)
}

/// Makes a referrer; false where the account is one or the code is taken.
pub async fn insert(tx: &mut Tx, id: Uuid, code: &str, email: &str, currency: Option<i64>, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, INSERT_REFERRER, id, code, email, currency, now)? == 1)
}

/// Locks a referrer until the transaction ends.
pub async fn lock(tx: &mut Tx, id: Uuid) -> Result<Option<Referrer>> {
    fetch_optional!(tx, Referrer, LOCK_REFERRER, id)
}

/// Gives a referrer the currency of their balance, for good.
pub async fn set_currency(tx: &mut Tx, id: Uuid, currency: i64) -> Result<()> {
    execute!(tx, SET_REFERRER_CURRENCY, id, currency).map(drop)
}

/// Adds to a referrer's volume, or takes from it.
pub async fn add_volume(tx: &mut Tx, id: Uuid, units: i64) -> Result<()> {
    execute!(tx, ADD_REFERRER_VOLUME, id, units).map(drop)
}

/// Notes what a referrer owes.
pub async fn set_debt(tx: &mut Tx, id: Uuid, units: i64) -> Result<()> {
    execute!(tx, SET_REFERRER_DEBT, id, units).map(drop)
}

/// Gives a referrer a programme of their own, or takes it.
pub async fn set_programme(tx: &mut Tx, id: Uuid, programme: Option<Uuid>) -> Result<()> {
    execute!(tx, SET_REFERRER_PROGRAMME, id, programme).map(drop)
}

/// A page of referrers, the newest first.
pub async fn page(tx: &mut Tx, before: Place, size: i64) -> Result<Vec<Referrer>> {
    fetch_all!(tx, Referrer, REFERRERS_BY_AGE, before.0, before.1, size)
}

/// Referrers with this code or e-mail address.
pub async fn found(tx: &mut Tx, said: &str, size: i64) -> Result<Vec<Referrer>> {
    fetch_all!(tx, Referrer, REFERRERS_FOUND, said.to_uppercase(), said.to_lowercase(), size)
}

/// Who brought an account or the owner of an e-mail address, whichever was first.
pub async fn first(tx: &mut Tx, customer: Option<Uuid>, email: &str) -> Result<Option<Uuid>> {
    let by_address = address(email);
    let by_account = customer.map_or_else(|| by_address.clone(), account);
    Ok(fetch_optional!(tx, (Uuid,), FIRST_BOND, by_account, by_address)?.map(|(id,)| id))
}

/// A party to be bound.
#[derive(Clone, Debug)]
pub struct Party<'a> {
    /// The account, where it is one.
    pub customer: Option<Uuid>,
    /// The e-mail address.
    pub email: &'a str,
}

/// Binds a party to a referrer, if it is not bound yet.
pub async fn bind(tx: &mut Tx, party: &Party<'_>, referrer: Uuid, now: Timestamp) -> Result<()> {
    let name = party.customer.map_or_else(|| address(party.email), account);
    execute!(tx, INSERT_BOND, name, referrer, party.customer, party.email, now).map(drop)
}

/// Who came by a referrer's link, the newest first.
pub async fn brought(tx: &mut Tx, referrer: Uuid, size: i64) -> Result<Vec<Bond>> {
    fetch_all!(tx, Bond, BONDS_OF, referrer, size)
}

/// Who brought a party.
pub async fn bringer(tx: &mut Tx, party: &str) -> Result<Option<Bringer>> {
    fetch_optional!(tx, Bringer, BROUGHT_BY, party)
}

/// How many accounts were made by a referrer's link.
pub async fn registrations(tx: &mut Tx, referrer: Uuid) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), COUNT_REGISTRATIONS, referrer)?.0)
}

/// Digests of where a referrer was seen.
pub async fn marks(tx: &mut Tx, referrer: Uuid) -> Result<Vec<String>> {
    let rows = fetch_all!(tx, (String,), REFERRER_MARKS, referrer)?;
    Ok(rows.into_iter().map(|(mark,)| mark).collect())
}

/// Notes where a referrer was seen.
pub async fn put_marks(tx: &mut Tx, referrer: Uuid, marks: &[String], now: Timestamp) -> Result<()> {
    for mark in marks {
        execute!(tx, PUT_REFERRER_MARK, referrer, mark, now)?;
    }
    execute!(tx, FORGET_SURPLUS_REFERRER_MARKS, referrer, MARKS_MAX).map(drop)
}

/// Forgets where referrers were seen before a moment.
pub async fn forget_marks(tx: &mut Tx, before: Timestamp) -> Result<()> {
    execute!(tx, FORGET_REFERRER_MARKS, before).map(drop)
}

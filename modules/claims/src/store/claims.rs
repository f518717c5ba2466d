//! The claims themselves.

use agio_core::db::{CacheKey, Sequence};
use agio_core::error::Constraint;
use agio_core::{
    Error, Result, Timestamp, Tx, execute, fetch_all, fetch_locked, fetch_locked_if_free, fetch_one, fetch_optional,
    is_rarely_true, write_hot, write_one,
};
use agio_ledger::Account;
use uuid::Uuid;

use crate::rules::Claim;
use crate::rules::queue::QueueTab;
use crate::store::terms;

/// What the ledger still holds for ended claims, as (claim, account, units).
macro_rules! unsettled {
    ($claims:literal) => {
        concat!(
            "SELECT ended.public_id, side.account, CAST(SUM(CASE WHEN moved.credit LIKE side.account || ':%' THEN moved.amount
                    WHEN moved.debit LIKE side.account || ':%' THEN -moved.amount ELSE 0 END) AS BIGINT)
            FROM (SELECT claim.public_id, claim.id FROM ",
            $claims,
            "
                AND claim.state IN ('completed', 'refunded', 'cancelled', 'expired', 'rejected')) ended
            JOIN ledger_transfer moved ON moved.about = ended.id
            CROSS JOIN (SELECT 'hold' AS account UNION ALL SELECT 'claim_in' UNION ALL SELECT 'claim_out') side
            GROUP BY ended.public_id, side.account
            HAVING SUM(CASE WHEN moved.credit LIKE side.account || ':%' THEN moved.amount
                WHEN moved.debit LIKE side.account || ':%' THEN -moved.amount ELSE 0 END) <> 0"
        )
    };
}

/// The columns of a new claim that take one value each, part by part.
macro_rules! new_columns {
    ($then:ident!($($context:tt)*) $claim:ident $terms_id:ident) => {
        $then! { ($($context)*)
            id = $claim.id,
            queue = QueueTab::of($claim.state),
            // The customer.
            locale = &$claim.customer.locale,
            time_zone = $claim.customer.time_zone.as_deref(),
            terms_version = $claim.customer.terms_version.as_deref(),
            aml_consent = $claim.customer.aml_consent,
            // The sides.
            give_id = $claim.give.currency_id(),
            give_code = &$claim.give.code,
            give_scale = i64::from($claim.give.amount.scale()),
            give_units = $claim.give.amount.units(),
            give_requisites = &$claim.give.requisites,
            give_digest = $claim.give.digest.as_deref(),
            receive_id = $claim.receive.currency_id(),
            receive_code = &$claim.receive.code,
            receive_scale = i64::from($claim.receive.amount.scale()),
            receive_units = $claim.receive.amount.units(),
            receive_requisites = &$claim.receive.requisites,
            receive_digest = $claim.receive.digest.as_deref(),
            // The terms.
            market_units = $claim.terms.market_value.units(),
            rate = &$claim.terms.rate,
            bonus = &$claim.terms.bonus,
            terms_id = $terms_id,
            hold_minutes = $claim.terms.hold_minutes,
            floating = $claim.terms.floating,
            // The rest.
            hold_id = $claim.balances.hold_id,
            referral = $claim.references.referral.as_deref(),
            promo = $claim.references.promo.as_deref(),
            city = $claim.references.city.as_deref(),
            expires_at = $claim.progress.expires_at,
            due_at = $claim.progress.due_at,
            mail_at = $claim.progress.mail_at,
        }
    };
}

/// The columns of a claim that change, part by part.
macro_rules! changing_columns {
    ($then:ident!($($context:tt)*) $claim:ident $terms_id:ident) => {
        $then! { ($($context)*)
            state = $claim.state,
            stopped_in = $claim.stopped_in,
            queue = QueueTab::of($claim.state),
            updated_at = $claim.updated_at,
            // The customer.
            terms_version = $claim.customer.terms_version.as_deref(),
            aml_consent = $claim.customer.aml_consent,
            // The sides and the terms.
            give_units = $claim.give.amount.units(),
            receive_units = $claim.receive.amount.units(),
            refund_requisites = $claim.refund_requisites.as_deref(),
            market_units = $claim.terms.market_value.units(),
            rate = &$claim.terms.rate,
            bonus = &$claim.terms.bonus,
            terms_id = $terms_id,
            agreed_at = $claim.terms.agreed_at,
            hold_minutes = $claim.terms.hold_minutes,
            // The balances.
            hold_id = $claim.balances.hold_id,
            in_units = $claim.balances.held.units(),
            refund_units = $claim.balances.refund.units(),
            received_units = $claim.balances.received.units(),
            returned_units = $claim.balances.returned.units(),
            surplus_units = $claim.balances.surplus.units(),
            out_units = $claim.balances.payout.units(),
            paid_out_units = $claim.balances.paid_out.units(),
            unproven_units = $claim.counted_unproven().units(),
            // The payment.
            requisite_id = $claim.payment.requisite_id,
            payment_value = $claim.payment.value.as_deref(),
            payment_holder = $claim.payment.holder.as_deref(),
            payment_memo = $claim.payment.memo.as_deref(),
            payment_page = $claim.payment.page.as_deref(),
            paid_at = $claim.payment.paid_at,
            // The references.
            promo = $claim.references.promo.as_deref(),
            verification_id = $claim.references.verification_id,
            tx_in = $claim.references.tx_in.as_deref(),
            tx_out = $claim.references.tx_out.as_deref(),
            tx_refund = $claim.references.tx_refund.as_deref(),
            // The progress.
            expires_at = $claim.progress.expires_at,
            due_at = $claim.progress.due_at,
            warn_at = $claim.progress.warn_at,
            mail_at = $claim.progress.mail_at,
            answer_by = $claim.progress.answer_by,
            reason = $claim.progress.reason.as_deref(),
            offer = $claim.progress.offer.as_deref(),
            surplus_offer = $claim.progress.surplus_offer.as_deref(),
            holder_id = $claim.progress.holder_id,
            holder_name = $claim.progress.holder_name.as_deref(),
        }
    };
}

/// `, $11, $12` for as many columns as there are.
macro_rules! placeholders {
    ([$($text:tt)*] [$($numbers:literal)*]) => { concat!($($text)*) };
    ([$($text:tt)*] [$number:literal $($numbers:literal)*] $column:ident $($columns:ident)*) => {
        placeholders!([$($text)* ", $", $number,] [$($numbers)*] $($columns)*)
    };
}

/// `, a = $3, b = $4` for these columns.
macro_rules! assignments {
    ([$($text:tt)*] [$($numbers:literal)*]) => { concat!($($text)*) };
    ([$($text:tt)*] [$number:literal $($numbers:literal)*] $column:ident $($columns:ident)*) => {
        assignments!([$($text)* ", ", stringify!($column), " = $", $number,] [$($numbers)*] $($columns)*)
    };
}

/// Whether a completed claim of a customer paid out a tenth of what the new one ($8) holds in its currency ($23),
/// together with those that are not paid to a tenth and were proven as well.
macro_rules! proves {
    ($customer:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM claim WHERE ",
            $customer,
            " AND state = 'completed' AND receive_id = $23 AND receive_units >= (
                SELECT CAST(COALESCE(SUM(receive_units), 0) AS BIGINT) + $8 FROM claim WHERE ",
            $customer,
            " AND hold_id IS NOT NULL AND unproven_units = 0
                AND receive_id = $23 AND received_units <= (give_units - 1) / 10) / 10)"
        )
    };
}

macro_rules! insert_text {
    (() $($column:ident = $value:expr,)*) => {
        concat!(
            "INSERT INTO claim (public_id, state, revision, email, guest_digest, address_digest, customer_id,
                agreed_at, created_at, updated_at, in_units, out_units, refund_units, received_units, paid_out_units,
                unproven_units",
            $(", ", stringify!($column),)*
            ") VALUES ($1, CASE WHEN
                    ($9 = 0 OR NOT EXISTS (SELECT 1 FROM claim WHERE email = $3
                        AND hold_id IS NOT NULL AND received_units = 0
                        LIMIT 1 OFFSET CASE WHEN $9 > 0 THEN $9 - 1 ELSE 0 END))
                    AND ($10 = 0 OR NOT EXISTS (SELECT 1 FROM claim WHERE address_digest = $5
                        AND hold_id IS NOT NULL AND received_units = 0
                        LIMIT 1 OFFSET CASE WHEN $10 > 0 THEN $10 - 1 ELSE 0 END))
                THEN $2 END, 1, $3, $4, $5, $6, $7, $7, $7, 0, 0, 0, 0, 0,
                CASE WHEN $8 = 0 OR ",
            proves!("guest_digest = $4"),
            " OR ",
            proves!("customer_id = $6"),
            " THEN 0 ELSE $8 END",
            placeholders!([] [11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41]
                $($column)*),
            ")"
        )
    };
}

macro_rules! update_text {
    (() $($column:ident = $value:expr,)*) => {
        concat!(
            "UPDATE claim SET revision = $2 + 1",
            assignments!([] [3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36
                37 38 39 40 41 42 43 44 45 46 47 48 49 50] $($column)*),
            " WHERE id = $1 AND revision = $2"
        )
    };
}

macro_rules! run_insert {
    (($tx:ident $claim:ident $number:ident $limits:ident) $($column:ident = $value:expr,)*) => {
        write_one!(
            $tx,
            INSERT_CLAIM,
            $number,
            $claim.state,
            &$claim.customer.email,
            &$claim.customer.guest_digest,
            &$claim.customer.address_digest,
            $claim.customer.account_id,
            $claim.terms.agreed_at,
            $claim.balances.unproven.units(),
            $limits.per_email,
            $limits.per_address,
            $($value),*
        )
    };
}

macro_rules! run_update {
    (($tx:ident $claim:ident) $($column:ident = $value:expr,)*) => {
        execute!($tx, UPDATE_CLAIM, $claim.id, $claim.revision, $($value),*)
    };
}

agio_core::statements! {
    NEXT_CLAIM_NUMBER = "SELECT number FROM next_claim_number";
    /// Stores a new claim, if the limits of unpaid claims allow it; a limit of 0 is none. Unpaid claims hold a reserve
    /// without a payment, reported or not. Otherwise the state is NULL and the database refuses it: with a condition
    /// around the whole row SQLite would use a temporary table. The limit is an OFFSET and not a LIMIT, because SQLite
    /// re-prepares a statement whenever a LIMIT parameter is bound. Customers whom an earlier claim in this browser or
    /// account proves are not unproven.
    INSERT_CLAIM = new_columns!(insert_text!() claim terms_id);
    /// Whether a limit of unpaid claims is reached; a limit of 0 is none. Those of an e-mail address are selected in a way
    /// that the index of unpaid claims by network address does not offer: PostgreSQL would read all of it to intersect it
    /// with the index of addresses.
    HAS_TOO_MANY = "SELECT ($2 > 0 AND
            (SELECT COUNT(*) FROM claim WHERE email = $1 AND hold_id IS NOT NULL AND received_units + 0 = 0) >= $2)
        OR ($4 > 0 AND
            (SELECT COUNT(*) FROM claim WHERE address_digest = $3 AND hold_id IS NOT NULL AND received_units = 0) >= $4)";
    /// Counts a new claim against the unproven customers' share of the reserve, in percent, if enough is left. The
    /// reserve is the free and the held amount. Its account was locked by the hold, so there is no race.
    TAKE_SHARE = "UPDATE unproven_share SET units = units + (SELECT unproven_units FROM claim WHERE public_id = $2)
        WHERE currency_id = $1 AND ($3 >= 100 OR (SELECT unproven_units FROM claim WHERE public_id = $2) = 0
            OR units + (SELECT unproven_units FROM claim WHERE public_id = $2) <= (
                SELECT CAST(SUM(balance) AS BIGINT) / 100 * $3 + CAST(SUM(balance) AS BIGINT) % 100 * $3 / 100
                FROM ledger_account WHERE name = $4 OR name = $5))";
    CHANGE_SHARE = "UPDATE unproven_share SET units = units + $2 WHERE currency_id = $1";
    /// What is left of that share.
    SHARE_LEFT = "SELECT CAST(SUM(balance) AS BIGINT) / 100 * $2 + CAST(SUM(balance) AS BIGINT) % 100 * $2 / 100
            - (SELECT units FROM unproven_share WHERE currency_id = $1)
        FROM ledger_account WHERE name = $3 OR name = $4";
    /// Claims whose customers must be warned that their payment has not been found.
    CLAIMS_TO_WARN = "SELECT id FROM claim WHERE warn_at <= $1 ORDER BY warn_at LIMIT $2";
    /// Claims whose customers must be e-mailed about the state they are in.
    CLAIMS_TO_MAIL = "SELECT id FROM claim WHERE mail_at <= $1 ORDER BY mail_at LIMIT $2";
    CLEAR_MAIL_TIME = "UPDATE claim SET mail_at = NULL WHERE id = $1 AND mail_at <= $2";
    CLAIM = whole!("id = $1");
    LOCK_CLAIM = "SELECT id FROM claim WHERE id = $1";
    /// The claims of an account, and those with its address; without the address, of an empty one.
    CLAIMS_OF_CUSTOMER = whole!("customer_id = $1 OR email = $2 ORDER BY public_id DESC LIMIT $3 OFFSET $4");
    COUNT_CLAIMS_OF_CUSTOMER = "SELECT COUNT(*) FROM claim WHERE customer_id = $1 OR email = $2";
    OPEN_CLAIM_OF_CUSTOMER = "SELECT public_id FROM claim WHERE customer_id = $1 AND queue <> 'closed'
        ORDER BY public_id LIMIT 1";
    /// Those of the account and those made without one.
    CHANGE_EMAIL_OF_CLAIMS = "UPDATE claim SET email = $3 WHERE email = $2 AND (customer_id = $1 OR customer_id IS NULL)";
    /// The claims keep the account's id, which then identifies nobody. Open claims made without an account may be
    /// somebody else's and keep the address until the retention masks it.
    ERASE_EMAIL_OF_CLAIMS = "UPDATE claim SET email = $3
        WHERE customer_id = $1 OR (email = $2 AND customer_id IS NULL AND queue = 'closed') RETURNING id";
    /// Claims of an address that are open, or were until a moment.
    RECENT_CLAIMS_OF_EMAIL = whole!("email = $1 AND (queue <> 'closed' OR updated_at >= $2)
        ORDER BY public_id DESC LIMIT $3");
    NUMBERED_CLAIM = whole!("public_id = $1 AND email = $2");
    /// Stores the changeable columns of a claim, if it has not changed since it was read.
    UPDATE_CLAIM = changing_columns!(update_text!() claim terms_id);
    /// Whether an account, a browser or an address has completed a claim.
    HAS_COMPLETED = "SELECT COUNT(*) FROM claim
        WHERE state = 'completed' AND (customer_id = $1 OR guest_digest = $2 OR email = $3)";
    ANY_COMPLETED = "SELECT public_id FROM claim WHERE state = 'completed' LIMIT 1";
    HAS_COMPLETED_HERE = "SELECT COUNT(*) FROM claim WHERE guest_digest = $1 AND state = 'completed' AND email = $2";
    /// Claims that have timed out.
    OVERDUE_CLAIMS = "SELECT id FROM claim WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2";
    /// Claims that have not ended, with numbers after one.
    OPEN_CLAIMS = whole!("queue <> 'closed' AND public_id > $1 ORDER BY public_id LIMIT $2");
    INSERT_PAYMENT = "INSERT INTO claim_payment (currency_id, tx_key, tx_id, claim_id, created_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (currency_id, tx_key) DO NOTHING";
    PAYMENT_OWNER = "SELECT claim_id FROM claim_payment WHERE currency_id = $1 AND tx_key = $2";
    UNSETTLED_CLAIMS = unsettled!("claim WHERE public_id > $1 AND public_id <= $2");
    RECENTLY_UNSETTLED_CLAIMS = unsettled!(
        "claim JOIN (SELECT DISTINCT about FROM ledger_transfer WHERE id > $1 AND id <= $2) recent ON recent.about = claim.id
        WHERE 1 = 1");
    /// Those that ended before a time.
    CLAIMS_TO_MASK = whole!("queue = 'closed' AND masked_at IS NULL AND updated_at < $1 ORDER BY updated_at LIMIT $2");
    MASK_CLAIM = "UPDATE claim SET email = $2, give_requisites = $3, receive_requisites = $4, refund_requisites = $5,
        give_digest = NULL, receive_digest = NULL, masked_at = $6
        WHERE id = $1 AND queue = 'closed' AND masked_at IS NULL";
    LAST_CLAIM = "SELECT CAST(COALESCE(MAX(public_id), 0) AS BIGINT) FROM claim";
}

/// Of the claims' numbers.
const CLAIM_NUMBERS: Sequence = Sequence { table: "claim", column: "public_id", next: NEXT_CLAIM_NUMBER };

/// As [`TAKE_SHARE`] for the claims of a group: those of a currency together, or none of them. Claims that count nothing
/// are not refused.
const TAKE_SHARES: &str = ",
    asked AS MATERIALIZED (SELECT place, p1 AS currency_id, claim.unproven_units AS units, p3 AS percent, p4 AS reserve, p5 AS hold
        FROM batch JOIN claim ON claim.public_id = p2),
    total AS (SELECT currency_id, CAST(SUM(units) AS BIGINT) AS units, MIN(percent) AS percent, MIN(reserve) AS reserve, MIN(hold) AS hold
        FROM asked WHERE units > 0 GROUP BY currency_id),
    taken AS (UPDATE unproven_share SET units = unproven_share.units + total.units FROM total
        WHERE unproven_share.currency_id = total.currency_id AND (total.percent >= 100 OR unproven_share.units + total.units <= (
            SELECT CAST(SUM(balance) AS BIGINT) / 100 * total.percent + CAST(SUM(balance) AS BIGINT) % 100 * total.percent / 100
            FROM ledger_account WHERE name = total.reserve OR name = total.hold))
        RETURNING unproven_share.currency_id)
    SELECT place FROM asked WHERE units = 0 OR currency_id IN (SELECT currency_id FROM taken)";

/// Where the writer remembers the number it gave last.
const LAST_NUMBER: CacheKey = ("claim.number", 0);

/// The limits of unpaid claims; 0 is no limit.
#[derive(Clone, Copy, Debug)]
pub struct UnpaidLimits {
    /// Of one e-mail address.
    pub per_email: i64,
    /// From one network address.
    pub per_address: i64,
}

impl UnpaidLimits {
    const NONE: Self = Self { per_email: 0, per_address: 0 };
}

/// With concurrent writers the claims of a customer are counted under a lock and by a separate statement: a refusal by
/// the insert would appear as an error in the database's log.
async fn refuse_if_over_limits(tx: &mut Tx, claim: &Claim, unpaid_max: UnpaidLimits) -> Result<()> {
    if unpaid_max.per_address > 0 {
        tx.lock("claim.address", &claim.customer.address_digest).await?;
    }
    // What a customer is proven for counts for all that they hold.
    if claim.balances.unproven.units() > 0 {
        tx.lock("claim.browser", &claim.customer.guest_digest).await?;
        if let Some(account) = claim.customer.account_id {
            tx.lock("claim.customer", &account.to_string()).await?;
        }
    }
    if unpaid_max.per_email > 0 {
        tx.lock("claim.email", &claim.customer.email).await?;
    }
    let UnpaidLimits { per_email, per_address } = unpaid_max;
    if per_email == 0 && per_address == 0 {
        return Ok(());
    }
    let has_too_many =
        is_rarely_true!(tx, HAS_TOO_MANY, &claim.customer.email, per_email, &claim.customer.address_digest, per_address)?;
    if has_too_many { Err(Error::conflict("too_many_open_claims")) } else { Ok(()) }
}

/// Stores a new claim and returns its number.
///
/// # Errors
/// 409 `too_many_open_claims` when its customer has as many unpaid ones as it may.
pub async fn insert(tx: &mut Tx, claim: &Claim, mut unpaid_max: UnpaidLimits) -> Result<i64> {
    if !tx.writes_alone() {
        refuse_if_over_limits(tx, claim, unpaid_max).await?;
        unpaid_max = UnpaidLimits::NONE;
    }
    let number = tx.next_number(CLAIM_NUMBERS, LAST_NUMBER).await?;
    let terms_id = terms_id(tx, claim).await?;
    let written = new_columns!(run_insert!(tx claim number unpaid_max) claim terms_id);
    written.map_err(|refused| match refused.constraint() {
        Some(Constraint::Missing) => Error::conflict("too_many_open_claims"),
        _ => refused,
    })?;
    tx.cache(LAST_NUMBER, (number, String::new()));
    Ok(number)
}

async fn terms_id(tx: &mut Tx, claim: &Claim) -> Result<i64> {
    match claim.terms.id {
        Some(id) => Ok(id),
        None => terms::id_of(tx, &claim.terms.json).await,
    }
}

/// # Errors
/// 404 `claim_not_found`.
pub async fn claim(tx: &mut Tx, id: Uuid) -> Result<Claim> {
    fetch_optional!(tx, Claim, CLAIM, id)?.ok_or_else(|| Error::not_found("claim_not_found"))
}

/// A claim by its identifier, locked until the transaction ends. Read a claim like this before deciding on it and
/// writing.
///
/// # Errors
/// 404 `claim_not_found`.
pub async fn locked(tx: &mut Tx, id: Uuid) -> Result<Claim> {
    // Read after the lock: what a statement waited for it would not see whole.
    fetch_locked!(tx, (Uuid,), "claim", LOCK_CLAIM, id)?;
    claim(tx, id).await
}

/// As [`locked`]; `None` if another transaction has locked it.
///
/// # Errors
/// 404 `claim_not_found`.
pub async fn locked_if_free(tx: &mut Tx, id: Uuid) -> Result<Option<Claim>> {
    match fetch_locked_if_free!(tx, (Uuid,), "claim", LOCK_CLAIM, id)? {
        Some(_) => claim(tx, id).await.map(Some),
        None => Ok(None),
    }
}

/// A claim that was read outside the transaction, locked as it was then.
///
/// # Errors
/// 409 `claim_changed` when it was changed since.
pub async fn locked_at(tx: &mut Tx, id: Uuid, revision: i64) -> Result<Claim> {
    let claim = locked(tx, id).await?;
    if claim.revision == revision { Ok(claim) } else { Err(Error::conflict("claim_changed")) }
}

/// A page of the claims of an account and, if given, of a lower-case e-mail address, the newest first, and their total.
pub async fn of_customer(tx: &mut Tx, id: Uuid, email: Option<&str>, from: i64, size: i64) -> Result<(Vec<Claim>, i64)> {
    let email = email.unwrap_or_default();
    let claims = fetch_all!(tx, Claim, CLAIMS_OF_CUSTOMER, id, email, size, from)?;
    Ok((claims, fetch_one!(tx, (i64,), COUNT_CLAIMS_OF_CUSTOMER, id, email)?.0))
}

/// The number of an open claim of an account. Anybody can make claims with its address.
pub async fn open_of_customer(tx: &mut Tx, id: Uuid) -> Result<Option<i64>> {
    Ok(fetch_optional!(tx, (i64,), OPEN_CLAIM_OF_CUSTOMER, id)?.map(|(number,)| number))
}

/// Replaces the address in the claims of an account and in those made with it without an account.
pub async fn change_email(tx: &mut Tx, account: Uuid, from: &str, to: &str) -> Result<()> {
    execute!(tx, CHANGE_EMAIL_OF_CLAIMS, account, from, to).map(drop)
}

/// Replaces the addresses in all claims of an account, and in the ended ones made with its address without an account.
/// Returns these claims.
pub async fn erase_email(tx: &mut Tx, account: Uuid, email: Option<&str>, placeholder: &str) -> Result<Vec<Uuid>> {
    let erased = fetch_all!(tx, (Uuid,), ERASE_EMAIL_OF_CLAIMS, account, email, placeholder)?;
    Ok(erased.into_iter().map(|(id,)| id).collect())
}

/// The claims made with an e-mail address, in lower case, that are open or changed since a moment, the newest first.
pub async fn recent_of_email(tx: &mut Tx, email: &str, since: Timestamp, size: i64) -> Result<Vec<Claim>> {
    fetch_all!(tx, Claim, RECENT_CLAIMS_OF_EMAIL, email, since, size)
}

/// The claim with a number, if it was made with this e-mail address, in lower case.
pub async fn numbered(tx: &mut Tx, number: i64, email: &str) -> Result<Option<Claim>> {
    fetch_optional!(tx, Claim, NUMBERED_CLAIM, number, email)
}

/// Whether an account, a browser, or the owner of an e-mail address in lower case has completed a claim.
pub async fn has_completed(tx: &mut Tx, customer: Option<Uuid>, browser: &str, email: Option<&str>) -> Result<bool> {
    Ok(fetch_one!(tx, (i64,), HAS_COMPLETED, customer, browser, email)?.0 > 0)
}

/// Whether any claim was completed.
pub async fn is_any_completed(tx: &mut Tx) -> Result<bool> {
    Ok(fetch_optional!(tx, (i64,), ANY_COMPLETED)?.is_some())
}

/// Whether a claim was completed in a browser with this e-mail address, in lower case.
pub async fn has_completed_in_browser(tx: &mut Tx, browser: &str, email: &str) -> Result<bool> {
    Ok(fetch_one!(tx, (i64,), HAS_COMPLETED_HERE, browser, email)?.0 > 0)
}

/// Stores a changed claim and increments its revision.
///
/// # Errors
/// 409 `claim_changed` when it was changed since it was read.
pub async fn update(tx: &mut Tx, claim: &mut Claim) -> Result<()> {
    let terms_id = terms_id(tx, claim).await?;
    claim.terms.id = Some(terms_id);
    let stored = changing_columns!(run_update!(tx claim) claim terms_id)?;
    if stored == 0 {
        return Err(Error::conflict("claim_changed"));
    }
    claim.revision += 1;
    let unproven = claim.counted_unproven();
    if unproven != claim.balances.unproven {
        let change = unproven.minus(claim.balances.unproven)?;
        claim.balances.unproven = unproven;
        execute!(tx, CHANGE_SHARE, claim.receive.currency_id(), change.units())?;
    }
    Ok(())
}

/// Counts a new claim against the unproven customers' share of the reserve. Call it after the hold is booked.
///
/// # Errors
/// 409 `reserve_share_full` with how much they could still receive.
pub async fn reserve_unproven_share(tx: &mut Tx, claim: &Claim, percent: i64) -> Result<()> {
    let (reserve, hold) = (Account::Reserve.name(claim.receive.currency_id()), Account::Hold.name(claim.receive.currency_id()));
    match write_hot!(tx, TAKE_SHARE, TAKE_SHARES, claim.receive.currency_id(), claim.public_id, percent, &reserve, &hold) {
        Err(full) if full.constraint() == Some(Constraint::Condition) => {
            let (left,) = fetch_one!(tx, (i64,), SHARE_LEFT, claim.receive.currency_id(), percent, &reserve, &hold)?;
            let max = claim.receive.of(left.max(0));
            Err(Error::conflict("reserve_share_full").with("max", max).with("currency", &claim.receive.code))
        }
        taken => taken,
    }
}

/// Claims that have timed out, the oldest first.
pub async fn overdue(tx: &mut Tx, now: Timestamp, size: i64) -> Result<Vec<Uuid>> {
    Ok(fetch_all!(tx, (Uuid,), OVERDUE_CLAIMS, now, size)?.into_iter().map(|(id,)| id).collect())
}

/// Claims that have not ended, with numbers after one, in their order.
pub async fn open(tx: &mut Tx, after: i64, size: i64) -> Result<Vec<Claim>> {
    fetch_all!(tx, Claim, OPEN_CLAIMS, after, size)
}

/// Claims whose customers must be warned that their payment has not been found, the oldest first.
pub async fn to_warn(tx: &mut Tx, now: Timestamp, size: i64) -> Result<Vec<Uuid>> {
    Ok(fetch_all!(tx, (Uuid,), CLAIMS_TO_WARN, now, size)?.into_iter().map(|(id,)| id).collect())
}

/// Claims whose customers must be e-mailed about the state they are in, the oldest first.
pub async fn to_mail(tx: &mut Tx, now: Timestamp, size: i64) -> Result<Vec<Uuid>> {
    Ok(fetch_all!(tx, (Uuid,), CLAIMS_TO_MAIL, now, size)?.into_iter().map(|(id,)| id).collect())
}

/// Marks the e-mail about a claim's state as written; false if it is not due. It changes nothing that anybody decides
/// on, so the revision stays.
pub async fn clear_mail_time(tx: &mut Tx, id: Uuid, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, CLEAR_MAIL_TIME, id, now)? == 1)
}

/// Records a payment's identifier for a claim, under the key by which its network compares it.
///
/// # Errors
/// 422 when it pays another claim already.
pub async fn insert_payment(tx: &mut Tx, claim: &Claim, key: &str, tx_id: &str, now: Timestamp) -> Result<()> {
    if execute!(tx, INSERT_PAYMENT, claim.give.currency_id(), key, tx_id, claim.id, now)? == 1 {
        return Ok(());
    }
    match fetch_optional!(tx, (Uuid,), PAYMENT_OWNER, claim.give.currency_id(), key)? {
        Some((owner,)) if owner == claim.id => Ok(()),
        _ => Err(Error::unprocessable("validation_failed").at("txId", "payment_of_another_claim")),
    }
}

/// The claim a payment is booked for.
pub async fn payment_owner(tx: &mut Tx, currency: i64, key: &str) -> Result<Option<Uuid>> {
    Ok(fetch_optional!(tx, (Uuid,), PAYMENT_OWNER, currency, key)?.map(|(owner,)| owner))
}

/// The ended claims after a number, up to another, with money left in the ledger: number, account and units.
pub async fn unsettled(tx: &mut Tx, after: i64, end: i64) -> Result<Vec<(i64, String, i64)>> {
    fetch_all!(tx, (i64, String, i64), UNSETTLED_CLAIMS, after, end)
}

/// The same for the claims that transfers are about: those after a number, up to another.
pub async fn recently_unsettled(tx: &mut Tx, after: i64, end: i64) -> Result<Vec<(i64, String, i64)>> {
    fetch_all!(tx, (i64, String, i64), RECENTLY_UNSETTLED_CLAIMS, after, end)
}

/// What replaces the personal data of a claim.
#[derive(Clone, Debug)]
pub struct MaskedClaim {
    pub id: Uuid,
    pub email: String,
    /// Sealed, as in the claim.
    pub give_requisites: String,
    pub receive_requisites: String,
    pub refund_requisites: Option<String>,
}

/// Claims that ended before a time and are not masked yet, the oldest first.
pub async fn to_mask(tx: &mut Tx, before: Timestamp, size: i64) -> Result<Vec<Claim>> {
    fetch_all!(tx, Claim, CLAIMS_TO_MASK, before, size)
}

/// Unless it was opened again or masked meanwhile.
pub async fn store_masked(tx: &mut Tx, claim: &MaskedClaim, now: Timestamp) -> Result<()> {
    let MaskedClaim { id, email, give_requisites, receive_requisites, refund_requisites } = claim;
    execute!(tx, MASK_CLAIM, *id, email, give_requisites, receive_requisites, refund_requisites.as_deref(), now).map(drop)
}

/// The number of the last claim; zero if there is none.
pub async fn last_number(tx: &mut Tx) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), LAST_CLAIM)?.0)
}

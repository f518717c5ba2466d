//! The claims themselves.

use agio_core::db::Place;
use agio_core::error::Constraint;
use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all, fetch_locked, fetch_one, fetch_optional, write_one};
use agio_ledger::Account;
use uuid::Uuid;

use crate::rules::Claim;
use crate::rules::desk::Desk;
use crate::store::terms;

agio_core::statements! {
    NEXT_CLAIM_NUMBER = "SELECT number FROM next_claim_number";
    /// Stores a new claim if its party has fewer unpaid ones than it may; a limit of 0 is none. Unpaid is what holds a reserve while nothing
    /// has come, whatever is said of it. Otherwise the claim has no state, and the database refuses it: a condition around the whole row would have
    /// SQLite write it to a table of its own first. The most is an OFFSET and not a LIMIT, for SQLite prepares a statement anew whenever a
    /// parameter of its LIMIT is bound. Whoever has completed a claim in this browser or account has proven themselves.
    INSERT_CLAIM = "INSERT INTO claim
        (public_id, id, state, revision, desk, email, locale, guest_digest, address_digest, referral, from_id, to_id, from_code, to_code,
         send_units, send_scale, receive_units, receive_scale, worth_units, course, bonus, terms_id, terms_at, hold_minutes,
         floating, terms_version, aml_consent, from_requisites, to_requisites, from_digest, to_digest, hold_id, in_units,
         out_units, refund_units, received_units, paid_out_units, expires_at, due_at, created_at, updated_at, customer_id, promo,
         unproven_units)
        VALUES ($1, $2, CASE WHEN
                ($34 = 0 OR NOT EXISTS (SELECT 1 FROM claim WHERE email = $5
                    AND hold_id IS NOT NULL AND received_units = 0
                    LIMIT 1 OFFSET CASE WHEN $34 > 0 THEN $34 - 1 ELSE 0 END))
                AND ($35 = 0 OR NOT EXISTS (SELECT 1 FROM claim WHERE address_digest = $8
                    AND hold_id IS NOT NULL AND received_units = 0
                    LIMIT 1 OFFSET CASE WHEN $35 > 0 THEN $35 - 1 ELSE 0 END))
            THEN $3 END, 1, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
            $24, $25, $26, $27, $28, $29, $30, $31, 0, 0, 0, 0, 0, $32, $33, $22, $22, $36, $37,
            CASE WHEN $38 = 0 OR EXISTS (SELECT 1 FROM claim WHERE guest_digest = $7 AND state = 'completed')
                    OR EXISTS (SELECT 1 FROM claim WHERE customer_id = $36 AND state = 'completed')
                THEN 0 ELSE $38 END)";
    /// Whether a party has as many unpaid claims as it may; a limit of 0 is none.
    HAS_TOO_MANY = "SELECT ($2 > 0 AND (SELECT COUNT(*) FROM claim WHERE email = $1 AND hold_id IS NOT NULL AND received_units = 0) >= $2)
        OR ($4 > 0 AND (SELECT COUNT(*) FROM claim WHERE address_digest = $3 AND hold_id IS NOT NULL AND received_units = 0) >= $4)";
    /// Counts a new claim against the share of its reserve, in percent, that those who have proven nothing may hold together, if that leaves
    /// enough. The reserve is what is free and what is held. Its account was locked when the claim's hold was booked, so nobody else counts now.
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
    /// Claims whose customers are to be told by now that nobody sees their payment.
    CLAIMS_TO_WARN = "SELECT id FROM claim WHERE warn_at <= $1 ORDER BY warn_at LIMIT $2";
    CLAIM = whole!("id = $1");
    LOCK_CLAIM = "SELECT id FROM claim WHERE id = $1";
    /// An account's claims: those made in it, and those made with its address. Without the address, an empty one stands in for it.
    CLAIMS_OF_CUSTOMER = whole!("customer_id = $1 OR email = $2 ORDER BY public_id DESC LIMIT $3 OFFSET $4");
    COUNT_CLAIMS_OF_CUSTOMER = "SELECT COUNT(*) FROM claim WHERE customer_id = $1 OR email = $2";
    /// Claims of an address that are open, or were until a moment.
    RECENT_CLAIMS_OF_EMAIL = whole!("email = $1 AND (desk <> 'closed' OR updated_at >= $2)
        ORDER BY public_id DESC LIMIT $3");
    /// Stores what may change of a claim, if nobody else changed it since it was read.
    UPDATE_CLAIM = "UPDATE claim SET state = $3, stopped_in = $4, revision = $2 + 1, desk = $5, send_units = $6,
            receive_units = $7, worth_units = $8, course = $9, bonus = $10, terms_id = $11, terms_at = $12, hold_minutes = $13,
            terms_version = $14, aml_consent = $15, refund_requisites = $16, hold_id = $17, in_units = $18, out_units = $19,
            refund_units = $20, received_units = $21, paid_out_units = $22, requisite_id = $23, requisite_day = $24,
            payment_value = $25, payment_holder = $26, payment_memo = $27, expires_at = $28, due_at = $29, answer_by = $30,
            reason = $31, tx_in = $32, tx_out = $33, tx_refund = $34, offer = $35, holder_id = $36, holder_name = $37,
            updated_at = $38, verification_id = $39, promo = $40, paid_at = $41, warn_at = $42, unproven_units = $43,
            returned_units = $44
        WHERE id = $1 AND revision = $2";
    /// Whether an account, a browser or an address has completed a claim.
    HAS_COMPLETED = "SELECT COUNT(*) FROM claim WHERE state = 'completed' AND (customer_id = $1 OR guest_digest = $2 OR email = $3)";
    HAS_COMPLETED_HERE = "SELECT COUNT(*) FROM claim WHERE guest_digest = $1 AND state = 'completed' AND email = $2";
    /// Claims whose state ends by itself about now.
    OVERDUE_CLAIMS = "SELECT id FROM claim WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2";
    /// Claims that have not ended, with numbers after one.
    OPEN_CLAIMS = whole!("desk <> 'closed' AND public_id > $1 ORDER BY public_id LIMIT $2");
    INSERT_PAYMENT = "INSERT INTO claim_payment (currency_id, tx_key, tx_id, claim_id, created_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (currency_id, tx_key) DO NOTHING";
    PAYMENT_OWNER = "SELECT claim_id FROM claim_payment WHERE currency_id = $1 AND tx_key = $2";
    /// Claims that have ended with money of theirs left in the books, as (claim, account, units).
    UNSETTLED_CLAIMS = "SELECT claim.public_id, entry.account, entry.units
        FROM (SELECT about, account, CAST(SUM(amount) AS BIGINT) AS units FROM ledger_entry
            WHERE account LIKE 'hold:%' OR account LIKE 'claim_in:%' OR account LIKE 'claim_out:%'
            GROUP BY about, account HAVING SUM(amount) <> 0) entry
        JOIN claim ON claim.id = entry.about
        WHERE claim.state IN ('completed', 'refunded', 'cancelled', 'expired', 'rejected')";
}

/// Where the writer remembers the number it gave last.
const LAST_NUMBER: Place = ("claim.number", 0);

/// How many unpaid claims one party may have; 0 is no limit.
#[derive(Clone, Copy, Debug)]
pub struct UnpaidMax {
    /// Of one e-mail address.
    pub per_email: i64,
    /// From one network address.
    pub per_address: i64,
}

impl UnpaidMax {
    const NONE: Self = Self { per_email: 0, per_address: 0 };
}

/// Where others write beside us, a party's claims are counted by one at a time, and by a statement of its own: what the insert refuses would stand
/// in the database's log as an error.
async fn refuse_too_many(tx: &mut Tx, claim: &Claim, unpaid_max: UnpaidMax) -> Result<()> {
    if unpaid_max.per_email > 0 {
        tx.lock("claim.email", &claim.email).await?;
    }
    if unpaid_max.per_address > 0 {
        tx.lock("claim.address", &claim.address_digest).await?;
    }
    let UnpaidMax { per_email, per_address } = unpaid_max;
    let has_too_many = fetch_one!(tx, (bool,), HAS_TOO_MANY, &claim.email, per_email, &claim.address_digest, per_address)?.0;
    if has_too_many { Err(Error::conflict("too_many_open_claims")) } else { Ok(()) }
}

/// Stores a new claim and gives its number.
///
/// # Errors
/// 409 `too_many_open_claims` when its party has as many unpaid ones as it may.
pub async fn insert(tx: &mut Tx, claim: &Claim, mut unpaid_max: UnpaidMax) -> Result<i64> {
    if !tx.writes_alone() {
        refuse_too_many(tx, claim, unpaid_max).await?;
        unpaid_max = UnpaidMax::NONE;
    }
    let number = match tx.recall(LAST_NUMBER) {
        Some((last, _)) => last + 1,
        None => fetch_one!(tx, (i64,), NEXT_CLAIM_NUMBER)?.0,
    };
    let terms_id = terms_id(tx, claim).await?;
    let written = write_one!(
        tx,
        INSERT_CLAIM,
        number,
        claim.id,
        claim.state,
        Desk::of(claim.state),
        &claim.email,
        &claim.locale,
        &claim.guest_digest,
        &claim.address_digest,
        claim.referral.as_deref(),
        claim.from_id,
        claim.to_id,
        &claim.from_code,
        &claim.to_code,
        claim.send_units,
        claim.send_scale,
        claim.receive_units,
        claim.receive_scale,
        claim.worth_units,
        &claim.course,
        &claim.bonus,
        terms_id,
        claim.terms_at,
        claim.hold_minutes,
        claim.floating,
        claim.terms_version.as_deref(),
        claim.aml_consent,
        &claim.from_requisites,
        &claim.to_requisites,
        claim.from_digest.as_deref(),
        claim.to_digest.as_deref(),
        claim.hold_id,
        claim.expires_at,
        claim.due_at,
        unpaid_max.per_email,
        unpaid_max.per_address,
        claim.customer_id,
        claim.promo.as_deref(),
        claim.unproven_units,
    );
    written.map_err(|refused| match refused.constraint() {
        Some(Constraint::Missing) => Error::conflict("too_many_open_claims"),
        _ => refused,
    })?;
    tx.remember(LAST_NUMBER, (number, String::new()));
    Ok(number)
}

/// Where a claim's terms are kept.
async fn terms_id(tx: &mut Tx, claim: &Claim) -> Result<i64> {
    match claim.terms_id {
        Some(id) => Ok(id),
        None => terms::id_of(tx, &claim.terms).await,
    }
}

/// A claim by its identifier.
///
/// # Errors
/// 404 `claim_not_found`.
pub async fn claim(tx: &mut Tx, id: Uuid) -> Result<Claim> {
    fetch_optional!(tx, Claim, CLAIM, id)?.ok_or_else(|| Error::not_found("claim_not_found"))
}

/// A claim by its identifier; nobody else changes it until the transaction ends. Whatever decides on a claim and writes reads it so, before
/// anything else.
///
/// # Errors
/// 404 `claim_not_found`.
pub async fn locked(tx: &mut Tx, id: Uuid) -> Result<Claim> {
    // Read after the lock: what a statement waited for it would not see whole.
    fetch_locked!(tx, (Uuid,), "claim", LOCK_CLAIM, id)?;
    claim(tx, id).await
}

/// A claim that was read outside the transaction, locked as it was then.
///
/// # Errors
/// 409 `claim_changed` when it was changed since.
pub async fn locked_at(tx: &mut Tx, id: Uuid, revision: i64) -> Result<Claim> {
    let claim = locked(tx, id).await?;
    if claim.revision == revision { Ok(claim) } else { Err(Error::conflict("claim_changed")) }
}

/// The claims made in an account, and those made with an e-mail address, in lower case, where one is given; the newest first, from
/// a place on, and how many there are in all.
pub async fn of_customer(tx: &mut Tx, id: Uuid, email: Option<&str>, from: i64, size: i64) -> Result<(Vec<Claim>, i64)> {
    let email = email.unwrap_or_default();
    let claims = fetch_all!(tx, Claim, CLAIMS_OF_CUSTOMER, id, email, size, from)?;
    Ok((claims, fetch_one!(tx, (i64,), COUNT_CLAIMS_OF_CUSTOMER, id, email)?.0))
}

/// The claims made with an e-mail address, in lower case, that are open or changed since a moment, the newest first.
pub async fn recent_of_email(tx: &mut Tx, email: &str, since: Timestamp, size: i64) -> Result<Vec<Claim>> {
    fetch_all!(tx, Claim, RECENT_CLAIMS_OF_EMAIL, email, since, size)
}

/// Whether an account, a browser, or the owner of an e-mail address in lower case has completed a claim.
pub async fn has_completed(tx: &mut Tx, customer: Option<Uuid>, browser: &str, email: Option<&str>) -> Result<bool> {
    Ok(fetch_one!(tx, (i64,), HAS_COMPLETED, customer, browser, email)?.0 > 0)
}

/// Whether a claim was completed in a browser with this e-mail address, in lower case.
pub async fn has_completed_here(tx: &mut Tx, browser: &str, email: &str) -> Result<bool> {
    Ok(fetch_one!(tx, (i64,), HAS_COMPLETED_HERE, browser, email)?.0 > 0)
}

/// Stores a changed claim and counts its revision up.
///
/// # Errors
/// 409 `claim_changed` when it was changed since it was read.
pub async fn update(tx: &mut Tx, claim: &mut Claim) -> Result<()> {
    let terms_id = terms_id(tx, claim).await?;
    claim.terms_id = Some(terms_id);
    let stored = execute!(
        tx,
        UPDATE_CLAIM,
        claim.id,
        claim.revision,
        claim.state,
        claim.stopped_in,
        Desk::of(claim.state),
        claim.send_units,
        claim.receive_units,
        claim.worth_units,
        &claim.course,
        &claim.bonus,
        terms_id,
        claim.terms_at,
        claim.hold_minutes,
        claim.terms_version.as_deref(),
        claim.aml_consent,
        claim.refund_requisites.as_deref(),
        claim.hold_id,
        claim.in_units,
        claim.out_units,
        claim.refund_units,
        claim.received_units,
        claim.paid_out_units,
        claim.requisite_id,
        claim.requisite_day,
        claim.payment_value.as_deref(),
        claim.payment_holder.as_deref(),
        claim.payment_memo.as_deref(),
        claim.expires_at,
        claim.due_at,
        claim.answer_by,
        claim.reason.as_deref(),
        claim.tx_in.as_deref(),
        claim.tx_out.as_deref(),
        claim.tx_refund.as_deref(),
        claim.offer.as_deref(),
        claim.holder_id,
        claim.holder_name.as_deref(),
        claim.updated_at,
        claim.verification_id,
        claim.promo.as_deref(),
        claim.paid_at,
        claim.warn_at,
        claim.counted_unproven(),
        claim.returned_units,
    )?;
    if stored == 0 {
        return Err(Error::conflict("claim_changed"));
    }
    claim.revision += 1;
    let change = claim.counted_unproven() - claim.unproven_units;
    if change != 0 {
        claim.unproven_units = claim.counted_unproven();
        execute!(tx, CHANGE_SHARE, claim.to_id, change)?;
    }
    Ok(())
}

/// Counts a new claim against the share of its reserve that those who have proven nothing may hold together. Asked after its hold was booked.
///
/// # Errors
/// 409 `reserve_share_full` with how much they could still receive.
pub async fn take_share(tx: &mut Tx, claim: &Claim, percent: i64) -> Result<()> {
    let (reserve, hold) = (Account::Reserve.name(claim.to_id), Account::Hold.name(claim.to_id));
    match write_one!(tx, TAKE_SHARE, claim.to_id, claim.public_id, percent, &reserve, &hold) {
        Err(full) if full.constraint() == Some(Constraint::Condition) => {
            let (left,) = fetch_one!(tx, (i64,), SHARE_LEFT, claim.to_id, percent, &reserve, &hold)?;
            let max = claim.received(left.max(0));
            Err(Error::conflict("reserve_share_full").with("max", max).with("currency", &claim.to_code))
        }
        taken => taken,
    }
}

/// Claims whose state has ended by itself, the oldest first.
pub async fn overdue(tx: &mut Tx, now: Timestamp, size: i64) -> Result<Vec<Uuid>> {
    Ok(fetch_all!(tx, (Uuid,), OVERDUE_CLAIMS, now, size)?.into_iter().map(|(id,)| id).collect())
}

/// Claims that have not ended, with numbers after one, in their order.
pub async fn open(tx: &mut Tx, after: i64, size: i64) -> Result<Vec<Claim>> {
    fetch_all!(tx, Claim, OPEN_CLAIMS, after, size)
}

/// Claims whose customers are to be told by now that nobody sees their payment, the oldest first.
pub async fn to_warn(tx: &mut Tx, now: Timestamp, size: i64) -> Result<Vec<Uuid>> {
    Ok(fetch_all!(tx, (Uuid,), CLAIMS_TO_WARN, now, size)?.into_iter().map(|(id,)| id).collect())
}

/// Books a payment's identifier for a claim, under the key by which its network compares it.
///
/// # Errors
/// 422 when it pays another claim already.
pub async fn insert_payment(tx: &mut Tx, claim: &Claim, key: &str, tx_id: &str, now: Timestamp) -> Result<()> {
    if execute!(tx, INSERT_PAYMENT, claim.from_id, key, tx_id, claim.id, now)? == 1 {
        return Ok(());
    }
    match fetch_optional!(tx, (Uuid,), PAYMENT_OWNER, claim.from_id, key)? {
        Some((owner,)) if owner == claim.id => Ok(()),
        _ => Err(Error::unprocessable("validation_failed").at("txId", "payment_of_another_claim")),
    }
}

/// The claim a payment is booked for.
pub async fn payment_owner(tx: &mut Tx, currency: i64, key: &str) -> Result<Option<Uuid>> {
    Ok(fetch_optional!(tx, (Uuid,), PAYMENT_OWNER, currency, key)?.map(|(owner,)| owner))
}

/// Claims that have ended with money left in the books: number, account and units of each.
pub async fn unsettled(tx: &mut Tx) -> Result<Vec<(i64, String, i64)>> {
    fetch_all!(tx, (i64, String, i64), UNSETTLED_CLAIMS)
}

//! Claims made through partners.

use agio_core::error::Constraint;
use agio_core::needs::{Turnover, WantedClaims};
use agio_core::{Amount, Error, Result, Timestamp, Tx, fetch_all, fetch_one, fetch_optional, write_one};
use uuid::Uuid;

use crate::rules::Claim;

agio_core::statements! {
    PLACE_WITH_PARTNER = "UPDATE claim SET partner_id = $2, partner_ref = $3, partner_callback = $4 WHERE id = $1";
    CLAIM_OF_PARTNER = whole!("id = $1 AND partner_id = $2");
    CLAIM_BY_PARTNER_REF = "SELECT id FROM claim WHERE partner_id = $1 AND partner_ref = $2";
    CLAIMS_OF_PARTNER = whole!("partner_id = $1 AND (partner_ref = $2 OR $2 IS NULL) AND updated_at >= $3
        ORDER BY public_id DESC LIMIT $4 OFFSET $5");
    COUNT_CLAIMS_OF_PARTNER = "SELECT COUNT(*) FROM claim
        WHERE partner_id = $1 AND (partner_ref = $2 OR $2 IS NULL) AND updated_at >= $3";
    TURNOVER_OF_PARTNER = "SELECT from_code, to_code, send_scale, receive_scale, COUNT(*) AS claims,
            CAST(SUM(CASE WHEN state = 'completed' THEN 1 ELSE 0 END) AS BIGINT) AS completed,
            CAST(SUM(CASE WHEN desk <> 'closed' THEN 1 ELSE 0 END) AS BIGINT) AS open_claims,
            CAST(SUM(CASE WHEN state = 'completed' THEN send_units ELSE 0 END) AS BIGINT) AS sent,
            CAST(SUM(CASE WHEN state = 'completed' THEN receive_units ELSE 0 END) AS BIGINT) AS received,
            CAST(SUM(CASE WHEN state = 'completed' THEN worth_units - receive_units ELSE 0 END) AS BIGINT) AS earned
        FROM claim WHERE partner_id = $1 GROUP BY from_code, to_code, send_scale, receive_scale ORDER BY from_code, to_code";
}

#[derive(sqlx::FromRow)]
struct TurnoverRow {
    from_code: String,
    to_code: String,
    send_scale: i64,
    receive_scale: i64,
    claims: i64,
    completed: i64,
    open_claims: i64,
    sent: i64,
    received: i64,
    earned: i64,
}

/// Says through which partner a new claim was made.
///
/// # Errors
/// 409 `reference_taken` when another claim of the partner has the name.
pub async fn place(tx: &mut Tx, claim: &Claim) -> Result<()> {
    if let Some(reference) = &claim.partner_ref
        && fetch_optional!(tx, (Uuid,), CLAIM_BY_PARTNER_REF, claim.partner_id, reference)?.is_some()
    {
        return Err(Error::conflict("reference_taken"));
    }
    let placed = write_one!(
        tx,
        PLACE_WITH_PARTNER,
        claim.id,
        claim.partner_id,
        claim.partner_ref.as_deref(),
        claim.partner_callback.as_deref(),
    );
    placed.map_err(|refused| match refused.constraint() {
        Some(Constraint::Unique) => Error::conflict("reference_taken"),
        _ => refused,
    })
}

/// A claim of a partner.
///
/// # Errors
/// 404 `claim_not_found`.
pub async fn one(tx: &mut Tx, partner: Uuid, id: Uuid) -> Result<Claim> {
    fetch_optional!(tx, Claim, CLAIM_OF_PARTNER, id, partner)?.ok_or_else(|| Error::not_found("claim_not_found"))
}

/// Claims of a partner, the newest first, and how many there are in all.
pub async fn list(tx: &mut Tx, partner: Uuid, wanted: &WantedClaims) -> Result<(Vec<Claim>, i64)> {
    let (reference, since) = (wanted.reference.as_deref(), wanted.updated_since.unwrap_or(Timestamp(0)));
    let claims = fetch_all!(tx, Claim, CLAIMS_OF_PARTNER, partner, reference, since, wanted.size, wanted.from)?;
    Ok((claims, fetch_one!(tx, (i64,), COUNT_CLAIMS_OF_PARTNER, partner, reference, since)?.0))
}

/// What was exchanged through a partner.
pub async fn turnover(tx: &mut Tx, partner: Uuid) -> Result<Vec<Turnover>> {
    let rows = fetch_all!(tx, TurnoverRow, TURNOVER_OF_PARTNER, partner)?;
    let scale = |stored: i64| u32::try_from(stored).map_err(Error::internal);
    let told = rows.into_iter().map(|row| {
        let (send, receive) = (scale(row.send_scale)?, scale(row.receive_scale)?);
        Ok(Turnover {
            from: row.from_code,
            to: row.to_code,
            claims: row.claims,
            completed: row.completed,
            open: row.open_claims,
            sent: Amount::of_units(row.sent, send),
            received: Amount::of_units(row.received, receive),
            earned: Amount::of_units(row.earned, receive),
        })
    });
    told.collect()
}

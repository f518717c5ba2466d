//! Claims of partners.

use agio_contracts::{DirectionTurnover, PartnerClaimQuery};
use agio_core::error::Constraint;
use agio_core::{Amount, CurrencyUnit, Error, Result, Timestamp, Tx, fetch_all, fetch_one, fetch_optional, write_one};
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
    TURNOVER_OF_PARTNER = "SELECT give_id, receive_id, give_code, receive_code, give_scale, receive_scale, COUNT(*) AS claims,
            CAST(SUM(CASE WHEN state = 'completed' THEN 1 ELSE 0 END) AS BIGINT) AS completed,
            CAST(SUM(CASE WHEN queue <> 'closed' THEN 1 ELSE 0 END) AS BIGINT) AS open_claims,
            CAST(SUM(CASE WHEN state = 'completed' THEN give_units ELSE 0 END) AS BIGINT) AS sent,
            CAST(SUM(CASE WHEN state = 'completed' THEN receive_units ELSE 0 END) AS BIGINT) AS received,
            CAST(SUM(CASE WHEN state = 'completed' THEN market_units - receive_units ELSE 0 END) AS BIGINT) AS earned
        FROM claim WHERE partner_id = $1
        GROUP BY give_id, receive_id, give_code, receive_code, give_scale, receive_scale ORDER BY give_code, receive_code";
}

#[derive(sqlx::FromRow)]
struct TurnoverRow {
    give_id: i64,
    receive_id: i64,
    give_code: String,
    receive_code: String,
    give_scale: i64,
    receive_scale: i64,
    claims: i64,
    completed: i64,
    open_claims: i64,
    sent: i64,
    received: i64,
    earned: i64,
}

/// Sets the partner of a new claim.
///
/// # Errors
/// 409 `reference_taken` when another claim of the partner has the name.
pub async fn place(tx: &mut Tx, claim: &Claim) -> Result<()> {
    if let Some(reference) = &claim.references.partner_ref
        && fetch_optional!(tx, (Uuid,), CLAIM_BY_PARTNER_REF, claim.references.partner_id, reference)?.is_some()
    {
        return Err(Error::conflict("reference_taken"));
    }
    let placed = write_one!(
        tx,
        PLACE_WITH_PARTNER,
        claim.id,
        claim.references.partner_id,
        claim.references.partner_ref.as_deref(),
        claim.references.partner_callback.as_deref(),
    );
    placed.map_err(|refused| match refused.constraint() {
        Some(Constraint::Unique) => Error::conflict("reference_taken"),
        _ => refused,
    })
}

/// # Errors
/// 404 `claim_not_found`.
pub async fn one(tx: &mut Tx, partner: Uuid, id: Uuid) -> Result<Claim> {
    fetch_optional!(tx, Claim, CLAIM_OF_PARTNER, id, partner)?.ok_or_else(|| Error::not_found("claim_not_found"))
}

/// Claims of a partner, the newest first, and how many there are in all.
pub async fn list(tx: &mut Tx, partner: Uuid, wanted: &PartnerClaimQuery) -> Result<(Vec<Claim>, i64)> {
    let (reference, since) = (wanted.reference.as_deref(), wanted.updated_since.unwrap_or(Timestamp(0)));
    let claims = fetch_all!(tx, Claim, CLAIMS_OF_PARTNER, partner, reference, since, wanted.size, wanted.from)?;
    Ok((claims, fetch_one!(tx, (i64,), COUNT_CLAIMS_OF_PARTNER, partner, reference, since)?.0))
}

pub async fn turnover(tx: &mut Tx, partner: Uuid) -> Result<Vec<DirectionTurnover>> {
    let rows = fetch_all!(tx, TurnoverRow, TURNOVER_OF_PARTNER, partner)?;
    let views = rows.into_iter().map(|row| {
        let (give, receive) =
            (CurrencyUnit::new(row.give_id, row.give_scale), CurrencyUnit::new(row.receive_id, row.receive_scale));
        DirectionTurnover {
            from: row.give_code,
            to: row.receive_code,
            claims: row.claims,
            completed: row.completed,
            open: row.open_claims,
            given: Amount::of_units(row.sent, give),
            received: Amount::of_units(row.received, receive),
            earned: Amount::of_units(row.earned, receive),
        }
    });
    Ok(views.collect())
}

//! The terms of directions that customers have accepted. Claims with the same terms share one text.

use agio_contracts::CustomerTerms;
use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_optional};
use uuid::Uuid;

agio_core::statements! {
    INSERT_CUSTOMER_TERMS = "INSERT INTO customer_terms (id, terms) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING";
    INSERT_ACCEPTANCE = "INSERT INTO claim_accepted_terms (claim_id, terms_id, accepted_at) VALUES ($1, $2, $3)";
    ACCEPTED_TERMS = "SELECT customer_terms.terms, accepted_at FROM claim_accepted_terms
        JOIN customer_terms ON customer_terms.id = terms_id WHERE claim_id = $1";
}

/// Stores that a claim's customer accepted these terms.
pub async fn insert(tx: &mut Tx, claim: Uuid, terms: &CustomerTerms, at: Timestamp) -> Result<()> {
    let text = serde_json::to_string(terms).map_err(Error::internal)?;
    execute!(tx, INSERT_CUSTOMER_TERMS, &terms.id, &text)?;
    execute!(tx, INSERT_ACCEPTANCE, claim, &terms.id, at).map(drop)
}

/// The terms a claim's customer accepted, and when.
pub async fn of_claim(tx: &mut Tx, claim: Uuid) -> Result<Option<(CustomerTerms, Timestamp)>> {
    let Some((text, at)) = fetch_optional!(tx, (String, Timestamp), ACCEPTED_TERMS, claim)? else { return Ok(None) };
    Ok(Some((serde_json::from_str(&text).map_err(Error::internal)?, at)))
}

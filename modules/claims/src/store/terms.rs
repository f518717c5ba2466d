//! The terms of claims. Claims with the same terms share one row.

use agio_core::{Result, Tx, fetch_one, fetch_optional};

agio_core::statements! {
    TERMS_ID = "SELECT terms_id FROM claim_terms WHERE terms = $1 ORDER BY terms_id LIMIT 1";
    INSERT_TERMS = "INSERT INTO claim_terms (terms) VALUES ($1) RETURNING terms_id";
}

/// The id of these terms, which are stored if they are new.
pub async fn id_of(tx: &mut Tx, terms: &str) -> Result<i64> {
    match fetch_optional!(tx, (i64,), TERMS_ID, terms)? {
        Some((id,)) => Ok(id),
        None => Ok(fetch_one!(tx, (i64,), INSERT_TERMS, terms)?.0),
    }
}

//! Partners by customer account.

use agio_core::{Result, Tx, fetch_one, fetch_optional};
use uuid::Uuid;

use super::PartnerRow;

agio_core::statements! {
    PARTNER_OF_CUSTOMER = "SELECT * FROM partner WHERE customer_id = $1";
    COUNT_REQUESTED = "SELECT COUNT(*) FROM partner WHERE status = 'requested'";
}

pub async fn of_customer(tx: &mut Tx, customer: Uuid) -> Result<Option<PartnerRow>> {
    fetch_optional!(tx, PartnerRow, PARTNER_OF_CUSTOMER, customer)
}

pub async fn requested(tx: &mut Tx) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), COUNT_REQUESTED)?.0)
}

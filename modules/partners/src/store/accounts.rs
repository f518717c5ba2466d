//! Partners by customer account.

use agio_core::{Result, Tx, execute, fetch_one, fetch_optional};
use uuid::Uuid;

use super::PartnerRow;

agio_core::statements! {
    PARTNER_OF_CUSTOMER = "SELECT * FROM partner WHERE customer_id = $1";
    SET_CUSTOMER_EMAIL_OF_PARTNER = "UPDATE partner SET customer_email = $2 WHERE customer_id = $1";
    /// What was agreed with the partner stays; its account is gone.
    ERASE_CUSTOMER_OF_PARTNER = "UPDATE partner SET customer_id = NULL, customer_email = NULL, email = $2 WHERE customer_id = $1";
    COUNT_SUSPENDED = "SELECT COUNT(*) FROM partner WHERE email = $1 AND NOT enabled";
    COUNT_REQUESTED = "SELECT COUNT(*) FROM partner WHERE status = 'requested'";
}

pub async fn of_customer(tx: &mut Tx, customer: Uuid) -> Result<Option<PartnerRow>> {
    fetch_optional!(tx, PartnerRow, PARTNER_OF_CUSTOMER, customer)
}

pub async fn requested(tx: &mut Tx) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), COUNT_REQUESTED)?.0)
}

pub async fn set_customer_email(tx: &mut Tx, customer: Uuid, email: &str) -> Result<()> {
    execute!(tx, SET_CUSTOMER_EMAIL_OF_PARTNER, customer, email).map(drop)
}

/// `address` replaces that of the partner, whose account is deleted.
pub async fn erase_customer(tx: &mut Tx, customer: Uuid, address: &str) -> Result<()> {
    execute!(tx, ERASE_CUSTOMER_OF_PARTNER, customer, address).map(drop)
}

/// Whether a suspended partner has one of these addresses.
pub async fn is_suspended(tx: &mut Tx, addresses: &[String]) -> Result<bool> {
    for address in addresses {
        if fetch_one!(tx, (i64,), COUNT_SUSPENDED, address)?.0 > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

//! Invoices that drivers are asked for.

use agio_core::{Result, Timestamp, Tx, execute, fetch_all};
use uuid::Uuid;

agio_core::statements! {
    INSERT_INVOICE = "INSERT INTO payment_invoice (claim_id, currency_id, driver, driver_calls, next_call_at) VALUES ($1, $2, $3, 0, $4)";
    DUE_INVOICES = "SELECT claim_id, currency_id, driver, driver_calls FROM payment_invoice
        WHERE next_call_at <= $1 ORDER BY next_call_at LIMIT $2";
    CALL_LATER = "UPDATE payment_invoice SET driver_calls = driver_calls + 1, next_call_at = $2 WHERE claim_id = $1";
    DELETE_INVOICE = "DELETE FROM payment_invoice WHERE claim_id = $1";
    INSERT_INVOICE_ADDRESS = "INSERT INTO payment_address (currency_id, driver, request_key, address, memo, claim_id, assigned_at, created_at)
        VALUES ($1, $2, $3, $4, '', $5, $6, $6) ON CONFLICT DO NOTHING";
}

/// An invoice that a driver is asked for.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct PendingInvoice {
    pub claim_id: Uuid,
    pub currency_id: i64,
    pub driver: String,
    /// How often the driver was asked in vain.
    pub driver_calls: i64,
}

impl PendingInvoice {
    /// The idempotency key.
    pub fn key(&self) -> String {
        format!("i-{}", self.claim_id)
    }
}

pub async fn insert(tx: &mut Tx, claim: Uuid, currency: i64, driver: &str, now: Timestamp) -> Result<()> {
    execute!(tx, INSERT_INVOICE, claim, currency, driver, now).map(drop)
}

pub async fn due(tx: &mut Tx, now: Timestamp, size: i64) -> Result<Vec<PendingInvoice>> {
    fetch_all!(tx, PendingInvoice, DUE_INVOICES, now, size)
}

pub async fn call_later(tx: &mut Tx, claim: Uuid, at: Timestamp) -> Result<()> {
    execute!(tx, CALL_LATER, claim, at).map(drop)
}

/// False when another node has deleted it.
pub async fn delete(tx: &mut Tx, claim: Uuid) -> Result<bool> {
    Ok(execute!(tx, DELETE_INVOICE, claim)? == 1)
}

/// Assigns the invoice to its claim; false when another claim has one of this name.
pub async fn assign(tx: &mut Tx, invoice: &PendingInvoice, address: &str, now: Timestamp) -> Result<bool> {
    let PendingInvoice { claim_id, currency_id, driver, .. } = invoice;
    Ok(execute!(tx, INSERT_INVOICE_ADDRESS, currency_id, driver, invoice.key(), address, claim_id, now)? == 1)
}

//! What this module keeps about a customer.

use agio_contracts::{CustomerAccount, CustomerRecords, ExportedRecords};
use agio_core::{BoxFuture, Error, Result, Tx};
use serde_json::json;
use uuid::Uuid;

use super::Partners;
use crate::model::PartnerAccessStatus;
use crate::store::accounts;

impl CustomerRecords for Partners {
    fn export<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount) -> BoxFuture<'a, Result<Vec<ExportedRecords>>> {
        Box::pin(async move {
            let Some(row) = accounts::of_customer(tx, account.id).await? else { return Ok(Vec::new()) };
            let partner = json!({
                "name": row.name,
                "email": row.email,
                "site": row.site,
                "callbackUrl": row.callback_url,
                "status": row.status,
                "enabled": row.enabled,
                "createdAt": row.created_at,
            });
            Ok(vec![("partner", partner)])
        })
    }

    fn change_email<'a>(&'a self, tx: &'a mut Tx, account: Uuid, _from: &'a str, to: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(accounts::set_customer_email(tx, account, to))
    }

    fn erase<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount, placeholder: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let own = accounts::of_customer(tx, account.id).await?;
            // Its keys work and its commission is owed.
            if own.is_some_and(|row| row.enabled && row.status != PartnerAccessStatus::Declined) {
                return Err(Error::conflict("partner_access_open"));
            }
            accounts::erase_customer(tx, account.id, placeholder).await
        })
    }
}

//! What this module keeps about a customer.

use agio_contracts::{ClaimEmails, CustomerAccount, CustomerRecords, ExportedRecords};
use agio_core::money::plain;
use agio_core::{BoxFuture, Result, Tx};
use serde_json::{Value, json};
use uuid::Uuid;

use super::Discounts;
use crate::model::volume;
use crate::store::{promo_codes, volumes};

impl CustomerRecords for Discounts {
    fn export<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount) -> BoxFuture<'a, Result<Vec<ExportedRecords>>> {
        Box::pin(async move {
            let email = account.email.as_deref();
            let volumes = volumes::list_of(tx, account.id, email).await?;
            let volumes: Vec<Value> = volumes
                .into_iter()
                .map(|(ticker, units, exchanges)| json!({ "ticker": ticker, "volume": plain(volume(units)), "exchanges": exchanges }))
                .collect();
            let codes = promo_codes::redemptions_of(tx, account.id, email).await?;
            let codes: Vec<Value> = codes
                .into_iter()
                .map(|used| {
                    json!({
                        "code": used.code,
                        "claim": used.claim_number,
                        "usedAt": used.redeemed_at,
                        "returnedAt": used.released_at,
                    })
                })
                .collect();
            Ok(vec![("exchangedVolume", volumes.into()), ("promoCodes", codes.into())])
        })
    }

    fn change_email<'a>(&'a self, tx: &'a mut Tx, account: Uuid, from: &'a str, to: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            volumes::adopt(tx, account, from).await?;
            volumes::set_email(tx, account, to).await
        })
    }

    fn erase<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount, placeholder: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            if let Some(email) = &account.email {
                volumes::adopt(tx, account.id, email).await?;
            }
            volumes::set_email(tx, account.id, placeholder).await?;
            promo_codes::erase_email(tx, account.id, account.email.as_deref(), placeholder).await
        })
    }
}

impl ClaimEmails for Discounts {
    fn mask<'a>(&'a self, tx: &'a mut Tx, claim: Uuid, masked: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(promo_codes::mask_email(tx, claim, masked))
    }
}

//! What this module keeps about a customer.

use agio_contracts::{CustomerAccount, CustomerRecords, ExportedRecords};
use agio_core::money::plain;
use agio_core::{BoxFuture, Error, Result, Timestamp, Tx};
use agio_requisites::mask;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{ClaimViewer, Claims};
use crate::rules::Claim;
use crate::rules::claim::Requisite;
use crate::store::{accepted_terms, claims, history, receipts, saved_requisites};

/// Claims that are read at a time.
const CLAIMS_READ: i64 = 500;

impl CustomerRecords for Claims {
    fn export<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount) -> BoxFuture<'a, Result<Vec<ExportedRecords>>> {
        Box::pin(async move {
            let mut exported = Vec::new();
            loop {
                let from = exported.len() as i64;
                let (page, _) = claims::of_customer(tx, account.id, account.email.as_deref(), from, CLAIMS_READ).await?;
                let is_last = (page.len() as i64) < CLAIMS_READ;
                for claim in page {
                    exported.push(self.exported_claim(tx, &claim, account.id).await?);
                }
                if is_last {
                    break;
                }
            }
            let saved = self.exported_saved_requisites(tx, account.id).await?;
            let notifications = self.exported_notifications(tx, None, Some(account.id)).await?;
            Ok(vec![("claims", exported.into()), ("savedRequisites", saved.into()), ("notifications", notifications.into())])
        })
    }

    fn change_email<'a>(&'a self, tx: &'a mut Tx, account: Uuid, from: &'a str, to: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(claims::change_email(tx, account, from, to))
    }

    fn take_back<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount, since: Timestamp) -> BoxFuture<'a, Result<()>> {
        Box::pin(saved_requisites::delete_since(tx, account.id, since))
    }

    fn erase<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount, placeholder: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            if let Some(open) = claims::open_of_customer(tx, account.id).await? {
                return Err(Error::conflict("claims_open").with("number", open));
            }
            for claim in claims::erase_email(tx, account.id, account.email.as_deref(), placeholder).await? {
                self.reviews.erase(tx, claim).await?;
                self.push.delete_of_claim(tx, claim).await?;
            }
            self.push.delete_of_account(tx, account.id).await?;
            saved_requisites::delete_all(tx, account.id).await
        })
    }
}

impl Claims {
    /// A claim with its history. Payment details are masked where the account did not make the claim, as on its page.
    async fn exported_claim(&self, tx: &mut Tx, claim: &Claim, customer: Uuid) -> Result<Value> {
        let vault = &self.platform.vault;
        let owns = ClaimViewer { customer: Some(customer), ..ClaimViewer::default() }.owns(claim);
        let details = |requisites: Vec<Requisite>| -> Vec<Value> {
            let value = |Requisite { kind, value, .. }: &Requisite| if owns { value.clone() } else { mask(*kind, value) };
            let shown = |requisite: Requisite| json!({ "name": requisite.name, "value": value(&requisite) });
            requisites.into_iter().map(shown).collect()
        };
        let events = history::of_claim(tx, claim.public_id).await?.into_iter().map(|event| {
            json!({
                "at": event.at,
                "by": event.actor,
                "action": event.action,
                "from": event.from_state,
                "to": event.to_state,
                "reason": event.reason,
            })
        });
        let receipts = receipts::of_claim(tx, claim.id).await?.into_iter().map(
            |receipt| json!({ "name": receipt.name, "type": receipt.media_type, "size": receipt.size, "createdAt": receipt.created_at }),
        );
        let accepted = accepted_terms::of_claim(tx, claim.id).await?.map(|(terms, at)| {
            let (title, message) = terms.get(claim.locale());
            json!({ "title": title, "text": message, "acceptedAt": at })
        });
        Ok(json!({
            "id": claim.id,
            "number": claim.public_id,
            "status": claim.state,
            "email": claim.customer.email,
            "language": claim.customer.locale,
            "timeZone": claim.customer.time_zone,
            "createdAt": claim.created_at,
            "updatedAt": claim.updated_at,
            "give": { "currency": claim.give.code, "amount": plain(claim.give.amount.value()) },
            "receive": { "currency": claim.receive.code, "amount": plain(claim.receive.amount.value()) },
            "received": plain(claim.balances.received.value()),
            "surplus": plain(claim.balances.surplus.value()),
            "refunded": plain(claim.balances.returned.value()),
            "rate": claim.terms.rate,
            "bonus": claim.terms.bonus,
            "termsVersion": claim.customer.terms_version,
            "amlConsent": claim.customer.aml_consent,
            "acceptedTerms": accepted,
            "promo": claim.references.promo,
            "referral": claim.references.referral,
            "paidFrom": details(claim.give_requisites(vault)?),
            "paidOutTo": details(claim.receive_requisites(vault)?),
            "refundedTo": details(claim.refund_requisites(vault)?.unwrap_or_default()),
            "transactions": {
                "payment": claim.references.tx_in,
                "payout": claim.references.tx_out,
                "refund": claim.references.tx_refund,
            },
            "history": events.collect::<Vec<_>>(),
            "receipts": receipts.collect::<Vec<_>>(),
            "review": self.reviews.export(tx, claim.id).await?,
            "notifications": self.exported_notifications(tx, Some(claim.id), None).await?,
        }))
    }

    /// The browsers and chats that are told of a claim, or of the account's claims. Their addresses are secrets of others.
    async fn exported_notifications(&self, tx: &mut Tx, claim: Option<Uuid>, account: Option<Uuid>) -> Result<Vec<Value>> {
        let subscribed = self.push.subscribed_at(tx, claim, account).await?;
        Ok(subscribed.into_iter().map(|(messenger, since)| json!({ "messenger": messenger, "since": since })).collect())
    }

    async fn exported_saved_requisites(&self, tx: &mut Tx, customer: Uuid) -> Result<Vec<Value>> {
        let rows = saved_requisites::of_customer(tx, customer, None).await?;
        let shown = rows.iter().map(|row| {
            let saved = self.open_saved(row)?;
            let details: Vec<_> = saved.requisites.iter().map(|one| json!({ "name": one.name, "value": one.value })).collect();
            Ok(json!({ "currency": saved.currency.code, "details": details, "createdAt": saved.created_at }))
        });
        shown.collect()
    }
}

//! Requisites saved in customers' accounts.
//!
//! The values are encrypted. Lists show them masked; their owner can open one set at a time.

use std::fmt::Display;
use std::sync::Arc;

use agio_contracts::CurrencyInfo;
use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::{Actor, Customer};
use agio_core::{Error, Result, Timestamp, Tx};
use agio_requisites::mask;
use serde_json::{Value, json};
use uuid::Uuid;

use super::Claims;
use crate::rules::Claim;
use crate::rules::claim::{Requisite, requisites_json};
use crate::rules::fields::{RequisiteValues, checked_partial};
use crate::store::saved_requisites::{self, SavedRequisitesRow};

const KEPT_MAX: i64 = 50;

/// What the digest of requisites is for.
const DIGEST: &str = "kept requisites";

#[derive(Clone, Debug)]
pub struct SavedRequisites {
    pub id: Uuid,
    pub currency: Arc<CurrencyInfo>,
    /// The values, masked in a list.
    pub requisites: Vec<Requisite>,
    pub created_at: Timestamp,
}

impl Claims {
    /// A customer's saved requisites, of one currency or of all, masked, the newest first.
    pub async fn saved_requisites(&self, customer: &Customer, currency: Option<i64>) -> Result<Vec<SavedRequisites>> {
        let rows = saved_requisites::of_customer(&mut self.platform.db.read().await?, customer.id, currency).await?;
        rows.iter().map(|row| self.shown(row, &row.masked)).collect()
    }

    /// One set of saved requisites, with full values.
    ///
    /// # Errors
    /// 404 `saved_requisites_not_found`.
    pub async fn get_saved_requisites(&self, customer: &Customer, id: Uuid) -> Result<SavedRequisites> {
        let found = saved_requisites::one(&mut self.platform.db.read().await?, customer.id, id).await?;
        self.open_saved(&found.ok_or_else(not_found)?)
    }

    /// With full values.
    pub(super) fn open_saved(&self, row: &SavedRequisitesRow) -> Result<SavedRequisites> {
        self.shown(row, &self.platform.vault.open_text(&purpose(row.id), &row.sealed)?)
    }

    /// Saves requisites of a currency. The same ones are saved once.
    ///
    /// # Errors
    /// 409 `not_activated`; 422 for the currency or the fields; 409 `saved_requisites_full`.
    pub async fn save_requisites(
        self: &Arc<Self>,
        customer: Customer,
        currency: i64,
        given: &RequisiteValues,
    ) -> Result<SavedRequisites> {
        if !customer.activated {
            return Err(Error::conflict("not_activated"));
        }
        let unknown = || Error::unprocessable("validation_failed").at("currencyId", "currency_unknown");
        let facts = self.quotes.by_id(currency).ok_or_else(unknown)?;
        self.refuse_archived(currency)?;
        let requisites = checked_partial("values", &facts.inputs, given).map_err(Error::invalid)?;
        if requisites.is_empty() {
            return Err(Error::unprocessable("validation_failed").at("values", "required"));
        }
        let row = self.sealed(currency, &requisites)?;
        let (this, row) = (self.clone(), Arc::new(row));
        self.platform
            .db
            .write(move |tx| {
                let (this, row, customer) = (this.clone(), row.clone(), customer.clone());
                Box::pin(async move {
                    Self::lock_saved_requisites(tx, customer.id).await?;
                    if this.keep(tx, customer.id, &row, &Actor::from(&customer)).await? {
                        return this.shown(&row, &row.masked);
                    }
                    let kept = saved_requisites::of_customer(tx, customer.id, Some(row.currency_id)).await?;
                    let same = kept.iter().find(|other| other.digest == row.digest);
                    let full = || Error::conflict("saved_requisites_full").with("max", KEPT_MAX);
                    same.ok_or_else(full).and_then(|same| this.shown(same, &same.masked))
                })
            })
            .await
    }
    /// # Errors
    /// 404 `saved_requisites_not_found`.
    pub async fn delete_saved_requisites(self: &Arc<Self>, customer: Customer, id: Uuid) -> Result<()> {
        let now = self.platform.clock.now();
        self.platform
            .db
            .write(move |tx| {
                let customer = customer.clone();
                Box::pin(async move {
                    let masked = saved_requisites::delete(tx, customer.id, id).await?.ok_or_else(not_found)?;
                    let before = Some(json!({ "requisites": values_of(&masked) }));
                    record_customer_audit(
                        tx,
                        &Actor::from(&customer),
                        "customer.requisites_forgotten",
                        customer.id,
                        (before, None),
                        now,
                    )
                    .await
                })
            })
            .await
    }

    /// Saves the requisites of both sides of a claim in its account, in the caller's transaction. Requisites beyond the
    /// limit are skipped.
    pub(super) async fn save_claim_requisites(&self, tx: &mut Tx, claim: &Claim, by: &Actor) -> Result<()> {
        let Some(customer) = claim.customer.account_id else {
            return Ok(());
        };
        for (currency, requisites) in [
            (claim.give.currency_id(), claim.give_requisites(&self.platform.vault)?),
            (claim.receive.currency_id(), claim.receive_requisites(&self.platform.vault)?),
        ] {
            if !requisites.is_empty() {
                let row = self.sealed(currency, &requisites)?;
                self.keep(tx, customer, &row, by).await?;
            }
        }
        Ok(())
    }

    /// Locks the saved requisites of an account, because they are counted. Call it first in a transaction.
    pub(super) async fn lock_saved_requisites(tx: &mut Tx, customer: Uuid) -> Result<()> {
        tx.lock("customer_requisite", &customer.to_string()).await
    }

    /// Saves a row with an audit entry; false when it was not saved.
    async fn keep(&self, tx: &mut Tx, customer: Uuid, row: &SavedRequisitesRow, by: &Actor) -> Result<bool> {
        if !saved_requisites::insert(tx, customer, row, KEPT_MAX).await? {
            return Ok(false);
        }
        let after = Some(json!({ "currency": row.currency_id, "requisites": values_of(&row.masked) }));
        record_customer_audit(tx, by, "customer.requisites_kept", customer, (None, after), row.created_at).await?;
        Ok(true)
    }

    fn sealed(&self, currency_id: i64, requisites: &[Requisite]) -> Result<SavedRequisitesRow> {
        let id = self.platform.random.uuid();
        let json = requisites_json(requisites)?;
        let masked: Vec<Requisite> = requisites
            .iter()
            .map(|requisite| Requisite { value: mask(requisite.kind, &requisite.value), ..requisite.clone() })
            .collect();
        // Labels may change: requisites are the same if their values are.
        let values: Vec<(&str, &str)> =
            requisites.iter().map(|requisite| (requisite.name.as_str(), requisite.value.as_str())).collect();
        let values = serde_json::to_string(&values).map_err(Error::internal)?;
        Ok(SavedRequisitesRow {
            id,
            currency_id,
            sealed: self.platform.vault.seal(&purpose(id), json.as_bytes()),
            masked: requisites_json(&masked)?,
            digest: self.platform.vault.digest(DIGEST, &values),
            created_at: self.platform.clock.now(),
        })
    }

    fn shown(&self, row: &SavedRequisitesRow, requisites: &str) -> Result<SavedRequisites> {
        Ok(SavedRequisites {
            id: row.id,
            currency: self.currency(row.currency_id, ""),
            requisites: serde_json::from_str(requisites).map_err(Error::internal)?,
            created_at: row.created_at,
        })
    }
}

/// The encryption context of a row.
pub(crate) fn purpose(id: impl Display) -> String {
    format!("kept requisites {id}")
}

fn not_found() -> Error {
    Error::not_found("saved_requisites_not_found")
}

fn values_of(requisites: &str) -> Vec<String> {
    let requisites: Vec<Requisite> = serde_json::from_str(requisites).unwrap_or_default();
    requisites.into_iter().map(|requisite| requisite.value).collect()
}

async fn record_customer_audit(
    tx: &mut Tx,
    by: &Actor,
    action: &str,
    customer: Uuid,
    (before, after): (Option<Value>, Option<Value>),
    now: Timestamp,
) -> Result<()> {
    audit::record(tx, NewAuditEntry { by, action, about: "customer", id: customer.to_string(), before, after }, now).await
}

//! Requisites customers keep in their accounts, so that the next claim does not have to be typed.
//!
//! The values are sealed; lists show them masked, and one set at a time is opened, to its owner alone.

use std::sync::Arc;

use agio_core::audit::{self, Entry};
use agio_core::identity::{Actor, Customer};
use agio_core::needs::CurrencyFacts;
use agio_core::{Error, Result, Timestamp, Tx};
use agio_requisites::mask;
use serde_json::{Value, json};
use uuid::Uuid;

use super::Claims;
use crate::rules::Claim;
use crate::rules::claim::{Requisite, requisites_json};
use crate::rules::fields::{Given, checked_partly};
use crate::store::saved::{self, SavedRow};

/// How many sets of requisites an account keeps.
const KEPT_MAX: i64 = 50;

/// What the digest of requisites is for.
const DIGEST: &str = "kept requisites";

/// Requisites somebody keeps, as their owner sees them.
#[derive(Clone, Debug)]
pub struct SavedRequisites {
    /// Identifier.
    pub id: Uuid,
    /// The currency they are of.
    pub currency: Arc<CurrencyFacts>,
    /// The values, masked in a list.
    pub requisites: Vec<Requisite>,
    /// When they were kept.
    pub created_at: Timestamp,
}

impl Claims {
    /// What a customer keeps, of one currency or of all, masked, the newest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn saved_requisites(&self, customer: &Customer, currency: Option<i64>) -> Result<Vec<SavedRequisites>> {
        let rows = saved::of_customer(&mut self.platform.db.read().await?, customer.id, currency).await?;
        rows.iter().map(|row| self.shown(row, &row.masked)).collect()
    }

    /// One set of requisites, open.
    ///
    /// # Errors
    /// 404 `saved_requisites_not_found`.
    pub async fn open_requisites(&self, customer: &Customer, id: Uuid) -> Result<SavedRequisites> {
        let found = saved::one(&mut self.platform.db.read().await?, customer.id, id).await?;
        let row = found.ok_or_else(not_found)?;
        self.shown(&row, &self.platform.vault.open_text(&purpose(row.id), &row.sealed)?)
    }

    /// Keeps requisites of a currency. The same ones are kept once.
    ///
    /// # Errors
    /// 409 `not_activated`; 422 for the currency or the fields; 409 `saved_requisites_full`.
    pub async fn save_requisites(self: &Arc<Self>, customer: Customer, currency: i64, given: &Given) -> Result<SavedRequisites> {
        if !customer.activated {
            return Err(Error::conflict("not_activated"));
        }
        let unknown = || Error::unprocessable("validation_failed").at("currencyId", "currency_unknown");
        let facts = self.quotes.currency(currency).ok_or_else(unknown)?;
        let requisites = checked_partly("values", &facts.inputs, given).map_err(Error::invalid)?;
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
                    Self::lock_kept(tx, customer.id).await?;
                    if this.keep(tx, customer.id, &row, &Actor::from(&customer)).await? {
                        return this.shown(&row, &row.masked);
                    }
                    let kept = saved::of_customer(tx, customer.id, Some(row.currency_id)).await?;
                    let same = kept.iter().find(|other| other.digest == row.digest);
                    let full = || Error::conflict("saved_requisites_full").with("max", KEPT_MAX);
                    same.ok_or_else(full).and_then(|same| this.shown(same, &same.masked))
                })
            })
            .await
    }

    /// Forgets requisites.
    ///
    /// # Errors
    /// 404 `saved_requisites_not_found`.
    pub async fn forget_requisites(self: &Arc<Self>, customer: Customer, id: Uuid) -> Result<()> {
        let now = self.platform.clock.now();
        self.platform
            .db
            .write(move |tx| {
                let customer = customer.clone();
                Box::pin(async move {
                    let masked = saved::delete(tx, customer.id, id).await?.ok_or_else(not_found)?;
                    let before = Some(json!({ "requisites": values_of(&masked) }));
                    write_down(tx, &Actor::from(&customer), "customer.requisites_forgotten", customer.id, (before, None), now)
                        .await
                })
            })
            .await
    }

    /// Keeps the requisites of both sides of a claim in the account it was made in, in the caller's transaction. What the account has no
    /// room for is not kept: the claim is what matters.
    pub(super) async fn keep_requisites_of(&self, tx: &mut Tx, claim: &Claim, by: &Actor) -> Result<()> {
        let Some(customer) = claim.customer_id else {
            return Ok(());
        };
        for (currency, requisites) in [
            (claim.from_id, claim.from_requisites(&self.platform.vault)?),
            (claim.to_id, claim.to_requisites(&self.platform.vault)?),
        ] {
            if !requisites.is_empty() {
                let row = self.sealed(currency, &requisites)?;
                self.keep(tx, customer, &row, by).await?;
            }
        }
        Ok(())
    }

    /// What an account keeps is counted, so it is added to by one at a time; asked for before anything else.
    pub(super) async fn lock_kept(tx: &mut Tx, customer: Uuid) -> Result<()> {
        tx.lock("customer_requisite", &customer.to_string()).await
    }

    /// Keeps a row and writes that down; false when it was not kept.
    async fn keep(&self, tx: &mut Tx, customer: Uuid, row: &SavedRow, by: &Actor) -> Result<bool> {
        if !saved::insert(tx, customer, row, KEPT_MAX).await? {
            return Ok(false);
        }
        let after = Some(json!({ "currency": row.currency_id, "requisites": values_of(&row.masked) }));
        write_down(tx, by, "customer.requisites_kept", customer, (None, after), row.created_at).await?;
        Ok(true)
    }

    fn sealed(&self, currency_id: i64, requisites: &[Requisite]) -> Result<SavedRow> {
        let id = self.platform.random.uuid();
        let json = requisites_json(requisites)?;
        let masked: Vec<Requisite> = requisites
            .iter()
            .map(|requisite| Requisite { value: mask(requisite.kind, &requisite.value), ..requisite.clone() })
            .collect();
        // The fields' labels may be worded anew; what is kept is the same as long as its values are.
        let values: Vec<(&str, &str)> =
            requisites.iter().map(|requisite| (requisite.name.as_str(), requisite.value.as_str())).collect();
        let values = serde_json::to_string(&values).map_err(Error::internal)?;
        Ok(SavedRow {
            id,
            currency_id,
            sealed: self.platform.vault.seal(&purpose(id), json.as_bytes()),
            masked: requisites_json(&masked)?,
            digest: self.platform.vault.digest(DIGEST, &values),
            created_at: self.platform.clock.now(),
        })
    }

    fn shown(&self, row: &SavedRow, requisites: &str) -> Result<SavedRequisites> {
        Ok(SavedRequisites {
            id: row.id,
            currency: self.currency(row.currency_id, ""),
            requisites: serde_json::from_str(requisites).map_err(Error::internal)?,
            created_at: row.created_at,
        })
    }
}

/// What a row is sealed for.
fn purpose(id: Uuid) -> String {
    format!("kept requisites {id}")
}

fn not_found() -> Error {
    Error::not_found("saved_requisites_not_found")
}

/// The values alone.
fn values_of(requisites: &str) -> Vec<String> {
    let requisites: Vec<Requisite> = serde_json::from_str(requisites).unwrap_or_default();
    requisites.into_iter().map(|requisite| requisite.value).collect()
}

async fn write_down(
    tx: &mut Tx,
    by: &Actor,
    action: &str,
    customer: Uuid,
    (before, after): (Option<Value>, Option<Value>),
    now: Timestamp,
) -> Result<()> {
    audit::record(tx, Entry { by, action, about: "customer", id: customer.to_string(), before, after }, now).await
}

//! The terms referrers earn by.

use std::sync::Arc;

use agio_core::audit::{self, Entry};
use agio_core::error::Params;
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Staff};
use agio_core::{Error, FieldError, Result, Timestamp, Tx};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Referral, refused};
use crate::model::Terms;
use crate::store::programmes::{self, Programme};
use crate::store::referrers;

/// The longest name of a programme.
const NAME_MAX: usize = 100;

/// The terms of a programme, new or changed.
#[derive(Clone, Debug)]
pub struct NewTerms {
    /// The name staff know it by.
    pub name: String,
    /// The terms.
    pub terms: Terms,
}

impl Referral {
    /// Every programme, the common one first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn programmes(&self) -> Result<Vec<Programme>> {
        programmes::all(&mut self.platform.db.read().await?).await
    }

    /// A programme as it is.
    ///
    /// # Errors
    /// 404 `referral_programme_not_found`.
    pub async fn programme(&self, id: Uuid) -> Result<Programme> {
        programmes::one(&mut self.platform.db.read().await?, id).await?.ok_or_else(not_found)
    }

    /// Adds a programme that referrers can be given as their own.
    ///
    /// # Errors
    /// 409 `referral_programme_named` when another has the name; 422 for the terms, or `idempotency_mismatch`.
    pub async fn add_programme(self: &Arc<Self>, new: NewTerms, staff: Staff, key: Option<Key>) -> Result<Uuid> {
        let new = Arc::new(checked(new)?);
        let (this, id, now) = (self.clone(), self.platform.random.uuid(), self.platform.clock.now());
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, new, staff) = (this.clone(), new.clone(), staff.clone());
            Box::pin(async move {
                if !programmes::insert(tx, id, &new.name).await? {
                    return Err(Error::conflict("referral_programme_named"));
                }
                programmes::insert_terms(tx, id, 1, &new.terms, (staff.id, &staff.name), now).await?;
                this.note(tx, "referral.programme_added", id, (None, Some(trace(&new)?)), &staff, now).await?;
                Ok(id)
            })
        })
        .await
    }

    /// Gives a programme other terms. What was earned stays as it is; what is earned from now on goes by the new ones.
    ///
    /// # Errors
    /// 404 `referral_programme_not_found`; 409 `referral_changed` when it is not the revision they saw, `referral_programme_named`; 422
    /// for the terms.
    pub async fn change_programme(self: &Arc<Self>, id: Uuid, revision: i64, new: NewTerms, staff: Staff) -> Result<Programme> {
        let new = Arc::new(checked(new)?);
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, new, staff) = (this.clone(), new.clone(), staff.clone());
                Box::pin(async move {
                    let old = programmes::one(tx, id).await?.ok_or_else(not_found)?;
                    if programmes::named(tx, &new.name).await?.is_some_and(|other| other != id) {
                        return Err(Error::conflict("referral_programme_named"));
                    }
                    if old.revision != revision || !programmes::change(tx, id, revision, &new.name).await? {
                        return Err(Error::conflict("referral_changed"));
                    }
                    programmes::insert_terms(tx, id, revision + 1, &new.terms, (staff.id, &staff.name), now).await?;
                    let before = trace(&NewTerms { name: old.name, terms: old.terms })?;
                    let change = audit::difference(&before, &trace(&new)?)?;
                    this.note(tx, "referral.terms_changed", id, change, &staff, now).await?;
                    programmes::one(tx, id).await?.ok_or_else(not_found)
                })
            })
            .await
    }

    /// Gives a referrer a programme of their own, or the common one again.
    ///
    /// # Errors
    /// 404 `referrer_not_found`; 422 `referral_programme_not_found` at `programmeId`.
    pub async fn give_programme(self: &Arc<Self>, referrer: Uuid, programme: Option<Uuid>, staff: Staff) -> Result<()> {
        let now = self.platform.clock.now();
        self.platform
            .db
            .write(move |tx| {
                let staff = staff.clone();
                Box::pin(async move {
                    let found = referrers::lock(tx, referrer).await?.ok_or_else(|| Error::not_found("referrer_not_found"))?;
                    if let Some(id) = programme
                        && programmes::one(tx, id).await?.is_none()
                    {
                        return Err(refused("programmeId", "referral_programme_not_found"));
                    }
                    if found.programme_id == programme {
                        return Ok(());
                    }
                    referrers::set_programme(tx, referrer, programme).await?;
                    let entry = Entry {
                        by: &Actor::from(&staff),
                        action: "referral.programme_given",
                        about: "referrer",
                        id: referrer.to_string(),
                        before: Some(json!({ "programme": found.programme_id })),
                        after: Some(json!({ "programme": programme })),
                    };
                    audit::record(tx, entry, now).await
                })
            })
            .await
    }

    async fn note(
        &self,
        tx: &mut Tx,
        action: &str,
        id: Uuid,
        (before, after): (Option<Value>, Option<Value>),
        staff: &Staff,
        now: Timestamp,
    ) -> Result<()> {
        let by = Actor::from(staff);
        audit::record(tx, Entry { by: &by, action, about: "referral_programme", id: id.to_string(), before, after }, now).await
    }
}

fn checked(new: NewTerms) -> Result<NewTerms> {
    let name = new.name.trim().to_owned();
    let faults = new.terms.faults();
    let mut refusals: Vec<FieldError> =
        faults.into_iter().map(|fault| FieldError { field: fault.field, code: fault.code, params: Params::new() }).collect();
    if name.is_empty() {
        refusals.push(FieldError { field: "name".into(), code: "required", params: Params::new() });
    }
    if name.chars().count() > NAME_MAX {
        let params = [("max", NAME_MAX.to_string())].into();
        refusals.push(FieldError { field: "name".into(), code: "text_too_long", params });
    }
    if refusals.is_empty() { Ok(NewTerms { name, ..new }) } else { Err(Error::invalid(refusals)) }
}

fn trace(new: &NewTerms) -> Result<Value> {
    let mut terms = serde_json::to_value(&new.terms).map_err(Error::internal)?;
    terms["name"] = new.name.clone().into();
    Ok(terms)
}

fn not_found() -> Error {
    Error::not_found("referral_programme_not_found")
}

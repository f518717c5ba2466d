//! Asking an account who its owner is.

use std::sync::Arc;

use agio_core::identity::{Actor, Staff};
use agio_core::needs::Proof;
use agio_core::{Error, Result};
use uuid::Uuid;

use super::Verification;
use crate::store::{self, Row};

impl Verification {
    /// Asks the owner of an account to have their identity verified. Gives the verification's identifier.
    ///
    /// # Errors
    /// 422 `customer_unknown` at `email`; 409 `already_verified`, `verification_open`.
    pub async fn ask_account(self: &Arc<Self>, email: &str, staff: Staff) -> Result<Uuid> {
        let unknown = || Error::unprocessable("validation_failed").at("email", "customer_unknown");
        let customer = self.customers.by_email(email).await?.ok_or_else(unknown)?;
        let now = self.platform.clock.now();
        let row = Row {
            customer_id: Some(customer.id),
            email: customer.email.clone(),
            locale: customer.locale.to_string(),
            ..self.register.blank(Proof::Identity, "staff", now)
        };
        let (this, row) = (self.clone(), Arc::new(row));
        self.platform
            .db
            .write(move |tx| {
                let (this, row, staff, customer) = (this.clone(), row.clone(), staff.clone(), customer.id);
                Box::pin(async move {
                    if this.register.is_known(tx, customer).await? {
                        return Err(Error::conflict("already_verified"));
                    }
                    if store::is_open_for(tx, customer, Proof::Identity).await? {
                        return Err(Error::conflict("verification_open"));
                    }
                    this.register.open(tx, &row, &Actor::from(&staff), now).await?;
                    Ok(row.id)
                })
            })
            .await
    }
}

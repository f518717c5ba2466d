//! Requests to verify the owner of an account.

use std::sync::Arc;

use agio_contracts::VerificationSubject;
use agio_core::identity::{Actor, Staff};
use agio_core::{Error, Result};
use uuid::Uuid;

use super::Verification;
use crate::model::VerificationCause;
use crate::store::{self, VerificationRow};

impl Verification {
    /// Requests an identity verification and returns its id.
    ///
    /// # Errors
    /// 422 `customer_unknown` at `email`; 409 `already_verified`, `verification_open`.
    pub async fn request_account_verification(self: &Arc<Self>, email: &str, staff: Staff) -> Result<Uuid> {
        let unknown = || Error::unprocessable("validation_failed").at("email", "customer_unknown");
        let customer = self.customers.by_email(email).await?.ok_or_else(unknown)?;
        let now = self.platform.clock.now();
        let row = VerificationRow {
            customer_id: Some(customer.id),
            email: customer.email.clone(),
            locale: customer.locale,
            ..self.registry.new_row(VerificationSubject::Identity, VerificationCause::Staff, now)
        };
        let (this, row) = (self.clone(), Arc::new(row));
        self.platform
            .db
            .write(move |tx| {
                let (this, row, staff, customer) = (this.clone(), row.clone(), staff.clone(), customer.id);
                Box::pin(async move {
                    if this.registry.is_known(tx, customer).await? {
                        return Err(Error::conflict("already_verified"));
                    }
                    if store::is_open_for(tx, customer, VerificationSubject::Identity).await? {
                        return Err(Error::conflict("verification_open"));
                    }
                    this.registry.open(tx, &row, None, &Actor::from(&staff), now).await?;
                    Ok(row.id)
                })
            })
            .await
    }
}

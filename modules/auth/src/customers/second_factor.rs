//! The customers' second factor: turning it on and off.

use std::sync::Arc;

use agio_core::identity::Customer;
use agio_core::needs::ShownAgain;
use agio_core::{Error, Result};

use super::gates::CODE;
use super::store::{self, CustomerRow};
use super::{actor, note};
use crate::attempts::{self, Gate};
use crate::auth::{Auth, Client};
use crate::second_factor::{self, Begun};

impl Auth {
    /// Gives the secret for an authenticator app to whoever knows the password. It holds once [`confirm_totp`](Self::confirm_totp) was
    /// shown a code.
    ///
    /// # Errors
    /// 409 `totp_is_on`, `not_activated`; 422 `wrong_password`; 429 `too_many_attempts`.
    pub(crate) async fn begin_totp(self: &Arc<Self>, who: Customer, password: String) -> Result<Begun> {
        if !who.activated {
            // Whoever signed up with somebody else's address must not be able to lock its owner out.
            return Err(Error::conflict("not_activated"));
        }
        let (customer, gates) = self.confirmed(&who, password, "password").await?;
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let (this, customer, gates) = (this.clone(), customer.clone(), gates.clone());
                Box::pin(async move {
                    attempts::give_back(tx, &gates).await?;
                    second_factor::begin(tx, &this.platform, customer.id, &this.site_name(), &customer.email).await
                })
            })
            .await
    }

    /// Turns the second factor on by its first code and gives the recovery codes, this once.
    ///
    /// # Errors
    /// 409 `totp_not_begun`; 422 `otp_invalid`; 429 `too_many_attempts`.
    pub(crate) async fn confirm_totp(self: &Arc<Self>, who: Customer, code: String, client: Client) -> Result<Vec<String>> {
        let gates = self.admit_known(&CODE, who.id).await?;
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, code, client, gates) = (this.clone(), code.clone(), client.clone(), gates.clone());
                Box::pin(async move {
                    let codes = second_factor::confirm(tx, &this.platform, who.id, &code, now).await?;
                    attempts::give_back(tx, &gates).await?;
                    let customer = store::by_id(tx, who.id).await?;
                    this.mail_change(tx, "second_factor_on", &customer, &client, now).await?;
                    note(tx, &actor(who.id, &client), "customer.totp_on", &who.id.to_string(), now).await?;
                    Ok(codes)
                })
            })
            .await
    }

    /// Turns the second factor off for whoever has both: the password, and a code or recovery code.
    ///
    /// # Errors
    /// 422 `wrong_password`, `otp_invalid`; 429 `too_many_attempts`.
    pub(crate) async fn remove_totp(
        self: &Arc<Self>,
        who: Customer,
        password: String,
        code: String,
        client: Client,
    ) -> Result<()> {
        let (customer, gates) = self.confirmed_twice(&who, password).await?;
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, customer, code) = (this.clone(), customer.clone(), code.clone());
                let (client, gates) = (client.clone(), gates.clone());
                Box::pin(async move {
                    second_factor::take(tx, &this.platform, customer.id, &code, now).await?;
                    second_factor::remove(tx, customer.id).await?;
                    attempts::give_back(tx, &gates).await?;
                    this.mail_change(tx, "second_factor_off", &customer, &client, now).await?;
                    note(tx, &actor(customer.id, &client), "customer.totp_off", &customer.id.to_string(), now).await
                })
            })
            .await
    }

    /// Makes new recovery codes for whoever has both factors; the old ones are good no more.
    ///
    /// # Errors
    /// 422 `wrong_password`, `otp_invalid`; 429 `too_many_attempts`.
    pub(crate) async fn renew_recovery_codes(
        self: &Arc<Self>,
        who: Customer,
        password: String,
        code: String,
        client: Client,
    ) -> Result<Vec<String>> {
        let (customer, gates) = self.confirmed_twice(&who, password).await?;
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, code, client, gates) = (this.clone(), code.clone(), client.clone(), gates.clone());
                let id = customer.id;
                Box::pin(async move {
                    second_factor::take(tx, &this.platform, id, &code, now).await?;
                    let codes = second_factor::renew_recovery_codes(tx, &this.platform, id).await?;
                    attempts::give_back(tx, &gates).await?;
                    note(tx, &actor(id, &client), "customer.recovery_codes_made", &id.to_string(), now).await?;
                    Ok(codes)
                })
            })
            .await
    }

    /// Makes sure that whoever is signed in has the password, and the second factor where there is one.
    ///
    /// # Errors
    /// 422 `wrong_password`, `otp_required`, `otp_invalid`; 429 `too_many_attempts`.
    pub(super) async fn prove_owner(self: &Arc<Self>, who: Customer, shown: ShownAgain) -> Result<()> {
        let (_, mut gates) = self.confirmed(&who, shown.password, "password").await?;
        let asks_for_code = second_factor::is_on(&mut self.platform.db.read().await?, who.id).await?;
        let code = shown.code.filter(|code| asks_for_code && !code.trim().is_empty());
        if asks_for_code {
            if code.is_none() {
                return Err(Error::unprocessable("validation_failed").at("code", "otp_required"));
            }
            gates.extend(self.admit_known(&CODE, who.id).await?);
        }
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, code, gates) = (this.clone(), code.clone(), gates.clone());
                Box::pin(async move {
                    if let Some(code) = code {
                        second_factor::take(tx, &this.platform, who.id, &code, now).await?;
                    }
                    attempts::give_back(tx, &gates).await
                })
            })
            .await
    }

    /// The account whose password was shown, with a try at a code counted as well.
    async fn confirmed_twice(&self, who: &Customer, password: String) -> Result<(CustomerRow, Vec<Gate>)> {
        let (customer, mut gates) = self.confirmed(who, password, "password").await?;
        gates.extend(self.admit_known(&CODE, who.id).await?);
        Ok((customer, gates))
    }
}

//! What customers see and change of their own account.

use std::sync::Arc;

use agio_core::identity::{Actor, Customer};
use agio_core::needs::{ConfirmedAddresses, CustomerBook, CustomerFacts, OwnerProof, Person, ShownAgain};
use agio_core::{BoxFuture, Error, Result, Tx};
use uuid::Uuid;

use super::gates::PASSWORD;
use super::store::{self, CustomerRow};
use super::{Profile, actor, note};
use crate::attempts::{self, Gate};
use crate::auth::{Auth, Client};
use crate::passwords::{Fit, LENGTH_MIN, words_of};
use crate::second_factor;
use crate::sessions::{Account, SessionRow};
use crate::tokens::Audience;

impl CustomerBook for Auth {
    fn by_email<'a>(&'a self, email: &'a str) -> BoxFuture<'a, Result<Option<CustomerFacts>>> {
        Box::pin(async move {
            let email = crate::secrets::normal_email(email);
            let found = store::by_email(&mut self.platform.db.read().await?, &email).await?;
            Ok(found.map(|row| CustomerFacts {
                id: row.id,
                locale: row.locale(),
                activated: row.activated_at.is_some(),
                email: row.email,
            }))
        })
    }
}

impl ConfirmedAddresses for Auth {
    fn owner<'a>(&'a self, tx: &'a mut Tx, email: &'a str) -> BoxFuture<'a, Result<Option<Uuid>>> {
        Box::pin(async move {
            let found = store::by_email(tx, email).await?;
            Ok(found.filter(|row| row.activated_at.is_some()).map(|row| row.id))
        })
    }

    fn is_confirmed<'a>(&'a self, tx: &'a mut Tx, account: Uuid) -> BoxFuture<'a, Result<bool>> {
        Box::pin(store::is_activated(tx, account))
    }
}

impl OwnerProof for Auth {
    fn prove(self: Arc<Self>, who: Customer, shown: ShownAgain) -> BoxFuture<'static, Result<()>> {
        Box::pin(async move { self.prove_owner(who, shown).await })
    }
}

impl Auth {
    /// An account as its owner sees it.
    pub(crate) async fn profile(&self, id: Uuid) -> Result<Profile> {
        let mut tx = self.platform.db.read().await?;
        let row = store::by_id(&mut tx, id).await?;
        let second_factor = second_factor::is_on(&mut tx, id).await?;
        let recovery_codes = second_factor::store::recovery_codes(&mut tx, id).await?;
        // What follows takes a connection of its own.
        drop(tx);
        let customer =
            Customer { id, email: row.email.clone(), activated: row.activated_at.is_some(), session: Uuid::nil(), address: None };
        let offered = self.bonuses.offered(Person { customer: Some(&customer), ..Person::default() }, None).await?;
        Ok(Profile { customer: row, second_factor, recovery_codes, bonus: offered.bonus.percent() })
    }

    /// Changes the password of whoever knows the present one. Every other session ends, and the owner is told.
    ///
    /// # Errors
    /// 422 `wrong_password` at `oldPassword`, or for an unfit new one at `newPassword`; 429 `too_many_attempts`.
    pub(crate) async fn change_password(self: &Arc<Self>, who: Customer, old: String, new: String, client: Client) -> Result<()> {
        let (customer, gates) = self.confirmed(&who, old, "oldPassword").await?;
        let words = words_of(&self.site_name(), &customer.email);
        let hash = self.passwords.accept(new, "newPassword", LENGTH_MIN, words).await?;
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, customer, hash, gates) = (this.clone(), customer.clone(), hash.clone(), gates.clone());
                let (client, session) = (client.clone(), who.session);
                Box::pin(async move {
                    // The password that was confirmed must still be the present one.
                    if !store::enter(tx, &customer, customer.locale(), &hash).await? {
                        return Err(Error::token_not_valid());
                    }
                    attempts::give_back(tx, &gates).await?;
                    store::forget_links_of(tx, customer.id).await?;
                    this.sessions.end_all(tx, Account::Customer(customer.id), Some(session), now).await?;
                    this.mail_change(tx, "password_changed", &customer, &client, now).await?;
                    note(tx, &actor(customer.id, &client), "customer.password_changed", &customer.id.to_string(), now).await
                })
            })
            .await
    }

    /// The account of somebody signed in who shows its password once more, and where the attempt was counted.
    ///
    /// # Errors
    /// 422 `wrong_password` at the field; 429 `too_many_attempts`.
    pub(crate) async fn confirmed(&self, who: &Customer, password: String, field: &str) -> Result<(CustomerRow, Vec<Gate>)> {
        let gates = self.admit_known(&PASSWORD, who.id).await?;
        let customer = store::by_id(&mut self.platform.db.read().await?, who.id).await?;
        match self.passwords.fits(password, Some(customer.password_hash.clone())).await? {
            Fit::No => Err(Error::unprocessable("validation_failed").at(field, "wrong_password")),
            Fit::Yes | Fit::YesRenewed(_) => Ok((customer, gates)),
        }
    }

    /// The customer's live sessions, the one used last first.
    pub(crate) async fn sessions_of(&self, who: &Customer) -> Result<Vec<SessionRow>> {
        let mut tx = self.platform.db.read().await?;
        self.sessions.of(&mut tx, Account::Customer(who.id), Audience::Site, self.platform.clock.now()).await
    }

    /// Ends one of the customer's sessions.
    ///
    /// # Errors
    /// 404 `session_not_found`.
    pub(crate) async fn end_session(self: &Arc<Self>, who: Customer, session: Uuid) -> Result<()> {
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, who) = (this.clone(), who.clone());
                Box::pin(async move {
                    if !this.sessions.end_own(tx, session, Account::Customer(who.id), now).await? {
                        return Err(Error::not_found("session_not_found"));
                    }
                    note(tx, &Actor::from(&who), "customer.session_ended", &who.id.to_string(), now).await
                })
            })
            .await
    }

    /// Ends all of the customer's sessions but the one of the call.
    pub(crate) async fn end_other_sessions(self: &Arc<Self>, who: Customer) -> Result<()> {
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, who) = (this.clone(), who.clone());
                Box::pin(async move {
                    if this.sessions.end_all(tx, Account::Customer(who.id), Some(who.session), now).await? == 0 {
                        return Ok(());
                    }
                    note(tx, &Actor::from(&who), "customer.other_sessions_ended", &who.id.to_string(), now).await
                })
            })
            .await
    }

    /// The customer of a mailed address, for the rooms that know customers by it.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn customer_of(&self, email: &str) -> Result<Option<Uuid>> {
        let mut tx = self.platform.db.read().await?;
        Ok(store::by_email(&mut tx, &crate::secrets::normal_email(email)).await?.map(|customer| customer.id))
    }
}

//! A new password for somebody who forgot theirs: an owner has a link sent, and nobody but the addressee sets the password.

use std::sync::Arc;

use agio_core::identity::{Actor, Staff};
use agio_core::{Error, Result};
use uuid::Uuid;

use super::letters::LINK_LIFE;
use super::store::{self, StaffRow};
use super::{actor, gates, note};
use crate::attempts;
use crate::auth::{Auth, Client};
use crate::customers::sign_up::link_not_valid;
use crate::passwords::{STAFF_LENGTH_MIN, words_of};
use crate::second_factor;
use crate::secrets::{digest, normal_email, secret};
use crate::sessions::Account;

impl Auth {
    /// Mails a link to set a new password to a colleague. Nothing changes until it is used.
    ///
    /// # Errors
    /// 404 `staff_not_found`, 409 `staff_disabled`, 403 for somebody who is no owner any more.
    pub(crate) async fn send_staff_restore(self: &Arc<Self>, id: Uuid, by: Staff) -> Result<()> {
        let (this, now, token) = (self.clone(), self.platform.clock.now(), secret(&*self.platform.random));
        self.platform
            .db
            .write(move |tx| {
                let (this, token, by) = (this.clone(), token.clone(), by.clone());
                Box::pin(async move {
                    Self::owners(tx, &by).await?;
                    let row = store::lock(tx, id).await?.ok_or_else(staff_not_found)?;
                    if row.disabled {
                        return Err(Error::conflict("staff_disabled"));
                    }
                    store::put_restore(tx, id, &digest(&token), now.plus(LINK_LIFE)).await?;
                    this.mail_staff_restore(tx, &row, &token, now).await?;
                    note(tx, &Actor::from(&by), "staff.restore_sent", id, now).await
                })
            })
            .await
    }

    /// Gives a link to set a new password, from the command line: for an owner whom no colleague can help. May take the second factor
    /// away as well.
    ///
    /// # Errors
    /// 404 `staff_not_found`, 409 `staff_disabled`.
    pub async fn restore_by_house(self: &Arc<Self>, email: &str, forget_second_factor: bool) -> Result<String> {
        let found = store::by_email(&mut self.platform.db.read().await?, &normal_email(email)).await?;
        let StaffRow { id, disabled, .. } = found.ok_or_else(staff_not_found)?;
        if disabled {
            return Err(Error::conflict("staff_disabled"));
        }
        let (this, now, token) = (self.clone(), self.platform.clock.now(), secret(&*self.platform.random));
        let kept = digest(&token);
        self.platform
            .db
            .write(move |tx| {
                let (this, kept) = (this.clone(), kept.clone());
                Box::pin(async move {
                    let row = store::lock(tx, id).await?.ok_or_else(staff_not_found)?;
                    store::put_restore(tx, id, &kept, now.plus(LINK_LIFE)).await?;
                    let by = Actor::house("agio staff");
                    if forget_second_factor {
                        this.forget_second_factor(tx, &row, &this.site_name(), now).await?;
                        note(tx, &by, "staff.second_factor_reset", id, now).await?;
                    }
                    note(tx, &by, "staff.restore_sent", id, now).await
                })
            })
            .await?;
        Ok(self.restore_link(&token))
    }

    /// Sets a new password by a link. Every session ends, nobody is signed in by it, a second factor stays as it is, and the owner of the
    /// account is told.
    ///
    /// # Errors
    /// 404 `link_not_valid`: unknown, used, replaced by a newer one, or too old; 422 for an unfit password, which leaves the link
    /// good.
    pub(crate) async fn staff_restore(self: &Arc<Self>, token: &str, password: String, client: Client) -> Result<()> {
        let (now, token) = (self.platform.clock.now(), digest(token));
        let mut tx = self.platform.db.read().await?;
        let id = store::restore(&mut tx, &token, now).await?.ok_or_else(link_not_valid)?;
        let email = store::by_id(&mut tx, id).await?.ok_or_else(link_not_valid)?.email;
        drop(tx);
        let words = words_of(&self.site_name(), &email);
        let hash = self.staff_passwords.accept(password, "password", STAFF_LENGTH_MIN, words).await?;
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let (this, token, hash, client) = (this.clone(), token.clone(), hash.clone(), client.clone());
                Box::pin(async move {
                    let id = store::use_restore(tx, &token, now).await?.ok_or_else(link_not_valid)?;
                    let row = store::lock(tx, id).await?.filter(|row| !row.disabled).ok_or_else(link_not_valid)?;
                    store::set_password_hash(tx, id, &hash).await?;
                    this.sessions.end_all(tx, Account::Staff(id), None, now).await?;
                    // Strangers who tried passwords do not keep the owner waiting.
                    attempts::forget(tx, &gates::of_strangers(&row.email, id)).await?;
                    this.mail_staff_change(tx, "staff_password_restored", &row, &client, now).await?;
                    note(tx, &actor(&row, &client), "staff.restored", id, now).await
                })
            })
            .await
    }

    /// Takes a second factor away: every session ends, and its owner is told.
    pub(crate) async fn forget_second_factor(
        &self,
        tx: &mut agio_core::Tx,
        row: &StaffRow,
        by: &str,
        now: agio_core::Timestamp,
    ) -> Result<()> {
        second_factor::remove(tx, row.id).await?;
        self.sessions.end_all(tx, Account::Staff(row.id), None, now).await?;
        self.mail_staff_decision(tx, "staff_second_factor_reset", row, by, now).await
    }
}

/// The refusal of a colleague there is not.
pub fn staff_not_found() -> Error {
    Error::not_found("staff_not_found")
}

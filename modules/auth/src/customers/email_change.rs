//! Change of a customer's e-mail address.
//!
//! The new address is confirmed with a link that works in the account only, and the old one gets a link that takes the
//! account back for a week from the request. It works once the address has been changed as well, when it is sent again,
//! and after a change of the password; meanwhile the address cannot be changed again. So neither an open session nor a
//! password alone takes an account away from the owner of its mailbox.

use std::time::Duration;

use agio_contracts::ReauthenticationRequest;
use agio_core::{Error, Result, Timestamp, Tx};
use agio_requisites::{RequisiteKind, mask};
use serde_json::json;

use super::attempt_limits::email_change;
use super::data::{CustomerData, shown};
use super::store;
use crate::accounts::{
    AccountRecord, Link, LinkPurpose, checked_email, customer_actor, link_not_valid, new_email, record, record_change,
    store as accounts,
};
use crate::attempts;
use crate::audience::{AccountRef, Audience, Caller};
use crate::auth::{Auth, ClientInfo};
use crate::customers::owner_counters;
use crate::second_factor;
use crate::secrets::{digest, new_secret};

/// Lifetime of the link to a new address.
const CONFIRM_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

/// Lifetime of the link that takes the account back, in days.
const UNDO_DAYS: u64 = 7;
const UNDO_LIFE: Duration = Duration::from_secs(UNDO_DAYS * 24 * 60 * 60);

/// How old a second factor, saved payment details and requested withdrawals may be at the request for the link to remove
/// them, in days. A thief sets them up before they ask, so nobody knows whose a young one is; an older one is taken for the
/// owner's, who had the e-mail about it or has seen it.
const YOUNG_DAYS: u64 = 30;
const YOUNG: Duration = Duration::from_secs(YOUNG_DAYS * 24 * 60 * 60);

/// The purpose of the digest that is the secret of that link.
const UNDO_SECRET: &str = "customer.email_undo";

impl CustomerData {
    /// E-mails a link to the new address and a notice to the present one. Does not look for another account with the new
    /// address, so nothing tells whether there is one.
    ///
    /// # Errors
    /// 409 `not_activated`, `email_changed_recently`; 422 `bad_email`, `email_same` at `email`; 422 for password and code;
    /// 429 `too_many_attempts`.
    pub(crate) async fn request_email_change(
        &self,
        caller: Caller,
        email: &str,
        credentials: ReauthenticationRequest,
        client: ClientInfo,
    ) -> Result<()> {
        let email = checked_email(email)?;
        let account = self.auth.check_credentials(&caller, credentials).await?;
        if !account.is_activated() {
            return Err(Error::conflict("not_activated"));
        }
        if email == account.email {
            return Err(Error::unprocessable("validation_failed").at("email", "email_same"));
        }
        self.auth.count_attempt(email_change(account.id, &email)).await?;
        self.auth
            .transaction((account, email, client), |auth, tx, (account, email, client), now| {
                Box::pin(async move {
                    let account = auth.lock_unchanged(tx, &account).await?;
                    let undo = accounts::link_of(tx, account.id, LinkPurpose::EmailUndo, now).await?;
                    if undo.is_some_and(|undo| undo.email().is_ok_and(|before| before != account.email)) {
                        return Err(Error::conflict("email_changed_recently").with("days", UNDO_DAYS));
                    }
                    let token = new_secret(&*auth.platform.random);
                    let link = (LinkPurpose::EmailChange, Some(email.as_str()));
                    accounts::put_link(tx, account.id, link, &digest(&token), now.plus(CONFIRM_LIFE)).await?;
                    let hours = CONFIRM_LIFE.as_secs() / 3600;
                    let button = format!("/account/settings#email={token}");
                    let message = new_email("email_change", &account).with("hours", hours).with_button(button).private();
                    auth.mail(tx, &AccountRecord { email: email.clone(), ..account.clone() }, &message, now).await?;
                    auth.mail_undo(tx, "email_change_requested", &account, &email, &client, (now, now)).await?;
                    record(tx, account.reference(), &account.actor(&client), "email_change_asked", now).await
                })
            })
            .await
    }

    /// Changes the address of the signed-in account by the link sent to the new one, and signs all other devices out.
    ///
    /// # Errors
    /// 404 `link_not_valid`, for links of other accounts too; 409 `email_taken` if another account has confirmed the
    /// address.
    pub(crate) async fn confirm_email_change(&self, caller: Caller, token: &str, client: ClientInfo) -> Result<()> {
        let this = self.clone();
        self.auth
            .transaction((digest(token), client), move |auth, tx, (token, client), now| {
                let (this, caller) = (this.clone(), caller.clone());
                Box::pin(async move {
                    let link = accounts::use_link(tx, &token, LinkPurpose::EmailChange, now).await?;
                    let link = link.filter(|link| link.account_id == caller.account.id).ok_or_else(link_not_valid)?;
                    let before = auth.lock_live(tx, caller.account).await?;
                    accounts::delete_links_of(tx, before.id).await?;
                    auth.sessions.end_all(tx, caller.account, Some(caller.session), now).await?;
                    this.move_account(tx, &before, link.email()?, &client, now).await?;
                    let requested_at = link.expires_at.minus(CONFIRM_LIFE);
                    auth.mail_undo(tx, "email_changed", &before, link.email()?, &client, (requested_at, now)).await
                })
            })
            .await
    }

    /// Takes the account back by the link sent to its address before a change: withdraws or reverses the change, signs
    /// every device out and sets a new password. A second factor that was set up since then, or shortly before, is removed.
    ///
    /// # Errors
    /// 404 `link_not_valid`; 409 `email_taken` if another account has confirmed the address since; 422 for the password.
    pub(crate) async fn undo_email_change(&self, token: &str, password: String, client: ClientInfo) -> Result<()> {
        let (token, auth) = (digest(token), &self.auth);
        let now = auth.platform.clock.now();
        let link = accounts::link(&mut auth.platform.db.read().await?, &token, LinkPurpose::EmailUndo, now).await?;
        let link = link.ok_or_else(link_not_valid)?;
        let hash = auth.hash_password(Audience::Customers, password, "password", link.email()?).await?;
        let this = self.clone();
        auth.transaction((token, hash, client), move |_, tx, (token, hash, client), now| {
            let this = this.clone();
            Box::pin(async move { this.take_back(tx, &token, &hash, &client, now).await })
        })
        .await
    }

    async fn take_back(&self, tx: &mut Tx, token: &str, hash: &str, client: &ClientInfo, now: Timestamp) -> Result<()> {
        let auth = &self.auth;
        let link = accounts::use_link(tx, token, LinkPurpose::EmailUndo, now).await?.ok_or_else(link_not_valid)?;
        let customer = AccountRef::customer(link.account_id);
        let mut account = accounts::lock(tx, customer).await?.ok_or_else(link_not_valid)?;
        accounts::delete_links_of(tx, account.id).await?;
        auth.sessions.end_all(tx, customer, None, now).await?;
        if account.email != link.email()? {
            account = self.move_account(tx, &account, link.email()?, client, now).await?;
        }
        let since = requested_at(&link).minus(YOUNG);
        second_factor::remove_confirmed_since(tx, account.id, since).await?;
        for records in &*self.records {
            records.take_back(tx, &shown(&account), since).await?;
        }
        accounts::set_password_hash(tx, customer, hash).await?;
        // Attempts of others do not lock the owner out.
        attempts::reset(tx, &owner_counters(&account.email)).await?;
        let message = new_email("email_change_undone", &account)
            .with("time", auth.time_for(&account, now))
            .with("address", client.address)
            .with("days", YOUNG_DAYS);
        auth.mail(tx, &account, &message, now).await?;
        record(tx, customer, &account.actor(client), "email_change_undone", now).await
    }

    /// Moves an account to an address whose owner is verified; an account that never confirmed it loses it.
    async fn move_account(
        &self,
        tx: &mut Tx,
        account: &AccountRecord,
        email: &str,
        client: &ClientInfo,
        now: Timestamp,
    ) -> Result<AccountRecord> {
        let auth = &self.auth;
        if let Some(other) = accounts::by_email(tx, Audience::Customers, email).await? {
            if other.is_activated() {
                return Err(store::email_taken());
            }
            store::abandon(tx, other.id, now).await?;
            auth.sessions.end_all(tx, other.reference(), None, now).await?;
            record(tx, other.reference(), &customer_actor(account.id, client), "abandoned", now).await?;
        }
        store::set_email(tx, account.id, email).await?;
        let moved = accounts::by_id(tx, account.reference()).await?.ok_or_else(Error::token_not_valid)?;
        auth.sessions.account_changed(tx, moved.holder.clone(), now).await?;
        for records in &*self.records {
            records.change_email(tx, account.id, &account.email, email).await?;
        }
        let shown = |email: &str| Some(json!({ "email": mask(RequisiteKind::Email, email) }));
        let change = (shown(&account.email), shown(email));
        record_change(tx, account.reference(), &moved.actor(client), "email_changed", change, now).await?;
        Ok(moved)
    }
}

impl Auth {
    /// E-mails the link that takes the account back to its present address. It is the same for one change, so that the first
    /// e-mail stays good, and so that the time of the request stays known.
    async fn mail_undo(
        &self,
        tx: &mut Tx,
        kind: &'static str,
        to: &AccountRecord,
        email: &str,
        client: &ClientInfo,
        (requested_at, now): (Timestamp, Timestamp),
    ) -> Result<()> {
        let token = self.platform.vault.digest(UNDO_SECRET, &format!("{} {}", to.id, requested_at.0));
        let (link, until) = ((LinkPurpose::EmailUndo, Some(to.email.as_str())), requested_at.plus(UNDO_LIFE));
        accounts::put_link(tx, to.id, link, &digest(&token), until).await?;
        let message = new_email(kind, to)
            .with("time", self.time_for(to, now))
            .with("address", client.address)
            .with("email", mask(RequisiteKind::Email, email))
            .with("until", self.time_for(to, until))
            .with_button(format!("/recover#undo={token}"))
            .private();
        self.mail(tx, to, &message, now).await
    }
}

/// When the change was requested.
fn requested_at(undo: &Link) -> Timestamp {
    undo.expires_at.minus(UNDO_LIFE)
}

//! Sign-up and activation of customers.

use std::sync::Arc;

use agio_contracts::ConfirmedSignUp;
use agio_core::identity::{Actor, AuditActorKind};
use agio_core::{Error, FieldError, Result, Timestamp, Tx};
use uuid::Uuid;

use super::CaptchaAction;
use super::store::{self, AccountRequest, AccountRequestKind};
use crate::accounts::{AccountRecord, LinkPurpose, checked_email, customer_actor, link_not_valid, record, store as accounts};
use crate::audience::{AccountRef, Audience};
use crate::auth::{Auth, ClientInfo};
use crate::passwords::wrong_length;
use crate::secrets::digest;

/// Longest referral code.
const REFERRAL_MAX: usize = 64;

pub(crate) struct SignUp {
    pub email: String,
    pub password: String,
    /// Captcha solution.
    pub captcha: Option<String>,
    /// Referral code.
    pub referral: Option<String>,
}

impl Auth {
    /// Requests an account. A job creates it and e-mails the activation link, or notifies the owner of an existing
    /// account. The response and its timing are the same.
    ///
    /// # Errors
    /// 422 with the fields; 429 `too_many_attempts`; 422 for the captcha.
    pub(crate) async fn sign_up(self: &Arc<Self>, request: SignUp, client: ClientInfo) -> Result<()> {
        let email = checked_email(&request.email);
        let mut wrong = email.as_ref().map_or_else(|refused| refused.fields().to_vec(), |_| Vec::new());
        if request.referral.as_ref().is_some_and(|code| code.chars().count() > REFERRAL_MAX) {
            wrong.push(FieldError::new("refferal", "text_too_long").with("max", REFERRAL_MAX));
        }
        // How easy a password is to guess takes long to say, so that is for those who are admitted.
        wrong.extend(wrong_length("password", &request.password, Audience::Customers.password_length_min()));
        if !wrong.is_empty() {
            return Err(Error::invalid(wrong));
        }
        let email = email?;
        self.admit(CaptchaAction::SignUp, &email, None, request.captcha.as_deref(), &client).await?;
        let password_hash = self.hash_password(Audience::Customers, request.password, "password", &email).await?;
        self.store_request(AccountRequest {
            password_hash: Some(password_hash),
            locale: Some(client.locale),
            referral: request.referral,
            ..self.new_request(AccountRequestKind::SignUp, email, &client)
        })
        .await
    }

    /// Creates the account, or notifies the owner of the existing one.
    pub(super) async fn process_sign_up(&self, tx: &mut Tx, request: &AccountRequest, by: Actor, now: Timestamp) -> Result<()> {
        let is_new = store::insert(tx, self.platform.random.uuid(), request).await?;
        let found = accounts::by_email(tx, Audience::Customers, &request.email).await?;
        let account = found.ok_or_else(|| Error::internal("an account is gone"))?;
        if is_new {
            self.mail_activation(tx, &account, now).await?;
            let by = Actor { kind: AuditActorKind::Customer, id: Some(account.id), ..by };
            record(tx, account.reference(), &by, "signed_up", now).await
        } else {
            self.mail_password_reset(tx, "account_exists", &account, now).await?;
            record(tx, account.reference(), &by, "signed_up_again", now).await
        }
    }

    /// Confirms the address of the signed-in account by the link sent to it. The link alone is not enough: somebody else
    /// may have signed up with the address of its reader, and would then have their claims.
    ///
    /// # Errors
    /// 404 `link_not_valid`: unknown, used, replaced, expired, or of another account.
    pub(crate) async fn activate(self: &Arc<Self>, id: Uuid, token: &str, client: ClientInfo) -> Result<()> {
        self.transaction((id, digest(token), client), |this, tx, (id, token, client), now| {
            Box::pin(async move {
                let link = accounts::use_link(tx, &token, LinkPurpose::Activation, now).await?;
                link.filter(|link| link.account_id == id).ok_or_else(link_not_valid)?;
                let referral = store::activate(tx, id, now).await?;
                let account = accounts::by_id(tx, AccountRef::customer(id)).await?.ok_or_else(Error::token_not_valid)?;
                if let Some(referral) = referral {
                    let confirmed = ConfirmedSignUp { account: id, email: account.email.clone(), referral, at: now };
                    this.sign_ups.sign_up_confirmed(tx, &confirmed).await?;
                }
                this.sessions.account_changed(tx, account.holder.clone(), now).await?;
                record(tx, account.reference(), &account.actor(&client), "activated", now).await
            })
        })
        .await
    }

    /// Replaces an account that was never activated by an empty one of the owner of its address.
    pub(crate) async fn replace_unconfirmed(
        &self,
        tx: &mut Tx,
        account: &AccountRecord,
        hash: &str,
        client: &ClientInfo,
        now: Timestamp,
    ) -> Result<AccountRecord> {
        let new = AccountRef::customer(self.platform.random.uuid());
        store::abandon(tx, account.id, now).await?;
        store::insert_replacement(tx, account, new.id, hash, now).await?;
        record(tx, account.reference(), &customer_actor(new.id, client), "abandoned", now).await?;
        accounts::by_id(tx, new).await?.ok_or_else(Error::token_not_valid)
    }
}

//! Signing up, and showing that the address is one's own.

use std::sync::Arc;

use agio_core::identity::{Actor, ActorKind};
use agio_core::needs::SignedUp;
use agio_core::{Error, FieldError, Result, Timestamp, Tx};
use agio_requisites::{Kind as RequisiteKind, check};

use super::gates::Call;
use super::store::{self, Purpose, Request, SignUpWish, Wish};
use super::{actor, note};
use crate::auth::{Auth, Client};
use crate::passwords::{LENGTH_MIN, words_of};
use crate::secrets::{digest, normal_email};

/// The longest referrer's code that is kept.
const REFERRAL_MAX: usize = 64;

/// What somebody signs up with.
#[derive(Clone, Debug)]
pub(crate) struct SignUp {
    pub email: String,
    pub password: String,
    /// The answer to a captcha.
    pub captcha: Option<String>,
    /// The referrer's code.
    pub referral: Option<String>,
}

impl Auth {
    /// Asks for an account. It is made within a second, and the link that activates it is mailed; where the address has one already,
    /// its owner gets a letter that says so. The caller gets the same answer after the same work.
    ///
    /// # Errors
    /// 422 with the fields; 429 `too_many_attempts`; 422 for the captcha.
    pub(crate) async fn sign_up(self: &Arc<Self>, asked: SignUp, client: Client) -> Result<()> {
        let email = checked_email(&asked.email)?;
        if asked.referral.as_ref().is_some_and(|code| code.chars().count() > REFERRAL_MAX) {
            let params = [("max", REFERRAL_MAX.to_string())].into();
            return Err(Error::invalid(vec![FieldError { field: "refferal".into(), code: "text_too_long", params }]));
        }
        self.admit(Call::SignUp, &email, None, asked.captcha.as_deref(), &client).await?;
        let words = words_of(&self.site_name(), &email);
        let password_hash = self.passwords.accept(asked.password, "password", LENGTH_MIN, words).await?;
        let new = SignUpWish { password_hash, locale: client.locale, referral: asked.referral };
        self.keep_request(Wish::SignUp(new), email, &client).await
    }

    /// Makes the account that was asked for, or tells the owner of the one there is.
    pub(super) async fn answer_sign_up(
        &self,
        tx: &mut Tx,
        request: &Request,
        new: &SignUpWish,
        by: Actor,
        now: Timestamp,
    ) -> Result<()> {
        let is_new = store::insert(tx, self.platform.random.uuid(), request, new).await?;
        let customer = store::by_email(tx, &request.email).await?.ok_or_else(|| Error::internal("an account is gone"))?;
        let id = customer.id.to_string();
        if is_new {
            self.mail_activation(tx, &customer, now).await?;
            let by = Actor { kind: ActorKind::Customer, id: Some(customer.id), ..by };
            note(tx, &by, "customer.signed_up", &id, now).await
        } else {
            self.mail_restore(tx, "account_exists", &customer, now).await?;
            note(tx, &by, "customer.signed_up_again", &id, now).await
        }
    }

    /// Takes an activation link.
    ///
    /// # Errors
    /// 404 `link_not_valid`: unknown, used, replaced by a newer one, or too old.
    pub(crate) async fn activate(self: &Arc<Self>, token: &str, client: Client) -> Result<()> {
        let (this, now, token) = (self.clone(), self.platform.clock.now(), digest(token));
        self.platform
            .db
            .write(move |tx| {
                let (this, token, client) = (this.clone(), token.clone(), client.clone());
                Box::pin(async move {
                    let id = store::use_link(tx, &token, Purpose::Activation, now).await?.ok_or_else(link_not_valid)?;
                    let newly = store::activate(tx, id, now).await?;
                    let customer = store::by_id(tx, id).await?;
                    if let Some(referral) = newly {
                        let came = SignedUp { account: id, email: customer.email.clone(), referral, at: now };
                        this.sign_ups.signed_up(tx, &came).await?;
                    }
                    this.sessions.account_changed(tx, customer.holder(), now).await?;
                    note(tx, &actor(id, &client), "customer.activated", &id.to_string(), now).await
                })
            })
            .await
    }
}

/// An e-mail address in the form it is stored in.
///
/// # Errors
/// 422 `bad_email` at `email`.
pub fn checked_email(typed: &str) -> Result<String> {
    let bad_email = |_| Error::unprocessable("validation_failed").at("email", "bad_email");
    check(RequisiteKind::Email, typed).map(|accepted| normal_email(&accepted.value)).map_err(bad_email)
}

/// The refusal of a mailed link.
pub fn link_not_valid() -> Error {
    Error::not_found("link_not_valid")
}

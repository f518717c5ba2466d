//! Invitations: the one way somebody comes to work here.
//!
//! An owner invites an address to a role; a letter brings a link that is good once. Whoever follows it chooses name and password
//! and is signed in, and then sets up a second factor where one is required. The command line invites the first owner.

use std::sync::Arc;

use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Role, Staff};
use agio_core::texts::Locale;
use agio_core::{Error, Result, Timestamp, Tx, audit};
use serde_json::json;
use uuid::Uuid;

use super::invitation_store::{self, InvitationRow, NewInvitation};
use super::letters::LINK_LIFE;
use super::store::{self, Joining};
use super::{StaffSignedIn, actor, note_change, taken};
use crate::auth::{Auth, Client};
use crate::customers::sign_up::{checked_email, link_not_valid};
use crate::passwords::{STAFF_LENGTH_MIN, words_of};
use crate::secrets::{device_mark, digest, secret};

/// The longest name.
const NAME_MAX: usize = 80;

/// Who is to be invited.
#[derive(Clone, Debug)]
pub(crate) struct Invitation {
    pub email: String,
    pub role: Role,
    /// The language of the letter.
    pub locale: Locale,
}

impl Auth {
    /// Invites somebody, by a letter; once for a key. An older invitation to the same address is good no more.
    ///
    /// # Errors
    /// 422 `bad_email`, `email_taken` at `email`; 422 `idempotency_mismatch`; 403 for somebody who is no owner any more.
    pub(crate) async fn invite(self: &Arc<Self>, asked: Invitation, by: Staff, key: Option<Key>) -> Result<InvitationRow> {
        let token = secret(&*self.platform.random);
        let new = self.new_invitation(&asked, Some(by.id), &token)?;
        let (this, now) = (self.clone(), self.platform.clock.now());
        let id = idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, new, token, by) = (this.clone(), new.clone(), token.clone(), by.clone());
            Box::pin(async move {
                Self::owners(tx, &by).await?;
                this.put_invitation(tx, &new, &Actor::from(&by), now).await?;
                this.mail_invitation(tx, (new.id, &new.email, new.role, new.locale), &token, now).await?;
                Ok(new.id)
            })
        });
        let id = id.await?;
        invitation_store::by_id(&mut self.platform.db.read().await?, id).await?.ok_or_else(invitation_not_found)
    }

    /// Invites somebody from the command line and gives the link.
    ///
    /// # Errors
    /// 422 `bad_email`, `email_taken` at `email`.
    pub async fn invite_by_house(self: &Arc<Self>, email: &str, role: Role, locale: Locale) -> Result<String> {
        let token = secret(&*self.platform.random);
        let asked = Invitation { email: email.to_owned(), role, locale };
        let new = self.new_invitation(&asked, None, &token)?;
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, new) = (this.clone(), new.clone());
                Box::pin(async move { this.put_invitation(tx, &new, &Actor::house("agio staff"), now).await })
            })
            .await?;
        Ok(self.welcome_link(&token))
    }

    fn new_invitation(&self, asked: &Invitation, by: Option<Uuid>, token: &str) -> Result<NewInvitation> {
        Ok(NewInvitation {
            id: self.platform.random.uuid(),
            email: checked_email(&asked.email)?,
            role: asked.role,
            locale: asked.locale,
            by,
            digest: digest(token),
            expires_at: self.platform.clock.now().plus(LINK_LIFE),
        })
    }

    async fn put_invitation(&self, tx: &mut Tx, new: &NewInvitation, by: &Actor, now: Timestamp) -> Result<()> {
        if store::by_email(tx, &new.email).await?.is_some() {
            return Err(Error::unprocessable("validation_failed").at("email", "email_taken"));
        }
        invitation_store::put(tx, new, now).await?;
        let after = Some(json!({ "email": new.email, "role": new.role.name(), "language": new.locale.to_string() }));
        let (action, id) = ("staff.invited", new.id.to_string());
        audit::record(tx, audit::Entry { by, action, about: "staff_invitation", id, before: None, after }, now).await
    }

    /// Sends an invitation once more, with another link: the one before is good no more.
    ///
    /// # Errors
    /// 404 `invitation_not_found`; 403 for somebody who is no owner any more.
    pub(crate) async fn invite_again(self: &Arc<Self>, id: Uuid, by: Staff) -> Result<InvitationRow> {
        let found = invitation_store::by_id(&mut self.platform.db.read().await?, id).await?;
        let InvitationRow { email, role, .. } = found.clone().ok_or_else(invitation_not_found)?;
        let locale = found.map(|invitation| invitation.locale()).unwrap_or_default();
        self.invite(Invitation { email, role, locale }, by, None).await
    }

    /// Takes an invitation back: its link is good no more.
    ///
    /// # Errors
    /// 404 `invitation_not_found`; 403 for somebody who is no owner any more.
    pub(crate) async fn withdraw_invitation(self: &Arc<Self>, id: Uuid, by: Staff) -> Result<()> {
        let now = self.platform.clock.now();
        self.platform
            .db
            .write(move |tx| {
                let by = by.clone();
                Box::pin(async move {
                    Self::owners(tx, &by).await?;
                    let email = invitation_store::withdraw(tx, id).await?.ok_or_else(invitation_not_found)?;
                    let (by, before) = (Actor::from(&by), Some(json!({ "email": email })));
                    let (action, about, id) = ("staff.invitation_withdrawn", "staff_invitation", id.to_string());
                    audit::record(tx, audit::Entry { by: &by, action, about, id, before, after: None }, now).await
                })
            })
            .await
    }

    /// Whom the invitation of a link is for.
    ///
    /// # Errors
    /// 404 `link_not_valid`: unknown, taken, taken back, replaced by a newer one, or too old.
    pub(crate) async fn invitation_of(&self, token: &str) -> Result<InvitationRow> {
        let now = self.platform.clock.now();
        let mut tx = self.platform.db.read().await?;
        invitation_store::by_link(&mut tx, &digest(token), now).await?.ok_or_else(link_not_valid)
    }

    /// Takes an invitation: makes the account and signs its owner in.
    ///
    /// # Errors
    /// 404 `link_not_valid`; 422 for the name or an unfit password, which leaves the link good.
    pub(crate) async fn take_invitation(
        self: &Arc<Self>,
        token: &str,
        name: &str,
        password: String,
        client: Client,
    ) -> Result<StaffSignedIn> {
        let name = checked_name(name)?;
        let email = self.invitation_of(token).await?.email;
        let words = words_of(&self.site_name(), &email);
        let hash = self.staff_passwords.accept(password, "password", STAFF_LENGTH_MIN, words).await?;
        let (this, now, token) = (self.clone(), self.platform.clock.now(), digest(token));
        let (id, session) = (self.platform.random.uuid(), self.platform.random.uuid());
        let device = secret(&*self.platform.random);
        let mark = device_mark(&device);
        self.platform
            .db
            .write(move |tx| {
                let (this, token, name, hash) = (this.clone(), token.clone(), name.clone(), hash.clone());
                let (client, mark) = (client.clone(), mark.clone());
                Box::pin(async move {
                    let taken = invitation_store::take(tx, &token, now).await?.ok_or_else(link_not_valid)?;
                    let InvitationRow { email, role, .. } = taken;
                    let joining = Joining { id, email, name, role, locale: client.locale, password_hash: hash };
                    store::insert(tx, &joining, now).await?;
                    let row = store::by_id(tx, id).await?.ok_or_else(|| Error::internal("an account is gone"))?;
                    this.open_staff_session(tx, session, &row, false, &client, now).await?;
                    this.remember_staff_place(tx, &row, Some(mark), &client, now).await?;
                    let after = Some(json!({ "role": role.name() }));
                    note_change(tx, &actor(&row, &client), "staff.joined", id, None, after, now).await
                })
            })
            .await
            .map_err(taken)?;
        self.staff_signed_in(id, session, 0, Some(device)).await
    }

    /// Locks the owners, and makes sure that whoever decides is still one of them: what they were when the call began may be past.
    ///
    /// # Errors
    /// 403 `forbidden`.
    pub(crate) async fn owners(tx: &mut Tx, by: &Staff) -> Result<()> {
        let owners = store::lock_owners(tx).await?;
        if owners.contains(&by.id) { Ok(()) } else { Err(Error::forbidden(super::STAFF_MANAGE.0)) }
    }
}

/// A name as it is stored.
///
/// # Errors
/// 422 at `name`: `required`, `text_too_long`, `name_invalid`.
fn checked_name(typed: &str) -> Result<String> {
    let name = typed.trim();
    let refused = |code| Err(Error::unprocessable("validation_failed").with("max", NAME_MAX).at("name", code));
    match name {
        "" => refused("required"),
        _ if name.chars().count() > NAME_MAX => refused("text_too_long"),
        _ if name.chars().any(char::is_control) => refused("name_invalid"),
        _ => Ok(name.to_owned()),
    }
}

fn invitation_not_found() -> Error {
    Error::not_found("invitation_not_found")
}

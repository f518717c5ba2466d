//! Members of staff: taking them on, signing in, staying signed in.

pub mod addresses;
pub mod api;
pub mod store;

use std::sync::Arc;
use std::time::Duration;

use agio_core::identity::{Actor, Role, Staff};
use agio_core::needs::StaffNames;
use agio_core::{BoxFuture, Error, Kind, Result, audit};
use uuid::Uuid;

use crate::attempts::{self, Gate, Rule};
use crate::auth::{Auth, Client};
use crate::passwords::Fit;
use crate::secrets::{household, normal_email};
use crate::sessions::{Holder, NewSession, Refreshed, Tokens};
use crate::tokens::Audience;
use store::StaffRow;

/// Passwords tried for one account.
const SIGN_IN_ACCOUNT: Rule = Rule {
    name: "staff.sign_in.account",
    free: 10,
    first_pause: Duration::from_secs(2),
    longest_pause: Duration::from_secs(60),
    forgets_one_in: Duration::from_secs(5 * 60),
};

/// Passwords tried from one household.
const SIGN_IN_ADDRESS: Rule = Rule {
    name: "staff.sign_in.address",
    free: 20,
    first_pause: Duration::from_secs(2),
    longest_pause: Duration::from_secs(15 * 60),
    forgets_one_in: Duration::from_secs(5 * 60),
};

/// Somebody who is to work here.
#[derive(Clone, Debug)]
pub struct NewStaff {
    /// The e-mail address they sign in with.
    pub email: String,
    /// The name colleagues see.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// Their first password.
    pub password: String,
}

/// What a sign-in or refresh gives.
pub(crate) struct StaffSignedIn {
    pub tokens: Tokens,
    pub staff: Staff,
    pub email: String,
}

impl Auth {
    /// Takes somebody on.
    ///
    /// # Errors
    /// 422 for an unfit password or an address that is taken.
    pub async fn add_staff(&self, new: NewStaff) -> Result<Uuid> {
        let email = normal_email(&new.email);
        let password_hash = self.passwords.accept(new.password, "password", Vec::new()).await?;
        let (id, now) = (self.platform.random.uuid(), self.platform.clock.now());
        let row = StaffRow { id, name: new.name, email, role: new.role, password_hash, disabled: false };
        let added = self
            .platform
            .db
            .write(move |tx| {
                let row = row.clone();
                Box::pin(async move { store::insert(tx, &row, now).await })
            })
            .await;
        match added {
            Err(error) if error.constraint().is_some() => {
                Err(Error::unprocessable("validation_failed").at("email", "email_taken"))
            }
            outcome => outcome.map(|()| id),
        }
    }

    /// Whether anybody works here with this address.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn knows(&self, email: &str) -> Result<bool> {
        Ok(store::by_email(&mut self.platform.db.read().await?, &normal_email(email)).await?.is_some())
    }

    /// Checks e-mail and password and opens a session. Unknown addresses take as long as wrong passwords.
    pub(crate) async fn staff_sign_in(self: &Arc<Self>, email: &str, password: String, client: Client) -> Result<StaffSignedIn> {
        let (email, now) = (normal_email(email), self.platform.clock.now());
        let gates = vec![SIGN_IN_ACCOUNT.gate(&email), SIGN_IN_ADDRESS.gate(&household(client.address))];
        attempts::pass(&self.platform.db, &gates, now).await?.map_err(attempts::Closed::error)?;
        let found = store::by_email(&mut self.platform.db.read().await?, &email).await?;
        let hash = found.as_ref().filter(|staff| !staff.disabled).map(|staff| staff.password_hash.clone());
        let renewed = match self.passwords.fits(password, hash).await? {
            Fit::No => {
                self.staff_refused(found.map(|staff| staff.id), client).await?;
                return Err(Error::new(Kind::Unauthorised, "wrong_credentials"));
            }
            Fit::Yes => None,
            Fit::YesRenewed(hash) => Some(hash),
        };
        let staff = found.ok_or_else(|| Error::internal("a password fits nobody"))?;
        self.open_staff_session(staff, renewed, gates, client).await
    }

    async fn open_staff_session(
        self: &Arc<Self>,
        row: StaffRow,
        renewed: Option<String>,
        gates: Vec<Gate>,
        client: Client,
    ) -> Result<StaffSignedIn> {
        let now = self.platform.clock.now();
        let staff = row.staff();
        let new = NewSession {
            id: self.platform.random.uuid(),
            holder: Holder::Staff(staff.clone()),
            address: client.address.to_string(),
            agent: client.agent,
        };
        let (id, session, by) = (row.id, new.id, Actor::from(&Staff { address: Some(client.address), ..staff.clone() }));
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let (this, new, gates, renewed, by) = (this.clone(), new.clone(), gates.clone(), renewed.clone(), by.clone());
                Box::pin(async move {
                    attempts::give_back(tx, &gates).await?;
                    if let Some(hash) = renewed {
                        store::set_password_hash(tx, id, &hash).await?;
                    }
                    this.sessions.open(tx, &new, now).await?;
                    let entry = audit::Entry {
                        by: &by,
                        action: "staff.signed_in",
                        about: "staff",
                        id: id.to_string(),
                        before: None,
                        after: None,
                    };
                    audit::record(tx, entry, now).await
                })
            })
            .await?;
        let tokens = self.sessions.tokens(Audience::Console, session, 0, now)?;
        Ok(StaffSignedIn { tokens, staff, email: row.email })
    }

    async fn staff_refused(&self, staff: Option<Uuid>, client: Client) -> Result<()> {
        let now = self.platform.clock.now();
        let id = staff.map_or_else(|| "unknown".to_owned(), |id| id.to_string());
        let write = self.platform.db.write(move |tx| {
            let (by, id) = (client.guest(), id.clone());
            Box::pin(async move {
                let entry =
                    audit::Entry { by: &by, action: "staff.sign_in_failed", about: "staff", id, before: None, after: None };
                audit::record(tx, entry, now).await
            })
        });
        write.await
    }

    /// Goes on with a session: a new access token, and a new refresh token in place of the one shown.
    pub(crate) async fn staff_refresh(self: &Arc<Self>, token: &str, client: Client) -> Result<StaffSignedIn> {
        let now = self.platform.clock.now();
        let shown = self.sessions.shown(Audience::Console, token)?;
        let this = self.clone();
        let refreshed = self
            .platform
            .db
            .write(move |tx| {
                let (this, client) = (this.clone(), client.clone());
                Box::pin(async move {
                    let Some(row) = store::by_session(tx, shown.session).await?.filter(|staff| !staff.disabled) else {
                        return Ok(None);
                    };
                    match this.sessions.refresh(tx, shown, Audience::Console, now).await? {
                        Refreshed::On(generation) => {
                            this.sessions.know_after(tx, shown.session, Holder::Staff(row.staff()), now);
                            Ok(Some((generation, row)))
                        }
                        Refreshed::Over => Ok(None),
                        Refreshed::Reused => {
                            let by = client.guest();
                            let (about, id) = ("staff", row.id.to_string());
                            let entry =
                                audit::Entry { by: &by, action: "staff.refresh_reused", about, id, before: None, after: None };
                            audit::record(tx, entry, now).await.map(|()| None)
                        }
                    }
                })
            })
            .await?;
        let (generation, row) = refreshed.ok_or_else(Error::token_not_valid)?;
        let tokens = self.sessions.tokens(Audience::Console, shown.session, generation, now)?;
        Ok(StaffSignedIn { tokens, staff: row.staff(), email: row.email })
    }

    /// Ends the session of a refresh token; does nothing for one that is not ours.
    pub(crate) async fn staff_sign_out(self: &Arc<Self>, token: &str) -> Result<()> {
        let Ok(shown) = self.sessions.shown(Audience::Console, token) else { return Ok(()) };
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let this = this.clone();
                Box::pin(async move { this.sessions.end(tx, shown.session, now).await.map(drop) })
            })
            .await
    }

    /// The account of a member of staff.
    pub(crate) async fn staff_account(&self, id: Uuid) -> Result<StaffRow> {
        store::by_id(&mut self.platform.db.read().await?, id).await?.ok_or_else(Error::token_not_valid)
    }
}

impl StaffNames for Auth {
    fn name(&self, id: Uuid) -> BoxFuture<'_, Result<Option<String>>> {
        Box::pin(async move {
            let mut tx = self.platform.db.read().await?;
            Ok(store::by_id(&mut tx, id).await?.map(|staff| staff.name))
        })
    }
}

//! Members of staff: how they come, sign in, keep their account, and look after each other's.

pub mod addresses;
pub mod api;
mod desk;
mod gates;
pub mod invitation_store;
mod invitations;
mod letters;
mod own;
mod restore;
mod second_factor;
mod sign_in;
pub mod store;

use std::time::Duration;

use agio_core::identity::{Actor, Permission, Role, Staff};
use agio_core::needs::StaffNames;
use agio_core::{BoxFuture, Error, Result, Timestamp, Tx, audit};
use serde_json::Value;
use uuid::Uuid;

use crate::auth::{Auth, Client};
use crate::passwords::STAFF_LENGTH_MIN;
use crate::secrets::normal_email;
use crate::sessions::Tokens;
use store::{Joining, StaffRow};

/// Seeing who works here and where they are signed in.
pub const STAFF_READ: Permission = Permission("staff.read");
/// Inviting, disabling, and changing roles: the owner's alone.
pub const STAFF_MANAGE: Permission = Permission("staff.manage");

/// How long a browser or address is remembered after it was last used.
const FAMILIAR_FOR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// What an installation says of its console. It is configuration and not a setting: who takes over an operator's session must not
/// be able to change it.
#[derive(Clone, Debug)]
pub struct Console {
    /// The address staff know the console's host under, without a slash at the end.
    pub url: String,
    /// Whether everybody needs a second factor.
    pub second_factor_required: bool,
}

/// Somebody who is to work here, with a password from the start: for the demonstration and for tests.
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
    pub profile: StaffProfile,
    /// The secret by which the browser is known from now on, where it is new.
    pub device: Option<String>,
}

/// An account as its owner sees it.
#[derive(Clone)]
pub(crate) struct StaffProfile {
    pub row: StaffRow,
    /// Whether signing in needs a code.
    pub second_factor: bool,
    /// How many recovery codes are left.
    pub recovery_codes: i64,
    /// Whether a second factor has to be set up before anything else.
    pub setup_needed: bool,
    /// Until when what asks for a fresh second factor may be done.
    pub fresh_until: Option<Timestamp>,
}

impl Auth {
    /// Takes somebody on, with a password.
    ///
    /// # Errors
    /// 422 for an unfit password or an address that is taken.
    pub async fn add_staff(&self, new: NewStaff) -> Result<Uuid> {
        let email = normal_email(&new.email);
        let password_hash = self.staff_passwords.accept(new.password, "password", STAFF_LENGTH_MIN, Vec::new()).await?;
        let (id, now) = (self.platform.random.uuid(), self.platform.clock.now());
        let joining = Joining { id, email, name: new.name, role: new.role, locale: Default::default(), password_hash };
        let added = self
            .platform
            .db
            .write(move |tx| {
                let joining = joining.clone();
                Box::pin(async move { store::insert(tx, &joining, now).await })
            })
            .await;
        added.map(|()| id).map_err(taken)
    }

    /// Whether anybody works here with this address.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn knows(&self, email: &str) -> Result<bool> {
        Ok(store::by_email(&mut self.platform.db.read().await?, &normal_email(email)).await?.is_some())
    }

    pub(crate) async fn forget_staffs_traces(&self, now: Timestamp) -> Result<()> {
        self.platform
            .db
            .write(move |tx| {
                Box::pin(async move {
                    store::forget_restores(tx, now).await?;
                    store::forget_marks(tx, now.minus(FAMILIAR_FOR)).await
                })
            })
            .await
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

/// The refusal of an address that somebody has already.
fn taken(error: Error) -> Error {
    match error.constraint() {
        Some(_) => Error::unprocessable("validation_failed").at("email", "email_taken"),
        None => error,
    }
}

/// The member of staff as the audit log knows them, calling from there.
fn actor(row: &StaffRow, client: &Client) -> Actor {
    Actor::from(&Staff { address: Some(client.address), ..row.staff() })
}

/// Writes down what was done to an account.
async fn note(tx: &mut Tx, by: &Actor, action: &str, staff: Uuid, now: Timestamp) -> Result<()> {
    note_change(tx, by, action, staff, None, None, now).await
}

/// The same, with what changed.
async fn note_change(
    tx: &mut Tx,
    by: &Actor,
    action: &str,
    staff: Uuid,
    before: Option<Value>,
    after: Option<Value>,
    now: Timestamp,
) -> Result<()> {
    audit::record(tx, audit::Entry { by, action, about: "staff", id: staff.to_string(), before, after }, now).await
}

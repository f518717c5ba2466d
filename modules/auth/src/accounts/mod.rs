//! Accounts, of staff and of customers alike. [`Audience`] tells what differs.

mod attempt_limits;
mod emails;
mod password;
mod second_factor;
mod sessions;
mod sign_in;
pub mod store;

use agio_core::identity::{Actor, AuditActorKind, Staff};
use agio_core::texts::Locale;
use agio_core::{Error, Result, Timestamp, Tx, audit};
use serde_json::Value;
use uuid::Uuid;

use crate::audience::{AccountRef, Audience};
use crate::auth::ClientInfo;
use crate::sessions::SessionHolder;

pub use emails::{SecurityEmail, new_email};
pub use password::{checked_email, link_not_valid};
pub use second_factor::{SecondFactorChange, SecondFactorConfirmation};
pub use sign_in::{Credentials, OpenedSession};
pub use store::{Link, LinkPurpose};

#[derive(Clone, Debug)]
pub struct AccountRecord {
    pub id: Uuid,
    pub email: String,
    pub password_hash: String,
    /// Language of e-mails.
    pub locale: Locale,
    /// The IANA name of a customer's time zone, if it is known.
    pub time_zone: Option<String>,
    /// Disabled staff, banned customers.
    pub blocked: bool,
    pub created_at: Timestamp,
    pub holder: SessionHolder,
}

impl AccountRecord {
    pub fn reference(&self) -> AccountRef {
        self.holder.account()
    }

    pub fn audience(&self) -> Audience {
        self.holder.account().audience
    }

    /// Whether the e-mail address is confirmed; that of staff is, by their invitation.
    pub fn is_activated(&self) -> bool {
        match &self.holder {
            SessionHolder::Staff(_) => true,
            SessionHolder::Customer { activated, .. } => *activated,
        }
    }

    /// # Errors
    /// An internal error for a customer.
    pub fn staff(&self) -> Result<&Staff> {
        match &self.holder {
            SessionHolder::Staff(staff) => Ok(staff),
            SessionHolder::Customer { .. } => Err(Error::internal("a customer is not a staff member")),
        }
    }

    /// The account's owner at a client. Customers are identified by their id alone.
    pub fn actor(&self, client: &ClientInfo) -> Actor {
        match &self.holder {
            SessionHolder::Staff(staff) => Actor::from(&Staff { address: Some(client.address), ..staff.clone() }),
            SessionHolder::Customer { id, .. } => customer_actor(*id, client),
        }
    }
}

pub fn customer_actor(id: Uuid, client: &ClientInfo) -> Actor {
    Actor { kind: AuditActorKind::Customer, id: Some(id), name: String::new(), address: Some(client.address) }
}

/// Records an action on an account in the audit log.
pub async fn record(tx: &mut Tx, account: AccountRef, by: &Actor, action: &str, now: Timestamp) -> Result<()> {
    record_change(tx, account, by, action, (None, None), now).await
}

/// The same, with the account before and after.
pub async fn record_change(
    tx: &mut Tx,
    account: AccountRef,
    by: &Actor,
    action: &str,
    (before, after): (Option<Value>, Option<Value>),
    now: Timestamp,
) -> Result<()> {
    let (about, id) = (account.audience.subject(), account.id.to_string());
    let action = format!("{about}.{action}");
    audit::record(tx, audit::NewAuditEntry { by, action: &action, about, id, before, after }, now).await
}

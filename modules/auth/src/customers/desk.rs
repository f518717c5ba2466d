//! Customers as staff see them, and shutting them out.

use std::sync::Arc;

use agio_core::identity::{Actor, Permission, Staff};
use agio_core::{Error, Result, Timestamp, Tx, audit, fetch_all, fetch_optional};
use serde_json::{Value, json};
use uuid::Uuid;

use super::store;
use crate::auth::Auth;
use crate::sessions::Account;
use crate::tokens::Audience;

/// Seeing customers' accounts.
pub const CUSTOMERS_READ: Permission = Permission("customers.read");
/// Shutting customers out and letting them back in.
pub const CUSTOMERS_BAN: Permission = Permission("customers.ban");

/// The longest reason, in characters.
const REASON_MAX: usize = 500;

agio_core::statements! {
    SEEN_CUSTOMERS = "SELECT customer.id, customer.email, customer.locale, customer.activated_at, customer.banned_at, customer.ban_reason,
            customer.created_at, (SELECT COUNT(*) FROM account_session session WHERE session.customer_id = customer.id
                AND session.ended_at IS NULL AND session.expires_at > $5 AND session.refreshed_at > $6) AS sessions
        FROM customer
        WHERE customer.email LIKE $1 ESCAPE '!' AND (customer.banned_at IS NOT NULL OR NOT $2)
            AND (customer.created_at < $3 OR (customer.created_at = $3 AND customer.id < $4))
        ORDER BY customer.created_at DESC, customer.id DESC LIMIT $7";
    SEEN_CUSTOMER = "SELECT customer.id, customer.email, customer.locale, customer.activated_at, customer.banned_at, customer.ban_reason,
            customer.created_at, (SELECT COUNT(*) FROM account_session session WHERE session.customer_id = customer.id
                AND session.ended_at IS NULL AND session.expires_at > $2 AND session.refreshed_at > $3) AS sessions
        FROM customer WHERE customer.id = $1";
}

/// A customer's account as staff see it.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct SeenCustomer {
    pub id: Uuid,
    pub email: String,
    pub locale: String,
    pub activated_at: Option<Timestamp>,
    pub banned_at: Option<Timestamp>,
    pub ban_reason: Option<String>,
    pub created_at: Timestamp,
    /// In how many browsers they are signed in.
    pub sessions: i64,
}

/// Which customers are meant.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// A part of the e-mail address; empty for everybody.
    pub email: String,
    /// Only those who are banned.
    pub banned: bool,
    /// Those who came before this one, by the moment and the identifier.
    pub behind: Option<(Timestamp, Uuid)>,
    /// How many at most.
    pub size: i64,
}

impl Auth {
    /// Customers, the newest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub(crate) async fn customers(&self, wanted: Wanted) -> Result<Vec<SeenCustomer>> {
        let (live_at, used_since) = self.session_bounds();
        let (before, below) = wanted.behind.unwrap_or((Timestamp(i64::MAX), Uuid::max()));
        let pattern = containing(&crate::secrets::normal_email(&wanted.email));
        let mut tx = self.platform.db.read().await?;
        fetch_all!(&mut tx, SeenCustomer, SEEN_CUSTOMERS, pattern, wanted.banned, before, below, live_at, used_since, wanted.size)
    }

    /// One customer.
    ///
    /// # Errors
    /// 404 `customer_not_found`.
    pub(crate) async fn seen_customer(&self, id: Uuid) -> Result<SeenCustomer> {
        self.seen(&mut self.platform.db.read().await?, id).await
    }

    /// Shuts a customer out: every session of theirs ends at once, and their sign-in is refused. Does nothing for one who is out.
    ///
    /// # Errors
    /// 404 `customer_not_found`; 422 for a reason that is missing or too long.
    pub(crate) async fn ban_customer(self: &Arc<Self>, id: Uuid, reason: &str, by: Staff) -> Result<()> {
        self.set_ban(id, true, checked_reason(reason)?, by).await
    }

    /// Lets a customer back in, who has to sign in anew. Does nothing for one who is not out.
    ///
    /// # Errors
    /// 404 `customer_not_found`; 422 for a reason that is missing or too long.
    pub(crate) async fn unban_customer(self: &Arc<Self>, id: Uuid, reason: &str, by: Staff) -> Result<()> {
        self.set_ban(id, false, checked_reason(reason)?, by).await
    }

    async fn set_ban(self: &Arc<Self>, id: Uuid, banned: bool, reason: String, by: Staff) -> Result<()> {
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, by, reason) = (this.clone(), Actor::from(&by), reason.clone());
                Box::pin(async move {
                    let before = this.seen(tx, id).await?;
                    let changed = if banned { store::ban(tx, id, &reason, now).await? } else { store::unban(tx, id).await? };
                    if !changed {
                        return Ok(());
                    }
                    if banned {
                        store::forget_links_of(tx, id).await?;
                        this.sessions.end_all(tx, Account::Customer(id), None, now).await?;
                    }
                    let was = before.ban_reason.map_or(Value::Null, |reason| json!({ "reason": reason }));
                    let entry = audit::Entry {
                        by: &by,
                        action: if banned { "customer.banned" } else { "customer.unbanned" },
                        about: "customer",
                        id: id.to_string(),
                        before: (!was.is_null()).then_some(was),
                        after: Some(json!({ "reason": reason })),
                    };
                    audit::record(tx, entry, now).await
                })
            })
            .await
    }

    async fn seen(&self, tx: &mut Tx, id: Uuid) -> Result<SeenCustomer> {
        let (live_at, used_since) = self.session_bounds();
        let found = fetch_optional!(tx, SeenCustomer, SEEN_CUSTOMER, id, live_at, used_since)?;
        found.ok_or_else(|| Error::not_found("customer_not_found"))
    }

    /// The moment after which a live session ends, and since when it was used.
    fn session_bounds(&self) -> (Timestamp, Timestamp) {
        let now = self.platform.clock.now();
        (now, now.minus(Audience::Site.life().idle))
    }
}

/// A pattern for what has this part, whatever signs are in it.
fn containing(part: &str) -> String {
    let escaped = part.replace('!', "!!").replace('%', "!%").replace('_', "!_");
    format!("%{escaped}%")
}

fn checked_reason(reason: &str) -> Result<String> {
    let reason = reason.trim();
    if reason.is_empty() {
        return Err(Error::unprocessable("validation_failed").at("reason", "required"));
    }
    if reason.chars().count() > REASON_MAX {
        return Err(Error::unprocessable("validation_failed").with("max", REASON_MAX).at("reason", "text_too_long"));
    }
    Ok(reason.to_owned())
}

//! Administration of customers: list, bans and lost second factors.

use std::sync::Arc;

use agio_core::identity::{Actor, Permission, Staff};
use agio_core::keyset::KeysetPage;
use agio_core::texts::Locale;
use agio_core::{Error, Result, Timestamp, Tx, fetch_all, fetch_optional};
use serde_json::json;
use uuid::Uuid;

use super::store;
use crate::accounts::{new_email, record_change, store as accounts};
use crate::audience::{AccountRef, Audience};
use crate::auth::Auth;
use crate::second_factor;

pub const CUSTOMERS_READ: Permission = Permission("customers.read");
pub const CUSTOMERS_BAN: Permission = Permission("customers.ban");

/// Longest reason, in characters.
const REASON_MAX: usize = 500;

/// $1 and $2 bound live sessions: expiry after, last use after.
macro_rules! customers {
    ($which:literal) => {
        concat!(
            "SELECT customer.id, customer.email, customer.locale, customer.activated_at, customer.banned_at, customer.ban_reason,
                customer.created_at, (SELECT COUNT(*) FROM account_session session WHERE session.customer_id = customer.id
                    AND session.ended_at IS NULL AND session.expires_at > $1 AND session.refreshed_at > $2) AS sessions,
                (SELECT COUNT(*) FROM second_factor factor WHERE factor.account_id = customer.id
                    AND factor.confirmed_at IS NOT NULL) AS second_factors
            FROM customer WHERE ",
            $which
        )
    };
}

agio_core::statements! {
    LISTED_CUSTOMERS = customers!("customer.email LIKE $3 ESCAPE '!' AND (customer.banned_at IS NOT NULL OR NOT $4)
            AND (customer.created_at < $5 OR (customer.created_at = $5 AND customer.id < $6))
        ORDER BY customer.created_at DESC, customer.id DESC LIMIT $7");
    LISTED_CUSTOMER = customers!("customer.id = $3");
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct CustomerAdminRow {
    pub id: Uuid,
    pub email: String,
    pub locale: Locale,
    pub activated_at: Option<Timestamp>,
    pub banned_at: Option<Timestamp>,
    pub ban_reason: Option<String>,
    pub created_at: Timestamp,
    /// Number of live sessions.
    pub sessions: i64,
    /// One if the account has a second factor, else none.
    pub second_factors: i64,
}

pub struct CustomerFilter {
    /// Part of the e-mail address; empty for all.
    pub email: String,
    /// Only banned customers.
    pub banned: bool,
    /// After this customer in the list.
    pub after: Option<CustomerKey>,
    pub size: usize,
}

/// Sort key of the list: creation time and id.
pub type CustomerKey = (Timestamp, Uuid);

impl Auth {
    /// Newest first.
    pub(crate) async fn list_customers(&self, filter: CustomerFilter) -> Result<KeysetPage<CustomerAdminRow, CustomerKey>> {
        let (live_at, used_since) = self.session_bounds();
        let (before, below) = filter.after.unwrap_or((Timestamp(i64::MAX), Uuid::max()));
        let pattern = containing(&crate::secrets::normalize_email(&filter.email));
        let rows = fetch_all!(
            &mut self.platform.db.read().await?,
            CustomerAdminRow,
            LISTED_CUSTOMERS,
            live_at,
            used_since,
            pattern,
            filter.banned,
            before,
            below,
            filter.size as i64 + 1
        )?;
        Ok(KeysetPage::of(rows, filter.size, |row| (row.created_at, row.id)))
    }

    /// Bans a customer and revokes their sessions, or lifts the ban; nothing if it is so already. Returns the customer.
    ///
    /// # Errors
    /// 404 `customer_not_found`; 422 for a reason that is missing or too long.
    pub(crate) async fn set_ban(self: &Arc<Self>, id: Uuid, banned: bool, reason: &str, by: Staff) -> Result<CustomerAdminRow> {
        let input = (checked_reason(reason)?, Actor::from(&by));
        self.transaction(input, move |this, tx, (reason, by), now| {
            Box::pin(async move {
                let before = this.customer_row(tx, id).await?;
                let changed = if banned { store::ban(tx, id, &reason, now).await? } else { store::unban(tx, id).await? };
                if !changed {
                    return Ok(before);
                }
                let customer = AccountRef::customer(id);
                if banned {
                    accounts::delete_links_of(tx, id).await?;
                    this.sessions.end_all(tx, customer, None, now).await?;
                }
                let change = (before.ban_reason.map(|reason| json!({ "reason": reason })), Some(json!({ "reason": reason })));
                record_change(tx, customer, &by, if banned { "banned" } else { "unbanned" }, change, now).await?;
                this.customer_row(tx, id).await
            })
        })
        .await
    }

    /// Turns off the second factor of a customer who has lost it, or whom somebody else locked out with one. Revokes their
    /// sessions and notifies them. Returns the customer.
    ///
    /// # Errors
    /// 404 `customer_not_found`; 409 `totp_not_on`; 422 for a reason that is missing or too long.
    pub(crate) async fn reset_customer_second_factor(
        self: &Arc<Self>,
        id: Uuid,
        reason: &str,
        by: Staff,
    ) -> Result<CustomerAdminRow> {
        let input = (checked_reason(reason)?, Actor::from(&by));
        self.transaction(input, move |this, tx, (reason, by), now| {
            Box::pin(async move {
                let customer = AccountRef::customer(id);
                let account = accounts::lock(tx, customer).await?.ok_or_else(customer_not_found)?;
                if !second_factor::is_on(tx, id).await? {
                    return Err(Error::conflict("totp_not_on"));
                }
                second_factor::remove(tx, id).await?;
                this.sessions.end_all(tx, customer, None, now).await?;
                let email = new_email("second_factor_reset", &account).with("time", this.time_for(&account, now));
                this.mail(tx, &account, &email, now).await?;
                let change = (None, Some(json!({ "reason": reason })));
                record_change(tx, customer, &by, "second_factor_reset", change, now).await?;
                this.customer_row(tx, id).await
            })
        })
        .await
    }

    /// # Errors
    /// 404 `customer_not_found`.
    async fn customer_row(&self, tx: &mut Tx, id: Uuid) -> Result<CustomerAdminRow> {
        let (live_at, used_since) = self.session_bounds();
        let found = fetch_optional!(tx, CustomerAdminRow, LISTED_CUSTOMER, live_at, used_since, id)?;
        found.ok_or_else(customer_not_found)
    }

    /// Bounds of live sessions: expiry after, last use after.
    fn session_bounds(&self) -> (Timestamp, Timestamp) {
        let now = self.platform.clock.now();
        (now, now.minus(Audience::Customers.idle_life()))
    }
}

fn customer_not_found() -> Error {
    Error::not_found("customer_not_found")
}

/// An escaped `LIKE` pattern.
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

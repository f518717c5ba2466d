//! Customers, as staff see them and shut them out.

use agio_core::{Error, Timestamp};
use agio_http::{Answer, Input, Moment, Null, Outcome, StaffAuth};
use poem_openapi::param::{Path, Query};
use poem_openapi::types::Example;
use poem_openapi::{Object, OpenApi};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Calls, Tag};
use crate::customers::desk::{CUSTOMERS_BAN, CUSTOMERS_READ, SeenCustomer, Wanted};

/// Rows of a page unless more or fewer are wanted, and the most there are.
const SIZE: u32 = 50;
const SIZE_MAX: u32 = 100;

/// The longest part of an address that is looked for, in characters.
const PART_MAX: usize = 254;

/// The calls.
pub struct CustomerDesk(pub(super) Calls);

/// A customer's account as staff see it.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct AuthCustomerRow {
    /// Identifier.
    id: Uuid,
    /// E-mail address.
    email: String,
    /// The language of their letters: `ru` or `en`.
    language: String,
    /// When they showed that the address is theirs; null while they have not.
    activated_at: Null<Moment>,
    /// When they signed up.
    created_at: Moment,
    /// In how many browsers they are signed in.
    sessions: i64,
    /// When they were banned; null for those who are not.
    banned_at: Null<Moment>,
    /// Why they were banned.
    ban_reason: Null<String>,
}

/// A page of customers, the newest first.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct AuthCustomerPage {
    /// The customers.
    items: Vec<AuthCustomerRow>,
    /// Where the next page begins; null on the last one.
    next_cursor: Null<String>,
}

/// Why somebody is banned, or is not any more.
#[derive(Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields, example)]
struct AuthBanReason {
    /// For the audit log and for colleagues, at most 500 characters; the customer is not shown it.
    reason: String,
}

impl Example for AuthBanReason {
    fn example() -> Self {
        Self { reason: "Paid from cards of strangers; see claim 100417.".into() }
    }
}

impl From<SeenCustomer> for AuthCustomerRow {
    fn from(seen: SeenCustomer) -> Self {
        Self {
            id: seen.id,
            email: seen.email,
            language: seen.locale,
            activated_at: Null(seen.activated_at.map(Moment)),
            created_at: seen.created_at.into(),
            sessions: seen.sessions,
            banned_at: Null(seen.banned_at.map(Moment)),
            ban_reason: Null(seen.ban_reason),
        }
    }
}

#[OpenApi(prefix_path = "/api/admin/v1/customers", tag = "Tag::Customers")]
impl CustomerDesk {
    /// List customers
    ///
    /// Those with an account, the newest first. Needs `customers.read`.
    #[oai(path = "/", method = "get", operation_id = "listCustomers")]
    async fn list(
        &self,
        auth: StaffAuth,
        /// A part of the e-mail address.
        q: Query<Option<String>>,
        /// Only those who are banned.
        banned: Query<Option<bool>>,
        /// `nextCursor` of the page before.
        cursor: Query<Option<String>>,
        /// Rows of a page, at most 100.
        size: Query<Option<u32>>,
    ) -> Outcome<Answer<AuthCustomerPage>> {
        auth.may(CUSTOMERS_READ)?;
        let refused = |field: &str| Error::unprocessable("validation_failed").at(field, "malformed_parameter");
        let behind = cursor.0.filter(|text| !text.is_empty()).map(|text| read_cursor(&text).ok_or_else(|| refused("cursor")));
        let size = size.0.unwrap_or(SIZE);
        if !(1..=SIZE_MAX).contains(&size) {
            return Err(refused("size").into());
        }
        let email = q.0.unwrap_or_default();
        if email.chars().count() > PART_MAX {
            return Err(refused("q").into());
        }
        // One more than the page shows whether there is another one.
        let wanted = Wanted { email, banned: banned.0.unwrap_or(false), behind: behind.transpose()?, size: i64::from(size) + 1 };
        let mut rows = self.0.auth.customers(wanted).await?;
        let has_more = rows.len() > size as usize;
        rows.truncate(size as usize);
        let next = rows.last().filter(|_| has_more).map(|last| format!("{}_{}", last.created_at.0, last.id));
        Ok(Answer(AuthCustomerPage { items: rows.into_iter().map(Into::into).collect(), next_cursor: Null(next) }))
    }

    /// Ban a customer
    ///
    /// Their sessions end at once, links that were mailed to them are good no more, and signing in is refused with 403 `account_banned` to
    /// whoever knows the password. Their claims go on, by the links. Needs `customers.ban`.
    #[oai(path = "/:id/ban", method = "post", operation_id = "banCustomer")]
    async fn ban(&self, auth: StaffAuth, id: Path<Uuid>, why: Input<AuthBanReason>) -> Outcome<Answer<AuthCustomerRow>> {
        self.0.auth.ban_customer(id.0, &why.0.reason, auth.may(CUSTOMERS_BAN)?).await?;
        Ok(Answer(self.0.auth.seen_customer(id.0).await?.into()))
    }

    /// Let a customer back in
    ///
    /// They sign in anew. Needs `customers.ban`.
    #[oai(path = "/:id/unban", method = "post", operation_id = "unbanCustomer")]
    async fn unban(&self, auth: StaffAuth, id: Path<Uuid>, why: Input<AuthBanReason>) -> Outcome<Answer<AuthCustomerRow>> {
        self.0.auth.unban_customer(id.0, &why.0.reason, auth.may(CUSTOMERS_BAN)?).await?;
        Ok(Answer(self.0.auth.seen_customer(id.0).await?.into()))
    }
}

fn read_cursor(text: &str) -> Option<(Timestamp, Uuid)> {
    let (at, id) = text.split_once('_')?;
    Some((Timestamp(at.parse().ok()?), id.parse().ok()?))
}

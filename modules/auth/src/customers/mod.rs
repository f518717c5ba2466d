//! Customers: signing up, signing in, and what they keep of their account themselves.

mod account;
pub mod api;
pub mod desk;
mod gates;
mod letters;
mod requests;
mod restore;
mod second_factor;
mod sign_in;
pub mod sign_up;
pub mod store;

use std::time::Duration;

use agio_core::identity::{Actor, ActorKind};
use agio_core::{Result, Timestamp, Tx, audit};
use rust_decimal::Decimal;
use uuid::Uuid;

use crate::auth::{Auth, Client};
use crate::sessions::Tokens;
use store::CustomerRow;

/// How long a browser or address is remembered after it was last used.
const FAMILIAR_FOR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// How long a request that was given up is kept: until owners have certainly been told of it.
const GIVEN_UP_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The setting of the site's name.
const SITE_NAME: &str = "site.name";

/// What a sign-in or refresh gives.
pub(crate) struct CustomerSignedIn {
    pub tokens: Tokens,
    pub profile: Profile,
    /// The secret by which the browser is known from now on, where it is new.
    pub device: Option<String>,
}

/// An account as its owner sees it.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    pub customer: CustomerRow,
    /// Whether signing in needs a code.
    pub second_factor: bool,
    /// How many recovery codes are left.
    pub recovery_codes: i64,
    /// Percent of bonus in their rates, before a pair bounds it.
    pub bonus: Decimal,
}

impl Auth {
    pub(crate) async fn forget_customers_traces(&self, now: Timestamp) -> Result<()> {
        self.platform
            .db
            .write(move |tx| {
                Box::pin(async move {
                    store::forget_links(tx, now).await?;
                    store::forget_marks(tx, now.minus(FAMILIAR_FOR)).await?;
                    store::forget_requests(tx, now.minus(GIVEN_UP_FOR)).await
                })
            })
            .await
    }

    /// The name of the site, as the operator set it.
    pub(crate) fn site_name(&self) -> String {
        self.platform.settings.text(SITE_NAME)
    }
}

/// The customer as the audit log knows them, calling from there.
fn actor(customer: Uuid, client: &Client) -> Actor {
    Actor { kind: ActorKind::Customer, id: Some(customer), name: String::new(), address: Some(client.address) }
}

/// Writes down what was done to an account.
async fn note(tx: &mut Tx, by: &Actor, action: &str, customer: &str, now: Timestamp) -> Result<()> {
    let entry = audit::Entry { by, action, about: "customer", id: customer.to_owned(), before: None, after: None };
    audit::record(tx, entry, now).await
}

//! Setting a new password by a mailed link.

use std::sync::Arc;

use agio_core::Result;

use super::sign_up::link_not_valid;
use super::store::{self, Purpose};
use super::{actor, note};
use crate::attempts;
use crate::auth::{Auth, Client};
use crate::passwords::{LENGTH_MIN, words_of};
use crate::secrets::digest;
use crate::sessions::Account;

impl Auth {
    /// Sets a new password by a mailed link. Every session ends, nobody is signed in by it, and the owner is told. Who has the link has
    /// the address, so it activates the account as well; a second factor stays as it is.
    ///
    /// # Errors
    /// 404 `link_not_valid`: unknown, used, replaced by a newer one, or too old; 422 for an unfit password, which leaves the link
    /// good.
    pub(crate) async fn restore(self: &Arc<Self>, token: &str, password: String, client: Client) -> Result<()> {
        let (now, token) = (self.platform.clock.now(), digest(token));
        let mut tx = self.platform.db.read().await?;
        let id = store::link(&mut tx, &token, Purpose::Restore, now).await?.ok_or_else(link_not_valid)?;
        let email = store::by_id(&mut tx, id).await?.email;
        drop(tx);
        let hash = self.passwords.accept(password, "password", LENGTH_MIN, words_of(&self.site_name(), &email)).await?;
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let (this, token, hash, client) = (this.clone(), token.clone(), hash.clone(), client.clone());
                Box::pin(async move {
                    let id = store::use_link(tx, &token, Purpose::Restore, now).await?.ok_or_else(link_not_valid)?;
                    store::set_password_hash(tx, id, &hash).await?;
                    store::activate(tx, id, now).await?;
                    store::forget_links_of(tx, id).await?;
                    this.sessions.end_all(tx, Account::Customer(id), None, now).await?;
                    let customer = store::by_id(tx, id).await?;
                    // Strangers who tried passwords do not keep the owner waiting.
                    attempts::forget(tx, &Self::gates_of_owner(&customer.email)).await?;
                    this.mail_change(tx, "password_restored", &customer, &client, now).await?;
                    note(tx, &actor(id, &client), "customer.restored", &id.to_string(), now).await
                })
            })
            .await
    }
}

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
    /// the address. Where nobody had shown that before, whoever signed up may have been somebody else: the owner gets an account of their own
    /// in place of that one, with nothing in it. Else everything stays as it is, a second factor included.
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
                    store::forget_links_of(tx, id).await?;
                    this.sessions.end_all(tx, Account::Customer(id), None, now).await?;
                    let customer = store::by_id(tx, id).await?;
                    let customer = if customer.activated_at.is_some() {
                        store::set_password_hash(tx, id, &hash).await?;
                        customer
                    } else {
                        let own = this.platform.random.uuid();
                        store::replace(tx, &customer, own, &hash, now).await?;
                        note(tx, &actor(own, &client), "customer.abandoned", &id.to_string(), now).await?;
                        store::by_id(tx, own).await?
                    };
                    // Strangers who tried passwords do not keep the owner waiting.
                    attempts::forget(tx, &Self::gates_of_owner(&customer.email)).await?;
                    this.mail_change(tx, "password_restored", &customer, &client, now).await?;
                    note(tx, &actor(customer.id, &client), "customer.restored", &customer.id.to_string(), now).await
                })
            })
            .await
    }
}

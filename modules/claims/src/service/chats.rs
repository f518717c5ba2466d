//! Chats in messengers that are told of a claim, or of all claims of an account.

use std::sync::Arc;

use agio_core::Result;
use agio_core::identity::Customer;
use agio_core::texts::Locale;
use agio_push::{Chat, ChatLink, PushTarget};
use uuid::Uuid;

use super::Claims;
use super::browser_notifications::account_of;
use crate::store::claims;

impl Claims {
    /// A link with which the claim's customer starts a chat, which is told of the claim in its language.
    ///
    /// # Errors
    /// 404 `claim_not_found`, `messenger_not_found`; 409 `too_many_browsers`; 503 `messenger_unavailable`.
    pub async fn claim_chat_link(self: &Arc<Self>, claim: Uuid, messenger: String) -> Result<ChatLink> {
        let (this, now) = (self.clone(), self.platform.clock.now());
        let name = messenger.clone();
        let write = self.platform.db.write(move |tx| {
            let (this, messenger) = (this.clone(), name.clone());
            Box::pin(async move {
                // Locked, so that the chats can be counted.
                let claim = claims::locked(tx, claim).await?;
                this.push.open_link(tx, PushTarget::Claim(claim.id), &messenger, claim.locale(), now).await
            })
        });
        self.push.link_of(&messenger, write.await?).await
    }

    /// As [`Claims::claim_chat_link`], for all claims of an account.
    ///
    /// # Errors
    /// 404 `messenger_not_found`; 409 `too_many_browsers`; 503 `messenger_unavailable`.
    pub async fn account_chat_link(self: &Arc<Self>, customer: &Customer, messenger: String, locale: Locale) -> Result<ChatLink> {
        let (this, now) = (self.clone(), self.platform.clock.now());
        let (target, name) = (account_of(customer), messenger.clone());
        let write = self.platform.db.write(move |tx| {
            let (this, messenger) = (this.clone(), name.clone());
            Box::pin(async move { this.push.open_link(tx, target, &messenger, locale, now).await })
        });
        self.push.link_of(&messenger, write.await?).await
    }

    /// The chats that are told of a claim.
    ///
    /// # Errors
    /// 404 `claim_not_found`.
    pub async fn claim_chats(&self, claim: Uuid) -> Result<Vec<Chat>> {
        let claim = claims::claim(&mut self.platform.db.read().await?, claim).await?;
        self.push.chats(PushTarget::Claim(claim.id)).await
    }

    /// The chats that are told of all claims of an account.
    pub async fn account_chats(&self, customer: &Customer) -> Result<Vec<Chat>> {
        self.push.chats(account_of(customer)).await
    }
}

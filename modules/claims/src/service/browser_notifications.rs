//! Browsers that are notified of a claim, or of all claims of an account.

use std::sync::Arc;

use agio_core::Result;
use agio_core::identity::Customer;
use agio_push::{NewPushSubscription, PushTarget};
use uuid::Uuid;

use super::Claims;
use crate::store::claims;

impl Claims {
    /// The public key that browsers subscribe with.
    ///
    /// # Errors
    /// 409 `browser_notifications_off`.
    pub async fn push_key(&self) -> Result<String> {
        self.push.check_is_on()?;
        self.push.public_key().await
    }

    /// Subscribes a browser to a claim. Anybody with its link may read it, and so be notified of it.
    ///
    /// # Errors
    /// 404 `claim_not_found`; 409 `browser_notifications_off`, `too_many_browsers`; 422 for the subscription.
    pub async fn subscribe_to_claim(self: &Arc<Self>, claim: Uuid, new: NewPushSubscription) -> Result<Uuid> {
        self.push.check(&new)?;
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, new) = (this.clone(), new.clone());
                Box::pin(async move {
                    // Locked, so that the browsers can be counted.
                    let claim = claims::locked(tx, claim).await?.id;
                    this.push.subscribe(tx, PushTarget::Claim(claim), &new, now).await
                })
            })
            .await
    }

    /// # Errors
    /// 404 `push_subscription_not_found`.
    pub async fn find_claim_subscription(&self, claim: Uuid, id: Uuid) -> Result<()> {
        self.push.find(PushTarget::Claim(claim), id).await
    }

    /// # Errors
    /// 404 `push_subscription_not_found`, also for one of another session.
    pub async fn find_account_subscription(&self, customer: &Customer, id: Uuid) -> Result<()> {
        self.push.find(account_of(customer), id).await
    }

    /// # Errors
    /// 404 `push_subscription_not_found`.
    pub async fn unsubscribe_from_claim(self: &Arc<Self>, claim: Uuid, id: Uuid) -> Result<()> {
        self.unsubscribe(PushTarget::Claim(claim), id).await
    }

    /// Subscribes a browser to all claims that are made in an account, until it signs out.
    ///
    /// # Errors
    /// 409 `browser_notifications_off`, `too_many_browsers`; 422 for the subscription.
    pub async fn subscribe_to_account(self: &Arc<Self>, customer: &Customer, new: NewPushSubscription) -> Result<Uuid> {
        self.push.check(&new)?;
        let (this, now) = (self.clone(), self.platform.clock.now());
        let target = account_of(customer);
        self.platform
            .db
            .write(move |tx| {
                let (this, new) = (this.clone(), new.clone());
                Box::pin(async move { this.push.subscribe(tx, target, &new, now).await })
            })
            .await
    }

    /// # Errors
    /// 404 `push_subscription_not_found`.
    pub async fn unsubscribe_from_account(self: &Arc<Self>, customer: &Customer, id: Uuid) -> Result<()> {
        self.unsubscribe(account_of(customer), id).await
    }

    async fn unsubscribe(self: &Arc<Self>, target: PushTarget, id: Uuid) -> Result<()> {
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let this = this.clone();
                Box::pin(async move { this.push.unsubscribe(tx, target, id).await })
            })
            .await
    }
}

pub(super) fn account_of(customer: &Customer) -> PushTarget {
    PushTarget::Account { account: customer.id, session: Some(customer.session) }
}

//! Attribution of customers to referrers.

use std::net::IpAddr;
use std::sync::Arc;

use agio_contracts::{CompletedExchange, ConfirmedSignUp, SignUpListener};
use agio_core::networks::limit_key;
use agio_core::{BoxFuture, Platform, Result, Tx};
use uuid::Uuid;

use super::{Referral, day_of, too_long};
use crate::DAYS;
use crate::model::normal_code;
use crate::store::referrers::{self, ReferredIdentity};
use crate::store::visits;

const CODE_MAX: usize = 64;

/// Limit per network and day, against inflated counts.
const VISITS_PER_NETWORK: i64 = 10;

/// Digest context of visitors' networks.
const VISITOR_DIGEST: &str = "referral visit";

/// Attributes sign-ups; called by the accounts module.
pub struct SignUpAttribution {
    platform: Platform,
}

impl SignUpAttribution {
    pub fn new(platform: &Platform) -> Arc<Self> {
        Arc::new(Self { platform: platform.clone() })
    }
}

impl SignUpListener for SignUpAttribution {
    fn sign_up_confirmed<'a>(&'a self, tx: &'a mut Tx, sign_up: &'a ConfirmedSignUp) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            debug_assert!(sign_up.at <= self.platform.clock.now());
            let first = referrers::first_referrer(tx, None, &sign_up.email).await?;
            let by_code = match sign_up.referral.as_deref().and_then(normal_code) {
                Some(code) => referrers::by_code(tx, &code).await?.map(|referrer| referrer.customer_id),
                None => None,
            };
            let Some(referrer) = first.or(by_code) else { return Ok(()) };
            referrers::attribute(
                tx,
                &ReferredIdentity { customer: Some(sign_up.account), email: &sign_up.email },
                referrer,
                sign_up.at,
            )
            .await
        })
    }
}

impl Referral {
    /// The referrer who earns from an exchange. Its code attributes the customer unless they already are, and unless
    /// the address may belong to somebody else: an account with an unconfirmed address is not attributed, nor is an
    /// account by a guest's input.
    pub(super) async fn referrer_of(&self, tx: &mut Tx, exchange: &CompletedExchange) -> Result<Option<Uuid>> {
        let owner = self.addresses.owner(tx, &exchange.email).await?;
        let (account, is_bound) = match exchange.customer {
            Some(id) if self.addresses.is_confirmed(tx, id).await? => (Some(id), true),
            Some(_) => (None, false),
            None => (owner, owner.is_none()),
        };
        let found = match referrers::first_referrer(tx, account, &exchange.email).await? {
            Some(first) => Some((first, false)),
            None => match exchange.referral.as_deref().and_then(normal_code) {
                Some(code) => referrers::by_code(tx, &code).await?.map(|named| (named.customer_id, is_bound)),
                None => None,
            },
        };
        let Some((referrer, is_new)) = found else { return Ok(None) };
        if !self.addresses.is_confirmed(tx, referrer).await? {
            return Ok(None);
        }
        if is_new {
            if let Some(account) = account {
                referrers::attribute(
                    tx,
                    &ReferredIdentity { customer: Some(account), email: &exchange.email },
                    referrer,
                    exchange.at,
                )
                .await?;
            }
            // An account's exchange with another person's address does not attribute that address.
            if owner.is_none() || owner == account {
                referrers::attribute(tx, &ReferredIdentity { customer: None, email: &exchange.email }, referrer, exchange.at)
                    .await?;
            }
        }
        Ok(Some(referrer))
    }

    /// Records a visit and returns for how many days browsers remember the code; the same for an unknown code.
    ///
    /// # Errors
    /// 422 if the code is too long.
    pub async fn visit(&self, typed: &str, from: IpAddr) -> Result<i64> {
        if typed.chars().count() > CODE_MAX {
            return Err(too_long("code", CODE_MAX));
        }
        let day = day_of(self.platform.clock.now());
        let digest = self.platform.vault.digest(VISITOR_DIGEST, &format!("{day} {}", limit_key(from)));
        if let Some(code) = normal_code(typed) {
            self.platform
                .db
                .write(move |tx| {
                    let (code, digest) = (code.clone(), digest.clone());
                    Box::pin(async move {
                        match referrers::by_code(tx, &code).await? {
                            Some(found) => visits::count(tx, found.customer_id, day, &digest, VISITS_PER_NETWORK).await,
                            None => Ok(()),
                        }
                    })
                })
                .await?;
        }
        Ok(self.platform.settings.int(DAYS))
    }
}

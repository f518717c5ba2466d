//! Who came by whose link.

use std::net::IpAddr;
use std::sync::Arc;

use agio_core::needs::{Exchange, FollowsSignUps, SignedUp};
use agio_core::networks::limit_key;
use agio_core::{BoxFuture, Platform, Result, Tx};
use uuid::Uuid;

use super::{Referral, day_of, too_long};
use crate::DAYS;
use crate::model::normal_code;
use crate::store::referrers::{self, Party};
use crate::store::visits;

/// The longest code that is read.
const CODE_MAX: usize = 64;

/// How many visits of one household are counted for a link in a day.
const VISITS_OF_A_HOUSEHOLD: i64 = 10;

/// What the marks of households are for.
const MARK: &str = "referral visit";

/// Hears of sign-ups. Accounts hold it; the programme works with what it writes.
pub struct Bonds {
    platform: Platform,
}

impl Bonds {
    /// Over the house's database.
    #[must_use]
    pub fn new(platform: &Platform) -> Arc<Self> {
        Arc::new(Self { platform: platform.clone() })
    }
}

impl FollowsSignUps for Bonds {
    fn signed_up<'a>(&'a self, tx: &'a mut Tx, who: &'a SignedUp) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            debug_assert!(who.at <= self.platform.clock.now());
            let came_before = referrers::first(tx, None, &who.email).await?;
            let named = match who.referral.as_deref().and_then(normal_code) {
                Some(code) => referrers::by_code(tx, &code).await?.map(|referrer| referrer.customer_id),
                None => None,
            };
            let Some(referrer) = came_before.or(named) else { return Ok(()) };
            referrers::bind(tx, &Party { customer: Some(who.account), email: &who.email }, referrer, who.at).await
        })
    }
}

impl Referral {
    /// Who brought whoever made an exchange, and earns by it. The code they named binds them if nothing did before, unless the address may be
    /// somebody else's: an account that has not confirmed its own is bound by nothing, and neither is an account by what a guest typed.
    pub(super) async fn referrer_of(&self, tx: &mut Tx, exchange: &Exchange) -> Result<Option<Uuid>> {
        let owner = self.addresses.owner(tx, &exchange.email).await?;
        let (account, is_bound) = match exchange.customer {
            Some(id) if self.addresses.is_confirmed(tx, id).await? => (Some(id), true),
            Some(_) => (None, false),
            None => (owner, owner.is_none()),
        };
        let found = match referrers::first(tx, account, &exchange.email).await? {
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
                referrers::bind(tx, &Party { customer: Some(account), email: &exchange.email }, referrer, exchange.at).await?;
            }
            // What an account exchanges with an address of somebody else does not bind that one.
            if owner.is_none() || owner == account {
                referrers::bind(tx, &Party { customer: None, email: &exchange.email }, referrer, exchange.at).await?;
            }
        }
        Ok(Some(referrer))
    }

    /// Counts somebody who came by a link, and says for how many days their browser remembers it. An unknown code is not told apart.
    ///
    /// # Errors
    /// 422 for a code that is too long.
    pub async fn visit(&self, typed: &str, from: IpAddr) -> Result<i64> {
        if typed.chars().count() > CODE_MAX {
            return Err(too_long("code", CODE_MAX));
        }
        let day = day_of(self.platform.clock.now());
        let mark = self.platform.vault.digest(MARK, &format!("{day} {}", limit_key(from)));
        if let Some(code) = normal_code(typed) {
            self.platform
                .db
                .write(move |tx| {
                    let (code, mark) = (code.clone(), mark.clone());
                    Box::pin(async move {
                        match referrers::by_code(tx, &code).await? {
                            Some(found) => visits::count(tx, found.customer_id, day, &mark, VISITS_OF_A_HOUSEHOLD).await,
                            None => Ok(()),
                        }
                    })
                })
                .await?;
        }
        Ok(self.platform.settings.int(DAYS))
    }
}

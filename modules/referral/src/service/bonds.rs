//! Who came by whose link.

use std::net::IpAddr;
use std::sync::Arc;

use agio_core::needs::{Exchange, FollowsSignUps, SignedUp};
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
            let code = who.referral.as_deref().and_then(normal_code).unwrap_or_default();
            let named = referrers::by_code(tx, &code).await?.map(|referrer| referrer.customer_id);
            let referrer = came_before.or(named);
            let party = Party { customer: Some(who.account.unwrap_or_else(Uuid::nil)), email: &who.email };
            let is_wanted = who.account.is_some() && referrer.is_some();
            referrers::bind(tx, &party, referrer.unwrap_or_else(Uuid::nil), is_wanted, who.at).await
        })
    }
}

impl Referral {
    /// Who brought whoever made an exchange. The code they named binds them if nothing did before.
    pub(super) async fn referrer_of(&self, tx: &mut Tx, exchange: &Exchange) -> Result<Option<Uuid>> {
        let account = match exchange.customer {
            Some(id) => Some(id),
            None => self.addresses.owner(tx, &exchange.email).await?,
        };
        if let Some(first) = referrers::first(tx, account, &exchange.email).await? {
            return Ok(Some(first));
        }
        let Some(code) = exchange.referral.as_deref().and_then(normal_code) else { return Ok(None) };
        let Some(named) = referrers::by_code(tx, &code).await? else { return Ok(None) };
        for customer in [exchange.customer.map(Some), Some(None)].into_iter().flatten() {
            referrers::bind(tx, &Party { customer, email: &exchange.email }, named.customer_id, true, exchange.at).await?;
        }
        Ok(Some(named.customer_id))
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
        let mark = self.platform.vault.digest(MARK, &format!("{day} {}", household(from)));
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

/// The part of an address that stands for one household: of IPv6 the network.
fn household(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => address.segments()[..4].iter().map(|part| format!("{part:x}:")).collect(),
    }
}

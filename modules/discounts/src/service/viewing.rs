//! What customers and staff see.

use agio_core::identity::Customer;
use agio_core::needs::CustomerFacts;
use agio_core::{Result, Timestamp};
use uuid::Uuid;

use super::Discounts;
use super::promos::promo_not_found;
use crate::model::{Place, Tier, normal_code, place};
use crate::store::promos::{self, PromoRow, UseRow};
use crate::store::tiers;
use crate::store::volumes::{self, VolumeRow};

/// The most parties with one e-mail address that are shown: an account, a guest, and accounts there were before.
const SAME_EMAIL_MAX: i64 = 20;

/// The table of tiers.
#[derive(Clone, Debug)]
pub struct Table {
    /// Which state of it this is.
    pub revision: i64,
    /// The ticker its amounts are in; nothing before it was first set.
    pub ticker: Option<String>,
    /// The tiers, ascending.
    pub tiers: Vec<Tier>,
}

/// Where somebody stands.
#[derive(Clone, Copy, Debug)]
pub struct Mine {
    /// What they have exchanged.
    pub volume: i64,
    /// What that gives, and what comes next.
    pub place: Place,
}

impl Discounts {
    /// The tiers that give something now, and where an account stands in them.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn seen_by(&self, customer: Option<&Customer>) -> Result<(Vec<Tier>, Option<Mine>)> {
        let mut tx = self.platform.db.read().await?;
        let base = self.base();
        let tiers = tiers::tiers_in(&mut tx, &base).await?;
        let Some(customer) = customer else { return Ok((tiers, None)) };
        let volume = volumes::of(&mut tx, customer, &base).await?;
        let place = place(&tiers, volume);
        Ok((tiers, Some(Mine { volume, place })))
    }

    /// The table as it is set, and how many exchanges wait to be counted.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn table(&self) -> Result<(Table, i64)> {
        let mut tx = self.platform.db.read().await?;
        let (revision, ticker, tiers) = tiers::table(&mut tx).await?;
        Ok((Table { revision, ticker, tiers }, volumes::waiting_count(&mut tx).await?))
    }

    /// A page of who has exchanged how much, the greatest first, each with what their volume gives.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn greatest(&self, before: Option<(i64, String)>, size: i64) -> Result<Vec<(VolumeRow, Place)>> {
        let (units, party) = before.unwrap_or((i64::MAX, "~".to_owned()));
        let mut tx = self.platform.db.read().await?;
        let base = self.base();
        let tiers = tiers::tiers_in(&mut tx, &base).await?;
        let rows = volumes::greatest(&mut tx, &base, (units, &party), size).await?;
        Ok(rows.into_iter().map(|row| (row.clone(), place(&tiers, row.units))).collect())
    }

    /// Who exchanged with an e-mail address, and where its account stands.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn of_email(&self, email: &str, account: Option<CustomerFacts>) -> Result<(Vec<(VolumeRow, Place)>, Option<Mine>)> {
        let email = email.trim().to_lowercase();
        let (tiers, mine) = match account {
            None => self.seen_by(None).await?,
            Some(facts) => {
                let CustomerFacts { id, email, activated, .. } = facts;
                self.seen_by(Some(&Customer { id, email, activated, session: Uuid::nil(), address: None })).await?
            }
        };
        let mut tx = self.platform.db.read().await?;
        let rows = volumes::of_email(&mut tx, &self.base(), &email, SAME_EMAIL_MAX).await?;
        Ok((rows.into_iter().map(|row| (row.clone(), place(&tiers, row.units))).collect(), mine))
    }

    /// A page of promo codes, the newest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn promos(&self, before: Option<(i64, String)>, size: i64) -> Result<Vec<PromoRow>> {
        let (at, code) = before.unwrap_or((i64::MAX, String::new()));
        promos::newest(&mut self.platform.db.read().await?, (Timestamp(at), &code), size).await
    }

    /// A page of the claims that use a code, the newest first.
    ///
    /// # Errors
    /// 404 `promo_not_found`.
    pub async fn uses(&self, code: &str, before: Option<(i64, Uuid)>, size: i64) -> Result<(PromoRow, Vec<UseRow>)> {
        let code = normal_code(code).ok_or_else(promo_not_found)?;
        let mut tx = self.platform.db.read().await?;
        let row = promos::one(&mut tx, &code).await?.ok_or_else(promo_not_found)?;
        let (at, claim) = before.unwrap_or((i64::MAX, Uuid::nil()));
        let uses = promos::uses(&mut tx, &code, (Timestamp(at), claim), size).await?;
        Ok((row, uses))
    }
}

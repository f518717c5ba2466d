//! Views of tiers, volumes and promo codes.

use agio_contracts::CustomerInfo;
use agio_core::identity::Customer;
use agio_core::keyset::KeysetPage;
use agio_core::{Result, Timestamp};
use uuid::Uuid;

use super::Discounts;
use super::promo_codes::promo_not_found;
use crate::model::{TierPosition, VolumeTier, normalize_code, position};
use crate::store::promo_codes::{self, PromoCodeRow, RedemptionRow};
use crate::store::tiers;
use crate::store::volumes::{self, VolumeRow};

/// Maximum rows per e-mail address: an account, a guest and former accounts.
const SAME_EMAIL_MAX: i64 = 20;

#[derive(Clone, Debug)]
pub struct TierTable {
    pub revision: i64,
    /// Ticker of the tier amounts. `None` before the tiers were first set.
    pub ticker: Option<String>,
    pub tiers: Vec<VolumeTier>,
}

#[derive(Clone, Copy, Debug)]
pub struct DiscountStatus {
    pub volume: i64,
    pub position: TierPosition,
}

impl Discounts {
    /// The tiers in effect and the account's position.
    pub async fn discounts_for(&self, customer: Option<&Customer>) -> Result<(Vec<VolumeTier>, Option<DiscountStatus>)> {
        let mut tx = self.platform.db.read().await?;
        let base = self.base();
        let tiers = tiers::tiers_in(&mut tx, &base).await?;
        let Some(customer) = customer else { return Ok((tiers, None)) };
        let volume = volumes::of(&mut tx, customer, &base).await?;
        let position = position(&tiers, volume);
        Ok((tiers, Some(DiscountStatus { volume, position })))
    }

    /// The configured tiers and the number of exchanges waiting to be counted.
    pub async fn table(&self) -> Result<(TierTable, i64)> {
        let mut tx = self.platform.db.read().await?;
        let (revision, ticker, tiers) = tiers::table(&mut tx).await?;
        Ok((TierTable { revision, ticker, tiers }, volumes::waiting_count(&mut tx).await?))
    }

    /// Largest volume first.
    pub async fn list_by_volume(
        &self,
        before: Option<(i64, String)>,
        size: u32,
    ) -> Result<KeysetPage<(VolumeRow, TierPosition), (i64, String)>> {
        let (units, identity) = before.unwrap_or((i64::MAX, "~".to_owned()));
        let mut tx = self.platform.db.read().await?;
        let base = self.base();
        let tiers = tiers::tiers_in(&mut tx, &base).await?;
        let rows = volumes::list_by_volume(&mut tx, &base, (units, &identity), i64::from(size) + 1).await?;
        let page = KeysetPage::of(rows, size as usize, |row| (row.units, row.identity.clone()));
        let rows = page.rows.into_iter().map(|row| (row.clone(), position(&tiers, row.units))).collect();
        Ok(KeysetPage { rows, next: page.next })
    }

    /// Volumes of an e-mail address and the discount of its account.
    pub async fn find_by_email(
        &self,
        email: &str,
        account: Option<CustomerInfo>,
    ) -> Result<(Vec<(VolumeRow, TierPosition)>, Option<DiscountStatus>)> {
        let email = email.trim().to_lowercase();
        let (tiers, mine) = match account {
            None => self.discounts_for(None).await?,
            Some(facts) => {
                let CustomerInfo { id, email, activated, .. } = facts;
                self.discounts_for(Some(&Customer { id, email, activated, session: Uuid::nil(), address: None })).await?
            }
        };
        let mut tx = self.platform.db.read().await?;
        let rows = volumes::find_by_email(&mut tx, &self.base(), &email, SAME_EMAIL_MAX).await?;
        Ok((rows.into_iter().map(|row| (row.clone(), position(&tiers, row.units))).collect(), mine))
    }

    /// Newest first.
    pub async fn list_promo_codes(
        &self,
        before: Option<(Timestamp, String)>,
        size: u32,
    ) -> Result<KeysetPage<PromoCodeRow, (Timestamp, String)>> {
        let (at, code) = before.unwrap_or((Timestamp(i64::MAX), String::new()));
        let rows = promo_codes::list(&mut self.platform.db.read().await?, (at, &code), i64::from(size) + 1).await?;
        Ok(KeysetPage::of(rows, size as usize, |row| (row.created_at, row.code.clone())))
    }

    /// Newest first.
    ///
    /// # Errors
    /// 404 `promo_not_found`.
    pub async fn list_redemptions(
        &self,
        code: &str,
        before: Option<(Timestamp, Uuid)>,
        size: u32,
    ) -> Result<(PromoCodeRow, KeysetPage<RedemptionRow, (Timestamp, Uuid)>)> {
        let code = normalize_code(code).ok_or_else(promo_not_found)?;
        let mut tx = self.platform.db.read().await?;
        let row = promo_codes::find(&mut tx, &code).await?.ok_or_else(promo_not_found)?;
        let before = before.unwrap_or((Timestamp(i64::MAX), Uuid::nil()));
        let uses = promo_codes::redemptions(&mut tx, &code, before, i64::from(size) + 1).await?;
        Ok((row, KeysetPage::of(uses, size as usize, |row| (row.redeemed_at, row.claim_id))))
    }
}

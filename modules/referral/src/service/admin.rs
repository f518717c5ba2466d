//! Queries for the admin API.

use std::collections::HashMap;
use std::sync::Arc;

use agio_contracts::CurrencyInfo;
use agio_core::keyset::KeysetPage;
use agio_core::{Error, Result, Timestamp, Tx};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::commissions::volume_of;
use super::{Balance, Referral};
use crate::model::ReferralListTab;
use crate::store::commissions::{self, ReferralCommission};
use crate::store::plans::{self, ReferralPlan};
use crate::store::referrers::{self, AttributedReferrer, Attribution, Referrer};
use crate::store::withdrawals::{self, Withdrawal};
use crate::store::{PageCursor, visits};

const SHOWN: i64 = 200;

/// Smallest and greatest cursor.
const START: PageCursor = (Timestamp(i64::MIN), Uuid::nil());
const END: PageCursor = (Timestamp(i64::MAX), Uuid::max());

/// A page of commissions or withdrawals, and how many are open.
pub struct ReferralPage<T> {
    pub page: KeysetPage<T, PageCursor>,
    pub open: i64,
}

pub struct ReferrerStats {
    pub referrer: Referrer,
    pub plan: ReferralPlan,
    /// Percentage of the current tier.
    pub percent: Decimal,
    /// In the base currency.
    pub volume: Decimal,
    pub currency: Option<Arc<CurrencyInfo>>,
    pub balance: Balance,
    pub funnel: (i64, i64, i64),
    /// In units of the balance currency.
    pub earned: i64,
    /// In units of the balance currency.
    pub paid: i64,
}

pub struct CommissionDetails {
    pub row: ReferralCommission,
    pub currency: Option<String>,
    pub referrer: Referrer,
}

pub struct ReferredCustomer {
    pub attribution: Attribution,
    pub claims: i64,
    /// In units of the balance currency.
    pub earned: i64,
}

pub struct ReferrerOverview {
    pub stats: ReferrerStats,
    pub referred_by: Option<AttributedReferrer>,
    pub referrals: Vec<ReferredCustomer>,
    pub commissions: Vec<CommissionDetails>,
}

impl Referral {
    /// Commissions to review and withdrawals to process.
    pub async fn open_counts(&self, tx: &mut Tx) -> Result<(i64, i64)> {
        Ok((commissions::open_count(tx).await?, withdrawals::open_count(tx).await?))
    }

    /// Newest first, or those with this code or e-mail address.
    pub async fn referrers(
        &self,
        query: &str,
        before: Option<PageCursor>,
        size: u32,
    ) -> Result<KeysetPage<ReferrerStats, PageCursor>> {
        let mut tx = self.platform.db.read().await?;
        let found = match query.trim() {
            "" => referrers::page(&mut tx, before.unwrap_or(END), i64::from(size) + 1).await?,
            query => referrers::found(&mut tx, query, size.into()).await?,
        };
        let found = KeysetPage::of(found, size as usize, |row| (row.created_at, row.customer_id));
        let mut rows = Vec::with_capacity(found.rows.len());
        for referrer in found.rows {
            rows.push(self.referrer_stats(&mut tx, referrer).await?);
        }
        Ok(KeysetPage { rows, next: found.next })
    }

    pub(super) async fn referrer_stats(&self, tx: &mut Tx, referrer: Referrer) -> Result<ReferrerStats> {
        let id = referrer.customer_id;
        let plan = plans::holding(tx, referrer.plan_id).await?;
        let (claims, earned) = commissions::totals(tx, id).await?;
        let volume = volume_of(&referrer);
        Ok(ReferrerStats {
            percent: plan.terms.percent(volume),
            plan,
            volume,
            currency: self.currency_of(referrer.currency_id),
            balance: self.balance(tx, &referrer).await?,
            funnel: (visits::of(tx, id).await?, referrers::registrations(tx, id).await?, claims),
            earned,
            paid: withdrawals::paid(tx, id).await?,
            referrer,
        })
    }

    /// A referrer with referred customers and recent commissions.
    ///
    /// # Errors
    /// 404 `referrer_not_found`.
    pub async fn referrer_overview(&self, id: Uuid) -> Result<ReferrerOverview> {
        let mut tx = self.platform.db.read().await?;
        let referrer = referrers::one(&mut tx, id).await?.ok_or_else(|| Error::not_found("referrer_not_found"))?;
        let mut referred_by = referrers::attributed_referrer(&mut tx, &referrers::account(id)).await?;
        if referred_by.is_none() {
            referred_by = referrers::attributed_referrer(&mut tx, &referrers::address(&referrer.email)).await?;
        }
        let totals = commissions::by_customer(&mut tx, id).await?;
        let referrals = referrers::referred_customers(&mut tx, id, SHOWN)
            .await?
            .into_iter()
            .map(|attribution| referred_customer(attribution, id, &totals))
            .collect();
        let rows = commissions::of_referrer(&mut tx, id, SHOWN).await?;
        let commissions = rows.into_iter().map(|row| self.commission_details(row, referrer.clone())).collect();
        let stats = self.referrer_stats(&mut tx, referrer).await?;
        Ok(ReferrerOverview { stats, referred_by, referrals, commissions })
    }

    fn commission_details(&self, row: ReferralCommission, referrer: Referrer) -> CommissionDetails {
        let currency = row.currency_id.and_then(|id| self.currencies.by_id(id)).map(|currency| currency.code.clone());
        CommissionDetails { currency, row, referrer }
    }

    pub async fn commissions(
        &self,
        tab: ReferralListTab,
        place: Option<PageCursor>,
        size: u32,
    ) -> Result<ReferralPage<CommissionDetails>> {
        let mut tx = self.platform.db.read().await?;
        let found = match tab {
            ReferralListTab::Open => commissions::open(&mut tx, place.unwrap_or(START), i64::from(size) + 1).await?,
            ReferralListTab::Past => commissions::by_age(&mut tx, place.unwrap_or(END), i64::from(size) + 1).await?,
        };
        let found = KeysetPage::of(found, size as usize, |row| (row.created_at, row.id));
        let mut known: HashMap<Uuid, Referrer> = HashMap::new();
        let mut rows = Vec::with_capacity(found.rows.len());
        for row in found.rows {
            if !known.contains_key(&row.referrer_id)
                && let Some(referrer) = referrers::one(&mut tx, row.referrer_id).await?
            {
                known.insert(row.referrer_id, referrer);
            }
            rows.extend(known.get(&row.referrer_id).cloned().map(|referrer| self.commission_details(row, referrer)));
        }
        let page = KeysetPage { rows, next: found.next };
        Ok(ReferralPage { page, open: commissions::open_count(&mut tx).await? })
    }

    pub async fn withdrawals(
        &self,
        tab: ReferralListTab,
        place: Option<PageCursor>,
        size: u32,
    ) -> Result<ReferralPage<Withdrawal>> {
        let mut tx = self.platform.db.read().await?;
        let found = match tab {
            ReferralListTab::Open => withdrawals::open(&mut tx, place.unwrap_or(START), i64::from(size) + 1).await?,
            ReferralListTab::Past => withdrawals::closed(&mut tx, place.unwrap_or(END), i64::from(size) + 1).await?,
        };
        let page = KeysetPage::of(found, size as usize, |row| (row.created_at, row.id));
        Ok(ReferralPage { page, open: withdrawals::open_count(&mut tx).await? })
    }

    /// A withdrawal of referral commission.
    ///
    /// # Errors
    /// 404 `referral_withdrawal_not_found`.
    pub async fn withdrawal(&self, id: Uuid) -> Result<Withdrawal> {
        let found = withdrawals::one(&mut self.platform.db.read().await?, id).await?;
        found.ok_or_else(|| Error::not_found("referral_withdrawal_not_found"))
    }

    /// # Errors
    /// 404 `referral_commission_not_found`.
    pub async fn get_commission(&self, id: Uuid) -> Result<CommissionDetails> {
        let mut tx = self.platform.db.read().await?;
        let not_found = || Error::not_found("referral_commission_not_found");
        let row = commissions::one(&mut tx, id).await?.ok_or_else(not_found)?;
        let referrer = referrers::one(&mut tx, row.referrer_id).await?.ok_or_else(not_found)?;
        Ok(self.commission_details(row, referrer))
    }
}

/// Totals by account, or by e-mail address for guests.
fn referred_customer(attribution: Attribution, referrer: Uuid, totals: &[(Uuid, String, i64, i64)]) -> ReferredCustomer {
    let is_theirs = |(account, email, _, _): &&(Uuid, String, i64, i64)| match attribution.customer_id {
        Some(customer) => *account == customer,
        None => *account == referrer && *email == attribution.email,
    };
    let (claims, earned) = totals.iter().filter(is_theirs).fold((0, 0), |(claims, earned), row| (claims + row.2, earned + row.3));
    ReferredCustomer { attribution, claims, earned }
}

//! The referrer's own account.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use agio_contracts::{CurrencyInfo, address_digest, guest_digest};
use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::{Actor, Customer};
use agio_core::{Error, Result, Timestamp, Tx};
use agio_ledger::Account;
use rust_decimal::Decimal;
use serde_json::json;
use uuid::Uuid;

use super::customer_records::former_addresses;
use super::{Referral, ReferrerStats, day_of, refused, units};
use crate::DAYS;
use crate::model::code_of;
use crate::store::commissions::{self, HistoryEntryRow};
use crate::store::referrers::{self, Referrer, VisitTrace};
use crate::store::{visits, withdrawals};

/// Retries for a code collision.
const CODE_ATTEMPTS: usize = 5;

const DAYS_MAX: i64 = 366;

/// How long a trace is not written again.
const TRACE_REFRESH: Duration = Duration::from_secs(24 * 60 * 60);

/// In units of the balance currency.
#[derive(Clone, Copy, Debug, Default)]
pub struct Balance {
    pub available: i64,
    pub pending: i64,
    pub debt: i64,
}

pub struct ReferralOverview {
    pub stats: ReferrerStats,
    pub link: String,
    /// Ticker of the base currency.
    pub base: String,
    pub payable: Vec<Arc<CurrencyInfo>>,
    pub days: i64,
}

pub struct ReferralHistory {
    pub lines: Vec<HistoryEntryRow>,
    pub total: i64,
    pub currency: String,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct ReferralDayStats {
    /// Days since 1970-01-01.
    pub day: i64,
    pub visits: i64,
    pub claims: i64,
    pub earned: Decimal,
}

impl Referral {
    /// Creates the referrer on first use.
    pub(super) async fn referrer(self: &Arc<Self>, customer: &Customer) -> Result<Referrer> {
        if let Some(found) = referrers::one(&mut self.platform.db.read().await?, customer.id).await? {
            return Ok(found);
        }
        let (this, customer, now) = (self.clone(), customer.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, customer) = (this.clone(), customer.clone());
                Box::pin(async move { this.become_referrer(tx, &customer, now).await })
            })
            .await
    }

    async fn become_referrer(&self, tx: &mut Tx, customer: &Customer, now: Timestamp) -> Result<Referrer> {
        let former: Option<Referrer> =
            referrers::former_debtor(tx, &former_addresses(&self.platform.vault, &customer.email)).await?;
        let configured = self.configured_currency().map(|currency| currency.id);
        let currency = former.as_ref().and_then(|former| former.currency_id).or(configured);
        for _ in 0..CODE_ATTEMPTS {
            let mut random = [0; 8];
            self.platform.random.fill(&mut random);
            let is_new = referrers::insert(tx, customer.id, &code_of(random), &customer.email, currency, now).await?;
            if is_new && let Some(former) = &former {
                take_debt_over(tx, former.customer_id, customer.id).await?;
            }
            let Some(found) = referrers::one(tx, customer.id).await? else { continue };
            if is_new {
                let (by, after) = (Actor::from(customer), Some(json!({ "code": found.code })));
                let id = customer.id.to_string();
                let entry = NewAuditEntry { by: &by, action: "referral.joined", about: "referrer", id, before: None, after };
                audit::record(tx, entry, now).await?;
            }
            return Ok(found);
        }
        Err(Error::internal("no free referral code found"))
    }

    /// Creates the code on first use. Records the browser and IP address for self-referral checks.
    pub async fn overview(self: &Arc<Self>, customer: &Customer, guest: Option<&str>) -> Result<ReferralOverview> {
        let referrer = self.referrer(customer).await?;
        self.record_traces(customer, guest).await?;
        let mut tx = self.platform.db.read().await?;
        let link = format!("{}/?rid={}", self.site, referrer.code);
        let stats = self.referrer_stats(&mut tx, referrer).await?;
        let currency = stats.currency.as_ref();
        Ok(ReferralOverview {
            link,
            base: currency.and_then(|currency| self.base(currency)).unwrap_or_default(),
            payable: currency.map(|currency| self.currencies.receivable(&currency.ticker)).unwrap_or_default(),
            days: self.platform.settings.int(DAYS),
            stats,
        })
    }

    /// Ticker of the base currency.
    pub(super) fn base(&self, currency: &CurrencyInfo) -> Option<String> {
        self.reference_values.reference_value(currency.amount(0)).map(|value| value.ticker)
    }

    /// Recorded for self-referral checks.
    async fn record_traces(&self, customer: &Customer, guest: Option<&str>) -> Result<()> {
        let (id, now) = (customer.id, self.platform.clock.now());
        let recent = referrers::traces_seen(&mut self.platform.db.read().await?, id, now.minus(TRACE_REFRESH)).await?;
        let browser = guest.map(|guest| (VisitTrace::Browser, guest_digest(guest)));
        let address = customer.address.map(|address| (VisitTrace::Address, address_digest(address)));
        let new: Vec<_> = [browser, address].into_iter().flatten().filter(|(_, digest)| !recent.contains(digest)).collect();
        if new.is_empty() {
            return Ok(());
        }
        self.platform
            .db
            .write(move |tx| {
                let new = new.clone();
                Box::pin(async move { referrers::put_visit_traces(tx, id, &new, now).await })
            })
            .await
    }

    pub(super) async fn balance(&self, tx: &mut Tx, referrer: &Referrer) -> Result<Balance> {
        let Some(currency) = referrer.currency_id else { return Ok(Balance::default()) };
        Ok(Balance {
            available: self.ledger.balance(tx, Account::Referral(referrer.customer_id), currency).await?,
            pending: self.ledger.balance(tx, Account::ReferralPending(referrer.customer_id), currency).await?,
            debt: referrer.debt,
        })
    }

    pub async fn history(
        self: &Arc<Self>,
        customer: &Customer,
        time: (Timestamp, Timestamp),
        skip: i64,
        size: i64,
    ) -> Result<ReferralHistory> {
        let referrer = self.referrer(customer).await?;
        let mut tx = self.platform.db.read().await?;
        Ok(ReferralHistory {
            lines: commissions::history(&mut tx, referrer.customer_id, time, skip, size).await?,
            total: commissions::history_length(&mut tx, referrer.customer_id, time).await?,
            currency: self.currency_of(referrer.currency_id).map(|currency| currency.code.clone()).unwrap_or_default(),
        })
    }

    /// # Errors
    /// 422 at `date_from` if the period is too long.
    pub async fn days(
        self: &Arc<Self>,
        customer: &Customer,
        (from, to): (Timestamp, Timestamp),
    ) -> Result<Vec<ReferralDayStats>> {
        let (first, last) = (day_of(from), day_of(Timestamp(to.0.saturating_sub(1))));
        if last - first >= DAYS_MAX {
            return Err(refused("date_from", "malformed_parameter"));
        }
        let referrer = self.referrer(customer).await?;
        let scale = self.currency_of(referrer.currency_id).map_or(0, |currency| i64::from(currency.scale));
        let mut days: BTreeMap<i64, ReferralDayStats> =
            (first..=last).map(|day| (day, ReferralDayStats { day, ..ReferralDayStats::default() })).collect();
        let mut tx = self.platform.db.read().await?;
        for (day, visits) in visits::by_day(&mut tx, referrer.customer_id, (first, last)).await? {
            days.entry(day).or_default().visits = visits;
        }
        for (day, earned, claims) in commissions::by_day(&mut tx, referrer.customer_id, (first, last)).await? {
            let entry = days.entry(day).or_default();
            (entry.claims, entry.earned) = (claims, units(earned, scale));
        }
        Ok(days.into_values().collect())
    }

    /// Newest first, with the total count.
    pub async fn withdrawals_of(&self, customer: &Customer, skip: i64, size: i64) -> Result<(Vec<withdrawals::Withdrawal>, i64)> {
        let mut tx = self.platform.db.read().await?;
        let rows = withdrawals::of_referrer(&mut tx, customer.id, skip, size).await?;
        Ok((rows, withdrawals::count_of(&mut tx, customer.id).await?))
    }
}

/// Moves the debt of a deleted account to the next one with its address.
async fn take_debt_over(tx: &mut Tx, from: Uuid, to: Uuid) -> Result<()> {
    let Some(former) = referrers::lock(tx, from).await? else { return Ok(()) };
    referrers::set_debt(tx, from, 0).await?;
    referrers::set_debt(tx, to, former.debt).await
}

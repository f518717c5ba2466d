//! Withdrawal requests.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

use agio_contracts::{CheckedPayoutField, CurrencyInfo, ReauthenticationRequest, payout_digest};
use agio_core::audit::{self, NewAuditEntry};
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Customer};
use agio_core::texts::{Bilingual, Locale};
use agio_core::{Amount, Error, Result, Timestamp, Tx, Vault};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::{Referral, refused};
use crate::model::ReferralWithdrawalState;
use crate::store::withdrawals::{self, Withdrawal};
use crate::store::{plans, referrers};

#[derive(Clone)]
pub struct NewWithdrawal {
    pub amount: Decimal,
    /// Must be the same asset as the balance.
    pub currency: i64,
    pub requisites: BTreeMap<String, String>,
}

/// Encryption context of payout details.
pub(crate) fn purpose(withdrawal: impl Display) -> String {
    format!("referral withdrawal {withdrawal}")
}

#[derive(Clone, Serialize, Deserialize)]
pub struct PayoutDetail {
    pub name: String,
    pub label: Bilingual,
    pub value: String,
    pub masked: String,
}

impl From<CheckedPayoutField> for PayoutDetail {
    fn from(checked: CheckedPayoutField) -> Self {
        let CheckedPayoutField { name, label, value, masked, .. } = checked;
        Self { name, label, value, masked }
    }
}

impl Withdrawal {
    /// The decrypted payout details.
    ///
    /// # Errors
    /// 409 `referral_withdrawal_unreadable`: nothing is paid to unreadable details.
    pub fn payout_details(&self, vault: &Vault) -> Result<Vec<PayoutDetail>> {
        let opened = vault.open(&purpose(self.id), &self.requisites);
        // The content is not logged: it may contain a card number.
        let read = opened.and_then(|json| {
            serde_json::from_slice(&json).map_err(|_| Error::internal("the stored payout details are unreadable"))
        });
        read.map_err(|why| {
            tracing::error!(withdrawal = %self.id, %why, "the payout details of a withdrawal cannot be read");
            Error::conflict("referral_withdrawal_unreadable").caused_by(why)
        })
    }
}

impl Referral {
    /// Requests a withdrawal; the customer confirms with their password, since nothing else ties its destination to them.
    ///
    /// # Errors
    /// 409 `not_activated`, `balance_too_low`; 422 for the amount, the currency or the payout details; a failed
    /// confirmation.
    pub async fn withdraw(
        self: &Arc<Self>,
        customer: Customer,
        request: NewWithdrawal,
        confirmation: ReauthenticationRequest,
        locale: Locale,
        key: Option<Key>,
    ) -> Result<Withdrawal> {
        if !customer.activated {
            return Err(Error::conflict("not_activated"));
        }
        let referrer = self.referrer(&customer).await?;
        let currency = self.currency_of(referrer.currency_id).ok_or_else(|| Error::conflict("referral_no_currency"))?;
        let payable = self.currencies.receivable(&currency.ticker);
        let payout = payable.into_iter().find(|payable| payable.id == request.currency);
        let payout = payout.ok_or_else(|| refused("currencyId", "referral_currency"))?;
        let plan = plans::holding(&mut self.platform.db.read().await?, referrer.plan_id).await?;
        let row = self.build_withdrawal(&customer, &request, (&currency, &payout), plan.terms.withdrawal_min, locale)?;
        self.reauthentication.clone().reauthenticate(customer.clone(), confirmation).await?;
        let (this, row, now) = (self.clone(), Arc::new(row), self.platform.clock.now());
        let id: Uuid = idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, row, customer) = (this.clone(), row.clone(), customer.clone());
            Box::pin(async move {
                let (row, payout_digest) = &*row;
                // A later exchange paid out there may be a self-referral.
                referrers::put_exchange_traces(tx, customer.id, payout_digest.as_slice(), now).await?;
                this.store_withdrawal(tx, row, &customer, now).await
            })
        })
        .await?;
        let stored = withdrawals::one(&mut self.platform.db.read().await?, id).await?;
        stored.ok_or_else(|| Error::internal("the withdrawal does not exist"))
    }

    /// Returns the withdrawal with the digest of its destination.
    fn build_withdrawal(
        &self,
        customer: &Customer,
        request: &NewWithdrawal,
        (currency, payout): (&CurrencyInfo, &CurrencyInfo),
        min: Decimal,
        locale: Locale,
    ) -> Result<(Withdrawal, Option<String>)> {
        // Must be exact in the units of both currencies.
        let unfit = |code, scale: u32| Error::unprocessable("validation_failed").with("digits", scale).at("amount", code);
        let exact = |currency: &CurrencyInfo| {
            currency.exact(request.amount).map_err(|error| unfit(error.code(), currency.scale)).map(Amount::units)
        };
        let (owed, paid) = (exact(currency)?, exact(payout)?);
        if owed <= 0 {
            return Err(refused("amount", "not_an_amount"));
        }
        if request.amount < min {
            let min = agio_core::money::plain(min);
            let bound = Error::unprocessable("validation_failed").with("min", min).with("currency", &currency.code);
            return Err(bound.at("amount", "amount_below_min"));
        }
        let checked = self.requisites.check("requisites", payout, &request.requisites)?;
        let identifying = checked.iter().filter(|requisite| requisite.identifies);
        let payout_digest = payout_digest(&self.platform.vault, identifying.map(|requisite| requisite.value.as_str()));
        let requisites: Vec<PayoutDetail> = checked.into_iter().map(PayoutDetail::from).collect();
        let now = self.platform.clock.now();
        let id = self.platform.random.uuid_at(now);
        let json = serde_json::to_vec(&requisites).map_err(Error::internal)?;
        let row = Withdrawal {
            id,
            referrer_id: customer.id,
            email: customer.email.clone(),
            locale,
            state: ReferralWithdrawalState::Requested,
            currency_id: currency.id,
            scale: i64::from(currency.scale),
            units: owed,
            payout_id: payout.id,
            payout_code: payout.code.clone(),
            payout_scale: i64::from(payout.scale),
            payout_units: paid,
            requisites: self.platform.vault.seal(&purpose(id), &json),
            reason: None,
            tx: None,
            approved_by: None,
            approved_name: None,
            decided_by: None,
            decided_name: None,
            revision: 1,
            created_at: now,
            updated_at: now,
            debt: 0,
        };
        Ok((row, payout_digest))
    }

    async fn store_withdrawal(&self, tx: &mut Tx, row: &Withdrawal, customer: &Customer, now: Timestamp) -> Result<Uuid> {
        let referrer = referrers::lock(tx, customer.id).await?.ok_or_else(|| Error::internal("the referrer does not exist"))?;
        // The setting may have changed since it was read; a balance keeps its currency.
        if referrer.currency_id.is_some_and(|own| own != row.currency_id) {
            return Err(Error::conflict("referral_changed"));
        }
        self.book_withdrawal(tx, row.id, customer.id, row.owed(), now).await?;
        withdrawals::insert(tx, row).await?;
        self.send_email(tx, row, now).await?;
        let after = Some(self.audit_snapshot(row)?);
        let (by, id) = (Actor::from(customer), row.id.to_string());
        let entry = NewAuditEntry {
            by: &by,
            action: "referral.withdrawal_requested",
            about: "referral_withdrawal",
            id,
            before: None,
            after,
        };
        audit::record(tx, entry, now).await?;
        Ok(row.id)
    }

    /// What the audit log records, with masked payout details.
    ///
    /// # Errors
    /// 409 `referral_withdrawal_unreadable`.
    pub(super) fn audit_snapshot(&self, row: &Withdrawal) -> Result<serde_json::Value> {
        let to: Vec<String> = row.payout_details(&self.platform.vault)?.into_iter().map(|requisite| requisite.masked).collect();
        Ok(json!({
            "state": row.state, "amount": format!("{} {}", row.payout(), row.payout_code), "to": to, "tx": row.tx, "reason": row.reason,
        }))
    }
}

//! A referrer asks to be paid.

use std::collections::BTreeMap;
use std::sync::Arc;

use agio_core::audit::{self, Entry};
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Customer};
use agio_core::needs::{CheckedRequisite, CurrencyFacts, payout_digest};
use agio_core::texts::{Bilingual, Locale};
use agio_core::{Amount, Error, Result, Timestamp, Tx, Vault};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::{Referral, refused};
use crate::model::WithdrawalState;
use crate::store::withdrawals::{self, Withdrawal};
use crate::store::{programmes, referrers};

/// What a referrer asks for.
#[derive(Clone)]
pub struct Asked {
    /// How much of the balance.
    pub amount: Decimal,
    /// The currency it is paid in: of the same asset as the balance.
    pub currency: i64,
    /// Where to, by the fields of that currency.
    pub requisites: BTreeMap<String, String>,
}

/// What the requisites of a withdrawal are sealed for.
pub(super) fn purpose(withdrawal: Uuid) -> String {
    format!("referral withdrawal {withdrawal}")
}

/// Where a withdrawal goes, as it is sealed.
#[derive(Clone, Serialize, Deserialize)]
pub struct Requisite {
    /// The field.
    pub name: String,
    /// What the field is called.
    pub label: Bilingual,
    /// The value.
    pub value: String,
    /// The same with its middle hidden.
    pub masked: String,
}

impl From<CheckedRequisite> for Requisite {
    fn from(checked: CheckedRequisite) -> Self {
        let CheckedRequisite { name, label, value, masked, .. } = checked;
        Self { name, label, value, masked }
    }
}

impl Withdrawal {
    /// Where it goes.
    ///
    /// # Errors
    /// 409 `referral_withdrawal_unreadable`: nothing is paid to what cannot be read.
    pub fn goes_to(&self, vault: &Vault) -> Result<Vec<Requisite>> {
        let opened = vault.open(&purpose(self.id), &self.requisites);
        // What was read is not named: it may be somebody's card.
        let read = opened.and_then(|json| serde_json::from_slice(&json).map_err(|_| Error::internal("these are no requisites")));
        read.map_err(|why| {
            tracing::error!(withdrawal = %self.id, %why, "where a withdrawal goes cannot be read");
            Error::conflict("referral_withdrawal_unreadable").caused_by(why)
        })
    }
}

impl Referral {
    /// Takes an amount out of a referrer's balance, to be paid to them.
    ///
    /// # Errors
    /// 409 `not_activated`; 409 `balance_too_low`; 422 for the amount, the currency or the requisites.
    pub async fn withdraw(self: &Arc<Self>, who: Customer, asked: Asked, locale: Locale, key: Option<Key>) -> Result<Withdrawal> {
        if !who.activated {
            return Err(Error::conflict("not_activated"));
        }
        let referrer = self.referrer(&who).await?;
        let currency = self.currency_of(referrer.currency_id).ok_or_else(|| Error::conflict("referral_no_currency"))?;
        let payable = self.currencies.receivable(&currency.ticker);
        let payout = payable.into_iter().find(|payable| payable.id == asked.currency);
        let payout = payout.ok_or_else(|| refused("currencyId", "referral_currency"))?;
        let programme = programmes::holding(&mut self.platform.db.read().await?, referrer.programme_id).await?;
        let row = self.asked(&who, &asked, (&currency, &payout), programme.terms.withdrawal_min, locale)?;
        let (this, row, now) = (self.clone(), Arc::new(row), self.platform.clock.now());
        let id: Uuid = idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, row, who) = (this.clone(), row.clone(), who.clone());
            Box::pin(async move {
                let (row, payout_digest) = &*row;
                // An exchange that is paid out there later may be the referrer's own.
                referrers::put_marks(tx, who.id, payout_digest.as_slice(), now).await?;
                this.take_out(tx, row, &who, now).await
            })
        })
        .await?;
        let stored = withdrawals::one(&mut self.platform.db.read().await?, id).await?;
        stored.ok_or_else(|| Error::internal("a withdrawal is gone"))
    }

    /// The withdrawal that is asked for, with the digest of where it goes.
    fn asked(
        &self,
        who: &Customer,
        asked: &Asked,
        (currency, payout): (&CurrencyFacts, &CurrencyFacts),
        least: Decimal,
        locale: Locale,
    ) -> Result<(Withdrawal, Option<String>)> {
        // The same amount in the units of both, so that not a unit is lost on the way.
        let unfit = |code, scale: u32| Error::unprocessable("validation_failed").with("digits", scale).at("amount", code);
        let exact = |scale| Amount::exact(asked.amount, scale).map_err(|error| unfit(error.code(), scale));
        let (owed, paid) = (exact(currency.scale)?.units(), exact(payout.scale)?.units());
        if owed <= 0 {
            return Err(refused("amount", "not_an_amount"));
        }
        if asked.amount < least {
            let least = agio_core::money::plain(least);
            let bound = Error::unprocessable("validation_failed").with("min", least).with("currency", &currency.code);
            return Err(bound.at("amount", "amount_below_min"));
        }
        let checked = self.requisites.check("requisites", payout, &asked.requisites)?;
        let identifying = checked.iter().filter(|requisite| requisite.identifies);
        let payout_digest = payout_digest(&self.platform.vault, identifying.map(|requisite| requisite.value.as_str()));
        let requisites: Vec<Requisite> = checked.into_iter().map(Requisite::from).collect();
        let now = self.platform.clock.now();
        let id = self.platform.random.uuid_at(now);
        let json = serde_json::to_vec(&requisites).map_err(Error::internal)?;
        let row = Withdrawal {
            id,
            referrer_id: who.id,
            email: who.email.clone(),
            locale: locale.to_string(),
            state: WithdrawalState::Requested,
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
        };
        Ok((row, payout_digest))
    }

    async fn take_out(&self, tx: &mut Tx, row: &Withdrawal, who: &Customer, now: Timestamp) -> Result<Uuid> {
        let referrer = referrers::lock(tx, who.id).await?.ok_or_else(|| Error::internal("a referrer is gone"))?;
        // What the setting names may have changed since it was read; a balance stays in its currency.
        if referrer.currency_id.is_some_and(|own| own != row.currency_id) {
            return Err(Error::conflict("referral_changed"));
        }
        self.book_asked(tx, row.id, who.id, (row.currency_id, row.units), now).await?;
        withdrawals::insert(tx, row).await?;
        self.write_letter(tx, row, now).await?;
        let after = Some(self.trace(row)?);
        let (by, id) = (Actor::from(who), row.id.to_string());
        let entry =
            Entry { by: &by, action: "referral.withdrawal_requested", about: "referral_withdrawal", id, before: None, after };
        audit::record(tx, entry, now).await?;
        Ok(row.id)
    }

    /// What the audit log keeps of a withdrawal. Requisites are masked.
    ///
    /// # Errors
    /// 409 `referral_withdrawal_unreadable`.
    pub(super) fn trace(&self, row: &Withdrawal) -> Result<serde_json::Value> {
        let to: Vec<String> = row.goes_to(&self.platform.vault)?.into_iter().map(|requisite| requisite.masked).collect();
        Ok(json!({
            "state": row.state, "amount": format!("{} {}", row.payout(), row.payout_code), "to": to, "tx": row.tx, "reason": row.reason,
        }))
    }
}

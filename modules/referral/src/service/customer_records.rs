//! What this module keeps about a customer.

use agio_contracts::{ClaimEmails, CustomerAccount, CustomerRecords, ExportedRecords};
use agio_core::money::plain;
use agio_core::{BoxFuture, Error, Result, Timestamp, Tx, Vault};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Referral, units};
use crate::store::{commissions, plans, referrers, withdrawals};

impl CustomerRecords for Referral {
    fn export<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount) -> BoxFuture<'a, Result<Vec<ExportedRecords>>> {
        Box::pin(async move {
            let Some(referrer) = referrers::one(tx, account.id).await? else { return Ok(Vec::new()) };
            let all = (Timestamp(i64::MIN), Timestamp(i64::MAX));
            let history = commissions::history(tx, account.id, all, 0, i64::MAX).await?;
            let history: Vec<Value> = history
                .into_iter()
                .map(|line| {
                    json!({
                        "kind": line.kind,
                        "amount": plain(units(line.units, line.scale)),
                        "status": line.status,
                        "createdAt": line.created_at,
                    })
                })
                .collect();
            let currency = self.currency_of(referrer.currency_id).map(|currency| currency.code.clone());
            let referral = json!({
                "code": referrer.code,
                "currency": currency,
                "createdAt": referrer.created_at,
                "history": history,
            });
            Ok(vec![("referral", referral)])
        })
    }

    fn change_email<'a>(&'a self, tx: &'a mut Tx, account: Uuid, _from: &'a str, to: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(referrers::set_email(tx, account, to))
    }

    fn take_back<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount, since: Timestamp) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.refuse_requested_since(tx, account, since))
    }

    fn erase<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount, placeholder: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.refuse_while_owed(tx, account.id).await?;
            let referrer = referrers::one(tx, account.id).await?;
            // What was earned may still be reversed.
            let may_owe = referrer.filter(|referrer| referrer.debt > 0 || referrer.volume > 0).and(account.email.as_ref());
            let kept = may_owe.and_then(|email| former_addresses(&self.platform.vault, email).into_iter().next());
            referrers::erase(tx, account, kept.as_deref().unwrap_or(placeholder), placeholder).await?;
            withdrawals::erase_email(tx, account.id, placeholder).await?;
            commissions::erase_email(tx, account.id, account.email.as_deref(), placeholder).await
        })
    }
}

/// What stays of the address of a referrer when its account is deleted, or a debt would end with it: a digest by each key,
/// the current one first.
pub(super) fn former_addresses(vault: &Vault, email: &str) -> Vec<String> {
    vault.digests("former referrer", email).into_iter().map(|digest| format!("{digest}@deleted.invalid")).collect()
}

impl ClaimEmails for Referral {
    fn mask<'a>(&'a self, tx: &'a mut Tx, claim: Uuid, masked: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(commissions::mask_email(tx, claim, masked))
    }
}

impl Referral {
    /// Locks the referrer. A balance below the smallest withdrawal is given up.
    ///
    /// # Errors
    /// 409 `referral_balance_left` with the amount; `referral_withdrawal_open`.
    async fn refuse_while_owed(&self, tx: &mut Tx, account: Uuid) -> Result<()> {
        let Some(referrer) = referrers::lock(tx, account).await? else { return Ok(()) };
        if withdrawals::has_open(tx, account).await? {
            return Err(Error::conflict("referral_withdrawal_open"));
        }
        let Some(currency) = self.currency_of(referrer.currency_id) else { return Ok(()) };
        let balance = self.balance(tx, &referrer).await?;
        let least = plans::holding(tx, referrer.plan_id).await?.terms.withdrawal_min;
        let available = currency.amount(balance.available);
        if balance.pending > 0 || available.value() >= least && balance.available > 0 {
            let owed = currency.amount(balance.available + balance.pending);
            return Err(Error::conflict("referral_balance_left")
                .with("amount", plain(owed.value()))
                .with("currency", &currency.ticker));
        }
        if balance.available == 0 {
            return Ok(());
        }
        self.book_reversal(tx, account, &referrer, available, self.platform.clock.now()).await
    }
}

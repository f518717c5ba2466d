//! What partners earn by their claims, in the transaction that completes them.
//!
//! ```text
//! earned:     partner cost → partner        paid: partner → exchange, and reserve → external
//! taken back: partner → partner cost
//! ```

use std::sync::Arc;

use agio_core::needs::{CurrencyList, Exchange, FollowsExchanges};
use agio_core::{Amount, BoxFuture, Error, Platform, Result, Timestamp, Tx};
use agio_ledger::{Account, Batch, Difference, Ledger};
use uuid::Uuid;

use crate::model::commission::{CommissionKind, share};
use crate::store::commissions::{self, Accrual};

/// What a partner earned in a currency.
#[derive(Clone, Debug)]
pub struct Earnings {
    /// The currency.
    pub currency: i64,
    /// Its code.
    pub code: String,
    /// By how many claims.
    pub claims: i64,
    /// What was earned by them.
    pub earned: Amount,
    /// What of it is not paid.
    pub balance: Amount,
    /// What was taken back and was not there any more: set off against what is earned next.
    pub debt: Amount,
}

/// The partners' money.
pub struct Commissions {
    platform: Platform,
    pub(super) ledger: Ledger,
    pub(super) currencies: Arc<dyn CurrencyList>,
}

impl Commissions {
    /// Over the books.
    #[must_use]
    pub fn new(platform: &Platform, ledger: Ledger, currencies: Arc<dyn CurrencyList>) -> Arc<Self> {
        Arc::new(Self { platform: platform.clone(), ledger, currencies })
    }

    /// What a partner earned, by currency.
    ///
    /// # Errors
    /// The database cannot be read.
    pub(crate) async fn earnings(&self, tx: &mut Tx, partner: Uuid) -> Result<Vec<Earnings>> {
        let mut earnings = Vec::new();
        for row in commissions::earned(tx, partner).await? {
            let scale = u32::try_from(row.scale).map_err(Error::internal)?;
            let balance = self.ledger.balance(tx, Account::Partner(partner), row.currency_id).await?;
            earnings.push(Earnings {
                currency: row.currency_id,
                code: self.currencies.by_id(row.currency_id).map(|currency| currency.code.clone()).unwrap_or_default(),
                claims: row.claims,
                earned: Amount::of_units(row.units, scale),
                balance: Amount::of_units(balance, scale),
                debt: Amount::of_units(row.debt, scale),
            });
        }
        Ok(earnings)
    }

    /// What does not agree between what partners earned and were paid, and the books.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn audit(&self, tx: &mut Tx) -> Result<Vec<Difference>> {
        let mut differences = Vec::new();
        for (partner, currency, expected) in commissions::expected(tx).await? {
            let account = Account::Partner(partner);
            let found = self.ledger.balance(tx, account, currency).await?;
            if found != expected {
                let rule = "what a partner has is what they earned less what they were paid";
                differences.push(Difference { rule, place: account.name(currency), found, expected });
            }
        }
        Ok(differences)
    }

    pub(super) fn batch(&self, reason: &'static str, about: Uuid, now: Timestamp) -> Batch {
        Batch::new(self.platform.random.uuid_at(now), reason, about, now)
    }

    async fn accrue(&self, tx: &mut Tx, exchange: &Exchange) -> Result<()> {
        let Some(partner) = exchange.partner else { return Ok(()) };
        let Some(row) = commissions::lock(tx, partner).await? else { return Ok(()) };
        let (currency, of) = match row.commission_kind {
            CommissionKind::Amount => (exchange.from, exchange.sent),
            CommissionKind::Profit => (exchange.to, Amount::of_units(exchange.earned_units, exchange.received.scale())),
        };
        let units = share(of.units(), row.commission_percent.parse().map_err(Error::internal)?);
        if units == 0 {
            return Ok(());
        }
        let set_off = commissions::debt(tx, partner, currency).await?.clamp(0, units);
        let accrual = Accrual {
            id: self.platform.random.uuid_at(exchange.at),
            partner_id: partner,
            claim_id: exchange.claim,
            claim_number: exchange.number,
            kind: row.commission_kind,
            percent: row.commission_percent,
            currency_id: currency,
            scale: i64::from(of.scale()),
            of_units: of.units(),
            units,
            set_off,
            at: exchange.at,
        };
        commissions::insert(tx, &accrual).await?;
        for account in [Account::PartnerCost, Account::Partner(partner)] {
            self.ledger.open(tx, account, currency).await?;
        }
        let batch = self.batch("partner_earned", accrual.id, exchange.at);
        let batch = batch.moving(Account::PartnerCost, Account::Partner(partner), currency, units - set_off);
        self.ledger.post(tx, &batch).await
    }

    async fn take_back(&self, tx: &mut Tx, exchange: &Exchange) -> Result<()> {
        let Some(partner) = exchange.partner else { return Ok(()) };
        if commissions::lock(tx, partner).await?.is_none() {
            return Ok(());
        }
        let Some(row) = commissions::of_claim(tx, exchange.claim).await? else { return Ok(()) };
        let account = Account::Partner(row.partner_id);
        let there = self.ledger.balance(tx, account, row.currency_id).await?.min(row.units);
        if !commissions::reverse(tx, row.id, row.units - there, exchange.at).await? {
            return Err(Error::conflict("partner_changed"));
        }
        let batch = self.batch("partner_taken_back", row.id, exchange.at);
        self.ledger.post(tx, &batch.moving(account, Account::PartnerCost, row.currency_id, there)).await
    }
}

impl FollowsExchanges for Commissions {
    fn done<'a>(&'a self, tx: &'a mut Tx, exchange: &'a Exchange) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.accrue(tx, exchange))
    }

    fn undone<'a>(&'a self, tx: &'a mut Tx, exchange: &'a Exchange) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.take_back(tx, exchange))
    }
}

//! Partner commission, credited in the transaction that completes the claim.
//!
//! ```text
//! earned:   partner cost → partner        paid: partner → exchange, and reserve → external
//! reversed: partner → partner cost
//! ```

use std::sync::Arc;

use agio_contracts::{CompletedExchange, CurrencyLookup, ExchangeListener};
use agio_core::{Amount, BoxFuture, CurrencyUnit, Error, Platform, Result, Timestamp, Tx};
use agio_ledger::{Account, Ledger, LedgerDifference, TransferBatch};
use uuid::Uuid;

use crate::model::commission::{PartnerCommissionKind, share};
use crate::store::commissions::{self, PartnerCommission};

#[derive(Clone, Debug)]
pub struct Earnings {
    pub currency: i64,
    pub code: String,
    pub claims: i64,
    pub earned: Amount,
    pub balance: Amount,
    /// Reversed commission that had been paid out; set off against later commission.
    pub debt: Amount,
}

pub struct Commissions {
    platform: Platform,
    pub(super) ledger: Ledger,
    pub(super) currencies: Arc<dyn CurrencyLookup>,
}

impl Commissions {
    pub fn new(platform: &Platform, ledger: Ledger, currencies: Arc<dyn CurrencyLookup>) -> Arc<Self> {
        Arc::new(Self { platform: platform.clone(), ledger, currencies })
    }

    pub(crate) async fn earnings(&self, tx: &mut Tx, partner: Uuid) -> Result<Vec<Earnings>> {
        let mut earnings = Vec::new();
        for row in commissions::earned(tx, partner).await? {
            let currency = CurrencyUnit::new(row.currency_id, row.scale);
            let balance = self.ledger.balance(tx, Account::Partner(partner), row.currency_id).await?;
            earnings.push(Earnings {
                currency: row.currency_id,
                code: self.currencies.by_id(row.currency_id).map(|currency| currency.code.clone()).unwrap_or_default(),
                claims: row.claims,
                earned: Amount::of_units(row.units, currency),
                balance: Amount::of_units(balance, currency),
                debt: Amount::of_units(row.debt, currency),
            });
        }
        Ok(earnings)
    }

    /// Compares balances derived from commissions and payouts with the ledger.
    pub async fn audit(&self, tx: &mut Tx) -> Result<Vec<LedgerDifference>> {
        let mut differences = Vec::new();
        for (partner, currency, expected) in commissions::expected(tx).await? {
            let account = Account::Partner(partner);
            let found = self.ledger.balance(tx, account, currency).await?;
            if found != expected {
                let rule = "a partner's balance is their commissions less their payouts";
                differences.push(LedgerDifference { rule, place: account.name(currency), found, expected });
            }
        }
        Ok(differences)
    }

    pub(super) fn batch(&self, reason: &'static str, about: Uuid, now: Timestamp) -> TransferBatch {
        TransferBatch::new(self.platform.random.uuid_at(now), reason, about, now)
    }

    async fn book_commission(&self, tx: &mut Tx, exchange: &CompletedExchange) -> Result<()> {
        let Some(partner) = exchange.partner else { return Ok(()) };
        let Some(row) = commissions::lock(tx, partner).await? else { return Ok(()) };
        let of = match row.commission_kind {
            PartnerCommissionKind::Amount => exchange.give,
            PartnerCommissionKind::Profit => exchange.earned,
        };
        let currency = of.currency().id();
        let units = share(of.units(), row.commission_percent.parse().map_err(Error::internal)?);
        if units == 0 {
            return Ok(());
        }
        let set_off = commissions::debt(tx, partner, currency).await?.clamp(0, units);
        let commission = PartnerCommission {
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
        commissions::insert(tx, &commission).await?;
        for account in [Account::PartnerCost, Account::Partner(partner)] {
            self.ledger.open(tx, account, currency).await?;
        }
        let credited = Amount::of_units(units - set_off, of.currency());
        let batch = self.batch("partner_earned", commission.id, exchange.at);
        let batch = batch.with_transfer(Account::PartnerCost, Account::Partner(partner), credited);
        self.ledger.post(tx, &batch).await
    }

    async fn reverse_commission(&self, tx: &mut Tx, exchange: &CompletedExchange) -> Result<()> {
        let Some(partner) = exchange.partner else { return Ok(()) };
        if commissions::lock(tx, partner).await?.is_none() {
            return Ok(());
        }
        let Some(row) = commissions::of_claim(tx, exchange.claim).await? else { return Ok(()) };
        let account = Account::Partner(row.partner_id);
        let available = self.ledger.balance(tx, account, row.currency_id).await?.min(row.units);
        if !commissions::reverse(tx, row.id, row.units - available, exchange.at).await? {
            return Err(Error::conflict("partner_changed"));
        }
        let batch = self.batch("partner_taken_back", row.id, exchange.at);
        let taken_back = Amount::of_units(available, CurrencyUnit::new(row.currency_id, row.scale));
        self.ledger.post(tx, &batch.with_transfer(account, Account::PartnerCost, taken_back)).await
    }
}

impl ExchangeListener for Commissions {
    fn exchange_completed<'a>(&'a self, tx: &'a mut Tx, exchange: &'a CompletedExchange) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.book_commission(tx, exchange))
    }

    fn exchange_reversed<'a>(&'a self, tx: &'a mut Tx, exchange: &'a CompletedExchange) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.reverse_commission(tx, exchange))
    }
}

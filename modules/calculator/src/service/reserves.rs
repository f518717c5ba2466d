//! Manual reserve movements. Always posted to the ledger as a batch.

use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::{Actor, Staff};
use agio_core::keyset::KeysetPage;
use agio_core::{Amount, Error, Result, Timestamp, idempotency};
use agio_ledger::{Account, MovementKey, ReserveMovementRow, TransferBatch};
use rust_decimal::Decimal;
use serde_json::json;

use super::Calculator;
use crate::market::Currency;
use crate::store;

const NOTE_MAX: usize = 500;

agio_core::named! {
    /// Reason for a manual reserve movement.
    ReserveMovementReason {
        /// Money added. The amount is positive.
        Deposit = "deposit",
        /// Money withdrawn. The amount is negative.
        Withdrawal = "withdrawal",
        /// The ledger differs from the actual balance. Either sign; requires a note.
        Correction = "correction",
    }
}

#[derive(Clone, Debug)]
pub struct ReserveMovementOrder {
    pub currency: i64,
    /// Change of the reserve. Negative withdraws.
    pub amount: Decimal,
    pub reason: ReserveMovementReason,
    pub note: String,
}

/// Balances of a currency's reserve.
#[derive(Clone, Debug)]
pub struct ReserveBalance {
    pub available: Amount,
    pub held: Amount,
    pub changed_at: Option<Timestamp>,
}

impl ReserveMovementOrder {
    /// Validates the movement. Returns whether it adds to the reserve, and its size.
    fn checked(&self, currency: &Currency) -> Result<(bool, Amount)> {
        let refuse = |field: &str, code| Err(Error::unprocessable("validation_failed").with("max", NOTE_MAX).at(field, code));
        let brings_in = self.amount > Decimal::ZERO;
        let fits = match self.reason {
            ReserveMovementReason::Deposit => brings_in,
            ReserveMovementReason::Withdrawal => !brings_in,
            ReserveMovementReason::Correction => true,
        };
        if self.amount.is_zero() || !fits {
            return refuse("amount", "movement_direction");
        }
        if self.note.chars().count() > NOTE_MAX {
            return refuse("note", "text_too_long");
        }
        if self.reason == ReserveMovementReason::Correction && self.note.trim().is_empty() {
            return refuse("note", "required");
        }
        let size = currency.facts.exact(self.amount.abs()).map_err(|error| {
            Error::unprocessable("validation_failed").with("digits", currency.facts.scale).at("amount", error.code())
        })?;
        Ok((brings_in, size))
    }
}

impl Calculator {
    /// Posts a reserve movement, once per idempotency key.
    ///
    /// # Errors
    /// 404 `currency_unknown`; 422 `validation_failed`; 409 `balance_too_low` if the withdrawal exceeds the available
    /// reserve.
    pub async fn move_reserve(&self, moved: ReserveMovementOrder, by: &Staff, key: Option<idempotency::Key>) -> Result<()> {
        let market = self.market();
        let currency = market.currency(moved.currency).ok_or_else(|| Error::not_found("currency_unknown"))?;
        let (brings_in, size) = moved.checked(currency)?;
        let (debit, credit) =
            if brings_in { (Account::External, Account::Reserve) } else { (Account::Reserve, Account::External) };
        let now = self.platform.clock.now();
        let id = self.platform.random.uuid();
        let mut batch = TransferBatch::new(id, moved.reason.name(), id, now).with_transfer(debit, credit, size);
        batch.actor = Some(by.name.clone());
        batch.note = Some(moved.note).filter(|note| !note.trim().is_empty());
        let after = json!({
            "currency": currency.facts.code, "amount": agio_core::money::plain(moved.amount), "reason": moved.reason.name(), "note": batch.note, "batch": id,
        });
        let (ledger, by) = (self.ledger.clone(), Actor::from(by));
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let (ledger, batch, by, after) = (ledger.clone(), batch.clone(), by.clone(), Some(after.clone()));
            Box::pin(async move {
                // An opening reserve of the market file is deposited before the first movement or never.
                store::lock_definitions(tx).await?;
                ledger.open_currency(tx, moved.currency).await?;
                ledger.post(tx, &batch).await?;
                let entry = NewAuditEntry {
                    by: &by,
                    action: "reserve.moved",
                    about: "reserve",
                    id: moved.currency.to_string(),
                    before: None,
                    after,
                };
                audit::record(tx, entry, now).await
            })
        })
        .await
    }

    /// Reserves in the order of `currencies`, from the ledger, which is newer than memory.
    pub async fn reserves_of(&self, currencies: &[&Currency]) -> Result<Vec<ReserveBalance>> {
        let mut tx = self.platform.db.read().await?;
        let mut balances = Vec::with_capacity(currencies.len());
        for currency in currencies {
            balances.push(ReserveBalance {
                available: currency.amount(self.ledger.balance(&mut tx, Account::Reserve, currency.id()).await?),
                held: currency.amount(self.ledger.held_units(&mut tx, currency.id()).await?),
                changed_at: self.ledger.reserves().available(currency.id()).changed_at,
            });
        }
        Ok(balances)
    }

    /// Newest first.
    pub async fn movements(
        &self,
        currency: i64,
        after: Option<MovementKey>,
        size: usize,
    ) -> Result<KeysetPage<ReserveMovementRow, MovementKey>> {
        self.ledger.movements(&mut self.platform.db.read().await?, currency, after, size).await
    }
}

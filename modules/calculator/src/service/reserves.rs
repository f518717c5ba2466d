//! Moving the reserves by hand: always a batch in the books, never a number that somebody edits.

use agio_core::audit::{self, Entry};
use agio_core::identity::{Actor, Staff};
use agio_core::{Amount, Error, Result, Timestamp, idempotency};
use agio_ledger::{Account, Batch, MovementRow};
use rust_decimal::Decimal;
use serde_json::json;

use super::Calculator;
use crate::market::Currency;

/// The longest note of a movement.
const NOTE_MAX: usize = 500;

/// Why a reserve is moved by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovementReason {
    /// Money was brought in.
    Deposit,
    /// Money was taken out.
    Withdrawal,
    /// The books did not agree with what is there; either way.
    Correction,
}

impl MovementReason {
    /// The name it stands under in the books.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Deposit => "deposit",
            Self::Withdrawal => "withdrawal",
            Self::Correction => "correction",
        }
    }
}

/// A movement an operator posts.
#[derive(Clone, Debug)]
pub struct Moved {
    /// The currency.
    pub currency: i64,
    /// By how much the reserve changes; less than zero takes out.
    pub amount: Decimal,
    /// Why.
    pub reason: MovementReason,
    /// What is to be remembered of it.
    pub note: String,
}

/// The reserve of a currency as an operator sees it.
#[derive(Clone, Debug)]
pub struct ReserveSeen {
    /// What is free.
    pub available: Amount,
    /// What is set aside for open claims.
    pub held: Amount,
    /// When what is free last changed.
    pub changed_at: Option<Timestamp>,
}

impl Moved {
    /// The size of the movement, forwards or backwards, as the reason allows.
    fn checked(&self, currency: &Currency) -> Result<(bool, Amount)> {
        let refuse = |field: &str, code| Err(Error::unprocessable("validation_failed").with("max", NOTE_MAX).at(field, code));
        let brings_in = self.amount > Decimal::ZERO;
        let fits = match self.reason {
            MovementReason::Deposit => brings_in,
            MovementReason::Withdrawal => !brings_in,
            MovementReason::Correction => true,
        };
        if self.amount.is_zero() || !fits {
            return refuse("amount", "movement_direction");
        }
        if self.note.chars().count() > NOTE_MAX {
            return refuse("note", "text_too_long");
        }
        if self.reason == MovementReason::Correction && self.note.trim().is_empty() {
            return refuse("note", "required");
        }
        let size = Amount::exact(self.amount.abs(), currency.facts.scale).map_err(|error| {
            Error::unprocessable("validation_failed").with("digits", currency.facts.scale).at("amount", error.code())
        })?;
        Ok((brings_in, size))
    }
}

impl Calculator {
    /// Posts a movement of a reserve, once per key.
    ///
    /// # Errors
    /// 404 `currency_unknown`; 422 `validation_failed`; 409 `balance_too_low` when more is taken out than is free.
    pub async fn move_reserve(&self, moved: Moved, by: &Staff, key: Option<idempotency::Key>) -> Result<()> {
        let market = self.market();
        let currency = market.currency(moved.currency).ok_or_else(|| Error::not_found("currency_unknown"))?;
        let (brings_in, size) = moved.checked(currency)?;
        let (debit, credit) =
            if brings_in { (Account::External, Account::Reserve) } else { (Account::Reserve, Account::External) };
        let now = self.platform.clock.now();
        let id = self.platform.random.uuid();
        let mut batch = Batch::new(id, moved.reason.name(), id, now).moving(debit, credit, moved.currency, size.units());
        batch.actor = Some(by.name.clone());
        batch.note = Some(moved.note).filter(|note| !note.trim().is_empty());
        let after = json!({
            "currency": currency.facts.code, "amount": agio_core::money::plain(moved.amount), "reason": moved.reason.name(), "note": batch.note, "batch": id,
        });
        let (ledger, by) = (self.ledger.clone(), Actor::from(by));
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let (ledger, batch, by, after) = (ledger.clone(), batch.clone(), by.clone(), Some(after.clone()));
            Box::pin(async move {
                ledger.open_currency(tx, moved.currency).await?;
                ledger.post(tx, &batch).await?;
                let entry = Entry {
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

    /// The reserves of some currencies, in their order: by the books, which know what was moved before memory does.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn reserves_of(&self, currencies: &[&Currency]) -> Result<Vec<ReserveSeen>> {
        let mut tx = self.platform.db.read().await?;
        let mut seen = Vec::with_capacity(currencies.len());
        for currency in currencies {
            seen.push(ReserveSeen {
                available: currency.amount(self.ledger.balance(&mut tx, Account::Reserve, currency.id()).await?),
                held: currency.amount(self.ledger.held(&mut tx, currency.id()).await?),
                changed_at: self.ledger.reserves().available(currency.id()).changed_at,
            });
        }
        Ok(seen)
    }

    /// The movements of a reserve before a moment, newest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn movements(&self, currency: i64, before: Timestamp, size: i64) -> Result<Vec<MovementRow>> {
        let mut tx = self.platform.db.read().await?;
        self.ledger.movements(&mut tx, currency, before, size).await
    }
}

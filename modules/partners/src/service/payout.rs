//! Paying partners what they earned: above the limit for payouts by two people's word.

use std::sync::Arc;

use agio_approvals::{Approvable, Fact, PAYOUT_LIMIT, Proposal, Said, Stored, outdated};
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Permission, Staff};
use agio_core::needs::{CurrencyFacts, Worth};
use agio_core::{Amount, BoxFuture, Error, Result, Timestamp, Tx};
use agio_ledger::Account;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::Partners;
use super::desk::{bad_text, log};
use crate::PARTNERS_PAY;
use crate::store::commissions::{self, PayoutRow};
use crate::store::{self, PartnerRow};

/// The kind of proposals to pay a partner.
const KIND: &str = "partner_payout";

/// The longest name of a transaction.
const TX_MAX: usize = 200;

/// What a member of staff pays.
#[derive(Clone, Debug)]
pub struct Payout {
    /// The code of the currency.
    pub currency: String,
    /// How much.
    pub amount: Decimal,
    /// The transaction it is paid by.
    pub tx: String,
}

/// A payout as it is proposed.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Agreed {
    currency: i64,
    units: i64,
    tx: String,
    role: String,
}

impl Partners {
    /// Books that a part of a partner's balance is paid, out of the reserve of its currency. Where a colleague has to agree first,
    /// proposes that and gives the proposal's identifier.
    ///
    /// # Errors
    /// 404 `partner_not_found`; 409 `balance_too_low` when the balance or the reserve has not that much, `approval_waits`; 422 with the
    /// fields.
    pub async fn pay(self: &Arc<Self>, partner: Uuid, payout: Payout, staff: Staff, key: Option<Key>) -> Result<Option<Uuid>> {
        let currency = self.commissions.currencies.by_code(payout.currency.trim());
        let currency = currency.ok_or_else(|| Error::unprocessable("validation_failed").at("currency", "currency_unknown"))?;
        let units = checked(&payout, &currency)?;
        let tx_name = payout.tx.trim().to_owned();
        let (this, now) = (self.clone(), self.platform.clock.now());
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, staff, currency, tx_name) = (this.clone(), staff.clone(), currency.clone(), tx_name.clone());
            Box::pin(async move {
                let row = store::partner(tx, partner).await?;
                let agreed = Agreed { currency: currency.id, units, tx: tx_name, role: staff.role.to_string() };
                let worth = this.worths.worth(currency.id, Amount::of_units(units, currency.scale));
                let limit = Decimal::from(this.platform.settings.int(PAYOUT_LIMIT));
                let is_above = worth.as_ref().is_none_or(|worth| worth.amount > limit);
                if this.approvals.are_on() && is_above {
                    return this.propose(tx, &row, &currency, &agreed, worth, &staff).await.map(Some);
                }
                this.book_paid(tx, &row, &agreed, &staff, now).await.map(|()| None)
            })
        })
        .await
    }

    async fn propose(
        &self,
        tx: &mut Tx,
        row: &PartnerRow,
        currency: &CurrencyFacts,
        agreed: &Agreed,
        worth: Option<Worth>,
        staff: &Staff,
    ) -> Result<Uuid> {
        let limit = self.platform.settings.int(PAYOUT_LIMIT);
        let ticker = worth.as_ref().map(|worth| format!(" {}", worth.ticker)).unwrap_or_default();
        let rounded = |worth: &Worth| format!("{} {}", agio_core::money::plain(worth.amount.round_dp(2)), worth.ticker);
        let unknown = || Said::Text { text: "approval_value.unknown".into() };
        let shown = vec![
            Fact::new("partner", row.name.clone()),
            Fact::new("amount", format!("{} {}", Amount::of_units(agreed.units, currency.scale), currency.code)),
            Fact::new("worth", worth.as_ref().map_or_else(unknown, |worth| rounded(worth).into())),
            Fact::new("limit", format!("{limit}{ticker}")),
            Fact::new("tx", agreed.tx.clone()),
        ];
        let payload = serde_json::to_value(agreed).map_err(Error::internal)?;
        let proposal = Proposal { kind: KIND, about: (KIND, row.id.to_string()), shown, payload };
        self.approvals.propose(tx, proposal, staff).await.map(|stored| stored.id)
    }

    async fn book_paid(&self, tx: &mut Tx, row: &PartnerRow, agreed: &Agreed, staff: &Staff, now: Timestamp) -> Result<()> {
        let &Agreed { currency, units, .. } = agreed;
        commissions::lock(tx, row.id).await?;
        let facts = self.commissions.currencies.by_id(currency).ok_or_else(outdated)?;
        let payout = PayoutRow {
            id: self.platform.random.uuid_at(now),
            partner_id: row.id,
            currency_id: currency,
            scale: i64::from(facts.scale),
            units,
            tx: agreed.tx.clone(),
            paid_by: staff.id,
            paid_name: staff.name.clone(),
            created_at: now,
        };
        commissions::insert_payout(tx, &payout).await?;
        self.commissions.ledger.open(tx, Account::Partner(row.id), currency).await?;
        let mut batch = self.commissions.batch("partner_paid", payout.id, now);
        batch.actor = Some(staff.name.clone());
        let batch = batch.moving(Account::Partner(row.id), Account::Exchange, currency, units).moving(
            Account::Reserve,
            Account::External,
            currency,
            units,
        );
        self.commissions.ledger.post(tx, &batch).await?;
        let amount = format!("{} {}", Amount::of_units(units, facts.scale), facts.code);
        self.letters.paid(tx, row, &amount, &agreed.tx, now).await?;
        let after = json!({ "amount": amount, "tx": agreed.tx });
        log(tx, &Actor::from(staff), "partner.paid", row.id, (None, Some(after)), now).await
    }

    /// Pays what a colleague agreed to.
    async fn pay_agreed(&self, tx: &mut Tx, proposal: &Stored) -> Result<()> {
        let agreed: Agreed = proposal.read()?;
        let row = store::partner(tx, proposal.about_id.parse().map_err(Error::internal)?).await?;
        let role = agreed.role.parse().map_err(Error::internal)?;
        let proposer = Staff { id: proposal.proposed_by, name: proposal.proposed_name.clone(), role, address: None };
        self.book_paid(tx, &row, &agreed, &proposer, self.platform.clock.now()).await
    }
}

/// The units of a payout.
fn checked(payout: &Payout, currency: &CurrencyFacts) -> Result<i64> {
    if let Some(wrong) = bad_text("txId", payout.tx.trim(), TX_MAX) {
        return Err(Error::invalid(vec![wrong]));
    }
    let unfit = |code| Error::unprocessable("validation_failed").with("digits", currency.scale).at("amount", code);
    let amount = Amount::exact(payout.amount, currency.scale).map_err(|error| unfit(error.code()))?;
    if amount.units() <= 0 { Err(unfit("not_an_amount")) } else { Ok(amount.units()) }
}

/// Payouts of commission that a colleague agreed to.
pub struct AgreedCommission(pub Arc<Partners>);

impl Approvable for AgreedCommission {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn permission(&self) -> Permission {
        PARTNERS_PAY
    }

    fn carry_out<'t>(self: Arc<Self>, tx: &'t mut Tx, proposal: &'t Stored, _approver: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { self.0.pay_agreed(tx, proposal).await })
    }
}

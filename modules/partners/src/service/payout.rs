//! Commission payouts; above the payout limit they need a second person's approval.

use std::sync::Arc;

use agio_approvals::{ApprovalFact, ApprovalHandler, ApprovalRequest, ApprovalRow, PAYOUT_PERIOD, outdated};
use agio_contracts::CurrencyInfo;
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Permission, Staff};
use agio_core::{BoxFuture, Error, Result, Timestamp, Tx};
use agio_ledger::Account;
use agio_requisites::RequisiteKind;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::Partners;
use super::admin::{record_audit, text_error};
use crate::PARTNERS_PAY;
use crate::store::commissions::{self, PayoutRow};
use crate::store::{self, PartnerRow};

/// Kind of approval request.
const KIND: &str = "partner_payout";

const TX_MAX: usize = 200;

#[derive(Clone, Debug)]
pub struct PartnerPayout {
    pub currency: String,
    pub amount: Decimal,
    pub tx: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct PayoutPayload {
    currency: i64,
    units: i64,
    tx: String,
    role: String,
}

impl Partners {
    /// Books a payout from the reserve. Where approval is required, creates an approval request and returns its id
    /// instead.
    ///
    /// # Errors
    /// 404 `partner_not_found`; 409 `balance_too_low` if the balance or the reserve does not suffice,
    /// `approval_waits`; 422 with field errors.
    pub async fn pay(
        self: &Arc<Self>,
        partner: Uuid,
        payout: PartnerPayout,
        staff: Staff,
        key: Option<Key>,
    ) -> Result<Option<Uuid>> {
        let currency = self.commissions.currencies.by_code(payout.currency.trim());
        let currency = currency.ok_or_else(|| Error::unprocessable("validation_failed").at("currency", "currency_unknown"))?;
        let units = payout_units(&payout, &currency)?;
        let tx_name = payout.tx.trim().to_owned();
        let (this, now) = (self.clone(), self.platform.clock.now());
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, staff, currency, tx_name) = (this.clone(), staff.clone(), currency.clone(), tx_name.clone());
            Box::pin(async move {
                let row = store::partner(tx, partner).await?;
                commissions::lock(tx, row.id).await?;
                let payload = PayoutPayload { currency: currency.id, units, tx: tx_name, role: staff.role.to_string() };
                let value_of = |amount| this.reference_values.reference_value(amount);
                let earlier = commissions::payouts_since(tx, row.id, now.minus(PAYOUT_PERIOD)).await?.into_iter().map(value_of);
                let value = value_of(currency.amount(units));
                if let Some(value_and_limit) = this.approvals.facts_above_payout_limit(value, earlier) {
                    return this.request_approval(tx, &row, &currency, &payload, value_and_limit, &staff).await.map(Some);
                }
                this.book_payout(tx, &row, &payload, &staff, now).await.map(|()| None)
            })
        })
        .await
    }

    async fn request_approval(
        &self,
        tx: &mut Tx,
        row: &PartnerRow,
        currency: &CurrencyInfo,
        payload: &PayoutPayload,
        value_and_limit: Vec<ApprovalFact>,
        staff: &Staff,
    ) -> Result<Uuid> {
        let amount = format!("{} {}", currency.amount(payload.units), currency.code);
        let mut shown = vec![ApprovalFact::new("partner", row.name.clone()), ApprovalFact::new("amount", amount)];
        shown.extend(value_and_limit);
        shown.push(ApprovalFact::new("tx", payload.tx.clone()));
        let payload = serde_json::to_value(payload).map_err(Error::internal)?;
        let approval = ApprovalRequest { kind: KIND, about: (KIND, row.id.to_string()), shown, payload };
        self.approvals.propose(tx, approval, staff).await.map(|stored| stored.id)
    }

    async fn book_payout(
        &self,
        tx: &mut Tx,
        row: &PartnerRow,
        payload: &PayoutPayload,
        staff: &Staff,
        now: Timestamp,
    ) -> Result<()> {
        let &PayoutPayload { currency, units, .. } = payload;
        commissions::lock(tx, row.id).await?;
        let facts = self.commissions.currencies.by_id(currency).ok_or_else(outdated)?;
        // Two members of staff may record the same transfer, each with a request of their own.
        let kind = facts.address_kind().unwrap_or(RequisiteKind::Text);
        if commissions::is_tx_recorded(tx, row.id, currency, kind, &payload.tx).await? {
            return Err(Error::unprocessable("validation_failed").at("txId", "payout_recorded"));
        }
        let payout = PayoutRow {
            id: self.platform.random.uuid_at(now),
            partner_id: row.id,
            currency_id: currency,
            scale: i64::from(facts.scale),
            units,
            tx: payload.tx.clone(),
            paid_by: staff.id,
            paid_name: staff.name.clone(),
            created_at: now,
        };
        commissions::insert_payout(tx, &payout).await?;
        self.commissions.ledger.open(tx, Account::Partner(row.id), currency).await?;
        let mut batch = self.commissions.batch("partner_paid", payout.id, now);
        batch.actor = Some(staff.name.clone());
        let batch = batch.with_transfer(Account::Partner(row.id), Account::Exchange, facts.amount(units)).with_transfer(
            Account::Reserve,
            Account::External,
            facts.amount(units),
        );
        self.commissions.ledger.post(tx, &batch).await?;
        let amount = format!("{} {}", facts.amount(units), facts.code);
        self.emails.send_paid(tx, row, &amount, &payload.tx, now).await?;
        let after = json!({ "amount": amount, "tx": payload.tx });
        record_audit(tx, &Actor::from(staff), "partner.paid", row.id, (None, Some(after)), now).await
    }

    async fn pay_approved(&self, tx: &mut Tx, approval: &ApprovalRow) -> Result<()> {
        let payload: PayoutPayload = approval.read()?;
        let row = store::partner(tx, approval.about_id.parse().map_err(Error::internal)?).await?;
        let role = payload.role.parse().map_err(Error::internal)?;
        let proposer = Staff { id: approval.proposed_by, name: approval.proposed_name.clone(), role, address: None };
        self.book_payout(tx, &row, &payload, &proposer, self.platform.clock.now()).await
    }
}

fn payout_units(payout: &PartnerPayout, currency: &CurrencyInfo) -> Result<i64> {
    if let Some(wrong) = text_error("txId", payout.tx.trim(), TX_MAX) {
        return Err(Error::invalid(vec![wrong]));
    }
    let unfit = |code| Error::unprocessable("validation_failed").with("digits", currency.scale).at("amount", code);
    let amount = currency.exact(payout.amount).map_err(|error| unfit(error.code()))?;
    if amount.units() <= 0 { Err(unfit("not_an_amount")) } else { Ok(amount.units()) }
}

pub struct ApprovedCommissionPayout(pub Arc<Partners>);

impl ApprovalHandler for ApprovedCommissionPayout {
    fn handles(&self) -> (&'static str, Permission) {
        (KIND, PARTNERS_PAY)
    }

    fn execute<'t>(
        self: Arc<Self>,
        tx: &'t mut Tx,
        approval: &'t ApprovalRow,
        _approver: &'t Staff,
    ) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { self.0.pay_approved(tx, approval).await })
    }
}

//! Commission of an exchange, credited and reversed in the exchange's transaction.

use std::sync::Arc;
use std::time::Duration;

use agio_contracts::{CompletedExchange, ExchangeListener};
use agio_core::{Amount, BoxFuture, Result, Timestamp, Tx};
use agio_ledger::Account;
use rust_decimal::Decimal;

use super::{Referral, day_of};
use crate::model::{
    ExchangeTraces, Flag, PlanTerms, ReferralCommissionState, ReferralKind, ReferrerTraces, Share, VOLUME_SCALE, flags, share,
    volume_units,
};
use crate::store::commissions::{self, ReferralCommission};
use crate::store::plans::{self, ReferralPlan};
use crate::store::referrers::{self, Referrer};

const BATCH_SIZE: i64 = 100;

/// Reason codes of commissions without an amount.
const NO_CURRENCY: &str = "no_currency";
const NO_WORTH: &str = "no_worth";
const TOO_LITTLE: &str = "too_little";

impl ExchangeListener for Referral {
    fn exchange_completed<'a>(&'a self, tx: &'a mut Tx, exchange: &'a CompletedExchange) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.book_commission(tx, exchange))
    }

    fn exchange_reversed<'a>(&'a self, tx: &'a mut Tx, exchange: &'a CompletedExchange) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.reverse_commission(tx, exchange))
    }
}

pub(super) enum PricedShare {
    /// Units, and the id and scale of the currency.
    Units(i64, (i64, i64)),
    Nothing(&'static str),
    Unknown(&'static str),
}

/// Currency and amount that the percentage applies to.
fn commission_base(kind: ReferralKind, exchange: &CompletedExchange) -> Amount {
    match kind {
        ReferralKind::Amount => exchange.give,
        ReferralKind::Profit => exchange.earned,
    }
}

impl Referral {
    async fn book_commission(&self, tx: &mut Tx, exchange: &CompletedExchange) -> Result<()> {
        // Traces of referrers' own exchanges, to detect self-referral later.
        if let Some(customer) = exchange.customer
            && referrers::one(tx, customer).await?.is_some()
        {
            let mut traces = vec![exchange.guest_digest.clone(), exchange.address_digest.clone()];
            traces.extend(exchange.payout_digest.clone());
            referrers::put_exchange_traces(tx, customer, &traces, exchange.at).await?;
        }
        // The partner earns a commission on it already, and its server hides the customer's traces.
        if exchange.partner.is_some() {
            return Ok(());
        }
        let Some(id) = self.referrer_of(tx, exchange).await? else { return Ok(()) };
        let Some(referrer) = referrers::lock(tx, id).await? else { return Ok(()) };
        let plan = plans::holding(tx, referrer.plan_id).await?;
        let row = self.commission(tx, &referrer, &plan, exchange).await?;
        commissions::insert(tx, &row).await?;
        if row.is_counted {
            referrers::add_volume(tx, id, row.volume).await?;
        }
        self.book_pending(tx, &referrer, &row).await
    }

    async fn commission(
        &self,
        tx: &mut Tx,
        referrer: &Referrer,
        plan: &ReferralPlan,
        exchange: &CompletedExchange,
    ) -> Result<ReferralCommission> {
        let terms = &plan.terms;
        let percent = terms.percent(volume_of(referrer));
        let of = commission_base(terms.kind, exchange);
        let payout = exchange.payout_digest.as_deref();
        let digests = [exchange.guest_digest.as_str(), exchange.address_digest.as_str(), payout.unwrap_or_default()];
        let traces = referrers::traces_among(tx, referrer.customer_id, digests).await?;
        let known = ReferrerTraces { account: referrer.customer_id, email: &referrer.email, traces: &traces };
        let found = flags(
            known,
            ExchangeTraces {
                account: exchange.customer,
                email: &exchange.email,
                payout,
                browser: &exchange.guest_digest,
                address: &exchange.address_digest,
            },
        );
        let (state, reason, currency, units) = match self.price(terms, percent, of, referrer.currency_id) {
            PricedShare::Units(units, currency) if found.is_empty() => {
                (ReferralCommissionState::Held, None, Some(currency), units)
            }
            PricedShare::Units(units, currency) => (ReferralCommissionState::Review, None, Some(currency), units),
            PricedShare::Nothing(reason) => (ReferralCommissionState::Nothing, Some(reason), None, 0),
            PricedShare::Unknown(reason) => (ReferralCommissionState::Unpriced, Some(reason), None, 0),
        };
        Ok(ReferralCommission {
            id: self.platform.random.uuid_at(exchange.at),
            referrer_id: referrer.customer_id,
            claim_id: exchange.claim,
            claim_number: exchange.number,
            customer_id: exchange.customer,
            email: exchange.email.clone(),
            state,
            flags: found.iter().map(|flag: &Flag| flag.name()).collect::<Vec<_>>().join(","),
            reason: reason.map(str::to_owned),
            comment: None,
            plan_id: plan.id,
            terms: plan.revision,
            kind: terms.kind,
            percent: agio_core::money::plain(percent),
            of_currency: of.currency().id(),
            of_units: of.units(),
            of_scale: i64::from(of.scale()),
            volume: exchange.reference_value.as_ref().map_or(0, |value| volume_units(value.amount)),
            // Possible self-referrals do not count towards the tier.
            is_counted: found.is_empty(),
            scale: currency.map_or(0, |(_, scale)| scale),
            currency_id: currency.map(|(id, _)| id),
            units,
            available_at: exchange.at.plus(hours(terms.hold_hours)),
            day: day_of(exchange.at),
            decided_by: None,
            decided_name: None,
            decided_at: None,
            created_at: exchange.at,
            updated_at: exchange.at,
        })
    }

    pub(super) fn price(&self, terms: &PlanTerms, percent: Decimal, of: Amount, own: Option<i64>) -> PricedShare {
        if of.units() <= 0 {
            return PricedShare::Nothing(TOO_LITTLE);
        }
        let Some(currency) = self.currency_of(own) else { return PricedShare::Unknown(NO_CURRENCY) };
        let one = currency.amount(10_i64.pow(currency.scale));
        let (Some(value), Some(price)) = (self.reference_values.reference_value(of), self.reference_values.reference_value(one))
        else {
            return PricedShare::Unknown(NO_WORTH);
        };
        match share(value.amount, percent, terms.min_commission, price.amount, currency.scale) {
            Share::Units(units) => PricedShare::Units(units, (currency.id, i64::from(currency.scale))),
            Share::TooLittle => PricedShare::Nothing(TOO_LITTLE),
            Share::Unknown => PricedShare::Unknown(NO_WORTH),
        }
    }

    /// Fixes the balance currency with the first commission.
    pub(super) async fn book_pending(&self, tx: &mut Tx, referrer: &Referrer, row: &ReferralCommission) -> Result<()> {
        let Some(amount) = row.amount().filter(|_| row.state.is_pending()) else { return Ok(()) };
        if referrer.currency_id.is_none() {
            referrers::set_currency(tx, referrer.customer_id, amount.currency().id()).await?;
        }
        self.book_earning(tx, row.id, referrer.customer_id, amount, row.updated_at).await
    }

    async fn reverse_commission(&self, tx: &mut Tx, exchange: &CompletedExchange) -> Result<()> {
        let Some(mut row) = commissions::of_claim(tx, exchange.claim).await? else { return Ok(()) };
        let Some(referrer) = referrers::lock(tx, row.referrer_id).await? else { return Ok(()) };
        // It may have changed before the referrer was locked.
        row = commissions::of_claim(tx, exchange.claim).await?.unwrap_or(row);
        let before = row.state;
        if let Some(amount) = row.amount() {
            match before {
                state if state.is_pending() => {
                    self.book_refusal(tx, row.id, referrer.customer_id, amount, exchange.at).await?;
                }
                ReferralCommissionState::Available => self.book_reversal(tx, row.id, &referrer, amount, exchange.at).await?,
                _ => {}
            }
        }
        if row.is_counted {
            referrers::add_volume(tx, referrer.customer_id, -row.volume).await?;
        }
        (row.state, row.is_counted, row.updated_at) = (ReferralCommissionState::Reversed, false, exchange.at);
        if commissions::update(tx, before, &row).await? { Ok(()) } else { Err(changed()) }
    }

    /// Moves commissions whose holding period has ended to the balances.
    pub(crate) async fn unlock_due(self: &Arc<Self>) -> Result<()> {
        let now = self.platform.clock.now();
        loop {
            let due = commissions::due(&mut self.platform.db.read().await?, now, BATCH_SIZE).await?;
            if due.is_empty() {
                return Ok(());
            }
            for row in due {
                let this = self.clone();
                self.platform
                    .db
                    .write(move |tx| {
                        let (this, row) = (this.clone(), row.clone());
                        Box::pin(async move { this.unlock(tx, row, now).await })
                    })
                    .await?;
            }
        }
    }

    async fn unlock(&self, tx: &mut Tx, mut row: ReferralCommission, now: Timestamp) -> Result<()> {
        let Some(referrer) = referrers::lock(tx, row.referrer_id).await? else { return Ok(()) };
        (row.state, row.updated_at) = (ReferralCommissionState::Available, now);
        // Another node or a reversal may have been first.
        if !commissions::update(tx, ReferralCommissionState::Held, &row).await? {
            return Ok(());
        }
        let Some(amount) = row.amount() else { return Ok(()) };
        let from = Account::ReferralPending(referrer.customer_id);
        self.book_credit(tx, ("referral_released", row.id), from, &referrer, amount, now).await
    }
}

pub(super) fn volume_of(referrer: &Referrer) -> Decimal {
    Decimal::new(referrer.volume.max(0), VOLUME_SCALE)
}

pub(super) fn hours(count: i64) -> Duration {
    Duration::from_secs(u64::try_from(count).unwrap_or(0) * 3_600)
}

pub(super) fn changed() -> agio_core::Error {
    agio_core::Error::conflict("referral_changed")
}

//! Giving requisites to claims: all limits are checked and counted here.

use agio_contracts::AddressAssignment;
use agio_core::{Error, Result, Timestamp, Tx};

use super::Claims;
use crate::rules::Claim;
use crate::rules::requisite_pool::{RequisiteIdentification, RequisiteRow, RequisiteUsage, UsageDate, choose, unique_amount};
use crate::store::requisites;

/// The first memo and how many there are: eight digits, which fit every network's memo and are read out easily.
const MEMOS: (u64, u64) = (10_000_000, 90_000_000);

/// The attempts to find a free memo. Each of them fails only if that memo was given before.
const MEMO_ATTEMPTS: usize = 20;

/// What customers may pay in a currency now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaymentAvailability {
    /// Whether there are payment details for any amount.
    pub is_available: bool,
    /// The smallest amount, in units; 0 is no limit.
    pub min: i64,
    /// The largest amount, in units; `None` is no limit.
    pub max: Option<i64>,
}

impl Claims {
    /// Gives a claim its payment details: an address of a watched network, the place where cash is handed in, or a requisite
    /// of the pool. An invoice is
    /// requested, and the claim has no payment details until it is there.
    ///
    /// # Errors
    /// 409 `requisites_unavailable`.
    pub(super) async fn assign_requisite(&self, tx: &mut Tx, claim: &mut Claim, now: Timestamp) -> Result<()> {
        let (currency, units) = (claim.give.currency_id(), claim.give.amount.units());
        match self.payments.give_address(tx, currency, claim.id).await? {
            AddressAssignment::Given(address) => {
                (claim.payment.value, claim.payment.memo) = (Some(address.address), address.memo);
                return Ok(());
            }
            AddressAssignment::Requested => return Ok(()),
            AddressAssignment::NotWatched if self.is_cash(&claim.give) => {
                claim.payment.value = self.meeting_place(claim, claim.locale())?;
                return Ok(());
            }
            AddressAssignment::NotWatched => {}
        }
        requisites::lock_pool(tx, currency).await?;
        let rotation = requisites::rotation(tx, currency).await?;
        let mut pool = requisites::enabled(tx, currency).await?;
        let (row, units) = loop {
            let chosen = choose(&pool, rotation, units, now).ok_or_else(|| Error::conflict("requisites_unavailable"))?.id;
            // Staff, and claims that end, change a requisite without the lock of the pool, so the locked row decides.
            let locked = requisites::locked(tx, chosen).await?;
            let amount = match locked.filter(|row| row.unavailability(units, now).is_none()) {
                Some(row) => Self::amount_for(tx, &row, units).await?.map(|amount| (row, amount)),
                None => None,
            };
            match amount {
                Some(found) => break found,
                None => pool.retain(|row| row.id != chosen),
            }
        };
        let own_memo = match row.identification {
            RequisiteIdentification::None | RequisiteIdentification::Amount => None,
            RequisiteIdentification::Memo => Some(self.new_memo(tx, currency).await?),
        };
        let counted = recounted(&row, UsageDate::of(now), 0, units)?;
        let usage = RequisiteUsage { last_used_at: Some(now), cooling_from: Some(now), ..counted };
        requisites::update_usage(tx, row.id, &usage).await?;
        requisites::insert_use(tx, claim.public_id, &row, units, own_memo.as_deref(), now).await?;
        claim.give_amount(claim.give.of(units))?;
        claim.payment.requisite_id = Some(row.id);
        claim.payment.value = Some(row.value);
        claim.payment.holder = row.holder;
        claim.payment.memo = own_memo.or(row.memo);
        Ok(())
    }

    /// What a claim pays to a requisite, in units; `None` if other open claims pay every amount near the agreed one. The
    /// exchange bears the difference: the customer agreed to an amount and never pays more.
    async fn amount_for(tx: &mut Tx, row: &RequisiteRow, agreed: i64) -> Result<Option<i64>> {
        if row.identification != RequisiteIdentification::Amount {
            return Ok(Some(agreed));
        }
        Ok(unique_amount(agreed, &requisites::open_amounts(tx, row.id).await?))
    }

    /// A memo that no claim of the currency had. It is random, so that nobody learns the memo of another claim from
    /// their own.
    async fn new_memo(&self, tx: &mut Tx, currency: i64) -> Result<String> {
        for _ in 0..MEMO_ATTEMPTS {
            let mut bytes = [0; 8];
            self.platform.random.fill(&mut bytes);
            let memo = (MEMOS.0 + u64::from_be_bytes(bytes) % MEMOS.1).to_string();
            if !requisites::is_memo_taken(tx, currency, &memo).await? {
                return Ok(memo);
            }
        }
        Err(Error::conflict("requisites_unavailable"))
    }

    /// Counts what a claim has paid to its requisite: what was received, and nothing for a claim that ended unpaid. An
    /// unpaid claim does not keep a requisite cooling either. `before` is what was received before this step.
    pub(super) async fn settle_requisite(&self, tx: &mut Tx, claim: &Claim, before: i64) -> Result<()> {
        let received = claim.balances.received.units();
        let ends_unpaid = received == 0 && claim.state.is_final();
        if claim.payment.requisite_id.is_none() || (received == before && !ends_unpaid) {
            return Ok(());
        }
        let Some(counted) = requisites::use_of_claim(tx, claim.public_id).await? else { return Ok(()) };
        if counted.units == received {
            return Ok(());
        }
        let row = requisites::locked(tx, counted.requisite_id).await?;
        let row = row.ok_or_else(|| Error::internal("the requisite of a claim does not exist"))?;
        let usage = recounted(&row, counted.date, counted.units, received)?;
        requisites::recount_use(tx, claim.public_id, received).await?;
        let cooling_from = requisites::last_counted(tx, row.id).await?;
        requisites::update_usage(tx, row.id, &RequisiteUsage { cooling_from, ..usage }).await
    }

    /// What customers may pay in a currency now. An amount between the bounds of several requisites may still fit none.
    pub async fn payment_availability(&self, currency: i64) -> Result<PaymentAvailability> {
        if self.payments.gives_addresses(currency) || self.quotes.by_id(currency).is_some_and(|currency| currency.is_cash()) {
            return Ok(PaymentAvailability { is_available: true, ..PaymentAvailability::default() });
        }
        let pool = requisites::enabled(&mut self.platform.db.read().await?, currency).await?;
        Ok(availability(&pool, self.platform.clock.now()))
    }
}

/// What the requisites of a currency take now.
pub(super) fn availability(pool: &[RequisiteRow], now: Timestamp) -> PaymentAvailability {
    let mut found = PaymentAvailability { is_available: false, min: i64::MAX, max: Some(0) };
    for row in pool.iter().filter(|row| row.unavailability_for_any(now).is_none()) {
        found.is_available = true;
        found.min = found.min.min(row.limits.operation_min.unwrap_or(0));
        found.max = found.max.zip(row.largest(now)).map(|(most, largest)| most.max(largest));
    }
    if found.is_available { found } else { PaymentAvailability::default() }
}

fn recounted(row: &RequisiteRow, date: UsageDate, before: i64, after: i64) -> Result<RequisiteUsage> {
    let usage = row.usage.clone().recount(date, before, after);
    usage.ok_or_else(|| Error::internal("the usage of a requisite leaves its range"))
}

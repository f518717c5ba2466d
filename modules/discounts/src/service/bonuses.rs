//! Bonuses and promo code redemption.

use agio_contracts::{
    Bonus, BonusCustomer, BonusKind, BonusPart, BonusProvider, OfferedBonus, PromoCodeCheck, PromoCodeRefusal, PromoCodeUse,
    ReferenceValue,
};
use agio_core::{BoxFuture, Result, Timestamp, Tx};
use uuid::Uuid;

use super::Discounts;
use crate::model::{normalize_code, percent, position, volume};
use crate::store::{promo_codes, tiers, volumes};

/// Maximum length of an unknown code in a response.
const SHOWN_MAX: usize = 32;

impl BonusProvider for Discounts {
    fn offer_bonus<'a>(&'a self, person: BonusCustomer<'a>, promo: Option<&'a str>) -> BoxFuture<'a, Result<OfferedBonus>> {
        Box::pin(async move {
            let mut tx = self.platform.db.read().await?;
            let mut offered = OfferedBonus {
                bonus: Bonus { most: self.max_bonus(), above_market: self.is_above_market(), ..Bonus::default() },
                promo: None,
            };
            if let Some(part) = self.tier_of(&mut tx, person).await? {
                offered.bonus.customer = person.customer.map(|customer| customer.id);
                offered.bonus.parts.push(part);
            }
            if let Some(typed) = promo {
                let check = self.promo_for(&mut tx, person, typed).await?;
                if let (None, Some(percent)) = (check.refusal, check.percent) {
                    offered.bonus.parts.push(BonusPart { kind: BonusKind::Promo, percent, code: Some(check.code.clone()) });
                    offered.bonus.promo_min.clone_from(&check.least);
                }
                offered.promo = Some(check);
            }
            Ok(offered)
        })
    }

    fn redeem_promo<'a>(&'a self, tx: &'a mut Tx, used: PromoCodeUse<'a>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { promo_codes::redeem(tx, &used).await })
    }

    fn release_promo<'a>(&'a self, tx: &'a mut Tx, claim: Uuid, now: Timestamp) -> BoxFuture<'a, Result<()>> {
        Box::pin(promo_codes::release(tx, claim, now))
    }

    fn reclaim_promo<'a>(&'a self, tx: &'a mut Tx, claim: Uuid, now: Timestamp) -> BoxFuture<'a, Result<bool>> {
        Box::pin(promo_codes::reclaim(tx, claim, now))
    }
}

impl Discounts {
    /// The volume bonus. Only signed-in accounts have one.
    async fn tier_of(&self, tx: &mut Tx, person: BonusCustomer<'_>) -> Result<Option<BonusPart>> {
        let Some(customer) = person.customer else { return Ok(None) };
        let base = self.base();
        let tiers = tiers::tiers_in(tx, &base).await?;
        if tiers.is_empty() {
            return Ok(None);
        }
        let percent_bps = position(&tiers, volumes::of(tx, customer, &base).await?).percent_bps;
        let part = BonusPart { kind: BonusKind::Tier, percent: percent(percent_bps), code: None };
        Ok((percent_bps > 0).then_some(part))
    }

    /// Checks a promo code for a customer.
    async fn promo_for(&self, tx: &mut Tx, person: BonusCustomer<'_>, typed: &str) -> Result<PromoCodeCheck> {
        let known = match normalize_code(typed) {
            Some(code) => promo_codes::find(tx, &code).await?,
            None => None,
        };
        let Some(row) = known else {
            let code = typed.trim().chars().filter(|sign| !sign.is_control()).take(SHOWN_MAX).collect();
            return Ok(PromoCodeCheck { code, percent: None, least: None, refusal: Some(PromoCodeRefusal::Unknown) });
        };
        let used = promo_codes::count_redemptions(tx, &row.code, &person).await?;
        let refusal = row.limits().refusal(row.uses, used, self.platform.clock.now());
        let min = row.min_units.zip(row.min_ticker);
        Ok(PromoCodeCheck {
            code: row.code,
            percent: Some(percent(row.percent_bps)),
            least: min.map(|(units, ticker)| ReferenceValue { amount: volume(units), ticker }),
            refusal,
        })
    }
}

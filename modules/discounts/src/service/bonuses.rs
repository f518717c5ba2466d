//! The bonus of a person, and codes that claims use up.

use agio_core::needs::{Bonus, BonusKind, BonusPart, Bonuses, Offered, Person, PromoSeen, PromoUse, Worth};
use agio_core::{BoxFuture, Result, Timestamp, Tx};
use uuid::Uuid;

use super::Discounts;
use crate::model::{normal_code, percent, place, volume};
use crate::store::{promos, tiers, volumes};

/// The most characters of an unknown code that are repeated to whoever typed it.
const SHOWN_MAX: usize = 32;

impl Bonuses for Discounts {
    fn offered<'a>(&'a self, person: Person<'a>, promo: Option<&'a str>) -> BoxFuture<'a, Result<Offered>> {
        Box::pin(async move {
            let mut tx = self.platform.db.read().await?;
            let mut offered = Offered {
                bonus: Bonus { most: self.most(), above_market: self.is_above_market(), ..Bonus::default() },
                promo: None,
            };
            if let Some(part) = self.tier_of(&mut tx, person).await? {
                offered.bonus.customer = person.customer.map(|customer| customer.id);
                offered.bonus.parts.push(part);
            }
            if let Some(typed) = promo {
                let seen = self.promo_for(&mut tx, person, typed).await?;
                if let (None, Some(percent)) = (seen.refusal, seen.percent) {
                    offered.bonus.parts.push(BonusPart { kind: BonusKind::Promo, percent, code: Some(seen.code.clone()) });
                }
                offered.promo = Some(seen);
            }
            Ok(offered)
        })
    }

    fn take<'a>(&'a self, tx: &'a mut Tx, used: PromoUse<'a>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { promos::take(tx, &used).await })
    }

    fn give_back<'a>(&'a self, tx: &'a mut Tx, claim: Uuid, now: Timestamp) -> BoxFuture<'a, Result<()>> {
        Box::pin(promos::give_back(tx, claim, now))
    }

    fn take_again<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<bool>> {
        Box::pin(promos::take_again(tx, claim))
    }
}

impl Discounts {
    /// What somebody's volume gives. Only an account that is signed in has one.
    async fn tier_of(&self, tx: &mut Tx, person: Person<'_>) -> Result<Option<BonusPart>> {
        let Some(customer) = person.customer else { return Ok(None) };
        let base = self.base();
        let tiers = tiers::tiers_in(tx, &base).await?;
        if tiers.is_empty() {
            return Ok(None);
        }
        let percent_e2 = place(&tiers, volumes::of(tx, customer, &base).await?).percent_e2;
        let part = BonusPart { kind: BonusKind::Tier, percent: percent(percent_e2), code: None };
        Ok((percent_e2 > 0).then_some(part))
    }

    /// A code as somebody typed it, and whether they may use it.
    async fn promo_for(&self, tx: &mut Tx, person: Person<'_>, typed: &str) -> Result<PromoSeen> {
        let known = match normal_code(typed) {
            Some(code) => promos::one(tx, &code).await?,
            None => None,
        };
        let Some(row) = known else {
            let code = typed.trim().chars().filter(|letter| !letter.is_control()).take(SHOWN_MAX).collect();
            return Ok(PromoSeen { code, percent: None, least: None, refusal: Some("promo_unknown") });
        };
        let used = promos::uses_of(tx, &row.code, &person).await?;
        let refusal = row.bounds().refusal(row.uses, used, self.platform.clock.now());
        let least = row.least_units.zip(row.least_ticker);
        Ok(PromoSeen {
            code: row.code,
            percent: Some(percent(row.percent_e2)),
            least: least.map(|(units, ticker)| Worth { amount: volume(units), ticker }),
            refusal,
        })
    }
}

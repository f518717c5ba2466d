//! Customers who are partners: asking for access, and keeping what belongs to it.

use std::sync::Arc;

use agio_core::idempotency::Key as Once;
use agio_core::identity::{Actor, Customer};
use agio_core::needs::{ShownAgain, Turnover};
use agio_core::outbox::{State, Stored};
use agio_core::texts::Locale;
use agio_core::{Error, Result};
use agio_outside::target;
use uuid::Uuid;

use super::desk::{PAYOUTS_SHOWN, fault, log, tell, trace};
use super::keys::KeyMade;
use super::usage::day_of;
use super::{Earnings, KeyWish, PartnerMade, PartnerWish, Partners};
use crate::SELF_SERVICE;
use crate::model::standing::PartnerStanding;
use crate::store::commissions::PayoutRow;
use crate::store::usage::DayRow;
use crate::store::{self, KeyRow, PartnerRow, accounts, commissions, usage};

/// How many calls a minute a key has that a customer makes; staff make others.
pub const OWN_PER_MINUTE: i64 = 600;

/// For how many days it is shown how often keys were used.
const USAGE_DAYS: i64 = 30;

/// What a customer tells of the site they ask for.
#[derive(Clone, Debug)]
pub struct AccessWish {
    /// Name, contact and where news go.
    pub partner: PartnerWish,
    /// The address of the site.
    pub site: String,
}

/// A customer's access with everything about it.
#[derive(Clone, Debug)]
pub struct Access {
    /// The partner.
    pub row: PartnerRow,
    /// The keys, the newest first.
    pub keys: Vec<KeyRow>,
    /// What was exchanged.
    pub turnover: Vec<Turnover>,
    /// What was earned, by currency.
    pub earnings: Vec<Earnings>,
    /// What was paid last, the newest first.
    pub payouts: Vec<PayoutRow>,
    /// How often keys were used, by day.
    pub usage: Vec<DayRow>,
}

impl Partners {
    /// Whether customers may ask for access now.
    pub(crate) fn is_open(&self) -> bool {
        self.platform.settings.is_on(SELF_SERVICE)
    }

    /// A customer's access; nothing where they never asked.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn access(&self, who: &Customer) -> Result<Option<Access>> {
        let mut tx = self.platform.db.read().await?;
        let Some(row) = accounts::of_customer(&mut tx, who.id).await? else { return Ok(None) };
        let keys = store::keys_of(&mut tx, row.id).await?;
        let earnings = self.commissions.earnings(&mut tx, row.id).await?;
        let payouts = commissions::payouts(&mut tx, row.id, PAYOUTS_SHOWN).await?;
        let today = day_of(self.platform.clock.now());
        let usage = usage::by_day(&mut tx, row.id, today - USAGE_DAYS + 1).await?;
        drop(tx);
        let turnover = self.claims.turnover(row.id).await?;
        Ok(Some(Access { row, keys, turnover, earnings, payouts, usage }))
    }

    /// Asks for access. Whoever was declined may ask again, and whoever waits may change what they told.
    ///
    /// # Errors
    /// 409 `not_activated`, `partner_self_service_off`, `partner_suspended`, `partner_is_approved`; 422 with the fields.
    pub async fn ask(&self, who: Customer, wish: AccessWish, locale: Locale) -> Result<()> {
        if !who.activated {
            return Err(Error::conflict("not_activated"));
        }
        if !self.is_open() {
            return Err(Error::conflict("partner_self_service_off"));
        }
        let known = accounts::of_customer(&mut self.platform.db.read().await?, who.id).await?;
        let now = self.platform.clock.now();
        let asked = PartnerRow {
            customer_id: Some(who.id),
            customer_email: Some(who.email.clone()),
            site: wish.site.trim().to_owned(),
            locale: locale.to_string(),
            standing: PartnerStanding::Requested,
            ..self.new_row(wish.partner, now)
        };
        self.check_access(&asked)?;
        let Some(before) = known else { return self.begin(asked, &who).await };
        still_good(&before)?;
        if before.standing == PartnerStanding::Approved {
            return Err(Error::conflict("partner_is_approved"));
        }
        let PartnerRow { name, email, callback_url, site, locale, standing, .. } = asked;
        let after =
            PartnerRow { name, email, callback_url, site, locale, standing, reason: None, updated_at: now, ..before.clone() };
        self.store_partner(before, after, "partner.requested", Actor::from(&who), now).await.map(drop)
    }

    async fn begin(&self, asked: PartnerRow, who: &Customer) -> Result<()> {
        let (row, by, now) = (Arc::new(asked), Actor::from(who), self.platform.clock.now());
        self.change(None, now, move |tx, platform| {
            let (row, by) = (row.clone(), by.clone());
            Box::pin(async move {
                store::insert_partner(tx, &row).await?;
                log(tx, &by, "partner.requested", row.id, (None, Some(trace(&row))), now).await?;
                tell(tx, platform);
                Ok(())
            })
        })
        .await
    }

    /// Changes where an approved partner is written to and where their news go, for whoever shows that the account is theirs.
    ///
    /// # Errors
    /// 404 `partner_not_found`; 409 `partner_suspended`; 422 with the fields; what [`ShownAgain`] is refused with.
    pub async fn change_own(&self, who: Customer, email: String, callback: String, shown: ShownAgain) -> Result<()> {
        let before = self.own(&who).await?;
        still_good(&before)?;
        let now = self.platform.clock.now();
        let (email, callback_url) = (email.trim().to_owned(), callback.trim().to_owned());
        let after = PartnerRow { email, callback_url, updated_at: now, ..before.clone() };
        self.check_access(&after)?;
        self.owners.clone().prove(who.clone(), shown).await?;
        self.store_partner(before, after, "partner.changed", Actor::from(&who), now).await.map(drop)
    }

    /// Makes another secret for the news of a partner, for whoever shows that the account is theirs.
    ///
    /// # Errors
    /// 404 `partner_not_found`; 409 `partner_suspended`, `partner_changed`; what [`ShownAgain`] is refused with.
    pub async fn change_own_secret(&self, who: Customer, shown: ShownAgain) -> Result<PartnerMade> {
        let row = self.own(&who).await?;
        still_good(&row)?;
        self.owners.clone().prove(who.clone(), shown).await?;
        self.change_secret(row.id, Actor::from(&who)).await
    }

    /// Makes a key. One for real claims is only for approved partners who show that the account is theirs.
    ///
    /// # Errors
    /// 404 `partner_not_found`; 409 `partner_suspended`, `partner_not_approved`, `too_many_keys`; 422 with the fields; what
    /// [`ShownAgain`] is refused with.
    pub async fn make_own_key(&self, who: Customer, wish: KeyWish, shown: ShownAgain, once: Option<Once>) -> Result<KeyMade> {
        let row = self.own(&who).await?;
        still_good(&row)?;
        if !wish.sandbox {
            if row.standing != PartnerStanding::Approved {
                return Err(Error::conflict("partner_not_approved"));
            }
            super::keys::check_key(&wish)?;
            self.owners.clone().prove(who.clone(), shown).await?;
        }
        self.make_key(row.id, wish, Actor::from(&who), once).await
    }

    /// Revokes a key. It opens nothing from now on.
    ///
    /// # Errors
    /// 404 `partner_not_found`, `partner_key_not_found`.
    pub async fn revoke_own_key(&self, who: Customer, key: Uuid) -> Result<KeyRow> {
        let row = self.own(&who).await?;
        self.revoke_key(row.id, key, Actor::from(&who)).await
    }

    /// What the customer's partner was told, the newest first.
    ///
    /// # Errors
    /// 404 `partner_not_found`.
    pub async fn own_news(&self, who: &Customer, state: Option<State>, before: Option<i64>, size: i64) -> Result<Vec<Stored>> {
        let row = self.own(who).await?;
        self.news(row.id, state, before, size).await
    }

    /// Has the customer's partner told once more.
    ///
    /// # Errors
    /// 404 `partner_not_found`, `message_not_found`; 409 `partner_suspended`, `message_waits`.
    pub async fn tell_own_again(&self, who: Customer, message: i64) -> Result<()> {
        let row = self.own(&who).await?;
        still_good(&row)?;
        self.tell_again(row.id, message, Actor::from(&who)).await
    }

    /// The partner a customer is.
    async fn own(&self, who: &Customer) -> Result<PartnerRow> {
        let found = accounts::of_customer(&mut self.platform.db.read().await?, who.id).await?;
        found.ok_or_else(|| Error::not_found("partner_not_found"))
    }

    fn check_access(&self, row: &PartnerRow) -> Result<()> {
        let mut wrong = match self.check_partner(row) {
            Ok(()) => Vec::new(),
            Err(refused) if refused.fields().is_empty() => return Err(refused),
            Err(refused) => refused.fields().to_vec(),
        };
        if !target::is_callable(&row.site, self.allows_private) {
            wrong.push(fault("site", "partner_site_invalid"));
        }
        if wrong.is_empty() { Ok(()) } else { Err(Error::invalid(wrong)) }
    }
}

/// Makes sure that staff have not suspended a partner.
fn still_good(row: &PartnerRow) -> Result<()> {
    if row.enabled { Ok(()) } else { Err(Error::conflict("partner_suspended")) }
}

//! Partner access managed by customers in their accounts.

use agio_contracts::ReauthenticationRequest;
use agio_core::idempotency::Key as Once;
use agio_core::identity::{Actor, Customer};
use agio_core::keyset::KeysetPage;
use agio_core::outbox::{OutboxMessage, OutboxState};
use agio_core::texts::Locale;
use agio_core::{Error, FieldError, Result};
use agio_outbound_http::target;
use uuid::Uuid;

use super::customer_records::suspended_addresses;
use super::keys::PartnerKeyWithSecret;
use super::usage::day_of;
use super::{NewPartner, NewPartnerKey, PartnerAndSecret, PartnerOverview, Partners};
use crate::SELF_SERVICE;
use crate::model::PartnerAccessStatus;
use crate::store::usage::KeyUsageRow;
use crate::store::{KeyRow, PartnerRow, accounts, usage};

/// Requests per minute of keys that customers create; staff can choose other limits.
pub const OWN_PER_MINUTE: i64 = 600;

const USAGE_DAYS: i64 = 30;

#[derive(Clone, Debug)]
pub struct NewPartnerAccess {
    pub partner: NewPartner,
    pub site: String,
}

#[derive(Clone, Debug)]
pub struct PartnerAccessOverview {
    pub partner: PartnerOverview,
    pub usage: Vec<KeyUsageRow>,
}

impl Partners {
    pub(crate) fn is_open(&self) -> bool {
        self.platform.settings.is_on(SELF_SERVICE)
    }

    /// `None` if access was never requested.
    pub async fn own_access(&self, customer: &Customer) -> Result<Option<PartnerAccessOverview>> {
        let mut tx = self.platform.db.read().await?;
        let Some(row) = accounts::of_customer(&mut tx, customer.id).await? else { return Ok(None) };
        let today = day_of(self.platform.clock.now());
        let usage = usage::by_day(&mut tx, row.id, today - USAGE_DAYS + 1).await?;
        drop(tx);
        Ok(Some(PartnerAccessOverview { partner: self.overview(row.id).await?, usage }))
    }

    /// A declined customer may request again, and an open request can be changed.
    ///
    /// # Errors
    /// 409 `not_activated`, `partner_self_service_off`, `partner_suspended`, `partner_is_approved`; 422 with field
    /// errors.
    pub async fn request_access(&self, customer: Customer, new: NewPartnerAccess, locale: Locale) -> Result<()> {
        if !customer.activated {
            return Err(Error::conflict("not_activated"));
        }
        if !self.is_open() {
            return Err(Error::conflict("partner_self_service_off"));
        }
        let mut tx = self.platform.db.read().await?;
        let existing = accounts::of_customer(&mut tx, customer.id).await?;
        let former = suspended_addresses(&self.platform.vault, &customer.email);
        if existing.is_none() && accounts::is_suspended(&mut tx, &former).await? {
            return Err(suspended());
        }
        drop(tx);
        let now = self.platform.clock.now();
        let requested = PartnerRow {
            customer_id: Some(customer.id),
            customer_email: Some(customer.email.clone()),
            site: new.site.trim().to_owned(),
            locale,
            status: PartnerAccessStatus::Requested,
            ..self.new_row(new.partner, now)
        };
        self.check_access(&requested)?;
        let Some(before) = existing else {
            return self.insert_partner(requested, "partner.requested", Actor::from(&customer), None).await.map(drop);
        };
        require_not_suspended(&before)?;
        if before.status == PartnerAccessStatus::Approved {
            return Err(Error::conflict("partner_is_approved"));
        }
        let PartnerRow { name, email, callback_url, site, locale, status, .. } = requested;
        let after =
            PartnerRow { name, email, callback_url, site, locale, status, reason: None, updated_at: now, ..before.clone() };
        self.save_partner(before, after, "partner.requested", Actor::from(&customer), now).await.map(drop)
    }

    /// Changes the contact and the webhook URL; the customer confirms with their password.
    ///
    /// # Errors
    /// 404 `partner_not_found`; 409 `partner_suspended`; 422 with field errors; a failed confirmation.
    pub async fn update_own(
        &self,
        customer: Customer,
        email: String,
        callback: String,
        confirmation: ReauthenticationRequest,
    ) -> Result<()> {
        let before = self.own_partner(&customer).await?;
        require_not_suspended(&before)?;
        let now = self.platform.clock.now();
        let (email, callback_url) = (email.trim().to_owned(), callback.trim().to_owned());
        let after = PartnerRow { email, callback_url, updated_at: now, ..before.clone() };
        self.check_access(&after)?;
        self.reauthentication.clone().reauthenticate(customer.clone(), confirmation).await?;
        self.save_partner(before, after, "partner.changed", Actor::from(&customer), now).await.map(drop)
    }

    /// Replaces the webhook secret; the customer confirms with their password.
    ///
    /// # Errors
    /// 404 `partner_not_found`; 409 `partner_suspended`, `partner_changed`; a failed confirmation.
    pub async fn rotate_own_secret(&self, customer: Customer, confirmation: ReauthenticationRequest) -> Result<PartnerAndSecret> {
        let row = self.own_partner(&customer).await?;
        require_not_suspended(&row)?;
        self.reauthentication.clone().reauthenticate(customer.clone(), confirmation).await?;
        self.rotate_secret(row.id, Actor::from(&customer)).await
    }

    /// A live key needs an approved partner and a confirmation with the password.
    ///
    /// # Errors
    /// 404 `partner_not_found`; 409 `partner_suspended`, `partner_not_approved`, `too_many_keys`; 422 with field
    /// errors; a failed confirmation.
    pub async fn create_own_key(
        &self,
        customer: Customer,
        new: NewPartnerKey,
        confirmation: ReauthenticationRequest,
        once: Option<Once>,
    ) -> Result<PartnerKeyWithSecret> {
        let row = self.own_partner(&customer).await?;
        require_not_suspended(&row)?;
        if !new.sandbox {
            if row.status != PartnerAccessStatus::Approved {
                return Err(Error::conflict("partner_not_approved"));
            }
            super::keys::check_key(&new)?;
            self.reauthentication.clone().reauthenticate(customer.clone(), confirmation).await?;
        }
        self.create_key(row.id, new, Actor::from(&customer), once).await
    }

    /// # Errors
    /// 404 `partner_not_found`, `partner_key_not_found`.
    pub async fn revoke_own_key(&self, customer: Customer, key: Uuid) -> Result<KeyRow> {
        let row = self.own_partner(&customer).await?;
        self.revoke_key(row.id, key, Actor::from(&customer)).await
    }

    /// Newest first.
    ///
    /// # Errors
    /// 404 `partner_not_found`.
    pub async fn own_webhook_deliveries(
        &self,
        customer: &Customer,
        state: Option<OutboxState>,
        before: Option<i64>,
        size: u32,
    ) -> Result<KeysetPage<OutboxMessage, i64>> {
        let row = self.own_partner(customer).await?;
        self.webhook_deliveries(row.id, state, before, size).await
    }

    /// # Errors
    /// 404 `partner_not_found`, `message_not_found`; 409 `partner_suspended`, `message_waits`.
    pub async fn redeliver_own_webhook(&self, customer: Customer, message: i64) -> Result<()> {
        let row = self.own_partner(&customer).await?;
        require_not_suspended(&row)?;
        self.redeliver_webhook(row.id, message, Actor::from(&customer)).await
    }

    async fn own_partner(&self, customer: &Customer) -> Result<PartnerRow> {
        let found = accounts::of_customer(&mut self.platform.db.read().await?, customer.id).await?;
        found.ok_or_else(|| Error::not_found("partner_not_found"))
    }

    fn check_access(&self, row: &PartnerRow) -> Result<()> {
        let mut wrong = match self.check_partner(row) {
            Ok(()) => Vec::new(),
            Err(refused) if refused.fields().is_empty() => return Err(refused),
            Err(refused) => refused.fields().to_vec(),
        };
        if !target::is_callable(&row.site, self.allows_private) {
            wrong.push(FieldError::new("site", "partner_site_invalid"));
        }
        if wrong.is_empty() { Ok(()) } else { Err(Error::invalid(wrong)) }
    }
}

fn require_not_suspended(row: &PartnerRow) -> Result<()> {
    if row.enabled { Ok(()) } else { Err(suspended()) }
}

fn suspended() -> Error {
    Error::conflict("partner_suspended")
}

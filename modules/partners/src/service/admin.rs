//! Partner administration.

use std::sync::Arc;

use agio_contracts::DirectionTurnover;
use agio_core::audit::{self, NewAuditEntry};
use agio_core::events::ChangeEvent;
use agio_core::idempotency::{self, Key as Once};
use agio_core::identity::Actor;
use agio_core::money::plain;
use agio_core::texts::Locale;
use agio_core::{Error, FieldError, Platform, Result, Timestamp, Tx};
use agio_outbound_http::target;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rust_decimal::Decimal;
use serde_json::{Value, json};
use uuid::Uuid;

use super::key_cache::webhook_purpose;
use super::{Earnings, Partners};
use crate::model::PartnerAccessStatus;
use crate::model::commission::{PartnerCommissionKind, is_percent};
use crate::store::commissions::PayoutRow;
use crate::store::{self, KeyRow, PartnerRow};

/// Also the limit for key titles.
pub(super) const NAME_MAX: usize = 80;
const EMAIL_MAX: usize = 254;
const PAYOUTS_SHOWN: i64 = 20;

#[derive(Clone, Debug)]
pub struct NewPartner {
    pub name: String,
    pub email: String,
    /// Webhook URL; empty for none.
    pub callback: String,
}

/// `None` leaves a value unchanged.
#[derive(Clone, Debug, Default)]
pub struct PartnerChange {
    pub name: Option<String>,
    pub email: Option<String>,
    pub callback: Option<String>,
    pub enabled: Option<bool>,
    pub commission_kind: Option<PartnerCommissionKind>,
    /// Percentage, `0` to `100`.
    pub commission_percent: Option<Decimal>,
}

/// A partner with its decrypted webhook secret.
#[derive(Clone, Debug)]
pub struct PartnerAndSecret {
    pub row: PartnerRow,
    pub secret: String,
}

#[derive(Clone, Debug)]
pub struct PartnerOverview {
    pub row: PartnerRow,
    pub keys: Vec<KeyRow>,
    pub turnover: Vec<DirectionTurnover>,
    pub earnings: Vec<Earnings>,
    pub payouts: Vec<PayoutRow>,
}

impl Partners {
    pub async fn list_partners(&self) -> Result<Vec<PartnerRow>> {
        store::partners(&mut self.platform.db.read().await?).await
    }

    /// # Errors
    /// 404 `partner_not_found`.
    pub async fn overview(&self, id: Uuid) -> Result<PartnerOverview> {
        let mut tx = self.platform.db.read().await?;
        let row = store::partner(&mut tx, id).await?;
        let keys = store::keys_of(&mut tx, id).await?;
        let earnings = self.commissions.earnings(&mut tx, id).await?;
        let payouts = store::commissions::payouts(&mut tx, id, PAYOUTS_SHOWN).await?;
        drop(tx);
        Ok(PartnerOverview { row, keys, turnover: self.claims.turnover(id).await?, earnings, payouts })
    }

    /// Repeating the request with the same idempotency key returns the same partner and secret.
    ///
    /// # Errors
    /// 422 with field errors.
    pub async fn create_partner(&self, new: NewPartner, by: Actor, once: Option<Once>) -> Result<PartnerAndSecret> {
        let row = self.new_row(new, self.platform.clock.now());
        self.check_partner(&row)?;
        let id = self.insert_partner(row, "partner.created", by, once).await?;
        let row = store::partner(&mut self.platform.db.read().await?, id).await?;
        Ok(PartnerAndSecret { secret: self.opened(&webhook_purpose(id), &row.webhook_secret)?, row })
    }

    pub(super) async fn insert_partner(
        &self,
        row: PartnerRow,
        action: &'static str,
        by: Actor,
        once: Option<Once>,
    ) -> Result<Uuid> {
        let (row, now) = (Arc::new(row), self.platform.clock.now());
        self.change(once, now, move |tx, platform| {
            let (row, by) = (row.clone(), by.clone());
            Box::pin(async move {
                store::insert_partner(tx, &row).await?;
                record_audit(tx, &by, action, row.id, (None, Some(audit_snapshot(&row))), now).await?;
                notify_nodes(tx, platform);
                Ok(row.id)
            })
        })
        .await
    }

    /// A new partner: approved, without a customer account.
    pub(super) fn new_row(&self, new: NewPartner, now: Timestamp) -> PartnerRow {
        let id = self.platform.random.uuid();
        PartnerRow {
            id,
            name: new.name.trim().to_owned(),
            email: new.email.trim().to_owned(),
            enabled: true,
            callback_url: new.callback.trim().to_owned(),
            webhook_secret: self.sealed(&webhook_purpose(id)),
            revision: 1,
            created_at: now,
            updated_at: now,
            customer_id: None,
            customer_email: None,
            site: String::new(),
            locale: Locale::default(),
            status: PartnerAccessStatus::Approved,
            reason: None,
            commission_kind: PartnerCommissionKind::Profit,
            commission_percent: "0".to_owned(),
        }
    }

    /// # Errors
    /// 404 `partner_not_found`; 409 `partner_changed` if the revision is stale; 422 with field errors.
    pub async fn update_partner(&self, id: Uuid, revision: i64, change: PartnerChange, by: Actor) -> Result<PartnerRow> {
        let before = store::partner(&mut self.platform.db.read().await?, id).await?;
        let now = self.platform.clock.now();
        let trimmed = |new: Option<String>, old: &String| new.map_or_else(|| old.clone(), |new| new.trim().to_owned());
        let after = PartnerRow {
            name: trimmed(change.name, &before.name),
            email: trimmed(change.email, &before.email),
            callback_url: trimmed(change.callback, &before.callback_url),
            enabled: change.enabled.unwrap_or(before.enabled),
            commission_kind: change.commission_kind.unwrap_or(before.commission_kind),
            commission_percent: change.commission_percent.map_or_else(|| before.commission_percent.clone(), plain),
            revision,
            updated_at: now,
            ..before.clone()
        };
        self.check_partner(&after)?;
        self.save_partner(before, after, "partner.changed", by, now).await
    }

    /// Replaces the webhook secret.
    ///
    /// # Errors
    /// 404 `partner_not_found`; 409 `partner_changed`.
    pub async fn rotate_secret(&self, id: Uuid, by: Actor) -> Result<PartnerAndSecret> {
        let before = store::partner(&mut self.platform.db.read().await?, id).await?;
        let now = self.platform.clock.now();
        let after = PartnerRow { webhook_secret: self.sealed(&webhook_purpose(id)), updated_at: now, ..before.clone() };
        let row = self.save_partner(before, after, "partner.secret_changed", by, now).await?;
        Ok(PartnerAndSecret { secret: self.opened(&webhook_purpose(id), &row.webhook_secret)?, row })
    }

    /// E-mails the customer if a request was decided.
    pub(super) async fn save_partner(
        &self,
        before: PartnerRow,
        after: PartnerRow,
        action: &'static str,
        by: Actor,
        now: Timestamp,
    ) -> Result<PartnerRow> {
        let (id, rows, emails) = (before.id, Arc::new((before, after)), self.emails.clone());
        self.change(None, now, move |tx, platform| {
            let (rows, emails, by) = (rows.clone(), emails.clone(), by.clone());
            Box::pin(async move {
                let (before, after) = &*rows;
                store::update_partner(tx, after).await?;
                match after.status {
                    PartnerAccessStatus::Approved if before.status != after.status => {
                        emails.send_approved(tx, after, now).await?
                    }
                    PartnerAccessStatus::Declined if before.status != after.status => {
                        emails.send_declined(tx, after, now).await?
                    }
                    _ => {}
                }
                let difference = audit::difference(&audit_snapshot(before), &audit_snapshot(after))?;
                record_audit(tx, &by, action, after.id, difference, now).await?;
                notify_nodes(tx, platform);
                Ok(())
            })
        })
        .await?;
        store::partner(&mut self.platform.db.read().await?, id).await
    }

    /// Runs the change once per idempotency key and reloads this node's key cache.
    pub(super) async fn change<T, F>(&self, once: Option<Once>, now: Timestamp, work: F) -> Result<T>
    where
        T: serde::Serialize + serde::de::DeserializeOwned + Send + 'static,
        F: for<'t> Fn(&'t mut Tx, &'t Platform) -> agio_core::BoxFuture<'t, Result<T>> + Send + Sync + 'static,
    {
        let (platform, work) = (self.platform.clone(), Arc::new(work));
        let done = idempotency::once(&self.platform.db, once, now, move |tx| {
            let (platform, work) = (platform.clone(), work.clone());
            Box::pin(async move { work(tx, &platform).await })
        })
        .await?;
        self.load().await?;
        Ok(done)
    }

    pub(super) fn check_partner(&self, row: &PartnerRow) -> Result<()> {
        let mut wrong = Vec::new();
        wrong.extend(text_error("name", &row.name, NAME_MAX));
        wrong.extend(text_error("email", &row.email, EMAIL_MAX));
        if !row.email.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.')) {
            wrong.push(FieldError::new("email", "partner_email_invalid"));
        }
        if !row.callback_url.is_empty() && !target::is_callable(&row.callback_url, self.allows_private) {
            wrong.push(FieldError::new("callbackUrl", "callback_not_allowed"));
        }
        if !row.commission_percent.parse().is_ok_and(is_percent) {
            wrong.push(FieldError::new("commissionPercent", "commission_percent_invalid"));
        }
        if wrong.is_empty() { Ok(()) } else { Err(Error::invalid(wrong)) }
    }

    /// A new random secret, encrypted.
    pub(super) fn sealed(&self, purpose: &str) -> String {
        let mut secret = [0; 32];
        self.platform.random.fill(&mut secret);
        self.platform.vault.seal(purpose, URL_SAFE_NO_PAD.encode(secret).as_bytes())
    }

    pub(super) fn opened(&self, purpose: &str, sealed: &str) -> Result<String> {
        String::from_utf8(self.platform.vault.open(purpose, sealed)?).map_err(Error::internal)
    }
}

/// An error if the text is empty, too long or contains control characters.
pub(super) fn text_error(field: &str, text: &str, max: usize) -> Option<FieldError> {
    let code = if text.is_empty() {
        "required"
    } else if text.chars().count() > max || text.chars().any(char::is_control) {
        "text_too_long"
    } else {
        return None;
    };
    Some(FieldError::new(field, code).with("max", max))
}

/// What the audit log records; secrets are left out.
pub(super) fn audit_snapshot(row: &PartnerRow) -> Value {
    json!({
        "name": row.name, "email": row.email, "callback": row.callback_url, "enabled": row.enabled, "site": row.site,
        "status": row.status.name(), "reason": row.reason,
        "commission": format!("{} % {}", row.commission_percent, row.commission_kind),
    })
}

pub(super) async fn record_audit(
    tx: &mut Tx,
    by: &Actor,
    action: &str,
    partner: Uuid,
    (before, after): (Option<Value>, Option<Value>),
    now: Timestamp,
) -> Result<()> {
    audit::record(tx, NewAuditEntry { by, action, about: "partner", id: partner.to_string(), before, after }, now).await
}

/// Makes all nodes reload partners and keys after the commit.
pub(super) fn notify_nodes(tx: &mut Tx, platform: &Platform) {
    let live = platform.events.clone();
    tx.after_commit(move || live.publish(ChangeEvent::Partners));
}

//! What staff do with partners.

use std::sync::Arc;

use agio_core::audit::{self, Entry};
use agio_core::idempotency::{self, Key as Once};
use agio_core::identity::Actor;
use agio_core::live::Notice;
use agio_core::money::plain;
use agio_core::needs::Turnover;
use agio_core::texts::Locale;
use agio_core::{Error, FieldError, Platform, Result, Timestamp, Tx};
use agio_outside::target;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rust_decimal::Decimal;
use serde_json::{Value, json};
use uuid::Uuid;

use super::keyring::webhook_purpose;
use super::{Earnings, Partners};
use crate::model::commission::{CommissionKind, is_percent};
use crate::model::standing::PartnerStanding;
use crate::store::commissions::PayoutRow;
use crate::store::{self, KeyRow, PartnerRow};

/// The longest name of a partner and title of a key.
pub(super) const NAME_MAX: usize = 80;
/// The longest e-mail address.
const EMAIL_MAX: usize = 254;
/// How many payouts are shown with a partner.
pub(super) const PAYOUTS_SHOWN: i64 = 20;

/// A partner as staff wish for one.
#[derive(Clone, Debug)]
pub struct PartnerWish {
    /// The name colleagues see.
    pub name: String,
    /// Where the partner is written to.
    pub email: String,
    /// Where news of claims go; empty: nowhere.
    pub callback: String,
}

/// What staff change of a partner; what is nothing stays as it is.
#[derive(Clone, Debug, Default)]
pub struct PartnerChange {
    /// Another name.
    pub name: Option<String>,
    /// Another address.
    pub email: Option<String>,
    /// Another place for news, or none.
    pub callback: Option<String>,
    /// Whether the partner's keys are good.
    pub enabled: Option<bool>,
    /// What they earn a share of.
    pub commission_kind: Option<CommissionKind>,
    /// How many percent of it.
    pub commission_percent: Option<Decimal>,
}

/// A partner that was made, with the secret of its news.
#[derive(Clone, Debug)]
pub struct PartnerMade {
    /// The partner.
    pub row: PartnerRow,
    /// What news are signed with.
    pub secret: String,
}

/// A partner with everything about them.
#[derive(Clone, Debug)]
pub struct PartnerWhole {
    /// The partner.
    pub row: PartnerRow,
    /// Their keys.
    pub keys: Vec<KeyRow>,
    /// What was exchanged through them.
    pub turnover: Vec<Turnover>,
    /// What they earned, by currency.
    pub earnings: Vec<Earnings>,
    /// What they were paid last, the newest first.
    pub payouts: Vec<PayoutRow>,
}

impl Partners {
    /// Every partner, the newest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn all(&self) -> Result<Vec<PartnerRow>> {
        store::partners(&mut self.platform.db.read().await?).await
    }

    /// A partner with everything about them.
    ///
    /// # Errors
    /// 404 `partner_not_found`.
    pub async fn whole(&self, id: Uuid) -> Result<PartnerWhole> {
        let mut tx = self.platform.db.read().await?;
        let row = store::partner(&mut tx, id).await?;
        let keys = store::keys_of(&mut tx, id).await?;
        let earnings = self.commissions.earnings(&mut tx, id).await?;
        let payouts = store::commissions::payouts(&mut tx, id, PAYOUTS_SHOWN).await?;
        drop(tx);
        Ok(PartnerWhole { row, keys, turnover: self.claims.turnover(id).await?, earnings, payouts })
    }

    /// Makes a partner. The same request under the same key is answered with the same partner and secret.
    ///
    /// # Errors
    /// 422 with the fields.
    pub async fn make_partner(&self, wish: PartnerWish, by: Actor, once: Option<Once>) -> Result<PartnerMade> {
        let now = self.platform.clock.now();
        let row = self.new_row(wish, now);
        self.check_partner(&row)?;
        let row = Arc::new(row);
        let id: Uuid = self
            .change(once, now, move |tx, platform| {
                let (row, by) = (row.clone(), by.clone());
                Box::pin(async move {
                    store::insert_partner(tx, &row).await?;
                    let after = json!({ "name": row.name, "email": row.email, "callback": row.callback_url });
                    log(tx, &by, "partner.created", row.id, (None, Some(after)), now).await?;
                    tell(tx, platform);
                    Ok(row.id)
                })
            })
            .await?;
        let row = store::partner(&mut self.platform.db.read().await?, id).await?;
        Ok(PartnerMade { secret: self.opened(&webhook_purpose(id), &row.webhook_secret)?, row })
    }

    /// A partner as they begin: approved, without an account.
    pub(super) fn new_row(&self, wish: PartnerWish, now: Timestamp) -> PartnerRow {
        let id = self.platform.random.uuid();
        PartnerRow {
            id,
            name: wish.name.trim().to_owned(),
            email: wish.email.trim().to_owned(),
            enabled: true,
            callback_url: wish.callback.trim().to_owned(),
            webhook_secret: self.sealed(&webhook_purpose(id)),
            revision: 1,
            created_at: now,
            updated_at: now,
            customer_id: None,
            customer_email: None,
            site: String::new(),
            locale: Locale::default().to_string(),
            standing: PartnerStanding::Approved,
            reason: None,
            commission_kind: CommissionKind::Profit,
            commission_percent: "0".to_owned(),
        }
    }

    /// Changes a partner.
    ///
    /// # Errors
    /// 404 `partner_not_found`; 409 `partner_changed` when it is not the revision they saw; 422 with the fields.
    pub async fn change_partner(&self, id: Uuid, revision: i64, change: PartnerChange, by: Actor) -> Result<PartnerRow> {
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
        self.store_partner(before, after, "partner.changed", by, now).await
    }

    /// Makes another secret for the news of a partner. From now on news are signed with it.
    ///
    /// # Errors
    /// 404 `partner_not_found`; 409 `partner_changed`.
    pub async fn change_secret(&self, id: Uuid, by: Actor) -> Result<PartnerMade> {
        let before = store::partner(&mut self.platform.db.read().await?, id).await?;
        let now = self.platform.clock.now();
        let after = PartnerRow { webhook_secret: self.sealed(&webhook_purpose(id)), updated_at: now, ..before.clone() };
        let row = self.store_partner(before, after, "partner.secret_changed", by, now).await?;
        Ok(PartnerMade { secret: self.opened(&webhook_purpose(id), &row.webhook_secret)?, row })
    }

    pub(super) async fn store_partner(
        &self,
        before: PartnerRow,
        after: PartnerRow,
        action: &'static str,
        by: Actor,
        now: Timestamp,
    ) -> Result<PartnerRow> {
        let (id, rows) = (before.id, Arc::new((before, after)));
        self.change(None, now, move |tx, platform| {
            let (rows, by) = (rows.clone(), by.clone());
            Box::pin(async move {
                let (before, after) = &*rows;
                store::update_partner(tx, after).await?;
                let difference = audit::difference(&trace(before), &trace(after))?;
                log(tx, &by, action, after.id, difference, now).await?;
                tell(tx, platform);
                Ok(())
            })
        })
        .await?;
        store::partner(&mut self.platform.db.read().await?, id).await
    }

    /// Makes a change once, and has this node know it before the answer.
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
        wrong.extend(bad_text("name", &row.name, NAME_MAX));
        wrong.extend(bad_text("email", &row.email, EMAIL_MAX));
        if !row.email.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.')) {
            wrong.push(fault("email", "partner_email_invalid"));
        }
        if !row.callback_url.is_empty() && !target::is_callable(&row.callback_url, self.allows_private) {
            wrong.push(fault("callbackUrl", "callback_not_allowed"));
        }
        if !row.commission_percent.parse().is_ok_and(is_percent) {
            wrong.push(fault("commissionPercent", "commission_percent_invalid"));
        }
        if wrong.is_empty() { Ok(()) } else { Err(Error::invalid(wrong)) }
    }

    /// A new secret, sealed.
    pub(super) fn sealed(&self, purpose: &str) -> String {
        let mut secret = [0; 32];
        self.platform.random.fill(&mut secret);
        self.platform.vault.seal(purpose, URL_SAFE_NO_PAD.encode(secret).as_bytes())
    }

    pub(super) fn opened(&self, purpose: &str, sealed: &str) -> Result<String> {
        String::from_utf8(self.platform.vault.open(purpose, sealed)?).map_err(Error::internal)
    }
}

/// What is wrong with a text that is empty, too long or has control characters.
pub(super) fn bad_text(field: &str, text: &str, max: usize) -> Option<FieldError> {
    let code = if text.is_empty() {
        "required"
    } else if text.chars().count() > max || text.chars().any(char::is_control) {
        "text_too_long"
    } else {
        return None;
    };
    Some(FieldError { field: field.to_owned(), code, params: [("max", max.to_string())].into() })
}

/// Something wrong with a field.
pub(super) fn fault(field: &str, code: &'static str) -> FieldError {
    FieldError { field: field.to_owned(), code, params: agio_core::error::Params::new() }
}

/// What the audit log keeps of a partner; secrets are not in it.
pub(super) fn trace(row: &PartnerRow) -> Value {
    json!({
        "name": row.name, "email": row.email, "callback": row.callback_url, "enabled": row.enabled, "site": row.site,
        "standing": row.standing.name(), "reason": row.reason,
        "commission": format!("{} % {}", row.commission_percent, row.commission_kind),
    })
}

/// Writes down what was done to a partner.
pub(super) async fn log(
    tx: &mut Tx,
    by: &Actor,
    action: &str,
    partner: Uuid,
    (before, after): (Option<Value>, Option<Value>),
    now: Timestamp,
) -> Result<()> {
    audit::record(tx, Entry { by, action, about: "partner", id: partner.to_string(), before, after }, now).await
}

/// Has the other nodes read partners and keys anew.
pub(super) fn tell(tx: &mut Tx, platform: &Platform) {
    let live = platform.live.clone();
    tx.after_commit(move || live.tell(Notice::Partners));
}

//! What staff do with partners.

use std::sync::Arc;

use agio_core::audit::{self, Entry};
use agio_core::idempotency::{self, Key as Once};
use agio_core::identity::{Actor, Staff};
use agio_core::live::Notice;
use agio_core::needs::Turnover;
use agio_core::outbox::{self, State, Stored};
use agio_core::{Error, FieldError, Platform, Result, Timestamp, Tx};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use uuid::Uuid;

use super::keyring::{key_purpose, webhook_purpose};
use super::{News, Partners};
use crate::channel::CHANNEL;
use crate::model::network::Network;
use crate::model::scope::Scope;
use crate::model::signature::hex;
use crate::model::target;
use crate::store::{self, KeyRow, PartnerRow};

/// The longest name of a partner and title of a key.
const NAME_MAX: usize = 80;
/// The longest e-mail address.
const EMAIL_MAX: usize = 254;
/// The most good keys of a partner, and networks of a key.
const KEYS_MAX: i64 = 20;
const NETWORKS_MAX: usize = 32;
/// The most calls a minute a key may have.
const PER_MINUTE_MAX: i64 = 6_000;

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
}

/// A key as staff wish for one.
#[derive(Clone, Debug)]
pub struct KeyWish {
    /// What it is called.
    pub title: String,
    /// Whether its claims are rehearsals.
    pub sandbox: bool,
    /// What it may do.
    pub scopes: Vec<String>,
    /// From where; empty: from everywhere.
    pub networks: Vec<String>,
    /// Calls a minute.
    pub per_minute: i64,
}

/// A partner that was made, with the secret of its news.
#[derive(Clone, Debug)]
pub struct PartnerMade {
    /// The partner.
    pub row: PartnerRow,
    /// What news are signed with.
    pub secret: String,
}

/// A key that was made, with its secret.
#[derive(Clone, Debug)]
pub struct KeyMade {
    /// The key.
    pub row: KeyRow,
    /// What calls are signed with.
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
        drop(tx);
        Ok(PartnerWhole { row, keys, turnover: self.claims.turnover(id).await? })
    }

    /// Makes a partner. The same request under the same key is answered with the same partner and secret.
    ///
    /// # Errors
    /// 422 with the fields.
    pub async fn make_partner(&self, wish: PartnerWish, staff: Staff, once: Option<Once>) -> Result<PartnerMade> {
        let now = self.platform.clock.now();
        let id = self.platform.random.uuid();
        let row = PartnerRow {
            id,
            name: wish.name.trim().to_owned(),
            email: wish.email.trim().to_owned(),
            enabled: true,
            callback_url: wish.callback.trim().to_owned(),
            webhook_secret: self.sealed(&webhook_purpose(id)),
            revision: 1,
            created_at: now,
            updated_at: now,
        };
        self.check_partner(&row)?;
        let row = Arc::new(row);
        let id: Uuid = self.change(once, now, move |tx, platform| {
            let (row, by) = (row.clone(), Actor::from(&staff));
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

    /// Changes a partner.
    ///
    /// # Errors
    /// 404 `partner_not_found`; 409 `partner_changed` when it is not the revision they saw; 422 with the fields.
    pub async fn change_partner(&self, id: Uuid, revision: i64, change: PartnerChange, staff: Staff) -> Result<PartnerRow> {
        let before = store::partner(&mut self.platform.db.read().await?, id).await?;
        let now = self.platform.clock.now();
        let trimmed = |new: Option<String>, old: &String| new.map_or_else(|| old.clone(), |new| new.trim().to_owned());
        let after = PartnerRow {
            name: trimmed(change.name, &before.name),
            email: trimmed(change.email, &before.email),
            callback_url: trimmed(change.callback, &before.callback_url),
            enabled: change.enabled.unwrap_or(before.enabled),
            revision,
            updated_at: now,
            ..before.clone()
        };
        self.check_partner(&after)?;
        self.store_partner(before, after, "partner.changed", staff, now).await
    }

    /// Makes another secret for the news of a partner. From now on news are signed with it.
    ///
    /// # Errors
    /// 404 `partner_not_found`; 409 `partner_changed`.
    pub async fn change_secret(&self, id: Uuid, staff: Staff) -> Result<PartnerMade> {
        let before = store::partner(&mut self.platform.db.read().await?, id).await?;
        let now = self.platform.clock.now();
        let after =
            PartnerRow { webhook_secret: self.sealed(&webhook_purpose(id)), updated_at: now, ..before.clone() };
        let row = self.store_partner(before, after, "partner.secret_changed", staff, now).await?;
        Ok(PartnerMade { secret: self.opened(&webhook_purpose(id), &row.webhook_secret)?, row })
    }

    async fn store_partner(
        &self,
        before: PartnerRow,
        after: PartnerRow,
        action: &'static str,
        staff: Staff,
        now: Timestamp,
    ) -> Result<PartnerRow> {
        let (id, rows) = (before.id, Arc::new((before, after)));
        self.change(None, now, move |tx, platform| {
            let (rows, by) = (rows.clone(), Actor::from(&staff));
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

    /// Makes a key. The same request under the same key is answered with the same key and secret.
    ///
    /// # Errors
    /// 404 `partner_not_found`; 422 with the fields; 409 `too_many_keys`.
    pub async fn make_key(&self, partner: Uuid, wish: KeyWish, staff: Staff, once: Option<Once>) -> Result<KeyMade> {
        let (now, id) = (self.platform.clock.now(), self.platform.random.uuid());
        let (scopes, networks) = check_key(&wish)?;
        let mut name = [0; 12];
        self.platform.random.fill(&mut name);
        let row = Arc::new(KeyRow {
            id,
            partner_id: partner,
            name: format!("agio_{}_{}", if wish.sandbox { "test" } else { "live" }, hex(&name)),
            title: wish.title.trim().to_owned(),
            sandbox: wish.sandbox,
            scopes,
            networks,
            per_minute: wish.per_minute,
            secret: self.sealed(&key_purpose(id)),
            created_at: now,
            revoked_at: None,
        });
        let id: Uuid = self.change(once, now, move |tx, platform| {
            let (row, by) = (row.clone(), Actor::from(&staff));
            Box::pin(async move {
                store::partner(tx, row.partner_id).await?;
                if store::key_count(tx, row.partner_id).await? >= KEYS_MAX {
                    return Err(Error::conflict("too_many_keys").with("max", KEYS_MAX));
                }
                store::insert_key(tx, &row).await?;
                let KeyRow { name, title, sandbox, scopes, networks, per_minute, .. } = &*row;
                let after = json!({ "key": name, "title": title, "sandbox": sandbox, "scopes": scopes, "networks": networks,
                    "perMinute": per_minute });
                log(tx, &by, "partner.key_created", row.partner_id, (None, Some(after)), now).await?;
                tell(tx, platform);
                Ok(row.id)
            })
        })
        .await?;
        let row = store::key_of(&mut self.platform.db.read().await?, partner, id).await?;
        Ok(KeyMade { secret: self.opened(&key_purpose(id), &row.secret)?, row })
    }

    /// Revokes a key. It opens nothing from now on; revoking it again changes nothing.
    ///
    /// # Errors
    /// 404 `partner_key_not_found`.
    pub async fn revoke_key(&self, partner: Uuid, id: Uuid, staff: Staff) -> Result<KeyRow> {
        let now = self.platform.clock.now();
        self.change(None, now, move |tx, platform| {
            let by = Actor::from(&staff);
            Box::pin(async move {
                let key = store::key_of(tx, partner, id).await?;
                if store::revoke_key(tx, partner, id, now).await? {
                    let before = json!({ "key": key.name, "title": key.title });
                    log(tx, &by, "partner.key_revoked", partner, (Some(before), None), now).await?;
                    tell(tx, platform);
                }
                Ok(())
            })
        })
        .await?;
        store::key_of(&mut self.platform.db.read().await?, partner, id).await
    }

    /// What a partner was told, the newest first, from before an identifier on.
    ///
    /// # Errors
    /// 404 `partner_not_found`.
    pub async fn news(&self, partner: Uuid, state: Option<State>, before: Option<i64>, size: i64) -> Result<Vec<Stored>> {
        let mut tx = self.platform.db.read().await?;
        store::partner(&mut tx, partner).await?;
        store::news(&mut tx, partner, state.map(State::name), before.unwrap_or(i64::MAX), size).await
    }

    /// Tells a partner once more: a dead message lives again, and what was delivered is sent anew as the same event.
    ///
    /// # Errors
    /// 404 `message_not_found`; 409 `message_waits` when it is still being tried.
    pub async fn tell_again(&self, partner: Uuid, id: i64, staff: Staff) -> Result<()> {
        let (webhooks, now) = (self.webhooks.clone(), self.platform.clock.now());
        self.change(None, now, move |tx, platform| {
            let (webhooks, by, outbox) = (webhooks.clone(), Actor::from(&staff), platform.outbox.clone());
            Box::pin(async move {
                let message = outbox::message(tx, CHANNEL, id).await?;
                if message.about_id != partner.to_string() {
                    return Err(Error::not_found("message_not_found"));
                }
                let news = News::read(&message.payload)?;
                match message.state {
                    State::Queued => return Err(Error::conflict("message_waits")),
                    State::Dead => outbox.revive(tx, CHANNEL, id, now).await?,
                    State::Sent => {
                        let claim = message.recipient.parse().map_err(Error::internal)?;
                        webhooks.tell_again(tx, &news, claim, now).await?;
                    }
                }
                let after = json!({ "event": news.event, "claim": message.recipient });
                log(tx, &by, "partner.news_resent", partner, (None, Some(after)), now).await
            })
        })
        .await
    }

    /// Makes a change once, and has this node know it before the answer.
    async fn change<T, F>(&self, once: Option<Once>, now: Timestamp, work: F) -> Result<T>
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

    fn check_partner(&self, row: &PartnerRow) -> Result<()> {
        let mut wrong = Vec::new();
        wrong.extend(bad_text("name", &row.name, NAME_MAX));
        wrong.extend(bad_text("email", &row.email, EMAIL_MAX));
        if !row.email.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.')) {
            wrong.push(fault("email", "partner_email_invalid"));
        }
        if !row.callback_url.is_empty() && !target::is_callable(&row.callback_url, self.allows_private) {
            wrong.push(fault("callbackUrl", "callback_not_allowed"));
        }
        if wrong.is_empty() { Ok(()) } else { Err(Error::invalid(wrong)) }
    }

    /// A new secret, sealed.
    fn sealed(&self, purpose: &str) -> String {
        let mut secret = [0; 32];
        self.platform.random.fill(&mut secret);
        self.platform.vault.seal(purpose, URL_SAFE_NO_PAD.encode(secret).as_bytes())
    }

    fn opened(&self, purpose: &str, sealed: &str) -> Result<String> {
        String::from_utf8(self.platform.vault.open(purpose, sealed)?).map_err(Error::internal)
    }
}

/// The scopes and networks of a key as they are stored.
fn check_key(wish: &KeyWish) -> Result<(String, String)> {
    let mut wrong = Vec::new();
    wrong.extend(bad_text("title", wish.title.trim(), NAME_MAX));
    let scopes: Result<Vec<Scope>, _> = wish.scopes.iter().map(|scope| scope.parse()).collect();
    let mut scopes = scopes.unwrap_or_default();
    scopes.sort();
    scopes.dedup();
    if scopes.is_empty() || scopes.len() != wish.scopes.len() {
        wrong.push(fault("scopes", "scopes_invalid"));
    }
    let networks: Result<Vec<Network>, _> = wish.networks.iter().map(|network| network.trim().parse()).collect();
    if wish.networks.len() > NETWORKS_MAX || networks.is_err() {
        wrong.push(fault("networks", "network_invalid"));
    }
    if !(1..=PER_MINUTE_MAX).contains(&wish.per_minute) {
        let params = [("min", "1".to_owned()), ("max", PER_MINUTE_MAX.to_string())].into();
        wrong.push(FieldError { field: "perMinute".into(), code: "per_minute_invalid", params });
    }
    if !wrong.is_empty() {
        return Err(Error::invalid(wrong));
    }
    let networks: Vec<String> = networks.unwrap_or_default().iter().map(ToString::to_string).collect();
    let scopes: Vec<&str> = scopes.iter().map(|scope| scope.name()).collect();
    Ok((scopes.join(" "), networks.join(" ")))
}

fn bad_text(field: &str, text: &str, max: usize) -> Option<FieldError> {
    let code = if text.is_empty() {
        "required"
    } else if text.chars().count() > max || text.chars().any(char::is_control) {
        "text_too_long"
    } else {
        return None;
    };
    Some(FieldError { field: field.to_owned(), code, params: [("max", max.to_string())].into() })
}

fn fault(field: &str, code: &'static str) -> FieldError {
    FieldError { field: field.to_owned(), code, params: agio_core::error::Params::new() }
}

/// What the audit log keeps of a partner; secrets are not in it.
fn trace(row: &PartnerRow) -> Value {
    json!({ "name": row.name, "email": row.email, "callback": row.callback_url, "enabled": row.enabled })
}

async fn log(
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
fn tell(tx: &mut Tx, platform: &Platform) {
    let live = platform.live.clone();
    tx.after_commit(move || live.tell(Notice::Partners));
}

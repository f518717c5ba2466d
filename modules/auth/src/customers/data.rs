//! A customer's data as a whole: export, and deletion of the account.

use std::sync::Arc;

use agio_contracts::{CustomerAccount, CustomerRecords, ReauthenticationRequest};
use agio_core::audit::{self, AuditFilter};
use agio_core::{Result, Timestamp, Tx};
use serde_json::{Map, Value, json};

use super::attempt_limits::export;
use super::store;
use crate::accounts::{AccountRecord, new_email, record, store as accounts};
use crate::audience::{AccountRef, Audience, Caller};
use crate::auth::{Auth, ClientInfo};
use crate::second_factor;
use crate::secrets::new_secret;

/// Actions in an export, newest first.
const ACTIONS_MAX: usize = 10_000;

/// The accounts, with everything else that is kept about their owners.
#[derive(Clone)]
pub struct CustomerData {
    pub(crate) auth: Arc<Auth>,
    pub(crate) records: Arc<[Arc<dyn CustomerRecords>]>,
}

impl CustomerData {
    pub fn new(auth: Arc<Auth>, records: Vec<Arc<dyn CustomerRecords>>) -> Self {
        Self { auth, records: records.into() }
    }

    /// Everything that is kept about a customer.
    ///
    /// # Errors
    /// 422 for password and code; 429 `too_many_attempts`.
    pub(crate) async fn export(
        &self,
        caller: Caller,
        credentials: ReauthenticationRequest,
        client: ClientInfo,
    ) -> Result<Map<String, Value>> {
        let auth = &self.auth;
        let account = auth.check_credentials(&caller, credentials).await?;
        auth.count_attempt(export(account.id)).await?;
        auth.transaction((account.clone(), client), |_, tx, (account, client), now| {
            Box::pin(async move { record(tx, account.reference(), &account.actor(&client), "exported", now).await })
        })
        .await?;
        let mut tx = auth.platform.db.read().await?;
        let mut export = own_records(&mut tx, &account, auth.platform.clock.now()).await?;
        for records in &*self.records {
            export.extend(records.export(&mut tx, &shown(&account)).await?.into_iter().map(|(name, part)| (name.into(), part)));
        }
        Ok(export)
    }

    /// Deletes the account: erases what is kept about the customer but the records of exchanges, and frees the address.
    ///
    /// # Errors
    /// 409 with the reason while something is open or owed; 422 for password and code; 401 `token_not_valid`.
    pub(crate) async fn delete_account(
        &self,
        caller: Caller,
        credentials: ReauthenticationRequest,
        client: ClientInfo,
    ) -> Result<()> {
        let account = self.auth.check_credentials(&caller, credentials).await?;
        // Nobody knows this password.
        let password = new_secret(&*self.auth.platform.random);
        let hash = self.auth.hash_password(Audience::Customers, password, "password", &account.email).await?;
        let this = self.clone();
        self.auth
            .transaction((account, hash, client), move |auth, tx, (account, hash, client), now| {
                let this = this.clone();
                Box::pin(async move {
                    let account = auth.lock_unchanged(tx, &account).await?;
                    let by = account.actor(&client);
                    // .invalid never resolves.
                    let placeholder = format!("{}@deleted.invalid", account.id);
                    for records in &*this.records {
                        records.erase(tx, &shown(&account), &placeholder).await?;
                    }
                    let time = auth.time_for(&account, now);
                    let message = new_email("account_deleted", &account).with("time", time).with("address", client.address);
                    auth.mail(tx, &account, &message, now).await?;
                    auth.sessions.end_all(tx, account.reference(), None, now).await?;
                    second_factor::remove(tx, account.id).await?;
                    store::erase(tx, &account, &placeholder, &hash, now).await?;
                    record(tx, account.reference(), &by, "deleted", now).await
                })
            })
            .await
    }
}

impl Auth {
    /// Locks an account whose password was verified.
    ///
    /// # Errors
    /// 401 `token_not_valid` if its password was changed or it was blocked since.
    pub(super) async fn lock_unchanged(&self, tx: &mut Tx, verified: &AccountRecord) -> Result<AccountRecord> {
        let locked = self.lock_live(tx, verified.reference()).await?;
        if locked.password_hash == verified.password_hash { Ok(locked) } else { Err(agio_core::Error::token_not_valid()) }
    }

    /// # Errors
    /// 401 `token_not_valid` if it is blocked.
    pub(super) async fn lock_live(&self, tx: &mut Tx, account: AccountRef) -> Result<AccountRecord> {
        let locked = accounts::lock(tx, account).await?.filter(|account| !account.blocked);
        locked.ok_or_else(agio_core::Error::token_not_valid)
    }
}

pub(super) fn shown(account: &AccountRecord) -> CustomerAccount {
    CustomerAccount { id: account.id, email: account.is_activated().then(|| account.email.clone()) }
}

/// The account itself, its sessions, what was done with it and the e-mails sent to its confirmed address.
async fn own_records(tx: &mut Tx, account: &AccountRecord, now: Timestamp) -> Result<Map<String, Value>> {
    let second_factor = second_factor::status(tx, account.id).await?;
    let sessions = store::every_session(tx, account.id).await?.into_iter().map(|session| {
        json!({
            "signedInAt": session.created_at,
            "lastUsedAt": session.refreshed_at,
            "endedAt": session.ended_at,
            "address": session.address,
            "browser": session.agent,
        })
    });
    let sessions: Vec<_> = sessions.collect();
    let filter = AuditFilter {
        about_kind: Some(account.audience().subject().into()),
        about_id: Some(account.id.to_string()),
        ..AuditFilter::default()
    };
    let actions = audit::entries(tx, &filter, None, ACTIONS_MAX).await?.rows;
    let actions: Vec<_> = actions
        .into_iter()
        .map(|entry| json!({ "at": entry.at, "by": entry.actor_kind, "action": entry.action, "address": entry.address }))
        .collect();
    let emails = if account.is_activated() { store::emails_to(tx, &account.email).await? } else { Vec::new() };
    let emails: Vec<_> = emails
        .into_iter()
        .map(|email| json!({ "kind": email.kind, "createdAt": email.created_at, "sentAt": email.settled_at }))
        .collect();
    let parts = json!({
        "exportedAt": now,
        "account": {
            "id": account.id,
            "email": account.email,
            "activated": account.is_activated(),
            "language": account.locale,
            "timeZone": account.time_zone,
            "createdAt": account.created_at,
            "totp": second_factor.enabled,
            "recoveryCodes": second_factor.recovery_codes,
        },
        "sessions": sessions,
        "actions": actions,
        "emails": emails,
    });
    match parts {
        Value::Object(parts) => Ok(parts),
        _ => Ok(Map::new()),
    }
}

//! Letting calls in: signed by a good key, fresh, from where the key may be used, and each once.

use std::net::IpAddr;

use agio_core::error::Constraint;
use agio_core::needs::PartnerParty;
use agio_core::{Error, Kind, Result, Timestamp};
use uuid::Uuid;

use super::usage::{day_of, minute_of};
use super::{Partners, Usage};
use crate::model::scope::Scope;
use crate::model::signature::Call;
use crate::service::keyring::Key;
use crate::store;

/// How far the time of a call may be from ours, either way.
pub(crate) const WINDOW_SECONDS: i64 = 60;

/// A call as it came.
#[derive(Clone, Copy, Debug)]
pub struct SignedCall<'a> {
    /// The method.
    pub method: &'a str,
    /// The path of the request line.
    pub path: &'a str,
    /// The query of the request line.
    pub query: &'a str,
    /// The body.
    pub body: &'a [u8],
    /// Where it came from.
    pub address: IpAddr,
    /// `X-Agio-Key`.
    pub key: &'a str,
    /// `X-Agio-Timestamp`.
    pub timestamp: &'a str,
    /// `X-Agio-Nonce`.
    pub nonce: &'a str,
    /// `X-Agio-Signature`.
    pub signature: &'a str,
}

/// A partner's programme that was let in.
#[derive(Clone, Debug)]
pub struct PartnerCaller {
    /// Who, and from where.
    pub party: PartnerParty,
    /// The key.
    pub key: Uuid,
    /// What the key is called.
    pub title: String,
    /// Whether its claims are rehearsals.
    pub sandbox: bool,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Calls a minute.
    pub per_minute: u32,
}

impl PartnerCaller {
    /// Makes sure that the key may do this.
    ///
    /// # Errors
    /// 403 `scope_missing` with the scope.
    pub fn may(&self, scope: Scope) -> Result<()> {
        if self.scopes.contains(&scope) {
            return Ok(());
        }
        Err(Error::new(Kind::Forbidden, "scope_missing").with("scope", scope))
    }
}

/// What became of a call at the door.
#[derive(Debug)]
pub struct Admission {
    /// What is left to the key in this minute; nothing where the call was not counted.
    pub usage: Option<Usage>,
    /// Who was let in, or why not.
    pub outcome: Result<PartnerCaller>,
}

impl Admission {
    fn refused(error: Error) -> Self {
        Self { usage: None, outcome: Err(error) }
    }
}

impl Partners {
    /// Lets a call in, once. Whoever has no good key learns nothing but that: an unknown key and a wrong signature are refused alike.
    ///
    /// The outcome is 401 `signature_invalid`, `signature_stale` or `nonce_reused`, 403 `address_not_allowed`, 429
    /// `too_many_requests`, or what the database says when it cannot be asked.
    pub async fn admit(&self, call: &SignedCall<'_>) -> Admission {
        let key = match self.signed_by(call) {
            Ok(key) => key,
            Err(refused) => return Admission::refused(refused),
        };
        match signed_until(call.timestamp, self.platform.clock.now()) {
            Ok(until) => self.enter(&key, call.nonce, until, call.address).await,
            Err(refused) => Admission::refused(refused),
        }
    }

    /// Lets a call in that is signed with a key and fresh: once by its nonce, and from where the key may be used.
    pub(crate) async fn enter(&self, key: &Key, nonce: &str, expires_at: Timestamp, address: IpAddr) -> Admission {
        if !key.networks.is_empty() && !key.networks.iter().any(|network| network.contains(address)) {
            return Admission::refused(Error::new(Kind::Forbidden, "address_not_allowed"));
        }
        let now = self.platform.clock.now();
        let (mut usage, counted) = self.usage.count(key.id, key.per_minute, now);
        let outcome = match counted {
            Ok(()) => self.use_nonce(key, nonce, expires_at, now).await,
            refused => refused,
        };
        if outcome.as_ref().is_err_and(|refused| refused.kind() == Kind::TooManyRequests) {
            usage.remaining = 0;
        }
        Admission { usage: Some(usage), outcome: outcome.map(|()| caller(key, address)) }
    }

    /// The key a call is signed with.
    fn signed_by(&self, call: &SignedCall<'_>) -> Result<std::sync::Arc<Key>> {
        let SignedCall { method, path, query, body, timestamp, nonce, .. } = *call;
        let key = self.keyring.key(call.key).filter(|_| is_nonce(nonce));
        let secret = key.as_ref().map_or(self.decoy.as_slice(), |key| key.secret.as_slice());
        let is_signed = Call { method, path, query, body, timestamp, nonce }.is_signed(secret, call.signature);
        key.filter(|_| is_signed).ok_or_else(invalid)
    }

    /// Uses the nonce up and counts the call, for all nodes and for good. The same statement asks whether the key is good still, so a key
    /// that was revoked a moment ago on another node opens nothing here.
    async fn use_nonce(&self, key: &Key, nonce: &str, expires_at: Timestamp, now: Timestamp) -> Result<()> {
        let (id, used, limit) = (key.id, nonce.to_owned(), i64::from(key.per_minute));
        let (minute, day) = (minute_of(now), day_of(now));
        let written = self.platform.db.write(move |tx| {
            let nonce = used.clone();
            Box::pin(async move {
                store::use_nonce(tx, id, &nonce, expires_at).await?;
                store::usage::count(tx, id, minute, day, limit).await
            })
        });
        match written.await {
            Err(refused) if refused.constraint() == Some(Constraint::Condition) => {
                let mut tx = self.platform.db.read().await?;
                if !store::is_good(&mut tx, id).await? {
                    drop(tx);
                    self.load().await?;
                    return Err(invalid());
                }
                if store::usage::in_minute(&mut tx, id, minute).await? >= limit {
                    return Err(self.usage.spent(id, key.per_minute, now));
                }
                Err(Error::new(Kind::Unauthorised, "nonce_reused"))
            }
            outcome => outcome,
        }
    }
}

fn invalid() -> Error {
    Error::new(Kind::Unauthorised, "signature_invalid")
}

/// Until when a call of this time is taken.
fn signed_until(timestamp: &str, now: Timestamp) -> Result<Timestamp> {
    let seconds = Some(timestamp).filter(|text| (1..=12).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit()));
    let seconds: i64 = seconds.and_then(|text| text.parse().ok()).ok_or_else(invalid)?;
    if (now.as_seconds() - seconds).abs() > WINDOW_SECONDS {
        return Err(Error::new(Kind::Unauthorised, "signature_stale"));
    }
    Ok(Timestamp((seconds + WINDOW_SECONDS + 1) * 1_000_000))
}

fn is_nonce(text: &str) -> bool {
    (16..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

fn caller(key: &Key, address: IpAddr) -> PartnerCaller {
    PartnerCaller {
        party: PartnerParty { id: key.partner.id, name: key.partner.name.clone(), address },
        key: key.id,
        title: key.title.clone(),
        sandbox: key.sandbox,
        scopes: key.scopes.clone(),
        per_minute: key.per_minute,
    }
}

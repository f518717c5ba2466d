//! Request admission: a valid signature, a fresh timestamp, an allowed address and an unused nonce.

use std::net::IpAddr;

use agio_contracts::CallingPartner;
use agio_core::error::Constraint;
use agio_core::{Error, ErrorKind, Result, Timestamp};
use uuid::Uuid;

use super::usage::{day_of, minute_of};
use super::{Partners, Usage};
use crate::model::KeyScope;
use crate::model::signature::{self, CanonicalRequest};
use crate::service::key_cache::CachedKey;
use crate::store;

/// Allowed clock difference, either way.
pub(crate) const WINDOW_SECONDS: i64 = 60;

#[derive(Clone, Copy, Debug)]
pub struct SignedRequest<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub query: &'a str,
    pub body: &'a [u8],
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

/// An authenticated partner application.
#[derive(Clone, Debug)]
pub struct PartnerCaller {
    pub partner: CallingPartner,
    pub key: Uuid,
    pub title: String,
    pub sandbox: bool,
    pub scopes: Vec<KeyScope>,
    pub per_minute: u32,
}

impl PartnerCaller {
    /// # Errors
    /// 403 `scope_missing` with the scope.
    pub fn may(&self, scope: KeyScope) -> Result<()> {
        if self.scopes.contains(&scope) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Forbidden, "scope_missing").with("scope", scope))
    }
}

#[derive(Debug)]
pub struct Admission {
    /// Remaining quota; `None` if the request was not counted.
    pub usage: Option<Usage>,
    pub outcome: Result<PartnerCaller>,
}

impl Admission {
    fn refused(error: Error) -> Self {
        Self { usage: None, outcome: Err(error) }
    }
}

impl Partners {
    /// Admits a request once. An unknown key and a wrong signature are indistinguishable; headers whose form is wrong are
    /// named, whatever the key.
    ///
    /// The outcome is 401 `signature_invalid`, `signature_stale` or `nonce_reused`, 403 `address_not_allowed`, 429
    /// `too_many_requests`, or a database error.
    pub async fn admit(&self, call: &SignedRequest<'_>) -> Admission {
        let key = match self.authenticate_key(call) {
            Ok(key) => key,
            Err(refused) => return Admission::refused(refused),
        };
        match signed_until(call.timestamp, self.platform.clock.now()) {
            Ok(until) => self.admit_key(&key, call.nonce, until, call.address).await,
            Err(refused) => Admission::refused(refused),
        }
    }

    /// Admits a request whose signature and timestamp are valid, once per nonce and only from allowed networks.
    pub(crate) async fn admit_key(&self, key: &CachedKey, nonce: &str, expires_at: Timestamp, address: IpAddr) -> Admission {
        if !key.networks.is_empty() && !key.networks.iter().any(|network| network.contains(address)) {
            return Admission::refused(Error::new(ErrorKind::Forbidden, "address_not_allowed"));
        }
        let now = self.platform.clock.now();
        let (mut usage, counted) = self.usage.count(key.id, key.per_minute, now);
        let outcome = match counted {
            Ok(()) => self.use_nonce(key, nonce, expires_at, now).await,
            refused => refused,
        };
        if outcome.as_ref().is_err_and(|refused| refused.kind() == ErrorKind::TooManyRequests) {
            usage.remaining = 0;
        }
        Admission { usage: Some(usage), outcome: outcome.map(|()| caller(key, address)) }
    }

    fn authenticate_key(&self, call: &SignedRequest<'_>) -> Result<std::sync::Arc<CachedKey>> {
        let SignedRequest { method, path, query, body, timestamp, nonce, .. } = *call;
        let key = self.key_cache.key(call.key).filter(|_| is_nonce(nonce));
        let secret = key.as_ref().map_or(self.decoy.as_slice(), |key| key.secret.as_slice());
        let is_signed = CanonicalRequest { method, path, query, body, timestamp, nonce }.is_signed(secret, call.signature);
        key.filter(|_| is_signed).ok_or_else(|| malformed_headers(call))
    }

    /// Stores the nonce and counts the request, for all nodes. The statement also checks that the key is still
    /// valid, so a key revoked on another node is rejected here at once.
    async fn use_nonce(&self, key: &CachedKey, nonce: &str, expires_at: Timestamp, now: Timestamp) -> Result<()> {
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
                    return Err(signature_invalid());
                }
                if store::usage::in_minute(&mut tx, id, minute).await? >= limit {
                    return Err(self.usage.exhausted(id, key.per_minute, now));
                }
                Err(Error::new(ErrorKind::Unauthorised, "nonce_reused"))
            }
            outcome => outcome,
        }
    }
}

fn signature_invalid() -> Error {
    Error::new(ErrorKind::Unauthorised, "signature_invalid")
}

/// When the nonce may be deleted.
fn signed_until(timestamp: &str, now: Timestamp) -> Result<Timestamp> {
    let seconds = Some(timestamp).filter(|text| is_timestamp(text)).and_then(|text| text.parse::<i64>().ok());
    let fresh = seconds.filter(|seconds| (now.as_seconds() - seconds).abs() <= WINDOW_SECONDS);
    let seconds = fresh.ok_or_else(|| Error::new(ErrorKind::Unauthorised, "signature_stale"))?;
    Ok(Timestamp((seconds + WINDOW_SECONDS + 1) * 1_000_000))
}

/// 401 `signature_invalid` at the headers whose form is wrong.
fn malformed_headers(call: &SignedRequest<'_>) -> Error {
    let headers = [
        ("X-Agio-Key", !call.key.is_empty()),
        ("X-Agio-Timestamp", is_timestamp(call.timestamp)),
        ("X-Agio-Nonce", is_nonce(call.nonce)),
        ("X-Agio-Signature", signature::digest_in(call.signature).is_some()),
    ];
    let malformed = headers.into_iter().filter(|(_, is_formed)| !is_formed);
    malformed.fold(signature_invalid(), |error, (header, _)| error.at(header, "malformed_parameter"))
}

/// Unix time in seconds; in milliseconds it is longer.
fn is_timestamp(text: &str) -> bool {
    (1..=12).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_nonce(text: &str) -> bool {
    (16..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

fn caller(key: &CachedKey, address: IpAddr) -> PartnerCaller {
    PartnerCaller {
        partner: CallingPartner { id: key.partner.id, name: key.partner.name.clone(), address },
        key: key.id,
        title: key.title.clone(),
        sandbox: key.sandbox,
        scopes: key.scopes.clone(),
        per_minute: key.per_minute,
    }
}

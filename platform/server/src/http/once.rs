//! Idempotency keys at the edge.
//!
//! A key is bound to whoever sends it, and from here on is a digest of both: nobody meets another's answers, and what a handler stores does not
//! tell the key. Handlers that store their answer in the transaction of what they do take the bound key themselves. For every other call that takes
//! a key it is kept here: the key is taken before the handler runs, and its answer stored, sealed, when it is done.

use std::sync::{Arc, OnceLock};

use agio_core::idempotency::{self, Begun, Key};
use agio_core::needs::guest_digest;
use agio_core::{Error, Kind, Platform, Result};
use agio_http::Failure;
use agio_http::body::BODY_BYTES_MAX;
use agio_http::caller::{GUEST_COOKIE, IdempotencyKey, KEY_HEADER, address, cookie};
use poem::endpoint::BoxEndpoint;
use poem::error::ReadBodyError;
use poem::http::{HeaderValue, Method, StatusCode, header};
use poem::{Endpoint as _, Request, Response};
use serde::{Deserialize, Serialize};

use crate::openapi::Keyed;

/// An API.
pub type Api = Arc<BoxEndpoint<'static>>;

/// What stored answers are sealed for.
const SEALING: &str = "idempotent answer";

/// Keeps calls with a key from being carried out twice.
pub struct Once {
    platform: Platform,
    keyed: OnceLock<Keyed>,
    read: Box<dyn Fn() -> Keyed + Send + Sync>,
}

/// An answer as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    status: u16,
    content_type: Option<String>,
    body: String,
}

impl Once {
    /// `read` says which calls take a key. It is asked once, when somebody first sends one.
    pub fn new(platform: &Platform, read: impl Fn() -> Keyed + Send + Sync + 'static) -> Self {
        Self { platform: platform.clone(), keyed: OnceLock::new(), read: Box::new(read) }
    }

    /// Has a call answered; `caller` is who is signed in, if somebody is.
    pub async fn answer(&self, api: &Api, mut request: Request, caller: Option<String>) -> poem::Result<Response> {
        if request.method() != Method::POST {
            return api.call(request).await;
        }
        let Some(key) = IdempotencyKey::of(&request).map_err(Failure)? else { return api.call(request).await };
        let key = self.bound(&request, caller, &key);
        let key = idempotency::with_secret(&self.platform.vault, &key);
        let header = HeaderValue::from_str(&key).expect("digests in hexadecimal are a header's value");
        request.headers_mut().insert(KEY_HEADER, header);
        let path = request.uri().path().to_owned();
        if !self.keyed.get_or_init(|| (self.read)()).is_kept_at_the_edge(&path) {
            return api.call(request).await;
        }
        let body = request.take_body().into_bytes_limit(BODY_BYTES_MAX).await.map_err(unreadable)?;
        let key = Key::of(&key, format!("call {path}"), &body);
        request.set_body(body);
        match idempotency::begin(&self.platform.db, &key, self.platform.clock.now()).await.map_err(Failure)? {
            Begun::Answered(sealed) => Ok(self.opened(&sealed).map_err(Failure)?),
            Begun::First => {
                // The call runs to its end even if the caller stops waiting: then its answer is there for whoever asks again.
                let done = tokio::spawn(carried_out(self.platform.clone(), api.clone(), request, key)).await;
                done.unwrap_or_else(|failed| Err(Failure(Error::internal(failed)).into()))
            }
        }
    }

    /// The key of this caller. A guest without a cookie is known by the address. The first answer may have brought a cookie and then been lost: that
    /// cookie follows from the key, so it is known again.
    fn bound(&self, request: &Request, caller: Option<String>, key: &str) -> String {
        let vault = &self.platform.vault;
        if let Some(caller) = caller {
            return idempotency::bound(vault, &caller, key);
        }
        let by_address = idempotency::bound(vault, &format!("guest at {}", address(request)), key);
        match cookie(request, GUEST_COOKIE) {
            Some(secret) if secret != idempotency::guest_secret(vault, &by_address) => {
                idempotency::bound(vault, &format!("guest {}", guest_digest(&secret)), key)
            }
            _ => by_address,
        }
    }

    fn opened(&self, sealed: &str) -> Result<Response> {
        let kept = self.platform.vault.open(SEALING, sealed)?;
        let Kept { status, content_type, body } = serde_json::from_slice(&kept).map_err(Error::internal)?;
        let mut response = Response::builder().status(StatusCode::from_u16(status).map_err(Error::internal)?);
        if let Some(content_type) = content_type {
            response = response.header(header::CONTENT_TYPE, content_type);
        }
        Ok(response.header(header::CACHE_CONTROL, "no-store").body(body))
    }
}

/// Carries a call out and keeps its answer. After a refusal the key is free again; after a fault of ours nobody knows what was done, so it is not.
async fn carried_out(platform: Platform, api: Api, request: Request, key: Key) -> poem::Result<Response> {
    let response = match api.call(request).await {
        Ok(response) => response,
        Err(failed) => {
            if !is_uncertain(&failed) {
                idempotency::release(&platform.db, key).await.map_err(Failure)?;
            }
            return Err(failed);
        }
    };
    if !response.status().is_success() {
        if !response.status().is_server_error() {
            idempotency::release(&platform.db, key).await.map_err(Failure)?;
        }
        return Ok(response);
    }
    let (parts, body) = response.into_parts();
    let body = body.into_bytes().await.map_err(unreadable)?;
    let content_type = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let text = String::from_utf8(body.to_vec()).map_err(|failed| Failure(Error::internal(failed)))?;
    let kept = serde_json::to_vec(&Kept { status: parts.status.as_u16(), content_type, body: text });
    let kept = kept.map_err(|failed| Failure(Error::internal(failed)))?;
    if let Err(failed) = idempotency::finish(&platform.db, key, platform.vault.seal(SEALING, &kept)).await {
        // What was done is done. Whoever sends it again hears that it is not known how it ended.
        tracing::error!(%failed, "an answer could not be kept under its key");
    }
    Ok(Response::from_parts(parts, body.into()))
}

/// Whether something may have been done all the same.
fn is_uncertain(failed: &poem::Error) -> bool {
    match failed.downcast_ref::<Failure>() {
        Some(Failure(error)) => error.kind() == Kind::Internal || error.code() == "storage_unavailable",
        None => failed.status().is_server_error(),
    }
}

fn unreadable(failed: ReadBodyError) -> poem::Error {
    let error = match failed {
        ReadBodyError::PayloadTooLarge => Error::new(Kind::TooLarge, "too_large"),
        _ => Error::new(Kind::BadRequest, "malformed_body"),
    };
    Failure(error).into()
}

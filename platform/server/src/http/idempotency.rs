//! Idempotency keys.
//!
//! A key is bound to its caller: handlers see a digest of both, so nobody gets the response of another caller and the
//! stored data do not reveal the key. Some handlers store their response in their own transaction. For all other
//! operations with a key, this middleware reserves the key before the handler runs and stores the encrypted response
//! afterwards.

use std::sync::Arc;

use agio_contracts::guest_digest;
use agio_core::idempotency::{self, Key, KeyState};
use agio_core::{Error, ErrorKind, Platform, Result};
use agio_http::ApiError;
use agio_http::body::BODY_BYTES_MAX;
use agio_http::caller::{GUEST_COOKIE, IDEMPOTENCY_KEY_HEADER, IdempotencyKey, address, cookie};
use poem::endpoint::BoxEndpoint;
use poem::error::ReadBodyError;
use poem::http::{HeaderValue, Method, StatusCode, header};
use poem::{Endpoint as _, Request, Response};
use serde::{Deserialize, Serialize};

use crate::openapi::DeclaredOperations;

pub type Api = Arc<BoxEndpoint<'static>>;

/// The purpose for which stored responses are encrypted.
const SEALING: &str = "idempotent answer";

/// Carries out a request with a key only once.
pub struct IdempotencyMiddleware {
    platform: Platform,
    declared: Arc<DeclaredOperations>,
}

#[derive(Serialize, Deserialize)]
struct StoredResponse {
    status: u16,
    content_type: Option<String>,
    body: String,
}

impl IdempotencyMiddleware {
    pub fn new(platform: &Platform, declared: Arc<DeclaredOperations>) -> Self {
        Self { platform: platform.clone(), declared }
    }

    /// Handles a request. `caller` is the signed-in account, if any.
    pub async fn answer(&self, api: &Api, request: Request, caller: Option<String>) -> poem::Result<Response> {
        if request.method() == Method::POST {
            Box::pin(self.answer_post(api, request, caller)).await
        } else {
            api.call(request).await
        }
    }

    async fn answer_post(&self, api: &Api, mut request: Request, caller: Option<String>) -> poem::Result<Response> {
        let Some(key) = IdempotencyKey::of(&request).map_err(ApiError)? else { return api.call(request).await };
        let key = self.bind(&request, caller, &key);
        let key = idempotency::with_secret(&self.platform.vault, &key);
        let header = HeaderValue::from_str(&key).expect("digests in hexadecimal are a header's value");
        request.headers_mut().insert(IDEMPOTENCY_KEY_HEADER, header);
        let path = request.uri().path().to_owned();
        if !self.declared.keys.contains(&path) {
            return api.call(request).await;
        }
        let body = request.take_body().into_bytes_limit(BODY_BYTES_MAX).await.map_err(unreadable)?;
        let key = Key::of(&key, format!("call {path}"), &body);
        request.set_body(body);
        match idempotency::begin(&self.platform.db, &key, self.platform.clock.now()).await.map_err(ApiError)? {
            KeyState::Completed(sealed) => Ok(self.open(&sealed).map_err(ApiError)?),
            KeyState::Taken => {
                // The request completes even if the client disconnects, so that a retry gets the response.
                let done = tokio::spawn(carry_out(self.platform.clone(), api.clone(), request, key)).await;
                done.unwrap_or_else(|failed| Err(ApiError(Error::internal(failed)).into()))
            }
        }
    }

    /// The key of this caller. A guest without a cookie is identified by the address. If the first response set a
    /// cookie and was lost, the retry is still recognised, because that cookie is derived from the key.
    fn bind(&self, request: &Request, caller: Option<String>, key: &str) -> String {
        let vault = &self.platform.vault;
        if let Some(caller) = caller {
            return idempotency::bind(vault, &caller, key);
        }
        let by_address = idempotency::bind(vault, &format!("guest at {}", address(request)), key);
        match cookie(request, GUEST_COOKIE) {
            Some(secret) if secret != idempotency::guest_secret(vault, &by_address) => {
                idempotency::bind(vault, &format!("guest {}", guest_digest(&secret)), key)
            }
            _ => by_address,
        }
    }

    fn open(&self, sealed: &str) -> Result<Response> {
        let stored = self.platform.vault.open(SEALING, sealed)?;
        let StoredResponse { status, content_type, body } = serde_json::from_slice(&stored).map_err(Error::internal)?;
        let mut response = Response::builder().status(StatusCode::from_u16(status).map_err(Error::internal)?);
        if let Some(content_type) = content_type {
            response = response.header(header::CONTENT_TYPE, content_type);
        }
        Ok(response.header(header::CACHE_CONTROL, "no-store").body(body))
    }
}

/// Handles a request and stores its response. A 4xx response releases the key. After an internal error the outcome is
/// unknown, so the key stays reserved.
async fn carry_out(platform: Platform, api: Api, request: Request, key: Key) -> poem::Result<Response> {
    let response = match api.call(request).await {
        Ok(response) => response,
        Err(failed) => {
            if !is_uncertain(&failed) {
                idempotency::release(&platform.db, key).await.map_err(ApiError)?;
            }
            return Err(failed);
        }
    };
    if !response.status().is_success() {
        if !response.status().is_server_error() {
            idempotency::release(&platform.db, key).await.map_err(ApiError)?;
        }
        return Ok(response);
    }
    let (parts, body) = response.into_parts();
    let body = body.into_bytes().await.map_err(unreadable)?;
    let content_type = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let text = String::from_utf8(body.to_vec()).map_err(|failed| ApiError(Error::internal(failed)))?;
    let stored = serde_json::to_vec(&StoredResponse { status: parts.status.as_u16(), content_type, body: text });
    let stored = stored.map_err(|failed| ApiError(Error::internal(failed)))?;
    if let Err(failed) = idempotency::finish(&platform.db, key, platform.vault.seal(SEALING, &stored)).await {
        // The request has been carried out. A retry is told that the outcome is unknown.
        tracing::error!(%failed, "the response of an idempotent request could not be stored");
    }
    Ok(Response::from_parts(parts, body.into()))
}

/// Whether the failed request may have had an effect.
fn is_uncertain(failed: &poem::Error) -> bool {
    match failed.downcast_ref::<ApiError>() {
        Some(ApiError(error)) => error.kind() == ErrorKind::Internal || error.code() == "storage_unavailable",
        None => failed.status().is_server_error(),
    }
}

fn unreadable(failed: ReadBodyError) -> poem::Error {
    let error = match failed {
        ReadBodyError::PayloadTooLarge => Error::new(ErrorKind::TooLarge, "too_large"),
        _ => Error::new(ErrorKind::BadRequest, "malformed_body"),
    };
    ApiError(error).into()
}

//! Callers of the APIs, and what their requests say about them.

use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::sync::Arc;

use agio_contracts::{CustomerTokens, StaffTokens};
use agio_core::identity::{Customer, Permission, Staff, StaffSession};
use agio_core::texts::Locale;
use agio_core::{Error, ErrorKind, Result, idempotency};
use poem::{FromRequest, Request, RequestBody};
use poem_openapi::SecurityScheme;
use poem_openapi::auth::Bearer;
use serde::Serialize;

use crate::problem::ApiError;

/// The cookie that identifies the browser that created a claim.
pub const GUEST_COOKIE: &str = "agio_guest";

pub const IDEMPOTENCY_KEY_HEADER: &str = "idempotency-key";

pub const KEY_LENGTH: RangeInclusive<usize> = 8..=255;

/// A caller of the public API.
#[derive(Clone, Debug)]
pub struct Visitor {
    pub locale: Locale,
    /// The secret of the browser, from its cookie.
    pub guest: Option<String>,
    pub address: IpAddr,
    /// The signed-in customer.
    pub customer: Option<Customer>,
}

impl<'a> FromRequest<'a> for Visitor {
    async fn from_request(request: &'a Request, _body: &mut RequestBody) -> poem::Result<Self> {
        Ok(Self {
            locale: request.data::<Locale>().copied().unwrap_or_default(),
            guest: cookie(request, GUEST_COOKIE),
            address: address(request),
            customer: request.data::<Customer>().cloned(),
        })
    }
}

pub fn cookie(request: &Request, name: &str) -> Option<String> {
    request
        .headers()
        .get_all(poem::http::header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value.to_owned())
}

/// The peer's network address, or the one that the server took from a trusted proxy's header.
pub fn address(request: &Request) -> IpAddr {
    if let Some(address) = request.data::<IpAddr>() {
        return *address;
    }
    match request.remote_addr().as_socket_addr() {
        Some(address) => address.ip(),
        None => IpAddr::from([127, 0, 0, 1]),
    }
}

/// A staff member, by the access token of the request.
#[derive(SecurityScheme)]
#[oai(ty = "bearer", key_name = "staff", bearer_format = "JWT", checker = "check_staff")]
pub struct StaffAuth(pub StaffSession);

/// A staff member who may still have to set up a second factor. Only the calls for that accept it.
#[derive(SecurityScheme)]
#[oai(ty = "bearer", key_name = "staff", bearer_format = "JWT", checker = "check_staff_in_setup")]
pub struct StaffSetupAuth(pub StaffSession);

async fn check_staff(request: &Request, bearer: Bearer) -> poem::Result<StaffSession> {
    let found = staff_tokens(request)?.staff(&bearer.token).await.map_err(ApiError)?;
    Ok(calling_from(request, found))
}

async fn check_staff_in_setup(request: &Request, bearer: Bearer) -> poem::Result<StaffSession> {
    let found = staff_tokens(request)?.staff_in_setup(&bearer.token).await.map_err(ApiError)?;
    Ok(calling_from(request, found))
}

fn staff_tokens(request: &Request) -> Result<&Arc<dyn StaffTokens>, ApiError> {
    request.data::<Arc<dyn StaffTokens>>().ok_or_else(|| ApiError(Error::internal("the server knows no staff tokens")))
}

fn calling_from(request: &Request, found: StaffSession) -> StaffSession {
    StaffSession { staff: Staff { address: Some(address(request)), ..found.staff }, ..found }
}

/// A signed-in customer, by the access token of the request.
#[derive(SecurityScheme)]
#[oai(ty = "bearer", key_name = "customer", bearer_format = "JWT", checker = "check_customer")]
pub struct CustomerAuth(pub Customer);

async fn check_customer(request: &Request, bearer: Bearer) -> poem::Result<Customer> {
    let tokens = request
        .data::<Arc<dyn CustomerTokens>>()
        .ok_or_else(|| ApiError(Error::internal("the server knows no customer tokens")))?;
    let customer = tokens.customer(&bearer.token).await.map_err(ApiError)?;
    Ok(Customer { address: Some(address(request)), ..customer })
}

impl StaffAuth {
    /// The staff member, if their role has the permission.
    ///
    /// # Errors
    /// 403 `forbidden` with the permission.
    pub fn require(&self, permission: Permission) -> Result<Staff> {
        self.0.require(permission)
    }

    /// Requires a recent second factor. Check the permission first.
    ///
    /// # Errors
    /// 403 `fresh_second_factor_needed`.
    pub fn require_fresh(&self) -> Result<()> {
        self.0.require_fresh()
    }
}

/// The validated `Idempotency-Key`.
#[derive(Clone, Debug)]
pub struct IdempotencyKey(pub Option<String>);

impl IdempotencyKey {
    /// Reads the header of a request. An invalid key is refused rather than ignored, because its caller relies on it.
    ///
    /// # Errors
    /// 422 `idempotency_key_invalid`, also for several keys.
    pub fn of(request: &Request) -> Result<Option<String>> {
        let mut values = request.headers().get_all(IDEMPOTENCY_KEY_HEADER).iter();
        let invalid = || Error::new(ErrorKind::Unprocessable, "idempotency_key_invalid");
        match (values.next(), values.next()) {
            (None, _) => Ok(None),
            (Some(value), None) => Self::check(Some(value.to_str().map_err(|_| invalid())?.to_owned())).map(|key| key.0),
            (Some(_), Some(_)) => Err(invalid()),
        }
    }

    /// Validates the header's value.
    ///
    /// # Errors
    /// 422 `idempotency_key_invalid`.
    pub fn check(header: Option<String>) -> Result<Self> {
        match header {
            Some(key) if !KEY_LENGTH.contains(&key.len()) || !key.bytes().all(|byte| byte.is_ascii_graphic()) => {
                Err(Error::new(ErrorKind::Unprocessable, "idempotency_key_invalid"))
            }
            key => Ok(Self(key)),
        }
    }

    /// The key as it is stored.
    pub fn stored(&self) -> Option<&str> {
        self.0.as_deref().map(idempotency::without_secret)
    }

    /// The key for one scope and body.
    pub fn for_body(self, scope: impl Into<String>, body: &impl Serialize) -> Result<Option<idempotency::Key>> {
        Ok(self.for_content(scope, &serde_json::to_vec(body).map_err(Error::internal)?))
    }

    /// The key for one scope and content.
    pub fn for_content(self, scope: impl Into<String>, content: &[u8]) -> Option<idempotency::Key> {
        self.0.map(|key| idempotency::Key::of(&key, scope, content))
    }
}

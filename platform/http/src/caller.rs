//! Who is calling.

use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::sync::Arc;

use agio_core::identity::{Customer, Permission, Staff, StaffSession};
use agio_core::needs::{CustomerTokens, StaffTokens};
use agio_core::texts::Locale;
use agio_core::{Error, Kind, Result, idempotency};
use poem::{FromRequest, Request, RequestBody};
use poem_openapi::SecurityScheme;
use poem_openapi::auth::Bearer;

use crate::problem::Failure;

/// The cookie by which a browser shows that it made a claim.
pub const GUEST_COOKIE: &str = "agio_guest";

/// The header of idempotency keys.
pub const KEY_HEADER: &str = "idempotency-key";

/// How long an idempotency key is.
pub const KEY_LENGTH: RangeInclusive<usize> = 8..=255;

/// Anybody who calls the public API.
#[derive(Clone, Debug)]
pub struct Visitor {
    /// The language of texts.
    pub locale: Locale,
    /// The secret of the browser, if it has one.
    pub guest: Option<String>,
    /// Where the call comes from.
    pub address: IpAddr,
    /// The account they are signed in to, if they show that they are.
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

/// Reads a cookie.
#[must_use]
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

/// The address of the peer, or the one the server took from a trusted proxy's header.
#[must_use]
pub fn address(request: &Request) -> IpAddr {
    if let Some(address) = request.data::<IpAddr>() {
        return *address;
    }
    match request.remote_addr().as_socket_addr() {
        Some(address) => address.ip(),
        None => IpAddr::from([127, 0, 0, 1]),
    }
}

/// A member of staff, by the access token of the request.
#[derive(SecurityScheme)]
#[oai(ty = "bearer", key_name = "staff", bearer_format = "JWT", checker = "check_staff")]
pub struct StaffAuth(pub StaffSession);

/// A member of staff who may have to set up a second factor before anything else: only the calls by which they do that take it.
#[derive(SecurityScheme)]
#[oai(ty = "bearer", key_name = "staff", bearer_format = "JWT", checker = "check_newcomer")]
pub struct NewcomerAuth(pub StaffSession);

async fn check_staff(request: &Request, bearer: Bearer) -> poem::Result<StaffSession> {
    let found = staff_tokens(request)?.staff(&bearer.token).await.map_err(Failure)?;
    Ok(calling_from(request, found))
}

async fn check_newcomer(request: &Request, bearer: Bearer) -> poem::Result<StaffSession> {
    let found = staff_tokens(request)?.newcomer(&bearer.token).await.map_err(Failure)?;
    Ok(calling_from(request, found))
}

fn staff_tokens(request: &Request) -> Result<&Arc<dyn StaffTokens>, Failure> {
    request.data::<Arc<dyn StaffTokens>>().ok_or_else(|| Failure(Error::internal("the server knows no staff tokens")))
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
        .ok_or_else(|| Failure(Error::internal("the server knows no customer tokens")))?;
    let customer = tokens.customer(&bearer.token).await.map_err(Failure)?;
    Ok(Customer { address: Some(address(request)), ..customer })
}

impl StaffAuth {
    /// The member of staff, if they may do this.
    ///
    /// # Errors
    /// 403 `forbidden` with the permission.
    pub fn may(&self, permission: Permission) -> Result<Staff> {
        self.0.may(permission)
    }

    /// Makes sure that they showed their second factor a short while ago. Ask for the permission first.
    ///
    /// # Errors
    /// 403 `fresh_second_factor_needed`.
    pub fn require_fresh(&self) -> Result<()> {
        self.0.require_fresh()
    }
}

/// The caller's `Idempotency-Key`, checked.
#[derive(Clone, Debug)]
pub struct IdempotencyKey(pub Option<String>);

impl IdempotencyKey {
    /// The header of a request, as its caller made it. One that is not what it should be is refused and never left out of account: its caller
    /// relies on it.
    ///
    /// # Errors
    /// 422 `idempotency_key_invalid`, also where there is more than one.
    pub fn of(request: &Request) -> Result<Option<String>> {
        let mut values = request.headers().get_all(KEY_HEADER).iter();
        let invalid = || Error::new(Kind::Unprocessable, "idempotency_key_invalid");
        match (values.next(), values.next()) {
            (None, _) => Ok(None),
            (Some(value), None) => Self::check(Some(value.to_str().map_err(|_| invalid())?.to_owned())).map(|key| key.0),
            (Some(_), Some(_)) => Err(invalid()),
        }
    }

    /// Checks the header's value.
    ///
    /// # Errors
    /// 422 `idempotency_key_invalid`.
    pub fn check(header: Option<String>) -> Result<Self> {
        match header {
            Some(key) if !KEY_LENGTH.contains(&key.len()) || !key.bytes().all(|byte| byte.is_ascii_graphic()) => {
                Err(Error::new(Kind::Unprocessable, "idempotency_key_invalid"))
            }
            key => Ok(Self(key)),
        }
    }

    /// The key as it is stored.
    #[must_use]
    pub fn stored(&self) -> Option<&str> {
        self.0.as_deref().map(idempotency::without_secret)
    }

    /// The key for one scope and the content it goes with.
    #[must_use]
    pub fn for_content(self, scope: impl Into<String>, content: &[u8]) -> Option<idempotency::Key> {
        self.0.map(|key| idempotency::Key::of(&key, scope, content))
    }
}

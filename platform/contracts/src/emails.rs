//! Limits on e-mails that anyone can request.

use std::net::IpAddr;

use agio_core::BoxFuture;
use agio_core::error::Result;

/// A request by an unauthenticated caller to send an e-mail to an address.
#[derive(Clone, Debug)]
pub struct EmailRequest {
    /// In lower case.
    pub email: String,
    /// The answer to the captcha.
    pub captcha: Option<String>,
    /// The caller's network address.
    pub address: IpAddr,
}

/// Rate limit on e-mails requested by unauthenticated callers.
pub trait EmailGate: Send + Sync {
    /// Admits and counts a request for the e-mail with links to one's claims.
    ///
    /// # Errors
    /// 429 `too_many_attempts` with the wait, and `captcha_required` at `recaptcha` where an answer would let it
    /// through; 422 `captcha_required`, `captcha_invalid`.
    fn admit_search(&self, request: EmailRequest) -> BoxFuture<'_, Result<()>>;
}

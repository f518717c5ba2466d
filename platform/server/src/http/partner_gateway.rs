//! The gateway of the partner API: verifies the signature of the whole request first.

use agio_core::texts::Locale;
use agio_core::{Error, ErrorKind, Result};
use agio_http::ApiError;
use agio_partners::{Admission, PartnerCaller, SignedRequest, Usage, trustee};
use bytes::Bytes;
use poem::http::HeaderValue;
use poem::{Request, Response};

use super::listeners::is_at;
use super::middleware::Middleware;

/// The only operation without a signature.
const TIME: &str = "/api/partner/v1/time";

/// No request needs a tenth of it.
const BODY_BYTES_MAX: usize = 64 * 1024;

impl Middleware {
    pub(super) async fn partner(&self, mut request: Request, id: &str) -> Response {
        if is_at(request.uri().path(), trustee::ROOT) {
            return self.trustee(request, id).await;
        }
        let locale = request.data::<Locale>().copied().unwrap_or_default();
        let admission = if request.uri().path() == TIME { Ok(None) } else { self.admit(&mut request).await.map(Some) };
        let (usage, refused) = match admission {
            Ok(None) => (None, self.count_call(&request).err()),
            Ok(Some(Admission { usage, outcome: Ok(caller) })) => {
                request.set_data(caller);
                (usage, self.check_query(&request).err())
            }
            // Without a valid signature the address is rate limited, so that nobody can try keys without limit.
            Ok(Some(Admission { usage: None, outcome: Err(refused) })) => {
                (None, Some(self.count_call(&request).err().unwrap_or(refused)))
            }
            Ok(Some(Admission { usage, outcome: Err(refused) })) => (usage, Some(refused)),
            Err(refused) => (None, Some(self.count_call(&request).err().unwrap_or(refused))),
        };
        let caller = request.data::<PartnerCaller>().map(|caller| format!("partner {}", caller.partner.id));
        let mut response = match refused {
            Some(refused) => self.problem(ApiError(refused).into(), locale, id),
            None => match self.idempotency.answer(&self.partner_api, request, caller).await {
                Ok(response) => response,
                Err(failed) => self.problem(failed, locale, id),
            },
        };
        if let Some(usage) = usage {
            add_usage_headers(&mut response, usage);
        }
        response
    }

    pub(super) fn count_call(&self, request: &Request) -> Result<()> {
        self.rate_limit.count(agio_http::caller::address(request), self.platform.clock.now())
    }

    /// Refuses unknown names, as bodies do: with a misspelt filter a list would have all claims.
    fn check_query(&self, request: &Request) -> Result<()> {
        let query: Vec<(String, String)> = request.params().unwrap_or_default();
        self.declared.queries.check(request.uri().path(), query.iter().map(|(name, _)| name.as_str()))
    }

    async fn admit(&self, request: &mut Request) -> Result<Admission> {
        let body = read_body(request).await?;
        let uri = request.original_uri();
        let call = SignedRequest {
            method: request.method().as_str(),
            path: uri.path(),
            query: uri.query().unwrap_or_default(),
            body: &body,
            address: agio_http::caller::address(request),
            key: single_header(request, "x-agio-key"),
            timestamp: single_header(request, "x-agio-timestamp"),
            nonce: single_header(request, "x-agio-nonce"),
            signature: single_header(request, "x-agio-signature"),
        };
        let admission = self.partners.admit(&call).await;
        request.set_body(body);
        Ok(admission)
    }
}

/// The value of a header, or an empty string if it is absent or repeated.
pub(super) fn single_header<'r>(request: &'r Request, name: &str) -> &'r str {
    let mut values = request.headers().get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().unwrap_or_default(),
        _ => "",
    }
}

pub(super) async fn read_body(request: &mut Request) -> Result<Bytes> {
    request.take_body().into_bytes_limit(BODY_BYTES_MAX).await.map_err(|error| match error {
        poem::error::ReadBodyError::PayloadTooLarge => Error::new(ErrorKind::TooLarge, "too_large"),
        _ => Error::new(ErrorKind::BadRequest, "malformed_body"),
    })
}

/// Adds the remaining requests of this minute.
pub(super) fn add_usage_headers(response: &mut Response, usage: Usage) {
    let headers = [
        ("ratelimit-limit", u64::from(usage.limit)),
        ("ratelimit-remaining", u64::from(usage.remaining)),
        ("ratelimit-reset", usage.reset),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from(value));
    }
}

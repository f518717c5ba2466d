//! The partners' door: a call is read whole and measured against its signature before anything else looks at it.

use agio_core::texts::Locale;
use agio_core::{Error, Kind, Result};
use agio_http::Failure;
use agio_partners::{Admission, PartnerCaller, SignedCall, Usage, trustee};
use bytes::Bytes;
use poem::http::HeaderValue;
use poem::{Request, Response};

use super::doors::is_at;
use super::edge::Edge;

/// The one call that is not signed.
const TIME: &str = "/api/partner/v1/time";

/// The most bytes of a body that are read; no call needs a tenth of it.
const BODY_BYTES_MAX: usize = 64 * 1024;

impl Edge {
    /// Answers a call of a partner.
    pub(super) async fn partner(&self, mut request: Request, id: &str) -> Response {
        if is_at(request.uri().path(), trustee::ROOT) {
            return self.wallet(request, id).await;
        }
        let locale = request.data::<Locale>().copied().unwrap_or_default();
        let admission = if request.uri().path() == TIME { Ok(None) } else { self.admitted(&mut request).await.map(Some) };
        let (usage, refused) = match admission {
            Ok(None) => (None, self.counted(&request).err()),
            Ok(Some(Admission { usage, outcome: Ok(caller) })) => {
                request.set_data(caller);
                (usage, None)
            }
            // Whoever cannot sign is counted by address, so that nobody tries keys without measure.
            Ok(Some(Admission { usage: None, outcome: Err(refused) })) => {
                (None, Some(self.counted(&request).err().unwrap_or(refused)))
            }
            Ok(Some(Admission { usage, outcome: Err(refused) })) => (usage, Some(refused)),
            Err(refused) => (None, Some(self.counted(&request).err().unwrap_or(refused))),
        };
        let caller = request.data::<PartnerCaller>().map(|caller| format!("partner {}", caller.party.id));
        let mut response = match refused {
            Some(refused) => self.problem(Failure(refused).into(), locale, id),
            None => match self.once.answer(&self.partner_api, request, caller).await {
                Ok(response) => response,
                Err(failed) => self.problem(failed, locale, id),
            },
        };
        if let Some(usage) = usage {
            tell(&mut response, usage);
        }
        response
    }

    pub(super) fn counted(&self, request: &Request) -> Result<()> {
        self.limit.count(agio_http::caller::address(request), self.platform.clock.now())
    }

    async fn admitted(&self, request: &mut Request) -> Result<Admission> {
        let body = read(request).await?;
        let uri = request.original_uri();
        let call = SignedCall {
            method: request.method().as_str(),
            path: uri.path(),
            query: uri.query().unwrap_or_default(),
            body: &body,
            address: agio_http::caller::address(request),
            key: only(request, "x-agio-key"),
            timestamp: only(request, "x-agio-timestamp"),
            nonce: only(request, "x-agio-nonce"),
            signature: only(request, "x-agio-signature"),
        };
        let admission = self.partners.admit(&call).await;
        request.set_body(body);
        Ok(admission)
    }
}

/// The value of a header that is there once; nothing where it is absent, or there twice and so means two things.
pub(super) fn only<'r>(request: &'r Request, name: &str) -> &'r str {
    let mut values = request.headers().get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().unwrap_or_default(),
        _ => "",
    }
}

pub(super) async fn read(request: &mut Request) -> Result<Bytes> {
    request.take_body().into_bytes_limit(BODY_BYTES_MAX).await.map_err(|error| match error {
        poem::error::ReadBodyError::PayloadTooLarge => Error::new(Kind::TooLarge, "too_large"),
        _ => Error::new(Kind::BadRequest, "malformed_body"),
    })
}

/// Tells the partner what is left in this minute.
pub(super) fn tell(response: &mut Response, usage: Usage) {
    let told = [
        ("ratelimit-limit", u64::from(usage.limit)),
        ("ratelimit-remaining", u64::from(usage.remaining)),
        ("ratelimit-reset", usage.reset),
    ];
    for (name, value) in told {
        response.headers_mut().insert(name, HeaderValue::from(value));
    }
}

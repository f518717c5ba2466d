//! The gateway of the Trustee API for wallets: verifies its signatures, returns errors in its format and signs
//! responses.

use agio_core::texts::Locale;
use agio_core::{Error, ErrorKind, Result};
use agio_http::ApiError;
use agio_partners::trustee::{self, ResponseSigner, TrusteeAdmission, TrusteeCall, TrusteeSignedRequest};
use agio_partners::{Admission, Usage};
use poem::http::{HeaderName, HeaderValue, StatusCode, header};
use poem::{Endpoint as _, Request, Response};

use super::middleware::{Middleware, to_error};
use super::partner_gateway::{add_usage_headers, read_body, single_header};

/// No response has a tenth of it.
const SIGNED_BODY_BYTES_MAX: usize = 64 * 1024;

impl Middleware {
    pub(super) async fn trustee(&self, mut request: Request, id: &str) -> Response {
        let locale = request.data::<Locale>().copied().unwrap_or_default();
        if request.uri().path() == trustee::RATES {
            let answer = match self.count_call(&request) {
                Ok(()) => self.partner_api.call(request).await,
                Err(refused) => Err(ApiError(refused).into()),
            };
            return answer.unwrap_or_else(|failed| self.problem(failed, locale, id));
        }
        let call = TrusteeCall::of(request.method().as_str(), request.uri().path());
        let (usage, signer, entered) = self.enter_trustee(&mut request).await;
        let answer = match entered {
            Ok(()) => self.partner_api.call(request).await.map_err(to_error),
            Err(refused) => Err(refused),
        };
        let mut response = answer.unwrap_or_else(|refused| self.refusal(call, &refused, locale));
        if let Some(usage) = usage {
            add_usage_headers(&mut response, usage);
        }
        match signer {
            Some(signer) => self.sign(response, &signer).await,
            None => response,
        }
    }

    /// Verifies a request. Without a valid signature the address is rate limited.
    async fn enter_trustee(&self, request: &mut Request) -> (Option<Usage>, Option<ResponseSigner>, Result<()>) {
        let TrusteeAdmission { admission: Admission { usage, outcome }, signer } = match self.admit_trustee(request).await {
            Ok(admission) => admission,
            Err(refused) => return (None, None, Err(self.count_call(request).err().unwrap_or(refused))),
        };
        let entered = match outcome {
            Ok(caller) => {
                request.set_data(caller);
                Ok(())
            }
            Err(refused) if usage.is_none() => Err(self.count_call(request).err().unwrap_or(refused)),
            Err(refused) => Err(refused),
        };
        (usage, signer, entered)
    }

    async fn admit_trustee(&self, request: &mut Request) -> Result<TrusteeAdmission> {
        let body = read_body(request).await?;
        let signed = TrusteeSignedRequest {
            query: request.original_uri().query().unwrap_or_default(),
            body: &body,
            address: agio_http::caller::address(request),
            key: single_header(request, "trustee-public-key"),
            timestamp: single_header(request, "trustee-timestamp"),
            signature: single_header(request, "trustee-signature"),
        };
        let admission = self.partners.admit_trustee(&signed).await;
        request.set_body(body);
        Ok(admission)
    }

    fn refusal(&self, call: TrusteeCall, refused: &Error, locale: Locale) -> Response {
        if refused.kind() == ErrorKind::Internal {
            tracing::error!(error = %refused, "a Trustee request failed with an internal error");
        } else {
            tracing::debug!(error = %refused, "a Trustee request was refused");
        }
        let body = trustee::error_body(call, refused, &self.texts, locale);
        let mut response = Response::builder()
            .status(StatusCode::from_u16(refused.kind().status()).expect("every kind has a valid status"))
            .header(header::CACHE_CONTROL, "no-store");
        if let Some(seconds) = refused.retry_after_seconds() {
            response = response.header(header::RETRY_AFTER, seconds);
        }
        response.content_type("application/json").body(serde_json::to_vec(&body).expect("a refusal is plain data"))
    }

    async fn sign(&self, response: Response, signer: &ResponseSigner) -> Response {
        let (parts, body) = response.into_parts();
        let Ok(bytes) = body.into_bytes_limit(SIGNED_BODY_BYTES_MAX).await else {
            return Response::builder().status(StatusCode::INTERNAL_SERVER_ERROR).finish();
        };
        let signed = signer.signed(&bytes, self.platform.clock.now());
        let mut response = Response::from_parts(parts, bytes.into());
        if let Some((timestamp, signature)) = signed {
            for (name, value) in [("trustee-timestamp", timestamp), ("trustee-signature", signature)] {
                if let Ok(value) = HeaderValue::from_str(&value) {
                    response.headers_mut().insert(HeaderName::from_static(name), value);
                }
            }
        }
        response
    }
}

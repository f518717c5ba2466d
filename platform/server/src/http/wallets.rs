//! The door of wallets that speak Trustee's contract: their calls are measured against its signatures, whatever fails is told in its words,
//! and answers are signed.

use agio_core::texts::Locale;
use agio_core::{Error, Kind, Result};
use agio_http::Failure;
use agio_partners::trustee::{self, Seal, TrusteeAdmission, TrusteeCall, TrusteeSigned};
use agio_partners::{Admission, Usage};
use poem::http::{HeaderName, HeaderValue, StatusCode, header};
use poem::{Endpoint as _, Request, Response};

use super::edge::{Edge, meaning};
use super::partners::{only, read, tell};

/// The most bytes of an answer that are signed; none has a tenth of it.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

impl Edge {
    /// Answers a call of a wallet.
    pub(super) async fn wallet(&self, mut request: Request, id: &str) -> Response {
        let locale = request.data::<Locale>().copied().unwrap_or_default();
        if request.uri().path() == trustee::RATES {
            let answer = match self.counted(&request) {
                Ok(()) => self.partner_api.call(request).await,
                Err(refused) => Err(Failure(refused).into()),
            };
            return answer.unwrap_or_else(|failed| self.problem(failed, locale, id));
        }
        let call = TrusteeCall::of(request.method().as_str(), request.uri().path());
        let (usage, seal, entered) = self.entered(&mut request).await;
        let answer = match entered {
            Ok(()) => self.partner_api.call(request).await.map_err(meaning),
            Err(refused) => Err(refused),
        };
        let mut response = answer.unwrap_or_else(|refused| self.refusal(call, &refused, locale, id));
        if let Some(usage) = usage {
            tell(&mut response, usage);
        }
        match seal {
            Some(seal) => self.sealed(response, &seal).await,
            None => response,
        }
    }

    /// Lets a call in, or says why not; whoever cannot sign is counted by address.
    async fn entered(&self, request: &mut Request) -> (Option<Usage>, Option<Seal>, Result<()>) {
        let TrusteeAdmission { admission: Admission { usage, outcome }, seal } = match self.wallet_admitted(request).await {
            Ok(admission) => admission,
            Err(refused) => return (None, None, Err(self.counted(request).err().unwrap_or(refused))),
        };
        let entered = match outcome {
            Ok(caller) => {
                request.set_data(caller);
                Ok(())
            }
            Err(refused) if usage.is_none() => Err(self.counted(request).err().unwrap_or(refused)),
            Err(refused) => Err(refused),
        };
        (usage, seal, entered)
    }

    async fn wallet_admitted(&self, request: &mut Request) -> Result<TrusteeAdmission> {
        let body = read(request).await?;
        let signed = TrusteeSigned {
            query: request.original_uri().query().unwrap_or_default(),
            body: &body,
            address: agio_http::caller::address(request),
            key: only(request, "trustee-public-key"),
            timestamp: only(request, "trustee-timestamp"),
            signature: only(request, "trustee-signature"),
        };
        let admission = self.partners.admit_trustee(&signed).await;
        request.set_body(body);
        Ok(admission)
    }

    fn refusal(&self, call: TrusteeCall, refused: &Error, locale: Locale, id: &str) -> Response {
        if refused.kind() == Kind::Internal {
            tracing::error!(%id, error = %refused, "a wallet's call failed by our fault");
        } else {
            tracing::debug!(%id, error = %refused, "a wallet's call was refused");
        }
        let told = trustee::refusal(call, refused, &self.texts, locale);
        let mut response = Response::builder()
            .status(StatusCode::from_u16(refused.kind().status()).expect("every kind has a valid status"))
            .header(header::CACHE_CONTROL, "no-store");
        if let Some(seconds) = refused.retry_after_seconds() {
            response = response.header(header::RETRY_AFTER, seconds);
        }
        response.content_type("application/json").body(serde_json::to_vec(&told).expect("a refusal is plain data"))
    }

    /// The answer with its signature.
    async fn sealed(&self, response: Response, seal: &Seal) -> Response {
        let (parts, body) = response.into_parts();
        let Ok(bytes) = body.into_bytes_limit(ANSWER_BYTES_MAX).await else {
            return Response::builder().status(StatusCode::INTERNAL_SERVER_ERROR).finish();
        };
        let signed = seal.signed(&bytes, self.platform.clock.now());
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

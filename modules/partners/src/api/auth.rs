//! Authentication of partner requests.

use agio_core::Error;
use agio_http::ApiError;
use poem::Request;
use poem_openapi::SecurityScheme;
use poem_openapi::auth::ApiKey;

use crate::service::PartnerCaller;

/// A partner application, authenticated by the signature of its request.
#[derive(SecurityScheme)]
#[oai(ty = "api_key", key_name = "X-Agio-Key", key_in = "header", checker = "admitted")]
pub struct PartnerAuth(pub PartnerCaller);

/// The gateway middleware has verified the signature.
pub(crate) async fn admitted(request: &Request, _key: ApiKey) -> poem::Result<PartnerCaller> {
    let caller = request.data::<PartnerCaller>().cloned();
    caller.ok_or_else(|| ApiError(Error::internal("the gateway did not authenticate the request")).into())
}

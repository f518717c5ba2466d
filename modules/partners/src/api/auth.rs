//! Who calls.

use agio_core::Error;
use agio_http::Failure;
use poem::Request;
use poem_openapi::SecurityScheme;
use poem_openapi::auth::ApiKey;

use crate::service::PartnerCaller;

/// A partner's programme, let in at the door by the signature of its call.
#[derive(SecurityScheme)]
#[oai(ty = "api_key", key_name = "X-Agio-Key", key_in = "header", checker = "admitted")]
pub struct PartnerAuth(pub PartnerCaller);

/// The door has looked at the signature; a request that did not come by it is nobody's.
async fn admitted(request: &Request, _key: ApiKey) -> poem::Result<PartnerCaller> {
    let caller = request.data::<PartnerCaller>().cloned();
    caller.ok_or_else(|| Failure(Error::internal("a partner's call did not come by the door")).into())
}

//! The contract's calls.

pub(super) mod bodies;
pub(super) mod num;

use std::sync::Arc;

use agio_core::{Error, Kind};
use agio_http::{Answer, Failure, Input, Outcome, Visitor};
use poem::http::{StatusCode, header};
use poem::{IntoResponse, Request, Response};
use poem_openapi::auth::ApiKey;
use poem_openapi::param::{Header, Query};
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::Type as _;
use poem_openapi::{ApiResponse, OpenApi, SecurityScheme, Tags};

use super::rates::RateList;
use crate::Partners;
use crate::service::PartnerCaller;
use bodies::{
    TrusteeCancellation, TrusteeEstimate, TrusteeEstimateWish, TrusteeOrder, TrusteeOrderName, TrusteeOrderWish, TrusteeRefusal,
};

#[derive(Tags)]
enum Tag {
    /// Trustee's universal provider interface, for wallets that speak it.
    Trustee,
}

/// A wallet, let in at the door by the signature of its call.
#[derive(SecurityScheme)]
#[oai(ty = "api_key", key_name = "trustee-public-key", key_in = "header", checker = "admitted")]
pub struct TrusteeAuth(pub PartnerCaller);

/// The door has looked at the signature; a request that did not come by it is nobody's.
async fn admitted(request: &Request, _key: ApiKey) -> poem::Result<PartnerCaller> {
    let caller = request.data::<PartnerCaller>().cloned();
    caller.ok_or_else(|| Failure(Error::internal("a wallet's call did not come by the door")).into())
}

/// A refusal on its way to the door, which puts it into the contract's words.
pub struct Refused(Error);

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl From<Refused> for poem::Error {
    fn from(refused: Refused) -> Self {
        Failure(refused.0).into()
    }
}

/// Every status a call may be refused with.
const DECLARED: [(Kind, &str); 11] = [
    (Kind::BadRequest, "The request could not be understood."),
    (Kind::Unauthorised, "The signature does not fit, its time is past, or it was used."),
    (Kind::Forbidden, "The key may not do this."),
    (Kind::NotFound, "There is no such thing, or it is somebody else's."),
    (Kind::Conflict, "The present state forbids it; look again."),
    (Kind::TooLarge, "The body is over the limit."),
    (Kind::UnsupportedMedia, "The body is of a type that is not read here."),
    (Kind::Unprocessable, "Understood and refused; correct the input."),
    (Kind::TooManyRequests, "Too many calls; wait as long as Retry-After says."),
    (Kind::Internal, "A fault on our side."),
    (Kind::Unavailable, "Not possible now; try again later."),
];

impl ApiResponse for Refused {
    fn meta() -> MetaResponses {
        let responses = DECLARED.map(|(kind, description)| MetaResponse {
            description,
            status: Some(kind.status()),
            status_range: None,
            content: vec![MetaMediaType { content_type: "application/json", schema: TrusteeRefusal::schema_ref() }],
            headers: Vec::new(),
        });
        MetaResponses { responses: responses.into() }
    }

    fn register(registry: &mut Registry) {
        TrusteeRefusal::register(registry);
    }
}

/// The list of directions, or that it is still the one the caller has.
struct TrusteeRates {
    list: Arc<RateList>,
    known: Option<String>,
}

impl IntoResponse for TrusteeRates {
    fn into_response(self) -> Response {
        let name = format!("\"{}\"", self.list.etag);
        let is_known = self.known.is_some_and(|known| known.split(',').any(|one| one.trim().trim_start_matches("W/") == name));
        let response = Response::builder().header(header::ETAG, name).header(header::CACHE_CONTROL, "no-cache");
        if is_known {
            return response.status(StatusCode::NOT_MODIFIED).finish();
        }
        response.content_type("application/xml; charset=utf-8").body(self.list.xml.clone())
    }
}

impl ApiResponse for TrusteeRates {
    fn meta() -> MetaResponses {
        let schema = MetaSchemaRef::Inline(Box::new(MetaSchema::new("string")));
        let answer = |status, description, content| MetaResponse {
            description,
            status: Some(status),
            status_range: None,
            content,
            headers: Vec::new(),
        };
        let content = vec![MetaMediaType { content_type: "application/xml", schema }];
        MetaResponses {
            responses: vec![
                answer(200, "The list.", content),
                answer(304, "Nothing has changed since the one you have.", Vec::new()),
            ],
        }
    }

    fn register(_registry: &mut Registry) {}
}

/// The contract's calls.
pub struct TrusteeApi(Arc<Partners>);

impl TrusteeApi {
    /// The calls.
    #[must_use]
    pub fn new(partners: Arc<Partners>) -> Self {
        Self(partners)
    }
}

#[OpenApi(prefix_path = "/api/partner/v1/trustee", tag = "Tag::Trustee")]
impl TrusteeApi {
    /// Trustee: exchange ways list
    ///
    /// Every direction that can be ordered by the contract now, as monitors get them, with the networks and the type of the rate. Not
    /// signed. The rate is the one of the least amount; an estimate has the one of its amount. Ask again with `If-None-Match`: 304 while
    /// nothing has changed.
    #[oai(path = "/rates.xml", method = "get", operation_id = "trusteeRates")]
    async fn rates(
        &self,
        /// The `ETag` of the list you have.
        #[oai(name = "If-None-Match")]
        known: Header<Option<String>>,
    ) -> Outcome<TrusteeRates> {
        Ok(TrusteeRates { list: self.0.trustee_rates(), known: known.0 })
    }

    /// Trustee: estimate amount
    ///
    /// What is received for `fromAmount`, or the least that must be sent for `toAmount`. Where the rate is fixed, an order made with
    /// `rateId` before `rateIdExpirationTimestamp` gets it. Needs the scope `trustee`, as all signed calls of the contract do.
    #[oai(path = "/estimate", method = "post", operation_id = "trusteeEstimate")]
    async fn estimate(&self, caller: TrusteeAuth, input: Input<TrusteeEstimateWish>) -> Result<Answer<TrusteeEstimate>, Refused> {
        Ok(Answer(self.0.trustee_estimate(&caller.0, input.0).await?))
    }

    /// Trustee: create order
    ///
    /// While an order waits for its payment, the same order under the same key is that order: a call whose answer was lost is simply
    /// sent again, signed anew.
    #[oai(path = "/orders", method = "post", operation_id = "trusteeCreateOrder")]
    async fn create(
        &self,
        caller: TrusteeAuth,
        visitor: Visitor,
        input: Input<TrusteeOrderWish>,
    ) -> Result<Answer<TrusteeOrder>, Refused> {
        Ok(Answer(self.0.trustee_make(&caller.0, input.0, visitor.locale).await?))
    }

    /// Trustee: check order
    #[oai(path = "/orders", method = "get", operation_id = "trusteeCheckOrder")]
    async fn check(
        &self,
        caller: TrusteeAuth,
        visitor: Visitor,
        /// The order's identifier.
        id: Query<String>,
    ) -> Result<Answer<TrusteeOrder>, Refused> {
        Ok(Answer(self.0.trustee_order_of(&caller.0, &id.0, visitor.locale).await?))
    }

    /// Trustee: cancel order
    ///
    /// Possible until it is paid. Cancelling again changes nothing.
    #[oai(path = "/orders/cancel", method = "post", operation_id = "trusteeCancelOrder")]
    async fn cancel(
        &self,
        caller: TrusteeAuth,
        visitor: Visitor,
        input: Input<TrusteeOrderName>,
    ) -> Result<Answer<TrusteeCancellation>, Refused> {
        Ok(Answer(self.0.trustee_cancel(&caller.0, &input.0.id, visitor.locale).await?))
    }
}

//! Trustee API.

pub(super) mod bodies;
pub(super) mod num;

use std::sync::Arc;

use agio_core::Error;
use agio_http::{ApiError, ApiResult, JsonBody, JsonResponse, Visitor};
use poem::http::{StatusCode, header};
use poem::{IntoResponse, Response};
use poem_openapi::param::{Header, Query};
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::Type as _;
use poem_openapi::{ApiResponse, OpenApi, SecurityScheme, Tags};

use super::rates::RateList;
use crate::Partners;
use crate::api::admitted;
use crate::service::PartnerCaller;
use bodies::{
    CancelTrusteeOrderRequest, TrusteeCancellation, TrusteeError, TrusteeEstimate, TrusteeEstimateRequest, TrusteeOrder,
    TrusteeOrderRequest,
};

#[derive(Tags)]
enum Tag {
    /// Trustee's universal provider interface for wallets.
    Trustee,
}

/// A wallet, authenticated by the signature of its request.
#[derive(SecurityScheme)]
#[oai(ty = "api_key", key_name = "trustee-public-key", key_in = "header", checker = "admitted")]
pub struct TrusteeAuth(pub PartnerCaller);

/// An error that the gateway middleware translates into Trustee's format.
pub struct TrusteeFailure(Error);

impl From<Error> for TrusteeFailure {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl From<TrusteeFailure> for poem::Error {
    fn from(refused: TrusteeFailure) -> Self {
        ApiError(refused.0).into()
    }
}

impl ApiResponse for TrusteeFailure {
    fn meta() -> MetaResponses {
        let mut meta = ApiError::meta();
        for response in &mut meta.responses {
            response.content = vec![MetaMediaType { content_type: "application/json", schema: TrusteeError::schema_ref() }];
        }
        meta
    }

    fn register(registry: &mut Registry) {
        TrusteeError::register(registry);
    }
}

/// The rates file, or 304 if the client's copy is current.
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
        MetaResponses { responses: vec![answer(200, "The rates file.", content), answer(304, "Not modified.", Vec::new())] }
    }

    fn register(_registry: &mut Registry) {}
}

pub struct TrusteeApi(pub Arc<Partners>);

#[OpenApi(prefix_path = "/api/partner/v1/trustee", tag = "Tag::Trustee")]
impl TrusteeApi {
    /// List Trustee rates
    ///
    /// All directions that Trustee orders can use now, in the aggregator format with networks and rate types. Not
    /// signed. The rate is that of the minimum amount; an estimate has the rate of its amount. Send `If-None-Match`:
    /// 304 while nothing has changed.
    #[oai(path = "/rates.xml", method = "get", operation_id = "listTrusteeRates")]
    async fn rates(
        &self,
        /// `ETag` of your copy.
        #[oai(name = "If-None-Match")]
        known: Header<Option<String>>,
    ) -> ApiResult<TrusteeRates> {
        Ok(TrusteeRates { list: self.0.trustee_rate_list(), known: known.0 })
    }

    /// Estimate a Trustee amount
    ///
    /// Amount received for `fromAmount`, or the smallest amount to give for `toAmount`. For a fixed rate, an order
    /// with the `rateId` before `rateIdExpirationTimestamp` gets it. Requires the scope `trustee`, as do all signed
    /// Trustee requests.
    #[oai(path = "/estimate", method = "post", operation_id = "estimateTrusteeAmount")]
    async fn estimate(
        &self,
        caller: TrusteeAuth,
        input: JsonBody<TrusteeEstimateRequest>,
    ) -> Result<JsonResponse<TrusteeEstimate>, TrusteeFailure> {
        Ok(JsonResponse(self.0.estimate_trustee_amount(&caller.0, input.0).await?))
    }

    /// Create a Trustee order
    ///
    /// While an order waits for payment, an equal order with the same key returns it: if a response is lost, sign
    /// and send the request again.
    #[oai(path = "/orders", method = "post", operation_id = "createTrusteeOrder")]
    async fn create(
        &self,
        caller: TrusteeAuth,
        visitor: Visitor,
        input: JsonBody<TrusteeOrderRequest>,
    ) -> Result<JsonResponse<TrusteeOrder>, TrusteeFailure> {
        Ok(JsonResponse(self.0.create_trustee_order(&caller.0, input.0, visitor.locale).await?))
    }

    /// Get a Trustee order
    ///
    /// Its status and amounts.
    #[oai(path = "/orders", method = "get", operation_id = "getTrusteeOrder")]
    async fn check(
        &self,
        caller: TrusteeAuth,
        visitor: Visitor,
        /// Id of the order.
        id: Query<String>,
    ) -> Result<JsonResponse<TrusteeOrder>, TrusteeFailure> {
        Ok(JsonResponse(self.0.get_trustee_order(&caller.0, &id.0, visitor.locale).await?))
    }

    /// Cancel a Trustee order
    ///
    /// Possible until it is paid. Repeating it changes nothing.
    #[oai(path = "/orders/cancel", method = "post", operation_id = "cancelTrusteeOrder")]
    async fn cancel(
        &self,
        caller: TrusteeAuth,
        visitor: Visitor,
        input: JsonBody<CancelTrusteeOrderRequest>,
    ) -> Result<JsonResponse<TrusteeCancellation>, TrusteeFailure> {
        Ok(JsonResponse(self.0.cancel_trustee_order(&caller.0, &input.0.id, visitor.locale).await?))
    }
}

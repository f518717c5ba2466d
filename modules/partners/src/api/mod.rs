//! Partner API.

mod access;
pub mod access_bodies;
mod auth;
mod bodies;
mod claim;
mod claim_requests;
mod webhook_deliveries;

use std::sync::Arc;

use agio_contracts::{PartnerAction, PartnerClaimQuery, QuotedSide};
use agio_core::Error;
use agio_http::{ApiResult, Created, DateTime, IdempotencyKey, JsonBody, JsonResponse, Visitor};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::Partners;
use crate::model::KeyScope;

pub use access::PartnerAccessApi;
use auth::PartnerAuth;
pub(crate) use auth::admitted;
use bodies::{
    CallerKey, PartnerClaimPage, PartnerCurrency, PartnerPair, PartnerQuote, PartnerQuoteRequest, PartnerStatistics, PartnerTime,
};
pub use claim::PartnerClaimView;
pub use claim_requests::CreatePartnerClaimRequest;
use claim_requests::{AcceptPartnerOfferRequest, AdvanceSandboxClaimRequest, PartnerRefundRequest, ReturnPartnerSurplusRequest};
pub use webhook_deliveries::WebhookDelivery;

#[derive(Tags)]
enum Tag {
    /// Currencies, pairs and quotes.
    PartnerOffers,
    /// Claims of the partner's customers.
    Claims,
    /// Testing without money.
    Sandbox,
    /// Key and server time.
    Access,
}

pub struct PartnerApi(pub Arc<Partners>);

#[OpenApi(prefix_path = "/api/partner/v1")]
impl PartnerApi {
    /// Get the server time
    ///
    /// The only unsigned request. A signature's timestamp may differ from it by at most 60 seconds.
    #[oai(path = "/time", method = "get", operation_id = "getPartnerTime", tag = "Tag::Access")]
    async fn time(&self) -> ApiResult<JsonResponse<PartnerTime>> {
        Ok(JsonResponse(PartnerTime::at(self.0.platform.clock.now())))
    }

    /// Get the current key
    ///
    /// Scopes and rate limit of the key. No scope required.
    #[oai(path = "/key", method = "get", operation_id = "getCurrentPartnerKey", tag = "Tag::Access")]
    async fn key(&self, caller: PartnerAuth) -> ApiResult<JsonResponse<CallerKey>> {
        Ok(JsonResponse(CallerKey::of(&caller.0)))
    }

    /// Get turnover and commission
    ///
    /// Turnover by direction and commission by currency, without sandbox claims. Requires the scope `read`.
    #[oai(path = "/statistics", method = "get", operation_id = "getPartnerStatistics", tag = "Tag::Claims")]
    async fn statistics(&self, caller: PartnerAuth) -> ApiResult<JsonResponse<PartnerStatistics>> {
        caller.0.may(KeyScope::Read)?;
        Ok(JsonResponse(PartnerStatistics::of(self.0.overview(caller.0.partner.id).await?)))
    }

    /// List currencies
    ///
    /// Currencies that can be given or received, with the fields that customers fill in. Requires the scope `read`.
    #[oai(path = "/currencies", method = "get", operation_id = "listPartnerCurrencies", tag = "Tag::PartnerOffers")]
    async fn currencies(&self, caller: PartnerAuth, visitor: Visitor) -> ApiResult<JsonResponse<Vec<PartnerCurrency>>> {
        caller.0.may(KeyScope::Read)?;
        let currencies = self.0.offers.currencies();
        Ok(JsonResponse(currencies.iter().map(|currency| PartnerCurrency::of(currency, visitor.locale)).collect()))
    }

    /// List pairs
    ///
    /// Currently available pairs with their limits. The rate is that of small amounts; a quote has the rate of its
    /// amount. Requires the scope `read`.
    #[oai(path = "/pairs", method = "get", operation_id = "listPartnerPairs", tag = "Tag::PartnerOffers")]
    async fn pairs(
        &self,
        caller: PartnerAuth,
        /// Code of the given currency.
        from: Query<Option<String>>,
        /// Code of the received currency.
        to: Query<Option<String>>,
    ) -> ApiResult<JsonResponse<Vec<PartnerPair>>> {
        caller.0.may(KeyScope::Read)?;
        let is_wanted =
            |wanted: &Option<String>, code: &str| wanted.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(code));
        let pairs = self.0.offers.pairs();
        let wanted = pairs.iter().filter(|pair| is_wanted(&from.0, &pair.from.code) && is_wanted(&to.0, &pair.to.code));
        Ok(JsonResponse(wanted.map(PartnerPair::of).collect()))
    }

    /// Create a quote
    ///
    /// Send `fromSumma`, or `toSumma` to get the smallest amount to give for it. A claim created with the quote's
    /// `id` before `expiresAt` gets these terms. Requires the scope `quote`.
    #[oai(path = "/quotes", method = "post", operation_id = "createPartnerQuote", tag = "Tag::PartnerOffers")]
    async fn quote(
        &self,
        caller: PartnerAuth,
        visitor: Visitor,
        input: JsonBody<PartnerQuoteRequest>,
    ) -> ApiResult<JsonResponse<PartnerQuote>> {
        caller.0.may(KeyScope::Quote)?;
        let PartnerQuoteRequest { from, to, from_summa, to_summa, rate_type } = input.0;
        let side = match (from_summa, to_summa) {
            (Some(send), None) => QuotedSide::Give(send.0),
            (None, Some(receive)) => QuotedSide::Receive(receive.0),
            _ => return Err(Error::unprocessable("validation_failed").at("fromSumma", "one_amount_needed").into()),
        };
        let quote = self.0.quote(&from, &to, side, rate_type.map(|wanted| wanted.0))?;
        Ok(JsonResponse(PartnerQuote::of(quote, visitor.locale)))
    }

    /// Create a claim
    ///
    /// Validates the payment details, agrees the terms, reserves the payout and returns the payment details.
    /// `Idempotency-Key` is required: the same key with the same body returns the same claim in its current state,
    /// however often it is sent. Requires the scope `claim`.
    #[oai(path = "/claims", method = "post", operation_id = "createPartnerClaim", tag = "Tag::Claims")]
    async fn make(
        &self,
        caller: PartnerAuth,
        visitor: Visitor,
        input: JsonBody<CreatePartnerClaimRequest>,
        #[oai(name = "Idempotency-Key")] key: Header<Option<String>>,
    ) -> ApiResult<Created<PartnerClaimView>> {
        caller.0.may(KeyScope::Claim)?;
        let kind = if caller.0.sandbox { "sandbox" } else { "claim" };
        let key = IdempotencyKey::check(key.0)?.for_body(format!("partner.{kind}:{}", caller.0.partner.id), &input.0)?;
        let key = key.ok_or_else(|| Error::unprocessable("idempotency_key_needed"))?;
        let request = self.0.claim_request(&caller.0, input.0, visitor.locale, key)?;
        let body = self.0.create_claim(&caller.0, request, visitor.locale).await?;
        Ok(Created { body, cookie: None })
    }

    /// List claims
    ///
    /// Newest first. Requires the scope `read`.
    #[oai(path = "/claims", method = "get", operation_id = "listPartnerClaims", tag = "Tag::Claims")]
    async fn list(
        &self,
        caller: PartnerAuth,
        visitor: Visitor,
        /// Page number, from 1.
        #[oai(default = "first_page", validator(minimum(value = "1")))]
        page: Query<u32>,
        /// Page size.
        #[oai(default = "agio_http::page_size::<20>", validator(minimum(value = "1"), maximum(value = "100")))]
        size: Query<u32>,
        /// Filter by `reference`.
        reference: Query<Option<String>>,
        /// Only claims changed at or after this time (RFC 3339).
        updated_since: Query<Option<DateTime>>,
    ) -> ApiResult<JsonResponse<PartnerClaimPage>> {
        caller.0.may(KeyScope::Read)?;
        let (page, size) = (page.0, size.0);
        let wanted = PartnerClaimQuery {
            reference: reference.0,
            updated_since: updated_since.0.map(|since| since.0),
            from: i64::from(page.saturating_sub(1)) * i64::from(size),
            size: i64::from(size),
        };
        let (items, total) = self.0.list_claims(&caller.0, &wanted, visitor.locale).await?;
        Ok(JsonResponse(PartnerClaimPage { items, page, size, total }))
    }

    /// Get a claim
    ///
    /// Requires the scope `read`.
    #[oai(path = "/claims/:id", method = "get", operation_id = "getPartnerClaim", tag = "Tag::Claims")]
    async fn one(&self, caller: PartnerAuth, visitor: Visitor, id: Path<Uuid>) -> ApiResult<JsonResponse<PartnerClaimView>> {
        caller.0.may(KeyScope::Read)?;
        Ok(JsonResponse(self.0.get_claim(&caller.0, id.0, visitor.locale).await?))
    }

    /// Report a payment as sent
    ///
    /// Repeating it changes nothing. Requires the scope `claim`.
    #[oai(path = "/claims/:id/paid", method = "post", operation_id = "reportPartnerClaimPayment", tag = "Tag::Claims")]
    async fn paid(&self, caller: PartnerAuth, visitor: Visitor, id: Path<Uuid>) -> ApiResult<JsonResponse<PartnerClaimView>> {
        self.act(&caller, &visitor, id.0, PartnerAction::ReportPaid).await
    }

    /// Cancel a claim
    ///
    /// Possible until the payment is reported as sent or has been seen. Requires the scope `claim`.
    #[oai(path = "/claims/:id/cancel", method = "post", operation_id = "cancelPartnerClaim", tag = "Tag::Claims")]
    async fn cancel(&self, caller: PartnerAuth, visitor: Visitor, id: Path<Uuid>) -> ApiResult<JsonResponse<PartnerClaimView>> {
        self.act(&caller, &visitor, id.0, PartnerAction::Cancel).await
    }

    /// Accept an offer
    ///
    /// After a payment of a different amount or a late payment the claim has an `offer`; repeat its amounts to
    /// accept it. Requires the scope `claim`.
    #[oai(path = "/claims/:id/accept", method = "post", operation_id = "acceptPartnerOffer", tag = "Tag::Claims")]
    async fn accept(
        &self,
        caller: PartnerAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: JsonBody<AcceptPartnerOfferRequest>,
    ) -> ApiResult<JsonResponse<PartnerClaimView>> {
        let AcceptPartnerOfferRequest { from_summa, to_summa } = input.0;
        self.act(&caller, &visitor, id.0, PartnerAction::AcceptOffer(from_summa.0, to_summa.0)).await
    }

    /// Request a refund
    ///
    /// After a payment of a different amount or a late payment. Requires the scope `claim`.
    #[oai(path = "/claims/:id/refund", method = "post", operation_id = "requestPartnerRefund", tag = "Tag::Claims")]
    async fn refund(
        &self,
        caller: PartnerAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: JsonBody<PartnerRefundRequest>,
    ) -> ApiResult<JsonResponse<PartnerClaimView>> {
        self.act(&caller, &visitor, id.0, PartnerAction::RequestRefund(input.0.requisites)).await
    }

    /// Return the surplus
    ///
    /// After a payment of more than the agreed amount the claim has a `surplus` with an `offer` for the agreed amount.
    /// Repeat its amounts to exchange that amount as agreed; the rest is returned after the exchange. Requires the scope
    /// `claim`.
    #[oai(path = "/claims/:id/surplus", method = "post", operation_id = "returnPartnerSurplus", tag = "Tag::Claims")]
    async fn surplus(
        &self,
        caller: PartnerAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: JsonBody<ReturnPartnerSurplusRequest>,
    ) -> ApiResult<JsonResponse<PartnerClaimView>> {
        let ReturnPartnerSurplusRequest { from_summa, to_summa, requisites } = input.0;
        let act = PartnerAction::ReturnSurplus(from_summa.0, to_summa.0, requisites);
        self.act(&caller, &visitor, id.0, act).await
    }

    /// Advance a sandbox claim
    ///
    /// Moves it along any single transition, whether made by the customer, staff, a network or time. Webhooks are
    /// sent as for live claims. Sandbox keys only; requires the scope `claim`.
    #[oai(path = "/sandbox/claims/:id/advance", method = "post", operation_id = "advanceSandboxClaim", tag = "Tag::Sandbox")]
    async fn advance(
        &self,
        caller: PartnerAuth,
        id: Path<Uuid>,
        input: JsonBody<AdvanceSandboxClaimRequest>,
    ) -> ApiResult<JsonResponse<PartnerClaimView>> {
        caller.0.may(KeyScope::Claim)?;
        Ok(JsonResponse(self.0.advance_sandbox_claim(&caller.0, id.0, input.0.to.0).await?))
    }
}

impl PartnerApi {
    async fn act(
        &self,
        caller: &PartnerAuth,
        visitor: &Visitor,
        id: Uuid,
        act: PartnerAction,
    ) -> ApiResult<JsonResponse<PartnerClaimView>> {
        caller.0.may(KeyScope::Claim)?;
        Ok(JsonResponse(self.0.act_on_claim(&caller.0, id, act, visitor.locale).await?))
    }
}

fn first_page() -> u32 {
    1
}

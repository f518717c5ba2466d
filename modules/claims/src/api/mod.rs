//! The customers' API.

mod account;
mod bodies;
mod browser_notifications;
mod chats;
mod events;
mod form;
mod saved_requisites;
mod status;
mod stream;

use std::sync::Arc;

use agio_captcha::api::CaptchaCheck;
use agio_core::identity::Actor;
use agio_core::{Error, Timestamp};
use agio_files::api::FileUpload;
use agio_http::caller::GUEST_COOKIE;
use agio_http::{ApiResult, Created, IdempotencyKey, JsonBody, JsonResponse, OptionalJsonBody, Visitor};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::rules::Claim;
use crate::rules::payment::shows_payment_details;
use crate::service::{ClaimViewer, CustomerConsents, Requester};
use crate::{Claims, NewClaim};

pub use account::AccountClaimsApi;
use bodies::{
    AcceptClaimOfferRequest, ConfirmClaimRequest, CreateClaimRequest, CreatedClaimView, FindClaimsRequest, FindClaimsResponse,
    PaymentAvailabilityView, RefundClaimRequest, ReturnClaimSurplusRequest,
};
pub use browser_notifications::BrowserNotificationsApi;
pub use chats::ChatsApi;
pub(crate) use form::{ClaimCity, ClaimCustomerTerms, ClaimRate, ClaimRequisite, rate};
use form::{ClaimForm, ClaimReceipt};
pub use saved_requisites::SavedRequisitesApi;
pub(crate) use status::ClaimReason;
pub(crate) use status::PartialPayout;
use status::{ClaimPaymentView, ClaimStatus};
pub(crate) use stream::LiveEvents;

/// The lifetime of the cookie that identifies the claim's owner.
const COOKIE_SECONDS: u32 = 365 * 24 * 60 * 60;

#[derive(Tags)]
enum Tag {
    /// Creating and tracking claims.
    Claims,
}

/// The customers' API of claims.
pub struct ClaimsApi {
    claims: Arc<Claims>,
    secure_cookies: bool,
}

impl ClaimsApi {
    /// `secure_cookies` limits cookies to HTTPS.
    pub fn new(claims: Arc<Claims>, secure_cookies: bool) -> Self {
        Self { claims, secure_cookies }
    }

    fn cookie(&self, guest: &str) -> String {
        let secure = if self.secure_cookies { "; Secure" } else { "" };
        format!("{GUEST_COOKIE}={guest}; Path=/; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Lax{secure}")
    }

    async fn status_for(&self, claim: &Claim, visitor: &Visitor) -> ApiResult<JsonResponse<ClaimStatus>> {
        let is_owner = viewer(visitor).owns(claim);
        let counted = self.claims.counted(claim).await?;
        let timeline = self.claims.timeline(claim).await?;
        Ok(JsonResponse(ClaimStatus::of(&self.claims, claim, counted, timeline, visitor.locale, is_owner)?))
    }
}

#[OpenApi(prefix_path = "/api/v1/claim", tag = "Tag::Claims")]
impl ClaimsApi {
    /// Create a claim
    ///
    /// Fixes the terms, validates the requisites of both sides and reserves the payout. The response sets the cookie
    /// that identifies this browser as the claim's owner. With an access token the claim also belongs to the account.
    /// The same `Idempotency-Key` with the same body returns the same claim.
    #[oai(path = "/", method = "post", operation_id = "createClaim")]
    async fn create(
        &self,
        visitor: Visitor,
        input: JsonBody<CreateClaimRequest>,
        /// 8 to 255 visible ASCII characters, unique per claim.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> ApiResult<Created<CreatedClaimView>> {
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content("claim.create", &content);
        let requester = Requester {
            locale: visitor.locale,
            guest: visitor.guest,
            address: visitor.address,
            customer: visitor.customer,
            partner: None,
        };
        let (created, guest) = self.claims.create(NewClaim::from(input.0), requester, key, &content).await?;
        Ok(Created { body: CreatedClaimView::from(created), cookie: Some(self.cookie(&guest)) })
    }

    /// Check whether a captcha is required
    ///
    /// If so, send the answer as the claim's `recaptcha`. It may be required because of the caller's IP address or of
    /// the e-mail address. A claim that is refused for a missing answer carries the same challenge in the error
    /// parameter `captcha`.
    #[oai(path = "/captchacheck", method = "get", operation_id = "checkCaptcha")]
    async fn captchacheck(
        &self,
        visitor: Visitor,
        /// The e-mail address of the new claim.
        email: Query<Option<String>>,
    ) -> ApiResult<JsonResponse<CaptchaCheck>> {
        // The owner of the address is not limited by claims that others created in its name.
        let own = visitor.customer.as_ref().filter(|customer| customer.activated).map(|customer| customer.email.as_str());
        let email = email.0.map(|email| email.trim().to_lowercase()).filter(|email| own != Some(email.as_str()));
        let offer = self.claims.captcha_for(visitor.address, email.as_deref())?;
        Ok(JsonResponse(offer.map_or_else(CaptchaCheck::none, CaptchaCheck::from)))
    }

    /// Get payment availability
    ///
    /// Whether there are payment details for a currency now, and for which amounts. Ask before the customer types
    /// anything: a claim that cannot get payment details cannot be paid.
    #[oai(path = "/availability", method = "get", operation_id = "getPaymentAvailability")]
    async fn availability(
        &self,
        /// The currency the customer gives.
        #[oai(name = "currencyId")]
        currency_id: Query<i64>,
    ) -> ApiResult<JsonResponse<PaymentAvailabilityView>> {
        let found = self.claims.payment_availability(currency_id.0).await?;
        let currency = self.claims.currency(currency_id.0, "");
        Ok(JsonResponse(PaymentAvailabilityView::of(&currency, found)))
    }

    /// Find claims by e-mail
    ///
    /// Sends an e-mail with links to the open and recent claims of an e-mail address to that address, and to the claim
    /// with the number if it was made with it. The response is the same whether or not there are any. The captcha, when required, comes from
    /// `/front-api/auth/captcha/?action=findclaim`.
    #[oai(path = "/find", method = "post", operation_id = "findClaims")]
    async fn find(&self, visitor: Visitor, input: JsonBody<FindClaimsRequest>) -> ApiResult<JsonResponse<FindClaimsResponse>> {
        let FindClaimsRequest { email, number, recaptcha } = input.0;
        self.claims.request_claim_links((&email, number), recaptcha, visitor.locale, visitor.address).await?;
        let (title, message) = self.claims.search_response(visitor.locale);
        Ok(JsonResponse(FindClaimsResponse { title, message }))
    }

    /// Get a claim for review
    ///
    /// Requisites and the e-mail address are masked unless the caller's browser or account created the claim.
    #[oai(path = "/:id/form", method = "get", operation_id = "getClaimForm")]
    async fn form(&self, visitor: Visitor, id: Path<Uuid>) -> ApiResult<JsonResponse<ClaimForm>> {
        let claim = self.claims.claim(id.0).await?;
        let receipts = self.claims.list_receipts(claim.id).await?;
        let is_owner = viewer(&visitor).owns(&claim);
        let terms = self.claims.customer_terms(&claim).await?;
        Ok(JsonResponse(ClaimForm::of(&self.claims, &claim, (receipts, terms), visitor.locale, is_owner)?))
    }

    /// Confirm a claim
    ///
    /// Fixes the rate, assigns the payment details and starts the deadline. If a verification is required first, the
    /// claim moves to `verification` and the status names the verification. If the terms have expired and the current
    /// ones differ, the response is 409 `rate_changed` with the new amounts; confirm again to accept them. Where the form
    /// has `customerTerms`, the customer has to accept them first.
    #[oai(path = "/:id/confirm", method = "post", operation_id = "confirmClaim")]
    async fn confirm(
        &self,
        visitor: Visitor,
        id: Path<Uuid>,
        input: OptionalJsonBody<ConfirmClaimRequest>,
    ) -> ApiResult<JsonResponse<ClaimStatus>> {
        let ConfirmClaimRequest { terms_version, aml_consent, accepted_terms } = input.0;
        let consents = CustomerConsents {
            terms_version: bodies::short_word("termsVersion", terms_version)?,
            aml_consent: aml_consent.unwrap_or(false),
            accepted_terms,
        };
        let claim = self.claims.confirm(id.0, consents, &caller(&visitor)).await?;
        self.status_for(&claim, &visitor).await
    }

    /// Get payment details
    ///
    /// 409 `not_awaiting_payment` before the confirmation and after the payment is received;
    /// `payment_details_pending` while a bank or merchant is asked for them.
    #[oai(path = "/:id/requisite", method = "get", operation_id = "getClaimPaymentDetails")]
    async fn requisite(&self, id: Path<Uuid>, visitor: Visitor) -> ApiResult<JsonResponse<ClaimPaymentView>> {
        let claim = self.claims.claim(id.0).await?;
        let missing = || match shows_payment_details(claim.state) {
            true => Error::conflict("payment_details_pending"),
            false => Error::conflict("not_awaiting_payment"),
        };
        Ok(JsonResponse(ClaimPaymentView::of(&self.claims, &claim, visitor.locale).ok_or_else(missing)?))
    }

    /// Get claim status
    ///
    /// State, deadline and possible actions.
    #[oai(path = "/:id/status", method = "get", operation_id = "getClaimStatus")]
    async fn status(&self, visitor: Visitor, id: Path<Uuid>) -> ApiResult<JsonResponse<ClaimStatus>> {
        let claim = self.claims.claim(id.0).await?;
        self.status_for(&claim, &visitor).await
    }

    /// Stream claim events
    ///
    /// Server-sent events named `status`: one at once, and one after each change.
    #[oai(path = "/:id/events", method = "get", operation_id = "streamClaimEvents")]
    async fn events(&self, visitor: Visitor, id: Path<Uuid>) -> ApiResult<LiveEvents<ClaimStatus>> {
        Ok(events::follow(self.claims.clone(), id.0, visitor).await?)
    }

    /// Report payment as sent
    ///
    /// The claim then waits for the payment to be confirmed.
    #[oai(path = "/:id/paid", method = "post", operation_id = "reportClaimPayment")]
    async fn paid(&self, visitor: Visitor, id: Path<Uuid>) -> ApiResult<JsonResponse<ClaimStatus>> {
        let claim = self.claims.report_payment(id.0, &caller(&visitor)).await?;
        self.status_for(&claim, &visitor).await
    }

    /// Cancel a claim
    ///
    /// Possible until the payment is sent.
    #[oai(path = "/:id/cancel", method = "post", operation_id = "cancelClaim")]
    async fn cancel(&self, visitor: Visitor, id: Path<Uuid>) -> ApiResult<JsonResponse<ClaimStatus>> {
        let claim = self.claims.cancel(id.0, &caller(&visitor)).await?;
        self.status_for(&claim, &visitor).await
    }

    /// Accept new terms
    ///
    /// When a different amount arrived, or the payment was late, the status carries an `offer`. The body repeats its
    /// amounts. If the terms have changed since, the response is 409 `rate_changed` with the new amounts. A floating rate
    /// that has risen is accepted as it is now.
    #[oai(path = "/:id/accept", method = "post", operation_id = "acceptClaimOffer")]
    async fn accept(
        &self,
        visitor: Visitor,
        id: Path<Uuid>,
        input: JsonBody<AcceptClaimOfferRequest>,
    ) -> ApiResult<JsonResponse<ClaimStatus>> {
        let AcceptClaimOfferRequest { from_summa, to_summa } = input.0;
        let claim = self.claims.accept(id.0, from_summa.0, to_summa.0, &caller(&visitor)).await?;
        self.status_for(&claim, &visitor).await
    }

    /// Request a refund
    ///
    /// Possible when a different amount arrived or the payment was late, and only from the browser or account that
    /// created the claim. When a refund is pending without a destination (`refund_to` among the actions), the same
    /// call sets it.
    #[oai(path = "/:id/refund", method = "post", operation_id = "requestClaimRefund")]
    async fn refund(
        &self,
        visitor: Visitor,
        id: Path<Uuid>,
        input: JsonBody<RefundClaimRequest>,
    ) -> ApiResult<JsonResponse<ClaimStatus>> {
        let claim = self.claims.refund(id.0, &viewer(&visitor), input.0.requisites, &caller(&visitor)).await?;
        self.status_for(&claim, &visitor).await
    }

    /// Return the surplus
    ///
    /// When more than the agreed amount arrived, the status carries a `surplus` with an `offer` for the agreed amount. The
    /// body repeats its amounts; the rest is returned after the exchange. Possible only from the browser or account that
    /// created the claim. If the terms have changed since, the response is 409 `rate_changed` with the new amounts.
    #[oai(path = "/:id/surplus", method = "post", operation_id = "returnClaimSurplus")]
    async fn surplus(
        &self,
        visitor: Visitor,
        id: Path<Uuid>,
        input: JsonBody<ReturnClaimSurplusRequest>,
    ) -> ApiResult<JsonResponse<ClaimStatus>> {
        let ReturnClaimSurplusRequest { from_summa, to_summa, requisites } = input.0;
        let shown = (from_summa.0, to_summa.0);
        let claim = self.claims.return_surplus(id.0, &viewer(&visitor), shown, requisites, &caller(&visitor)).await?;
        self.status_for(&claim, &visitor).await
    }

    /// Upload a receipt
    ///
    /// JPEG, PNG, WebP or PDF up to 10 MB. Images are re-encoded without metadata. The file is private and is deleted
    /// after the retention period. A receipt helps an operator find the payment; it does not change the claim's
    /// state.
    #[oai(path = "/:id/bill", method = "post", operation_id = "uploadClaimReceipt")]
    async fn bill(
        &self,
        visitor: Visitor,
        id: Path<Uuid>,
        file: FileUpload,
        /// 8 to 255 visible ASCII characters, unique per file.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> ApiResult<Created<ClaimReceipt>> {
        let (key, scope) = (IdempotencyKey::check(key.0)?, format!("claim.bill:{}", id.0));
        self.claims.check_receipt_allowed(id.0, key.stored().map(|key| (&*scope, key))).await?;
        let file = file.receive(self.claims.receipts_folder()).await?;
        let key = key.for_content(scope, file.sha256.as_bytes());
        let receipt = self.claims.add_receipt(id.0, file, key, &caller(&visitor)).await?;
        Ok(Created { body: ClaimReceipt::from(receipt), cookie: None })
    }
}

/// The caller, for the audit log.
fn caller(visitor: &Visitor) -> Actor {
    visitor.customer.as_ref().map_or_else(|| Actor::guest(visitor.address), Actor::from)
}

fn viewer(visitor: &Visitor) -> ClaimViewer {
    ClaimViewer { guest: visitor.guest.clone(), customer: visitor.customer.as_ref().map(|customer| customer.id) }
}

fn moment(at: Option<Timestamp>) -> agio_http::Nullable<agio_http::DateTime> {
    at.map(agio_http::DateTime).into()
}

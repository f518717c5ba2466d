//! The calls customers' pages make.

mod account;
mod bodies;
mod events;
mod form;
mod saved;
mod status;
mod stream;

use std::sync::Arc;

use agio_captcha::api::CaptchaCheck;
use agio_core::identity::Actor;
use agio_core::{Error, Timestamp};
use agio_files::api::FileUpload;
use agio_http::caller::GUEST_COOKIE;
use agio_http::{Answer, Created, IdempotencyKey, Input, OptionalInput, Outcome, Visitor};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::rules::Claim;
use crate::service::{Party, Viewer};
use crate::{Claims, NewClaim};

pub use account::AccountClaimsApi;
use bodies::{ClaimAcceptance, ClaimConfirmation, ClaimMade, ClaimNotice, ClaimOrder, ClaimRefund, ClaimSearch};
pub(crate) use form::{ClaimFees, ClaimRate, ClaimRequisite, rate};
use form::{ClaimForm, ClaimReceipt};
pub use saved::SavedRequisitesApi;
pub(crate) use status::ClaimPaidOut;
pub(crate) use status::ClaimReason;
use status::{ClaimPayment, ClaimStatus};
pub(crate) use stream::LiveEvents;

/// How long a browser keeps the proof that it made a claim.
const COOKIE_SECONDS: u32 = 365 * 24 * 60 * 60;

#[derive(Tags)]
enum Tag {
    /// Making a claim and following it to its end.
    Claims,
}

/// The claim calls.
pub struct ClaimsApi {
    claims: Arc<Claims>,
    secure_cookies: bool,
}

impl ClaimsApi {
    /// The calls, and whether cookies are for HTTPS only.
    #[must_use]
    pub fn new(claims: Arc<Claims>, secure_cookies: bool) -> Self {
        Self { claims, secure_cookies }
    }

    fn cookie(&self, guest: &str) -> String {
        let secure = if self.secure_cookies { "; Secure" } else { "" };
        format!("{GUEST_COOKIE}={guest}; Path=/; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Lax{secure}")
    }

    async fn status_for(&self, claim: &Claim, visitor: &Visitor) -> Outcome<Answer<ClaimStatus>> {
        let is_owner = viewer(visitor).owns(claim);
        let counted = self.claims.counted(claim).await?;
        Ok(Answer(ClaimStatus::of(&self.claims, claim, counted, visitor.locale, is_owner)?))
    }
}

#[OpenApi(prefix_path = "/api/v1/claim", tag = "Tag::Claims")]
impl ClaimsApi {
    /// Make a claim
    ///
    /// Agrees on the terms, checks the requisites of both sides and sets the payout aside. The answer sets the cookie by
    /// which this browser is known as the claim's owner. Made with an access token, it is the account's as well. The same `Idempotency-Key` with the same body gives the same claim.
    #[oai(path = "/", method = "post", operation_id = "createClaim")]
    async fn create(
        &self,
        visitor: Visitor,
        input: Input<ClaimOrder>,
        /// Any text of 8 to 255 visible ASCII characters, made anew for each claim.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> Outcome<Created<ClaimMade>> {
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content("claim.create", &content);
        let party = Party {
            locale: visitor.locale,
            guest: visitor.guest,
            address: visitor.address,
            customer: visitor.customer,
            partner: None,
        };
        let (made, guest) = self.claims.create(NewClaim::from(input.0), party, key, &content).await?;
        Ok(Created { body: ClaimMade::from(made), cookie: Some(self.cookie(&guest)) })
    }

    /// Whether a captcha is asked now
    ///
    /// If so, the answer to it is sent as the claim's `recaptcha`. It may be needed because of the address that calls or of the e-mail address, which
    /// others may have claimed with. A claim that is refused for want of an answer says the same in the parameter `captcha` of the refusal.
    #[oai(path = "/captchacheck", method = "get", operation_id = "checkCaptcha")]
    async fn captchacheck(
        &self,
        visitor: Visitor,
        /// The e-mail address the claim is to be made with.
        email: Query<Option<String>>,
    ) -> Outcome<Answer<CaptchaCheck>> {
        // Whoever is signed in with the address is not asked for what others did in its name.
        let own = visitor.customer.as_ref().filter(|customer| customer.activated).map(|customer| customer.email.as_str());
        let email = email.0.map(|email| email.trim().to_lowercase()).filter(|email| own != Some(email.as_str()));
        let offer = self.claims.captcha_for(visitor.address, email.as_deref())?;
        Ok(Answer(offer.map_or_else(CaptchaCheck::none, CaptchaCheck::from)))
    }

    /// Find one's claims
    ///
    /// Sends a letter with links to the open and recent claims of an e-mail address to that address. The answer is the same whether or
    /// not there are any. The captcha, where one is asked for, is that of `/front-api/auth/captcha/?action=findclaim`.
    #[oai(path = "/find", method = "post", operation_id = "findClaims")]
    async fn find(&self, visitor: Visitor, input: Input<ClaimSearch>) -> Outcome<Answer<ClaimNotice>> {
        let ClaimSearch { email, recaptcha } = input.0;
        self.claims.ask_for_links(&email, recaptcha, visitor.locale, visitor.address).await?;
        let (title, message) = self.claims.search_notice(visitor.locale);
        Ok(Answer(ClaimNotice { title, message }))
    }

    /// Everything the review step shows
    ///
    /// Requisites and the e-mail address are masked for anybody but the browser or account that made the claim.
    #[oai(path = "/:id/form", method = "get", operation_id = "getClaimForm")]
    async fn form(&self, visitor: Visitor, id: Path<Uuid>) -> Outcome<Answer<ClaimForm>> {
        let claim = self.claims.claim(id.0).await?;
        let receipts = self.claims.receipts_of(claim.id).await?;
        let is_owner = viewer(&visitor).owns(&claim);
        Ok(Answer(ClaimForm::of(&self.claims, &claim, receipts, visitor.locale, is_owner)?))
    }

    /// Confirm the claim
    ///
    /// Fixes the rate, gives the requisites to pay to and starts the deadline; or, where something is to be verified first, leads to the
    /// status `verification`, which names the verification to go to. When the terms ran out and others hold now, the
    /// answer is 409 `rate_changed` with the new numbers; confirming once more agrees to them.
    #[oai(path = "/:id/confirm", method = "post", operation_id = "confirmClaim")]
    async fn confirm(
        &self,
        visitor: Visitor,
        id: Path<Uuid>,
        input: OptionalInput<ClaimConfirmation>,
    ) -> Outcome<Answer<ClaimStatus>> {
        let ClaimConfirmation { terms_version, aml_consent } = input.0;
        let terms_version = bodies::short_word("termsVersion", terms_version)?;
        let claim = self.claims.confirm(id.0, terms_version, aml_consent.unwrap_or(false), &caller(&visitor)).await?;
        self.status_for(&claim, &visitor).await
    }

    /// Where to pay
    ///
    /// 409 `not_awaiting_payment` before the claim is confirmed and after its payment was established.
    #[oai(path = "/:id/requisite", method = "get", operation_id = "getClaimRequisite")]
    async fn requisite(&self, id: Path<Uuid>, visitor: Visitor) -> Outcome<Answer<ClaimPayment>> {
        let claim = self.claims.claim(id.0).await?;
        let payment =
            ClaimPayment::of(&self.claims, &claim, visitor.locale).ok_or_else(|| Error::conflict("not_awaiting_payment"))?;
        Ok(Answer(payment))
    }

    /// Where the claim stands
    #[oai(path = "/:id/status", method = "get", operation_id = "getClaimStatus")]
    async fn status(&self, visitor: Visitor, id: Path<Uuid>) -> Outcome<Answer<ClaimStatus>> {
        let claim = self.claims.claim(id.0).await?;
        self.status_for(&claim, &visitor).await
    }

    /// Where the claim stands, live
    ///
    /// Server-sent events named `status`: the first at once, one more at each change.
    #[oai(path = "/:id/events", method = "get", operation_id = "followClaim")]
    async fn events(&self, visitor: Visitor, id: Path<Uuid>) -> Outcome<LiveEvents<ClaimStatus>> {
        Ok(events::follow(self.claims.clone(), id.0, visitor).await?)
    }

    /// Say that the payment is made
    #[oai(path = "/:id/paid", method = "post", operation_id = "claimIsPaid")]
    async fn paid(&self, visitor: Visitor, id: Path<Uuid>) -> Outcome<Answer<ClaimStatus>> {
        let claim = self.claims.paid(id.0, &caller(&visitor)).await?;
        self.status_for(&claim, &visitor).await
    }

    /// Cancel the claim
    ///
    /// Possible until the payment is made.
    #[oai(path = "/:id/cancel", method = "post", operation_id = "cancelClaim")]
    async fn cancel(&self, visitor: Visitor, id: Path<Uuid>) -> Outcome<Answer<ClaimStatus>> {
        let claim = self.claims.cancel(id.0, &caller(&visitor)).await?;
        self.status_for(&claim, &visitor).await
    }

    /// Accept the new terms
    ///
    /// When another amount came, or came too late, the status carries an `offer`. The body repeats its amounts; if other
    /// terms hold by now, the answer is 409 `rate_changed` with the new numbers.
    #[oai(path = "/:id/accept", method = "post", operation_id = "acceptClaimOffer")]
    async fn accept(&self, visitor: Visitor, id: Path<Uuid>, input: Input<ClaimAcceptance>) -> Outcome<Answer<ClaimStatus>> {
        let ClaimAcceptance { from_summa, to_summa } = input.0;
        let claim = self.claims.accept(id.0, from_summa.0, to_summa.0, &caller(&visitor)).await?;
        self.status_for(&claim, &visitor).await
    }

    /// Ask for a refund
    ///
    /// Possible when another amount came, or came too late, and only in the browser or account that made the claim. Where the payment is to
    /// be returned already and nobody said where to (`refund_to` among the actions), the same call says it.
    #[oai(path = "/:id/refund", method = "post", operation_id = "refundClaim")]
    async fn refund(&self, visitor: Visitor, id: Path<Uuid>, input: Input<ClaimRefund>) -> Outcome<Answer<ClaimStatus>> {
        let claim = self.claims.refund(id.0, &viewer(&visitor), input.0.requisites, &caller(&visitor)).await?;
        self.status_for(&claim, &visitor).await
    }

    /// Upload a receipt
    ///
    /// JPEG, PNG, WebP or PDF up to 10 MB. Pictures are redrawn without their metadata; the file is private and is deleted after
    /// some time. A receipt helps an operator find the payment and changes nothing by itself.
    #[oai(path = "/:id/bill", method = "post", operation_id = "uploadClaimReceipt")]
    async fn bill(
        &self,
        visitor: Visitor,
        id: Path<Uuid>,
        file: FileUpload,
        /// Any text of 8 to 255 visible ASCII characters, made anew for each file.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> Outcome<Created<ClaimReceipt>> {
        let (key, scope) = (IdempotencyKey::check(key.0)?, format!("claim.bill:{}", id.0));
        self.claims.expects_receipt(id.0, key.stored().map(|key| (&*scope, key))).await?;
        let file = file.receive(self.claims.receipts_folder()).await?;
        let key = key.for_content(scope, file.sha256.as_bytes());
        let receipt = self.claims.add_receipt(id.0, file, key, &caller(&visitor)).await?;
        Ok(Created { body: ClaimReceipt::from(receipt), cookie: None })
    }
}

/// Who calls, for the audit log.
fn caller(visitor: &Visitor) -> Actor {
    visitor.customer.as_ref().map_or_else(|| Actor::guest(visitor.address), Actor::from)
}

/// The same before a claim.
fn viewer(visitor: &Visitor) -> Viewer {
    Viewer { guest: visitor.guest.clone(), customer: visitor.customer.as_ref().map(|customer| customer.id) }
}

/// A moment that may be missing, as answers carry it.
fn moment(at: Option<Timestamp>) -> agio_http::Null<agio_http::Moment> {
    at.map(agio_http::Moment).into()
}

//! The calls partners make.

mod access;
mod access_bodies;
mod access_news;
mod auth;
mod bodies;
mod claim;
mod orders;

use std::sync::Arc;

use agio_core::Error;
use agio_core::needs::{PartnerAct, QuotedSide, WantedClaims};
use agio_core::{Result, Timestamp};
use agio_http::{Answer, Created, IdempotencyKey, Input, Outcome, Visitor};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::Partners;
use crate::model::scope::Scope;
use crate::service::NewOrder;

pub use access::PartnerAccessApi;
use auth::PartnerAuth;
use bodies::{
    PartnerClaimPage, PartnerCurrency, PartnerKey, PartnerPair, PartnerQuote, PartnerQuoteWish, PartnerStatistics, PartnerTime,
};
pub use claim::PartnerClaimBody;
use orders::{PartnerAcceptance, PartnerOrderBody, PartnerRefund, PartnerStep};

/// Rows of a page unless more or fewer are wanted, and the most there are.
const SIZE: u32 = 20;
const SIZE_MAX: u32 = 100;

#[derive(Tags)]
enum Tag {
    /// What may be exchanged, and at what terms.
    PartnerOffers,
    /// Claims for customers of the partner.
    Claims,
    /// Trying everything without money.
    Sandbox,
    /// The key and the clock.
    Access,
}

/// The partners' calls.
pub struct PartnerApi(Arc<Partners>);

impl PartnerApi {
    /// The calls.
    #[must_use]
    pub fn new(partners: Arc<Partners>) -> Self {
        Self(partners)
    }
}

#[OpenApi(prefix_path = "/api/partner/v1")]
impl PartnerApi {
    /// The house's clock
    ///
    /// The one call that is not signed. The time of a signature may be 60 seconds from it, either way.
    #[oai(path = "/time", method = "get", operation_id = "partnerTime", tag = "Tag::Access")]
    async fn time(&self) -> Outcome<Answer<PartnerTime>> {
        Ok(Answer(PartnerTime::at(self.0.platform.clock.now())))
    }

    /// The key of this call
    ///
    /// What it may do, and how often. Any key may ask.
    #[oai(path = "/key", method = "get", operation_id = "partnerKey", tag = "Tag::Access")]
    async fn key(&self, caller: PartnerAuth) -> Outcome<Answer<PartnerKey>> {
        Ok(Answer(PartnerKey::of(&caller.0)))
    }

    /// What was exchanged and earned
    ///
    /// By direction, and the commission by currency. Real claims alone. Needs the scope `read`.
    #[oai(path = "/statistics", method = "get", operation_id = "partnerStatistics", tag = "Tag::Claims")]
    async fn statistics(&self, caller: PartnerAuth) -> Outcome<Answer<PartnerStatistics>> {
        caller.0.may(Scope::Read)?;
        Ok(Answer(PartnerStatistics::of(self.0.whole(caller.0.party.id).await?)))
    }

    /// Currencies
    ///
    /// Those that can be sent or received, with what is asked of a customer on each side. Needs the scope `read`.
    #[oai(path = "/currencies", method = "get", operation_id = "partnerCurrencies", tag = "Tag::PartnerOffers")]
    async fn currencies(&self, caller: PartnerAuth, visitor: Visitor) -> Outcome<Answer<Vec<PartnerCurrency>>> {
        caller.0.may(Scope::Read)?;
        let currencies = self.0.offers.currencies();
        Ok(Answer(currencies.iter().map(|currency| PartnerCurrency::of(currency, visitor.locale)).collect()))
    }

    /// Pairs
    ///
    /// Those that can be exchanged now, with their limits. The course is that of small amounts; a quote has the one of its amount. Needs
    /// the scope `read`.
    #[oai(path = "/pairs", method = "get", operation_id = "partnerPairs", tag = "Tag::PartnerOffers")]
    async fn pairs(
        &self,
        caller: PartnerAuth,
        /// Only pairs that send this currency, by its code.
        from: Query<Option<String>>,
        /// Only pairs that receive this currency, by its code.
        to: Query<Option<String>>,
    ) -> Outcome<Answer<Vec<PartnerPair>>> {
        caller.0.may(Scope::Read)?;
        let is_wanted =
            |wanted: &Option<String>, code: &str| wanted.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(code));
        let pairs = self.0.offers.pairs();
        let wanted = pairs.iter().filter(|pair| is_wanted(&from.0, &pair.from.code) && is_wanted(&to.0, &pair.to.code));
        Ok(Answer(wanted.map(PartnerPair::of).collect()))
    }

    /// A quote
    ///
    /// Direct with `fromSumma`, reverse with `toSumma`: then the least that must be sent for at least so much. A claim made with its `id`
    /// before `expiresAt` gets these terms. Needs the scope `quote`.
    #[oai(path = "/quotes", method = "post", operation_id = "partnerQuote", tag = "Tag::PartnerOffers")]
    async fn quote(&self, caller: PartnerAuth, input: Input<PartnerQuoteWish>) -> Outcome<Answer<PartnerQuote>> {
        caller.0.may(Scope::Quote)?;
        let PartnerQuoteWish { from, to, from_summa, to_summa, rate_type } = input.0;
        let side = match (from_summa, to_summa) {
            (Some(send), None) => QuotedSide::Send(send.0),
            (None, Some(receive)) => QuotedSide::Receive(receive.0),
            _ => return Err(Error::unprocessable("validation_failed").at("fromSumma", "one_amount_needed").into()),
        };
        Ok(Answer(PartnerQuote::of(self.0.quote(&from, &to, side, rate_type.map(Into::into))?)))
    }

    /// Make a claim
    ///
    /// Agrees on the terms, checks the requisites, sets the payout aside and says where to pay, all at once. `Idempotency-Key` is needed:
    /// the same key with the same body gives the same claim, as it stands by then, however often and on however many connections it is
    /// sent. Needs the scope `claim`.
    #[oai(path = "/claims", method = "post", operation_id = "partnerMakeClaim", tag = "Tag::Claims")]
    async fn make(
        &self,
        caller: PartnerAuth,
        visitor: Visitor,
        input: Input<PartnerOrderBody>,
        /// Any text of 8 to 255 visible ASCII characters, one for each claim.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> Outcome<Created<PartnerClaimBody>> {
        caller.0.may(Scope::Claim)?;
        let kind = if caller.0.sandbox { "rehearsal" } else { "claim" };
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content(format!("partner.{kind}:{}", caller.0.party.id), &content);
        let key = key.ok_or_else(|| Error::unprocessable("idempotency_key_needed"))?;
        let body = self.0.make(&caller.0, NewOrder::from(input.0), key, visitor.locale).await?;
        Ok(Created { body, cookie: None })
    }

    /// List claims
    ///
    /// The newest first. Needs the scope `read`.
    #[oai(path = "/claims", method = "get", operation_id = "partnerClaims", tag = "Tag::Claims")]
    async fn list(
        &self,
        caller: PartnerAuth,
        visitor: Visitor,
        /// Which page, from 1.
        page: Query<Option<u32>>,
        /// Rows of a page, at most 100.
        size: Query<Option<u32>>,
        /// Only the claim with this `reference`.
        reference: Query<Option<String>>,
        /// Only claims that changed then or later, RFC 3339.
        updated_since: Query<Option<String>>,
    ) -> Outcome<Answer<PartnerClaimPage>> {
        caller.0.may(Scope::Read)?;
        let (page, size) = (page.0.unwrap_or(1), size.0.unwrap_or(SIZE));
        if page == 0 {
            return Err(malformed("page").into());
        }
        if !(1..=SIZE_MAX).contains(&size) {
            return Err(malformed("size").into());
        }
        let wanted = WantedClaims {
            reference: reference.0,
            updated_since: updated_since.0.map(|text| moment(&text)).transpose()?,
            from: i64::from(page - 1) * i64::from(size),
            size: i64::from(size),
        };
        let (items, total) = self.0.list(&caller.0, &wanted, visitor.locale).await?;
        Ok(Answer(PartnerClaimPage { items, page, size, total }))
    }

    /// A claim
    ///
    /// Needs the scope `read`.
    #[oai(path = "/claims/:id", method = "get", operation_id = "partnerClaim", tag = "Tag::Claims")]
    async fn one(&self, caller: PartnerAuth, visitor: Visitor, id: Path<Uuid>) -> Outcome<Answer<PartnerClaimBody>> {
        caller.0.may(Scope::Read)?;
        Ok(Answer(self.0.one(&caller.0, id.0, visitor.locale).await?))
    }

    /// Say that the customer has paid
    ///
    /// Saying it again changes nothing. Needs the scope `claim`.
    #[oai(path = "/claims/:id/paid", method = "post", operation_id = "partnerClaimIsPaid", tag = "Tag::Claims")]
    async fn paid(&self, caller: PartnerAuth, visitor: Visitor, id: Path<Uuid>) -> Outcome<Answer<PartnerClaimBody>> {
        self.act(&caller, &visitor, id.0, PartnerAct::Paid).await
    }

    /// Cancel a claim
    ///
    /// Possible until it is paid. Needs the scope `claim`.
    #[oai(path = "/claims/:id/cancel", method = "post", operation_id = "partnerCancelClaim", tag = "Tag::Claims")]
    async fn cancel(&self, caller: PartnerAuth, visitor: Visitor, id: Path<Uuid>) -> Outcome<Answer<PartnerClaimBody>> {
        self.act(&caller, &visitor, id.0, PartnerAct::Cancel).await
    }

    /// Accept new terms
    ///
    /// When another amount came, or came too late, the claim carries an `offer`; the body repeats its amounts. Needs the scope `claim`.
    #[oai(path = "/claims/:id/accept", method = "post", operation_id = "partnerAcceptOffer", tag = "Tag::Claims")]
    async fn accept(
        &self,
        caller: PartnerAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: Input<PartnerAcceptance>,
    ) -> Outcome<Answer<PartnerClaimBody>> {
        let PartnerAcceptance { from_summa, to_summa } = input.0;
        self.act(&caller, &visitor, id.0, PartnerAct::Accept(from_summa.0, to_summa.0)).await
    }

    /// Ask for a refund
    ///
    /// When another amount came, or came too late. Needs the scope `claim`.
    #[oai(path = "/claims/:id/refund", method = "post", operation_id = "partnerRefundClaim", tag = "Tag::Claims")]
    async fn refund(
        &self,
        caller: PartnerAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: Input<PartnerRefund>,
    ) -> Outcome<Answer<PartnerClaimBody>> {
        self.act(&caller, &visitor, id.0, PartnerAct::Refund(input.0.requisites)).await
    }

    /// Take a sandbox claim further
    ///
    /// To any state that one step of the house's table leads to, whoever makes that step: the customer, an operator, a network or time.
    /// News are sent as of a real claim. For sandbox keys alone; needs the scope `claim`.
    #[oai(path = "/sandbox/claims/:id/advance", method = "post", operation_id = "partnerAdvanceClaim", tag = "Tag::Sandbox")]
    async fn advance(&self, caller: PartnerAuth, id: Path<Uuid>, input: Input<PartnerStep>) -> Outcome<Answer<PartnerClaimBody>> {
        caller.0.may(Scope::Claim)?;
        Ok(Answer(self.0.walk(&caller.0, id.0, &input.0.to).await?))
    }
}

impl PartnerApi {
    async fn act(&self, caller: &PartnerAuth, visitor: &Visitor, id: Uuid, act: PartnerAct) -> Outcome<Answer<PartnerClaimBody>> {
        caller.0.may(Scope::Claim)?;
        Ok(Answer(self.0.act(&caller.0, id, act, visitor.locale).await?))
    }
}

fn malformed(field: &str) -> Error {
    Error::unprocessable("validation_failed").at(field, "malformed_parameter")
}

fn moment(text: &str) -> Result<Timestamp> {
    Timestamp::parse(text).map_err(|_| malformed("updated_since"))
}

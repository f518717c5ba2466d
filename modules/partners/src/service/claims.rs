//! Quotes and claims of partners.

use std::sync::Arc;
use std::time::Duration;

use agio_contracts::{AmountQuote, CurrencyInfo, PartnerAction, PartnerClaimQuery, PartnerClaimRequest, QuotedSide};
use agio_core::idempotency::Key;
use agio_core::texts::Locale;
use agio_core::{Error, Result};
use agio_outbound_http::target;
use uuid::Uuid;

use super::{PartnerCaller, Partners};
use crate::api::{CreatePartnerClaimRequest, PartnerClaimView};
use crate::model::PartnerRateType;

const REFERENCE_MAX: usize = 64;

impl Partners {
    /// # Errors
    /// 404 `currency_unknown`, `pair_unavailable`; 422 at the amount, or at `rateType` if the pair has the other
    /// type.
    pub fn quote(&self, from: &str, to: &str, side: QuotedSide, wanted: Option<PartnerRateType>) -> Result<AmountQuote> {
        let (from, to) = (self.currency("from", from)?, self.currency("to", to)?);
        let quote = self.offers.quote(from.id, to.id, side, Duration::ZERO)?;
        if wanted.is_some_and(|wanted| wanted != PartnerRateType::of(quote.pair.floating.is_some())) {
            return Err(Error::unprocessable("validation_failed").at("rateType", "rate_type_unavailable"));
        }
        Ok(quote)
    }

    /// Creates a claim, or a sandbox claim. Idempotent by key.
    ///
    /// # Errors
    /// Whatever prevents a claim; 422 with field errors; 409 `reference_taken`.
    pub async fn create_claim(
        &self,
        caller: &PartnerCaller,
        request: PartnerClaimRequest,
        locale: Locale,
    ) -> Result<PartnerClaimView> {
        if caller.sandbox {
            return self.create_sandbox_claim(caller, request).await;
        }
        let created = self.claims.clone().create(request).await?;
        Ok(PartnerClaimView::of(&created, locale))
    }

    /// # Errors
    /// 404 `claim_not_found`.
    pub async fn get_claim(&self, caller: &PartnerCaller, id: Uuid, locale: Locale) -> Result<PartnerClaimView> {
        if caller.sandbox {
            return self.sandbox_claim(caller, id).await;
        }
        Ok(PartnerClaimView::of(&self.claims.get(caller.partner.id, id).await?, locale))
    }

    /// Newest first, with the total count.
    pub async fn list_claims(
        &self,
        caller: &PartnerCaller,
        wanted: &PartnerClaimQuery,
        locale: Locale,
    ) -> Result<(Vec<PartnerClaimView>, i64)> {
        if caller.sandbox {
            return self.list_sandbox_claims(caller, wanted).await;
        }
        let (claims, total) = self.claims.list(caller.partner.id, wanted).await?;
        Ok((claims.iter().map(|claim| PartnerClaimView::of(claim, locale)).collect(), total))
    }

    /// Acts on behalf of the customer.
    ///
    /// # Errors
    /// 404 `claim_not_found`; 409 `transition_not_allowed`.
    pub async fn act_on_claim(
        &self,
        caller: &PartnerCaller,
        id: Uuid,
        act: PartnerAction,
        locale: Locale,
    ) -> Result<PartnerClaimView> {
        if caller.sandbox {
            return self.act_on_sandbox_claim(caller, id, &act).await;
        }
        let claim = self.claims.clone().perform(caller.partner.clone(), id, act).await?;
        Ok(PartnerClaimView::of(&claim, locale))
    }

    /// The customer's language is that of the request unless the body names another.
    ///
    /// # Errors
    /// 404 `currency_unknown`; 422 at `reference` or `callbackUrl`.
    pub fn claim_request(
        &self,
        caller: &PartnerCaller,
        body: CreatePartnerClaimRequest,
        locale: Locale,
        key: Key,
    ) -> Result<PartnerClaimRequest> {
        let is_name =
            |name: &String| (1..=REFERENCE_MAX).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic());
        if !body.reference.as_ref().is_none_or(is_name) {
            return Err(Error::unprocessable("validation_failed")
                .with("max", REFERENCE_MAX)
                .at("reference", "reference_invalid"));
        }
        if !body.callback_url.as_deref().is_none_or(|url| target::is_callable(url, self.allows_private)) {
            return Err(Error::unprocessable("validation_failed").at("callbackUrl", "callback_not_allowed"));
        }
        let (from, to) = (self.currency("from", &body.from)?, self.currency("to", &body.to)?);
        Ok(PartnerClaimRequest {
            partner: caller.partner.clone(),
            locale: body.language.map_or(locale, |language| language.0),
            email: body.email,
            from: from.id,
            to: to.id,
            give: body.from_summa.0,
            receive: body.to_summa.0,
            quote: body.quote_id,
            city: body.city,
            give_requisites: body.from_requisites.unwrap_or_default(),
            receive_requisites: body.to_requisites,
            reference: body.reference,
            callback: body.callback_url,
            terms_version: body.terms_version,
            aml_consent: body.aml_consent.unwrap_or(false),
            accepted_terms: body.accepted_terms,
            key,
        })
    }

    pub(crate) fn currency(&self, field: &str, code: &str) -> Result<Arc<CurrencyInfo>> {
        self.offers.by_code(code).ok_or_else(|| Error::not_found("currency_unknown").at(field, "currency_unknown"))
    }
}

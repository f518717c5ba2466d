//! Quotes and claims as partners ask for them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use agio_core::idempotency::Key;
use agio_core::needs::{AmountQuote, CurrencyFacts, PartnerAct, PartnerOrder, QuotedSide, WantedClaims};
use agio_core::texts::Locale;
use agio_core::{Error, Result};
use agio_outside::target;
use rust_decimal::Decimal;
use uuid::Uuid;

use super::{PartnerCaller, Partners};
use crate::api::PartnerClaimBody;

/// The longest name a partner gives a claim.
const REFERENCE_MAX: usize = 64;

/// Whether a rate is fixed when the claim is made, or when its payment arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateType {
    /// When the claim is made.
    Fixed,
    /// When its payment arrives.
    Floating,
}

impl RateType {
    /// The type of a pair.
    #[must_use]
    pub fn of(floating: bool) -> Self {
        if floating { Self::Floating } else { Self::Fixed }
    }
}

/// A claim as a partner asks for it.
#[derive(Clone)]
pub struct NewOrder {
    /// The code of the currency sent.
    pub from: String,
    /// The code of the currency received.
    pub to: String,
    /// How much is sent.
    pub send: Decimal,
    /// How much the customer was shown to receive.
    pub receive: Decimal,
    /// The quote they were shown.
    pub quote: Option<String>,
    /// The customer's e-mail address.
    pub email: String,
    /// Requisites of the sent side.
    pub from_requisites: BTreeMap<String, String>,
    /// Requisites to pay out to.
    pub to_requisites: BTreeMap<String, String>,
    /// The partner's own name for the claim.
    pub reference: Option<String>,
    /// Where news of it go.
    pub callback: Option<String>,
    /// The language of the customer's letters.
    pub locale: Locale,
    /// The version of the rules the customer agreed to.
    pub terms_version: Option<String>,
    /// Whether the customer agreed to the check of the origin of money.
    pub aml_consent: bool,
}

impl Partners {
    /// The terms for an amount on either side, promised for a while.
    ///
    /// # Errors
    /// 404 `currency_unknown`, `pair_unavailable`; 422 at the amount, or at `rateType` where the pair has the other.
    pub fn quote(&self, from: &str, to: &str, side: QuotedSide, wanted: Option<RateType>) -> Result<AmountQuote> {
        let (from, to) = (self.named("from", from)?, self.named("to", to)?);
        let quote = self.offers.quote(from.id, to.id, side, Duration::ZERO)?;
        if wanted.is_some_and(|wanted| wanted != RateType::of(quote.pair.floating.is_some())) {
            return Err(Error::unprocessable("validation_failed").at("rateType", "rate_type_unavailable"));
        }
        Ok(quote)
    }

    /// Makes a claim, or rehearses one. The same key gives the same claim.
    ///
    /// # Errors
    /// What prevents a claim; 422 with the fields; 409 `reference_taken`.
    pub async fn make(&self, caller: &PartnerCaller, new: NewOrder, key: Key, locale: Locale) -> Result<PartnerClaimBody> {
        let order = self.order(caller, new, key)?;
        if caller.sandbox {
            return self.rehearse(caller, order).await;
        }
        let made = self.claims.clone().make(order).await?;
        Ok(PartnerClaimBody::of(&made, locale))
    }

    /// A claim of the caller's partner.
    ///
    /// # Errors
    /// 404 `claim_not_found`.
    pub async fn one(&self, caller: &PartnerCaller, id: Uuid, locale: Locale) -> Result<PartnerClaimBody> {
        if caller.sandbox {
            return self.rehearsed(caller, id).await;
        }
        Ok(PartnerClaimBody::of(&self.claims.one(caller.party.id, id).await?, locale))
    }

    /// Claims of the caller's partner, the newest first, and how many there are.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn list(
        &self,
        caller: &PartnerCaller,
        wanted: &WantedClaims,
        locale: Locale,
    ) -> Result<(Vec<PartnerClaimBody>, i64)> {
        if caller.sandbox {
            return self.all_rehearsed(caller, wanted).await;
        }
        let (claims, total) = self.claims.list(caller.party.id, wanted).await?;
        Ok((claims.iter().map(|claim| PartnerClaimBody::of(claim, locale)).collect(), total))
    }

    /// Does something in the customer's name.
    ///
    /// # Errors
    /// 404 `claim_not_found`; 409 `transition_not_allowed` and what else prevents it.
    pub async fn act(&self, caller: &PartnerCaller, id: Uuid, act: PartnerAct, locale: Locale) -> Result<PartnerClaimBody> {
        if caller.sandbox {
            return self.act_rehearsed(caller, id, &act).await;
        }
        let claim = self.claims.clone().act(caller.party.clone(), id, act).await?;
        Ok(PartnerClaimBody::of(&claim, locale))
    }

    fn order(&self, caller: &PartnerCaller, new: NewOrder, key: Key) -> Result<PartnerOrder> {
        let is_name =
            |name: &String| (1..=REFERENCE_MAX).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic());
        if !new.reference.as_ref().is_none_or(is_name) {
            return Err(Error::unprocessable("validation_failed")
                .with("max", REFERENCE_MAX)
                .at("reference", "reference_invalid"));
        }
        if !new.callback.as_deref().is_none_or(|url| target::is_callable(url, self.allows_private)) {
            return Err(Error::unprocessable("validation_failed").at("callbackUrl", "callback_not_allowed"));
        }
        let (from, to) = (self.named("from", &new.from)?, self.named("to", &new.to)?);
        Ok(PartnerOrder {
            party: caller.party.clone(),
            locale: new.locale,
            email: new.email,
            from: from.id,
            to: to.id,
            send: new.send,
            receive: new.receive,
            quote: new.quote,
            from_requisites: new.from_requisites,
            to_requisites: new.to_requisites,
            reference: new.reference,
            callback: new.callback,
            terms_version: new.terms_version,
            aml_consent: new.aml_consent,
            key,
        })
    }

    pub(crate) fn named(&self, field: &str, code: &str) -> Result<Arc<CurrencyFacts>> {
        self.offers.named(code).ok_or_else(|| Error::not_found("currency_unknown").at(field, "currency_unknown"))
    }
}

//! Requests of the customers' API.

use std::collections::BTreeMap;

use agio_contracts::{ClaimState, CurrencyInfo};
use agio_core::{Error, Result};
use agio_http::{ApiEnum, DateTime, Dec, Nullable, body};
use poem_openapi::types::Example;
use uuid::Uuid;

use crate::{CreatedClaim, NewClaim, PaymentAvailability};

/// A new claim.
#[body(shared, example)]
#[derive(Clone)]
pub struct CreateClaimRequest {
    /// The customer's e-mail address.
    email: String,
    /// The id of the give currency.
    from_ps: i64,
    /// The id of the receive currency.
    to_ps: i64,
    /// The give amount.
    from_summa: Dec,
    /// The receive amount the customer saw.
    to_summa: Dec,
    /// The requisites of the give side, by the field names in the pair's `structure`.
    from_requisites: BTreeMap<String, String>,
    /// The payout requisites, by the field names in the pair's `structure`.
    to_requisites: BTreeMap<String, String>,
    /// The captcha answer, when `captchacheck` requires one.
    recaptcha: Option<String>,
    /// The referral code.
    refferal: Option<String>,
    /// The quote of the pair. Its rate is used while it is valid.
    quote_id: Option<String>,
    /// The code of one of the pair's `cities`: required for cash, where it changes hands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    city: Option<String>,
    /// The customer's consents and options.
    extras: Option<ClaimExtras>,
}

/// The customer's consents and options.
#[body(shared)]
#[derive(Clone, Debug, Default)]
pub struct ClaimExtras {
    /// The version of the terms of service.
    terms_version: Option<String>,
    /// Whether the customer consents to an AML check.
    aml_consent: Option<bool>,
    /// Whether the customer declares that the money is their own.
    own_funds: Option<bool>,
    /// Whether to save the requisites in the customer's account. Ignored without an account.
    keep_requisites: Option<bool>,
    /// A promo code, case-insensitive. Released if the claim ends without an exchange.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    promo: Option<String>,
    /// The IANA name of the customer's time zone, such as `Europe/Moscow`. E-mails give times in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time_zone: Option<String>,
}

impl Example for CreateClaimRequest {
    fn example() -> Self {
        Self {
            email: "ivan@example.com".into(),
            from_ps: 1,
            to_ps: 9,
            from_summa: Dec("0.015".parse().expect("a number")),
            to_summa: Dec("98000".parse().expect("a number")),
            from_requisites: BTreeMap::new(),
            to_requisites: BTreeMap::from([("card".into(), "4111111111111111".into())]),
            recaptcha: None,
            refferal: None,
            quote_id: None,
            city: None,
            extras: Some(ClaimExtras {
                terms_version: Some("2024-03-01".into()),
                aml_consent: Some(true),
                own_funds: Some(true),
                keep_requisites: Some(false),
                promo: None,
                time_zone: None,
            }),
        }
    }
}

impl From<CreateClaimRequest> for NewClaim {
    fn from(order: CreateClaimRequest) -> Self {
        let extras = order.extras.unwrap_or_default();
        Self {
            email: order.email,
            from: order.from_ps,
            to: order.to_ps,
            send: order.from_summa.0,
            receive: order.to_summa.0,
            give_requisites: order.from_requisites,
            receive_requisites: order.to_requisites,
            captcha: order.recaptcha,
            referral: order.refferal,
            quote: order.quote_id,
            city: order.city,
            promo: extras.promo,
            terms_version: extras.terms_version,
            aml_consent: extras.aml_consent.unwrap_or(false),
            keep_requisites: extras.keep_requisites.unwrap_or(false),
            time_zone: extras.time_zone,
        }
    }
}

/// A created claim.
#[body(response)]
#[derive(Clone, Debug)]
pub struct CreatedClaimView {
    /// The claim's identifier. Anyone who knows it can see the claim.
    id: Uuid,
    /// The short claim number, for people. It grants no access.
    public_id: i64,
    /// The state.
    status: ApiEnum<ClaimState>,
    /// Until when it can be confirmed.
    expires_at: DateTime,
}

impl From<CreatedClaim> for CreatedClaimView {
    fn from(created: CreatedClaim) -> Self {
        Self {
            id: created.id,
            public_id: created.public_id,
            status: created.status.into(),
            expires_at: DateTime(created.expires_at),
        }
    }
}

/// The customer's consents.
#[body(request, example)]
#[derive(Clone, Debug, Default)]
pub struct ConfirmClaimRequest {
    /// The version of the terms of service.
    pub terms_version: Option<String>,
    /// Whether the customer consents to an AML check.
    pub aml_consent: Option<bool>,
    /// The id of the form's `customerTerms` that the customer accepts; required where there are any.
    pub accepted_terms: Option<String>,
}

impl Example for ConfirmClaimRequest {
    fn example() -> Self {
        Self { terms_version: Some("2024-03-01".into()), aml_consent: Some(true), accepted_terms: None }
    }
}

/// A request for links to claims.
#[body(request, example)]
#[derive(Clone, Debug)]
pub struct FindClaimsRequest {
    /// The e-mail address the claims were made with.
    pub email: String,
    /// The number of a claim to include, however old it is.
    #[oai(validator(minimum(value = "1")))]
    pub number: Option<i64>,
    /// The captcha answer, when one is required.
    pub recaptcha: Option<String>,
}

impl Example for FindClaimsRequest {
    fn example() -> Self {
        Self { email: "ivan@example.com".into(), number: None, recaptcha: None }
    }
}

/// A message for the customer.
#[body(response)]
#[derive(Clone, Debug)]
pub struct FindClaimsResponse {
    /// The title.
    pub title: String,
    /// The message.
    pub message: String,
}

/// What customers may pay in a currency now.
#[body(response)]
pub struct PaymentAvailabilityView {
    /// Whether there are payment details for any amount.
    available: bool,
    /// The smallest amount; null for no limit.
    min_amount: Nullable<Dec>,
    /// The largest amount; null for no limit.
    max_amount: Nullable<Dec>,
}

impl PaymentAvailabilityView {
    pub fn of(currency: &CurrencyInfo, found: PaymentAvailability) -> Self {
        let amount = |units| Dec(currency.amount(units).value());
        Self {
            available: found.is_available,
            min_amount: (found.min > 0).then(|| amount(found.min)).into(),
            max_amount: found.max.map(amount).into(),
        }
    }
}

/// The offered terms that the customer accepts.
#[body(request, example)]
#[derive(Clone, Debug)]
pub struct AcceptClaimOfferRequest {
    /// The amount that arrived.
    pub from_summa: Dec,
    /// The receive amount for it.
    pub to_summa: Dec,
}

impl Example for AcceptClaimOfferRequest {
    fn example() -> Self {
        Self { from_summa: Dec("0.012".parse().expect("a number")), to_summa: Dec("78400".parse().expect("a number")) }
    }
}

/// A request for a refund.
#[body(request, example)]
#[derive(Clone)]
pub struct RefundClaimRequest {
    /// Requisites of the give currency, by the field names in the `structure` of a pair that pays it out.
    pub requisites: BTreeMap<String, String>,
}

impl Example for RefundClaimRequest {
    fn example() -> Self {
        let address = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";
        Self { requisites: BTreeMap::from([("address".into(), address.into())]) }
    }
}

/// The agreed amounts, and where the rest of what arrived goes.
#[body(request, example)]
#[derive(Clone)]
pub struct ReturnClaimSurplusRequest {
    /// The agreed amount.
    pub from_summa: Dec,
    /// The receive amount for it, as in `surplus.offer`.
    pub to_summa: Dec,
    /// Requisites of the give currency, by the field names in the `structure` of a pair that pays it out.
    pub requisites: BTreeMap<String, String>,
}

impl Example for ReturnClaimSurplusRequest {
    fn example() -> Self {
        let RefundClaimRequest { requisites } = RefundClaimRequest::example();
        Self { from_summa: Dec("0.01".parse().expect("a number")), to_summa: Dec("65300".parse().expect("a number")), requisites }
    }
}

/// A text of at most 64 characters.
///
/// # Errors
/// 422 `text_too_long` at the field.
pub fn short_word(field: &'static str, word: Option<String>) -> Result<Option<String>> {
    match &word {
        Some(text) if text.chars().count() > 64 => {
            Err(Error::unprocessable("validation_failed").with("max", 64).at(field, "text_too_long"))
        }
        _ => Ok(word),
    }
}

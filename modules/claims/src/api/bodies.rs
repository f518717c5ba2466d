//! What customers' pages send.

use std::collections::BTreeMap;

use agio_core::{Error, Result};
use agio_http::{Dec, Moment};
use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Made, NewClaim};

/// A claim as a page asks for it.
#[derive(Clone, Deserialize, Serialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct ClaimOrder {
    /// Where news of the claim go.
    email: String,
    /// The currency sent, by its id.
    from_ps: i64,
    /// The currency received, by its id.
    to_ps: i64,
    /// How much is sent.
    from_summa: Dec,
    /// How much the customer was shown to receive.
    to_summa: Dec,
    /// Requisites of the sent side, as the pair's `structure` names them.
    from_requisites: BTreeMap<String, String>,
    /// Requisites to pay out to, as the pair's `structure` names them.
    to_requisites: BTreeMap<String, String>,
    /// The answer to a captcha, where `captchacheck` asks for one.
    #[serde(default)]
    recaptcha: Option<String>,
    /// The code of who sent the customer here.
    #[serde(default)]
    refferal: Option<String>,
    /// The quote of the pair; while it lives, its rate holds.
    #[serde(default)]
    quote_id: Option<String>,
    /// What the customer agreed to.
    #[serde(default)]
    extras: Option<ClaimExtras>,
}

/// What the customer agreed to, and what goes with the claim.
#[derive(Clone, Debug, Default, Deserialize, Serialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClaimExtras {
    /// The version of the rules.
    #[serde(default)]
    terms_version: Option<String>,
    /// Whether they agree to the check of the origin of money.
    #[serde(default)]
    aml_consent: Option<bool>,
    /// Whether they say that the money is their own.
    #[serde(default)]
    own_funds: Option<bool>,
    /// Whether the requisites are kept in the account for the next claim; without an account they are not.
    #[serde(default)]
    keep_requisites: Option<bool>,
    /// A promo code in any case. It is used up by the claim, and free again if that ends without an exchange.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    promo: Option<String>,
}

impl Example for ClaimOrder {
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
            extras: Some(ClaimExtras {
                terms_version: Some("2024-03-01".into()),
                aml_consent: Some(true),
                own_funds: Some(true),
                keep_requisites: Some(false),
                promo: None,
            }),
        }
    }
}

impl From<ClaimOrder> for NewClaim {
    fn from(order: ClaimOrder) -> Self {
        let extras = order.extras.unwrap_or_default();
        Self {
            email: order.email,
            from: order.from_ps,
            to: order.to_ps,
            send: order.from_summa.0,
            receive: order.to_summa.0,
            from_requisites: order.from_requisites,
            to_requisites: order.to_requisites,
            captcha: order.recaptcha,
            referral: order.refferal,
            quote: order.quote_id,
            promo: extras.promo,
            terms_version: extras.terms_version,
            aml_consent: extras.aml_consent.unwrap_or(false),
            keep_requisites: extras.keep_requisites.unwrap_or(false),
        }
    }
}

/// A claim that was made.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct ClaimMade {
    /// The identifier in links; whoever knows it sees the claim.
    id: Uuid,
    /// The short number for talk; it opens nothing.
    public_id: i64,
    /// Where it stands.
    status: String,
    /// Until when it waits to be confirmed.
    expires_at: Moment,
}

impl From<Made> for ClaimMade {
    fn from(made: Made) -> Self {
        Self {
            id: made.id,
            public_id: made.public_id,
            status: made.status.name().to_owned(),
            expires_at: Moment(made.expires_at),
        }
    }
}

/// What the customer agrees to by confirming.
#[derive(Clone, Debug, Default, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct ClaimConfirmation {
    /// The version of the rules.
    #[serde(default)]
    pub terms_version: Option<String>,
    /// Whether they agree to the check of the origin of money.
    #[serde(default)]
    pub aml_consent: Option<bool>,
}

impl Example for ClaimConfirmation {
    fn example() -> Self {
        Self { terms_version: Some("2024-03-01".into()), aml_consent: Some(true) }
    }
}

/// Whose claims are looked for.
#[derive(Clone, Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct ClaimSearch {
    /// The e-mail address the claims were made with.
    pub email: String,
    /// The answer to a captcha, where one is asked for.
    #[serde(default)]
    pub recaptcha: Option<String>,
}

impl Example for ClaimSearch {
    fn example() -> Self {
        Self { email: "ivan@example.com".into(), recaptcha: None }
    }
}

/// What the customer is told.
#[derive(Clone, Debug, Serialize, Object)]
pub struct ClaimNotice {
    /// In a word.
    pub title: String,
    /// In a sentence.
    pub message: String,
}

/// The terms that are accepted, as they were offered.
#[derive(Clone, Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct ClaimAcceptance {
    /// What came.
    pub from_summa: Dec,
    /// What is received for it.
    pub to_summa: Dec,
}

impl Example for ClaimAcceptance {
    fn example() -> Self {
        Self { from_summa: Dec("0.012".parse().expect("a number")), to_summa: Dec("78400".parse().expect("a number")) }
    }
}

/// Where the payment is returned to.
#[derive(Clone, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct ClaimRefund {
    /// Requisites of the currency that was sent, as the structure of a pair that pays it out names them.
    pub requisites: BTreeMap<String, String>,
}

impl Example for ClaimRefund {
    fn example() -> Self {
        let address = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";
        Self { requisites: BTreeMap::from([("address".into(), address.into())]) }
    }
}

/// A word of at most 64 characters.
///
/// # Errors
/// 422 `too_long` at the field.
pub fn short_word(field: &'static str, word: Option<String>) -> Result<Option<String>> {
    match &word {
        Some(text) if text.chars().count() > 64 => {
            Err(Error::unprocessable("validation_failed").with("max", 64).at(field, "text_too_long"))
        }
        _ => Ok(word),
    }
}

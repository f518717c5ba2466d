//! Claims as partners ask for them, and what they do with them.

use std::collections::BTreeMap;

use agio_core::texts::Locale;
use agio_http::Dec;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use crate::service::NewOrder;

/// A language.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
pub enum PartnerLanguage {
    /// Russian.
    #[default]
    Ru,
    /// English.
    En,
}

/// A claim as a partner asks for it.
#[derive(Clone, Deserialize, Serialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct PartnerOrderBody {
    /// The code of the currency sent.
    from: String,
    /// The code of the currency received.
    to: String,
    /// How much is sent.
    from_summa: Dec,
    /// How much the customer was shown to receive.
    to_summa: Dec,
    /// The quote they were shown; without one, the terms of this moment, if they are the same.
    #[serde(default)]
    quote_id: Option<String>,
    /// The customer's e-mail address: letters about the claim go there.
    email: String,
    /// Requisites of the sent side, as the currency's `sendInputs` name them.
    #[serde(default)]
    from_requisites: Option<BTreeMap<String, String>>,
    /// Requisites to pay out to, as the currency's `receiveInputs` name them.
    to_requisites: BTreeMap<String, String>,
    /// Your own name for the claim, up to 64 visible ASCII characters; no other claim of yours may have it.
    #[serde(default)]
    reference: Option<String>,
    /// Where news of this claim go, in place of your usual address.
    #[serde(default)]
    callback_url: Option<String>,
    /// The language of the customer's letters; Russian unless told.
    #[serde(default)]
    language: Option<PartnerLanguage>,
    /// The version of the rules the customer agreed to.
    #[serde(default)]
    terms_version: Option<String>,
    /// Whether they agreed to the check of the origin of money.
    #[serde(default)]
    aml_consent: Option<bool>,
}

impl From<PartnerOrderBody> for NewOrder {
    fn from(body: PartnerOrderBody) -> Self {
        Self {
            from: body.from,
            to: body.to,
            send: body.from_summa.0,
            receive: body.to_summa.0,
            quote: body.quote_id,
            email: body.email,
            from_requisites: body.from_requisites.unwrap_or_default(),
            to_requisites: body.to_requisites,
            reference: body.reference,
            callback: body.callback_url,
            locale: match body.language.unwrap_or_default() {
                PartnerLanguage::Ru => Locale::Ru,
                PartnerLanguage::En => Locale::En,
            },
            terms_version: body.terms_version,
            aml_consent: body.aml_consent.unwrap_or(false),
        }
    }
}

/// The amounts of an offer, repeated.
#[derive(Clone, Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct PartnerAcceptance {
    /// What came.
    pub from_summa: Dec,
    /// What is received for it.
    pub to_summa: Dec,
}

/// Where a payment is returned to.
#[derive(Clone, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields)]
pub struct PartnerRefund {
    /// Requisites as the sent currency's `receiveInputs` name them.
    pub requisites: BTreeMap<String, String>,
}

/// A step of a sandbox claim.
#[derive(Clone, Debug, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields)]
pub struct PartnerStep {
    /// The state to come to: a value of the claim's `state`.
    pub to: String,
}

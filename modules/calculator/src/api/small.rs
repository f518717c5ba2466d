//! The smaller answers of the public calls.

use agio_http::{Dec, Moment, Null};
use poem_openapi::Object;
use serde::Serialize;

use super::answers::{CalculatorFees, CalculatorFloatingTerms, CalculatorProof, CalculatorTier};

/// The course of a pair.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct CalculatorCourse {
    /// Units received for one unit sent at the amount, or else below the first tier; percents inside, fixed fees apart. Where no fee is
    /// fixed it is the net rate.
    pub course: Dec,
    /// Fees; percents are inside the course already.
    pub fees: CalculatorFees,
    /// What is received for the amount that was asked with; null without one.
    pub to_summa: Null<Dec>,
    /// What that is for one unit sent, every fee and rounding counted: cut to twelve significant digits; null without an amount.
    pub effective_rate: Null<Dec>,
}

/// What is free of a currency.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct CalculatorReserve {
    /// The currency.
    pub id: i64,
    /// How much may be paid out.
    pub amount: Dec,
    /// When it last changed.
    pub updated_at: Moment,
}

/// What the site is set to, and the pair a visitor starts with.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct CalculatorSettings {
    /// The pair a visitor starts with.
    pub exchange_attributes: CalculatorExchangeAttributes,
    /// Whether the contest is shown.
    pub contest: bool,
    /// Whether signing in asks for a captcha.
    pub captcha_login: bool,
    /// Whether the short number of a claim is shown in place of its identifier.
    pub use_public_id: bool,
    /// Where customers write to.
    pub support_email: String,
    /// Name of the site.
    pub site_name: String,
    /// The support chat; nothing where there is none.
    pub chat: Null<CalculatorChat>,
    /// The day whose rates are used, where that is not today.
    pub rates_of: Null<String>,
    /// Version of the terms that a claim accepts.
    pub terms_version: String,
}

/// A support chat in a frame of its own.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct CalculatorChat {
    /// The page in the frame.
    pub url: String,
    /// What it is called; empty for the site's own words.
    pub title: String,
    /// Whether it is offered on the pages of claims too.
    pub on_claims: bool,
}

/// The pair a visitor starts with.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct CalculatorExchangeAttributes {
    /// The currency sent; nothing while nothing can be exchanged.
    pub from_currency_id: Null<i64>,
    /// The currency received.
    pub to_currency_id: Null<i64>,
}

/// Whether the house is in technical mode.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct CalculatorTech {
    /// The mode.
    pub technical_mode: CalculatorTechnicalMode,
}

/// Technical mode: new claims are refused while it is on.
#[derive(Debug, Serialize, Object)]
pub struct CalculatorTechnicalMode {
    /// Whether it is on.
    pub on: bool,
    /// When service is expected back, if that is known.
    pub time: Null<Moment>,
}

/// A pair in the table of rates.
#[derive(Debug, Serialize, Object)]
pub(super) struct CalculatorRate {
    /// The currency sent.
    pub from: i64,
    /// The currency received.
    pub to: i64,
    /// Units received for one unit sent below the first tier; percents inside, fixed fees apart.
    pub course: Dec,
    /// Least amount sent.
    pub min: Dec,
    /// Greatest amount sent.
    pub max: Dec,
    /// What is free of the received currency.
    pub reserve: Dec,
    /// Fees; percents are inside the course already.
    pub fees: CalculatorFees,
    /// From which sent amounts on which course holds, the first from zero.
    pub tiers: Vec<CalculatorTier>,
    /// How the payment fixes the rate; null where the rate is fixed with the claim.
    pub floating: Null<CalculatorFloatingTerms>,
    /// What is verified before a customer pays, by a photo; null where nothing is.
    pub verification: Null<CalculatorProof>,
}

/// The key that quotes are signed with.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct CalculatorQuoteKey {
    /// Always `Ed25519`.
    pub algorithm: String,
    /// The public key that signs now, in base64.
    pub public_key: String,
    /// Every key that a quote which still holds may have been signed with, and the one that signs next, the newest first.
    pub keys: Vec<CalculatorKnownKey>,
    /// How a quote is read and checked, in a sentence.
    pub format: String,
}

/// A key that quotes are signed with.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct CalculatorKnownKey {
    /// Its name.
    pub id: String,
    /// The public key in base64.
    pub public_key: String,
    /// From when on it signs.
    pub signs_from: Moment,
    /// When the last quote signed with it has ended; null while it has no successor.
    pub ends_at: Null<Moment>,
}

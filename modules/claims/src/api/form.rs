//! A claim in full, for the review step.

use std::fmt;

use agio_contracts::{CashCity, ClaimState, CurrencyInfo, CurrencyKind};
use agio_core::Result;
use agio_core::ratio::effective_rate;
use agio_core::texts::Locale;
use agio_http::{ApiEnum, DateTime, Dec, ExchangeFees, Nullable, body};
use agio_requisites::{RequisiteKind, mask};
use uuid::Uuid;

use super::moment;
use crate::Claims;
use crate::rules::claim::{Claim, Requisite};
use crate::rules::terms::{agreed, city};
use crate::service::ClaimedTerms;
use crate::store::receipts::Receipt;

/// A requisite.
#[body(response)]
#[derive(Clone)]
pub struct ClaimRequisite {
    /// The field name.
    name: String,
    /// The label of the field.
    label: String,
    /// The kind of requisite.
    kind: ApiEnum<RequisiteKind>,
    /// The value; masked for anybody but the owner.
    value: String,
}

impl fmt::Debug for ClaimRequisite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClaimRequisite").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ClaimRequisite {
    pub fn all(requisites: Vec<Requisite>, locale: Locale, is_open: bool) -> Vec<Self> {
        let shown = |requisite: Requisite| Self {
            name: requisite.name,
            label: requisite.label.get(locale).to_owned(),
            kind: requisite.kind.into(),
            value: if is_open { requisite.value } else { mask(requisite.kind, &requisite.value) },
        };
        requisites.into_iter().map(shown).collect()
    }
}

/// One side of a claim.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimFormSide {
    /// The currency.
    id: i64,
    /// Its code.
    code: String,
    /// Its name.
    name: String,
    /// The asset.
    ticker: String,
    /// Its network or payment system.
    network: String,
    kind: ApiEnum<CurrencyKind>,
    /// The name of its icon.
    icon: String,
    /// The amount.
    amount: Dec,
    /// The requisites the customer entered for this side.
    requisites: Vec<ClaimRequisite>,
}

impl ClaimFormSide {
    fn of(currency: &CurrencyInfo, amount: agio_core::Amount, requisites: Vec<ClaimRequisite>, locale: Locale) -> Self {
        Self {
            id: currency.id,
            code: currency.code.clone(),
            name: currency.name.get(locale).to_owned(),
            ticker: currency.ticker.clone(),
            network: currency.network.get(locale).to_owned(),
            kind: currency.kind.into(),
            icon: currency.icon.clone(),
            amount: Dec(amount.value()),
            requisites,
        }
    }
}

/// A city in which cash changes hands.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimCity {
    /// The aggregators' code.
    code: String,
    /// Its name.
    name: String,
    /// The office and its hours; null where they are agreed with the customer.
    place: Nullable<String>,
}

impl ClaimCity {
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn of(claim: &Claim, locale: Locale) -> Result<Option<Self>> {
        let shown = |city: CashCity| Self {
            name: city.name.get(locale).to_owned(),
            place: Some(city.place.get(locale).to_owned()).filter(|place| !place.is_empty()).into(),
            code: city.code,
        };
        Ok(city(claim)?.map(shown))
    }
}

/// A rate and its sources.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimRate {
    /// The rate as text: `1 BTC = 6012345 RUB`.
    text: String,
    /// An explanation of the rate.
    explanation: String,
    /// The date of the rates, when it is not the day of the claim.
    rates_of: Nullable<String>,
}

/// The rate of a claim.
///
/// # Errors
/// 409 `claim_unreadable`.
pub fn rate(claims: &Claims, claim: &Claim, locale: Locale) -> Result<ClaimRate> {
    let terms = agreed(claim)?;
    let from = claims.currency(claim.give.currency_id(), &claim.give.code);
    let to = claims.currency(claim.receive.currency_id(), &claim.receive.code);
    Ok(ClaimRate {
        text: format!("1 {} = {} {}", from.ticker, agio_core::money::plain(claim.rate()?), to.ticker),
        explanation: terms.explanation.get(locale).to_owned(),
        rates_of: terms.rates_of.into(),
    })
}

/// A receipt.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimReceipt {
    /// Identifier.
    id: Uuid,
    /// The name of the file.
    name: String,
    /// Its size in bytes.
    size: i64,
    /// Its media type.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    media_type: String,
    /// When it was uploaded.
    created_at: DateTime,
}

impl From<Receipt> for ClaimReceipt {
    fn from(receipt: Receipt) -> Self {
        Self {
            id: receipt.id,
            name: receipt.name,
            size: receipt.size,
            media_type: receipt.media_type,
            created_at: DateTime(receipt.created_at),
        }
    }
}

/// Terms of a direction that its customers accept before they pay.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimCustomerTerms {
    /// Identifier of the text: `acceptedTerms` of the confirmation.
    id: String,
    /// Title, plain text.
    title: String,
    /// Message, sanitized HTML.
    message: String,
    /// When the customer accepted them. Null before the confirmation.
    accepted_at: Nullable<DateTime>,
}

impl ClaimCustomerTerms {
    pub fn of((terms, accepted_at): &ClaimedTerms, locale: Locale) -> Self {
        let (title, message) = terms.get(locale);
        Self {
            id: terms.id.clone(),
            title: title.to_owned(),
            message: message.to_owned(),
            accepted_at: Nullable(accepted_at.map(DateTime)),
        }
    }
}

/// A claim in full, for the review step.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimForm {
    /// Identifier.
    id: Uuid,
    /// The short claim number, for people.
    public_id: i64,
    /// The state.
    status: ApiEnum<ClaimState>,
    /// When the current state times out.
    expires_at: Nullable<DateTime>,
    /// When it was created.
    created_at: DateTime,
    /// The customer's address; masked for anybody but the owner.
    email: String,
    /// Whether the caller's browser or account created the claim.
    owner: bool,
    /// The give side.
    from: ClaimFormSide,
    /// The receive side.
    to: ClaimFormSide,
    /// Where cash changes hands; null without cash.
    city: Nullable<ClaimCity>,
    /// The rate: units received for one unit given. Includes percentage fees, not fixed ones.
    course: Dec,
    /// The rate with all fees and rounding included, cut to twelve significant digits.
    effective_rate: Nullable<Dec>,
    /// The bonus included in the rate, in percent.
    bonus: Dec,
    /// The promo code the claim uses.
    promo: Nullable<String>,
    /// Whether the rate is fixed when the payment arrives.
    floating: bool,
    /// How long the rate is held after the confirmation, in minutes.
    hold: i64,
    /// The fees.
    fees: ExchangeFees,
    /// The rate and its sources.
    rate: ClaimRate,
    /// The version of the terms of service the customer accepted.
    terms_version: Nullable<String>,
    /// Whether the customer consented to an AML check.
    aml_consent: bool,
    /// Terms of the direction that the customer has to accept with the confirmation, or has accepted. Null for none.
    customer_terms: Nullable<ClaimCustomerTerms>,
    /// Whether a receipt must be uploaded before the payment is reported.
    receipt_required: bool,
    /// The receipts so far.
    receipts: Vec<ClaimReceipt>,
}

impl ClaimForm {
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn of(
        claims: &Claims,
        claim: &Claim,
        (receipts, terms): (Vec<Receipt>, Option<ClaimedTerms>),
        locale: Locale,
        is_owner: bool,
    ) -> Result<Self> {
        let from = claims.currency(claim.give.currency_id(), &claim.give.code);
        let to = claims.currency(claim.receive.currency_id(), &claim.receive.code);
        let given = |requisites| ClaimRequisite::all(requisites, locale, is_owner);
        Ok(Self {
            id: claim.id,
            public_id: claim.public_id,
            status: claim.state.into(),
            expires_at: moment(claim.progress.expires_at),
            created_at: DateTime(claim.created_at),
            email: if is_owner { claim.customer.email.clone() } else { mask(RequisiteKind::Email, &claim.customer.email) },
            owner: is_owner,
            from: ClaimFormSide::of(&from, claim.give.amount, given(claim.give_requisites(&claims.platform.vault)?), locale),
            to: ClaimFormSide::of(&to, claim.receive.amount, given(claim.receive_requisites(&claims.platform.vault)?), locale),
            city: ClaimCity::of(claim, locale)?.into(),
            course: Dec(claim.rate()?),
            effective_rate: Nullable(effective_rate(claim.give.amount.value(), claim.receive.amount.value()).map(Dec)),
            bonus: Dec(claim.bonus()?),
            promo: Nullable(claim.references.promo.clone()),
            floating: claim.terms.floating,
            hold: claim.terms.hold_minutes,
            fees: agreed(claim)?.fees.into(),
            rate: rate(claims, claim, locale)?,
            terms_version: claim.customer.terms_version.clone().into(),
            aml_consent: claim.customer.aml_consent,
            customer_terms: Nullable(terms.as_ref().map(|terms| ClaimCustomerTerms::of(terms, locale))),
            receipt_required: claims.needs_receipt(claim),
            receipts: receipts.into_iter().map(ClaimReceipt::from).collect(),
        })
    }
}

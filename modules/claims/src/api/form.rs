//! The review step, as a page is shown it.

use std::fmt;

use agio_core::Result;
use agio_core::needs::{AgreedFee, CurrencyFacts};
use agio_core::ratio::effective_rate;
use agio_core::texts::Locale;
use agio_http::{Dec, Moment, Null};
use agio_requisites::{Kind, mask};
use poem_openapi::Object;
use serde::Serialize;
use uuid::Uuid;

use super::moment;
use crate::Claims;
use crate::rules::claim::{Claim, Requisite};
use crate::rules::terms::agreed;
use crate::store::receipts::Receipt;

/// A requisite.
#[derive(Clone, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct ClaimRequisite {
    /// The field it was given in.
    name: String,
    /// What the field is called.
    label: String,
    /// What it holds.
    kind: String,
    /// The value; masked for anybody but the owner.
    value: String,
}

/// As logs may show it.
impl fmt::Debug for ClaimRequisite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClaimRequisite").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ClaimRequisite {
    /// Requisites as somebody sees them.
    pub fn all(requisites: Vec<Requisite>, locale: Locale, is_open: bool) -> Vec<Self> {
        let shown = |requisite: Requisite| Self {
            name: requisite.name,
            label: requisite.label.get(locale).to_owned(),
            kind: requisite.kind.name().to_owned(),
            value: if is_open { requisite.value } else { mask(requisite.kind, &requisite.value) },
        };
        requisites.into_iter().map(shown).collect()
    }
}

/// One side of a claim.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct ClaimSide {
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
    /// `crypto`, `bank`, `ewallet` or `cash`.
    kind: String,
    /// The name of its icon.
    icon: String,
    /// How much.
    amount: Dec,
    /// What the customer gave for this side.
    requisites: Vec<ClaimRequisite>,
}

impl ClaimSide {
    fn of(currency: &CurrencyFacts, amount: agio_core::Amount, requisites: Vec<ClaimRequisite>, locale: Locale) -> Self {
        Self {
            id: currency.id,
            code: currency.code.clone(),
            name: currency.name.get(locale).to_owned(),
            ticker: currency.ticker.clone(),
            network: currency.network.get(locale).to_owned(),
            kind: currency.kind.clone(),
            icon: currency.icon.clone(),
            amount: Dec(amount.value()),
            requisites,
        }
    }
}

/// The fee on one side.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct ClaimFee {
    /// The same for every amount.
    fixed: Dec,
    /// Percent of the amount, inside the course already.
    percent: Dec,
}

/// The fees of a claim.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct ClaimFees {
    /// On the sent side.
    from: ClaimFee,
    /// On the received side.
    to: ClaimFee,
}

impl ClaimFees {
    /// The fees of a claim.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn of(claim: &Claim) -> Result<Self> {
        let fees = agreed(claim)?.fees;
        let shown = |fee: &AgreedFee| ClaimFee { fixed: Dec(fee.fixed), percent: Dec(fee.percent) };
        Ok(Self { from: shown(&fees.from), to: shown(&fees.to) })
    }
}

/// A rate, and where it comes from.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct ClaimRate {
    /// The rate in a line: `1 BTC = 6012345 RUB`.
    text: String,
    /// How it came about.
    explanation: String,
    /// The day the rates are of, where that is not the day of the claim.
    rates_of: Null<String>,
}

/// The rate of a claim.
///
/// # Errors
/// 409 `claim_unreadable`.
pub fn rate(claims: &Claims, claim: &Claim, locale: Locale) -> Result<ClaimRate> {
    let terms = agreed(claim)?;
    let from = claims.currency(claim.from_id, &claim.from_code);
    let to = claims.currency(claim.to_id, &claim.to_code);
    Ok(ClaimRate {
        text: format!("1 {} = {} {}", from.ticker, agio_core::money::plain(claim.course()?), to.ticker),
        explanation: terms.explanation.get(locale).to_owned(),
        rates_of: terms.rates_of.into(),
    })
}

/// A receipt.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
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
    /// When it came.
    created_at: Moment,
}

impl From<Receipt> for ClaimReceipt {
    fn from(receipt: Receipt) -> Self {
        Self {
            id: receipt.id,
            name: receipt.name,
            size: receipt.size,
            media_type: receipt.media_type,
            created_at: Moment(receipt.created_at),
        }
    }
}

/// Everything the review step shows.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct ClaimForm {
    /// Identifier.
    id: Uuid,
    /// The short number for talk.
    public_id: i64,
    /// Where it stands.
    status: String,
    /// When the present state ends by itself.
    expires_at: Null<Moment>,
    /// When it was made.
    created_at: Moment,
    /// The customer's address; masked for anybody but the owner.
    email: String,
    /// Whether the claim was made in the caller's browser or account.
    owner: bool,
    /// What is sent.
    from: ClaimSide,
    /// What is received.
    to: ClaimSide,
    /// Units received for one unit sent; percents inside, fixed fees apart.
    course: Dec,
    /// What is received for one unit sent, every fee and rounding counted: cut to twelve significant digits.
    effective_rate: Null<Dec>,
    /// Percent of bonus in the course; the rate's explanation says what it is given for.
    bonus: Dec,
    /// The promo code the claim uses; null without one.
    promo: Null<String>,
    /// Whether the rate is fixed only when the payment arrives.
    floating: bool,
    /// For how many minutes the rate holds once the claim is confirmed.
    hold: i64,
    /// The fees.
    fees: ClaimFees,
    /// The rate and where it comes from.
    rate: ClaimRate,
    /// The version of the rules the customer agreed to.
    terms_version: Null<String>,
    /// Whether they agreed to the check of the origin of money.
    aml_consent: bool,
    /// Whether a receipt is needed before `paid`.
    receipt_required: bool,
    /// The receipts so far.
    receipts: Vec<ClaimReceipt>,
}

impl ClaimForm {
    /// The form of a claim as somebody sees it.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn of(claims: &Claims, claim: &Claim, receipts: Vec<Receipt>, locale: Locale, is_owner: bool) -> Result<Self> {
        let from = claims.currency(claim.from_id, &claim.from_code);
        let to = claims.currency(claim.to_id, &claim.to_code);
        let given = |requisites| ClaimRequisite::all(requisites, locale, is_owner);
        Ok(Self {
            id: claim.id,
            public_id: claim.public_id,
            status: claim.state.name().to_owned(),
            expires_at: moment(claim.expires_at),
            created_at: Moment(claim.created_at),
            email: if is_owner { claim.email.clone() } else { mask(Kind::Email, &claim.email) },
            owner: is_owner,
            from: ClaimSide::of(&from, claim.send(), given(claim.from_requisites(&claims.platform.vault)?), locale),
            to: ClaimSide::of(&to, claim.receive(), given(claim.to_requisites(&claims.platform.vault)?), locale),
            course: Dec(claim.course()?),
            effective_rate: Null(effective_rate(claim.send().value(), claim.receive().value()).map(Dec)),
            bonus: Dec(claim.bonus()?),
            promo: Null(claim.promo.clone()),
            floating: claim.floating,
            hold: claim.hold_minutes,
            fees: ClaimFees::of(claim)?,
            rate: rate(claims, claim, locale)?,
            terms_version: claim.terms_version.clone().into(),
            aml_consent: claim.aml_consent,
            receipt_required: claims.needs_receipt(claim),
            receipts: receipts.into_iter().map(ClaimReceipt::from).collect(),
        })
    }
}

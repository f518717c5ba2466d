//! Other public responses.

use agio_contracts::{Messenger, VerificationSubject};
use agio_core::texts::Locale;
use agio_http::{ApiEnum, DateTime, Dec, ExchangeFees, Nullable, body};

use crate::QuoteKey;

use super::pair_details::{FloatingRateTerms, RateTier};

/// Rate of a pair.
#[body(response)]
#[derive(Debug)]
pub struct PairRate {
    /// Units received for one unit given: for the requested amount, or below the first tier. Includes percentage
    /// fees, excludes fixed fees.
    pub course: Dec,
    /// Fees. Percentages are already included in the rate.
    pub fees: ExchangeFees,
    /// Amount received for the requested amount. Null without an amount.
    pub to_summa: Nullable<Dec>,
    /// Units received for one unit given, after all fees and rounding. Truncated to 12 significant digits. Null
    /// without an amount.
    pub effective_rate: Nullable<Dec>,
}

/// Available reserve of a currency.
#[body(response)]
#[derive(Debug)]
pub struct ReserveView {
    /// Currency.
    pub id: i64,
    /// Amount that can be paid out.
    pub amount: Dec,
    /// Time of the last change.
    pub updated_at: DateTime,
}

/// A pair that its schedule closes now.
#[body(response)]
#[derive(Debug)]
pub struct PairOpening {
    /// Currency the customer gives.
    pub from: i64,
    /// Currency the customer receives.
    pub to: i64,
    /// When it opens again.
    pub opens_at: DateTime,
}

/// Site settings and the default pair.
#[body(response)]
#[derive(Debug)]
pub struct SiteSettings {
    /// The default pair.
    pub exchange_attributes: DefaultPair,
    /// Whether the contest is enabled.
    pub contest: bool,
    /// Whether sign-in requires a captcha.
    pub captcha_login: bool,
    /// Whether the claim number is shown instead of its identifier.
    pub use_public_id: bool,
    /// Support e-mail address.
    pub support_email: String,
    /// Site name.
    pub site_name: String,
    /// Support chat. Null if there is none: then pages have a panel with the contacts of support.
    pub chat: Nullable<SupportChat>,
    /// Whether the contact panel is also on claim pages, which show payment details.
    pub contacts_on_claims: bool,
    /// Whether browsers can subscribe to notifications of claims.
    pub browser_notifications: bool,
    /// Messengers in which customers can follow their claims.
    pub messengers: Vec<MessengerView>,
    /// The fixed day whose rates are used. Null when current rates are used.
    pub rates_of: Nullable<String>,
    /// Version of the terms of service that a claim accepts.
    pub terms_version: String,
}

/// A messenger in which customers can follow their claims.
#[body(response)]
#[derive(Debug)]
pub struct MessengerView {
    /// Its name: "telegram".
    pub name: String,
    /// Its name for people, in the caller's language.
    pub title: String,
}

impl MessengerView {
    pub fn of(Messenger { name, title }: Messenger, locale: Locale) -> Self {
        Self { name, title: title.get(locale).to_owned() }
    }
}

/// Support chat, embedded in a frame.
#[body(response)]
#[derive(Debug)]
pub struct SupportChat {
    /// URL of the page.
    pub url: String,
    /// Title. Empty for the default title.
    pub title: String,
    /// Whether the chat is also available on claim pages.
    pub on_claims: bool,
}

/// The default pair.
#[body(response)]
#[derive(Debug)]
pub struct DefaultPair {
    /// Give currency. Null if nothing can be exchanged.
    pub from_currency_id: Nullable<i64>,
    /// Currency the customer receives.
    pub to_currency_id: Nullable<i64>,
}

/// Technical mode status.
#[body(response)]
#[derive(Debug)]
pub struct TechnicalModeResponse {
    /// Status.
    pub technical_mode: TechnicalModeStatus,
    /// Whether new claims are paused by a technical problem. Claims in progress can be read.
    pub claims_paused: bool,
}

/// Technical mode. New claims are rejected while it is on.
#[body(response)]
#[derive(Debug)]
pub struct TechnicalModeStatus {
    /// Whether technical mode is on.
    pub on: bool,
    /// When the service is expected back. Null if unknown.
    pub time: Nullable<DateTime>,
}

/// Rate of a pair.
#[body(response)]
#[derive(Debug)]
pub(super) struct RateSummary {
    /// Currency the customer gives.
    pub from: i64,
    /// Currency the customer receives.
    pub to: i64,
    /// Units received for one unit given, below the first tier. Includes percentage fees, excludes fixed fees.
    pub course: Dec,
    /// Minimum give amount.
    pub min: Dec,
    /// Maximum give amount.
    pub max: Dec,
    /// Available reserve of the receive currency.
    pub reserve: Dec,
    /// Fees. Percentages are already included in the rate.
    pub fees: ExchangeFees,
    /// Rate tiers by give amount, the first from zero.
    pub tiers: Vec<RateTier>,
    /// How the payment fixes a floating rate. Null if the rate is fixed with the claim.
    pub floating: Nullable<FloatingRateTerms>,
    /// What the customer has to verify with a photo before paying. Null for nothing.
    pub verification: Nullable<ApiEnum<VerificationSubject>>,
}

/// The keys that sign quotes.
#[body(response)]
#[derive(Debug)]
pub struct QuoteKeySet {
    /// Always `Ed25519`.
    pub algorithm: String,
    /// Public key that signs now, in base64.
    pub public_key: String,
    /// All keys that can verify a valid quote, and the next signing key. Newest first.
    pub keys: Vec<QuoteKeyView>,
    /// How to decode and verify a quote.
    pub format: String,
}

/// A key that signs quotes.
#[body(response)]
#[derive(Debug)]
pub struct QuoteKeyView {
    /// Name.
    pub id: String,
    /// The public key in base64.
    pub public_key: String,
    /// When the key starts signing.
    pub signs_from: DateTime,
    /// When the last quote signed with it expires. Null while the key has no successor.
    pub ends_at: Nullable<DateTime>,
}

impl From<&QuoteKey> for QuoteKeyView {
    fn from(key: &QuoteKey) -> Self {
        Self {
            id: key.id.clone(),
            public_key: key.public_key(),
            signs_from: DateTime(key.signs_from),
            ends_at: Nullable(key.ends_at.map(DateTime)),
        }
    }
}

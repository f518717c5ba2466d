//! Messages between the server and a plugin, in JSON. Amounts, rates and percentages are decimal strings; times are microseconds since
//! 1970-01-01 UTC.
//!
//! New fields and variants do not change the protocol version: both sides ignore unknown fields. Any other change raises the version.

mod actions;
mod calls;
pub mod json;
mod manifest;
mod manifest_validation;
mod text;

pub use actions::{Action, ActionResult, Body, HttpFailure, HttpRequest, HttpResponse};
pub use calls::{
    AddressRequest, AmountLimits, AvailableBalance, Call, CallError, CallResult, Capabilities, CompetitorOffer, DepositAddress,
    DirectionOffers, Invoice, InvoiceRequest, Movement, Movements, Notification, PaymentInstructions, PayoutRequest, PayoutState,
    PluginRequest, PluginResponse, PriceObservation, Prices, RequisiteCheck, RequisiteInput, Risk, ScreeningRequest,
    ScreeningResult, SourceFile, StartedChat, StartedChats, WatchRequest,
};
pub use manifest::{
    AllowedHost, HttpMethod, LocalizedText, Manifest, PluginKind, PluginLimits, PluginSetting, PluginSettingKind, SettingChoice,
};

/// Version of the protocol described here.
pub const PROTOCOL: u32 = 2;

/// Feature of a payment driver that makes an invoice for each claim ([`Call::CreateInvoice`]) instead of giving out addresses
/// created ahead.
pub const INVOICES: &str = "invoices";

/// Feature of a plugin whose service may report that something has happened: its requests have a
/// [`PluginRequest::callback_url`]. For a payment driver a callback makes the server call [`Call::Watch`] at once.
pub const CALLBACKS: &str = "callbacks";

/// Feature of a payment driver that knows how much it can pay out: it gets [`Call::Balance`].
pub const BALANCE: &str = "balance";

/// Feature of a payment driver that says what it can do in a currency: it gets [`Call::Capabilities`].
pub const CAPABILITIES: &str = "capabilities";

/// Feature of a payment driver that may need to know who pays: its invoices have an [`InvoiceRequest::payer`].
pub const PAYER: &str = "payer";

/// Feature of a notifier in which customers can start chats: it gets [`Call::ChatLink`] and [`Call::StartedChats`].
pub const CHATS: &str = "chats";

/// Oldest supported version. Protocol 1 has no stored values ([`Action::Store`], [`PluginRequest::stored`]) and no [`Call::ReadFile`]. Its
/// manifest has no `features`, and `hosts` is a list of origins that accept GET only.
pub const PROTOCOL_OLDEST: u32 = 1;

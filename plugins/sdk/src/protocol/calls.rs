//! Calls to plugins and their results.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::actions::{Action, ActionResult, Body, HttpResponse};
use super::manifest::LocalizedText;
use super::text;

/// Input of one round of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PluginRequest {
    /// The call.
    pub call: Call,
    /// Current time by the server's clock: microseconds since 1970-01-01 UTC.
    pub now: i64,
    /// Settings by name, including defaults.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// Values the plugin has stored, by name.
    #[serde(default, rename = "kept")]
    pub stored: BTreeMap<String, String>,
    /// Where the plugin's service may report that something has happened, with a POST request and any body. Anybody who knows
    /// the URL can do so. Only for plugins with the feature [`CALLBACKS`](super::CALLBACKS).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub callback_url: Option<String>,
    /// The plugin's own note from the previous round; null in the first round.
    #[serde(default)]
    pub memo: Value,
    /// Results of the actions of the previous round, in order; empty in the first round.
    #[serde(default)]
    pub outcomes: Vec<ActionResult>,
}

impl PluginRequest {
    /// The first round of a call, at time 0, without settings, stored values and a callback URL.
    #[must_use]
    pub fn of(call: Call) -> Self {
        Self {
            call,
            now: 0,
            settings: BTreeMap::new(),
            stored: BTreeMap::new(),
            callback_url: None,
            memo: Value::Null,
            outcomes: Vec::new(),
        }
    }

    /// The response to the only HTTP request of the previous round; `None` if there was no request.
    ///
    /// # Errors
    /// `unreachable`: there is no response, or its status is not 2xx.
    pub fn reply(&self) -> Option<Result<&HttpResponse, CallError>> {
        Some(match self.outcomes.first()? {
            ActionResult::Http(response) if (200..300).contains(&response.status) => Ok(response),
            ActionResult::Http(response) => {
                Err(CallError::temporary("unreachable", format!("the response has the status {}", response.status)))
            }
            ActionResult::HttpFailure(failure) => Err(CallError::temporary("unreachable", failure.why.clone())),
            ActionResult::Stored => return None,
        })
    }

    /// A setting; empty if it is not set.
    #[must_use]
    pub fn setting(&self, name: &str) -> &str {
        self.settings.get(name).map_or("", String::as_str)
    }
}

/// Output of one round of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PluginResponse {
    /// Actions to do first. The next round has their results.
    Needs {
        /// At most 16 actions.
        actions: Vec<Action>,
        /// Note for the next round: [`PluginRequest::memo`].
        #[serde(default)]
        memo: Value,
    },
    /// The result.
    Done(CallResult),
    /// The call failed.
    #[serde(rename = "refused")]
    Failed(CallError),
}

impl PluginResponse {
    /// Requests one action.
    #[must_use]
    pub fn action(action: Action) -> Self {
        Self::Needs { actions: vec![action], memo: Value::Null }
    }
}

/// Error of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallError {
    /// Stable code in snake_case: `unreadable`, `unreachable`, `not_enough_money`.
    pub code: String,
    /// Explanation for staff.
    pub why: String,
    /// Whether a later retry may succeed.
    pub later: bool,
}

impl CallError {
    /// An error that a retry does not change.
    #[must_use]
    pub fn permanent(code: &str, why: impl Into<String>) -> Self {
        Self { code: code.to_owned(), why: why.into(), later: false }
    }

    /// An error that a later retry may solve.
    #[must_use]
    pub fn temporary(code: &str, why: impl Into<String>) -> Self {
        Self { code: code.to_owned(), why: why.into(), later: true }
    }
}

/// A call to a plugin. The plugin's kind determines which calls it gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Call {
    /// Rates: the current prices of these assets. Returns [`CallResult::Prices`].
    Prices {
        /// Tickers.
        assets: Vec<String>,
    },
    /// Rates: prices in a file of this source. Returns [`CallResult::Prices`], or the error `not_mine` if the file is in another format.
    #[serde(rename = "read")]
    ReadFile(SourceFile),
    /// Rates: offers of competitors on an aggregator in these directions. Returns [`CallResult::CompetitorOffers`].
    #[serde(rename = "positions")]
    CompetitorOffers {
        /// Give and receive currency of each direction, as BestChange codes.
        directions: Vec<(String, String)>,
    },
    /// Payments: a deposit address for each key. A repeated key gets the same address. Returns [`CallResult::Addresses`].
    Addresses {
        /// The requested addresses.
        requests: Vec<AddressRequest>,
    },
    /// Payments: an invoice for one payment. A repeated key gets the same invoice. Only for drivers with the feature
    /// [`INVOICES`](super::INVOICES), which get no [`Call::Addresses`]. Returns [`CallResult::Invoice`].
    #[serde(rename = "invoice")]
    CreateInvoice(InvoiceRequest),
    /// Payments: movements on the network. Returns [`CallResult::Movements`].
    Watch(WatchRequest),
    /// Payments: sends money, once per key. Returns [`CallResult::Payout`].
    #[serde(rename = "send")]
    SendPayout(PayoutRequest),
    /// Payments: the state of a payout. Returns [`CallResult::Payout`]; [`PayoutState::NeverSent`] only if it is certain.
    #[serde(rename = "sent")]
    PayoutStatus(PayoutRequest),
    /// Payments: how much can be paid out, for staff. Only for drivers with the feature [`BALANCE`](super::BALANCE). Returns
    /// [`CallResult::Balance`], or the error `not_supported` if that cannot be known in this currency.
    Balance {
        /// Currency code.
        currency: String,
    },
    /// Payments: what the driver can do. Only for drivers with the feature [`CAPABILITIES`](super::CAPABILITIES). Returns
    /// [`CallResult::Capabilities`], or the error `not_supported` if that is not known.
    Capabilities {
        /// Currency code.
        currency: String,
    },
    /// Screening: the risk of an incoming payment. Returns [`CallResult::Screening`].
    Screen(ScreeningRequest),
    /// Notifier: delivers a notification. Returns [`CallResult::Notified`], or the error `recipient_gone` if its recipient takes none
    /// any more.
    Notify(Notification),
    /// Notifier: a link with which a customer starts a chat. Only for notifiers with the feature [`CHATS`](super::CHATS). Returns
    /// [`CallResult::ChatLink`].
    ChatLink {
        /// Comes back in [`StartedChat`]: at most 64 characters of `[A-Za-z0-9_-]`.
        code: String,
    },
    /// Notifier: the chats that were started through such links. Returns [`CallResult::StartedChats`].
    StartedChats {
        /// Cursor of the previous result, whose chats are known; `None` the first time.
        cursor: Option<String>,
    },
    /// Requisites: validates payment details. Returns [`CallResult::Checked`].
    #[serde(rename = "check")]
    CheckRequisite(RequisiteInput),
}

impl Call {
    /// Whether the result is of the right type for this call.
    #[must_use]
    pub fn accepts(&self, result: &CallResult) -> bool {
        match (self, result) {
            (Self::Prices { .. } | Self::ReadFile(_), CallResult::Prices(prices)) => !prices.observations.is_empty(),
            (Self::Addresses { requests }, CallResult::Addresses(addresses)) => {
                requests.len() == addresses.len()
                    && requests.iter().zip(addresses).all(|(request, address)| request.key == address.key)
            }
            (Self::CreateInvoice(request), CallResult::Invoice(invoice)) => request.key == invoice.key,
            (Self::CompetitorOffers { .. }, CallResult::CompetitorOffers(_))
            | (Self::Watch(_), CallResult::Movements(_))
            | (Self::SendPayout(_) | Self::PayoutStatus(_), CallResult::Payout(_))
            | (Self::Balance { .. }, CallResult::Balance(_))
            | (Self::Capabilities { .. }, CallResult::Capabilities(_))
            | (Self::Screen(_), CallResult::Screening(_))
            | (Self::Notify(_), CallResult::Notified)
            | (Self::ChatLink { .. }, CallResult::ChatLink(_))
            | (Self::StartedChats { .. }, CallResult::StartedChats(_))
            | (Self::CheckRequisite(_), CallResult::Checked(_)) => true,
            _ => false,
        }
    }
}

/// Result of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", content = "value", rename_all = "snake_case")]
pub enum CallResult {
    /// Prices.
    Prices(Prices),
    /// Offers of competitors.
    #[serde(rename = "positions")]
    CompetitorOffers(Vec<DirectionOffers>),
    /// Deposit addresses, in the order of the request.
    Addresses(Vec<DepositAddress>),
    /// An invoice.
    Invoice(Invoice),
    /// Movements on the network.
    Movements(Movements),
    /// State of a payout.
    Payout(PayoutState),
    /// What can be paid out.
    Balance(AvailableBalance),
    /// What the driver can do.
    Capabilities(Capabilities),
    /// Result of a screening.
    #[serde(rename = "verdict")]
    Screening(ScreeningResult),
    /// The notification was delivered.
    #[serde(rename = "told")]
    Notified,
    /// HTTPS URL that starts a chat.
    ChatLink(String),
    /// Chats that were started.
    StartedChats(StartedChats),
    /// Result of a requisite check.
    Checked(RequisiteCheck),
}

/// A file of a rate source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// Content.
    pub body: Body,
    /// When it arrived: microseconds since 1970-01-01 UTC.
    pub received_at: i64,
}

/// Prices of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prices {
    /// Prices, in the order of the source. At least one.
    pub observations: Vec<PriceObservation>,
    /// Markets left out on purpose: inactive ones and unknown symbols.
    #[serde(default)]
    pub skipped: Vec<String>,
}

/// One price: units of `quote` for one unit of `base`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceObservation {
    /// Ticker of the priced currency.
    pub base: String,
    /// Ticker of the currency of the price.
    pub quote: String,
    /// Bid for one `base`.
    #[serde(with = "text::decimal")]
    pub bid: Decimal,
    /// Ask for one `base`; never below `bid`.
    #[serde(with = "text::decimal")]
    pub ask: Decimal,
    /// When the price was valid, according to the source: a date ("2024-03-28") or an RFC 3339 timestamp.
    pub observed_at: String,
}

/// Offers of competitors in one direction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectionOffers {
    /// Give currency.
    pub from: String,
    /// Receive currency.
    pub to: String,
    /// Offers, in the order of the aggregator.
    pub offers: Vec<CompetitorOffer>,
}

/// An offer of a competitor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompetitorOffer {
    /// Name of the competitor on the aggregator.
    pub exchanger: String,
    /// Receive units for one give unit.
    #[serde(rename = "course", with = "text::decimal")]
    pub rate: Decimal,
    /// Reserve in the receive currency.
    #[serde(with = "text::decimal")]
    pub reserve: Decimal,
}

/// Request for a deposit address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressRequest {
    /// Idempotency key: at most 64 characters of `[a-z0-9-]`.
    pub key: String,
    /// Currency code: "BTC", "USDTTRC20".
    pub currency: String,
}

/// An address for incoming payments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DepositAddress {
    /// Key of the request.
    pub key: String,
    /// Address.
    pub address: String,
    /// Memo or tag, if the network uses them.
    pub memo: Option<String>,
}

/// Request for an invoice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvoiceRequest {
    /// Idempotency key: at most 64 characters of `[a-z0-9-]`.
    pub key: String,
    /// Currency code.
    pub currency: String,
    /// Amount to be paid.
    #[serde(with = "text::decimal")]
    pub amount: Decimal,
    /// Until when it must be possible to pay: microseconds since 1970-01-01 UTC. `None` has no limit.
    pub expires_at: Option<i64>,
    /// Number of the claim, for people.
    pub claim: i64,
    /// Where a hosted page sends the customer back to. The URL gives access to the claim.
    pub return_url: String,
    /// What the customer gave about the account they pay from, by the name of the field: "holder", "card". Personal data.
    /// Empty for drivers without the feature [`PAYER`](super::PAYER).
    #[serde(default)]
    pub payer: BTreeMap<String, String>,
}

/// An invoice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invoice {
    /// Key of the request.
    pub key: String,
    /// Name of the invoice: the `address` of its payments in [`Movement`]. At most 500 characters, unique in the currency.
    pub address: String,
    /// How the customer pays.
    pub instructions: PaymentInstructions,
}

/// How a customer pays an invoice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum PaymentInstructions {
    /// A transfer to these details.
    Details {
        /// Card, account, phone number or address.
        value: String,
        /// Account holder.
        holder: Option<String>,
        /// Memo or reference that the payment must carry.
        memo: Option<String>,
    },
    /// A page of the bank or merchant.
    Page {
        /// HTTPS URL.
        url: String,
    },
}

/// Request for the movements of a currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchRequest {
    /// Currency code.
    pub currency: String,
    /// Cursor of the previous result; `None` the first time.
    pub cursor: Option<String>,
    /// Movements with fewer confirmations are reported again each time.
    pub confirmations: u32,
}

/// Movements on a network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Movements {
    /// Incoming movements in their current state.
    pub movements: Vec<Movement>,
    /// Cursor for the next call.
    pub cursor: String,
    /// Height of the newest block.
    pub height: u64,
}

/// An incoming payment to an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Movement {
    /// Transaction identifier.
    pub tx_id: String,
    /// Output index in the transaction.
    pub output: u32,
    /// Receiving address.
    pub address: String,
    /// Memo or tag of the payment.
    pub memo: Option<String>,
    /// Amount.
    #[serde(with = "text::decimal")]
    pub amount: Decimal,
    /// Confirmations, its own block included; 0 while unconfirmed.
    pub confirmations: u32,
    /// Whether it is no longer part of the chain.
    #[serde(default)]
    pub gone: bool,
}

/// A payout to send.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayoutRequest {
    /// Idempotency key: money is sent once per key. At most 64 characters of `[a-z0-9-]`.
    pub key: String,
    /// Currency code.
    pub currency: String,
    /// Recipient's address.
    pub address: String,
    /// Memo or tag, if any.
    pub memo: Option<String>,
    /// Amount that arrives. The network fee is extra.
    #[serde(with = "text::decimal")]
    pub amount: Decimal,
}

/// State of a payout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum PayoutState {
    /// It is certain that nothing was sent for the key.
    NeverSent {
        /// Stable code.
        code: String,
        /// Explanation for staff.
        why: String,
    },
    /// Sent.
    Sent {
        /// Transaction identifier.
        tx_id: String,
        /// Confirmations.
        confirmations: u32,
        /// Network fee in the currency of the payout, if known.
        fee: Option<String>,
    },
    /// The transaction was replaced or dropped and can no longer be confirmed. The money is back.
    Returned {
        /// Transaction identifier.
        tx_id: String,
    },
    /// The state is not known.
    Unknown {
        /// Explanation for staff.
        why: String,
    },
}

/// The money of a payment driver in a currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AvailableBalance {
    /// What can be paid out now.
    #[serde(with = "text::decimal")]
    pub amount: Decimal,
}

/// What a payment driver can do in a currency. Nothing if it does not serve the currency.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Capabilities {
    /// Whether customers can pay through it.
    pub invoices: bool,
    /// Whether it sends payouts.
    pub payouts: bool,
    /// Whether it sends refunds.
    pub refunds: bool,
    /// Whether it knows its balance.
    pub balance: bool,
    /// Whether it reports the fees of payouts.
    pub fee: bool,
    /// Amounts of one invoice.
    pub invoice_limits: AmountLimits,
    /// Amounts of one payout.
    pub payout_limits: AmountLimits,
}

/// The smallest and the largest amount; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AmountLimits {
    /// Minimum.
    #[serde(with = "text::optional_decimal")]
    pub min: Option<Decimal>,
    /// Maximum.
    #[serde(with = "text::optional_decimal")]
    pub max: Option<Decimal>,
}

/// An incoming payment to screen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScreeningRequest {
    /// Idempotency key: each payment is screened once, and queried again while the result is pending.
    pub key: String,
    /// Currency code.
    pub currency: String,
    /// Transaction identifier.
    pub tx_id: String,
    /// Receiving address.
    pub address: String,
    /// Amount received.
    #[serde(with = "text::decimal")]
    pub amount: Decimal,
}

/// Result of a screening.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScreeningResult {
    /// Risk level.
    pub risk: Risk,
    /// Risk score from 0 to 100 percent, if the service has one.
    pub score: Option<String>,
    /// Risk signals: "sanctions 12.5 %".
    #[serde(default)]
    pub signals: Vec<String>,
    /// URL of the report.
    pub report: Option<String>,
}

/// Risk level of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Low risk.
    Low,
    /// High risk: staff should review it.
    High,
    /// Not known yet: query again.
    Pending,
}

/// A notification to deliver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notification {
    /// Idempotency key: a repeated key is the same message, if the channel supports that.
    pub key: String,
    /// Recipient in the notifier's own terms, such as a chat; `None` if the settings define it.
    pub recipient: Option<String>,
    /// Event type: "books_differ".
    pub event: String,
    /// Message in the reader's language, without markup.
    pub text: String,
    /// Link to details.
    pub url: Option<String>,
}

/// Chats that customers have started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartedChats {
    /// In their order, with codes that may be anything.
    pub chats: Vec<StartedChat>,
    /// Cursor for the next call.
    pub cursor: Option<String>,
}

/// A chat that a customer has started through a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartedChat {
    /// Code of the link.
    pub code: String,
    /// The chat, as the `recipient` of a [`Notification`].
    pub recipient: String,
}

/// Payment details to check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequisiteInput {
    /// Currency code.
    pub currency: String,
    /// Field: "address", "memo", "card".
    pub field: String,
    /// Value as the customer typed it.
    pub value: String,
}

/// Result of a requisite check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum RequisiteCheck {
    /// Valid.
    #[serde(rename = "good")]
    Valid {
        /// Normal form of the value.
        canonical: String,
    },
    /// Invalid.
    #[serde(rename = "bad")]
    Invalid {
        /// Reason.
        why: LocalizedText,
    },
}

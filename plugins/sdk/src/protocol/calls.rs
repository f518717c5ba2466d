//! What plugins are asked, and what they answer.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::actions::{Action, Body, HttpResponse, Outcome};
use super::manifest::Words;
use super::text;

/// What a plugin is given in a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// What is asked.
    pub call: Call,
    /// The present, by the house's clock.
    pub now: i64,
    /// What the operator set, by name; defaults are in it.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// What the plugin keeps, by name.
    #[serde(default)]
    pub kept: BTreeMap<String, String>,
    /// What the plugin noted for itself in the round before; null in the first.
    #[serde(default)]
    pub memo: Value,
    /// What came of the actions of the round before, in their order; none in the first.
    #[serde(default)]
    pub outcomes: Vec<Outcome>,
}

impl Question {
    /// A question in its first round, at the beginning of time, with nothing set or kept.
    #[must_use]
    pub fn of(call: Call) -> Self {
        Self { call, now: 0, settings: BTreeMap::new(), kept: BTreeMap::new(), memo: Value::Null, outcomes: Vec::new() }
    }

    /// The reply to the only request of the round before; nothing when there was none.
    ///
    /// # Errors
    /// There was no reply, or one that says something went wrong: a refusal to be passed on.
    pub fn reply(&self) -> Option<Result<&HttpResponse, Refusal>> {
        Some(match self.outcomes.first()? {
            Outcome::Http(response) if (200..300).contains(&response.status) => Ok(response),
            Outcome::Http(response) => {
                Err(Refusal::later("unreachable", format!("the reply has the status {}", response.status)))
            }
            Outcome::Unreached(unreached) => Err(Refusal::later("unreachable", unreached.why.clone())),
            Outcome::Kept => return None,
        })
    }

    /// A setting; empty when it is not set.
    #[must_use]
    pub fn setting(&self, name: &str) -> &str {
        self.settings.get(name).map_or("", String::as_str)
    }
}

/// What a plugin says in a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// These have to be done first; the question is asked again with what came of them.
    Needs {
        /// What, at most 16.
        actions: Vec<Action>,
        /// What the plugin wants to find in [`Question::memo`] then.
        #[serde(default)]
        memo: Value,
    },
    /// The answer.
    Done(Answer),
    /// There is none.
    Refused(Refusal),
}

impl Step {
    /// One action, and the question again.
    #[must_use]
    pub fn first(action: Action) -> Self {
        Self::Needs { actions: vec![action], memo: Value::Null }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Stable, snake_case: `unreadable`, `unreachable`, `not_enough_money`.
    pub code: String,
    /// In words, for the operator.
    pub why: String,
    /// Whether asking again later may help.
    pub later: bool,
}

impl Refusal {
    /// A refusal that asking again does not change.
    #[must_use]
    pub fn never(code: &str, why: impl Into<String>) -> Self {
        Self { code: code.to_owned(), why: why.into(), later: false }
    }

    /// A refusal for now.
    #[must_use]
    pub fn later(code: &str, why: impl Into<String>) -> Self {
        Self { code: code.to_owned(), why: why.into(), later: true }
    }
}

/// What is asked. Which calls a plugin gets follows from its kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Call {
    /// Rates: what currencies are worth now, as far as these assets are concerned. Answered with [`Answer::Prices`].
    Prices {
        /// Tickers that rates here go over.
        assets: Vec<String>,
    },
    /// Rates: what a file of this source says that somebody else fetched. Answered with [`Answer::Prices`]; refused with the code
    /// `not_mine` when it is in no format of the source.
    Read(Document),
    /// Rates: what competitors offer on a monitor in these directions, codes as BestChange writes them. Answered with [`Answer::Positions`].
    Positions {
        /// Sent and received currency of each direction.
        directions: Vec<(String, String)>,
    },
    /// Payments: an address for each of these. Asked again for a key, the driver gives the same. Answered with [`Answer::Addresses`].
    Addresses {
        /// For what.
        wishes: Vec<AddressWish>,
    },
    /// Payments: what happened on the network. Answered with [`Answer::Movements`].
    Watch(Watch),
    /// Payments: sends money, once for each key. Answered with [`Answer::Payout`].
    Send(Payout),
    /// Payments: what became of a sending, however it ended. Answered with [`Answer::Payout`]; [`PayoutState::NeverSent`] is said only when
    /// it is certain.
    Sent(Payout),
    /// Screening: what is known of where money comes from. Answered with [`Answer::Verdict`].
    Screen(Screening),
    /// Notifier: tells somebody something. Answered with [`Answer::Told`].
    Notify(Notice),
    /// Requisites: whether money can be sent there. Answered with [`Answer::Checked`].
    Check(Requisite),
}

impl Call {
    /// Whether this is an answer to the question, and not to another one.
    #[must_use]
    pub fn is_answered_by(&self, answer: &Answer) -> bool {
        match (self, answer) {
            (Self::Prices { .. } | Self::Read(_), Answer::Prices(prices)) => !prices.observations.is_empty(),
            (Self::Addresses { wishes }, Answer::Addresses(addresses)) => {
                wishes.len() == addresses.len() && wishes.iter().zip(addresses).all(|(wish, given)| wish.key == given.key)
            }
            (Self::Positions { .. }, Answer::Positions(_))
            | (Self::Watch(_), Answer::Movements(_))
            | (Self::Send(_) | Self::Sent(_), Answer::Payout(_))
            | (Self::Screen(_), Answer::Verdict(_))
            | (Self::Notify(_), Answer::Told)
            | (Self::Check(_), Answer::Checked(_)) => true,
            _ => false,
        }
    }
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", content = "value", rename_all = "snake_case")]
pub enum Answer {
    /// Prices.
    Prices(Prices),
    /// What competitors offer.
    Positions(Vec<Position>),
    /// Addresses, in the order of the wishes.
    Addresses(Vec<Address>),
    /// What happened.
    Movements(Movements),
    /// How a payout stands.
    Payout(PayoutState),
    /// What is known.
    Verdict(Verdict),
    /// Somebody was told.
    Told,
    /// Whether money can be sent there.
    Checked(Checked),
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// What is in it.
    pub body: Body,
    /// When it arrived.
    pub received_at: i64,
}

/// What a source says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prices {
    /// Prices, in the order of the source; at least one.
    pub observations: Vec<Observation>,
    /// What was left out knowingly: dead markets, symbols nobody here knows.
    #[serde(default)]
    pub skipped: Vec<String>,
}

/// One price: units of `quote` for one unit of `base`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// Ticker of the currency that is priced.
    pub base: String,
    /// Ticker of the currency it is priced in.
    pub quote: String,
    /// What is paid for one `base`.
    #[serde(with = "text::decimal")]
    pub bid: Decimal,
    /// What one `base` costs; never below `bid`.
    #[serde(with = "text::decimal")]
    pub ask: Decimal,
    /// When the source says it held: a day ("2024-03-28") or a moment (RFC 3339).
    pub observed_at: String,
}

/// What competitors offer in one direction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The sent currency.
    pub from: String,
    /// The received currency.
    pub to: String,
    /// Their offers, in the order of the monitor.
    pub offers: Vec<Offer>,
}

/// An offer of a competitor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// Who offers, as the monitor names them.
    pub exchanger: String,
    /// Units received for one unit sent.
    #[serde(with = "text::decimal")]
    pub course: Decimal,
    /// How much of the received currency they have.
    #[serde(with = "text::decimal")]
    pub reserve: Decimal,
}

/// What an address is wanted for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressWish {
    /// The key: at most 64 characters of `[a-z0-9-]`.
    pub key: String,
    /// The currency's code: "BTC", "USDTTRC20".
    pub currency: String,
}

/// Where customers pay to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Address {
    /// The key it was wanted under.
    pub key: String,
    /// The address.
    pub address: String,
    /// The memo or tag, where the network has them.
    pub memo: Option<String>,
}

/// Which part of a network's life is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watch {
    /// The currency's code.
    pub currency: String,
    /// Where the last answer ended; nothing at the very first.
    pub cursor: Option<String>,
    /// Movements with fewer confirmations than this are told again each time.
    pub confirmations: u32,
}

/// What happened on a network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Movements {
    /// What came in, each as it stands now.
    pub movements: Vec<Movement>,
    /// Where to go on from.
    pub cursor: String,
    /// The height of the newest block.
    pub height: u64,
}

/// Money that came to an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Movement {
    /// The transaction.
    pub tx_id: String,
    /// Which output of it.
    pub output: u32,
    /// The address it came to.
    pub address: String,
    /// The memo or tag it came with.
    pub memo: Option<String>,
    /// How much.
    #[serde(with = "text::decimal")]
    pub amount: Decimal,
    /// Blocks on top of it, its own included; none while it waits for a block.
    pub confirmations: u32,
    /// It is no longer part of the network's history.
    #[serde(default)]
    pub gone: bool,
}

/// Money to be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payout {
    /// The key: money is sent once for each. At most 64 characters of `[a-z0-9-]`.
    pub key: String,
    /// The currency's code.
    pub currency: String,
    /// Where to.
    pub address: String,
    /// The memo or tag, where there is one.
    pub memo: Option<String>,
    /// How much arrives: the network's fee comes on top.
    #[serde(with = "text::decimal")]
    pub amount: Decimal,
}

/// How a payout stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum PayoutState {
    /// It is certain that nothing was sent under the key, and why not.
    NeverSent {
        /// Stable code.
        code: String,
        /// In words, for the operator.
        why: String,
    },
    /// It was sent.
    Sent {
        /// The transaction.
        tx_id: String,
        /// Blocks on top of it.
        confirmations: u32,
        /// What the network took, in the currency of the payout, where it is known.
        fee: Option<String>,
    },
    /// The transaction can no longer be confirmed: it was replaced or dropped, and the money is here again.
    Returned {
        /// The transaction.
        tx_id: String,
    },
    /// Nobody can say.
    Unknown {
        /// In words, for the operator.
        why: String,
    },
}

/// Money that is to be judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Screening {
    /// The key: the same thing is judged once, and asked for again until there is a verdict.
    pub key: String,
    /// The currency's code.
    pub currency: String,
    /// The transaction.
    pub tx_id: String,
    /// The address it came to.
    pub address: String,
    /// How much came.
    #[serde(with = "text::decimal")]
    pub amount: Decimal,
}

/// What is known of money.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// How it looks.
    pub risk: Risk,
    /// How bad it is, from 0 to 100 percent, where the service says so.
    pub score: Option<String>,
    /// What speaks against it: "sanctions 12.5 %".
    #[serde(default)]
    pub signals: Vec<String>,
    /// Where the report is.
    pub report: Option<String>,
}

/// How money looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Nothing speaks against it.
    Low,
    /// Somebody should look at it.
    High,
    /// Not known yet: ask again.
    Pending,
}

/// Something to be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// The key: what is told twice under one key is one message, where the way allows it.
    pub key: String,
    /// To whom, in the notifier's own terms: a chat, an address. Nothing where the settings say it.
    pub recipient: Option<String>,
    /// What it is: "books_differ".
    pub event: String,
    /// The message, in the reader's language, without markup.
    pub text: String,
    /// Where to look, if anywhere.
    pub url: Option<String>,
}

/// What money would be sent to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requisite {
    /// The currency's code.
    pub currency: String,
    /// The field: "address", "memo", "card".
    pub field: String,
    /// What a customer typed.
    pub value: String,
}

/// Whether money can be sent there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Checked {
    /// It can, and this is how it is written.
    Good {
        /// The value as it is kept.
        canonical: String,
    },
    /// It cannot.
    Bad {
        /// Why, in both languages.
        why: Words,
    },
}

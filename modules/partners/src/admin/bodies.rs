//! What the console sends and is shown.

use agio_core::needs::Turnover;
use agio_core::outbox::{State, Stored};
use agio_core::{Error, Result};
use agio_http::{Dec, Moment, Null};
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::service::{KeyWish, News, PartnerChange, PartnerMade, PartnerWhole, PartnerWish};
use crate::store::{KeyRow, PartnerRow};

/// A partner in a line.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskPartnerRow {
    /// Identifier.
    id: Uuid,
    /// The name colleagues see.
    name: String,
    /// Where the partner is written to.
    email: String,
    /// Whether their keys are good.
    enabled: bool,
    /// Where news of claims go; empty: nowhere.
    callback_url: String,
    /// Send it with a change.
    revision: i64,
    /// When the partner was added.
    created_at: Moment,
}

impl DeskPartnerRow {
    pub fn of(row: &PartnerRow) -> Self {
        Self {
            id: row.id,
            name: row.name.clone(),
            email: row.email.clone(),
            enabled: row.enabled,
            callback_url: row.callback_url.clone(),
            revision: row.revision,
            created_at: Moment(row.created_at),
        }
    }
}

/// A new partner.
#[derive(Clone, Debug, Deserialize, Serialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeskPartnerOrder {
    /// The name colleagues see.
    name: String,
    /// Where the partner is written to.
    email: String,
    /// Where news of claims go: an HTTPS address that leads outside; empty: nowhere.
    #[serde(default)]
    callback_url: Option<String>,
}

impl From<DeskPartnerOrder> for PartnerWish {
    fn from(order: DeskPartnerOrder) -> Self {
        Self { name: order.name, email: order.email, callback: order.callback_url.unwrap_or_default() }
    }
}

/// A change of a partner; what is absent stays as it is.
#[derive(Clone, Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeskPartnerChange {
    /// The revision that was seen.
    pub revision: i64,
    /// Another name.
    #[serde(default)]
    name: Option<String>,
    /// Another e-mail address.
    #[serde(default)]
    email: Option<String>,
    /// Another place for news; empty: nowhere.
    #[serde(default)]
    callback_url: Option<String>,
    /// Whether their keys are good.
    #[serde(default)]
    enabled: Option<bool>,
}

impl From<DeskPartnerChange> for PartnerChange {
    fn from(change: DeskPartnerChange) -> Self {
        Self { name: change.name, email: change.email, callback: change.callback_url, enabled: change.enabled }
    }
}

/// A partner with the secret of their news.
#[derive(Serialize, Object)]
pub struct DeskPartnerMade {
    /// The partner.
    partner: DeskPartnerRow,
    /// What news are signed with; shown this once.
    secret: String,
}

impl DeskPartnerMade {
    pub fn of(made: PartnerMade) -> Self {
        Self { partner: DeskPartnerRow::of(&made.row), secret: made.secret }
    }
}

/// A key.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskPartnerKey {
    /// Identifier.
    id: Uuid,
    /// The name calls carry.
    name: String,
    /// What it is called.
    title: String,
    /// Whether its claims are rehearsals that move no money.
    sandbox: bool,
    /// What it may do.
    scopes: Vec<String>,
    /// From which networks; none: from everywhere.
    networks: Vec<String>,
    /// Calls a minute.
    per_minute: i64,
    /// When it was made.
    created_at: Moment,
    /// When it was revoked.
    revoked_at: Null<Moment>,
}

impl DeskPartnerKey {
    pub fn of(row: &KeyRow) -> Self {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        Self {
            id: row.id,
            name: row.name.clone(),
            title: row.title.clone(),
            sandbox: row.sandbox,
            scopes: words(&row.scopes),
            networks: words(&row.networks),
            per_minute: row.per_minute,
            created_at: Moment(row.created_at),
            revoked_at: Null(row.revoked_at.map(Moment)),
        }
    }
}

/// A new key.
#[derive(Clone, Debug, Deserialize, Serialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeskKeyOrder {
    /// What it is called.
    title: String,
    /// Whether its claims are rehearsals that move no money.
    sandbox: bool,
    /// What it may do: `read`, `quote`, `claim`.
    scopes: Vec<String>,
    /// From which networks: `192.0.2.0/24`, `2001:db8::/32`, or an address alone; none: from everywhere.
    #[serde(default)]
    networks: Option<Vec<String>>,
    /// Calls a minute, at most 6000.
    per_minute: i64,
}

impl From<DeskKeyOrder> for KeyWish {
    fn from(order: DeskKeyOrder) -> Self {
        let DeskKeyOrder { title, sandbox, scopes, networks, per_minute } = order;
        Self { title, sandbox, scopes, networks: networks.unwrap_or_default(), per_minute }
    }
}

/// A key with its secret.
#[derive(Serialize, Object)]
pub struct DeskKeyMade {
    /// The key.
    pub key: DeskPartnerKey,
    /// What calls are signed with; shown this once.
    pub secret: String,
}

/// What was exchanged through a partner in one direction.
#[derive(Serialize, Object)]
struct DeskTurnover {
    /// The code of the currency sent.
    from: String,
    /// The code of the currency received.
    to: String,
    /// How many claims were made.
    claims: i64,
    /// How many of them are completed.
    completed: i64,
    /// How many are open.
    open: i64,
    /// What was sent in the completed ones.
    sent: Dec,
    /// What was received in the completed ones.
    received: Dec,
    /// What the house earned by them, in the received currency.
    earned: Dec,
}

/// A partner with everything about them.
#[derive(Serialize, Object)]
pub struct DeskPartner {
    /// The partner.
    partner: DeskPartnerRow,
    /// Their keys, the newest first.
    keys: Vec<DeskPartnerKey>,
    /// What was exchanged through them, by direction.
    turnover: Vec<DeskTurnover>,
}

impl DeskPartner {
    pub fn of(whole: PartnerWhole) -> Self {
        let turnover = |of: Turnover| DeskTurnover {
            sent: Dec(of.sent.value()),
            received: Dec(of.received.value()),
            earned: Dec(of.earned.value()),
            from: of.from,
            to: of.to,
            claims: of.claims,
            completed: of.completed,
            open: of.open,
        };
        Self {
            partner: DeskPartnerRow::of(&whole.row),
            keys: whole.keys.iter().map(DeskPartnerKey::of).collect(),
            turnover: whole.turnover.into_iter().map(turnover).collect(),
        }
    }
}

/// How far news are.
#[derive(Clone, Copy, Serialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
enum DeskNewsState {
    /// They wait, for their first attempt or for the next.
    Queued,
    /// The partner took them.
    Sent,
    /// They could not be delivered and are not tried any more.
    Dead,
}

/// News in a line.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskNews {
    /// Identifier; grows with time.
    id: i64,
    /// The event: the same however often it is told.
    event: Uuid,
    /// The claim.
    claim: String,
    /// Where the claim stood.
    status: String,
    /// Whether the claim is a rehearsal.
    sandbox: bool,
    /// Where it goes.
    url: String,
    /// How far it is.
    state: DeskNewsState,
    /// How often it was tried.
    attempts: i64,
    /// When it is tried next; null once it is settled.
    next_at: Null<Moment>,
    /// Why the last attempt failed.
    fault: Null<String>,
    /// When it was written.
    created_at: Moment,
    /// When it was taken or given up.
    settled_at: Null<Moment>,
}

impl DeskNews {
    fn of(message: Stored) -> Result<Self> {
        let news = News::read(&message.payload)?;
        let body: serde_json::Value = serde_json::from_str(&news.body).map_err(Error::internal)?;
        Ok(Self {
            id: message.id,
            event: news.event,
            claim: message.recipient,
            status: body["claim"]["state"].as_str().unwrap_or_default().to_owned(),
            sandbox: body["claim"]["sandbox"].as_bool().unwrap_or_default(),
            url: news.url,
            state: match message.state {
                State::Queued => DeskNewsState::Queued,
                State::Sent => DeskNewsState::Sent,
                State::Dead => DeskNewsState::Dead,
            },
            attempts: message.attempts,
            next_at: Null((message.state == State::Queued).then_some(Moment(message.next_at))),
            fault: Null(message.fault),
            created_at: Moment(message.created_at),
            settled_at: Null(message.settled_at.map(Moment)),
        })
    }
}

/// A page of news, the newest first.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskNewsPage {
    /// The news.
    items: Vec<DeskNews>,
    /// Send it as `cursor` for the next page; null on the last.
    next_cursor: Null<String>,
}

impl DeskNewsPage {
    /// A page of so many rows, given one more where there are more.
    pub fn of(mut news: Vec<Stored>, size: usize) -> Result<Self> {
        let has_more = news.len() > size;
        news.truncate(size);
        let next = news.last().filter(|_| has_more).map(|message| message.id.to_string());
        Ok(Self { items: news.into_iter().map(DeskNews::of).collect::<Result<_>>()?, next_cursor: Null(next) })
    }
}

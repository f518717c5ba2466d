//! The list of claims, as the console is shown it.

use agio_core::Amount;
use agio_core::texts::Locale;
use agio_http::{Dec, Moment, Null};
use poem_openapi::Object;
use serde::Serialize;
use uuid::Uuid;

use super::bodies::cursor;
use crate::Claims;
use crate::api::ClaimPaidOut;
use crate::rules::Claim;
use crate::rules::desk::{Desk, step, turn};
use crate::service::Page;

/// One side of a claim.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskSide {
    /// The currency.
    id: i64,
    /// Its code.
    code: String,
    /// The asset.
    ticker: String,
    /// Its network or payment system.
    network: String,
    /// How much.
    amount: Dec,
}

/// Who has a claim in hand.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskHolder {
    /// The member of staff.
    id: Uuid,
    /// Their name.
    name: String,
}

/// A claim in a line.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskClaimRow {
    /// Identifier.
    id: Uuid,
    /// The number for talk.
    public_id: i64,
    /// Its state.
    status: String,
    /// Whose turn it is: `ours`, `customer`, `network`, `trouble` or `done`.
    turn: String,
    /// How far it has come, from 1 to 5.
    step: u8,
    /// What is sent.
    from: DeskSide,
    /// What is received.
    to: DeskSide,
    /// What of the payout has arrived, where a part alone has; null otherwise.
    paid_out: Null<ClaimPaidOut>,
    /// The customer's address.
    email: String,
    /// By when somebody should have acted.
    due_at: Moment,
    /// When it was made.
    created_at: Moment,
    /// When it last changed.
    updated_at: Moment,
    /// Who has it in hand.
    holder: Null<DeskHolder>,
    /// Counts every change; goes back with each step.
    revision: i64,
}

impl DeskClaimRow {
    /// A claim as the console lists it.
    pub fn of(claims: &Claims, claim: &Claim, locale: Locale) -> Self {
        let side = |id, code: &str, amount: Amount| {
            let currency = claims.currency(id, code);
            let (ticker, network) = (currency.ticker.clone(), currency.network.get(locale).to_owned());
            DeskSide { id, code: code.to_owned(), ticker, network, amount: Dec(amount.value()) }
        };
        let holder = claim.holder_id.map(|id| DeskHolder { id, name: claim.holder_name.clone().unwrap_or_default() });
        Self {
            id: claim.id,
            public_id: claim.public_id,
            status: claim.state.name().to_owned(),
            turn: turn(claim.state).to_owned(),
            step: step(claim.state),
            from: side(claim.from_id, &claim.from_code, claim.send()),
            to: side(claim.to_id, &claim.to_code, claim.receive()),
            paid_out: ClaimPaidOut::of(claim),
            email: claim.email.clone(),
            due_at: Moment(claim.due_at),
            created_at: Moment(claim.created_at),
            updated_at: Moment(claim.updated_at),
            holder: holder.into(),
            revision: claim.revision,
        }
    }
}

/// How many claims the tabs have.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskCounts {
    /// All that is open.
    open: i64,
    /// We act.
    ours: i64,
    /// The customer acts.
    customer: i64,
    /// A network or bank acts.
    network: i64,
    /// Something is not as agreed.
    disputed: i64,
    /// Money goes back.
    refunds: i64,
    /// Ended since midnight UTC.
    closed_today: i64,
}

/// A page of the desk.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskPage {
    /// The claims.
    items: Vec<DeskClaimRow>,
    /// Send it as `cursor` for the next page; null on the last.
    next_cursor: Null<String>,
    /// How many claims the tabs have.
    counts: DeskCounts,
}

impl DeskPage {
    /// A page as the console shows it.
    pub fn of(claims: &Claims, page: Page, locale: Locale) -> Self {
        let count = |tab| page.counts.of(tab);
        Self {
            items: page.claims.iter().map(|claim| DeskClaimRow::of(claims, claim, locale)).collect(),
            next_cursor: page.next.map(cursor).into(),
            counts: DeskCounts {
                open: page.counts.open(),
                ours: count(Desk::Ours),
                customer: count(Desk::Customer),
                network: count(Desk::Network),
                disputed: count(Desk::Disputed),
                refunds: count(Desk::Refunds),
                closed_today: page.counts.closed_today,
            },
        }
    }
}

//! The list of claims.

use agio_contracts::ClaimState;
use agio_core::Amount;
use agio_core::texts::Locale;
use agio_http::{ApiEnum, Cursor, DateTime, Dec, Nullable, body};
use uuid::Uuid;

use crate::Claims;
use crate::api::PartialPayout;
use crate::rules::Claim;
use crate::rules::queue::{ClaimTurn, QueueTab, step, turn};
use crate::service::QueuePage;
use crate::store::queue::QueueKey;

/// One side of a claim.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimSummarySide {
    /// The currency.
    id: i64,
    /// Its code.
    code: String,
    /// The asset.
    ticker: String,
    /// Its network or payment system.
    network: String,
    /// The amount.
    amount: Dec,
}

/// The member of staff who has locked a claim.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimHolder {
    /// The member of staff.
    id: Uuid,
    /// Their name.
    name: String,
}

/// The summary of a claim.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimSummary {
    /// Identifier.
    id: Uuid,
    /// The short claim number, for people.
    public_id: i64,
    status: ApiEnum<ClaimState>,
    /// Who has to act next.
    turn: ApiEnum<ClaimTurn>,
    /// The progress, from 1 (created) to 5 (ended).
    step: u8,
    /// The give side.
    from: ClaimSummarySide,
    /// The receive side.
    to: ClaimSummarySide,
    /// The part of the payout that has arrived; null unless only a part has.
    paid_out: Nullable<PartialPayout>,
    /// The customer's e-mail address.
    email: String,
    /// When the next action is due.
    due_at: DateTime,
    /// When it was created.
    created_at: DateTime,
    /// When it was last changed.
    updated_at: DateTime,
    /// The member of staff who has locked it.
    holder: Nullable<ClaimHolder>,
    /// Incremented by every change. Sent back with each transition.
    revision: i64,
}

impl ClaimSummary {
    pub fn of(claims: &Claims, claim: &Claim, locale: Locale) -> Self {
        let side = |id, code: &str, amount: Amount| {
            let currency = claims.currency(id, code);
            let (ticker, network) = (currency.ticker.clone(), currency.network.get(locale).to_owned());
            ClaimSummarySide { id, code: code.to_owned(), ticker, network, amount: Dec(amount.value()) }
        };
        let holder =
            claim.progress.holder_id.map(|id| ClaimHolder { id, name: claim.progress.holder_name.clone().unwrap_or_default() });
        Self {
            id: claim.id,
            public_id: claim.public_id,
            status: claim.state.into(),
            turn: turn(claim, &claims.platform.vault).into(),
            step: step(claim.state),
            from: side(claim.give.currency_id(), &claim.give.code, claim.give.amount),
            to: side(claim.receive.currency_id(), &claim.receive.code, claim.receive.amount),
            paid_out: PartialPayout::of(claim),
            email: claim.customer.email.clone(),
            due_at: DateTime(claim.progress.due_at),
            created_at: DateTime(claim.created_at),
            updated_at: DateTime(claim.updated_at),
            holder: holder.into(),
            revision: claim.revision,
        }
    }
}

/// The number of claims in each tab.
#[body(response)]
#[derive(Clone, Debug)]
pub struct QueueTabCounts {
    /// All open claims.
    open: i64,
    /// The staff acts.
    ours: i64,
    /// The customer acts.
    customer: i64,
    /// A network or bank acts.
    network: i64,
    /// Something differs from the agreed terms.
    disputed: i64,
    /// A refund is due.
    refunds: i64,
    /// Ended since midnight UTC.
    closed_today: i64,
}

/// A page of claims.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ClaimPage {
    /// The claims.
    items: Vec<ClaimSummary>,
    /// Pass as `cursor` to get the next page; null on the last page.
    next_cursor: Nullable<Cursor<QueueKey>>,
    /// The number of claims in each tab.
    counts: QueueTabCounts,
}

impl ClaimPage {
    pub fn of(claims: &Claims, page: QueuePage, locale: Locale) -> Self {
        let count = |tab| page.counts.of(tab);
        Self {
            items: page.page.rows.iter().map(|claim| ClaimSummary::of(claims, claim, locale)).collect(),
            next_cursor: page.page.next.map(Cursor).into(),
            counts: QueueTabCounts {
                open: page.counts.open(),
                ours: count(QueueTab::Ours),
                customer: count(QueueTab::Customer),
                network: count(QueueTab::Network),
                disputed: count(QueueTab::Disputed),
                refunds: count(QueueTab::Refunds),
                closed_today: page.counts.closed_today,
            },
        }
    }
}

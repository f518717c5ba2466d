//! The queue of claims, and a claim in full.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use agio_contracts::RefundRoute;
use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity;
use agio_core::keyset::KeysetPage;
use agio_core::{Error, Result, Timestamp, Tx};
use agio_ledger::LedgerTransferRow;
use futures_util::{Stream, stream};
use serde_json::json;
use uuid::Uuid;

use super::staff_actions::is_verification_decision;
use super::{ApprovalRequirement, ClaimedTerms, Claims};
use crate::model::{Action, Actor, ClaimState, Transition, allowed};
use crate::rules::Claim;
use crate::rules::claim::found_by;
use crate::rules::queue::{QueueGroup, QueueSort, QueueTab};
use crate::rules::search::{PartialSearch, searched_in};
use crate::store::claims;
use crate::store::history::{self, ClaimEvent};
use crate::store::queue::{self, QueueFilter, QueueKey};
use crate::store::receipts::{self, Receipt};

/// How many open claims, and how many that ended last, are compared with a part: their requisites are encrypted, so no
/// index leads to it.
const COMPARED_MAX: i64 = 500;

/// How many other claims with one transaction are named.
const SHARING_MAX: i64 = 5;

#[derive(Clone, Debug)]
pub struct QueueQuery {
    pub filter: QueueFilter,
    /// What to find in all tabs, whatever the filter: a number, e-mail address, transaction or requisite; of recent claims
    /// also the end of one or an amount.
    pub search: String,
    /// A transaction or reference of a bank: the claims that record it, in all tabs, whatever the filter.
    pub transaction: String,
    /// Where the last page ended.
    pub after: Option<QueueKey>,
    pub size: i64,
    pub sort: QueueSort,
}

/// A page of claims.
pub struct QueuePage {
    pub page: KeysetPage<Claim, QueueKey>,
    /// The number of claims in each tab.
    pub counts: QueueCounts,
}

/// The number of claims in each tab.
#[derive(Clone, Debug, Default)]
pub struct QueueCounts {
    /// Claims of each open tab.
    pub of_tabs: Vec<(QueueTab, i64)>,
    /// Claims that ended today.
    pub closed_today: i64,
}

impl QueueCounts {
    pub fn of(&self, tab: QueueTab) -> i64 {
        self.of_tabs.iter().find(|(other, _)| *other == tab).map_or(0, |(_, count)| *count)
    }

    pub fn open(&self) -> i64 {
        self.of_tabs.iter().map(|(_, count)| count).sum()
    }
}

/// A transaction of a claim that others record as well.
pub struct SharedTransaction {
    /// As the claim records it.
    pub tx_id: String,
    /// The others, in the order of their numbers; not all of many.
    pub claims: Vec<Claim>,
}

pub struct FullClaim {
    pub claim: Claim,
    pub shared_transactions: Vec<SharedTransaction>,
    pub receipts: Vec<Receipt>,
    pub history: Vec<ClaimEvent>,
    pub entries: Vec<LedgerTransferRow>,
    /// What an operator may do with it now.
    pub transitions: Vec<&'static Transition>,
    /// The approvals that these need.
    pub consents: Vec<ApprovalRequirement>,
    /// The driver for its refund, if it can be refunded now.
    pub refund: Option<RefundRoute>,
    /// The direction's terms that its customer accepted, or has to accept.
    pub customer_terms: Option<ClaimedTerms>,
}

/// What the first screen of the console says of claims.
#[derive(Clone, Debug)]
pub struct ClaimsOverview {
    /// Claims that wait for the staff.
    pub ours: i64,
    /// Those of them that are overdue.
    pub late: i64,
    /// All open claims.
    pub open: i64,
    /// Claims that wait for the staff or have a problem, those due first.
    pub urgent: Vec<UrgentClaim>,
}

/// Numbers of open claims.
#[derive(Clone, Debug)]
pub struct OpenClaimCounts {
    /// States without any claim are absent.
    pub by_state: Vec<(ClaimState, i64)>,
    /// Claims that have waited too long for staff.
    pub overdue: i64,
}

/// The summary of a claim.
#[derive(Clone, Debug)]
pub struct UrgentClaim {
    pub id: Uuid,
    pub public_id: i64,
    pub status: ClaimState,
    /// The code of the give currency.
    pub give_code: String,
    /// The code of the receive currency.
    pub receive_code: String,
    /// When the next action is due.
    pub due_at: Timestamp,
}

impl Claims {
    /// A page of claims, and how many each tab has.
    pub async fn list_queue(&self, query: &QueueQuery) -> Result<QueuePage> {
        let mut tx = self.platform.db.read().await?;
        let page = self.page_of_queue(&mut tx, query).await?;
        let midnight = Timestamp::from_date(self.platform.clock.now().date());
        let counts = QueueCounts {
            of_tabs: queue::open_counts(&mut tx).await?,
            closed_today: queue::closed_since(&mut tx, midnight).await?,
        };
        Ok(QueuePage { page, counts })
    }

    /// Everything that a query finds, page by page, so that few claims are in memory at a time. It is audited first.
    pub async fn export_queue(
        self: &Arc<Self>,
        query: QueueQuery,
        by: &identity::Actor,
    ) -> Result<impl Stream<Item = Result<Vec<Claim>>> + Send + 'static + use<>> {
        let code = |id: Option<i64>| id.map(|id| self.currency(id, "").code.clone());
        let QueueFilter { tab, state, give, receive, .. } = query.filter;
        let id = tab.map_or(QueueGroup::Open.name(), QueueTab::name);
        // What was searched for may be a requisite.
        let after = json!({ "state": state.map(ClaimState::name), "from": code(give), "to": code(receive) });
        let (by, now) = (by.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (by, after) = (by.clone(), after.clone());
                Box::pin(async move {
                    let entry = NewAuditEntry {
                        by: &by,
                        action: "claim.exported",
                        about: "claims",
                        id: id.to_owned(),
                        before: None,
                        after: Some(after),
                    };
                    audit::record(tx, entry, now).await
                })
            })
            .await?;
        Ok(stream::try_unfold(Some((self.clone(), query)), |next| async move {
            let Some((claims, mut query)): Option<(Arc<Self>, QueueQuery)> = next else { return Ok(None) };
            let mut tx = claims.platform.db.read().await?;
            let page = claims.page_of_queue(&mut tx, &query).await?;
            drop(tx);
            query.after = page.next;
            let next = query.after.is_some().then_some((claims, query));
            Ok::<_, Error>(Some((page.rows, next)))
        }))
    }

    async fn page_of_queue(&self, tx: &mut Tx, query: &QueueQuery) -> Result<KeysetPage<Claim, QueueKey>> {
        let search = searched_in(query.search.trim());
        let size = usize::try_from(query.size).unwrap_or(0);
        let transaction = query.transaction.trim();
        let claims = if !transaction.is_empty() {
            queue::sharing_transaction(tx, Uuid::nil(), transaction, query.size).await?
        } else if !search.is_empty() {
            let mut found = queue::found(tx, &search, &found_by(&self.platform.vault, &search), query.size).await?;
            if let Some(part) = PartialSearch::of(&search) {
                let whole: HashSet<_> = found.iter().map(|claim| claim.id).collect();
                let others = self.found_by_part(tx, &part).await?;
                found.extend(others.into_iter().filter(|claim| !whole.contains(&claim.id)));
            }
            // A search has one page.
            found.truncate(size);
            found
        } else if query.sort == QueueSort::Created {
            queue::by_age(tx, query.filter, query.after, query.size + 1).await?
        } else {
            queue::by_due(tx, query.filter, query.after, query.size + 1).await?
        };
        Ok(KeysetPage::of(claims, size, |last| (last.progress.due_at, last.public_id)))
    }

    /// The open claims and those that ended last that have a part, the newest first.
    async fn found_by_part(&self, tx: &mut Tx, part: &PartialSearch) -> Result<Vec<Claim>> {
        let mut claims = queue::by_age(tx, QueueFilter::default(), None, COMPARED_MAX).await?;
        claims.extend(queue::by_due(tx, QueueTab::Closed.into(), None, COMPARED_MAX).await?);
        claims.retain(|claim| part.finds(claim, &self.platform.vault));
        claims.sort_by_key(|claim| Reverse(claim.public_id));
        Ok(claims)
    }

    /// A claim in full.
    ///
    /// # Errors
    /// 404 `claim_not_found`.
    pub async fn full_claim(&self, id: Uuid) -> Result<FullClaim> {
        let mut tx = self.platform.db.read().await?;
        let claim = crate::store::claims::claim(&mut tx, id).await?;
        let books = claim.ledger_state();
        let noted = claim.payment.paid_at.filter(|_| claim.state == ClaimState::PaymentSeen);
        let can_be_late = claim.can_be_late(noted.unwrap_or_else(|| self.platform.clock.now()));
        let transitions: Vec<_> = allowed(claim.state, Actor::Operator)
            .filter(|row| row.is_allowed_by(books) && !is_verification_decision(row))
            .filter(|row| row.action != Action::LatePayment || can_be_late)
            .collect();
        let mut consents = Vec::new();
        for row in &transitions {
            let found = match self.approval_requirement(&mut tx, &claim, row).await {
                // Unreadable values are shown as such; the transitions that need them are refused.
                Err(refused) if refused.code() == "claim_unreadable" => None,
                found => found?,
            };
            consents.extend(found);
        }
        let mut refund = None;
        if transitions.iter().any(|row| row.action == Action::RefundSent) {
            refund = self.payments.refund_way(&mut tx, claim.give.currency_id(), id).await?;
        }
        Ok(FullClaim {
            receipts: receipts::of_claim(&mut tx, id).await?,
            history: history::of_claim(&mut tx, claim.public_id).await?,
            entries: history::booked(&mut tx, claim.public_id).await?,
            customer_terms: self.customer_terms_in(&mut tx, &claim).await?,
            shared_transactions: shared_transactions(&mut tx, &claim).await?,
            transitions,
            consents,
            refund,
            claim,
        })
    }

    /// Whether any claim was completed.
    pub async fn has_completed_claim(&self) -> Result<bool> {
        claims::is_any_completed(&mut self.platform.db.read().await?).await
    }

    /// Numbers of open claims.
    pub async fn open_counts(&self) -> Result<OpenClaimCounts> {
        let mut tx = self.platform.db.read().await?;
        Ok(OpenClaimCounts {
            by_state: queue::open_by_state(&mut tx).await?,
            overdue: queue::late(&mut tx, self.platform.clock.now()).await?,
        })
    }

    /// What the first screen of the console says of claims, with at most `size` urgent ones.
    pub async fn overview(&self, size: i64) -> Result<ClaimsOverview> {
        let mut tx = self.platform.db.read().await?;
        let counts = QueueCounts { of_tabs: queue::open_counts(&mut tx).await?, closed_today: 0 };
        let late = queue::late(&mut tx, self.platform.clock.now()).await?;
        let mut urgent = Vec::new();
        for tab in [QueueTab::Ours, QueueTab::Disputed, QueueTab::Refunds] {
            urgent.extend(queue::by_due(&mut tx, tab.into(), None, size).await?);
        }
        urgent.retain(|claim| !claim.lacks_destination(&self.platform.vault).unwrap_or(false));
        urgent.sort_by_key(|claim| (claim.progress.due_at, claim.public_id));
        urgent.truncate(usize::try_from(size).unwrap_or(0));
        let row = |claim: Claim| UrgentClaim {
            id: claim.id,
            public_id: claim.public_id,
            status: claim.state,
            give_code: claim.give.code,
            receive_code: claim.receive.code,
            due_at: claim.progress.due_at,
        };
        Ok(ClaimsOverview {
            ours: counts.of(QueueTab::Ours),
            late,
            open: counts.open(),
            urgent: urgent.into_iter().map(row).collect(),
        })
    }
}

/// The transactions of a claim that other claims record as well.
async fn shared_transactions(tx: &mut Tx, claim: &Claim) -> Result<Vec<SharedTransaction>> {
    let references = &claim.references;
    let recorded: BTreeSet<_> = [&references.tx_in, &references.tx_out, &references.tx_refund].into_iter().flatten().collect();
    let mut shared = Vec::new();
    for tx_id in recorded {
        let claims = queue::sharing_transaction(tx, claim.id, tx_id, SHARING_MAX).await?;
        if !claims.is_empty() {
            shared.push(SharedTransaction { tx_id: tx_id.clone(), claims });
        }
    }
    Ok(shared)
}

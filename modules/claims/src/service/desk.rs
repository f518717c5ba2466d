//! What the desk shows.

use agio_core::needs::RefundWay;
use agio_core::{Result, Timestamp};
use agio_ledger::EntryRow;
use uuid::Uuid;

use super::operator::is_decided_elsewhere;
use super::{Claims, Consent};
use crate::model::{Action, Actor, Transition, allowed};
use crate::rules::Claim;
use crate::rules::claim::found_by;
use crate::rules::desk::Desk;
use crate::store::desk::{self, After};
use crate::store::history::{self, Event};
use crate::store::receipts::{self, Receipt};

/// What an operator asks the desk for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The tab; nothing for all that is open.
    pub tab: Option<Desk>,
    /// Only claims in this state; empty for all.
    pub state: String,
    /// A number, e-mail address, transaction or requisite to find; then the tab does not matter.
    pub said: String,
    /// Where the last page ended.
    pub after: Option<After>,
    /// How many rows.
    pub size: i64,
    /// The newest first, instead of those due first.
    pub by_age: bool,
}

/// A page of the desk.
pub struct Page {
    /// The claims.
    pub claims: Vec<Claim>,
    /// Where the next page begins, if there is one.
    pub next: Option<After>,
    /// How many claims the tabs have.
    pub counts: Counts,
}

/// How many claims the tabs have.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Claims of each open tab.
    pub of_tabs: Vec<(Desk, i64)>,
    /// Claims that ended today.
    pub closed_today: i64,
}

impl Counts {
    /// How many claims a tab has.
    #[must_use]
    pub fn of(&self, tab: Desk) -> i64 {
        self.of_tabs.iter().find(|(other, _)| *other == tab).map_or(0, |(_, count)| *count)
    }

    /// How many claims are open.
    #[must_use]
    pub fn open(&self) -> i64 {
        self.of_tabs.iter().map(|(_, count)| count).sum()
    }
}

/// A claim with everything about it.
pub struct Whole {
    /// The claim.
    pub claim: Claim,
    /// Its receipts.
    pub receipts: Vec<Receipt>,
    /// Its history.
    pub history: Vec<Event>,
    /// Its entries in the books.
    pub entries: Vec<EntryRow>,
    /// What an operator may do with it now.
    pub transitions: Vec<&'static Transition>,
    /// A second person's word on its next payment, where that needs one.
    pub consent: Option<Consent>,
    /// How its payment goes back through a driver, where it may go back now.
    pub refund: Option<RefundWay>,
}

/// What the first screen of the console says of claims.
#[derive(Clone, Debug)]
pub struct Overview {
    /// Claims that wait for us.
    pub ours: i64,
    /// Those of them that have waited too long.
    pub late: i64,
    /// All open claims.
    pub open: i64,
    /// The claims that wait for us or went wrong, those due first.
    pub urgent: Vec<DeskRow>,
}

/// A claim in a line.
#[derive(Clone, Debug)]
pub struct DeskRow {
    /// Identifier.
    pub id: Uuid,
    /// The number for talk.
    pub public_id: i64,
    /// Its state.
    pub status: crate::model::State,
    /// The code of the currency sent.
    pub from_code: String,
    /// The code of the currency received.
    pub to_code: String,
    /// By when somebody should have acted.
    pub due_at: Timestamp,
}

impl Claims {
    /// A page of the desk.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn page(&self, asked: &Asked) -> Result<Page> {
        let mut tx = self.platform.db.read().await?;
        let said = asked.said.trim();
        let mut claims = if !said.is_empty() {
            desk::found(&mut tx, said, &found_by(&self.platform.vault, said), asked.size).await?
        } else if asked.by_age {
            desk::by_age(&mut tx, asked.tab, &asked.state, asked.after, asked.size + 1).await?
        } else {
            desk::by_due(&mut tx, asked.tab, &asked.state, asked.after, asked.size + 1).await?
        };
        let size = usize::try_from(asked.size).unwrap_or(0);
        let has_more = claims.len() > size;
        claims.truncate(size);
        let next = claims.last().filter(|_| has_more).map(|last| After { due_at: last.due_at, public_id: last.public_id });
        let midnight = Timestamp::from_date(self.platform.clock.now().date());
        let counts =
            Counts { of_tabs: desk::open_counts(&mut tx).await?, closed_today: desk::closed_since(&mut tx, midnight).await? };
        Ok(Page { claims, next, counts })
    }

    /// A claim with everything about it.
    ///
    /// # Errors
    /// 404 `claim_not_found`.
    pub async fn whole(&self, id: Uuid) -> Result<Whole> {
        let mut tx = self.platform.db.read().await?;
        let claim = crate::store::claims::claim(&mut tx, id).await?;
        let books = claim.books();
        let transitions: Vec<_> =
            allowed(claim.state, Actor::Operator).filter(|row| row.is_allowed_by(books) && !is_decided_elsewhere(row)).collect();
        let mut consent = None;
        for row in &transitions {
            let found = match self.consent(&mut tx, &claim, row).await {
                // What cannot be read is shown as such; no step that would go by it is made.
                Err(refused) if refused.code() == "claim_unreadable" => None,
                found => found?,
            };
            consent = consent.or(found);
        }
        let mut refund = None;
        if transitions.iter().any(|row| row.action == Action::RefundSent) {
            refund = self.payments.refund_way(&mut tx, claim.from_id, id).await?;
        }
        Ok(Whole {
            receipts: receipts::of_claim(&mut tx, id).await?,
            history: history::of_claim(&mut tx, claim.public_id).await?,
            entries: history::booked(&mut tx, claim.public_id).await?,
            transitions,
            consent,
            refund,
            claim,
        })
    }

    /// What the first screen of the console says of claims, with at most `size` urgent ones.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn overview(&self, size: i64) -> Result<Overview> {
        let mut tx = self.platform.db.read().await?;
        let counts = Counts { of_tabs: desk::open_counts(&mut tx).await?, closed_today: 0 };
        let late = desk::late(&mut tx, self.platform.clock.now()).await?;
        let mut urgent = Vec::new();
        for tab in [Desk::Ours, Desk::Disputed, Desk::Refunds] {
            urgent.extend(desk::by_due(&mut tx, Some(tab), "", None, size).await?);
        }
        urgent.sort_by_key(|claim| (claim.due_at, claim.public_id));
        urgent.truncate(usize::try_from(size).unwrap_or(0));
        let row = |claim: Claim| DeskRow {
            id: claim.id,
            public_id: claim.public_id,
            status: claim.state,
            from_code: claim.from_code,
            to_code: claim.to_code,
            due_at: claim.due_at,
        };
        Ok(Overview { ours: counts.of(Desk::Ours), late, open: counts.open(), urgent: urgent.into_iter().map(row).collect() })
    }
}

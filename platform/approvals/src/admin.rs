//! The console's calls for deciding proposals.

use agio_core::identity::Staff;
use agio_core::texts::Locale;
use agio_core::{Error, Timestamp};
use agio_http::{Answer, Input, Null, Outcome, StaffAuth, Visitor};
use poem_openapi::param::{Path, Query};
use poem_openapi::types::Example;
use poem_openapi::{Object, OpenApi, Tags};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{APPROVALS_READ, Approval, Decisions, Stored, store};

/// Rows of a page.
const SIZE: i64 = 50;

#[derive(Tags)]
enum Tag {
    /// What one member of staff proposed and another decides.
    Approvals,
}

/// The calls.
pub struct ApprovalDesk(Decisions);

impl ApprovalDesk {
    /// Over the house's decisions.
    #[must_use]
    pub fn new(decisions: Decisions) -> Self {
        Self(decisions)
    }
}

/// A page of proposals, the newest first.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct ApprovalPage {
    /// The proposals.
    items: Vec<Approval>,
    /// How many wait.
    waiting: i64,
    /// What the next page is asked for with; null on the last one.
    next_cursor: Null<String>,
}

/// Why a proposal is refused.
#[derive(Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
struct ApprovalRefusal {
    /// In words, for who proposed it.
    reason: String,
}

impl Example for ApprovalRefusal {
    fn example() -> Self {
        Self { reason: "The address is not the one in our cold wallet's list.".into() }
    }
}

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Approvals")]
impl ApprovalDesk {
    /// Proposals
    ///
    /// Those that wait for a decision, or those that were decided. Needs `approvals.read`.
    #[oai(path = "/approvals", method = "get", operation_id = "listApprovals")]
    async fn list(
        &self,
        auth: StaffAuth,
        visitor: Visitor,
        /// Whether those that were decided are meant.
        decided: Query<Option<bool>>,
        /// `nextCursor` of the page before.
        cursor: Query<Option<String>>,
    ) -> Outcome<Answer<ApprovalPage>> {
        let staff = auth.may(APPROVALS_READ)?;
        let behind = match cursor.0.as_deref() {
            None | Some("") => (Timestamp(i64::MAX), Uuid::max()),
            Some(text) => {
                read_cursor(text).ok_or_else(|| Error::unprocessable("validation_failed").at("cursor", "malformed_parameter"))?
            }
        };
        let mut tx = self.0.approvals.platform.db.read().await?;
        let rows = store::proposals(&mut tx, !decided.0.unwrap_or(false), behind, SIZE).await?;
        let waiting = store::waiting(&mut tx).await?;
        let next_cursor = rows.last().filter(|_| rows.len() as i64 == SIZE).map(cursor_of).into();
        let items = rows.into_iter().map(|row| self.show(row, &staff, visitor.locale)).collect();
        Ok(Answer(ApprovalPage { items, waiting, next_cursor }))
    }

    /// Approve
    ///
    /// What was proposed is done at once. Needs the permission of what is proposed and a fresh second factor; nobody approves what they
    /// proposed.
    #[oai(path = "/approvals/:id/approve", method = "post", operation_id = "approveProposal")]
    async fn approve(&self, auth: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> Outcome<Answer<Approval>> {
        let staff = auth.may(APPROVALS_READ)?;
        auth.require_fresh()?;
        let row = self.0.approve(id.0, staff.clone()).await?;
        Ok(Answer(self.show(row, &staff, visitor.locale)))
    }

    /// Refuse
    ///
    /// Nothing is done. Needs the permission of what is proposed.
    #[oai(path = "/approvals/:id/reject", method = "post", operation_id = "rejectProposal")]
    async fn reject(
        &self,
        auth: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        said: Input<ApprovalRefusal>,
    ) -> Outcome<Answer<Approval>> {
        let staff = auth.may(APPROVALS_READ)?;
        let row = self.0.reject(id.0, said.0.reason, staff.clone()).await?;
        Ok(Answer(self.show(row, &staff, visitor.locale)))
    }

    /// Take a proposal back
    ///
    /// Only who proposed it may.
    #[oai(path = "/approvals/:id/withdraw", method = "post", operation_id = "withdrawProposal")]
    async fn withdraw(&self, auth: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> Outcome<Answer<Approval>> {
        let staff = auth.may(APPROVALS_READ)?;
        let row = self.0.withdraw(id.0, staff.clone()).await?;
        Ok(Answer(self.show(row, &staff, visitor.locale)))
    }
}

impl ApprovalDesk {
    fn show(&self, row: Stored, staff: &Staff, locale: Locale) -> Approval {
        self.0.approvals.show(row, staff, locale)
    }
}

/// A place in the list: the moment and the identifier of the last one seen.
fn cursor_of(row: &Stored) -> String {
    format!("{}_{}", row.proposed_at.0, row.id)
}

fn read_cursor(text: &str) -> Option<(Timestamp, Uuid)> {
    let (at, id) = text.split_once('_')?;
    Some((Timestamp(at.parse().ok()?), id.parse().ok()?))
}

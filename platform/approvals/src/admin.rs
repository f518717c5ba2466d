//! The console's calls for deciding proposals.

use std::collections::BTreeMap;

use agio_core::identity::Staff;
use agio_core::texts::Locale;
use agio_core::{Error, Timestamp};
use agio_http::{Answer, Input, Moment, Null, Outcome, StaffAuth, Visitor};
use poem_openapi::param::{Path, Query};
use poem_openapi::types::Example;
use poem_openapi::{Object, OpenApi, Tags};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{APPROVALS_READ, Decisions, State, Stored, store};

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

/// A name and a value that the approver has to see.
#[derive(Serialize, Object)]
struct ApprovalFact {
    /// What it is.
    label: String,
    /// What it is now.
    before: Null<String>,
    /// What it would be.
    after: Null<String>,
}

/// Somebody of the staff.
#[derive(Serialize, Object)]
struct ApprovalPerson {
    /// Identifier.
    id: Uuid,
    /// The name colleagues see.
    name: String,
}

/// Something that is proposed.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct Approval {
    /// Identifier.
    id: Uuid,
    /// What kind of thing is proposed.
    kind: String,
    /// The same in words.
    title: String,
    /// The kind of thing it is about: `claim`, `requisite`, `pair`.
    about_kind: String,
    /// Which one.
    about_id: String,
    /// What would change.
    facts: Vec<ApprovalFact>,
    /// `waiting`, `approved`, `rejected`, `withdrawn` or `expired`.
    state: String,
    /// Who proposed it.
    proposed_by: ApprovalPerson,
    /// When.
    proposed_at: Moment,
    /// Until when it waits.
    expires_at: Moment,
    /// Who decided.
    decided_by: Null<ApprovalPerson>,
    /// When.
    decided_at: Null<Moment>,
    /// Why it was refused.
    reason: Null<String>,
    /// Whether the caller may decide it.
    may_decide: bool,
    /// Whether the caller may take it back.
    may_withdraw: bool,
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

#[OpenApi(prefix_path = "/api/admin/v1/approvals", tag = "Tag::Approvals")]
impl ApprovalDesk {
    /// Proposals
    ///
    /// Those that wait for a decision, or those that were decided. Needs `approvals.read`.
    #[oai(path = "/", method = "get", operation_id = "listApprovals")]
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
        let before = match cursor.0 {
            Some(text) => {
                Timestamp::parse(&text).map_err(|_| Error::unprocessable("validation_failed").at("cursor", "cursor_invalid"))?
            }
            None => Timestamp(i64::MAX),
        };
        let mut tx = self.0.approvals.platform.db.read().await?;
        let rows = store::proposals(&mut tx, !decided.0.unwrap_or(false), before, SIZE).await?;
        let waiting = store::waiting(&mut tx).await?;
        let next_cursor = rows.last().filter(|_| rows.len() as i64 == SIZE).map(|row| row.proposed_at.to_string()).into();
        let items = rows.into_iter().map(|row| self.describe(row, &staff, visitor.locale)).collect();
        Ok(Answer(ApprovalPage { items, waiting, next_cursor }))
    }

    /// Approve
    ///
    /// What was proposed is done at once. Needs the permission of what is proposed; nobody approves what they proposed.
    #[oai(path = "/:id/approve", method = "post", operation_id = "approveProposal")]
    async fn approve(&self, auth: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> Outcome<Answer<Approval>> {
        let staff = auth.may(APPROVALS_READ)?;
        let row = self.0.approve(id.0, staff.clone()).await?;
        Ok(Answer(self.describe(row, &staff, visitor.locale)))
    }

    /// Refuse
    ///
    /// Nothing is done. Needs the permission of what is proposed.
    #[oai(path = "/:id/reject", method = "post", operation_id = "rejectProposal")]
    async fn reject(
        &self,
        auth: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        said: Input<ApprovalRefusal>,
    ) -> Outcome<Answer<Approval>> {
        let staff = auth.may(APPROVALS_READ)?;
        let row = self.0.reject(id.0, said.0.reason, staff.clone()).await?;
        Ok(Answer(self.describe(row, &staff, visitor.locale)))
    }

    /// Take a proposal back
    ///
    /// Only who proposed it may.
    #[oai(path = "/:id/withdraw", method = "post", operation_id = "withdrawProposal")]
    async fn withdraw(&self, auth: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> Outcome<Answer<Approval>> {
        let staff = auth.may(APPROVALS_READ)?;
        let row = self.0.withdraw(id.0, staff.clone()).await?;
        Ok(Answer(self.describe(row, &staff, visitor.locale)))
    }
}

impl ApprovalDesk {
    fn describe(&self, row: Stored, staff: &Staff, locale: Locale) -> Approval {
        let is_own = row.proposed_by == staff.id;
        let is_waiting = row.state == State::Waiting;
        let may_decide = self.0.room(&row).is_ok_and(|room| staff.role.may(room.permission()));
        let text = |key: &str| self.0.texts.get(locale, key, &BTreeMap::new());
        let decided_by = row.decided_by.map(|id| ApprovalPerson { id, name: row.decided_name.clone().unwrap_or_default() });
        Approval {
            id: row.id,
            title: text(&format!("approval.{}", row.kind)),
            facts: facts(&row.shown, text),
            kind: row.kind,
            about_kind: row.about_kind,
            about_id: row.about_id,
            state: row.state.to_string(),
            proposed_by: ApprovalPerson { id: row.proposed_by, name: row.proposed_name },
            proposed_at: row.proposed_at.into(),
            expires_at: row.expires_at.into(),
            decided_by: decided_by.into(),
            decided_at: row.decided_at.map(Moment).into(),
            reason: row.reason.into(),
            may_decide: is_waiting && may_decide && !is_own,
            may_withdraw: is_waiting && is_own,
        }
    }
}

/// What the approver sees: `{"amount": {"before": null, "after": "100 USDT"}}` with the labels `approval_fact.amount`.
fn facts(shown: &str, text: impl Fn(&str) -> String) -> Vec<ApprovalFact> {
    let shown: BTreeMap<String, serde_json::Value> = serde_json::from_str(shown).unwrap_or_default();
    let part = |value: &serde_json::Value, name: &str| Null(value[name].as_str().map(str::to_owned));
    let fact = |(name, value): (String, serde_json::Value)| ApprovalFact {
        label: text(&format!("approval_fact.{name}")),
        before: part(&value, "before"),
        after: part(&value, "after"),
    };
    shown.into_iter().map(fact).collect()
}

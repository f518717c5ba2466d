//! Approval requests as the console shows them.

use agio_core::error::Params;
use agio_core::identity::Staff;
use agio_core::texts::Locale;
use agio_http::{Accepted, ApiEnum, DateTime, Nullable, body};
use uuid::Uuid;

use crate::{ApprovalFact, ApprovalRequestState, ApprovalRow, ApprovalValue, Approvals};

/// A labelled value, before and after the change.
#[body(response)]
#[derive(Clone, Debug)]
struct ApprovalFactView {
    /// Label in the staff member's language.
    label: String,
    /// Current value.
    before: Nullable<String>,
    /// New value.
    after: Nullable<String>,
}

#[body(response)]
#[derive(Clone, Debug)]
struct ApprovalStaffMember {
    id: Uuid,
    /// Display name.
    name: String,
}

/// A change that needs a second person.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ApprovalRequestView {
    /// Identifier.
    id: Uuid,
    /// Kind of change: `claim_payout`, `pair_changed`.
    kind: String,
    /// Name of the kind in the staff member's language.
    title: String,
    /// Type of the affected object: `claim`, `requisite`, `pair`.
    about_kind: String,
    /// Identifier of the affected object.
    about_id: String,
    /// What would change, for the approver to check.
    facts: Vec<ApprovalFactView>,
    state: ApiEnum<ApprovalRequestState>,
    /// Author.
    proposed_by: ApprovalStaffMember,
    /// When it was requested.
    proposed_at: DateTime,
    expires_at: DateTime,
    decided_by: Nullable<ApprovalStaffMember>,
    decided_at: Nullable<DateTime>,
    /// Why it was rejected.
    reason: Nullable<String>,
    /// Whether the caller may decide it.
    may_decide: bool,
    /// Whether the caller may withdraw it.
    may_withdraw: bool,
}

/// 202: the change waits for approval.
pub type PendingApproval = Accepted<ApprovalRequestView>;

impl Approvals {
    /// An approval request as this staff member sees it.
    pub fn show(&self, row: ApprovalRow, staff: &Staff, locale: Locale) -> ApprovalRequestView {
        let is_own = row.proposed_by == staff.id;
        let is_waiting = row.state == ApprovalRequestState::Waiting && row.expires_at > self.platform.clock.now();
        let may_decide = self.permission(&row.kind).is_some_and(|permission| staff.role.has(permission));
        let text = |key: &str| self.texts.get(locale, key, &Params::new());
        let shown = self.facts(&row).unwrap_or_else(|_| vec![ApprovalFact::new("unreadable", ApprovalValue::flag(true))]);
        let facts = shown.into_iter().map(|fact| localize(fact, text)).collect();
        let decided_by = row.decided_by.map(|id| ApprovalStaffMember { id, name: row.decided_name.clone().unwrap_or_default() });
        ApprovalRequestView {
            id: row.id,
            title: self.title(&row.kind, locale),
            facts,
            kind: row.kind,
            about_kind: row.about_kind,
            about_id: row.about_id,
            state: ApiEnum(row.state),
            proposed_by: ApprovalStaffMember { id: row.proposed_by, name: row.proposed_name },
            proposed_at: row.proposed_at.into(),
            expires_at: row.expires_at.into(),
            decided_by: decided_by.into(),
            decided_at: row.decided_at.map(DateTime).into(),
            reason: row.reason.into(),
            may_decide: is_waiting && may_decide && !is_own,
            may_withdraw: is_waiting && is_own,
        }
    }
}

fn localize(fact: ApprovalFact, text: impl Fn(&str) -> String) -> ApprovalFactView {
    let localize = |value: Option<ApprovalValue>| {
        Nullable(value.map(|value| match value {
            ApprovalValue::Plain(plain) => plain,
            ApprovalValue::Text { text: key } => text(&key),
        }))
    };
    ApprovalFactView { label: text(&fact.label), before: localize(fact.before), after: localize(fact.after) }
}

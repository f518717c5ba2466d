//! A proposal as the console is shown it.

use agio_core::error::Params;
use agio_core::identity::Staff;
use agio_core::texts::Locale;
use agio_http::{Accepted, Moment, Null};
use poem_openapi::Object;
use serde::Serialize;
use uuid::Uuid;

use crate::{Approvals, Fact, Said, State, Stored};

/// A name and a value that the approver has to see.
#[derive(Clone, Debug, Serialize, Object)]
struct ApprovalFact {
    /// What it is.
    label: String,
    /// What it is now.
    before: Null<String>,
    /// What it would be.
    after: Null<String>,
}

/// Somebody of the staff.
#[derive(Clone, Debug, Serialize, Object)]
struct ApprovalPerson {
    /// Identifier.
    id: Uuid,
    /// The name colleagues see.
    name: String,
}

/// Something that is proposed.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct Approval {
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

/// The answer to a call whose work waits for a second person now, the same everywhere.
pub type Proposed = Accepted<Approval>;

impl Approvals {
    /// A proposal in words, as this member of staff sees it.
    #[must_use]
    pub fn show(&self, row: Stored, staff: &Staff, locale: Locale) -> Approval {
        let is_own = row.proposed_by == staff.id;
        let is_waiting = row.state == State::Waiting && row.expires_at > self.platform.clock.now();
        let may_decide = self.permission(&row.kind).is_some_and(|permission| staff.role.may(permission));
        let text = |key: &str| self.texts.get(locale, key, &Params::new());
        let shown = self.facts(&row).unwrap_or_else(|_| vec![Fact::new("unreadable", Said::flag(true))]);
        let facts = shown.into_iter().map(|fact| said(fact, text)).collect();
        let decided_by = row.decided_by.map(|id| ApprovalPerson { id, name: row.decided_name.clone().unwrap_or_default() });
        Approval {
            id: row.id,
            title: self.title(&row.kind, locale),
            facts,
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

/// A fact of a proposal, named and said in one language.
fn said(fact: Fact, text: impl Fn(&str) -> String) -> ApprovalFact {
    let said = |value: Option<Said>| {
        Null(value.map(|value| match value {
            Said::Plain(plain) => plain,
            Said::Text { text: key } => text(&key),
        }))
    };
    ApprovalFact { label: text(&fact.label), before: said(fact.before), after: said(fact.after) }
}

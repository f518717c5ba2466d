//! Two-person approval: one staff member requests a change, another approves it.
//!
//! A module that needs a second person stores an [`ApprovalRequest`] instead of making the change. On approval, the
//! module's [`ApprovalHandler`] makes the change in the same transaction, so both happen or neither. Nobody can approve
//! their own request; the database enforces this too.

mod admin;
mod approval_fact;
mod payout_limit;
mod service;
mod store;
mod view;

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use agio_core::audit::{self, NewAuditEntry};
use agio_core::error::Params;
use agio_core::events::ChangeEvent;
use agio_core::identity::{Actor, Permission, Role, Staff};
use agio_core::module::{Declarations, Job, Module};
use agio_core::settings::{Setting, SettingGuard};
use agio_core::texts::{Dictionary, Locale, Texts};
use agio_core::{BoxFuture, Error, Platform, Result, Timestamp, Tx};
use serde_json::{Value, json};
use uuid::Uuid;

pub use admin::ApprovalsAdminApi;
pub use approval_fact::{ApprovalFact, ApprovalValue};
pub use payout_limit::PAYOUT_PERIOD;
pub use service::ApprovalDecisions;
pub use store::{ApprovalRow, STATEMENTS, list_waiting_since};
pub use view::{ApprovalRequestView, PendingApproval};

pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Permission to view approval requests.
pub const APPROVALS_READ: Permission = Permission("approvals.read");

/// Setting: whether two-person approval is on.
pub const TWO_PERSON_APPROVAL: &str = "approvals.two_person";

/// Setting: the largest payout without approval, in whole units of the base currency.
pub const PAYOUT_LIMIT: &str = "approvals.payout_limit";

/// Setting: the largest refund without approval, in whole units of the base currency.
pub const REFUND_LIMIT: &str = "approvals.refund_limit";

/// Setting: the largest rate change without approval, in percent.
pub const RATE_PERCENT: &str = "approvals.rate_percent";

const LIMIT_MAX: i64 = 1_000_000_000;

/// While two-person approval is on, loosening these settings needs approval too. Otherwise one person could turn it off.
pub const SETTINGS: &[Setting] = &[
    Setting::switch(TWO_PERSON_APPROVAL, "false").guarded(SettingGuard::Lowering),
    Setting::number(PAYOUT_LIMIT, 0, LIMIT_MAX, "1000").guarded(SettingGuard::Raising),
    Setting::number(REFUND_LIMIT, 0, LIMIT_MAX, "1000").guarded(SettingGuard::Raising),
    Setting::number(RATE_PERCENT, 0, 100, "5").guarded(SettingGuard::Raising),
];

/// How long a request can be decided.
const TIME_TO_LIVE: Duration = Duration::from_secs(3 * 24 * 60 * 60);

/// Maximum length of a reason, in characters.
const REASON_MAX: usize = 500;

/// A change that needs approval.
#[derive(Clone, Debug)]
pub struct ApprovalRequest {
    /// Kind of change; its title is the text `approval.KIND`.
    pub kind: &'static str,
    /// Kind and identifier of the affected object. The console links to it.
    pub about: (&'static str, String),
    /// Facts shown to the approver.
    pub shown: Vec<ApprovalFact>,
    /// What the handler needs to make the change.
    pub payload: Value,
}

/// Makes the changes of one kind once they are approved.
pub trait ApprovalHandler: Send + Sync {
    /// The kind of requests it handles, and the permission an approver needs.
    fn handles(&self) -> (&'static str, Permission);

    /// Makes the change, in the transaction of the approval. An error leaves the request waiting. Returns 409
    /// `approval_outdated` if the object has changed since the request.
    fn execute<'t>(self: Arc<Self>, tx: &'t mut Tx, approval: &'t ApprovalRow, approver: &'t Staff) -> BoxFuture<'t, Result<()>>;

    /// Updates memory after the commit.
    fn after_commit(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async { Ok(()) })
    }
}

/// 409 `approval_outdated`: the object has changed since the request.
pub fn outdated() -> Error {
    Error::conflict("approval_outdated")
}

/// Result of a change that may need approval.
#[derive(Clone, Debug)]
pub enum ChangeOutcome<T> {
    Applied(T),
    /// Nothing has changed yet: the change waits for approval.
    PendingApproval(Box<ApprovalRow>),
}

agio_core::named! {
    /// State of an approval request.
    ApprovalRequestState {
        /// Waiting for a decision.
        Waiting = "waiting",
        /// Approved, and the change was made.
        Approved = "approved",
        /// Rejected by an approver.
        Rejected = "rejected",
        /// Withdrawn by its author.
        Withdrawn = "withdrawn",
        /// Nobody decided in time.
        Expired = "expired",
    }
}

/// Creates and reads approval requests. Clones share state.
#[derive(Clone)]
pub struct Approvals {
    platform: Platform,
    texts: Arc<Texts>,
    /// Permission an approver needs, by kind of request. Set when [`ApprovalDecisions`] is created.
    permissions: Arc<OnceLock<HashMap<&'static str, Permission>>>,
}

impl Approvals {
    pub fn new(platform: &Platform, texts: Arc<Texts>) -> Self {
        Self { platform: platform.clone(), texts, permissions: Arc::default() }
    }

    /// Whether two-person approval is on.
    pub fn is_enabled(&self) -> bool {
        self.platform.settings.is_on(TWO_PERSON_APPROVAL)
    }

    /// The permission an approver of this kind needs; `None` if no handler is registered for the kind.
    pub fn permission(&self, kind: &str) -> Option<Permission> {
        self.permissions.get()?.get(kind).copied()
    }

    /// Whether a role may decide any requests that another may not; `None` may decide nothing.
    pub fn may_decide_more(&self, role: Role, than: Option<Role>) -> bool {
        let is_more = |permission: &Permission| role.has(*permission) && !than.is_some_and(|than| than.has(*permission));
        self.permissions.get().is_none_or(|of_kinds| of_kinds.values().any(is_more))
    }

    /// The kinds that have a handler, sorted.
    pub fn kinds(&self) -> Vec<&'static str> {
        let mut kinds: Vec<_> = self.permissions.get().into_iter().flat_map(HashMap::keys).copied().collect();
        kinds.sort_unstable();
        kinds
    }

    /// Title of a kind of request.
    pub fn title(&self, kind: &str, locale: Locale) -> String {
        self.texts.get(locale, &format!("approval.{kind}"), &Params::new())
    }

    /// Creates an approval request, in the caller's transaction.
    ///
    /// # Errors
    /// 409 `approval_waits` if a request of this kind about this object is waiting already.
    pub async fn propose(&self, tx: &mut Tx, request: ApprovalRequest, by: &Staff) -> Result<ApprovalRow> {
        let now = self.platform.clock.now();
        let shown = serde_json::to_vec(&request.shown).map_err(Error::internal)?;
        let (about_kind, about_id) = request.about;
        let id = self.platform.random.uuid_at(now);
        let row = ApprovalRow {
            id,
            kind: request.kind.to_owned(),
            about_kind: about_kind.to_owned(),
            about_id,
            shown: self.platform.vault.seal(&purpose(id), &shown),
            payload: request.payload.to_string(),
            state: ApprovalRequestState::Waiting,
            proposed_by: by.id,
            proposed_name: by.name.clone(),
            proposed_at: now,
            expires_at: now.plus(TIME_TO_LIVE),
            decided_by: None,
            decided_name: None,
            decided_at: None,
            reason: None,
        };
        store::insert(tx, &row).await?;
        let after = json!({ "kind": row.kind, "aboutKind": row.about_kind, "about": row.about_id });
        record(tx, &Actor::from(by), "approval.proposed", row.id, after, now).await?;
        self.notify(tx);
        Ok(row)
    }

    /// The facts shown to the approver.
    ///
    /// # Errors
    /// 409 `approval_unreadable`.
    fn facts(&self, row: &ApprovalRow) -> Result<Vec<ApprovalFact>> {
        let opened = self.platform.vault.open(&purpose(row.id), &row.shown);
        let read =
            opened.and_then(|json| serde_json::from_slice(&json).map_err(|_| Error::internal("the stored facts are malformed")));
        read.map_err(|why| {
            tracing::error!(approval = %row.id, %why, "the facts of an approval request cannot be read");
            Error::conflict("approval_unreadable").caused_by(why)
        })
    }

    /// An approval request by its identifier.
    ///
    /// # Errors
    /// 404 `approval_not_found`.
    pub async fn get(&self, tx: &mut Tx, id: Uuid) -> Result<ApprovalRow> {
        self.find(tx, id).await?.ok_or_else(|| Error::not_found("approval_not_found"))
    }

    /// An approval request by its identifier, if there is one.
    pub async fn find(&self, tx: &mut Tx, id: Uuid) -> Result<Option<ApprovalRow>> {
        store::get(tx, id).await
    }

    /// Withdraws the waiting requests of an author who may no longer decide such: of all kinds if they have no role any
    /// more.
    pub async fn withdraw_of(&self, tx: &mut Tx, author: Uuid, role: Option<Role>, by: &Staff) -> Result<()> {
        let now = self.platform.clock.now();
        let may = |kind: &str| role.zip(self.permission(kind)).is_some_and(|(role, permission)| role.has(permission));
        for mut row in store::list_waiting_of(tx, author).await?.into_iter().filter(|row| !may(&row.kind)) {
            row.decide(ApprovalRequestState::Withdrawn, by, None, now);
            // Somebody may just have decided it.
            if store::decide(tx, &row).await? {
                record(tx, &Actor::from(by), "approval.withdrawn", row.id, Value::Null, now).await?;
                self.notify(tx);
            }
        }
        Ok(())
    }

    /// The newest request of a kind about an object, decided or not.
    pub async fn newest(&self, tx: &mut Tx, kind: &str, about: (&str, &str)) -> Result<Option<ApprovalRow>> {
        store::newest(tx, kind, about).await
    }

    /// How many requests wait, and how many of them this staff member may decide.
    pub async fn count_waiting(&self, tx: &mut Tx, staff: &Staff) -> Result<(i64, i64)> {
        let of_kinds = store::count_waiting_by_kind(tx, staff.id).await?;
        let may = |kind: &str| self.permission(kind).is_some_and(|permission| staff.role.has(permission));
        let theirs = of_kinds.iter().filter(|(kind, _)| may(kind)).map(|(_, count)| count).sum();
        Ok((store::count_waiting(tx).await?, theirs))
    }

    /// Expires the requests that nobody decided in time.
    pub async fn expire(&self) -> Result<()> {
        let now = self.platform.clock.now();
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let this = this.clone();
                Box::pin(async move {
                    let expired = store::expire(tx, now).await?;
                    for id in &expired {
                        record(tx, &Actor::system("approvals.expire"), "approval.expired", *id, Value::Null, now).await?;
                    }
                    if !expired.is_empty() {
                        this.notify(tx);
                    }
                    Ok(())
                })
            })
            .await
    }

    fn notify(&self, tx: &mut Tx) {
        let live = self.platform.events.clone();
        tx.after_commit(move || live.publish(ChangeEvent::Approvals));
    }
}

impl Module for Approvals {
    fn declarations(&self) -> Declarations {
        Declarations {
            permissions: &[APPROVALS_READ],
            settings: SETTINGS,
            statements: STATEMENTS,
            sealed_columns: const {
                &[
                    agio_core::sealed_column!("approval", "id": Uuid, "shown", |vault, id, sealed| vault.reseal(&purpose(id), sealed)),
                ]
            },
            ..Declarations::default()
        }
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        vec![Job::new("approvals.expire", Duration::from_secs(60), &self, |this| Box::pin(async move { this.expire().await }))]
    }
}

/// Sealing purpose of the facts, which may contain payment details.
fn purpose(id: impl Display) -> String {
    format!("approval {id}")
}

async fn record(tx: &mut Tx, by: &Actor, action: &str, id: Uuid, after: Value, now: Timestamp) -> Result<()> {
    let after = Some(after).filter(|value| !value.is_null());
    audit::record(tx, NewAuditEntry { by, action, about: "approval", id: id.to_string(), before: None, after }, now).await
}

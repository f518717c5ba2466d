//! Four eyes: what one member of staff proposes, another decides.
//!
//! A room that wants a second person for something writes a [`Proposal`] instead of doing it. When a colleague approves, the room
//! is asked to carry it out, in the transaction of the decision: it is done and approved, or neither. Nobody approves what they proposed;
//! the database refuses it too.

mod admin;
mod store;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use agio_core::audit::{self, Entry};
use agio_core::identity::{Actor, Permission, Staff};
use agio_core::live::Notice;
use agio_core::module::Job;
use agio_core::settings::{Setting, SettingKind};
use agio_core::texts::{Dictionary, Texts};
use agio_core::{BoxFuture, Error, Platform, Result, Timestamp, Tx};
use serde_json::{Value, json};
use uuid::Uuid;

pub use admin::ApprovalDesk;
pub use store::{STATEMENTS, Stored};

/// The texts of this room.
pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Seeing what waits for a decision.
pub const APPROVALS_READ: Permission = Permission("approvals.read");

/// Whether a second person is asked at all.
pub const FOUR_EYES: &str = "approvals.four_eyes";

/// What an operator may set here.
pub const SETTINGS: &[Setting] = &[Setting { name: FOUR_EYES, kind: SettingKind::Bool, default: "false", listed: true }];

/// How long a proposal waits for its decision.
const WAITS_FOR: Duration = Duration::from_secs(3 * 24 * 60 * 60);

/// The longest reason.
const REASON_MAX: usize = 500;

/// Something that is proposed.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// What kind of thing is proposed; its title is the text `approval.KIND`.
    pub kind: &'static str,
    /// The kind of thing it is about, and which one; the console links to it.
    pub about: (&'static str, String),
    /// What the approver has to see, as names and values.
    pub shown: Value,
    /// What its room needs to carry it out.
    pub payload: Value,
}

/// A room that carries out what was approved.
pub trait Approvable: Send + Sync {
    /// The kind of proposals it carries out.
    fn kind(&self) -> &'static str;

    /// What the approver has to be allowed.
    fn permission(&self) -> Permission;

    /// Does what was proposed, in the transaction of the decision. An error leaves the proposal undecided.
    fn carry_out<'t>(self: Arc<Self>, tx: &'t mut Tx, proposal: &'t Stored, approver: &'t Staff) -> BoxFuture<'t, Result<()>>;
}

/// What becomes of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It waits for somebody's decision.
    Waiting,
    /// It was approved and done.
    Approved,
    /// It was refused.
    Rejected,
    /// Who proposed it took it back.
    Withdrawn,
    /// Nobody decided in time.
    Expired,
}

impl State {
    /// Every state.
    pub const ALL: [Self; 5] = [Self::Waiting, Self::Approved, Self::Rejected, Self::Withdrawn, Self::Expired];

    /// The name it is stored and sent under.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Withdrawn => "withdrawn",
            Self::Expired => "expired",
        }
    }
}

impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for State {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|state| state.name() == text).ok_or_else(|| format!("no proposal is {text:?}"))
    }
}

agio_core::text_column!(State);

/// The proposals of the house. Rooms that propose hold a clone.
#[derive(Clone)]
pub struct Approvals {
    platform: Platform,
}

impl Approvals {
    /// Over the house's database.
    #[must_use]
    pub fn new(platform: &Platform) -> Self {
        Self { platform: platform.clone() }
    }

    /// Whether a second person is asked at all.
    #[must_use]
    pub fn are_on(&self) -> bool {
        self.platform.settings.is_on(FOUR_EYES)
    }

    /// Writes a proposal, in the caller's transaction, and gives its identifier.
    ///
    /// # Errors
    /// 409 `approval_waits` when the same is proposed about the same thing already.
    pub async fn propose(&self, tx: &mut Tx, proposal: Proposal, by: &Staff) -> Result<Uuid> {
        let now = self.platform.clock.now();
        let id = self.platform.random.uuid();
        store::insert(tx, id, &proposal, by, now, now.plus(WAITS_FOR)).await?;
        let after = json!({ "kind": proposal.kind, "about": proposal.about.1 });
        record(tx, &Actor::from(by), "approval.proposed", id, after, now).await?;
        self.tell(tx);
        Ok(id)
    }

    /// Ends the proposals that nobody decided in time.
    ///
    /// # Errors
    /// The database cannot be written.
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
                        record(tx, &Actor::house("approvals.expire"), "approval.expired", *id, Value::Null, now).await?;
                    }
                    if !expired.is_empty() {
                        this.tell(tx);
                    }
                    Ok(())
                })
            })
            .await
    }

    /// What this room does by itself.
    #[must_use]
    pub fn jobs(&self) -> Vec<Job> {
        let this = Arc::new(self.clone());
        vec![Job::new("approvals.expire", Duration::from_secs(60), &this, |this| Box::pin(async move { this.expire().await }))]
    }

    fn tell(&self, tx: &mut Tx) {
        let live = self.platform.live.clone();
        tx.after_commit(move || live.tell(Notice::Approvals));
    }
}

/// Where proposals are decided: knows who carries out what.
#[derive(Clone)]
pub struct Decisions {
    approvals: Approvals,
    rooms: Arc<HashMap<&'static str, Arc<dyn Approvable>>>,
    texts: Arc<Texts>,
}

impl Decisions {
    /// Decisions on what these rooms carry out.
    #[must_use]
    pub fn new(approvals: Approvals, rooms: Vec<Arc<dyn Approvable>>, texts: Arc<Texts>) -> Self {
        let rooms = rooms.into_iter().map(|room| (room.kind(), room)).collect();
        Self { approvals, rooms: Arc::new(rooms), texts }
    }

    /// Approves a proposal and has it carried out.
    ///
    /// # Errors
    /// 404 `approval_not_found`; 409 `approval_decided`; 403 `approval_own`, or `forbidden` without the room's permission; and
    /// whatever the room says when it can no longer be done.
    pub async fn approve(&self, id: Uuid, by: Staff) -> Result<Stored> {
        let this = self.clone();
        let now = self.approvals.platform.clock.now();
        self.approvals
            .platform
            .db
            .write(move |tx| {
                let (this, by) = (this.clone(), by.clone());
                Box::pin(async move {
                    let mut proposal = this.decidable(tx, id, &by, now).await?;
                    let room = this.room(&proposal)?;
                    decide(tx, &mut proposal, State::Approved, &by, None, now).await?;
                    room.carry_out(tx, &proposal, &by).await?;
                    record(tx, &Actor::from(&by), "approval.approved", id, Value::Null, now).await?;
                    this.approvals.tell(tx);
                    Ok(proposal)
                })
            })
            .await
    }

    /// Refuses a proposal, with the reason for its author.
    ///
    /// # Errors
    /// As [`approve`](Self::approve); 422 for a reason that is missing or too long.
    pub async fn reject(&self, id: Uuid, reason: String, by: Staff) -> Result<Stored> {
        if reason.trim().is_empty() {
            return Err(Error::unprocessable("validation_failed").at("reason", "required"));
        }
        if reason.chars().count() > REASON_MAX {
            return Err(Error::unprocessable("validation_failed").with("max", REASON_MAX).at("reason", "text_too_long"));
        }
        self.end(id, State::Rejected, Some(reason), by).await
    }

    /// Takes a proposal of one's own back.
    ///
    /// # Errors
    /// 404 `approval_not_found`; 409 `approval_decided`; 403 `approval_not_own`.
    pub async fn withdraw(&self, id: Uuid, by: Staff) -> Result<Stored> {
        self.end(id, State::Withdrawn, None, by).await
    }

    async fn end(&self, id: Uuid, state: State, reason: Option<String>, by: Staff) -> Result<Stored> {
        let this = self.clone();
        let now = self.approvals.platform.clock.now();
        self.approvals
            .platform
            .db
            .write(move |tx| {
                let (this, by, reason) = (this.clone(), by.clone(), reason.clone());
                Box::pin(async move {
                    let mut proposal = match state {
                        State::Withdrawn => waiting(tx, id, now).await?,
                        _ => this.decidable(tx, id, &by, now).await?,
                    };
                    if state == State::Withdrawn && proposal.proposed_by != by.id {
                        return Err(Error::new(agio_core::Kind::Forbidden, "approval_not_own"));
                    }
                    let said = json!({ "reason": reason });
                    decide(tx, &mut proposal, state, &by, reason, now).await?;
                    let action = if state == State::Rejected { "approval.rejected" } else { "approval.withdrawn" };
                    record(tx, &Actor::from(&by), action, id, said, now).await?;
                    this.approvals.tell(tx);
                    Ok(proposal)
                })
            })
            .await
    }

    /// A proposal that this member of staff may decide.
    async fn decidable(&self, tx: &mut Tx, id: Uuid, by: &Staff, now: Timestamp) -> Result<Stored> {
        let proposal = waiting(tx, id, now).await?;
        let permission = self.room(&proposal)?.permission();
        if !by.role.may(permission) {
            return Err(Error::forbidden(permission.0));
        }
        if proposal.proposed_by == by.id {
            return Err(Error::new(agio_core::Kind::Forbidden, "approval_own"));
        }
        Ok(proposal)
    }

    fn room(&self, proposal: &Stored) -> Result<Arc<dyn Approvable>> {
        let room = self.rooms.get(proposal.kind.as_str()).cloned();
        room.ok_or_else(|| Error::internal(format!("no room carries out {:?}", proposal.kind)))
    }
}

/// A proposal that is still undecided.
async fn waiting(tx: &mut Tx, id: Uuid, now: Timestamp) -> Result<Stored> {
    let proposal = store::proposal(tx, id).await?.ok_or_else(|| Error::not_found("approval_not_found"))?;
    if proposal.state != State::Waiting || proposal.expires_at <= now {
        return Err(Error::conflict("approval_decided"));
    }
    Ok(proposal)
}

async fn decide(
    tx: &mut Tx,
    proposal: &mut Stored,
    state: State,
    by: &Staff,
    reason: Option<String>,
    now: Timestamp,
) -> Result<()> {
    proposal.state = state;
    proposal.decided_by = Some(by.id);
    proposal.decided_name = Some(by.name.clone());
    proposal.decided_at = Some(now);
    proposal.reason = reason;
    match store::decide(tx, proposal).await? {
        true => Ok(()),
        false => Err(Error::conflict("approval_decided")),
    }
}

async fn record(tx: &mut Tx, by: &Actor, action: &str, id: Uuid, after: Value, now: Timestamp) -> Result<()> {
    let after = Some(after).filter(|value| !value.is_null());
    audit::record(tx, Entry { by, action, about: "approval", id: id.to_string(), before: None, after }, now).await
}

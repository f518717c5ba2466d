//! Four eyes: what one member of staff proposes, another decides.
//!
//! A room that wants a second person for something writes a [`Proposal`] instead of doing it. When a colleague approves, the room
//! is asked to carry it out, in the transaction of the decision: it is done and approved, or neither. Nobody approves what they proposed;
//! the database refuses it too.

mod admin;
mod decisions;
mod fact;
mod sealing;
mod store;
mod view;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use agio_core::audit::{self, Entry};
use agio_core::error::Params;
use agio_core::identity::{Actor, Permission, Staff};
use agio_core::live::Notice;
use agio_core::module::{Job, Module};
use agio_core::settings::Setting;
use agio_core::texts::{Dictionary, Locale, Texts};
use agio_core::{BoxFuture, Error, Platform, Result, Timestamp, Tx};
use serde_json::{Value, json};
use uuid::Uuid;

pub use admin::ApprovalDesk;
pub use decisions::Decisions;
pub use fact::{Fact, Said};
pub use store::{STATEMENTS, Stored, fresh};
pub use view::{Approval, Proposed};

/// The texts of this room.
pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Seeing what waits for a decision.
pub const APPROVALS_READ: Permission = Permission("approvals.read");

/// Whether a second person is asked at all.
pub const FOUR_EYES: &str = "approvals.four_eyes";

/// The greatest payout that one person lets go alone, in whole units of the base currency.
pub const PAYOUT_LIMIT: &str = "approvals.payout_limit";

/// The greatest refund that one person lets go alone, in whole units of the base currency.
pub const REFUND_LIMIT: &str = "approvals.refund_limit";

/// By how many percent one person may move the course of a pair.
pub const RATE_PERCENT: &str = "approvals.rate_percent";

const LIMIT_MAX: i64 = 1_000_000_000;

/// What an operator may set here. While a second person is asked, changing these asks one too: else one person could turn the rule off.
pub const SETTINGS: &[Setting] = &[
    Setting::switch(FOUR_EYES, "false"),
    Setting::number(PAYOUT_LIMIT, 0, LIMIT_MAX, "1000"),
    Setting::number(REFUND_LIMIT, 0, LIMIT_MAX, "1000"),
    Setting::number(RATE_PERCENT, 0, 100, "5"),
];

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
    /// What the approver has to see.
    pub shown: Vec<Fact>,
    /// What its room needs to carry it out.
    pub payload: Value,
}

/// A room that carries out what was approved.
pub trait Approvable: Send + Sync {
    /// The kind of proposals it carries out.
    fn kind(&self) -> &'static str;

    /// What the approver has to be allowed.
    fn permission(&self) -> Permission;

    /// Does what was proposed, in the transaction of the decision. An error leaves the proposal undecided; 409 `approval_outdated`
    /// where the thing is not any more what it was when it was proposed.
    fn carry_out<'t>(self: Arc<Self>, tx: &'t mut Tx, proposal: &'t Stored, approver: &'t Staff) -> BoxFuture<'t, Result<()>>;

    /// What memory has to learn once it is durable.
    fn settled(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async { Ok(()) })
    }
}

/// The refusal to carry out what was proposed about a thing that has changed since.
#[must_use]
pub fn outdated() -> Error {
    Error::conflict("approval_outdated")
}

/// What a use case did: the thing, or a proposal of it.
#[derive(Clone, Debug)]
pub enum Done<T> {
    /// It is done.
    Now(T),
    /// A second person has to agree first.
    Proposed(Box<Stored>),
}

agio_core::named! {
    /// What becomes of a proposal.
    State {
        /// It waits for somebody's decision.
        Waiting = "waiting",
        /// It was approved and done.
        Approved = "approved",
        /// It was refused.
        Rejected = "rejected",
        /// Who proposed it took it back.
        Withdrawn = "withdrawn",
        /// Nobody decided in time.
        Expired = "expired",
    }
}

/// The proposals of the house. Rooms that propose hold a clone.
#[derive(Clone)]
pub struct Approvals {
    platform: Platform,
    texts: Arc<Texts>,
    /// What an approver has to be allowed, by the kind of proposal; known once there are [`Decisions`].
    permissions: Arc<OnceLock<HashMap<&'static str, Permission>>>,
}

impl Approvals {
    /// Over the house's database, with all texts of the house.
    #[must_use]
    pub fn new(platform: &Platform, texts: Arc<Texts>) -> Self {
        Self { platform: platform.clone(), texts, permissions: Arc::default() }
    }

    /// Whether a second person is asked at all.
    #[must_use]
    pub fn are_on(&self) -> bool {
        self.platform.settings.is_on(FOUR_EYES)
    }

    /// What an approver of this kind has to be allowed; nothing for a kind that nobody carries out.
    #[must_use]
    pub fn permission(&self, kind: &str) -> Option<Permission> {
        self.permissions.get()?.get(kind).copied()
    }

    /// Every kind of proposal that somebody carries out.
    #[must_use]
    pub fn kinds(&self) -> Vec<&'static str> {
        let mut kinds: Vec<_> = self.permissions.get().into_iter().flat_map(HashMap::keys).copied().collect();
        kinds.sort_unstable();
        kinds
    }

    /// What a kind of proposal is called.
    #[must_use]
    pub fn title(&self, kind: &str, locale: Locale) -> String {
        self.texts.get(locale, &format!("approval.{kind}"), &Params::new())
    }

    /// Writes a proposal, in the caller's transaction.
    ///
    /// # Errors
    /// 409 `approval_waits` when the same is proposed about the same thing already.
    pub async fn propose(&self, tx: &mut Tx, proposal: Proposal, by: &Staff) -> Result<Stored> {
        let now = self.platform.clock.now();
        let shown = serde_json::to_vec(&proposal.shown).map_err(Error::internal)?;
        let (about_kind, about_id) = proposal.about;
        let id = self.platform.random.uuid_at(now);
        let stored = Stored {
            id,
            kind: proposal.kind.to_owned(),
            about_kind: about_kind.to_owned(),
            about_id,
            shown: self.platform.vault.seal(&purpose(id), &shown),
            payload: proposal.payload.to_string(),
            state: State::Waiting,
            proposed_by: by.id,
            proposed_name: by.name.clone(),
            proposed_at: now,
            expires_at: now.plus(WAITS_FOR),
            decided_by: None,
            decided_name: None,
            decided_at: None,
            reason: None,
        };
        store::insert(tx, &stored).await?;
        let after = json!({ "kind": stored.kind, "aboutKind": stored.about_kind, "about": stored.about_id });
        record(tx, &Actor::from(by), "approval.proposed", stored.id, after, now).await?;
        self.tell(tx);
        Ok(stored)
    }

    /// What the approver of a proposal has to see.
    ///
    /// # Errors
    /// 409 `approval_unreadable`.
    fn facts(&self, proposal: &Stored) -> Result<Vec<Fact>> {
        let opened = self.platform.vault.open(&purpose(proposal.id), &proposal.shown);
        let read = opened.and_then(|json| serde_json::from_slice(&json).map_err(|_| Error::internal("these are no facts")));
        read.map_err(|why| {
            tracing::error!(proposal = %proposal.id, %why, "what a proposal shows cannot be read");
            Error::conflict("approval_unreadable").caused_by(why)
        })
    }

    /// A proposal.
    ///
    /// # Errors
    /// 404 `approval_not_found`.
    pub async fn proposal(&self, tx: &mut Tx, id: Uuid) -> Result<Stored> {
        store::proposal(tx, id).await?.ok_or_else(|| Error::not_found("approval_not_found"))
    }

    /// The newest proposal of a kind about a thing, decided or not.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn newest(&self, tx: &mut Tx, kind: &str, about: (&str, &str)) -> Result<Option<Stored>> {
        store::newest(tx, kind, about).await
    }

    /// How many proposals wait, and how many of them this member of staff may decide.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn waiting(&self, tx: &mut Tx, staff: &Staff) -> Result<(i64, i64)> {
        let of_kinds = store::waiting_for(tx, staff.id).await?;
        let may = |kind: &str| self.permission(kind).is_some_and(|permission| staff.role.may(permission));
        let theirs = of_kinds.iter().filter(|(kind, _)| may(kind)).map(|(_, count)| count).sum();
        Ok((store::waiting(tx).await?, theirs))
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

    fn tell(&self, tx: &mut Tx) {
        let live = self.platform.live.clone();
        tx.after_commit(move || live.tell(Notice::Approvals));
    }
}

impl Module for Approvals {
    fn name(&self) -> &'static str {
        "approvals"
    }

    fn permissions(&self) -> &'static [Permission] {
        &[APPROVALS_READ]
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn statements(&self) -> &'static [(&'static str, &'static str)] {
        STATEMENTS
    }

    fn seal(self: Arc<Self>) -> BoxFuture<'static, Result<()>> {
        Box::pin(async move { self.seal_open_rows().await })
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        vec![Job::new("approvals.expire", Duration::from_secs(60), &self, |this| Box::pin(async move { this.expire().await }))]
    }
}

/// What a proposal shows is sealed for: it may name somebody's payment details.
fn purpose(proposal: Uuid) -> String {
    format!("approval {proposal}")
}

async fn record(tx: &mut Tx, by: &Actor, action: &str, id: Uuid, after: Value, now: Timestamp) -> Result<()> {
    let after = Some(after).filter(|value| !value.is_null());
    audit::record(tx, Entry { by, action, about: "approval", id: id.to_string(), before: None, after }, now).await
}

//! The console's calls that belong to no module: the first screen, mail, notices, the audit log.
//!
//! The first screen says what needs somebody now, gathered from the rooms.

pub mod audit;
pub mod mail;
pub mod notices;
mod outgoing;

use agio_calculator::PairState;
use agio_core::identity::Permission;
use agio_core::outbox::{self, State};
use agio_core::{Error, Result, Timestamp};
use agio_http::{Answer, Moment, Null, Outcome, StaffAuth};
use poem_openapi::{Enum, Object, OpenApi, Tags};
use serde::Serialize;

use crate::app::App;

/// Seeing the first screen.
pub const DESK_READ: Permission = Permission("desk.read");

/// How many claims the first screen lists at most.
const CLAIMS_MAX: i64 = 30;

#[derive(Tags)]
enum Tag {
    /// What needs somebody now.
    Desk,
    /// Mails that left, and those that did not.
    Mail,
    /// What notifiers told staff, and what they could not.
    Notices,
    /// Who did what.
    Audit,
}

/// Rows of a page, if nothing is said, and at most.
const SIZE: u32 = 50;
const SIZE_MAX: u32 = 100;

/// The rows of a page that is asked for.
fn page_size(asked: Option<u32>) -> Result<usize> {
    let size = asked.unwrap_or(SIZE);
    if (1..=SIZE_MAX).contains(&size) {
        Ok(size as usize)
    } else {
        Err(Error::unprocessable("validation_failed").at("size", "malformed_parameter"))
    }
}

/// The first screen's call.
pub struct Desk(App);

impl Desk {
    /// Over the assembled house.
    #[must_use]
    pub fn new(app: App) -> Self {
        Self(app)
    }
}

/// What needs somebody now.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct DeskDashboard {
    /// Claims in numbers.
    claims: DeskClaims,
    /// What needs somebody, the most urgent first.
    items: Vec<DeskItem>,
    /// The books.
    ledger: DeskLedger,
    /// Technical mode.
    tech: DeskTech,
    /// What waits for a second person.
    approvals: DeskApprovals,
    /// What waits in the referral programme.
    referral: DeskReferral,
    /// Mail.
    mail: DeskMail,
    /// Notices to staff.
    notices: DeskNoticesNow,
    /// Partners.
    partners: DeskPartnersNow,
    /// The audit log.
    audit: DeskAudit,
}

/// Claims in numbers.
#[derive(Serialize, Object)]
struct DeskClaims {
    /// Claims that wait for us.
    ours: i64,
    /// Those of them that have waited too long.
    late: i64,
    /// All open claims.
    open: i64,
}

/// The kinds of things that need somebody.
#[derive(Clone, Copy, Serialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
enum DeskItemKind {
    /// A claim waits for us.
    Claim,
    /// A pair stands still.
    Pair,
    /// A reserve is under its floor.
    Reserve,
}

/// One thing that needs somebody.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct DeskItem {
    /// What it is.
    kind: DeskItemKind,
    /// Its identifier: of the claim, the pair or the currency.
    id: String,
    /// Of a claim: the number for talk.
    public_id: Null<i64>,
    /// Of a claim its state; of a pair why it stands still.
    status: Null<String>,
    /// Code of the currency sent, or of the reserve.
    from: String,
    /// Code of the currency received.
    to: Null<String>,
    /// Of a reserve: what is free.
    available: Null<String>,
    /// Of a reserve: its floor.
    floor: Null<String>,
    /// By when somebody should have acted.
    due_at: Null<Moment>,
}

/// The books.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct DeskLedger {
    /// Whether the last check found nothing.
    clean: bool,
    /// When it was.
    checked_at: Null<Moment>,
    /// What it found.
    differences: Vec<String>,
}

/// What waits for a second person.
#[derive(Serialize, Object)]
struct DeskApprovals {
    /// How many proposals wait.
    waiting: i64,
    /// How many of them the caller may decide.
    yours: i64,
}

/// What waits in the referral programme.
#[derive(Serialize, Object)]
struct DeskReferral {
    /// How many accruals are doubtful: the exchange looks like the referrer's own, or has no price.
    accruals: i64,
    /// How many withdrawals wait for a decision or a payment.
    withdrawals: i64,
}

/// Mail.
#[derive(Serialize, Object)]
struct DeskMail {
    /// How many mails wait.
    queued: i64,
    /// How many could not be delivered.
    dead: i64,
}

/// Notices to staff.
#[derive(Serialize, Object)]
struct DeskNoticesNow {
    /// How many were given up.
    dead: i64,
}

/// Partners.
#[derive(Serialize, Object)]
struct DeskPartnersNow {
    /// How many customers wait for a word about their partner access.
    requested: i64,
    /// How many news could not be delivered.
    dead: i64,
}

/// The audit log.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct DeskAudit {
    /// Whether the last proof found nothing.
    clean: bool,
    /// When it was; null before the first.
    checked_at: Null<Moment>,
    /// What it found.
    faults: Vec<String>,
}

/// Technical mode.
#[derive(Serialize, Object)]
struct DeskTech {
    /// Whether it is on.
    on: bool,
    /// When service is expected back.
    time: Null<String>,
}

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Desk")]
impl Desk {
    /// What needs somebody now
    #[oai(path = "/dashboard", method = "get", operation_id = "dashboard")]
    async fn dashboard(&self, staff: StaffAuth) -> Outcome<Answer<DeskDashboard>> {
        let staff = staff.may(DESK_READ)?;
        let overview = self.0.claims.overview(CLAIMS_MAX).await?;
        let mut items: Vec<_> = overview.urgent.iter().map(claim_item).collect();
        items.extend(self.reserve_items());
        items.extend(self.pair_items());
        let checked = self.0.ledger.last_check();
        let settings = &self.0.platform.settings;
        let until = settings.text("tech.until");
        let mut tx = self.0.platform.db.read().await?;
        let mail = DeskMail {
            queued: outbox::count(&mut tx, agio_mail::CHANNEL, State::Queued).await?,
            dead: outbox::count(&mut tx, agio_mail::CHANNEL, State::Dead).await?,
        };
        let notices = DeskNoticesNow { dead: outbox::count(&mut tx, agio_notices::CHANNEL, State::Dead).await? };
        let dead = outbox::count(&mut tx, agio_partners::CHANNEL, State::Dead).await?;
        let (waiting, yours) = self.0.approvals.waiting(&mut tx, &staff).await?;
        let (accruals, withdrawals) = self.0.referral.waiting(&mut tx).await?;
        // What follows takes a connection of its own.
        drop(tx);
        let partners = DeskPartnersNow { requested: self.0.partners.requested().await?, dead };
        let proof = self.0.last_proof();
        Ok(Answer(DeskDashboard {
            claims: DeskClaims { ours: overview.ours, late: overview.late, open: overview.open },
            items,
            ledger: DeskLedger {
                clean: checked.is_clean(),
                checked_at: checked.at.map(Moment).into(),
                differences: checked.differences.iter().map(ToString::to_string).collect(),
            },
            tech: DeskTech { on: settings.is_on("tech.on"), time: Null((!until.is_empty()).then_some(until)) },
            approvals: DeskApprovals { waiting, yours },
            referral: DeskReferral { accruals, withdrawals },
            mail,
            notices,
            partners,
            audit: DeskAudit {
                clean: proof.as_ref().is_none_or(|proof| proof.found.faults.is_empty()),
                checked_at: Null(proof.as_ref().map(|proof| Moment(proof.at))),
                faults: proof.map(|proof| proof.found.faults.clone()).unwrap_or_default(),
            },
        }))
    }

    /// Reserves under their floor.
    fn reserve_items(&self) -> Vec<DeskItem> {
        let market = self.0.calculator.market();
        let low = market.currencies.iter().filter_map(|currency| {
            let free = currency.amount(self.0.calculator.free(currency.id()));
            let floor = currency.amount(currency.reserve_floor);
            (free.units() < floor.units()).then(|| DeskItem {
                available: Null(Some(free.to_string())),
                floor: Null(Some(floor.to_string())),
                ..item(DeskItemKind::Reserve, currency.id().to_string(), currency.facts.code.clone())
            })
        });
        low.collect()
    }

    /// Pairs that stand still though nobody switched them off.
    fn pair_items(&self) -> Vec<DeskItem> {
        let market = self.0.calculator.market();
        let still = market.pairs.iter().filter_map(|pair| {
            let state = pair.state(self.0.calculator.free(pair.pair.to));
            (!matches!(state, PairState::Ok | PairState::Off)).then(|| DeskItem {
                status: Null(Some(state.name().to_owned())),
                to: Null(Some(pair.to.facts.code.clone())),
                ..item(DeskItemKind::Pair, pair.pair.id.to_string(), pair.from.facts.code.clone())
            })
        });
        still.collect()
    }
}

fn claim_item(claim: &agio_claims::DeskRow) -> DeskItem {
    let due_at: Timestamp = claim.due_at;
    DeskItem {
        public_id: Null(Some(claim.public_id)),
        status: Null(Some(claim.status.name().to_owned())),
        to: Null(Some(claim.to_code.clone())),
        due_at: Null(Some(Moment(due_at))),
        ..item(DeskItemKind::Claim, claim.id.to_string(), claim.from_code.clone())
    }
}

fn item(kind: DeskItemKind, id: String, from: String) -> DeskItem {
    DeskItem {
        kind,
        id,
        public_id: Null(None),
        status: Null(None),
        from,
        to: Null(None),
        available: Null(None),
        floor: Null(None),
        due_at: Null(None),
    }
}

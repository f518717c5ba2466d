//! The admin API of the dashboard.

use agio_calculator::PairStatus;
use agio_core::Result;
use agio_core::identity::Permission;
use agio_core::outbox::{self, OutboxState};
use agio_http::{ApiResult, DateTime, JsonResponse, Nullable, StaffAuth, body};
use poem_openapi::{Enum, OpenApi};
use serde::Serialize;

use super::Tag;
use crate::app::App;

pub const DASHBOARD_READ: Permission = Permission("dashboard.read");

const CLAIMS_MAX: i64 = 30;

pub struct DashboardAdminApi(pub App);

/// The dashboard of the console.
#[body(response)]
struct Dashboard {
    /// Numbers of claims.
    claims: DashboardClaims,
    /// Open tasks, the most urgent claims first.
    items: Vec<DashboardItem>,
    /// The last ledger check.
    ledger: DashboardLedger,
    tech: DashboardTechnicalMode,
    /// Pending approval requests.
    approvals: DashboardApprovals,
    /// Open tasks of the referral program.
    referral: DashboardReferral,
    mail: DashboardEmails,
    notices: DashboardStaffAlerts,
    partners: DashboardPartners,
    /// The last verification of the audit log.
    audit: DashboardAuditLog,
    payouts: DashboardPayouts,
}

/// Numbers of claims.
#[body(response)]
struct DashboardClaims {
    /// Claims that wait for staff.
    ours: i64,
    /// Claims that have waited too long for staff.
    late: i64,
    /// Open claims.
    open: i64,
}

/// The kind of an open task.
#[derive(Clone, Copy, Serialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
enum DashboardItemKind {
    /// A claim waits for staff.
    Claim,
    /// An enabled pair is unavailable.
    Pair,
    /// A reserve is below its floor.
    Reserve,
    /// Customers can choose to pay in a currency without payment details for them now.
    Details,
}

/// An open task.
#[body(response)]
struct DashboardItem {
    /// The kind of task.
    kind: DashboardItemKind,
    /// Id of the claim, pair or currency.
    id: String,
    /// Claims only: the public number.
    public_id: Nullable<i64>,
    /// The state of a claim, or why a pair is unavailable.
    status: Nullable<String>,
    /// Code of the currency to give, or of the reserve.
    from: String,
    /// Code of the currency to receive.
    to: Nullable<String>,
    /// Reserves only: the available amount.
    available: Nullable<String>,
    /// Reserves only: the floor.
    floor: Nullable<String>,
    /// When staff should have acted.
    due_at: Nullable<DateTime>,
}

/// The last ledger check.
#[body(response)]
struct DashboardLedger {
    /// Whether there are no differences.
    clean: bool,
    /// When the ledger was checked.
    checked_at: Nullable<DateTime>,
    /// The differences found.
    differences: Vec<String>,
}

/// Pending approval requests.
#[body(response)]
struct DashboardApprovals {
    /// Pending requests.
    waiting: i64,
    /// Pending requests that the caller may decide.
    yours: i64,
}

/// Open tasks of the referral program.
#[body(response)]
struct DashboardReferral {
    /// Commissions to review: the claim may be the referrer's own, or has no price.
    commissions: i64,
    /// Withdrawals that wait for a decision or a payment.
    withdrawals: i64,
}

/// Numbers of emails.
#[body(response)]
struct DashboardEmails {
    /// Queued emails.
    queued: i64,
    /// Undeliverable messages.
    dead: i64,
    /// Whether no mail server is configured, so that emails are only stored.
    local: bool,
}

/// Numbers of staff alerts.
#[body(response)]
struct DashboardStaffAlerts {
    /// Undeliverable alerts.
    dead: i64,
}

/// Open tasks about partners.
#[body(response)]
struct DashboardPartners {
    /// Pending requests for partner access.
    requested: i64,
    /// Undeliverable webhooks.
    dead: i64,
}

/// The last verification of the audit log.
#[body(response)]
struct DashboardAuditLog {
    /// Whether the log is valid.
    clean: bool,
    /// When the log was verified; null before the first time.
    checked_at: Nullable<DateTime>,
    /// The faults found.
    faults: Vec<String>,
}

#[body(response)]
struct DashboardPayouts {
    /// Whether drivers send nothing: after a restore, until an owner has compared wallets and banks with the claims.
    closed: bool,
}

#[body(response)]
struct DashboardTechnicalMode {
    on: bool,
    /// When service is expected back.
    time: Nullable<String>,
}

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Dashboard")]
impl DashboardAdminApi {
    /// Get the dashboard
    ///
    /// Needs `dashboard.read`.
    #[oai(path = "/dashboard", method = "get", operation_id = "getDashboard")]
    async fn dashboard(&self, staff: StaffAuth) -> ApiResult<JsonResponse<Dashboard>> {
        let staff = staff.require(DASHBOARD_READ)?;
        let overview = self.0.claims.overview(CLAIMS_MAX).await?;
        let mut items: Vec<_> = overview.urgent.iter().map(claim_item).collect();
        items.extend(self.reserve_items());
        items.extend(self.pair_items());
        items.extend(self.details_items().await?);
        let checked = self.0.ledger.last_check();
        let settings = &self.0.platform.settings;
        let until = settings.text("tech.until");
        let mut tx = self.0.platform.db.read().await?;
        let mail = DashboardEmails {
            queued: outbox::count(&mut tx, agio_mail::CHANNEL, OutboxState::Queued).await?,
            dead: outbox::count(&mut tx, agio_mail::CHANNEL, OutboxState::Dead).await?,
            local: self.0.stores_mail_locally,
        };
        let notices = DashboardStaffAlerts { dead: outbox::count(&mut tx, agio_staff_alerts::CHANNEL, OutboxState::Dead).await? };
        let dead = outbox::count(&mut tx, agio_partners::CHANNEL, OutboxState::Dead).await?;
        let (waiting, yours) = self.0.approvals.count_waiting(&mut tx, &staff).await?;
        let (commissions, withdrawals) = self.0.referral.open_counts(&mut tx).await?;
        // The next query needs its own connection.
        drop(tx);
        let partners = DashboardPartners { requested: self.0.partners.count_requests().await?, dead };
        let verification = self.0.last_audit_verification();
        Ok(JsonResponse(Dashboard {
            claims: DashboardClaims { ours: overview.ours, late: overview.late, open: overview.open },
            items,
            ledger: DashboardLedger {
                clean: checked.is_clean(),
                checked_at: checked.at.map(DateTime).into(),
                differences: checked.differences.iter().map(ToString::to_string).collect(),
            },
            tech: DashboardTechnicalMode { on: settings.is_on("tech.on"), time: Nullable((!until.is_empty()).then_some(until)) },
            payouts: DashboardPayouts { closed: self.0.payments.are_payouts_closed() },
            approvals: DashboardApprovals { waiting, yours },
            referral: DashboardReferral { commissions, withdrawals },
            mail,
            notices,
            partners,
            audit: DashboardAuditLog {
                clean: verification.as_ref().is_none_or(|verification| verification.found.faults.is_empty()),
                checked_at: Nullable(verification.as_ref().map(|verification| DateTime(verification.at))),
                faults: verification.map(|verification| verification.found.faults.clone()).unwrap_or_default(),
            },
        }))
    }

    /// Reserves below their floor.
    fn reserve_items(&self) -> Vec<DashboardItem> {
        let market = self.0.calculator.market();
        let low = market.currencies.iter().filter_map(|currency| {
            let free = currency.amount(self.0.calculator.free(currency.id()));
            let floor = currency.amount(currency.reserve_floor);
            (free.units() < floor.units()).then(|| DashboardItem {
                available: Nullable(Some(free.to_string())),
                floor: Nullable(Some(floor.to_string())),
                ..item(DashboardItemKind::Reserve, currency.id().to_string(), currency.facts.code.clone())
            })
        });
        low.collect()
    }

    /// Currencies that customers can pay in, without payment details to give out now.
    async fn details_items(&self) -> Result<Vec<DashboardItem>> {
        let pools = self.0.claims.list_requisite_pools().await?;
        let takes = |currency| pools.iter().any(|pool| pool.currency == currency && pool.takes.is_available);
        let market = self.0.calculator.market();
        let missing = market.currencies.iter().filter(|currency| {
            let id = currency.id();
            let is_open = market.pairs.iter().any(|pair| {
                pair.pair.give_id == id && pair.state(self.0.calculator.free(pair.pair.receive_id)) == PairStatus::Ok
            });
            // Cash is handed in at the place of its city.
            is_open && !currency.facts.is_cash() && !takes(id) && !self.0.payments.gives_addresses(id)
        });
        let details = |id: i64, code: &str| item(DashboardItemKind::Details, id.to_string(), code.to_owned());
        Ok(missing.map(|currency| details(currency.id(), &currency.facts.code)).collect())
    }

    /// Enabled pairs that are unavailable.
    fn pair_items(&self) -> Vec<DashboardItem> {
        let market = self.0.calculator.market();
        let still = market.pairs.iter().filter_map(|pair| {
            let state = pair.state(self.0.calculator.free(pair.pair.receive_id));
            (!matches!(state, PairStatus::Ok | PairStatus::Off)).then(|| DashboardItem {
                status: Nullable(Some(state.name().to_owned())),
                to: Nullable(Some(pair.receive.facts.code.clone())),
                ..item(DashboardItemKind::Pair, pair.pair.id.to_string(), pair.give.facts.code.clone())
            })
        });
        still.collect()
    }
}

fn claim_item(claim: &agio_claims::UrgentClaim) -> DashboardItem {
    DashboardItem {
        public_id: Nullable(Some(claim.public_id)),
        status: Nullable(Some(claim.status.name().to_owned())),
        to: Nullable(Some(claim.receive_code.clone())),
        due_at: Nullable(Some(DateTime(claim.due_at))),
        ..item(DashboardItemKind::Claim, claim.id.to_string(), claim.give_code.clone())
    }
}

fn item(kind: DashboardItemKind, id: String, from: String) -> DashboardItem {
    DashboardItem {
        kind,
        id,
        public_id: Nullable(None),
        status: Nullable(None),
        from,
        to: Nullable(None),
        available: Nullable(None),
        floor: Nullable(None),
        due_at: Nullable(None),
    }
}

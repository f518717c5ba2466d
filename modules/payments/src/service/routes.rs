//! Payment routes, as staff configure them. A route decides where customers' money goes, so a change needs
//! two-person approval when that is enabled.

use std::sync::Arc;

use agio_approvals::{ApprovalFact, ApprovalHandler, ApprovalRequest, ApprovalRow, ApprovalValue, ChangeOutcome, outdated};
use agio_contracts::CurrencyInfo;
use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::{Actor, Permission, Staff};
use agio_core::{BoxFuture, Error, Result, Tx};
use agio_plugin_sdk::protocol::PluginKind;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Payments;
use crate::PAYMENTS_CHANGE;
use crate::store::routes::{self, Route};

const CHANGED: &str = "payment_route";

const CONFIRMATIONS_MAX: i64 = 1_000;

/// The settings of a payment route.
#[derive(Clone, Debug)]
pub struct RouteChange {
    /// The revision that was read; 0 for a currency without a route.
    pub revision: i64,
    /// The driver: the plugin that watches the network and pays on it.
    pub driver: String,
    /// Whether claims get addresses of the driver.
    pub enabled: bool,
    /// The confirmations a payment needs.
    pub confirmations: i64,
    /// The tolerated difference from the agreed amount.
    pub tolerance: Decimal,
    /// Smaller payments are ignored.
    pub dust: Decimal,
    /// The plugin that screens payments.
    pub screening: Option<String>,
    /// Whether payouts are automatic.
    pub auto_payout: bool,
    /// The limit of one automatic payout.
    pub claim_limit: Decimal,
    /// The daily limit of automatic payouts.
    pub day_limit: Decimal,
}

impl RouteChange {
    /// The form in which a route is set.
    pub fn of(route: &Route, currency: &CurrencyInfo) -> Self {
        let value = |units| currency.amount(units).value();
        Self {
            revision: route.revision,
            driver: route.driver.clone(),
            enabled: route.enabled,
            confirmations: route.confirmations,
            tolerance: value(route.tolerance),
            dust: value(route.dust),
            screening: route.screening.clone(),
            auto_payout: route.auto_payout,
            claim_limit: value(route.claim_limit),
            day_limit: value(route.day_limit),
        }
    }
}

/// The payload of an approval request.
#[derive(Serialize, Deserialize)]
struct Change {
    before: Option<Route>,
    after: Route,
}

impl Payments {
    /// The route of a currency, in the form in which it is set; `None` for a currency without one.
    ///
    /// # Errors
    /// 422 `currency_unknown`.
    pub async fn route(&self, currency: i64) -> Result<Option<RouteChange>> {
        let facts = self.currency(currency)?;
        let route = routes::of(&mut self.platform.db.read().await?, currency).await?;
        Ok(route.map(|route| RouteChange::of(&route, &facts)))
    }

    /// Sets a route, or creates an approval request. A change that only restricts is applied at once.
    ///
    /// # Errors
    /// 422 with the fields; 409 `route_changed` after a concurrent change, `approval_waits`.
    pub async fn set_route(self: &Arc<Self>, currency: i64, change: RouteChange, staff: Staff) -> Result<ChangeOutcome<Route>> {
        let facts = self.currency(currency)?;
        let after = Arc::new(self.checked(&facts, &change)?);
        self.check_capabilities(&facts, &change).await?;
        let (this, revision) = (self.clone(), change.revision);
        let outcome = self
            .platform
            .db
            .write(move |tx| {
                let (this, after, staff) = (this.clone(), after.clone(), staff.clone());
                Box::pin(async move {
                    let before = routes::of(tx, currency).await?;
                    if before.as_ref().map_or(0, |route| route.revision) != revision {
                        return Err(Error::conflict("route_changed"));
                    }
                    if this.approvals.is_enabled() && !before.as_ref().is_some_and(|before| only_restricts(before, &after)) {
                        let request = this.request_approval(tx, before, &after, &staff).await?;
                        return Ok(ChangeOutcome::PendingApproval(Box::new(request)));
                    }
                    this.put_route(tx, before.as_ref(), &after, &Actor::from(&staff)).await.map(ChangeOutcome::Applied)
                })
            })
            .await?;
        self.load().await?;
        Ok(outcome)
    }

    pub(super) fn checked(&self, currency: &CurrencyInfo, change: &RouteChange) -> Result<Route> {
        let refused = |field: &'static str, code| Error::unprocessable("validation_failed").at(field, code);
        let is_plugin = |kind, name: &str| self.plugins.list(kind).iter().any(|manifest| manifest.name == name);
        if !is_plugin(PluginKind::Payments, &change.driver) {
            return Err(refused("driver", "plugin_unknown"));
        }
        if change.screening.as_deref().is_some_and(|name| !is_plugin(PluginKind::Screening, name)) {
            return Err(refused("screening", "plugin_unknown"));
        }
        if !(1..=CONFIRMATIONS_MAX).contains(&change.confirmations) {
            return Err(refused("confirmations", "not_a_number"));
        }
        let units = |field: &'static str, amount: Decimal| {
            let units = currency.exact(amount).map_err(|error| refused(field, error.code()))?.units();
            if units >= 0 { Ok(units) } else { Err(refused(field, "not_an_amount")) }
        };
        let (claim_limit, day_limit) = (units("claimLimit", change.claim_limit)?, units("dayLimit", change.day_limit)?);
        if change.auto_payout && claim_limit == 0 {
            return Err(refused("claimLimit", "required"));
        }
        if change.auto_payout && day_limit < claim_limit {
            return Err(refused("dayLimit", "below_claim_limit"));
        }
        let now = self.platform.clock.now();
        Ok(Route {
            currency_id: currency.id,
            driver: change.driver.clone(),
            enabled: change.enabled,
            confirmations: change.confirmations,
            tolerance: units("tolerance", change.tolerance)?,
            dust: units("dust", change.dust)?,
            screening: change.screening.clone(),
            auto_payout: change.auto_payout,
            claim_limit,
            day_limit,
            spent_day: 0,
            spent_units: 0,
            cursor: None,
            height: None,
            polled_at: None,
            fault: None,
            fault_at: None,
            revision: change.revision,
            created_at: now,
            updated_at: now,
        })
    }

    async fn request_approval(&self, tx: &mut Tx, before: Option<Route>, after: &Route, staff: &Staff) -> Result<ApprovalRow> {
        let currency = self.currency(after.currency_id)?;
        let sum = |units: i64| ApprovalValue::from(format!("{} {}", currency.amount(units), currency.code));
        let of = |value: &dyn Fn(&Route) -> Option<ApprovalValue>| (before.as_ref().and_then(value), value(after));
        let text = |text: &str| Some(ApprovalValue::from(text.to_owned()));
        let shown = [
            ("driver", of(&|route| text(&route.driver))),
            ("enabled", of(&|route| Some(ApprovalValue::flag(route.enabled)))),
            ("confirmations", of(&|route| text(&route.confirmations.to_string()))),
            ("tolerance", of(&|route| Some(sum(route.tolerance)))),
            ("dust", of(&|route| Some(sum(route.dust)))),
            ("screening", of(&|route| route.screening.as_deref().and_then(text))),
            ("auto_payout", of(&|route| Some(ApprovalValue::flag(route.auto_payout)))),
            ("claim_limit", of(&|route| Some(sum(route.claim_limit)))),
            ("day_limit", of(&|route| Some(sum(route.day_limit)))),
        ];
        let changes = shown.into_iter().filter_map(|(name, (before, after))| ApprovalFact::change(name, before, after));
        let shown = std::iter::once(ApprovalFact::new("currency", currency.code.clone())).chain(changes).collect();
        let payload = json!(Change { before, after: after.clone() });
        let about = ("payment_route", after.currency_id.to_string());
        self.approvals.propose(tx, ApprovalRequest { kind: CHANGED, about, shown, payload }, staff).await
    }

    /// Stores a route with an audit entry.
    pub(super) async fn put_route(&self, tx: &mut Tx, before: Option<&Route>, after: &Route, by: &Actor) -> Result<Route> {
        match before {
            None => routes::insert(tx, after).await?,
            Some(_) if routes::update(tx, after).await? => {}
            Some(_) => return Err(Error::conflict("route_changed")),
        }
        let audited = |route: &Route| {
            let Route { driver, enabled, confirmations, tolerance, dust, screening, auto_payout, claim_limit, day_limit, .. } =
                route;
            json!({
                "driver": driver, "enabled": enabled, "confirmations": confirmations, "tolerance": tolerance, "dust": dust,
                "screening": screening, "autoPayout": auto_payout, "claimLimit": claim_limit, "dayLimit": day_limit,
            })
        };
        let (old, new) = match before {
            None => (None, Some(audited(after))),
            Some(before) => audit::difference(&audited(before), &audited(after))?,
        };
        let id = after.currency_id.to_string();
        let entry = NewAuditEntry { by, action: "payment_route.changed", about: "payment_route", id, before: old, after: new };
        audit::record(tx, entry, self.platform.clock.now()).await?;
        routes::of(tx, after.currency_id).await?.ok_or_else(|| Error::internal("a route was stored"))
    }

    async fn execute_approved(&self, tx: &mut Tx, approval: &ApprovalRow) -> Result<()> {
        let Change { before, after } = approval.read()?;
        let now = routes::of(tx, after.currency_id).await?;
        if now.as_ref().map(|route| route.revision) != before.as_ref().map(|route| route.revision) {
            return Err(outdated());
        }
        self.put_route(tx, before.as_ref(), &after, &approval.proposer()).await.map(drop)
    }
}

/// Whether a change only restricts: fewer addresses, fewer or smaller automatic payouts.
fn only_restricts(before: &Route, after: &Route) -> bool {
    let same = |route: &Route| (route.driver.clone(), route.tolerance, route.dust, route.screening.clone());
    same(before) == same(after)
        && after.confirmations >= before.confirmations
        && (before.enabled || !after.enabled)
        && (before.auto_payout || !after.auto_payout)
        && after.claim_limit <= before.claim_limit
        && after.day_limit <= before.day_limit
}

/// Applies approved changes of routes.
pub struct PaymentRouteApproval(pub Arc<Payments>);

impl ApprovalHandler for PaymentRouteApproval {
    fn handles(&self) -> (&'static str, Permission) {
        (CHANGED, PAYMENTS_CHANGE)
    }

    fn execute<'t>(self: Arc<Self>, tx: &'t mut Tx, approval: &'t ApprovalRow, _: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { self.0.execute_approved(tx, approval).await })
    }

    fn after_commit(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.0.load())
    }
}

//! How a currency is watched and paid, as staff set it. Whoever changes that decides where customers' money goes, so a second person agrees where
//! two are asked.

use std::sync::Arc;

use agio_approvals::{Approvable, Done, Fact, Proposal, Said, Stored, outdated};
use agio_core::audit::{self, Entry};
use agio_core::identity::{Actor, Permission, Staff};
use agio_core::needs::CurrencyFacts;
use agio_core::{Amount, BoxFuture, Error, Result, Tx};
use agio_plugin::protocol::Kind;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Payments;
use crate::PAYMENTS_CHANGE;
use crate::store::routes::{self, Route};

const CHANGED: &str = "payment_route";

/// The most confirmations that are waited for.
const CONFIRMATIONS_MAX: i64 = 1_000;

/// How a currency is to be watched and paid.
#[derive(Clone, Debug)]
pub struct RouteChange {
    /// The revision that was seen; 0 for a currency without a route.
    pub revision: i64,
    /// The plugin that watches the network and pays on it.
    pub driver: String,
    /// Whether customers are given its addresses.
    pub enabled: bool,
    /// Confirmations after which a payment is certain.
    pub confirmations: i64,
    /// A payment that differs by this much at most is taken for the agreed one.
    pub tolerance: Decimal,
    /// What is less than this is not looked at.
    pub dust: Decimal,
    /// The plugin that judges where money comes from.
    pub screening: Option<String>,
    /// Whether payouts leave without staff.
    pub auto_payout: bool,
    /// The greatest such payout.
    pub claim_limit: Decimal,
    /// How much of such payouts may leave on a day.
    pub day_limit: Decimal,
}

/// What a proposal keeps.
#[derive(Serialize, Deserialize)]
struct Change {
    before: Option<Route>,
    after: Route,
}

impl Payments {
    /// How a currency is watched and paid, so that it can be set again; nothing for one without a route.
    ///
    /// # Errors
    /// 422 `currency_unknown`; the database cannot be read.
    pub async fn route(&self, currency: i64) -> Result<Option<RouteChange>> {
        let scale = self.currency(currency)?.scale;
        let value = |units| Amount::of_units(units, scale).value();
        Ok(routes::of(&mut self.platform.db.read().await?, currency).await?.map(|route| RouteChange {
            revision: route.revision,
            driver: route.driver,
            enabled: route.enabled,
            confirmations: route.confirmations,
            tolerance: value(route.tolerance),
            dust: value(route.dust),
            screening: route.screening,
            auto_payout: route.auto_payout,
            claim_limit: value(route.claim_limit),
            day_limit: value(route.day_limit),
        }))
    }

    /// Sets how a currency is watched and paid, or proposes that where a second person has to agree. What makes payments safer is never put off.
    ///
    /// # Errors
    /// 422 with the fields; 409 `route_changed` when a colleague was faster, `approval_waits`.
    pub async fn set_route(self: &Arc<Self>, currency: i64, change: RouteChange, staff: Staff) -> Result<Done<Route>> {
        let facts = self.currency(currency)?;
        let after = Arc::new(self.checked(&facts, &change)?);
        let (this, revision) = (self.clone(), change.revision);
        let done = self
            .platform
            .db
            .write(move |tx| {
                let (this, after, staff) = (this.clone(), after.clone(), staff.clone());
                Box::pin(async move {
                    let before = routes::of(tx, currency).await?;
                    if before.as_ref().map_or(0, |route| route.revision) != revision {
                        return Err(Error::conflict("route_changed"));
                    }
                    if this.approvals.are_on() && !before.as_ref().is_some_and(|before| only_restricts(before, &after)) {
                        let proposed = this.propose_route(tx, before, &after, &staff).await?;
                        return Ok(Done::Proposed(Box::new(proposed)));
                    }
                    this.put_route(tx, before.as_ref(), &after, &Actor::from(&staff)).await.map(Done::Now)
                })
            })
            .await?;
        self.load().await?;
        Ok(done)
    }

    fn checked(&self, currency: &CurrencyFacts, change: &RouteChange) -> Result<Route> {
        let refused = |field: &'static str, code| Error::unprocessable("validation_failed").at(field, code);
        let is_plugin = |kind, name: &str| self.plugins.of(kind).iter().any(|manifest| manifest.name == name);
        if !is_plugin(Kind::Payments, &change.driver) {
            return Err(refused("driver", "plugin_unknown"));
        }
        if change.screening.as_deref().is_some_and(|name| !is_plugin(Kind::Screening, name)) {
            return Err(refused("screening", "plugin_unknown"));
        }
        if !(1..=CONFIRMATIONS_MAX).contains(&change.confirmations) {
            return Err(refused("confirmations", "not_a_number"));
        }
        let units = |field: &'static str, amount: Decimal| {
            let units = Amount::exact(amount, currency.scale).map_err(|error| refused(field, error.code()))?.units();
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
            seen_to: None,
            height: None,
            watched_at: None,
            fault: None,
            fault_at: None,
            revision: change.revision,
            created_at: now,
            updated_at: now,
        })
    }

    async fn propose_route(&self, tx: &mut Tx, before: Option<Route>, after: &Route, staff: &Staff) -> Result<Stored> {
        let currency = self.currency(after.currency_id)?;
        let sum = |units: i64| Said::from(format!("{} {}", Amount::of_units(units, currency.scale), currency.code));
        let of = |say: &dyn Fn(&Route) -> Option<Said>| (before.as_ref().and_then(say), say(after));
        let text = |text: &str| Some(Said::from(text.to_owned()));
        let shown = [
            ("driver", of(&|route| text(&route.driver))),
            ("enabled", of(&|route| Some(Said::flag(route.enabled)))),
            ("confirmations", of(&|route| text(&route.confirmations.to_string()))),
            ("tolerance", of(&|route| Some(sum(route.tolerance)))),
            ("dust", of(&|route| Some(sum(route.dust)))),
            ("screening", of(&|route| route.screening.as_deref().and_then(text))),
            ("auto_payout", of(&|route| Some(Said::flag(route.auto_payout)))),
            ("claim_limit", of(&|route| Some(sum(route.claim_limit)))),
            ("day_limit", of(&|route| Some(sum(route.day_limit)))),
        ];
        let changes = shown.into_iter().filter_map(|(name, (before, after))| Fact::change(name, before, after));
        let shown = std::iter::once(Fact::new("currency", currency.code.clone())).chain(changes).collect();
        let payload = json!(Change { before, after: after.clone() });
        let about = ("payment_route", after.currency_id.to_string());
        self.approvals.propose(tx, Proposal { kind: CHANGED, about, shown, payload }, staff).await
    }

    /// Stores a route and writes down who set it.
    async fn put_route(&self, tx: &mut Tx, before: Option<&Route>, after: &Route, by: &Actor) -> Result<Route> {
        match before {
            None => routes::insert(tx, after).await?,
            Some(_) if routes::update(tx, after).await? => {}
            Some(_) => return Err(Error::conflict("route_changed")),
        }
        let set = |route: &Route| {
            let Route { driver, enabled, confirmations, tolerance, dust, screening, auto_payout, claim_limit, day_limit, .. } =
                route;
            json!({
                "driver": driver, "enabled": enabled, "confirmations": confirmations, "tolerance": tolerance, "dust": dust,
                "screening": screening, "autoPayout": auto_payout, "claimLimit": claim_limit, "dayLimit": day_limit,
            })
        };
        let (old, new) = match before {
            None => (None, Some(set(after))),
            Some(before) => audit::difference(&set(before), &set(after))?,
        };
        let id = after.currency_id.to_string();
        let entry = Entry { by, action: "payment_route.changed", about: "payment_route", id, before: old, after: new };
        audit::record(tx, entry, self.platform.clock.now()).await?;
        routes::of(tx, after.currency_id).await?.ok_or_else(|| Error::internal("a route was stored"))
    }

    async fn carry_out_route(&self, tx: &mut Tx, proposal: &Stored) -> Result<()> {
        let Change { before, after } = proposal.read()?;
        let now = routes::of(tx, after.currency_id).await?;
        if now.as_ref().map(|route| route.revision) != before.as_ref().map(|route| route.revision) {
            return Err(outdated());
        }
        self.put_route(tx, before.as_ref(), &after, &proposal.proposer()).await.map(drop)
    }
}

/// Whether a change only takes something away: what is given out, what leaves without staff, or how much of it.
fn only_restricts(before: &Route, after: &Route) -> bool {
    let same = |route: &Route| (route.driver.clone(), route.tolerance, route.dust, route.screening.clone());
    same(before) == same(after)
        && after.confirmations >= before.confirmations
        && (before.enabled || !after.enabled)
        && (before.auto_payout || !after.auto_payout)
        && after.claim_limit <= before.claim_limit
        && after.day_limit <= before.day_limit
}

/// Changes of routes a colleague agreed to.
pub struct AgreedRoute(pub Arc<Payments>);

impl Approvable for AgreedRoute {
    fn kind(&self) -> &'static str {
        CHANGED
    }

    fn permission(&self) -> Permission {
        PAYMENTS_CHANGE
    }

    fn carry_out<'t>(self: Arc<Self>, tx: &'t mut Tx, proposal: &'t Stored, _: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { self.0.carry_out_route(tx, proposal).await })
    }

    fn settled(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.0.load())
    }
}

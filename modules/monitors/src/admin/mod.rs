//! The calls the console makes.

mod bodies;

use std::collections::BTreeMap;
use std::sync::Arc;

use agio_core::Error;
use agio_http::{Answer, Created, Done, IdempotencyKey, Input, Outcome, StaffAuth, Visitor};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::service::{DirectionSetup, NewMonitor, OWN};
use crate::{MONITORS_EDIT, MONITORS_READ, Monitors};

use bodies::{
    DeskMonitor, DeskMonitorChange, DeskMonitorDirection, DeskMonitorFeed, DeskMonitorFinding, DeskMonitorNew, DeskMonitorSetup,
    DeskMonitors,
};

#[derive(Tags)]
enum ConsoleTag {
    /// Feeds for monitors of exchange rates.
    Monitors,
}

/// The console's calls.
pub struct MonitorDesk(Arc<Monitors>);

impl MonitorDesk {
    /// The calls.
    #[must_use]
    pub fn new(monitors: Arc<Monitors>) -> Self {
        Self(monitors)
    }

    async fn monitor(&self, id: Uuid) -> Outcome<DeskMonitor> {
        let row = self.0.all().await?.into_iter().find(|row| row.id == id);
        let row = row.ok_or_else(|| Error::not_found("monitor_not_found"))?;
        let ready = self.0.feed(&row.slug).await?;
        Ok(DeskMonitor::of(row, &ready))
    }
}

#[OpenApi(prefix_path = "/api/admin/v1/monitors", tag = "ConsoleTag::Monitors")]
impl MonitorDesk {
    /// Monitors, their feeds and what is kept out of them
    ///
    /// Needs `monitors.read`.
    #[oai(path = "/", method = "get", operation_id = "listMonitors")]
    async fn list(&self, staff: StaffAuth, visitor: Visitor) -> Outcome<Answer<DeskMonitors>> {
        staff.may(MONITORS_READ)?;
        self.0.look_after().await?;
        let own = DeskMonitorFeed::of(OWN, &*self.0.feed(OWN).await?);
        let mut items = Vec::new();
        for row in self.0.all().await? {
            let ready = self.0.feed(&row.slug).await?;
            items.push(DeskMonitor::of(row, &ready));
        }
        let finding = |seen| DeskMonitorFinding::of(&self.0, seen, visitor.locale);
        let findings = self.0.findings().into_iter().map(finding).collect();
        Ok(Answer(DeskMonitors::of(own, items, findings)))
    }

    /// Add a monitor
    ///
    /// Its feed is at `/export/SLUG/rates.xml` and `.json` from now on. Needs `monitors.edit`.
    #[oai(path = "/", method = "post", operation_id = "addMonitor")]
    async fn add(
        &self,
        staff: StaffAuth,
        input: Input<DeskMonitorNew>,
        /// Any text of 8 to 255 visible ASCII characters, made anew for each monitor.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> Outcome<Created<DeskMonitor>> {
        let by = staff.may(MONITORS_EDIT)?;
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content(format!("monitor.add:{}", by.id), &content);
        let (slug, change) = input.0.parts()?;
        let id = self.0.add(NewMonitor { slug, change }, by, key).await?;
        Ok(Created { body: self.monitor(id).await?, cookie: None })
    }

    /// Change a monitor
    ///
    /// What is left out stays. `revision` is the one that was seen: 409 `monitor_changed` when a colleague was faster. Needs `monitors.edit`.
    #[oai(path = "/:id", method = "patch", operation_id = "changeMonitor")]
    async fn change(&self, staff: StaffAuth, id: Path<Uuid>, input: Input<DeskMonitorChange>) -> Outcome<Answer<DeskMonitor>> {
        let by = staff.may(MONITORS_EDIT)?;
        let (revision, change) = input.0.parts()?;
        self.0.change(id.0, revision, change, by).await?;
        Ok(Answer(self.monitor(id.0).await?))
    }

    /// Remove a monitor
    ///
    /// Its feed answers 404 from now on; to pause it, switch it off instead. Needs `monitors.edit`.
    #[oai(path = "/:id", method = "delete", operation_id = "removeMonitor")]
    async fn remove(&self, staff: StaffAuth, id: Path<Uuid>) -> Outcome<Done> {
        self.0.remove(id.0, staff.may(MONITORS_EDIT)?).await?;
        Ok(Done)
    }

    /// Directions from a currency, as monitors get them
    ///
    /// Needs `monitors.read`.
    #[oai(path = "/directions", method = "get", operation_id = "listMonitorDirections")]
    async fn directions(
        &self,
        staff: StaffAuth,
        /// The currency sent.
        from: Query<i64>,
    ) -> Outcome<Answer<Vec<DeskMonitorDirection>>> {
        staff.may(MONITORS_READ)?;
        let shown = self.0.setups(from.0)?.into_iter().map(DeskMonitorDirection::from).collect();
        Ok(Answer(shown))
    }

    /// Set a direction up for monitors
    ///
    /// Its marks replace the usual ones; what follows from the direction itself is added to them. Needs `monitors.edit`.
    #[oai(path = "/directions/:from/:to", method = "put", operation_id = "setMonitorDirection")]
    async fn set_direction(
        &self,
        staff: StaffAuth,
        /// The currency sent.
        from: Path<i64>,
        /// The currency received.
        to: Path<i64>,
        input: Input<DeskMonitorSetup>,
    ) -> Outcome<Answer<Vec<DeskMonitorDirection>>> {
        let by = staff.may(MONITORS_EDIT)?;
        let setup = DirectionSetup { from: from.0, to: to.0, listed: input.0.listed, marks: input.0.marks };
        self.0.set_direction(setup, by).await?;
        Ok(Answer(self.0.setups(from.0)?.into_iter().map(DeskMonitorDirection::from).collect()))
    }
}

/// Codes by the identifiers of currencies, once each.
fn codes(given: Vec<bodies::DeskMonitorCode>) -> Result<BTreeMap<i64, String>, Error> {
    let mut codes = BTreeMap::new();
    for (place, code) in given.into_iter().enumerate() {
        if codes.insert(code.currency_id, code.code.trim().to_owned()).is_some() {
            return Err(Error::unprocessable("validation_failed").at(format!("codes[{place}]"), "code_repeated"));
        }
    }
    Ok(codes)
}

//! What the console is shown of monitors, and what it sends.

use std::collections::BTreeMap;

use agio_core::Error;
use agio_core::texts::Locale;
use agio_http::{Moment, Null};
use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::codes;
use crate::Monitors;
use crate::model::marks::{MARKS, is_settable};
use crate::service::{DirectionSeen, MonitorChange, OWN, Ready, Seen};
use crate::store::Row;

/// A feed.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskMonitorFeed {
    /// Where it is as XML, from the site's root.
    xml: String,
    /// Where it is as JSON.
    json: String,
    /// How many directions are in it.
    edges: usize,
    /// How many are kept out because something is wrong.
    kept_out: usize,
    /// How many manual directions rest until the working hours.
    resting: usize,
    /// How many are kept from monitors by hand.
    unlisted: usize,
    /// How many directions of cash are left out because the feed names no city.
    without_city: usize,
    /// When it was made; it is made anew when something changes.
    built_at: Moment,
}

/// A code of a currency that is the monitor's own.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeskMonitorCode {
    /// The currency.
    pub currency_id: i64,
    /// What the monitor calls it.
    pub code: String,
}

/// A monitor.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskMonitor {
    /// Identifier.
    id: Uuid,
    /// Its part of the feed's address.
    slug: String,
    /// What staff call it.
    name: String,
    /// Whether it gets entries; otherwise its feed is empty.
    enabled: bool,
    /// The city of cash, as the monitor calls it.
    city: Null<String>,
    /// Marks of all its entries.
    marks: Vec<String>,
    /// Its own codes.
    codes: Vec<DeskMonitorCode>,
    /// Its feed.
    feed: DeskMonitorFeed,
    /// Counts its changes; a change names the one that was seen.
    revision: i64,
    /// When it was changed last.
    updated_at: Moment,
}

/// Something that is kept out of a feed.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskMonitorFinding {
    /// The monitor's part of the address; null for every feed.
    slug: Null<String>,
    /// The currency sent.
    from: String,
    /// The currency received.
    to: String,
    /// Their identifiers.
    from_id: i64,
    /// Their identifiers.
    to_id: i64,
    /// The rule that is broken: a stable code.
    rule: String,
    /// Why, in the console's language.
    text: String,
    /// The numbers of the text.
    params: BTreeMap<String, String>,
    /// Since when, as far as is known since the last start.
    since: Moment,
}

/// Monitors, their feeds and what is kept out of them.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskMonitors {
    /// The house's own feed.
    own: DeskMonitorFeed,
    /// The monitors.
    items: Vec<DeskMonitor>,
    /// What is kept out.
    findings: Vec<DeskMonitorFinding>,
    /// The marks that can be set.
    marks: Vec<String>,
}

/// A monitor to be added.
#[derive(Debug, Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct DeskMonitorNew {
    /// Its part of the feed's address: 3 to 40 small letters, digits and hyphens.
    slug: String,
    /// What staff call it.
    name: String,
    /// The city of cash, as the monitor calls it.
    city: Option<String>,
    /// Marks of all its entries.
    marks: Option<Vec<String>>,
    /// Its own codes.
    codes: Option<Vec<DeskMonitorCode>>,
}

impl Example for DeskMonitorNew {
    fn example() -> Self {
        let codes = vec![DeskMonitorCode { currency_id: 7, code: "USDTTRC".into() }];
        Self { slug: "bestchange".into(), name: "BestChange".into(), city: None, marks: Some(vec![]), codes: Some(codes) }
    }
}

/// What is changed of a monitor.
#[derive(Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct DeskMonitorChange {
    /// The revision that was seen.
    revision: i64,
    /// Another name.
    name: Option<String>,
    /// Whether it gets entries.
    enabled: Option<bool>,
    /// Another city; empty for none.
    city: Option<String>,
    /// Other marks.
    marks: Option<Vec<String>>,
    /// Other codes, all of them.
    codes: Option<Vec<DeskMonitorCode>>,
}

impl Example for DeskMonitorChange {
    fn example() -> Self {
        Self { revision: 1, name: None, enabled: Some(false), city: None, marks: None, codes: None }
    }
}

/// A direction as monitors get it.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskMonitorDirection {
    /// The currency sent.
    from_id: i64,
    /// The currency received.
    to_id: i64,
    /// The code of the currency received.
    to: String,
    /// Whether monitors get it.
    listed: bool,
    /// Its marks that are set by hand, or usual.
    marks: Vec<String>,
    /// Marks that follow from the direction itself.
    own_marks: Vec<String>,
    /// Whether it is set up by hand; otherwise its marks are the usual ones.
    set: bool,
}

/// How a direction is set up for monitors.
#[derive(Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct DeskMonitorSetup {
    /// Whether monitors get it.
    pub listed: bool,
    /// Its marks.
    pub marks: Vec<String>,
}

impl Example for DeskMonitorSetup {
    fn example() -> Self {
        Self { listed: true, marks: vec!["reg".into(), "card2card".into()] }
    }
}

impl DeskMonitorFeed {
    /// A feed at its address.
    pub fn of(slug: &str, ready: &Ready) -> Self {
        let folder = if slug == OWN { "/export".to_owned() } else { format!("/export/{slug}") };
        Self {
            xml: format!("{folder}/rates.xml"),
            json: format!("{folder}/rates.json"),
            edges: ready.edges,
            kept_out: ready.findings.len(),
            resting: ready.resting,
            unlisted: ready.unlisted,
            without_city: ready.without_city,
            built_at: ready.built_at.into(),
        }
    }
}

impl DeskMonitor {
    /// A monitor with its feed.
    pub fn of(row: Row, ready: &Ready) -> Self {
        let codes: BTreeMap<i64, String> = serde_json::from_str(&row.codes).unwrap_or_default();
        Self {
            id: row.id,
            feed: DeskMonitorFeed::of(&row.slug, ready),
            slug: row.slug,
            name: row.name,
            enabled: row.enabled,
            city: row.city.into(),
            marks: row.marks.split(',').filter(|mark| !mark.is_empty()).map(str::to_owned).collect(),
            codes: codes.into_iter().map(|(currency_id, code)| DeskMonitorCode { currency_id, code }).collect(),
            revision: row.revision,
            updated_at: row.updated_at.into(),
        }
    }
}

impl DeskMonitorFinding {
    /// A finding in a language.
    pub fn of(monitors: &Monitors, seen: Seen, locale: Locale) -> Self {
        let Seen { slug, finding, since } = seen;
        Self {
            slug: Some(slug).filter(|slug| slug != OWN).into(),
            text: monitors.why(&finding, locale),
            from: finding.from,
            to: finding.to,
            from_id: finding.ends.0,
            to_id: finding.ends.1,
            rule: finding.fault.rule.to_owned(),
            params: finding.fault.params.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            since: since.into(),
        }
    }
}

impl DeskMonitors {
    /// Everything together.
    pub fn of(own: DeskMonitorFeed, items: Vec<DeskMonitor>, findings: Vec<DeskMonitorFinding>) -> Self {
        let marks = MARKS.iter().filter(|mark| is_settable(mark)).map(|mark| (*mark).to_owned()).collect();
        Self { own, items, findings, marks }
    }
}

impl DeskMonitorNew {
    /// Its part of the address and everything else.
    pub fn parts(self) -> Result<(String, MonitorChange), Error> {
        let codes = self.codes.map(codes).transpose()?;
        Ok((self.slug, MonitorChange { name: Some(self.name), enabled: None, city: self.city, marks: self.marks, codes }))
    }
}

impl DeskMonitorChange {
    /// The revision that was seen, and what is changed.
    pub fn parts(self) -> Result<(i64, MonitorChange), Error> {
        let codes = self.codes.map(codes).transpose()?;
        let Self { revision, name, enabled, city, marks, .. } = self;
        Ok((revision, MonitorChange { name, enabled, city, marks, codes }))
    }
}

impl From<DirectionSeen> for DeskMonitorDirection {
    fn from(seen: DirectionSeen) -> Self {
        Self {
            from_id: seen.ends.0,
            to_id: seen.ends.1,
            to: seen.to,
            listed: seen.listed,
            marks: seen.marks,
            own_marks: seen.own_marks,
            set: seen.is_set,
        }
    }
}

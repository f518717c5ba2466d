//! The use cases: keeping feeds ready, and changing what monitors get.

mod change;
mod ready;
mod viewing;

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use agio_core::needs::{Direction, OfferStamp, Offers, Robots};
use agio_core::networks::Networks;
use agio_core::texts::{Locale, Texts};
use agio_core::{Error, Platform, Result, Timestamp};
use arc_swap::ArcSwap;

use crate::model::hours::Hours;
use crate::model::lint::Fault;
use crate::model::marks;
use crate::model::{Finding, House, Profile, Setup, feed, lint};
use crate::store::{self, DirectionRow, Row};
use crate::{DICTIONARY, FAR_PERCENT, HOURS_AHEAD, HOURS_FROM, HOURS_TO, ROBOTS};

pub use change::{DirectionSetup, MonitorChange, NewMonitor};
pub use ready::{Face, Ready};
pub use viewing::DirectionSeen;

/// The part of an address that stands for the house's own feed.
pub const OWN: &str = "";

/// Monitors and their feeds.
pub struct Monitors {
    pub(crate) platform: Platform,
    offers: Arc<dyn Offers>,
    texts: Texts,
    set: ArcSwap<Set>,
    /// It is read by one at a time, so that what was read earlier never takes the place of what was read later.
    loading: tokio::sync::Mutex<()>,
    ready: ArcSwap<HashMap<String, Arc<Ready>>>,
    /// What feeds are made from. Only one is made at a time, so that many who ask at once wait for one.
    matrix: tokio::sync::Mutex<Option<Arc<Matrix>>>,
    noticed: Mutex<BTreeMap<Noticed, Timestamp>>,
    robots: ArcSwap<(String, Networks)>,
}

/// A finding by what makes it the same one tomorrow: the feed, the direction and the rule.
type Noticed = (String, (i64, i64), &'static str);

/// What is set for monitors.
#[derive(Debug, Default, PartialEq, Eq)]
struct Set {
    rows: Vec<Row>,
    directions: Vec<DirectionRow>,
    /// Counts its changes.
    count: u64,
}

/// What a feed follows from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    offers: OfferStamp,
    set: u64,
    far_percent: i64,
    rests: bool,
}

/// The directions of a key with what is wrong with them.
struct Matrix {
    key: Key,
    directions: Vec<Direction>,
    wrong: BTreeMap<usize, Fault>,
}

/// A finding with the feed it is of and when it was first seen.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The part of the feed's address.
    pub slug: String,
    /// What was found.
    pub finding: Finding,
    /// Since when it is so, as far as this process knows.
    pub since: Timestamp,
}

impl Monitors {
    /// Over what is offered. Call [`Monitors::load`] before serving.
    ///
    /// # Panics
    /// The module's dictionaries contradict each other: a fault of the program.
    #[must_use]
    pub fn new(platform: &Platform, offers: Arc<dyn Offers>) -> Arc<Self> {
        Arc::new(Self {
            platform: platform.clone(),
            offers,
            texts: Texts::merge(&[DICTIONARY]).expect("the module's dictionaries are whole, by test"),
            set: ArcSwap::default(),
            loading: tokio::sync::Mutex::default(),
            ready: ArcSwap::default(),
            matrix: tokio::sync::Mutex::default(),
            noticed: Mutex::default(),
            robots: ArcSwap::default(),
        })
    }

    /// Reads what is set for monitors anew.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn load(&self) -> Result<()> {
        let _one = self.loading.lock().await;
        let mut tx = self.platform.db.read().await?;
        let (rows, directions) = (store::all(&mut tx).await?, store::directions(&mut tx).await?);
        self.set.rcu(|before| {
            if before.rows == rows && before.directions == directions {
                return before.clone();
            }
            Arc::new(Set { rows: rows.clone(), directions: directions.clone(), count: before.count + 1 })
        });
        Ok(())
    }

    /// Reads what is set, makes every feed that is not of this moment, and notices what is wrong.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn look_after(self: &Arc<Self>) -> Result<()> {
        self.load().await?;
        let slugs: Vec<String> = self.set.load().rows.iter().map(|row| row.slug.clone()).collect();
        self.ready.rcu(|all| {
            let mut kept = HashMap::clone(all);
            kept.retain(|slug, _| slug == OWN || slugs.contains(slug));
            kept
        });
        for slug in std::iter::once(OWN).chain(slugs.iter().map(String::as_str)) {
            self.feed(slug).await?;
        }
        self.notice();
        Ok(())
    }

    /// A feed of this moment: the one that is ready if nothing has changed, else a new one.
    ///
    /// # Errors
    /// 404 `monitor_not_found`.
    pub async fn feed(self: &Arc<Self>, slug: &str) -> Result<Arc<Ready>> {
        let row = self.set.load().rows.iter().find(|row| row.slug == slug).cloned();
        if slug != OWN && row.is_none() {
            return Err(Error::not_found("monitor_not_found"));
        }
        if let Some(ready) = self.still_true(slug) {
            return Ok(ready);
        }
        let mut matrix = self.matrix.lock().await;
        if let Some(ready) = self.still_true(slug) {
            return Ok(ready);
        }
        let (this, before, slug) = (self.clone(), matrix.take(), slug.to_owned());
        let aside = self.platform.aside.clone();
        let (made, ready) = aside.run(move || this.make(&slug, row.as_ref(), before)).await?;
        *matrix = Some(made);
        Ok(ready)
    }

    fn still_true(&self, slug: &str) -> Option<Arc<Ready>> {
        let ready = self.ready.load().get(slug).cloned()?;
        (ready.key == self.key()).then_some(ready)
    }

    fn key(&self) -> Key {
        let settings = &self.platform.settings;
        let hours = Hours { from: settings.int(HOURS_FROM), to: settings.int(HOURS_TO), ahead: settings.int(HOURS_AHEAD) };
        Key {
            offers: self.offers.stamp(),
            set: self.set.load().count,
            far_percent: settings.int(FAR_PERCENT),
            rests: !hours.contain(self.platform.clock.now()),
        }
    }

    fn make(&self, slug: &str, row: Option<&Row>, before: Option<Arc<Matrix>>) -> (Arc<Matrix>, Arc<Ready>) {
        let key = self.key();
        let same = |matrix: &Arc<Matrix>| (&matrix.key.offers, matrix.key.far_percent) == (&key.offers, key.far_percent);
        let matrix = before.filter(same).unwrap_or_else(|| {
            let directions = self.offers.directions(&key.offers);
            Arc::new(Matrix { key: key.clone(), wrong: lint::matrix(&directions, key.far_percent), directions })
        });
        let profile = row.map(profile).transpose();
        let is_unreadable = profile.is_err();
        let profile = profile.unwrap_or_default().unwrap_or_default();
        // A monitor that is switched off gets a feed as in technical mode: valid, and empty.
        let made = match row {
            Some(row) if !row.enabled || is_unreadable => feed(&[], &BTreeMap::new(), &House::default(), &profile),
            _ => feed(&matrix.directions, &matrix.wrong, &self.house(&key), &profile),
        };
        let ready = Arc::new(Ready::of(key, made, self.platform.clock.now()));
        self.ready.rcu(|all| {
            let mut all = HashMap::clone(all);
            all.insert(slug.to_owned(), ready.clone());
            all
        });
        (matrix, ready)
    }

    fn house(&self, key: &Key) -> House {
        let set = self.set.load();
        let setup = |row: &DirectionRow| ((row.from_id, row.to_id), Setup { listed: row.listed, marks: marks::read(&row.marks) });
        House { setups: set.directions.iter().map(setup).collect(), rests: key.rests }
    }

    /// Remembers since when each thing is wrong, and forgets what is right again.
    fn notice(&self) {
        let now = self.platform.clock.now();
        let ready = self.ready.load();
        let present = ready.iter().flat_map(|(slug, ready)| ready.findings.iter().map(|found| noticed(slug, found)));
        let mut noticed = self.noticed.lock().unwrap_or_else(PoisonError::into_inner);
        *noticed =
            present.map(|found| (noticed.get(&found).copied().unwrap_or(now), found)).map(|(at, found)| (found, at)).collect();
    }

    /// What is kept out of feeds now: of the house's own, and of a monitor's what its own codes and marks are the reason of.
    #[must_use]
    pub fn findings(&self) -> Vec<Seen> {
        let ready = self.ready.load();
        let own = ready.get(OWN);
        let is_own = |found: &Finding| own.is_some_and(|own| own.findings.contains(found));
        let since = self.noticed.lock().unwrap_or_else(PoisonError::into_inner);
        let mut slugs: Vec<_> = ready.keys().collect();
        slugs.sort_unstable();
        let of_feed = |slug: &String| {
            let findings = ready[slug].findings.iter().filter(|found| slug == OWN || !is_own(found));
            let seen = findings.map(|finding| Seen {
                slug: slug.clone(),
                since: since.get(&noticed(slug, finding)).copied().unwrap_or(ready[slug].built_at),
                finding: finding.clone(),
            });
            seen.collect::<Vec<_>>()
        };
        slugs.into_iter().flat_map(of_feed).collect()
    }

    /// What has been wrong only since after a moment, each in a line without words of any language: for letters to staff.
    #[must_use]
    pub fn news(&self, after: Timestamp) -> Vec<String> {
        let line = |Finding { from, to, fault, .. }: Finding| {
            let numbers: Vec<_> = fault.params.iter().map(|(name, value)| format!("{name} {value}")).collect();
            format!("{from} > {to}: {} ({})", fault.rule, numbers.join(", "))
        };
        self.findings().into_iter().filter(|seen| seen.since > after).map(|seen| line(seen.finding)).collect()
    }

    /// Why something is kept out.
    #[must_use]
    pub fn why(&self, finding: &Finding, locale: Locale) -> String {
        let params = finding.fault.params.clone().into_iter().collect();
        self.texts.get(locale, &format!("monitor_finding.{}", finding.fault.rule), &params)
    }
}

impl Robots for Monitors {
    fn lets_through(&self, address: IpAddr) -> bool {
        let list = self.platform.settings.text(ROBOTS);
        if self.robots.load().0 != list {
            let networks = Networks::parse(&list).unwrap_or_default();
            self.robots.store(Arc::new((list, networks)));
        }
        self.robots.load().1.contain(address)
    }
}

fn noticed(slug: &str, found: &Finding) -> Noticed {
    (slug.to_owned(), found.ends, found.fault.rule)
}

/// How a monitor wants its feed. One that cannot be read is told, and its feed is empty: under other codes it would offer something else.
fn profile(row: &Row) -> Result<Profile> {
    let codes = serde_json::from_str(&row.codes).map_err(|why| {
        tracing::error!(monitor = row.slug, %why, "the codes a monitor wants cannot be read, so its feed is empty");
        Error::internal(why)
    })?;
    Ok(Profile { codes, marks: marks::read(&row.marks), city: row.city.clone() })
}

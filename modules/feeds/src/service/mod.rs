//! Use cases: building feeds, and administration.

mod aggregators;
mod directions;
mod market_parts;
mod rendered_feed;

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use agio_contracts::{CrawlerAllowlist, OfferProvider, OfferedDirection, OffersVersion};
use agio_core::networks::Networks;
use agio_core::texts::{Locale, Texts};
use agio_core::{Error, Platform, Result, Timestamp};
use arc_swap::ArcSwap;

use crate::model::validation::{FeedFault, FeedFindingRule};
use crate::model::working_hours::WorkingHours;
use crate::model::{DirectionRules, FeedProfile, FeedRules, Finding, build_feed, validation};
use crate::store::{self, AggregatorDirectionRow, AggregatorRow};
use crate::{DICTIONARY, HOURS_FROM, HOURS_TO, MAX_DEVIATION_PERCENT, ROBOTS, UTC_OFFSET_MINUTES};

pub use aggregators::{AggregatorChange, DirectionSetup, NewAggregator};
pub use directions::DirectionOverview;
pub use market_parts::{AggregatorsPart, FeedDirectionsPart};
pub use rendered_feed::{RenderedFeed, Representation};

/// Path segment of our own feed.
pub const OWN_FEED: &str = "";

pub struct Feeds {
    pub(crate) platform: Platform,
    offers: Arc<dyn OfferProvider>,
    texts: Texts,
    set: ArcSwap<FeedSettings>,
    /// Serialises loading, so that older data never replaces newer data.
    loading: tokio::sync::Mutex<()>,
    rendered: ArcSwap<HashMap<String, Arc<RenderedFeed>>>,
    /// One feed is built at a time, so that concurrent requests share the result.
    matrix: tokio::sync::Mutex<Option<Arc<CheckedDirections>>>,
    first_seen: Mutex<BTreeMap<FindingKey, Timestamp>>,
    robots: ArcSwap<(String, Networks)>,
}

/// Identity of a finding: feed, direction and rule.
type FindingKey = (String, (i64, i64), FeedFindingRule);

#[derive(Debug, Default, PartialEq, Eq)]
struct FeedSettings {
    rows: Vec<AggregatorRow>,
    directions: Vec<AggregatorDirectionRow>,
    count: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedInputs {
    offers: OffersVersion,
    set: u64,
    far_percent: i64,
    outside_hours: bool,
}

struct CheckedDirections {
    key: FeedInputs,
    directions: Vec<OfferedDirection>,
    wrong: BTreeMap<usize, FeedFault>,
}

/// A finding with its feed and first occurrence.
#[derive(Clone, Debug)]
pub struct ActiveFinding {
    pub slug: String,
    pub finding: Finding,
    pub since: Timestamp,
}

impl Feeds {
    /// Call [`Feeds::load`] before serving.
    ///
    /// # Panics
    /// If the module's dictionaries are inconsistent.
    pub fn new(platform: &Platform, offers: Arc<dyn OfferProvider>) -> Arc<Self> {
        Arc::new(Self {
            platform: platform.clone(),
            offers,
            texts: Texts::merge(&[DICTIONARY]).expect("the module's dictionaries are valid, by test"),
            set: ArcSwap::default(),
            loading: tokio::sync::Mutex::default(),
            rendered: ArcSwap::default(),
            matrix: tokio::sync::Mutex::default(),
            first_seen: Mutex::default(),
            robots: ArcSwap::default(),
        })
    }

    /// Reloads aggregators and directions.
    pub async fn load(&self) -> Result<()> {
        let _one = self.loading.lock().await;
        let mut tx = self.platform.db.read().await?;
        let (rows, directions) = (store::all(&mut tx).await?, store::directions(&mut tx).await?);
        self.set.rcu(|before| {
            if before.rows == rows && before.directions == directions {
                return before.clone();
            }
            Arc::new(FeedSettings { rows: rows.clone(), directions: directions.clone(), count: before.count + 1 })
        });
        Ok(())
    }

    /// Reloads settings, rebuilds outdated feeds and tracks findings.
    pub async fn refresh(self: &Arc<Self>) -> Result<()> {
        self.load().await?;
        let slugs: Vec<String> = self.set.load().rows.iter().map(|row| row.slug.clone()).collect();
        self.rendered.rcu(|all| {
            let mut all = HashMap::clone(all);
            all.retain(|slug, _| slug == OWN_FEED || slugs.contains(slug));
            all
        });
        for slug in std::iter::once(OWN_FEED).chain(slugs.iter().map(String::as_str)) {
            self.feed(slug).await?;
        }
        self.track_findings();
        Ok(())
    }

    /// The cached feed if its inputs have not changed, otherwise a new one.
    ///
    /// # Errors
    /// 404 `aggregator_not_found`.
    pub async fn feed(self: &Arc<Self>, slug: &str) -> Result<Arc<RenderedFeed>> {
        let row = self.set.load().rows.iter().find(|row| row.slug == slug).cloned();
        if slug != OWN_FEED && row.is_none() {
            return Err(Error::not_found("aggregator_not_found"));
        }
        if let Some(rendered) = self.current(slug) {
            return Ok(rendered);
        }
        let mut matrix = self.matrix.lock().await;
        if let Some(rendered) = self.current(slug) {
            return Ok(rendered);
        }
        let (this, before, slug) = (self.clone(), matrix.take(), slug.to_owned());
        let background = self.platform.background.clone();
        let (built, rendered) = background.run(move || this.render(&slug, row.as_ref(), before)).await?;
        *matrix = Some(built);
        Ok(rendered)
    }

    fn current(&self, slug: &str) -> Option<Arc<RenderedFeed>> {
        let rendered = self.rendered.load().get(slug).cloned()?;
        (rendered.key == self.key()).then_some(rendered)
    }

    fn key(&self) -> FeedInputs {
        let settings = &self.platform.settings;
        let working_hours =
            WorkingHours { from: settings.int(HOURS_FROM), to: settings.int(HOURS_TO), ahead: settings.int(UTC_OFFSET_MINUTES) };
        FeedInputs {
            offers: self.offers.stamp(),
            set: self.set.load().count,
            far_percent: settings.int(MAX_DEVIATION_PERCENT),
            outside_hours: !working_hours.contain(self.platform.clock.now()),
        }
    }

    fn render(
        &self,
        slug: &str,
        row: Option<&AggregatorRow>,
        before: Option<Arc<CheckedDirections>>,
    ) -> (Arc<CheckedDirections>, Arc<RenderedFeed>) {
        let key = self.key();
        let same =
            |matrix: &Arc<CheckedDirections>| (&matrix.key.offers, matrix.key.far_percent) == (&key.offers, key.far_percent);
        let matrix = before.filter(same).unwrap_or_else(|| {
            let directions = self.offers.directions(&key.offers);
            Arc::new(CheckedDirections {
                key: key.clone(),
                wrong: validation::check_directions(&directions, key.far_percent),
                directions,
            })
        });
        let profile = row.map(profile).transpose();
        let is_unreadable = profile.is_err();
        let profile = profile.unwrap_or_default().unwrap_or_default();
        // A disabled aggregator gets a valid, empty feed, as in maintenance mode.
        let built = match row {
            Some(row) if !row.enabled || is_unreadable => build_feed(&[], &BTreeMap::new(), &FeedRules::default(), &profile),
            _ => build_feed(&matrix.directions, &matrix.wrong, &self.rules(&key), &profile),
        };
        let rendered = Arc::new(RenderedFeed::of(key, built, self.platform.clock.now()));
        self.rendered.rcu(|all| {
            let mut all = HashMap::clone(all);
            all.insert(slug.to_owned(), rendered.clone());
            all
        });
        (matrix, rendered)
    }

    fn rules(&self, key: &FeedInputs) -> FeedRules {
        let set = self.set.load();
        let setup = |row: &AggregatorDirectionRow| {
            ((row.give_id, row.receive_id), DirectionRules { listed: row.listed, marks: row.marks.0.clone() })
        };
        FeedRules { setups: set.directions.iter().map(setup).collect(), outside_hours: key.outside_hours }
    }

    /// Records when each finding first occurred.
    fn track_findings(&self) {
        let now = self.platform.clock.now();
        let rendered = self.rendered.load();
        let present = rendered.iter().flat_map(|(slug, rendered)| rendered.findings.iter().map(|found| finding_key(slug, found)));
        let mut first_seen = self.first_seen.lock().unwrap_or_else(PoisonError::into_inner);
        *first_seen =
            present.map(|found| (first_seen.get(&found).copied().unwrap_or(now), found)).map(|(at, found)| (found, at)).collect();
    }

    /// Current findings of our own feed, and those of aggregators that their own codes or marks cause.
    pub fn findings(&self) -> Vec<ActiveFinding> {
        let rendered = self.rendered.load();
        let own = rendered.get(OWN_FEED);
        let is_own = |found: &Finding| own.is_some_and(|own| own.findings.contains(found));
        let since = self.first_seen.lock().unwrap_or_else(PoisonError::into_inner);
        let mut slugs: Vec<_> = rendered.keys().collect();
        slugs.sort_unstable();
        let of_feed = |slug: &String| {
            let findings = rendered[slug].findings.iter().filter(|found| slug == OWN_FEED || !is_own(found));
            let active = findings.map(|finding| ActiveFinding {
                slug: slug.clone(),
                since: since.get(&finding_key(slug, finding)).copied().unwrap_or(rendered[slug].built_at),
                finding: finding.clone(),
            });
            active.collect::<Vec<_>>()
        };
        slugs.into_iter().flat_map(of_feed).collect()
    }

    /// Findings that first occurred after a time, as language-neutral lines for staff alerts.
    pub fn new_findings(&self, after: Timestamp) -> Vec<String> {
        let line = |Finding { from, to, fault, .. }: Finding| {
            let numbers: Vec<_> = fault.params.iter().map(|(name, value)| format!("{name} {value}")).collect();
            format!("{from} > {to}: {} ({})", fault.rule, numbers.join(", "))
        };
        self.findings().into_iter().filter(|active| active.since > after).map(|active| line(active.finding)).collect()
    }

    pub fn explain(&self, finding: &Finding, locale: Locale) -> String {
        let params = finding.fault.params.clone().into_iter().collect();
        self.texts.get(locale, &format!("feed_finding.{}", finding.fault.rule), &params)
    }
}

impl CrawlerAllowlist for Feeds {
    fn allows(&self, address: IpAddr) -> bool {
        let list = self.platform.settings.text(ROBOTS);
        if self.robots.load().0 != list {
            let networks = Networks::parse(&list).unwrap_or_default();
            self.robots.store(Arc::new((list, networks)));
        }
        self.robots.load().1.contains(address)
    }
}

fn finding_key(slug: &str, found: &Finding) -> FindingKey {
    (slug.to_owned(), found.ends, found.fault.rule)
}

/// Unreadable settings are logged and the feed is left empty: with other codes it would offer something else.
fn profile(row: &AggregatorRow) -> Result<FeedProfile> {
    let codes = serde_json::from_str(&row.codes).map_err(|why| {
        tracing::error!(aggregator = row.slug, %why, "the codes of an aggregator are unreadable, so its feed is empty");
        Error::internal(why)
    })?;
    Ok(FeedProfile { codes, marks: row.marks.0.clone() })
}

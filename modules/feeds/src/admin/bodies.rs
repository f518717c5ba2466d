//! Request and response bodies of aggregator administration.

use std::collections::BTreeMap;

use agio_core::Error;
use agio_core::texts::Locale;
use agio_http::{ApiEnum, DateTime, Nullable, body};
use poem_openapi::types::Example;
use uuid::Uuid;

use super::codes;
use crate::Feeds;
use crate::model::marks::FeedMark;
use crate::model::validation::FeedFindingRule;
use crate::service::{ActiveFinding, AggregatorChange, DirectionOverview, OWN_FEED, RenderedFeed};
use crate::store::AggregatorRow;

/// A feed.
#[body(response)]
pub struct AggregatorFeed {
    /// Path of the XML file.
    xml: String,
    /// Path of the JSON file.
    json: String,
    /// Number of entries: one for each direction and, with cash, city.
    edges: usize,
    /// Number of directions excluded because of errors.
    kept_out: usize,
    /// Number of manual directions paused outside working hours.
    resting: usize,
    /// Number of directions unlisted by staff.
    unlisted: usize,
    /// When it was generated; regenerated on changes.
    built_at: DateTime,
}

/// The aggregator's own code of a currency.
#[body(shared)]
#[derive(Clone, Debug)]
pub struct AggregatorCurrencyCode {
    pub currency_id: i64,
    /// Code used by the aggregator.
    pub code: String,
}

/// An exchange aggregator.
#[body(response)]
pub struct Aggregator {
    id: Uuid,
    /// Path segment of its feed.
    slug: String,
    name: String,
    /// Whether its feed has entries; otherwise it is empty.
    enabled: bool,
    /// Marks of all its entries.
    marks: Vec<ApiEnum<FeedMark>>,
    /// The aggregator's own currency codes.
    codes: Vec<AggregatorCurrencyCode>,
    feed: AggregatorFeed,
    /// Current revision; send it with a change.
    revision: i64,
    /// Time of the last change.
    updated_at: DateTime,
}

/// A direction excluded from a feed because of an error.
#[body(response)]
pub struct FeedFinding {
    /// Path segment of the aggregator; null if it concerns all feeds.
    slug: Nullable<String>,
    /// The given currency.
    from: String,
    /// The received currency.
    to: String,
    /// Id of the currency.
    give_id: i64,
    /// Id of the currency.
    receive_id: i64,
    /// The violated rule.
    rule: ApiEnum<FeedFindingRule>,
    /// Explanation in the request's language.
    text: String,
    /// Values used in the text.
    params: BTreeMap<String, String>,
    /// When it was first detected since the last restart.
    since: DateTime,
}

/// Aggregators, feeds and findings.
#[body(response)]
pub struct AggregatorList {
    /// Our own feed.
    own: AggregatorFeed,
    /// The aggregators.
    items: Vec<Aggregator>,
    /// Excluded directions.
    findings: Vec<FeedFinding>,
    /// Marks that staff can set.
    marks: Vec<ApiEnum<FeedMark>>,
}

/// A request to create an aggregator.
#[body(shared, example)]
#[derive(Debug)]
pub struct CreateAggregatorRequest {
    /// Path segment of its feed: 3 to 40 lower-case letters, digits and hyphens.
    slug: String,
    name: String,
    /// Marks of all its entries.
    marks: Option<Vec<ApiEnum<FeedMark>>>,
    /// The aggregator's own currency codes.
    codes: Option<Vec<AggregatorCurrencyCode>>,
}

impl Example for CreateAggregatorRequest {
    fn example() -> Self {
        let codes = vec![AggregatorCurrencyCode { currency_id: 7, code: "USDTTRC".into() }];
        Self { slug: "bestchange".into(), name: "BestChange".into(), marks: Some(vec![]), codes: Some(codes) }
    }
}

/// A partial update; omitted values stay as they are.
#[body(request, example)]
#[derive(Debug)]
pub struct UpdateAggregatorRequest {
    /// Current revision; 409 if it is stale.
    revision: i64,
    /// New display name.
    name: Option<String>,
    /// Whether its feed has entries.
    enabled: Option<bool>,
    /// New marks.
    marks: Option<Vec<ApiEnum<FeedMark>>>,
    /// New currency codes; replaces all.
    codes: Option<Vec<AggregatorCurrencyCode>>,
}

impl Example for UpdateAggregatorRequest {
    fn example() -> Self {
        Self { revision: 1, name: None, enabled: Some(false), marks: None, codes: None }
    }
}

/// A direction in the feeds.
#[body(response)]
pub struct AggregatorDirection {
    /// The given currency.
    give_id: i64,
    /// The received currency.
    receive_id: i64,
    /// Code of the received currency.
    to: String,
    /// Whether it is listed in feeds.
    listed: bool,
    /// Marks set by staff, or the defaults.
    marks: Vec<ApiEnum<FeedMark>>,
    /// Marks derived from the direction.
    own_marks: Vec<ApiEnum<FeedMark>>,
    /// Whether staff configured it; otherwise the defaults apply.
    set: bool,
}

/// Feed settings of a direction.
#[body(request, example)]
#[derive(Debug)]
pub struct UpdateAggregatorDirectionRequest {
    /// Whether it is listed in feeds.
    pub listed: bool,
    pub marks: Vec<ApiEnum<FeedMark>>,
}

impl Example for UpdateAggregatorDirectionRequest {
    fn example() -> Self {
        Self { listed: true, marks: published([FeedMark::Reg, FeedMark::Card2Card]) }
    }
}

fn published(marks: impl IntoIterator<Item = FeedMark>) -> Vec<ApiEnum<FeedMark>> {
    marks.into_iter().map(ApiEnum).collect()
}

pub fn chosen(marks: Vec<ApiEnum<FeedMark>>) -> Vec<FeedMark> {
    marks.into_iter().map(|mark| mark.0).collect()
}

impl AggregatorFeed {
    pub fn of(slug: &str, rendered: &RenderedFeed) -> Self {
        let folder = if slug == OWN_FEED { "/export".to_owned() } else { format!("/export/{slug}") };
        Self {
            xml: format!("{folder}/rates.xml"),
            json: format!("{folder}/rates.json"),
            edges: rendered.edges,
            kept_out: rendered.findings.len(),
            resting: rendered.resting,
            unlisted: rendered.unlisted,
            built_at: rendered.built_at.into(),
        }
    }
}

impl Aggregator {
    pub fn of(row: AggregatorRow, rendered: &RenderedFeed) -> Self {
        let codes: BTreeMap<i64, String> = serde_json::from_str(&row.codes).unwrap_or_default();
        Self {
            id: row.id,
            feed: AggregatorFeed::of(&row.slug, rendered),
            slug: row.slug,
            name: row.name,
            enabled: row.enabled,
            marks: published(row.marks.0),
            codes: codes.into_iter().map(|(currency_id, code)| AggregatorCurrencyCode { currency_id, code }).collect(),
            revision: row.revision,
            updated_at: row.updated_at.into(),
        }
    }
}

impl FeedFinding {
    pub fn of(feeds: &Feeds, active: ActiveFinding, locale: Locale) -> Self {
        let ActiveFinding { slug, finding, since } = active;
        Self {
            slug: Some(slug).filter(|slug| slug != OWN_FEED).into(),
            text: feeds.explain(&finding, locale),
            from: finding.from,
            to: finding.to,
            give_id: finding.ends.0,
            receive_id: finding.ends.1,
            rule: ApiEnum(finding.fault.rule),
            params: finding.fault.params.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            since: since.into(),
        }
    }
}

impl AggregatorList {
    pub fn of(own: AggregatorFeed, items: Vec<Aggregator>, findings: Vec<FeedFinding>) -> Self {
        let marks = published(FeedMark::ALL.into_iter().filter(|mark| mark.is_settable()));
        Self { own, items, findings, marks }
    }
}

impl CreateAggregatorRequest {
    pub fn parts(self) -> Result<(String, AggregatorChange), Error> {
        let codes = self.codes.map(codes).transpose()?;
        Ok((self.slug, AggregatorChange { name: Some(self.name), enabled: None, marks: self.marks.map(chosen), codes }))
    }
}

impl UpdateAggregatorRequest {
    pub fn parts(self) -> Result<(i64, AggregatorChange), Error> {
        let codes = self.codes.map(codes).transpose()?;
        let Self { revision, name, enabled, marks, .. } = self;
        Ok((revision, AggregatorChange { name, enabled, marks: marks.map(chosen), codes }))
    }
}

impl From<DirectionOverview> for AggregatorDirection {
    fn from(direction: DirectionOverview) -> Self {
        Self {
            give_id: direction.ends.0,
            receive_id: direction.ends.1,
            to: direction.to,
            listed: direction.listed,
            marks: published(direction.marks),
            own_marks: published(direction.own_marks),
            set: direction.is_set,
        }
    }
}

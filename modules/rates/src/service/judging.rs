//! Ruling on what sources said.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use agio_core::needs::{BookPair, RateBook, Ruling};
use agio_core::{Error, Result, Timestamp};
use rust_decimal::Decimal;

use super::{Rates, asking};
use crate::model::decide::{Decided, Known, decide};
use crate::model::legs::{self, Said, Trust};
use crate::model::position::Board;
use crate::model::rules::Rules;
use crate::model::watch::{Limits, Watch};
use crate::store::{self, AnswerRow, Digits, PointRow, SourceRow, WatchRow};
use crate::{JUMP, LOOK_EVERY, RESUME, SOURCES, TOLERANCE, WINDOW};

/// How often a point of a chart is made while nothing happens.
const POINT_EVERY: Duration = Duration::from_secs(300);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// How much older than a day the rate of a day ago may be.
/// How many rows of a kind are stored at once.
const PART: usize = 500;
const DAY_SLACK: Duration = Duration::from_secs(3 * 60 * 60);

/// Everything a cycle begins with.
pub(super) struct Start {
    pub(super) known: Known,
    pub(super) rules: BTreeMap<i64, Rules>,
    stored: BTreeMap<i64, WatchRow>,
}

/// Everything a cycle ends with.
struct Work {
    ruling: Ruling,
    /// What is remembered of pairs that have stopped, or go on.
    turned: Vec<WatchRow>,
    /// What is remembered of others.
    watches: Vec<WatchRow>,
    points: Vec<PointRow>,
}

impl Rates {
    /// Rules on what is known now and has it priced with. On several nodes one of them does it.
    pub(super) async fn judge(&self) -> Result<()> {
        let _turn = self.judging.lock().await;
        let Some(start) = self.start().await? else { return self.rest().await };
        let (now, book) = (start.known.now, self.book.clone());
        let work = Arc::new(self.platform.aside.run(move || start.ruled(&*book)).await??);
        let (book, kept) = (self.book.clone(), work.clone());
        let is_mine = self.platform.db.write(move |tx| {
            let (book, work) = (book.clone(), work.clone());
            Box::pin(async move {
                if !store::take_cycle(tx, now, now.minus(LOOK_EVERY / 2)).await? {
                    return Ok(false);
                }
                book.rule(tx, &work.ruling).await?;
                for row in &work.turned {
                    store::put_watch(tx, row).await?;
                }
                Ok(true)
            })
        });
        if is_mine.await? {
            self.resting.store(false, std::sync::atomic::Ordering::Relaxed);
            self.book.refresh().await?;
            self.remember(&kept).await?;
        }
        Ok(())
    }

    /// Stores what changes in most cycles for most pairs, a part at a time: others write in between. Whoever is interrupted here remembers the
    /// rest as it was a cycle ago.
    async fn remember(&self, work: &Arc<Work>) -> Result<()> {
        let rows = work.watches.len().max(work.points.len());
        for first in (0..rows).step_by(PART) {
            let work = work.clone();
            let stored = self.platform.db.write(move |tx| {
                let work = work.clone();
                Box::pin(async move {
                    for row in work.watches.iter().skip(first).take(PART) {
                        store::put_watch(tx, row).await?;
                    }
                    for row in work.points.iter().skip(first).take(PART) {
                        store::put_point(tx, row).await?;
                    }
                    Ok(())
                })
            });
            stored.await?;
        }
        Ok(())
    }

    /// Takes back what was ruled when the last source was switched off.
    async fn rest(&self) -> Result<()> {
        if self.resting.load(std::sync::atomic::Ordering::Relaxed) {
            return Ok(());
        }
        let book = self.book.clone();
        let work = self.platform.db.write(move |tx| {
            let book = book.clone();
            Box::pin(async move {
                store::forget_stops(tx).await?;
                book.rule(tx, &Ruling::default()).await
            })
        });
        work.await?;
        self.resting.store(true, std::sync::atomic::Ordering::Relaxed);
        self.book.refresh().await
    }

    /// Reads what is known; nothing where no source is on and no pair has rules.
    async fn start(&self) -> Result<Option<Start>> {
        self.start_with(false).await
    }

    /// The same, also where nothing is ruled while `anyway`.
    pub(super) async fn start_with(&self, anyway: bool) -> Result<Option<Start>> {
        let now = self.platform.clock.now();
        let mut tx = self.platform.db.read().await?;
        let sources = store::sources(&mut tx).await?;
        let rules = store::rules(&mut tx).await?;
        if !anyway && rules.is_empty() && !sources.iter().any(|row| row.enabled) {
            return Ok(None);
        }
        let answers = store::answers(&mut tx).await?;
        let stored = store::watches(&mut tx).await?;
        let positions = store::positions(&mut tx).await?;
        let a_day_ago = now.minus(DAY);
        let points = store::points_before(&mut tx, a_day_ago, a_day_ago.minus(DAY_SLACK)).await?;
        drop(tx);

        let (book, usual, tolerance) = (self.book.clone(), self.usual(), Decimal::new(self.platform.settings.int(TOLERANCE), 2));
        let is_live = book.is_live() && sources.iter().any(|row| row.enabled);
        let begin = move || -> Result<Start> {
            let rule = |row: store::RuleRow| -> Result<(i64, Rules)> {
                Ok((row.pair_id, serde_json::from_str(&row.rules).map_err(Error::internal)?))
            };
            let remembered = |row: &WatchRow| -> Result<(i64, Watch)> {
                Ok((row.pair_id, serde_json::from_str(&row.watch).map_err(Error::internal)?))
            };
            let said: Vec<Said> = answers.into_iter().map(said).collect();
            let legs = if is_live { legs::judge(&said, &trusted(&sources), tolerance, now) } else { Vec::new() };
            let ruling = Ruling { legs: legs.iter().map(|found| found.leg.clone()).collect(), pairs: Vec::new() };
            let known = Known {
                is_live,
                legs,
                pairs: book.priced(&ruling),
                usual,
                watches: stored.iter().map(remembered).collect::<Result<_>>()?,
                boards: boards(positions, &sources, now)?,
                day_ago: points.into_iter().map(|point| (point.pair_id, (point.market.0, point.at))).collect(),
                now,
            };
            let rules = rules.into_iter().map(rule).collect::<Result<_>>()?;
            let stored = stored.into_iter().map(|row| (row.pair_id, row)).collect();
            Ok(Start { known, rules, stored })
        };
        self.platform.aside.run(begin).await?.map(Some)
    }

    /// What holds for pairs whose rules say nothing.
    fn usual(&self) -> Limits {
        let number = |name| u32::try_from(self.platform.settings.int(name)).unwrap_or_default();
        Limits {
            sources: number(SOURCES),
            jump_percent: number(JUMP).into(),
            window: Duration::from_secs(u64::from(number(WINDOW)) * 60),
            resume_after: number(RESUME),
        }
    }

    /// Every pair with a ruling.
    pub(super) async fn priced(&self, ruling: Ruling) -> Result<Vec<BookPair>> {
        let book = self.book.clone();
        self.platform.aside.run(move || book.priced(&ruling)).await
    }
}

impl Start {
    /// What is ruled, what is remembered otherwise than before, and the points of charts that are due.
    fn ruled(self, book: &dyn RateBook) -> Result<Work> {
        let Self { known, rules, stored } = self;
        let mut decided = decide(&known, &rules);
        let points = points(&known, &mut decided, book);
        let changed = changed(&stored, &decided.watches)?.into_iter();
        let has_turned = |row: &WatchRow| stored.get(&row.pair_id).and_then(|before| before.stopped_at) != row.stopped_at;
        let (turned, watches) = changed.partition(has_turned);
        Ok(Work { ruling: decided.ruling, turned, watches, points })
    }
}

/// The points of charts that are due. What is remembered of their pairs says so from then on.
fn points(known: &Known, decided: &mut Decided, book: &dyn RateBook) -> Vec<PointRow> {
    let stopped: HashMap<i64, bool> = decided.ruling.pairs.iter().map(|ruling| (ruling.pair, ruling.stop.is_some())).collect();
    let mut due = Vec::new();
    for pair in known.pairs.iter().filter(|pair| pair.enabled && pair.market.is_some()) {
        let is_stopped = stopped.get(&pair.id).copied().unwrap_or_default();
        let before = known.watches.get(&pair.id);
        let was_stopped = before.is_some_and(|before| before.stop.is_some() || before.rests_since.is_some());
        let last = before.and_then(|before| before.point_at);
        if is_stopped != was_stopped || last.is_none_or(|last| last <= known.now.minus(POINT_EVERY)) {
            due.push((pair.id, is_stopped));
        }
    }
    if due.is_empty() {
        return Vec::new();
    }
    let priced: HashMap<i64, BookPair> = book.priced(&decided.ruling).into_iter().map(|pair| (pair.id, pair)).collect();
    let mut points = Vec::new();
    for (pair, is_stopped) in due {
        let Some((market, course)) = priced.get(&pair).and_then(|priced| Some((priced.market?, priced.course))) else { continue };
        let course = course.map(Digits);
        points.push(PointRow { pair_id: pair, at: known.now, market: Digits(market), course, stopped: is_stopped });
        decided.watches.entry(pair).or_default().point_at = Some(known.now);
    }
    points
}

/// How far the sources that are on are trusted.
fn trusted(sources: &[SourceRow]) -> BTreeMap<String, Trust> {
    let trust = |row: &SourceRow| Trust {
        max_age: Duration::from_secs(row.max_age_seconds.unsigned_abs()),
        priority: row.priority,
        checks_only: row.cross_check,
    };
    sources.iter().filter(|row| row.enabled).map(|row| (row.name.clone(), trust(row))).collect()
}

fn said(row: AnswerRow) -> Said {
    let AnswerRow { source, base, quote, bid, ask, observed_at } = row;
    Said { source, base, quote, bid: bid.0, ask: ask.0, observed_at }
}

/// Boards by source and the codes of both sides.
type Boards = HashMap<(String, String, String), Board>;

/// What monitors showed, without what is too old and what is of sources that are off.
fn boards(rows: Vec<store::PositionRow>, sources: &[SourceRow], now: Timestamp) -> Result<Boards> {
    let is_good = |row: &store::PositionRow| {
        let of = |source: &SourceRow| {
            let max_age = Duration::from_secs(source.max_age_seconds.unsigned_abs());
            source.enabled && source.name == row.source && row.read_at.plus(max_age) >= now
        };
        sources.iter().any(of)
    };
    let good = rows.into_iter().filter(is_good);
    good.map(|row| {
        let board = Board { read_at: row.read_at, rivals: asking::rivals(&row.offers)? };
        Ok(((row.source, row.from_code, row.to_code), board))
    })
    .collect()
}

/// What is to be remembered otherwise than it is stored.
fn changed(stored: &BTreeMap<i64, WatchRow>, watches: &BTreeMap<i64, Watch>) -> Result<Vec<WatchRow>> {
    let nothing = Watch::default();
    let gone = stored.keys().filter(|pair| !watches.contains_key(pair)).map(|pair| (pair, &nothing));
    let mut rows = Vec::new();
    for (pair, watch) in watches.iter().chain(gone) {
        let row = row(*pair, watch)?;
        if stored.get(pair) != Some(&row) {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// What is remembered of a pair, as it is stored.
pub(super) fn row(pair: i64, watch: &Watch) -> Result<WatchRow> {
    Ok(WatchRow {
        pair_id: pair,
        watch: serde_json::to_string(watch).map_err(Error::internal)?,
        stopped_at: watch.stop.as_ref().map(|stop| stop.since),
    })
}

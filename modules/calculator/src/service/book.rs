//! The book of pairs for the room that judges rates, and rates computed again from what is kept of them.

use std::collections::BTreeSet;

use agio_core::money::plain;
use agio_core::needs::{BookPair, KeptTerms, RateBook, Replayed, Replays, Ruling, SeenPrice, Stop};
use agio_core::texts::{Bilingual, Locale};
use agio_core::{BoxFuture, Error, Result, Timestamp, Tx};
use serde_json::Value;

use super::Calculator;
use crate::market::observations::HUBS;
use crate::market::{Market, MarketPair, RateSource, Suspension, wording};
use crate::model::explanation::Explanation;
use crate::store::{self, LegRow, RulingRow};

impl RateBook for Calculator {
    fn assets(&self) -> BTreeSet<String> {
        let market = self.market();
        let tickers = market.currencies.iter().map(|currency| currency.facts.ticker.clone());
        tickers.chain(HUBS.map(str::to_owned)).collect()
    }

    fn is_live(&self) -> bool {
        self.freshness().fixed_day.is_none()
    }

    fn priced(&self, ruling: &Ruling) -> Vec<BookPair> {
        let market = self.market();
        // It was built from these very rows before, so it can be built again.
        let Ok(ruled) = market.ruled(&ruling.legs, &ruling.pairs) else { return Vec::new() };
        ruled.pairs.iter().map(|pair| self.book_pair(&ruled, pair)).collect()
    }

    fn suspended(&self) -> Vec<(i64, Stop)> {
        let market = self.market();
        let stop = |suspension: &Suspension| Stop {
            cause: "arbitrage".to_owned(),
            leg: String::new(),
            numbers: vec![
                ("cycle".to_owned(), suspension.cycle.join(" → ")),
                ("times".to_owned(), plain(suspension.product)),
                ("percent".to_owned(), plain(suspension.gain_percent())),
            ],
            left_out: Vec::new(),
            since: suspension.since,
        };
        let suspended = market.pairs.iter().filter_map(|pair| Some((pair.pair.id, stop(pair.suspension.as_deref()?))));
        let mut suspended: Vec<_> = suspended.collect();
        suspended.sort_by_key(|(pair, stop)| (stop.since, *pair));
        suspended
    }

    fn put<'a>(&'a self, tx: &'a mut Tx, seen: &'a [SeenPrice]) -> BoxFuture<'a, Result<()>> {
        let now = self.platform.clock.now();
        Box::pin(async move {
            for seen in seen {
                store::put_live_observation(tx, seen, now).await?;
            }
            Ok(())
        })
    }

    fn rule<'a>(&'a self, tx: &'a mut Tx, ruling: &'a Ruling) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let legs: Vec<LegRow> = ruling.legs.iter().map(LegRow::of).collect();
            store::put_legs(tx, &legs).await?;
            let pairs: Vec<RulingRow> = ruling.pairs.iter().map(RulingRow::of).collect();
            store::put_rulings(tx, &pairs).await
        })
    }

    fn refresh(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.reload())
    }

    fn thin_out(&self, before: Timestamp) -> BoxFuture<'_, Result<u64>> {
        Box::pin(async move { self.platform.db.write(move |tx| Box::pin(store::thin_out_observations(tx, before))).await })
    }
}

impl Calculator {
    fn book_pair(&self, market: &Market, priced: &MarketPair) -> BookPair {
        let pair = &priced.pair;
        let tickers = (&priced.from.facts.ticker, &priced.to.facts.ticker);
        let is_market = pair.source == RateSource::Market;
        let path = priced.rate.as_ref().map(wording::path).unwrap_or_default();
        BookPair {
            id: pair.id,
            codes: (priced.from.facts.code.clone(), priced.to.facts.code.clone()),
            enabled: pair.enabled,
            is_market,
            market: priced.rate.as_ref().map(|rate| rate.market),
            path: path.windows(2).map(|ends| (ends[0].clone(), ends[1].clone())).collect(),
            blocked: if is_market { market.rates.blocked(tickers.0, tickers.1) } else { None },
            is_fresh: priced.rate.as_ref().is_some_and(|rate| rate.is_fresh),
            spread_percent: pair.spread_percent,
            fee_percents: (pair.fee_from.percent, pair.fee_to.percent),
            free: priced.to.free(self.free(pair.to)),
            course: priced.rate.as_ref().map(|rate| rate.terms.parts().course),
        }
    }

    fn told(&self, explanation: &Explanation) -> Result<Replayed> {
        let words = |locale| wording::explanation(&self.texts, locale, explanation);
        Ok(Replayed {
            course: explanation.replays().then(|| explanation.replayed()).flatten(),
            steps: serde_json::to_value(explanation).map_err(Error::internal)?,
            words: Bilingual { ru: words(Locale::Ru), en: words(Locale::En) },
        })
    }
}

impl Replays for Calculator {
    fn replay(&self, kept: &KeptTerms) -> Result<Replayed> {
        let terms: Value = serde_json::from_str(&kept.terms).map_err(Error::internal)?;
        let explanation: Explanation = serde_json::from_value(terms["steps"].clone()).map_err(Error::internal)?;
        let mut told = self.told(&explanation)?;
        // A claim may be in a tier: its course is one of those the steps give.
        let tier = explanation.tiers.iter().find(|tier| tier.course == kept.course);
        if let (Some(tier), true) = (tier, told.course.is_some()) {
            told.course = Some(tier.course);
        }
        Ok(told)
    }

    fn of_pair(&self, pair: i64) -> Result<Option<Replayed>> {
        let market = self.market();
        let pair = market.pair(pair).ok_or_else(|| Error::not_found("pair_unknown"))?;
        pair.rate.as_ref().map(|rate| self.told(&rate.explanation)).transpose()
    }
}

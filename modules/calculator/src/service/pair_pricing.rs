//! Pair pricing for rate aggregation, and rate explanations.

use std::collections::BTreeSet;

use agio_contracts::{
    ExchangeAmounts, ImportedPrice, MarketPrice, ObservedPrice, PairCosts, PairOffer, PairPricing, PricedPair, RateBreakdown,
    RateDecision, RateExplainer, RateTier, StoredTerms, SuspensionCause, SuspensionReason,
};
use agio_core::money::plain;
use agio_core::texts::{Bilingual, Locale};
use agio_core::{BoxFuture, Error, Result, Timestamp, Tx, retention};
use rust_decimal::Decimal;
use serde_json::Value;

use super::Calculator;
use crate::market::observations::HUBS;
use crate::market::{DatedObservation, Market, MarketPair, RateSourceKind, Suspension, rate_text};
use crate::model::engine::Terms;
use crate::model::explanation::Explanation;
use crate::model::observation::ObservedAt;
use crate::model::pricing::TierRule;
use crate::store::{self, AggregatedPriceRow, RateDecisionRow};

/// How many times the minimum a usual amount is.
const SAMPLE_OF_MIN: Decimal = Decimal::TEN;

impl PairPricing for Calculator {
    fn assets(&self) -> BTreeSet<String> {
        let market = self.market();
        let tickers = market.currencies.iter().map(|currency| currency.facts.ticker.clone());
        tickers.chain(HUBS.map(str::to_owned)).collect()
    }

    fn is_live(&self) -> bool {
        self.freshness().fixed_day.is_none()
    }

    fn price_pairs(&self, decision: &RateDecision) -> Vec<PricedPair> {
        let market = self.market();
        // The same rows were built before, so this cannot fail.
        let Ok(preview) = market.with_decisions(&decision.prices, &decision.pairs) else { return Vec::new() };
        preview.pairs.iter().map(|pair| self.price_pair(&preview, pair)).collect()
    }

    fn priced_pair(&self, pair: i64) -> Option<PricedPair> {
        let market = self.market();
        market.pair(pair).map(|pair| self.price_pair(&market, pair))
    }

    fn preview_pair(&self, decision: &RateDecision, pair: i64) -> Option<PairOffer> {
        let preview = self.market().with_decisions(&decision.prices, &decision.pairs).ok()?;
        let pair = preview.pair(pair)?;
        Some(PairOffer { priced: self.price_pair(&preview, pair), sample: self.sample(pair) })
    }

    fn market_prices(&self, decision: &RateDecision, assets: &[(String, String)]) -> Vec<MarketPrice> {
        let (rates, freshness) = (self.market().rates_with(&decision.prices), self.freshness());
        assets.iter().map(|(base, quote)| rates.price(base, quote, &freshness, &decision.prices)).collect()
    }

    fn imported_prices(&self) -> Vec<ImportedPrice> {
        let (market, freshness) = (self.market(), self.freshness());
        let imported = |DatedObservation { row, is_fresh }: &DatedObservation| ImportedPrice {
            price: ObservedPrice {
                source: row.source.clone(),
                base: row.base.clone(),
                quote: row.quote.clone(),
                bid: row.bid.0,
                ask: row.ask.0,
                observed_at: row.observed_at,
            },
            is_fresh: *is_fresh,
            good_until: freshness.good_until(ObservedAt::stored(row.observed_at)),
        };
        market.observations().iter().map(imported).collect()
    }

    fn suspended(&self) -> Vec<(i64, SuspensionReason)> {
        let market = self.market();
        let suspension = |suspension: &Suspension| SuspensionReason {
            cause: SuspensionCause::Arbitrage,
            asset_pair: String::new(),
            numbers: vec![
                ("cycle".to_owned(), suspension.cycle.join(" → ")),
                ("times".to_owned(), plain(suspension.product)),
                ("percent".to_owned(), plain(suspension.gain_percent())),
            ],
            excluded: Vec::new(),
            since: suspension.since,
        };
        let suspended = market.pairs.iter().filter_map(|pair| Some((pair.pair.id, suspension(pair.suspension.as_deref()?))));
        let mut suspended: Vec<_> = suspended.collect();
        suspended.sort_by_key(|(pair, suspension)| (suspension.since, *pair));
        suspended
    }

    fn store_source_quotes<'a>(&'a self, tx: &'a mut Tx, prices: &'a [ObservedPrice]) -> BoxFuture<'a, Result<()>> {
        let now = self.platform.clock.now();
        Box::pin(async move {
            for price in prices {
                store::put_live_observation(tx, price, now).await?;
            }
            Ok(())
        })
    }

    fn apply_decision<'a>(&'a self, tx: &'a mut Tx, decision: &'a RateDecision) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let prices: Vec<AggregatedPriceRow> = decision.prices.iter().map(AggregatedPriceRow::of).collect();
            store::put_prices(tx, &prices).await?;
            let pairs: Vec<RateDecisionRow> = decision.pairs.iter().map(RateDecisionRow::of).collect();
            store::put_decisions(tx, &pairs).await
        })
    }

    fn refresh(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.reload())
    }

    fn prune_source_quotes(&self, before: Timestamp) -> BoxFuture<'_, Result<()>> {
        Box::pin(retention::thin_out(&self.platform.db, store::OBSERVATION_THINNING, before))
    }
}

impl Calculator {
    fn price_pair(&self, market: &Market, priced: &MarketPair) -> PricedPair {
        let pair = &priced.pair;
        let tickers = (&priced.give.facts.ticker, &priced.receive.facts.ticker);
        let is_market = pair.source == RateSourceKind::Market;
        let path = priced.rate.as_ref().map(rate_text::path).unwrap_or_default();
        PricedPair {
            id: pair.id,
            codes: (priced.give.facts.code.clone(), priced.receive.facts.code.clone()),
            enabled: pair.enabled,
            is_market,
            market: priced.rate.as_ref().map(|rate| rate.market),
            path: path.windows(2).map(|ends| (ends[0].clone(), ends[1].clone())).collect(),
            blocked: if is_market { market.rates.blocked(tickers.0, tickers.1) } else { None },
            is_fresh: priced.rate.as_ref().is_some_and(|rate| rate.is_fresh),
            spread_percent: pair.spread_percent,
            fee_percents: (pair.give_fee.percent, pair.receive_fee.percent),
            free: priced.receive.free(self.free(pair.receive_id)),
            rate: priced.rate.as_ref().map(|rate| rate.terms.parts().rate),
            tickers: (tickers.0.clone(), tickers.1.clone()),
            reference: priced.market_rate(&market.rates),
            costs: self.costs(priced),
        }
    }

    fn costs(&self, priced: &MarketPair) -> PairCosts {
        let MarketPair { pair, receive, .. } = priced;
        let tier = |tier: &TierRule| RateTier { min_give: tier.min_give, added_percent: tier.add_percent };
        let step = Decimal::new(1, receive.round_digits).max(pair.limits.receive.step.unwrap_or_default());
        PairCosts {
            give_fee: pair.give_fee.fixed,
            receive_fee: pair.receive_fee.fixed + priced.network_fee().map_or(Decimal::ZERO, |network| network.amount),
            network_fee: receive.amount(receive.network_fee).value(),
            tiers: pair.tiers.iter().map(tier).collect(),
            give_limits: (pair.limits.give.min, pair.limits.give.max),
            min_receive: pair.limits.receive.min.unwrap_or_default().max(step),
            receive_digits: receive.round_digits,
            exchanges: self.exchanges(priced),
        }
    }

    /// The smallest and the largest exchange.
    fn exchanges(&self, pair: &MarketPair) -> Option<(ExchangeAmounts, ExchangeAmounts)> {
        let terms = &pair.rate.as_ref()?.terms;
        let give = pair.limits(terms, self.free(pair.pair.receive_id))?.give;
        Some((exchange(terms, give.min.value)?, exchange(terms, give.max.value)?))
    }

    /// A usual exchange.
    fn sample(&self, pair: &MarketPair) -> Option<ExchangeAmounts> {
        let terms = &pair.rate.as_ref()?.terms;
        let limits = pair.limits(terms, self.free(pair.pair.receive_id))?;
        let usual = limits.give.min.value.checked_mul(SAMPLE_OF_MIN)?;
        exchange(terms, limits.snap(terms, usual).ok()?)
    }

    fn breakdown(&self, explanation: &Explanation) -> Result<RateBreakdown> {
        let words = |locale| rate_text::explanation(&self.texts, locale, explanation);
        Ok(RateBreakdown {
            rate: explanation.replays().then(|| explanation.recomputed()).flatten(),
            steps: serde_json::to_value(explanation).map_err(Error::internal)?,
            words: Bilingual { ru: words(Locale::Ru), en: words(Locale::En) },
        })
    }
}

fn exchange(terms: &Terms, give: Decimal) -> Option<ExchangeAmounts> {
    Some(ExchangeAmounts { give, receive: terms.receive(give).ok()? })
}

impl RateExplainer for Calculator {
    fn explain(&self, stored: &StoredTerms) -> Result<RateBreakdown> {
        let terms: Value = serde_json::from_str(&stored.terms).map_err(Error::internal)?;
        let explanation: Explanation = serde_json::from_value(terms["steps"].clone()).map_err(Error::internal)?;
        let mut breakdown = self.breakdown(&explanation)?;
        // A claim's rate may be that of a tier.
        let tier = explanation.tiers.iter().find(|tier| tier.rate == stored.rate);
        if let (Some(tier), true) = (tier, breakdown.rate.is_some()) {
            breakdown.rate = Some(tier.rate);
        }
        Ok(breakdown)
    }

    fn explain_pair(&self, pair: i64) -> Result<Option<RateBreakdown>> {
        let market = self.market();
        let pair = market.pair(pair).ok_or_else(|| Error::not_found("pair_unknown"))?;
        pair.rate.as_ref().map(|rate| self.breakdown(&rate.explanation)).transpose()
    }
}

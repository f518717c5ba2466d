//! Pairs: how their rates are made, what limits them, and what a change would do.

use std::sync::Arc;

use agio_approvals::{Proposal, Proposed};
use agio_core::Error;
use agio_core::needs::Proof;
use agio_http::{Accepted, Answer, Dec, Either, Input, Moment, Null, Outcome, StaffAuth};
use poem_openapi::param::Path;
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object, OpenApi};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::Tag;
use super::views::{MarketFees, MarketLimits, MarketNotices, MarketRange, MarketTier, MarketTolerance, given};
use crate::market::{MarketPair, PairChange, PairState, RateSource, wording};
use crate::model::limits::Limits;
use crate::service::BulkChange;
use crate::{Calculator, MARKET_EDIT, MARKET_READ};

/// Where the rate of a pair comes from.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
enum MarketPairSource {
    /// An operator set it.
    Manual,
    /// It is made from what sources say.
    Market,
}

/// What customers have verified before they pay.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
enum MarketPairProof {
    /// Nothing.
    None,
    /// The card they pay with.
    Card,
    /// Who they are.
    Identity,
}

/// Whether a pair can be exchanged, or why not.
#[derive(Clone, Copy, Debug, Serialize, Enum)]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case")]
enum MarketPairState {
    /// It can.
    Ok,
    /// The pair, or one of its sides, is switched off.
    Off,
    /// What is ruled about its rate stopped it; `rates/pairs/{id}` says why.
    Stopped,
    /// The rate it would be made from is too old.
    Stale,
    /// No rate can be made.
    NoRate,
    /// The reserve is below the least amount that may be received.
    NoReserve,
}

/// A pair as staff see it.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct MarketPairRow {
    /// Identifier.
    id: i64,
    /// The currency sent.
    from_id: i64,
    /// The currency received.
    to_id: i64,
    /// Whether it is offered.
    enabled: bool,
    /// Where its rate comes from.
    source: MarketPairSource,
    /// The rate an operator set, also while the market's is used.
    manual_rate: Null<Dec>,
    /// What the house keeps of the rate, in percent.
    spread_percent: Dec,
    /// Fees of both sides.
    fees: MarketFees,
    /// Better or worse rates from some amounts on.
    tiers: Vec<MarketTier>,
    /// Limits that are set.
    limits: MarketLimits,
    /// For how many minutes the rate is held: from the quote over the confirmation to the payment.
    hold: i64,
    /// For how many minutes a payment may be reported without anybody seeing it; then the claim ends. Null where the setting
    /// `claims.reported_minutes` holds.
    reported_minutes: Null<i64>,
    /// Whether the rate is fixed only when the payment arrives.
    floating: bool,
    /// What customers are told.
    notices: MarketNotices,
    /// What customers have verified before they pay.
    verification: MarketPairProof,
    /// How far a payment may be from what was agreed on.
    tolerance: MarketTolerance,
    /// Whether it can be exchanged now, or why not.
    state: MarketPairState,
    /// Units received for one unit sent; null where no rate can be made.
    course: Null<Dec>,
    /// The same before the house adds its own.
    market_rate: Null<Dec>,
    /// The day whose rates are used, where that is not today.
    rates_of: Null<String>,
    /// The assets the rate goes over.
    path: Vec<String>,
    /// How the course is made, in a line; null where no rate can be made.
    explanation: Null<String>,
    /// When it was changed last.
    updated_at: Moment,
    /// How often it was changed.
    revision: i64,
}

/// What is changed of a pair; a field left out stays as it is.
#[derive(Debug, Deserialize, Serialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, skip_serializing_if_is_none, example)]
pub(super) struct MarketPairChange {
    /// The revision that was edited; the change is refused when somebody else changed the pair since.
    pub(super) revision: Option<i64>,
    /// Whether it is offered.
    enabled: Option<bool>,
    /// Where its rate comes from.
    source: Option<MarketPairSource>,
    /// The rate set by hand; null takes it away.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    manual_rate: Option<Null<Dec>>,
    /// What the house keeps of the rate, in percent.
    spread_percent: Option<Dec>,
    /// Fees of both sides.
    fees: Option<MarketFees>,
    /// Better or worse rates from some amounts on, ascending.
    tiers: Option<Vec<MarketTier>>,
    /// Limits of both sides.
    limits: Option<MarketLimits>,
    /// For how many minutes the rate is held: from the quote over the confirmation to the payment.
    hold: Option<i64>,
    /// For how many minutes a payment may be reported without anybody seeing it, from 10 to 10080; null where the setting
    /// `claims.reported_minutes` holds.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    reported_minutes: Option<Null<i64>>,
    /// Whether the rate is fixed only when the payment arrives.
    floating: Option<bool>,
    /// What customers are told.
    notices: Option<MarketNotices>,
    /// What customers have verified before they pay. `card` needs a currency that knows a card's number.
    verification: Option<MarketPairProof>,
    /// How far a payment may be from what was agreed on. It counts for claims made from then on.
    tolerance: Option<MarketTolerance>,
}

impl Example for MarketPairChange {
    fn example() -> Self {
        Self {
            revision: Some(3),
            enabled: Some(true),
            source: Some(MarketPairSource::Market),
            manual_rate: None,
            spread_percent: Some(Dec(Decimal::new(22, 1))),
            fees: None,
            tiers: None,
            limits: None,
            hold: Some(30),
            reported_minutes: None,
            floating: None,
            notices: None,
            verification: None,
            tolerance: None,
        }
    }
}

/// The same change of many pairs.
#[derive(Debug, Deserialize, Serialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields, example)]
struct MarketBulkChange {
    /// The pairs.
    ids: Vec<i64>,
    /// What is set on each of them.
    set: MarketBulkSet,
}

impl Example for MarketBulkChange {
    fn example() -> Self {
        Self { ids: vec![1, 2, 3], set: MarketBulkSet { enabled: Some(false), spread_percent: None } }
    }
}

/// What is set on many pairs; a field left out stays as it is.
#[derive(Debug, Deserialize, Serialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, skip_serializing_if_is_none)]
struct MarketBulkSet {
    /// Whether they are offered.
    enabled: Option<bool>,
    /// What the house keeps of the rate, in percent.
    spread_percent: Option<Dec>,
}

/// What a change would do.
#[derive(Debug, Serialize, Object)]
struct MarketPreview {
    /// The course after it; null where no rate can be made.
    course: Null<Dec>,
    /// Limits of the sent amount after it.
    from: MarketRange,
    /// Limits of the received amount after it.
    to: MarketRange,
    /// What is now.
    before: MarketPreviewBefore,
}

/// What is before a change.
#[derive(Debug, Serialize, Object)]
struct MarketPreviewBefore {
    /// The course.
    course: Null<Dec>,
}

pub(super) struct PairDesk(pub(super) Arc<Calculator>);

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Market")]
impl PairDesk {
    /// Pairs
    ///
    /// All of them with their present rates and states. Needs `market.read`.
    #[oai(path = "/pairs", method = "get", operation_id = "listPairs")]
    async fn pairs(&self, auth: StaffAuth, visitor: agio_http::Visitor) -> Outcome<Answer<Vec<MarketPairRow>>> {
        auth.may(MARKET_READ)?;
        let (desk, market) = (Self(self.0.clone()), self.0.market());
        // Thousands of rows take a while to make, and nobody else should wait for them.
        let rows = move || market.pairs.iter().map(|pair| desk.view(pair, &visitor)).collect();
        Ok(Answer(self.0.platform.aside.run(rows).await?))
    }

    /// Change a pair
    ///
    /// Fields left out stay as they are; objects and lists are replaced whole. Needs `market.edit`, and a fresh second factor where the rate
    /// moves by more than the setting `rates.large_change_percent` or more passes for an agreed payment. While the four-eyes rule holds, a change of rate, source or spread that
    /// moves the course further than one person may is proposed, and so is a tolerance that may be wider than before: 202.
    #[oai(path = "/pairs/:id", method = "patch", operation_id = "changePair")]
    async fn change(
        &self,
        auth: StaffAuth,
        visitor: agio_http::Visitor,
        id: Path<i64>,
        change: Input<MarketPairChange>,
    ) -> Outcome<Either<Answer<MarketPairRow>, Proposed>> {
        let staff = auth.may(MARKET_EDIT)?;
        let revision = change.0.revision.ok_or_else(|| Error::unprocessable("validation_failed").at("revision", "required"))?;
        let payload = serde_json::to_value(&change.0).map_err(Error::internal)?;
        let change: PairChange = change.0.into();
        if self.0.moves_far(id.0, &change)? || self.0.widens_tolerance(id.0, &change)? {
            auth.require_fresh()?;
        }
        if let Some(shown) = self.0.needs_consent(id.0, &change)? {
            if self.0.market().pair(id.0).is_none_or(|pair| pair.pair.revision != revision) {
                return Err(Error::conflict("market_changed").into());
            }
            let proposal = Proposal { kind: PAIR_CHANGED, about: ("pair", id.0.to_string()), shown, payload };
            let row = self.0.propose(proposal, &staff).await?;
            return Ok(Either::That(Accepted(self.0.approvals.show(row, &staff, visitor.locale))));
        }
        self.0.change_pair(id.0, revision, change, &staff).await?;
        let market = self.0.market();
        let pair = market.pair(id.0).ok_or_else(|| Error::not_found("pair_unknown"))?;
        Ok(Either::This(Answer(self.view(pair, &visitor))))
    }

    /// Change many pairs
    ///
    /// All of them or none. Answers the changed pairs. Needs `market.edit`, and a fresh second factor where the rate of one of them moves by
    /// more than the setting `rates.large_change_percent`. 409 `approval_one_by_one` when a course would move further than one person
    /// may move it.
    #[oai(path = "/pairs/bulk", method = "post", operation_id = "changePairs")]
    async fn change_many(
        &self,
        auth: StaffAuth,
        visitor: agio_http::Visitor,
        change: Input<MarketBulkChange>,
    ) -> Outcome<Answer<Vec<MarketPairRow>>> {
        let staff = auth.may(MARKET_EDIT)?;
        let MarketBulkChange { ids, set } = change.0;
        let set = BulkChange { enabled: set.enabled, spread_percent: set.spread_percent.map(|percent| percent.0) };
        if self.0.one_moves_far(&ids, set)? {
            auth.require_fresh()?;
        }
        self.0.change_pairs(&ids, set, &staff).await?;
        let market = self.0.market();
        Ok(Answer(ids.iter().filter_map(|id| market.pair(*id)).map(|pair| self.view(pair, &visitor)).collect()))
    }

    /// What a change of a pair would do
    ///
    /// Prices the changed pair with the present rates; nothing is stored. Needs `market.read`.
    #[oai(path = "/pairs/:id/preview", method = "post", operation_id = "previewPair")]
    async fn preview(&self, auth: StaffAuth, id: Path<i64>, change: Input<MarketPairChange>) -> Outcome<Answer<MarketPreview>> {
        auth.may(MARKET_READ)?;
        let after = self.0.preview(id.0, change.0.into())?;
        let before = self.0.market().pair(id.0).and_then(course);
        let limits = after.rate.as_ref().and_then(|rate| after.limits(&rate.terms, self.0.free(after.pair.to)));
        let range = |of: fn(&Limits) -> crate::model::limits::Range| {
            let range = limits.as_ref().map(of);
            MarketRange::between(range.map(|range| range.min.value), range.map(|range| range.max.value))
        };
        Ok(Answer(MarketPreview {
            course: Null(course(&after)),
            from: range(|limits| limits.from),
            to: range(|limits| limits.to),
            before: MarketPreviewBefore { course: Null(before) },
        }))
    }
}

/// The kind of proposals about rates.
pub(super) const PAIR_CHANGED: &str = "pair_changed";

fn course(pair: &MarketPair) -> Option<Dec> {
    pair.rate.as_ref().map(|rate| Dec(rate.terms.parts().course))
}

impl PairDesk {
    fn view(&self, priced: &MarketPair, visitor: &agio_http::Visitor) -> MarketPairRow {
        let pair = &priced.pair;
        let rate = priced.rate.as_ref();
        MarketPairRow {
            id: pair.id,
            from_id: pair.from,
            to_id: pair.to,
            enabled: pair.enabled,
            source: pair.source.into(),
            manual_rate: Null(pair.manual_rate.map(Dec)),
            spread_percent: Dec(pair.spread_percent),
            fees: MarketFees { from: pair.fee_from.into(), to: pair.fee_to.into() },
            tiers: pair.tiers.iter().map(Into::into).collect(),
            limits: pair.limits.into(),
            hold: pair.hold_minutes,
            reported_minutes: Null(pair.reported_minutes),
            floating: pair.floating,
            notices: (&pair.notices).into(),
            verification: pair.verification.into(),
            tolerance: pair.tolerance.into(),
            state: priced.state(self.0.free(pair.to)).into(),
            course: Null(course(priced)),
            market_rate: Null(rate.map(|rate| Dec(rate.market))),
            rates_of: Null(rate.and_then(|rate| rate.rates_of).map(|day| day.to_string())),
            path: rate.map(wording::path).unwrap_or_default(),
            explanation: Null(rate.map(|rate| wording::explanation(&self.0.texts, visitor.locale, &rate.explanation))),
            updated_at: Moment(pair.updated_at),
            revision: pair.revision,
        }
    }
}

impl From<RateSource> for MarketPairSource {
    fn from(source: RateSource) -> Self {
        match source {
            RateSource::Manual => Self::Manual,
            RateSource::Market => Self::Market,
        }
    }
}

impl From<MarketPairSource> for RateSource {
    fn from(source: MarketPairSource) -> Self {
        match source {
            MarketPairSource::Manual => Self::Manual,
            MarketPairSource::Market => Self::Market,
        }
    }
}

impl From<Option<Proof>> for MarketPairProof {
    fn from(proof: Option<Proof>) -> Self {
        match proof {
            None => Self::None,
            Some(Proof::Card) => Self::Card,
            Some(Proof::Identity) => Self::Identity,
        }
    }
}

impl From<MarketPairProof> for Option<Proof> {
    fn from(proof: MarketPairProof) -> Self {
        match proof {
            MarketPairProof::None => None,
            MarketPairProof::Card => Some(Proof::Card),
            MarketPairProof::Identity => Some(Proof::Identity),
        }
    }
}

impl From<PairState> for MarketPairState {
    fn from(state: PairState) -> Self {
        match state {
            PairState::Ok => Self::Ok,
            PairState::Off => Self::Off,
            PairState::Stopped => Self::Stopped,
            PairState::Stale => Self::Stale,
            PairState::NoRate => Self::NoRate,
            PairState::NoReserve => Self::NoReserve,
        }
    }
}

impl From<MarketPairChange> for PairChange {
    fn from(change: MarketPairChange) -> Self {
        Self {
            enabled: change.enabled,
            source: change.source.map(Into::into),
            manual_rate: change.manual_rate.map(|rate| rate.0.map(|rate| rate.0)),
            spread_percent: change.spread_percent.map(|percent| percent.0),
            fee_from: change.fees.map(|fees| fees.from.into()),
            fee_to: change.fees.map(|fees| fees.to.into()),
            tiers: change.tiers.map(|tiers| tiers.into_iter().map(Into::into).collect()),
            limits: change.limits.map(Into::into),
            hold_minutes: change.hold,
            reported_minutes: change.reported_minutes.map(|minutes| minutes.0),
            floating: change.floating,
            notices: change.notices.map(Into::into),
            verification: change.verification.map(Into::into),
            tolerance: change.tolerance.map(Into::into),
        }
    }
}

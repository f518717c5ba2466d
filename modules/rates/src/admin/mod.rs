//! The calls the console makes.

mod bodies;
mod rules;

use std::sync::Arc;

use agio_approvals::Proposed;
use agio_http::{Accepted, Answer, Done, Either, Input, Outcome, StaffAuth, Visitor};
use poem_openapi::param::{Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::service::SourceChange;
use crate::{CLAIMS_READ, RATES_EDIT, RATES_READ, RATES_RELEASE, Rates};

use bodies::{DeskRateExplained, DeskRatePair, DeskRatePoint, DeskRateSource, DeskRateSourceSet, DeskRateStop};
use rules::{DeskRateDry, DeskRateRules, DeskRateRulesSet, DeskRateTry};

/// For how many days a chart is shown.
const CHART_DAYS: u32 = 7;

#[derive(Tags)]
enum ConsoleTag {
    /// Live sources, the rules of pairs, and how rates come about.
    Rates,
}

/// The console's calls.
pub struct RatesDesk(Arc<Rates>);

impl RatesDesk {
    /// The calls.
    #[must_use]
    pub fn new(rates: Arc<Rates>) -> Self {
        Self(rates)
    }

    async fn pair(&self, id: i64, visitor: &Visitor) -> Outcome<DeskRatePair> {
        let explained = self.0.explain_pair(id)?;
        let stop = self.0.stop_of(id).await?.map(|seen| DeskRateStop::of(&self.0, &seen, visitor.locale));
        let rules = self.0.rules(id).await?;
        Ok(DeskRatePair {
            id,
            rules: DeskRateRules::of(&rules.rules)?,
            revision: rules.revision,
            updated_at: rules.updated_at.map(agio_http::Moment).into(),
            stop: stop.into(),
            rate: explained.map(|explained| DeskRateExplained::of_pair(explained, visitor.locale)).into(),
        })
    }
}

#[OpenApi(prefix_path = "/api/admin/v1/rates", tag = "ConsoleTag::Rates")]
impl RatesDesk {
    /// Live sources
    ///
    /// Those that can be asked and those that were set up, with what they answered last. Needs `rates.read`.
    #[oai(path = "/sources", method = "get", operation_id = "listRateSources")]
    async fn sources(&self, staff: StaffAuth, visitor: Visitor) -> Outcome<Answer<Vec<DeskRateSource>>> {
        staff.may(RATES_READ)?;
        let seen = self.0.sources().await?;
        Ok(Answer(seen.into_iter().map(|seen| DeskRateSource::of(seen, visitor.locale)).collect()))
    }

    /// Set a source up
    ///
    /// It is asked within seconds if it is on. `revision` is the one that was seen: 409 `rate_source_changed` when a colleague was faster.
    /// Needs `rates.edit` and a fresh second factor.
    #[oai(path = "/sources/:name", method = "put", operation_id = "setRateSource")]
    async fn set_source(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        /// The source.
        name: Path<String>,
        input: Input<DeskRateSourceSet>,
    ) -> Outcome<Answer<Vec<DeskRateSource>>> {
        let by = staff.may(RATES_EDIT)?;
        staff.require_fresh()?;
        let DeskRateSourceSet { revision, enabled, every_seconds, max_age_seconds, priority, cross_check } = input.0;
        let change = SourceChange { revision, enabled, every_seconds, max_age_seconds, priority, cross_check };
        self.0.set_source(&name.0, change, by).await?;
        let seen = self.0.sources().await?;
        Ok(Answer(seen.into_iter().map(|seen| DeskRateSource::of(seen, visitor.locale)).collect()))
    }

    /// Stopped pairs
    ///
    /// Those that are stopped by what sources say, and those that are suspended because a round trip over them gains, the longest first, each
    /// with its reason. Needs `rates.read`.
    #[oai(path = "/stops", method = "get", operation_id = "listRateStops")]
    async fn stops(&self, staff: StaffAuth, visitor: Visitor) -> Outcome<Answer<Vec<DeskRateStop>>> {
        staff.may(RATES_READ)?;
        let stops = self.0.stops().await?;
        Ok(Answer(stops.iter().map(|seen| DeskRateStop::of(&self.0, seen, visitor.locale)).collect()))
    }

    /// The rules of a pair, and how its rate comes about
    ///
    /// Needs `rates.read`.
    #[oai(path = "/pairs/:id", method = "get", operation_id = "getRatePair")]
    async fn one(&self, staff: StaffAuth, visitor: Visitor, id: Path<i64>) -> Outcome<Answer<DeskRatePair>> {
        staff.may(RATES_READ)?;
        Ok(Answer(self.pair(id.0, &visitor).await?))
    }

    /// Set the rules of a pair
    ///
    /// They replace those before and hold within seconds. `revision` is the one that was seen: 409 `rate_rules_changed` when a colleague was
    /// faster. While the four-eyes rule holds, rules that let the rate go further than one person may move it are proposed instead: 202. Needs
    /// `rates.edit` and a fresh second factor.
    #[oai(path = "/pairs/:id", method = "put", operation_id = "setRatePair")]
    async fn set_rules(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<i64>,
        input: Input<DeskRateRulesSet>,
    ) -> Outcome<Either<Answer<DeskRatePair>, Proposed>> {
        let by = staff.may(RATES_EDIT)?;
        staff.require_fresh()?;
        match self.0.set_rules(id.0, input.0.revision, input.0.rules.rules()?, by.clone()).await? {
            agio_approvals::Done::Now(()) => Ok(Either::This(Answer(self.pair(id.0, &visitor).await?))),
            agio_approvals::Done::Proposed(row) => Ok(Either::That(Accepted(self.0.approvals.show(*row, &by, visitor.locale)))),
        }
    }

    /// Let a stopped pair go on
    ///
    /// Whoever does it says that the rate is right as it is. If anything else is wrong, the pair stays stopped. 409
    /// `pair_in_round_trip`: a round trip over it gains, and only another rate ends that. Needs `rates.release` and a
    /// fresh second factor.
    #[oai(path = "/pairs/:id/release", method = "post", operation_id = "releaseRatePair")]
    async fn release(&self, staff: StaffAuth, id: Path<i64>) -> Outcome<Done> {
        let by = staff.may(RATES_RELEASE)?;
        staff.require_fresh()?;
        self.0.release(id.0, by).await?;
        Ok(Done)
    }

    /// How the rate of a pair went
    ///
    /// Every five minutes in the last days, every hour before. Needs `rates.read`.
    #[oai(path = "/pairs/:id/history", method = "get", operation_id = "getRateHistory")]
    async fn history(
        &self,
        staff: StaffAuth,
        id: Path<i64>,
        /// For how many days: 1 to 365, otherwise 7.
        days: Query<Option<u32>>,
    ) -> Outcome<Answer<Vec<DeskRatePoint>>> {
        staff.may(RATES_READ)?;
        let points = self.0.history(id.0, days.0.unwrap_or(CHART_DAYS)).await?;
        Ok(Answer(points.into_iter().map(Into::into).collect()))
    }

    /// What changed rules would do
    ///
    /// The pairs whose course or state they would change now. Nothing is stored. Needs `rates.read`.
    #[oai(path = "/try", method = "post", operation_id = "tryRateRules")]
    async fn try_rules(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        input: Input<DeskRateTry>,
    ) -> Outcome<Answer<Vec<DeskRateDry>>> {
        staff.may(RATES_READ)?;
        let dry = self.0.try_rules(input.0.changes()?).await?;
        Ok(Answer(dry.into_iter().map(|dry| DeskRateDry::of(&self.0, dry, visitor.locale)).collect()))
    }

    /// How the rate of a claim came about
    ///
    /// Computed again from what is stored with the claim. Needs `claims.read`.
    #[oai(path = "/claims/:id/explain", method = "get", operation_id = "explainClaimRate")]
    async fn explain(&self, staff: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> Outcome<Answer<DeskRateExplained>> {
        staff.may(CLAIMS_READ)?;
        Ok(Answer(DeskRateExplained::of_claim(self.0.explain_claim(id.0).await?, visitor.locale)))
    }
}

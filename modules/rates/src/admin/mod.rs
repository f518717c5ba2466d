//! Admin API.

mod bodies;
mod rules;

use std::sync::Arc;

use agio_approvals::PendingApproval;
use agio_http::{Accepted, ApiResult, Dec, Either, JsonBody, JsonResponse, NoContent, StaffAuth, Visitor};
use poem_openapi::param::{Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::model::cost_price::ExchangeMargins;
use crate::model::rate_range::margin_percent;
use crate::service::RateSourceUpdate;
use crate::{CLAIMS_READ, RATES_EDIT, RATES_READ, RATES_RELEASE, Rates};

use bodies::{
    ExchangeCosts, PairRateDetails, RateExplanationView, RateHistoryPoint, RateSourceView, SuspensionView,
    UpdateRateSourceRequest,
};
use rules::{
    DryRunRateRulesRequest, PairRateRules, PreviewRateRulesRequest, RateDryRunResult, RateRulesPreview,
    UpdateRateRulesInBulkRequest, UpdateRateRulesRequest, UpdatedRateRules,
};

/// The period of the rate history in days, unless the request names one.
fn default_days() -> u32 {
    7
}

#[derive(Tags)]
enum ConsoleTag {
    /// Rate sources, rate rules and rate explanations.
    Rates,
}

pub struct RatesAdminApi(pub Arc<Rates>);

impl RatesAdminApi {
    async fn pair(&self, id: i64, visitor: &Visitor) -> ApiResult<PairRateDetails> {
        let (explained, priced) = (self.0.explain_pair(id)?, self.0.priced_pair(id)?);
        let margin = priced.reference.zip(priced.rate).and_then(|(market, rate)| margin_percent(market, rate));
        let suspension = self.0.suspension_of(id).await?.map(|suspended| SuspensionView::of(&self.0, &suspended, visitor.locale));
        let rules = self.0.rules(id).await?;
        Ok(PairRateDetails {
            id,
            from: priced.codes.0.clone(),
            to: priced.codes.1.clone(),
            rules: PairRateRules::of(&rules.rules)?,
            revision: rules.revision,
            updated_at: rules.updated_at.map(agio_http::DateTime).into(),
            suspension: suspension.into(),
            rate: explained.map(|explained| RateExplanationView::of_pair(explained, visitor.locale)).into(),
            formula_sources: self.0.formula_sources().await?,
            is_manual: !priced.is_market,
            market_rate: priced.reference.map(Dec).into(),
            customer_rate: priced.rate.map(Dec).into(),
            margin_percent: margin.map(Dec).into(),
            costs: ExchangeMargins::of(&priced).map(ExchangeCosts::from).into(),
        })
    }
}

#[OpenApi(prefix_path = "/api/admin/v1/rates", tag = "ConsoleTag::Rates")]
impl RatesAdminApi {
    /// List rate sources
    ///
    /// Installed and configured sources with their last response. Needs `rates.read`.
    #[oai(path = "/sources", method = "get", operation_id = "listRateSources")]
    async fn list_sources(&self, staff: StaffAuth, visitor: Visitor) -> ApiResult<JsonResponse<Vec<RateSourceView>>> {
        staff.require(RATES_READ)?;
        let sources = self.0.sources().await?;
        Ok(JsonResponse(sources.into_iter().map(|source| RateSourceView::of(source, visitor.locale)).collect()))
    }

    /// Update a rate source
    ///
    /// An enabled source is polled within seconds, once its plugin is enabled. `revision` is the one you edited: 409
    /// `rate_source_changed` if it changed since. Needs `rates.edit` and a fresh second factor.
    #[oai(path = "/sources/:name", method = "put", operation_id = "updateRateSource")]
    async fn update_source(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        /// Source name.
        name: Path<String>,
        input: JsonBody<UpdateRateSourceRequest>,
    ) -> ApiResult<JsonResponse<Vec<RateSourceView>>> {
        let by = staff.require(RATES_EDIT)?;
        staff.require_fresh()?;
        let UpdateRateSourceRequest { revision, enabled, every_seconds, max_age_seconds, priority, cross_check } = input.0;
        let change = RateSourceUpdate { revision, enabled, every_seconds, max_age_seconds, priority, cross_check };
        self.0.set_source(&name.0, change, by).await?;
        let sources = self.0.sources().await?;
        Ok(JsonResponse(sources.into_iter().map(|source| RateSourceView::of(source, visitor.locale)).collect()))
    }

    /// List suspended pairs
    ///
    /// Pairs suspended because of their sources, a floor over their cost price or an arbitrage round trip, longest first.
    /// Needs `rates.read`.
    #[oai(path = "/suspensions", method = "get", operation_id = "listPairSuspensions")]
    async fn list_suspensions(&self, staff: StaffAuth, visitor: Visitor) -> ApiResult<JsonResponse<Vec<SuspensionView>>> {
        staff.require(RATES_READ)?;
        let suspended_pairs = self.0.list_suspensions().await?;
        Ok(JsonResponse(suspended_pairs.iter().map(|suspended| SuspensionView::of(&self.0, suspended, visitor.locale)).collect()))
    }

    /// Get rate rules of a pair
    ///
    /// Also returns the suspension and the calculation of the current rate. Needs `rates.read`.
    #[oai(path = "/pairs/:id", method = "get", operation_id = "getPairRateDetails")]
    async fn get_pair(&self, staff: StaffAuth, visitor: Visitor, id: Path<i64>) -> ApiResult<JsonResponse<PairRateDetails>> {
        staff.require(RATES_READ)?;
        Ok(JsonResponse(self.pair(id.0, &visitor).await?))
    }

    /// Update rate rules of a pair
    ///
    /// Replaces the rules; they apply within seconds. `revision` is the one you edited: 409 `rate_rules_changed` if
    /// they changed since. While two-person approval is enabled, rules that let the rate move beyond the limit for
    /// one person create an approval request: 202. Needs `rates.edit` and a fresh second factor.
    #[oai(path = "/pairs/:id", method = "put", operation_id = "updatePairRateRules")]
    async fn update_rules(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<i64>,
        input: JsonBody<UpdateRateRulesRequest>,
    ) -> ApiResult<Either<JsonResponse<PairRateDetails>, PendingApproval>> {
        let by = staff.require(RATES_EDIT)?;
        staff.require_fresh()?;
        match self.0.set_rules(id.0, input.0.revision, input.0.rules.rules()?, by.clone()).await? {
            agio_approvals::ChangeOutcome::Applied(()) => Ok(Either::Left(JsonResponse(self.pair(id.0, &visitor).await?))),
            agio_approvals::ChangeOutcome::PendingApproval(row) => {
                Ok(Either::Right(Accepted(self.0.approvals.show(*row, &by, visitor.locale))))
            }
        }
    }

    /// Update rate rules of several pairs
    ///
    /// Sets some rules of all pairs or of none, and returns the pairs whose rate or state changes. They apply within
    /// seconds. 409 `approval_one_by_one` if a pair would need two-person approval. Needs `rates.edit`, and a fresh second
    /// factor unless it is a dry run.
    #[oai(path = "/pairs/bulk", method = "post", operation_id = "updatePairsRateRules")]
    async fn update_rules_in_bulk(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        input: JsonBody<UpdateRateRulesInBulkRequest>,
    ) -> ApiResult<JsonResponse<UpdatedRateRules>> {
        let by = staff.require(RATES_EDIT)?;
        let plan = self.0.plan_bulk_rules(input.0.update()?).await?;
        let changed = plan.changes();
        if input.0.dry_run {
            let results = self.0.dry_run_plan(&plan).await?;
            let pairs = results.into_iter().map(|result| RateDryRunResult::of(&self.0, result, visitor.locale)).collect();
            return Ok(JsonResponse(UpdatedRateRules { changed, pairs }));
        }
        staff.require_fresh()?;
        self.0.apply_bulk_rules(plan, &by).await?;
        Ok(JsonResponse(UpdatedRateRules { changed, pairs: Vec::new() }))
    }

    /// Preview rate rules of a pair
    ///
    /// Returns what customers would see with these rules now, and the prices that the formula uses. Nothing is stored.
    /// Needs `rates.read`.
    #[oai(path = "/pairs/:id/preview", method = "post", operation_id = "previewPairRateRules")]
    async fn preview_rules(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<i64>,
        input: JsonBody<PreviewRateRulesRequest>,
    ) -> ApiResult<JsonResponse<RateRulesPreview>> {
        staff.require(RATES_READ)?;
        let preview = self.0.preview_rules(id.0, input.0.rules.rules()?).await?;
        Ok(JsonResponse(RateRulesPreview::of(&self.0, preview, visitor.locale)))
    }

    /// Resume a suspended pair
    ///
    /// Confirms that the current rate is right. The pair stays suspended if anything else is wrong. 409
    /// `pair_in_round_trip`: an arbitrage round trip ends only when rates change; `pair_below_cost`: a floor over the cost
    /// price can be kept only when they change. Needs `rates.release` and a fresh second factor.
    #[oai(path = "/pairs/:id/resume", method = "post", operation_id = "resumePair")]
    async fn resume_pair(&self, staff: StaffAuth, id: Path<i64>) -> ApiResult<NoContent> {
        let by = staff.require(RATES_RELEASE)?;
        staff.require_fresh()?;
        self.0.resume_pair(id.0, by).await?;
        Ok(NoContent)
    }

    /// Get rate history of a pair
    ///
    /// A point every five minutes for recent days, hourly before. Needs `rates.read`.
    #[oai(path = "/pairs/:id/history", method = "get", operation_id = "getRateHistory")]
    async fn get_history(
        &self,
        staff: StaffAuth,
        id: Path<i64>,
        /// Number of days.
        #[oai(default = "default_days", validator(minimum(value = "1"), maximum(value = "365")))]
        days: Query<u32>,
    ) -> ApiResult<JsonResponse<Vec<RateHistoryPoint>>> {
        staff.require(RATES_READ)?;
        let points = self.0.history(id.0, days.0).await?;
        Ok(JsonResponse(points.into_iter().map(Into::into).collect()))
    }

    /// Dry-run rate rules
    ///
    /// Returns the pairs whose rate or state would change now. Nothing is stored. Needs `rates.read`.
    #[oai(path = "/dry-run", method = "post", operation_id = "dryRunRateRules")]
    async fn dry_run_rules(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        input: JsonBody<DryRunRateRulesRequest>,
    ) -> ApiResult<JsonResponse<Vec<RateDryRunResult>>> {
        staff.require(RATES_READ)?;
        let dry_run = self.0.dry_run_rules(input.0.changes()?).await?;
        Ok(JsonResponse(dry_run.into_iter().map(|dry_run| RateDryRunResult::of(&self.0, dry_run, visitor.locale)).collect()))
    }

    /// Explain the rate of a claim
    ///
    /// Recalculated from the terms stored with the claim. Needs `claims.read`.
    #[oai(path = "/claims/:id/explain", method = "get", operation_id = "explainClaimRate")]
    async fn explain_claim(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
    ) -> ApiResult<JsonResponse<RateExplanationView>> {
        staff.require(CLAIMS_READ)?;
        Ok(JsonResponse(RateExplanationView::of_claim(self.0.explain_claim(id.0).await?, visitor.locale)))
    }
}

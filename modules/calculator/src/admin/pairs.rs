//! Pairs: rates, limits and update previews.

use std::sync::Arc;

use agio_approvals::{ApprovalRequest, PendingApproval};
use agio_contracts::VerificationSubject;
use agio_core::Error;
use agio_http::{Accepted, ApiEnum, ApiResult, DateTime, Dec, Either, JsonBody, JsonResponse, Nullable, StaffAuth};
use poem_openapi::param::Path;
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object, OpenApi};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::Tag;
use super::views::{LocalizedPairNotices, PairAmountRange, PairFees, PairLimits, PairTier, PairTolerance, present};
use crate::market::{MarketPair, PairChange, PairStatus, RateSourceKind, rate_text};
use crate::model::limits::Limits;
use crate::service::BulkChange;
use crate::{Calculator, MARKET_EDIT, MARKET_READ};

/// What a customer has to verify before paying.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
enum PairVerification {
    /// No verification.
    None,
    /// The card used for the payment.
    Card,
    /// The customer's identity.
    Identity,
}

/// A pair with its settings and current rate.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct PairView {
    /// Unique identifier.
    id: i64,
    /// Currency the customer gives.
    give_id: i64,
    /// Currency the customer receives.
    receive_id: i64,
    /// Whether the pair is enabled.
    enabled: bool,
    /// Where the rate comes from.
    source: ApiEnum<RateSourceKind>,
    /// The manual rate. Kept while the market rate is used.
    manual_rate: Nullable<Dec>,
    /// Spread, in percent of the rate.
    spread_percent: Dec,
    /// Fees on both sides.
    fees: PairFees,
    /// Rate tiers by give amount.
    tiers: Vec<PairTier>,
    /// Configured limits.
    limits: PairLimits,
    /// Minutes the rate is held, from the quote to the payment.
    hold: i64,
    /// Minutes a reported payment may stay undetected before the claim expires. Null to use the setting
    /// `claims.reported_minutes`.
    reported_minutes: Nullable<i64>,
    /// Whether the rate is fixed when the payment arrives.
    floating: bool,
    /// Notices shown to customers.
    notices: LocalizedPairNotices,
    /// What a customer has to verify before paying.
    verification: PairVerification,
    /// Tolerance for payments that differ from the agreed terms.
    tolerance: PairTolerance,
    /// Whether the pair can be exchanged now, and why not.
    state: ApiEnum<PairStatus>,
    /// Units received for one unit given. Null when no rate can be calculated.
    rate: Nullable<Dec>,
    /// The market rate, before spread, rules and fees. Null when no rate can be calculated.
    market_rate: Nullable<Dec>,
    /// The fixed day whose rates are used. Null when current rates are used.
    rates_of: Nullable<String>,
    /// Assets on the path of the cross rate.
    path: Vec<String>,
    /// How the rate is calculated, in one line. Null when no rate can be calculated.
    explanation: Nullable<String>,
    /// Time of the last change.
    updated_at: DateTime,
    /// Revision, incremented on every change.
    revision: i64,
}

/// Changes to a pair. Omitted fields stay unchanged.
#[derive(Debug, Deserialize, Serialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, skip_serializing_if_is_none, example)]
pub(super) struct UpdatePairRequest {
    /// The revision you edited. The update fails if the pair changed since.
    pub(super) revision: Option<i64>,
    /// Whether the pair is enabled.
    enabled: Option<bool>,
    /// Where the rate comes from.
    source: Option<ApiEnum<RateSourceKind>>,
    /// The manual rate. Null removes it.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    manual_rate: Option<Nullable<Dec>>,
    /// Spread, in percent of the rate.
    spread_percent: Option<Dec>,
    /// Fees on both sides.
    fees: Option<PairFees>,
    /// Rate tiers by give amount, ascending.
    tiers: Option<Vec<PairTier>>,
    /// Limits on both sides.
    limits: Option<PairLimits>,
    /// Minutes the rate is held, from the quote to the payment.
    hold: Option<i64>,
    /// Minutes a reported payment may stay undetected, 10 to 10080. Null to use the setting
    /// `claims.reported_minutes`.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    reported_minutes: Option<Nullable<i64>>,
    /// Whether the rate is fixed when the payment arrives.
    floating: Option<bool>,
    /// Notices shown to customers.
    notices: Option<LocalizedPairNotices>,
    /// What a customer has to verify before paying. `card` requires a give currency with a card number field.
    verification: Option<PairVerification>,
    /// Tolerance for payments that differ from the agreed terms. Applies to new claims.
    tolerance: Option<PairTolerance>,
}

impl Example for UpdatePairRequest {
    fn example() -> Self {
        Self {
            revision: Some(3),
            enabled: Some(true),
            source: Some(RateSourceKind::Market.into()),
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

/// The same change to several pairs.
#[derive(Debug, Deserialize, Serialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields, example)]
struct UpdatePairsRequest {
    /// Pair identifiers.
    ids: Vec<i64>,
    /// Values to set on every pair.
    set: PairsUpdate,
}

impl Example for UpdatePairsRequest {
    fn example() -> Self {
        Self { ids: vec![1, 2, 3], set: PairsUpdate { enabled: Some(false), spread_percent: None } }
    }
}

/// Values to set on several pairs. Omitted fields stay unchanged.
#[derive(Debug, Deserialize, Serialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, skip_serializing_if_is_none)]
struct PairsUpdate {
    /// Whether the pairs are enabled.
    enabled: Option<bool>,
    /// Spread, in percent of the rate.
    spread_percent: Option<Dec>,
}

/// Effect of a pair update.
#[derive(Debug, Serialize, Object)]
struct PairPreview {
    /// Rate after the change. Null when no rate can be calculated.
    rate: Nullable<Dec>,
    /// Limits of the give amount after the change.
    from: PairAmountRange,
    /// Limits of the receive amount after the change.
    to: PairAmountRange,
    /// Current values.
    before: CurrentPairRate,
}

/// Current rate of a pair.
#[derive(Debug, Serialize, Object)]
struct CurrentPairRate {
    /// Rate. Null when no rate can be calculated.
    rate: Nullable<Dec>,
}

pub(super) struct PairsAdminApi(pub(super) Arc<Calculator>);

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Market")]
impl PairsAdminApi {
    /// List pairs
    ///
    /// All pairs with their current rates and states. Needs `market.read`.
    #[oai(path = "/pairs", method = "get", operation_id = "listPairs")]
    async fn list_pairs(&self, auth: StaffAuth, visitor: agio_http::Visitor) -> ApiResult<JsonResponse<Vec<PairView>>> {
        auth.require(MARKET_READ)?;
        let (api, market) = (Self(self.0.clone()), self.0.market());
        // Thousands of rows take a while; do not block other requests.
        let rows = move || market.pairs.iter().map(|pair| api.view(pair, &visitor)).collect();
        Ok(JsonResponse(self.0.platform.background.run(rows).await?))
    }

    /// Update a pair
    ///
    /// Omitted fields stay unchanged; objects and lists are replaced as a whole. Needs `market.edit`. Also needs a
    /// fresh second factor if the rate moves by more than the setting `rates.large_change_percent`, or if the payment
    /// tolerance grows. While two-person approval is enabled, a change of rate, source or spread beyond the limit for
    /// one person, and a wider tolerance, create an approval request: 202.
    #[oai(path = "/pairs/:id", method = "patch", operation_id = "updatePair")]
    async fn update_pair(
        &self,
        auth: StaffAuth,
        visitor: agio_http::Visitor,
        id: Path<i64>,
        change: JsonBody<UpdatePairRequest>,
    ) -> ApiResult<Either<JsonResponse<PairView>, PendingApproval>> {
        let staff = auth.require(MARKET_EDIT)?;
        let revision = change.0.revision.ok_or_else(|| Error::unprocessable("validation_failed").at("revision", "required"))?;
        let payload = serde_json::to_value(&change.0).map_err(Error::internal)?;
        let change: PairChange = change.0.into();
        if self.0.is_large_change(id.0, &change)? || self.0.widens_tolerance(id.0, &change)? {
            auth.require_fresh()?;
        }
        if let Some(shown) = self.0.required_approval(id.0, &change)? {
            if self.0.market().pair(id.0).is_none_or(|pair| pair.pair.revision != revision) {
                return Err(Error::conflict("market_changed").into());
            }
            let approval = ApprovalRequest { kind: PAIR_CHANGED, about: ("pair", id.0.to_string()), shown, payload };
            let row = self.0.propose(approval, &staff).await?;
            return Ok(Either::Right(Accepted(self.0.approvals.show(row, &staff, visitor.locale))));
        }
        self.0.update_pair(id.0, revision, change, &staff).await?;
        let market = self.0.market();
        let pair = market.pair(id.0).ok_or_else(|| Error::not_found("pair_unknown"))?;
        Ok(Either::Left(JsonResponse(self.view(pair, &visitor))))
    }

    /// Update several pairs
    ///
    /// Updates all pairs or none and returns them. Needs `market.edit`. Also needs a fresh second factor if a rate
    /// moves by more than the setting `rates.large_change_percent`. 409 `approval_one_by_one` if a rate would move
    /// beyond the limit for one person.
    #[oai(path = "/pairs/bulk", method = "post", operation_id = "updatePairs")]
    async fn update_pairs(
        &self,
        auth: StaffAuth,
        visitor: agio_http::Visitor,
        change: JsonBody<UpdatePairsRequest>,
    ) -> ApiResult<JsonResponse<Vec<PairView>>> {
        let staff = auth.require(MARKET_EDIT)?;
        let UpdatePairsRequest { ids, set } = change.0;
        let set = BulkChange { enabled: set.enabled, spread_percent: set.spread_percent.map(|percent| percent.0) };
        if self.0.any_large_change(&ids, set)? {
            auth.require_fresh()?;
        }
        self.0.update_pairs(&ids, set, &staff).await?;
        let market = self.0.market();
        Ok(JsonResponse(ids.iter().filter_map(|id| market.pair(*id)).map(|pair| self.view(pair, &visitor)).collect()))
    }

    /// Preview a pair update
    ///
    /// Prices the changed pair with current rates. Nothing is stored. Needs `market.read`.
    #[oai(path = "/pairs/:id/preview", method = "post", operation_id = "previewPairUpdate")]
    async fn preview_update(
        &self,
        auth: StaffAuth,
        id: Path<i64>,
        change: JsonBody<UpdatePairRequest>,
    ) -> ApiResult<JsonResponse<PairPreview>> {
        auth.require(MARKET_READ)?;
        let after = self.0.preview(id.0, change.0.into())?;
        let before = self.0.market().pair(id.0).and_then(customer_rate);
        let limits = after.rate.as_ref().and_then(|rate| after.limits(&rate.terms, self.0.free(after.pair.receive_id)));
        let range = |of: fn(&Limits) -> crate::model::limits::Range| {
            let range = limits.as_ref().map(of);
            PairAmountRange::between(range.map(|range| range.min.value), range.map(|range| range.max.value))
        };
        Ok(JsonResponse(PairPreview {
            rate: Nullable(customer_rate(&after)),
            from: range(|limits| limits.give),
            to: range(|limits| limits.receive),
            before: CurrentPairRate { rate: Nullable(before) },
        }))
    }
}

/// Kind of approval requests about pairs.
pub(super) const PAIR_CHANGED: &str = "pair_changed";

fn customer_rate(pair: &MarketPair) -> Option<Dec> {
    pair.rate.as_ref().map(|rate| Dec(rate.terms.parts().rate))
}

impl PairsAdminApi {
    fn view(&self, priced: &MarketPair, visitor: &agio_http::Visitor) -> PairView {
        let pair = &priced.pair;
        let rate = priced.rate.as_ref();
        PairView {
            id: pair.id,
            give_id: pair.give_id,
            receive_id: pair.receive_id,
            enabled: pair.enabled,
            source: pair.source.into(),
            manual_rate: Nullable(pair.manual_rate.map(Dec)),
            spread_percent: Dec(pair.spread_percent),
            fees: PairFees { from: pair.give_fee.into(), to: pair.receive_fee.into() },
            tiers: pair.tiers.iter().map(Into::into).collect(),
            limits: pair.limits.into(),
            hold: pair.hold_minutes,
            reported_minutes: Nullable(pair.reported_minutes),
            floating: pair.floating,
            notices: (&pair.notices).into(),
            verification: pair.verification.into(),
            tolerance: pair.tolerance.into(),
            state: priced.state(self.0.free(pair.receive_id)).into(),
            rate: Nullable(customer_rate(priced)),
            market_rate: Nullable(rate.map(|rate| Dec(rate.market))),
            rates_of: Nullable(rate.and_then(|rate| rate.rates_of).map(|day| day.to_string())),
            path: rate.map(rate_text::path).unwrap_or_default(),
            explanation: Nullable(rate.map(|rate| rate_text::explanation(&self.0.texts, visitor.locale, &rate.explanation))),
            updated_at: DateTime(pair.updated_at),
            revision: pair.revision,
        }
    }
}

impl From<Option<VerificationSubject>> for PairVerification {
    fn from(proof: Option<VerificationSubject>) -> Self {
        match proof {
            None => Self::None,
            Some(VerificationSubject::Card) => Self::Card,
            Some(VerificationSubject::Identity) => Self::Identity,
        }
    }
}

impl From<PairVerification> for Option<VerificationSubject> {
    fn from(proof: PairVerification) -> Self {
        match proof {
            PairVerification::None => None,
            PairVerification::Card => Some(VerificationSubject::Card),
            PairVerification::Identity => Some(VerificationSubject::Identity),
        }
    }
}

impl From<UpdatePairRequest> for PairChange {
    fn from(change: UpdatePairRequest) -> Self {
        Self {
            enabled: change.enabled,
            source: change.source.map(|source| source.0),
            manual_rate: change.manual_rate.map(|rate| rate.0.map(|rate| rate.0)),
            spread_percent: change.spread_percent.map(|percent| percent.0),
            give_fee: change.fees.map(|fees| fees.from.into()),
            receive_fee: change.fees.map(|fees| fees.to.into()),
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

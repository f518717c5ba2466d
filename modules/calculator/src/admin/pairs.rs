//! Pairs: rates, limits and update previews.

use std::sync::Arc;

use agio_approvals::{ApprovalRequest, PendingApproval};
use agio_contracts::{NetworkFeePayer, VerificationSubject};
use agio_core::Error;
use agio_http::{
    Accepted, ApiEnum, ApiResult, DateTime, Dec, Either, IdempotencyKey, JsonBody, JsonResponse, Nullable, StaffAuth, body,
};
use poem_openapi::param::{Header, Path};
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object, OpenApi};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::Tag;
use super::views::{
    LocalizedNotice, LocalizedPairNotices, PairAmountRange, PairFees, PairLimits, PairTier, PairTolerance, present,
};
use crate::market::{Market, MarketPair, Pair, PairChange, PairStatus, RateSourceKind, rate_text};
use crate::model::limits::{ConfiguredRange, Limits};
use crate::service::PairsPlan;
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
#[body(response)]
#[derive(Debug)]
struct PairView {
    /// Unique identifier.
    id: i64,
    /// Currency the customer gives.
    give_id: i64,
    /// Currency the customer receives.
    receive_id: i64,
    /// Whether the pair is enabled.
    enabled: bool,
    /// Whether the pair is archived: disabled, without a page, and in no list of the console unless it is asked for.
    archived: bool,
    /// Where the rate comes from.
    source: ApiEnum<RateSourceKind>,
    /// The manual rate. Kept while the market rate is used.
    manual_rate: Nullable<Dec>,
    /// Spread, in percent of the rate.
    spread_percent: Dec,
    /// Fees on both sides.
    fees: PairFees,
    /// Who bears the network fee of payouts.
    network_fee_payer: ApiEnum<NetworkFeePayer>,
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
    /// Terms that a customer has to accept before paying. Null for none.
    customer_terms: Nullable<LocalizedNotice>,
    /// Codes of the cities the pair is limited to. Empty for all cities of its cash.
    cities: Vec<String>,
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

/// Defines a body with the settings of pairs, and its change. `revision` is the only other field there is.
macro_rules! pair_settings {
    ($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident,)? }) => {
        $(#[$meta])*
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub(super) struct $name {
            $($(#[$field_meta])* pub(super) $field: Option<i64>,)?
            /// Whether the pair is enabled.
            enabled: Option<bool>,
            /// Whether the pair is archived. True also disables it; false leaves it disabled.
            archived: Option<bool>,
            /// Where the rate comes from.
            source: Option<ApiEnum<RateSourceKind>>,
            /// The manual rate. Null removes it.
            #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
            manual_rate: Option<Nullable<Dec>>,
            /// Spread, in percent of the rate.
            spread_percent: Option<Dec>,
            /// Fees on both sides.
            fees: Option<PairFees>,
            /// Who bears the network fee of payouts. `customer` adds it to the fixed fee on the receive side.
            network_fee_payer: Option<ApiEnum<NetworkFeePayer>>,
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
            /// Terms that a customer has to accept before paying. Null removes them. Changed terms have to be accepted
            /// by every claim that is confirmed after the change.
            #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
            customer_terms: Option<Nullable<LocalizedNotice>>,
            /// Codes of the cities to limit the pair to: cities of its cash, which both sides have if both are cash. Empty
            /// for all of them.
            cities: Option<Vec<String>>,
            /// What a customer has to verify before paying. `card` requires a give currency with a card number field.
            verification: Option<PairVerification>,
            /// Tolerance for payments that differ from the agreed terms. Applies to new claims.
            tolerance: Option<PairTolerance>,
        }

        impl From<$name> for PairChange {
            fn from(change: $name) -> Self {
                Self {
                    enabled: change.enabled,
                    archived: change.archived,
                    source: change.source.map(|source| source.0),
                    manual_rate: change.manual_rate.map(|rate| rate.0.map(|rate| rate.0)),
                    spread_percent: change.spread_percent.map(|percent| percent.0),
                    give_fee: change.fees.map(|fees| fees.from.into()),
                    receive_fee: change.fees.map(|fees| fees.to.into()),
                    network_fee_payer: change.network_fee_payer.map(|payer| payer.0),
                    tiers: change.tiers.map(|tiers| tiers.into_iter().map(Into::into).collect()),
                    limits: change.limits.map(Into::into),
                    hold_minutes: change.hold,
                    reported_minutes: change.reported_minutes.map(|minutes| minutes.0),
                    floating: change.floating,
                    notices: change.notices.map(Into::into),
                    customer_terms: change.customer_terms.map(|terms| terms.0.map(Into::into)),
                    cities: change.cities,
                    verification: change.verification.map(Into::into),
                    tolerance: change.tolerance.map(Into::into),
                }
            }
        }
    };
}

pair_settings! {
    /// Changes to a pair. Omitted fields stay unchanged.
    #[derive(Debug, Default, Deserialize, Serialize, Object)]
    #[oai(rename_all = "camelCase", deny_unknown_fields, skip_serializing_if_is_none, example)]
    UpdatePairRequest {
        /// The revision you edited. The update fails if the pair changed since.
        revision,
    }
}

pair_settings! {
    /// Settings of several pairs. Omitted fields stay unchanged. A new pair is disabled, at the market's rate, without
    /// spread, fees and limits, and its rate is held for 20 minutes.
    #[derive(Debug, Default, Deserialize, Serialize, Object)]
    #[oai(rename_all = "camelCase", deny_unknown_fields, skip_serializing_if_is_none)]
    PairSettings {}
}

impl Example for UpdatePairRequest {
    fn example() -> Self {
        Self {
            revision: Some(3),
            enabled: Some(true),
            source: Some(RateSourceKind::Market.into()),
            spread_percent: Some(Dec(Decimal::new(22, 1))),
            hold: Some(30),
            ..Self::default()
        }
    }
}

/// The same change to several pairs.
#[body(shared, example)]
#[derive(Debug)]
struct UpdatePairsRequest {
    /// Pair identifiers, at most 5,000.
    ids: Vec<i64>,
    /// Values to set on every pair.
    set: PairSettings,
    /// Whether to only compute the effect.
    #[serde(default)]
    #[oai(default)]
    dry_run: bool,
}

impl Example for UpdatePairsRequest {
    fn example() -> Self {
        Self { ids: vec![1, 2, 3], set: PairSettings { enabled: Some(false), ..PairSettings::default() }, dry_run: true }
    }
}

/// Pairs to create: from each currency of one list to each of the other.
#[body(shared, example)]
#[derive(Debug)]
struct NewPairsRequest {
    /// Currencies to give.
    give_ids: Vec<i64>,
    /// Currencies to receive. Pairs of a currency with itself are left out.
    receive_ids: Vec<i64>,
    /// Their settings.
    set: PairSettings,
    /// Whether to only compute the effect.
    #[serde(default)]
    #[oai(default)]
    dry_run: bool,
}

impl Example for NewPairsRequest {
    fn example() -> Self {
        let set = PairSettings { spread_percent: Some(Dec(Decimal::TWO)), ..PairSettings::default() };
        Self { give_ids: vec![1, 2], receive_ids: vec![14], set, dry_run: true }
    }
}

/// The effect of a change of several pairs.
#[body(response)]
#[derive(Debug)]
struct UpdatedPairs {
    /// Number of pairs whose settings change.
    changed: usize,
    /// The pairs, in the order of the request.
    pairs: Vec<UpdatedPairRate>,
    /// The notices that every pair gets, as customers see them. Null if they are not set.
    notices: Nullable<LocalizedPairNotices>,
    /// The terms that customers of every pair have to accept, as they see them. Null if they are not set.
    customer_terms: Nullable<LocalizedNotice>,
}

/// The rate of a pair before and after a change.
#[body(response)]
#[derive(Debug)]
struct UpdatedPairRate {
    /// Pair identifier.
    id: i64,
    /// Units received for one unit given, before. Null when no rate can be calculated.
    before: Nullable<Dec>,
    /// Units received for one unit given, after. Null when no rate can be calculated.
    after: Nullable<Dec>,
    /// Whether the pair can be exchanged after the change, and why not.
    state: ApiEnum<PairStatus>,
}

/// The effect of a creation of pairs.
#[body(response)]
#[derive(Debug)]
struct NewPairs {
    /// Number of new pairs.
    created: usize,
    /// Number of pairs that exist already. They stay as they are.
    existing: usize,
    /// The new pairs.
    pairs: Vec<NewPairRate>,
}

/// The rate of a new pair.
#[body(response)]
#[derive(Debug)]
struct NewPairRate {
    /// Currency the customer gives.
    give_id: i64,
    /// Currency the customer receives.
    receive_id: i64,
    /// Units received for one unit given. Null when no rate can be calculated.
    rate: Nullable<Dec>,
    /// Whether the pair can be exchanged, and why not.
    state: ApiEnum<PairStatus>,
}

/// Effect of a pair update.
#[body(response)]
#[derive(Debug)]
struct PairPreview {
    /// Rate after the change. Null when no rate can be calculated.
    rate: Nullable<Dec>,
    /// Limits of the give amount after the change.
    from: PairAmountRange,
    /// Limits of the receive amount after the change.
    to: PairAmountRange,
    /// The notices after the change, as customers see them.
    notices: LocalizedPairNotices,
    /// The terms to accept after the change, as customers see them. Null for none.
    customer_terms: Nullable<LocalizedNotice>,
    /// Current values.
    before: CurrentPairRate,
}

/// Current rate of a pair.
#[body(response)]
#[derive(Debug)]
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
    /// Omitted fields stay unchanged; objects and lists are replaced as a whole. An archived pair cannot be enabled
    /// before it is unarchived; what names it keeps it. Needs `market.edit`. Also needs a fresh second factor if a rate
    /// moves by more than the setting `rates.large_change_percent`, also that of a tier, or is promised for longer, if
    /// the payment tolerance grows, or if a verification that was required, notices or the terms to accept change. A
    /// pair that is enabled is compared with the market instead of its own former rate. While two-person approval is
    /// enabled, a rate that moves beyond the limit for one person, a longer promise, a wider tolerance and another
    /// verification than was required create an approval request: 202.
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
        let plan = self.0.plan_pair(id.0, revision, change.clone()).await?;
        if self.0.is_large_change(&plan) {
            auth.require_fresh()?;
        }
        if let Some(shown) = self.0.required_approval(&plan) {
            let approval = ApprovalRequest { kind: PAIR_CHANGED, about: ("pair", id.0.to_string()), shown, payload };
            let row = self.0.propose(approval, &staff).await?;
            return Ok(Either::Right(Accepted(self.0.approvals.show(row, &staff, visitor.locale))));
        }
        self.0.update_pair(id.0, revision, change, &staff).await?;
        let market = self.0.market();
        let pair = market.pair(id.0).ok_or_else(|| Error::not_found("pair_unknown"))?;
        Ok(Either::Left(JsonResponse(self.view(pair, &visitor))))
    }

    /// Create pairs
    ///
    /// All pairs from the currencies of one list to those of the other, at most 5,000, all or none. Existing pairs stay
    /// as they are. Needs `market.edit`. Also needs a fresh second factor if a rate is further from the market than the
    /// setting `rates.large_change_percent`, or cannot be compared with it, or is promised for longer than 20 minutes,
    /// or if a payment tolerance, notices or terms to accept are set. 409 `approval_one_by_one` if it is beyond the
    /// limit for one person: create the pair without it and change it then.
    #[oai(path = "/pairs", method = "post", operation_id = "createPairs")]
    async fn create_pairs(
        &self,
        auth: StaffAuth,
        #[oai(name = "Idempotency-Key")] key: Header<Option<String>>,
        new: JsonBody<NewPairsRequest>,
    ) -> ApiResult<JsonResponse<NewPairs>> {
        let staff = auth.require(MARKET_EDIT)?;
        let key = IdempotencyKey::check(key.0)?.for_body(format!("pairs:{}", staff.id), &new.0)?;
        let NewPairsRequest { give_ids, receive_ids, set, dry_run } = new.0;
        let plan = self.0.plan_creation(give_ids, receive_ids, set.into()).await?;
        if dry_run {
            let ends =
                plan.pairs.iter().filter_map(|id| plan.after.pair(*id)).map(|pair| (pair.pair.give_id, pair.pair.receive_id));
            return Ok(JsonResponse(self.new_pairs(&plan.after, ends.collect(), plan.existing)));
        }
        if self.0.any_large_change(&plan) {
            auth.require_fresh()?;
        }
        let created = self.0.apply_creation(&plan, &staff, key).await?;
        Ok(JsonResponse(self.new_pairs(&self.0.market(), created.ends, created.existing)))
    }

    /// Update several pairs
    ///
    /// Updates all pairs or none and returns their rates before and after. Objects and lists are replaced as a whole.
    /// Needs `market.edit`. Also needs a fresh second factor where a single update does. 409 `approval_one_by_one` if
    /// one would need two-person approval.
    #[oai(path = "/pairs/bulk", method = "post", operation_id = "updatePairs")]
    async fn update_pairs(&self, auth: StaffAuth, change: JsonBody<UpdatePairsRequest>) -> ApiResult<JsonResponse<UpdatedPairs>> {
        let staff = auth.require(MARKET_EDIT)?;
        let UpdatePairsRequest { ids, set, dry_run } = change.0;
        let sets = (set.notices.is_some(), set.customer_terms.is_some());
        let plan = self.0.plan_update(ids, set.into()).await?;
        if dry_run {
            return Ok(JsonResponse(self.updated_pairs(&plan, &plan.after, sets)));
        }
        if self.0.any_large_change(&plan) {
            auth.require_fresh()?;
        }
        self.0.apply_update(&plan, &staff).await?;
        Ok(JsonResponse(self.updated_pairs(&plan, &self.0.market(), sets)))
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
        let plan = self.0.preview(id.0, change.0.into())?;
        let after = &plan.after;
        let limits = after.rate.as_ref().and_then(|rate| after.limits(&rate.terms, self.0.free(after.pair.receive_id)));
        let range = |of: fn(&Limits) -> crate::model::limits::Range, step: Option<Decimal>| {
            let range = limits.as_ref().map(of);
            let (min, max) = (range.map(|range| range.min.value), range.map(|range| range.max.value));
            PairAmountRange::from(ConfiguredRange { min, max, step })
        };
        Ok(JsonResponse(PairPreview {
            rate: Nullable(customer_rate(after)),
            from: range(|limits| limits.give, after.pair.limits.give.step),
            to: range(|limits| limits.receive, after.pair.limits.receive.step),
            notices: (&after.pair.notices).into(),
            customer_terms: customer_terms(&after.pair),
            before: CurrentPairRate { rate: Nullable(plan.before().and_then(customer_rate)) },
        }))
    }
}

/// Kind of approval requests about pairs.
pub(super) const PAIR_CHANGED: &str = "pair_changed";

fn customer_terms(pair: &Pair) -> Nullable<LocalizedNotice> {
    Nullable(pair.customer_terms.as_ref().map(Into::into))
}

fn customer_rate(pair: &MarketPair) -> Option<Dec> {
    pair.rate.as_ref().map(|rate| Dec(rate.terms.parts().rate))
}

impl PairsAdminApi {
    fn state(&self, pair: &MarketPair) -> ApiEnum<PairStatus> {
        pair.state(self.0.free(pair.pair.receive_id)).into()
    }

    fn new_pairs(&self, market: &Market, ends: Vec<(i64, i64)>, existing: usize) -> NewPairs {
        let view = |pair: &MarketPair| NewPairRate {
            give_id: pair.pair.give_id,
            receive_id: pair.pair.receive_id,
            rate: Nullable(customer_rate(pair)),
            state: self.state(pair),
        };
        let pairs = ends.iter().filter_map(|(give, receive)| market.between(*give, *receive)).map(view).collect();
        NewPairs { created: ends.len(), existing, pairs }
    }

    /// The effect of a plan, with the pairs as `market` has them, and whether it sets notices and terms to accept.
    fn updated_pairs(&self, plan: &PairsPlan, market: &Market, sets: (bool, bool)) -> UpdatedPairs {
        let view = |pair: &MarketPair| UpdatedPairRate {
            id: pair.pair.id,
            before: Nullable(plan.before.pair(pair.pair.id).and_then(customer_rate)),
            after: Nullable(customer_rate(pair)),
            state: self.state(pair),
        };
        let pairs = plan.pairs.iter().filter_map(|id| market.pair(*id)).map(view).collect();
        let first = plan.pairs.first().and_then(|id| market.pair(*id)).map(|pair| &pair.pair);
        UpdatedPairs {
            changed: plan.changes(),
            pairs,
            notices: Nullable(first.filter(|_| sets.0).map(|pair| (&pair.notices).into())),
            customer_terms: first.filter(|_| sets.1).map_or(Nullable(None), customer_terms),
        }
    }

    fn view(&self, priced: &MarketPair, visitor: &agio_http::Visitor) -> PairView {
        let pair = &priced.pair;
        let rate = priced.rate.as_ref();
        PairView {
            id: pair.id,
            give_id: pair.give_id,
            receive_id: pair.receive_id,
            enabled: pair.enabled,
            archived: pair.archived,
            source: pair.source.into(),
            manual_rate: Nullable(pair.manual_rate.map(Dec)),
            spread_percent: Dec(pair.spread_percent),
            fees: PairFees { from: pair.give_fee.into(), to: pair.receive_fee.into() },
            network_fee_payer: pair.network_fee_payer.into(),
            tiers: pair.tiers.iter().map(Into::into).collect(),
            limits: pair.limits.into(),
            hold: pair.hold_minutes,
            reported_minutes: Nullable(pair.reported_minutes),
            floating: pair.floating,
            notices: (&pair.notices).into(),
            customer_terms: customer_terms(pair),
            cities: pair.cities.clone(),
            verification: pair.verification.into(),
            tolerance: pair.tolerance.into(),
            state: self.state(priced),
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

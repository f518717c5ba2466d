//! Plans and referrers in the admin API.

use agio_http::{ApiEnum, DateTime, Dec, Nullable, body};
use poem_openapi::types::Example;
use rust_decimal::Decimal;
use uuid::Uuid;

use crate::api::ReferralTier;
use crate::model::{CommissionTier, PlanTerms, ReferralKind};
use crate::service::{NewReferralPlan, ReferrerStats, units};
use crate::store::plans::ReferralPlan;

/// A referral plan.
#[body(response)]
pub struct ReferralPlanView {
    id: Uuid,
    /// Internal name.
    name: String,
    /// Whether it is the default plan.
    common: bool,
    /// Current revision; send it with a change.
    revision: i64,
    /// What the commission is a percentage of.
    kind: ApiEnum<ReferralKind>,
    /// Percentages by referred volume.
    tiers: Vec<ReferralTier>,
    /// Smallest commission, in the base currency; less is not credited.
    min_commission: Dec,
    /// Hours for which commission is held before it can be withdrawn.
    hold_hours: i64,
    /// Minimum withdrawal, in the balance currency.
    withdrawal_min: Dec,
    /// When these terms took effect.
    changed_at: DateTime,
    /// Who set them; null for the initial terms.
    changed_by: Nullable<String>,
    /// Number of referrers assigned to it.
    referrers: i64,
}

impl From<ReferralPlan> for ReferralPlanView {
    fn from(plan: ReferralPlan) -> Self {
        Self {
            id: plan.id,
            common: plan.is_default,
            revision: plan.revision,
            kind: ApiEnum(plan.terms.kind),
            tiers: plan.terms.tiers.iter().map(ReferralTier::from).collect(),
            min_commission: Dec(plan.terms.min_commission),
            hold_hours: plan.terms.hold_hours,
            withdrawal_min: Dec(plan.terms.withdrawal_min),
            changed_at: plan.changed_at.into(),
            changed_by: plan.changed_name.into(),
            referrers: plan.referrers,
            name: plan.name,
        }
    }
}

/// Name and terms of a plan.
#[body(shared, example)]
#[derive(Clone, Debug)]
pub struct ReferralPlanRequest {
    /// Internal name.
    name: String,
    /// What the commission is a percentage of.
    kind: ApiEnum<ReferralKind>,
    /// Percentages by referred volume; the first tier starts at 0, then ascending.
    tiers: Vec<ReferralTier>,
    /// Smallest commission, in the base currency; less is not credited.
    min_commission: Dec,
    /// Hours for which commission is held before it can be withdrawn.
    hold_hours: i64,
    /// Minimum withdrawal, in the balance currency.
    withdrawal_min: Dec,
}

impl Example for ReferralPlanRequest {
    fn example() -> Self {
        let tier = |from, percent| ReferralTier { from: Dec(Decimal::from(from)), percent: Dec(Decimal::from(percent)) };
        Self {
            name: "Bloggers".into(),
            kind: ApiEnum(ReferralKind::Profit),
            tiers: vec![tier(0, 30), tier(10_000, 35)],
            min_commission: Dec(Decimal::new(1, 2)),
            hold_hours: 72,
            withdrawal_min: Dec(Decimal::from(10)),
        }
    }
}

impl From<ReferralPlanRequest> for NewReferralPlan {
    fn from(body: ReferralPlanRequest) -> Self {
        let tiers = body.tiers.into_iter().map(|tier| CommissionTier { from: tier.from.0, percent: tier.percent.0 });
        Self {
            name: body.name,
            terms: PlanTerms {
                kind: body.kind.0,
                tiers: tiers.collect(),
                min_commission: body.min_commission.0,
                hold_hours: body.hold_hours,
                withdrawal_min: body.withdrawal_min.0,
            },
        }
    }
}

/// New terms for a plan.
#[body(request, example)]
#[derive(Clone, Debug)]
pub struct UpdateReferralPlanRequest {
    /// Current revision; 409 if it is stale.
    pub revision: i64,
    /// The complete terms.
    pub terms: ReferralPlanRequest,
}

impl Example for UpdateReferralPlanRequest {
    fn example() -> Self {
        Self { revision: 1, terms: ReferralPlanRequest::example() }
    }
}

/// The plan of a referrer.
#[body(request, example)]
#[derive(Debug)]
pub struct AssignReferralPlanRequest {
    /// Id of the plan; null for the default plan.
    pub plan_id: Nullable<Uuid>,
}

impl Example for AssignReferralPlanRequest {
    fn example() -> Self {
        Self { plan_id: Nullable(None) }
    }
}

/// A referrer with totals.
#[body(response)]
pub struct ReferrerSummary {
    /// Id of the customer account.
    id: Uuid,
    /// E-mail address of the account.
    email: String,
    /// Referral code.
    code: String,
    /// Name of the plan that applies.
    plan: String,
    /// Id of the assigned plan; null if the default plan applies.
    plan_id: Nullable<Uuid>,
    /// Current commission percentage.
    percent: Dec,
    /// Referred volume, in the base currency.
    volume: Dec,
    /// Code of the balance currency.
    currency: String,
    /// Available balance.
    balance: Dec,
    /// Pending commission.
    pending: Dec,
    /// Debt: commission of reversed exchanges that was no longer in the balance.
    debt: Dec,
    /// Total commission.
    earned: Dec,
    /// Total paid out.
    paid: Dec,
    /// Number of visits through the link.
    visits: i64,
    /// Number of sign-ups through the link.
    registrations: i64,
    /// Number of completed referred claims.
    claims: i64,
    /// When the link was created.
    created_at: DateTime,
}

impl From<ReferrerStats> for ReferrerSummary {
    fn from(stats: ReferrerStats) -> Self {
        let scale = stats.currency.as_ref().map_or(0, |currency| i64::from(currency.scale));
        let amount = |count: i64| Dec(units(count, scale));
        Self {
            id: stats.referrer.customer_id,
            email: stats.referrer.email,
            code: stats.referrer.code,
            plan: stats.plan.name,
            plan_id: stats.referrer.plan_id.into(),
            percent: Dec(stats.percent),
            volume: Dec(stats.volume),
            balance: amount(stats.balance.available),
            pending: amount(stats.balance.pending),
            debt: amount(stats.balance.debt),
            earned: amount(stats.earned),
            paid: amount(stats.paid),
            currency: stats.currency.map(|currency| currency.code.clone()).unwrap_or_default(),
            visits: stats.funnel.0,
            registrations: stats.funnel.1,
            claims: stats.funnel.2,
            created_at: stats.referrer.created_at.into(),
        }
    }
}

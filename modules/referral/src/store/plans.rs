//! Plans and the versions of their terms in SQL.

use agio_core::decimal::StoredDecimal;
use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all, fetch_optional, write_one};
use uuid::Uuid;

use crate::model::{PlanTerms, ReferralKind};

agio_core::statements! {
    REFERRAL_PLANS = "SELECT plan.id, plan.name, plan.is_default, plan.revision, terms.kind, terms.tiers,
            terms.min_commission, terms.hold_hours, terms.withdrawal_min, terms.changed_at, terms.changed_name,
            (SELECT COUNT(*) FROM referral_referrer referrer WHERE referrer.plan_id = plan.id) AS referrers
        FROM referral_plan plan
        JOIN referral_terms terms ON terms.plan_id = plan.id AND terms.revision = plan.revision
        ORDER BY plan.is_default DESC, plan.name";
    REFERRAL_PLAN = "SELECT plan.id, plan.name, plan.is_default, plan.revision, terms.kind, terms.tiers,
            terms.min_commission, terms.hold_hours, terms.withdrawal_min, terms.changed_at, terms.changed_name,
            (SELECT COUNT(*) FROM referral_referrer referrer WHERE referrer.plan_id = plan.id) AS referrers
        FROM referral_plan plan
        JOIN referral_terms terms ON terms.plan_id = plan.id AND terms.revision = plan.revision
        WHERE plan.id = $1";
    /// The assigned plan, or the default plan.
    REFERRAL_PLAN_OF = "SELECT plan.id, plan.name, plan.is_default, plan.revision, terms.kind, terms.tiers,
            terms.min_commission, terms.hold_hours, terms.withdrawal_min, terms.changed_at, terms.changed_name, CAST(0 AS BIGINT) AS referrers
        FROM referral_plan plan
        JOIN referral_terms terms ON terms.plan_id = plan.id AND terms.revision = plan.revision
        WHERE plan.id = $1 OR plan.is_default ORDER BY plan.is_default LIMIT 1";
    INSERT_REFERRAL_PLAN = "INSERT INTO referral_plan (id, name, is_default, revision) VALUES ($1, $2, FALSE, 1)
        ON CONFLICT (name) DO NOTHING";
    UPDATE_REFERRAL_PLAN = "UPDATE referral_plan SET name = $3, revision = revision + 1 WHERE id = $1 AND revision = $2";
    REFERRAL_PLAN_NAMED = "SELECT id FROM referral_plan WHERE name = $1";
    INSERT_REFERRAL_TERMS = "INSERT INTO referral_terms
        (plan_id, revision, kind, tiers, min_commission, hold_hours, withdrawal_min, changed_at, changed_by, changed_name)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
}

#[derive(sqlx::FromRow)]
struct ReferralPlanRow {
    id: Uuid,
    name: String,
    is_default: bool,
    revision: i64,
    kind: ReferralKind,
    tiers: String,
    min_commission: StoredDecimal,
    hold_hours: i64,
    withdrawal_min: StoredDecimal,
    changed_at: Timestamp,
    changed_name: Option<String>,
    referrers: i64,
}

/// A plan with its current terms.
#[derive(Clone, Debug)]
pub struct ReferralPlan {
    pub id: Uuid,
    pub name: String,
    pub is_default: bool,
    pub revision: i64,
    pub terms: PlanTerms,
    pub changed_at: Timestamp,
    /// `None` for the initial terms.
    pub changed_name: Option<String>,
    pub referrers: i64,
}

impl ReferralPlan {
    fn of(row: ReferralPlanRow) -> Result<Self> {
        let terms = PlanTerms {
            kind: row.kind,
            tiers: serde_json::from_str(&row.tiers).map_err(Error::internal)?,
            min_commission: row.min_commission.0,
            hold_hours: row.hold_hours,
            withdrawal_min: row.withdrawal_min.0,
        };
        let ReferralPlanRow { id, name, is_default, revision, changed_at, changed_name, referrers, .. } = row;
        Ok(Self { id, name, is_default, revision, terms, changed_at, changed_name, referrers })
    }
}

pub async fn all(tx: &mut Tx) -> Result<Vec<ReferralPlan>> {
    fetch_all!(tx, ReferralPlanRow, REFERRAL_PLANS)?.into_iter().map(ReferralPlan::of).collect()
}

pub async fn one(tx: &mut Tx, id: Uuid) -> Result<Option<ReferralPlan>> {
    fetch_optional!(tx, ReferralPlanRow, REFERRAL_PLAN, id)?.map(ReferralPlan::of).transpose()
}

/// The assigned plan, or the default plan.
pub async fn holding(tx: &mut Tx, own: Option<Uuid>) -> Result<ReferralPlan> {
    let found = fetch_optional!(tx, ReferralPlanRow, REFERRAL_PLAN_OF, own)?;
    ReferralPlan::of(found.ok_or_else(|| Error::internal("there is no default referral plan"))?)
}

pub async fn named(tx: &mut Tx, name: &str) -> Result<Option<Uuid>> {
    Ok(fetch_optional!(tx, (Uuid,), REFERRAL_PLAN_NAMED, name)?.map(|(id,)| id))
}

/// False if the name is taken.
pub async fn insert(tx: &mut Tx, id: Uuid, name: &str) -> Result<bool> {
    Ok(execute!(tx, INSERT_REFERRAL_PLAN, id, name)? == 1)
}

/// False if the revision is stale.
pub async fn change(tx: &mut Tx, id: Uuid, revision: i64, name: &str) -> Result<bool> {
    Ok(execute!(tx, UPDATE_REFERRAL_PLAN, id, revision, name)? == 1)
}

pub async fn insert_terms(
    tx: &mut Tx,
    id: Uuid,
    revision: i64,
    terms: &PlanTerms,
    by: (Uuid, &str),
    now: Timestamp,
) -> Result<()> {
    let tiers = serde_json::to_string(&terms.tiers).map_err(Error::internal)?;
    write_one!(
        tx,
        INSERT_REFERRAL_TERMS,
        id,
        revision,
        terms.kind,
        tiers,
        StoredDecimal(terms.min_commission),
        terms.hold_hours,
        StoredDecimal(terms.withdrawal_min),
        now,
        by.0,
        by.1,
    )
}

//! What the console is shown of referrers, and what it sends.

use agio_http::{Dec, Moment, Null};
use poem_openapi::Object;
use poem_openapi::types::Example;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::cursor;
use crate::api::{ReferralKind, ReferralTier};
use crate::model::{Terms, Tier};
use crate::service::{DeskReferrer, NewTerms, Page, units};
use crate::store::programmes::Programme;

/// A programme.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskProgramme {
    /// Identifier.
    id: Uuid,
    /// The name staff know it by.
    name: String,
    /// Whether it holds for all who have none of their own.
    common: bool,
    /// The version of the terms; a change names the one that was seen.
    revision: i64,
    /// What the share is of.
    kind: ReferralKind,
    /// Percents by referred volume.
    tiers: Vec<ReferralTier>,
    /// What is less, in the base currency, is not accrued.
    accrual_min: Dec,
    /// For how many hours what is earned is held.
    hold_hours: i64,
    /// The least withdrawal, in the currency of the balance.
    withdrawal_min: Dec,
    /// Since when these terms hold.
    changed_at: Moment,
    /// Who set them; null for those the house came with.
    changed_by: Null<String>,
    /// How many referrers have it as their own.
    referrers: i64,
}

impl From<Programme> for DeskProgramme {
    fn from(programme: Programme) -> Self {
        Self {
            id: programme.id,
            common: programme.is_default,
            revision: programme.revision,
            kind: programme.terms.kind.into(),
            tiers: programme.terms.tiers.iter().map(ReferralTier::from).collect(),
            accrual_min: Dec(programme.terms.accrual_min),
            hold_hours: programme.terms.hold_hours,
            withdrawal_min: Dec(programme.terms.withdrawal_min),
            changed_at: programme.changed_at.into(),
            changed_by: programme.changed_name.into(),
            referrers: programme.referrers,
            name: programme.name,
        }
    }
}

/// The terms of a programme.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct DeskProgrammeOrder {
    /// The name staff know it by.
    name: String,
    /// What the share is of.
    kind: ReferralKind,
    /// Percents by referred volume: the first from 0 on, rising.
    tiers: Vec<ReferralTier>,
    /// What is less, in the base currency, is not accrued.
    accrual_min: Dec,
    /// For how many hours what is earned is held.
    hold_hours: i64,
    /// The least withdrawal, in the currency of the balance.
    withdrawal_min: Dec,
}

impl Example for DeskProgrammeOrder {
    fn example() -> Self {
        let tier = |from, percent| ReferralTier { from: Dec(Decimal::from(from)), percent: Dec(Decimal::from(percent)) };
        Self {
            name: "Bloggers".into(),
            kind: ReferralKind::Profit,
            tiers: vec![tier(0, 30), tier(10_000, 35)],
            accrual_min: Dec(Decimal::new(1, 2)),
            hold_hours: 72,
            withdrawal_min: Dec(Decimal::from(10)),
        }
    }
}

impl From<DeskProgrammeOrder> for NewTerms {
    fn from(order: DeskProgrammeOrder) -> Self {
        let tiers = order.tiers.into_iter().map(|tier| Tier { from: tier.from.0, percent: tier.percent.0 });
        Self {
            name: order.name,
            terms: Terms {
                kind: order.kind.into(),
                tiers: tiers.collect(),
                accrual_min: order.accrual_min.0,
                hold_hours: order.hold_hours,
                withdrawal_min: order.withdrawal_min.0,
            },
        }
    }
}

/// Other terms for a programme.
#[derive(Clone, Debug, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields, example)]
pub struct DeskProgrammeChange {
    /// The revision that was seen.
    pub revision: i64,
    /// The terms, whole.
    pub terms: DeskProgrammeOrder,
}

impl Example for DeskProgrammeChange {
    fn example() -> Self {
        Self { revision: 1, terms: DeskProgrammeOrder::example() }
    }
}

/// A programme for a referrer.
#[derive(Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct DeskProgrammeGift {
    /// The programme; null for the common one.
    pub programme_id: Null<Uuid>,
}

impl Example for DeskProgrammeGift {
    fn example() -> Self {
        Self { programme_id: Null(None) }
    }
}

/// A referrer with their numbers.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskReferrerRow {
    /// The account.
    id: Uuid,
    /// Its e-mail address.
    email: String,
    /// The code in the link.
    code: String,
    /// The programme that holds for them.
    programme: String,
    /// Their own programme; null where the common one holds.
    programme_id: Null<Uuid>,
    /// The percent of the share now.
    percent: Dec,
    /// The referred volume, in the base currency.
    volume: Dec,
    /// The code of the balance's currency.
    currency: String,
    /// What may be withdrawn.
    balance: Dec,
    /// What is held.
    pending: Dec,
    /// What is owed to the house.
    debt: Dec,
    /// What was earned.
    earned: Dec,
    /// What was paid.
    paid: Dec,
    /// How many came by the link.
    visits: i64,
    /// How many accounts they made.
    registrations: i64,
    /// How many claims were completed.
    claims: i64,
    /// Since when they have a link.
    created_at: Moment,
}

impl From<DeskReferrer> for DeskReferrerRow {
    fn from(desk: DeskReferrer) -> Self {
        let scale = desk.currency.as_ref().map_or(0, |currency| i64::from(currency.scale));
        let amount = |count: i64| Dec(units(count, scale).value());
        Self {
            id: desk.referrer.customer_id,
            email: desk.referrer.email,
            code: desk.referrer.code,
            programme: desk.programme.name,
            programme_id: desk.referrer.programme_id.into(),
            percent: Dec(desk.percent),
            volume: Dec(desk.volume),
            balance: amount(desk.balance.available),
            pending: amount(desk.balance.pending),
            debt: amount(desk.balance.debt),
            earned: amount(desk.earned),
            paid: amount(desk.paid),
            currency: desk.currency.map(|currency| currency.code.clone()).unwrap_or_default(),
            visits: desk.funnel.0,
            registrations: desk.funnel.1,
            claims: desk.funnel.2,
            created_at: desk.referrer.created_at.into(),
        }
    }
}

/// A page of referrers.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskReferrerPage {
    /// The referrers.
    items: Vec<DeskReferrerRow>,
    /// What the next page is asked for with; null on the last.
    next_cursor: Null<String>,
}

impl From<Page<DeskReferrer>> for DeskReferrerPage {
    fn from(page: Page<DeskReferrer>) -> Self {
        let next_cursor = cursor(&page).into();
        Self { items: page.rows.into_iter().map(DeskReferrerRow::from).collect(), next_cursor }
    }
}

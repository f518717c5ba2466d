//! What the console is shown of payments, and what it sends.

use agio_approvals::Proposed;
use agio_core::{Amount, Result};
use agio_http::{Answer, Dec, Either, Moment, Null};
use agio_plugin::protocol::{Kind, Manifest};
use poem_openapi::Object;
use poem_openapi::types::Example;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Payments;
use crate::service::RouteChange;
use crate::store::attempts::Attempt;
use crate::store::movements::Movement;
use crate::store::routes::Route;

/// The routes, or the proposal to change one.
pub type DeskRouteSet = Either<Answer<DeskPayments>, Proposed>;

/// A plugin that may be chosen.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskPaymentPlugin {
    /// Its name.
    name: String,
    /// Its title in Russian.
    title_ru: String,
    /// Its title in English.
    title_en: String,
}

impl From<&Manifest> for DeskPaymentPlugin {
    fn from(manifest: &Manifest) -> Self {
        let Manifest { name, title, .. } = manifest;
        Self { name: name.clone(), title_ru: title.ru.clone(), title_en: title.en.clone() }
    }
}

/// How a currency is watched and paid.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskPaymentRoute {
    /// The currency.
    currency_id: i64,
    /// Its code.
    currency: String,
    /// The plugin that watches the network and pays on it.
    driver: String,
    /// Whether customers are given its addresses.
    enabled: bool,
    /// Confirmations after which a payment is certain.
    confirmations: i64,
    /// A payment that differs by this much at most is taken for the agreed one.
    tolerance: Dec,
    /// What is less than this is not looked at.
    dust: Dec,
    /// The plugin that judges where money comes from.
    screening: Null<String>,
    /// Whether payouts leave without staff.
    auto_payout: bool,
    /// The greatest such payout.
    claim_limit: Dec,
    /// How much of such payouts may leave on a day, UTC.
    day_limit: Dec,
    /// How much left on the last day on which any did.
    spent: Dec,
    /// The height of the newest block.
    height: Null<i64>,
    /// When the driver answered last.
    watched_at: Null<Moment>,
    /// Why it did not answer since.
    fault: Null<String>,
    /// When that was.
    fault_at: Null<Moment>,
    /// Counts the changes by staff.
    revision: i64,
}

/// How currencies are watched and paid.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskPayments {
    /// The routes, one for each currency that has one.
    routes: Vec<DeskPaymentRoute>,
    /// The plugins that watch networks and pay on them.
    drivers: Vec<DeskPaymentPlugin>,
    /// The plugins that judge where money comes from.
    screeners: Vec<DeskPaymentPlugin>,
}

impl DeskPayments {
    /// All of it.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn of(payments: &Payments) -> Result<Self> {
        let routes = payments.routes().await?.into_iter().map(|route| shown(payments, route)).collect();
        let plugins = |kind| payments.plugins(kind).iter().map(|manifest| DeskPaymentPlugin::from(&**manifest)).collect();
        Ok(Self { routes, drivers: plugins(Kind::Payments), screeners: plugins(Kind::Screening) })
    }
}

fn shown(payments: &Payments, route: Route) -> DeskPaymentRoute {
    let (code, scale) = named(payments, route.currency_id);
    let sum = |units| amount(units, scale);
    DeskPaymentRoute {
        currency_id: route.currency_id,
        currency: code,
        driver: route.driver,
        enabled: route.enabled,
        confirmations: route.confirmations,
        tolerance: sum(route.tolerance),
        dust: sum(route.dust),
        screening: route.screening.into(),
        auto_payout: route.auto_payout,
        claim_limit: sum(route.claim_limit),
        day_limit: sum(route.day_limit),
        spent: sum(route.spent_units),
        height: route.height.into(),
        watched_at: route.watched_at.map(Moment).into(),
        fault: route.fault.into(),
        fault_at: route.fault_at.map(Moment).into(),
        revision: route.revision,
    }
}

/// The code and the decimals of a currency.
fn named(payments: &Payments, id: i64) -> (String, u32) {
    payments.currency(id).map_or_else(|_| (id.to_string(), 0), |currency| (currency.code.clone(), currency.scale))
}

fn amount(units: i64, scale: u32) -> Dec {
    Dec(Amount::of_units(units, scale).value())
}

/// How a currency is to be watched and paid.
#[derive(Clone, Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct DeskRouteChange {
    /// The revision that was seen; 0 for a currency without a route.
    revision: i64,
    /// The plugin that watches the network and pays on it.
    driver: String,
    /// Whether customers are given its addresses.
    enabled: bool,
    /// Confirmations after which a payment is certain: 1 to 1000.
    confirmations: i64,
    /// A payment that differs by this much at most is taken for the agreed one; 0 unless given.
    #[serde(default)]
    tolerance: Option<Dec>,
    /// What is less than this is not looked at; 0 unless given.
    #[serde(default)]
    dust: Option<Dec>,
    /// The plugin that judges where money comes from; nobody does without one.
    #[serde(default)]
    screening: Option<String>,
    /// Whether payouts leave without staff; they do not unless this says so.
    #[serde(default)]
    auto_payout: Option<bool>,
    /// The greatest such payout.
    #[serde(default)]
    claim_limit: Option<Dec>,
    /// How much of such payouts may leave on a day, UTC.
    #[serde(default)]
    day_limit: Option<Dec>,
}

impl Example for DeskRouteChange {
    fn example() -> Self {
        Self {
            revision: 0,
            driver: "bitcoin-core".into(),
            enabled: true,
            confirmations: 2,
            tolerance: None,
            dust: None,
            screening: None,
            auto_payout: Some(true),
            claim_limit: Some(Dec(Decimal::new(5, 1))),
            day_limit: Some(Dec(Decimal::from(5))),
        }
    }
}

impl From<DeskRouteChange> for RouteChange {
    fn from(change: DeskRouteChange) -> Self {
        let sum = |amount: Option<Dec>| amount.map_or(Decimal::ZERO, |amount| amount.0);
        Self {
            revision: change.revision,
            driver: change.driver,
            enabled: change.enabled,
            confirmations: change.confirmations,
            tolerance: sum(change.tolerance),
            dust: sum(change.dust),
            screening: change.screening,
            auto_payout: change.auto_payout.unwrap_or(false),
            claim_limit: sum(change.claim_limit),
            day_limit: sum(change.day_limit),
        }
    }
}

/// A try to send money.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskAttempt {
    /// What the driver knows it by.
    id: String,
    /// The claim.
    claim: Uuid,
    /// Its number for talk.
    claim_number: i64,
    /// `payout` or `refund`.
    kind: String,
    /// The code of the currency.
    currency: String,
    /// How much.
    amount: Dec,
    /// The driver.
    driver: String,
    /// Where to.
    address: String,
    /// `queued`, `sending`, `sent`, `unknown`, `never_sent`, `returned`, `confirmed` or `cancelled`.
    state: String,
    /// The transaction.
    tx_id: Null<String>,
    /// Blocks on top of it.
    confirmations: i64,
    /// What the network took.
    fee: Null<String>,
    /// What the driver said was wrong.
    fault: Null<String>,
    /// When it was asked to send.
    asked_at: Null<Moment>,
    /// Who let it go, where it was staff.
    staff: Null<String>,
    /// When it was written down.
    created_at: Moment,
}

impl DeskAttempt {
    /// A try as the console shows it.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn of(payments: &Payments, attempt: Attempt) -> Result<Self> {
        let (currency, scale) = named(payments, attempt.currency_id);
        Ok(Self {
            address: attempt.pay_to(&payments.platform.vault)?.address,
            id: attempt.id,
            claim: attempt.claim_id,
            claim_number: attempt.claim_number,
            kind: attempt.kind.to_string(),
            currency,
            amount: amount(attempt.units, scale),
            driver: attempt.driver,
            state: attempt.state.to_string(),
            tx_id: attempt.tx_id.into(),
            confirmations: attempt.confirmations,
            fee: attempt.fee.into(),
            fault: attempt.fault.into(),
            asked_at: attempt.asked_at.map(Moment).into(),
            staff: attempt.staff_name.into(),
            created_at: Moment(attempt.created_at),
        })
    }
}

/// Why a payout is sent once more.
#[derive(Clone, Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct DeskAttemptRetry {
    /// A remark for colleagues.
    pub note: String,
}

impl Example for DeskAttemptRetry {
    fn example() -> Self {
        Self { note: "The wallet was empty; it is filled now.".into() }
    }
}

/// Money that came, and that somebody should look at.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskMovement {
    /// Identifier.
    id: i64,
    /// The code of the currency.
    currency: String,
    /// How much.
    amount: Dec,
    /// The transaction.
    tx_id: String,
    /// Which output of it.
    output: i64,
    /// The address it came to.
    address: String,
    /// The memo it came with.
    memo: Null<String>,
    /// Blocks on top of it.
    confirmations: i64,
    /// `unclaimed`, `extra` or `gone`.
    trouble: String,
    /// The claim it is for.
    claim: Null<Uuid>,
    /// When it was first seen.
    created_at: Moment,
}

impl DeskMovement {
    /// A movement as the console shows it.
    pub fn of(payments: &Payments, movement: Movement) -> Self {
        let (currency, scale) = named(payments, movement.currency_id);
        Self {
            id: movement.id,
            currency,
            amount: amount(movement.units, scale),
            tx_id: movement.tx_id,
            output: movement.output,
            address: movement.address,
            memo: Null(Some(movement.memo).filter(|memo| !memo.is_empty())),
            confirmations: movement.confirmations,
            trouble: movement.trouble.map(|trouble| trouble.to_string()).unwrap_or_default(),
            claim: movement.claim_id.into(),
            created_at: Moment(movement.created_at),
        }
    }
}

/// The claim that money is given to.
#[derive(Clone, Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct DeskMovementClaim {
    /// Its number for talk.
    pub claim: i64,
}

impl Example for DeskMovementClaim {
    fn example() -> Self {
        Self { claim: 100_001 }
    }
}

/// What became of the wish to return a payment.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskRefundAsked {
    /// The proposal a colleague has to agree to first; null where it is on its way.
    pub proposal: Null<Uuid>,
}

//! Bodies of the staff API.

use agio_approvals::PendingApproval;
use agio_core::Result;
use agio_core::money::value_of;
use agio_http::{ApiEnum, DateTime, Dec, Either, JsonResponse, NoContent, Nullable, body};
use agio_plugin_sdk::protocol::{Capabilities, Manifest, PluginKind};
use poem_openapi::types::Example;
use rust_decimal::Decimal;
use uuid::Uuid;

use crate::Payments;
use crate::model::{PaymentAttemptKind, PaymentAttemptState, PaymentIssue};
use crate::service::RouteChange;
use crate::store::attempts::Attempt;
use crate::store::movements::MovementRecord;
use crate::store::routes::Route;

/// The routes, or an approval request.
pub type SetRouteResponse = Either<JsonResponse<PaymentRouteList>, PendingApproval>;

/// Payouts are open, or an approval request.
pub type OpenPayoutsResponse = Either<NoContent, PendingApproval>;

/// A plugin that can be chosen.
#[body(response)]
pub struct PaymentPluginView {
    name: String,
    title_ru: String,
    title_en: String,
}

impl From<&Manifest> for PaymentPluginView {
    fn from(manifest: &Manifest) -> Self {
        let Manifest { name, title, .. } = manifest;
        Self { name: name.clone(), title_ru: title.ru.clone(), title_en: title.en.clone() }
    }
}

/// What a driver can do in the currency of its route, as it said.
#[body(response)]
pub struct DriverCapabilitiesView {
    /// Whether customers can pay through it.
    invoices: bool,
    payouts: bool,
    refunds: bool,
    /// Whether it says what it can pay out.
    balance: bool,
    /// Whether it says what payouts cost.
    fee: bool,
    /// The smallest amount of an invoice.
    invoice_min: Nullable<Dec>,
    /// The largest amount of an invoice.
    invoice_max: Nullable<Dec>,
    /// The smallest amount of a payout.
    payout_min: Nullable<Dec>,
    /// The largest amount of a payout.
    payout_max: Nullable<Dec>,
}

impl From<Capabilities> for DriverCapabilitiesView {
    fn from(capabilities: Capabilities) -> Self {
        let Capabilities { invoices, payouts, refunds, balance, fee, invoice_limits, payout_limits } = capabilities;
        let limit = |limit: Option<Decimal>| limit.map(|limit| Dec(limit.normalize())).into();
        Self {
            invoices,
            payouts,
            refunds,
            balance,
            fee,
            invoice_min: limit(invoice_limits.min),
            invoice_max: limit(invoice_limits.max),
            payout_min: limit(payout_limits.min),
            payout_max: limit(payout_limits.max),
        }
    }
}

/// What a driver can pay out in the currency of its route, as it said. It decides nothing.
#[body(response)]
pub struct DriverBalanceView {
    /// Null if the driver did not answer.
    amount: Nullable<Dec>,
    /// The driver's error.
    fault: Nullable<String>,
    /// When the driver was called.
    checked_at: DateTime,
    /// The free reserve of the currency.
    reserve: Dec,
    /// Whether the amount does not cover the free reserve.
    is_short: bool,
}

/// The payment route of a currency.
#[body(response)]
pub struct PaymentRouteView {
    currency_id: i64,
    /// The code of the currency.
    currency: String,
    /// The driver: the plugin that watches the network and pays on it.
    driver: String,
    /// Whether claims get addresses of the driver.
    enabled: bool,
    /// The confirmations a payment needs.
    confirmations: i64,
    /// The tolerated difference from the agreed amount.
    tolerance: Dec,
    /// Smaller payments are ignored.
    dust: Dec,
    /// The plugin that screens payments.
    screening: Nullable<String>,
    /// Whether payouts are automatic.
    auto_payout: bool,
    /// The limit of one automatic payout.
    claim_limit: Dec,
    /// The daily limit of automatic payouts, by UTC days.
    day_limit: Dec,
    /// The amount paid out on the last day with payouts.
    spent: Dec,
    /// The height of the newest block.
    height: Nullable<i64>,
    /// When the driver last answered.
    polled_at: Nullable<DateTime>,
    /// The driver's last error since then.
    fault: Nullable<String>,
    fault_at: Nullable<DateTime>,
    /// What the driver can pay out; null if it does not say.
    balance: Nullable<DriverBalanceView>,
    /// What the driver can do; null if it does not say.
    capabilities: Nullable<DriverCapabilitiesView>,
    /// Incremented by every change of staff.
    revision: i64,
}

/// The payment routes.
#[body(response)]
pub struct PaymentRouteList {
    /// The routes, one per currency.
    routes: Vec<PaymentRouteView>,
    /// The drivers: plugins that watch networks and pay on them.
    drivers: Vec<PaymentPluginView>,
    /// The plugins that screen payments.
    screeners: Vec<PaymentPluginView>,
}

impl PaymentRouteList {
    pub async fn of(payments: &Payments) -> Result<Self> {
        let routes = payments.routes().await?.into_iter().map(|route| route_view(payments, route)).collect();
        let plugins = |kind| payments.plugins(kind).iter().map(|manifest| PaymentPluginView::from(&**manifest)).collect();
        Ok(Self { routes, drivers: plugins(PluginKind::Payments), screeners: plugins(PluginKind::Screening) })
    }
}

fn route_view(payments: &Payments, route: Route) -> PaymentRouteView {
    let (code, scale) = code_and_scale(payments, route.currency_id);
    let sum = |units| amount(units, scale);
    let reserve = sum(payments.free_reserve(route.currency_id));
    let balance = payments.balance(&route).map(|balance| DriverBalanceView {
        is_short: balance.amount.as_ref().is_ok_and(|amount| *amount < reserve.0),
        amount: balance.amount.as_ref().ok().copied().map(Dec).into(),
        fault: balance.amount.err().into(),
        checked_at: DateTime(balance.checked_at),
        reserve,
    });
    PaymentRouteView {
        balance: balance.into(),
        capabilities: payments.capabilities_of(&route).map(DriverCapabilitiesView::from).into(),
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
        polled_at: route.polled_at.map(DateTime).into(),
        fault: route.fault.into(),
        fault_at: route.fault_at.map(DateTime).into(),
        revision: route.revision,
    }
}

fn code_and_scale(payments: &Payments, id: i64) -> (String, u32) {
    payments.currency(id).map_or_else(|_| (id.to_string(), 0), |currency| (currency.code.clone(), currency.scale))
}

fn amount(units: i64, scale: u32) -> Dec {
    Dec(value_of(units, scale))
}

/// The settings of a payment route.
#[body(request, example)]
#[derive(Clone, Debug)]
pub struct SetPaymentRouteRequest {
    /// The revision that was read; 0 for a currency without a route.
    revision: i64,
    /// The driver: the plugin that watches the network and pays on it.
    driver: String,
    /// Whether claims get addresses of the driver.
    enabled: bool,
    /// The confirmations a payment needs.
    #[oai(validator(minimum(value = "1"), maximum(value = "1000")))]
    confirmations: i64,
    /// The tolerated difference from the agreed amount. Default: 0.
    tolerance: Option<Dec>,
    /// Smaller payments are ignored. Default: 0.
    dust: Option<Dec>,
    /// The plugin that screens payments. Without one there is no screening.
    screening: Option<String>,
    /// Whether payouts are automatic. Default: false.
    auto_payout: Option<bool>,
    /// The limit of one automatic payout.
    claim_limit: Option<Dec>,
    /// The daily limit of automatic payouts, by UTC days.
    day_limit: Option<Dec>,
}

impl Example for SetPaymentRouteRequest {
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

impl From<SetPaymentRouteRequest> for RouteChange {
    fn from(change: SetPaymentRouteRequest) -> Self {
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

/// An attempt to send money.
#[body(response)]
pub struct PaymentAttemptView {
    /// The idempotency key for the driver.
    id: String,
    claim: Uuid,
    /// The public number of the claim.
    claim_number: i64,
    kind: ApiEnum<PaymentAttemptKind>,
    /// The code of the currency.
    currency: String,
    amount: Dec,
    driver: String,
    /// The destination address.
    address: String,
    state: ApiEnum<PaymentAttemptState>,
    tx_id: Nullable<String>,
    confirmations: i64,
    /// The network fee.
    fee: Nullable<String>,
    /// The driver's error message.
    fault: Nullable<String>,
    /// When the driver was told to send.
    requested_at: Nullable<DateTime>,
    /// The staff member who sent it, if any.
    staff: Nullable<String>,
    created_at: DateTime,
}

impl PaymentAttemptView {
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn of(payments: &Payments, attempt: Attempt) -> Result<Self> {
        let (currency, scale) = code_and_scale(payments, attempt.currency_id);
        Ok(Self {
            address: attempt.destination(&payments.platform.vault)?.address,
            id: attempt.id,
            claim: attempt.claim_id,
            claim_number: attempt.claim_number,
            kind: attempt.kind.into(),
            currency,
            amount: amount(attempt.units, scale),
            driver: attempt.driver,
            state: attempt.state.into(),
            tx_id: attempt.tx_id.into(),
            confirmations: attempt.confirmations,
            fee: attempt.fee.into(),
            fault: attempt.fault.into(),
            requested_at: attempt.requested_at.map(DateTime).into(),
            staff: attempt.staff_name.into(),
            created_at: DateTime(attempt.created_at),
        })
    }
}

/// A request to retry a payout.
#[body(request, example)]
#[derive(Clone, Debug)]
pub struct RetryPayoutRequest {
    /// A note for the staff.
    pub note: String,
}

impl Example for RetryPayoutRequest {
    fn example() -> Self {
        Self { note: "The wallet was empty; it is filled now.".into() }
    }
}

/// An incoming payment with an issue.
#[body(response)]
pub struct PaymentMovementView {
    id: i64,
    /// The code of the currency.
    currency: String,
    amount: Dec,
    tx_id: String,
    /// The output of the transaction.
    output: i64,
    /// The address it came to.
    address: String,
    /// The memo it came with.
    memo: Nullable<String>,
    confirmations: i64,
    issue: ApiEnum<PaymentIssue>,
    /// The claim it is for.
    claim: Nullable<Uuid>,
    /// When it was first detected.
    created_at: DateTime,
}

impl PaymentMovementView {
    /// Nothing for a movement without an issue.
    pub fn of(payments: &Payments, movement: MovementRecord) -> Option<Self> {
        let issue = ApiEnum(movement.issue?);
        let (currency, scale) = code_and_scale(payments, movement.currency_id);
        Some(Self {
            id: movement.id,
            currency,
            amount: amount(movement.units, scale),
            tx_id: movement.tx_id,
            output: movement.output,
            address: movement.address,
            memo: Nullable(Some(movement.memo).filter(|memo| !memo.is_empty())),
            confirmations: movement.confirmations,
            issue,
            claim: movement.claim_id.into(),
            created_at: DateTime(movement.created_at),
        })
    }
}

/// The claim to attach a payment to.
#[body(request, example)]
#[derive(Clone, Debug)]
pub struct AttachPaymentRequest {
    /// The public number of the claim.
    pub claim: i64,
}

impl Example for AttachPaymentRequest {
    fn example() -> Self {
        Self { claim: 100_001 }
    }
}

/// The result of sending a refund.
#[body(response)]
pub struct SendRefundResponse {
    /// The approval request; null when the refund is on its way.
    pub approval: Nullable<Uuid>,
}

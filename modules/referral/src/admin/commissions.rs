//! Referral commissions in the admin API.

use agio_core::identity::Staff;
use agio_core::keyset::KeysetPage;
use agio_core::texts::Locale;
use agio_core::{Error, Result};
use agio_http::{ApiEnum, Cursor, DateTime, Dec, Nullable, body};
use poem_openapi::types::Example;
use uuid::Uuid;

use super::bodies::ReferrerSummary;
use crate::Referral;
use crate::model::{ReferralCommissionDecision, ReferralCommissionState};
use crate::service::{CommissionDetails, CommissionReview, ReferralPage, ReferredCustomer, ReferrerOverview, units};
use crate::store::PageCursor;

/// A reason code with its text.
#[body(response)]
struct ReferralReason {
    /// Stable code.
    code: String,
    /// Text of the reason.
    text: String,
}

/// The commission of one claim.
#[body(response)]
pub struct ReferralCommissionView {
    id: Uuid,
    referrer_id: Uuid,
    /// E-mail address of the referrer.
    referrer: String,
    claim_id: Uuid,
    claim_number: i64,
    /// E-mail address of the claim.
    email: String,
    /// State of the commission.
    status: ApiEnum<ReferralCommissionState>,
    /// Signs that the referrer made the exchange themselves.
    flags: Vec<ReferralReason>,
    /// Why it has no amount.
    reason: Nullable<ReferralReason>,
    /// Comment of the reviewer.
    comment: Nullable<String>,
    /// Name of the reviewer.
    decided_by: Nullable<String>,
    /// Commission percentage.
    percent: Dec,
    amount: Dec,
    /// Code of the currency; null if there is no amount.
    currency: Nullable<String>,
    /// When a held commission becomes available.
    available_at: DateTime,
    created_at: DateTime,
    /// Whether it needs a review.
    open: bool,
}

impl ReferralCommissionView {
    pub fn of(referral: &Referral, commission: CommissionDetails, locale: Locale) -> Result<Self> {
        let CommissionDetails { row, currency, referrer } = commission;
        let reason = |list: &str, code: &str| ReferralReason {
            code: code.to_owned(),
            text: referral.text(&format!("{list}.{code}"), locale),
        };
        let flags = row.flags.split(',').filter(|code| !code.is_empty()).map(|code| reason("referral_flag", code));
        Ok(Self {
            id: row.id,
            referrer_id: row.referrer_id,
            referrer: referrer.email,
            claim_id: row.claim_id,
            claim_number: row.claim_number,
            status: ApiEnum(row.state),
            flags: flags.collect(),
            reason: row.reason.as_deref().map(|code| reason("referral_reason", code)).into(),
            percent: Dec(row.percent.parse().map_err(Error::internal)?),
            amount: Dec(units(row.units, row.scale)),
            currency: currency.into(),
            available_at: row.available_at.into(),
            created_at: row.created_at.into(),
            open: row.state.is_open(),
            email: row.email,
            comment: row.comment.into(),
            decided_by: row.decided_name.into(),
        })
    }
}

/// A page of commissions.
#[body(response)]
pub struct ReferralCommissionPage {
    /// The commissions.
    items: Vec<ReferralCommissionView>,
    /// Pass as `cursor` to get the next page; null on the last page.
    next_cursor: Nullable<Cursor<PageCursor>>,
    /// Number that need a decision.
    open: i64,
}

impl ReferralCommissionPage {
    pub fn of(referral: &Referral, page: ReferralPage<CommissionDetails>, locale: Locale) -> Result<Self> {
        let KeysetPage { rows, next } = page.page;
        let items: Result<_> = rows.into_iter().map(|row| ReferralCommissionView::of(referral, row, locale)).collect();
        Ok(Self { items: items?, next_cursor: next.map(Cursor).into(), open: page.open })
    }
}

/// A review of a commission.
#[body(shared, skip_serializing_if_is_none, example)]
#[derive(Debug)]
pub struct ReviewReferralCommissionRequest {
    decision: ApiEnum<ReferralCommissionDecision>,
    /// Internal comment; required to refuse.
    comment: Option<String>,
}

impl Example for ReviewReferralCommissionRequest {
    fn example() -> Self {
        let comment = Some("The referrer's own second address.".into());
        Self { decision: ApiEnum(ReferralCommissionDecision::Refuse), comment }
    }
}

impl ReviewReferralCommissionRequest {
    pub fn credits_money(&self) -> bool {
        self.decision.0 == ReferralCommissionDecision::Approve
    }

    pub fn by(self, staff: Staff) -> CommissionReview {
        CommissionReview { staff, decision: self.decision.0, comment: self.comment }
    }
}

/// The referrer of a referrer.
#[body(response)]
struct ReferredBy {
    /// Id of the customer account.
    id: Uuid,
    /// E-mail address of the account.
    email: String,
    /// Referral code.
    code: String,
}

/// A referred customer.
#[body(response)]
struct ReferredCustomerView {
    /// Id of the account; null for a guest.
    customer_id: Nullable<Uuid>,
    email: String,
    /// When the customer was attributed to the referrer.
    created_at: DateTime,
    /// Number of completed claims.
    claims: i64,
    /// Commission earned from this customer.
    earned: Dec,
    /// The customer's own referral code, if any.
    code: Nullable<String>,
    /// Number of customers they referred.
    referrals: i64,
}

/// A referrer with referred customers and recent commissions.
#[body(response)]
pub struct ReferrerDetails {
    /// Totals.
    referrer: ReferrerSummary,
    /// Who referred them; null if nobody did.
    referred_by: Nullable<ReferredBy>,
    /// Referred customers, newest first, at most 200.
    referrals: Vec<ReferredCustomerView>,
    /// Recent commissions, at most 200.
    commissions: Vec<ReferralCommissionView>,
}

impl ReferrerDetails {
    pub fn of(referral: &Referral, whole: ReferrerOverview, locale: Locale) -> Result<Self> {
        let ReferrerOverview { stats, referred_by, referrals, commissions } = whole;
        let scale = stats.currency.as_ref().map_or(0, |currency| i64::from(currency.scale));
        let customer = |customer: ReferredCustomer| ReferredCustomerView {
            customer_id: customer.attribution.customer_id.into(),
            email: customer.attribution.email,
            created_at: customer.attribution.created_at.into(),
            claims: customer.claims,
            earned: Dec(units(customer.earned, scale)),
            code: customer.attribution.code.into(),
            referrals: customer.attribution.referrals,
        };
        let referred_by = referred_by.map(|by| ReferredBy { id: by.customer_id, email: by.email, code: by.code });
        let commissions: Result<_> =
            commissions.into_iter().map(|row| ReferralCommissionView::of(referral, row, locale)).collect();
        Ok(Self {
            referrer: stats.into(),
            referred_by: referred_by.into(),
            referrals: referrals.into_iter().map(customer).collect(),
            commissions: commissions?,
        })
    }
}

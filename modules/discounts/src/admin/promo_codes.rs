//! Request and response bodies of promo codes.

use agio_core::Timestamp;
use agio_core::keyset::KeysetPage;
use agio_http::{ApiEnum, Cursor, DateTime, Dec, Nullable, body};
use poem_openapi::types::Example;
use uuid::Uuid;

use crate::model::{PromoCodeState, percent, volume};
use crate::service::NewPromoCode;
use crate::store::promo_codes::{PromoCodeRow, RedemptionRow};

/// A promo code.
#[body(response)]
pub struct PromoCodeView {
    /// Promo code.
    code: String,
    /// Bonus in percent.
    percent: Dec,
    state: ApiEnum<PromoCodeState>,
    /// Number of claims that use it.
    uses: i64,
    /// Maximum number of uses. Null for unlimited.
    uses_max: Nullable<i64>,
    /// Maximum number of uses per customer. Null for unlimited.
    per_customer: Nullable<i64>,
    /// Minimum claim value. Null for none.
    min: Nullable<Dec>,
    /// Ticker of the minimum claim value.
    min_ticker: Nullable<String>,
    starts_at: DateTime,
    ends_at: Nullable<DateTime>,
    /// Note for staff.
    note: String,
    created_at: DateTime,
    /// Name of the staff member who created it.
    created_by: String,
    /// When the code was stopped.
    stopped_at: Nullable<DateTime>,
}

/// A claim that uses a promo code.
#[body(response)]
struct PromoCodeRedemption {
    claim_id: Uuid,
    claim_number: i64,
    /// Account of the claim.
    customer_id: Nullable<Uuid>,
    /// E-mail address of the claim.
    email: String,
    /// Creation time.
    redeemed_at: DateTime,
    /// When the use was released because the claim ended without an exchange.
    released_at: Nullable<DateTime>,
}

/// A promo code and the claims that use it.
#[body(response)]
pub struct PromoCodeDetails {
    /// Promo code.
    promo: PromoCodeView,
    /// Claims.
    items: Vec<PromoCodeRedemption>,
    /// Pass as `cursor` to get the next page; null on the last page.
    next_cursor: Nullable<Cursor<(Timestamp, Uuid)>>,
}

/// A promo code to create.
#[body(shared, example)]
pub struct CreatePromoCodeRequest {
    /// The code: 3 to 32 Latin letters, digits, hyphens and underscores; case-insensitive.
    code: String,
    /// Bonus in percent: above 0, at most 50, two decimals.
    percent: Dec,
    /// Maximum number of uses. Unlimited by default.
    uses_max: Option<i64>,
    /// Maximum number of uses per customer. Unlimited by default.
    per_customer: Option<i64>,
    /// Minimum claim value, in the base currency.
    min: Option<Dec>,
    /// Start time. Now by default.
    starts_at: Option<DateTime>,
    /// End time.
    ends_at: Option<DateTime>,
    /// Note for staff.
    note: Option<String>,
}

impl Example for CreatePromoCodeRequest {
    fn example() -> Self {
        Self {
            code: "SPRING".into(),
            percent: Dec("0.5".parse().expect("a number")),
            uses_max: Some(100),
            per_customer: Some(1),
            min: None,
            starts_at: None,
            ends_at: None,
            note: Some("For readers of the newsletter".into()),
        }
    }
}

impl From<CreatePromoCodeRequest> for NewPromoCode {
    fn from(body: CreatePromoCodeRequest) -> Self {
        Self {
            code: body.code,
            percent: body.percent.0,
            uses_max: body.uses_max,
            per_customer: body.per_customer,
            min: body.min.map(|min| min.0),
            starts_at: body.starts_at.map(|time| time.0),
            ends_at: body.ends_at.map(|time| time.0),
            note: body.note.unwrap_or_default(),
        }
    }
}

impl PromoCodeView {
    pub fn of(row: PromoCodeRow, now: Timestamp) -> Self {
        let state = ApiEnum(row.limits().state(row.uses, now));
        Self {
            code: row.code,
            percent: Dec(percent(row.percent_bps)),
            state,
            uses: row.uses,
            uses_max: Nullable(row.uses_max),
            per_customer: Nullable(row.per_customer),
            min: Nullable(row.min_units.map(|units| Dec(volume(units)))),
            min_ticker: Nullable(row.min_ticker),
            starts_at: row.starts_at.into(),
            ends_at: Nullable(row.ends_at.map(DateTime)),
            note: row.note,
            created_at: row.created_at.into(),
            created_by: row.created_name,
            stopped_at: Nullable(row.stopped_at.map(DateTime)),
        }
    }
}

impl PromoCodeDetails {
    pub fn of(row: PromoCodeRow, uses: KeysetPage<RedemptionRow, (Timestamp, Uuid)>, now: Timestamp) -> Self {
        let redemption = |row: RedemptionRow| PromoCodeRedemption {
            claim_id: row.claim_id,
            claim_number: row.claim_number,
            customer_id: Nullable(row.customer_id),
            email: row.email,
            redeemed_at: row.redeemed_at.into(),
            released_at: Nullable(row.released_at.map(DateTime)),
        };
        Self {
            promo: PromoCodeView::of(row, now),
            items: uses.rows.into_iter().map(redemption).collect(),
            next_cursor: uses.next.map(Cursor).into(),
        }
    }
}

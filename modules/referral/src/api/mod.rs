//! Customer API.

mod bodies;
mod csv;
mod withdrawal;

use std::sync::Arc;

use agio_core::{Result, Timestamp};
use agio_http::csv_file::CsvFile;
use agio_http::{ApiResult, Created, CustomerAuth, DateOrDateTime, Dec, IdempotencyKey, JsonBody, JsonResponse, Visitor};
use poem_openapi::param::{Header, Query};
use poem_openapi::{OpenApi, Tags};

use crate::Referral;
use crate::service::refused;

use bodies::{RecordReferralVisitRequest, ReferralDay, ReferralDays, ReferralHistoryPage, ReferralView, ReferralVisitResponse};
use csv::csv_of;
use withdrawal::{ReferralWithdrawal, ReferralWithdrawalPage, ReferralWithdrawalRequest};

pub use bodies::ReferralTier;

const CSV_MAX: i64 = 10_000;

#[derive(Tags)]
enum Tag {
    /// The referral plan.
    Referral,
}

pub struct ReferralApi(pub Arc<Referral>);

fn first_page() -> u32 {
    1
}

fn offset_of(page: u32, size: u32) -> i64 {
    i64::from(page.saturating_sub(1)) * i64::from(size)
}

/// A half-open period; a date includes the whole day, and a missing bound is unlimited.
///
/// # Errors
/// 422 `validation_failed` at `date_to` if it lies before the start.
fn period_of(from: Option<DateOrDateTime>, to: Option<DateOrDateTime>) -> Result<(Timestamp, Timestamp)> {
    let instant = |bound, past: i64| match bound {
        DateOrDateTime::Date(start) => Timestamp(start.0 + past),
        DateOrDateTime::DateTime(instant) => instant,
    };
    let from = from.map_or(Timestamp(i64::MIN), |from| instant(from, 0));
    let to = to.map_or(Timestamp(i64::MAX), |to| instant(to, DAY_MICROS));
    if from > to { Err(refused("date_to", "malformed_parameter")) } else { Ok((from, to)) }
}

const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

const CHART_DAYS: i64 = 30;

#[OpenApi(tag = "Tag::Referral")]
impl ReferralApi {
    /// Get my referral link and totals
    ///
    /// The first request creates the account's code. `balance` can be withdrawn now, `pending` later.
    #[oai(path = "/api/v1/users/me/refferal", method = "get", operation_id = "getMyReferral")]
    async fn mine(&self, customer: CustomerAuth, visitor: Visitor) -> ApiResult<JsonResponse<ReferralView>> {
        let overview = self.0.overview(&customer.0, visitor.guest.as_deref()).await?;
        Ok(JsonResponse(ReferralView::of(overview, visitor.locale)))
    }

    /// Get my referral history
    ///
    /// Newest first. `date_from` and `date_to` are dates (`2024-03-28`, both included) or RFC 3339 timestamps.
    #[oai(path = "/api/v1/users/me/refferal/dw", method = "get", operation_id = "getMyReferralHistory")]
    async fn history(
        &self,
        customer: CustomerAuth,
        /// Page number, from 1.
        #[oai(default = "first_page", validator(minimum(value = "1")))]
        page: Query<u32>,
        /// Page size.
        #[oai(default = "agio_http::page_size::<20>", validator(minimum(value = "1"), maximum(value = "100")))]
        size: Query<u32>,
        /// Start of the period.
        #[oai(name = "date_from")]
        date_from: Query<Option<DateOrDateTime>>,
        /// End of the period.
        #[oai(name = "date_to")]
        date_to: Query<Option<DateOrDateTime>>,
    ) -> ApiResult<JsonResponse<ReferralHistoryPage>> {
        let (page, size) = (page.0, size.0);
        let time = period_of(date_from.0, date_to.0)?;
        let history = self.0.history(&customer.0, time, offset_of(page, size), i64::from(size)).await?;
        Ok(JsonResponse(ReferralHistoryPage::of(history, page, size)))
    }

    /// Download my referral history
    ///
    /// CSV for spreadsheets in UTF-8, newest first, at most 10,000 lines. In Russian with semicolons and decimal commas.
    #[oai(path = "/api/v1/users/me/refferal/dw/csv", method = "get", operation_id = "downloadMyReferralHistory")]
    async fn download(
        &self,
        customer: CustomerAuth,
        visitor: Visitor,
        /// Start of the period.
        #[oai(name = "date_from")]
        date_from: Query<Option<DateOrDateTime>>,
        /// End of the period.
        #[oai(name = "date_to")]
        date_to: Query<Option<DateOrDateTime>>,
    ) -> ApiResult<CsvFile> {
        let time = period_of(date_from.0, date_to.0)?;
        let history = self.0.history(&customer.0, time, 0, CSV_MAX).await?;
        Ok(csv_of(&self.0, &history, visitor.locale))
    }

    /// Get my referral statistics
    ///
    /// By day, for at most 366 days; by default the last thirty.
    #[oai(path = "/api/v1/users/me/refferal/days", method = "get", operation_id = "getMyReferralStatistics")]
    async fn days(
        &self,
        customer: CustomerAuth,
        /// First day.
        #[oai(name = "date_from")]
        date_from: Query<Option<DateOrDateTime>>,
        /// Last day.
        #[oai(name = "date_to")]
        date_to: Query<Option<DateOrDateTime>>,
    ) -> ApiResult<JsonResponse<ReferralDays>> {
        let (from, to) = period_of(date_from.0, date_to.0)?;
        let now = self.0.platform.clock.now();
        let to = if to.0 == i64::MAX { Timestamp(Timestamp::from_date(now.date()).0 + DAY_MICROS) } else { to };
        let from = if from.0 == i64::MIN { Timestamp(to.0.saturating_sub(CHART_DAYS * DAY_MICROS)) } else { from };
        let days = self.0.days(&customer.0, (from, to)).await?;
        Ok(JsonResponse(ReferralDays { items: days.into_iter().map(ReferralDay::from).collect() }))
    }

    /// List my referral withdrawals
    ///
    /// Newest first.
    #[oai(path = "/api/v1/users/me/refferal/withdrawal", method = "get", operation_id = "listMyReferralWithdrawals")]
    async fn withdrawals(
        &self,
        customer: CustomerAuth,
        /// Page number, from 1.
        #[oai(default = "first_page", validator(minimum(value = "1")))]
        page: Query<u32>,
        /// Page size.
        #[oai(default = "agio_http::page_size::<20>", validator(minimum(value = "1"), maximum(value = "100")))]
        size: Query<u32>,
    ) -> ApiResult<JsonResponse<ReferralWithdrawalPage>> {
        let (page, size) = (page.0, size.0);
        let (rows, total) = self.0.withdrawals_of(&customer.0, offset_of(page, size), i64::from(size)).await?;
        let items: agio_core::Result<_> = rows.iter().map(|row| ReferralWithdrawal::of(row, &self.0.platform.vault)).collect();
        Ok(JsonResponse(ReferralWithdrawalPage { items: items?, page, size, total }))
    }

    /// Request a withdrawal
    ///
    /// Requires a confirmed e-mail address. The amount leaves the balance at once: 409 `balance_too_low` if it does
    /// not suffice. It is paid in one of the `currencies` of `getMyReferral`, one to one. Requires the password and, where
    /// enabled, a second-factor code. A repeated request with the same `Idempotency-Key` makes one withdrawal, whatever
    /// code it carries.
    #[oai(path = "/api/v1/users/me/refferal/withdrawal", method = "post", operation_id = "requestReferralWithdrawal")]
    async fn withdraw(
        &self,
        customer: CustomerAuth,
        visitor: Visitor,
        input: JsonBody<ReferralWithdrawalRequest>,
        #[oai(name = "Idempotency-Key")] key: Header<Option<String>>,
    ) -> ApiResult<Created<ReferralWithdrawal>> {
        let (new, confirmation) = input.0.parts();
        // A second-factor code can be used once, so a repeated request has another one; it is left out of the
        // fingerprint.
        let key = IdempotencyKey::check(key.0)?
            .for_body(format!("referral.withdraw:{}", customer.0.id), &(Dec(new.amount), new.currency, &new.requisites))?;
        let row = self.0.withdraw(customer.0, new, confirmation, visitor.locale, key).await?;
        Ok(Created { body: ReferralWithdrawal::of(&row, &self.0.platform.vault)?, cookie: None })
    }

    /// Record a referral visit
    ///
    /// Counted by code and day, without data about the visitor. Returns the number of days for which a browser
    /// should remember the code, also for an unknown code.
    #[oai(path = "/api/v1/referral/visits", method = "post", operation_id = "recordReferralVisit")]
    async fn visit(
        &self,
        visitor: Visitor,
        input: JsonBody<RecordReferralVisitRequest>,
    ) -> ApiResult<JsonResponse<ReferralVisitResponse>> {
        Ok(JsonResponse(ReferralVisitResponse { days: self.0.visit(&input.0.code, visitor.address).await? }))
    }
}

#[cfg(test)]
mod tests {
    use poem_openapi::types::ParseFromParameter as _;

    use super::*;

    #[test]
    fn periods_include_whole_days() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let some = |text| Some(DateOrDateTime::parse_from_parameter(text).unwrap());
        let (from, to) = period_of(some("2024-03-28"), some("2024-03-28")).unwrap();
        assert_eq!((from, to), (at("2024-03-28T00:00:00Z"), at("2024-03-29T00:00:00Z")));
        let (from, to) = period_of(some("2024-03-28T10:00:00+03:00"), None).unwrap();
        assert_eq!((from, to.0), (at("2024-03-28T07:00:00Z"), i64::MAX));
        for wrong in ["yesterday", "2024-02-30", "28.03.2024", "2024-03-28T25:00:00Z", "20240328!!"] {
            assert!(DateOrDateTime::parse_from_parameter(wrong).is_err(), "{wrong}");
        }
        assert!(period_of(some("2024-03-29"), some("2024-03-27")).is_err());
    }
}

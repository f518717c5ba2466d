//! The calls customers' pages make.

mod bodies;
mod csv;
mod withdrawal;

use std::sync::Arc;

use agio_core::{Error, Result, Timestamp};
use agio_http::{Answer, Created, CustomerAuth, IdempotencyKey, Input, Outcome, Visitor};
use poem_openapi::param::{Header, Query};
use poem_openapi::{OpenApi, Tags};

use crate::Referral;

use bodies::{ReferralDay, ReferralDays, ReferralHistory, ReferralSeen, ReferralView, ReferralVisit};
use csv::Csv;
use withdrawal::{ReferralWithdrawal, ReferralWithdrawalOrder, ReferralWithdrawalPage};

pub use bodies::{ReferralKind, ReferralTier};

/// Rows of a page unless more or fewer are wanted, and the most there are.
const SIZE: u32 = 20;
const SIZE_MAX: u32 = 100;

/// The most lines of a downloaded history.
const CSV_MAX: i64 = 10_000;

#[derive(Tags)]
enum Tag {
    /// Bringing others, and what is earned by it.
    Referral,
}

/// The customers' calls, and the one by which a link is counted.
pub struct ReferralApi(Arc<Referral>);

impl ReferralApi {
    /// The calls.
    #[must_use]
    pub fn new(referral: Arc<Referral>) -> Self {
        Self(referral)
    }
}

fn refused(field: &str) -> Error {
    Error::unprocessable("validation_failed").at(field, "malformed_parameter")
}

/// A page and its size, as they were asked for.
fn page_of(page: Option<u32>, size: Option<u32>) -> Result<(u32, u32)> {
    let (page, size) = (page.unwrap_or(1), size.unwrap_or(SIZE));
    if page == 0 {
        return Err(refused("page"));
    }
    if !(1..=SIZE_MAX).contains(&size) {
        return Err(refused("size"));
    }
    Ok((page, size))
}

/// How many rows are before a page.
fn skipped(page: u32, size: u32) -> i64 {
    i64::from(page - 1) * i64::from(size)
}

/// How many characters a calendar day has.
const DATE_LENGTH: usize = 10;

/// A time as it was asked for: from a day or moment on, until a day's end or before a moment. What is not asked has no bound.
fn time_of(from: Option<String>, to: Option<String>) -> Result<(Timestamp, Timestamp)> {
    let read = |field, text: &str, past: i64| {
        let is_day = text.len() == DATE_LENGTH;
        let moment = if is_day { Timestamp::parse(&format!("{text}T00:00:00Z")) } else { Timestamp::parse(text) };
        let moment = moment.map_err(|_| refused(field))?;
        Ok::<_, Error>(if is_day { Timestamp(moment.0 + past) } else { moment })
    };
    let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
    let from = filled(from).map(|text| read("date_from", &text, 0)).transpose()?.unwrap_or(Timestamp(i64::MIN));
    let to = filled(to).map(|text| read("date_to", &text, DAY_MICROS)).transpose()?.unwrap_or(Timestamp(i64::MAX));
    if from > to { Err(refused("date_to")) } else { Ok((from, to)) }
}

/// A day in microseconds.
const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

/// How many days a chart shows when nobody says which.
const CHART_DAYS: i64 = 30;

#[OpenApi(tag = "Tag::Referral")]
impl ReferralApi {
    /// My link and what it brought
    ///
    /// The first call gives the account its code. `balance` is what may be asked for now, `pending` what may be later.
    #[oai(path = "/api/v1/users/me/refferal", method = "get", operation_id = "getMyReferral")]
    async fn mine(&self, customer: CustomerAuth, visitor: Visitor) -> Outcome<Answer<ReferralView>> {
        let standing = self.0.standing(&customer.0, visitor.guest.as_deref()).await?;
        Ok(Answer(ReferralView::of(standing, visitor.locale)))
    }

    /// What I earned and withdrew
    ///
    /// The newest first. `date_from` and `date_to` are days (`2024-03-28`, both included) or moments in RFC 3339.
    #[oai(path = "/api/v1/users/me/refferal/dw", method = "get", operation_id = "getMyReferralHistory")]
    async fn history(
        &self,
        customer: CustomerAuth,
        /// Which page, from 1.
        page: Query<Option<u32>>,
        /// Rows of a page, at most 100.
        size: Query<Option<u32>>,
        /// From when on.
        #[oai(name = "date_from")]
        date_from: Query<Option<String>>,
        /// Until when.
        #[oai(name = "date_to")]
        date_to: Query<Option<String>>,
    ) -> Outcome<Answer<ReferralHistory>> {
        let (page, size) = page_of(page.0, size.0)?;
        let time = time_of(date_from.0, date_to.0)?;
        let history = self.0.history(&customer.0, time, skipped(page, size), i64::from(size)).await?;
        Ok(Answer(ReferralHistory::of(history, page, size)))
    }

    /// What I earned and withdrew, as a table to keep
    ///
    /// CSV in UTF-8, the newest first, at most 10 000 lines.
    #[oai(path = "/api/v1/users/me/refferal/dw/csv", method = "get", operation_id = "downloadMyReferralHistory")]
    async fn download(
        &self,
        customer: CustomerAuth,
        /// From when on.
        #[oai(name = "date_from")]
        date_from: Query<Option<String>>,
        /// Until when.
        #[oai(name = "date_to")]
        date_to: Query<Option<String>>,
    ) -> Outcome<Csv> {
        let time = time_of(date_from.0, date_to.0)?;
        Ok(Csv::of(&self.0.history(&customer.0, time, 0, CSV_MAX).await?))
    }

    /// What I earned by day
    ///
    /// Every day of a time of at most 366; the last thirty unless others are asked for.
    #[oai(path = "/api/v1/users/me/refferal/days", method = "get", operation_id = "getMyReferralDays")]
    async fn days(
        &self,
        customer: CustomerAuth,
        /// The first day.
        #[oai(name = "date_from")]
        date_from: Query<Option<String>>,
        /// The last day.
        #[oai(name = "date_to")]
        date_to: Query<Option<String>>,
    ) -> Outcome<Answer<ReferralDays>> {
        let (from, to) = time_of(date_from.0, date_to.0)?;
        let now = self.0.platform.clock.now();
        let to = if to.0 == i64::MAX { Timestamp(Timestamp::from_date(now.date()).0 + DAY_MICROS) } else { to };
        let from = if from.0 == i64::MIN { Timestamp(to.0.saturating_sub(CHART_DAYS * DAY_MICROS)) } else { from };
        let days = self.0.days(&customer.0, (from, to)).await?;
        Ok(Answer(ReferralDays { items: days.into_iter().map(ReferralDay::from).collect() }))
    }

    /// My withdrawals
    #[oai(path = "/api/v1/users/me/refferal/withdrawal", method = "get", operation_id = "getMyReferralWithdrawals")]
    async fn withdrawals(
        &self,
        customer: CustomerAuth,
        /// Which page, from 1.
        page: Query<Option<u32>>,
        /// Rows of a page, at most 100.
        size: Query<Option<u32>>,
    ) -> Outcome<Answer<ReferralWithdrawalPage>> {
        let (page, size) = page_of(page.0, size.0)?;
        let (rows, total) = self.0.withdrawals_of(&customer.0, skipped(page, size), i64::from(size)).await?;
        let items: agio_core::Result<_> = rows.iter().map(|row| ReferralWithdrawal::of(row, &self.0.platform.vault)).collect();
        Ok(Answer(ReferralWithdrawalPage { items: items?, page, size, total }))
    }

    /// Withdraw
    ///
    /// Needs a confirmed address. The amount leaves the balance at once: 409 `balance_too_low` where it is not there. It is paid in one
    /// of the `currencies` of `getMyReferral`, unit for unit.
    #[oai(path = "/api/v1/users/me/refferal/withdrawal", method = "post", operation_id = "withdrawMyReferral")]
    async fn withdraw(
        &self,
        customer: CustomerAuth,
        visitor: Visitor,
        input: Input<ReferralWithdrawalOrder>,
        /// Any text of 8 to 255 visible ASCII characters, made anew for each withdrawal.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> Outcome<Created<ReferralWithdrawal>> {
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content(format!("referral.withdraw:{}", customer.0.id), &content);
        let row = self.0.withdraw(customer.0, input.0.into(), visitor.locale, key).await?;
        Ok(Created { body: ReferralWithdrawal::of(&row, &self.0.platform.vault)?, cookie: None })
    }

    /// Say that somebody came by a link
    ///
    /// Counted by code and day; nothing is kept of who it was. The answer says for how many days a browser remembers the code, and is the
    /// same for a code there is none of.
    #[oai(path = "/api/v1/referral/visits", method = "post", operation_id = "countReferralVisit")]
    async fn visit(&self, visitor: Visitor, input: Input<ReferralVisit>) -> Outcome<Answer<ReferralSeen>> {
        Ok(Answer(ReferralSeen { days: self.0.visit(&input.0.code, visitor.address).await? }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_include_their_ends_and_moments_are_themselves() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let said = |text: &str| Some(text.to_owned());
        let (from, to) = time_of(said("2024-03-28"), said("2024-03-28")).unwrap();
        assert_eq!((from, to), (at("2024-03-28T00:00:00Z"), at("2024-03-29T00:00:00Z")));
        let (from, to) = time_of(said("2024-03-28T10:00:00+03:00"), None).unwrap();
        assert_eq!((from, to.0), (at("2024-03-28T07:00:00Z"), i64::MAX));
        for wrong in ["yesterday", "2024-02-30", "28.03.2024", "2024-03-28T25:00:00Z", "20240328!!"] {
            assert!(time_of(said(wrong), None).is_err(), "{wrong}");
        }
        assert!(time_of(said("2024-03-29"), said("2024-03-27")).is_err());
    }
}

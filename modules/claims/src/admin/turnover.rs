//! What was exchanged, for accounts.

use std::sync::Arc;

use agio_brand::{Brands, DayPeriod};
use agio_contracts::ReferenceValue;
use agio_core::texts::Locale;
use agio_http::csv_file::{CsvCell, CsvFile};
use agio_http::{ApiResult, DateTime, Dec, JsonResponse, Nullable, StaffAuth, Visitor, body};
use poem_openapi::OpenApi;
use poem_openapi::param::Query;

use super::Tag;
use crate::service::{DayTotals, Turnover};
use crate::store::turnover::DirectionTotals;
use crate::{CLAIMS_READ, Claims};

/// The staff API of turnover and income.
pub struct TurnoverAdminApi {
    claims: Arc<Claims>,
    brands: Brands,
}

impl TurnoverAdminApi {
    /// `brands` know the time zone of the exchange.
    pub fn new(claims: Arc<Claims>, brands: Brands) -> Self {
        Self { claims, brands }
    }

    async fn read(&self, from: Option<&str>, to: Option<&str>) -> agio_core::Result<(DayPeriod, Turnover)> {
        let period = self.brands.days(from, to)?;
        let turnover = self.claims.turnover(period.start, period.end).await?;
        Ok((period, turnover))
    }
}

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Claims")]
impl TurnoverAdminApi {
    /// Get turnover
    ///
    /// What was exchanged and the income that the ledger booked for it, by direction and by currency. A claim counts on
    /// the day its exchange was booked, also one that was exchanged in part; a payout that came back is taken off on the
    /// day it did. Days are those of the exchange's time zone, at most 366. By default the current month; one day alone
    /// stands for the rest of its month. Needs `claims.read`.
    #[oai(path = "/turnover", method = "get", operation_id = "getTurnover")]
    async fn turnover(
        &self,
        staff: StaffAuth,
        /// The first day: `2024-03-01`.
        from: Query<Option<String>>,
        /// The last day, included: `2024-03-31`.
        to: Query<Option<String>>,
    ) -> ApiResult<JsonResponse<TurnoverReport>> {
        staff.require(CLAIMS_READ)?;
        let (period, turnover) = self.read(from.0.as_deref(), to.0.as_deref()).await?;
        Ok(JsonResponse(TurnoverReport::of(period, turnover)))
    }

    /// Get today's totals
    ///
    /// Today by the time zone of the exchange, and what waits for staff now. Needs `claims.read`.
    #[oai(path = "/turnover/today", method = "get", operation_id = "getTodaysTotals")]
    async fn today(&self, staff: StaffAuth) -> ApiResult<JsonResponse<TodaysTotals>> {
        staff.require(CLAIMS_READ)?;
        let day = self.brands.today()?;
        let totals = self.claims.day_totals(day.start, day.end).await?;
        Ok(JsonResponse(TodaysTotals::of(day, totals)))
    }

    /// Download turnover
    ///
    /// The same as CSV for spreadsheets in UTF-8: the directions, then the currencies. In Russian with semicolons and
    /// decimal commas. Needs `claims.read`.
    #[oai(path = "/turnover/csv", method = "get", operation_id = "downloadTurnover")]
    async fn download(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        /// The first day: `2024-03-01`.
        from: Query<Option<String>>,
        /// The last day, included: `2024-03-31`.
        to: Query<Option<String>>,
    ) -> ApiResult<CsvFile> {
        staff.require(CLAIMS_READ)?;
        let (_, turnover) = self.read(from.0.as_deref(), to.0.as_deref()).await?;
        Ok(csv_of(&self.claims, &turnover, visitor.locale))
    }
}

/// What was exchanged in a period.
#[body(response)]
#[derive(Clone, Debug)]
pub struct TurnoverReport {
    /// The first day.
    from: String,
    /// The last day, included.
    to: String,
    /// The time zone of the days, an IANA name.
    time_zone: String,
    /// By direction.
    directions: Vec<TurnoverDirection>,
    /// By currency.
    currencies: Vec<TurnoverCurrency>,
}

/// What happened today, and what waits now.
#[body(response)]
#[derive(Clone, Debug)]
pub struct TodaysTotals {
    /// Today.
    day: String,
    /// Its time zone, an IANA name.
    time_zone: String,
    /// Claims that were created.
    created: i64,
    /// Claims that were exchanged, wholly or in part.
    exchanged: i64,
    /// Claims that were completed.
    completed: i64,
    /// What was exchanged of the payments, at present rates; null if nothing was, or while a rate is unknown.
    given: Nullable<BaseAmount>,
    /// The income of rates and fees, likewise.
    income: Nullable<BaseAmount>,
    /// Claims that wait for staff.
    waiting: i64,
    /// When the one of them that was left alone longest was last changed.
    waiting_since: Nullable<DateTime>,
}

/// An amount in the base currency.
#[body(response)]
#[derive(Clone, Debug)]
pub struct BaseAmount {
    amount: Dec,
    /// The ticker of the base currency.
    ticker: String,
}

impl TodaysTotals {
    fn of(day: DayPeriod, totals: DayTotals) -> Self {
        let value = |value: Option<ReferenceValue>| {
            Nullable(value.map(|ReferenceValue { amount, ticker }| BaseAmount { amount: Dec(amount.round_dp(2)), ticker }))
        };
        Self {
            day: day.first,
            time_zone: day.zone,
            created: totals.created,
            exchanged: totals.exchanged,
            completed: totals.completed,
            given: value(totals.given),
            income: value(totals.income),
            waiting: totals.waiting,
            waiting_since: totals.waiting_since.map(DateTime).into(),
        }
    }
}

/// What was exchanged in a direction. Payouts that came back may make it negative.
#[body(response)]
#[derive(Clone, Debug)]
pub struct TurnoverDirection {
    /// The code of the given currency.
    from: String,
    /// The code of the received currency.
    to: String,
    /// The number of claims that were exchanged, wholly or in part.
    claims: i64,
    /// What was exchanged of the payments.
    given: Dec,
    /// What customers received.
    received: Dec,
    /// The income of the rate, in the received currency.
    spread: Dec,
    /// The income of fees in the given currency.
    give_fee: Dec,
    /// The income of fees in the received currency.
    receive_fee: Dec,
}

/// What was exchanged of a currency, in all directions.
#[body(response)]
#[derive(Clone, Debug)]
pub struct TurnoverCurrency {
    /// The code of the currency.
    currency: String,
    /// What was exchanged of the payments in it.
    given: Dec,
    /// What customers received.
    received: Dec,
    /// The income of the rate.
    spread: Dec,
    /// The income of fees.
    fees: Dec,
    /// The spread and the fees.
    income: Dec,
}

impl TurnoverReport {
    fn of(period: DayPeriod, turnover: Turnover) -> Self {
        let direction = |row: DirectionTotals| TurnoverDirection {
            from: row.from,
            to: row.to,
            claims: row.claims,
            given: Dec(row.given.value()),
            received: Dec(row.received.value()),
            spread: Dec(row.spread.value()),
            give_fee: Dec(row.give_fee.value()),
            receive_fee: Dec(row.receive_fee.value()),
        };
        let currencies = turnover.currencies.into_iter().map(|total| TurnoverCurrency {
            currency: total.code,
            given: Dec(total.given.value()),
            received: Dec(total.received.value()),
            spread: Dec(total.spread.value()),
            fees: Dec(total.fees.value()),
            income: Dec(total.income.value()),
        });
        Self {
            from: period.first,
            to: period.last,
            time_zone: period.zone,
            currencies: currencies.collect(),
            directions: turnover.directions.into_iter().map(direction).collect(),
        }
    }
}

const DIRECTION_COLUMNS: [&str; 8] = ["give", "receive", "claims", "given", "received", "spread", "give_fee", "receive_fee"];
const CURRENCY_COLUMNS: [&str; 6] = ["currency", "given", "received", "spread", "fees", "income"];

fn csv_of(claims: &Claims, turnover: &Turnover, locale: Locale) -> CsvFile {
    let head = |column: &&str| CsvCell::Text(claims.text(&format!("turnover.{column}"), locale));
    let directions = turnover.directions.iter().map(|row| {
        let amounts = [row.given, row.received, row.spread, row.give_fee, row.receive_fee];
        let names = [row.from.clone(), row.to.clone(), row.claims.to_string()].map(CsvCell::Text);
        names.into_iter().chain(amounts.map(|amount| CsvCell::Number(amount.value()))).collect::<Vec<_>>()
    });
    let currencies = turnover.currencies.iter().map(|total| {
        let amounts = [total.given, total.received, total.spread, total.fees, total.income];
        let code = CsvCell::Text(total.code.clone());
        std::iter::once(code).chain(amounts.map(|amount| CsvCell::Number(amount.value()))).collect::<Vec<_>>()
    });
    let mut lines: Vec<Vec<CsvCell>> = vec![DIRECTION_COLUMNS.iter().map(head).collect()];
    lines.extend(directions);
    lines.push(Vec::new());
    lines.push(CURRENCY_COLUMNS.iter().map(head).collect());
    lines.extend(currencies);
    for line in &mut lines {
        line.resize_with(DIRECTION_COLUMNS.len(), || CsvCell::Text(String::new()));
    }
    CsvFile::new("attachment; filename=turnover.csv", locale, lines)
}

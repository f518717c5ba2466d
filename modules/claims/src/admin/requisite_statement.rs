//! Which claims got a requisite, and what they pay.

use agio_contracts::{ClaimState, CurrencyInfo};
use agio_core::Timestamp;
use agio_core::texts::Locale;
use agio_http::csv_file::{CsvCell, CsvFile};
use agio_http::{ApiEnum, DateTime, Dec, Nullable, body};
use agio_requisites::{RequisiteKind, mask};
use uuid::Uuid;

use crate::Claims;
use crate::rules::payment::address_kind;
use crate::rules::requisite_pool::{RequisiteRow, UsageDate};
use crate::service::RequisiteSums;
use crate::store::requisites::RequisiteUseRow;

/// A claim that got a requisite.
#[body(response)]
#[derive(Clone, Debug)]
pub struct RequisiteUseView {
    claim_id: Uuid,
    /// The claim's number.
    public_id: i64,
    /// When the claim got the requisite.
    at: DateTime,
    status: ApiEnum<ClaimState>,
    /// The amount the customer agreed to pay.
    amount: Dec,
    /// The amount that was received.
    received: Dec,
    /// What counts against the limits: the agreed amount, then what was received; 0 if the claim ended unpaid.
    counted: Dec,
    /// The memo of this claim alone.
    memo: Nullable<String>,
}

impl RequisiteUseView {
    pub fn of(currency: &CurrencyInfo, taken: RequisiteUseRow) -> Self {
        let amount = |units| Dec(currency.amount(units).value());
        Self {
            claim_id: taken.id,
            public_id: taken.public_id,
            at: DateTime(taken.at),
            status: ApiEnum(taken.state),
            amount: amount(taken.give_units),
            received: amount(taken.received_units),
            counted: amount(taken.units),
            memo: taken.memo.into(),
        }
    }
}

/// What the claims of a requisite pay by day and month of UTC. Claims that ended unpaid do not count.
#[body(response)]
#[derive(Clone, Debug)]
pub struct RequisiteTotals {
    days: Vec<RequisiteTotal>,
    months: Vec<RequisiteTotal>,
}

/// What the claims of a day or month pay.
#[body(response)]
#[derive(Clone, Debug)]
pub struct RequisiteTotal {
    /// When the day or month begins.
    from: DateTime,
    amount: Dec,
    /// The number of claims.
    claims: i64,
}

impl RequisiteTotals {
    pub fn of(currency: &CurrencyInfo, sums: &RequisiteSums) -> Self {
        let total = |from: Timestamp, units: i64, claims: i64| RequisiteTotal {
            from: DateTime(from),
            amount: Dec(currency.amount(units).value()),
            claims,
        };
        Self {
            days: sums.days.iter().map(|&(day, units, claims)| total(UsageDate::start_of_day(day), units, claims)).collect(),
            months: sums
                .months
                .iter()
                .map(|&(month, units, claims)| total(UsageDate::start_of_month(month), units, claims))
                .collect(),
        }
    }
}

const COLUMNS: [&str; 9] = ["requisite", "claim", "given_at", "status", "amount", "received", "counted", "currency", "memo"];

/// The statement as a table, with the requisite masked unless its reader may change it.
pub fn statement_csv(claims: &Claims, locale: Locale, row: &RequisiteRow, uses: Vec<RequisiteUseRow>, whole: bool) -> CsvFile {
    let currency = claims.currency(row.currency_id, "");
    let kind = address_kind(&currency).unwrap_or(RequisiteKind::Text);
    let value = if whole { row.value.clone() } else { mask(kind, &row.value) };
    let amount = |units| CsvCell::Number(currency.amount(units).value());
    let head = COLUMNS.map(|column| CsvCell::Text(claims.text(&format!("statement.{column}"), locale)));
    let lines = uses.into_iter().map(|taken| {
        vec![
            CsvCell::Text(value.clone()),
            CsvCell::Text(taken.public_id.to_string()),
            CsvCell::Time(taken.at),
            CsvCell::Text(claims.text(&format!("claim_state.{}", taken.state.name()), locale)),
            amount(taken.give_units),
            amount(taken.received_units),
            amount(taken.units),
            CsvCell::Text(currency.code.clone()),
            CsvCell::Text(taken.memo.unwrap_or_default()),
        ]
    });
    CsvFile::new("attachment; filename=statement.csv", locale, std::iter::once(head.into()).chain(lines))
}

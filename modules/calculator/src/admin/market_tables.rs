//! Currencies and pairs as tables for spreadsheets.

use std::sync::Arc;

use agio_core::texts::Texts;
use agio_core::{Error, ErrorKind, FieldError};
use agio_http::csv_file::{TableBody, TableFile, TableMedia};
use agio_http::{ApiEnum, ApiResult, JsonResponse, Nullable, StaffAuth, Visitor, body};
use poem_openapi::OpenApi;
use poem_openapi::param::{Path, Query};

use super::Tag;
use crate::service::{MarketPlan, MarketTable, MarketTableFormat, PlannedLine, TABLE_BYTES_MAX};
use crate::{Calculator, MARKET_EDIT, MARKET_READ};

/// What a table changes, line by line.
#[body(response)]
#[derive(Debug)]
struct MarketTableReport {
    /// Whether the changes were made.
    applied: bool,
    /// Identifies the changes. Send it to make exactly these. Null if there are none, or errors.
    plan: Nullable<String>,
    /// The changed currencies or pairs.
    lines: Vec<MarketTableLine>,
    /// What is wrong. With errors nothing can be changed.
    errors: Vec<MarketTableError>,
}

/// The change of a currency or pair.
#[body(response)]
#[derive(Debug)]
struct MarketTableLine {
    /// Line number, from 1 with the header.
    line: usize,
    /// Code of the currency, or the codes of the pair such as `BTC → SBERRUB`.
    subject: String,
    /// Whether it does not exist yet.
    is_new: bool,
    /// The changed values.
    values: Vec<MarketTableValue>,
}

/// A changed value.
#[body(response)]
#[derive(Debug)]
struct MarketTableValue {
    /// Column.
    column: String,
    /// Value before. Null for none.
    before: Nullable<String>,
    /// Value after. Null for none.
    after: Nullable<String>,
}

/// What is wrong in a cell.
#[body(response)]
#[derive(Debug)]
struct MarketTableError {
    /// Line number, from 1 with the header.
    line: usize,
    /// Column. Empty if the whole line is wrong.
    column: String,
    /// Error code.
    code: String,
    /// What is wrong, in the request's language.
    message: String,
}

pub(super) struct MarketTablesAdminApi {
    pub(super) calculator: Arc<Calculator>,
    /// The texts of all modules.
    pub(super) texts: Arc<Texts>,
}

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Market")]
impl MarketTablesAdminApi {
    /// Download a market table
    ///
    /// All currencies or pairs as CSV in UTF-8 or as XLSX, with the keys of the market file as columns. In Russian with
    /// decimal commas, CSV also with semicolons. All cells of XLSX are texts. Texts that a spreadsheet could run as a
    /// formula begin with an apostrophe. 422 `validation_failed` if a text is longer than a cell of XLSX can be. Needs
    /// `market.read`.
    #[oai(path = "/market/tables/:table", method = "get", operation_id = "downloadMarketTable")]
    async fn download(
        &self,
        auth: StaffAuth,
        visitor: Visitor,
        table: Path<ApiEnum<MarketTable>>,
        /// Kind of the file. `csv` by default.
        format: Query<Option<ApiEnum<MarketTableFormat>>>,
    ) -> ApiResult<TableFile> {
        auth.require(MARKET_READ)?;
        let table = table.0.0;
        let format = format.0.map_or(MarketTableFormat::Csv, |format| format.0);
        let (media, disposition) = match (table, format) {
            (MarketTable::Currencies, MarketTableFormat::Csv) => (TableMedia::Csv, "attachment; filename=currencies.csv"),
            (MarketTable::Pairs, MarketTableFormat::Csv) => (TableMedia::Csv, "attachment; filename=pairs.csv"),
            (MarketTable::Currencies, MarketTableFormat::Xlsx) => (TableMedia::Xlsx, "attachment; filename=currencies.xlsx"),
            (MarketTable::Pairs, MarketTableFormat::Xlsx) => (TableMedia::Xlsx, "attachment; filename=pairs.xlsx"),
        };
        let bytes = self.calculator.export_table(table, format, visitor.locale).await?;
        Ok(TableFile::new(media, disposition, bytes))
    }

    /// Apply a market table
    ///
    /// Without `plan` nothing is stored: the report says what would change, and what is wrong. With the `plan` of a
    /// report, makes exactly its changes in one transaction. At most 1 MiB and 10,000 lines. A missing column leaves
    /// values as they are, an empty cell removes the value; what the table does not list stays. Separators of CSV are
    /// commas, semicolons or tabs. XLSX has one sheet with cells, without formulas. Needs `market.edit`. Also needs a
    /// fresh second factor where single changes do; 409 `approval_one_by_one` if one would need two-person approval, 409
    /// `market_plan_outdated` if the changes would be others by now.
    #[oai(path = "/market/tables/:table", method = "post", operation_id = "applyMarketTable")]
    async fn apply(
        &self,
        auth: StaffAuth,
        visitor: Visitor,
        table: Path<ApiEnum<MarketTable>>,
        /// The changes to make.
        plan: Query<Option<String>>,
        body: TableBody<TABLE_BYTES_MAX>,
    ) -> ApiResult<JsonResponse<MarketTableReport>> {
        let staff = auth.require(MARKET_EDIT)?;
        let format = match body.media {
            TableMedia::Csv => MarketTableFormat::Csv,
            TableMedia::Xlsx => MarketTableFormat::Xlsx,
        };
        let planned = match self.calculator.plan_table(table.0.0, format, body.bytes.to_vec()).await {
            Err(error) if plan.0.is_none() && error.kind() == ErrorKind::Unprocessable => {
                return Ok(JsonResponse(self.refusal(&error, &visitor)));
            }
            planned => planned?,
        };
        let Some(plan) = plan.0 else { return Ok(JsonResponse(MarketTableReport::of(&planned, false))) };
        if plan != planned.identifier() {
            return Err(Error::conflict("market_plan_outdated").into());
        }
        if self.calculator.is_large_plan(&planned).await? {
            auth.require_fresh()?;
        }
        self.calculator.apply_market(&planned, &(&staff).into()).await?;
        Ok(JsonResponse(MarketTableReport::of(&planned, true)))
    }
}

impl MarketTablesAdminApi {
    fn refusal(&self, refused: &Error, visitor: &Visitor) -> MarketTableReport {
        let error = |wrong: &FieldError| MarketTableError {
            line: wrong.params.get("line").and_then(|line| line.parse().ok()).unwrap_or(1),
            column: wrong.field.clone(),
            code: wrong.code.to_owned(),
            message: self.texts.get(visitor.locale, wrong.code, &wrong.params),
        };
        let errors = refused.fields().iter().map(error).collect();
        MarketTableReport { applied: false, plan: Nullable(None), lines: Vec::new(), errors }
    }
}

impl MarketTableReport {
    fn of(plan: &MarketPlan, applied: bool) -> Self {
        let value = |(column, before, after)| MarketTableValue { column, before: Nullable(before), after: Nullable(after) };
        let line = |planned: PlannedLine<'_>| MarketTableLine {
            line: planned.line,
            subject: planned.subject.to_owned(),
            is_new: planned.is_new,
            values: planned.values.into_iter().map(value).collect(),
        };
        let identifier = (!applied && !plan.is_empty()).then(|| plan.identifier());
        Self { applied, plan: Nullable(identifier), lines: plan.lines().map(line).collect(), errors: Vec::new() }
    }
}

//! The requisites that customers pay to.

use std::sync::Arc;

use agio_approvals::{ChangeOutcome, PendingApproval};
use agio_http::csv_file::CsvFile;
use agio_http::{
    Accepted, ApiEnum, ApiResult, Created, Cursor, DateTime, Dec, Either, JsonBody, JsonResponse, Nullable, Page, StaffAuth,
    Visitor, body,
};
use poem_openapi::param::{Path, Query};
use poem_openapi::types::Example;
use poem_openapi::{OpenApi, Tags};
use serde::{Deserialize, Deserializer};
use uuid::Uuid;

use super::requisite_statement::{RequisiteTotals, RequisiteUseView, statement_csv};
use crate::rules::requisite_pool::{RequisiteIdentification, RequisiteRotation, RequisiteRow, RequisiteUnavailability};
use crate::service::{ImportedRequisite, RequisiteImport, RequisitePool};
use crate::store::requisites::UseKey;
use crate::{Claims, NewRequisite, REQUISITES_CHANGE, REQUISITES_READ, RequisiteChange};

#[derive(Tags)]
enum Tag {
    /// The payment details that customers pay to.
    Requisites,
}

/// The staff API of the requisites that customers pay to.
pub struct RequisitesAdminApi(pub Arc<Claims>);

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Requisites")]
impl RequisitesAdminApi {
    /// List payment requisites
    ///
    /// Where customers pay to. Needs `requisites.read`.
    #[oai(path = "/requisites", method = "get", operation_id = "listRequisites")]
    async fn requisites(&self, staff: StaffAuth) -> ApiResult<JsonResponse<Vec<PaymentRequisiteView>>> {
        staff.require(REQUISITES_READ)?;
        let rows = self.0.list_requisites().await?;
        Ok(JsonResponse(rows.into_iter().map(|row| PaymentRequisiteView::of(&self.0, row)).collect()))
    }

    /// Create a payment requisite
    ///
    /// Requires `reserves.requisites` and a fresh second factor. With two-person approval it creates an approval
    /// request: 202.
    #[oai(path = "/requisites", method = "post", operation_id = "createRequisite")]
    async fn add_requisite(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        input: JsonBody<CreateRequisiteRequest>,
    ) -> ApiResult<Either<Created<PaymentRequisiteView>, PendingApproval>> {
        let by = staff.require(REQUISITES_CHANGE)?;
        staff.require_fresh()?;
        Ok(match self.0.add_requisite(input.0.into(), by.clone()).await? {
            ChangeOutcome::Applied(row) => Either::Left(Created { body: PaymentRequisiteView::of(&self.0, row), cookie: None }),
            ChangeOutcome::PendingApproval(row) => Either::Right(Accepted(self.0.approvals.show(*row, &by, visitor.locale))),
        })
    }

    /// Update a payment requisite
    ///
    /// Claims that already have the requisite keep the old values. Requires `reserves.requisites` and a fresh second
    /// factor. With two-person approval it creates an approval request, 202, unless it only disables the requisite,
    /// tightens its limits or changes its priority or weight.
    #[oai(path = "/requisites/:id", method = "patch", operation_id = "updateRequisite")]
    async fn change_requisite(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: JsonBody<UpdateRequisiteRequest>,
    ) -> ApiResult<Either<JsonResponse<PaymentRequisiteView>, PendingApproval>> {
        let by = staff.require(REQUISITES_CHANGE)?;
        staff.require_fresh()?;
        Ok(match self.0.change_requisite(id.0, input.0.into(), by.clone()).await? {
            ChangeOutcome::Applied(row) => Either::Left(JsonResponse(PaymentRequisiteView::of(&self.0, row))),
            ChangeOutcome::PendingApproval(row) => Either::Right(Accepted(self.0.approvals.show(*row, &by, visitor.locale))),
        })
    }

    /// Import payment requisites
    ///
    /// Many at once, with the same limits. A dry run stores nothing and says what each line would add. If a line is
    /// wrong, nothing is stored: 422 with errors at `lines.NUMBER.FIELD`. Lines that the currency has already are
    /// skipped. Requires `reserves.requisites` and a fresh second factor. With two-person approval it creates one
    /// approval request: 202.
    #[oai(path = "/requisites/import", method = "post", operation_id = "importRequisites")]
    async fn import_requisites(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        input: JsonBody<ImportRequisitesRequest>,
    ) -> ApiResult<Either<JsonResponse<RequisiteImportView>, PendingApproval>> {
        let by = staff.require(REQUISITES_CHANGE)?;
        staff.require_fresh()?;
        let dry_run = input.0.dry_run.unwrap_or_default();
        let import = RequisiteImport::from(input.0);
        if dry_run {
            let lines = self.0.preview_requisite_import(&import).await?;
            return Ok(Either::Left(JsonResponse(RequisiteImportView::of(lines, true))));
        }
        Ok(match self.0.import_requisites(&import, by.clone()).await? {
            ChangeOutcome::Applied(lines) => Either::Left(JsonResponse(RequisiteImportView::of(lines, false))),
            ChangeOutcome::PendingApproval(row) => Either::Right(Accepted(self.0.approvals.show(*row, &by, visitor.locale))),
        })
    }

    /// List pools of payment requisites
    ///
    /// How the requisites of each currency are given out, and what they take now. Currencies without any are left out.
    /// Needs `requisites.read`.
    #[oai(path = "/requisite-pools", method = "get", operation_id = "listRequisitePools")]
    async fn pools(&self, staff: StaffAuth) -> ApiResult<JsonResponse<Vec<RequisitePoolView>>> {
        staff.require(REQUISITES_READ)?;
        let pools = self.0.list_requisite_pools().await?;
        Ok(JsonResponse(pools.iter().map(|pool| RequisitePoolView::of(&self.0, pool)).collect()))
    }

    /// Set the rotation of payment requisites
    ///
    /// The order in which the requisites of a currency are given to claims. Requires `reserves.requisites` and a fresh
    /// second factor.
    #[oai(path = "/requisite-pools/:currencyId", method = "put", operation_id = "updateRequisitePool")]
    async fn set_rotation(
        &self,
        staff: StaffAuth,
        #[oai(name = "currencyId")] currency_id: Path<i64>,
        input: JsonBody<UpdateRequisitePoolRequest>,
    ) -> ApiResult<JsonResponse<RequisitePoolView>> {
        let by = staff.require(REQUISITES_CHANGE)?;
        staff.require_fresh()?;
        let pool = self.0.set_requisite_rotation(currency_id.0, input.0.rotation.0, by).await?;
        Ok(JsonResponse(RequisitePoolView::of(&self.0, &pool)))
    }

    /// List claims of a payment requisite
    ///
    /// The claims that got it, the newest first. Needs `requisites.read`.
    #[oai(path = "/requisites/:id/statement", method = "get", operation_id = "listRequisiteClaims")]
    async fn statement(
        &self,
        staff: StaffAuth,
        id: Path<Uuid>,
        /// `nextCursor` of the previous page.
        cursor: Query<Option<Cursor<UseKey>>>,
        /// Rows of a page.
        #[oai(default = "agio_http::page_size::<50>", validator(minimum(value = "1"), maximum(value = "100")))]
        size: Query<u32>,
    ) -> ApiResult<JsonResponse<Page<RequisiteUseView, UseKey>>> {
        staff.require(REQUISITES_READ)?;
        let (row, page) = self.0.requisite_statement(id.0, cursor.0.map(|cursor| cursor.0), size.0.into()).await?;
        let currency = self.0.currency(row.currency_id, "");
        Ok(JsonResponse(Page::of(page, |taken| RequisiteUseView::of(&currency, taken))))
    }

    /// Get totals of a payment requisite
    ///
    /// What its claims pay by day and month of UTC, the newest first: the last 31 days and 12 months with a claim.
    /// Needs `requisites.read`.
    #[oai(path = "/requisites/:id/totals", method = "get", operation_id = "getRequisiteTotals")]
    async fn totals(&self, staff: StaffAuth, id: Path<Uuid>) -> ApiResult<JsonResponse<RequisiteTotals>> {
        staff.require(REQUISITES_READ)?;
        let (row, totals) = self.0.requisite_totals(id.0).await?;
        Ok(JsonResponse(RequisiteTotals::of(&self.0.currency(row.currency_id, ""), &totals)))
    }

    /// Download a statement of a payment requisite
    ///
    /// CSV for spreadsheets in UTF-8, newest first, at most 10,000 lines. In Russian with semicolons and decimal commas.
    /// Needs `requisites.read`. The requisite is masked for those who may not change it.
    #[oai(path = "/requisites/:id/statement/csv", method = "get", operation_id = "downloadRequisiteStatement")]
    async fn download(&self, staff: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> ApiResult<CsvFile> {
        staff.require(REQUISITES_READ)?;
        let (row, page) = self.0.requisite_statement(id.0, None, STATEMENT_MAX).await?;
        let may_change = staff.require(REQUISITES_CHANGE).is_ok();
        Ok(statement_csv(&self.0, visitor.locale, &row, page.rows, may_change))
    }
}

/// The most lines of a downloaded statement.
const STATEMENT_MAX: i64 = 10_000;

/// A requisite that customers pay to. Days and months are those of UTC.
#[body(response)]
#[derive(Clone, Debug)]
pub struct PaymentRequisiteView {
    /// Identifier.
    id: Uuid,
    /// The currency.
    currency_id: i64,
    /// The card, account or address.
    value: String,
    /// The account holder.
    holder: Nullable<String>,
    /// The memo or tag every payment must carry.
    memo: Nullable<String>,
    /// Whether new claims get it.
    enabled: bool,
    /// How payments are told apart.
    identification: ApiEnum<RequisiteIdentification>,
    /// Lower comes first where the rotation goes by priority.
    priority: i64,
    /// Its share of a day's claims where the rotation goes by weight.
    weight: i64,
    /// The smallest amount of one claim.
    min_amount: Nullable<Dec>,
    /// The largest amount of one claim.
    max_amount: Nullable<Dec>,
    /// The daily limit of payments to it.
    daily_limit: Nullable<Dec>,
    /// The monthly limit of payments to it.
    monthly_limit: Nullable<Dec>,
    /// The number of claims in a day.
    daily_count: Nullable<i64>,
    /// The limit of all payments to it.
    turnover_limit: Nullable<Dec>,
    /// Whether it is for one claim alone.
    one_time: bool,
    /// How long it is not given out after a claim got it, in minutes.
    cooling_minutes: i64,
    /// The amount of today's claims. Claims that ended unpaid do not count.
    used_today: Dec,
    /// The amount of this month's claims.
    used_this_month: Dec,
    /// The amount of all claims.
    used_total: Dec,
    /// The number of today's claims.
    claims_today: i64,
    /// The number of all claims.
    claims_total: i64,
    /// When a claim last got it.
    last_used_at: Nullable<DateTime>,
    /// Why no claim gets it now.
    unavailable: Nullable<ApiEnum<RequisiteUnavailability>>,
    /// When it is given out again, if that needs nothing but time.
    available_at: Nullable<DateTime>,
}

impl PaymentRequisiteView {
    pub fn of(claims: &Claims, row: RequisiteRow) -> Self {
        let (usage, now) = (claims.usage_now(&row), claims.platform.clock.now());
        let currency = claims.currency(row.currency_id, "");
        let amount = |units| Dec(currency.amount(units).value());
        let (unavailable, available_at) = (row.unavailability_for_any(now), row.available_at(now));
        let limits = row.limits;
        Self {
            id: row.id,
            currency_id: row.currency_id,
            value: row.value,
            holder: row.holder.into(),
            memo: row.memo.into(),
            enabled: row.enabled,
            identification: ApiEnum(row.identification),
            priority: row.priority,
            weight: row.weight,
            min_amount: limits.operation_min.map(amount).into(),
            max_amount: limits.operation_max.map(amount).into(),
            daily_limit: limits.daily_limit.map(amount).into(),
            monthly_limit: limits.monthly_limit.map(amount).into(),
            daily_count: limits.daily_count.into(),
            turnover_limit: limits.turnover_limit.map(amount).into(),
            one_time: limits.one_time,
            cooling_minutes: limits.cooling_minutes,
            used_today: amount(usage.used_units),
            used_this_month: amount(usage.month_units),
            used_total: amount(usage.total_units),
            claims_today: usage.used_count,
            claims_total: usage.total_count,
            last_used_at: usage.last_used_at.map(DateTime).into(),
            unavailable: unavailable.map(ApiEnum).into(),
            available_at: available_at.map(DateTime).into(),
        }
    }
}

/// A new requisite.
#[body(request, example)]
#[derive(Clone, Debug, Default)]
pub struct CreateRequisiteRequest {
    /// The currency.
    currency_id: i64,
    /// The card, account or address.
    value: String,
    /// The account holder.
    holder: Option<String>,
    /// The memo or tag every payment must carry.
    memo: Option<String>,
    /// Whether new claims get it. Default: true.
    enabled: Option<bool>,
    /// How payments are told apart. Default: `none`.
    identification: Option<ApiEnum<RequisiteIdentification>>,
    /// Lower comes first where the rotation goes by priority: 0 to 1000. Default: 100.
    priority: Option<i64>,
    /// Its share of a day's claims where the rotation goes by weight: 1 to 1000. Default: 1.
    weight: Option<i64>,
    /// The smallest amount of one claim.
    min_amount: Option<Dec>,
    /// The largest amount of one claim.
    max_amount: Option<Dec>,
    /// The daily limit of payments to it, by UTC days.
    daily_limit: Option<Dec>,
    /// The monthly limit of payments to it, by UTC months.
    monthly_limit: Option<Dec>,
    /// The number of claims in a day.
    daily_count: Option<i64>,
    /// The limit of all payments to it.
    turnover_limit: Option<Dec>,
    /// Whether it is for one claim alone. Default: false.
    one_time: Option<bool>,
    /// How long it is not given out after a claim got it, in minutes: 0 to 43200. Default: 0.
    cooling_minutes: Option<i64>,
}

impl Example for CreateRequisiteRequest {
    fn example() -> Self {
        Self {
            currency_id: 9,
            value: "4111111111111111".into(),
            holder: Some("IVAN P.".into()),
            enabled: Some(true),
            max_amount: Some(Dec(150_000.into())),
            daily_limit: Some(Dec(1_000_000.into())),
            daily_count: Some(20),
            cooling_minutes: Some(15),
            ..Self::default()
        }
    }
}

impl From<CreateRequisiteRequest> for NewRequisite {
    fn from(new: CreateRequisiteRequest) -> Self {
        let amount = |amount: Option<Dec>| Some(amount.map(|amount| amount.0));
        let properties = RequisiteChange {
            value: Some(new.value),
            holder: Some(new.holder),
            memo: Some(new.memo),
            enabled: new.enabled,
            identification: new.identification.map(|identification| identification.0),
            priority: new.priority,
            weight: new.weight,
            operation_min: amount(new.min_amount),
            operation_max: amount(new.max_amount),
            daily_limit: amount(new.daily_limit),
            monthly_limit: amount(new.monthly_limit),
            daily_count: Some(new.daily_count),
            turnover_limit: amount(new.turnover_limit),
            one_time: new.one_time,
            cooling_minutes: new.cooling_minutes,
        };
        Self { currency: new.currency_id, properties }
    }
}

/// A change of a requisite. Omitted fields stay; null clears a field.
#[body(request, example)]
#[derive(Clone, Debug, Default)]
#[serde(default)]
pub struct UpdateRequisiteRequest {
    /// The card, account or address.
    value: Option<String>,
    /// The account holder.
    #[serde(deserialize_with = "given")]
    holder: Option<Nullable<String>>,
    /// The memo or tag every payment must carry.
    #[serde(deserialize_with = "given")]
    memo: Option<Nullable<String>>,
    /// Whether new claims get it.
    enabled: Option<bool>,
    /// How payments are told apart.
    identification: Option<ApiEnum<RequisiteIdentification>>,
    /// Lower comes first where the rotation goes by priority: 0 to 1000.
    priority: Option<i64>,
    /// Its share of a day's claims where the rotation goes by weight: 1 to 1000.
    weight: Option<i64>,
    /// The smallest amount of one claim.
    #[serde(deserialize_with = "given")]
    min_amount: Option<Nullable<Dec>>,
    /// The largest amount of one claim.
    #[serde(deserialize_with = "given")]
    max_amount: Option<Nullable<Dec>>,
    /// The daily limit of payments to it, by UTC days.
    #[serde(deserialize_with = "given")]
    daily_limit: Option<Nullable<Dec>>,
    /// The monthly limit of payments to it, by UTC months.
    #[serde(deserialize_with = "given")]
    monthly_limit: Option<Nullable<Dec>>,
    /// The number of claims in a day.
    #[serde(deserialize_with = "given")]
    daily_count: Option<Nullable<i64>>,
    /// The limit of all payments to it.
    #[serde(deserialize_with = "given")]
    turnover_limit: Option<Nullable<Dec>>,
    /// Whether it is for one claim alone.
    one_time: Option<bool>,
    /// How long it is not given out after a claim got it, in minutes: 0 to 43200.
    cooling_minutes: Option<i64>,
}

/// Distinguishes null from an omitted field.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl Example for UpdateRequisiteRequest {
    fn example() -> Self {
        Self { enabled: Some(false), ..Self::default() }
    }
}

impl From<UpdateRequisiteRequest> for RequisiteChange {
    fn from(change: UpdateRequisiteRequest) -> Self {
        let amount = |amount: Option<Nullable<Dec>>| amount.map(|amount| amount.0.map(|amount| amount.0));
        Self {
            value: change.value,
            holder: change.holder.map(|holder| holder.0),
            memo: change.memo.map(|memo| memo.0),
            enabled: change.enabled,
            identification: change.identification.map(|identification| identification.0),
            priority: change.priority,
            weight: change.weight,
            operation_min: amount(change.min_amount),
            operation_max: amount(change.max_amount),
            daily_limit: amount(change.daily_limit),
            monthly_limit: amount(change.monthly_limit),
            daily_count: change.daily_count.map(|count| count.0),
            turnover_limit: amount(change.turnover_limit),
            one_time: change.one_time,
            cooling_minutes: change.cooling_minutes,
        }
    }
}

/// Lines of requisites with what they have in common.
#[body(request, example)]
#[derive(Clone, Debug, Default)]
pub struct ImportRequisitesRequest {
    /// The currency.
    currency_id: i64,
    /// Lines of `value;holder;memo`, separated by semicolons, tabs or commas. Holder and memo may be omitted, and so may
    /// a first line that names the columns. At most 500 lines.
    text: String,
    /// Whether to store nothing. Default: false.
    dry_run: Option<bool>,
    /// How payments are told apart. Default: `none`.
    identification: Option<ApiEnum<RequisiteIdentification>>,
    /// The smallest amount of one claim.
    min_amount: Option<Dec>,
    /// The largest amount of one claim.
    max_amount: Option<Dec>,
    /// The daily limit of each, by UTC days.
    daily_limit: Option<Dec>,
    /// The monthly limit of each, by UTC months.
    monthly_limit: Option<Dec>,
    /// The number of claims of each in a day.
    daily_count: Option<i64>,
    /// The limit of all payments to each.
    turnover_limit: Option<Dec>,
    /// Whether each is for one claim alone. Default: false.
    one_time: Option<bool>,
    /// How long each is not given out after a claim got it, in minutes. Default: 0.
    cooling_minutes: Option<i64>,
}

impl Example for ImportRequisitesRequest {
    fn example() -> Self {
        Self {
            currency_id: 9,
            text: "4111111111111111;IVAN P.\n5555555555554444;ANNA S.".into(),
            dry_run: Some(true),
            daily_limit: Some(Dec(300_000.into())),
            ..Self::default()
        }
    }
}

impl From<ImportRequisitesRequest> for RequisiteImport {
    fn from(import: ImportRequisitesRequest) -> Self {
        let amount = |amount: Option<Dec>| Some(amount.map(|amount| amount.0));
        let common = RequisiteChange {
            identification: import.identification.map(|identification| identification.0),
            operation_min: amount(import.min_amount),
            operation_max: amount(import.max_amount),
            daily_limit: amount(import.daily_limit),
            monthly_limit: amount(import.monthly_limit),
            daily_count: Some(import.daily_count),
            turnover_limit: amount(import.turnover_limit),
            one_time: import.one_time,
            cooling_minutes: import.cooling_minutes,
            ..RequisiteChange::default()
        };
        Self { currency: import.currency_id, text: import.text, common }
    }
}

/// The result of an import.
#[body(response)]
#[derive(Clone, Debug)]
pub struct RequisiteImportView {
    /// Whether nothing was stored.
    dry_run: bool,
    /// The number of new requisites.
    added: usize,
    lines: Vec<RequisiteImportLine>,
}

/// A line of an import.
#[body(response)]
#[derive(Clone, Debug)]
pub struct RequisiteImportLine {
    /// The number of the line, from 1.
    line: usize,
    /// The card, account or address, in its normal form.
    value: String,
    holder: Nullable<String>,
    memo: Nullable<String>,
    /// Whether the currency or an earlier line has it already. It is skipped.
    duplicate: bool,
}

impl RequisiteImportView {
    fn of(lines: Vec<ImportedRequisite>, dry_run: bool) -> Self {
        let added = lines.iter().filter(|line| !line.is_duplicate).count();
        let view = |line: ImportedRequisite| RequisiteImportLine {
            line: line.line,
            value: line.row.value,
            holder: line.row.holder.into(),
            memo: line.row.memo.into(),
            duplicate: line.is_duplicate,
        };
        Self { dry_run, added, lines: lines.into_iter().map(view).collect() }
    }
}

/// The requisites of a currency together.
#[body(response)]
#[derive(Clone, Debug)]
pub struct RequisitePoolView {
    currency_id: i64,
    /// The order in which they are given to claims.
    rotation: ApiEnum<RequisiteRotation>,
    /// The number of enabled requisites.
    enabled: usize,
    /// The number of those that a claim may get now.
    available: usize,
    /// The largest amount of a claim now; null for no limit.
    max_amount: Nullable<Dec>,
}

impl RequisitePoolView {
    fn of(claims: &Claims, pool: &RequisitePool) -> Self {
        let currency = claims.currency(pool.currency, "");
        Self {
            currency_id: pool.currency,
            rotation: ApiEnum(pool.rotation),
            enabled: pool.enabled,
            available: pool.available,
            max_amount: pool.takes.max.map(|units| Dec(currency.amount(units).value())).into(),
        }
    }
}

/// The order in which the requisites of a currency are given to claims.
#[body(request, example)]
#[derive(Clone, Debug)]
pub struct UpdateRequisitePoolRequest {
    rotation: ApiEnum<RequisiteRotation>,
}

impl Example for UpdateRequisitePoolRequest {
    fn example() -> Self {
        Self { rotation: ApiEnum(RequisiteRotation::LeastUsed) }
    }
}

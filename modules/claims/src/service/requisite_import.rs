//! Import of many requisites at once: one transaction, one audit entry.

use std::collections::HashSet;
use std::sync::Arc;

use agio_approvals::{ApprovalFact, ApprovalHandler, ApprovalRequest, ApprovalRow, ChangeOutcome, outdated};
use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::{Actor, Permission, Staff};
use agio_core::{BoxFuture, Error, FieldError, Result, Tx};
use agio_requisites::{RequisiteKind, mask};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Claims;
use super::requisite_pool::{NewRequisite, RequisiteChange, masked, whole};
use crate::REQUISITES_CHANGE;
use crate::rules::payment::address_kind;
use crate::rules::requisite_pool::RequisiteRow;
use crate::store::requisites;

const IMPORTED: &str = "requisites_imported";

/// The most lines and characters of an import.
const LINES_MAX: usize = 500;
const LENGTH_MAX: usize = 100_000;

/// The first cell of a line that names the columns.
const HEADER: &str = "value";

/// Lines of payment details, with what they have in common.
#[derive(Clone, Debug)]
pub struct RequisiteImport {
    pub currency: i64,
    /// Lines of `value;holder;memo`, separated by semicolons, tabs or commas; holder and memo may be omitted.
    pub text: String,
    /// The limits of each.
    pub common: RequisiteChange,
}

/// A line of an import that can be stored.
#[derive(Clone, Debug)]
pub struct ImportedRequisite {
    /// The number of the line, from 1.
    pub line: usize,
    pub row: RequisiteRow,
    /// Whether the currency or an earlier line has it already; then it is skipped.
    pub is_duplicate: bool,
}

/// The payload of an approval request.
#[derive(Serialize, Deserialize)]
struct Import {
    rows: Vec<RequisiteRow>,
}

impl Claims {
    /// What an import would store, line by line.
    ///
    /// # Errors
    /// 422 with what is wrong, at `lines.NUMBER.FIELD`.
    pub async fn preview_requisite_import(&self, import: &RequisiteImport) -> Result<Vec<ImportedRequisite>> {
        let rows = self.rows_of(import)?;
        mark_duplicates(&mut self.platform.db.read().await?, rows).await
    }

    /// Stores the lines of an import that are new, or creates an approval request for them.
    ///
    /// # Errors
    /// As [`preview_requisite_import`](Self::preview_requisite_import); 409 `nothing_to_import`.
    pub async fn import_requisites(
        self: &Arc<Self>,
        import: &RequisiteImport,
        staff: Staff,
    ) -> Result<ChangeOutcome<Vec<ImportedRequisite>>> {
        let (this, rows, currency) = (self.clone(), Arc::new(self.rows_of(import)?), import.currency);
        self.platform
            .db
            .write(move |tx| {
                let (this, rows, staff) = (this.clone(), rows.clone(), staff.clone());
                Box::pin(async move {
                    requisites::lock_pool(tx, currency).await?;
                    let lines = mark_duplicates(tx, rows.to_vec()).await?;
                    let new: Vec<RequisiteRow> =
                        lines.iter().filter(|line| !line.is_duplicate).map(|line| line.row.clone()).collect();
                    if new.is_empty() {
                        return Err(Error::conflict("nothing_to_import"));
                    }
                    if this.approvals.is_enabled() {
                        let proposed = this.propose_import(tx, new, &staff).await?;
                        return Ok(ChangeOutcome::PendingApproval(Box::new(proposed)));
                    }
                    this.store_import(tx, &new, &Actor::from(&staff)).await?;
                    Ok(ChangeOutcome::Applied(lines))
                })
            })
            .await
    }

    fn rows_of(&self, import: &RequisiteImport) -> Result<Vec<ImportedRequisite>> {
        let refused = |code| Error::unprocessable("validation_failed").with("max", LINES_MAX).at("text", code);
        if import.text.chars().count() > LENGTH_MAX {
            return Err(refused("too_many_lines"));
        }
        let (mut rows, mut wrong) = (Vec::new(), Vec::new());
        for (line, cells) in cells(&import.text) {
            if rows.len() + wrong.len() >= LINES_MAX {
                return Err(refused("too_many_lines"));
            }
            match self.new_requisite(line_of(import, cells)) {
                Ok(row) => rows.push(ImportedRequisite { line, row, is_duplicate: false }),
                Err(error) if error.fields().is_empty() => return Err(error),
                Err(error) => wrong.extend(error.fields().iter().map(|field| at_line(line, field))),
            }
        }
        match (wrong.is_empty(), rows.is_empty()) {
            (false, _) => Err(Error::invalid(wrong)),
            (true, true) => Err(refused("required")),
            (true, false) => Ok(rows),
        }
    }

    async fn propose_import(&self, tx: &mut Tx, rows: Vec<RequisiteRow>, staff: &Staff) -> Result<ApprovalRow> {
        let first = rows.first().ok_or_else(|| Error::internal("an import without lines"))?;
        let mut shown = self.requisite_facts(None, first)?;
        shown.retain(|fact| !["value", "holder", "memo"].iter().any(|own| fact.label == format!("approval_fact.{own}")));
        shown.extend(rows.iter().map(|row| {
            let parts = [Some(&row.value), row.holder.as_ref(), row.memo.as_ref()];
            ApprovalFact::new("value", parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(", "))
        }));
        let about = ("currency", first.currency_id.to_string());
        let payload = json!(Import { rows });
        self.approvals.propose(tx, ApprovalRequest { kind: IMPORTED, about, shown, payload }, staff).await
    }

    async fn store_import(&self, tx: &mut Tx, rows: &[RequisiteRow], by: &Actor) -> Result<()> {
        let Some(currency) = rows.first().map(|row| row.currency_id) else { return Ok(()) };
        let kind = self.quotes.by_id(currency).and_then(|currency| address_kind(&currency)).unwrap_or(RequisiteKind::Text);
        for row in rows {
            self.write_requisite(tx, None, row, by).await?;
        }
        let limits = rows.first().map(|row| masked(whole(row), kind)).map(|mut limits| {
            for own in ["value", "holder", "memo", "currency"] {
                limits.as_object_mut().and_then(|fields| fields.remove(own));
            }
            limits
        });
        let values: Vec<String> = rows.iter().map(|row| mask(kind, &row.value)).collect();
        let entry = NewAuditEntry {
            by,
            action: "requisite.imported",
            about: "currency",
            id: currency.to_string(),
            before: None,
            after: Some(json!({ "values": values, "limits": limits })),
        };
        audit::record(tx, entry, self.platform.clock.now()).await
    }
}

/// The cells of each line that has any, with its number.
fn cells(text: &str) -> Vec<(usize, Vec<String>)> {
    let delimiter = ['\t', ';', ','].into_iter().find(|mark| text.contains(*mark)).unwrap_or(';');
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let cells = lines.map(|(number, line)| {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).delimiter(delimiter as u8).from_reader(line.as_bytes());
        let record = reader.records().next().and_then(Result::ok).unwrap_or_default();
        (number + 1, record.iter().map(|cell| cell.trim().trim_start_matches('\u{feff}').to_owned()).collect::<Vec<_>>())
    });
    cells.filter(|(_, cells)| !cells.first().is_some_and(|first| first.eq_ignore_ascii_case(HEADER))).collect()
}

fn line_of(import: &RequisiteImport, cells: Vec<String>) -> NewRequisite {
    let mut cells = cells.into_iter();
    let mut properties = RequisiteChange { value: cells.next(), ..import.common.clone() };
    properties.holder = cells.next().map(Some);
    properties.memo = cells.next().map(Some);
    NewRequisite { currency: import.currency, properties }
}

fn at_line(line: usize, error: &FieldError) -> FieldError {
    FieldError { field: format!("lines.{line}.{}", error.field), ..error.clone() }
}

async fn mark_duplicates(tx: &mut Tx, mut rows: Vec<ImportedRequisite>) -> Result<Vec<ImportedRequisite>> {
    let name = |row: &RequisiteRow| (row.currency_id, row.value.clone(), row.memo.clone());
    let mut known: HashSet<_> = requisites::all(tx).await?.iter().map(name).collect();
    for line in &mut rows {
        line.is_duplicate = !known.insert(name(&line.row));
    }
    Ok(rows)
}

/// Applies approved imports.
pub struct RequisiteImportApproval(pub Arc<Claims>);

impl ApprovalHandler for RequisiteImportApproval {
    fn handles(&self) -> (&'static str, Permission) {
        (IMPORTED, REQUISITES_CHANGE)
    }

    fn execute<'t>(self: Arc<Self>, tx: &'t mut Tx, approval: &'t ApprovalRow, _: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            let Import { rows } = approval.read()?;
            let lines = rows.into_iter().enumerate();
            let lines = lines.map(|(place, row)| ImportedRequisite { line: place + 1, row, is_duplicate: false }).collect();
            let lines = mark_duplicates(tx, lines).await?;
            if lines.iter().any(|line| line.is_duplicate) {
                return Err(outdated());
            }
            let rows: Vec<RequisiteRow> = lines.into_iter().map(|line| line.row).collect();
            self.0.store_import(tx, &rows, &approval.proposer()).await
        })
    }
}

//! The referral history as CSV.

use agio_core::texts::Locale;
use agio_http::csv_file::{CsvCell, CsvFile};

use crate::Referral;
use crate::service::{ReferralHistory, units};

const COLUMNS: [&str; 6] = ["id", "kind", "amount", "currency", "status", "created_at"];

pub fn csv_of(referral: &Referral, history: &ReferralHistory, locale: Locale) -> CsvFile {
    let text = |key: String| CsvCell::Text(referral.text(&key, locale));
    let head = COLUMNS.map(|column| text(format!("referral_history.{column}")));
    let lines = history.lines.iter().map(|line| {
        vec![
            CsvCell::Text(line.id.to_string()),
            text(format!("referral_history.kind.{}", line.kind.name())),
            CsvCell::Number(units(line.units, line.scale)),
            CsvCell::Text(history.currency.clone()),
            text(format!("referral_history.status.{}", line.status.name())),
            CsvCell::Time(line.created_at),
        ]
    });
    CsvFile::new("attachment; filename=referral.csv", locale, std::iter::once(head.into()).chain(lines))
}
